//! What tests of transports share: sinks that remember, brokers of `brokers/` that run, what every transport has to do over loopback, and
//! the one matrix that every protocol has to pass over every broker that serves it, in every mode.
//!
//! Tests alone depend on it: it is no part of a runner or of the program, and stands beside the folder of protocols, not in it,
//! because all that is in there goes into runners.
//!
//! | where a broker is missing that | its tests |
//! |---|---|
//! | can be installed on this machine | fail, with the line that installs it |
//! | can't | are ignored by name, with the reason |

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod broker;
mod certificates;
mod conformance;
mod direct;
mod exchange;
mod matrix;
mod missing;
mod notebook;
mod shared;
mod tls;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

pub use broker::{Broker, changed, folder, folders, free_port};
pub use certificates::Certificates;
pub use conformance::{conformance, conforms};
pub use direct::{Pair, meeting_place, nobody_there_is_told};
pub use exchange::{
    Served, capabilities, carries_messages, carries_messages_as, carries_messages_with, datagram_limit_bytes,
    numbered, reaches_all_subscribers, reaches_all_subscribers_of, settings, setup,
};
pub use matrix::{Left, matrix};
pub use missing::{Machine, Verdict, verdict};
pub use notebook::{Arrivals, LIMIT, Notebook, Seen};
pub use shared::{Shared, run};
pub use tls::{Grounds, await_listening, with_tls};

/// Where nobody listens: port 1 (tcpmux, RFC 1078). One that was free a moment ago may be somebody else's by now.
pub const NOBODY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// Whether the slow tests run, too.
pub fn full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some_and(|value| value == "1")
}
