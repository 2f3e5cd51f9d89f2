//! Generates the module of every folder in payloads/.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (Some(manifest), Some(out)) = (std::env::var_os("CARGO_MANIFEST_DIR"), std::env::var_os("OUT_DIR"))
    else {
        eprintln!("cargo did not say where to build");
        return ExitCode::FAILURE;
    };
    let payloads = Path::new(&manifest).join("../../payloads");
    let upb = Path::new(&manifest).join("upb");
    match wiredyno_schema::codegen::generate_folder(&payloads, &upb, Path::new(&out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
