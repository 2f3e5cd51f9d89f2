//! What tests of transports share: recording sinks, running brokers of `brokers/`, what every transport must do over loopback, and the
//! matrix that every protocol must pass over every broker that serves it, in every mode.
//!
//! Only tests depend on this crate: it is not part of a runner or of the program. It is outside the folder of protocols because
//! everything in that folder goes into runners.
//!
//! | if a missing broker | its tests |
//! |---|---|
//! | can be installed on this machine | fail, with the line that installs it |
//! | can't | are ignored by name, with the reason |

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod broker;
mod certificates;
mod conformance;
mod direct;
mod exchange;
mod matrix;
mod missing;
mod notebook;
mod shared_brokers;
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
pub use shared_brokers::{Shared, run};
pub use tls::{Grounds, await_listening, with_tls};

/// An address where nothing listens: port 1 (tcpmux, RFC 1078). A port that was free a moment ago may be in use by now.
pub const NOBODY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// Whether the slow tests run too (`WIREDYNO_TEST_FULL=1`).
pub fn full() -> bool {
    std::env::var_os("WIREDYNO_TEST_FULL").is_some_and(|value| value == "1")
}
