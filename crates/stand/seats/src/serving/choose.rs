//! Which broker, relay or peer serves each mode of a plan, or why nothing does.

use std::collections::BTreeMap;
use std::path::PathBuf;

use wiredyno_brokers::{BrokerFolder, BrokerFolderError};
use wiredyno_build::Cache;
use wiredyno_contract::{BrokerId, Capability, ModeId, Security, TransportDescription};
use wiredyno_model::trial::BrokerUsed;
use wiredyno_model::trial::PEER;
use wiredyno_model::{Cell, Known, Lack, Remedy};

use super::external::External;
use super::{Managed, Serving};

/// The protocols whose subscribers can listen.
pub fn peers(transports: &[TransportDescription]) -> Vec<String> {
    let able = transports.iter().filter(|transport| transport.capabilities.contains(&Capability::PeerToPeer));
    let mut protocols: Vec<String> = able.map(|transport| transport.id.protocol.clone()).collect();
    protocols.dedup();
    protocols
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
