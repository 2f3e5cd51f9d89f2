//! One connection of an agent.

use std::net::{IpAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustls::{ServerConnection, StreamOwned};
use serde_json::Value;
use wiredyno_clocks::Exchange;
use wiredyno_credentials::LASTING;
use wiredyno_process::clock::monotonic_ns;

use super::{Job, MemberState, Shared};
use crate::clockwork::ClockPath;
use crate::messages::{Answer, Card, LEASE, Opening, PROTOCOL, Reply, Request, plain};
use crate::role::line::Connection;
use crate::trust;
use crate::wire::{Frames, LOOK, Limited, WireError, shake};

/// How long a stranger may take to say what it wants.
const OPENING: Duration = Duration::from_secs(5);

/// How often a lease is renewed; the first renewals follow each other sooner, so that a clock is soon known.
const RENEW: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(300)];
const SOON: u32 = 10;

/// How long an agent may take to hang up at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a connection to its end.
pub(super) fn serve(shared: &Shared, stream: TcpStream, from: IpAddr) {
    // A stranger that disconnects is of no concern.
    let admitted = opened(shared, stream, from).ok().flatten();
    shared.locked().met(from);
    if let Some(mut member) = admitted {
        let state = member.keep(shared);
        shared.change(|of| of.leave(member.seat, state));
    }
    shared.locked().connections -= 1;
}

struct Kept {
    connection: Connection,
    /// The member's number and its session's.
    seat: (u64, u64),
    jobs: Receiver<Job>,
}

/// Handshake and opening; `None` for a connection that has served its purpose.
fn opened(shared: &Shared, stream: TcpStream, from: IpAddr) -> Result<Option<Kept>, WireError> {
    let until = Instant::now() + OPENING;
    let stream = Limited::new(stream, until).map_err(WireError::Broken)?;
    let tls = ServerConnection::new(shared.tls.clone()).map_err(|error| broken(&error))?;
    let mut stream = StreamOwned::new(tls, stream);
    shake(&mut stream, until, &|| !shared.ends())?;
    let shown = stream.conn.peer_certificates().and_then(|chain| chain.first().map(|one| trust::digest(one)));
    let mut connection = Frames::new(stream);
    // Another version may say more, or less: that the version differs is reported first.
    let (said, _) = connection.receive::<Value>(until, &|| !shared.ends())?;
    let (protocol, program) = (said["protocol"].as_u64(), said["program"].as_str().unwrap_or("unknown"));
    if protocol != Some(u64::from(PROTOCOL)) || program != shared.program {
        let reason = format!(
            "the agent's program is version {} (protocol {}), the coordinator's {} (protocol {PROTOCOL}): install the same on both",
            plain(program),
            protocol.map_or_else(|| "unknown".to_owned(), |protocol| protocol.to_string()),
            shared.program
        );
        return refuse(&mut connection, reason);
    }
    let opening =
        serde_json::from_value(said).map_err(|error| WireError::Nonsense(plain(&error.to_string())))?;
    match (opening, shown) {
        (Opening::Join { program, id, secret, name, .. }, _) => {
            join(shared, &mut connection, &program, [&id, &secret, &name])
        }
        (Opening::Member { card, .. }, Some(shown)) => {
            let here = connection.local_address().map_err(WireError::Broken)?;
            seat(shared, connection, *card, (from, here), &shown)
        }
        (Opening::Role { role, .. }, Some(shown)) => hand_over(shared, connection, role, &shown),
        (Opening::Member { .. } | Opening::Role { .. }, None) => {
            refuse(&mut connection, "a member shows the certificate that it got when it joined".to_owned())
        }
    }
}

fn broken(error: &rustls::Error) -> WireError {
    WireError::Broken(std::io::Error::other(error.to_string()))
}

fn refuse(connection: &mut Connection, reason: String) -> Result<Option<Kept>, WireError> {
    connection.send(&Answer::Refused { reason }).map(|()| None)
}

fn join(
    shared: &Shared,
    connection: &mut Connection,
    program: &str,
    [id, secret, name]: [&str; 3],
) -> Result<Option<Kept>, WireError> {
    let (id, secret) = (hex::decode(id).unwrap_or_default(), hex::decode(secret).unwrap_or_default());
    // First: it no longer knows whom it has invited.
    let Some(authority) = &shared.authority else {
        return refuse(
            connection,
            "this coordinator has come back to its agents, and lets nobody else in".to_owned(),
        );
    };
    // Before this, no work is done for anyone.
    if let Err(reason) = shared.locked().admits(&id, &secret, name, Instant::now()) {
        return refuse(connection, reason);
    }
    let signed = authority.client(name, LASTING);
    let made =
        signed.map_err(trust::TrustError::from).and_then(|signed| Ok((trust::digest_of(&signed)?, signed)));
    let (digest, signed) = match made {
        Ok(made) => made,
        Err(error) => return refuse(connection, error.to_string()),
    };
    match shared.change(|of| of.join([&id, &secret], name, program, digest)) {
        Ok(()) => {
            let answer = Answer::Joined { certificate: signed.certificate, key: signed.key };
            connection.send(&answer).map(|()| None)
        }
        Err(reason) => refuse(connection, reason),
    }
}

/// Gives a role's connection to whoever waits for it.
fn hand_over(
    shared: &Shared,
    mut connection: Connection,
    role: u64,
    shown: &[u8; 32],
) -> Result<Option<Kept>, WireError> {
    let member = shared.locked().shown(shown).map(|of| of.number);
    match member.and_then(|member| shared.roles.take(role, member)) {
        Some(waits) => {
            connection.send(&Answer::Serves)?;
            // There may be no one left who waits: then it ends here.
            let _ = waits.send(connection);
            Ok(None)
        }
        None => refuse(&mut connection, "nothing is waiting for a role with this number".to_owned()),
    }
}

fn seat(
    shared: &Shared,
    mut connection: Connection,
    card: Card,
    from: (IpAddr, IpAddr),
    shown: &[u8; 32],
) -> Result<Option<Kept>, WireError> {
    let card = match card.checked() {
        Ok(card) => card,
        Err(reason) => return refuse(&mut connection, reason),
    };
    let (sender, jobs) = channel();
    let seated = shared.change(|of| of.seat(shown, card, from, sender, &shared.clock));
    let seat = match seated {
        Ok(seat) => seat,
        Err(reason) => return refuse(&mut connection, reason),
    };
    let datagram_key = hex::encode(shared.key.bytes_for(seat.0));
    let welcome = Answer::Welcome { member: seat.0, datagram_key };
    if let Err(error) = connection.send(&welcome) {
        shared.change(|of| of.leave(seat, MemberState::Cut(error.to_string())));
        return Err(error);
    }
    Ok(Some(Kept { connection, seat, jobs }))
}

impl Kept {
    /// Renews the lease and passes requests on, until the connection or the run ends; returns what becomes of the member.
    fn keep(&mut self, shared: &Shared) -> MemberState {
        let (mut due, mut renewed) = (Instant::now(), 0);
        loop {
            if shared.ends() {
                return self.farewell(shared);
            }
            if !shared.locked().is_current(self.seat) {
                return MemberState::Ended;
            }
            let left = due.saturating_duration_since(Instant::now()).min(LOOK);
            let made = match self.jobs.recv_timeout(left) {
                Ok(job) => self.carry_out(shared, job),
                Err(RecvTimeoutError::Disconnected) => return MemberState::Ended,
                Err(RecvTimeoutError::Timeout) if Instant::now() < due => Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    due = Instant::now() + RENEW[usize::from(renewed >= SOON)];
                    renewed += 1;
                    self.renew(shared)
                }
            };
            match made {
                Ok(()) => {}
                Err(WireError::Interrupted) if shared.ends() => return self.farewell(shared),
                Err(error) => return MemberState::Cut(error.to_string()),
            }
        }
    }

    /// Tells the agent that the run is over, unless agents are to stay, and waits until it has hung up: what it has not read when we close might be lost. If it can't be told, its
    /// lease expires.
    fn farewell(&mut self, shared: &Shared) -> MemberState {
        if shared.stay.load(Ordering::Relaxed) {
            return MemberState::Cut("its coordinator has left, and may come back".to_owned());
        }
        let until = Instant::now() + FAREWELL;
        if self.connection.send(&Request::End).is_ok() {
            // It may answer what it was asked before.
            while Instant::now() < until && self.connection.receive::<Reply>(until, &|| true).is_ok() {}
        }
        MemberState::Ended
    }

    fn ask(&mut self, shared: &Shared, request: &Request) -> Result<(Reply, i64), WireError> {
        self.connection.send(request)?;
        self.connection.receive(Instant::now() + LEASE, &|| !shared.ends())
    }

    fn renew(&mut self, shared: &Shared) -> Result<(), WireError> {
        let t1_ns = monotonic_ns();
        let (reply, t4_ns) = self.ask(shared, &Request::Renew)?;
        let Reply::Renewed { received_ns, answered_ns } = reply else {
            return Err(WireError::Nonsense("a renewal is answered with two stamps".to_owned()));
        };
        let exchange = Exchange { t1_ns, t2_ns: received_ns, t3_ns: answered_ns, t4_ns };
        if let Some(seated) = shared.locked().numbered(self.seat.0) {
            seated.clockwork.add(ClockPath::Control, exchange);
        }
        Ok(())
    }

    fn carry_out(&mut self, shared: &Shared, job: Job) -> Result<(), WireError> {
        match self.ask(shared, &job.request) {
            Ok((reply, _)) => {
                // Whoever asked may wait no longer.
                let _ = job.reply.send(Ok(reply));
                Ok(())
            }
            Err(error) => {
                let _ = job.reply.send(Err(error.to_string()));
                Err(error)
            }
        }
    }
}
