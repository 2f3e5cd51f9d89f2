//! Exit codes, all in one place.

use std::process::ExitCode;

use wiredyno_build::{BuildError, CargoError};
use wiredyno_orchestrate::catalogue::CatalogueError;
use wiredyno_orchestrate::runner::RunnerError;
use wiredyno_orchestrate::stock::StockError;
use wiredyno_orchestrate::study::Refused;
use wiredyno_payloads::PayloadError;

use crate::output::errln;
use crate::terminal;

/// All is well.
pub const DONE: ExitCode = ExitCode::SUCCESS;
/// The program could not do what was asked.
pub const FAILED: u8 = 1;
/// The command line is wrong: clap ends with this code too.
pub const WRONG: u8 = 2;
/// A run ended, but at least one cell has nothing to show, because all of its trials are invalid or failed; or it has no figure at all.
pub const INCOMPLETE: u8 = 3;
/// A difference was found, a threshold is not kept, or nothing meets the needs.
pub const DIFFERENCE: u8 = 10;
/// There are no data, or they can't be held against each other.
pub const CANT_TELL: u8 = 11;
/// The data leave it open: more repeats or messages would decide.
pub const NOT_DECIDED: u8 = 12;
/// Interrupted by the user: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The table for `--help`.
pub const TABLE: &str = "\
Exit codes:
  0    done
  1    could not be done; the reason is on standard error
  2    the command line is wrong
  3    the run ended, but all trials of a cell are invalid or failed,
       or it has no figure at all: nothing could be run, or all was overloaded;
       for `doctor --self-test`: a known difference was not found
  10   something differs (compare), a threshold fails (run, threshold), nothing meets the needs (recommend)
  11   can't tell: data are missing, or can't be compared
  12   not decided: more repeats or messages would tell
  130  interrupted
If several apply to a run, 130 goes before 10, 10 before 3, 3 before 11, and 11 before 12.";

/// Whether an error says no more than that the user wanted it to end.
fn is_interruption(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(BuildError::Cargo(CargoError::Interrupted)))
        || matches!(error.downcast_ref(), Some(RunnerError::Interrupted))
}

/// An error that is one of the command line, with the exit code of those.
pub fn wrong(error: impl Into<anyhow::Error>) -> anyhow::Error {
    Refused(words(&error.into())).into()
}

/// What the command line names; where there is no such thing, the command line is wrong.
pub fn named<T, E: Into<anyhow::Error>>(found: Result<T, E>) -> anyhow::Result<T> {
    found.map_err(|error| {
        let error: anyhow::Error = error.into();
        let is_unknown = error.downcast_ref().is_some_and(StockError::names_nothing)
            || error.downcast_ref().is_some_and(PayloadError::names_nothing)
            || matches!(error.downcast_ref(), Some(CatalogueError::Unknown { .. }));
        if is_unknown { wrong(error) } else { error }
    })
}

/// What an error and those behind it say, each once: many say the one behind them already.
fn words(error: &anyhow::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if said.last().is_none_or(|last| !last.contains(&cause)) {
            said.push(cause);
        }
    }
    said.join(": ")
}

/// Says why something could not be done; gives the exit code of that.
pub fn told(error: &anyhow::Error) -> ExitCode {
    if is_interruption(error) {
        return ExitCode::from(INTERRUPTED);
    }
    errln!("{} {}", terminal::wrong("wiredyno:"), words(error));
    ExitCode::from(if error.is::<Refused>() { WRONG } else { FAILED })
}

/// The exit code of another program, passed on.
pub fn code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(FAILED))
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

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
    fn every_code_stands_in_the_documented_table() {
        let codes = |text: &str, ends: &str| -> Vec<u8> {
            let of = |line: &str| {
                line.trim_start_matches("| ").trim_start().split(ends).next()?.trim().parse().ok()
            };
            text.lines().filter_map(of).collect()
        };
        let format = include_str!("../../../docs/FORMAT.md");
        let section = format.split("## Exit codes").nth(1).unwrap().split("\n## ").next().unwrap();
        let told = codes(TABLE, "  ");
        assert_eq!(told, codes(section, "|"));
        let all = [FAILED, WRONG, INCOMPLETE, DIFFERENCE, CANT_TELL, NOT_DECIDED, INTERRUPTED];
        assert_eq!(told, [&[0], &all[..]].concat());
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
