//! A seat on another machine, for tests: its files have other names, its clock is ahead of ours.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wiredyno_contract::bulk::{self, SentRow};
use wiredyno_contract::{Operation, Success};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;

use super::clock::{Moment, SeatClock, Stamped};
use super::{Cpu, RunnerSeat, Seat, SeatFile, Watch};
use crate::runner_error::RunnerError;

/// The offset of its clock from ours.
pub(crate) const CLOCK: SeatClock = SeatClock::of(1, 3_600_000_000_000, 40);

/// A seat on another machine, see the module.
pub(crate) struct Elsewhere {
    /// The folder to which its files are fetched.
    pub(crate) folder: PathBuf,
    /// When its last message was sent or received.
    pub(crate) last: Moment,
    /// The rows that it writes as sent, with times of our clock.
    pub(crate) sent: Vec<SentRow>,
    /// The operations that it was sent.
    pub(crate) asked: Arc<Mutex<Vec<Operation>>>,
}

impl Elsewhere {
    fn local(&self, file: &str) -> PathBuf {
        self.folder.join(file.trim_start_matches("there:"))
    }
}

fn there(name: impl std::fmt::Display) -> SeatFile {
    SeatFile { name: format!("there:{name}") }
}

impl Seat for Elsewhere {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn meter(&self) -> io::Result<Meter> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn clock(&self) -> SeatClock {
        CLOCK
    }

    fn keep_off(&self, _: Cpu) -> bool {
        false
    }

    fn release(&self) {}
}

impl RunnerSeat for Elsewhere {
    fn role(&self) -> &'static str {
        "subscriber"
    }

    fn ask(&mut self, operation: Operation, _: Duration) -> Result<Success, RunnerError> {
        self.asked.lock().unwrap().push(operation.clone());
        Ok(match operation {
            Operation::AwaitSent { .. }
            | Operation::AwaitReceived { .. }
            | Operation::AwaitDelivered { .. } => Success::Progress {
                messages: 1,
                acked: 0,
                last_ns: Some(CLOCK.stamp(self.last).ns()),
                stand_cpu_ns: None,
                session_cpu_ns: 0,
            },
            Operation::WriteSent { records } => {
                let told = self.sent.iter().map(|row| row.told_by(CLOCK, SeatClock::OURS));
                let mut file = std::fs::File::create(self.local(&records)).unwrap();
                bulk::write_sent(&mut file, &told.collect::<Vec<_>>()).unwrap();
                Success::Written { records: self.sent.len() as u64 }
            }
            _ => Success::Done,
        })
    }

    fn ended(&mut self) -> Option<String> {
        None
    }

    fn stop(self: Box<Self>) {}

    fn peak_memory_bytes(&self) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn file(&self, name: &str) -> io::Result<SeatFile> {
        Ok(there(name))
    }

    fn fetch(&self, file: &SeatFile) -> io::Result<PathBuf> {
        Ok(self.local(&file.name))
    }

    fn hand(&self, ours: &Path) -> io::Result<SeatFile> {
        Ok(there(ours.display()))
    }

    fn share(&self, _: &Path) -> io::Result<SeatFile> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn deliver(&self, to: &Path) -> io::Result<SeatFile> {
        Ok(there(to.display()))
    }

    fn reach(&self, gate: &SeatFile) -> io::Result<SeatFile> {
        Ok(there(&gate.name))
    }

    fn spare_cpu(&self) -> Option<Cpu> {
        None
    }

    fn set_apart(&self, _: Cpu) -> bool {
        false
    }
}
