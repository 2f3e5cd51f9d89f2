//! The programs that `make deps-test` unpacks into `target/fleet`, and does not install: as packages they would start servers on the machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where they are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/fleet")
}

/// The path of an unpacked file.
pub fn unpacked(file: &str) -> Result<PathBuf, String> {
    let path = folder().join(file);
    let missing = || format!("{} was not unpacked", file.rsplit('/').next().unwrap_or(file));
    path.canonicalize().map_err(|_| missing())
}

/// The folders of unpacked libraries, those of this machine's processors.
pub fn libraries() -> Result<PathBuf, String> {
    let all = std::fs::read_dir(folder().join("usr/lib")).into_iter().flatten().flatten();
    let found = all.map(|entry| entry.path()).find(|path| path.join("slurm-wlm").is_dir());
    found.and_then(|path| path.canonicalize().ok()).ok_or_else(|| "Slurm was not unpacked".to_owned())
}

/// The search path with the unpacked programs at its head.
pub fn path() -> OsString {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let own = ["usr/bin", "usr/sbin"].iter().filter_map(|name| unpacked(name).ok());
    std::env::join_paths(own.chain(std::env::split_paths(&usual))).unwrap_or(usual)
}
