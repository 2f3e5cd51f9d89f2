//! The sources of runners that the program carries.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;

include!(concat!(env!("OUT_DIR"), "/digests.rs"));

/// Written by the build script.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/parts.bin"));

/// The folder of the crates in the packed workspace.
const CRATES: &str = "parts";

/// The manifest, which has no members until a runner is composed, and the lock file, which cargo changes.
pub(crate) const MANIFEST: &str = "Cargo.toml";
pub(crate) const LOCK: &str = "Cargo.lock";

/// Digest of the sources of a crate and of the project's crates that it needs: other sources make another
/// runner. 32 hexadecimal digits.
pub(crate) fn digest(package: &str) -> &'static str {
    DIGESTS.iter().find(|(name, _)| *name == package).map_or("", |(_, digest)| digest)
}

/// The members that every workspace of runners has: the way they are compiled must not depend on which of them are
/// requested, so all of them are listed.
pub(crate) fn members() -> impl Iterator<Item = String> {
    DIGESTS.iter().map(|(name, _)| format!("{CRATES}/{name}"))
}

/// Every file with its path in the workspace, sorted by path.
///
/// # Errors
/// When the data in the program is damaged.
pub(crate) fn files() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(PACKED).read_to_end(&mut bytes)?;
    let mut rest = bytes.as_slice();
    let mut files = Vec::new();
    while !rest.is_empty() {
        let path_bytes = length(&mut rest)?;
        let content_bytes = length(&mut rest)?;
        let path = String::from_utf8(take(&mut rest, path_bytes)?.to_vec()).map_err(io::Error::other)?;
        files.push((path, take(&mut rest, content_bytes)?.to_vec()));
    }
    Ok(files)
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> io::Result<&'a [u8]> {
    rest.split_off(..bytes).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn length(rest: &mut &[u8]) -> io::Result<usize> {
    let (first, others) = rest.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
    *rest = others;
    Ok(u32::from_le_bytes(*first) as usize)
}

/// Makes the crates below a folder equal to those of the program: different files are written, files that are not
/// part of them are deleted. Equal files keep their time, so that cargo recompiles no unchanged crate.
///
/// # Errors
/// When a file can't be written.
pub(crate) fn lay_out(workspace: &Path) -> io::Result<()> {
    let files = files()?;
    let wanted: BTreeSet<PathBuf> = files.iter().map(|(path, _)| workspace.join(path)).collect();
    sweep(&workspace.join(CRATES), &wanted)?;
    for (path, content) in &files {
        if path.starts_with(CRATES) {
            write_if_other(&workspace.join(path), content)?;
        }
    }
    Ok(())
}

/// Writes a file, and its folders, unless it already has this content.
///
/// # Errors
/// When it can't be written.
pub(crate) fn write_if_other(path: &Path, content: &[u8]) -> io::Result<()> {
    if std::fs::read(path).is_ok_and(|now| now == content) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, content)
}

/// Deletes the files below a folder that are not wanted.
fn sweep(folder: &Path, wanted: &BTreeSet<PathBuf>) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            sweep(&path, wanted)?;
        } else if !wanted.contains(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_those_of_runners_and_no_more() {
        let files = files().unwrap();
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        for needed in [
            "Cargo.lock",
            "Cargo.toml",
            "parts/wiredyno-codec/src/lib.rs",
            "parts/wiredyno-codec-json/src/lib.rs",
            "parts/wiredyno-rust-runner/src/lib.rs",
            "parts/wiredyno-transport-udp/src/lib.rs",
            "parts/wiredyno-versions/Cargo.lock",
        ] {
            assert!(paths.contains(&needed), "{needed} is missing in {paths:?}");
        }
        for part in
            ["wiredyno-model", "wiredyno-schema", "wiredyno-payloads", "/tests/", "wiredyno-codec-registry/"]
        {
            assert!(!paths.iter().any(|path| path.contains(part)), "{part} is in {paths:?}");
        }
        let manifest =
            files.iter().find(|(path, _)| path == "parts/wiredyno-rust-runner/Cargo.toml").unwrap();
        assert!(!String::from_utf8_lossy(&manifest.1).contains("dev-dependencies"));
        assert!(PACKED.len() < 1 << 20, "{} bytes", PACKED.len());
        for codec in wiredyno_codec_registry::REGISTRY.iter() {
            assert_eq!(digest(codec.package).len(), 32, "{}", codec.package);
        }
    }

    #[test]
    fn laying_out_again_touches_only_what_differs() {
        let desk = tempfile::tempdir().unwrap();
        lay_out(desk.path()).unwrap();
        let (kept, changed) = ("parts/wiredyno-codec/src/lib.rs", "parts/wiredyno-codec/src/bits.rs");
        let time = |path: &str| std::fs::metadata(desk.path().join(path)).unwrap().modified().unwrap();
        let before = time(kept);
        std::fs::write(desk.path().join(changed), "other").unwrap();
        let foreign = desk.path().join("parts/wiredyno-codec/src/foreign.rs");
        std::fs::write(&foreign, "").unwrap();
        lay_out(desk.path()).unwrap();
        assert_eq!(time(kept), before);
        assert_ne!(std::fs::read_to_string(desk.path().join(changed)).unwrap(), "other");
        assert!(!foreign.exists());
    }
}
