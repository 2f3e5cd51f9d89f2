//! The programs that serve as runners: this one for the payloads that it has, and one more for each payload that was
//! built apart. All have the same codecs and transports.

use std::path::{Path, PathBuf};
use std::process::Command;

use wiredyno_model::PayloadId;
use wiredyno_model::summary::PayloadBuild;
use wiredyno_runner_wire::Description;

use crate::runner::RunnerError;

/// A runner that was built for one payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// Its program.
    pub program: PathBuf,
    /// What it was built of.
    pub build: PayloadBuild,
}

/// Which program runs for which payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runners {
    own: PathBuf,
    apart: Vec<Apart>,
}

impl Runners {
    /// One program for everything: this one, with the argument `runner`.
    pub fn of(own: PathBuf) -> Self {
        Runners { own, apart: Vec::new() }
    }

    /// With these beside it.
    pub fn and(mut self, apart: impl IntoIterator<Item = Apart>) -> Self {
        self.apart.extend(apart);
        self
    }

    /// The program itself, which is also the lane worker.
    pub fn own(&self) -> &Path {
        &self.own
    }

    /// What was built apart.
    pub fn builds(&self) -> impl Iterator<Item = &PayloadBuild> {
        self.apart.iter().map(|apart| &apart.build)
    }

    /// Starts this program as a runner: for what needs no payload, such as a broker's role.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.own);
        command.arg("runner");
        command
    }

    /// Starts the runner that has a payload.
    pub fn command_for(&self, payload: &PayloadId) -> Command {
        match self.apart.iter().find(|apart| apart.build.payload == payload.name) {
            Some(apart) => Command::new(&apart.program),
            None => self.command(),
        }
    }

    /// Adds the payloads of the runners built apart to what this program says it has; `ask` asks a runner.
    ///
    /// # Errors
    /// When one can't be asked, or has other codecs than this program.
    pub fn describe(
        &self,
        mut description: Description,
        mut ask: impl FnMut(Command) -> Result<Description, RunnerError>,
    ) -> Result<Description, RunnerError> {
        for Apart { program, build } in &self.apart {
            let other = ask(Command::new(program))?;
            if other.codecs != description.codecs || other.transports != description.transports {
                let problem = format!(
                    "the runner built for `{}` has other codecs or transports than this program",
                    build.payload
                );
                return Err(RunnerError::Contract { role: "runner", problem });
            }
            description.payloads.extend(other.payloads);
        }
        Ok(description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_model::CodecDescription;
    use wiredyno_runner_wire::{CONTRACT, PayloadDescription, Runner};

    fn description(payload: &str, codec_version: &str) -> Description {
        Description {
            contract: CONTRACT,
            runner: Runner { name: "rust".into(), language: "Rust".into(), version: "0".into() },
            codecs: vec![CodecDescription {
                id: "json/serde-json".parse().unwrap(),
                library: "lib".into(),
                version: codec_version.into(),
                about: String::new(),
                capabilities: Vec::new(),
            }],
            compressions: Vec::new(),
            transports: Vec::new(),
            payloads: vec![PayloadDescription {
                name: payload.into(),
                sized: false,
                about: String::new(),
                definition: String::new(),
                samples: 1,
                not_carried: Vec::new(),
                no_dictionary: None,
            }],
        }
    }

    fn runners() -> Runners {
        let build = PayloadBuild {
            payload: "trips".into(),
            build: "1".into(),
            folder: "/trips".into(),
            definition: String::new(),
        };
        Runners::of("/own".into()).and([Apart { program: "/apart".into(), build }])
    }

    #[test]
    fn each_payload_has_the_runner_that_was_built_for_it() {
        let program =
            |payload: &str| runners().command_for(&payload.parse().unwrap()).get_program().to_owned();
        assert_eq!((program("trips"), program("person")), ("/apart".into(), "/own".into()));
        assert_eq!(runners().command().get_args().collect::<Vec<_>>(), ["runner"]);
    }

    #[test]
    fn payloads_built_apart_stand_beside_the_bundled_ones() {
        let all = runners().describe(description("person", "1"), |_| Ok(description("trips", "1"))).unwrap();
        let names: Vec<&str> = all.payloads.iter().map(|payload| payload.name.as_str()).collect();
        assert_eq!(names, ["person", "trips"]);
        let error = runners().describe(description("person", "1"), |_| Ok(description("trips", "2")));
        assert!(error.unwrap_err().to_string().contains("`trips` has other codecs"));
    }
}
