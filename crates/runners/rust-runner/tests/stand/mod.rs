//! Runners of transports only, in threads; they are spoken to over pipes, like the processes that they normally are.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::thread::JoinHandle;

use wiredyno_contract::{Failure, Operation, Reply, Request, Success};
use wiredyno_rust_runner::{Composition, RunError};
use wiredyno_transport::Transport;

/// A few of the registry that compile quickly.
pub const TRANSPORTS: &[&dyn Transport] = &[
    wiredyno_transport_coap::TRANSPORT,
    wiredyno_transport_mqtt::TRANSPORT,
    wiredyno_transport_tcp::TRANSPORT,
    wiredyno_transport_udp::TRANSPORT,
];

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
        let composition = Composition { definition: None, transports: TRANSPORTS, records: None };
        let thread =
            std::thread::spawn(move || wiredyno_rust_runner::run(composition, BufReader::new(input), output));
        Runner { requests: Some(requests), replies: BufReader::new(replies), thread: Some(thread), id: 0 }
    }

    /// Sends a line unchanged.
    pub fn send(&mut self, line: &str) {
        writeln!(self.requests.as_mut().unwrap(), "{line}").unwrap();
    }

    pub fn reply(&mut self) -> Reply {
        let mut reply = String::new();
        self.replies.read_line(&mut reply).unwrap();
        serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{error} in {reply:?}"))
    }

    /// Sends a request without waiting for the reply.
    pub fn begin(&mut self, operation: Operation) {
        self.id += 1;
        let request = Request { id: self.id, operation };
        self.send(&serde_json::to_string(&request).unwrap());
    }

    pub fn ask(&mut self, operation: Operation) -> Result<Success, Failure> {
        self.begin(operation);
        let reply = self.reply();
        assert_eq!(reply.id, self.id);
        reply.answer.into()
    }

    /// The outcome of an operation that must succeed.
    pub fn must(&mut self, operation: Operation) -> Success {
        let text = format!("{operation:?}");
        self.ask(operation).unwrap_or_else(|failure| panic!("{text}: {failure}"))
    }

    /// Ends the input and waits until the runner has ended.
    pub fn hang_up(mut self) -> Result<(), RunError> {
        drop(self.requests.take());
        self.thread.take().unwrap().join().unwrap()
    }
}
