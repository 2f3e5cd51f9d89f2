//! Resource use of processes, thread by thread, from the kernel's counters.
//!
//! Limits: threads and processes that end between two looks are missed. The time spent waiting for a CPU is known if the kernel keeps
//! schedstat (CONFIG_SCHED_INFO), otherwise it is 0.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use nix::unistd::Pid;
use wiredyno_model::trial::{CpuUse, RoleUse};

use crate::clock::monotonic_ns;
use crate::tree::Tree;

/// CPU time of all threads of a process so far, in nanoseconds.
///
/// # Errors
/// When there is no such process.
pub fn cpu_ns(pid: u32) -> io::Result<u64> {
    let pid = Pid::from_raw(i32::try_from(pid).map_err(io::Error::other)?);
    let clock = nix::time::clock_getcpuclockid(pid)?;
    let time = nix::time::clock_gettime(clock)?;
    Ok(time.tv_sec().unsigned_abs() * 1_000_000_000 + time.tv_nsec().unsigned_abs())
}

/// Largest resident set size of a process so far, in bytes (`VmHWM` of proc(5)).
///
/// # Errors
/// When there is no such process.
pub fn peak_memory_bytes(pid: u32) -> io::Result<u64> {
    status_bytes(pid, "VmHWM:")
}

/// A value of `/proc/PID/status`, converted from KiB to bytes.
fn status_bytes(pid: u32, name: &str) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|rest| rest.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| io::Error::other(format!("no {name} any more: it has ended")))
}

/// Times of one thread so far (`/proc/PID/task/TID/schedstat`, Documentation/scheduler/sched-stats.rst of Linux).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ThreadTimes {
    /// Time on a CPU.
    cpu_ns: u64,
    /// Time runnable but waiting for a CPU.
    run_delay_ns: u64,
}

impl ThreadTimes {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace().map_while(|word| word.parse().ok());
        Some(ThreadTimes { cpu_ns: words.next()?, run_delay_ns: words.next()? })
    }
}

/// A snapshot of a process's counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    at_ns: i64,
    cpu_ns: u64,
    resident_bytes: u64,
    threads: BTreeMap<String, ThreadTimes>,
}

impl Look {
    /// Takes the snapshot now.
    ///
    /// # Errors
    /// When there is no such process.
    pub fn at(pid: u32) -> io::Result<Self> {
        let mut threads = BTreeMap::new();
        for task in fs::read_dir(format!("/proc/{pid}/task"))? {
            let task = task?;
            // A thread can end between listing and reading it.
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let times = ThreadTimes::parse(&text);
            threads.extend(times.map(|times| (task.file_name().to_string_lossy().into_owned(), times)));
        }
        Ok(Look {
            at_ns: monotonic_ns(),
            cpu_ns: cpu_ns(pid)?,
            resident_bytes: status_bytes(pid, "VmRSS:")?,
            threads,
        })
    }

    /// The snapshot of a process that has just begun.
    fn nothing(&self) -> Look {
        Look { at_ns: self.at_ns, cpu_ns: 0, resident_bytes: 0, threads: BTreeMap::new() }
    }

    /// The times of each thread since an earlier look; since their start for threads that are new.
    fn threads_since<'a>(&'a self, earlier: &'a Look) -> impl Iterator<Item = ThreadTimes> + 'a {
        self.threads.iter().map(|(thread, now)| {
            let then = earlier.threads.get(thread).copied().unwrap_or_default();
            ThreadTimes {
                cpu_ns: now.cpu_ns.saturating_sub(then.cpu_ns),
                run_delay_ns: now.run_delay_ns.saturating_sub(then.run_delay_ns),
            }
        })
    }

    /// Time since an earlier look in which threads were runnable but waited for a CPU, summed over threads.
    pub fn run_delay_since_ns(&self, earlier: &Look) -> u64 {
        self.threads_since(earlier).map(|thread| thread.run_delay_ns).sum()
    }

    /// The thread that ran or waited for a CPU for the longest time since `begin_ns`. What it did between the earlier look and that moment
    /// counts too, so little may happen in between.
    fn busiest_thread_since(&self, earlier: &Look, begin_ns: i64) -> Busiest {
        let span_ns = (self.at_ns - begin_ns.max(earlier.at_ns)).max(1) as u64;
        let busiest = self.threads_since(earlier).max_by_key(|thread| thread.cpu_ns + thread.run_delay_ns);
        let share = |ns: u64| (ns as f64 / span_ns as f64).min(1.0);
        let ThreadTimes { cpu_ns, run_delay_ns } = busiest.unwrap_or_default();
        Busiest { busy: share(cpu_ns + run_delay_ns), on_cpu: share(cpu_ns), span_ns }
    }
}

/// The busiest thread of some processes in a span of time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Busiest {
    /// Share of the span in which it ran or waited for a CPU, 0..1.
    pub busy: f64,
    /// Share of the span in which it ran, 0..1.
    pub on_cpu: f64,
    /// Length of the span, at least 1.
    pub span_ns: u64,
}

/// The processes that a watch observes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// Processes that live until the watch ends.
    Processes(Vec<u32>),
    /// All processes of some trees, which may start and end meanwhile.
    Trees(Vec<Tree>),
}

impl Watched {
    /// A look at each living process. Of trees, processes that end meanwhile are left out.
    fn looks(&self) -> io::Result<BTreeMap<u32, Look>> {
        match self {
            Watched::Processes(pids) => pids.iter().map(|pid| Ok((*pid, Look::at(*pid)?))).collect(),
            Watched::Trees(trees) => {
                let members = trees.iter().flat_map(Tree::members);
                let looks: BTreeMap<u32, Look> =
                    members.filter_map(|pid| Some((pid, Look::at(pid).ok()?))).collect();
                if looks.is_empty() { Err(io::Error::other("no process of it is left")) } else { Ok(looks) }
            }
        }
    }
}

/// A cheap reading of some processes, for a display: CPU time and resident sets, without their threads.
#[derive(Debug, Clone)]
pub struct Meter {
    pids: Vec<u32>,
}

/// What some processes have used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metered {
    /// CPU time so far, in nanoseconds.
    pub cpu_ns: u64,
    /// Their resident sets now, in bytes; the kernel may be some pages behind.
    pub resident_bytes: u64,
}

impl Meter {
    /// Of the processes that live now: those that trees get later are not read.
    pub fn of(watched: &Watched) -> Self {
        let pids = match watched {
            Watched::Processes(pids) => pids.clone(),
            Watched::Trees(trees) => trees.iter().flat_map(Tree::members).collect(),
        };
        Meter { pids }
    }

    /// What they have used; those that have ended are left out.
    ///
    /// # Errors
    /// When all have.
    pub fn read(&self) -> io::Result<Metered> {
        let of = |pid: &u32| Some((cpu_ns(*pid).ok()?, resident_bytes(*pid)?));
        let read: Vec<(u64, u64)> = self.pids.iter().filter_map(of).collect();
        if read.is_empty() {
            return Err(io::Error::other("none of its processes is left"));
        }
        Ok(read.into_iter().fold(Metered::default(), |sum, (cpu_ns, resident_bytes)| Metered {
            cpu_ns: sum.cpu_ns + cpu_ns,
            resident_bytes: sum.resident_bytes + resident_bytes,
        }))
    }
}

/// The resident set of a process: the second number of `/proc/PID/statm`, in pages (proc_pid_statm(5)).
fn resident_bytes(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    // SAFETY: takes an integer.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page_bytes).ok()?)
}

/// What a role's processes use over the measured part of a trial.
pub struct Watch {
    watched: Watched,
    begin: BTreeMap<u32, Look>,
    moving: BTreeMap<u32, Look>,
}

impl Watch {
    /// Takes the first look.
    ///
    /// # Errors
    /// When the process has ended, or all of them have.
    pub fn begin(watched: Watched) -> io::Result<Self> {
        let begin = watched.looks()?;
        Ok(Watch { moving: begin.clone(), begin, watched })
    }

    /// Takes the look from which [`moved`](Watch::moved) counts: messages are about to be sent.
    ///
    /// # Errors
    /// When the process has ended, or all of them have.
    pub fn moving(&mut self) -> io::Result<()> {
        self.moving = self.watched.looks()?;
        Ok(())
    }

    /// CPU use of all processes since [`moving`](Watch::moving); the stand's own share of it is not known here.
    ///
    /// # Errors
    /// When the process has ended, or all of them have.
    pub fn moved(&self) -> io::Result<CpuUse> {
        let mut used = CpuUse::default();
        for (pid, end) in self.watched.looks()? {
            let begin = self.moving.get(&pid);
            used.cpu_ns += end.cpu_ns.saturating_sub(begin.map_or(0, |begin| begin.cpu_ns));
            used.run_delay_ns += end.run_delay_since_ns(begin.unwrap_or(&end.nothing()));
        }
        Ok(used)
    }

    /// The busiest thread since `first_ns`, when the first message was due.
    ///
    /// # Errors
    /// When the process has ended, or all of them have.
    pub fn busiest(&self, first_ns: i64) -> io::Result<Busiest> {
        let looks = self.watched.looks()?;
        let since =
            |(pid, now): (&u32, &Look)| Some(now.busiest_thread_since(self.begin.get(pid)?, first_ns));
        let busiest = looks.iter().filter_map(since).max_by(|one, other| one.busy.total_cmp(&other.busy));
        Ok(busiest.unwrap_or_default())
    }

    /// The use of all processes since the first look; the largest resident sets are summed, as if all were reached at once.
    /// `dropped_datagrams` is how many the kernel dropped before their sockets.
    ///
    /// # Errors
    /// When the process has ended, or all of them have.
    pub fn end(&self, dropped_datagrams: u64) -> io::Result<RoleUse> {
        let resident_begin_bytes = self.begin.values().map(|look| look.resident_bytes).sum();
        let mut used = RoleUse { dropped_datagrams, resident_begin_bytes, ..RoleUse::default() };
        for (pid, end) in self.watched.looks()? {
            // A process that began meanwhile counts from its start.
            let nothing = end.nothing();
            let begin = self.begin.get(&pid).unwrap_or(&nothing);
            used += RoleUse {
                cpu_ns: end.cpu_ns.saturating_sub(begin.cpu_ns),
                run_delay_ns: end.run_delay_since_ns(begin),
                peak_memory_bytes: peak_memory_bytes(pid).unwrap_or(end.resident_bytes),
                resident_end_bytes: end.resident_bytes,
                ..RoleUse::default()
            };
        }
        Ok(used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(at_ns: i64, threads: &[(&str, u64, u64)]) -> Look {
        let times = |&(name, cpu_ns, run_delay_ns): &(&str, u64, u64)| {
            (name.to_owned(), ThreadTimes { cpu_ns, run_delay_ns })
        };
        Look { at_ns, cpu_ns: 0, resident_bytes: 0, threads: threads.iter().map(times).collect() }
    }

    #[test]
    fn the_busiest_thread_is_told_and_waiting_is_summed() {
        let begin = look(1_000, &[("1", 100, 10), ("2", 500, 0), ("3", 7, 7)]);
        let end = look(2_000, &[("1", 150, 20), ("2", 1_450, 5), ("4", 30, 3)]);
        let busiest = |begin_ns| end.busiest_thread_since(&begin, begin_ns);
        assert_eq!(busiest(0), Busiest { busy: 0.955, on_cpu: 0.95, span_ns: 1_000 });
        assert_eq!((busiest(1_500).busy, busiest(1_500).span_ns), (1.0, 500));
        let waited = look(2_000, &[("1", 300, 800), ("2", 1_000, 0)]);
        let Busiest { busy, on_cpu, .. } = waited.busiest_thread_since(&begin, 0);
        assert_eq!((busy, on_cpu), (0.99, 0.2), "waiting and running are distinguished");
        assert_eq!(end.run_delay_since_ns(&begin), 10 + 5 + 3);
        assert_eq!(begin.busiest_thread_since(&begin, 0).busy, 0.0);
        assert_eq!(ThreadTimes::parse("12 34 5\n"), Some(ThreadTimes { cpu_ns: 12, run_delay_ns: 34 }));
        assert_eq!(ThreadTimes::parse(""), None);
    }

    #[test]
    fn this_process_has_used_cpu_and_memory() {
        let me = std::process::id();
        let mut watch = Watch::begin(Watched::Processes(vec![me])).unwrap();
        // Work until the kernel has accounted some.
        while cpu_ns(me).unwrap() < watch.begin[&me].cpu_ns + 20_000_000 {}
        assert!(watch.moved().unwrap().cpu_ns >= 20_000_000);
        watch.moving().unwrap();
        let begun = watch.moving[&me].cpu_ns;
        assert!(begun >= watch.begin[&me].cpu_ns + 20_000_000);
        assert!(watch.moved().unwrap().cpu_ns <= cpu_ns(me).unwrap() - begun, "from then on alone");
        let Busiest { busy, on_cpu, .. } = watch.busiest(0).unwrap();
        assert!(busy > 0.0 && busy <= 1.0 && on_cpu > 0.0 && on_cpu <= busy);
        let used = watch.end(3).unwrap();
        assert!(used.cpu_ns >= 20_000_000);
        assert!(used.peak_memory_bytes >= used.resident_end_bytes.min(100_000));
        assert_eq!(used.dropped_datagrams, 3);
        assert!(Look::at(u32::MAX / 2).is_err());
    }

    #[test]
    fn a_meter_reads_what_a_watch_does_and_leaves_out_what_has_ended() {
        let me = std::process::id();
        let meter = Meter::of(&Watched::Processes(vec![me, u32::MAX / 2]));
        let before = cpu_ns(me).unwrap();
        let read = meter.read().unwrap();
        assert!(read.cpu_ns >= before && read.cpu_ns <= cpu_ns(me).unwrap());
        assert!(read.resident_bytes > 500_000 && read.resident_bytes <= 2 * peak_memory_bytes(me).unwrap());
        assert!(Meter::of(&Watched::Processes(vec![u32::MAX / 2])).read().is_err());
    }

    #[test]
    fn a_tree_uses_what_its_processes_use_together() {
        let mut command = std::process::Command::new("sh");
        // Two processes that work until their input ends.
        command.args(["-c", "(while :; do :; done) & while :; do :; done"]);
        let tree = Tree::mark(&mut command);
        let mut child = command.spawn().unwrap();
        let tree = tree.rooted(child.id());
        while tree.members().len() < 2 {}
        let alone = Watch::begin(Watched::Processes(vec![child.id()])).unwrap();
        let together = Watch::begin(Watched::Trees(vec![tree.clone()])).unwrap();
        while alone.end(0).unwrap().cpu_ns < 20_000_000 || together.end(0).unwrap().cpu_ns < 40_000_000 {}
        let busiest = together.busiest(0).unwrap();
        let used = together.end(2).unwrap();
        assert!(used.cpu_ns >= alone.begin[&child.id()].cpu_ns && used.dropped_datagrams == 2);
        assert!(busiest.busy > 0.0 && used.peak_memory_bytes > alone.end(0).unwrap().peak_memory_bytes);
        tree.kill();
        child.wait().unwrap();
        assert!(together.end(0).is_err());
    }
}
