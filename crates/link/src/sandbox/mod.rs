//! Where a run lives: a PID namespace of its own, so that everything dies with it whatever happens, and, where
//! the user is not root, a user namespace that gives the right to make hosts.
//!
//! [`Sandbox::enter`] must be called at the program's start, before any thread exists. Three processes come of
//! it: the one that was started stays outside, forwards signals and exits with the program's status; process 1
//! of the new namespace reaps orphans and ends when the program ends; the program goes on as its child, so
//! that it waits for its own children undisturbed. When the outer process dies, even by SIGKILL, the kernel
//! kills process 1 (PR_SET_PDEATHSIG) and with it everything inside.
//!
//! What can't be had is tried in a child first and then done without: [`Rights`] says what is missing and how to
//! allow it. Without a PID namespace every prepared child gets a process group of its own, and a watchdog
//! process kills the groups when the program is gone. A child that leaves its group escapes the watchdog.

mod rights;
mod supervise;

use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid};

pub use rights::{Missing, Rights, tun_path};

/// Why a sandbox could not be entered.
#[derive(Debug, thiserror::Error)]
pub enum EnterError {
    /// The program already has threads.
    #[error("the sandbox must be entered before threads exist, but there are {0}; call it first in main()")]
    Threads(usize),
    /// A step failed that had worked when it was tried.
    #[error("sandbox: {step} failed ({source}); try again, and report this if it stays")]
    Step {
        /// What was attempted.
        step: &'static str,
        /// What the system said.
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
    watchdog: Option<Arc<OwnedFd>>,
}

impl Sandbox {
    /// Enters the best sandbox that this machine allows. Returns in the program; the process that was started
    /// never returns but exits with the program's status (128 + n when signal n ended it).
    pub fn enter() -> Result<Self, EnterError> {
        let threads = std::fs::read_dir("/proc/self/task").map(|tasks| tasks.count()).unwrap_or(1);
        if threads != 1 {
            return Err(EnterError::Threads(threads));
        }
        let rights = Rights::probe()?;
        if rights.user_namespace {
            become_root_inside().map_err(step("user namespace"))?;
        }
        let watchdog = match rights.pid_namespace {
            Ok(()) => {
                supervise::enter_pid_namespace()?;
                None
            }
            Err(_) => Some(Arc::new(supervise::start_watchdog()?)),
        };
        Ok(Self { rights, watchdog })
    }

    /// What this machine allows.
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// Makes sure that a child, once spawned, ends with the program. Every child should pass through here; in
    /// a PID namespace there is nothing to do. Under the watchdog the child gets a process group of its own, so
    /// it can't read from the terminal.
    pub fn prepare(&self, command: &mut Command) {
        let Some(watchdog) = self.watchdog.clone() else {
            return;
        };
        let join = move || {
            nix::unistd::setpgid(nix::unistd::Pid::from_raw(0), nix::unistd::Pid::from_raw(0))?;
            nix::unistd::write(&*watchdog, &std::process::id().to_ne_bytes())?;
            Ok(())
        };
        // SAFETY: between fork and exec only setpgid, getpid and write are called, all async-signal-safe.
        unsafe { command.pre_exec(join) };
    }
}

/// Unshares the user namespace and maps the present user to root inside.
fn become_root_inside() -> std::io::Result<()> {
    let (uid, gid) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // user_namespaces(7): setgroups must be denied before an unprivileged process may write gid_map.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {uid} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {gid} 1"))
}

/// Waits until the pipe's other end is closed, or returns at once when it is not.
fn hung_up(pipe: &OwnedFd) -> bool {
    let mut poll = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd that outlives the call.
    unsafe { libc::poll(&mut poll, 1, 0) == 1 && poll.revents & libc::POLLHUP != 0 }
}
