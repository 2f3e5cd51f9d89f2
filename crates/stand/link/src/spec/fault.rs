//! Deliberate faults: rules that drop, duplicate, reorder or damage single packets, for tests of the accounting
//! and for studies of a protocol's recovery.
//!
//! A rule acts where a packet would be delivered, on packets that loss and queue let through, so that every
//! injected fault has really reached the receiver. Rules are tried in order, and only the first that strikes
//! acts on a packet. Only complete datagrams and segments match: IP fragments never do.

use serde::{Deserialize, Serialize};

use super::Direction;
use wiredyno_contract::{Ratio, Span};

/// How long a reordered packet is held at most, unless a rule says otherwise.
pub const DEFAULT_HOLD: Span = Span { ns: 1_000_000_000 };

/// One rule: a fault and the packets it strikes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    /// What it does to the packets that it strikes.
    pub fault: Fault,
    /// The direction in which packets match.
    pub direction: Direction,
    /// The protocol whose packets match.
    pub protocol: FaultProtocol,
    /// Packets with fewer bytes after their TCP or UDP header do not match: this excludes acknowledgements.
    pub least_payload_bytes: u32,
    /// Which of the matching packets it strikes.
    pub strikes: Strikes,
}

/// What happens to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// The packet is dropped and never arrives.
    Drop,
    /// A copy of it arrives immediately after it.
    Duplicate,
    /// It is held back until others have passed it.
    Reorder {
        /// How many packets that match the rule must pass, at least 1; packets that a fault drops, damages or
        /// holds back don't count.
        behind: u32,
        /// It is released after this time even if fewer have passed it.
        at_most: Span,
    },
    /// One bit of the payload, drawn from the seed, is flipped and the checksum corrected: the receiver accepts
    /// it.
    FlipBit {
        /// The first byte of the TCP or UDP payload that may be changed; packets without such a byte do not
        /// match.
        from_byte: u32,
    },
}

/// The protocols whose packets faults can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultProtocol {
    /// TCP: the sender retransmits what is dropped.
    Tcp,
    /// UDP: nothing below the application retransmits.
    Udp,
}

/// Which of the matching packets a rule strikes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Strikes {
    /// Each with this probability, drawn from the link's packet seed.
    Ratio {
        /// Probability, from 0 to 1.
        share: Ratio,
    },
    /// Those with these numbers; the first matching packet since the link was laid is number 0.
    Packets {
        /// The numbers, in any order.
        numbers: Vec<u64>,
    },
}

/// A rule as written in a link file: `[[fault]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultFile {
    kind: Kind,
    direction: Direction,
    protocol: FaultProtocol,
    #[serde(default)]
    least_payload: u32,
    share: Option<Ratio>,
    packets: Option<Vec<u64>>,
    behind: Option<u32>,
    at_most: Option<Span>,
    from_byte: Option<u32>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Drop,
    Duplicate,
    Reorder,
    FlipBit,
}

impl FaultFile {
    /// Converts to the rule, or says what is wrong.
    pub(super) fn rule(self) -> Result<FaultSpec, &'static str> {
        let of_reorder = self.behind.is_some() || self.at_most.is_some();
        if of_reorder && self.kind != Kind::Reorder {
            return Err("only kind \"reorder\" has `behind` and `at_most`: leave them out");
        }
        if self.from_byte.is_some() && self.kind != Kind::FlipBit {
            return Err("only kind \"flip-bit\" has `from_byte`: leave it out");
        }
        let fault = match self.kind {
            Kind::Drop => Fault::Drop,
            Kind::Duplicate => Fault::Duplicate,
            Kind::Reorder => {
                let behind = self.behind.unwrap_or(1);
                if behind == 0 {
                    return Err("`behind` is 0, which reorders nothing: write 1 or more");
                }
                Fault::Reorder { behind, at_most: self.at_most.unwrap_or(DEFAULT_HOLD) }
            }
            Kind::FlipBit => Fault::FlipBit { from_byte: self.from_byte.unwrap_or(0) },
        };
        let strikes = match (self.share, self.packets) {
            (Some(share), None) => Strikes::Ratio { share },
            (None, Some(numbers)) => Strikes::Packets { numbers },
            _ => return Err("say which packets it affects: either `share = \"1%\"` or `packets = [0, 7]`"),
        };
        Ok(FaultSpec {
            fault,
            direction: self.direction,
            protocol: self.protocol,
            least_payload_bytes: self.least_payload,
            strikes,
        })
    }
}
