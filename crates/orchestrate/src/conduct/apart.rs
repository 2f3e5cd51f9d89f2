//! A CPU for the publishing thread alone, as far as the processes of a trial go.
//!
//! At a high rate it spins from one message to the next and never sleeps. As soon as it shares its CPU it waits for the
//! scheduler's ticks, some milliseconds each, and the load is another than the study's. So it gets one, and runners, relay and link
//! get the others. Brokers keep all: theirs is what is measured. Tried in place of it: a niceness of -20 for that
//! thread, under which relay and subscriber starved wherever they shared its CPU.

use std::fs;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use wiredyno_contract::LoadKind;
use wiredyno_model::Load;

/// Messages so close to each other are spun for: the publisher's sleep ends later than that.
const CLOSE_NS: u64 = 100_000;

/// The thread that publishes, by docs/RUNNER.md.
const THREAD: &str = "publisher";

/// Whether the publisher of a load hardly ever sleeps, and has a CPU to spare.
pub(super) fn is_needed(load: &Load, lanes_in_use: u32) -> bool {
    let open = matches!(load.kind, LoadKind::Open | LoadKind::Search);
    open && load.interval.ns < CLOSE_NS && lanes_in_use == 1
}

/// Gives the last CPU that this process may use to the publishing thread of one process, and keeps all other threads of it, and
/// all of the others, off it. Gives that CPU; `None` where there is no other one, or it is not allowed.
pub(super) fn set_apart(publisher: u32, others: &[u32]) -> Option<u32> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|cpu| allowed.is_set(*cpu).unwrap_or(false)).collect();
    let (own, rest) = cpus.split_last().filter(|(_, rest)| !rest.is_empty())?;
    let set = |cpus: &[usize]| {
        let mut set = CpuSet::new();
        cpus.iter().try_for_each(|cpu| set.set(*cpu)).ok().map(|()| set)
    };
    let (alone, shared) = (set(&[*own])?, set(rest)?);
    for pid in others.iter().chain([&publisher]) {
        for (thread, name) in threads(*pid) {
            let apart = pid == &publisher && name == THREAD;
            sched_setaffinity(thread, if apart { &alone } else { &shared }).ok()?;
        }
    }
    u32::try_from(*own).ok()
}

/// Gives all CPUs back to a process, where it is allowed.
pub(super) fn release(pid: u32) {
    if let Ok(allowed) = sched_getaffinity(Pid::from_raw(0)) {
        for (thread, _) in threads(pid) {
            let _ = sched_setaffinity(thread, &allowed);
        }
    }
}

/// The threads of a process with their names.
fn threads(pid: u32) -> Vec<(Pid, String)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let thread = |task: fs::DirEntry| {
        let id = task.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        Some((Pid::from_raw(id), name.trim_end().to_owned()))
    };
    tasks.filter_map(thread).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn the_publishing_thread_has_a_cpu_that_no_other_one_has() {
        let before = sched_getaffinity(Pid::from_raw(0)).unwrap();
        let (ready, is_ready) = channel();
        let (end, ends) = channel::<()>();
        let named = std::thread::Builder::new().name(THREAD.into());
        let thread = named.spawn(move || {
            ready.send(nix::unistd::gettid()).unwrap();
            let _ = ends.recv();
        });
        let (thread, id) = (thread.unwrap(), is_ready.recv().unwrap());
        let own = set_apart(std::process::id(), &[]);
        let (alone, here) = (sched_getaffinity(id).unwrap(), sched_getaffinity(Pid::from_raw(0)).unwrap());
        for (id, _) in threads(std::process::id()) {
            let _ = sched_setaffinity(id, &before);
        }
        drop(end);
        thread.join().unwrap();
        let cpus =
            |set: &CpuSet| (0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap()).collect::<Vec<_>>();
        match own {
            Some(own) => {
                assert_eq!(cpus(&alone), [own as usize]);
                assert!(!cpus(&here).contains(&(own as usize)) && !cpus(&here).is_empty());
            }
            None => assert_eq!(cpus(&before).len(), 1),
        }
    }
}
