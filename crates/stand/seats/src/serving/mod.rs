//! What takes the broker's role of a protocol in a run: a managed broker, the runner itself, or one given by address.

mod choose;
mod external;
mod server;

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use wiredyno_contract::bulk::BulkError;
use wiredyno_contract::{
    CertificateFiles, DocumentFiles, Endpoint, LoginFile, Operation, OptionTable, PskFile, Security,
    ServerTlsTerms, Success, TlsTerms, TlsVersion, TransportId,
};
use wiredyno_credentials::{Credentials, PSK_IDENTITY, USER};
use wiredyno_model::trial::BrokerUsed;
pub use wiredyno_model::trial::PEER;

use crate::lane_brokers::Asked;
use crate::managed::Managed;
use crate::runner::PATIENCE;
use crate::runner_error::RunnerError;
use crate::server_error::ServerError;

pub use self::choose::{Served, Servings, Unserved, choose, first_of, peers, security_of, transport_for};
pub use self::external::{External, Login};
pub use self::server::{Footing, Relay, Server};

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
            site,
            interrupt,
        } = footing;
        match self {
            Serving::Managed(managed) => {
                let asked = Asked { managed, cell, address: &endpoint.host };
                let broker = brokers.take(asked, site, interrupt)?;
                let endpoint = broker.seat.endpoint().clone();
                Ok((Server::Broker(Box::new(broker)), endpoint))
            }
            Serving::Runner { transport, used } => {
                let mut runner = runner()?;
                let (tls, asked) = (securing.server(), endpoint.host.clone());
                let serve = Operation::Serve { transport: transport.clone(), endpoint, options, seed, tls };
                match runner.ask(serve, PATIENCE)? {
                    Success::Serving { endpoint, .. } if endpoint.host != asked => {
                        let elsewhere = format!("the relay listens at {endpoint}, not at {asked}");
                        Err(ServerError::Place(std::io::Error::other(elsewhere)))
                    }
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
