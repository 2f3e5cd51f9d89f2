//! The program `wiredyno`; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_cli::main()
}
