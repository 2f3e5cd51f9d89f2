//! Whether this many clients are possible: limits of protocols, and of this machine.

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use wiredyno_contract::Capability;
use wiredyno_model::{Cell, Known, Load, Study};
use wiredyno_planning::left_out::Reason;

use super::prepared::is_peer;

/// File descriptors that a connection takes in the process that holds it: its socket, and those of the client's runtime.
const OF_A_CLIENT: u64 = 8;

/// File descriptors of a process besides its connections.
const OTHERS: u64 = 64;

/// Why a cell's clients can't all be connected here.
#[derive(Debug, thiserror::Error)]
pub enum DescriptorsError {
    /// The hard limit is too low.
    #[error(
        "{cell}: its clients need {needed} file descriptors, but a process may have only {hard} here: raise the limit \
         (`ulimit -Hn {needed}` as root, or `nofile` in /etc/security/limits.conf), or use fewer publishers or subscribers"
    )]
    TooFew {
        /// The cell with the most clients.
        cell: Box<Cell>,
        /// File descriptors that its clients take.
        needed: u64,
        /// The hard limit of a process.
        hard: u64,
    },
    /// The limit can't be read or set.
    #[error(transparent)]
    System(#[from] Errno),
}

/// Cells with more clients than the protocol supports, with the reason.
pub(super) fn impossible(study: &Study, load: &Load, cells: &[Cell], known: &Known) -> Vec<(Cell, Reason)> {
    let why = |cell: &Cell| {
        let protocol = &cell.mode.protocol;
        let transport = known.client(cell)?.clone().under(&study.options_for(cell));
        let is = |capability| transport.has(cell.mode.setting.as_deref(), capability);
        let clients = load.of(cell).clients(is(Capability::Shared));
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

/// Checks that this user's processes may open as many connections as the cell with most of them needs; raises the soft limit of this
/// process, which started processes inherit.
///
/// # Errors
/// When the hard limit is too low.
pub(super) fn check_descriptors(load: &Load, cells: &[Cell]) -> Result<(), DescriptorsError> {
    let needs = |cell: &Cell| {
        let clients = load.of(cell);
        // The relay, or the broker, holds those of both sides.
        u64::from(clients.publishers + clients.subscribers) * OF_A_CLIENT + OTHERS
    };
    let Some((needed, cell)) = cells.iter().map(|cell| (needs(cell), cell)).max_by_key(|(needed, _)| *needed)
    else {
        return Ok(());
    };
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if needed > hard {
        return Err(DescriptorsError::TooFew { cell: Box::new(cell.clone()), needed, hard });
    }
    if needed > soft {
        setrlimit(Resource::RLIMIT_NOFILE, needed, hard)?;
    }
    Ok(())
}
