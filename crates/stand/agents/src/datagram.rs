//! Exchanges of four timestamps in datagrams, over the path that messages take.
//!
//! A datagram has 64 bytes, in network order: 4 of a mark, 1 of its kind, 3 of zeros, the sender's number (8), the exchange's number (8), two stamps
//! (8 each), 8 of zeros, and a MAC (16): HMAC-SHA-256 over all before (RFC 2104), truncated. Asking and answering take as many bytes, so that
//! nothing is amplified.
//!
//! Each member has a key of its own, HMAC of its number with the run's key, which the coordinator alone has. One that asks another member gets a key for
//! that: HMAC of its own number with the other's key. So no member can speak for another.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ring::hmac;
use wiredyno_clocks::Exchange;
use wiredyno_process::clock::monotonic_ns;

use crate::messages::LONGEST_PROBE;
use crate::wire::LOOK;

const MARK: [u8; 4] = *b"WDX1";
const BYTES: usize = 64;
const MAC_BYTES: usize = 16;
const SIGNED_BYTES: usize = BYTES - MAC_BYTES;

/// How long an answer is waited for after the last question of a probe.
const LAST_ANSWER: Duration = Duration::from_millis(400);

/// How often an agent announces its address, until it has been asked something, and from then on.
const HERE: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// The most exchanges of a probe.
pub(crate) const MOST_PROBES: u32 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From an agent to its coordinator: this is where it answers.
    Here,
    /// A question, at which the other side stamps.
    Ask,
    /// The answer, with the stamps.
    Told,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Datagram {
    pub(crate) kind: Kind,
    /// Of the member who sends it; 0 for the coordinator.
    pub(crate) member: u64,
    /// Of the exchange: a random number, so that an answer can't be made in advance. When an agent announces its address: an increasing one, so that it
    /// can't be replayed.
    pub(crate) number: u64,
    pub(crate) received_ns: i64,
    pub(crate) answered_ns: i64,
}

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;

/// A key of datagrams.
#[derive(Debug, Clone)]
pub(crate) struct Key(hmac::Key);

impl Key {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Key(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The bytes of the key for a member: of the run's key its own, of a member's the one of who asks it.
    pub(crate) fn bytes_for(&self, member: u64) -> [u8; KEY_BYTES] {
        let mut bytes = [0; KEY_BYTES];
        bytes.copy_from_slice(hmac::sign(&self.0, &member.to_be_bytes()).as_ref());
        bytes
    }

    /// The key for a member.
    pub(crate) fn of(&self, member: u64) -> Self {
        Key::new(&self.bytes_for(member))
    }

    pub(crate) fn write(&self, of: Datagram) -> [u8; BYTES] {
        let mut all = [0; BYTES];
        all[..4].copy_from_slice(&MARK);
        all[4] = match of.kind {
            Kind::Here => 0,
            Kind::Ask => 1,
            Kind::Told => 2,
        };
        all[8..16].copy_from_slice(&of.member.to_be_bytes());
        all[16..24].copy_from_slice(&of.number.to_be_bytes());
        all[24..32].copy_from_slice(&of.received_ns.to_be_bytes());
        all[32..40].copy_from_slice(&of.answered_ns.to_be_bytes());
        let mac = hmac::sign(&self.0, &all[..SIGNED_BYTES]);
        all[SIGNED_BYTES..].copy_from_slice(&mac.as_ref()[..MAC_BYTES]);
        all
    }

    /// `None` for what no member has sent.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<Datagram> {
        let all: &[u8; BYTES] = bytes.try_into().ok()?;
        let mac = hmac::sign(&self.0, &all[..SIGNED_BYTES]);
        if !equal(&mac.as_ref()[..MAC_BYTES], &all[SIGNED_BYTES..]) || all[..4] != MARK {
            return None;
        }
        let kind = match all[4] {
            0 => Kind::Here,
            1 => Kind::Ask,
            2 => Kind::Told,
            _ => return None,
        };
        let at = |place: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&all[place..place + 8]);
            eight
        };
        Some(Datagram {
            kind,
            member: u64::from_be_bytes(at(8)),
            number: u64::from_be_bytes(at(16)),
            received_ns: i64::from_be_bytes(at(24)),
            answered_ns: i64::from_be_bytes(at(32)),
        })
    }
}

/// The number of the member that claims to have sent a datagram.
pub(crate) fn claimed_member(bytes: &[u8]) -> Option<u64> {
    let number = bytes.get(8..16)?;
    number.try_into().ok().map(u64::from_be_bytes)
}

/// Whether two texts of the same length are equal, in a time that is independent of where they differ.
pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// A number that can't be guessed.
pub(crate) fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u64::from_ne_bytes(bytes))
}

/// A socket of the family of an address, on a port that the system chooses.
pub(crate) fn socket_for(peer: SocketAddr) -> io::Result<UdpSocket> {
    let any: IpAddr = match peer {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.set_read_timeout(Some(LOOK))?;
    Ok(socket)
}

/// Waits for a datagram of a member, no longer than the socket does, with the key of the one that claims to have sent it. Also returns when it arrived.
pub(crate) fn receive(
    socket: &UdpSocket,
    key_of: &dyn Fn(u64) -> Key,
) -> io::Result<Option<(Datagram, SocketAddr, i64)>> {
    // One byte more, so that a longer one is not taken for one of ours.
    let mut bytes = [0; BYTES + 1];
    match socket.recv_from(&mut bytes) {
        Ok((count, from)) => {
            let at_ns = monotonic_ns();
            let read = |member| key_of(member).read(&bytes[..count]);
            Ok(claimed_member(&bytes[..count]).and_then(read).map(|datagram| (datagram, from, at_ns)))
        }
        // A destination that refused an earlier datagram shows here, too.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut
                    | io::ErrorKind::Interrupted
                    | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// An agent's side: answers members until it is told to end, and announces its address.
pub(crate) fn answer(socket: &UdpSocket, key: &Key, member: u64, coordinator: SocketAddr, ends: &AtomicBool) {
    // From the coordinator, whose number is 0, with our own key; from another member with the key that it got for asking us.
    let key_of = |sender: u64| if sender == 0 { key.clone() } else { key.of(sender) };
    let (mut told_at, mut was_asked): (Option<Instant>, bool) = (None, false);
    while !ends.load(Ordering::Relaxed) {
        if told_at.is_none_or(|at| at.elapsed() >= HERE[usize::from(was_asked)]) {
            let number = monotonic_ns().unsigned_abs();
            let here = Datagram { kind: Kind::Here, member, number, received_ns: 0, answered_ns: 0 };
            // If the path is closed to datagrams, the other one remains.
            let _ = socket.send_to(&key.write(here), coordinator);
            told_at = Some(Instant::now());
        }
        match receive(socket, &key_of) {
            Ok(Some((asked, from, received_ns))) if asked.kind == Kind::Ask => {
                was_asked |= from == coordinator;
                let key = key_of(asked.member);
                let told =
                    Datagram { kind: Kind::Told, member, received_ns, answered_ns: monotonic_ns(), ..asked };
                let _ = socket.send_to(&key.write(told), from);
            }
            Ok(_) => {}
            // The interface may be down for a while.
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

/// Exchanges datagrams with another member, with the key for asking it; also returns how many questions were sent.
///
/// # Errors
/// When there is no socket, or the plan is too long.
pub(crate) fn probe(
    key: &Key,
    member: u64,
    peer: SocketAddr,
    (count, every): (u32, Duration),
) -> io::Result<(Vec<Exchange>, u32)> {
    if count > MOST_PROBES || every.saturating_mul(count) > LONGEST_PROBE - LAST_ANSWER {
        return Err(io::Error::other("more exchanges than an agent makes at once"));
    }
    let socket = socket_for(peer)?;
    let begun = Instant::now();
    let (mut asked, mut exchanges) = (HashMap::new(), Vec::new());
    let mut sent = 0;
    loop {
        let due = begun + every * sent;
        let until = if sent < count { due } else { begun + every * count + LAST_ANSWER };
        let left = until.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            if sent == count && asked.is_empty() {
                break;
            }
            socket.set_read_timeout(Some(left))?;
            let Some((told, from, t4_ns)) = receive(&socket, &|_| key.clone())? else { continue };
            if told.kind != Kind::Told || from != peer {
                continue;
            }
            if let Some(t1_ns) = asked.remove(&told.number) {
                exchanges.push(Exchange { t1_ns, t2_ns: told.received_ns, t3_ns: told.answered_ns, t4_ns });
            }
            continue;
        }
        if sent == count {
            break;
        }
        let number = random()?;
        let ask = Datagram { kind: Kind::Ask, member, number, received_ns: 0, answered_ns: 0 };
        let bytes = key.write(ask);
        asked.insert(number, monotonic_ns());
        sent += 1;
        // What can't be sent is lost.
        let _ = socket.send_to(&bytes, peer);
    }
    Ok((exchanges, sent))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const ASK: Datagram =
        Datagram { kind: Kind::Ask, member: 3, number: 9, received_ns: -5, answered_ns: i64::MAX };

    #[test]
    fn a_datagram_is_read_as_it_was_written_and_no_bit_of_it_may_change() {
        let key = Key::new(b"key");
        for kind in [Kind::Here, Kind::Ask, Kind::Told] {
            let of = Datagram { kind, ..ASK };
            assert_eq!(key.read(&key.write(of)), Some(of));
        }
        let bytes = key.write(ASK);
        for bit in 0..BYTES * 8 {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.read(&other), None, "bit {bit}");
        }
        assert_eq!(key.read(&bytes[..BYTES - 1]), None);
        assert_eq!(key.read(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(Key::new(b"other").read(&bytes), None);
    }

    /// HMAC-SHA-256 of RFC 4231, test case 2.
    #[test]
    fn the_mac_is_that_of_the_standard() {
        let mac = hmac::sign(&Key::new(b"Jefe").0, b"what do ya want for nothing?");
        assert_eq!(hex::encode(&mac.as_ref()[..MAC_BYTES]), "5bdcc146bf60754e6a042426089575c7");
    }

    #[test]
    fn who_has_the_key_is_answered_and_nobody_else() {
        // Member 4's.
        let (key, ends) = (Key::new(b"run").of(4), Arc::new(AtomicBool::new(false)));
        let coordinator = UdpSocket::bind("127.0.0.1:0").unwrap();
        let answering = socket_for(coordinator.local_addr().unwrap()).unwrap();
        let port = answering.local_addr().unwrap().port();
        let (its_key, its_ends, to) = (key.clone(), ends.clone(), coordinator.local_addr().unwrap());
        let thread = std::thread::spawn(move || answer(&answering, &its_key, 4, to, &its_ends));
        let (here, ..) = receive(&coordinator, &|_| key.clone()).unwrap().unwrap();
        let (later, ..) = receive(&coordinator, &|_| key.clone()).unwrap().unwrap();
        assert_eq!((here.kind, here.member), (Kind::Here, 4));
        assert!(here.number < later.number, "it grows");
        let peer: SocketAddr = ([127, 0, 0, 1], port).into();
        let asking = key.of(5);
        let exchanges = loop {
            let (exchanges, sent) = probe(&asking, 5, peer, (20, Duration::from_millis(1))).unwrap();
            assert_eq!(sent, 20);
            // On a busy machine none may be answered in time.
            if !exchanges.is_empty() {
                break exchanges;
            }
        };
        for one in &exchanges {
            assert!(one.t1_ns <= one.t2_ns && one.t2_ns <= one.t3_ns && one.t3_ns <= one.t4_ns, "{one:?}");
        }
        for (stranger, member) in
            [(Key::new(b"other"), 5), (asking.clone(), 6), (asking.clone(), 0), (Key::new(b"run").of(5), 5)]
        {
            let (none, _) = probe(&stranger, member, peer, (3, Duration::from_millis(1))).unwrap();
            assert!(none.is_empty(), "with a key that is not for member {member}");
        }
        assert!(probe(&asking, 5, peer, (2_000, Duration::ZERO)).is_err());
        assert!(probe(&asking, 5, peer, (2, Duration::from_secs(1))).is_err());
        ends.store(true, Ordering::Relaxed);
        thread.join().unwrap();
    }
}
