//! A runner as a child process on pipes, driven by one operation after another.
//!
//! A refusal is an ordinary outcome. What no runner may do ends the test: dying, staying silent, answering out of order,
//! or panicking, which its library turns into a refusal that says so.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use wiredyno_contract::{Failure, Operation, Reply, Request, Success};

/// The longest that any reply may take; passing tests take a fraction.
pub const LIMIT: Duration = Duration::from_secs(240);

/// Most bytes of pending requests when many are sent at once, so that they do not count as memory that a
/// codec takes.
const WINDOW_BYTES: usize = 64 << 10;

/// How much of a failed request is shown, in characters.
const TOLD_BYTES: usize = 2_000;

/// A running runner, killed when dropped.
pub struct Runner {
    child: Child,
    requests: Option<ChildStdin>,
    replies: Receiver<String>,
    id: u64,
    /// Requests without a reply, cut to [`TOLD_BYTES`].
    asked: VecDeque<String>,
}

impl Runner {
    /// Starts a runner's program on pipes; panics if it can't.
    pub fn start(program: &[OsString]) -> Runner {
        Runner::start_with(program, &[])
    }

    /// The same with additional environment variables.
    pub fn start_with(program: &[OsString], variables: &[(&str, &str)]) -> Runner {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{program:?}: {error}"));
        let (requests, stdout) = (child.stdin.take(), child.stdout.take());
        let (lines, replies) = channel();
        std::thread::spawn(move || {
            let replies = BufReader::new(stdout.into_iter().next()?).lines();
            replies.map_while(Result::ok).try_for_each(|line| lines.send(line).ok())
        });
        Runner { child, requests, replies, id: 0, asked: VecDeque::new() }
    }

    /// Its process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line unchanged.
    pub fn send(&mut self, line: &str) {
        let Some(requests) = &mut self.requests else { panic!("its input has ended") };
        self.asked.push_back(line.chars().take(TOLD_BYTES).collect());
        if let Err(error) = writeln!(requests, "{line}").and_then(|()| requests.flush()) {
            panic!("the runner has gone: {error}; not answered: {:?}", self.asked.front());
        }
    }

    /// The next reply; panics after [`LIMIT`] or if the runner has died.
    pub fn reply(&mut self) -> Reply {
        self.next().1
    }

    /// The next reply, with its request.
    fn next(&mut self) -> (String, Reply) {
        let asked = self.asked.pop_front().unwrap_or_default();
        match self.replies.recv_timeout(LIMIT) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(reply) => (asked, reply),
                Err(error) => panic!("{asked}: {error} in {line:?}"),
            },
            Err(RecvTimeoutError::Timeout) => panic!("{asked}: no reply within {LIMIT:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait();
                panic!("{asked}: the runner has died, {status:?}")
            }
        }
    }

    /// Sends an operation and waits for its reply.
    pub fn ask(&mut self, operation: Operation) -> Result<Success, Failure> {
        self.request(operation);
        self.answer(self.id)
    }

    /// The same for an operation that must succeed.
    pub fn must(&mut self, operation: Operation) -> Success {
        let text: String = format!("{operation:?}").chars().take(TOLD_BYTES).collect();
        self.ask(operation).unwrap_or_else(|failure| panic!("{text}: {failure}"))
    }

    /// Sends many operations without waiting for each reply.
    pub fn ask_all(
        &mut self,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Vec<Result<Success, Failure>> {
        let mut answers = Vec::new();
        let (mut under_way, mut bytes) = (0, 0);
        for operation in operations {
            bytes += self.request(operation);
            under_way += 1;
            if bytes > WINDOW_BYTES {
                answers.extend((1..=under_way).rev().map(|back| self.answer(self.id + 1 - back)));
                (under_way, bytes) = (0, 0);
            }
        }
        answers.extend((1..=under_way).rev().map(|back| self.answer(self.id + 1 - back)));
        answers
    }

    /// Sends a request and returns its length in bytes.
    fn request(&mut self, operation: Operation) -> usize {
        self.id += 1;
        let request = serde_json::to_string(&Request { id: self.id, operation });
        let line = request.unwrap_or_else(|error| panic!("a request is no JSON: {error}"));
        self.send(&line);
        line.len()
    }

    fn answer(&mut self, id: u64) -> Result<Success, Failure> {
        let (asked, reply) = self.next();
        assert_eq!(reply.id, id, "{asked}: replies come in the order of requests");
        let answer: Result<Success, Failure> = reply.answer.into();
        if let Err(failure) = &answer {
            assert!(!failure.error.contains("panicked"), "{asked}: {failure}");
        }
        answer
    }

    /// Closes its input and waits for it to end.
    pub fn hang_up(mut self) -> ExitStatus {
        drop(self.requests.take());
        let until = Instant::now() + LIMIT;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status,
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                other => panic!("the runner outlives its input: {other:?}"),
            }
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
