//! Whether so many clients can be had: what a protocol can't, and what this machine can't.

use anyhow::bail;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use wiredyno_contract::Capability;
use wiredyno_model::{Cell, Known, Load};

use super::prepared::is_peer;
use crate::left_out::Reason;

/// File descriptors that a connection takes of the process that holds it: its socket, and what the client's runtime waits with.
const OF_A_CLIENT: u64 = 8;

/// What a process has open beside its connections.
const OTHERS: u64 = 64;

/// Cells whose clients the protocol can't have, with the reason.
pub(super) fn impossible(load: &Load, cells: &[Cell], known: &Known) -> Vec<(Cell, Reason)> {
    let why = |cell: &Cell| {
        let clients = load.of(cell).clients();
        let protocol = &cell.mode.protocol;
        let transport = known.client(cell)?;
        let is = |capability| transport.has(cell.mode.setting.as_deref(), capability);
        if clients.topics > 1 && !is(Capability::Topics) {
            return Some(format!("{protocol} has no topics: every message would go to every subscriber"));
        }
        if clients.fan_out() > 1 && is(Capability::MaySupersede) {
            let why = "a message may be superseded for one subscriber and not for another, which can't be distinguished here";
            return Some(format!("{}: {why}", cell.mode));
        }
        let is_many = clients.subscribers > 1 && is_peer(cell) && !is(Capability::Direct);
        is_many.then(|| "without a broker only one subscriber can listen".to_owned())
    };
    cells.iter().filter_map(|cell| Some((cell.clone(), Reason::Clients(why(cell)?)))).collect()
}

/// Whether this user's processes may have as many connections open as the cell with most of them needs; raises the soft limit of this
/// process, which those that it starts inherit.
///
/// # Errors
/// When the hard limit is too low.
pub(super) fn check_descriptors(load: &Load, cells: &[Cell]) -> anyhow::Result<()> {
    let needed = |cell: &Cell| {
        let clients = load.of(cell).clients();
        // The relay, or the broker, has those of both sides.
        u64::from(clients.publishers + clients.subscribers) * OF_A_CLIENT + OTHERS
    };
    let Some((most, cell)) = cells.iter().map(|cell| (needed(cell), cell)).max_by_key(|(most, _)| *most)
    else {
        return Ok(());
    };
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if most > hard {
        bail!(
            "{cell}: its clients need {most} file descriptors, but a process may have only {hard} here: raise the limit \
             (`ulimit -Hn {most}` as root, or `nofile` in /etc/security/limits.conf), or use fewer publishers or subscribers"
        );
    }
    if most > soft {
        setrlimit(Resource::RLIMIT_NOFILE, most, hard)?;
    }
    Ok(())
}
