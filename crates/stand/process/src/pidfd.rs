//! A process by descriptor (pidfd_open(2)), which never refers to a later process with the same id.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// A descriptor of a process; it stays valid after the process has ended.
#[derive(Debug)]
pub struct PidFd(OwnedFd);

impl PidFd {
    /// Opens the process that has this id now; `None` if there is none, or the system has no descriptors left.
    pub fn open(pid: u32) -> Option<Self> {
        // SAFETY: integers only (pidfd_open(2)).
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: the kernel has just created it, and no other object owns it.
        Some(PidFd(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Sends SIGKILL; no error if the process has ended.
    pub fn kill(&self) {
        let (process, nothing) = (self.0.as_raw_fd(), std::ptr::null::<libc::siginfo_t>());
        // SAFETY: integers and a null pointer, which pidfd_send_signal(2) allows.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process, libc::SIGKILL, nothing, 0) };
    }

    /// Waits until the process has ended, the limit is over, or a signal arrives. Returns whether it has ended.
    pub fn await_end(&self, limit: Duration) -> bool {
        let mut process = [PollFd::new(self.as_fd(), PollFlags::POLLIN)];
        poll(&mut process, milliseconds(limit)).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for PidFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A timeout for poll(2), rounded up.
pub(crate) fn milliseconds(span: Duration) -> PollTimeout {
    PollTimeout::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(PollTimeout::MAX)
}
