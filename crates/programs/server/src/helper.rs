//! The program `wiredyno`, started to answer one question: what is installed, what a study would do, what a definition contains. It runs with
//! the lowest priority, so that trials hardly notice, and with limits on time, memory and output.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use nix::sys::resource::{Resource, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::{Mutex, OwnedMutexGuard, Semaphore};
use wiredyno_model::told::{ERRORS, JSON, ToldError};

use crate::error::{ApiError, ApiResult};

/// Questions answered at a time. With one, a two-core machine keeps a CPU for what is measured.
const AT_A_TIME: usize = 1;
/// How long a question waits for its turn: long enough for fifty tests submitted at once.
const WAIT: Duration = Duration::from_secs(200);
/// How long an answer may take: at the lowest priority, alongside trials that use all CPUs, far longer than its CPU time.
const LIMIT: Duration = Duration::from_secs(150);
/// Limits of answers about what is here and what it did.
const ANSWERING: Limits = Limits { cpu_s: 12, memory_bytes: 2 << 30 };
/// Limits of reading a text that a user uploaded: a definition of 4 MB takes a second.
const READING: Limits = Limits { cpu_s: 4, memory_bytes: 1 << 30 };
/// The longest answer, in bytes.
const ANSWER_BYTES: u64 = 32 << 20;
/// The largest file that the helper may write, in bytes.
const FILE_BYTES: u64 = 64 << 20;

/// Users take turns, one question at a time, so that the many questions of one delay each other user by one at most.
#[derive(Default)]
pub struct Turns {
    of_users: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

/// A user's turn, over when dropped.
pub type Turn = OwnedMutexGuard<()>;

impl Turns {
    /// Waits for a user's turn.
    ///
    /// # Errors
    /// When the user's other questions keep it waiting too long.
    pub async fn of(&self, user: &str) -> ApiResult<Turn> {
        let own = {
            let mut of_users = self.of_users.lock().unwrap_or_else(PoisonError::into_inner);
            of_users.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(of_users.entry(user.to_owned()).or_default())
        };
        let turn = tokio::time::timeout(WAIT, own.lock_owned()).await;
        turn.map_err(|_| ApiError::busy("the server is answering your other questions: try again"))
    }
}

/// Limits of an answer besides its time.
#[derive(Debug, Clone, Copy)]
struct Limits {
    cpu_s: u64,
    /// Address space, in bytes.
    memory_bytes: u64,
}

/// Starts helpers, one at a time.
pub struct Helper {
    program: PathBuf,
    directory: PathBuf,
    turns: Semaphore,
}

/// Exit status and output of a helper.
#[derive(Debug)]
pub struct Answer {
    pub status: ExitStatus,
    /// Standard output, up to [`ANSWER_BYTES`].
    pub output: String,
    /// Standard error, cut off at [`ANSWER_BYTES`].
    pub errors: String,
}

impl Helper {
    /// Helpers of a program, run in a working directory.
    pub fn new(program: &Path, directory: &Path) -> Self {
        let turns = Semaphore::new(AT_A_TIME);
        Helper { program: program.to_owned(), directory: directory.to_owned(), turns }
    }

    /// Runs the program with these arguments.
    ///
    /// # Errors
    /// When other questions keep it waiting too long, it takes too much time or output, or it can't be started.
    pub async fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> ApiResult<Answer> {
        self.in_turn(self.answer(&self.program, &self.directory, arguments, &[], ANSWERING)).await
    }

    /// The same in another working directory, to read a text that a user uploaded.
    ///
    /// # Errors
    /// As [`Helper::ask`].
    pub async fn read_in<A: AsRef<OsStr>>(&self, directory: &Path, arguments: &[A]) -> ApiResult<Answer> {
        self.in_turn(self.answer(&self.program, directory, arguments, &[], READING)).await
    }

    /// Runs another program with a text on standard input, in turn with all other questions.
    ///
    /// # Errors
    /// As [`Helper::ask`].
    pub async fn compute(&self, program: &Path, arguments: &[&OsStr], input: &[u8]) -> ApiResult<Answer> {
        self.in_turn(self.answer(program, &self.directory, arguments, input, ANSWERING)).await
    }

    /// Waits for a turn, then for the answer.
    async fn in_turn(&self, answer: impl Future<Output = ApiResult<Answer>>) -> ApiResult<Answer> {
        let turn = tokio::time::timeout(WAIT, self.turns.acquire()).await;
        let _turn = turn
            .map_err(|_| ApiError::busy("the server is answering other questions: try again"))?
            .map_err(ApiError::internal)?;
        tokio::time::timeout(LIMIT, answer).await.map_err(|_| {
            ApiError::text("limit", format!("the answer takes more than {} s", LIMIT.as_secs()), None)
        })?
    }

    async fn answer<A: AsRef<OsStr>>(
        &self,
        program: &Path,
        directory: &Path,
        arguments: &[A],
        input: &[u8],
        limits: Limits,
    ) -> ApiResult<Answer> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(directory)
            .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env(ERRORS, JSON)
            .kill_on_drop(true);
        // SAFETY: system calls only, on the child's own state, without allocation.
        unsafe { command.pre_exec(move || limit(limits)) };
        let mut child = command.spawn().map_err(ApiError::internal)?;
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let stdin = child.stdin.take();
        let write = async {
            if let Some(mut stdin) = stdin {
                // A child that ends before reading everything reports why.
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

/// Lowers the child's priority and sets its resource limits.
fn limit(limits: Limits) -> std::io::Result<()> {
    // SAFETY: no pointers.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
    for (resource, most) in [
        (Resource::RLIMIT_CPU, limits.cpu_s),
        (Resource::RLIMIT_AS, limits.memory_bytes),
        (Resource::RLIMIT_FSIZE, FILE_BYTES),
        (Resource::RLIMIT_CORE, 0),
    ] {
        setrlimit(resource, most, most)?;
    }
    Ok(())
}

impl Answer {
    /// Its output, or the error that it reported. `files` are the names of the texts that the user submitted.
    ///
    /// # Errors
    /// With the line if the error is about one of `files`.
    pub fn about(self, code: &str, files: &[&str]) -> ApiResult<String> {
        if self.status.success() {
            return Ok(self.output);
        }
        let told = self.errors.lines().find_map(|line| serde_json::from_str::<ToldError>(line).ok());
        let Some(ToldError { error, file, line }) = told else {
            return Err(match self.errors.trim() {
                "" => {
                    let message = format!("it could not be read within the limits ({})", self.status);
                    ApiError::text("limit", message, None)
                }
                said => ApiError::text(code, said, None),
            });
        };
        // Of the operator's own files only the first line is told: further ones quote them.
        let error = match file.is_none() && error.starts_with("fleets/") {
            true => error.lines().next().unwrap_or_default().to_owned(),
            false => error,
        };
        // Paths of the server stay private.
        let name = file.as_deref().and_then(|file| Path::new(file).file_name()?.to_str());
        Err(match name.filter(|name| !files.contains(name)) {
            // Nor is its text told, of which further lines may have a part.
            Some(other) => {
                let first = error.lines().next().unwrap_or_default();
                ApiError::text(code, format!("{other}: {first}"), None)
            }
            None => ApiError::text(code, error, line),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use axum::http::StatusCode;

    use super::*;

    /// Message and line of a failure about study.toml.
    fn told(errors: &str) -> (String, Option<usize>) {
        let answer =
            Answer { status: ExitStatus::from_raw(256), output: String::new(), errors: errors.to_owned() };
        let (status, detail) = answer.about("study", &["study.toml"]).unwrap_err().parts();
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        (detail.message, detail.line)
    }

    #[test]
    fn the_line_of_a_failure_is_told_and_places_are_left_out() {
        let said = |message: &str, line| (message.to_owned(), line);
        let text = r#"{"error":"no such codec","file":"/tmp/x/study.toml","line":12}"#;
        assert_eq!(told(text), said("no such codec", Some(12)));
        assert_eq!(told(&format!("compiling\n{text}\n")), said("no such codec", Some(12)));
        assert_eq!(told(r#"{"error":"bad","file":"/tmp/x/study.toml"}"#), said("bad", None));
        assert_eq!(told(r#"{"error":"bad","file":"/tmp/x/l.toml","line":3}"#), said("l.toml: bad", None));
        assert_eq!(told(r#"{"error":"study.toml:3: no payload"}"#), said("study.toml:3: no payload", None));
        assert_eq!(told("error: unexpected argument\n"), said("error: unexpected argument", None));
        assert!(told("").0.contains("within the limits"));
    }
}
