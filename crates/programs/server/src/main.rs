//! The program `wiredyno-server`; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_server::main()
}
