//! The Rust runner: encodes, decodes, measures, publishes, subscribes and serves on request.
//!
//! It speaks the contract of `wiredyno-contract`: one request per line on its input, one reply per line on its output. This
//! is the library; a runner is a program composed of it, of the codecs for one message definition and of the transports that
//! a study uses ([`Composition`]), and has one line of its own: a call of [`main`]. A runner has one role at a time:
//! publisher, subscriber, or none; in addition it can take the broker's role for any number of transports.

mod awaited;
mod clients;
mod codec;
mod describe;
mod gate;
pub mod load;
mod lock;
mod publisher;
mod refusal;
mod secured;
mod session;
mod spool;
mod stamps;
mod stand;
mod subscriber;
mod tally;

use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

pub use session::{RunError, run};
use wiredyno_codec::Definition;
use wiredyno_contract::{Failure, RecordSource, TransportId};
use wiredyno_transport::Transport;

/// The parts of a runner.
#[derive(Clone, Copy)]
pub struct Composition {
    /// The codecs for one message definition; `None` where it has none.
    pub definition: Option<&'static Definition>,
    /// The transports, in the order in which `describe` lists them.
    pub transports: &'static [&'static dyn Transport],
    /// Opens a reader of records in a database; `None` where it can't read any.
    pub records: Option<OpenRecords>,
}

/// Connects to a source of records, and returns a function that reads the record with a given number: its value
/// as Protobuf bytes.
pub type OpenRecords = fn(&RecordSource) -> Result<Records, String>;

/// Reads the record with a given number.
pub type Records = Box<dyn FnMut(u64) -> Result<Vec<u8>, String> + Send>;

impl Composition {
    fn find(&self, id: &TransportId) -> Result<&'static dyn Transport, Failure> {
        let found = self.transports.iter().copied().find(|transport| transport.description().id == *id);
        found.ok_or_else(|| refusal::failure(refusal::Refusal::Transport(id.clone())))
    }
}

/// Speaks the contract on standard input and output until `stop` or the end of input: a runner's entire program.
pub fn main(composition: Composition) -> ExitCode {
    match run(composition, BufReader::new(stdin()), stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
