//! What exchanges force: how wide a bound has to be, whatever the estimator, if clocks may do what is assumed of them.
//!
//! If two clocks that both keep to the assumptions give the same stamps, and differ by `2 f` at a moment, no estimator can promise less than `f` for it: it can't
//! know which of the two it saw. Here such clocks are parabolas, a small part of all clocks that are possible, before a break just after the
//! moment, or after a break just before it, and where these don't settle it, two parabolas in a row. Written apart from the estimator, as a search, so that it can't share its
//! mistakes.

use wiredyno_clocks::{Assumptions, Exchange};

/// A path of the offset around a moment without its offset and speed there: one bend up to a distance, then another.
#[derive(Clone, Copy)]
struct Curve {
    near: f64,
    far: f64,
    turn: f64,
}

impl Curve {
    fn at(self, x: f64) -> f64 {
        let (near, far) = (x.abs().min(self.turn), (x.abs() - self.turn).max(0.0));
        self.near * near * near / 2.0 + self.near * near * far + self.far * far * far / 2.0
    }
}

/// The furthest offsets at a moment by which any of these curves fits all exchanges; `None` if none does.
fn fitting(
    exchanges: &[Exchange],
    at_ns: i64,
    base_ns: i64,
    assumed: Assumptions,
    curves: impl Iterator<Item = Curve>,
) -> Option<(f64, f64)> {
    let mut ends: Option<(f64, f64)> = None;
    for curve in curves {
        if let Some((low, high)) = along(exchanges, at_ns, base_ns, curve, assumed) {
            ends = Some(ends.map_or((low, high), |(least, most)| (low.min(least), high.max(most))));
        }
    }
    ends
}

fn parabolas(assumed: Assumptions) -> impl Iterator<Item = Curve> {
    let bend = assumed.wander_per_s / 1e9;
    (-4..=4).map(move |step| {
        let bend = bend * f64::from(step) / 4.0;
        Curve { near: bend, far: bend, turn: 0.0 }
    })
}

fn two_parabolas(assumed: Assumptions) -> impl Iterator<Item = Curve> {
    let bend = assumed.wander_per_s / 1e9;
    let turns = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8].map(|share| share * assumed.horizon_ns as f64);
    let bends = [-bend, 0.0, bend];
    turns.into_iter().flat_map(move |turn| {
        bends.into_iter().flat_map(move |near| bends.map(|far| Curve { near, far, turn }))
    })
}

/// The offsets for which some speed fits, along one curve. Both readings of an exchange count for its middle: one of the moments that are possible.
fn along(
    exchanges: &[Exchange],
    at_ns: i64,
    base_ns: i64,
    curve: Curve,
    assumed: Assumptions,
) -> Option<(f64, f64)> {
    let lines: Vec<(f64, f64, f64)> = exchanges
        .iter()
        .map(|one| {
            let x = (one.middle_ns() - at_ns) as f64;
            let [low, high] =
                [one.t3_ns - one.t4_ns, one.t2_ns - one.t1_ns].map(|ns| (ns - base_ns) as f64 - curve.at(x));
            (x, low, high)
        })
        .collect();
    // The speed may reach the limit nowhere between here and the furthest.
    let furthest = lines.iter().map(|line| line.0.abs()).fold(0.0, f64::max);
    let fastest = assumed.rate - assumed.wander_per_s / 1e9 * furthest;
    // Offsets left at a speed: what is above all lower ends and below all upper ones. Both ends are piecewise linear in the speed: a grid, refined around its best places.
    let at = |speed: f64| {
        let low = lines.iter().map(|line| line.1 - speed * line.0).fold(f64::NEG_INFINITY, f64::max);
        let high = lines.iter().map(|line| line.2 - speed * line.0).fold(f64::INFINITY, f64::min);
        (low, high)
    };
    let room = |speed: f64| {
        let (low, high) = at(speed);
        high - low
    };
    let most = ternary(-fastest, fastest, room);
    if room(most) < 0.0 {
        return None;
    }
    let edge = |outside: f64| {
        let (mut fits, mut unfit) = (most, outside);
        if room(unfit) >= 0.0 {
            return unfit;
        }
        for _ in 0..60 {
            let middle = (fits + unfit) / 2.0;
            if room(middle) >= 0.0 { fits = middle } else { unfit = middle }
        }
        fits
    };
    let (slow, fast) = (edge(-fastest), edge(fastest));
    let high = at(ternary(slow, fast, |speed| at(speed).1)).1;
    let low = at(ternary(slow, fast, |speed| -at(speed).0)).0;
    Some((low, high))
}

/// The place of a concave function's maximum.
fn ternary(mut left: f64, mut right: f64, of: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let third = (right - left) / 3.0;
        if of(left + third) < of(right - third) { left += third } else { right -= third }
    }
    (left + right) / 2.0
}

/// Half the width that no estimator's bound can undercut at the middle of exchange `index`; looks further if a bound is much more than that.
pub fn forced_ns(exchanges: &[Exchange], index: usize, assumed: Assumptions, bound_ns: f64) -> f64 {
    let own = exchanges[index];
    let (at_ns, base_ns) = (own.middle_ns(), own.t2_ns - own.t1_ns);
    let near = |one: &&Exchange| (one.middle_ns() - at_ns).abs() <= assumed.horizon_ns;
    // No break lies within an exchange: one that is on its way counts on both sides.
    let mut sides: [Vec<Exchange>; 2] = [
        exchanges.iter().filter(|one| one.t1_ns <= at_ns).filter(near).copied().collect(),
        exchanges.iter().filter(|one| one.t4_ns >= at_ns).filter(near).copied().collect(),
    ];
    let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
    for side in &mut sides {
        side.sort_by_key(|one| (one.middle_ns() - at_ns).abs());
        // As far outwards as parabolas fit: further on, the assumptions demand a break.
        let (low, high) = loop {
            match fitting(side, at_ns, base_ns, assumed, parabolas(assumed)) {
                Some(found) => break found,
                // A single one, over a path so short that the clocks' speeds decide: nothing is forced.
                None if side.len() == 1 => break (0.0, 0.0),
                None => side.truncate((side.len() * 7 / 8).max(1)),
            }
        };
        ends = (ends.0.min(low), ends.1.max(high));
    }
    if bound_ns > 1.5 * (ends.1 - ends.0) / 2.0 {
        for side in &sides {
            if let Some((low, high)) = fitting(side, at_ns, base_ns, assumed, two_parabolas(assumed)) {
                ends = (ends.0.min(low), ends.1.max(high));
            }
        }
    }
    (ends.1 - ends.0) / 2.0
}
