//! Records the version of the compiler that builds the program.

use std::env;
use std::error::Error;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let version = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    println!("cargo::rustc-env=WIREDYNO_COMPILER={}", String::from_utf8(version.stdout)?.trim());
    Ok(())
}
