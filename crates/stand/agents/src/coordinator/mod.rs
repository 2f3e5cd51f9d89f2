//! The coordinator: lets agents in, renews their leases, and measures their clocks.

mod kept;
mod membership;
mod opening;
mod probing;
mod session;
mod stamps;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustls::ServerConfig;
use wiredyno_clocks::ClockIdentity;
use wiredyno_credentials::{Authority, CredentialsError};
use wiredyno_model::summary::Environment;
use wiredyno_process::clock::monotonic_ns;

use self::membership::{Membership, Seated};
use self::opening::Opened;
use crate::clockwork::{ClockLine, ClockView, Clockwork, own_identity};
use crate::datagram::{KEY_BYTES, Key};
use crate::invitation::{FINGERPRINT_BYTES, ID_BYTES, Invitation, SECRET_BYTES};
use crate::messages::{Reply, Request, TimeSync};
use crate::trust::{self, Identity, TrustError};
use crate::wire::LOOK;

pub use self::kept::Kept;
pub use self::probing::{ProbeError, Probed};

/// How far before now a clock is reported, in nanoseconds: exchanges on both sides of a moment say more.
const BACK_NS: i64 = 1_000_000_000;

/// How many ports are tried if any will do.
const TRIES: u32 = 20;

/// Why a coordinator can't start, or continue.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The port can't be had.
    #[error(
        "{address}: {reason}; is another program listening there? choose another port, or 0 for a free one"
    )]
    Listen {
        /// The address that was to be listened on.
        address: SocketAddr,
        /// The system's error.
        reason: io::Error,
    },
    /// A thread or socket was refused.
    #[error("the coordinator can't start: {0}")]
    System(#[from] io::Error),
    /// Certificates could not be made.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

impl From<CredentialsError> for CoordinatorError {
    fn from(error: CredentialsError) -> Self {
        CoordinatorError::Trust(error.into())
    }
}

/// Whether a member is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberState {
    /// It has a certificate, and has not reconnected with it yet.
    Invited,
    /// It is connected.
    Present,
    /// It no longer answers, or has disconnected, for this reason.
    Cut(String),
    /// It was told that the run is over.
    Ended,
}

/// Whether an agent that has joined is connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    /// The name that it joined with.
    pub name: String,
    /// Whether it is connected.
    pub state: MemberState,
    /// The address from which it dialed; absent until it has.
    pub address: Option<IpAddr>,
    /// The address of the coordinator's machine that it dialed.
    pub reaches_us_at: Option<IpAddr>,
    /// Counts how often it has connected: what ran there during an earlier connection is gone.
    pub session: u64,
}

/// An agent that has joined.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name that it joined with; no other has it.
    pub name: String,
    /// Whether it is connected.
    pub state: MemberState,
    /// The address from which it dialed; absent until it has.
    pub address: Option<IpAddr>,
    /// The labels that its operator gave it.
    pub labels: BTreeMap<String, String>,
    /// The version of its program.
    pub program: String,
    /// Its machine; absent until it has reconnected.
    pub environment: Option<Environment>,
    /// The architecture for which its program was compiled: `x86_64`, `aarch64`; empty until then.
    pub architecture: String,
    /// What its kernel says about its wall clock.
    pub sync: Option<TimeSync>,
    /// How far its clock is ahead of ours.
    pub clock: ClockView,
}

/// What a member's session is to ask it.
struct Job {
    request: Request,
    reply: Sender<Result<Reply, String>>,
}

struct Shared {
    /// None in a coordinator that lets nobody else in.
    authority: Option<Authority>,
    tls: Arc<ServerConfig>,
    program: String,
    clock: ClockIdentity,
    /// Of which each member's is made.
    key: Key,
    socket: UdpSocket,
    membership: Mutex<Membership>,
    roles: Opened,
    changed: Condvar,
    ends: AtomicBool,
    /// Whether agents stay when this coordinator ends.
    stay: AtomicBool,
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, Membership> {
        self.membership.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the membership, and wakes whoever waits for a change.
    fn change<T>(&self, change: impl FnOnce(&mut Membership) -> T) -> T {
        let mut membership = self.locked();
        let made = change(&mut membership);
        membership.version += 1;
        self.changed.notify_all();
        made
    }

    fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}

/// Lets agents in and keeps them; ends with them when it is dropped, unless they are to [stay](Self::stay).
pub struct Coordinator {
    shared: Arc<Shared>,
    address: SocketAddr,
    identity: Identity,
    fingerprint: [u8; FINGERPRINT_BYTES],
    threads: Vec<JoinHandle<()>>,
}

impl Coordinator {
    /// Listens for agents of the same version of the program, on one port for TCP and UDP.
    ///
    /// # Errors
    /// When the port can't be had, or certificates can't be made.
    pub fn listen(address: SocketAddr, program: &str) -> Result<Self, CoordinatorError> {
        let authority = Authority::new("A run of Wiredyno over several machines")?;
        let identity = Identity::new(&authority)?;
        Self::begin(address, program, identity, Some(authority), Membership::default())
    }

    fn begin(
        address: SocketAddr,
        program: &str,
        identity: Identity,
        authority: Option<Authority>,
        membership: Membership,
    ) -> Result<Self, CoordinatorError> {
        let refused = |reason| CoordinatorError::Listen { address, reason };
        let (listener, socket) = both(address).map_err(refused)?;
        let address = listener.local_addr()?;
        // A connection that is gone before it is accepted blocks nobody.
        listener.set_nonblocking(true)?;
        socket.set_read_timeout(Some(LOOK))?;
        let (tls, fingerprint) = trust::coordinator(&identity)?;
        let key = random_bytes::<KEY_BYTES>()?;
        let shared = Arc::new(Shared {
            authority,
            tls,
            program: program.to_owned(),
            clock: own_identity(),
            key: Key::new(&key),
            socket,
            membership: Mutex::new(membership),
            roles: Opened::default(),
            changed: Condvar::new(),
            ends: AtomicBool::new(false),
            stay: AtomicBool::new(false),
        });
        let (accepting, asking) = (shared.clone(), shared.clone());
        let threads = vec![
            thread("agents", move || accept(&accepting, &listener))?,
            thread("agents' clocks", move || stamps::ask_all(&asking))?,
        ];
        Ok(Coordinator { shared, address, identity, fingerprint, threads })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// An invitation for one agent, which dials this host, or address, and is to join within this time.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn invite(&self, host: &str, lasting: Duration) -> Result<Invitation, CoordinatorError> {
        let (id, secret) = (random_bytes::<ID_BYTES>()?, random_bytes::<SECRET_BYTES>()?);
        self.shared.locked().invite(id, secret, Instant::now() + lasting);
        // An IPv6 address is written in brackets before a port (RFC 3986, section 3.2.2).
        let host =
            if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() };
        let address = format!("{host}:{}", self.address.port());
        Ok(Invitation { address, fingerprint: self.fingerprint, id, secret })
    }

    /// Who has joined, in the order in which they did. Cheap, where [`Coordinator::members`] concludes from all exchanges.
    pub fn presences(&self) -> Vec<Presence> {
        self.shared.locked().seated.iter().map(Seated::presence).collect()
    }

    /// Whether an agent is there.
    ///
    /// # Errors
    /// When no agent of this name has joined, in words.
    pub fn presence_of(&self, name: &str) -> Result<Presence, String> {
        let membership = self.shared.locked();
        let found = membership.seated.iter().map(Seated::presence).find(|one| one.name == name);
        found.ok_or_else(|| ProbeError::Unknown(name.to_owned()).to_string())
    }

    /// How an agent's clock was from one moment of ours to another. Agents that share a clock are described by one line.
    ///
    /// # Errors
    /// When it is not connected, or its clock is not known or can't be trusted.
    pub fn line(&self, name: &str, from_ns: i64, until_ns: i64) -> Result<ClockLine, ProbeError> {
        let doubted = |why| ProbeError::Doubted { name: name.to_owned(), why };
        let line_of = |(number, of): &(u64, Clockwork)| {
            of.line(*number, from_ns, until_ns).map_err(|view| match view {
                ClockView::Doubted(why) => doubted(why),
                ClockView::Unknown | ClockView::Known(_) => ProbeError::Unmeasured(name.to_owned()),
            })
        };
        let [own, first] = self.shared.locked().clockworks(name)?;
        let line = line_of(&own)?;
        if own.0 == first.0 || line.which == 0 {
            return Ok(line);
        }
        let shared = line_of(&first)?;
        // Two machines restored from one snapshot claim it, too.
        if !line.agrees(&shared, [from_ns, until_ns]) {
            return Err(doubted(
                "it claims to share another agent's clock, but its offset from ours is different".to_owned(),
            ));
        }
        // If the other one lies, this one is no better known than by its own exchanges.
        Ok(ClockLine { bound_ns: shared.bound_ns.max(line.bound_ns), ..shared })
    }

    /// From now on all exchanges since a moment of our clock are kept, for [`Self::line`].
    pub fn keep_clocks_since(&self, since_ns: i64) {
        self.shared.locked().seated.iter_mut().for_each(|of| of.clockwork.keep_since(since_ns));
    }

    /// Whether stamps were exchanged with an agent that left after a moment of our clock.
    pub fn has_exchange_after(&self, name: &str, at_ns: i64) -> bool {
        let mut membership = self.shared.locked();
        let last_ns = membership.present(name).ok().and_then(|of| of.clockwork.last_ns());
        last_ns.is_some_and(|last_ns| last_ns > at_ns)
    }

    /// The agents that have joined, in the order in which they did, with what is known of their clocks a second ago.
    pub fn members(&self) -> Vec<Member> {
        let at_ns = monotonic_ns() - BACK_NS;
        self.shared.locked().seated.iter().map(|of| of.member(at_ns)).collect()
    }

    /// Waits until an agent has joined, disconnected or reconnected since the version that was returned before, or for this time; returns the version.
    pub fn wait(&self, since: u64, within: Duration) -> u64 {
        let membership = self.shared.locked();
        let waited = self.shared.changed.wait_timeout_while(membership, within, |of| of.version == since);
        waited.unwrap_or_else(PoisonError::into_inner).0.version
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic has been printed.
            let _ = thread.join();
        }
        // Sessions tell their agents; they end within a look, or a lease if an agent does not read.
        let until = Instant::now() + crate::LEASE;
        while self.shared.locked().connections > 0 && Instant::now() < until {
            std::thread::sleep(LOOK / 10);
        }
    }
}

/// One port for TCP and UDP. If any will do, one that is free for TCP may be taken for UDP.
fn both(address: SocketAddr) -> io::Result<(TcpListener, UdpSocket)> {
    let mut tries = if address.port() == 0 { TRIES } else { 1 };
    loop {
        let listener = TcpListener::bind(address)?;
        tries -= 1;
        match UdpSocket::bind(listener.local_addr()?) {
            Ok(socket) => return Ok((listener, socket)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries > 0 => {}
            Err(error) => return Err(error),
        }
    }
}

fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run)
}

fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// Accepts connections until the end; each has a thread.
fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    let timeout = PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::ZERO);
    while !shared.ends() {
        let mut waiting = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        if !poll(&mut waiting, timeout).is_ok_and(|ready| ready > 0) {
            continue;
        }
        let Ok((stream, from)) = listener.accept() else {
            // Out of descriptors, perhaps: it stays ready.
            std::thread::sleep(LOOK);
            continue;
        };
        // An IPv4 address as a socket for IPv6 has it (RFC 4291, section 2.5.5.2).
        let from = from.ip().to_canonical();
        if !shared.locked().meet(from) {
            // Closed without a word.
            continue;
        }
        let own = shared.clone();
        if thread("agent", move || session::serve(&own, stream, from)).is_err() {
            let mut membership = shared.locked();
            membership.met(from);
            membership.connections -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
