//! Examines the link's floor before and after a trial: ICMP echoes (RFC 792) from `edge` to `cloud`, answered by the other
//! host's kernel, so no server and no port is needed.
//!
//! Probes are counted in a phase of their own, belong to no flow, and faults never strike them. Meanwhile traces and drawn
//! delays are held at their first values, so the model gives a single round trip to compare with. A raw socket needs a right
//! on the host, which every user has who can create hosts, also in a user namespace.
//!
//! Limits: time is measured in user space and includes the waking of a thread.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, connect, recv, send, socket,
};
use wiredyno_model::trial::LinkProbe;

use crate::accounting::Phase;
use crate::clock;
use crate::host::{Host, HostHandle, address};
use crate::lane::{Lane, LaneError};
use crate::model::{RoundTripBounds, Seeds};
use crate::packet::{ECHO, ECHO_REPLY};
use crate::spec::LinkSpec;

/// Echoes of a round, in flight together.
const ECHOES: u16 = 5;
/// Most rounds; another one is only sent if no echo has come back.
const ROUNDS: u16 = 4;
/// Time between two echoes beyond their transmission time, so that none waits for another on the line.
const APART: Duration = Duration::from_millis(4);
/// How long to wait for missing echoes beyond the model's round trip once others have come back.
const LINGER: Duration = Duration::from_millis(10);
/// The same if none has come back: a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long conditions are held; longer than any probe takes.
const HOLD_NS: u64 = 3_600_000_000_000;

/// ICMP header and data, in bytes, as `ping` sends.
const ICMP_BYTES: usize = 64;
/// IPv4 header without options, bytes.
const IP_HEADER_BYTES: usize = 20;

/// Why a link could not be probed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The lane failed or is gone.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// An echo could not be sent or received.
    #[error("an ICMP echo over the link: {0}; `wiredyno link check` says what is allowed here")]
    Echo(#[from] io::Error),
}

/// Probes the link laid on a lane, which must match `spec`, while nothing else uses it: before a trial, and after it when its
/// accounts are closed. Leaves it in phase `setup`, anchored now. Takes about a round trip and 16 ms.
///
/// # Errors
/// When the lane is gone or the host allows no raw socket. Missing echoes are not an error.
pub fn probe(lane: &Lane, spec: &LinkSpec, seeds: Seeds) -> Result<LinkProbe, ProbeError> {
    let bounds = RoundTripBounds::of(spec, seeds, (ICMP_BYTES + IP_HEADER_BYTES) as u32);
    lane.anchor(clock::monotonic_ns() + HOLD_NS)?;
    lane.mark(Phase::Probe)?;
    let edge = lane.host(Host::Edge);
    // A thread of its own, because it moves to the host permanently.
    let echoes = std::thread::scope(|scope| {
        let asking = scope.spawn(|| Echoes::carry_out(&edge, address(Host::Cloud), &bounds));
        asking.join().unwrap_or_else(|_| Err(io::Error::other("the probing thread panicked")))
    });
    let Echoes { sent, round_trips_ns, .. } = echoes?;
    lane.mark(Phase::Setup)?;
    lane.anchor(clock::monotonic_ns())?;
    Ok(LinkProbe {
        sent: u32::from(sent),
        answered: u32::try_from(round_trips_ns.len()).unwrap_or(u32::MAX),
        least_ns: round_trips_ns.iter().min().copied(),
        model_least_ns: bounds.least_ns,
        model_most_ns: bounds.most_ns,
        lossy: spec.up.loss.stationary() > 0.0 || spec.down.loss.stationary() > 0.0,
    })
}

struct Echoes {
    socket: OwnedFd,
    /// Number of echoes sent; the sequence number of the next.
    sent: u16,
    sent_at: Vec<Instant>,
    round_trips_ns: Vec<u64>,
}

impl Echoes {
    fn carry_out(from: &HostHandle, to: Ipv4Addr, bounds: &RoundTripBounds) -> io::Result<Self> {
        from.enter_thread()?;
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket = socket(AddressFamily::Inet, SockType::Raw, flags, SockProtocol::Icmp)?;
        let [a, b, c, d] = to.octets();
        connect(socket.as_raw_fd(), &SockaddrIn::new(a, b, c, d, 0))?;
        let mut echoes = Self { socket, sent: 0, sent_at: Vec::new(), round_trips_ns: Vec::new() };
        let (serial, most) = (Duration::from_nanos(bounds.serial_ns), Duration::from_nanos(bounds.most_ns));
        for _ in 0..ROUNDS {
            for _ in 0..ECHOES {
                echoes.send()?;
                echoes.receive_until(Instant::now() + serial + APART)?;
            }
            let last = Instant::now();
            echoes.receive_until(last + most + LINGER)?;
            if echoes.round_trips_ns.is_empty() {
                echoes.receive_until(last + most + PATIENCE)?;
            }
            if !echoes.round_trips_ns.is_empty() {
                break;
            }
        }
        Ok(echoes)
    }

    fn send(&mut self) -> io::Result<()> {
        let packet = echo(self.sent);
        self.sent_at.push(Instant::now());
        self.sent += 1;
        send(self.socket.as_raw_fd(), &packet, MsgFlags::empty())?;
        Ok(())
    }

    /// Receives answers until a deadline, or until none is missing.
    fn receive_until(&mut self, until: Instant) -> io::Result<()> {
        let mut packet = [0; 256];
        while self.round_trips_ns.len() < self.sent_at.len() || !self.sent.is_multiple_of(ECHOES) {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX);
            let ready = {
                let mut sockets = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
                poll(&mut sockets, timeout)
            };
            match ready {
                Ok(0) | Err(nix::errno::Errno::EINTR) => {}
                Ok(_) => {
                    let length = recv(self.socket.as_raw_fd(), &mut packet, MsgFlags::empty());
                    let now = Instant::now();
                    let sequence = length.ok().and_then(|length| answered(&packet[..length]));
                    if let Some(sent_at) =
                        sequence.and_then(|sequence| self.sent_at.get(usize::from(sequence)))
                    {
                        self.round_trips_ns.push(now.duration_since(*sent_at).as_nanos() as u64);
                    }
                }
                Err(error) => return Err(error.into()),
            }
            if Instant::now() >= until {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// An echo request; the identifier is arbitrary, as nothing else pings on this host.
fn echo(sequence: u16) -> [u8; ICMP_BYTES] {
    let mut packet = [0; ICMP_BYTES];
    packet[0] = ECHO;
    packet[6..8].copy_from_slice(&sequence.to_be_bytes());
    let checksum = checksum(&packet);
    packet[2..4].copy_from_slice(&checksum.to_be_bytes());
    packet
}

/// The sequence number of an echo reply, after the IP header.
fn answered(packet: &[u8]) -> Option<u16> {
    let header = usize::from(packet.first()? & 0x0f) * 4;
    let icmp = packet.get(header..header + 8)?;
    (icmp[0] == ECHO_REPLY).then(|| u16::from_be_bytes([icmp[6], icmp[7]]))
}

/// The Internet checksum (RFC 1071) of an even number of bytes.
fn checksum(bytes: &[u8]) -> u16 {
    let sum: u32 = bytes.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded + (folded >> 16)) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_sums_to_zero_and_its_answer_is_recognised() {
        let request = echo(258);
        assert_eq!(checksum(&request), 0);
        assert_eq!(&request[..8], &[8, 0, 0xf6, 0xfd, 0, 0, 1, 2]);
        let mut answer = vec![0x45; 1];
        answer.resize(IP_HEADER_BYTES, 0);
        answer.extend(request);
        assert_eq!(answered(&answer), None);
        answer[IP_HEADER_BYTES] = ECHO_REPLY;
        assert_eq!(answered(&answer), Some(258));
        assert_eq!(answered(&answer[..22]), None);
    }
}
