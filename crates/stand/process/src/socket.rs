//! The sockets of a process, from the kernel's tables: they show which flows on the link belong to a role, and whether
//! a broker listens. Works for any program in any language and any network namespace.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddrV4};

/// IP protocol number of TCP (IANA).
pub const TCP: u8 = 6;
/// IP protocol number of UDP (IANA).
pub const UDP: u8 = 17;

/// State LISTEN in `/proc/net/tcp` (include/net/tcp_states.h of Linux).
const LISTEN: u8 = 0x0a;

/// A socket that serves IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Socket {
    /// IP protocol number: [`TCP`] or [`UDP`].
    pub protocol: u8,
    /// Its local address; 0.0.0.0 if it is bound to all.
    pub local: SocketAddrV4,
    /// Whether it accepts connections (TCP state LISTEN).
    pub listening: bool,
    /// Datagrams that the kernel dropped before a UDP socket, usually because its buffer was full (the column
    /// `drops` of `/proc/net/udp`); 0 for TCP.
    pub dropped_datagrams: u64,
    inode: u64,
}

impl Socket {
    /// A socket of which no more is known: it has dropped nothing.
    pub fn at(protocol: u8, local: SocketAddrV4, listening: bool) -> Self {
        Socket { protocol, local, listening, dropped_datagrams: 0, inode: 0 }
    }

    /// Whether a packet with this protocol and this address on the socket's side belongs to the socket.
    pub fn owns(&self, protocol: u8, local: SocketAddrV4) -> bool {
        self.protocol == protocol
            && self.local.port() == local.port()
            && (self.local.ip().is_unspecified() || self.local.ip() == local.ip())
    }
}

/// The IPv4 sockets of a process, and its IPv6 sockets that also serve IPv4 (as Java's do).
///
/// # Errors
/// When the process has ended or belongs to another user.
pub fn sockets_of(pid: u32) -> io::Result<Vec<Socket>> {
    let mut inodes = HashSet::new();
    for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
        // A descriptor can be closed between listing and reading it.
        let Ok(target) = fs::read_link(entry?.path()) else {
            continue;
        };
        let target = target.to_string_lossy();
        let inode = target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']'));
        inodes.extend(inode.and_then(|inode| inode.parse::<u64>().ok()));
    }
    let mut sockets = Vec::new();
    for (protocol, table) in [(TCP, "tcp"), (UDP, "udp"), (TCP, "tcp6"), (UDP, "udp6")] {
        match fs::read_to_string(format!("/proc/{pid}/net/{table}")) {
            Ok(text) => sockets.extend(text.lines().skip(1).filter_map(|line| parse(protocol, line))),
            // A kernel without IPv6 has no such tables.
            Err(error) if table.ends_with('6') && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    sockets.retain(|socket| inodes.contains(&socket.inode));
    Ok(sockets)
}

/// Whether a process listens on a port: with a listening TCP socket, or with a UDP socket bound to it.
pub fn listens(pid: u32, port: u16) -> bool {
    let is_it = |socket: &Socket| (socket.listening || socket.protocol == UDP) && socket.local.port() == port;
    sockets_of(pid).is_ok_and(|sockets| sockets.iter().any(is_it))
}

/// A row of `/proc/net/tcp` or `udp`: number, local, remote, state, ...; the tenth word is the inode, the thirteenth
/// of `udp` the count of dropped datagrams.
fn parse(protocol: u8, line: &str) -> Option<Socket> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (address, port) = words.get(1)?.split_once(':')?;
    let address = ipv4(address)?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let state = u8::from_str_radix(words.get(3)?, 16).ok()?;
    Some(Socket {
        protocol,
        local: SocketAddrV4::new(address, port),
        listening: protocol == TCP && state == LISTEN,
        dropped_datagrams: match protocol {
            UDP => words.get(12).and_then(|drops| drops.parse().ok()).unwrap_or_default(),
            _ => 0,
        },
        inode: words.get(9)?.parse().ok()?,
    })
}

/// An address of these tables, in hexadecimal words in the byte order of the machine (the port in the usual notation). Of IPv6
/// only those that serve IPv4: the unspecified address, and IPv4-mapped ones (RFC 4291, section 2.5.5.2).
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let word = |at: usize| Some(u32::from_str_radix(text.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    if text.len() == 8 {
        return Some(Ipv4Addr::from(word(0)?));
    }
    let mut bytes = [0; 16];
    for (part, at) in bytes.chunks_exact_mut(4).zip([0, 8, 16, 24]) {
        part.copy_from_slice(&word(at)?);
    }
    let address = Ipv6Addr::from(bytes);
    if address.is_unspecified() { Some(Ipv4Addr::UNSPECIFIED) } else { address.to_ipv4_mapped() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, UdpSocket};

    #[test]
    fn the_sockets_of_this_process_are_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let datagrams = UdpSocket::bind("0.0.0.0:0").unwrap();
        let me = std::process::id();
        let port = listener.local_addr().unwrap().port();
        assert!(listens(me, port));
        let sockets = sockets_of(me).unwrap();
        let udp_port = datagrams.local_addr().unwrap().port();
        assert!(listens(me, udp_port));
        let on_link = SocketAddrV4::new(Ipv4Addr::new(10, 77, 0, 1), udp_port);
        assert!(sockets.iter().any(|socket| socket.owns(UDP, on_link)), "bound to all addresses");
        assert!(!sockets.iter().any(|socket| socket.owns(TCP, on_link)));
        drop(listener);
        assert!(!listens(me, port));
    }

    #[test]
    fn addresses_of_both_kinds_are_read() {
        let word = |bytes: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(bytes));
        let v4 = word([10, 77, 0, 2]);
        assert_eq!(ipv4(&v4), Some(Ipv4Addr::new(10, 77, 0, 2)));
        let mapped = [word([0; 4]), word([0; 4]), word([0, 0, 0xff, 0xff]), v4].concat();
        assert_eq!(ipv4(&mapped), Some(Ipv4Addr::new(10, 77, 0, 2)));
        assert_eq!(ipv4(&"0".repeat(32)), Some(Ipv4Addr::UNSPECIFIED));
        assert_eq!(ipv4(&[word([0x20, 1, 0xd, 0xb8]), "0".repeat(24)].concat()), None);
    }

    #[test]
    fn datagrams_that_a_full_buffer_drops_are_counted_by_socket() {
        let (full, read) = (UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        // More than any default buffer holds (net.core.rmem_default): 20,000 datagrams of a kilobyte, none of them read.
        let sent = 20_000;
        let mut buffer = [0; 2_000];
        for _ in 0..sent {
            sender.send_to(&[7; 1_000], full.local_addr().unwrap()).unwrap();
            sender.send_to(&[7; 1_000], read.local_addr().unwrap()).unwrap();
            read.recv(&mut buffer).unwrap();
        }
        full.set_nonblocking(true).unwrap();
        let kept = std::iter::from_fn(|| full.recv(&mut buffer).ok()).count() as u64;
        let sockets = sockets_of(std::process::id()).unwrap();
        let dropped = |socket: &UdpSocket| {
            let port = socket.local_addr().unwrap().port();
            sockets.iter().find(|s| s.protocol == UDP && s.local.port() == port).unwrap().dropped_datagrams
        };
        assert_eq!((kept + dropped(&full), dropped(&read)), (sent, 0));
        assert!(dropped(&full) > 0);
    }
}
