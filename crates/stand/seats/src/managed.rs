//! A broker that we start, as a study asks for it.

use std::path::PathBuf;

use wiredyno_brokers::{BrokerFolder, BrokerFolderError, Secured};
use wiredyno_build::Cache;
use wiredyno_contract::{BrokerId, Security};
use wiredyno_credentials::Credentials;
use wiredyno_model::{Lack, Lifetime, Remedy};

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
    pub(crate) fn secured_by(self, security: Security, login: bool) -> Result<Self, Lack> {
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
