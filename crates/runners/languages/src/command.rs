//! Commands that prepare runners: started, awaited, ended.

use std::io::{Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use wiredyno_contract::Span;

use crate::set_up_error::{SetUpError, at};

/// How often a wait checks whether it was cancelled.
const LOOK_AROUND: Duration = Duration::from_millis(50);

/// How much of a failed command's output an error quotes, from the end.
const TOLD_BYTES: usize = 1_500;

/// What all commands of one preparation share.
pub(crate) struct Task<'a> {
    pub runner: &'a str,
    /// What to do if a command fails.
    pub missing: &'a str,
    /// The longest that one command may take.
    pub limit: Span,
    /// Where they put temporary files; `None` for the system's place.
    pub temporary: Option<&'a Path>,
    /// Makes sure that a started process ends with this program.
    pub prepare: &'a dyn Fn(&mut Command),
    /// Whether the user has cancelled.
    pub interrupted: &'a dyn Fn() -> bool,
}

impl Task<'_> {
    /// Runs a command until it ends.
    ///
    /// # Errors
    /// When it fails, takes too long, or the user cancels; then no process that it started is left.
    pub(crate) fn run(&self, words: &[String]) -> Result<(), SetUpError> {
        let failed = |said: String| SetUpError::Command {
            runner: self.runner.to_owned(),
            command: words.join(" "),
            said,
            missing: self.missing.to_owned(),
        };
        let mut said = tempfile::tempfile().map_err(at(&std::env::temp_dir()))?;
        let output = || said.try_clone().map(Stdio::from);
        let mut command = Command::new(words.first().map_or("", String::as_str));
        command.args(words.iter().skip(1)).stdin(Stdio::null());
        command.stdout(output().map_err(at(&std::env::temp_dir()))?);
        command.stderr(output().map_err(at(&std::env::temp_dir()))?);
        command.envs(self.temporary.map(|folder| ("TMPDIR", folder)));
        (self.prepare)(&mut command);
        // A process group of its own, so that its children can be ended with it.
        command.process_group(0);
        let begun = Instant::now();
        let mut child = command.spawn().map_err(|error| failed(format!(": {error}")))?;
        let status = loop {
            if (self.interrupted)() {
                end(&mut child);
                return Err(SetUpError::Interrupted);
            }
            if begun.elapsed() > Duration::from_nanos(self.limit.ns) {
                end(&mut child);
                return Err(failed(format!(
                    " took longer than {}, which `limit` allows: was it waiting for something?",
                    self.limit
                )));
            }
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => std::thread::sleep(LOOK_AROUND),
                Err(error) => return Err(failed(format!(": {error}"))),
            }
        };
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        // Without the output the failure is still reported.
        let _ = said.rewind().and_then(|()| said.read_to_end(&mut text));
        let from = text.len().saturating_sub(TOLD_BYTES);
        Err(failed(format!(" ended with {status}:\n{}", String::from_utf8_lossy(&text[from..]).trim())))
    }
}

/// Ends a command with all its children, and waits for that.
fn end(child: &mut Child) {
    // It may have ended just now.
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    let _ = child.wait();
}
