//! Random draws with the same values on every machine and in every version.
//!
//! The bits are ChaCha8 (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008) from `rand_chacha`, keyed with the
//! seed's eight bytes in little-endian order followed by 24 zero bytes. Every distribution is defined here in integer
//! arithmetic or in single IEEE 754 operations (add, subtract, multiply, divide, round), which give the same bits
//! everywhere; nothing calls `ln`, `sin` or another function of the platform's mathematics library.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// 2^-53: turns 53 random bits into a number in `[0, 1)` without rounding.
const UNIT: f64 = 1.0 / 9_007_199_254_740_992.0;

/// Exact powers of ten, by exponent; all are representable in binary64 without error.
pub(super) const POWERS_OF_TEN: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A seeded source of random values.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    bits: ChaCha8Rng,
}

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self { bits: ChaCha8Rng::from_seed(key) }
    }

    /// The next 64 bits of the key stream.
    pub(super) fn bits(&mut self) -> u64 {
        self.bits.next_u64()
    }

    /// Uniform in `0..bound`, without bias (D. Lemire, "Fast random integer generation in an interval", 2019):
    /// the high half of `bits * bound`, rejecting the low halves that would be over-represented. `bound` 0 gives 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let rejected = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= rejected {
                return (product >> 64) as u64;
            }
        }
    }

    /// Uniform in `low..=high`, any 64-bit range, signed or not. A reversed range gives `low`.
    pub(super) fn integer(&mut self, low: i128, high: i128) -> i128 {
        let span = high - low;
        if span <= 0 {
            return low;
        }
        let offset = match u64::try_from(span + 1) {
            Ok(bound) => self.below(bound),
            Err(_) => self.bits(),
        };
        low + i128::from(offset)
    }

    /// Uniform in `low..=high` for lengths, counts and indices.
    pub(super) fn length(&mut self, low: u32, high: u32) -> usize {
        let offset = self.below(u64::from(high.saturating_sub(low)) + 1);
        low as usize + offset as usize
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * UNIT
    }

    /// Uniform in `[low, high]`; rounding can yield `high` itself.
    pub(super) fn float(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// True with the given probability. Certain outcomes (0 and 1) draw nothing.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        if probability >= 1.0 {
            return true;
        }
        probability > 0.0 && self.unit() < probability
    }

    /// An index into `weights`, with a probability of its share of the sum; `None` if the sum is 0.
    pub(super) fn weighted(&mut self, weights: &[u64]) -> Option<usize> {
        let total = weights.iter().sum();
        if total == 0 {
            return None;
        }
        let mut left = self.below(total);
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return Some(index);
            }
            left -= weight;
        }
        None
    }

    /// An integer within `low..=high` whose number of significant bits is itself uniform, so that small values and extremes
    /// are both common, which exercises variable-width encodings.
    pub(super) fn any_width(&mut self, low: i128, high: i128) -> i128 {
        let width = self.below(65);
        let magnitude = if width == 0 { 0 } else { i128::from(self.bits() >> (64 - width)) };
        let signed = if low < 0 && self.bits() & 1 == 1 { -magnitude - 1 } else { magnitude };
        signed.clamp(low, high)
    }

    /// `length` random bytes, uniform in 0 to 255.
    pub(super) fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend_from_slice(&self.bits().to_le_bytes());
        }
        bytes.truncate(length);
        bytes
    }
}

/// `value` rounded to `decimals` places (0..=15), half away from zero.
pub(super) fn rounded(value: f64, decimals: u32) -> f64 {
    let scale = POWERS_OF_TEN[decimals.min(15) as usize];
    let scaled = value * scale;
    // Above 2^53 a float has no decimals left to round.
    if scaled.abs() < 9_007_199_254_740_992.0 {
        // Small negative values round to negative zero; adding zero makes it positive.
        scaled.round() / scale + 0.0
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_is_fixed() {
        // The first block of ChaCha8 with an all-zero key and nonce: the key stream of the eSTREAM test vectors.
        assert_eq!(Draw::new(0).bits().to_le_bytes(), [0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]);
    }

    #[test]
    fn integers_cover_their_range_and_nothing_else() {
        let mut draw = Draw::new(7);
        let mut seen = [0u32; 7];
        for _ in 0..7_000 {
            seen[(draw.integer(-3, 3) + 3) as usize] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
        assert_eq!(draw.integer(5, 5), 5);
        for _ in 0..100 {
            let value = draw.integer(i128::from(i64::MIN), i128::from(u64::MAX) - (1 << 63));
            assert!(i64::try_from(value).is_ok());
        }
    }

    #[test]
    fn weights_of_zero_are_never_chosen() {
        let mut draw = Draw::new(3);
        assert_eq!(draw.weighted(&[0, 0]), None);
        for _ in 0..200 {
            assert_ne!(draw.weighted(&[3, 0, 1]), Some(1));
        }
    }

    #[test]
    fn rounding_keeps_what_has_no_places() {
        assert_eq!(rounded(-1.005, 2), -1.0);
        assert_eq!(rounded(1.25, 1), 1.3);
        assert_eq!(rounded(1e300, 3), 1e300);
        assert!(rounded(-0.001, 2).is_sign_positive());
    }
}
