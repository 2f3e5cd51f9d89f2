//! What can't be run on agents yet, cell by cell.

use super::RunAgents;
use super::prepared::hosts_of;
use wiredyno_contract::RUST;
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
        let alone = [(hosts.subscriber, "subscribers"), (hosts.broker, "the broker")];
        if let Some((number, host, what)) =
            alone.iter().find_map(|(host, what)| Some((several(*host)?, *host, what)))
        {
            return Some(format!(
                "the host `{}` is {number} agents, among which only publishers are divided, and {what} would be there too",
                word(host)
            ));
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

fn word(host: Host) -> &'static str {
    match host {
        Host::Edge => "edge",
        Host::Cloud => "cloud",
    }
}
