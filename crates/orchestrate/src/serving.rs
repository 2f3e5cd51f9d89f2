//! Who takes the broker's role of a protocol in a run: a managed broker, the runner itself, or one given by address.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use wiredyno_model::trial::BrokerUsed;
use wiredyno_model::{Capability, Known, OptionTable, TransportDescription, TransportId};
use wiredyno_runner_wire::bulk::{BulkError, SupersededRow, read_superseded};
use wiredyno_runner_wire::{Endpoint, Operation, Success};

use crate::broker::{Broker, BrokerError, BrokerProcess, brokers};
use crate::runner::{Interrupt, PATIENCE, RunnerError, RunnerProcess};

/// The broker's role of one protocol.
#[derive(Debug, Clone)]
pub enum Serving {
    /// A broker of `brokers/`, started per trial.
    Managed {
        /// Its definition.
        broker: Box<Broker>,
        /// The version that it stated.
        version: String,
    },
    /// The runner's own server.
    Runner {
        /// The transport that serves.
        transport: TransportId,
        /// What trials record of it.
        used: BrokerUsed,
    },
    /// A server that runs already.
    External {
        /// Where it listens.
        endpoint: Endpoint,
    },
}

/// Chooses who serves each protocol: the address given, else an installed broker, else the runner where it can. A
/// protocol that nobody serves here is not in what is given.
///
/// # Errors
/// When a broker's definition is wrong.
pub fn choose(
    runner: &Known,
    external: &BTreeMap<String, Endpoint>,
    protocols: impl IntoIterator<Item = String>,
) -> Result<BTreeMap<String, Serving>, BrokerError> {
    let known = brokers()?;
    let mut chosen = BTreeMap::new();
    for protocol in protocols {
        let serving = match external.get(&protocol) {
            Some(endpoint) => Some(Serving::External { endpoint: endpoint.clone() }),
            None => managed(&known, &protocol)?.or_else(|| by_runner(runner, &protocol)),
        };
        if let Some(serving) = serving {
            chosen.insert(protocol, serving);
        }
    }
    Ok(chosen)
}

fn managed(known: &[Broker], protocol: &str) -> Result<Option<Serving>, BrokerError> {
    let serves = |broker: &&Broker| broker.protocols.iter().any(|served| served == protocol);
    let Some(broker) = known.iter().filter(serves).find(|broker| broker.program_path().is_some()) else {
        return Ok(None);
    };
    Ok(Some(Serving::Managed { broker: Box::new(broker.clone()), version: broker.version()? }))
}

fn by_runner(runner: &Known, protocol: &str) -> Option<Serving> {
    let transport = transport_for(runner, protocol)?;
    if !transport.capabilities.contains(&Capability::Brokerless) {
        return None;
    }
    let version = transport.server.clone().unwrap_or_else(|| transport.version.clone());
    let used = BrokerUsed { id: "relay".to_owned(), version, label: String::new() };
    Some(Serving::Runner { transport: transport.id.clone(), used })
}

/// The client that a run uses for a protocol: the first in the registry.
pub fn transport_for<'a>(runner: &'a Known, protocol: &str) -> Option<&'a TransportDescription> {
    runner.transports.iter().find(|transport| transport.id.protocol == protocol)
}

/// A server that serves one trial.
pub enum Server {
    /// A broker's process.
    Broker(BrokerProcess),
    /// A runner's process.
    Runner(Box<RunnerProcess>, BrokerUsed),
    /// Not ours.
    External(BrokerUsed),
}

/// What can go wrong when a server is started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The broker.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The runner.
    #[error(transparent)]
    Runner(#[from] RunnerError),
}

/// Why it is not known what a server superseded.
#[derive(Debug, thiserror::Error)]
pub enum SupersededError {
    /// The runner.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// Its records.
    #[error("the records of the relay: {0}")]
    Records(#[from] BulkError),
}

impl Serving {
    /// Starts the server and says where it listens. `options` and `seed` are for the runner's own server; `runner`
    /// makes a command that starts a runner on the broker's host, `enter` moves another program there.
    ///
    /// # Errors
    /// When it does not start or does not listen.
    pub fn start(
        &self,
        folder: &Path,
        endpoint: Endpoint,
        (options, seed): (OptionTable, u64),
        runner: impl FnOnce() -> Result<Command, RunnerError>,
        enter: impl FnOnce(&mut Command),
        interrupt: &Interrupt,
    ) -> Result<(Server, Endpoint), ServerError> {
        match self {
            Serving::Managed { broker, version } => {
                let process = broker.start(folder, &endpoint, version, enter)?;
                Ok((Server::Broker(process), endpoint))
            }
            Serving::Runner { transport, used } => {
                let mut process = RunnerProcess::start("relay", runner()?, interrupt)?;
                let serve = Operation::Serve { transport: transport.clone(), endpoint, options, seed };
                match process.ask(serve, PATIENCE)? {
                    Success::Serving { endpoint } => {
                        Ok((Server::Runner(Box::new(process), used.clone()), endpoint))
                    }
                    other => Err(process.unexpected("serve", &other).into()),
                }
            }
            Serving::External { endpoint } => {
                let used = BrokerUsed {
                    id: "external".to_owned(),
                    version: "unknown".to_owned(),
                    label: format!("not started by this run: {endpoint}"),
                };
                Ok((Server::External(used), endpoint.clone()))
            }
        }
    }
}

impl Server {
    /// What trials record of it.
    pub fn used(&self) -> BrokerUsed {
        match self {
            Server::Broker(process) => process.used.clone(),
            Server::Runner(_, used) | Server::External(used) => used.clone(),
        }
    }

    /// Its process id; absent when it is not ours.
    pub fn pid(&self) -> Option<u32> {
        match self {
            Server::Broker(process) => Some(process.pid()),
            Server::Runner(process, _) => Some(process.pid()),
            Server::External(_) => None,
        }
    }

    /// Where the runner serves: what it superseded, by way of a file in the trial's folder; its server ends. Of
    /// other servers nothing is known: they supersede nothing, or their protocol's clients can't tell.
    ///
    /// # Errors
    /// When the runner does not answer or its records can't be read.
    pub fn superseded(&mut self, folder: &Path) -> Result<Vec<SupersededRow>, SupersededError> {
        let Server::Runner(process, _) = self else { return Ok(Vec::new()) };
        let path = folder.join("superseded");
        let finish = Operation::FinishServing { records: path.display().to_string() };
        match process.ask(finish, PATIENCE)? {
            Success::Finished { .. } => {}
            other => return Err(process.unexpected("finish-serving", &other).into()),
        }
        let mut file = std::fs::File::open(&path).map_err(BulkError::Read)?;
        Ok(read_superseded(&mut file)?)
    }

    /// That it has ended by itself, with what is known about it; absent while it runs or where it is not ours.
    pub fn ended(&mut self) -> Option<String> {
        match self {
            Server::Broker(process) => process.ended(),
            Server::Runner(process, _) => process.has_ended(),
            Server::External(_) => None,
        }
    }

    /// Ends it.
    pub fn stop(self) {
        if let Server::Runner(process, _) = self {
            process.stop();
        }
    }
}
