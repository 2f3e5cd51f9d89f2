//! 10,000 exchanges: the true offset is within the bound, and the bound is not much wider than it has to be.

use wiredyno_clocks::{Assumptions, Track};

use crate::forced::forced_ns;
use crate::simulated::{Draws, Drift, Path, SECOND, Truth, exchanges, since_origin};

const SESSIONS: u64 = 100;
const EXCHANGES: usize = 100;

fn seed() -> u64 {
    std::env::var("WIREDYNO_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(48)
}

/// How often something held.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    held: u32,
    of: u32,
}

impl Tally {
    fn count(&mut self, held: bool) {
        self.held += u32::from(held);
        self.of += 1;
    }

    fn share(self) -> f64 {
        f64::from(self.held) / f64::from(self.of)
    }
}

struct Session {
    drift: Drift,
    truth: Truth,
    track: Track,
}

fn session(index: u64) -> Session {
    let mut draws = Draws::new(seed().wrapping_mul(1_000).wrapping_add(index));
    let drift = [Drift::Steady, Drift::Wandering, Drift::Steps][(index % 3) as usize];
    let path = Path::new(&mut draws);
    // From ten exchanges a second to one in three seconds.
    let span_ns = draws.decades(10.0, 300.0) * SECOND;
    let truth = Truth::new(drift, span_ns, path.there_ns + path.back_ns, &mut draws);
    let mut track = Track::default();
    for one in exchanges(path, &truth, span_ns, EXCHANGES, &mut draws) {
        // A step within an exchange may make its stamps contradict each other: it is refused, as it should be.
        let _ = track.add(one);
    }
    Session { drift, truth, track }
}

/// Whether a true offset is one that an estimate allows. Stamps of clocks have no fractions, so neither has the estimate.
fn within(ends_ns: [i64; 2], true_ns: f64) -> bool {
    ends_ns[0] as f64 <= true_ns && true_ns <= ends_ns[1] as f64
}

#[test]
fn the_true_offset_is_within_the_bound() {
    let mut exchanges = [Tally::default(); 3];
    let mut between = Tally::default();
    for index in 0..SESSIONS {
        let Session { drift, truth, track } = session(index);
        let mut draws = Draws::new(index);
        for pair in track.exchanges().windows(2) {
            let at_ns = pair[0].middle_ns();
            let at = track.at(at_ns).unwrap();
            exchanges[drift as usize].count(within(at.ends_ns(), truth.offset_ns(since_origin(at_ns))));
            // Between this exchange and the next.
            let at_ns = at_ns + ((pair[1].middle_ns() - at_ns) as f64 * draws.share()) as i64;
            let at = track.at(at_ns).unwrap();
            between.count(within(at.ends_ns(), truth.offset_ns(since_origin(at_ns))));
        }
    }
    println!("seed {}: steady, wandering, steps {exchanges:?}, between exchanges {between:?}", seed());
    let all = exchanges
        .iter()
        .fold(Tally::default(), |all, one| Tally { held: all.held + one.held, of: all.of + one.of });
    assert!(all.of >= 9_800 && all.share() >= 0.999, "{all:?}");
    assert!(between.share() >= 0.999, "{between:?}");
    for smooth in &exchanges[..2] {
        assert_eq!(smooth.held, smooth.of, "without steps there is no excuse");
    }
}

#[test]
fn the_bound_is_at_most_twice_what_the_exchanges_force() {
    // The search for two such clocks takes milliseconds an exchange: all of them in `make test-full`, else each tenth.
    let every = if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { 1 } else { 10 };
    let assumed = Assumptions::default();
    let (mut ratios, mut against_own) = (Vec::new(), Vec::new());
    for index in 0..SESSIONS {
        let Session { track, .. } = session(index);
        let all = track.exchanges();
        for (place, one) in all.iter().enumerate().skip(index as usize % every).step_by(every) {
            let bound_ns = track.at(one.middle_ns()).unwrap().bound_ns as f64;
            // Three nanoseconds: the resolution either way, and the rounding of what is reported.
            ratios.push((bound_ns - 3.0) / forced_ns(all, place, assumed, bound_ns).max(1.0));
            // Never wider than what the exchange says alone, see the crate's text.
            let half_ns = (one.t4_ns - one.t1_ns) as f64 / 2.0;
            let slack_ns = assumed.rate * half_ns + assumed.wander_per_s * half_ns * half_ns / 2e9;
            let alone_ns = one.round_trip_ns() as f64 / 2.0 + slack_ns;
            assert!(bound_ns <= alone_ns + 3.0, "{bound_ns} {alone_ns}");
            against_own.push(bound_ns / alone_ns);
        }
    }
    ratios.sort_by(f64::total_cmp);
    against_own.sort_by(f64::total_cmp);
    let at = |of: &[f64], share: f64| of[((of.len() - 1) as f64 * share) as usize];
    println!(
        "seed {}: bound over forced: median {:.3}, p99 {:.3}, max {:.3}; bound over that of the exchange alone: p10 {:.3}, median {:.3}",
        seed(),
        at(&ratios, 0.5),
        at(&ratios, 0.99),
        at(&ratios, 1.0),
        at(&against_own, 0.1),
        at(&against_own, 0.5)
    );
    assert!(at(&ratios, 1.0) <= 2.0, "{}", at(&ratios, 1.0));
}

#[test]
fn the_change_of_an_offset_is_within_its_own_bound() {
    let (mut changes, mut narrower, mut cancelled) = (Tally::default(), Vec::new(), 0);
    for index in 0..SESSIONS {
        let Session { truth, track, .. } = session(index);
        let mut draws = Draws::new(!index);
        let all = track.exchanges();
        for _ in 0..EXCHANGES {
            let [from, to] = [(); 2].map(|()| all[(draws.share() * all.len() as f64) as usize].middle_ns());
            let change = track.change(from, to).unwrap();
            let [before, after] = [from, to].map(|at_ns| truth.offset_ns(since_origin(at_ns)));
            let wrong_ns = (after - before - change.change_ns as f64).abs();
            changes.count(wrong_ns <= change.bound_ns as f64 + 1.0);
            let of_both: u64 = [from, to].iter().map(|&at| track.at(at).unwrap().bound_ns).sum();
            narrower.push(change.bound_ns as f64 / of_both as f64);
            cancelled += u32::from(change.cancelled);
        }
    }
    narrower.sort_by(f64::total_cmp);
    println!(
        "seed {}: changes {changes:?}, cancelled {cancelled}, bound over that of both offsets: p10 {:.3}, median {:.3}, max {:.3}",
        seed(),
        narrower[narrower.len() / 10],
        narrower[narrower.len() / 2],
        narrower[narrower.len() - 1]
    );
    assert!(changes.share() >= 0.999, "{changes:?}");
    assert!(narrower.iter().all(|&ratio| ratio <= 1.0 + 1e-9));
}
