//! The workspace as a build script sees it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::Done;

/// The file that marks the folder of a workspace.
pub(crate) const LOCK: &str = "Cargo.lock";

/// The workspace of the package whose build script runs. All paths are relative to its folder.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    /// The relative path there from the package, where cargo starts looking.
    way: String,
}

impl Workspace {
    /// The nearest folder with a Cargo.lock, from the package upwards. That is the package's own where it is a part of
    /// composed runners and has one.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn of_package() -> Done<Self> {
        // Read when the script runs: `env!` would give where the script was compiled.
        Workspace::above(Path::new(&env::var("CARGO_MANIFEST_DIR")?))
    }

    fn above(package: &Path) -> Done<Self> {
        let folders = package.ancestors().enumerate();
        let found = folders.into_iter().find(|(_, folder)| folder.join(LOCK).is_file());
        let (above, folder) =
            found.ok_or_else(|| format!("there is no {LOCK} in or above {}", package.display()))?;
        Ok(Workspace { folder: folder.to_owned(), way: "../".repeat(above) })
    }

    /// The folder with Cargo.lock, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes cargo run the script again when this path changes; for a folder, everything below it.
    pub fn watch(&self, path: &str) {
        println!("cargo::rerun-if-changed={}{path}", self.way);
    }

    /// The text of a file, which is watched.
    ///
    /// # Errors
    /// When it can't be read or is not text.
    pub fn read(&self, path: &str) -> Done<String> {
        self.watch(path);
        fs::read_to_string(self.folder.join(path)).map_err(|error| format!("{path}: {error}").into())
    }

    /// A file, or all files below a folder, keyed by path; watched.
    ///
    /// # Errors
    /// When nothing is there, or something can't be read.
    pub fn files(&self, path: &str) -> Done<BTreeMap<String, Vec<u8>>> {
        self.watch(path);
        let mut files = BTreeMap::new();
        self.collect(path, &mut files)?;
        Ok(files)
    }

    fn collect(&self, path: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Done<()> {
        let unread = |error: io::Error| format!("{path}: {error}");
        let full = self.folder.join(path);
        if !full.is_dir() {
            files.insert(path.to_owned(), fs::read(full).map_err(unread)?);
            return Ok(());
        }
        for entry in fs::read_dir(full).map_err(unread)? {
            let name = entry.map_err(unread)?.file_name();
            let name = name.into_string().map_err(|name| format!("{path}: {name:?} is not text"))?;
            self.collect(&format!("{path}/{name}"), files)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_way_is_told_from_the_package_to_the_nearest_lock_file() {
        let desk = tempfile::tempdir().unwrap();
        let package = desk.path().join("crates/a");
        fs::create_dir_all(&package).unwrap();
        fs::write(desk.path().join(LOCK), "").unwrap();
        let found = Workspace::above(&package).unwrap();
        assert_eq!((found.folder(), found.way.as_str()), (desk.path(), "../../"));
        fs::write(package.join(LOCK), "").unwrap();
        let found = Workspace::above(&package).unwrap();
        assert_eq!((found.folder(), found.way.as_str()), (package.as_path(), ""));
    }
}
