//! What build scripts share: files of the workspace taken into a program, and the versions of libraries from Cargo.lock.
//!
//! Whatever is read is told to cargo by the way from the package, never by an absolute path, and nothing that is written names
//! a place: a target folder that was moved or copied with its checkout, or into another one, would else keep what it has and
//! go on looking at the old place.
//!
//! Limits: no dependencies, because runners are compiled with this too.

mod files;
mod versions;
mod workspace;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

pub use workspace::Workspace;

/// What a build script gives; cargo prints the error.
pub type Done<T> = Result<T, Box<dyn Error>>;

/// Takes files into the crate: `bundled.rs` in `OUT_DIR` is a table `BUNDLED` of path in the workspace and text, folders in
/// the order of their names, and the files themselves stand below `bundled/` beside it. A path of a folder means all below it whose paths end with one of
/// `endings`.
///
/// # Errors
/// When a path does not exist, or a file can't be read or is no text.
pub fn bundle(paths: &[&str], endings: &[&str]) -> Done<()> {
    bundle_those(paths, &|file| endings.iter().any(|ending| file.ends_with(ending)))
}

/// As [`bundle`], but of all below a folder those that `takes` says so of, by their paths in the workspace.
///
/// # Errors
/// As of [`bundle`].
pub fn bundle_those(paths: &[&str], takes: &dyn Fn(&str) -> bool) -> Done<()> {
    let bundled = files::chosen(&Workspace::of_package()?, paths, takes)?;
    files::write(&bundled, &out()?)
}

/// Writes `versions.rs` into `OUT_DIR`: a table `VERSIONS` of the project's crates, the libraries on which they depend directly,
/// and the versions that Cargo.lock has of those.
///
/// # Errors
/// When there is no Cargo.lock in or above the package.
pub fn versions() -> Done<()> {
    let lock = Workspace::of_package()?.read(workspace::LOCK)?;
    Ok(fs::write(out()?.join("versions.rs"), versions::table(&lock))?)
}

fn out() -> Done<PathBuf> {
    Ok(PathBuf::from(env::var("OUT_DIR")?))
}
