//! Runs a command on `edge` over a link, and optionally a server on `cloud`: `wiredyno link exec`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use std::os::unix::process::ExitStatusExt;

use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::unistd::Pid;
use wiredyno_process::group::Group;

use crate::capture::CaptureFile;
use crate::host::{Host, address};
use crate::lane::{Lane, LaneError};
use crate::model::Seeds;
use crate::sandbox::Sandbox;
use crate::spec::LinkSpec;

/// How long to wait for a server's socket before the command is started anyway.
const SERVER_STARTS: Duration = Duration::from_secs(2);
/// How long a server may take to end after SIGTERM, before SIGKILL.
const SERVER_ENDS: Duration = Duration::from_secs(2);

/// What to run over which link.
#[derive(Debug, Clone)]
pub struct ExecRequest {
    /// This program, which must know [`crate::lane::WORKER_COMMAND`].
    pub program: PathBuf,
    /// The link between the two hosts.
    pub link: LinkSpec,
    /// Seeds of the link's random values.
    pub seeds: Seeds,
    /// A pcapng file to write; `None` for no capture.
    pub capture: Option<PathBuf>,
    /// Run on `cloud` by `sh -c`; started first and stopped at the end.
    pub cloud_command: Option<String>,
    /// Program and arguments, run on `edge` with this program's standard streams.
    pub command: Vec<OsString>,
}

/// Why a command could not be run over a link.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The link could not be laid.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The request has no command.
    #[error("no command: write it after `--`, for example `-- ping -c 3 $WIREDYNO_CLOUD`")]
    NoCommand,
    /// A command could not be started.
    #[error("`{command}` could not be started on {host}: {source}; is it installed?")]
    Start {
        /// The command, as it was given.
        command: String,
        /// The host where it should run.
        host: &'static str,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The server ended before the command began.
    #[error("the command on cloud ended before the one on edge began ({status}); see its output")]
    ServerEnded {
        /// The server's exit code or signal.
        status: ExitStatus,
    },
    /// Waiting for the command failed.
    #[error("waiting for the command failed: {0}")]
    Wait(#[from] io::Error),
}

/// Runs the request; returns the command's exit code (128 + n if signal n ended it). SIGINT, SIGTERM and
/// SIGHUP are forwarded to the command; afterwards the capture is completed and the link taken down.
pub fn exec(sandbox: &Sandbox, request: &ExecRequest) -> Result<i32, ExecError> {
    let (name, arguments) = request.command.split_first().ok_or(ExecError::NoCommand)?;
    let signals = Blocked::new()?;
    let lane = Lane::spawn(&request.program, 0, sandbox)?;
    let comment = || request.command.join(OsStr::new(" ")).to_string_lossy().into_owned();
    let capture = request.capture.clone().map(|path| CaptureFile { path, comment: comment() });
    lane.lay(&request.link, request.seeds, capture.as_ref())?;
    let prepare = |command: &mut Command, host: Host| {
        lane.host(host).enter(command);
        command.env("WIREDYNO_CLOUD", address(Host::Cloud).to_string());
        command.env("WIREDYNO_EDGE", address(Host::Edge).to_string());
    };
    let mut server = match &request.cloud_command {
        Some(line) => {
            let mut command = Command::new("sh");
            command.arg("-c").arg(line).stdin(Stdio::null());
            prepare(&mut command, Host::Cloud);
            sandbox.prepare(&mut command);
            let server = Group::spawn(&mut command).map_err(start("sh", "cloud"))?;
            Some(Server::ready(server)?)
        }
        None => None,
    };
    let mut command = Command::new(name);
    command.args(arguments);
    prepare(&mut command, Host::Edge);
    sandbox.prepare(&mut command);
    let child = command.spawn().map_err(start(&name.to_string_lossy(), "edge"))?;
    let status = signals.wait(child)?;
    if let Some(server) = &mut server {
        server.end();
    }
    lane.finish()?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

fn start(command: &str, host: &'static str) -> impl FnOnce(io::Error) -> ExecError {
    let command = command.to_owned();
    move |source| ExecError::Start { command, host, source }
}

/// The command on `cloud` with all its processes, stopped when dropped.
struct Server(Group);

impl Server {
    /// Waits for a limited time until the server has a reachable socket.
    fn ready(server: Group) -> Result<Self, ExecError> {
        let mut server = Self(server);
        let begin = Instant::now();
        while begin.elapsed() < SERVER_STARTS && !listens(server.0.id()) {
            if let Some(status) = server.0.ended() {
                return Err(ExecError::ServerEnded { status });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }

    fn end(&mut self) {
        self.0.signal(Signal::SIGTERM);
        self.0.ended_within(SERVER_ENDS);
        self.0.kill();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether the host of a process has a listening TCP or a bound UDP socket (proc(5), /proc/net/tcp: state 0A).
fn listens(process: u32) -> bool {
    let lines = |table: &str| {
        let path = Path::new("/proc").join(process.to_string()).join("net").join(table);
        std::fs::read_to_string(path).unwrap_or_default()
    };
    let listening =
        |table: &str| lines(table).lines().skip(1).any(|line| line.split_whitespace().nth(3) == Some("0A"));
    listening("tcp")
        || listening("tcp6")
        || lines("udp").lines().count() > 1
        || lines("udp6").lines().count() > 1
}

/// Signals that are received by waiting for them instead of by handlers; unblocked when dropped.
struct Blocked {
    watched: SigSet,
    before: SigSet,
}

impl Blocked {
    fn new() -> Result<Self, ExecError> {
        let watched: SigSet =
            [Signal::SIGCHLD, Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
        let mut before = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), Some(&mut before)).map_err(io::Error::from)?;
        Ok(Self { watched, before })
    }

    /// Waits for the command, forwarding signals from other processes; the terminal signals the command
    /// itself. `Command` starts children with an empty mask, so the command receives signals as usual.
    fn wait(&self, mut child: Child) -> Result<ExitStatus, ExecError> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
            // SAFETY: both pointers are valid; a zeroed siginfo_t is a valid value.
            let (number, info) =
                unsafe { (libc::sigwaitinfo(self.watched.as_ref(), info.as_mut_ptr()), info.assume_init()) };
            if number > 0
                && number != libc::SIGCHLD
                && info.si_code <= 0
                && let Ok(signal) = Signal::try_from(number)
            {
                // The child has not been waited for, so its process id is still valid.
                let _ = kill(Pid::from_raw(child.id() as i32), signal);
            }
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.before), None);
    }
}
