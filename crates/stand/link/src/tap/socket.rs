//! A packet socket (packet(7)) that sees the IPv4 packets of one port on all devices, each whole and with what its device does with it.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, LinkAddr, SockFlag, SockProtocol, SockType, recvfrom, setsockopt, socket, sockopt,
};

use super::segments::{OFFLOAD_BYTES, Offload};
use crate::packet::{TCP, UDP};

/// An Ethernet header, which devices of that kind show in front of a packet; tunnels show none.
const ETHERNET_BYTES: usize = 14;

/// The longest packet, with what stands in front of it.
const MOST_BYTES: usize = OFFLOAD_BYTES + ETHERNET_BYTES + 65_535;

/// Room for packets that wait for us: a burst at a gigabit per second for more than a tenth of a second.
const BUFFER_BYTES: usize = 16 << 20;

/// A packet as a device shows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    /// The index of the device.
    pub(super) device: u32,
    /// Whether this machine sends it.
    pub(super) is_sent: bool,
    pub(super) offload: Offload,
    pub(super) packet: &'a [u8],
}

/// What the socket has next.
#[derive(Debug)]
pub(super) enum Next<'a> {
    Nothing,
    Shown(Shown<'a>),
    /// A packet of which the kernel can't say what its device does with it.
    Unknown,
}

/// An open packet socket.
#[derive(Debug)]
pub(super) struct PacketSocket {
    descriptor: OwnedFd,
    buffer: Vec<u8>,
}

impl PacketSocket {
    /// Opens one for a port, of either side of TCP or UDP.
    pub(super) fn open(port: u16) -> io::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        // Only a socket for all protocols sees what this machine sends, and only a raw one what devices do with it.
        let descriptor = socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthAll)?;
        // Without the right to more, the kernel's limit holds, and what finds no room is counted.
        if setsockopt(&descriptor, sockopt::RcvBufForce, &BUFFER_BYTES).is_err() {
            setsockopt(&descriptor, sockopt::RcvBuf, &BUFFER_BYTES)?;
        }
        let filter = filter(port);
        let program =
            libc::sock_fprog { len: filter.len() as libc::c_ushort, filter: filter.as_ptr().cast_mut() };
        set(&descriptor, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)?;
        set(&descriptor, libc::SOL_PACKET, libc::PACKET_VNET_HDR, &libc::c_int::from(true))?;
        Ok(PacketSocket { descriptor, buffer: vec![0; MOST_BYTES] })
    }

    /// The next packet, if there is one.
    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        loop {
            let (length, from) = match recvfrom::<LinkAddr>(self.descriptor.as_raw_fd(), &mut self.buffer) {
                Ok(received) => received,
                Err(Errno::EAGAIN) => return Ok(Next::Nothing),
                // It is gone then, as one that was received.
                Err(Errno::EINVAL) => return Ok(Next::Unknown),
                // A device that goes down is told once.
                Err(Errno::EINTR | Errno::ENETDOWN) => continue,
                Err(error) => return Err(error.into()),
            };
            let Some((from, offload)) = from.zip(Offload::read(&self.buffer[..length])) else { continue };
            let link_bytes = if from.hatype() == libc::ARPHRD_ETHER { ETHERNET_BYTES } else { 0 };
            let begin = (OFFLOAD_BYTES + link_bytes).min(length);
            return Ok(Next::Shown(Shown {
                device: u32::try_from(from.ifindex()).unwrap_or_default(),
                is_sent: from.pkttype() == libc::PACKET_OUTGOING,
                offload,
                packet: whole(&self.buffer[begin..length]),
            }));
        }
    }

    /// How many packets found no room since this was last asked.
    pub(super) fn dropped(&self) -> io::Result<u64> {
        let mut statistics = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
        let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: PACKET_STATISTICS writes one tpacket_stats, which with its length outlives the call.
        let result = unsafe {
            libc::getsockopt(
                self.descriptor.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut statistics).cast(),
                &raw mut length,
            )
        };
        if result == 0 { Ok(u64::from(statistics.tp_drops)) } else { Err(io::Error::last_os_error()) }
    }
}

/// A packet without what a device has filled its frame with.
fn whole(packet: &[u8]) -> &[u8] {
    let length = packet.get(2..4).map_or(0, |two| usize::from(u16::from_be_bytes([two[0], two[1]])));
    packet.get(..length).unwrap_or(packet)
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Sets a socket option to a value that the kernel reads.
fn set<T>(descriptor: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the kernel reads this many bytes of the value, which outlives the call, as does what a filter's pointer names.
    let result = unsafe {
        libc::setsockopt(
            descriptor.as_raw_fd(),
            level,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Classic BPF (kernel documentation: networking/filter): on no loopback device, IPv4, and TCP or UDP from or to a port, or a later fragment, which has no ports. Offsets are from the IP header,
/// whatever the device has in front.
fn filter(port: u16) -> [libc::sock_filter; 17] {
    const LOAD_BYTE: u16 = 0x30;
    const LOAD_HALF: u16 = 0x28;
    const LOAD_HALF_AT: u16 = 0x48;
    const LOAD_HEADER_BYTES: u16 = 0xb1;
    const AND: u16 = 0x54;
    const IF_EQUAL: u16 = 0x15;
    const IF_SET: u16 = 0x45;
    const RETURN: u16 = 0x06;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let port = u32::from(port);
    // The type of the device, an extension of the kernel's.
    const DEVICE_TYPE: u32 = (libc::SKF_AD_OFF + libc::SKF_AD_HATYPE) as u32;
    // From where the IP header begins, likewise.
    const IP: u32 = libc::SKF_NET_OFF as u32;
    // A jump skips this many steps; the last two refuse, and take all of it.
    [
        step(LOAD_HALF, 0, 0, DEVICE_TYPE),
        step(IF_EQUAL, 13, 0, u32::from(libc::ARPHRD_LOOPBACK)),
        step(LOAD_BYTE, 0, 0, IP),
        step(AND, 0, 0, 0xf0),
        step(IF_EQUAL, 0, 10, 0x40),
        step(LOAD_BYTE, 0, 0, IP + 9),
        step(IF_EQUAL, 1, 0, u32::from(TCP)),
        step(IF_EQUAL, 0, 7, u32::from(UDP)),
        step(LOAD_HALF, 0, 0, IP + 6),
        step(IF_SET, 6, 0, 0x1fff),
        step(LOAD_HEADER_BYTES, 0, 0, IP),
        step(LOAD_HALF_AT, 0, 0, IP),
        step(IF_EQUAL, 3, 0, port),
        step(LOAD_HALF_AT, 0, 0, IP + 2),
        step(IF_EQUAL, 1, 0, port),
        step(RETURN, 0, 0, 0),
        step(RETURN, 0, 0, MOST_BYTES as u32),
    ]
}
