//! Roles on agents: a runner or a broker there, behind a connection of its own, so that no renewal of a lease waits for it.
//!
//! The coordinator asks over the agent's connection; the agent dials again, and shows its certificate. On the new connection one deed is answered after the
//! other: those of [`RunnerSeat`](wiredyno_seats::seat::RunnerSeat) and [`BrokerSeat`](wiredyno_seats::seat::BrokerSeat), carried out by the seat of a process of the agent's machine. Contents (programs, libraries, samples, certificates) go by
//! their digest and are sent once; what a role writes comes back in pieces.
//!
//! An agent starts what its coordinator sends it, in a folder of its own, which is gone when the agent ends. A request may name files of that folder alone.

pub(crate) mod broker;
pub(crate) mod gate;
pub(crate) mod keep;
pub(crate) mod limits;
pub(crate) mod line;
mod load;
pub(crate) mod seat;
pub(crate) mod serving;
pub(crate) mod tap;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddrV4};

use serde::{Deserialize, Serialize};
use wiredyno_contract::{Endpoint, Failure, Operation, Security, Success};
use wiredyno_link::accounting::Phase;
use wiredyno_link::tap::{TapTerms, Tapped};
use wiredyno_model::trial::{BrokerUsed, CpuUse, RoleUse};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Busiest;
use wiredyno_seats::seat::MachineUse;

/// The most bytes of a piece.
pub(crate) const PIECE_BYTES: usize = 64 << 10;

/// The roles that a runner can have, in the words of seats.
const ROLES: [&str; 3] = ["publisher", "subscriber", "relay"];

/// The role of a word.
pub(crate) fn role_of(word: &str) -> Option<&'static str> {
    ROLES.into_iter().find(|role| *role == word)
}

/// A program that was sent: its files, by name, with the digests of their contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) files: Vec<(String, String)>,
    /// The file that is started.
    pub(crate) program: String,
    /// The loader of its libraries, if it needs one (ld.so(8)).
    pub(crate) loader: Option<String>,
    pub(crate) arguments: Vec<String>,
}

/// A broker that was sent: its definition with its files, and by digest what else it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BrokerSent {
    pub(crate) id: String,
    /// The texts of its folder, by name.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) nodes: u32,
    /// Its jars.
    pub(crate) library: Vec<(String, Digest)>,
    /// Where it is to listen.
    pub(crate) address: String,
    pub(crate) security: Security,
    pub(crate) login: bool,
    /// What it authenticates with; empty if nothing is needed.
    pub(crate) credentials: Vec<(String, Digest)>,
}

/// What a coordinator wants of a role.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "kebab-case")]
pub(crate) enum Deed {
    /// Say which of these contents are not here.
    Lack { digests: Vec<String> },
    /// Keep the content that follows in pieces.
    Keep { digest: String, bytes: u64 },
    /// Start a runner.
    Start { role: String, program: Program },
    /// Start a broker, whose program is installed.
    StartBroker { broker: Box<BrokerSent> },
    /// Another trial uses the broker: the peak of its memory starts anew.
    ServeAgain,
    /// Say how many bytes of a topic the broker has stored.
    Stored { topic: String },
    /// Pass a request to it.
    Ask { operation: Box<Operation>, limit_ns: u64 },
    /// Say whether it has ended.
    Look,
    /// Name a file for it to write.
    Name { file: String },
    /// Name a content that is here, for it to read.
    Place { digest: String },
    /// Send a file that it has written, in pieces.
    Fetch { file: String },
    /// Begin a watch; they have numbers from 0.
    Watch,
    /// Say which of its threads was the busiest, since a time of the agent's clock.
    Busiest { watch: usize, first_ns: i64 },
    /// Begin to count what it uses while messages move: from a time of the agent's clock.
    Moving { watch: usize, from_ns: i64 },
    /// Say what it has used since then.
    Moved { watch: usize },
    /// Say what it has used since the watch began.
    Used { watch: usize },
    /// List its sockets.
    Sockets,
    /// Say the peak of its memory.
    PeakMemory,
    /// Make a gate for a subscriber, and pass on what comes out of it in pieces, until the connection ends.
    GateFrom,
    /// Write the pieces that follow into the gate of a publisher, until the connection ends.
    GateInto { gate: String },
    /// Begin to count packets.
    Tap { terms: TapTerms },
    /// Packets that are sent from now on belong to this phase.
    Mark { phase: Phase },
    /// Say what was counted.
    Tapped,
    /// Find a port that is free at an address.
    FreePort { address: IpAddr },
    /// End it in an orderly way.
    Stop,
}

/// What became of a deed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Done,
    Lacking {
        digests: Vec<String>,
    },
    Answered {
        success: Box<Success>,
    },
    /// The runner refused the request, with its own words.
    Refused {
        failure: Failure,
    },
    /// It could not be done.
    Failed {
        problem: String,
    },
    Named {
        file: String,
    },
    /// That many bytes follow in pieces.
    Sends {
        bytes: u64,
    },
    Ended {
        how: Option<String>,
    },
    Watching {
        watch: usize,
    },
    /// The broker listens.
    Serves {
        used: Box<BrokerUsed>,
        endpoint: Endpoint,
        start_ns: u64,
    },
    Stored {
        bytes: Option<u64>,
    },
    Busy {
        busy: f64,
        on_cpu: f64,
        span_ns: u64,
    },
    Moved {
        used: CpuUse,
        machine: MachineUse,
    },
    Used {
        used: Box<RoleUse>,
    },
    Sockets {
        sockets: Vec<SocketTold>,
    },
    /// Packets are counted from now on, in this place.
    Taps {
        place: String,
    },
    Tapped {
        tapped: Box<Tapped>,
    },
    Bytes {
        bytes: u64,
    },
    Port {
        port: u16,
    },
}

/// A socket as it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SocketTold {
    protocol: u8,
    local: SocketAddrV4,
    listening: bool,
    dropped_datagrams: u64,
}

impl From<Socket> for SocketTold {
    fn from(socket: Socket) -> Self {
        let Socket { protocol, local, listening, dropped_datagrams, .. } = socket;
        SocketTold { protocol, local, listening, dropped_datagrams }
    }
}

impl From<SocketTold> for Socket {
    fn from(told: SocketTold) -> Self {
        let SocketTold { protocol, local, listening, dropped_datagrams } = told;
        let mut socket = Socket::at(protocol, local, listening);
        socket.dropped_datagrams = dropped_datagrams;
        socket
    }
}

impl From<Busiest> for Outcome {
    fn from(busiest: Busiest) -> Self {
        let Busiest { busy, on_cpu, span_ns } = busiest;
        Outcome::Busy { busy, on_cpu, span_ns }
    }
}

/// SHA-256 in hexadecimal.
pub(crate) type Digest = String;

/// Whether a text is a digest, and so a name for a file.
pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|one| one.is_ascii_digit() || (b'a'..=b'f').contains(&one))
}
