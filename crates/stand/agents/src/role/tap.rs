//! Taps on the machines of a trial: on agents over a connection of their own, as roles have one, and on this machine.

use std::sync::{Arc, Mutex, PoisonError};

use wiredyno_link::accounting::{Amount, Phase};
use wiredyno_link::tap::{self, Tap, TapTerms, Tapped};
use wiredyno_model::Host;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::seat::tap::Taps;

use super::line::{Connection, Keeper, Line};
use super::{Deed, Outcome};
use crate::messages::plain;

/// By how much more packets may arrive at one side than the other has sent, as a share and in packets: a network may double some.
const DOUBLED: f64 = 0.01;
const DOUBLED_PACKETS: u64 = 2;

/// A tap on one machine, and the place where it counts.
pub(crate) struct OneTap {
    by: By,
    place: String,
}

enum By {
    Here(Tap),
    There(Arc<Line>),
}

impl OneTap {
    /// Begins to count on this machine.
    pub(crate) fn here(terms: TapTerms) -> Result<Self, String> {
        let begun = Tap::begin(terms).and_then(|tap| Ok(OneTap { by: By::Here(tap), place: tap::place()? }));
        begun.map_err(|error| format!("this machine: {error}"))
    }

    /// Begins to count on an agent's machine, where its connection has been opened.
    pub(crate) fn on_agent(
        agent: (&str, [u64; 2]),
        connection: Connection,
        terms: TapTerms,
        asking: (Arc<dyn Keeper>, &Interrupt),
    ) -> Result<Self, String> {
        let line = Line::new(agent, connection, asking);
        match line.plainly(&Deed::Tap { terms }).map_err(|error| error.to_string())? {
            Outcome::Taps { place } => Ok(OneTap { by: By::There(line), place }),
            other => Err(line.unexpected(&other).to_string()),
        }
    }

    fn mark(&self, phase: Phase) -> Result<(), String> {
        match &self.by {
            By::Here(tap) => {
                tap.mark(phase);
                Ok(())
            }
            By::There(line) => line.done(&Deed::Mark { phase }).map_err(|error| error.to_string()),
        }
    }

    fn tapped(&self) -> Result<Tapped, String> {
        match &self.by {
            By::Here(tap) => tap.tapped().map_err(|error| format!("this machine: {error}")),
            By::There(line) => match line.plainly(&Deed::Tapped).map_err(|error| error.to_string())? {
                Outcome::Tapped { tapped } => {
                    // What a machine says is shown to people.
                    Ok(Tapped { incomplete: tapped.incomplete.map(|why| plain(&why)), ..*tapped })
                }
                other => Err(line.unexpected(&other).to_string()),
            },
        }
    }
}

/// The taps of a trial.
#[derive(Default)]
pub(crate) struct TapsOfTrial {
    taps: Vec<OneOf>,
    /// Why one of them can no longer be read.
    broken: Mutex<Option<String>>,
}

/// A tap with its host, and the name of its machine.
struct OneOf {
    host: Host,
    name: String,
    tap: OneTap,
}

impl TapsOfTrial {
    /// Adds the tap of a machine; another agent of the same machine counts the same packets, and is left out. The server's host comes first.
    pub(crate) fn add(&mut self, host: Host, name: &str, tap: OneTap) -> Result<(), String> {
        let same = self.taps.iter().find(|one| one.tap.place == tap.place);
        match same {
            None => self.taps.push(OneOf { host, name: name.to_owned(), tap }),
            Some(other) if other.host == host => {}
            Some(other) => {
                return Err(format!(
                    "{name} is the machine of {}, and between programs of one machine no packets pass a device",
                    other.name
                ));
            }
        }
        Ok(())
    }

    /// Notes an error, after which nothing that is counted is complete.
    fn noted<T>(&self, result: Result<T, String>) -> Option<T> {
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        result.map_err(|error| broken.get_or_insert(error).clone()).ok()
    }

    fn broken(&self) -> Option<String> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Taps for TapsOfTrial {
    fn mark(&self, phase: Phase) {
        for OneOf { tap, .. } in self.taps.iter().filter(|_| self.broken().is_none()) {
            self.noted(tap.mark(phase));
        }
    }

    fn tapped(&self) -> [Tapped; 2] {
        let mut both: [Tapped; 2] = Default::default();
        for OneOf { host, name, tap } in self.taps.iter().filter(|_| self.broken().is_none()) {
            let Some(Tapped { sent, arrived, incomplete }) = self.noted(tap.tapped()) else { continue };
            let of_host = &mut both[*host as usize];
            of_host.sent += sent;
            of_host.arrived += arrived;
            let incomplete = incomplete.map(|why| format!("{name}: {why}"));
            of_host.incomplete = of_host.incomplete.take().or(incomplete);
        }
        let unseen = both
            .iter()
            .zip(both.iter().rev())
            .any(|(one, other)| is_more(other.arrived, one.sent.total().entered));
        let unseen = || {
            unseen.then(|| {
                "at one machine more packets arrived than another was seen to send: its routes are not those that the kernel names for an address".to_owned()
            })
        };
        let why = self.broken().or_else(unseen);
        let first = &mut both[0];
        first.incomplete = why.or(first.incomplete.take());
        both
    }
}

/// Whether more arrived than can have been sent.
fn is_more(arrived: Amount, sent: Amount) -> bool {
    let most = sent.packets as f64 * (1.0 + DOUBLED) + DOUBLED_PACKETS as f64;
    arrived.packets as f64 > most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_arrivals_than_sent_packets_are_not_complete() {
        let packets = |packets| Amount { packets, bytes: packets * 100 };
        assert!(!is_more(packets(0), packets(0)));
        assert!(!is_more(packets(90), packets(100)), "some were lost, or merged on arrival");
        assert!(!is_more(packets(103), packets(100)), "the network doubled some");
        assert!(is_more(packets(200), packets(100)) && is_more(packets(10), packets(0)));
    }
}
