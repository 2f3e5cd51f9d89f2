//! What is known of a member's clock: its exchanges over both paths.
//!
//! One file because a clock's line, how it is shown and when it is doubted rest on the exchanges over the same two paths.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};
use wiredyno_clocks::{ClockIdentity, Estimate, Exchange, Track, narrower};
use wiredyno_seats::machine::boot_id;

/// How long exchanges are kept, in nanoseconds: three times the horizon within which they count.
const KEPT_NS: i64 = 60_000_000_000;

/// The identity of this process's clock; shared with none where the kernel does not say.
pub(crate) fn own_identity() -> ClockIdentity {
    let time_namespace = fs::metadata("/proc/self/ns/time").map_or(0, |of| of.ino());
    ClockIdentity { boot_id: boot_id(), time_namespace }
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
    /// Its stamps contradict each other, or what it says about itself, for this reason. No offset is taken from it.
    Doubted(String),
}

/// The offset of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockKnown {
    /// How far it is ahead of the coordinator's, with a bound.
    pub estimate: Estimate,
    /// It is the coordinator's own clock: one boot, one time namespace. The bound is 0.
    pub is_ours: bool,
    /// The path with the narrower bound.
    pub path: ClockPath,
    /// The smallest round trip over that path, in nanoseconds.
    pub round_trip_ns: i64,
    /// How many exchanges over that path are known.
    pub exchanges: usize,
}

/// A clock over a span of time: a straight line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockLine {
    /// Which clock it is: 0 for ours, else the number of a member; members that share a clock have one.
    pub which: u64,
    /// How far it was ahead of ours at the moment [`Self::at_ns`], in nanoseconds.
    pub ahead_ns: i64,
    /// The moment of [`Self::ahead_ns`], by our clock.
    pub at_ns: i64,
    /// How much further it got ahead, in nanoseconds per second.
    pub drift_ppb: i64,
    /// How wrong the line may be at any moment of the span, either way, in nanoseconds.
    pub bound_ns: u64,
}

impl ClockLine {
    fn ahead_at_ns(&self, at_ns: i64) -> i64 {
        let since_ns = i128::from(at_ns) - i128::from(self.at_ns);
        self.ahead_ns + (since_ns * i128::from(self.drift_ppb) / 1_000_000_000) as i64
    }

    /// Whether two can be of one clock, as far as is known of both.
    pub(crate) fn agrees(&self, other: &ClockLine, moments_ns: [i64; 2]) -> bool {
        let apart_ns = |at_ns: i64| self.ahead_at_ns(at_ns).abs_diff(other.ahead_at_ns(at_ns));
        moments_ns.into_iter().all(|at_ns| apart_ns(at_ns) <= self.bound_ns.saturating_add(other.bound_ns))
    }
}

/// Exchanges this long before and after a span are looked at for a break, in nanoseconds.
const AROUND_NS: i64 = 2_000_000_000;

/// The distance between two moments at which a line is compared with what is known, in nanoseconds; and the most moments.
const COMPARED_NS: i64 = 250_000_000;
const MOST_COMPARED: i64 = 400;

/// How many pairs of exchanges, one of each path, have to contradict each other before a clock is doubted: a pause of the machine spoils one.
const MOST_CONTRADICTIONS: u32 = 3;

/// How far apart two exchanges may be to be compared, in nanoseconds.
const BESIDE_NS: i64 = 2_000_000_000;

/// The exchanges with a member.
#[derive(Clone)]
pub(crate) struct Clockwork {
    /// Whether it claims to share our clock.
    claims_ours: bool,
    paths: [Path; 2],
    /// How many pairs in a row have contradicted each other.
    contradictions: u32,
    /// The first reason; it stays.
    doubt: Option<String>,
    /// Since when all exchanges are kept, by our clock: those of a trial that is still under way.
    since_ns: i64,
}

#[derive(Clone)]
struct Path {
    of: ClockPath,
    track: Track,
    /// The last exchange, until it was compared with one of the other path.
    last: Option<Exchange>,
}

impl Path {
    /// What it says about a moment, and how far away its nearest exchange is.
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
        Clockwork { claims_ours: its.is(ours), paths, contradictions: 0, doubt: None, since_ns: i64::MAX }
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
        let horizon_ns = one.track.assumed().horizon_ns;
        let kept_ns =
            exchange.t4_ns.saturating_sub(KEPT_NS).min(self.since_ns.saturating_sub(2 * horizon_ns));
        one.track.forget_before(kept_ns);
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
                // One has not yet seen what happened to the clock: the one whose last exchange is further away.
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

impl Clockwork {
    /// From now on all exchanges since a moment of our clock are kept.
    pub(crate) fn keep_since(&mut self, since_ns: i64) {
        self.since_ns = since_ns;
    }

    /// When the last exchange over any path began, by our clock.
    pub(crate) fn last_ns(&self) -> Option<i64> {
        self.paths.iter().filter_map(|path| path.track.exchanges().last().map(|one| one.t1_ns)).max()
    }

    /// How the clock was from one moment to another: the line through the first and the last estimate, moved so that the others lie evenly around it. Between two
    /// of the moments that are compared, the offset bends away from a straight line by at most what clocks are assumed to wander.
    /// A break in that span has no line: between two exchanges nobody knows where it was.
    pub(crate) fn line(&self, which: u64, from_ns: i64, until_ns: i64) -> Result<ClockLine, ClockView> {
        if self.claims_ours && self.doubt.is_none() {
            return Ok(ClockLine { which: 0, ahead_ns: 0, at_ns: from_ns, drift_ppb: 0, bound_ns: 0 });
        }
        let broken = || {
            ClockView::Doubted(
                "it was set, stood still, or ran faster than clocks may, at that time".to_owned(),
            )
        };
        if self.paths.iter().any(|path| breaks_within(&path.track, from_ns, until_ns)) {
            return Err(broken());
        }
        let span_ns = until_ns.saturating_sub(from_ns).max(0);
        let steps = (span_ns / COMPARED_NS + 1).min(MOST_COMPARED);
        let moment =
            |step: i64| from_ns + (i128::from(span_ns) * i128::from(step) / i128::from(steps)) as i64;
        let mut all: Vec<Estimate> = Vec::new();
        for step in 0..=steps {
            match self.around(moment(step)).at(moment(step)) {
                ClockView::Known(known) => all.push(known.estimate),
                other => return Err(other),
            }
        }
        let (first, last) = (all[0], all[all.len() - 1]);
        let drift =
            if span_ns > 0 { (last.offset_ns - first.offset_ns) as f64 / span_ns as f64 } else { 0.0 };
        let drift_ppb = (drift * 1e9).round() as i64;
        let beside = |one: &Estimate| {
            let along = i128::from(one.at_ns - from_ns) * i128::from(drift_ppb) / 1_000_000_000;
            one.offset_ns - first.offset_ns - along as i64
        };
        let (least, most) = (
            all.iter().map(beside).min().unwrap_or_default(),
            all.iter().map(beside).max().unwrap_or_default(),
        );
        let moved_ns = (least + most).div_euclid(2);
        let wrong = |one: &Estimate| one.bound_ns.saturating_add((beside(one) - moved_ns).unsigned_abs());
        let gap_s = span_ns as f64 / steps as f64 / 1e9;
        let wander_per_s = self.paths[0].track.assumed().wander_per_s;
        let bend_ns = (wander_per_s * gap_s * gap_s / 8.0 * 1e9).ceil() as u64;
        let rate = self.paths[0].track.assumed().rate;
        let explained = rate + (first.bound_ns + last.bound_ns) as f64 / span_ns.max(1) as f64;
        if drift.abs() > explained {
            return Err(broken());
        }
        Ok(ClockLine {
            which,
            ahead_ns: first.offset_ns + moved_ns,
            at_ns: from_ns,
            drift_ppb,
            // And a nanosecond for each that was rounded.
            bound_ns: all.iter().map(wrong).max().unwrap_or_default() + bend_ns + 2,
        })
    }
}

impl Clockwork {
    /// The same with only those exchanges that count for a moment: within the horizon, and the next on either side.
    fn around(&self, at_ns: i64) -> Clockwork {
        let near = |path: &Path| {
            let (all, horizon_ns) = (path.track.exchanges(), path.track.assumed().horizon_ns);
            let middle = all.partition_point(|one| one.middle_ns() < at_ns);
            let from = all.partition_point(|one| one.middle_ns() < at_ns.saturating_sub(2 * horizon_ns));
            let until = all.partition_point(|one| one.middle_ns() <= at_ns.saturating_add(2 * horizon_ns));
            let mut track = Track::new(path.track.assumed());
            let (from, until) = (from.min(middle.saturating_sub(1)), until.max(middle + 1).min(all.len()));
            for one in &all[from..until] {
                // They were accepted before.
                let _ = track.add(*one);
            }
            Path { of: path.of, track, last: None }
        };
        let paths = [near(&self.paths[0]), near(&self.paths[1])];
        Clockwork { paths, doubt: self.doubt.clone(), ..*self }
    }
}

/// Whether the exchanges around a span show a break that may lie in it.
fn breaks_within(track: &Track, from_ns: i64, until_ns: i64) -> bool {
    let mut near = Track::new(track.assumed());
    let around = (from_ns.saturating_sub(AROUND_NS), until_ns.saturating_add(AROUND_NS));
    for one in track.exchanges().iter().filter(|one| (around.0..=around.1).contains(&one.middle_ns())) {
        // They were accepted before.
        let _ = near.add(*one);
    }
    near.breaks().iter().any(|found| found.after_ns <= until_ns && found.before_ns >= from_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_the_true_offset_at_every_moment() {
        // 40 ppm fast, 3 ms ahead at first; exchanges every 100 ms over a path that takes all of its 400 us one way, and more in one of ten.
        let mut of = Clockwork::new(&identity("a"), &identity("b"));
        let truth = |at_ns: i64| 3_000_000 + at_ns / 25_000;
        drive(&mut of, &truth, |step| if step % 10 == 3 { 1_100_000 } else { 400_000 });
        let (from_ns, until_ns) = (2_000_000_000, 12_000_000_000);
        let line = of.line(7, from_ns, until_ns).unwrap();
        assert_eq!(line.which, 7);
        assert!((line.drift_ppb - 40_000).abs() < 5_000, "{line:?}");
        assert!((200_000..220_000).contains(&line.bound_ns), "{line:?}");
        let mut most_ns = 0;
        for at_ns in (from_ns..until_ns).step_by(33_333_333) {
            let wrong_ns = line.ahead_at_ns(at_ns).abs_diff(truth(at_ns));
            assert!(wrong_ns <= line.bound_ns, "at {at_ns}: {line:?} of {}", truth(at_ns));
            most_ns = most_ns.max(wrong_ns);
        }
        assert!(most_ns > 190_000, "the path hides all of it: {most_ns}");
        assert_eq!(of.last_ns(), Some(149 * 100_000_000));
        let other = ClockLine { ahead_ns: line.ahead_ns + 300_000, which: 8, ..line };
        assert!(line.agrees(&other, [from_ns, until_ns]));
        assert!(
            !line.agrees(&ClockLine { drift_ppb: line.drift_ppb + 20_000, ..other }, [from_ns, until_ns])
        );
    }

    /// 150 exchanges, whose delay lies on the way there.
    fn drive(of: &mut Clockwork, truth: &dyn Fn(i64) -> i64, delay_ns: impl Fn(i64) -> i64) {
        for step in 0..150 {
            let (at_ns, delay_ns) = (step * 100_000_000, delay_ns(step));
            let t2_ns = at_ns + delay_ns + truth(at_ns + delay_ns);
            let exchange = Exchange { t1_ns: at_ns, t2_ns, t3_ns: t2_ns + 5, t4_ns: at_ns + delay_ns + 5 };
            of.add(ClockPath::Datagrams, exchange);
        }
    }

    #[test]
    fn a_clock_that_was_set_in_the_middle_has_no_line_then() {
        let mut of = Clockwork::new(&identity("a"), &identity("b"));
        let set_ns = 6_030_000_000;
        drive(&mut of, &|at_ns| if at_ns < set_ns { 0 } else { 5_000_000 }, |_| 200_000);
        assert!(matches!(of.line(1, 4_000_000_000, 8_000_000_000), Err(ClockView::Doubted(_))));
        assert!(matches!(of.line(1, set_ns, set_ns), Err(ClockView::Doubted(_))));
        for (from_ns, until_ns) in [(1_000_000_000, 5_000_000_000), (8_000_000_000, 12_000_000_000)] {
            assert!(of.line(1, from_ns, until_ns).unwrap().bound_ns < 150_000);
        }
    }

    #[test]
    fn a_long_trial_has_a_line_from_its_beginning_and_a_break_soon_after_is_not_forgotten() {
        let long = |truth: &dyn Fn(i64) -> i64| {
            let mut of = Clockwork::new(&identity("a"), &identity("b"));
            of.keep_since(5_000_000_000);
            for step in 0..2_000 {
                of.add(ClockPath::Control, exchange(step * 100_000_000, truth(step * 100_000_000), 100_000));
            }
            of.line(1, 5_000_000_000, 199_000_000_000)
        };
        let line = long(&|at_ns| at_ns / 50_000).unwrap();
        assert!((100_000..130_000).contains(&line.bound_ns), "{line:?}");
        let set = |at_ns: i64| if at_ns < 10_000_000_000 { 0 } else { 1_000_000_000 };
        assert!(matches!(long(&set), Err(ClockView::Doubted(_))));
    }

    #[test]
    fn one_clock_has_a_line_without_a_bound_and_an_unknown_one_none() {
        let of = Clockwork::new(&identity("a"), &identity("a"));
        let ours = ClockLine { which: 0, ahead_ns: 0, at_ns: 5, drift_ppb: 0, bound_ns: 0 };
        assert_eq!(of.line(3, 5, 9).unwrap(), ours);
        let other = Clockwork::new(&identity("a"), &identity("b"));
        assert_eq!(other.line(3, 5, 9), Err(ClockView::Unknown));
    }

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
