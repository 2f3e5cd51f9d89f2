//! What can't be run on agents yet, cell by cell.

use super::RunAgents;
use super::prepared::{hosts_of, is_peer};
use wiredyno_contract::{Capability, LoadKind, RUST};
use wiredyno_model::{Cell, Host, Known, Records, Study};

/// The cells that can't be, with the reason.
pub(super) fn impossible(
    agents: &RunAgents,
    study: &Study,
    cells: &[Cell],
    known: &Known,
) -> Vec<(Cell, String)> {
    let why = |cell: &Cell| {
        let hosts = hosts_of(known, study.hosts, cell);
        let is_away = |host: Host| agents.hosts.contains_key(&host);
        let several = |host: Host| agents.hosts.get(&host).copied().filter(|number| *number > 1);
        if let Some(number) = several(hosts.broker) {
            return Some(format!(
                "the host `{}` is {number} agents, and the broker, or the subscriber to which publishers connect, would be there",
                word(hosts.broker)
            ));
        }
        let divided = several(hosts.subscriber);
        if let Some(number) = divided.filter(|_| hosts.publisher == hosts.subscriber) {
            return Some(format!(
                "the host `{}` is {number} agents, and what one of them sends another one would receive: a round trip is read by one clock",
                word(hosts.subscriber)
            ));
        }
        if let Some((number, why)) =
            divided.and_then(|number| Some((number, undivided(study, cell, known, number)?)))
        {
            return Some(format!("the host `{}` is {number} agents: {why}", word(hosts.subscriber)));
        }
        let runner = known.runner_of(&cell.codec);
        if runner != RUST && [hosts.publisher, hosts.subscriber].into_iter().any(is_away) {
            return Some(format!(
                "`{}` belongs to the runner `{runner}`, and only runners composed in Rust are sent to agents",
                cell.codec
            ));
        }
        if cell.records == Some(Records::Postgresql) && is_away(hosts.publisher) {
            return Some("the database with the records is on this machine".to_owned());
        }
        None
    };
    cells.iter().filter_map(|cell| Some((cell.clone(), why(cell)?))).collect()
}

/// Why the subscribers of a cell can't be divided among this number of agents.
fn undivided(study: &Study, cell: &Cell, known: &Known, number: usize) -> Option<String> {
    let load = study.load.as_ref()?.of(cell);
    let client = known.client(cell)?.clone().under(&study.options_for(cell));
    let setting = cell.mode.setting.as_deref();
    if load.kind == LoadKind::Closed {
        return Some("in a closed loop one machine receives".to_owned());
    }
    if is_peer(cell) || client.has(setting, Capability::Direct) {
        return Some("publishers connect to one machine that receives".to_owned());
    }
    if client.has(setting, Capability::Shared) {
        return Some("subscribers that share messages are on one machine".to_owned());
    }
    (!(load.subscribers as usize).is_multiple_of(number))
        .then(|| format!("{} subscribers can't be divided equally among them", load.subscribers))
}

fn word(host: Host) -> &'static str {
    match host {
        Host::Edge => "edge",
        Host::Cloud => "cloud",
    }
}
