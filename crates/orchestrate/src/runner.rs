//! The orchestrator's side of the runner contract: a runner process and what is asked of it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wiredyno_contract::{
    CONTRACT, Description, Failure, Handshake, Operation, Reply, Request, Success, TlsVersion,
};
use wiredyno_process::group::Group;
use wiredyno_process::pidfd::PidFd;
use wiredyno_process::talk::{Talk, TalkError};

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
    /// It did not take the request.
    #[error("the {role} did not read the request `{operation}` within {} s{stderr}", limit.as_secs())]
    Deaf {
        /// Which runner.
        role: &'static str,
        /// The operation.
        operation: String,
        /// How long that was tried.
        limit: Duration,
        /// Last lines of its standard error, with a leading separator.
        stderr: String,
    },
    /// An answer that is none.
    #[error("the {role} broke the contract: {problem}; runner and orchestrator must have the same version")]
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
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Without which nothing more can come of what is waited for.
    needed: Option<Arc<PidFd>>,
}

impl Interrupt {
    /// Around a flag that a signal handler sets.
    pub fn new(flag: Arc<AtomicBool>) -> Self {
        Interrupt { flag, needed: None }
    }

    /// The same, and set for good when a process ends that is needed for what is waited for.
    pub fn or_end_of(&self, needed: Option<Arc<PidFd>>) -> Self {
        Interrupt { flag: Arc::clone(&self.flag), needed }
    }

    /// Ends the run.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the run shall end, or what is needed has.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.needed.as_ref().is_some_and(|process| process.await_end(Duration::ZERO))
    }
}

/// How long a runner may take to end when it was asked to, and to be gone after it has closed its output.
const ENDING: Duration = Duration::from_secs(1);

/// So much of the end of its standard error is read, in bytes, and so many lines of that are told.
const TOLD: (u64, usize) = (4_096, 5);

/// A runner process. It is killed when dropped, with all that it has started.
pub struct RunnerProcess {
    interrupt: Interrupt,
    role: &'static str,
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
    pub fn start(
        role: &'static str,
        mut command: Command,
        interrupt: &Interrupt,
    ) -> Result<Self, RunnerError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |source| RunnerError::Start { program: program.clone(), source };
        let stderr = tempfile::tempfile().map_err(failed)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.try_clone().map_err(failed)?);
        let mut group = Group::spawn(&mut command).map_err(failed)?;
        let talk = Talk::with(group.child()).map_err(failed)?;
        Ok(RunnerProcess { interrupt: interrupt.clone(), role, group, talk, stderr, next_id: 1 })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.group.id()
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// When the runner refuses, ends, breaks the contract, or does not read the request or answer it within `limit`.
    pub fn ask(&mut self, operation: Operation, limit: Duration) -> Result<Success, RunnerError> {
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

    fn send(&mut self, operation: Operation, limit: Duration) -> Result<u64, TalkError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut line = serde_json::to_vec(&Request { id, operation }).map_err(io::Error::from)?;
        line.push(b'\n');
        let interrupt = &self.interrupt;
        self.talk.send(&line, limit, &|| interrupt.is_set()).map(|()| id)
    }

    /// What went wrong between the two, in words that say who did what.
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

    /// It has ended, or goes on behind pipes that it has closed.
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

    /// That it has ended by itself: its exit status and the last lines of its standard error.
    pub fn has_ended(&mut self) -> Option<String> {
        let status = self.group.ended()?;
        let said = self.stderr_tail();
        Some(format!("the {} ended in the middle of the trial ({status}){said}", self.role))
    }

    /// Its place in the file is left where it is: the runner writes there.
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
    pub fn connected(&mut self, operation: Operation, limit: Duration) -> Result<Connected, RunnerError> {
        let name = name_of(&operation);
        match self.ask(operation, limit)? {
            Success::Connected { connect_ns, tls, handshake } => Ok(Connected { connect_ns, tls, handshake }),
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
        if self.send(Operation::Stop, ENDING).is_ok() {
            self.talk.drain(ENDING, self.group.process());
            self.group.ended_within(ENDING);
        }
    }
}

/// So much of an answer that is none is told, in characters.
const MOST_TOLD_CHARS: usize = 500;

/// How connecting went, as far as the runner tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connected {
    /// How long the clients took to connect.
    pub connect_ns: Option<u64>,
    /// The version of TLS that was agreed.
    pub tls: Option<TlsVersion>,
    /// The first client's handshake.
    pub handshake: Option<Handshake>,
}

/// How far a publisher or subscriber has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

    /// Every way in which a runner can break the contract while it is asked something, each with a limit of its own and with the name
    /// that it gets. None of them is waited for longer than its limit and a few seconds, and nothing of them is left.
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
            let mut runner = shell(script);
            let pid = runner.pid();
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
