//! Stamps that are exchanged with all members by datagrams, from which their clocks are known.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use wiredyno_clocks::Exchange;
use wiredyno_process::clock::monotonic_ns;

use super::membership::Seated;
use super::{MemberState, Shared};
use crate::clockwork::ClockPath;
use crate::datagram::{Datagram, Kind, random, receive};
use crate::wire::LOOK;

/// How often each member is asked for stamps by a datagram.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// How long an answer to a datagram counts, in nanoseconds.
const ANSWER_NS: i64 = 2_000_000_000;

/// Exchanges datagrams with all members until the end.
pub(super) fn ask_all(shared: &Shared) {
    let mut due = Instant::now();
    // Of each number that was asked: which member, and when.
    let mut asked: HashMap<u64, (u64, i64)> = HashMap::new();
    while !shared.ends() {
        match receive(&shared.socket, &|member| shared.key.of(member)) {
            Ok(Some((datagram, from, at_ns))) => take(shared, &mut asked, datagram, from, at_ns),
            Ok(None) => {}
            Err(_) => std::thread::sleep(LOOK),
        }
        if Instant::now() < due {
            continue;
        }
        due = Instant::now() + ASK_EVERY;
        let now_ns = monotonic_ns();
        asked.retain(|_, (_, at_ns)| now_ns - *at_ns < ANSWER_NS);
        let addresses: Vec<(u64, SocketAddr)> = {
            let membership = shared.locked();
            let of = |one: &Seated| {
                Some((one.number, one.answers_at.filter(|_| one.state == MemberState::Present)?))
            };
            membership.seated.iter().filter_map(of).collect()
        };
        for (member, to) in addresses {
            let Ok(number) = random() else { continue };
            let ask = Datagram { kind: Kind::Ask, member: 0, number, received_ns: 0, answered_ns: 0 };
            let bytes = shared.key.of(member).write(ask);
            asked.insert(number, (member, monotonic_ns()));
            // What can't be sent is lost.
            let _ = shared.socket.send_to(&bytes, to);
        }
    }
}

/// Takes what a member sent.
pub(super) fn take(
    shared: &Shared,
    asked: &mut HashMap<u64, (u64, i64)>,
    datagram: Datagram,
    from: SocketAddr,
    t4_ns: i64,
) {
    match datagram.kind {
        Kind::Here => {
            let mut membership = shared.locked();
            // A datagram that is replayed, or forwarded from elsewhere, moves no member.
            let own = |of: &&mut Seated| {
                let is_there =
                    of.address == Some(from.ip().to_canonical()) && of.state == MemberState::Present;
                is_there && datagram.number > of.said
            };
            if let Some(seated) = membership.numbered(datagram.member).filter(own) {
                (seated.answers_at, seated.said) = (Some(from), datagram.number);
            }
        }
        Kind::Told => {
            let Some((member, t1_ns)) = asked.remove(&datagram.number) else { return };
            if member != datagram.member {
                return;
            }
            let exchange =
                Exchange { t1_ns, t2_ns: datagram.received_ns, t3_ns: datagram.answered_ns, t4_ns };
            if let Some(seated) = shared.locked().numbered(member) {
                seated.clockwork.add(ClockPath::Datagrams, exchange);
            }
        }
        Kind::Ask => {}
    }
}
