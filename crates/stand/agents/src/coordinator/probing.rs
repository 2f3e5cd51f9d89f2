//! How far one agent's clock is ahead of another's: by exchanges between the two, and over ours.

use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};

use wiredyno_clocks::{Estimate, Exchange, SameClockError, Track, narrower};
use wiredyno_process::clock::monotonic_ns;

use super::{BACK_NS, Coordinator, Job};
use crate::messages::{LONGEST_PROBE, Reply, Request};

/// Exchanges between two members for each probe, and the time from one to the next.
const PROBES: (u32, u32) = (50, 20_000);

/// Two members' clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probed {
    /// How far the second is ahead of the first, at a moment of the first's clock.
    pub estimate: Estimate,
    /// They share one clock; the bound is 0.
    pub is_one_clock: bool,
    /// By exchanges between the two; otherwise each was compared with ours.
    pub is_direct: bool,
    /// The smallest round trip between the two, in nanoseconds; absent if no exchange was answered.
    pub round_trip_ns: Option<i64>,
    /// Exchanges between the two: answered, of how many.
    pub exchanges: (u32, u32),
}

/// Why two members' clocks can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// No member has that name.
    #[error("no agent `{0}` has joined")]
    Unknown(String),
    /// One of the two is not connected.
    #[error("{name} is not connected: {why}")]
    Away {
        /// The agent's name.
        name: String,
        /// The reason, in words.
        why: String,
    },
    /// Nothing is known of a clock yet.
    #[error("nothing is known of the clock of {0} yet")]
    Unmeasured(String),
    /// A clock can't be trusted.
    #[error("the clock of {name} can't be trusted: {why}")]
    Doubted {
        /// The agent's name.
        name: String,
        /// The reason, in words.
        why: String,
    },
    /// What the two say of each other contradicts what each says to us.
    #[error("{from} and {to}: {why}")]
    Contradiction {
        /// The one that asked.
        from: String,
        /// The one that answered.
        to: String,
        /// What contradicts what.
        why: String,
    },
}

impl Coordinator {
    /// Compares two members' clocks by exchanges between them, which take a second, and over ours.
    ///
    /// # Errors
    /// When one is not connected, or the clocks can't be trusted.
    pub fn probe(&self, from: &str, to: &str) -> Result<Probed, ProbeError> {
        let (jobs, peer, key, is_one_clock) = {
            let mut membership = self.shared.locked();
            let other = membership.present(to)?;
            let (clock, peer, number) = (other.clock.clone(), other.answers_at, other.number);
            let of = membership.present(from)?;
            let key = hex::encode(self.shared.key.of(number).bytes_for(of.number));
            (of.jobs.clone(), peer, key, of.clock.is(&clock))
        };
        let (mut direct, mut sent) = (Track::default(), 0);
        if let (Some(jobs), Some(peer)) = (jobs, peer) {
            let (exchanges, of) = ask_to_probe(&jobs, (peer, key), from)?;
            sent = of;
            for one in exchanges {
                let doubted =
                    |why: String| ProbeError::Contradiction { from: from.into(), to: to.into(), why };
                direct.add(one).map_err(|error| doubted(error.to_string()))?;
            }
        }
        self.compared(from, to, &direct, sent, is_one_clock)
    }

    fn compared(
        &self,
        from: &str,
        to: &str,
        direct: &Track,
        sent: u32,
        claims_one_clock: bool,
    ) -> Result<Probed, ProbeError> {
        let contradiction = |why: String| ProbeError::Contradiction { from: from.into(), to: to.into(), why };
        // Of the exchanges between the two, one with others on both sides.
        let all = direct.exchanges();
        let middle_ns = all.get(all.len() / 2).map(Exchange::middle_ns);
        let over_ours = self.over_ours(from, to, middle_ns)?;
        let between = middle_ns.and_then(|middle_ns| direct.at(middle_ns));
        let best = match between {
            None => over_ours,
            Some(between) => {
                narrower(between, over_ours).map_err(|error| contradiction(error.to_string()))?
            }
        };
        // Two that only claim to share a clock are compared like others.
        let is_one_clock = claims_one_clock && between.is_some();
        if is_one_clock {
            direct.confirm_same_clock().map_err(|error| contradiction(error.to_string()))?;
            let [low_ns, high_ns] = over_ours.ends_ns();
            if low_ns > 0 || high_ns < 0 {
                return Err(contradiction(SameClockError { low_ns, high_ns }.to_string()));
            }
        }
        let estimate = if is_one_clock {
            Estimate { offset_ns: 0, bound_ns: 0, drift_ppb: 0.0, drift_bound_ppb: 0.0, ..best }
        } else {
            best
        };
        let answered = u32::try_from(all.len()).unwrap_or(u32::MAX);
        Ok(Probed {
            estimate,
            is_one_clock,
            is_direct: between == Some(best),
            round_trip_ns: direct.smallest_round_trip_ns(),
            exchanges: (answered, sent),
        })
    }

    /// How far one's clock is ahead of another's, each compared with ours, at a moment of the first's; a second ago if that is `None`.
    fn over_ours(&self, from: &str, to: &str, its_ns: Option<i64>) -> Result<Estimate, ProbeError> {
        let now_ns = monotonic_ns();
        let mut membership = self.shared.locked();
        let mut at_ns = now_ns - BACK_NS;
        if let Some(its_ns) = its_ns {
            // The moment by our clock: nearly, by its offset now, then by its offset nearly then.
            for _ in 0..2 {
                at_ns = its_ns.saturating_sub(membership.estimate(from, at_ns)?.offset_ns);
            }
        }
        let (first, second) = (membership.estimate(from, at_ns)?, membership.estimate(to, at_ns)?);
        // The moment is as uncertain as the first clock, and a second time by how much that moved until now; offsets change by `rate` in it.
        let rate = Track::default().assumed().rate;
        let away_ns = (now_ns - at_ns).unsigned_abs() as f64;
        let moved_ns = (2.0 * rate * (first.bound_ns as f64 + rate * away_ns)).ceil() as u64;
        Ok(Estimate {
            at_ns: its_ns.unwrap_or_else(|| at_ns.saturating_add(first.offset_ns)),
            offset_ns: second.offset_ns.saturating_sub(first.offset_ns),
            bound_ns: first.bound_ns + second.bound_ns + moved_ns,
            drift_ppb: second.drift_ppb - first.drift_ppb,
            drift_bound_ppb: second.drift_bound_ppb + first.drift_bound_ppb,
            broken: first.broken || second.broken,
        })
    }
}

/// Has one member exchange datagrams with another; if it can't, there are none.
fn ask_to_probe(
    jobs: &Sender<Job>,
    (peer, key): (SocketAddr, String),
    from: &str,
) -> Result<(Vec<Exchange>, u32), ProbeError> {
    let away = |why: &str| ProbeError::Away { name: from.to_owned(), why: why.to_owned() };
    let (reply, replied) = channel();
    let (count, every_us) = PROBES;
    let job = Job { request: Request::Probe { peer, key, count, every_us }, reply };
    jobs.send(job).map_err(|_| away("it has just disconnected"))?;
    // Behind a renewal that is under way.
    match replied.recv_timeout(2 * crate::LEASE + LONGEST_PROBE) {
        Ok(Ok(Reply::Probed { exchanges, sent })) => Ok((exchanges, sent)),
        Ok(Ok(Reply::Failed { .. })) => Ok((Vec::new(), 0)),
        Ok(Ok(_)) => Err(away("it gave an unexpected answer")),
        Ok(Err(why)) => Err(away(&why)),
        Err(_) => Err(away("it does not answer")),
    }
}
