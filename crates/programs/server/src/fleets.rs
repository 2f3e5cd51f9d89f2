//! Fleets that the server's operator has set up: which there are, what is known of them, and bringing them up and down. Nobody else names a file or
//! a machine: users choose by name among these.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::error::{ApiError, ApiResult};
use crate::helper::Helper;

/// How much of the end of a command's output is searched for its last words, in bytes.
const TAIL: u64 = 16 << 10;

/// What the file of a fleet says, as `wiredyno fleet show --json` prints it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// What brings its agents to machines: `ssh`, `slurm`, `kubernetes`, or `list` for people.
    pub engine: String,
    /// The names of its agents.
    pub agents: Vec<String>,
    /// Which host of a study is which agent, by name or label; a host that is left out is this machine.
    pub hosts: BTreeMap<String, String>,
    /// Whether it is up, so that tests need not wait for its agents.
    pub is_up: bool,
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
    /// What was wrong with the file, or with what was done last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What is done with a fleet, and why it did not succeed the last time.
#[derive(Debug, Clone, Default)]
struct State {
    doing: Option<&'static str>,
    problem: Option<String>,
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
    pub fn new(files: &BTreeMap<String, PathBuf>, program: &Path, data: &Path, helper: Arc<Helper>) -> Self {
        let (program, data) = (program.to_owned(), data.to_owned());
        Fleets { files: files.clone(), program, data, helper, states: Arc::default() }
    }

    /// The file of a fleet.
    ///
    /// # Errors
    /// When the operator has set up none of this name.
    pub fn file(&self, name: &str) -> ApiResult<&Path> {
        let file = self.files.get(name).map(PathBuf::as_path);
        file.ok_or_else(|| ApiError::forbidden("the server's operator has not set up this fleet (--fleet)"))
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
            let (shown, wrong) = match answer.about("fleet", &[]) {
                Ok(output) => (Some(serde_json::from_str(&output).map_err(ApiError::internal)?), None),
                Err(error) => (None, Some(without_path(&error.parts().1.message, file, name))),
            };
            let doing = doing.map(str::to_owned);
            all.push(Fleet { name: name.clone(), shown, doing, problem: wrong.or(problem) });
        }
        Ok(all)
    }

    /// Begins to bring a fleet up, or to take it down; what becomes of it is told by [`Fleets::list`].
    ///
    /// # Errors
    /// When there is none of this name, something is done with it, or it can't be begun.
    pub fn begin(&self, name: &str, what: &'static str) -> ApiResult<()> {
        let file = self.file(name)?;
        let mut states = locked(&self.states);
        let state = states.entry(name.to_owned()).or_default();
        if let Some(doing) = state.doing {
            return Err(ApiError::conflict(format!(
                "the fleet is being brought {doing}: wait until that is done"
            )));
        }
        let path = self.data.join("logs").join(format!("fleet-{name}.log"));
        let log = File::create(&path).map_err(ApiError::internal)?;
        let mut child = Command::new(&self.program)
            .args(["fleet", what])
            .arg(file)
            .current_dir(&self.data)
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(ApiError::internal)?)
            .stderr(log)
            .process_group(0)
            // A server that ends does not leave one half up: the program then ends by itself and cleans up.
            .kill_on_drop(false)
            .spawn()
            .map_err(ApiError::internal)?;
        *state = State { doing: Some(what), problem: None };
        drop(states);
        let (states, file, name) = (Arc::clone(&self.states), file.to_owned(), name.to_owned());
        tokio::spawn(async move {
            let problem = match child.wait().await {
                Ok(status) if status.success() => None,
                Ok(status) => {
                    let why = end_of(&path).map(|why| without_path(&why, &file, &name));
                    Some(why.unwrap_or_else(|| format!("it ended with {status}")))
                }
                Err(error) => Some(error.to_string()),
            };
            *locked(&states).entry(name).or_default() = State { doing: None, problem };
        });
        Ok(())
    }
}

/// The last words of a command that failed.
fn last_words(said: &str) -> Option<String> {
    said.lines().rev().find_map(|line| line.strip_prefix("wiredyno: ")).map(str::to_owned)
}

/// The words with a fleet's name in place of its file: where that is, is the operator's business.
fn without_path(said: &str, file: &Path, name: &str) -> String {
    said.replace(&file.display().to_string(), name)
}

fn end_of(log: &Path) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    last_words(&String::from_utf8_lossy(&bytes))
}
