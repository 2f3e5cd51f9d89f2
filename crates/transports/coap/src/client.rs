//! What both clients do to connect.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use coap_lite::MessageType;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::NAME;
use crate::declared::Options;
use crate::exchange::{Draws, Due, Exchange, MessageIds};
use crate::message;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError};

/// A socket that hears the endpoint alone, and the seed of this client: from the trial's and its role, so that the
/// clients of a trial draw independently of each other.
pub fn connect(setup: &ClientSetup, role: &str) -> Result<(UdpSocket, u64), ConnectError> {
    let any: SocketAddr = match setup.endpoint.ip() {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let open = || {
        let socket = UdpSocket::bind(any)?;
        socket.connect(setup.endpoint)?;
        // Reading follows poll, so it blocks only when the kernel discards what poll has seen (a wrong checksum).
        socket.set_read_timeout(Some(Duration::from_millis(1)))?;
        Ok((socket, xxh3_64_with_seed(role.as_bytes(), setup.seed)))
    };
    open().map_err(|source| ConnectError::Local { transport: NAME, source })
}

/// The error of an endpoint that did not answer.
pub fn silent(setup: &ClientSetup) -> ConnectError {
    ConnectError::Silent { transport: NAME, endpoint: setup.endpoint, limit: setup.limit }
}

/// The error of an endpoint where nothing listens, or not what was expected.
pub fn unreachable(setup: &ClientSetup, reason: String) -> ConnectError {
    ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason }
}

/// Pings (RFC 7252, section 4.3: an empty confirmable message is answered with a reset) until there is an answer.
pub fn ask_alive(
    socket: &UdpSocket,
    setup: &ClientSetup,
    options: &Options,
    seed: u64,
) -> Result<(), ConnectError> {
    let mut draws = Draws::new(seed);
    let until_ns = now_ns().saturating_add(i64::try_from(setup.limit.as_nanos()).unwrap_or(i64::MAX));
    let mut ids = MessageIds::new(&mut draws);
    let mut buffer = [0; 2_048];
    let refused = |error: io::Error| unreachable(setup, error.to_string());
    loop {
        let id = ids.take();
        let ping = message::empty(MessageType::Confirmable, id);
        socket.send(&ping).map_err(refused)?;
        let mut exchange = Exchange::confirmable(id, ping, now_ns(), &options.transmission, &mut draws);
        loop {
            match socket.recv(&mut buffer) {
                Ok(bytes) => {
                    let answer = message::parse(&buffer[..bytes]);
                    if answer.is_some_and(|a| {
                        a.header.message_id == id && a.header.get_type() == MessageType::Reset
                    }) {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(refused(error)),
                Err(_) => {}
            }
            if now_ns() >= until_ns {
                return Err(silent(setup));
            }
            match exchange.due(now_ns()) {
                Due::Wait => {}
                Due::Repeat(ping) => {
                    socket.send(ping).map_err(refused)?;
                }
                Due::GiveUp => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_draws_follows_from_the_trials_seed_and_its_role_alone() {
        let seed_of = |seed, role, topic: &str| {
            let endpoint = (Ipv4Addr::LOCALHOST, 9).into();
            let (options, limit) = (Default::default(), Duration::ZERO);
            let setup = ClientSetup {
                setting: None,
                endpoint,
                topic: topic.into(),
                limit,
                options,
                seed,
                login: None,
                tls: None,
                before: Default::default(),
            };
            connect(&setup, role).unwrap().1
        };
        let first = seed_of(1, "publisher", "wiredyno/1");
        assert_eq!(first, seed_of(1, "publisher", "wiredyno/2"), "neither port nor topic");
        assert_ne!(first, seed_of(2, "publisher", "wiredyno/1"));
        assert_ne!(first, seed_of(1, "subscriber", "wiredyno/1"));
    }
}
