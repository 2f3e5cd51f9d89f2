//! An agent: dials its coordinator, joins, keeps a lease, and answers until it is told that the run is over.

mod roles;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustls::{ClientConfig, ClientConnection, StreamOwned};
use wiredyno_credentials::Signed;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::summary::Environment;
use wiredyno_process::clock::monotonic_ns;
use wiredyno_seats::allowed::Allowed;

use self::roles::{Dialing, Roles};
use crate::clockwork::own_identity;
use crate::datagram::{self, Key};
use crate::invitation::Invitation;
use crate::messages::{Answer, Card, LEASE, Opening, PROTOCOL, Reply, Request, TimeSync, name_fault, plain};
use crate::role::keep::Keep;
use crate::role::limits::Limits;
use crate::trust::{self, TrustError};
use crate::wire::{Frames, LOOK, Limited, WireError, shake};

/// How long a connection and its handshake may take.
const DIAL: Duration = Duration::from_secs(5);

/// The pauses between attempts to reconnect: each is twice the previous one. The first is longer than a coordinator takes to notice the break.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

type Connection = Frames<StreamOwned<ClientConnection, Limited>>;

/// How an agent presents itself.
#[derive(Clone)]
pub struct Terms {
    /// Its name: up to 40 lower-case letters, digits and `-`.
    pub name: String,
    /// What else it is called by.
    pub labels: BTreeMap<String, String>,
    /// The version of its program.
    pub program: String,
    /// Its machine.
    pub environment: Environment,
    /// How long it tries to reach its coordinator, at the start and after each break.
    pub patience: Duration,
    /// What makes the runners that it starts end with it; without one they end with their input.
    pub sandbox: Option<Sandbox>,
    /// What its roles may contact outside the run; everything if its operator has written no list.
    pub allowed: Allowed,
    /// What each of its processes may use.
    pub limits: Limits,
}

/// What an agent reports to whoever started it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The coordinator can't be reached yet, and why.
    Waiting(String),
    /// It has used its invitation.
    Joined,
    /// It is connected, to this address of its coordinator.
    Present(SocketAddr),
    /// Its lease has expired or its connection broke, and why: it tries to reconnect.
    Cut(String),
}

/// How an agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The coordinator said that the run is over.
    RunOver,
    /// It was told to stop.
    Interrupted,
}

/// Why an agent gives up.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its own name can't be used.
    #[error("{0}")]
    Name(String),
    /// The coordinator was not reached in time.
    #[error(
        "{address} was not reached for {waited_s} s: {why}; is the coordinator running, and may this machine open TCP connections to that port?"
    )]
    Unreached {
        /// Where it was looked for.
        address: String,
        /// Seconds from the first attempt to the last.
        waited_s: u64,
        /// Why the last attempt failed.
        why: String,
    },
    /// Something else answers there.
    #[error(
        "{address}: {why}; ask for a new invitation, and check that nothing between the two intercepts TLS connections"
    )]
    Stranger {
        /// Where the coordinator should be, as host:port.
        address: String,
        /// What the handshake showed.
        why: String,
    },
    /// The coordinator refuses it.
    #[error("the coordinator refuses this agent: {0}")]
    Refused(String),
    /// TLS can't be set up.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// It has no folder for what its coordinator sends.
    #[error("a folder for what the coordinator sends: {0}; is there room for temporary files?")]
    Folder(#[source] io::Error),
}

/// Why one attempt failed.
enum Failed {
    /// It may be tried again.
    ForNow(String),
    /// It was connected, and no longer is.
    Cut(String),
    Interrupted,
    ForGood(AgentError),
}

impl From<WireError> for Failed {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Interrupted => Failed::Interrupted,
            error => Failed::ForNow(error.to_string()),
        }
    }
}

impl From<TrustError> for Failed {
    fn from(error: TrustError) -> Self {
        Failed::ForGood(error.into())
    }
}

/// Joins, and stays until the run is over or `goes_on` says no.
///
/// # Errors
/// Why it gives up.
pub fn run(
    invitation: &Invitation,
    terms: &Terms,
    goes_on: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Event),
) -> Result<Ended, AgentError> {
    if let Some(fault) = name_fault(&terms.name) {
        return Err(AgentError::Name(fault));
    }
    let keep = Keep::new(terms.sandbox.clone(), terms.allowed.clone(), terms.limits);
    let keep = Arc::new(keep.map_err(AgentError::Folder)?);
    let mut agent = Agent { invitation, terms, goes_on, keep, identity: None };
    // Since when it is without its coordinator.
    let (mut alone, mut pause) = (Instant::now(), PAUSES[0]);
    loop {
        let why = match agent.attempt(tell) {
            Ok(ended) => return Ok(ended),
            Err(Failed::Interrupted) => return Ok(Ended::Interrupted),
            Err(Failed::ForGood(error)) => return Err(error),
            Err(Failed::Cut(why)) => {
                (alone, pause) = (Instant::now(), PAUSES[0]);
                tell(Event::Cut(why.clone()));
                why
            }
            Err(Failed::ForNow(why)) => {
                tell(Event::Waiting(why.clone()));
                why
            }
        };
        if alone.elapsed() >= terms.patience {
            let address = invitation.address.clone();
            return Err(AgentError::Unreached { address, waited_s: alone.elapsed().as_secs(), why });
        }
        let until = Instant::now() + pause;
        while Instant::now() < until {
            if !goes_on() {
                return Ok(Ended::Interrupted);
            }
            std::thread::sleep(LOOK);
        }
        pause = (2 * pause).min(PAUSES[1]);
    }
}

struct Agent<'a> {
    invitation: &'a Invitation,
    terms: &'a Terms,
    goes_on: &'a dyn Fn() -> bool,
    /// What its coordinator has sent.
    keep: Arc<Keep>,
    /// Its certificate, once it has joined.
    identity: Option<Signed>,
}

impl Agent<'_> {
    /// Joins if it has not, and keeps the lease as long as it lasts.
    fn attempt(&mut self, tell: &mut dyn FnMut(Event)) -> Result<Ended, Failed> {
        if self.identity.is_none() {
            self.identity = Some(self.join()?);
            tell(Event::Joined);
        }
        let (connection, coordinator) = self.dial()?;
        let (connection, datagrams) = self.present(connection, coordinator)?;
        tell(Event::Present(coordinator));
        let mut roles = self.roles(coordinator)?;
        self.keep((connection, coordinator), &datagrams, &mut roles).map_err(|failed| match failed {
            Failed::ForNow(why) => Failed::Cut(why),
            other => other,
        })
    }

    fn dial(&self) -> Result<(Connection, SocketAddr), Failed> {
        let config = trust::agent(self.invitation.fingerprint, self.identity.as_ref())?;
        let named = self.invitation.address.to_socket_addrs();
        let named = named.map_err(|error| Failed::ForNow(format!("{}: {error}", self.invitation.address)))?;
        let mut last = Failed::ForNow(format!("{} has no address", self.invitation.address));
        for address in named {
            match dial_at(address, &config, self.goes_on) {
                Ok(connection) => return Ok((connection, address)),
                // Between two runs another program may have the coordinator's port. It is told nothing, and may go.
                Err(Failed::ForGood(AgentError::Stranger { why, .. })) if self.identity.is_some() => {
                    last = Failed::ForNow(format!("{address}: another program answers there: {why}"));
                }
                Err(Failed::ForGood(AgentError::Stranger { why, .. })) => {
                    let address = self.invitation.address.clone();
                    return Err(Failed::ForGood(AgentError::Stranger { address, why }));
                }
                Err(Failed::ForNow(why)) => last = Failed::ForNow(why),
                Err(other) => return Err(other),
            }
        }
        Err(last)
    }

    fn open(&self, connection: &mut Connection, opening: &Opening) -> Result<Answer, Failed> {
        connection.send(opening)?;
        let (answer, _) = connection.receive(Instant::now() + DIAL, self.goes_on)?;
        match answer {
            // What it says is shown to people.
            Answer::Refused { reason } => Err(Failed::ForGood(AgentError::Refused(plain(&reason)))),
            answer => Ok(answer),
        }
    }

    /// Uses the invitation; returns the certificate with which it reconnects.
    fn join(&self) -> Result<Signed, Failed> {
        let (mut connection, _) = self.dial()?;
        let opening = Opening::Join {
            protocol: PROTOCOL,
            program: self.terms.program.clone(),
            id: hex::encode(self.invitation.id),
            secret: hex::encode(self.invitation.secret),
            name: self.terms.name.clone(),
        };
        match self.open(&mut connection, &opening)? {
            Answer::Joined { certificate, key } => Ok(Signed { certificate, key }),
            _ => Err(Failed::ForNow("the coordinator gave an unexpected answer".to_owned())),
        }
    }

    /// Says who it is, and begins to answer datagrams.
    fn present(
        &self,
        mut connection: Connection,
        coordinator: SocketAddr,
    ) -> Result<(Connection, Datagrams), Failed> {
        let card = Card {
            labels: self.terms.labels.clone(),
            environment: self.terms.environment.clone(),
            architecture: std::env::consts::ARCH.to_owned(),
            clock: own_identity(),
            sync: TimeSync::read(),
        };
        let opening =
            Opening::Member { protocol: PROTOCOL, program: self.terms.program.clone(), card: Box::new(card) };
        let Answer::Welcome { member, datagram_key } = self.open(&mut connection, &opening)? else {
            return Err(Failed::ForNow("the coordinator gave an unexpected answer".to_owned()));
        };
        let key = hex::decode(datagram_key).map_err(|error| Failed::ForNow(format!("its key: {error}")))?;
        let begun = Datagrams::begin(Key::new(&key), member, coordinator);
        Ok((connection, begun.map_err(|error| Failed::ForNow(format!("datagrams: {error}")))?))
    }

    /// The roles of a session, which dial the coordinator at the same address.
    fn roles(&self, coordinator: SocketAddr) -> Result<Roles, Failed> {
        let config = trust::agent(self.invitation.fingerprint, self.identity.as_ref())?;
        let dialing = Dialing { coordinator, config, program: self.terms.program.clone() };
        Ok(Roles::new(dialing, self.keep.clone()))
    }

    /// Answers requests as long as they come.
    fn keep(
        &self,
        (mut connection, coordinator): (Connection, SocketAddr),
        datagrams: &Datagrams,
        roles: &mut Roles,
    ) -> Result<Ended, Failed> {
        loop {
            let (request, received_ns) = connection.receive(Instant::now() + LEASE, self.goes_on)?;
            let reply = match request {
                Request::End => return Ok(Ended::RunOver),
                Request::Renew => Reply::Renewed { received_ns, answered_ns: monotonic_ns() },
                Request::Probe { peer, .. } if !self.keep.may_probe(peer, coordinator.ip()) => {
                    Reply::Failed { reason: format!("{peer} is not in the list of this machine's operator") }
                }
                Request::Probe { peer, key, count, every_us } => {
                    datagrams.probe(peer, &key, (count, every_us))
                }
                Request::Open { role } => match roles.open(role) {
                    Ok(()) => Reply::Begun,
                    Err(error) => Reply::Failed { reason: plain(&error.to_string()) },
                },
                Request::Close { role } => {
                    roles.close(role);
                    Reply::Begun
                }
            };
            connection.send(&reply)?;
        }
    }
}

fn dial_at(
    address: SocketAddr,
    config: &Arc<ClientConfig>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Connection, Failed> {
    let for_now = |error: &dyn std::fmt::Display| Failed::ForNow(format!("{address}: {error}"));
    let stream = TcpStream::connect_timeout(&address, DIAL).map_err(|error| for_now(&error))?;
    let until = Instant::now() + DIAL;
    let stream = Limited::new(stream, until).map_err(|error| for_now(&error))?;
    let tls = ClientConnection::new(config.clone(), trust::coordinator_name()?).map_err(TrustError::from)?;
    let mut stream = StreamOwned::new(tls, stream);
    match shake(&mut stream, until, goes_on) {
        Ok(()) => Ok(Frames::new(stream)),
        Err(WireError::Interrupted) => Err(Failed::Interrupted),
        Err(WireError::Broken(error)) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
            let (address, why) = (address.to_string(), error.to_string());
            Err(Failed::ForGood(AgentError::Stranger { address, why }))
        }
        Err(error) => Err(for_now(&error)),
    }
}

/// The thread that answers datagrams, as long as a session lasts.
struct Datagrams {
    member: u64,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Datagrams {
    fn begin(key: Key, member: u64, coordinator: SocketAddr) -> io::Result<Self> {
        let socket = datagram::socket_for(coordinator)?;
        let ends = Arc::new(AtomicBool::new(false));
        let its_ends = ends.clone();
        let answer = move || datagram::answer(&socket, &key, member, coordinator, &its_ends);
        let thread = std::thread::Builder::new().name("datagrams".to_owned()).spawn(answer)?;
        Ok(Datagrams { member, ends, thread: Some(thread) })
    }

    fn probe(&self, peer: SocketAddr, key: &str, (count, every_us): (u32, u32)) -> Reply {
        let every = Duration::from_micros(u64::from(every_us));
        let key = Key::new(&hex::decode(key).unwrap_or_default());
        match datagram::probe(&key, self.member, peer, (count, every)) {
            Ok((exchanges, sent)) => Reply::Probed { exchanges, sent },
            Err(error) => Reply::Failed { reason: plain(&error.to_string()) },
        }
    }
}

impl Drop for Datagrams {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic has been printed.
            let _ = thread.join();
        }
    }
}
