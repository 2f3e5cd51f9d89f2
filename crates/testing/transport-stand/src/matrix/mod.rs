//! The matrix of a protocol: every mode over every broker in `brokers/` that serves it. A broker that is added there joins without a line of
//! code.
//!
//! Limits: for a broker with several possible numbers of nodes, the first is tested, and all with `WIREDYNO_TEST_FULL=1`. What a broker
//! preserves across its death is not proved: what clients report is compared with what arrived.

mod faults;
mod messages;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;

use libtest_mimic::Trial;
use wiredyno_contract::Capability;
use wiredyno_transport::Transport;

use crate::broker::folders;
use crate::exchange::{capabilities, settings};
use crate::full;
use crate::shared_brokers::Shared;

/// Lists what clients left at a broker, queried with the protocol's own means.
pub type Left = fn(SocketAddr) -> Vec<String>;

/// One mode of a transport, with its capabilities.
#[derive(Clone)]
struct Mode {
    transport: &'static dyn Transport,
    setting: Option<String>,
    capabilities: Vec<Capability>,
    left: Option<Left>,
}

impl Mode {
    fn all(transport: &'static dyn Transport, left: Option<Left>) -> Vec<Mode> {
        let mode = |setting: Option<String>| {
            let capabilities = capabilities(transport, setting.as_deref());
            Mode { transport, setting, capabilities, left }
        };
        settings(transport).into_iter().map(mode).collect()
    }

    fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    fn setting(&self) -> Option<&str> {
        self.setting.as_deref()
    }

    /// The mode's name: `mqtt:qos1`, or `tcp` for a single mode.
    fn name(&self) -> String {
        let protocol = self.transport.description().id.protocol;
        self.setting.as_ref().map_or(protocol.clone(), |setting| format!("{protocol}:{setting}"))
    }

    /// A topic that only this mode uses.
    fn topic(&self, case: &str) -> String {
        format!("{case}/{}", self.setting().unwrap_or("one"))
    }
}

/// The matrix of a transport's protocol, to be [run](crate::run); `left` lists what remains at a broker, if the protocol can query that.
///
/// # Panics
/// When no broker serves the protocol.
pub fn matrix(transport: &'static dyn Transport, left: Option<Left>) -> Vec<Trial> {
    let modes = Mode::all(transport, left);
    let protocol = transport.description().id.protocol;
    let mut trials = Vec::new();
    for folder in folders().into_iter().filter(|folder| folder.broker.protocols.contains(&protocol)) {
        for (number, nodes) in folder.broker.nodes.clone().into_iter().enumerate() {
            let shared = match number == 0 || full() {
                true => Shared::standing(&folder, nodes),
                false => Shared::ignored(folder.clone(), nodes, "slow: WIREDYNO_TEST_FULL=1"),
            };
            trials.extend(over(&modes, &shared));
        }
    }
    assert!(!trials.is_empty(), "no folder of brokers/ serves {protocol}");
    trials
}

/// All tests over one shared broker: those of each mode, then those that disturb it and leave it as they found it.
fn over(modes: &[Mode], shared: &Arc<Shared>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for mode in modes {
        for (name, test) in messages::CASES {
            let (mode, title) = (mode.clone(), format!("{} over {}: {name}", mode.name(), shared.name()));
            trials.push(shared.trial(&title, move |broker| test(&mode, broker.address())));
        }
    }
    for (name, test) in faults::CASES {
        let modes = modes.to_vec();
        let protocol = modes[0].transport.description().id.protocol;
        let title = format!("{protocol} over {}: {name}", shared.name());
        trials.push(shared.trial(&title, move |broker| test(&modes, broker)));
    }
    trials
}
