//! Who was invited, who has joined, and what is known of each.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::Sender;
use std::time::Instant;

use wiredyno_clocks::{ClockIdentity, Estimate};
use wiredyno_model::summary::Environment;

use super::{Job, Member, MemberState, Presence, ProbeError};
use crate::clockwork::{ClockView, Clockwork};
use crate::datagram::equal;
use crate::invitation::{FINGERPRINT_BYTES, ID_BYTES, SECRET_BYTES};
use crate::messages::{Card, TimeSync, name_fault};

#[derive(Default)]
pub(super) struct Membership {
    invited: Vec<Invited>,
    pub(super) seated: Vec<Seated>,
    /// Grows with each change that someone may wait for.
    pub(super) version: u64,
    /// All connections.
    pub(super) connections: usize,
    /// Those that have not shown a certificate yet, by address.
    strangers: BTreeMap<IpAddr, usize>,
}

struct Invited {
    id: [u8; ID_BYTES],
    secret: [u8; SECRET_BYTES],
    until: Instant,
    /// The number of the member that has used it.
    used_by: Option<u64>,
}

/// The most connections at a time that have not shown a certificate: from one address, and in all.
const MOST_STRANGERS: [usize; 2] = [16, 256];

/// A member as the coordinator knows it.
pub(super) struct Seated {
    /// Its number, from 1.
    pub(super) number: u64,
    name: String,
    certificate: [u8; FINGERPRINT_BYTES],
    pub(super) state: MemberState,
    pub(super) address: Option<IpAddr>,
    /// At which address of ours it reaches us.
    reaches_us_at: Option<IpAddr>,
    labels: BTreeMap<String, String>,
    program: String,
    environment: Option<Environment>,
    architecture: String,
    sync: Option<TimeSync>,
    pub(super) clock: ClockIdentity,
    pub(super) clockwork: Clockwork,
    /// Where it answers datagrams, and the last number with which it said so.
    pub(super) answers_at: Option<SocketAddr>,
    pub(super) said: u64,
    /// To its session.
    pub(super) jobs: Option<Sender<Job>>,
    /// Counts its connections: an older session does not speak for it.
    session: u64,
}

impl Membership {
    /// Whether there is room for a connection from an address that is not known yet; it then counts.
    pub(super) fn meet(&mut self, from: IpAddr) -> bool {
        let (own, all) =
            (self.strangers.get(&from).copied().unwrap_or_default(), self.strangers.values().sum::<usize>());
        let is_room = own < MOST_STRANGERS[0] && all < MOST_STRANGERS[1];
        if is_room {
            self.strangers.insert(from, own + 1);
            self.connections += 1;
        }
        is_room
    }

    /// A connection from an address is known now, or gone.
    pub(super) fn met(&mut self, from: IpAddr) {
        match self.strangers.get_mut(&from) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(self.strangers.remove(&from)),
        }
    }

    pub(super) fn invite(&mut self, id: [u8; ID_BYTES], secret: [u8; SECRET_BYTES], until: Instant) {
        self.invited.push(Invited { id, secret, until, used_by: None });
    }

    /// Whether an invitation lets in an agent of this name; it stays unused. Only the holder of the secret is told the reason of a refusal. An agent that
    /// has never reconnected may join again: it may not have received its certificate.
    pub(super) fn admits(&self, id: &[u8], secret: &[u8], name: &str, now: Instant) -> Result<(), String> {
        let known = self.invited.iter().find(|one| one.id == id && equal(&one.secret, secret));
        let Some(invited) = known else {
            return Err(
                "this coordinator has made no such invitation: copy the whole line that it wrote".to_owned()
            );
        };
        let by = invited.used_by.and_then(|number| self.seated.iter().find(|one| one.number == number));
        if by.is_some_and(|by| by.state != MemberState::Invited || by.name != name) {
            return Err(
                "this invitation has been used: each lets one agent in, once; take another".to_owned()
            );
        }
        if now > invited.until {
            return Err(
                "this invitation has expired; take another, or let them last longer with --within".to_owned()
            );
        }
        if let Some(fault) = name_fault(name) {
            return Err(fault);
        }
        let is_taken =
            self.seated.iter().any(|one| one.name == name && by.is_none_or(|by| by.number != one.number));
        if is_taken {
            return Err(format!("an agent named `{name}` has joined already: choose another with --name"));
        }
        Ok(())
    }

    /// Uses an invitation, if it still lets in this agent.
    pub(super) fn join(
        &mut self,
        [id, secret]: [&[u8]; 2],
        name: &str,
        program: &str,
        certificate: [u8; FINGERPRINT_BYTES],
    ) -> Result<(), String> {
        self.admits(id, secret, name, Instant::now())?;
        let next = self.seated.len() as u64 + 1;
        let invited = self.invited.iter_mut().find(|one| one.id == id);
        let used_by = invited.and_then(|invited| invited.used_by.replace(invited.used_by.unwrap_or(next)));
        if let Some(again) = used_by.and_then(|number| self.numbered(number)) {
            again.certificate = certificate;
            return Ok(());
        }
        self.seated.push(Seated::new(next, name, program, certificate));
        Ok(())
    }

    /// Knows a member that has joined in an earlier process, and has not come back yet.
    pub(super) fn remember(&mut self, name: &str, certificate: [u8; FINGERPRINT_BYTES]) {
        let next = self.seated.len() as u64 + 1;
        self.seated.push(Seated::new(next, name, "", certificate));
    }

    /// The name of each member, and the digest of its certificate in hexadecimal.
    pub(super) fn certificates(&self) -> Vec<(String, String)> {
        self.seated.iter().map(|one| (one.name.clone(), hex::encode(one.certificate))).collect()
    }

    /// Seats a member that has connected with its certificate; returns its number and that of its session. An older session ends.
    pub(super) fn seat(
        &mut self,
        certificate: &[u8; FINGERPRINT_BYTES],
        card: Card,
        (from, here): (IpAddr, IpAddr),
        jobs: Sender<Job>,
        ours: &ClockIdentity,
    ) -> Result<(u64, u64), String> {
        let seated = self.seated.iter_mut().find(|one| one.certificate == *certificate);
        let Some(seated) = seated else {
            return Err("no agent has joined with this certificate".to_owned());
        };
        if seated.state == MemberState::Invited {
            seated.clockwork = Clockwork::new(&card.clock, ours);
        } else if seated.clock != card.clock {
            // The certificate is in the memory of one process, whose clock does not change.
            return Err(
                "its clock is not the one with which it joined: restart it with a new invitation".to_owned()
            );
        }
        seated.state = MemberState::Present;
        (seated.address, seated.reaches_us_at) = (Some(from), Some(here));
        (seated.labels, seated.environment) = (card.labels, Some(card.environment));
        seated.architecture = card.architecture;
        (seated.clock, seated.sync) = (card.clock, card.sync);
        seated.answers_at = None;
        seated.jobs = Some(jobs);
        seated.session += 1;
        Ok((seated.number, seated.session))
    }

    /// Whether a session still speaks for its member.
    pub(super) fn is_current(&self, (number, session): (u64, u64)) -> bool {
        self.seated.iter().any(|one| one.number == number && one.session == session)
    }

    /// A session has ended.
    pub(super) fn leave(&mut self, (number, session): (u64, u64), state: MemberState) {
        let current = self.seated.iter_mut().find(|one| one.number == number && one.session == session);
        if let Some(seated) = current {
            seated.state = state;
            (seated.jobs, seated.answers_at) = (None, None);
        }
    }

    pub(super) fn numbered(&mut self, number: u64) -> Option<&mut Seated> {
        self.seated.iter_mut().find(|one| one.number == number)
    }

    pub(super) fn present(&mut self, name: &str) -> Result<&mut Seated, ProbeError> {
        let found = self.seated.iter_mut().find(|one| one.name == name);
        let seated = found.ok_or_else(|| ProbeError::Unknown(name.to_owned()))?;
        let why = match &seated.state {
            MemberState::Present => return Ok(seated),
            MemberState::Invited => "it has not reconnected since it joined",
            MemberState::Cut(why) => why,
            MemberState::Ended => "it has ended",
        };
        Err(ProbeError::Away { name: name.to_owned(), why: why.to_owned() })
    }

    /// The member with a certificate, if it is there.
    pub(super) fn shown(&self, certificate: &[u8; FINGERPRINT_BYTES]) -> Option<&Seated> {
        let is_there = |one: &&Seated| one.certificate == *certificate && one.state == MemberState::Present;
        self.seated.iter().find(is_there)
    }

    /// What is known of a member's clock, and of that of the first present member that claims to share it, with their numbers.
    pub(super) fn clockworks(&mut self, name: &str) -> Result<[(u64, Clockwork); 2], ProbeError> {
        let of = self.present(name)?;
        let (own, clock) = ((of.number, of.clockwork.clone()), of.clock.clone());
        let shares = |one: &&Seated| one.state == MemberState::Present && one.clock.is(&clock);
        let first = self.seated.iter().find(shares).map(|one| (one.number, one.clockwork.clone()));
        Ok([own.clone(), first.unwrap_or(own)])
    }

    /// How far a member's clock is ahead of ours, at a moment of ours.
    pub(super) fn estimate(&mut self, name: &str, at_ns: i64) -> Result<Estimate, ProbeError> {
        match self.present(name)?.clockwork.at(at_ns) {
            ClockView::Known(known) => Ok(known.estimate),
            ClockView::Unknown => Err(ProbeError::Unmeasured(name.to_owned())),
            ClockView::Doubted(why) => Err(ProbeError::Doubted { name: name.to_owned(), why }),
        }
    }
}

impl Seated {
    /// One that has a certificate and has not connected with it.
    fn new(number: u64, name: &str, program: &str, certificate: [u8; FINGERPRINT_BYTES]) -> Self {
        let clock = ClockIdentity { boot_id: String::new(), time_namespace: 0 };
        Seated {
            number,
            name: name.to_owned(),
            certificate,
            state: MemberState::Invited,
            address: None,
            reaches_us_at: None,
            labels: BTreeMap::new(),
            program: program.to_owned(),
            environment: None,
            architecture: String::new(),
            sync: None,
            clockwork: Clockwork::new(&clock, &clock),
            clock,
            answers_at: None,
            said: 0,
            jobs: None,
            session: 0,
        }
    }

    pub(super) fn presence(&self) -> Presence {
        Presence {
            name: self.name.clone(),
            state: self.state.clone(),
            address: self.address,
            reaches_us_at: self.reaches_us_at,
            session: self.session,
        }
    }

    pub(super) fn member(&self, at_ns: i64) -> Member {
        Member {
            name: self.name.clone(),
            state: self.state.clone(),
            address: self.address,
            labels: self.labels.clone(),
            program: self.program.clone(),
            environment: self.environment.clone(),
            architecture: self.architecture.clone(),
            sync: self.sync,
            clock: self.clockwork.at(at_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_invitation_lets_in_one_agent_once_until_it_expires() {
        let now = Instant::now();
        let mut of = Membership::default();
        of.invite([1; 8], [2; 16], now + Duration::from_secs(60));
        of.invite([3; 8], [4; 16], now + Duration::from_secs(1));
        of.invite([5; 8], [6; 16], now + Duration::from_secs(60));
        let mut admit = |id: u8, secret: u8, name: &str, after_s| {
            let (id, secret) = ([id; 8], [secret; 16]);
            let admitted = of.admits(&id, &secret, name, now + Duration::from_secs(after_s));
            admitted.and_then(|()| of.join([&id, &secret], name, "0", [id[0]; 32])).err().unwrap_or_default()
        };
        assert!(admit(1, 9, "vehicle", 0).contains("no such invitation"));
        assert!(admit(9, 2, "vehicle", 0).contains("no such invitation"));
        assert!(admit(1, 2, "a vehicle", 0).contains("can't be the name of an agent"));
        assert_eq!(admit(1, 2, "vehicle", 0), "");
        assert_eq!(admit(1, 2, "vehicle", 0), "", "its certificate may have been lost on the way");
        assert!(admit(1, 2, "cloud", 0).contains("has been used"));
        assert!(admit(3, 4, "cloud", 2).contains("has expired"));
        assert!(admit(5, 6, "vehicle", 0).contains("has joined already"));
        assert_eq!(admit(5, 6, "cloud", 0), "", "a refused name does not use an invitation up");
        of.seated[0].state = MemberState::Present;
        assert_eq!(of.seated.len(), 2);
        assert!(of.admits(&[1; 8], &[2; 16], "vehicle", now).unwrap_err().contains("has been used"));
    }

    #[test]
    fn one_address_does_not_take_all_the_room() {
        let mut of = Membership::default();
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        assert_eq!((0..40).filter(|_| of.meet(address(1))).count(), MOST_STRANGERS[0]);
        assert!(of.meet(address(2)));
        of.met(address(1));
        assert!(of.meet(address(1)) && !of.meet(address(1)));
        for last in 3..=255 {
            while of.meet(address(last)) {}
        }
        assert_eq!(of.connections, MOST_STRANGERS[1] + 1);
        assert!(!of.meet(IpAddr::from([10, 0, 1, 1])));
    }
}
