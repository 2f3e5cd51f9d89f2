//! Loss: whether a packet vanishes where it enters.

use crate::random::{Draws, Purpose};
use crate::spec::{Direction, LossSpec};

/// Independent loss of one direction.
#[derive(Debug, Clone)]
pub(super) struct Loss {
    draws: Draws,
    /// A draw below this, of 2^64 possible, is a loss; 2^64 loses all.
    threshold: u128,
}

impl Loss {
    pub(super) fn new(spec: LossSpec, seed: u64, direction: Direction) -> Self {
        let LossSpec::Independent { share } = spec;
        let purpose = match direction {
            Direction::Up => Purpose::LossUp,
            Direction::Down => Purpose::LossDown,
        };
        Self { draws: Draws::new(seed, purpose), threshold: (share.ratio() * 2f64.powi(64)) as u128 }
    }

    /// One draw a packet, whatever the share: the same packets go on being lost when the share grows.
    pub(super) fn strikes(&mut self) -> bool {
        u128::from(self.draws.u64()) < self.threshold
    }
}
