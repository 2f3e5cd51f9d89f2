//! The seat of a lane's link: a process of this machine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use wiredyno_link::lane::{Lane, LaneError};
use wiredyno_process::socket::{Socket, sockets_of};
use wiredyno_process::usage::{Meter, Watched};

use super::clock::{Moment, SeatClock};
use super::process::watch;
use super::{Cpu, Seat, Watch, cpu};
use crate::interrupt::Over;

/// The seat of a link, see the module.
#[derive(Clone, Copy)]
pub struct LinkSeat<'a>(&'a Lane);

impl<'a> LinkSeat<'a> {
    /// The seat of this lane's link.
    pub fn of(lane: &'a Lane) -> Self {
        LinkSeat(lane)
    }

    /// Sets the moment at which traces and random delays begin.
    ///
    /// # Errors
    /// When the link's process is gone.
    pub fn anchor(self, at: Moment) -> Result<(), LaneError> {
        self.0.anchor(self.clock().stamp(at).ns().unsigned_abs())
    }

    /// A function that returns whether its process has ended; `None` if the system can't report that.
    pub fn over(self) -> Option<Over> {
        let process = self.0.process()?;
        Some(Arc::new(move || process.await_end(Duration::ZERO)))
    }
}

impl Seat for LinkSeat<'_> {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        watch(Watched::Processes(vec![self.0.process_id()]))
    }

    fn meter(&self) -> io::Result<Meter> {
        Ok(Meter::of(&Watched::Processes(vec![self.0.process_id()])))
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        sockets_of(self.0.process_id())
    }

    fn clock(&self) -> SeatClock {
        SeatClock::OURS
    }

    fn keep_off(&self, cpu: Cpu) -> bool {
        cpu::keep_off(&[self.0.process_id()], cpu)
    }

    fn release(&self) {
        cpu::release(&[self.0.process_id()]);
    }
}
