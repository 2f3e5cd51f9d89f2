//! Runners that are folders: the bundled ones, made ready in the tests' own cache, with all their codecs over
//! the payloads that have every construct, `person`, and two everyday ones; and one in a compiled language, which only tests use.

use std::path::Path;

use wiredyno_build::{BuildStep, Cache};
use wiredyno_contract::CodecDescription;
use wiredyno_languages::{RunnerFolder, SetUpError};

use crate::{Subject, payloads, rust};

/// Payloads besides those that have every construct.
const OTHERS: [&str; 3] = ["person", "small", "current-status"];

/// All bundled runners that are folders, by name.
///
/// # Panics
/// When a folder is invalid.
pub fn all() -> Vec<RunnerFolder> {
    wiredyno_languages::all().unwrap_or_else(|error| panic!("{error}"))
}

/// A folder's declaration with the installed language; `None` if that is missing.
pub fn declared(name: &str) -> Vec<CodecDescription> {
    let folder = all().into_iter().chain([compiled()]).find(|folder| folder.name == name);
    folder.and_then(|folder| Some(folder.codecs(&folder.language_version().ok()?))).unwrap_or_default()
}

/// The runner that only tests use: one folder, in a compiled language, built for each definition.
pub const COMPILED: &str = "compiled";

/// The folder of the runner [`COMPILED`].
///
/// # Panics
/// When the folder is invalid.
pub fn compiled() -> RunnerFolder {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runners").join(COMPILED);
    RunnerFolder::read(&folder).unwrap_or_else(|error| panic!("{error}"))
}

/// Payloads that [`COMPILED`] carries, and one that it does not.
const OF_COMPILED: [&str; 5] = ["opaque@0", "opaque@3", "opaque@1024", "opaque-text@1024", "person"];

/// What a runner that is built for each definition is tested over: what has the most constructs, and the payload of comparisons.
const OF_BUILT: [&str; 2] = ["kitchen-sink", "person"];

/// All subjects of the suites, or those of one runner. A runner that can't be made ready here is included, with what to install.
pub fn subjects(only: Option<&str>) -> Vec<Subject> {
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let of_all: Vec<&str> = payloads::OWN.into_iter().chain(OTHERS).collect();
    let of = |folder: &RunnerFolder| match folder.declared.definition {
        Some(_) => over(folder, &OF_BUILT).into_iter().map(Subject::reusing).collect(),
        None => over(folder, &of_all),
    };
    let mut subjects: Vec<Subject> =
        all().iter().filter(|folder| wanted(&folder.name)).flat_map(of).collect();
    if wanted(COMPILED) {
        subjects.extend(over(&compiled(), &OF_COMPILED));
    }
    subjects
}

/// The runner of a folder, over each of the payloads.
///
/// # Panics
/// When making it ready fails for another reason than a missing tool or network; with `CI` in the environment, where both are there, whenever a
/// step fails.
pub fn over(folder: &RunnerFolder, ids: &[&str]) -> Vec<Subject> {
    let cache = Cache::at(rust::folder());
    let codecs: Vec<String> = folder.declared.codecs.iter().map(|codec| codec.id.to_string()).collect();
    let name: &'static str = folder.name.clone().leak();
    let mut subjects = Vec::new();
    for id in ids {
        let payload = payloads::find(id);
        let told = &mut |step: BuildStep| eprintln!("{step:?}");
        match folder.make_ready(&payload, &cache, &|_| {}, &|| false, told) {
            Ok(ready) => {
                let program = ready.start.iter().map(Into::into).collect();
                // Kept until the tests end.
                std::mem::forget(ready);
                subjects.push(Subject::new(name, program, payload, codecs.clone()));
            }
            // Without the language or a network: ignored, with the reason in the name.
            Err(error @ (SetUpError::Folder(_) | SetUpError::Command { .. }))
                if matches!(error, SetUpError::Folder(_)) || std::env::var_os("CI").is_none() =>
            {
                let why = error.to_string().lines().last().unwrap_or_default().to_owned();
                let missing = codecs.into_iter().map(|id| (id, why.clone())).collect();
                let subject = Subject::new(name, Vec::new(), payload, Vec::new());
                subjects.push(Subject { missing, ..subject });
                break;
            }
            Err(error) => panic!("{error}"),
        }
    }
    subjects
}
