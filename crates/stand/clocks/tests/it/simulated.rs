//! Two machines with a path between them, simulated: a clock with a drift, delays with jitter and loss. Everything follows from a seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_clocks::Exchange;

pub const SECOND: f64 = 1e9;

/// Seeded draws.
pub struct Draws(ChaCha8Rng);

impl Draws {
    pub fn new(seed: u64) -> Self {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    /// Uniform in its logarithm.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.share()).ln()
    }

    pub fn sign(&mut self) -> f64 {
        if self.share() < 0.5 { -1.0 } else { 1.0 }
    }
}

/// How the offset moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drift {
    Steady,
    /// The speed changes all the time, by nine tenths of what is assumed.
    Wandering,
    /// Steady, with steps of the offset and of the speed, a minute apart on average.
    Steps,
}

/// A piece of the offset: `offset + speed x + bend x² / 2` from its beginning on.
#[derive(Debug, Clone, Copy)]
struct Piece {
    begin_ns: f64,
    offset_ns: f64,
    speed: f64,
    bend_per_ns: f64,
}

/// The true offset of the other clock, by our clock.
pub struct Truth {
    pieces: Vec<Piece>,
}

impl Truth {
    pub fn new(drift: Drift, span_ns: f64, scale_ns: f64, draws: &mut Draws) -> Self {
        let speed = draws.between(-200e-6, 200e-6);
        let mut pieces = vec![Piece {
            begin_ns: 0.0,
            offset_ns: draws.between(-1.0, 1.0) * 3_600.0 * SECOND,
            speed,
            bend_per_ns: 0.0,
        }];
        if drift == Drift::Steady {
            return Truth { pieces };
        }
        let mut begin_ns = 0.0;
        while begin_ns < span_ns {
            let last = pieces[pieces.len() - 1];
            let length_ns = match drift {
                Drift::Wandering => draws.between(0.2, 8.0) * SECOND,
                _ => draws.exponential(60.0) * SECOND,
            };
            begin_ns += length_ns;
            let x = begin_ns - last.begin_ns;
            let mut next = Piece {
                begin_ns,
                offset_ns: last.offset_ns + last.speed * x + last.bend_per_ns * x * x / 2.0,
                speed: last.speed + last.bend_per_ns * x,
                bend_per_ns: 0.0,
            };
            match drift {
                Drift::Wandering => {
                    // Towards slow speeds if it has become fast.
                    let sign = if next.speed.abs() > 300e-6 { -next.speed.signum() } else { draws.sign() };
                    next.bend_per_ns = sign * draws.between(0.0, 0.9e-6) / SECOND;
                }
                // From a tenth of the path's delay, which it hides, to a thousand times as much.
                _ if draws.share() < 0.5 => {
                    next.offset_ns += draws.sign() * draws.decades(0.1, 1_000.0) * scale_ns
                }
                _ => next.speed = draws.between(-400e-6, 400e-6),
            }
            pieces.push(next);
        }
        Truth { pieces }
    }

    pub fn offset_ns(&self, at_ns: f64) -> f64 {
        let index = self.pieces.partition_point(|piece| piece.begin_ns <= at_ns).max(1) - 1;
        let piece = self.pieces[index];
        let x = at_ns - piece.begin_ns;
        piece.offset_ns + piece.speed * x + piece.bend_per_ns * x * x / 2.0
    }
}

/// A path: what it takes at least each way, what queues add, and its congested times.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub there_ns: f64,
    pub back_ns: f64,
    queue_ns: f64,
    congested_share: f64,
    lost_share: f64,
}

impl Path {
    pub fn new(draws: &mut Draws) -> Self {
        let there_ns = draws.decades(10e3, 50e6);
        // Up to a hundred times as long one way as the other.
        let back_ns = there_ns * draws.decades(0.1, 10.0);
        Path {
            there_ns,
            back_ns,
            queue_ns: (there_ns + back_ns) * draws.decades(0.01, 2.0),
            congested_share: draws.between(0.0, 0.4),
            lost_share: draws.between(0.0, 0.3),
        }
    }

    fn queue(&self, congested: bool, draws: &mut Draws) -> f64 {
        draws.exponential(if congested { self.queue_ns * 20.0 } else { self.queue_ns })
    }
}

/// A session of exchanges, of which `count` are answered; a set every so often, or one at a time.
pub fn exchanges(path: Path, truth: &Truth, span_ns: f64, count: usize, draws: &mut Draws) -> Vec<Exchange> {
    let at_once = if draws.share() < 0.5 { 8 } else { 1 };
    let every_ns = span_ns / (count / at_once + 1) as f64;
    let origin_ns = 1_000_000_000_000_i64;
    let (mut made, mut set, mut congested) = (Vec::new(), 0, false);
    while made.len() < count {
        if draws.share() < 0.2 {
            congested = draws.share() < path.congested_share;
        }
        let mut at_ns = (every_ns * set as f64).min(span_ns);
        for _ in 0..at_once {
            let arrives_ns = at_ns + path.there_ns + path.queue(congested, draws);
            let leaves_ns = arrives_ns + draws.exponential(50e3);
            let returns_ns = leaves_ns + path.back_ns + path.queue(congested, draws);
            if draws.share() >= path.lost_share && made.len() < count {
                let ours = |at_ns: f64| origin_ns + at_ns as i64;
                let theirs = |at_ns: f64| origin_ns + (at_ns + truth.offset_ns(at_ns)).floor() as i64;
                made.push(Exchange {
                    t1_ns: ours(at_ns),
                    t2_ns: theirs(arrives_ns),
                    t3_ns: theirs(leaves_ns),
                    t4_ns: ours(returns_ns),
                });
            }
            at_ns += 5e6;
        }
        set += 1;
    }
    made
}

/// Our clock at the moment that the exchanges call this.
pub fn since_origin(at_ns: i64) -> f64 {
    (at_ns - 1_000_000_000_000) as f64
}
