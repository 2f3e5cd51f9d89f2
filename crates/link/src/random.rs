//! Seeded randomness: one ChaCha8 stream per purpose, so that drawing more for one effect never changes what
//! another effect draws. Floating point functions come from the platform; draws are equal for equal builds.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a stream is for; the number is the ChaCha stream id and part of what a seed means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    LossUp = 1,
    LossDown = 2,
    JitterUp = 3,
    JitterDown = 4,
    RoundTrip = 5,
    TraceOffset = 6,
    Drive = 7,
}

/// A sequence of draws for one purpose.
#[derive(Debug, Clone)]
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(purpose as u64);
        Self(rng)
    }

    /// Goes to the `index`-th block of 16 words, so that a draw can be addressed without those before it.
    pub(crate) fn seek(&mut self, index: u64) {
        self.0.set_word_pos(u128::from(index) * 16);
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in 0..1, 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller, cosine branch; two draws each).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}
