//! Which protocols can be run on this machine: what a plan leaves out and what `wiredyno doctor` calls missing, determined in one place.

use std::collections::BTreeMap;

use wiredyno_brokers::BrokerFolderError;
use wiredyno_contract::{DeclaredTransport, TransportId};
use wiredyno_model::{Known, Lack, Remedy};

use crate::serving::{Served, Serving, choose};

/// Why a client can't be compiled here, and whether only its encryption can't; `None` if it can, with encryption if that is requested.
pub fn lack_of(client: &DeclaredTransport, encrypted: bool) -> Option<(bool, Lack)> {
    let lacks = |encrypted| {
        let lack = of_machine(wiredyno_needs::lack(client.needed(encrypted))?);
        let reason = format!("its client can't be compiled here, {}", lack.reason);
        Some((encrypted, Lack { reason, ..lack }))
    };
    lacks(false).or_else(|| if encrypted { lacks(true) } else { None })
}

/// Converts what the machine lacks for compiling something.
pub fn of_machine(lack: wiredyno_needs::Lack) -> Lack {
    let remedy = if lack.is_command { Remedy::command(lack.remedy) } else { Remedy::Words(lack.remedy) };
    Lack { reason: lack.reason, remedy: Some(remedy) }
}

/// What sends and serves messages, or why that is not possible.
pub type Reached = Result<String, Lack>;

/// For each client, what sends and serves its messages if a study names only its mode, or why a plan would leave that out.
///
/// # Errors
/// When a broker's definition is not valid, or it reports no version.
pub fn protocols(known: &Known) -> Result<Vec<(TransportId, Reached)>, BrokerFolderError> {
    wiredyno_transport_registry::REGISTRY
        .iter()
        .map(|client| Ok((client.describe().id, protocol(known, client)?)))
        .collect()
}

fn protocol(known: &Known, client: &DeclaredTransport) -> Result<Reached, BrokerFolderError> {
    let described = client.describe();
    if let Some((_, why)) = lack_of(client, !described.usual_security().is_none()) {
        return Ok(Err(why));
    }
    let served = Served { protocol: described.id.protocol, broker: None, security: None };
    let (servings, unserved) = choose(known, &BTreeMap::new(), false, [served.clone()])?;
    if let Some(why) = unserved.get(&served) {
        return Ok(Err(why.clone()));
    }
    Ok(Ok(match servings.get(&served) {
        Some(Serving::Managed(managed)) => {
            format!("by the broker {} {}", managed.folder.broker.id, managed.version)
        }
        Some(Serving::Runner { used, .. }) => format!("by our own relay or server, {}", used.version),
        _ => "directly, without a broker".to_owned(),
    }))
}
