//! Counting packets between machines, on a network that is not ours.

use wiredyno_contract::{Endpoint, WireFormat};
use wiredyno_link::accounting::Phase;
use wiredyno_link::tap::Tapped;
use wiredyno_model::Host;

/// What is to be counted: packets between a server and its clients on the other host.
#[derive(Debug, Clone, Copy)]
pub struct Tapping<'a> {
    /// The server's host, and where it listens.
    pub server: (Host, &'a Endpoint),
    /// Whether any client is on the other host.
    pub is_between: bool,
    /// The format of what they exchange, if it can be read.
    pub format: Option<WireFormat>,
}

/// Counts packets until it is dropped. What can't be read any more makes the counts incomplete.
pub trait Taps: Send {
    /// Packets that are sent from now on belong to this phase.
    fn mark(&self, phase: Phase);

    /// What was sent so far: by `edge`, by `cloud`.
    fn tapped(&self) -> [Tapped; 2];
}
