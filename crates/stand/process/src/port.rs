//! Ports for servers that take a port number instead of an open socket.
//!
//! A port that was free a moment ago may be taken by the time such a server binds it: the kernel hands out the same ones to
//! clients. So these come from below the kernel's ephemeral range (`net.ipv4.ip_local_port_range`, ip(7)), and are held by
//! a name in the abstract namespace of Unix sockets (unix(7)), which belongs to the network namespace, as ports do, and is released
//! when its holder ends, however it ends.
//!
//! Limits: a program that does not hold its ports in this way may take one by listening on a fixed number; a port on which a
//! program already listens is never returned.

use std::io;
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Ports below this are registered for well-known servers (IANA's system ports and many of the user ports).
const LOWEST: u16 = 20_000;

/// Where the kernel's ephemeral range begins if /proc does not show it.
const KERNELS_OWN: u16 = 32_768;

/// A TCP and UDP port that no other holder gets until this is dropped.
#[derive(Debug)]
pub struct HeldPort {
    number: u16,
    _name: UnixDatagram,
}

impl HeldPort {
    /// A port on which no program listens, at an address of this machine.
    ///
    /// # Errors
    /// When all are taken, or the address is not this machine's.
    pub fn at(address: IpAddr) -> io::Result<Self> {
        let below = kernels_first().unwrap_or(KERNELS_OWN);
        let count = below.saturating_sub(LOWEST);
        // Programs that begin at different places seldom collide.
        let first = if count == 0 { 0 } else { std::process::id() * 64 % u32::from(count) };
        let mut refused = None;
        for step in 0..u32::from(count) {
            let offset = (first + step) % u32::from(count);
            let number = LOWEST + u16::try_from(offset).unwrap_or_default();
            match Self::take(address, number) {
                Ok(port) => return Ok(port),
                Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => return Err(error),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.unwrap_or_else(|| io::Error::other("no port is left below the kernel's ephemeral range")))
    }

    fn take(address: IpAddr, number: u16) -> io::Result<Self> {
        let name = SocketAddr::from_abstract_name(format!("wiredyno-port-{number}"))?;
        let name = UnixDatagram::bind_addr(&name)?;
        // No holder has the name, but a program may listen all the same.
        TcpListener::bind((address, number))?;
        UdpSocket::bind((address, number))?;
        Ok(HeldPort { number, _name: name })
    }

    /// The port number, from 20,000 to the start of the kernel's ephemeral range.
    pub fn number(&self) -> u16 {
        self.number
    }
}

/// The first port of the kernel's ephemeral range.
fn kernels_first() -> Option<u16> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    range.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;

    use super::*;

    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn a_held_port_is_given_to_nobody_else_until_it_is_dropped() {
        let held: Vec<HeldPort> = (0..50).map(|_| HeldPort::at(LOOPBACK).unwrap()).collect();
        let numbers: BTreeSet<u16> = held.iter().map(HeldPort::number).collect();
        assert_eq!(numbers.len(), held.len());
        let one = held[0].number();
        assert!(HeldPort::take(LOOPBACK, one).is_err());
        // Its holder's server may have it.
        TcpListener::bind((LOOPBACK, one)).unwrap();
        drop(held);
        // Another test may hold it for a moment.
        let again = std::iter::repeat_with(|| HeldPort::take(LOOPBACK, one)).find_map(Result::ok);
        assert_eq!(again.map(|port| port.number()), Some(one));
    }

    #[test]
    fn a_port_where_somebody_listens_is_not_given() {
        let (tcp, udp) = (HeldPort::at(LOOPBACK).unwrap().number(), HeldPort::at(LOOPBACK).unwrap());
        let _listens = TcpListener::bind((LOOPBACK, tcp));
        let receives = UdpSocket::bind((LOOPBACK, udp.number())).unwrap();
        assert!(HeldPort::take(LOOPBACK, tcp).is_err());
        let number = udp.number();
        drop(udp);
        assert!(HeldPort::take(LOOPBACK, number).is_err());
        drop(receives);
    }

    #[test]
    fn an_address_of_another_machine_is_refused_at_once() {
        let error = HeldPort::at(IpAddr::from([192, 0, 2, 1])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable, "{error}");
    }
}
