//! Faults on purpose: rules that drop, duplicate, reorder or damage single packets, for tests of the accounting
//! and for studies of a protocol's recovery.
//!
//! A rule acts where a packet would be delivered: on what loss and queue let through, so that what a rule
//! counts as injected has really happened to the receiver. Rules are asked in their order and the first that
//! strikes is the only one to act on a packet. Only whole datagrams and segments match: IP fragments never do.

use serde::{Deserialize, Serialize};

use super::Direction;
use wiredyno_contract::{Ratio, Span};

/// How long a reordered packet is held at most where a rule states nothing else.
pub const DEFAULT_HOLD: Span = Span { ns: 1_000_000_000 };

/// One rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    /// What it does to the packets that it strikes.
    pub fault: Fault,
    /// The direction in which packets match.
    pub direction: Direction,
    /// The protocol whose packets match.
    pub protocol: FaultProtocol,
    /// Packets with fewer bytes behind their TCP or UDP header do not match: it keeps acknowledgements out.
    pub least_payload_bytes: u32,
    /// Which of the matching packets it strikes.
    pub strikes: Strikes,
}

/// What happens to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// It vanishes.
    Drop,
    /// A copy of it arrives right behind it.
    Duplicate,
    /// It is held back until others have passed it.
    Reorder {
        /// So many packets of the rule's match, at least 1; those that a fault drops, damages or holds
        /// back themselves don't count.
        behind: u32,
        /// It goes on after this much time even if fewer have passed it.
        at_most: Span,
    },
    /// One bit of the payload changes, drawn from the seed, and the checksum with it: the receiver accepts it.
    FlipBit {
        /// The first byte of the TCP or UDP payload that may be hit; packets without such a byte do not match.
        from_byte: u32,
    },
}

/// The protocols that faults know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultProtocol {
    /// TCP: the sender will repeat what is dropped.
    Tcp,
    /// UDP.
    Udp,
}

/// Which of the matching packets a rule strikes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Strikes {
    /// Each with this probability, drawn from the link's packet seed.
    Ratio {
        /// Probability.
        share: Ratio,
    },
    /// Those with these numbers; the first packet that matches since the link was laid has number 0.
    Packets {
        /// The numbers, in any order.
        numbers: Vec<u64>,
    },
}

/// The form of a rule in a link's file: `[[fault]]`.
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
    /// The rule, or what is wrong with it.
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
