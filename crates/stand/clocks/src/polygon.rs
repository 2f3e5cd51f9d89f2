//! What exchanges leave of offset and speed: a convex polygon, and its extent along both.
//!
//! A constraint at distance `x` from the moment in question says `low ≤ θ + ρ x ≤ high`. For a speed `ρ` the offsets left lie between
//! `max(low − ρ x)`, convex in `ρ`, and `min(high − ρ x)`, concave, both piecewise linear. Newton's method on such functions ends after a
//! few steps, and approaches from outside: where numbers round, an interval is too wide rather than too narrow.

/// What one exchange says about the line through the moment in question; nanoseconds, but any unit does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constraint {
    /// How long after the moment; negative for before.
    pub at: f64,
    /// The smallest and the largest offset there.
    pub low: f64,
    pub high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// The smallest interval that covers both.
    pub fn cover(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What is in both; `None` if nothing is.
    pub fn common(self, other: Interval) -> Option<Interval> {
        let common = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        (common.low <= common.high).then_some(common)
    }

    /// Half the distance between its ends.
    pub fn half(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The point in its middle.
    pub fn middle(self) -> f64 {
        self.low + self.half()
    }
}

/// The offsets and speeds at the moment in question that all constraints leave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    pub offset: Interval,
    pub speed: Interval,
}

/// Far more steps than any set of constraints needs; each step discards at least one.
const STEPS: usize = 200;

/// In the unit of offsets: differences below count as none.
const NOTHING: f64 = 1e-6;

/// A piecewise linear function's value at a point, and its slope there.
type Tangent = (f64, f64);

/// The largest offset that the constraints leave at this speed.
fn above(constraints: &[Constraint], speed: f64) -> Tangent {
    let each = constraints.iter().map(|one| (one.high - speed * one.at, -one.at));
    each.fold((f64::INFINITY, 0.0), |best, one| if one.0 < best.0 { one } else { best })
}

fn below(constraints: &[Constraint], speed: f64) -> Tangent {
    let each = constraints.iter().map(|one| (one.low - speed * one.at, -one.at));
    each.fold((f64::NEG_INFINITY, 0.0), |best, one| if one.0 > best.0 { one } else { best })
}

/// What the constraints leave, with speeds of at most `fastest` either way; `None` if nothing.
pub(crate) fn left(constraints: &[Constraint], fastest: f64) -> Option<Left> {
    let speed =
        Interval { low: end(constraints, -fastest, fastest)?, high: -end_mirrored(constraints, fastest)? };
    if speed.low > speed.high {
        return None;
    }
    let high = peak(|at| above(constraints, at), speed);
    let low = -peak(
        |at| {
            let (value, slope) = below(constraints, at);
            (-value, -slope)
        },
        speed,
    );
    Some(Left { offset: Interval { low, high }, speed })
}

/// The slowest speed, from `from` on, at which the constraints leave an offset; `None` if there is none up to `to`.
fn end(constraints: &[Constraint], from: f64, to: f64) -> Option<f64> {
    let mut speed = from;
    for _ in 0..STEPS {
        let ((high, of_high), (low, of_low)) = (above(constraints, speed), below(constraints, speed));
        let (room, slope) = (high - low, of_high - of_low);
        if room >= -NOTHING {
            return Some(speed);
        }
        if slope <= 0.0 {
            return None;
        }
        let next = speed - room / slope;
        if next > to {
            return None;
        }
        if next <= speed {
            return Some(speed);
        }
        speed = next;
    }
    Some(speed)
}

/// The same from the fast end, with its sign reversed: time reversed reverses speeds.
fn end_mirrored(constraints: &[Constraint], fastest: f64) -> Option<f64> {
    let mirrored: Vec<Constraint> =
        constraints.iter().map(|one| Constraint { at: -one.at, ..*one }).collect();
    end(&mirrored, -fastest, fastest)
}

/// The maximum of a concave function, or slightly more.
fn peak(of: impl Fn(f64) -> Tangent, within: Interval) -> f64 {
    let (mut left, mut right) = (within.low, within.high);
    let (mut at_left, mut at_right) = (of(left), of(right));
    if at_left.1 <= 0.0 {
        return at_left.0;
    }
    if at_right.1 >= 0.0 {
        return at_right.0;
    }
    let mut most = f64::INFINITY;
    for _ in 0..STEPS {
        let rise = at_left.1 - at_right.1;
        let apart = right - left;
        // Where the two tangents meet.
        let step = ((at_right.0 - at_left.0) - at_right.1 * apart) / rise;
        most = at_left.0 + at_left.1 * step;
        let middle = left + step;
        let here = of(middle);
        if here.0 >= most - NOTHING || middle <= left || middle >= right {
            return most;
        }
        if here.1 > 0.0 {
            (left, at_left) = (middle, here);
        } else if here.1 < 0.0 {
            (right, at_right) = (middle, here);
        } else {
            return here.0;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(at: f64, low: f64, high: f64) -> Constraint {
        Constraint { at, low, high }
    }

    #[test]
    fn two_intervals_leave_the_lines_through_both() {
        // At -1: [0, 2], at +1: [4, 6]. In the middle [2, 4], speeds from 1 to 3.
        let left = left(&[constraint(-1.0, 0.0, 2.0), constraint(1.0, 4.0, 6.0)], 10.0).unwrap();
        assert_eq!(left.offset, Interval { low: 2.0, high: 4.0 });
        assert_eq!(left.speed, Interval { low: 1.0, high: 3.0 });
        assert_eq!((left.offset.middle(), left.offset.half()), (3.0, 1.0));
    }

    #[test]
    fn a_single_interval_leaves_all_speeds_and_what_they_make_of_it() {
        let left = left(&[constraint(2.0, 10.0, 12.0)], 0.5).unwrap();
        assert_eq!(left.offset, Interval { low: 9.0, high: 13.0 });
        assert_eq!(left.speed, Interval { low: -0.5, high: 0.5 });
    }

    #[test]
    fn intervals_on_no_line_leave_nothing() {
        let bent = [constraint(-1.0, 0.0, 1.0), constraint(0.0, 5.0, 6.0), constraint(1.0, 0.0, 1.0)];
        assert!(left(&bent, 100.0).is_none());
        assert!(left(&[constraint(-1.0, 0.0, 1.0), constraint(1.0, 10.0, 11.0)], 1.0).is_none());
    }

    /// All vertices of the polygon, by brute force: every pair of edges is intersected.
    fn brute(constraints: &[Constraint], fastest: f64) -> Option<Left> {
        let edges: Vec<(f64, f64)> =
            constraints.iter().flat_map(|one| [(one.at, one.low), (one.at, one.high)]).collect();
        let fits = |offset: f64, speed: f64| {
            speed.abs() <= fastest * (1.0 + 1e-9)
                && constraints.iter().all(|one| {
                    let there = offset + speed * one.at;
                    there >= one.low - 1e-6 && there <= one.high + 1e-6
                })
        };
        let mut corners = Vec::new();
        for (index, &(at, value)) in edges.iter().enumerate() {
            for speed in [-fastest, fastest] {
                corners.push((value - speed * at, speed));
            }
            for &(other, of_other) in &edges[..index] {
                if at != other {
                    let speed = (value - of_other) / (at - other);
                    corners.push((value - speed * at, speed));
                }
            }
        }
        corners.retain(|&(offset, speed)| fits(offset, speed));
        let over = |of: fn(&(f64, f64)) -> f64| Interval {
            low: corners.iter().map(of).fold(f64::INFINITY, f64::min),
            high: corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max),
        };
        (!corners.is_empty()).then(|| Left { offset: over(|one| one.0), speed: over(|one| one.1) })
    }

    #[test]
    fn the_extents_are_those_of_all_corners() {
        // A linear congruential generator (Numerical Recipes' constants) is random enough here.
        let mut state = 7_u32;
        let mut draw = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        let (mut some, mut none) = (0, 0);
        for _ in 0..500 {
            let count = 1 + (draw() * 12.0) as usize;
            let constraints: Vec<Constraint> = (0..count)
                .map(|_| {
                    let (at, low) = (draw() * 200.0 - 100.0, draw() * 10.0);
                    constraint(at, low, low + 2.0 + draw() * 20.0)
                })
                .collect();
            match (left(&constraints, 0.3), brute(&constraints, 0.3)) {
                (Some(ours), Some(all)) => {
                    some += 1;
                    for (one, other) in [
                        (ours.offset.low, all.offset.low),
                        (ours.offset.high, all.offset.high),
                        (ours.speed.low, all.speed.low),
                        (ours.speed.high, all.speed.high),
                    ] {
                        assert!((one - other).abs() < 1e-4, "{ours:?} {all:?} {constraints:?}");
                    }
                }
                (None, None) => none += 1,
                (ours, all) => panic!("{ours:?} {all:?} {constraints:?}"),
            }
        }
        assert!(some > 100 && none > 10, "{some} {none}");
    }
}
