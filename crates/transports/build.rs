//! Hands the versions of the client libraries, as Cargo.lock has them, to the program: a version that is
//! typed by hand would be wrong after the next update.

use std::error::Error;
use std::path::{Path, PathBuf};

const LIBRARIES: [&str; 3] = ["coap-lite", "rumqttc", "rumqttd"];

fn main() -> Result<(), Box<dyn Error>> {
    let lock = lock_file(Path::new(&std::env::var("CARGO_MANIFEST_DIR")?))
        .ok_or("no Cargo.lock above this crate: set WIREDYNO_CARGO_LOCK to the one of the build")?;
    println!("cargo::rerun-if-changed={}", lock.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WIREDYNO_CARGO_LOCK");
    let table: toml::Table = std::fs::read_to_string(&lock)?.parse()?;
    let packages = table.get("package").and_then(|p| p.as_array()).ok_or("Cargo.lock has no packages")?;
    for library in LIBRARIES {
        let version = packages
            .iter()
            .find(|package| package.get("name").and_then(|n| n.as_str()) == Some(library))
            .and_then(|package| package.get("version"))
            .and_then(|version| version.as_str())
            .ok_or_else(|| format!("Cargo.lock does not list {library}"))?;
        println!("cargo::rustc-env={}_VERSION={version}", library.to_uppercase().replace('-', "_"));
    }
    Ok(())
}

/// The lock file of the build: the one named in the environment, else the nearest above.
fn lock_file(from: &Path) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("WIREDYNO_CARGO_LOCK") {
        return Some(path.into());
    }
    from.ancestors().map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file())
}
