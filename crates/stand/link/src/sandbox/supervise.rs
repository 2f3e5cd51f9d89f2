//! The processes around the program: outer process, process 1, janitor.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, dup2_stderr, dup2_stdin, dup2_stdout, fork, pipe2, setsid};
use wiredyno_process::scratch;
use wiredyno_process::tree::Tree;

use super::{EnterError, hung_up, step};

/// Exit code of process 1 if it can't set up its namespace: EX_OSERR of sysexits.h.
const SETUP_FAILED: i32 = 71;
const FORWARDED: [Signal; 6] =
    [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGUSR1, Signal::SIGUSR2];

/// Makes `/proc` show the current PID namespace, in a mount namespace of our own.
pub(super) fn mount_proc() -> nix::Result<()> {
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_PRIVATE, None::<&str>)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>)
}

/// Continues as a child of process 1 in a new PID namespace; the two processes outside never return.
pub(super) fn enter_pid_namespace() -> Result<(), EnterError> {
    let (alive, keeper) = pipe2(OFlag::O_CLOEXEC).map_err(step("pipe"))?;
    let mut watched: SigSet = FORWARDED.into_iter().collect();
    watched.add(Signal::SIGCHLD);
    let mut before = SigSet::empty();
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), Some(&mut before)).map_err(step("signal mask"))?;
    unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS).map_err(step("PID namespace"))?;
    // SAFETY: there is one thread only (checked on entry), so the child may do anything.
    if let ForkResult::Parent { child } = unsafe { fork() }.map_err(step("fork"))? {
        drop(alive);
        // `keeper` stays open as long as this process lives.
        supervise(child, &watched)
    }
    drop(keeper);
    die_with_parent(&alive);
    if let Err(error) = mount_proc() {
        eprintln!("wiredyno: mounting /proc failed: {error}");
        exit_now(SETUP_FAILED);
    }
    // SAFETY: as above, one thread only.
    match unsafe { fork() } {
        Ok(ForkResult::Parent { child }) => supervise(child, &watched),
        Ok(ForkResult::Child) => {
            sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None).map_err(step("signal mask"))
        }
        Err(error) => {
            eprintln!("wiredyno: fork failed: {error}");
            exit_now(SETUP_FAILED)
        }
    }
}

/// Requests SIGKILL from the kernel when the parent dies; `alive` shows whether it has already died.
fn die_with_parent(alive: &OwnedFd) {
    // SAFETY: prctl with integer arguments only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    if hung_up(alive) {
        exit_now(128 + libc::SIGKILL);
    }
}

/// Exits without running exit handlers, which belong to the program.
fn exit_now(code: i32) -> ! {
    // SAFETY: _exit never returns and touches no memory.
    unsafe { libc::_exit(code) }
}

/// Forwards signals to a child, reaps all processes, exits with the child's status.
fn supervise(child: Pid, watched: &SigSet) -> ! {
    loop {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: both pointers are valid; a zeroed siginfo_t is a valid value.
        let (number, info) =
            unsafe { (libc::sigwaitinfo(watched.as_ref(), info.as_mut_ptr()), info.assume_init()) };
        if number == libc::SIGCHLD {
            reap(child);
        } else if number > 0 && info.si_code <= 0 {
            // Sent by a process (sigaction(2): si_code <= 0). The terminal signals the whole foreground group, so the program has that
            // one already.
            if let Ok(signal) = Signal::try_from(number) {
                let _ = kill(child, signal);
            }
        }
    }
}

fn reap(child: Pid) {
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        match status {
            WaitStatus::Exited(pid, code) if pid == child => exit_now(code),
            WaitStatus::Signaled(pid, signal, _) if pid == child => exit_now(128 + signal as i32),
            WaitStatus::StillAlive => return,
            _ => {}
        }
    }
}

/// How often, and at which interval, to retry temporary folders that are still in use by a program that is ending, or by another one.
const SWEEPS: u32 = 10;
const BETWEEN_SWEEPS: Duration = Duration::from_millis(50);

/// Starts the process that outlives the program, however it ends: it kills the remaining children in `left` and removes the program's
/// temporary folders. It waits until the returned descriptor is closed in every process; started programs don't inherit it.
pub(super) fn start_janitor(left: Option<Tree>) -> Result<OwnedFd, EnterError> {
    let (gone, here) = pipe2(OFlag::O_CLOEXEC).map_err(step("pipe"))?;
    // SAFETY: there is one thread only (checked on entry), so the child may do anything.
    match unsafe { fork() }.map_err(step("janitor"))? {
        ForkResult::Parent { .. } => Ok(here),
        ForkResult::Child => {
            drop(here);
            let _ = setsid();
            let _ = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&FORWARDED.into_iter().collect()), None);
            // A reader of the program's output waits for the program's end, not for ours.
            let _ = let_go_of_streams();
            await_hang_up(&gone);
            if let Some(left) = left {
                left.kill();
            }
            for _ in 0..SWEEPS {
                if !scratch::sweep() {
                    break;
                }
                std::thread::sleep(BETWEEN_SWEEPS);
            }
            exit_now(0)
        }
    }
}

fn let_go_of_streams() -> nix::Result<()> {
    let nothing = nix::fcntl::open("/dev/null", OFlag::O_RDWR, nix::sys::stat::Mode::empty())?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)
}

/// Waits until the other end of a pipe is closed; nothing is ever written into it.
fn await_hang_up(gone: &OwnedFd) {
    while matches!(nix::unistd::read(gone, &mut [0]), Err(Errno::EINTR)) {}
}
