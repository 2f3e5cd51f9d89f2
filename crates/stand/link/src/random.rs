//! Seeded randomness: one ChaCha8 stream per purpose, so that drawing more for one effect never changes
//! another effect's draws. Floating point functions come from the platform; equal builds give equal draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use wiredyno_contract::Ratio;

/// The purpose of a stream; the number is the ChaCha stream id and thus part of a seed's meaning.
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
    Fault = 8,
    FlippedBit = 9,
    BurstUp = 10,
    BurstDown = 11,
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

    /// One of several sequences for the same purpose.
    pub(crate) fn numbered(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut draws = Self::new(seed, purpose);
        draws.0.set_stream(purpose as u64 | (index << 8));
        draws
    }

    /// Moves to the `index`-th block of 16 words, so that a draw can be addressed without the previous ones.
    pub(crate) fn seek(&mut self, index: u64) {
        self.0.set_word_pos(u128::from(index) * 16);
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// One draw, true with the probability of the share; draws that are true stay true when the share grows.
    pub(crate) fn strikes(&mut self, share: Ratio) -> bool {
        // This many of 2^64 possible draws are below; a share of 1 covers all.
        u128::from(self.u64()) < (share.get() * 2f64.powi(64)) as u128
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
