//! What takes the broker's role of a protocol in a run: a managed broker, the runner itself, or one given by address.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use wiredyno_brokers::{BrokerFolder, BrokerFolderError, Secured, StartError};
use wiredyno_build::Cache;
use wiredyno_contract::bulk::{BulkError, SupersededRow, read_superseded};
use wiredyno_contract::{
    BrokerId, Capability, CertificateFiles, DocumentFiles, Endpoint, LoginFile, ModeId, Operation,
    OptionTable, PskFile, Security, ServerTlsTerms, Success, TlsTerms, TlsVersion, TransportDescription,
    TransportId,
};
use wiredyno_credentials::{Credentials, PSK_IDENTITY, USER};
use wiredyno_model::trial::BrokerUsed;
pub use wiredyno_model::trial::PEER;
use wiredyno_model::{Cell, Known, Lack, Lifetime, Remedy};
use wiredyno_process::socket::Socket;

use crate::lane_brokers::{Asked, KeptBroker, LaneBrokers};
use crate::runner::{Interrupt, PATIENCE, Runner, RunnerError};
use crate::seat::clock::{SeatClock, Stamped};
use crate::seat::{RunnerSeat, Seat, Watch};

/// How long after a broken connection the end of the process behind it may take to become visible.
const DEATH_SHOWS: Duration = Duration::from_millis(500);

/// What takes the broker's role for one protocol.
#[derive(Debug, Clone)]
pub enum Serving {
    /// A broker of a folder, which we start.
    Managed(Managed),
    /// The runner's own server, such as a relay.
    Runner {
        /// The client library whose server it is.
        transport: TransportId,
        /// What trials record about it.
        used: BrokerUsed,
    },
    /// A server that runs already.
    External(External),
    /// No server: publishers connect to the subscriber.
    Peer,
}

/// The protocols whose subscribers can listen.
pub fn peers(transports: &[TransportDescription]) -> Vec<String> {
    let able = transports.iter().filter(|transport| transport.capabilities.contains(&Capability::PeerToPeer));
    let mut protocols: Vec<String> = able.map(|transport| transport.id.protocol.clone()).collect();
    protocols.dedup();
    protocols
}

/// A server that runs already, over the existing network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The address and port on which it listens.
    pub endpoint: Endpoint,
    /// The login of clients; `None` for none, or the protocol's own guest.
    pub login: Option<Login>,
    /// How connections to it are encrypted; `None` if they are in the clear.
    pub tls: Option<TlsTerms>,
}

impl External {
    /// Whether its address is for a security; `Err` says what to write instead.
    fn serves(&self, security: Option<Security>) -> Result<(), Lack> {
        match (security, &self.tls) {
            (None, _) | (Some(Security::None), None) | (Some(Security::Tls), Some(_)) => Ok(()),
            (Some(security), _) => {
                let is = if self.tls.is_some() { "with TLS" } else { "in the clear" };
                Err(Lack {
                    reason: format!("the broker by address is reached {is}, not with security `{security}`"),
                    remedy: Some(Remedy::Words("leave the axis out, or give a suitable address".to_owned())),
                })
            }
        }
    }
}

/// A user and a password, which appears in no result, log or list of processes.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The name of the user.
    pub user: String,
    /// The password of the user.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// A broker of a folder, with everything needed to start it.
#[derive(Debug, Clone, PartialEq)]
pub struct Managed {
    /// The folder with its definition.
    pub folder: Box<BrokerFolder>,
    /// The number of nodes to start.
    pub nodes: u32,
    /// How its connections are secured.
    pub security: Security,
    /// Whether clients need the run's user and password.
    pub login: bool,
    /// The version that it reports.
    pub version: String,
    /// The folder of its jars, if it has any.
    pub library: Option<PathBuf>,
}

impl Managed {
    /// An installed broker, in the clear and without login.
    ///
    /// # Errors
    /// When it reports no version, or can't have this number of nodes.
    pub fn of(folder: &BrokerFolder, id: &BrokerId, cache: &Cache) -> Result<Self, BrokerFolderError> {
        Ok(Managed {
            security: Security::None,
            login: false,
            nodes: folder.nodes(id)?,
            version: folder.version(cache)?,
            library: folder.library(cache),
            folder: Box::new(folder.clone()),
        })
    }

    /// The same broker, secured; `Err` says why that is not possible.
    fn secured_by(self, security: Security, login: bool) -> Result<Self, Lack> {
        let broker = &self.folder.broker;
        let known = broker.securities();
        if !known.contains(&security) {
            let words: Vec<&str> = known.into_iter().map(Security::word).collect();
            return Err(Lack {
                reason: format!(
                    "the broker {} has no security `{security}` here, only {}",
                    broker.id,
                    words.join(", ")
                ),
                remedy: Some(Remedy::Words("name another broker".to_owned())),
            });
        }
        if login && !broker.knows_users() {
            return Err(Lack {
                reason: format!("the broker {} does not ask for a password here", broker.id),
                remedy: Some(Remedy::Words("leave security.login out, or name another broker".to_owned())),
            });
        }
        Ok(Managed { security, login, ..self })
    }

    /// The security and login with which it is started.
    pub fn secured<'a>(&self, credentials: Option<&'a Credentials>) -> Secured<'a> {
        Secured { security: self.security, login: self.login, credentials }
    }

    /// How long one start of it serves.
    pub fn lifetime(&self) -> Lifetime {
        self.folder.broker.lifetime
    }

    /// About how long its start keeps a CPU busy, in nanoseconds.
    pub fn start_ns(&self) -> u64 {
        self.folder.broker.ready.usual.ns * u64::from(self.nodes)
    }

    /// About how much memory it takes, in bytes; 0 if negligible.
    pub fn memory_bytes(&self) -> u64 {
        self.folder.broker.memory_bytes * u64::from(self.nodes)
    }

    /// The share of a CPU that it takes while idle; 0 if negligible.
    pub fn idle_cpu(&self) -> f64 {
        self.folder.broker.idle_cpu * f64::from(self.nodes)
    }
}

/// What a cell requires of servers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Served {
    /// The protocol of its mode.
    pub protocol: String,
    /// The broker, if the study names one.
    pub broker: Option<BrokerId>,
    /// How connections are secured; absent if the study does not say.
    pub security: Option<Security>,
}

impl From<&Cell> for Served {
    fn from(cell: &Cell) -> Self {
        Served { protocol: cell.mode.protocol.clone(), broker: cell.broker.clone(), security: cell.security }
    }
}

/// The security of a cell: the study's, or the default of the protocol.
pub fn security_of(cell: &Cell, known: &Known) -> Security {
    let usual = || transport_for(known, &cell.mode).map(TransportDescription::usual_security);
    cell.security.or_else(usual).unwrap_or(Security::None)
}

/// What serves the requirements of cells.
pub type Servings = BTreeMap<Served, Serving>;

/// Requirements that nothing here serves: why, and what helps.
pub type Unserved = BTreeMap<Served, Lack>;

/// Chooses what serves each of these: the given address, else the named broker, else no server or the runner if the protocol needs no
/// broker, else the preferred installed one. Requirements that nothing here serves come with the reason and the command that helps.
///
/// # Errors
/// When a broker's definition is not valid, or it reports no version.
pub fn choose(
    known: &Known,
    external: &BTreeMap<String, External>,
    login: bool,
    wanted: impl IntoIterator<Item = Served>,
) -> Result<(Servings, Unserved), BrokerFolderError> {
    let brokers = wiredyno_brokers::all()?;
    // Without a cache no broker is installed in it.
    let cache = Cache::of_user().unwrap_or_else(|_| Cache::at(PathBuf::from("/dev/null")));
    let (mut chosen, mut unserved) = (BTreeMap::new(), BTreeMap::new());
    for served in wanted {
        let Served { protocol, broker: id, security } = served.clone();
        let usual = || first_of(known, &protocol).map(TransportDescription::usual_security);
        let securing = security.or_else(usual).unwrap_or(Security::None);
        let serving = match (external.get(&protocol), &id) {
            (Some(external), _) => external.serves(security).map(|()| Serving::External(external.clone())),
            (None, Some(id)) if id.name == PEER && !securing.is_none() && !securing.is_between_peers() => {
                Err(Lack::of("a subscriber that listens itself has no certificate here: only in the clear"))
            }
            (None, Some(id)) if id.name == PEER => Ok(Serving::Peer),
            (None, Some(id)) => {
                let folder = wiredyno_brokers::find(id)?;
                match folder.missing(&cache).first() {
                    None => {
                        Managed::of(&folder, id, &cache)?.secured_by(securing, login).map(Serving::Managed)
                    }
                    Some(missing) => Err(Lack {
                        reason: format!("the broker {id} is not installed ({} is missing)", missing.what),
                        remedy: Some(missing.remedy.clone()),
                    }),
                }
            }
            // A protocol that needs no broker gets one if it is named.
            (None, None) => match without_broker(known, &protocol) {
                Some(serving) => Ok(serving),
                None => match preferred(&brokers, &protocol, securing, &cache)? {
                    Some(managed) => managed.secured_by(securing, login).map(Serving::Managed),
                    None => Err(Lack {
                        reason: format!("no broker for {protocol} is installed"),
                        remedy: Some(Remedy::Commands(install_lines(&brokers, &protocol))),
                    }),
                },
            },
        };
        match serving {
            Ok(serving) => {
                chosen.insert(served, serving);
            }
            Err(lack) => {
                unserved.insert(served, lack);
            }
        }
    }
    Ok((chosen, unserved))
}

/// The preferred installed broker of a protocol, among those with a security if there are any.
fn preferred(
    brokers: &[BrokerFolder],
    protocol: &str,
    security: Security,
    cache: &Cache,
) -> Result<Option<Managed>, BrokerFolderError> {
    let serves = |folder: &&BrokerFolder| folder.broker.protocols.iter().any(|served| served == protocol);
    let installed: Vec<_> =
        brokers.iter().filter(serves).filter(|folder| folder.is_installed(cache)).collect();
    let able = installed.iter().find(|folder| folder.broker.securities().contains(&security));
    let managed = able.or(installed.first()).map(|folder| {
        let id = BrokerId { name: folder.broker.id.clone(), nodes: None };
        Managed::of(folder, &id, cache)
    });
    managed.transpose()
}

/// The commands that install a broker of a protocol.
fn install_lines(brokers: &[BrokerFolder], protocol: &str) -> Vec<String> {
    let serves =
        brokers.iter().filter(|folder| folder.broker.protocols.iter().any(|served| served == protocol));
    serves.map(BrokerFolder::install_line).collect()
}

/// What serves a protocol that needs no broker: no server, or the runner.
fn without_broker(known: &Known, protocol: &str) -> Option<Serving> {
    let transport = first_of(known, protocol)?;
    if transport.capabilities.contains(&Capability::Direct) {
        return Some(Serving::Peer);
    }
    if !transport.capabilities.contains(&Capability::Brokerless) {
        return None;
    }
    let version = transport.server.clone().unwrap_or_else(|| transport.version.clone());
    let used = BrokerUsed { id: "relay".to_owned(), version, ..BrokerUsed::default() };
    Some(Serving::Runner { transport: transport.id.clone(), used })
}

/// The first client of a protocol in the registry, which serves when a runner serves.
pub fn first_of<'a>(known: &'a Known, protocol: &str) -> Option<&'a TransportDescription> {
    known.transports.iter().find(|transport| transport.id.protocol == protocol)
}

/// The client that a run uses for a mode.
pub fn transport_for<'a>(known: &'a Known, mode: &ModeId) -> Option<&'a TransportDescription> {
    mode.transport(&known.transports)
}

/// A server that serves one trial.
pub enum Server {
    /// A broker, started by us.
    Broker(Box<KeptBroker>),
    /// A relay or server in a runner's process.
    Runner(Box<Relay>, BrokerUsed),
    /// Not ours: it runs already, or there is none.
    None(BrokerUsed),
}

/// A runner in the role of a server.
pub struct Relay {
    runner: Runner,
    /// If it created its own certificate: how clients trust that, in PEM form, and the host for which it is.
    trusted: Option<(String, String)>,
}

/// What can go wrong when a server is started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The broker did not start.
    #[error(transparent)]
    Broker(#[from] StartError),
    /// The runner did not start, or refused to serve.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// A file or port that it needs is not available.
    #[error("{0}")]
    Place(std::io::Error),
}

/// Why it is unknown what a server superseded.
#[derive(Debug, thiserror::Error)]
pub enum SupersededError {
    /// The runner does not answer.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// Its records can't be read.
    #[error("the records of the relay: {0}")]
    Records(#[from] BulkError),
}

impl Serving {
    /// Options that clients of a protocol need with it.
    pub fn options(&self, protocol: &str) -> OptionTable {
        let Serving::Managed(managed) = self else { return OptionTable::new() };
        managed.folder.broker.options.get(protocol).cloned().unwrap_or_default()
    }

    /// The login of clients, with the password in a file of this folder that only this user can read, or the run's own.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn login(
        &self,
        folder: &Path,
        credentials: Option<&Credentials>,
    ) -> std::io::Result<Option<LoginFile>> {
        if let (Serving::Managed(Managed { login: true, .. }), Some(credentials)) = (self, credentials) {
            let password_file = credentials.password_file().display().to_string();
            return Ok(Some(LoginFile { user: USER.to_owned(), password_file }));
        }
        let Serving::External(External { login: Some(login), .. }) = self else { return Ok(None) };
        let path = folder.join("password");
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(login.password.as_bytes())?;
        Ok(Some(LoginFile { user: login.user.clone(), password_file: path.display().to_string() }))
    }
}

/// How connections of a trial are secured.
#[derive(Clone, Copy)]
pub struct Securing<'a> {
    /// The kind of encryption and authentication.
    pub security: Security,
    /// The credentials of both sides; `None` in the clear.
    pub credentials: Option<&'a Credentials>,
    /// Whether each client resumes the session of an earlier connection.
    pub resumes: bool,
    /// The file for keys, if they are written.
    pub key_log: Option<&'a Path>,
}

impl Securing<'_> {
    /// How clients encrypt connections to a server of the run at this endpoint, against whose address they check its certificate.
    fn client(&self, endpoint: &Endpoint) -> Option<TlsTerms> {
        let credentials = self.credentials.filter(|_| !self.security.is_none())?;
        let text = |path: PathBuf| path.display().to_string();
        let [certificate, key, _] = credentials.client();
        let own = CertificateFiles { certificate_file: text(certificate), key_file: text(key) };
        let psk = PskFile { identity: PSK_IDENTITY.to_owned(), key_file: text(credentials.psk_file()) };
        let [governance_file, permissions_file] = credentials.documents().map(text);
        let documents = DocumentFiles { governance_file, permissions_file };
        let shows = matches!(self.security, Security::Mtls | Security::DdsSecurity);
        Some(TlsTerms {
            server_name: endpoint.host.clone(),
            ca_file: Some(text(credentials.ca())),
            certificate: shows.then_some(own),
            psk: (self.security == Security::DtlsPsk).then_some(psk),
            documents: (self.security == Security::DdsSecurity).then_some(documents),
            // The run's servers speak no older version; a client that accepted one would be open to a downgrade.
            least: matches!(self.security, Security::Tls | Security::Mtls).then_some(TlsVersion::Tls13),
            resumes: self.resumes,
            key_log: self.key_log.map(|path| path.display().to_string()),
        })
    }

    /// How a runner's own server encrypts connections.
    fn server(&self) -> Option<ServerTlsTerms> {
        let credentials = self.credentials.filter(|_| !self.security.is_none())?;
        let text = |path: PathBuf| path.display().to_string();
        let [certificate, key, _] = credentials.server();
        let own = CertificateFiles { certificate_file: text(certificate), key_file: text(key) };
        let psk = PskFile { identity: PSK_IDENTITY.to_owned(), key_file: text(credentials.psk_file()) };
        Some(ServerTlsTerms {
            certificate: self.security.has_certificate().then_some(own),
            client_ca_file: (self.security == Security::Mtls).then(|| text(credentials.ca())),
            psk: (self.security == Security::DtlsPsk).then_some(psk),
        })
    }
}

impl Serving {
    /// How clients encrypt their connections to it at this endpoint.
    pub fn tls(&self, securing: &Securing<'_>, endpoint: &Endpoint) -> Option<TlsTerms> {
        match self {
            Serving::External(external) => external.tls.clone(),
            Serving::Managed(_) | Serving::Runner { .. } => securing.client(endpoint),
            Serving::Peer => securing.client(endpoint).filter(|_| securing.security.is_between_peers()),
        }
    }
}

/// What is needed to start a server.
pub struct Footing<'a> {
    /// Where the server of a runner is to listen.
    pub endpoint: Endpoint,
    /// Options and seed of a runner's own server.
    pub terms: (OptionTable, u64),
    /// How connections of the trial are secured.
    pub securing: Securing<'a>,
    /// The cell of the trial that the server is for.
    pub cell: &'a Cell,
    /// The version of its clients' library.
    pub version: &'a str,
    /// The brokers that its lane keeps.
    pub brokers: &'a LaneBrokers,
    /// Gives a runner a seat on the broker's host.
    pub runner: &'a dyn Fn() -> Result<Runner, RunnerError>,
    /// Moves another program to the broker's host.
    pub enter: &'a dyn Fn(&mut Command),
    /// Set when the run is to end.
    pub interrupt: &'a Interrupt,
}

impl Serving {
    /// Starts the server, or takes one that is kept, and returns where it listens.
    ///
    /// # Errors
    /// When it does not start or does not listen.
    pub fn start(&self, footing: Footing<'_>) -> Result<(Server, Endpoint), ServerError> {
        let Footing {
            endpoint,
            terms: (options, seed),
            securing,
            cell,
            version,
            brokers,
            runner,
            enter,
            interrupt,
        } = footing;
        match self {
            Serving::Managed(managed) => {
                let asked = Asked { managed, cell, address: &endpoint.host };
                let broker = brokers.take(asked, enter, interrupt)?;
                let endpoint = broker.seat.endpoint().clone();
                Ok((Server::Broker(Box::new(broker)), endpoint))
            }
            Serving::Runner { transport, used } => {
                let mut runner = runner()?;
                let tls = securing.server();
                let serve = Operation::Serve { transport: transport.clone(), endpoint, options, seed, tls };
                match runner.ask(serve, PATIENCE)? {
                    Success::Serving { endpoint, certificate } => {
                        let trusted = certificate.map(|certificate| (endpoint.host.clone(), certificate));
                        let relay = Box::new(Relay { runner, trusted });
                        Ok((Server::Runner(relay, used.clone()), endpoint))
                    }
                    other => Err(runner.unexpected("serve", &other).into()),
                }
            }
            Serving::External(External { endpoint, tls, .. }) => {
                let used = BrokerUsed {
                    id: "external".to_owned(),
                    version: "unknown".to_owned(),
                    label: format!(
                        "not started by this run: {endpoint}{}",
                        if tls.is_some() { ", with TLS" } else { "" }
                    ),
                    storage: String::new(),
                };
                Ok((Server::None(used), endpoint.clone()))
            }
            Serving::Peer => {
                let used = BrokerUsed {
                    id: PEER.to_owned(),
                    version: version.to_owned(),
                    label: "no broker: directly from the publisher to the subscriber".to_owned(),
                    storage: String::new(),
                };
                Ok((Server::None(used), endpoint))
            }
        }
    }
}

impl Server {
    /// What trials record about it.
    pub fn used(&self) -> BrokerUsed {
        match self {
            Server::Broker(broker) => broker.seat.used().clone(),
            Server::Runner(_, used) | Server::None(used) => used.clone(),
        }
    }

    /// How long a broker of ours took to start, and how many trials it has served before this one, which is counted from now on.
    pub fn serve(&mut self) -> (Option<Duration>, Option<u32>) {
        match self {
            Server::Broker(broker) => (Some(broker.seat.start()), Some(broker.serve())),
            Server::Runner(..) | Server::None(_) => (None, None),
        }
    }

    /// How many messages a broker has to carry before its first trial in a mode.
    pub fn messages_to_warm(&mut self, mode: &ModeId) -> u32 {
        match self {
            Server::Broker(broker) => broker.messages_to_warm(mode),
            Server::Runner(..) | Server::None(_) => 0,
        }
    }

    /// How clients encrypt their connections to a server that created its own certificate, which is written to a file in this folder; absent
    /// if it has none.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn tls(&self, folder: &Path) -> std::io::Result<Option<TlsTerms>> {
        let Server::Runner(relay, _) = self else { return Ok(None) };
        let Some((host, certificate)) = &relay.trusted else { return Ok(None) };
        let path = folder.join("relay.pem");
        std::fs::write(&path, certificate)?;
        Ok(Some(TlsTerms::of(host.clone(), Some(path.display().to_string()))))
    }

    /// Its seat; absent if the server is not ours.
    fn seat(&self) -> Option<&dyn Seat> {
        match self {
            Server::Broker(broker) => Some(&*broker.seat),
            Server::Runner(relay, _) => Some(relay.runner.seat()),
            Server::None(_) => None,
        }
    }

    /// The seat of a runner that serves.
    pub fn relay(&self) -> Option<&dyn RunnerSeat> {
        match self {
            Server::Runner(relay, _) => Some(relay.runner.seat()),
            Server::Broker(_) | Server::None(_) => None,
        }
    }

    /// Starts watching what it uses; `None` if it is not ours, or has ended.
    pub fn watch(&self) -> Option<Box<dyn Watch>> {
        self.seat().and_then(|seat| seat.watch().ok())
    }

    /// Its sockets; empty if it is not ours, or has ended.
    pub fn sockets(&self) -> Vec<Socket> {
        self.seat().and_then(|seat| seat.sockets().ok()).unwrap_or_default()
    }

    /// If a runner serves: what it superseded, with times of our clock; its server ends. For other servers it is
    /// empty: they supersede nothing, or their protocol's clients can't report it.
    ///
    /// # Errors
    /// When the runner does not answer or its records can't be read.
    pub fn superseded(&mut self) -> Result<Vec<SupersededRow>, SupersededError> {
        let Server::Runner(relay, _) = self else { return Ok(Vec::new()) };
        let recorded = relay.runner.finish_serving("superseded")?;
        let mut file = std::fs::File::open(&recorded.path).map_err(BulkError::Read)?;
        let ours = |row: SupersededRow| row.told_by(SeatClock::OURS, recorded.clock);
        Ok(read_superseded(&mut file)?.into_iter().map(ours).collect())
    }

    /// Reports, once it has ended by itself, what is known about it; absent while it runs or if it is not ours.
    pub fn ended(&mut self) -> Option<String> {
        match self {
            Server::Broker(broker) => broker.seat.ended(),
            Server::Runner(relay, _) => relay.runner.ended(),
            Server::None(_) => None,
        }
    }

    /// The same once a connection to it has broken: a dying process closes its sockets before it can be waited
    /// for, so this waits up to half a second for its end.
    pub fn ended_soon(&mut self) -> Option<String> {
        let until = Instant::now() + DEATH_SHOWS;
        loop {
            let ended = self.ended();
            if ended.is_some() || matches!(self, Server::None(_)) || Instant::now() >= until {
                return ended;
            }
            std::thread::sleep(DEATH_SHOWS / 50);
        }
    }

    /// Ends it, or returns it to its lane if it serves further trials.
    pub fn stop(self, brokers: &LaneBrokers) {
        match self {
            Server::Broker(broker) => brokers.give_back(*broker),
            Server::Runner(relay, _) => relay.runner.stop(),
            Server::None(_) => {}
        }
    }
}
