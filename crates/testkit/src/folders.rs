//! Runners that are folders: those that come with the program, made ready in the tests' own cache, with all their codecs over
//! the payloads that have every construct, `person`, and two everyday ones.

use wiredyno_build::Cache;
use wiredyno_contract::CodecDescription;
use wiredyno_runners::{RunnerFolder, SetUpError};

use crate::{Subject, payloads, rust};

/// Beside those that have every construct.
const OTHERS: [&str; 3] = ["person", "small", "current-status"];

/// All of them, in the order of their names.
///
/// # Panics
/// When the folder of one is broken.
pub fn all() -> Vec<RunnerFolder> {
    wiredyno_runners::all().unwrap_or_else(|error| panic!("{error}"))
}

/// What a folder declares, with the language that is here; nothing where that is missing.
pub fn declared(name: &str) -> Vec<CodecDescription> {
    let folder = all().into_iter().find(|folder| folder.name == name);
    folder.and_then(|folder| Some(folder.codecs(&folder.language_version().ok()?))).unwrap_or_default()
}

/// Everything that the suites take. A runner that can't be made ready here is there with what to do.
pub fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for folder in all() {
        let cache = Cache::at(rust::folder());
        let told = &mut |line: String| eprintln!("{line}");
        let ready = folder.make_ready(&cache, &|_| {}, &|| false, told);
        let ids: Vec<String> = folder.declared.codecs.iter().map(|codec| codec.id.to_string()).collect();
        let name: &'static str = folder.name.clone().leak();
        let over = |program: Vec<std::ffi::OsString>, codecs: Vec<String>| {
            let names = payloads::OWN.into_iter().chain(OTHERS);
            names.map(move |id| Subject::new(name, program.clone(), payloads::find(id), codecs.clone()))
        };
        match ready {
            Ok(ready) => subjects.extend(over(ready.start.into_iter().map(Into::into).collect(), ids)),
            // Without the language or a network: ignored by name.
            Err(error @ (SetUpError::Folder(_) | SetUpError::Command { .. })) => {
                let why = error.to_string().lines().last().unwrap_or_default().to_owned();
                let missing = ids.into_iter().map(|id| (id, why.clone())).collect();
                let subject = over(Vec::new(), Vec::new()).next();
                subjects.extend(subject.map(|subject| Subject { missing, ..subject }));
            }
            Err(error) => panic!("{error}"),
        }
    }
    subjects
}
