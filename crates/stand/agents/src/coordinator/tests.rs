//! Agents that lie: each speaks TLS and the protocol, but not the truth.

use std::collections::HashMap;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};
use wiredyno_credentials::Signed;

use super::stamps::take;
use super::*;
use crate::datagram::{Datagram, Kind};
use crate::messages::{Answer, Card, Opening, PROTOCOL};
use crate::wire::{Frames, Limited, WireError, shake};

const PATIENCE: Duration = Duration::from_secs(120);

type Wire = Frames<StreamOwned<ClientConnection, Limited>>;

fn coordinator() -> Coordinator {
    Coordinator::listen("127.0.0.1:0".parse().unwrap(), "1").unwrap()
}

/// An encrypted connection, with or without a certificate.
fn dial(to: &Coordinator, identity: Option<&Signed>) -> Wire {
    let config = trust::agent(to.fingerprint, identity).unwrap();
    let until = Instant::now() + PATIENCE;
    let stream = Limited::new(TcpStream::connect(to.address()).unwrap(), until).unwrap();
    let tls = ClientConnection::new(config, trust::coordinator_name().unwrap()).unwrap();
    let mut stream = StreamOwned::new(tls, stream);
    shake(&mut stream, until, &|| true).unwrap();
    Frames::new(stream)
}

fn heard<T: serde::de::DeserializeOwned>(wire: &mut Wire) -> Result<T, WireError> {
    wire.receive(Instant::now() + PATIENCE, &|| true).map(|(message, _)| message)
}

fn joined(to: &Coordinator, name: &str) -> Signed {
    let invitation = to.invite("127.0.0.1", PATIENCE).unwrap();
    let opening = Opening::Join {
        protocol: PROTOCOL,
        program: "1".into(),
        id: hex::encode(invitation.id),
        secret: hex::encode(invitation.secret),
        name: name.into(),
    };
    let mut wire = dial(to, None);
    wire.send(&opening).unwrap();
    match heard(&mut wire).unwrap() {
        Answer::Joined { certificate, key } => Signed { certificate, key },
        other => panic!("{other:?}"),
    }
}

fn member(clock: ClockIdentity) -> Opening {
    let environment = serde_json::from_value(serde_json::json!({
        "cpu": "a", "cpus": 2, "memory_bytes": 1, "kernel": "Linux", "os": "Debian", "governor": "unknown", "hypervisor": "none",
        "load_1min": 0.0, "timer_resolution_ns": 1, "sleep_lateness_p99_ns": 1, "rights": [], "compiler": "rustc", "commit": "unknown"
    }));
    let card = Card {
        labels: BTreeMap::new(),
        environment: environment.unwrap(),
        clock,
        sync: None,
        architecture: String::new(),
    };
    Opening::Member { protocol: PROTOCOL, program: "1".into(), card: Box::new(card) }
}

/// A member whose stamps are derived from the moment at which it was asked, as long as it is asked.
fn lies(to: &Coordinator, clock: ClockIdentity, stamps: impl Fn(i64) -> [i64; 2] + Send + 'static) {
    let identity = joined(to, "liar");
    let mut wire = dial(to, Some(&identity));
    wire.send(&member(clock)).unwrap();
    assert!(matches!(heard(&mut wire).unwrap(), Answer::Welcome { .. }));
    std::thread::spawn(move || {
        while let Ok(Request::Renew) = heard(&mut wire) {
            let [received_ns, answered_ns] = stamps(monotonic_ns());
            if wire.send(&Reply::Renewed { received_ns, answered_ns }).is_err() {
                return;
            }
        }
    });
}

fn elsewhere() -> ClockIdentity {
    ClockIdentity { boot_id: "elsewhere".into(), time_namespace: 1 }
}

/// The view of the only member's clock, once it is no longer unknown.
fn view(of: &Coordinator) -> ClockView {
    let begun = Instant::now();
    loop {
        match of.members().remove(0).clock {
            ClockView::Unknown => assert!(begun.elapsed() < PATIENCE),
            known => return known,
        }
        std::thread::sleep(LOOK / 10);
    }
}

fn doubt(of: &Coordinator) -> String {
    let begun = Instant::now();
    loop {
        match view(of) {
            ClockView::Doubted(why) => return why,
            other => assert!(begun.elapsed() < PATIENCE, "{other:?}"),
        }
        std::thread::sleep(LOOK / 10);
    }
}

#[test]
fn a_clock_that_is_apart_is_known_within_its_bound() {
    const AHEAD_NS: i64 = -77_000_000_000;
    let here = coordinator();
    lies(&here, elsewhere(), |now_ns| [now_ns + AHEAD_NS, now_ns + AHEAD_NS]);
    let ClockView::Known(known) = view(&here) else { panic!() };
    let [low, high] = known.estimate.ends_ns();
    assert!(low <= AHEAD_NS && AHEAD_NS <= high && !known.is_ours, "{known:?}");
}

#[test]
fn who_claims_our_clock_and_has_another_is_found_out() {
    let here = coordinator();
    lies(&here, own_identity(), |now_ns| [now_ns + 60_000_000_000; 2]);
    assert!(doubt(&here).contains("claims to share our clock"));
    assert!(matches!(here.probe("liar", "liar"), Err(ProbeError::Doubted { .. })));
}

#[test]
fn stamps_that_contradict_each_other_are_no_clock() {
    for stamps in [
        |now_ns: i64| [now_ns, now_ns - 1_000_000_000],
        |now_ns: i64| [now_ns - 60_000_000_000, now_ns],
        |_: i64| [i64::MIN, i64::MAX],
    ] {
        let here = coordinator();
        lies(&here, elsewhere(), stamps);
        let why = doubt(&here);
        assert!(why.contains("stamp"), "{why}");
    }
}

#[test]
fn an_answer_to_something_else_ends_the_connection() {
    let here = coordinator();
    let identity = joined(&here, "liar");
    let mut wire = dial(&here, Some(&identity));
    wire.send(&member(elsewhere())).unwrap();
    assert!(matches!(heard(&mut wire).unwrap(), Answer::Welcome { .. }));
    assert!(matches!(heard(&mut wire).unwrap(), Request::Renew));
    wire.send(&Reply::Failed { reason: "no".into() }).unwrap();
    assert!(heard::<Request>(&mut wire).is_err());
    let begun = Instant::now();
    while !matches!(&here.members()[0].state, MemberState::Cut(why) if why.contains("not a message of this protocol"))
    {
        assert!(begun.elapsed() < PATIENCE, "{:?}", here.members());
        std::thread::sleep(LOOK / 10);
    }
}

#[test]
fn without_a_certificate_of_this_run_nobody_is_a_member() {
    let here = coordinator();
    let mut wire = dial(&here, None);
    wire.send(&member(elsewhere())).unwrap();
    assert!(
        matches!(heard(&mut wire).unwrap(), Answer::Refused { reason } if reason.contains("shows the certificate"))
    );
    // Of another run's authority: refused by the handshake.
    let other = coordinator();
    let identity = joined(&other, "stray");
    let mut wire = dial(&here, Some(&identity));
    let sent = wire.send(&member(elsewhere()));
    assert!(sent.is_err() || heard::<Answer>(&mut wire).is_err());
    // Of this authority, which never was a member's.
    let unknown =
        here.shared.authority.as_ref().unwrap().client("unknown", wiredyno_credentials::LASTING).unwrap();
    let mut wire = dial(&here, Some(&unknown));
    wire.send(&member(elsewhere())).unwrap();
    assert!(
        matches!(heard(&mut wire).unwrap(), Answer::Refused { reason } if reason.contains("no agent has joined"))
    );
    assert!(here.members().is_empty());
}

#[test]
fn a_guess_at_an_invitation_learns_nothing_and_uses_nothing_up() {
    let here = coordinator();
    let invitation = here.invite("127.0.0.1", PATIENCE).unwrap();
    for (id, secret) in [(invitation.id, [0; 16]), ([0; 8], invitation.secret)] {
        let mut wire = dial(&here, None);
        let name = "guess".to_owned();
        let (id, secret) = (hex::encode(id), hex::encode(secret));
        wire.send(&Opening::Join { protocol: PROTOCOL, program: "1".into(), id, secret, name }).unwrap();
        let answer: Answer = heard(&mut wire).unwrap();
        assert!(
            matches!(&answer, Answer::Refused { reason } if reason.contains("no such invitation")),
            "{answer:?}"
        );
    }
    assert!(here.members().is_empty());
    here.shared.locked().admits(&invitation.id, &invitation.secret, "vehicle", Instant::now()).unwrap();
}

#[test]
fn the_second_connection_of_a_member_replaces_the_first() {
    let here = coordinator();
    let identity = joined(&here, "vehicle");
    let mut first = dial(&here, Some(&identity));
    first.send(&member(elsewhere())).unwrap();
    assert!(matches!(heard(&mut first).unwrap(), Answer::Welcome { .. }));
    let mut second = dial(&here, Some(&identity));
    second.send(&member(elsewhere())).unwrap();
    assert!(matches!(heard(&mut second).unwrap(), Answer::Welcome { member: 1, .. }));
    // The first gets at most the request that was on its way.
    let _ = heard::<Request>(&mut first);
    let _ = first.send(&Reply::Renewed { received_ns: 0, answered_ns: 0 });
    assert!(matches!(heard::<Request>(&mut second).unwrap(), Request::Renew));
    while heard::<Request>(&mut first).is_ok() {}
    assert_eq!(here.members().len(), 1);
}

#[test]
fn a_datagram_that_is_repeated_or_comes_from_elsewhere_moves_nobody() {
    let here = coordinator();
    lies(&here, elsewhere(), |now_ns| [now_ns; 2]);
    let says = |number: u64, from: &str| {
        let datagram = Datagram { kind: Kind::Here, member: 1, number, received_ns: 0, answered_ns: 0 };
        take(&here.shared, &mut HashMap::new(), datagram, from.parse().unwrap(), 0);
        here.shared.locked().seated[0].answers_at.map(|at| at.to_string()).unwrap_or_default()
    };
    assert_eq!(says(7, "127.0.0.1:1000"), "127.0.0.1:1000");
    assert_eq!(says(7, "127.0.0.1:2000"), "127.0.0.1:1000", "repeated");
    assert_eq!(says(6, "127.0.0.1:2000"), "127.0.0.1:1000", "of before");
    assert_eq!(says(9, "127.0.0.2:1000"), "127.0.0.1:1000", "from elsewhere");
    assert_eq!(says(8, "127.0.0.1:3000"), "127.0.0.1:3000", "it has another port now");
}

/// Byte by byte, each soon enough to keep a reader waiting.
#[test]
fn who_drips_is_shown_the_door_in_time() {
    use std::io::{Read, Write};
    let here = coordinator();
    let mut stream = TcpStream::connect(here.address()).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    // A handshake record of 16 kB that never ends.
    let _ = stream.write_all(&[22, 3, 1, 0x3f, 0xff, 1, 0, 0x3f, 0xfb]);
    let begun = Instant::now();
    loop {
        let gone = stream.write_all(&[0]).is_err();
        let closed = !matches!(stream.read(&mut [0; 64]), Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut));
        if gone || closed {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "it still listens");
    }
}
