//! A CPU reserved for the publishing thread, as far as the seats of a trial allow.
//!
//! At a high rate the thread spins from one message to the next and never sleeps. As soon as it shares its CPU it waits for the
//! scheduler's ticks, some milliseconds each, and the load is no longer the study's. So it gets one, and runners, relay and link
//! get the others. Brokers may use all: they are what is measured. Tried instead: a niceness of -20 for that
//! thread, under which relay and subscriber starved wherever they shared its CPU.

use wiredyno_contract::LoadKind;
use wiredyno_model::Load;
use wiredyno_seats::seat::{RunnerSeat, Seat};

/// Messages closer together than this are spun for: the publisher would wake up later than that.
const CLOSE_NS: u64 = 100_000;

/// Whether the publisher of a load hardly ever sleeps, and has a CPU to spare.
pub(super) fn is_needed(load: &Load, lanes_in_use: u32) -> bool {
    let open = matches!(load.kind, LoadKind::Open | LoadKind::Search);
    open && load.interval.ns < CLOSE_NS && lanes_in_use == 1
}

/// Reserves a CPU for the publishing thread of one seat, and keeps all its other threads, and the other seats, off it. Returns that
/// CPU's number; `None` if there is no other CPU, or it is not permitted.
pub(super) fn set_apart(publisher: &dyn RunnerSeat, others: &[&dyn Seat]) -> Option<u32> {
    let cpu = publisher.spare_cpu()?;
    let done = others.iter().all(|other| other.keep_off(cpu)) && publisher.set_apart(cpu);
    done.then(|| cpu.number()).flatten()
}
