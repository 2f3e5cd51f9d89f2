//! Loss: whether a packet vanishes on entry.

use crate::random::{Draws, Purpose};
use crate::spec::{Direction, LossSpec};

/// Loss of one direction, and its current state.
#[derive(Debug, Clone)]
pub(super) struct Loss {
    spec: LossSpec,
    draws: Draws,
    moves: Draws,
    /// State of the Gilbert-Elliott chain for the next packet.
    bad: bool,
}

impl Loss {
    pub(super) fn new(spec: LossSpec, seed: u64, direction: Direction) -> Self {
        let (losses, states) = match direction {
            Direction::Up => (Purpose::LossUp, Purpose::BurstUp),
            Direction::Down => (Purpose::LossDown, Purpose::BurstDown),
        };
        let mut moves = Draws::new(seed, states);
        let bad = moves.unit() < spec.bad_share();
        Self { spec, draws: Draws::new(seed, losses), moves, bad }
    }

    /// One draw per packet, whatever the share: the same packets stay lost when the share grows. The states of
    /// a chain are drawn separately.
    pub(super) fn strikes(&mut self) -> bool {
        match self.spec {
            LossSpec::Independent { share } => self.draws.strikes(share),
            LossSpec::GilbertElliott { p, r, loss_good, loss_bad } => {
                let (loss, leave) = if self.bad { (loss_bad, r) } else { (loss_good, p) };
                self.bad ^= self.moves.strikes(leave);
                self.draws.strikes(loss)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::Ratio;

    const PACKETS: usize = 1_000_000;

    fn share(ratio: f64) -> Ratio {
        Ratio::new(ratio).unwrap()
    }

    fn losses(spec: LossSpec, seed: u64) -> Vec<bool> {
        let mut loss = Loss::new(spec, seed, Direction::Up);
        (0..PACKETS).map(|_| loss.strikes()).collect()
    }

    /// Lengths of the runs of losses.
    fn bursts(losses: &[bool]) -> Vec<usize> {
        losses.split(|lost| !lost).map(<[bool]>::len).filter(|length| *length > 0).collect()
    }

    #[test]
    fn a_gilbert_chain_loses_p_of_p_plus_r_in_bursts_of_one_over_r() {
        let spec = LossSpec::GilbertElliott {
            p: share(0.02),
            r: share(0.25),
            loss_good: share(0.0),
            loss_bad: share(1.0),
        };
        let lost = losses(spec, 3);
        let ratio = lost.iter().filter(|lost| **lost).count() as f64 / PACKETS as f64;
        let expected = 0.02 / 0.27;
        assert!((spec.stationary() - expected).abs() < 1e-12);
        // Correlated by 1 - p - r = 0.73 per step: the variance of the mean is that of independent draws times
        // (1 + 0.73) / (1 - 0.73) = 6.4; standard deviation 0.00066.
        assert!((ratio - expected).abs() < 4.0 * 0.00066, "{ratio}");
        // Geometric with mean 4 and standard deviation 3.46, about 18,500 of them: standard error 0.0255.
        let bursts = bursts(&lost);
        let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
        assert!((mean - 4.0).abs() < 4.0 * 0.0255, "{mean} of {}", bursts.len());
        // A quarter of geometric lengths are 1: standard error 0.0032.
        let single = bursts.iter().filter(|length| **length == 1).count() as f64 / bursts.len() as f64;
        assert!((single - 0.25).abs() < 4.0 * 0.0032, "{single}");
    }

    #[test]
    fn elliotts_states_lose_their_own_shares() {
        let spec = LossSpec::GilbertElliott {
            p: share(0.1),
            r: share(0.3),
            loss_good: share(0.01),
            loss_bad: share(0.5),
        };
        assert!((spec.stationary() - (0.75 * 0.01 + 0.25 * 0.5)).abs() < 1e-12);
        let ratio = losses(spec, 4).iter().filter(|lost| **lost).count() as f64 / PACKETS as f64;
        // Variance: 0.1325 * 0.8675 = 0.115 of a single draw, and of the states' covariance in all lags
        // 2 * 0.49^2 * 0.25 * 0.75 * 0.6 / 0.4 = 0.135; standard deviation of the mean 0.0005.
        assert!((ratio - 0.1325).abs() < 4.0 * 0.0005, "{ratio}");
    }

    #[test]
    fn a_chain_that_never_moves_stays_good_and_one_that_always_moves_alternates() {
        let still = LossSpec::GilbertElliott {
            p: share(0.0),
            r: share(0.0),
            loss_good: share(0.0),
            loss_bad: share(1.0),
        };
        assert!(losses(still, 1).iter().all(|lost| !lost));
        let restless = LossSpec::GilbertElliott {
            p: share(1.0),
            r: share(1.0),
            loss_good: share(0.0),
            loss_bad: share(1.0),
        };
        assert!(losses(restless, 1).windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn the_seed_decides_alone() {
        let spec = LossSpec::GilbertElliott {
            p: share(0.05),
            r: share(0.2),
            loss_good: share(0.0),
            loss_bad: share(1.0),
        };
        assert_eq!(losses(spec, 1), losses(spec, 1));
        assert_ne!(losses(spec, 1), losses(spec, 2));
    }
}
