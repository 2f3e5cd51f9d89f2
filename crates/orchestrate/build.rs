//! Bundles the project's links and studies into the program, with the version of the compiler that builds it.

use std::env;
use std::process::Command;

use wiredyno_bundle::Done;

fn main() -> Done<()> {
    wiredyno_bundle::bundle(&["links", "studies"], &[".toml", ".csv"])?;
    let version = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    println!("cargo::rustc-env=WIREDYNO_COMPILER={}", String::from_utf8(version.stdout)?.trim());
    Ok(())
}
