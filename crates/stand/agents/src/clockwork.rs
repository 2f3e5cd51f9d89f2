//! What is known of a member's clock: its exchanges over both paths.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};
use wiredyno_clocks::{ClockIdentity, Estimate, Exchange, Track, narrower};

/// How long exchanges are kept, in nanoseconds: three times the horizon within which they count.
const KEPT_NS: i64 = 60_000_000_000;

/// The identity of this process's clock; nobody's where the kernel does not tell.
pub(crate) fn own_identity() -> ClockIdentity {
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let time_namespace = fs::metadata("/proc/self/ns/time").map_or(0, |of| of.ino());
    ClockIdentity { boot_id: boot_id.trim().to_owned(), time_namespace }
}

/// Which path exchanges took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockPath {
    /// The connection to the coordinator: TLS over TCP.
    Control,
    /// Datagrams: UDP.
    Datagrams,
}

/// What is known of a clock at a moment.
#[derive(Debug, Clone, PartialEq)]
pub enum ClockView {
    /// No exchange was answered yet.
    Unknown,
    /// Its offset from the coordinator's clock.
    Known(ClockKnown),
    /// Its stamps contradict each other, or what it says of itself: why. No offset is taken from it.
    Doubted(String),
}

/// The offset of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockKnown {
    /// How far it is ahead of the coordinator's, with a bound.
    pub estimate: Estimate,
    /// It is the coordinator's own clock: one boot, one time namespace. The bound is 0.
    pub is_ours: bool,
    /// The narrower path.
    pub path: ClockPath,
    /// The smallest round trip over that path, in nanoseconds.
    pub round_trip_ns: i64,
    /// How many exchanges over that path are known.
    pub exchanges: usize,
}

/// How many pairs of exchanges, one of each path, have to contradict each other before a clock is doubted: a pause of the machine spoils one.
const MOST_CONTRADICTIONS: u32 = 3;

/// How far apart two exchanges may be to be compared, in nanoseconds.
const BESIDE_NS: i64 = 2_000_000_000;

/// The exchanges with a member.
pub(crate) struct Clockwork {
    /// Whether it claims to share our clock.
    claims_ours: bool,
    paths: [Path; 2],
    /// How many pairs in a row have contradicted each other.
    contradictions: u32,
    /// The first reason; it stays.
    doubt: Option<String>,
}

struct Path {
    of: ClockPath,
    track: Track,
    /// The last exchange, until it was compared with one of the other path.
    last: Option<Exchange>,
}

impl Path {
    /// What it tells of a moment, and how far its nearest exchange is away.
    fn known(&self, at_ns: i64) -> Option<(&Path, Estimate, i64)> {
        let estimate = self.track.at(at_ns)?;
        let nearest_ns = self.track.exchanges().iter().map(|one| (one.middle_ns() - at_ns).abs()).min()?;
        Some((self, estimate, nearest_ns))
    }
}

impl Clockwork {
    pub(crate) fn new(its: &ClockIdentity, ours: &ClockIdentity) -> Self {
        let paths = [ClockPath::Control, ClockPath::Datagrams];
        let paths = paths.map(|of| Path { of, track: Track::default(), last: None });
        Clockwork { claims_ours: its.is(ours), paths, contradictions: 0, doubt: None }
    }

    pub(crate) fn add(&mut self, path: ClockPath, exchange: Exchange) {
        let Some(one) = self.paths.iter_mut().find(|one| one.of == path) else { return };
        if let Err(error) = one.track.add(exchange) {
            self.doubt.get_or_insert_with(|| error.to_string());
            return;
        }
        if self.claims_ours
            && let Err(error) = one.track.confirm_same_clock()
        {
            self.doubt.get_or_insert_with(|| error.to_string());
        }
        one.track.forget_before(exchange.t4_ns.saturating_sub(KEPT_NS));
        one.last = Some(exchange);
        self.compare();
    }

    /// Compares the last exchanges of both paths, each once.
    fn compare(&mut self) {
        let [one, other] = &mut self.paths;
        let (Some(first), Some(second)) = (one.last, other.last) else { return };
        let assumed = one.track.assumed();
        let apart_ns = (first.middle_ns() - second.middle_ns()).abs();
        if apart_ns > BESIDE_NS {
            return;
        }
        (one.last, other.last) = (None, None);
        // As far as the offset may have changed from the beginning of one to the end of the other.
        let spans_ns = (first.t4_ns - first.t1_ns) + (second.t4_ns - second.t1_ns);
        let slack_ns =
            ((apart_ns + spans_ns) as f64 * assumed.rate).ceil() as i64 + 2 * assumed.resolution_ns;
        let ends = |of: &Exchange| (of.t3_ns - of.t4_ns, of.t2_ns - of.t1_ns);
        let ((low, high), (other_low, other_high)) = (ends(&first), ends(&second));
        if low - slack_ns > other_high || other_low - slack_ns > high {
            self.contradictions += 1;
        } else {
            self.contradictions = 0;
        }
        if self.contradictions >= MOST_CONTRADICTIONS {
            self.doubt.get_or_insert_with(|| {
                format!(
                    "two paths contradict each other: by the connection its clock is {low} to {high} ns ahead, by datagrams {other_low} to {other_high} ns: its stamps are wrong on one of them"
                )
            });
        }
    }

    /// What is known at a moment of our clock.
    pub(crate) fn at(&self, at_ns: i64) -> ClockView {
        if let Some(doubt) = &self.doubt {
            return ClockView::Doubted(doubt.clone());
        }
        let all: Vec<_> = self.paths.iter().filter_map(|path| path.known(at_ns)).collect();
        let &(path, estimate, _) = match &all[..] {
            [] => return ClockView::Unknown,
            [one] => one,
            [one, other, ..] => match narrower(one.1, other.1) {
                Ok(best) if best == one.1 => one,
                Ok(_) => other,
                // One has not seen yet what has happened to the clock: that whose last exchange is further away.
                Err(_) if one.2 <= other.2 => one,
                Err(_) => other,
            },
        };
        let estimate = if self.claims_ours {
            Estimate { offset_ns: 0, bound_ns: 0, drift_ppb: 0.0, drift_bound_ppb: 0.0, ..estimate }
        } else {
            estimate
        };
        ClockView::Known(ClockKnown {
            estimate,
            is_ours: self.claims_ours,
            path: path.of,
            round_trip_ns: path.track.smallest_round_trip_ns().unwrap_or_default(),
            exchanges: path.track.exchanges().len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(boot_id: &str) -> ClockIdentity {
        ClockIdentity { boot_id: boot_id.into(), time_namespace: 1 }
    }

    fn exchange(at_ns: i64, ahead_ns: i64, delay_ns: i64) -> Exchange {
        let t2_ns = at_ns + delay_ns + ahead_ns;
        Exchange { t1_ns: at_ns, t2_ns, t3_ns: t2_ns + 5, t4_ns: at_ns + 2 * delay_ns + 5 }
    }

    fn known(view: ClockView) -> ClockKnown {
        let ClockView::Known(known) = view else { panic!("{view:?}") };
        known
    }

    #[test]
    fn the_narrower_path_counts() {
        let mut of = Clockwork::new(&identity("a"), &identity("b"));
        assert_eq!(of.at(0), ClockView::Unknown);
        of.add(ClockPath::Control, exchange(0, 7_000, 1_000));
        assert_eq!(known(of.at(0)).path, ClockPath::Control);
        of.add(ClockPath::Datagrams, exchange(100, 7_000, 200));
        let best = known(of.at(100));
        assert_eq!((best.path, best.round_trip_ns, best.exchanges), (ClockPath::Datagrams, 400, 1));
        assert!((best.estimate.offset_ns - 7_000).unsigned_abs() <= best.estimate.bound_ns);
        assert!((200..=204).contains(&best.estimate.bound_ns), "{best:?}");
    }

    #[test]
    fn one_clock_has_no_bound_unless_its_claim_is_false() {
        let mut of = Clockwork::new(&identity("a"), &identity("a"));
        of.add(ClockPath::Control, exchange(0, 0, 1_000));
        let same = known(of.at(0));
        assert_eq!((same.is_ours, same.estimate.offset_ns, same.estimate.bound_ns), (true, 0, 0));
        of.add(ClockPath::Datagrams, exchange(10_000, 50_000, 1_000));
        assert!(
            matches!(of.at(20_000), ClockView::Doubted(why) if why.contains("claims to share our clock"))
        );
    }

    #[test]
    fn who_contradicts_itself_is_doubted_for_good() {
        let mut of = Clockwork::new(&identity("a"), &identity("b"));
        for round in 0..i64::from(MOST_CONTRADICTIONS) {
            assert!(matches!(of.at(round * 1_000_000), ClockView::Known(_) | ClockView::Unknown));
            of.add(ClockPath::Control, exchange(round * 1_000_000, 7_000, 100));
            of.add(ClockPath::Datagrams, exchange(round * 1_000_000 + 500, 9_000, 100));
        }
        assert!(matches!(of.at(0), ClockView::Doubted(why) if why.contains("contradict each other")));
        let mut of = Clockwork::new(&identity("a"), &identity("b"));
        of.add(ClockPath::Control, Exchange { t1_ns: 0, t2_ns: 50, t3_ns: 40, t4_ns: 100 });
        of.add(ClockPath::Control, exchange(200, 0, 100));
        assert!(matches!(of.at(200), ClockView::Doubted(why) if why.contains("went back")));
    }

    /// A machine that was suspended for a minute: its clock is behind by that, and datagrams come back later than the connection, or never.
    #[test]
    fn a_clock_that_stood_still_is_not_doubted_and_known_again_at_once() {
        const SECOND: i64 = 1_000_000_000;
        let mut of = Clockwork::new(&identity("a"), &identity("b"));
        for round in 0..10 {
            of.add(ClockPath::Control, exchange(round * SECOND, 0, 1_000));
            of.add(ClockPath::Datagrams, exchange(round * SECOND + 500, 0, 200));
        }
        for round in 70..90 {
            let at_ns = round * SECOND;
            of.add(ClockPath::Control, exchange(at_ns, -60 * SECOND, 1_000));
            let now = known(of.at(at_ns));
            assert_eq!(now.path, ClockPath::Control);
            assert!(
                (now.estimate.offset_ns + 60 * SECOND).unsigned_abs() <= now.estimate.bound_ns,
                "{now:?}"
            );
        }
        // One of a pair before the step, one after it.
        of.add(ClockPath::Datagrams, exchange(90 * SECOND, -60 * SECOND, 200));
        of.add(ClockPath::Control, exchange(91 * SECOND, -61 * SECOND, 1_000));
        of.add(ClockPath::Datagrams, exchange(91 * SECOND + 500, -61 * SECOND, 200));
        assert!(matches!(of.at(92 * SECOND), ClockView::Known(_)));
    }
}
