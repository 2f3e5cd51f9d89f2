//! Fleets that the server's operator has set up: which there are, what is known of them, and bringing them up and down. Nobody else names a file or
//! a machine: users choose by name among these.
//!
//! Commands about a fleet get a link to its file, `fleets/NAME.toml` below the server's folder, in which they run: where the file is stays the
//! operator's business, and what is kept of a fleet that is up lies in the server's folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::error::{ApiError, ApiResult};
use crate::helper::Helper;

/// The folder of links, below the server's.
const LINKS: &str = "fleets";
/// How much of the end of a command's output is read, in bytes, and how many of its last lines are told.
const TAIL: u64 = 16 << 10;
const LINES: usize = 6;
/// How long commands may take to end when the server does: taking a job or pods away takes seconds.
const ENDING: Duration = Duration::from_secs(20);

/// What the file of a fleet says, as `wiredyno fleet show --json` prints it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// What brings its agents to machines: `ssh`, `slurm`, `kubernetes`, or `list` for people.
    pub engine: String,
    /// The names of its agents.
    pub agents: Vec<String>,
    /// Which host of a study is which agents, by name or label; a host that is left out is this machine.
    pub hosts: BTreeMap<String, Vec<String>>,
    /// Whether it is up, so that tests need not wait for its agents.
    pub is_up: bool,
    /// Why what has been left of a fleet can't be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A fleet that tests may ask for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Fleet {
    /// Its name, which a test's `fleet` is.
    pub name: String,
    /// What its file says; absent if that can't be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
    /// What is being done: `up` or `down`; absent if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// What is said by who does it, as its last lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// What was wrong with the file, or with what was done last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What is done with a fleet, and why it did not succeed the last time.
#[derive(Debug, Clone, Default)]
struct State {
    doing: Option<Doing>,
    problem: Option<String>,
}

/// A command that runs.
#[derive(Debug, Clone, Copy)]
struct Doing {
    what: &'static str,
    process: Option<Pid>,
    /// Whether it was asked to end, so that its end is no problem.
    is_ended: bool,
}

/// The fleets, by name.
pub struct Fleets {
    files: BTreeMap<String, PathBuf>,
    program: PathBuf,
    data: PathBuf,
    helper: Arc<Helper>,
    states: Arc<Mutex<BTreeMap<String, State>>>,
}

fn locked(states: &Mutex<BTreeMap<String, State>>) -> MutexGuard<'_, BTreeMap<String, State>> {
    states.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fleets {
    /// Those of these files, which `program` brings up in the folder `data`.
    ///
    /// # Errors
    /// When their links can't be made.
    pub fn new(
        files: &BTreeMap<String, PathBuf>,
        program: &Path,
        data: &Path,
        helper: Arc<Helper>,
    ) -> anyhow::Result<Self> {
        let folder = data.join(LINKS);
        std::fs::create_dir_all(&folder).context("the server's folder")?;
        let mut links = BTreeMap::new();
        for (name, file) in files {
            let link = Path::new(LINKS).join(format!("{name}.toml"));
            let there = data.join(&link);
            // That of an earlier start.
            let _ = std::fs::remove_file(&there);
            symlink(file, &there).with_context(|| there.display().to_string())?;
            links.insert(name.clone(), link);
        }
        let (program, data) = (program.to_owned(), data.to_owned());
        Ok(Fleets { files: links, program, data, helper, states: Arc::default() })
    }

    /// The file of a fleet, from the server's folder.
    ///
    /// # Errors
    /// When the operator has set up none of this name.
    pub fn file(&self, name: &str) -> ApiResult<&Path> {
        let file = self.files.get(name).map(PathBuf::as_path);
        file.ok_or_else(|| ApiError::forbidden("the server's operator has not set up this fleet (--fleet)"))
    }

    /// What a test waits for that asks for this fleet, in words; nothing unless the fleet is being brought up or down.
    pub fn awaited(&self, name: &str) -> Option<String> {
        let what = locked(&self.states).get(name)?.doing?.what;
        Some(format!("waits until the fleet `{name}` is {what}"))
    }

    /// The names of those that are being brought up or down: their tests wait.
    pub fn moving(&self) -> Vec<String> {
        let states = locked(&self.states);
        states.iter().filter(|(_, state)| state.doing.is_some()).map(|(name, _)| name.clone()).collect()
    }

    /// All of them.
    ///
    /// # Errors
    /// When the program can't be asked about them.
    pub async fn list(&self) -> ApiResult<Vec<Fleet>> {
        let mut all = Vec::new();
        for (name, file) in &self.files {
            let answer = self.helper.ask(&["fleet", "show", "--json", &file.display().to_string()]).await?;
            let State { doing, problem } = locked(&self.states).get(name).cloned().unwrap_or_default();
            let (mut shown, wrong) = match answer.about("fleet", &[]) {
                Ok(output) => {
                    (Some(serde_json::from_str::<Shown>(&output).map_err(ApiError::internal)?), None)
                }
                Err(error) => (None, Some(error.parts().1.message)),
            };
            let left = shown.as_mut().and_then(|shown| shown.problem.take()).filter(|_| doing.is_none());
            let said = doing.map(|_| last_lines(&self.log(name))).unwrap_or_default();
            let problem = wrong.or(left).or(problem);
            let doing = doing.map(|doing| doing.what.to_owned());
            all.push(Fleet { name: name.clone(), shown, doing, said, problem });
        }
        Ok(all)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.data.join("logs").join(format!("fleet-{name}.log"))
    }

    /// Begins to bring a fleet up, or to take it down; what becomes of it is told by [`Fleets::list`]. To take down one that is coming up ends that.
    ///
    /// # Errors
    /// When there is none of this name, something else is done with it, or it can't be begun.
    pub fn begin(&self, name: &str, what: &'static str) -> ApiResult<()> {
        let file = self.file(name)?;
        let mut states = locked(&self.states);
        let state = states.entry(name.to_owned()).or_default();
        if let Some(doing) = &mut state.doing {
            if doing.what == "up" && what == "down" {
                doing.end();
                return Ok(());
            }
            let message = format!("the fleet is being brought {}: wait until that is done", doing.what);
            return Err(ApiError::conflict(message));
        }
        let path = self.log(name);
        let log = File::create(&path).map_err(ApiError::internal)?;
        let mut command = Command::new(&self.program);
        command.args(["fleet", what]).arg(file).current_dir(&self.data).stdin(Stdio::null());
        command.stdout(log.try_clone().map_err(ApiError::internal)?).stderr(log).process_group(0);
        // SAFETY: a system call only, without allocation.
        unsafe { command.pre_exec(end_with_parent) };
        let mut child = command.spawn().map_err(ApiError::internal)?;
        let process = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        *state = State { doing: Some(Doing { what, process, is_ended: false }), problem: None };
        drop(states);
        let (states, name) = (Arc::clone(&self.states), name.to_owned());
        tokio::spawn(async move {
            let ended = child.wait().await;
            let mut states = locked(&states);
            let state = states.entry(name).or_default();
            let was_ended = state.doing.take().is_some_and(|doing| doing.is_ended);
            state.problem = match ended {
                Ok(status) if status.success() || was_ended => None,
                Ok(status) => Some(last_words(&path).unwrap_or_else(|| format!("it ended with {status}"))),
                Err(error) => Some(error.to_string()),
            };
        });
        Ok(())
    }

    /// Ends what is being done, and waits for it: a fleet that is half up is taken down by the command that brings it up.
    pub async fn end(&self) {
        locked(&self.states).values_mut().filter_map(|state| state.doing.as_mut()).for_each(Doing::end);
        let until = Instant::now() + ENDING;
        while !self.moving().is_empty() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Doing {
    /// Asks it to end.
    fn end(&mut self) {
        self.is_ended = true;
        if let Some(process) = self.process {
            // It has not been waited for, so that its id is not another's.
            let _ = kill(process, Signal::SIGTERM);
        }
    }
}

/// A command of a server that was killed ends as if it were interrupted.
fn end_with_parent() -> std::io::Result<()> {
    // SAFETY: integers only.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// The files of fleets by their names, as paths that hold in any folder.
///
/// # Errors
/// When a file is not there, or its name can't be a fleet's or is another's too.
pub fn named(files: &[PathBuf]) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut all = BTreeMap::new();
    for file in files {
        let told = || format!("--fleet {}", file.display());
        let path = file.canonicalize().with_context(told)?;
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        ensure!(
            !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one)),
            "{}: a fleet has the name of its file: use letters, digits, `-`, `_` and `.`",
            told()
        );
        ensure!(all.insert(name, path).is_none(), "{}: two fleets would have the same name", told());
    }
    Ok(all)
}

/// The last words of a command that failed.
fn last_words(log: &Path) -> Option<String> {
    let words = |line: &String| line.strip_prefix("wiredyno: ").map(str::to_owned);
    end_of(log).iter().rev().find_map(words)
}

fn last_lines(log: &Path) -> Vec<String> {
    let lines = end_of(log);
    lines[lines.len().saturating_sub(LINES)..].to_vec()
}

/// The lines at the end of a log; none if it can't be read.
fn end_of(log: &Path) -> Vec<String> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let text = read().unwrap_or_default();
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}
