//! A process by descriptor (pidfd_open(2)): whoever gets its number later is never meant.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// A process, also when it has ended.
#[derive(Debug)]
pub struct PidFd(OwnedFd);

impl PidFd {
    /// Of the process that has this number now; `None` where there is none, or the system has no more descriptors.
    pub fn open(pid: u32) -> Option<Self> {
        // SAFETY: integers only (pidfd_open(2)).
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: the kernel has just made it for us.
        Some(PidFd(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Sends SIGKILL; one that has ended is no error.
    pub fn kill(&self) {
        let (process, nothing) = (self.0.as_raw_fd(), std::ptr::null::<libc::siginfo_t>());
        // SAFETY: integers and a null pointer, which pidfd_send_signal(2) allows.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process, libc::SIGKILL, nothing, 0) };
    }

    /// Waits until it has ended, for so long at most, or until a signal comes. Whether it has.
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

/// For poll(2), never less than was asked for.
pub(crate) fn milliseconds(span: Duration) -> PollTimeout {
    PollTimeout::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(PollTimeout::MAX)
}
