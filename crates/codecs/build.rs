//! Takes the versions of the libraries from Cargo.lock, so that no codec states one that was typed by hand:
//! `WIREDYNO_VERSION_<LIBRARY>` for every direct dependency of this crate.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

struct Failure(String);

fn main() -> ExitCode {
    match versions() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(reason)) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn versions() -> Result<(), Failure> {
    println!("cargo::rerun-if-env-changed=WIREDYNO_CARGO_LOCK");
    let manifest = std::env::var("CARGO_MANIFEST_DIR").map_err(|e| Failure(e.to_string()))?;
    let lock = lock_file(Path::new(&manifest))?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).map_err(|e| Failure(format!("{}: {e}", lock.display())))?;
    let lock: toml::Table = toml::from_str(&text).map_err(|e| Failure(e.to_string()))?;
    let packages: Vec<&toml::Table> = lock
        .get("package")
        .and_then(|p| p.as_array())
        .into_iter()
        .flatten()
        .filter_map(|p| p.as_table())
        .collect();
    let text_of = |package: &toml::Table, key: &str| {
        package.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let own = env!("CARGO_PKG_NAME");
    let this = packages
        .iter()
        .find(|package| text_of(package, "name") == own)
        .ok_or_else(|| Failure(format!("Cargo.lock has no package `{own}`")))?;
    for dependency in this.get("dependencies").and_then(|d| d.as_array()).into_iter().flatten() {
        let mut words = dependency.as_str().unwrap_or_default().split(' ');
        let name = words.next().unwrap_or_default();
        let version = match words.next() {
            Some(version) => version.to_owned(),
            None => packages
                .iter()
                .find(|package| text_of(package, "name") == name)
                .map(|package| text_of(package, "version"))
                .ok_or_else(|| Failure(format!("Cargo.lock has no version of `{name}`")))?,
        };
        let key = name.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=WIREDYNO_VERSION_{key}={version}");
    }
    Ok(())
}

/// The lock file of the build: the one that the environment names, else the nearest above this crate.
fn lock_file(manifest: &Path) -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os("WIREDYNO_CARGO_LOCK") {
        return Ok(path.into());
    }
    manifest.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file()).ok_or_else(
        || {
            Failure(
                "no Cargo.lock above the crate: set WIREDYNO_CARGO_LOCK to the one of the build".to_owned(),
            )
        },
    )
}
