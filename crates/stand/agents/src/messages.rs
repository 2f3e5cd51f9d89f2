//! What a coordinator and an agent say to each other.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wiredyno_clocks::{ClockIdentity, Exchange};
use wiredyno_model::summary::Environment;

/// The version of this protocol; both sides must have the same.
pub const PROTOCOL: u32 = 4;

/// How long an agent continues without hearing from its coordinator.
pub const LEASE: Duration = Duration::from_secs(3);

/// The longest name of an agent, and the longest label, in bytes.
const MOST_NAME_BYTES: usize = 40;

/// The most labels.
const MOST_LABELS: usize = 20;

/// The most rights that are kept of what a machine says about itself.
const MOST_RIGHTS: usize = 20;

/// The longest text that is kept of what a machine says about itself, in characters.
const MOST_WORDS: usize = 500;

/// The first message of a connection, from the agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "opening", rename_all = "kebab-case")]
pub(crate) enum Opening {
    /// It has an invitation.
    Join {
        protocol: u32,
        program: String,
        /// In hexadecimal.
        id: String,
        /// In hexadecimal.
        secret: String,
        name: String,
    },
    /// It has shown a certificate of the run.
    Member { protocol: u32, program: String, card: Box<Card> },
    /// It has, and was asked for the connection of this role.
    Role { protocol: u32, program: String, role: u64 },
}

/// What an agent says about its machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Card {
    /// What its operator calls it by, besides its name.
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) environment: Environment,
    /// The architecture for which its program was compiled, as Rust names it: `x86_64`, `aarch64`.
    pub(crate) architecture: String,
    /// Whose clock it reads.
    pub(crate) clock: ClockIdentity,
    /// What the kernel has been told about its clock's error.
    pub(crate) sync: Option<TimeSync>,
}

/// The coordinator's answer to an opening.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// It may reconnect with this certificate and key, as PEM.
    Joined {
        certificate: String,
        key: String,
    },
    /// It is a member, with this number; datagrams go to the same port as this connection.
    Welcome {
        member: u64,
        /// Its key of datagrams, in hexadecimal.
        datagram_key: String,
    },
    /// The role may serve.
    Serves,
    Refused {
        reason: String,
    },
}

/// What a coordinator asks of a member.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub(crate) enum Request {
    /// Renews its lease. Answered with stamps.
    Renew,
    /// Exchange datagrams with another member.
    Probe {
        /// Where that answers.
        peer: SocketAddr,
        /// The key for asking it, in hexadecimal.
        key: String,
        /// How many exchanges; at most [`MOST_PROBES`](crate::datagram::MOST_PROBES).
        count: u32,
        /// From one to the next, in microseconds; all take at most [`LONGEST_PROBE`].
        every_us: u32,
    },
    /// Open a connection for a role of this number.
    Open { role: u64 },
    /// The role of this number is to end.
    Close { role: u64 },
    /// The run is over.
    End,
}

/// The longest time that a request may take an agent: well below the lease.
pub(crate) const LONGEST_PROBE: Duration = Duration::from_millis(1_500);

/// A member's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// When the request arrived, and when this answer was made, by its own clock.
    Renewed { received_ns: i64, answered_ns: i64 },
    /// The exchanges that were answered, of this many.
    Probed { exchanges: Vec<Exchange>, sent: u32 },
    /// It will be done, on another connection.
    Begun,
    /// It could not be done.
    Failed { reason: String },
}

/// What the kernel has been told about the error of this machine's wall clock, by NTP, chrony or PTP (adjtimex(2)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSync {
    /// Whether the clock is synchronised.
    pub synchronised: bool,
    /// The estimated error, in microseconds.
    pub estimated_us: i64,
    /// The largest error, in microseconds; it grows by 500 per second while it is not corrected.
    pub most_us: i64,
}

impl TimeSync {
    /// Reads it; `None` if the kernel does not say.
    pub fn read() -> Option<Self> {
        let mut told = MaybeUninit::<libc::timex>::zeroed();
        // SAFETY: zeros are a valid timex, which asks for nothing to be changed (modes = 0); the call only writes into it.
        let state = unsafe { libc::adjtimex(told.as_mut_ptr()) };
        if state < 0 {
            return None;
        }
        // SAFETY: initialised above.
        let told = unsafe { told.assume_init() };
        Some(TimeSync {
            synchronised: state != libc::TIME_ERROR && told.status & libc::STA_UNSYNC == 0,
            estimated_us: told.esterror,
            most_us: told.maxerror,
        })
    }
}

/// Why a name or a label is refused.
pub(crate) fn name_fault(name: &str) -> Option<String> {
    let first = name.chars().next().is_some_and(|first| first.is_ascii_alphanumeric());
    let all = name.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-');
    (!first || !all || name.len() > MOST_NAME_BYTES).then(|| {
        format!("`{}` can't be the name of an agent: up to {MOST_NAME_BYTES} lower-case letters, digits and `-`, a letter or digit first; choose one with --name", plain(name))
    })
}

/// Text without control characters for a terminal, and not longer than anyone reads.
pub(crate) fn plain(text: &str) -> String {
    let mut left = text.chars().filter(|one| !one.is_control());
    let mut kept: String = left.by_ref().take(MOST_WORDS).collect();
    if left.next().is_some() {
        kept.push('…');
    }
    kept
}

impl Card {
    /// The same, as it may be shown. Errors say what a card may not have.
    pub(crate) fn checked(mut self) -> Result<Self, String> {
        if self.labels.len() > MOST_LABELS {
            return Err(format!("an agent has at most {MOST_LABELS} labels"));
        }
        let wrong = |text: &String| text.is_empty() || text.len() > MOST_NAME_BYTES || *text != plain(text);
        if let Some((key, value)) = self.labels.iter().find(|(key, value)| wrong(key) || wrong(value)) {
            return Err(format!(
                "the label `{}={}` is empty on one side, longer than {MOST_NAME_BYTES} bytes, or has control characters",
                plain(key),
                plain(value)
            ));
        }
        let of = &mut self.environment;
        of.rights.truncate(MOST_RIGHTS);
        let texts = [
            &mut of.cpu,
            &mut of.kernel,
            &mut of.os,
            &mut of.governor,
            &mut of.hypervisor,
            &mut of.compiler,
            &mut of.commit,
        ];
        texts.into_iter().chain(&mut of.rights).for_each(|text| *text = plain(text));
        self.clock.boot_id = plain(&self.clock.boot_id);
        of.builds.clear();
        of.agents.clear();
        self.architecture = plain(&self.architecture);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_written_anywhere() {
        for good in ["vehicle", "gateway-2", "2"] {
            assert_eq!(name_fault(good), None);
        }
        for bad in ["", "-x", "Vehicle", "a b", "a/../b", "\u{1b}[2J", &"x".repeat(41)] {
            let fault = name_fault(bad).unwrap();
            assert!(!fault.contains('\u{1b}'), "{fault}");
        }
    }

    #[test]
    fn the_kernel_says_something_of_its_clock() {
        let sync = TimeSync::read().unwrap();
        assert!(sync.most_us >= 0 && sync.estimated_us >= 0, "{sync:?}");
    }
}
