//! A tap: counts the packets that a machine sends to a server, or from it, over the network that is there, as a link of ours counts what enters it.
//!
//! Each machine counts what it sends: what the network loses afterwards is counted, as on an emulated link, and each packet once, on the device to which the kernel's routes lead: bridges, bonds and tunnels
//! show it on others too. Packets that a device divides are counted as they leave it. What arrives is only read, to know what is being answered. Packets between programs of one machine are not
//! counted. Bytes are IP length plus [`ETHERNET_HEADER_BYTES`](crate::spec::ETHERNET_HEADER_BYTES), whatever the device has in front.
//!
//! Requires the right to open packet sockets (CAP_NET_RAW, capabilities(7)). IPv4 only.

mod segments;
mod socket;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use nix::net::if_::if_nametoindex;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};
use wiredyno_contract::WireFormat;

use self::segments::{Offload, divide};
use self::socket::{Next, PacketSocket, Shown};
use crate::accounting::{Accounts, Amount, Phase, PhaseTallies};
use crate::clock;
use crate::host::Netlink;
use crate::packet::Ipv4;
use crate::spec::Direction;

/// How often a tap checks whether it should end, in milliseconds.
const LOOK_MS: u16 = 100;

/// The most connections and peers that are told apart.
const MOST_FLOWS: usize = 50_000;
const MOST_PEERS: usize = 10_000;

/// The name of the device for packets to the machine itself.
const LOOPBACK: &str = "lo";

/// The most packets that are taken before a mark: more are not sent at a quiet moment.
const MOST_TAKEN: usize = 1 << 16;

/// What a tap counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TapTerms {
    /// Where the server listens, as its clients reach it.
    pub server: SocketAddrV4,
    /// Whether this is the server's machine; else it is one of clients.
    pub serves: bool,
    /// The direction of packets to the server.
    pub towards: Direction,
    /// The format of its flows, if it is known: see [`Accounts::read_as`].
    pub format: Option<WireFormat>,
}

impl TapTerms {
    /// The direction of what this machine sends.
    pub fn sends(&self) -> Direction {
        if self.serves { self.towards.other() } else { self.towards }
    }

    /// The direction of a packet that this machine sends or receives; `None` if it is not of this server. Without `by_address` its port alone says so. A later fragment
    /// has no ports: its datagram says whether it is.
    fn direction_of(&self, ip: &Ipv4<'_>, is_sent: bool, by_address: bool) -> Option<Direction> {
        let direction = if is_sent { self.sends() } else { self.sends().other() };
        let Some((source, destination)) = ip.endpoints() else { return Some(direction) };
        let of_server = if self.serves == is_sent { source } else { destination };
        let is_its =
            of_server.port() == self.server.port() && (!by_address || of_server.ip() == self.server.ip());
        is_its.then_some(direction)
    }
}

/// What a tap has counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tapped {
    /// What this machine sent, by phase.
    pub sent: PhaseTallies,
    /// What arrived here, in all phases; packets that the device joined count as one.
    pub arrived: Amount,
    /// Why these counts are not complete, if they aren't.
    pub incomplete: Option<String>,
}

/// A tap in operation. It ends when dropped.
#[derive(Debug)]
pub struct Tap {
    counting: Arc<Mutex<Counting>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Tap {
    /// Begins to count, in phase `setup`.
    ///
    /// # Errors
    /// When this program may not open packet sockets; the text says what to grant.
    pub fn begin(terms: TapTerms) -> io::Result<Self> {
        let socket = PacketSocket::open(terms.server.port()).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => io::Error::new(
                io::ErrorKind::PermissionDenied,
                "this user may not open packet sockets there: start the program as root",
            ),
            _ => error,
        })?;
        let waits = socket.as_fd().try_clone_to_owned()?;
        let mut accounts = Accounts::without_passages();
        terms.format.into_iter().for_each(|format| accounts.read_as(format));
        let netlink = Netlink::open()?;
        // Others may reach a server at another address than its machine knows itself by.
        let device = netlink.device_to(*terms.server.ip()).ok();
        let is_own = device.is_some() && device == if_nametoindex(LOOPBACK).ok();
        let counting = Counting {
            by_address: !terms.serves || is_own,
            terms,
            socket,
            accounts,
            routes: Routes { netlink, known: HashMap::new() },
            odd: Odd::default(),
            broken: None,
        };
        let (counting, ends) = (Arc::new(Mutex::new(counting)), Arc::new(AtomicBool::new(false)));
        let (its, end) = (counting.clone(), ends.clone());
        let count = move || {
            while !end.load(Ordering::Relaxed) {
                let mut waiting = [PollFd::new(waits.as_fd(), PollFlags::POLLIN)];
                // An interrupted wait is only a shorter one.
                let _ = poll(&mut waiting, PollTimeout::from(LOOK_MS));
                locked(&its).take();
            }
        };
        let thread = std::thread::Builder::new().name("tap".to_owned()).spawn(count)?;
        Ok(Tap { counting, ends, thread: Some(thread) })
    }

    /// Packets that are sent from now on belong to this phase.
    pub fn mark(&self, phase: Phase) {
        let mut counting = locked(&self.counting);
        counting.take();
        counting.accounts.mark(phase);
    }

    /// What was counted so far.
    ///
    /// # Errors
    /// When the socket does not say how many packets it dropped.
    pub fn tapped(&self) -> io::Result<Tapped> {
        let mut counting = locked(&self.counting);
        counting.take();
        counting.tapped()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic has been printed.
            let _ = thread.join();
        }
    }
}

/// Where a tap of this process counts: the machine's boot and network namespace, the same for all that see the same packets.
///
/// # Errors
/// When the kernel does not tell.
pub fn place() -> io::Result<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let network = std::fs::read_link("/proc/self/ns/net")?;
    Ok(format!("{} {}", boot.trim(), network.display()))
}

fn locked(counting: &Mutex<Counting>) -> MutexGuard<'_, Counting> {
    counting.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Counting {
    terms: TapTerms,
    /// Whether the server is known by its address too; else by its port alone.
    by_address: bool,
    socket: PacketSocket,
    accounts: Accounts,
    routes: Routes,
    odd: Odd,
    /// Why the socket can no longer be read.
    broken: Option<String>,
}

/// Packets that could not be counted.
#[derive(Debug, Default)]
struct Odd {
    /// They found no room in the socket.
    dropped: u64,
    /// Of the server's, it is not known what left the device.
    unknown: u64,
    /// The server's, on devices to which no route leads.
    elsewhere: u64,
    /// They belong to more connections or peers than are told apart.
    beyond: u64,
}

impl Odd {
    /// Why counts are not complete; `counted` is whether there are any.
    fn told(&self, counted: bool) -> Option<String> {
        let why = match self {
            Odd { dropped: 1.., .. } => "packets found no room in the socket that counts them",
            Odd { unknown: 1.., .. } => "of some packets it is not known how the device divided them",
            Odd { beyond: 1.., .. } => "there were more connections than are told apart",
            Odd { elsewhere: 1.., .. } if !counted => {
                "its packets pass another device than that to which the kernel's route leads"
            }
            _ => return None,
        };
        Some(why.to_owned())
    }
}

impl Counting {
    /// Takes what has been shown so far.
    fn take(&mut self) {
        for _ in 0..MOST_TAKEN {
            let Counting { terms, by_address, socket, accounts, routes, odd, broken } = self;
            match socket.next() {
                Ok(Next::Shown(shown)) => count(shown, (terms, *by_address), accounts, routes, odd),
                Ok(Next::Unknown) => odd.unknown += 1,
                Ok(Next::Nothing) => return,
                Err(error) => {
                    *broken = Some(format!("the socket that counts them can't be read: {error}"));
                    return;
                }
            }
        }
    }

    fn tapped(&mut self) -> io::Result<Tapped> {
        self.odd.dropped += self.socket.dropped()?;
        let (mut sent, mut arrived) = (PhaseTallies::default(), Amount::default());
        for flow in self.accounts.flows() {
            sent += *flow.tallies.direction(self.terms.sends());
            arrived += flow.tallies.direction(self.terms.sends().other()).total().entered;
        }
        let told = self.odd.told(sent.total().entered.packets > 0);
        let incomplete = self.broken.clone().or(told);
        Ok(Tapped { sent, arrived, incomplete })
    }
}

/// Counts a packet, if it is the server's and this is its device.
fn count(
    shown: Shown<'_>,
    (terms, by_address): (&TapTerms, bool),
    accounts: &mut Accounts,
    routes: &mut Routes,
    odd: &mut Odd,
) {
    let Some(ip) = Ipv4::read(shown.packet) else {
        odd.unknown += u64::from(shown.is_sent);
        return;
    };
    let Some(direction) = terms.direction_of(&ip, shown.is_sent, by_address) else { return };
    // Those of an earlier trial may still be repeated or closed.
    if accounts.is_stale(direction, &ip) {
        return;
    }
    if accounts.flow_count() >= MOST_FLOWS || routes.known.len() >= MOST_PEERS {
        odd.beyond += 1;
        return;
    }
    let other = if shown.is_sent { ip.destination } else { ip.source };
    if routes.device_to(other) != Some(shown.device) {
        // Bridges and bonds show a packet again.
        odd.elsewhere += 1;
        return;
    }
    let at_ns = clock::monotonic_ns();
    let mut enter = |packet: &[u8]| {
        accounts.enter(at_ns, direction, packet, None);
    };
    let whole = match shown.offload {
        Offload::Divided(payload_bytes) if shown.is_sent => divide(shown.packet, payload_bytes, &mut enter),
        Offload::Unknown if shown.is_sent => false,
        // What arrives is only read.
        _ => {
            enter(shown.packet);
            true
        }
    };
    odd.unknown += u64::from(!whole);
}

/// To which device the kernel's routes lead.
#[derive(Debug)]
struct Routes {
    netlink: Netlink,
    known: HashMap<Ipv4Addr, Option<u32>>,
}

impl Routes {
    fn device_to(&mut self, other: Ipv4Addr) -> Option<u32> {
        let Routes { netlink, known } = self;
        *known.entry(other).or_insert_with(|| netlink.device_to(other).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(source: (u8, u16), destination: (u8, u16), fragment: u16) -> Vec<u8> {
        let mut packet = vec![0; 28];
        packet[0] = 0x45;
        packet[3] = 28;
        packet[6..8].copy_from_slice(&fragment.to_be_bytes());
        packet[9] = 17;
        packet[12..16].copy_from_slice(&[10, 0, 0, source.0]);
        packet[16..20].copy_from_slice(&[10, 0, 0, destination.0]);
        packet[20..22].copy_from_slice(&source.1.to_be_bytes());
        packet[22..24].copy_from_slice(&destination.1.to_be_bytes());
        packet
    }

    #[test]
    fn a_packet_is_the_servers_by_its_address_at_clients_and_by_its_port_at_the_server() {
        let server = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 9), 1_883);
        let client = TapTerms { server, serves: false, towards: Direction::Up, format: None };
        let at_server = TapTerms { serves: true, ..client };
        assert_eq!((client.sends(), at_server.sends()), (Direction::Up, Direction::Down));
        let of = |terms: TapTerms, packet: &[u8], is_sent| {
            terms.direction_of(&Ipv4::read(packet).unwrap(), is_sent, !terms.serves)
        };
        let (up, down) = (packet((1, 4_000), (9, 1_883), 0), packet((9, 1_883), (1, 4_000), 0));
        assert_eq!(of(client, &up, true), Some(Direction::Up));
        assert_eq!(of(client, &down, false), Some(Direction::Down));
        assert_eq!(of(at_server, &down, true), Some(Direction::Down));
        assert_eq!(of(at_server, &up, false), Some(Direction::Up));
        // Of another server with this port, at a client; of this one by another address, at the server.
        let other = packet((1, 4_000), (8, 1_883), 0);
        assert_eq!(of(client, &other, true), None);
        assert_eq!(of(at_server, &other, false), Some(Direction::Up));
        // From the port, but to another: a client that happens to have it.
        assert_eq!(of(client, &packet((1, 1_883), (9, 5_000), 0), true), None);
        assert_eq!(of(at_server, &packet((9, 4_000), (1, 1_883), 0), true), None);
        // A machine that has the address does not count for its others.
        assert_eq!(at_server.direction_of(&Ipv4::read(&other).unwrap(), false, true), None);
        let fragment = packet((1, 4_000), (8, 1), 0x10);
        assert_eq!(of(client, &fragment, true), Some(Direction::Up), "its datagram decides");
    }
}
