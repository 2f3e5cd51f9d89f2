//! Takes the versions of libraries from Cargo.lock, so that nothing states one that was typed by hand.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Crates of the project are those whose names begin so.
const OURS: &str = "wiredyno";

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let (above, lock) = lock_file(&manifest).ok_or("there is no Cargo.lock in or above crates/versions")?;
    // By the way from here, which is the same in a checkout that was moved or copied with its target folder.
    println!("cargo::rerun-if-changed={}Cargo.lock", "../".repeat(above));
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(lock)?;
    let packages = packages(&text);
    let mut latest = BTreeMap::new();
    for package in &packages {
        latest.insert(package.name, package.version);
    }
    let mut code = String::from("static TABLE: &[(&str, &str, &str)] = &[\n");
    for package in packages.iter().filter(|package| package.name.starts_with(OURS)) {
        for dependency in &package.dependencies {
            // The version stands behind the name only where the file has several.
            let mut words = dependency.split(' ');
            let name = words.next().unwrap_or_default();
            let version = words.next().or_else(|| latest.get(name).copied()).unwrap_or_default();
            writeln!(code, "    ({:?}, {name:?}, {version:?}),", package.name)?;
        }
    }
    code.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("table.rs"), code)?;
    Ok(())
}

/// The nearest, from this crate upwards, and how many folders above. Where the crate is compiled as a part of a runner, the program's own lies in it.
fn lock_file(from: &Path) -> Option<(usize, PathBuf)> {
    from.ancestors().map(|folder| folder.join("Cargo.lock")).enumerate().find(|(_, path)| path.is_file())
}

#[derive(Default)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    dependencies: Vec<&'a str>,
}

/// What cargo writes, a key or an element a line.
fn packages(lock: &str) -> Vec<Package<'_>> {
    let mut packages: Vec<Package<'_>> = Vec::new();
    for line in lock.lines() {
        if line == "[[package]]" {
            packages.push(Package::default());
        }
        let Some(package) = packages.last_mut() else { continue };
        let quoted = line.split('"').nth(1).unwrap_or_default();
        if line.starts_with("name = ") {
            package.name = quoted;
        } else if line.starts_with("version = ") {
            package.version = quoted;
        } else if line.starts_with(" \"") {
            package.dependencies.push(quoted);
        }
    }
    packages
}
