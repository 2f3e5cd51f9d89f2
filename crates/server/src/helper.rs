//! The program `wiredyno`, started to answer one question: what there is, what a study would do, what a definition says. It runs with
//! the least priority, so that trials hardly notice, and with limits on time, memory and what it may say.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::resource::{Resource, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;

use crate::error::{ApiError, ApiResult};

/// Questions that are answered at a time: one CPU is left to whatever is measured.
const AT_A_TIME: usize = 1;
/// How long a question waits for its turn: fifty tests that are submitted at once come through.
const WAIT: Duration = Duration::from_secs(200);
/// How long an answer may take: with the least priority, beside trials that take all CPUs, much longer than its CPU time.
const LIMIT: Duration = Duration::from_secs(150);
/// CPU time of the same, in seconds.
const CPU_S: u64 = 12;
/// Address space, in bytes.
const MEMORY_BYTES: u64 = 2 << 30;
/// The longest answer.
const ANSWER_BYTES: u64 = 32 << 20;
/// The largest file that it may write.
const FILE_BYTES: u64 = 64 << 20;

/// See the module.
pub struct Helper {
    program: PathBuf,
    directory: PathBuf,
    turns: Semaphore,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

impl Helper {
    /// Of a program, in a working directory.
    pub fn new(program: &Path, directory: &Path) -> Self {
        let turns = Semaphore::new(AT_A_TIME);
        Helper { program: program.to_owned(), directory: directory.to_owned(), turns }
    }

    /// Asks, with these arguments.
    ///
    /// # Errors
    /// When others are asked already, it takes too long or too much, or can't be started.
    pub async fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> ApiResult<Answer> {
        self.ask_in(&self.directory, arguments).await
    }

    /// The same in another working directory.
    ///
    /// # Errors
    /// As [`Helper::ask`].
    pub async fn ask_in<A: AsRef<OsStr>>(&self, directory: &Path, arguments: &[A]) -> ApiResult<Answer> {
        self.in_turn(self.answer(&self.program, directory, arguments, &[])).await
    }

    /// Has another program compute something from a text on its input, in turn with all other questions.
    ///
    /// # Errors
    /// As [`Helper::ask`].
    pub async fn compute(&self, program: &Path, arguments: &[&OsStr], input: &[u8]) -> ApiResult<Answer> {
        self.in_turn(self.answer(program, &self.directory, arguments, input)).await
    }

    /// Waits for its turn, and for the answer.
    async fn in_turn(&self, answer: impl Future<Output = ApiResult<Answer>>) -> ApiResult<Answer> {
        let turn = tokio::time::timeout(WAIT, self.turns.acquire()).await;
        let _turn = turn
            .map_err(|_| ApiError::busy("the server is answering other questions: try again"))?
            .map_err(ApiError::internal)?;
        tokio::time::timeout(LIMIT, answer).await.map_err(|_| {
            ApiError::text("limit", format!("that takes more than {} s", LIMIT.as_secs()), None)
        })?
    }

    async fn answer<A: AsRef<OsStr>>(
        &self,
        program: &Path,
        directory: &Path,
        arguments: &[A],
        input: &[u8],
    ) -> ApiResult<Answer> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(directory)
            .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // SAFETY: system calls only, on the child's own state, without allocation.
        unsafe { command.pre_exec(limit) };
        let mut child = command.spawn().map_err(ApiError::internal)?;
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let stdin = child.stdin.take();
        let write = async {
            if let Some(mut stdin) = stdin {
                // One that ends without having read all says why.
                drop(stdin.write_all(input).await);
            }
            Ok(0)
        };
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (Some(out), Some(err)) = (out, err) else {
            return Err(ApiError::internal("a child without pipes"));
        };
        let (mut out, mut err) = (out.take(ANSWER_BYTES + 1), err.take(ANSWER_BYTES));
        let read = tokio::try_join!(write, out.read_to_end(&mut output), err.read_to_end(&mut errors));
        read.map_err(ApiError::internal)?;
        if output.len() as u64 > ANSWER_BYTES {
            return Err(ApiError::text("limit", "the answer is too long", None));
        }
        let status = child.wait().await.map_err(ApiError::internal)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Answer { status, output: text(output), errors: text(errors) })
    }
}

/// Lowers what the child may take.
fn limit() -> std::io::Result<()> {
    // SAFETY: no pointers.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
    for (resource, most) in [
        (Resource::RLIMIT_CPU, CPU_S),
        (Resource::RLIMIT_AS, MEMORY_BYTES),
        (Resource::RLIMIT_FSIZE, FILE_BYTES),
        (Resource::RLIMIT_CORE, 0),
    ] {
        setrlimit(resource, most, most)?;
    }
    Ok(())
}

impl Answer {
    /// Its output, or what it said went wrong, about a text that is called `file`.
    ///
    /// # Errors
    /// With the line where one is named.
    pub fn about(self, code: &str, file: &str) -> ApiResult<String> {
        if self.status.success() {
            return Ok(self.output);
        }
        let said = self.errors.trim();
        let message = said.lines().find_map(|line| line.strip_prefix("wiredyno: ")).map_or(said, |_| {
            let at = said.find("wiredyno: ").map_or(0, |at| at + "wiredyno: ".len());
            &said[at..]
        });
        if message.is_empty() {
            let message = format!("it could not be read within the limits ({})", self.status);
            return Err(ApiError::text("limit", message, None));
        }
        let (line, message) = line_of(message, file);
        Err(ApiError::text(code, message, line))
    }
}

/// The line that a message names in front, and what stands behind it; a place in the file system is no one's business.
fn line_of<'a>(message: &'a str, file: &str) -> (Option<usize>, &'a str) {
    let Some(at) = message.find(file) else { return (None, message) };
    let rest = &message[at + file.len()..];
    let Some(rest) = rest.strip_prefix(':') else { return (None, rest.trim_start_matches([':', ' '])) };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let line = rest[..digits].parse().ok();
    (line, rest[digits..].trim_start_matches([':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_message_is_read_and_places_are_left_out() {
        assert_eq!(line_of("study.toml:12: no such codec", "study.toml"), (Some(12), "no such codec"));
        assert_eq!(line_of("/tmp/x/study.toml:3: bad", "study.toml"), (Some(3), "bad"));
        assert_eq!(line_of("/tmp/x/study.toml: bad", "study.toml"), (None, "bad"));
        assert_eq!(line_of("there is no payload", "study.toml"), (None, "there is no payload"));
    }
}
