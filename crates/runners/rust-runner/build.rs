//! Passes the compiler's version to the program: a runner states the language it was built with.

use std::error::Error;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let output = Command::new(std::env::var("RUSTC")?).arg("--version").output()?;
    let text = String::from_utf8(output.stdout)?;
    let version = text.split_whitespace().nth(1).ok_or("`rustc --version` printed no version")?;
    println!("cargo::rustc-env=WIREDYNO_RUSTC_VERSION={version}");
    Ok(())
}
