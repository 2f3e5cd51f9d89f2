//! Runners in threads, spoken to over pipes like the processes they are otherwise.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::thread::JoinHandle;

use wiredyno_runner::RunError;
use wiredyno_runner_wire::{Answer, Failure, Operation, Outcome, Reply, Request};

/// One runner.
pub struct Runner {
    requests: Option<PipeWriter>,
    replies: BufReader<PipeReader>,
    thread: Option<JoinHandle<Result<(), RunError>>>,
    id: u64,
}

impl Runner {
    pub fn start() -> Runner {
        let (input, requests) = std::io::pipe().unwrap();
        let (replies, output) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || {
            wiredyno_runner::run(wiredyno_payloads::PAYLOADS, BufReader::new(input), output)
        });
        Runner { requests: Some(requests), replies: BufReader::new(replies), thread: Some(thread), id: 0 }
    }

    /// Sends a line as it is.
    pub fn line(&mut self, line: &str) -> Reply {
        writeln!(self.requests.as_mut().unwrap(), "{line}").unwrap();
        let mut reply = String::new();
        self.replies.read_line(&mut reply).unwrap();
        serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{error} in {reply:?}"))
    }

    pub fn ask(&mut self, operation: Operation) -> Result<Outcome, Failure> {
        self.id += 1;
        let request = Request { id: self.id, operation };
        let reply = self.line(&serde_json::to_string(&request).unwrap());
        assert_eq!(reply.id, self.id);
        match reply.answer {
            Answer::Ok(outcome) => Ok(outcome),
            Answer::Failed(failure) => Err(failure),
        }
    }

    /// The outcome of what must go well.
    pub fn must(&mut self, operation: Operation) -> Outcome {
        let text = format!("{operation:?}");
        self.ask(operation).unwrap_or_else(|failure| panic!("{text}: {failure}"))
    }

    /// Ends the input and waits for the runner to be gone.
    pub fn hang_up(mut self) -> Result<(), RunError> {
        drop(self.requests.take());
        self.thread.take().unwrap().join().unwrap()
    }
}

pub fn load(payload: &str, codec: &str) -> Operation {
    load_compressed(payload, codec, "none")
}

pub fn load_compressed(payload: &str, codec: &str, compression: &str) -> Operation {
    Operation::Load {
        payload: payload.parse().unwrap(),
        codec: codec.parse().unwrap(),
        compression: compression.parse().unwrap(),
        samples: Some(50),
    }
}
