//! The brokers of a lane that serve more than one trial: started once on its host, passed from trial to trial, ended with
//! the lane.
//!
//! A broker that was in use when something broke is not returned: the next trial gets a fresh one.

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wiredyno_contract::{ModeId, Security};
use wiredyno_credentials::Credentials;
use wiredyno_model::{Cell, Host, Lifetime};
use wiredyno_process::port::HeldPort;

use crate::interrupt::Interrupt;
use crate::managed::Managed;
use crate::seat::BrokerSeat;
use crate::seat::away::Away;
use crate::seat::broker::{self, Ground};
use crate::server_error::ServerError;

/// The first port on a lane's hosts for servers whose protocol has none of its own, or whose port is taken.
const FIRST_PORT: u16 = 18_840;

/// The port of a relay whose protocol has no port of its own.
const RELAYS_PORT: u16 = 18_830;

/// The registered port of a protocol, at which Wireshark expects it, for unencrypted or encrypted connections.
fn registered_port(protocol: &str, security: Security) -> Option<u16> {
    let addresses = wiredyno_transport_registry::of_protocol(protocol)?.addresses;
    let clear = if security.is_none() { addresses.clear.port } else { None };
    clear.or_else(|| addresses.tls?.port)
}

/// The most lanes in which each keeps brokers: all of them start before the first trial, and idle ones take some CPU.
const MOST_LANES: u32 = 8;

/// How many lanes may keep brokers whatever the number of trials, and for how many trials each additional lane starts its brokers.
const FEW_LANES: u32 = 4;
const TRIALS_OF_A_LANE: usize = 50;

/// The share of the free memory that brokers may take.
const MEMORY: f64 = 0.7;

/// The share of all CPUs that idle brokers may take if the number of lanes is left to us.
const IDLE: f64 = 0.25;

/// How many lanes there may be if the idle brokers of each take this much CPU (1 is a whole one).
pub fn quiet_lanes(of_a_lane_cpu: f64, cpus: u32) -> u32 {
    if of_a_lane_cpu <= 0.0 {
        return MOST_LANES;
    }
    ((f64::from(cpus) * IDLE / of_a_lane_cpu) as u32).max(1)
}

/// For how many lanes' brokers there is memory, and enough trials to justify starting them.
pub fn most_lanes(lanes: u32, trials: usize, of_a_lane_bytes: u64, available_bytes: u64) -> u32 {
    let room = available_bytes as f64 * MEMORY / of_a_lane_bytes.max(1) as f64;
    let worth = u32::try_from(trials / TRIALS_OF_A_LANE).unwrap_or(u32::MAX).clamp(FEW_LANES, MOST_LANES);
    lanes.min(worth).min(room as u32).max(1)
}

/// A trial's request for a broker.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The broker that is to serve it.
    pub managed: &'a Managed,
    /// The cell of the trial, for brokers that serve one cell only.
    pub cell: &'a Cell,
    /// The IPv4 address to listen on.
    pub address: &'a str,
}

/// The host of a broker.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// Moves processes of this machine there.
    pub enter: &'a dyn Fn(&mut Command),
    /// The machines of the run, and the host, where that is another one.
    pub away: Option<(&'a dyn Away, Host)>,
}

/// A broker that is running.
pub struct KeptBroker {
    /// The seat that holds its processes.
    pub seat: Box<dyn BrokerSeat>,
    managed: Managed,
    /// The cell that it belongs to, if it serves only one.
    cell: Option<Cell>,
    served_trials: u32,
    warm: BTreeSet<ModeId>,
    /// Its protocol's own port, if that was free; released with it.
    _port: Option<LanePort>,
    /// Its ports on loopback, which all programs share; released with it.
    _of_loopback: Vec<HeldPort>,
}

/// A port that no other holder on a lane's hosts gets until this is dropped.
struct LanePort {
    port: u16,
    held: Arc<Mutex<BTreeSet<u16>>>,
}

impl LanePort {
    /// Takes a port, unless it is held.
    fn of(port: u16, held: &Arc<Mutex<BTreeSet<u16>>>) -> Option<LanePort> {
        locked(held).insert(port).then(|| LanePort { port, held: held.clone() })
    }
}

impl Drop for LanePort {
    fn drop(&mut self) {
        locked(&self.held).remove(&self.port);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl KeptBroker {
    fn of(
        seat: Box<dyn BrokerSeat>,
        managed: &Managed,
        cell: Option<&Cell>,
        (port, of_loopback): (Option<LanePort>, Vec<HeldPort>),
    ) -> Self {
        let (managed, cell) = (managed.clone(), cell.cloned());
        let (served_trials, warm) = (0, BTreeSet::new());
        KeptBroker { seat, managed, cell, served_trials, warm, _port: port, _of_loopback: of_loopback }
    }

    /// How many trials it served before, and counts one more.
    pub fn serve(&mut self) -> u32 {
        self.served_trials += 1;
        self.served_trials - 1
    }

    /// How many messages it has to carry in a mode before it reaches its full speed: returned once for each mode.
    pub fn messages_to_warm(&mut self, mode: &ModeId) -> u32 {
        let wanted = self.managed.folder.broker.warm_up_messages;
        if wanted > 0 && self.warm.insert(mode.clone()) { wanted } else { 0 }
    }

    /// Ends it, as its definition says.
    pub fn stop(self) {
        let KeptBroker { seat, _port, _of_loopback, .. } = self;
        seat.stop();
        drop((_port, _of_loopback));
    }
}

/// The brokers that a lane keeps, and the ports that it has assigned. A lane without a link keeps brokers on loopback.
pub struct LaneBrokers {
    on_link: bool,
    credentials: Option<Arc<Credentials>>,
    kept: Mutex<Vec<KeptBroker>>,
    next_port: Mutex<u16>,
    /// Ports of protocols that brokers hold now.
    held_ports: Arc<Mutex<BTreeSet<u16>>>,
}

impl LaneBrokers {
    /// Keeps none yet. On a link the host is the lane's own, and so are all of its ports. Secured brokers authenticate with
    /// these credentials.
    pub fn new(on_link: bool, credentials: Option<Arc<Credentials>>) -> Self {
        let next_port = Mutex::new(FIRST_PORT);
        LaneBrokers { on_link, credentials, kept: Mutex::default(), next_port, held_ports: Arc::default() }
    }

    /// The next port of a lane's own host.
    ///
    /// # Errors
    /// When all are taken.
    fn next_port(&self) -> io::Result<u16> {
        let mut next = locked(&self.next_port);
        *next = next.checked_add(1).ok_or_else(|| io::Error::other("all ports are taken"))?;
        Ok(*next - 1)
    }

    /// The port on a lane's host, for one trial, of a protocol's server that is none of these brokers: the registered one, unless a
    /// broker has it.
    pub fn port_beside(&self, protocol: &str, security: Security) -> u16 {
        let own = registered_port(protocol, security).filter(|port| !locked(&self.held_ports).contains(port));
        own.unwrap_or(RELAYS_PORT)
    }

    /// A living broker that is kept for this request, or a fresh one.
    ///
    /// # Errors
    /// When it does not start.
    pub fn take(
        &self,
        asked: Asked<'_>,
        site: Site<'_>,
        interrupt: &Interrupt,
    ) -> Result<KeptBroker, ServerError> {
        let Asked { managed, cell, address } = asked;
        let cell = (managed.lifetime() == Lifetime::Cell).then_some(cell);
        if let Some(mut broker) = self.found(managed, cell, address)
            && broker.seat.ended().is_none()
        {
            broker.seat.serve_again();
            return Ok(broker);
        }
        self.started(managed, cell, address, site, interrupt)
    }

    /// A kept broker for this request.
    fn found(&self, managed: &Managed, cell: Option<&Cell>, address: &str) -> Option<KeptBroker> {
        let is_it = |kept: &KeptBroker| {
            kept.managed == *managed && kept.cell.as_ref() == cell && kept.seat.endpoint().host == address
        };
        let mut kept = locked(&self.kept);
        kept.iter().position(is_it).map(|place| kept.swap_remove(place))
    }

    fn started(
        &self,
        managed: &Managed,
        cell: Option<&Cell>,
        address: &str,
        site: Site<'_>,
        interrupt: &Interrupt,
    ) -> Result<KeptBroker, ServerError> {
        if let Some((away, host)) = site.away {
            let secured = managed.secured(self.credentials.as_deref());
            let seat = away.broker(host, managed, (address, secured), interrupt)?;
            return Ok(KeptBroker::of(seat, managed, cell, (None, Vec::new())));
        }
        // Clients connect to the first of its ports.
        let protocol = managed.folder.broker.protocols.first();
        let own = protocol.and_then(|protocol| registered_port(protocol, managed.security));
        let held = own.filter(|_| self.on_link).and_then(|port| LanePort::of(port, &self.held_ports));
        let mut first = held.as_ref().map(|held| held.port);
        let mut of_loopback = Vec::new();
        let mut port = || match first.take() {
            Some(own) => Ok(own),
            None if self.on_link => self.next_port(),
            None => {
                let address: IpAddr = address.parse().map_err(io::Error::other)?;
                let held = HeldPort::at(address)?;
                let number = held.number();
                of_loopback.push(held);
                Ok(number)
            }
        };
        let ground = Ground {
            address,
            secured: managed.secured(self.credentials.as_deref()),
            free_port: &mut port,
            enter: site.enter,
            interrupt,
        };
        let seat = broker::start(managed, ground)?;
        Ok(KeptBroker::of(seat, managed, cell, (held, of_loopback)))
    }

    /// Starts brokers before the first trial requests them, at an address of their host. If one does not
    /// start, the trial that needs it tries again and reports why.
    pub fn start<'a>(
        &self,
        wanted: impl IntoIterator<Item = &'a Managed>,
        (address, site): (IpAddr, Site<'_>),
        interrupt: &Interrupt,
    ) {
        let address = address.to_string();
        for managed in wanted {
            if let Ok(broker) = self.started(managed, None, &address, site, interrupt) {
                self.give_back(broker);
            }
        }
    }

    /// Keeps a broker for the next trial that it may serve, or ends it if there is none.
    pub fn give_back(&self, broker: KeptBroker) {
        match broker.managed.lifetime() {
            Lifetime::Trial => broker.stop(),
            Lifetime::Cell | Lifetime::Run => {
                locked(&self.kept).push(broker);
            }
        }
    }
}

impl Drop for LaneBrokers {
    fn drop(&mut self) {
        let kept = std::mem::take(&mut *locked(&self.kept));
        kept.into_iter().for_each(KeptBroker::stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_their_protocols_own_ports_as_long_as_these_are_free() {
        let lane = LaneBrokers::new(true, None);
        let (none, tls) = (Security::None, Security::Tls);
        assert_eq!(
            ["coap", "mqtt5", "kafka", "tcp"].map(|of| lane.port_beside(of, none)),
            [5683, 1883, 9092, RELAYS_PORT]
        );
        assert_eq!(
            ["amqp-1-0", "mqtt5", "tcp"].map(|of| lane.port_beside(of, tls)),
            [5671, 8883, RELAYS_PORT]
        );
        let held = LanePort::of(1883, &lane.held_ports).unwrap();
        assert!(LanePort::of(1883, &lane.held_ports).is_none());
        assert_eq!(lane.port_beside("mqtt", none), RELAYS_PORT);
        assert_eq!([(); 2].map(|()| lane.next_port().unwrap()), [FIRST_PORT, FIRST_PORT + 1]);
        drop(held);
        assert_eq!(lane.port_beside("mqtt", none), 1883);
    }

    #[test]
    fn brokers_of_all_lanes_have_room() {
        let of = |lanes, trials| most_lanes(lanes, trials, 1_000_000_000, 20_000_000_000);
        assert_eq!([of(10, 100), of(10, 300), of(10, 5_000), of(3, 5_000)], [4, 6, 8, 3]);
        assert_eq!(most_lanes(10, 5_000, 1_000_000_000, 3_000_000_000), 2);
        assert_eq!(most_lanes(10, 5_000, 4_000_000_000, 3_000_000_000), 1);
        assert_eq!(most_lanes(2, 100, 0, 0), 1);
    }

    #[test]
    fn brokers_that_idle_leave_most_of_the_machine_to_the_measured_ones() {
        let of = |idle, cpus| quiet_lanes(idle, cpus);
        assert_eq!([of(0.0, 2), of(0.1, 2), of(0.3, 2), of(0.3, 16)], [MOST_LANES, 5, 1, 13]);
    }
}
