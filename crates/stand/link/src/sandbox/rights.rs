//! What this machine allows, determined by trying it in a child process, and how to allow the rest.

use std::fmt;
use std::io::{self, Read, Write};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork, pipe2};
use serde::{Deserialize, Serialize};

use super::{EnterError, become_root_inside, step, supervise};
use crate::host::{Tun, set_realtime, tun_path};

/// Something that this machine does not allow, and how to allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// What can't be done, and why.
    pub what: String,
    /// The command to run or setting to change.
    pub remedy: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

/// What this machine allows, and how to allow the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    /// Whether a user namespace is used to obtain the other rights.
    pub user_namespace: bool,
    /// Creating hosts: network namespaces with TUN devices. Required for an emulated link.
    pub network_namespaces: Result<(), Missing>,
    /// A PID namespace with its own /proc. Without it a janitor cleans up.
    pub pid_namespace: Result<(), Missing>,
    /// Real-time priority for links. Without it deliveries are later; see the lateness of a trial.
    pub realtime: Result<(), Missing>,
}

/// How far an attempt came: error numbers of the steps that failed.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Trial {
    user: Option<i32>,
    network: Option<i32>,
    tun: Option<i32>,
    pid: Option<i32>,
    realtime: Option<i32>,
}

impl Rights {
    /// Tries everything in children; changes nothing in this process. Requires a single thread.
    pub(super) fn probe() -> Result<Self, EnterError> {
        let plain = try_in_child(false)?;
        if plain.network.is_none() && plain.pid.is_none() {
            return Ok(Self::from_trial(&plain, false));
        }
        let inside = try_in_child(true)?;
        match inside.user {
            Some(_) => Ok(Self::from_trial(&Trial { user: inside.user, ..plain }, false)),
            // Hosts are possible without a user namespace, which wouldn't enable the PID namespace either.
            None if plain.network.is_none() && inside.pid.is_some() => Ok(Self::from_trial(&plain, false)),
            None => Ok(Self::from_trial(&inside, inside.network.is_none())),
        }
    }

    fn from_trial(trial: &Trial, user_namespace: bool) -> Self {
        let refusal = |code: Option<i32>| code.map(|code| why_no_namespace(trial.user, code));
        let network = refusal(trial.network).or_else(|| trial.tun.map(why_no_tun));
        let pid = if trial.network.is_some() { refusal(trial.pid) } else { trial.pid.map(why_no_proc) };
        Self {
            user_namespace,
            network_namespaces: network.map_or(Ok(()), Err),
            pid_namespace: pid.map_or(Ok(()), Err),
            realtime: trial.realtime.map(why_no_realtime).map_or(Ok(()), Err),
        }
    }
}

fn try_in_child(user_namespace: bool) -> Result<Trial, EnterError> {
    let (read_end, write_end) = pipe2(OFlag::O_CLOEXEC).map_err(step("pipe"))?;
    // SAFETY: there is one thread only (checked on entry), so the child may do anything.
    match unsafe { fork() }.map_err(step("fork"))? {
        ForkResult::Child => {
            let trial = attempt(user_namespace);
            let text = serde_json::to_vec(&trial).unwrap_or_default();
            let _ = std::fs::File::from(write_end).write_all(&text);
            // SAFETY: _exit never returns and touches no memory.
            unsafe { libc::_exit(0) }
        }
        ForkResult::Parent { child } => {
            drop(write_end);
            let mut text = Vec::new();
            std::fs::File::from(read_end).read_to_end(&mut text).map_err(step("trying rights"))?;
            waitpid(child, None).map_err(step("trying rights"))?;
            serde_json::from_slice(&text).map_err(|e| EnterError::Step {
                step: "trying rights",
                source: io::Error::new(io::ErrorKind::InvalidData, e),
            })
        }
    }
}

fn code(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Does in this process everything that the sandbox and a lane do.
fn attempt(user_namespace: bool) -> Trial {
    let mut trial = Trial::default();
    if user_namespace && let Err(error) = become_root_inside() {
        let failed = Some(code(&error));
        return Trial { user: failed, network: failed, pid: failed, ..trial };
    }
    trial.realtime = set_realtime().err().map(|e| code(&e));
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => trial.tun = Tun::open("wiredyno-try").err().map(|e| code(&e)),
        Err(error) => trial.network = Some(error as i32),
    }
    trial.pid = attempt_pid_namespace().err().map(|e| e as i32);
    trial
}

fn attempt_pid_namespace() -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS)?;
    // SAFETY: there is one thread only (checked on entry), so the child may do anything.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let code = supervise::mount_proc().err().map_or(0, |e| e as i32);
            // SAFETY: _exit never returns and touches no memory.
            unsafe { libc::_exit(code) }
        }
        ForkResult::Parent { child } => match waitpid(child, None)? {
            WaitStatus::Exited(_, 0) => Ok(()),
            WaitStatus::Exited(_, code) => Err(Errno::from_raw(code)),
            _ => Err(Errno::EIO),
        },
    }
}

/// Compares a sysctl that some distributions use to forbid user namespaces.
fn sysctl_is(name: &str, value: &str) -> bool {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
}

fn why_no_namespace(user: Option<i32>, code: i32) -> Missing {
    let error = io::Error::from_raw_os_error(user.unwrap_or(code));
    let what = format!("this user may not make namespaces ({error})");
    let known = [
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("user.max_user_namespaces", "0", "10000"),
    ];
    let culprit = known.iter().find(|(name, forbids, _)| sysctl_is(name, forbids));
    let remedy = match culprit {
        Some((name, _, allows)) => format!("allow it with `sudo sysctl {name}={allows}`, or run as root"),
        None => {
            "run as root; in a container, start it with `--privileged` or with a seccomp profile that allows \
                 unshare"
                .to_owned()
        }
    };
    Missing { what, remedy }
}

fn why_no_tun(code: i32) -> Missing {
    let path = tun_path();
    let path = path.display();
    let error = io::Error::from_raw_os_error(code);
    let remedy = match code {
        libc::ENOENT | libc::ENODEV | libc::ENXIO => {
            "load it with `sudo modprobe tun`; in a container, start it with `--device /dev/net/tun`"
                .to_owned()
        }
        _ => format!("allow it with `sudo chmod 0666 {path}`"),
    };
    Missing { what: format!("{path} can't be used ({error})"), remedy }
}

fn why_no_proc(code: i32) -> Missing {
    let error = io::Error::from_raw_os_error(code);
    Missing {
        what: format!("no PID namespace with a /proc of its own ({error})"),
        remedy: "a janitor process cleans up instead; in a container, `--privileged` or \
                 `--security-opt systempaths=unconfined` allows it"
            .to_owned(),
    }
}

fn why_no_realtime(code: i32) -> Missing {
    let error = io::Error::from_raw_os_error(code);
    Missing {
        what: format!("no real-time priority for links ({error})"),
        remedy: "packets are delivered slightly late; allow it with a line `USER - rtprio 20` in \
                 /etc/security/limits.conf, or run as root"
            .to_owned(),
    }
}
