//! A child with its own process group, and how both are ended.
//!
//! A child keeps its process id, and its group the group id, until it is waited for: signals are sent to an id only until then.
//! Processes that are still in the group when the child ends are killed before the child is waited for.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use crate::patience::Patience;
use crate::pidfd::PidFd;

/// The longest pause between two checks of a wait.
const LOOK: Duration = Duration::from_millis(200);
/// The same on a kernel without process descriptors.
const LOOK_WITHOUT: Duration = Duration::from_millis(5);

/// How long to wait for killed processes: longer than the kernel needs to free gigabytes.
pub(crate) const DYING: Duration = Duration::from_secs(10);

/// A child and its process group, see the module; both are killed on drop.
#[derive(Debug)]
pub struct Group {
    child: Child,
    process: Option<Arc<PidFd>>,
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a command in its own process group, which signals of the terminal don't reach.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let process = PidFd::open(child.id()).map(Arc::new);
        Ok(Group { child, process, status: None })
    }

    /// The child's process id, which is the group's id too.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, to take its pipes; end it through the group.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The child's descriptor, which becomes readable when it ends; `None` on a kernel without process descriptors.
    pub fn process(&self) -> Option<&PidFd> {
        self.process.as_deref()
    }

    /// The same descriptor, shared with another waiter.
    pub fn shared_process(&self) -> Option<Arc<PidFd>> {
        self.process.clone()
    }

    fn number(&self) -> Pid {
        // Process ids fit (proc(5), pid_max).
        Pid::from_raw(self.child.id() as i32)
    }

    /// The exit status; `None` while the child lives.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_some() {
            return self.status;
        }
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        if let Ok(WaitStatus::StillAlive) = waitid(Id::Pid(self.number()), flags) {
            return None;
        }
        // Not waited for yet: the group id is still its own.
        let _ = killpg(self.number(), Signal::SIGKILL);
        self.status = self.child.try_wait().ok().flatten();
        self.status
    }

    /// Waits for the exit status within a limit; `None` if the child still lives.
    pub fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let mut patience = Patience::of(limit);
        loop {
            if let Some(status) = self.ended() {
                return Some(status);
            }
            let left = patience.left();
            match &self.process {
                _ if left.is_zero() => return None,
                Some(process) => {
                    process.await_end(left.min(LOOK));
                }
                None => std::thread::sleep(left.min(LOOK_WITHOUT)),
            }
        }
    }

    /// Sends a signal to the whole group, unless the child has ended.
    pub fn signal(&mut self, signal: Signal) {
        if self.ended().is_none() {
            let _ = killpg(self.number(), signal);
        }
    }

    /// Kills the whole group. Returns the child's exit status; `None` if the kernel does not release it within ten seconds.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        self.signal(Signal::SIGKILL);
        self.ended_within(DYING)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits at most ten seconds for a child that was killed.
pub fn reap(child: &mut Child) -> Option<ExitStatus> {
    let process = PidFd::open(child.id());
    let mut patience = Patience::of(DYING);
    loop {
        match child.try_wait() {
            Ok(None) if patience.is_over() => return None,
            Ok(None) => match &process {
                Some(process) => {
                    process.await_end(LOOK);
                }
                None => std::thread::sleep(LOOK_WITHOUT),
            },
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;

    /// Starts shell lines that print a number, and returns it.
    fn start(line: &str) -> (Group, u32) {
        let mut command = Command::new("sh");
        let mut group =
            Group::spawn(command.args(["-c", line]).stdin(Stdio::piped()).stdout(Stdio::piped())).unwrap();
        let mut said = String::new();
        BufReader::new(group.child().stdout.take().unwrap()).read_line(&mut said).unwrap();
        (group, said.trim().parse().unwrap())
    }

    #[test]
    fn what_a_child_leaves_behind_ends_with_it() {
        let (mut group, grandchild) = start("sleep 1000 & echo $!; exit 3");
        let grandchild = PidFd::open(grandchild);
        assert_eq!(group.ended_within(Duration::from_secs(60)).and_then(|status| status.code()), Some(3));
        assert_eq!(group.ended().and_then(|status| status.code()), Some(3), "it is remembered");
        assert!(grandchild.is_none_or(|process| process.await_end(Duration::from_secs(60))));
    }

    #[test]
    fn what_does_not_end_is_waited_for_no_longer_than_said_and_killed() {
        let (mut group, grandchild) = start("trap '' TERM; sleep 1000 & echo $!; wait; wait; sleep 1000");
        let grandchild = PidFd::open(grandchild).unwrap();
        assert_eq!(group.ended_within(Duration::from_millis(50)), None);
        group.signal(Signal::SIGTERM);
        assert_eq!(group.ended_within(Duration::from_millis(50)), None);
        assert_eq!(group.kill().and_then(|status| status.signal()), Some(9));
        assert!(grandchild.await_end(Duration::from_secs(60)));
    }
}
