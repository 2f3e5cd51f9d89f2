//! Whether a runner that is a folder is what its runner.toml declares: it is started and asked.

use std::process::Command;

use wiredyno_build::{CachedRunner, Composition};
use wiredyno_contract::CodecId;
use wiredyno_languages::{ReadyRunner, RunnerFolder};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runner::Runner;
use wiredyno_seats::runner_error::RunnerError;

use crate::meaning::Meaning;

/// Why a runner is not used for measuring.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A folder's runner does not match its runner.toml, or does not answer.
    #[error("the runner `{runner}` is not used for measuring ({place}): {source}")]
    Folder {
        /// Name of the runner's folder.
        runner: String,
        /// Its location, and what to do about it.
        place: String,
        /// How it differs, or why it did not answer.
        source: Box<RunnerError>,
    },
    /// A composed runner does not match its composition, or does not answer.
    #[error(
        "a runner differs from what was built, so it is not used for measuring: `wiredyno build --remove PAYLOAD` \
         deletes a payload's runners, and they are built again: {0}"
    )]
    Composed(#[source] RunnerError),
    /// The user interrupted the comparison.
    #[error("interrupted")]
    Interrupted,
}

impl Meaning for VerifyError {
    fn is_interruption(&self) -> bool {
        matches!(self, VerifyError::Interrupted)
    }
}

/// Asks a folder's runner for its description, and refuses it if that differs from its runner.toml. `prepare` makes sure
/// that it ends with this program.
///
/// # Errors
/// When it does not answer, or differs; with what to do about that.
pub fn verify_folder(
    ready: &ReadyRunner,
    folder: &RunnerFolder,
    prepare: &dyn Fn(&mut Command),
    interrupt: &Interrupt,
) -> Result<(), VerifyError> {
    let compared = || {
        let mut command = ready.command();
        prepare(&mut command);
        let mut process = Runner::spawn("runner", command, interrupt)?;
        let said = process.describe()?;
        process.stop();
        for declared in folder.codecs(&ready.language_version) {
            let id = &declared.id;
            let problem = match said.codecs.iter().find(|codec| codec.id == *id) {
                Some(its) if *its == declared => continue,
                Some(its) => format!("it says `{id}` is {its:?}, but {declared:?} is declared"),
                None => format!("it does not have `{id}`, which is declared"),
            };
            return Err(RunnerError::Contract { role: "runner", problem });
        }
        let definition = ready.kept.as_ref().map(|kept| &kept.composed.definition);
        if let (Some(own), Some(its)) = (definition, &said.definition)
            && own != its
        {
            let problem = format!("it says that it was built for the definition {its}, but it was for {own}");
            return Err(RunnerError::Contract { role: "runner", problem });
        }
        let declares = |id: &CodecId| folder.declared.codecs.iter().any(|codec| codec.id == *id);
        if said.transports != folder.declared.transports {
            let problem = format!(
                "its transports are {:?}, but {:?} are declared",
                said.transports, folder.declared.transports
            );
            return Err(RunnerError::Contract { role: "runner", problem });
        }
        if said.reads_records != folder.declared.reads_records {
            let declared = folder.declared.reads_records;
            let problem =
                format!("its `reads_records` is {}, but {declared} is declared", said.reads_records);
            return Err(RunnerError::Contract { role: "runner", problem });
        }
        match said.codecs.iter().find(|codec| !declares(&codec.id)) {
            Some(other) => {
                let problem = format!("it has `{}`, which is not declared", other.id);
                Err(RunnerError::Contract { role: "runner", problem })
            }
            None => Ok(()),
        }
    };
    compared().map_err(|source| match source {
        RunnerError::Interrupted => VerifyError::Interrupted,
        source => {
            let place = folder.path.as_ref().map_or_else(
                || "comes with the program: please report this".to_owned(),
                |path| format!("{}: fix the runner or its runner.toml", path.display()),
            );
            VerifyError::Folder { runner: folder.name.clone(), place, source: Box::new(source) }
        }
    })
}

/// Asks a runner for its description, and refuses it if that differs from its composition: another contract or definition, or
/// other codecs or versions than are declared. `prepare` makes sure that it ends with this program.
///
/// # Errors
/// When it does not answer, or differs; with what to do about that.
pub fn verify(
    kept: &CachedRunner,
    composition: &Composition,
    prepare: &dyn Fn(&mut Command),
    interrupt: &Interrupt,
) -> Result<(), VerifyError> {
    compare(kept, composition, prepare, interrupt).map_err(|source| match source {
        RunnerError::Interrupted => VerifyError::Interrupted,
        source => VerifyError::Composed(source),
    })
}

/// Compares the runner's description with its composition.
fn compare(
    kept: &CachedRunner,
    composition: &Composition,
    prepare: &dyn Fn(&mut Command),
    interrupt: &Interrupt,
) -> Result<(), RunnerError> {
    let mut command = Command::new(&kept.program);
    prepare(&mut command);
    let mut process = Runner::spawn("runner", command, interrupt)?;
    let said = process.describe()?;
    process.stop();
    let differs = |problem: String| {
        let problem = format!("{problem}; `wiredyno build --remove {}` deletes it", kept.composed.payload);
        Err(RunnerError::Contract { role: "runner", problem })
    };
    if said.definition.as_deref().unwrap_or_default() != composition.definition() {
        return differs("it was compiled for a different definition than the one it is kept for".to_owned());
    }
    for protocol in wiredyno_transport_registry::REGISTRY {
        let declared = protocol.describe();
        if composition.transports().any(|package| package == protocol.package)
            && !said.transports.contains(&declared)
        {
            return differs(format!("it does not have `{}` as declared", declared.id));
        }
    }
    let declared = wiredyno_codec_registry::descriptions();
    for id in composition.codecs() {
        let composed: Option<CodecId> = id.parse().ok();
        let own = declared.iter().find(|codec| Some(&codec.id) == composed.as_ref());
        let its = said.codecs.iter().find(|codec| Some(&codec.id) == composed.as_ref());
        if own.is_none() || own != its {
            return differs(format!("it does not have `{id}` as declared"));
        }
    }
    Ok(())
}
