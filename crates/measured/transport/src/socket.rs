//! Shared by the socket transports: connecting with a time limit, buffers, interrupting a blocked call.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use nix::sys::socket::{Shutdown, setsockopt, shutdown, sockopt};

use crate::ConnectError;

/// Greeting of a publisher; the relay confirms a greeting by sending it back.
pub const PUBLISHER: u8 = b'P';
/// Greeting of a subscriber; confirmed likewise.
pub const SUBSCRIBER: u8 = b'S';

/// Connects with TCP_NODELAY within `limit`, which is then also the timeout of each read.
///
/// # Errors
/// When the endpoint refuses, or does not answer within the limit.
pub fn connect(
    transport: &'static str,
    endpoint: SocketAddr,
    limit: Duration,
) -> Result<TcpStream, ConnectError> {
    let laid = || {
        let stream = TcpStream::connect_timeout(&endpoint, limit)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(limit))?;
        Ok(stream)
    };
    laid().map_err(|error| failed(transport, endpoint, limit, &error))
}

/// The error for a connection that failed or took longer than the limit.
pub fn failed(
    transport: &'static str,
    endpoint: SocketAddr,
    limit: Duration,
    error: &io::Error,
) -> ConnectError {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            ConnectError::Silent { transport, endpoint, limit }
        }
        _ => ConnectError::Unreachable { transport, endpoint, reason: error.to_string() },
    }
}

/// Sends a greeting and waits until its first byte comes back.
///
/// # Errors
/// When the connection breaks, the read times out, or something else comes back.
pub fn say(greeting: &[u8], writer: &mut dyn Write, reader: &mut dyn Read) -> io::Result<()> {
    writer.write_all(greeting)?;
    writer.flush()?;
    let mut answer = [0];
    reader.read_exact(&mut answer)?;
    if greeting.first() == Some(&answer[0]) {
        return Ok(());
    }
    let answer = answer[0];
    Err(io::Error::other(format!(
        "it answered the greeting with {answer:#04x}, so it is not a Wiredyno relay"
    )))
}

/// Connects without TLS, sends a greeting and waits until its first byte comes back, each step within
/// `limit`.
///
/// # Errors
/// When the endpoint refuses, answers something else, or does not answer in time.
pub fn greet(
    transport: &'static str,
    endpoint: SocketAddr,
    greeting: &[u8],
    limit: Duration,
) -> Result<TcpStream, ConnectError> {
    let stream = connect(transport, endpoint, limit)?;
    say(greeting, &mut &stream, &mut &stream)
        .and_then(|()| stream.set_read_timeout(None))
        .map_err(|error| failed(transport, endpoint, limit, &error))?;
    Ok(stream)
}

/// The local address from which an endpoint is reached, determined without sending anything.
///
/// # Errors
/// When there is no route to it.
pub fn address_towards(endpoint: SocketAddr) -> io::Result<IpAddr> {
    let any: IpAddr = match endpoint.ip() {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(endpoint)?;
    Ok(socket.local_addr()?.ip())
}

/// Buffers of a datagram socket, in bytes: at 50,000 messages of 100 bytes a second, each of which takes
/// about 800 bytes of kernel memory, four megabytes outlast 100 ms without the receiver.
const DATAGRAM_BUFFER_BYTES: usize = 4 << 20;

/// Enlarges the buffers of a datagram socket, beyond the system's limit where that is allowed (root).
pub fn widen_buffers(socket: &impl AsFd) {
    let bytes = DATAGRAM_BUFFER_BYTES;
    // A smaller buffer than requested shows in the results as loss or lag; it is not an error here.
    if setsockopt(socket, sockopt::RcvBufForce, &bytes).is_err() {
        let _ = setsockopt(socket, sockopt::RcvBuf, &bytes);
    }
    if setsockopt(socket, sockopt::SndBufForce, &bytes).is_err() {
        let _ = setsockopt(socket, sockopt::SndBuf, &bytes);
    }
}

/// Interrupts every call that is blocked on the socket, including listeners and unconnected datagram sockets
/// (Linux, `inet_shutdown`: they wake up although ENOTCONN is returned).
pub fn wake(socket: &impl AsRawFd) {
    let _ = shutdown(socket.as_raw_fd(), Shutdown::Both);
}

/// An unspecified address with any free port, of the family that reaches `endpoint`.
pub fn any_port_towards(endpoint: SocketAddr) -> SocketAddr {
    match endpoint.ip() {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    }
}
