//! Seeded draws for resampling: ChaCha8, so that a seed gives the same numbers on every machine and in every
//! version of this program.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A reproducible stream of random draws.
pub struct Draws(ChaCha8Rng);

impl Draws {
    /// The stream that a seed determines.
    pub fn seeded(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// An index below `count` (at least 1), every one equally likely. D. Lemire, "Fast Random Integer
    /// Generation in an Interval", ACM TOMACS 29 (2019): multiply, and reject the few low products that would
    /// favour some.
    pub fn index(&mut self, count: usize) -> usize {
        let count = count as u64;
        let threshold = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(count);
            if product as u64 >= threshold {
                return (product >> 64) as usize;
            }
        }
    }

    /// Puts the values in a random order, every one equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_cover_the_range_evenly_and_repeat_with_the_seed() {
        let draw = |seed| {
            let mut draws = Draws::seeded(seed);
            (0..6000).map(|_| draws.index(6)).collect::<Vec<_>>()
        };
        let first = draw(3);
        assert_eq!(first, draw(3));
        assert_ne!(first, draw(4));
        for face in 0..6 {
            let count = first.iter().filter(|&&drawn| drawn == face).count();
            assert!((850..1150).contains(&count), "{face} came {count} times");
        }
    }
}
