//! Seats of runners that are processes of this machine, on a host of a lane or on loopback.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wiredyno_contract::{Operation, Reply, Request, Success};
use wiredyno_link::lane::Lane;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Host;
use wiredyno_model::trial::{CpuUse, RoleUse};
use wiredyno_process::group::Group;
use wiredyno_process::socket::{Socket, sockets_of};
use wiredyno_process::talk::{Talk, TalkError};
use wiredyno_process::usage::{self, Busiest, Watched};

use super::clock::{Moment, SeatClock};
use super::{Cpu, RunnerSeat, Seat, SeatFile, Watch, cpu};
use crate::runner::{Interrupt, Runner, RunnerError, name_of};

/// This machine, as far as a trial's seats are on it.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    /// The sandbox that makes children end with the run.
    pub sandbox: &'a Sandbox,
    /// The lane whose hosts they run on; absent on loopback.
    pub lane: Option<&'a Lane>,
    /// The trial's folder, for the files of roles.
    pub folder: &'a Path,
    /// Set when the trial is to end.
    pub interrupt: &'a Interrupt,
}

impl Here<'_> {
    /// Starts a runner on a host, and returns it on its seat.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn seat(&self, role: &'static str, host: Host, mut command: Command) -> Result<Runner, RunnerError> {
        self.enter(host, &mut command);
        let process = RunnerProcess::start(role, command, self.interrupt)?;
        Ok(Runner::on(RunnerProcess { folder: Some(self.folder.to_owned()), ..process }))
    }

    /// Makes a command start on a host.
    pub fn enter(&self, host: Host, command: &mut Command) {
        self.sandbox.prepare(command);
        if let Some(lane) = self.lane {
            lane.host(host).enter(command);
        }
    }

    /// The address at which a host is reached from the other.
    pub fn address(&self, host: Host) -> Ipv4Addr {
        self.lane.map_or(Ipv4Addr::LOCALHOST, |lane| lane.host(host).address())
    }

    /// A port on loopback that is free now.
    ///
    /// # Errors
    /// When there is none.
    pub fn free_port(&self) -> io::Result<u16> {
        Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
    }
}

/// Starts a runner outside any trial: it has no host and writes no files. The command must be one that ends with the run.
///
/// # Errors
/// When it can't be started.
pub fn start(role: &'static str, command: Command, interrupt: &Interrupt) -> Result<Runner, RunnerError> {
    RunnerProcess::start(role, command, interrupt).map(Runner::on)
}

/// Starts watching what processes of this machine use.
///
/// # Errors
/// When one has ended, or all of a tree have.
pub fn watch(watched: Watched) -> io::Result<Box<dyn Watch>> {
    Ok(Box::new(ProcessWatch(usage::Watch::begin(watched)?)))
}

struct ProcessWatch(usage::Watch);

impl Watch for ProcessWatch {
    fn busiest(&self, first: Moment) -> io::Result<Busiest> {
        self.0.busiest(first.ns())
    }

    fn moving(&mut self) -> io::Result<()> {
        self.0.moving()
    }

    fn moved(&self) -> io::Result<CpuUse> {
        self.0.moved()
    }

    fn end(&self) -> io::Result<RoleUse> {
        self.0.end(0)
    }
}

/// How long a runner may take to end when requested, and to be gone after it has closed its output.
const ENDING: Duration = Duration::from_secs(1);

/// How much of the end of its standard error is read, in bytes, and how many lines of that an error quotes.
const TOLD: (u64, usize) = (4_096, 5);

/// How much of an invalid answer an error quotes, in characters.
const MOST_TOLD_CHARS: usize = 500;

/// A runner's process. It is killed on drop, with all processes that it has started.
pub struct RunnerProcess {
    interrupt: Interrupt,
    role: &'static str,
    /// The folder into which it writes its files; only in a trial.
    folder: Option<PathBuf>,
    group: Group,
    talk: Talk,
    stderr: File,
    next_id: u64,
}

impl RunnerProcess {
    /// Starts `command` as a runner in the given role.
    ///
    /// # Errors
    /// When the program can't be started.
    fn start(role: &'static str, mut command: Command, interrupt: &Interrupt) -> Result<Self, RunnerError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |source| RunnerError::Start { program: program.clone(), source };
        let stderr = tempfile::tempfile().map_err(failed)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.try_clone().map_err(failed)?);
        let mut group = Group::spawn(&mut command).map_err(failed)?;
        let talk = Talk::with(group.child()).map_err(failed)?;
        Ok(RunnerProcess {
            interrupt: interrupt.clone(),
            role,
            folder: None,
            group,
            talk,
            stderr,
            next_id: 1,
        })
    }

    fn send(&mut self, operation: Operation, limit: Duration) -> Result<u64, TalkError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut line = serde_json::to_vec(&Request { id, operation }).map_err(io::Error::from)?;
        line.push(b'\n');
        let interrupt = &self.interrupt;
        self.talk.send(&line, limit, &|| interrupt.is_set()).map(|()| id)
    }

    /// What went wrong between the two, in words that say which side did what.
    fn failed(&mut self, operation: &str, error: TalkError) -> RunnerError {
        let (role, operation) = (self.role, operation.to_owned());
        match error {
            TalkError::Closed => self.closed(),
            TalkError::Deaf { limit } => {
                RunnerError::Deaf { role, operation, limit, stderr: self.stderr_tail() }
            }
            TalkError::Silent { limit } => {
                RunnerError::Silent { role, operation, limit, stderr: self.stderr_tail() }
            }
            TalkError::Endless { .. } => RunnerError::Contract {
                role,
                problem: format!("its answer to `{operation}` is incomplete: {error}"),
            },
            TalkError::Interrupted => RunnerError::Interrupted,
            TalkError::Pipe(source) => RunnerError::Pipe { role, source },
        }
    }

    /// It has ended, or continues behind pipes that it has closed.
    fn closed(&mut self) -> RunnerError {
        match self.group.ended_within(ENDING) {
            Some(status) => RunnerError::Ended {
                role: self.role,
                status: format!(" ({status})"),
                stderr: self.stderr_tail(),
            },
            None => {
                let problem = format!("it closed its pipes but did not exit{}", self.stderr_tail());
                RunnerError::Contract { role: self.role, problem }
            }
        }
    }

    /// Reads without moving the position in the file: the runner writes there.
    fn stderr_tail(&self) -> String {
        let (bytes, lines) = TOLD;
        let length = self.stderr.metadata().map_or(0, |metadata| metadata.len());
        let from = length.saturating_sub(bytes);
        let mut end = vec![0; usize::try_from(length - from).unwrap_or_default()];
        if self.stderr.read_exact_at(&mut end, from).is_err() {
            return String::new();
        }
        let text = String::from_utf8_lossy(&end);
        let said: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let tail = &said[said.len().saturating_sub(lines)..];
        if tail.is_empty() { String::new() } else { format!("; it said: {}", tail.join(" | ")) }
    }
}

impl Seat for RunnerProcess {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        watch(Watched::Processes(vec![self.group.id()]))
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        sockets_of(self.group.id())
    }

    fn clock(&self) -> SeatClock {
        SeatClock::OURS
    }

    fn keep_off(&self, cpu: Cpu) -> bool {
        cpu::keep_off(&[self.group.id()], cpu)
    }

    fn release(&self) {
        cpu::release(&[self.group.id()]);
    }
}

impl RunnerSeat for RunnerProcess {
    fn role(&self) -> &'static str {
        self.role
    }

    fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError> {
        let name = name_of(&operation);
        let id = self.send(operation, limit).map_err(|error| self.failed(&name, error))?;
        let interrupt = &self.interrupt;
        let line = self.talk.line(limit, self.group.process(), &|| interrupt.is_set());
        let line = line.map_err(|error| self.failed(&name, error))?;
        let broken = |problem| RunnerError::Contract { role: self.role, problem };
        let reply: Reply = serde_json::from_slice(&line).map_err(|error| {
            let said = String::from_utf8_lossy(&line);
            let said: String = said.trim().chars().take(MOST_TOLD_CHARS).collect();
            broken(format!("{error} in {said}"))
        })?;
        if reply.id != id {
            return Err(broken(format!("it answered request {} when asked {id}", reply.id)));
        }
        Result::from(reply.answer).map_err(|failure| RunnerError::Refused { role: self.role, failure })
    }

    fn ended(&mut self) -> Option<String> {
        let status = self.group.ended()?;
        let said = self.stderr_tail();
        Some(format!("the {} ended in the middle of the trial ({status}){said}", self.role))
    }

    fn stop(mut self: Box<Self>) {
        if self.send(Operation::Stop, ENDING).is_ok() {
            self.talk.drain(ENDING, self.group.process());
            self.group.ended_within(ENDING);
        }
    }

    fn peak_memory_bytes(&self) -> io::Result<u64> {
        usage::peak_memory_bytes(self.group.id())
    }

    fn file(&self, name: &str) -> io::Result<SeatFile> {
        let none =
            || io::Error::other(format!("outside a trial it writes no files (`{name}`); please report this"));
        Ok(named(&self.folder.as_ref().ok_or_else(none)?.join(name)))
    }

    fn fetch(&self, file: &SeatFile) -> io::Result<PathBuf> {
        Ok(PathBuf::from(&file.name))
    }

    fn hand(&self, ours: &Path) -> io::Result<SeatFile> {
        Ok(named(ours))
    }

    fn deliver(&self, to: &Path) -> io::Result<SeatFile> {
        Ok(named(to))
    }

    fn reach(&self, gate: &SeatFile) -> io::Result<SeatFile> {
        Ok(gate.clone())
    }

    fn spare_cpu(&self) -> Option<Cpu> {
        Cpu::spare()
    }

    fn set_apart(&self, cpu: Cpu) -> bool {
        cpu::set_apart(self.group.id(), cpu)
    }
}

/// A file whose name at the seat is our path.
fn named(ours: &Path) -> SeatFile {
    SeatFile { name: ours.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::PATIENCE;

    fn process(script: &str) -> RunnerProcess {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        RunnerProcess::start("publisher", command, &Interrupt::default()).unwrap()
    }

    fn shell(script: &str) -> Runner {
        Runner::on(process(script))
    }

    #[test]
    fn a_runner_that_dies_is_reported_with_what_it_said() {
        let mut runner = shell("echo out of luck >&2; exit 3");
        let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
        assert!(error.contains("publisher ended") && error.contains("out of luck"), "{error}");
    }

    /// Every way in which a runner can break the contract during a request, each with its own limit and the error
    /// that it gets. None of them takes longer than its limit and a few seconds, and no process of them is left.
    // One function: a table of cases and the loop over it.
    #[test]
    fn however_a_runner_breaks_the_contract_it_is_told_in_time_and_nothing_of_it_is_left() {
        let (short, long) = (Duration::from_millis(300), PATIENCE);
        // On a busy machine the answer begins late.
        let enough = Duration::from_secs(3);
        let ways = [
            ("silent", "sleep 1000", short, "did not answer `describe` within 0 s"),
            (
                "closes its output and lives",
                "exec >&-; sleep 1000",
                long,
                "closed its pipes but did not exit",
            ),
            ("closes both and lives", "exec <&- >&-; sleep 1000", long, "closed its pipes but did not exit"),
            ("leaves somebody who holds its output", "sleep 1000 & exit 4", long, "ended before it answered"),
            (
                "ends in the middle of a line",
                "read line; printf '{\"id\":1,'; exit 5",
                long,
                "exit status: 5",
            ),
            ("half a line", "read line; printf '{\"id\":1,'; sleep 1000", short, "did not answer `describe`"),
            ("an answer without end", "read line; exec cat /dev/zero", enough, "is incomplete"),
            ("an answer that never pauses", "read line; exec yes", long, "broke the contract"),
            ("nonsense", "read line; echo hello; sleep 1000", long, "broke the contract"),
            ("an empty line", "read line; echo; sleep 1000", long, "broke the contract"),
            ("no text", "read line; printf '\\377\\376\\n'; sleep 1000", long, "broke the contract"),
            ("no object", "read line; echo '[1]'; sleep 1000", long, "broke the contract"),
            (
                "another number",
                r#"read line; echo '{"id":7,"ok":{"outcome":"done"}}'; sleep 1000"#,
                long,
                "answered request 7 when asked 1",
            ),
            (
                "another answer",
                r#"read line; echo '{"id":1,"ok":{"outcome":"done"}}'; sleep 1000"#,
                long,
                "it answered `describe` with Done",
            ),
            (
                "an unknown answer",
                r#"read line; echo '{"id":1,"ok":{"outcome":"magic"}}'; sleep 1000"#,
                long,
                "broke the contract",
            ),
            (
                "an answer and no answer",
                r#"read line; echo '{"id":1}'; sleep 1000"#,
                long,
                "broke the contract",
            ),
            ("killed", "read line; kill -9 $$", long, "signal: 9"),
            ("stopped", "read line; kill -STOP $$", short, "did not answer `describe`"),
            (
                "deaf to the end",
                "trap '' TERM INT HUP; while :; do sleep 1000; done",
                short,
                "did not answer",
            ),
        ];
        for (way, script, limit, told) in ways {
            let process = process(script);
            let pid = process.group.id();
            let mut runner = Runner::on(process);
            let begun = std::time::Instant::now();
            let error = match runner.ask(Operation::Describe, limit) {
                Ok(other) => runner.unexpected("describe", &other),
                Err(error) => error,
            };
            assert!(error.to_string().contains(told), "{way}: {error}");
            runner.stop();
            assert!(begun.elapsed() < long / 2, "{way}: {:?}", begun.elapsed());
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{way}: it is left");
        }
    }

    /// A request of megabytes to a runner that reads nothing.
    #[test]
    fn a_runner_that_does_not_read_is_given_up() {
        let mut runner = shell("sleep 1000");
        let bodies = vec!["00".repeat(1 << 20)];
        let payload: wiredyno_contract::PayloadSource = serde_json::from_value(serde_json::json!({
            "name": "person", "descriptor_set": "", "definition": "", "message": "", "samples": "", "samples_digest": ""
        }))
        .unwrap();
        let codec = "json/serde-json".parse().unwrap();
        let decode = Operation::DecodeSamples { payload, codec, bodies };
        let error = runner.ask(decode, Duration::from_millis(300)).unwrap_err().to_string();
        assert!(error.contains("did not read the request `decode-samples`"), "{error}");
        runner.stop();
    }

    #[test]
    fn a_runner_that_says_too_much_on_its_standard_error_is_told_by_the_end_of_it() {
        let mut runner = shell("head -c 3000000 /dev/zero >&2; printf '\\377 %s\\n' alas >&2; exit 3");
        let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
        assert!(error.contains("alas") && error.len() < 20_000, "{} bytes", error.len());
    }

    #[test]
    fn a_refusal_is_passed_on() {
        let mut runner = shell(r#"read line; echo '{"id":1,"failed":{"error":"no such codec"}}'; read line"#);
        let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
        assert_eq!(error, "publisher: no such codec");
    }

    #[test]
    fn a_runner_without_versions_is_refused() {
        let reply = r#"{"id":1,"ok":{"outcome":"description","contract":2,"runner":{"name":"x","language":"x","version":"1"},"codecs":[{"id":"json/x","library":"x","version":"","about":"","capabilities":[]}],"transports":[]}}"#;
        let mut runner = shell(&format!("read line; echo '{reply}'; read line"));
        let error = runner.describe().unwrap_err().to_string();
        assert!(error.contains("`json/x` states no library version"), "{error}");
    }
}
