//! One attempt at a test: the child process, what it says, how it ends.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use wiredyno_model::progress::ProgressLine;

use crate::queue::Due;
use crate::test::{Kind, State};

/// The longest line that a child may say.
const LINE_BYTES: u64 = 16 << 20;
/// The longest log of a test.
const LOG_BYTES: u64 = 8 << 20;
/// How often is looked whether the child shall end.
const LOOK: Duration = Duration::from_millis(200);
/// How long a child may take to end in good order, then at once; behind that it is killed.
const GRACE: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(10)];
/// How often the machine is looked at.
const SAMPLE: Duration = Duration::from_secs(1);

/// An attempt to be made.
pub struct Attempt<'a> {
    /// The test.
    pub due: &'a Due,
    /// The id of the run.
    pub run: &'a str,
    /// Which attempt, from 1.
    pub number: u32,
    /// Whether the run goes on.
    pub resumes: bool,
    /// The server's folder.
    pub data: &'a Path,
}

/// What a child says.
pub enum Said {
    /// How far it is.
    Progress(Box<ProgressLine>),
    /// Anything else.
    Line(String),
    /// All that it printed, where that is one text.
    Whole(String),
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; absent where it was killed or did not start.
    pub exit_code: Option<i32>,
    /// Why there is no result.
    pub reason: Option<String>,
    /// Done, failed or cancelled.
    pub state: State,
    /// Whether another attempt may go better.
    pub retry: bool,
}

impl Ended {
    /// With a result.
    pub fn done(exit_code: i32) -> Self {
        Ended { exit_code: Some(exit_code), reason: None, state: State::Done, retry: false }
    }

    /// Without.
    pub fn failed(exit_code: Option<i32>, reason: String, retry: bool) -> Self {
        Ended { exit_code, reason: Some(reason), state: State::Failed, retry }
    }

    /// Whether it was asked to end, and did.
    pub fn is_interrupted(&self) -> bool {
        self.state == State::Cancelled || self.exit_code.is_none()
    }

    /// From the exit code of `wiredyno` (its `--help` has the table), and the last line that it said.
    fn of(status: ExitStatus, last_words: Option<String>) -> Self {
        let said = |otherwise: String| last_words.clone().unwrap_or(otherwise);
        match status.code() {
            // Cells without a figure, thresholds that are not kept and what can't be told are results.
            Some(code @ (0 | 3 | 10 | 11)) => Ended::done(code),
            Some(130) => Ended { exit_code: Some(130), reason: None, state: State::Cancelled, retry: false },
            // A command line that is refused (2) may be well the next time: a folder that stood in the way is gone.
            Some(code) => {
                Ended::failed(Some(code), said(format!("the run ended with exit code {code}")), true)
            }
            None => {
                let signal = status.signal().and_then(|number| Signal::try_from(number).ok());
                let by = signal.map_or("a signal", Signal::as_str);
                Ended::failed(None, format!("the run was killed by {by}"), true)
            }
        }
    }
}

/// The child process.
pub struct Child {
    child: std::process::Child,
    said: Receiver<Said>,
    log: File,
    asked_at: Option<(Instant, usize)>,
    sampled_at: Instant,
    cpu: Option<(u64, u64)>,
    last_words: Option<String>,
}

/// Where the log of a test stands.
pub fn log_file(data: &Path, test: i64) -> PathBuf {
    data.join("logs").join(format!("{test}.log"))
}

impl Child {
    /// Starts it. It dies with the thread that does this.
    ///
    /// # Errors
    /// When its files can't be written, or it can't be started.
    pub fn start(program: &Path, attempt: &Attempt<'_>) -> anyhow::Result<Self> {
        let Attempt { due, run, number, resumes, data } = *attempt;
        let folder = Path::new("runs").join(run);
        let mut command = Command::new(program);
        match due.test.kind {
            Kind::SelfTest => {
                command.args(["doctor", "--self-test", "--json"]);
            }
            Kind::Study if resumes => {
                command.args(["run", "--progress", "json", "--resume"]).arg(&folder);
            }
            Kind::Study => {
                let study = Path::new("orders").join(format!("{}.toml", due.test.id));
                std::fs::write(data.join(&study), &due.study).context("the study's file")?;
                command.args(["run", "--progress", "json"]).arg(&study).arg("--out").arg(&folder);
                command.args(due.only.iter().flat_map(|only| ["--only", only]));
                command.args(due.broker.iter().flat_map(|broker| ["--broker", broker]));
                command.args(due.test.capture.then_some("--capture"));
            }
        }
        let log = log_file(data, due.test.id);
        let mut log = OpenOptions::new().create(true).append(true).open(&log).context("the test's log")?;
        writeln!(log, "-- attempt {number}, {}", jiff::Timestamp::now()).context("the test's log")?;
        command.current_dir(data).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        // SAFETY: system calls only, without allocation.
        unsafe { command.pre_exec(die_with_parent) };
        let mut child = command.spawn().with_context(|| program.display().to_string())?;
        let (to, said) = channel();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        if let Some(out) = out {
            let to = to.clone();
            let whole = due.test.kind == Kind::SelfTest;
            std::thread::spawn(move || if whole { read(out, &to) } else { listen(out, &to) });
        }
        if let Some(err) = err {
            std::thread::spawn(move || listen(err, &to));
        }
        let now = Instant::now();
        Ok(Child { child, said, log, asked_at: None, sampled_at: now, cpu: None, last_words: None })
    }

    /// Passes on what it says until it ends; looks now and then whether there is something to do.
    pub fn follow(&mut self, take: &mut dyn FnMut(Said), look: &mut dyn FnMut(&mut Child)) -> Ended {
        let mut looked = Instant::now();
        loop {
            match self.said.recv_timeout(LOOK) {
                Ok(said) => {
                    if let Said::Line(line) = &said {
                        self.note(line);
                    }
                    take(said);
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Both of its pipes are closed.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                look(self);
                self.insist();
            }
        }
        // What is left in its group has no business any more; as long as it was not waited for, the group is its own.
        let _ = killpg(self.pid(), Signal::SIGKILL);
        match self.child.wait() {
            Ok(status) => Ended::of(status, self.last_words.take()),
            Err(error) => Ended::failed(None, error.to_string(), true),
        }
    }

    /// Writes a line into the log, which has an end.
    fn note(&mut self, line: &str) {
        if let Some(words) = line.strip_prefix("wiredyno: ") {
            self.last_words = Some(words.to_owned());
        }
        let length = self.log.metadata().map_or(0, |about| about.len());
        if length < LOG_BYTES {
            let _ = writeln!(self.log, "{line}");
        }
    }

    fn pid(&self) -> Pid {
        // Ids of processes fit (proc(5), pid_max).
        Pid::from_raw(self.child.id() as i32)
    }

    /// Asks it to end in good order.
    pub fn ask_to_end(&mut self) {
        self.asked_at = Some((Instant::now(), 0));
        let _ = kill(self.pid(), Signal::SIGTERM);
    }

    /// Asks again, then kills.
    fn insist(&mut self) {
        let Some((since, asked)) = self.asked_at else { return };
        let grace = GRACE.get(asked).copied().unwrap_or(GRACE[1]);
        if since.elapsed() < grace {
            return;
        }
        self.asked_at = Some((Instant::now(), asked + 1));
        if asked == 0 {
            let _ = kill(self.pid(), Signal::SIGTERM);
        } else {
            let _ = killpg(self.pid(), Signal::SIGKILL);
        }
    }

    /// Share of the CPUs' time that was used since the last look, and memory in use; once a second.
    pub fn machine(&mut self) -> Option<(f64, u64)> {
        if self.sampled_at.elapsed() < SAMPLE {
            return None;
        }
        self.sampled_at = Instant::now();
        let (busy, all) = cpu_ticks()?;
        let (busy_before, all_before) = self.cpu.replace((busy, all))?;
        let all = all.saturating_sub(all_before).max(1);
        Some((busy.saturating_sub(busy_before) as f64 / all as f64, memory_used()?))
    }
}

fn die_with_parent() -> std::io::Result<()> {
    // SAFETY: integers only.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn read(pipe: impl Read, to: &Sender<Said>) {
    let mut text = String::new();
    if pipe.take(LINE_BYTES).read_to_string(&mut text).is_ok() {
        let _ = to.send(Said::Whole(text));
    }
}

fn listen(pipe: impl Read, to: &Sender<Said>) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        let said = match text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten() {
            Some(progress) => Said::Progress(Box::new(progress)),
            None => Said::Line(text.to_owned()),
        };
        if to.send(said).is_err() {
            return;
        }
    }
}

/// Ticks in which a CPU did something, and all of them (proc_stat(5)).
fn cpu_ticks() -> Option<(u64, u64)> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<u64> =
        stat.lines().next()?.split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
    let [_user, _nice, _system, idle, wait, ..] = ticks[..] else { return None };
    let all: u64 = ticks.iter().sum();
    Some((all - idle - wait, all))
}

/// Memory that is not available (proc_meminfo(5)).
fn memory_used() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let of = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_end_matches("kB").trim().parse().ok()
    };
    Some((of("MemTotal:")? - of("MemAvailable:")?) * 1024)
}
