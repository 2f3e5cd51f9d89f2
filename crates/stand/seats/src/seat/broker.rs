//! Seats of brokers whose nodes are processes of this machine, with the folder into which they write.

use std::io;
use std::process::Command;
use std::time::Duration;

use wiredyno_brokers::{BrokerProcess, DataPlace, Place, Secured};
use wiredyno_contract::Endpoint;
use wiredyno_model::trial::BrokerUsed;
use wiredyno_process::scratch::Scratch;
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;

use super::clock::SeatClock;
use super::process::watch;
use super::{BrokerSeat, Cpu, Seat, Watch, cpu};
use crate::interrupt::Interrupt;
use crate::managed::Managed;
use crate::server_error::ServerError;

/// Where a broker is to get its seat.
pub struct Ground<'a> {
    /// The IPv4 address to listen on.
    pub address: &'a str,
    /// How its connections are secured, and which clients it lets in.
    pub secured: Secured<'a>,
    /// Returns another free port of the address at each call.
    pub free_port: &'a mut dyn FnMut() -> io::Result<u16>,
    /// Moves its processes to their host.
    pub enter: &'a dyn Fn(&mut Command),
    /// Set when the run is to end.
    pub interrupt: &'a Interrupt,
}

/// A broker on this machine, see the module.
struct BrokerHere {
    process: BrokerProcess,
    /// The nodes' folder, deleted after their end.
    folder: Scratch,
}

/// Starts a broker; returns when all of its nodes listen.
///
/// # Errors
/// When it has no folder, or does not start.
pub fn start(managed: &Managed, ground: Ground<'_>) -> Result<Box<dyn BrokerSeat>, ServerError> {
    let Ground { address, secured, free_port, enter, interrupt } = ground;
    let name = format!("{}-", managed.folder.broker.id);
    let folder = match managed.folder.broker.data {
        DataPlace::Disk => Scratch::new(&name),
        DataPlace::Memory => Scratch::in_memory(&name),
    };
    let folder = folder.map_err(ServerError::Place)?;
    let mut place = Place {
        folder: folder.path(),
        address,
        library: managed.library.as_deref(),
        secured,
        free_port,
        enter: &mut |command| enter(command),
        interrupted: &|| interrupt.is_set(),
    };
    let process = managed.folder.start(managed.nodes, &managed.version, &mut place)?;
    Ok(Box::new(BrokerHere { process, folder }))
}

impl BrokerHere {
    fn processes(&self) -> Vec<u32> {
        self.process.processes().into_iter().collect()
    }
}

impl Seat for BrokerHere {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        watch(self.process.watched())
    }

    fn meter(&self) -> io::Result<Meter> {
        Ok(Meter::of(&self.process.watched()))
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        Ok(self.process.sockets())
    }

    fn clock(&self) -> SeatClock {
        SeatClock::OURS
    }

    fn keep_off(&self, cpu: Cpu) -> bool {
        cpu::keep_off(&self.processes(), cpu)
    }

    fn release(&self) {
        cpu::release(&self.processes());
    }
}

impl BrokerSeat for BrokerHere {
    fn used(&self) -> &BrokerUsed {
        &self.process.used
    }

    fn endpoint(&self) -> &Endpoint {
        &self.process.endpoint
    }

    fn start(&self) -> Duration {
        self.process.start
    }

    fn ended(&mut self) -> Option<String> {
        self.process.ended()
    }

    fn serve_again(&self) {
        self.process.forget_peaks();
    }

    fn stored(&self, topic: &str) -> Option<u64> {
        self.process.stored(topic)
    }

    fn stop(self: Box<Self>) {
        let BrokerHere { process, folder } = *self;
        process.stop();
        drop(folder);
    }
}
