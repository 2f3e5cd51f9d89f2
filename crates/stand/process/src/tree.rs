//! All processes that stem from one: its descendants, and those that left its tree but carry its mark.
//!
//! A program that goes into the background leaves its parent, its process group and its session (Erlang's epmd does all
//! three), but keeps its environment: a [`Tree`] puts a mark there, which every descendant inherits.
//!
//! Limits: a program that drops both its environment and its parent is not found; a PID namespace ends it with the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::group::DYING;
use crate::pidfd::PidFd;

/// The variable that holds the mark.
const MARK: &str = "WIREDYNO_TREE";

/// How often an ending tree is checked.
const LOOK: Duration = Duration::from_millis(5);

/// Distinguishes the trees of one program.
static TREES: AtomicU64 = AtomicU64::new(0);

/// The processes that stem from one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// `NAME=value` as it stands in an environment.
    mark: String,
    root: Option<Root>,
}

/// A tree's first process. Once it has been waited for, another process can get its id, but not its id together with its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Root {
    pid: u32,
    started_ticks: u64,
}

/// What `/proc` shows of a process besides its environment.
struct Standing {
    parent: u32,
    zombie: bool,
    /// Clock ticks from the machine's start to the process's start.
    started_ticks: u64,
}

impl Tree {
    /// Marks a command that has not been started yet.
    pub fn mark(command: &mut Command) -> Self {
        let tree = Tree::of(MARK);
        tree.join(command);
        tree
    }

    /// A tree without processes; its mark is a variable of this name.
    pub fn of(name: &str) -> Self {
        let number = TREES.fetch_add(1, Ordering::Relaxed);
        // The time distinguishes it from a tree of an earlier program with the same process id.
        let value = format!("{}-{number}-{}", std::process::id(), crate::clock::monotonic_ns());
        Tree { mark: format!("{name}={value}"), root: None }
    }

    /// Puts the same mark on another command, which joins the tree.
    pub fn join(&self, command: &mut Command) {
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
    }

    /// Notes that the command was started as this process, which has not been waited for yet: its descendants belong to the tree even if
    /// their environment can't be read.
    #[must_use]
    pub fn rooted(self, pid: u32) -> Self {
        let root = Standing::of(pid).map(|Standing { started_ticks, .. }| Root { pid, started_ticks });
        Tree { root, ..self }
    }

    /// The processes that live now, in the order of their ids, without zombies.
    pub fn members(&self) -> BTreeSet<u32> {
        let mut standings = BTreeMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid: Option<u32> = entry.file_name().to_str().and_then(|name| name.parse().ok());
            // A process can end between listing and reading it.
            standings.extend(pid.and_then(|pid| Some((pid, Standing::of(pid)?))));
        }
        let living = standings.iter().filter(|(_, standing)| !standing.zombie);
        let belongs = |pid: &u32| self.descends(*pid, &standings) || self.is_marked(*pid);
        living.map(|(pid, _)| *pid).filter(belongs).collect()
    }

    fn descends(&self, pid: u32, standings: &BTreeMap<u32, Standing>) -> bool {
        let Some(root) = self.root else { return false };
        let mut at = pid;
        // No chain of parents is longer than the number of processes; a list read while it changes could contain a cycle.
        for _ in 0..=standings.len() {
            match standings.get(&at) {
                Some(standing) if at == root.pid => return standing.started_ticks == root.started_ticks,
                Some(standing) if standing.parent > 1 => at = standing.parent,
                _ => return false,
            }
        }
        false
    }

    fn is_marked(&self, pid: u32) -> bool {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == self.mark.as_bytes())
    }

    /// Ends all processes with SIGKILL and waits for their end, at most ten seconds. Returns those that still live. The caller reaps
    /// its own child.
    pub fn kill(&self) -> BTreeSet<u32> {
        let end = Instant::now() + DYING;
        loop {
            // By descriptors, never by ids that may belong to another process by now. They are opened before membership is checked
            // again, and all of them before any process ends: orphans of the first would be found by their mark alone.
            let held: Vec<(u32, PidFd)> =
                self.members().into_iter().filter_map(|pid| Some((pid, PidFd::open(pid)?))).collect();
            let members = self.members();
            for (_, process) in held.iter().filter(|(pid, _)| members.contains(pid)) {
                process.kill();
            }
            if members.is_empty() || Instant::now() > end {
                return members;
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Standing {
    /// Parses `/proc/PID/stat` (proc(5)): the name in parentheses may hold anything; state and parent follow the last parenthesis.
    fn of(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, rest) = text.rsplit_once(')')?;
        let mut words = rest.split_whitespace();
        let state = words.next()?;
        let parent = words.next()?.parse().ok()?;
        // The 22nd field; the parent is the fourth.
        let started_ticks = words.nth(17)?.parse().ok()?;
        Some(Standing { zombie: matches!(state, "Z" | "X"), parent, started_ticks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Stdio};

    /// Starts shell lines that print a line when all processes are started, and waits for it.
    fn start(line: &str) -> (Tree, Child) {
        let mut command = Command::new("sh");
        command.args(["-c", line]).stdout(Stdio::piped()).stdin(Stdio::piped());
        let tree = Tree::mark(&mut command);
        let mut child = command.spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let tree = tree.rooted(child.id());
        (tree, child)
    }

    /// Waits until it has so many members: they start one after the other. Leaves none behind if they don't.
    fn grown(tree: &Tree, count: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while tree.members().len() < count {
            if Instant::now() > end {
                let members = tree.members();
                tree.kill();
                panic!("{members:?} are fewer than {count}");
            }
            std::thread::sleep(LOOK);
        }
    }

    #[test]
    fn what_leaves_its_session_belongs_to_the_tree_and_ends_with_it() {
        let (tree, mut child) = start("setsid sh -c 'sleep 1000 & sleep 1000' & echo ready; cat");
        grown(&tree, 4);
        child.kill().unwrap();
        child.wait().unwrap();
        // The shell is gone; those that left its session live.
        assert!(tree.members().len() >= 2, "{:?}", tree.members());
        assert_eq!(tree.kill(), BTreeSet::new());
        assert_eq!(tree.members(), BTreeSet::new());
    }

    #[test]
    fn children_without_the_mark_belong_to_the_tree_and_strangers_do_not() {
        let (tree, mut child) = start("env -i sleep 1000 & echo ready; cat");
        let (other, mut stranger) = start("echo ready; cat");
        let members = tree.members();
        assert!(members.len() >= 2 && members.contains(&child.id()), "{members:?}");
        assert!(!members.contains(&stranger.id()));
        let sleeper = *members.iter().find(|pid| **pid != child.id()).unwrap();
        // The child is not reaped before the tree is gone: a zombie is not a member.
        assert_eq!(tree.kill(), BTreeSet::new());
        assert!(!std::path::Path::new(&format!("/proc/{sleeper}/cmdline")).exists() || is_dead(sleeper));
        child.wait().unwrap();
        assert!(other.members().contains(&stranger.id()));
        other.kill();
        stranger.wait().unwrap();
    }

    #[test]
    fn who_gets_the_number_of_its_first_process_later_does_not_belong() {
        let (_, mut child) = start("sleep 1000 & echo ready; cat");
        let (pid, mut command) = (child.id(), Command::new("true"));
        let started_ticks = Standing::of(pid).unwrap().started_ticks;
        let tree =
            Tree { root: Some(Root { pid, started_ticks: started_ticks - 1 }), ..Tree::mark(&mut command) };
        assert_eq!(tree.members(), BTreeSet::new());
        let own = Tree { root: Some(Root { pid, started_ticks }), ..tree };
        assert!(own.members().len() >= 2);
        assert_eq!(own.kill(), BTreeSet::new());
        child.wait().unwrap();
    }

    /// Without a parent that reaps it, it stays as a zombie for a moment.
    fn is_dead(pid: u32) -> bool {
        (0..1_000).any(|_| {
            std::thread::sleep(LOOK);
            Standing::of(pid).is_none_or(|standing| standing.zombie)
        })
    }

    #[test]
    fn a_further_command_joins() {
        let (tree, mut child) = start("echo ready; cat");
        let mut command = Command::new("sleep");
        tree.join(command.arg("1000"));
        let mut second = command.spawn().unwrap();
        assert!(tree.members().contains(&second.id()));
        assert_eq!(tree.kill(), BTreeSet::new());
        child.wait().unwrap();
        second.wait().unwrap();
    }
}
