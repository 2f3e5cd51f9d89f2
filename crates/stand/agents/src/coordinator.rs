//! The coordinator: lets agents in, renews their leases, and measures their clocks.

mod membership;
mod session;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustls::ServerConfig;
use wiredyno_clocks::{ClockIdentity, Estimate, Exchange, SameClockError, Track, narrower};
use wiredyno_credentials::{Authority, CredentialsError};
use wiredyno_model::summary::Environment;
use wiredyno_process::clock::monotonic_ns;

use self::membership::{Membership, Seated};
use crate::clockwork::{ClockLine, ClockPath, ClockView, Clockwork, own_identity};
use crate::datagram::{Datagram, KEY_BYTES, Key, Kind, random, receive};
use crate::invitation::{FINGERPRINT_BYTES, ID_BYTES, Invitation, SECRET_BYTES};
use crate::messages::{LONGEST_PROBE, Reply, Request, TimeSync, plain};
use crate::role::seat::Connection;
use crate::trust::{self, TrustError};
use crate::wire::LOOK;

/// How often each member is asked for stamps by a datagram.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// How long an answer to a datagram counts, in nanoseconds.
const ANSWER_NS: i64 = 2_000_000_000;

/// How long before now a clock is told of, in nanoseconds: exchanges on both sides of a moment tell more.
const BACK_NS: i64 = 1_000_000_000;

/// How many ports are tried if any will do.
const TRIES: u32 = 20;

/// How long an agent may take to open a connection for a role.
const OPENING: Duration = Duration::from_secs(10);

/// Exchanges between two members for each probe, and the time from one to the next.
const PROBES: (u32, u32) = (50, 20_000);

/// Why a coordinator can't begin, or go on.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The port can't be had.
    #[error(
        "{address}: {reason}; is another program listening there? choose another port, or 0 for a free one"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        reason: io::Error,
    },
    /// A thread or socket was refused.
    #[error("the coordinator can't begin: {0}")]
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
    /// It has a certificate, and has not come back with it yet.
    Invited,
    /// It is there.
    Present,
    /// It does not answer any more, or has gone: why.
    Cut(String),
    /// It was told that the run is over.
    Ended,
}

/// Whether an agent that has joined is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    /// The name that it joined with.
    pub name: String,
    /// Whether it is there.
    pub state: MemberState,
    /// From where it dialed.
    pub address: Option<IpAddr>,
    /// At which address of the coordinator's machine it dialed.
    pub reaches_us_at: Option<IpAddr>,
    /// Counts how often it has come: what ran there when it came before is gone.
    pub session: u64,
}

/// An agent that has joined.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name that it joined with; no other has it.
    pub name: String,
    /// Whether it is there.
    pub state: MemberState,
    /// From where it dialed.
    pub address: Option<IpAddr>,
    /// What its operator calls it by.
    pub labels: BTreeMap<String, String>,
    /// The version of its program.
    pub program: String,
    /// Its machine; absent until it has come back.
    pub environment: Option<Environment>,
    /// For which processors its program was compiled: `x86_64`, `aarch64`; empty until then.
    pub architecture: String,
    /// What its kernel says of its wall clock.
    pub sync: Option<TimeSync>,
    /// How far its clock is ahead of ours.
    pub clock: ClockView,
}

/// Two members' clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probed {
    /// How far the second is ahead of the first, at a moment of the first's clock.
    pub estimate: Estimate,
    /// They share one clock; the bound is 0.
    pub is_one_clock: bool,
    /// By exchanges between the two; else each was compared with ours.
    pub is_direct: bool,
    /// The smallest round trip between the two, in nanoseconds; absent if no exchange was answered.
    pub round_trip_ns: Option<i64>,
    /// Exchanges between the two: answered, of how many.
    pub exchanges: (u32, u32),
}

/// Why two members' clocks can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// No member has that name.
    #[error("no agent `{0}` has joined")]
    Unknown(String),
    /// One is not there.
    #[error("{name} is not there: {why}")]
    Away {
        /// Which.
        name: String,
        /// Why.
        why: String,
    },
    /// Nothing is known of a clock yet.
    #[error("nothing is known of the clock of {0} yet")]
    Unmeasured(String),
    /// A clock can't be trusted.
    #[error("the clock of {name} can't be trusted: {why}")]
    Doubted {
        /// Which.
        name: String,
        /// Why.
        why: String,
    },
    /// What the two say of each other contradicts what each says to us.
    #[error("{from} and {to}: {why}")]
    Contradiction {
        /// The one that asked.
        from: String,
        /// The one that answered.
        to: String,
        /// What contradicts what.
        why: String,
    },
}

/// What a member's session is to ask it.
struct Job {
    request: Request,
    reply: Sender<Result<Reply, String>>,
}

/// The connections of roles that agents were asked for: of which member, and who waits.
#[derive(Default)]
struct Roles {
    last: AtomicU64,
    awaited: Mutex<HashMap<u64, (u64, Sender<Connection>)>>,
}

impl Roles {
    fn locked(&self) -> MutexGuard<'_, HashMap<u64, (u64, Sender<Connection>)>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new number, and where the connection of a member with it will come.
    fn awaited(&self, member: u64) -> (u64, Receiver<Connection>) {
        let role = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, opened) = channel();
        self.locked().insert(role, (member, sender));
        (role, opened)
    }

    fn forget(&self, role: u64) {
        self.locked().remove(&role);
    }

    /// Whoever waits for this role of a member; nobody after it has come, or of another member.
    fn take(&self, role: u64, member: u64) -> Option<Sender<Connection>> {
        let mut awaited = self.locked();
        awaited.get(&role).filter(|(of, _)| *of == member)?;
        awaited.remove(&role).map(|(_, sender)| sender)
    }
}

struct Shared {
    authority: Authority,
    tls: Arc<ServerConfig>,
    program: String,
    clock: ClockIdentity,
    /// Of which each member's is made.
    key: Key,
    socket: UdpSocket,
    membership: Mutex<Membership>,
    roles: Roles,
    changed: Condvar,
    ends: AtomicBool,
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

/// Lets agents in and keeps them; ends with them when it is dropped.
pub struct Coordinator {
    shared: Arc<Shared>,
    address: SocketAddr,
    fingerprint: [u8; FINGERPRINT_BYTES],
    threads: Vec<JoinHandle<()>>,
}

impl Coordinator {
    /// Listens for agents of the same version of the program, on one port for TCP and UDP.
    ///
    /// # Errors
    /// When the port can't be had, or certificates can't be made.
    pub fn listen(address: SocketAddr, program: &str) -> Result<Self, CoordinatorError> {
        let refused = |reason| CoordinatorError::Listen { address, reason };
        let (listener, socket) = both(address).map_err(refused)?;
        let address = listener.local_addr()?;
        // A connection that is gone before it is accepted blocks nobody.
        listener.set_nonblocking(true)?;
        socket.set_read_timeout(Some(LOOK))?;
        let authority = Authority::new("A run of Wiredyno over several machines")?;
        let (tls, fingerprint) = trust::coordinator(&authority)?;
        let key = random_bytes::<KEY_BYTES>()?;
        let shared = Arc::new(Shared {
            authority,
            tls,
            program: program.to_owned(),
            clock: own_identity(),
            key: Key::new(&key),
            socket,
            membership: Mutex::new(Membership::default()),
            roles: Roles::default(),
            changed: Condvar::new(),
            ends: AtomicBool::new(false),
        });
        let (accepting, asking) = (shared.clone(), shared.clone());
        let threads = vec![
            thread("agents", move || accept(&accepting, &listener))?,
            thread("agents' clocks", move || ask_all(&asking))?,
        ];
        Ok(Coordinator { shared, address, fingerprint, threads })
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

    /// How an agent's clock was from one moment of ours to another. Agents that share a clock are told by one line.
    ///
    /// # Errors
    /// When it is not there, nothing is known of its clock, or it can't be trusted.
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
                "it claims to share another agent's clock, and is ahead of ours by something else".to_owned(),
            ));
        }
        Ok(shared)
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

    /// Opens a connection for a role of an agent; returns the numbers of its session and of the role, and the connection.
    pub(crate) fn open(
        &self,
        name: &str,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<([u64; 2], Connection), String> {
        let (jobs, member, session) = {
            let mut membership = self.shared.locked();
            let of = membership.present(name).map_err(|error| error.to_string())?;
            (of.jobs.clone().ok_or("it has just gone")?, of.number, of.presence().session)
        };
        let (role, opened) = self.shared.roles.awaited(member);
        let asked = self.opened(&jobs, role, &opened, goes_on);
        self.shared.roles.forget(role);
        Ok(([session, role], asked?))
    }

    fn opened(
        &self,
        jobs: &Sender<Job>,
        role: u64,
        opened: &Receiver<Connection>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Connection, String> {
        let (reply, replied) = channel();
        jobs.send(Job { request: Request::Open { role }, reply }).map_err(|_| "it has just gone")?;
        let until = Instant::now() + OPENING;
        while Instant::now() < until && goes_on() {
            if let Ok(connection) = opened.recv_timeout(LOOK) {
                return Ok(connection);
            }
            match replied.try_recv() {
                Ok(Ok(Reply::Failed { reason })) => return Err(plain(&reason)),
                Ok(Err(why)) => return Err(why),
                Ok(Ok(_)) | Err(_) => {}
            }
        }
        Err("it was asked for another connection, and none came".to_owned())
    }

    /// Ends a role of an agent. Does not wait for it.
    pub(crate) fn close(&self, name: &str, role: u64) {
        let mut membership = self.shared.locked();
        let jobs = membership.present(name).ok().and_then(|of| of.jobs.clone());
        // One that has gone has ended its roles.
        let _ = jobs.map(|jobs| jobs.send(Job { request: Request::Close { role }, reply: channel().0 }));
    }

    /// The agents that have joined, in the order in which they did, with what is known of their clocks a second ago.
    pub fn members(&self) -> Vec<Member> {
        let at_ns = monotonic_ns() - BACK_NS;
        self.shared.locked().seated.iter().map(|of| of.member(at_ns)).collect()
    }

    /// Waits until an agent has joined, gone or come back since the version that was returned before, or for this time; returns the version.
    pub fn wait(&self, since: u64, within: Duration) -> u64 {
        let membership = self.shared.locked();
        let waited = self.shared.changed.wait_timeout_while(membership, within, |of| of.version == since);
        waited.unwrap_or_else(PoisonError::into_inner).0.version
    }

    /// Compares two members' clocks by exchanges between them, which take a second, and over ours.
    ///
    /// # Errors
    /// When one is not there, or the clocks can't be trusted.
    pub fn probe(&self, from: &str, to: &str) -> Result<Probed, ProbeError> {
        let (jobs, peer, key, is_one_clock) = {
            let mut membership = self.shared.locked();
            let other = membership.present(to)?;
            let (clock, peer, number) = (other.clock.clone(), other.answers_at, other.number);
            let of = membership.present(from)?;
            let key = hex::encode(self.shared.key.of(number).bytes_for(of.number));
            (of.jobs.clone(), peer, key, of.clock.is(&clock))
        };
        let (mut direct, mut sent) = (Track::default(), 0);
        if let (Some(jobs), Some(peer)) = (jobs, peer) {
            let (exchanges, of) = ask_to_probe(&jobs, (peer, key), from)?;
            sent = of;
            for one in exchanges {
                let doubted =
                    |why: String| ProbeError::Contradiction { from: from.into(), to: to.into(), why };
                direct.add(one).map_err(|error| doubted(error.to_string()))?;
            }
        }
        self.compared(from, to, &direct, sent, is_one_clock)
    }

    fn compared(
        &self,
        from: &str,
        to: &str,
        direct: &Track,
        sent: u32,
        claims_one_clock: bool,
    ) -> Result<Probed, ProbeError> {
        let contradiction = |why: String| ProbeError::Contradiction { from: from.into(), to: to.into(), why };
        // Of the exchanges between the two, one with others on both sides.
        let all = direct.exchanges();
        let middle_ns = all.get(all.len() / 2).map(Exchange::middle_ns);
        let over_ours = self.over_ours(from, to, middle_ns)?;
        let between = middle_ns.and_then(|middle_ns| direct.at(middle_ns));
        let best = match between {
            None => over_ours,
            Some(between) => {
                narrower(between, over_ours).map_err(|error| contradiction(error.to_string()))?
            }
        };
        // Two that only say that they share a clock are compared like others.
        let is_one_clock = claims_one_clock && between.is_some();
        if is_one_clock {
            direct.confirm_same_clock().map_err(|error| contradiction(error.to_string()))?;
            let [low_ns, high_ns] = over_ours.ends_ns();
            if low_ns > 0 || high_ns < 0 {
                return Err(contradiction(SameClockError { low_ns, high_ns }.to_string()));
            }
        }
        let estimate = if is_one_clock {
            Estimate { offset_ns: 0, bound_ns: 0, drift_ppb: 0.0, drift_bound_ppb: 0.0, ..best }
        } else {
            best
        };
        let answered = u32::try_from(all.len()).unwrap_or(u32::MAX);
        Ok(Probed {
            estimate,
            is_one_clock,
            is_direct: between == Some(best),
            round_trip_ns: direct.smallest_round_trip_ns(),
            exchanges: (answered, sent),
        })
    }

    /// How far one's clock is ahead of another's, each compared with ours, at a moment of the first's; a second ago if that is `None`.
    fn over_ours(&self, from: &str, to: &str, its_ns: Option<i64>) -> Result<Estimate, ProbeError> {
        let now_ns = monotonic_ns();
        let mut membership = self.shared.locked();
        let mut at_ns = now_ns - BACK_NS;
        if let Some(its_ns) = its_ns {
            // The moment by our clock: nearly, by its offset now, then by its offset nearly then.
            for _ in 0..2 {
                at_ns = its_ns.saturating_sub(membership.estimate(from, at_ns)?.offset_ns);
            }
        }
        let (first, second) = (membership.estimate(from, at_ns)?, membership.estimate(to, at_ns)?);
        // The moment is as uncertain as the first clock, and a second time by how much that moved until now; offsets change by `rate` in it.
        let rate = Track::default().assumed().rate;
        let away_ns = (now_ns - at_ns).unsigned_abs() as f64;
        let moved_ns = (2.0 * rate * (first.bound_ns as f64 + rate * away_ns)).ceil() as u64;
        Ok(Estimate {
            at_ns: its_ns.unwrap_or_else(|| at_ns.saturating_add(first.offset_ns)),
            offset_ns: second.offset_ns.saturating_sub(first.offset_ns),
            bound_ns: first.bound_ns + second.bound_ns + moved_ns,
            drift_ppb: second.drift_ppb - first.drift_ppb,
            drift_bound_ppb: second.drift_bound_ppb + first.drift_bound_ppb,
            broken: first.broken || second.broken,
        })
    }
}

/// Has one member exchange datagrams with another; if it can't, there are none.
fn ask_to_probe(
    jobs: &Sender<Job>,
    (peer, key): (SocketAddr, String),
    from: &str,
) -> Result<(Vec<Exchange>, u32), ProbeError> {
    let away = |why: &str| ProbeError::Away { name: from.to_owned(), why: why.to_owned() };
    let (reply, replied) = channel();
    let (count, every_us) = PROBES;
    let job = Job { request: Request::Probe { peer, key, count, every_us }, reply };
    jobs.send(job).map_err(|_| away("it has just gone"))?;
    // Behind a renewal that is under way.
    match replied.recv_timeout(2 * crate::LEASE + LONGEST_PROBE) {
        Ok(Ok(Reply::Probed { exchanges, sent })) => Ok((exchanges, sent)),
        Ok(Ok(Reply::Failed { .. })) => Ok((Vec::new(), 0)),
        Ok(Ok(_)) => Err(away("it answered something else")),
        Ok(Err(why)) => Err(away(&why)),
        Err(_) => Err(away("it does not answer")),
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

/// Exchanges datagrams with all members until the end.
fn ask_all(shared: &Shared) {
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

fn take(
    shared: &Shared,
    asked: &mut HashMap<u64, (u64, i64)>,
    datagram: Datagram,
    from: SocketAddr,
    t4_ns: i64,
) {
    match datagram.kind {
        Kind::Here => {
            let mut membership = shared.locked();
            // A datagram that somebody repeats, or sends on from elsewhere, moves nobody.
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

#[cfg(test)]
mod tests;
