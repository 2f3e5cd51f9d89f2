//! What build scripts share: embedding files of the workspace in a program, and the versions of libraries from Cargo.lock.
//!
//! Everything that is read is reported to cargo by its path relative to the package, never by an absolute path, and nothing
//! that is written names a place: otherwise a target folder that was moved or copied with its checkout, or into another one,
//! would keep its contents and continue to watch the old place.
//!
//! Limits: no dependencies, because runners are compiled with this too.

mod files;
mod versions;
mod workspace;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

pub use workspace::Workspace;

/// The result of a build script; cargo prints the error.
pub type Done<T> = Result<T, Box<dyn Error>>;

/// Embeds files in the crate: `bundled.rs` in `OUT_DIR` is a table `BUNDLED` of path in the workspace and text, sorted by folder, and the files
/// themselves are below `bundled/` beside it. The path of a folder means all files below it whose paths end with one of `endings`.
///
/// # Errors
/// When a path does not exist, or a file can't be read or is not text.
pub fn bundle(paths: &[&str], endings: &[&str]) -> Done<()> {
    bundle_those(paths, &|file| endings.iter().any(|ending| file.ends_with(ending)))
}

/// As [`bundle`], but of a folder's files those whose paths in the workspace `takes` accepts.
///
/// # Errors
/// As for [`bundle`].
pub fn bundle_those(paths: &[&str], takes: &dyn Fn(&str) -> bool) -> Done<()> {
    let bundled = files::chosen(&Workspace::of_package()?, paths, takes)?;
    files::write(&bundled, &out()?)
}

/// Writes `versions.rs` into `OUT_DIR`: a table `VERSIONS` of the project's crates, the libraries that they depend on directly,
/// and the versions of those in Cargo.lock.
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
