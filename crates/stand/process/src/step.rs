//! A command that runs to its end: its output is kept in case it fails, and an interruption ends it and all processes
//! that it started.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::group::reap;
use crate::patience::Patience;
use crate::tree::Tree;

/// How often a wait checks for an interruption.
const LOOK_AROUND: Duration = Duration::from_millis(20);

/// How much of a failed command's output an error quotes, from its end.
const TOLD_BYTES: usize = 1_500;

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// It could not be started, or waited for.
    #[error("it could not be started: {0}")]
    Start(#[from] io::Error),
    /// It ended with another status than success.
    #[error("it ended with {status}{said}")]
    Failed {
        /// Its exit status or signal.
        status: ExitStatus,
        /// The end of its output, with a leading separator; empty if it printed nothing.
        said: String,
    },
    /// It did not end within its limit, and was killed.
    #[error("it did not end within {} s{said}", limit.as_secs())]
    Slow {
        /// The limit that it exceeded.
        limit: Duration,
        /// The end of its output, with a leading separator; empty if it printed nothing.
        said: String,
    },
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

/// Runs a command to its end, within `limit`. Its standard input is empty; its output and errors are kept and quoted if it fails. `prepare`
/// makes the last changes to the command before it starts.
///
/// # Errors
/// When it can't be started, fails, takes too long, or `interrupted` returns true. No process of it is left running.
pub fn run(
    command: &mut Command,
    limit: Duration,
    prepare: &mut dyn FnMut(&mut Command),
    interrupted: &dyn Fn() -> bool,
) -> Result<(), StepError> {
    let mut said = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said.try_clone()?);
    let tree = Tree::mark(command);
    prepare(command);
    let mut child = command.spawn()?;
    let tree = tree.rooted(child.id());
    let mut patience = Patience::of(limit);
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break Ok(()),
            Ok(Some(status)) => break Err(StepError::Failed { status, said: tail(&mut said) }),
            Err(error) => break Err(error.into()),
            Ok(None) if interrupted() => break Err(StepError::Interrupted),
            Ok(None) if patience.is_over() => break Err(StepError::Slow { limit, said: tail(&mut said) }),
            Ok(None) => std::thread::sleep(LOOK_AROUND),
        }
    };
    // Including what it left behind.
    tree.kill();
    reap(&mut child);
    ended
}

/// The end of the output, with a separator in front.
fn tail(said: &mut File) -> String {
    let mut text = Vec::new();
    // If it can't be read, the failure is reported without it.
    let _ = said.rewind().and_then(|()| said.read_to_end(&mut text));
    let from = text.len().saturating_sub(TOLD_BYTES);
    match String::from_utf8_lossy(&text[from..]).trim() {
        "" => String::new(),
        text => format!(":\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, limit: Duration, interrupted: bool) -> Result<(), StepError> {
        run(Command::new("sh").args(["-c", line]), limit, &mut |_| {}, &|| interrupted)
    }

    #[test]
    fn a_failure_tells_what_was_said() {
        let long = Duration::from_secs(60);
        assert!(shell("echo fine", long, false).is_ok());
        let error = shell("echo 'no room' >&2; exit 3", long, false).unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.contains("no room"), "{error}");
        let error = run(&mut Command::new("no-such-program"), long, &mut |_| {}, &|| false).unwrap_err();
        assert!(matches!(error, StepError::Start(_)), "{error}");
    }

    #[test]
    fn what_takes_too_long_or_is_not_wanted_ends_with_all_it_started() {
        let error =
            shell("echo begun; sleep 1000 & sleep 1000", Duration::from_millis(300), false).unwrap_err();
        assert!(matches!(&error, StepError::Slow { said, .. } if said.contains("begun")), "{error}");
        let error = shell("sleep 1000", Duration::from_secs(60), true).unwrap_err();
        assert!(matches!(error, StepError::Interrupted), "{error}");
    }
}
