//! The environment of a run: a PID namespace of its own, so that everything dies with it whatever happens, and, unless the user is
//! root, a user namespace that gives the right to create hosts.
//!
//! [`Sandbox::enter`] must be called at the program's start, before any thread exists. It results in three processes: the original
//! one stays outside, forwards signals and exits with the program's status; process 1 of the new namespace reaps orphans and ends
//! when the program ends; the program continues as its child, so that it can wait for its own children undisturbed. When the outer
//! process dies, even by SIGKILL, the kernel kills process 1 (PR_SET_PDEATHSIG) and with it everything inside.
//!
//! Each right is tried in a child first and done without if missing: [`Rights`] says what is missing and how to allow it. A further
//! process, the janitor, waits outside until all of them have ended and removes the program's temporary folders. Without a PID
//! namespace it also kills leftover processes: every prepared child has a mark in its environment, which its descendants inherit; a
//! process that clears its environment escapes.

mod rights;
mod supervise;

use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid};
use wiredyno_process::tree::Tree;

pub use rights::{Missing, Rights};

/// Why a sandbox could not be entered.
#[derive(Debug, thiserror::Error)]
pub enum EnterError {
    /// The program already has threads.
    #[error("the sandbox must be entered before threads exist, but there are {0}; call it first in main()")]
    Threads(usize),
    /// A step failed that had succeeded when tried.
    #[error("sandbox: {step} failed ({source}); try again, and report this if it persists")]
    Step {
        /// The step that was attempted.
        step: &'static str,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
}

/// Attaches the step's name to a system error.
fn step<E: Into<std::io::Error>>(step: &'static str) -> impl FnOnce(E) -> EnterError {
    move |source| EnterError::Step { step, source: source.into() }
}

/// The sandbox that this program runs in.
#[derive(Debug, Clone)]
pub struct Sandbox {
    rights: Rights,
    /// The program's children, if no namespace ends them with it.
    children: Option<Tree>,
    /// Closed when the program ends, which the janitor waits for.
    _here: Arc<OwnedFd>,
}

/// The variable by which the janitor recognises the program's children.
const MARK: &str = "WIREDYNO_RUN";

impl Sandbox {
    /// Enters the best sandbox that this machine allows. Returns in the program; the original process never returns but exits with
    /// the program's status (128 + n if signal n ended it).
    pub fn enter() -> Result<Self, EnterError> {
        let threads = threads();
        if threads != 1 {
            return Err(EnterError::Threads(threads));
        }
        let rights = Rights::probe()?;
        if rights.user_namespace {
            become_root_inside().map_err(step("user namespace"))?;
        }
        let children = rights.pid_namespace.is_err().then(|| Tree::of(MARK));
        // Before the namespace, so that the janitor is outside.
        let here = supervise::start_janitor(children.clone())?;
        if children.is_none() {
            supervise::enter_pid_namespace()?;
        }
        Ok(Self { rights, children, _here: Arc::new(here) })
    }

    /// What this machine allows, with remedies.
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// Ensures that a child, once spawned, ends with the program. Call it for every child; with a PID namespace it does nothing.
    pub fn prepare(&self, command: &mut Command) {
        if let Some(children) = &self.children {
            children.join(command);
        }
    }
}

/// How long threads that have ended may take to leave: one that was joined is the kernel's for another moment.
const LEAVING: Duration = Duration::from_secs(1);

/// The threads of this program, once those that have ended are gone.
fn threads() -> usize {
    let count = || std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    let until = Instant::now() + LEAVING;
    while count() > 1 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    count()
}

/// Unshares the user namespace and maps the current user to root inside.
fn become_root_inside() -> std::io::Result<()> {
    let (uid, gid) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // user_namespaces(7): setgroups must be denied before an unprivileged process may write gid_map.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {uid} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {gid} 1"))
}

/// Whether the pipe's other end is closed; does not wait.
fn hung_up(pipe: &OwnedFd) -> bool {
    let mut poll = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the single pollfd is valid and outlives the call.
    unsafe { libc::poll(&mut poll, 1, 0) == 1 && poll.revents & libc::POLLHUP != 0 }
}
