//! Exit codes, all in one place.

use std::process::ExitCode;

/// Everything was done as requested.
pub const DONE: ExitCode = ExitCode::SUCCESS;
/// The command failed; the reason is on standard error.
pub const FAILED: u8 = 1;
/// The command line is wrong: clap ends with this code too.
pub const WRONG: u8 = 2;
/// A run ended, but all trials of at least one cell are invalid or failed, or it has no figure at all.
pub const INCOMPLETE: u8 = 3;
/// A difference was found, a threshold is not kept, or nothing meets the needs.
pub const DIFFERENCE: u8 = 10;
/// Data are missing or can't be compared.
pub const CANT_TELL: u8 = 11;
/// The data do not decide: more repeats or messages would.
pub const NOT_DECIDED: u8 = 12;
/// Interrupted by the user: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The table at the end of `--help`; docs/FORMAT.md has the same codes.
pub const TABLE: &str = "\
Exit codes:
  0    done
  1    could not be done; the reason is on standard error
  2    the command line is wrong
  3    the run ended, but all trials of a cell are invalid or failed,
       or it has no figure at all: nothing could be run, or everything was overloaded;
       for `doctor --self-test`: a known difference was not found
  10   something differs (compare), a threshold fails (run, threshold), nothing meets the needs (recommend)
  11   can't tell: data are missing, or can't be compared
  12   not decided: more repeats or messages would tell
  130  interrupted
If several apply to a run, 130 goes before 10, 10 before 3, 3 before 11, and 11 before 12.";

/// Passes on the exit code of another program.
pub fn code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(FAILED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_in_the_documented_table() {
        let codes = |text: &str, ends: &str| -> Vec<u8> {
            let of = |line: &str| {
                line.trim_start_matches("| ").trim_start().split(ends).next()?.trim().parse().ok()
            };
            text.lines().filter_map(of).collect()
        };
        let format = include_str!("../../../../docs/FORMAT.md");
        let section = format.split("## Exit codes").nth(1).unwrap().split("\n## ").next().unwrap();
        let told = codes(TABLE, "  ");
        assert_eq!(told, codes(section, "|"));
        let all = [FAILED, WRONG, INCOMPLETE, DIFFERENCE, CANT_TELL, NOT_DECIDED, INTERRUPTED];
        assert_eq!(told, [&[0], &all[..]].concat());
    }
}
