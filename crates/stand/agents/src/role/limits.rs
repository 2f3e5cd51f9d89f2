//! What each process that an agent starts may use of its machine.

use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

/// Limits of each process that an agent starts for its coordinator (getrlimit(2)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of its data: heap, stacks and other private memory that it can write to (RLIMIT_DATA).
    pub memory_bytes: Option<u64>,
    /// The longest file that it may write, in bytes (RLIMIT_FSIZE).
    pub file_bytes: Option<u64>,
}

impl Limits {
    /// Makes a process that is about to be started keep them, and leave no core dump.
    pub(crate) fn bind(self, command: &mut Command) {
        let all = [
            (Resource::RLIMIT_DATA, self.memory_bytes),
            (Resource::RLIMIT_FSIZE, self.file_bytes),
            (Resource::RLIMIT_CORE, Some(0)),
        ];
        // What this process itself may use at most can't be exceeded.
        let within = |(resource, most): (Resource, Option<u64>)| {
            let (_, hard) = getrlimit(resource).ok()?;
            Some((resource, rlim_t::from(most?).min(hard)))
        };
        let all: Vec<(Resource, rlim_t)> = all.into_iter().filter_map(within).collect();
        let limit = move || -> io::Result<()> {
            all.iter().try_for_each(|(resource, most)| Ok(setrlimit(*resource, *most, *most)?))
        };
        // SAFETY: setrlimit is a system call, and nothing is allocated between fork and exec.
        unsafe { command.pre_exec(limit) };
    }

    /// What is added to how a process ended, as it may have ended because of them.
    pub(crate) fn told(self, how: String) -> String {
        match self {
            Limits { memory_bytes: None, file_bytes: None } => how,
            limits => format!("{how} (this agent's processes have at most {limits})"),
        }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: u64| match bytes as f64 / 1e6 {
            megabytes if megabytes < 999.5 => format!("{megabytes:.0} MB"),
            megabytes => format!("{:.1} GB", megabytes / 1e3),
        };
        match (self.memory_bytes, self.file_bytes) {
            (Some(memory), Some(file)) => write!(f, "{} of memory and files of {}", size(memory), size(file)),
            (Some(memory), None) => write!(f, "{} of memory", size(memory)),
            (None, Some(file)) => write!(f, "files of {}", size(file)),
            (None, None) => f.write_str("no limits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_the_limits_and_what_it_starts_has_them_too() {
        let limits = Limits { memory_bytes: Some(3 << 30), file_bytes: Some(5 << 20) };
        let mut command = Command::new("sh");
        command.args(["-c", "sh -c 'ulimit -d; ulimit -f; ulimit -c'"]);
        limits.bind(&mut command);
        let told = String::from_utf8(command.output().unwrap().stdout).unwrap();
        // In kilobytes, and in blocks of 512 bytes (POSIX, ulimit).
        assert_eq!(told.split_whitespace().collect::<Vec<_>>(), ["3145728", "10240", "0"]);
        assert_eq!(
            limits.told("signal 6".to_owned()),
            "signal 6 (this agent's processes have at most 3.2 GB of memory and files of 5 MB)"
        );
        assert_eq!(Limits::default().told("signal 9".to_owned()), "signal 9");
    }

    #[test]
    fn what_needs_more_memory_does_not_get_it() {
        let mut command = Command::new("sh");
        // A command line of this length is kept in memory that can be written to.
        command.args(["-c", "x=$(head -c 200000000 /dev/zero | tr '\\0' a); echo ${#x}"]);
        Limits { memory_bytes: Some(50 << 20), file_bytes: None }.bind(&mut command);
        let output = command.output().unwrap();
        assert!(!output.status.success() || output.stdout.is_empty(), "{output:?}");
    }
}
