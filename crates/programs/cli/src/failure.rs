//! Errors as a user gets them: what they mean for the exit code, and how they are printed.

use std::error::Error;
use std::process::ExitCode;

use wiredyno_build::BuildError;
use wiredyno_languages::SetUpError;
use wiredyno_model::FileError;
use wiredyno_model::told::{ERRORS, JSON, ToldError};
use wiredyno_payloads::{NewError, PayloadError};
use wiredyno_planning::catalogue::CatalogueError;
use wiredyno_planning::meaning::Meaning;
use wiredyno_planning::needs::ProvideError;
use wiredyno_planning::ready::OrderError;
use wiredyno_planning::stock::{StockError, VerifyError};
use wiredyno_planning::study::{Refused, StudyError};
use wiredyno_running::pack::MakeError;
use wiredyno_running::run::{PrepareError, RunError};
use wiredyno_schema::import::ImportError;
use wiredyno_schema::{DefinitionError, SampleError};
use wiredyno_seats::runner_error::RunnerError;

use crate::exit::{FAILED, INTERRUPTED, WRONG};
use crate::output::errln;
use crate::terminal;

/// The meaning of an operation's error, whatever context was added; `None` for any other error.
fn meaning(error: &anyhow::Error) -> Option<&dyn Meaning> {
    fn of<E: std::error::Error + Meaning + Send + Sync + 'static>(
        error: &anyhow::Error,
    ) -> Option<&dyn Meaning> {
        error.downcast_ref::<E>().map(|error| error as &dyn Meaning)
    }
    // All errors with a meaning, in one list so that none is forgotten.
    let known = [
        of::<BuildError>,
        of::<MakeError>,
        of::<OrderError>,
        of::<PrepareError>,
        of::<ProvideError>,
        of::<Refused>,
        of::<RunError>,
        of::<RunnerError>,
        of::<SetUpError>,
        of::<StudyError>,
        of::<VerifyError>,
    ];
    known.into_iter().find_map(|of| of(error))
}

/// An error of looking up a name.
pub trait Names: Into<anyhow::Error> {
    /// Whether nothing has the requested name.
    fn nothing(&self) -> bool;
}

impl Names for StockError {
    fn nothing(&self) -> bool {
        self.names_nothing()
    }
}

impl Names for PayloadError {
    fn nothing(&self) -> bool {
        self.names_nothing()
    }
}

impl Names for CatalogueError {
    fn nothing(&self) -> bool {
        self.names_nothing()
    }
}

impl Names for MakeError {
    fn nothing(&self) -> bool {
        self.names_nothing()
    }
}

/// Turns an error into one of the command line, with exit code [`WRONG`].
pub fn wrong(error: impl Into<anyhow::Error>) -> anyhow::Error {
    Refused(words(&error.into())).into()
}

/// Resolves what the command line names; if nothing has that name, the command line is wrong.
pub fn named<T, E: Names>(found: Result<T, E>) -> anyhow::Result<T> {
    found.map_err(|error| if error.nothing() { wrong(error) } else { error.into() })
}

/// The messages of an error and its causes, each once: many already include their cause.
fn words(error: &anyhow::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if said.last().is_none_or(|last| !last.contains(&cause)) {
            said.push(cause);
        }
    }
    said.join(": ")
}

/// The exit code of an error, by its [`meaning`].
fn code_of(error: &anyhow::Error) -> u8 {
    match meaning(error) {
        Some(error) if error.is_interruption() => INTERRUPTED,
        Some(error) if error.is_refusal() => WRONG,
        _ => FAILED,
    }
}

/// The file that an error is about, and the line if it is about one.
fn place<'a>(cause: &'a (dyn Error + 'static)) -> Option<(&'a str, Option<usize>)> {
    fn of_file(error: &FileError) -> (&str, Option<usize>) {
        (&error.file, error.line)
    }
    let with_line = |(file, line): (&'a str, usize)| (file, Some(line));
    if let Some(error) = cause.downcast_ref::<NewError>() {
        error.place()
    } else if let Some(error) = cause.downcast_ref::<ImportError>() {
        Some(error.place())
    } else if let Some(error) = cause.downcast_ref::<SampleError>() {
        error.place().map(with_line)
    } else if let Some(error) = cause.downcast_ref::<DefinitionError>() {
        error.place().map(with_line)
    } else if let Some(StudyError::File(error)) = cause.downcast_ref() {
        Some(of_file(error))
    } else if let Some(PrepareError::Study(error)) = cause.downcast_ref() {
        Some(of_file(error))
    } else {
        cause.downcast_ref().map(of_file)
    }
}

/// An error as reported to programs.
fn for_programs(error: &anyhow::Error) -> ToldError {
    let found = error.chain().find_map(|cause| Some((cause.to_string(), place(cause)?)));
    let Some((said, (file, line))) = found else {
        return ToldError { error: words(error), file: None, line: None };
    };
    // The messages of errors with a place begin with it.
    let before = line.map_or_else(|| format!("{file}: "), |line| format!("{file}:{line}: "));
    let said = said.strip_prefix(&before).unwrap_or(&said).to_owned();
    ToldError { error: said, file: Some(file.to_owned()), line }
}

/// Prints an error, unless it is an interruption, and returns its exit code.
pub fn told(error: &anyhow::Error) -> ExitCode {
    let code = code_of(error);
    if code != INTERRUPTED {
        if std::env::var_os(ERRORS).is_some_and(|form| form == JSON) {
            errln!("{}", serde_json::json!(for_programs(error)));
        } else {
            errln!("{} {}", terminal::wrong("wiredyno:"), words(error));
        }
    }
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};
    use wiredyno_build::CargoError;

    use super::*;

    #[test]
    fn no_reason_is_told_twice() {
        let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
        let once = anyhow::Error::new(gone).context("x.toml: entity not found").context("the study");
        assert_eq!(words(&once), "the study: x.toml: entity not found");
        let two = Err::<(), _>(std::io::Error::other("b")).context("a").unwrap_err();
        assert_eq!(words(&two), "a: b");
        assert!(wrong(two).is::<Refused>());
    }

    #[test]
    fn an_error_decides_the_code_by_its_kind_whatever_is_said_around_it() {
        let refused = || Refused("--only x: no".to_owned());
        let interrupted = || BuildError::from(CargoError::Interrupted);
        let set_up = || SetUpError::from(interrupted());
        for (error, code) in [
            (anyhow::Error::new(refused()), WRONG),
            (StudyError::from(refused()).into(), WRONG),
            (PrepareError::from(refused()).into(), WRONG),
            (OrderError::from(refused()).into(), WRONG),
            (MakeError::from(StudyError::from(refused())).into(), WRONG),
            (interrupted().into(), INTERRUPTED),
            (set_up().into(), INTERRUPTED),
            (VerifyError::Interrupted.into(), INTERRUPTED),
            (RunnerError::Interrupted.into(), INTERRUPTED),
            (RunError::from(RunnerError::Interrupted).into(), INTERRUPTED),
            (ProvideError::from(interrupted()).into(), INTERRUPTED),
            (ProvideError::from(VerifyError::Interrupted).into(), INTERRUPTED),
            (MakeError::from(ProvideError::from(set_up())).into(), INTERRUPTED),
            (ProvideError::Gone.into(), FAILED),
            (StudyError::NotFast { name: "x".to_owned() }.into(), FAILED),
            (anyhow!("interrupted"), FAILED),
        ] {
            let error: anyhow::Error = error;
            assert_eq!(code_of(&error), code, "{error}");
            assert_eq!(code_of(&error.context("the study")), code);
        }
    }

    #[test]
    fn programs_are_told_the_place_apart_from_the_sentence() {
        let file = |line| FileError {
            file: "/tmp/x/study.toml".to_owned(),
            line,
            problem: "no such codec".to_owned(),
            hint: "; look".to_owned(),
            is_unknown_key: false,
        };
        let sample = || NewError::Convert { file: "s.jsonl".into(), line: 2, reason: "no `x`".into() };
        let empty = || NewError::from(ImportError::Empty { file: "s.jsonl".into() });
        for (error, sentence, place, line) in [
            (anyhow::Error::new(file(Some(3))), "no such codec; look", Some("/tmp/x/study.toml"), Some(3)),
            (StudyError::from(file(None)).into(), "no such codec; look", Some("/tmp/x/study.toml"), None),
            (
                PrepareError::from(file(Some(3))).into(),
                "no such codec; look",
                Some("/tmp/x/study.toml"),
                Some(3),
            ),
            (sample().into(), "no `x`", Some("s.jsonl"), Some(2)),
            (
                empty().into(),
                "s.jsonl contains no sample: write at least one JSON document into it",
                Some("s.jsonl"),
                None,
            ),
            (anyhow!("study.toml:3: like a place"), "study.toml:3: like a place", None, None),
        ] {
            let error: anyhow::Error = error;
            let wanted = ToldError { error: sentence.to_owned(), file: place.map(str::to_owned), line };
            assert_eq!(for_programs(&error), wanted);
            if place.is_some() {
                assert_eq!(for_programs(&error.context("the study")), wanted);
            }
        }
    }

    #[test]
    fn only_a_name_that_is_unknown_makes_a_command_line_wrong() {
        let unknown =
            |id: &str| CatalogueError::Unknown { word: "link", id: id.to_owned(), hint: "look".to_owned() };
        let error = named(Err::<(), _>(unknown("nope"))).unwrap_err();
        assert!(error.is::<Refused>() && error.to_string() == "there is no link `nope`; look", "{error}");
        let folder = CatalogueError::Folder { word: "link", path: "/etc".into() };
        assert!(!named(Err::<(), _>(folder)).unwrap_err().is::<Refused>());
    }
}
