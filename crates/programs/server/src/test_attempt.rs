//! One attempt at a test: the child process, its output and how it ends.

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
use crate::watch::WatchState;

/// The longest line that is read from a child, in bytes.
const LINE_BYTES: u64 = 16 << 20;
/// The longest log of a test, in bytes.
const LOG_BYTES: u64 = 8 << 20;
/// How often a child is checked for cancellation.
const LOOK: Duration = Duration::from_millis(200);
/// How long a child may take after the first SIGTERM and after the second; then it is killed.
const GRACE: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(10)];
/// How often CPU and memory are sampled.
const SAMPLE: Duration = Duration::from_secs(1);

/// An attempt to start.
pub struct Attempt<'a> {
    /// The test with its order.
    pub due: &'a Due,
    /// The id of the run.
    pub run: &'a str,
    /// Attempt number, from 1.
    pub number: u32,
    /// Whether to resume the existing run.
    pub resumes: bool,
    /// The server's data folder (`--data`).
    pub data: &'a Path,
    /// The file of the fleet whose agents its hosts are, if it asks for one.
    pub fleet: Option<&'a Path>,
    /// Whether its trials are shown while they run.
    pub live: bool,
}

/// Output of a child.
pub enum Said {
    /// A progress line of `--progress json`.
    Progress(Box<ProgressLine>),
    /// Any other line of standard output or standard error.
    Line(String),
    /// All of standard output, where that is one text (a self-test).
    Whole(String),
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; absent when the child was killed or did not start.
    pub exit_code: Option<i32>,
    /// Why there is no result.
    pub reason: Option<String>,
    /// Done, failed or cancelled.
    pub state: State,
    /// Whether another attempt may succeed.
    pub retry: bool,
    /// Whether it continues as soon as it can, without counting as a failure.
    pub resumes: bool,
    /// Whether its child ended by itself, so that what was watched is complete.
    pub watched: bool,
}

impl Ended {
    /// An attempt with a result, whose outcomes may include failed trials.
    pub fn done(exit_code: i32) -> Self {
        Ended {
            exit_code: Some(exit_code),
            reason: None,
            state: State::Done,
            retry: false,
            resumes: false,
            watched: false,
        }
    }

    /// A run that ended without a figure has no result, and would have none the next time.
    pub fn or_unmeasured(self, watched: &WatchState) -> Self {
        match watched.nothing_measured().filter(|_| self.state == State::Done) {
            Some(reason) => Ended::failed(self.exit_code, reason, false),
            None => self,
        }
    }

    /// An attempt without a result.
    pub fn failed(exit_code: Option<i32>, reason: String, retry: bool) -> Self {
        Ended { exit_code, reason: Some(reason), state: State::Failed, retry, resumes: false, watched: false }
    }

    /// Whether the child ended on request.
    pub fn is_interrupted(&self) -> bool {
        self.state == State::Cancelled || self.exit_code.is_none()
    }

    /// From the exit code of `wiredyno` (`--help` has the table) and the last line that it printed.
    fn of(status: ExitStatus, last_words: Option<String>) -> Self {
        let said = |otherwise: String| last_words.clone().unwrap_or(otherwise);
        match status.code() {
            // Cells without a figure, missed thresholds and undecided ones are results.
            Some(code @ (0 | 3 | 10 | 11)) => Ended { watched: true, ..Ended::done(code) },
            Some(130) => Ended { state: State::Cancelled, ..Ended::done(130) },
            // A refused command line (2) may pass next time, for instance when a folder in the way is gone.
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

/// The running child process with its output and samples.
pub struct Child {
    child: std::process::Child,
    said: Receiver<Said>,
    log: File,
    asked_at: Option<(Instant, usize)>,
    sampled_at: Instant,
    cpu: Option<(u64, u64)>,
    last_words: Option<String>,
}

/// The path of a test's log.
pub fn log_file(data: &Path, test: i64) -> PathBuf {
    data.join("logs").join(format!("{test}.log"))
}

/// The path of a test's study as a file, below the server's folder `data`.
pub fn order_file(data: &Path, test: i64) -> PathBuf {
    data.join("orders").join(format!("{test}.toml"))
}

impl Child {
    /// Starts the child. The kernel kills it when the calling thread ends.
    ///
    /// # Errors
    /// When its files can't be written or it can't be started.
    pub fn start(program: &Path, attempt: &Attempt<'_>) -> anyhow::Result<Self> {
        let Attempt { due, run, number, resumes, data, fleet, live } = *attempt;
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
                let study = order_file(Path::new(""), due.test.id);
                std::fs::write(data.join(&study), &due.study).context("the study's file")?;
                command.args(["run", "--progress", "json"]).arg(&study).arg("--out").arg(&folder);
                command.args(due.only.iter().flat_map(|only| ["--only", only]));
                command.args(due.broker.iter().flat_map(|broker| ["--broker", broker]));
                command.args(due.test.capture.then_some("--capture"));
            }
        }
        if let Some(fleet) = fleet {
            command.arg("--fleet").arg(fleet);
        }
        command.args((!live && due.test.kind == Kind::Study).then_some("--no-live"));
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

    /// Passes the child's output to `take` until it ends, and calls `look` every [`LOOK`].
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
                // Both pipes are closed.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                look(self);
                self.insist();
            }
        }
        // Kills what is left of its process group. The child has not been waited for yet, so the group id can't have been reused.
        let _ = killpg(self.pid(), Signal::SIGKILL);
        match self.child.wait() {
            Ok(status) => Ended::of(status, self.last_words.take()),
            Err(error) => Ended::failed(None, error.to_string(), true),
        }
    }

    /// Appends a line to the log, up to [`LOG_BYTES`].
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
        // Process ids fit (proc(5), pid_max).
        Pid::from_raw(self.child.id() as i32)
    }

    /// Asks the child to end cleanly (SIGTERM).
    pub fn ask_to_end(&mut self) {
        self.asked_at = Some((Instant::now(), 0));
        let _ = kill(self.pid(), Signal::SIGTERM);
    }

    /// Repeats SIGTERM, then kills, after the pauses of [`GRACE`].
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

    /// Share of CPU time used since the last call (0..1) and memory in use (bytes); `None` within a second of the last sample.
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

/// Busy ticks and all ticks, over all CPUs (proc_stat(5)).
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
