//! Generates the module of the one payload, in the folder that `wiredyno build` names.

use std::path::Path;
use std::process::ExitCode;

const FOLDER: &str = "WIREDYNO_OWN_PAYLOAD";

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed={FOLDER}");
    let (Some(folder), Some(out)) = (std::env::var_os(FOLDER), std::env::var_os("OUT_DIR")) else {
        eprintln!("{FOLDER} names no folder: `wiredyno build` sets it");
        return ExitCode::FAILURE;
    };
    match wiredyno_schema::codegen::generate(&[folder.into()], None, Path::new(&out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
