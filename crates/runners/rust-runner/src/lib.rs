//! The Rust runner: encodes, decodes, measures, publishes, subscribes and serves on request.
//!
//! It speaks the contract of `wiredyno-contract`: one request a line on its input, one reply a line on its output.
//! This is the library; a runner is a program that is composed of it, of the codecs over one message definition and of the
//! transports that a study asks for ([`Composition`]), and has one line of its own: a call of [`main`]. A runner has one role
//! at a time: publisher, subscriber, or none; it can serve the broker's role of any number of transports beside it.

mod awaited;
mod clients;
mod codec;
mod describe;
mod gate;
pub mod load;
mod publisher;
mod refusal;
mod roles;
mod secured;
mod server;
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

/// What a runner is composed of.
#[derive(Clone, Copy)]
pub struct Composition {
    /// The codecs over one message definition; `None` where it has none.
    pub definition: Option<&'static Definition>,
    /// The transports.
    pub transports: &'static [&'static dyn Transport],
    /// What reads records from a database; `None` where it can't.
    pub records: Option<OpenRecords>,
}

/// Connects to where records are, and gives what reads the one of a number: its value as Protobuf's bytes.
pub type OpenRecords = fn(&RecordSource) -> Result<Records, String>;

/// Reads the record of a number.
pub type Records = Box<dyn FnMut(u64) -> Result<Vec<u8>, String> + Send>;

impl Composition {
    /// The transport with this id.
    fn find(&self, id: &TransportId) -> Result<&'static dyn Transport, Failure> {
        let found = self.transports.iter().copied().find(|transport| transport.description().id == *id);
        found.ok_or_else(|| refusal::failure(refusal::Refusal::Transport(id.clone())))
    }
}

/// Speaks the contract on standard input and output until `stop` or the input's end: the whole of a runner's program.
pub fn main(composition: Composition) -> ExitCode {
    match run(composition, BufReader::new(stdin()), stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
