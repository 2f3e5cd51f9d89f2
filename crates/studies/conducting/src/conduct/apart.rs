//! A CPU for the publishing thread alone, as far as the seats of a trial go.
//!
//! At a high rate it spins from one message to the next and never sleeps. As soon as it shares its CPU it waits for the
//! scheduler's ticks, some milliseconds each, and the load is another than the study's. So it gets one, and runners, relay and link
//! get the others. Brokers keep all: theirs is what is measured. Tried in place of it: a niceness of -20 for that
//! thread, under which relay and subscriber starved wherever they shared its CPU.

use wiredyno_contract::LoadKind;
use wiredyno_model::Load;
use wiredyno_seats::seat::{RunnerSeat, Seat};

/// Messages so close to each other are spun for: the publisher's sleep ends later than that.
const CLOSE_NS: u64 = 100_000;

/// Whether the publisher of a load hardly ever sleeps, and has a CPU to spare.
pub(super) fn is_needed(load: &Load, lanes_in_use: u32) -> bool {
    let open = matches!(load.kind, LoadKind::Open | LoadKind::Search);
    open && load.interval.ns < CLOSE_NS && lanes_in_use == 1
}

/// Gives a CPU to the publishing thread of one seat, and keeps all other threads of it, and all of the others, off it. Gives that
/// CPU's number; `None` where there is no other one, or it is not allowed.
pub(super) fn set_apart(publisher: &dyn RunnerSeat, others: &[&dyn Seat]) -> Option<u32> {
    let cpu = publisher.spare_cpu()?;
    let done = others.iter().all(|other| other.keep_off(cpu)) && publisher.set_apart(cpu);
    done.then(|| cpu.number()).flatten()
}
