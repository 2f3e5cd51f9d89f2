//! What a lane of a run works with.

use wiredyno_link::lane::{Lane, LaneError};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_seats::lane_brokers::LaneBrokers;
use wiredyno_seats::runners::Runners;

use super::RunError;

/// A run ends after this many losses of a lane's process in a row, without a trial between them.
const LOST_IN_A_ROW: u32 = 3;

/// What a lane works with: its hosts, which are laid again if their process is gone, and the brokers that it keeps there.
pub(super) struct Ground<'a> {
    // Before the hosts, so that the brokers end while the hosts are still there.
    on_link: LaneBrokers,
    on_loopback: LaneBrokers,
    pub(super) lane: Option<Lane>,
    index: u32,
    runners: &'a Runners,
    sandbox: &'a Sandbox,
    /// Losses of its process since the last trial.
    pub(super) lost_in_a_row: u32,
}

impl<'a> Ground<'a> {
    pub(super) fn new(index: u32, runners: &'a Runners, sandbox: &'a Sandbox) -> Self {
        let [on_link, on_loopback] =
            [true, false].map(|on_link| LaneBrokers::new(on_link, runners.credentials().cloned()));
        Ground { on_link, on_loopback, lane: None, index, runners, sandbox, lost_in_a_row: 0 }
    }

    /// Its hosts, created by the first call.
    pub(super) fn lane(&mut self) -> Result<&Lane, LaneError> {
        match &mut self.lane {
            Some(lane) => Ok(lane),
            none => {
                let lane = Lane::spawn(self.runners.program(), self.index as usize, self.sandbox)?;
                Ok(none.insert(lane))
            }
        }
    }

    pub(super) fn brokers(&self, on_link: bool) -> &LaneBrokers {
        if on_link { &self.on_link } else { &self.on_loopback }
    }

    /// Removes everything from a lane that is gone; an error if that happens again and again.
    pub(super) fn lost(&mut self, reason: &str) -> Result<(), RunError> {
        self.on_link = LaneBrokers::new(true, self.runners.credentials().cloned());
        self.lane = None;
        self.lost_in_a_row += 1;
        if self.lost_in_a_row < LOST_IN_A_ROW {
            return Ok(());
        }
        Err(RunError::LaneLost { times: LOST_IN_A_ROW, reason: reason.to_owned() })
    }
}
