//! How busy the machine of a role is while messages move.

use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use wiredyno_seats::machine::{CpuTicks, boot_id};
use wiredyno_seats::noise;
use wiredyno_seats::seat::MachineUse;
use wiredyno_seats::seat::clock::Moment;

/// The longest wait for the first message: longer than any coordinator tells of it before.
const MOST_WAIT: Duration = Duration::from_secs(10);

/// A reading of the machine's counters.
type Reading = (Moment, CpuTicks);

fn reading() -> io::Result<Reading> {
    Ok((Moment::now(), CpuTicks::now()?))
}

/// The machine from a moment on, which may lie ahead.
pub(super) struct Load {
    begun: Option<Reading>,
    begins: Receiver<io::Result<Reading>>,
}

impl Load {
    /// Reads the counters at a moment, or now if it is over, on a thread that ends then.
    pub(super) fn begin(from: Moment) -> Self {
        let (sender, begins) = channel();
        std::thread::spawn(move || {
            std::thread::sleep(from.since(Moment::now()).min(MOST_WAIT));
            // Nobody may want it any more.
            let _ = sender.send(reading());
        });
        Load { begun: None, begins }
    }

    /// What all processes have used since then.
    ///
    /// # Errors
    /// When the counters can't be read.
    pub(super) fn so_far(&mut self) -> io::Result<MachineUse> {
        let (since, before) = match self.begun {
            Some(begun) => begun,
            None => self.begins.recv().map_err(io::Error::other)??,
        };
        self.begun = Some((since, before));
        let (now, ticks) = reading()?;
        Ok(MachineUse {
            boot_id: boot_id(),
            cpus: noise::cpus_online(),
            watched_ns: u64::try_from(now.since(since).as_nanos()).unwrap_or(u64::MAX),
            in_use_ns: ticks.in_use_since_ns(&before),
            steal: ticks.since(&before).steal,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_watched_from_the_moment_that_was_named_on() {
        let begun = Moment::now();
        let from = begun + Duration::from_millis(50);
        let mut load = Load::begin(from);
        std::thread::sleep(Duration::from_millis(120));
        let all = load.so_far().unwrap();
        let most_ns = Moment::now().since(from).as_nanos() as u64;
        assert!(all.watched_ns <= most_ns && all.cpus > 0 && !all.boot_id.is_empty(), "{all:?}");
        assert!(load.so_far().unwrap().watched_ns >= all.watched_ns, "more than once, from one moment");
        // Messages that are due at once.
        assert!(Load::begin(begun).so_far().is_ok());
    }
}
