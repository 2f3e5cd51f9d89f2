//! Connecting, as both clients do it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use coap_lite::MessageType;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::NAME;
use crate::declared::Options;
use crate::dtls::{Client, Shaking, Veil};
use crate::endpoint::Channel;
use crate::exchange::{Draws, Due, Exchange, MessageIds};
use crate::message;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

/// A way to the endpoint alone, after its handshake if encrypted, and the seed of this client: derived from the trial's and the role, so that the
/// clients of a trial draw independently.
pub fn connect(setup: &ClientSetup, role: &str) -> Result<(Channel, u64), ConnectError> {
    let any: SocketAddr = match setup.endpoint.ip() {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let open = || {
        let socket = UdpSocket::bind(any)?;
        socket.connect(setup.endpoint)?;
        // A read follows poll, so it blocks only if the kernel discards what poll reported (a wrong checksum).
        socket.set_read_timeout(Some(Duration::from_millis(1)))?;
        Ok(socket)
    };
    let socket = open().map_err(|source| ConnectError::Local { transport: NAME, source })?;
    let veil = setup.tls.as_ref().map(|tls| shaken(&socket, setup, tls)).transpose()?;
    let seed = xxh3_64_with_seed(role.as_bytes(), setup.seed);
    Ok((Channel { socket, peer: Some(setup.endpoint), veil }, seed))
}

/// Performs the handshake, within the limit.
fn shaken(socket: &UdpSocket, setup: &ClientSetup, tls: &Tls) -> Result<Veil, ConnectError> {
    let (transport, endpoint) = (NAME, setup.endpoint);
    let no_tls = |fault| ConnectError::Tls { transport, endpoint, fault };
    let refused = |error: io::Error| unreachable(setup, error.to_string());
    let until_ns = now_ns().saturating_add(i64::try_from(setup.limit.as_nanos()).unwrap_or(i64::MAX));
    let mut buffer = vec![0; 65_536];
    let mut came = None;
    let mut client = Client::new(tls).map_err(no_tls)?;
    loop {
        let datagram = came.map(|bytes| &buffer[..bytes]);
        let stepped = client.step(datagram, &mut |record: &[u8]| socket.send(record).map(drop));
        client = match stepped.map_err(|error| error.map_or_else(refused, no_tls))? {
            Shaking::Done(veil) => return Ok(veil),
            Shaking::On(client) => client,
        };
        came = match socket.recv(&mut buffer) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(refused(error)),
            Err(_) => None,
        };
        if now_ns() >= until_ns {
            return Err(client.unfinished().map_or_else(|| silent(setup), no_tls));
        }
    }
}

/// The error for an endpoint that did not answer.
pub fn silent(setup: &ClientSetup) -> ConnectError {
    ConnectError::Silent { transport: NAME, endpoint: setup.endpoint, limit: setup.limit }
}

/// The error for an endpoint where nothing listens, or not the expected protocol.
pub fn unreachable(setup: &ClientSetup, reason: String) -> ConnectError {
    ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason }
}

/// Pings (RFC 7252, section 4.3: an empty confirmable message is answered with a reset) until there is an answer.
pub fn ask_alive(
    way: &mut Channel,
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
        way.send(&ping).map_err(refused)?;
        let mut exchange = Exchange::confirmable(id, ping, now_ns(), &options.transmission, &mut draws);
        loop {
            let is_answer = |came: &Vec<u8>| {
                message::parse(came).is_some_and(|answer| {
                    answer.header.message_id == id && answer.header.get_type() == MessageType::Reset
                })
            };
            match way.recv(&mut buffer) {
                Ok(messages) if messages.iter().any(is_answer) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Err(refused(error)),
                Err(_) => {}
            }
            if now_ns() >= until_ns {
                return Err(silent(setup));
            }
            match exchange.due(now_ns()) {
                Due::Wait => {}
                Due::Repeat(ping) => {
                    way.send(ping).map_err(refused)?;
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
                subscribers: 1,
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
