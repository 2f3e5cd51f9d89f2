//! The orchestrator's side of the runner contract: a runner process and what is asked of it.

use std::io::{self, Read, Seek, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout};
use wiredyno_model::trial::TlsVersion;
use wiredyno_runner_wire::{CONTRACT, Description, Failure, Operation, Reply, Request, Success};

/// What can go wrong between the orchestrator and a runner.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The program could not be started.
    #[error("the runner `{program}` could not be started: {source}; is the file there and executable?")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// None was built for a payload.
    #[error("no runner was prepared for the payload `{payload}`; please report this")]
    None {
        /// The payload.
        payload: String,
    },
    /// The runner said no.
    #[error("{role}: {failure}")]
    Refused {
        /// Which runner: publisher, subscriber, relay, codecs.
        role: &'static str,
        /// What it said.
        failure: Failure,
    },
    /// The runner ended, or closed its output.
    #[error("the {role} ended before it answered{status}{stderr}")]
    Ended {
        /// Which runner.
        role: &'static str,
        /// Exit status in words, with a leading separator; empty when unknown.
        status: String,
        /// Last lines of its standard error, with a leading separator; empty when there are none.
        stderr: String,
    },
    /// No answer in time.
    #[error("the {role} did not answer `{operation}` within {} s{stderr}", limit.as_secs())]
    Silent {
        /// Which runner.
        role: &'static str,
        /// The operation.
        operation: String,
        /// How long it was waited for.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// An answer that is none.
    #[error("the {role} broke the contract: {problem}; runner and orchestrator must be of one version")]
    Contract {
        /// Which runner.
        role: &'static str,
        /// What was wrong.
        problem: String,
    },
    /// The run was interrupted while the runner was waited for.
    #[error("interrupted")]
    Interrupted,
    /// The pipe failed.
    #[error("the pipe to the {role} failed: {source}")]
    Pipe {
        /// Which runner.
        role: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// How long an operation may take that should be quick: loading samples, connecting over a bad link.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Set once when the user wants the run to end; shared by all that wait.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Around a flag that a signal handler sets.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Interrupt(flag)
    }

    /// Ends the run.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run shall end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often a wait looks whether the run was interrupted.
const LOOK_AROUND: Duration = Duration::from_millis(200);

/// A runner process. It is killed when dropped.
pub struct RunnerProcess {
    interrupt: Interrupt,
    role: &'static str,
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    stderr: std::fs::File,
    unread: Vec<u8>,
    next_id: u64,
}

impl RunnerProcess {
    /// Starts `command` as a runner in the given role.
    ///
    /// # Errors
    /// When the program can't be started.
    pub fn start(
        role: &'static str,
        mut command: Command,
        interrupt: &Interrupt,
    ) -> Result<Self, RunnerError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |source| RunnerError::Start { program: program.clone(), source };
        let stderr = tempfile::tempfile().map_err(failed)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.try_clone().map_err(failed)?);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::Error::other("its pipes are missing")));
        };
        let interrupt = interrupt.clone();
        Ok(RunnerProcess { interrupt, role, child, input, output, stderr, unread: Vec::new(), next_id: 1 })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// When the runner refuses, ends, breaks the contract or does not answer within `limit`.
    pub fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError> {
        let id = self.send(operation.clone())?;
        let reply = self.next_reply(&operation, limit)?;
        if reply.id != id {
            let problem = format!("it answered request {} when asked {id}", reply.id);
            return Err(RunnerError::Contract { role: self.role, problem });
        }
        Result::from(reply.answer).map_err(|failure| RunnerError::Refused { role: self.role, failure })
    }

    fn send(&mut self, operation: Operation) -> Result<u64, RunnerError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut line = serde_json::to_vec(&Request { id, operation })
            .map_err(|error| RunnerError::Contract { role: self.role, problem: error.to_string() })?;
        line.push(b'\n');
        match self.input.write_all(&line).and_then(|()| self.input.flush()) {
            Ok(()) => Ok(id),
            Err(source) if source.kind() == io::ErrorKind::BrokenPipe => Err(self.ended()),
            Err(source) => Err(RunnerError::Pipe { role: self.role, source }),
        }
    }

    fn next_reply(&mut self, operation: &Operation, limit: Duration) -> Result<Reply, RunnerError> {
        let end = Instant::now() + limit;
        let mut chunk = [0; 64 * 1024];
        // Replies with samples have megabytes: no byte is looked at twice.
        let mut searched = 0;
        loop {
            if let Some(newline) = self.unread[searched..].iter().position(|byte| *byte == b'\n') {
                let behind = self.unread.split_off(searched + newline + 1);
                let line = std::mem::replace(&mut self.unread, behind);
                return serde_json::from_slice(&line).map_err(|error| {
                    let problem = format!("{error} in {}", String::from_utf8_lossy(&line).trim());
                    RunnerError::Contract { role: self.role, problem }
                });
            }
            searched = self.unread.len();
            let left = end.saturating_duration_since(Instant::now());
            if self.interrupt.is_set() {
                return Err(RunnerError::Interrupted);
            }
            let timeout =
                PollTimeout::try_from(left.min(LOOK_AROUND).as_millis() + 1).unwrap_or(PollTimeout::MAX);
            let mut fds = [PollFd::new(self.output.as_fd(), PollFlags::POLLIN)];
            match nix::poll::poll(&mut fds, timeout) {
                Ok(0) if left.is_zero() => {
                    return Err(RunnerError::Silent {
                        role: self.role,
                        operation: name_of(operation),
                        limit,
                        stderr: self.stderr_tail(),
                    });
                }
                Ok(0) | Err(nix::errno::Errno::EINTR) => continue,
                Ok(_) => {}
                Err(errno) => {
                    return Err(RunnerError::Pipe { role: self.role, source: errno.into() });
                }
            }
            match self.output.read(&mut chunk) {
                Ok(0) => return Err(self.ended()),
                Ok(count) => self.unread.extend_from_slice(&chunk[..count]),
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(RunnerError::Pipe { role: self.role, source });
                }
            }
        }
    }

    fn ended(&mut self) -> RunnerError {
        let status = match self.child.wait() {
            Ok(status) => format!(" ({status})"),
            Err(_) => String::new(),
        };
        RunnerError::Ended { role: self.role, status, stderr: self.stderr_tail() }
    }

    /// That it has ended by itself: its exit status and the last lines of its standard error.
    pub fn has_ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        let said = self.stderr_tail();
        Some(format!("the {} ended in the middle of the trial ({status}){said}", self.role))
    }

    fn stderr_tail(&mut self) -> String {
        let mut text = String::new();
        if self.stderr.rewind().is_err() || self.stderr.read_to_string(&mut text).is_err() {
            return String::new();
        }
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let tail = &lines[lines.len().saturating_sub(5)..];
        if tail.is_empty() { String::new() } else { format!("; it said: {}", tail.join(" | ")) }
    }

    /// What the runner has. A runner of another contract, or one with anything that has no version, is refused.
    ///
    /// # Errors
    /// When it can't be asked or is refused.
    pub fn describe(&mut self) -> Result<Description, RunnerError> {
        match self.ask(Operation::Describe, PATIENCE)? {
            Success::Description(description) => {
                check(&description).map_err(|problem| RunnerError::Contract { role: self.role, problem })?;
                Ok(*description)
            }
            other => Err(self.unexpected("describe", &other)),
        }
    }

    /// Asks for something that has nothing to tell.
    ///
    /// # Errors
    /// As [`RunnerProcess::ask`].
    pub fn done(&mut self, operation: Operation, limit: Duration) -> Result<(), RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Done => Ok(()),
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// Hands over a payload; gives the length of the longest body of its samples.
    ///
    /// # Errors
    /// As [`RunnerProcess::ask`].
    pub fn loaded(&mut self, operation: Operation, limit: Duration) -> Result<u32, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Loaded { body_bytes, .. } => Ok(body_bytes.into_iter().max().unwrap_or_default()),
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// Asks for a connection; gives how long it took, where the runner tells.
    ///
    /// # Errors
    /// As [`RunnerProcess::ask`].
    pub fn connected(
        &mut self,
        operation: Operation,
        limit: Duration,
    ) -> Result<(Option<u64>, Option<TlsVersion>), RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Connected { connect_ns, tls } => Ok((connect_ns, tls)),
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// Asks for progress: messages, acknowledged ones and the last one's time.
    ///
    /// # Errors
    /// As [`RunnerProcess::ask`].
    pub fn progress(&mut self, operation: Operation, limit: Duration) -> Result<Progress, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Progress { messages, acked, last_ns, stand_cpu_ns } => {
                Ok(Progress { messages, acked, last_ns, stand_cpu_ns: stand_cpu_ns.unwrap_or_default() })
            }
            other => Err(self.unexpected(&name, &other)),
        }
    }

    /// The answer to an operation was of another kind.
    pub fn unexpected(&self, operation: &str, outcome: &Success) -> RunnerError {
        let problem = format!("it answered `{operation}` with {outcome:?}");
        RunnerError::Contract { role: self.role, problem }
    }

    /// Ends the runner in good order, or kills it when it does not end within a second.
    pub fn stop(mut self) {
        let asked = self.send(Operation::Stop).is_ok();
        let end = Instant::now() + Duration::from_secs(1);
        while asked && Instant::now() < end {
            match self.child.try_wait() {
                Ok(None) => {
                    // The output closes when the runner ends; poll waits for that rather than sleeping.
                    let mut fds = [PollFd::new(self.output.as_fd(), PollFlags::POLLIN)];
                    let mut chunk = [0; 4096];
                    let ready = nix::poll::poll(&mut fds, PollTimeout::from(50_u8)).unwrap_or(0);
                    if ready > 0 && !matches!(self.output.read(&mut chunk), Ok(1..)) {
                        let _ = self.child.wait();
                        return;
                    }
                }
                _ => return,
            }
        }
    }
}

impl Drop for RunnerProcess {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// How far a publisher or subscriber has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Messages handed over or arrived.
    pub messages: u64,
    /// Of a publisher's, those acknowledged.
    pub acked: u64,
    /// CLOCK_MONOTONIC of the last one.
    pub last_ns: Option<i64>,
    /// CPU time of the stand's own work so far; 0 where the runner can't tell.
    pub stand_cpu_ns: u64,
}

fn name_of(operation: &Operation) -> String {
    serde_json::to_value(operation)
        .ok()
        .and_then(|value| value.get("op").and_then(|op| op.as_str()).map(str::to_owned))
        .unwrap_or_default()
}

fn check(description: &Description) -> Result<(), String> {
    if description.contract != CONTRACT {
        return Err(format!("it speaks contract {}, this program speaks {CONTRACT}", description.contract));
    }
    let codecs = description.codecs.iter().map(|codec| (codec.id.to_string(), &codec.version));
    let transports =
        description.transports.iter().map(|transport| (transport.id.to_string(), &transport.version));
    let compressions = description.compressions.iter().map(|known| (known.method.clone(), &known.version));
    match codecs.chain(transports).chain(compressions).find(|(_, version)| version.trim().is_empty()) {
        Some((id, _)) => {
            Err(format!("`{id}` states no library version; without a version nothing is measured"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> RunnerProcess {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        RunnerProcess::start("publisher", command, &Interrupt::default()).unwrap()
    }

    #[test]
    fn a_runner_that_dies_is_reported_with_what_it_said() {
        let mut runner = shell("echo out of luck >&2; exit 3");
        let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
        assert!(error.contains("publisher ended") && error.contains("out of luck"), "{error}");
    }

    #[test]
    fn an_answer_that_is_none_breaks_the_contract() {
        let mut runner = shell("read line; echo hello; read line");
        let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
        assert!(error.contains("broke the contract"), "{error}");
    }

    #[test]
    fn a_silent_runner_is_given_up() {
        let mut runner = shell("read line; read line");
        let error = runner.ask(Operation::Describe, Duration::ZERO).unwrap_err().to_string();
        assert!(error.contains("did not answer `describe`"), "{error}");
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
