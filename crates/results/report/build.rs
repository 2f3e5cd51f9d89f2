//! Takes the front end's bundle from `web/dist`, for `src/html.rs`. It is not built here: cargo should need neither node nor npm
//! once the bundle exists.

use std::process::ExitCode;

fn main() -> ExitCode {
    match wiredyno_bundle::bundle(&["web/dist/report.js", "web/dist/report.css"], &[]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}: run `make web` (needs node and npm), then build again");
            ExitCode::FAILURE
        }
    }
}
