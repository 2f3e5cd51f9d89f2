//! The sockets of a process, from the kernel's tables: which flows on the link are a role's own, and whether
//! a broker listens. Works for any program in any language and any network namespace.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

/// IP protocol number of TCP (IANA).
pub const TCP: u8 = 6;
/// IP protocol number of UDP (IANA).
pub const UDP: u8 = 17;

/// State LISTEN in `/proc/net/tcp` (include/net/tcp_states.h of Linux).
const LISTEN: u8 = 0x0a;

/// An IPv4 socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Socket {
    /// [`TCP`] or [`UDP`].
    pub protocol: u8,
    /// Its own address; 0.0.0.0 where it is bound to all.
    pub local: SocketAddrV4,
    /// Whether it waits for connections.
    pub listening: bool,
    /// Datagrams that the kernel threw away in front of a UDP socket, as a rule because its buffer was full (the column
    /// `drops` of `/proc/net/udp`); 0 for TCP.
    pub dropped_datagrams: u64,
    inode: u64,
}

impl Socket {
    /// Whether a packet with this protocol and this address on the socket's side is the socket's.
    pub fn owns(&self, protocol: u8, local: SocketAddrV4) -> bool {
        self.protocol == protocol
            && self.local.port() == local.port()
            && (self.local.ip().is_unspecified() || self.local.ip() == local.ip())
    }
}

/// The IPv4 sockets of a process.
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
    for (protocol, table) in [(TCP, "tcp"), (UDP, "udp")] {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{table}"))?;
        sockets.extend(text.lines().skip(1).filter_map(|line| parse(protocol, line)));
    }
    sockets.retain(|socket| inodes.contains(&socket.inode));
    Ok(sockets)
}

/// Whether a process listens on a TCP port.
pub fn listens(pid: u32, port: u16) -> bool {
    sockets_of(pid).is_ok_and(|sockets| sockets.iter().any(|s| s.listening && s.local.port() == port))
}

/// A row of `/proc/net/tcp` or `udp`: number, local, remote, state, ..., the tenth word being the inode; the thirteenth
/// of `udp` counts datagrams dropped.
fn parse(protocol: u8, line: &str) -> Option<Socket> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (address, port) = words.get(1)?.split_once(':')?;
    // The address stands in the byte order of the machine, the port in the usual one.
    let address = Ipv4Addr::from(u32::from_str_radix(address, 16).ok()?.to_ne_bytes());
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
        let on_link = SocketAddrV4::new(Ipv4Addr::new(10, 77, 0, 1), udp_port);
        assert!(sockets.iter().any(|socket| socket.owns(UDP, on_link)), "bound to all addresses");
        assert!(!sockets.iter().any(|socket| socket.owns(TCP, on_link)));
        drop(listener);
        assert!(!listens(me, port));
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
