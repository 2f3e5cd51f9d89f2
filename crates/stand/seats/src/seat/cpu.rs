//! CPUs of this machine for threads of its processes.

use std::fs;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// The name of the thread that publishes, by docs/RUNNER.md.
const PUBLISHER: &str = "publisher";

/// A CPU that this program may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu {
    number: usize,
}

impl Cpu {
    /// Its number on its machine.
    pub fn number(self) -> Option<u32> {
        u32::try_from(self.number).ok()
    }

    /// The last CPU that this program may use; `None` if it is the only one.
    pub(super) fn spare() -> Option<Self> {
        let cpus = allowed()?;
        cpus.split_last().filter(|(_, rest)| !rest.is_empty()).map(|(last, _)| Cpu { number: *last })
    }

    fn alone(self) -> Option<CpuSet> {
        set(&[self.number])
    }

    /// All other CPUs that this program may use.
    fn others(self) -> Option<CpuSet> {
        let cpus: Vec<usize> = allowed()?.into_iter().filter(|cpu| *cpu != self.number).collect();
        set(&cpus)
    }
}

/// The CPUs that this program may use, in order.
fn allowed() -> Option<Vec<usize>> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    Some((0..CpuSet::count()).filter(|cpu| allowed.is_set(*cpu).unwrap_or(false)).collect())
}

fn set(cpus: &[usize]) -> Option<CpuSet> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|cpu| set.set(*cpu)).ok().map(|()| set)
}

/// Keeps all threads of processes off a CPU; returns whether that was permitted.
pub(super) fn keep_off(processes: &[u32], cpu: Cpu) -> bool {
    let Some(others) = cpu.others() else { return false };
    let mut threads = processes.iter().flat_map(|process| threads(*process));
    threads.all(|(thread, _)| sched_setaffinity(thread, &others).is_ok())
}

/// Reserves a CPU for the publishing thread of a process, and keeps all of its other threads off it; returns whether that was permitted.
pub(super) fn set_apart(process: u32, cpu: Cpu) -> bool {
    let Some((alone, others)) = cpu.alone().zip(cpu.others()) else { return false };
    let set = |(thread, name): (Pid, String)| {
        sched_setaffinity(thread, if name == PUBLISHER { &alone } else { &others }).is_ok()
    };
    threads(process).into_iter().all(set)
}

/// Lets processes use all CPUs again, where that is permitted.
pub(super) fn release(processes: &[u32]) {
    if let Ok(allowed) = sched_getaffinity(Pid::from_raw(0)) {
        for (thread, _) in processes.iter().flat_map(|process| threads(*process)) {
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
        let named = std::thread::Builder::new().name(PUBLISHER.into());
        let thread = named.spawn(move || {
            ready.send(nix::unistd::gettid()).unwrap();
            let _ = ends.recv();
        });
        let (thread, id) = (thread.unwrap(), is_ready.recv().unwrap());
        let own = Cpu::spare().filter(|cpu| set_apart(std::process::id(), *cpu));
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
                assert_eq!(cpus(&alone), [own.number]);
                assert!(!cpus(&here).contains(&own.number) && !cpus(&here).is_empty());
            }
            None => assert_eq!(cpus(&before).len(), 1),
        }
    }
}
