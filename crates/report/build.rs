//! Finds the front end's bundle in `web/dist`, which `src/html.rs` embeds. It is not built here: cargo should
//! need neither node nor npm once the bundle is there.

use std::path::Path;
use std::process::ExitCode;

const BUNDLE: [&str; 2] = ["report.js", "report.css"];

fn main() -> ExitCode {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    for file in BUNDLE {
        let path = dist.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        if !path.is_file() {
            println!(
                "cargo::error=web/dist/{file} is missing: run `make web` (needs node and npm), then build again"
            );
            return ExitCode::FAILURE;
        }
    }
    println!("cargo::rustc-env=WIREDYNO_WEB_DIST={}", dist.display());
    ExitCode::SUCCESS
}
