//! Free space of the disk with the server's folder.

use std::path::Path;

use nix::sys::statvfs::statvfs;

/// Free space for this user below a path, in bytes.
///
/// # Errors
/// When the file system can't be asked.
pub fn free(path: &Path) -> nix::Result<u64> {
    let about = statvfs(path)?;
    Ok(about.blocks_available().saturating_mul(about.fragment_size()))
}

/// Why nothing can be begun while less than `least` is free; `None` where enough is, or where that can't be told.
pub fn lacking(path: &Path, least: u64) -> Option<String> {
    let free = free(path).ok()?;
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    (free < least).then(|| {
        format!(
            "only {:.1} GB are free on the server's disk, and tests need {:.1} GB (--least-free): delete runs that are no longer needed",
            gigabytes(free),
            gigabytes(least)
        )
    })
}

/// The bytes of the files in a folder and its subfolders; 0 where it does not exist.
pub fn used(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => used(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn space_is_lacking_when_less_is_free_than_asked_for() {
        let desk = tempfile::tempdir().unwrap();
        assert_eq!(lacking(desk.path(), 0), None);
        assert!(lacking(desk.path(), u64::MAX).unwrap().contains("--least-free"));
        std::fs::create_dir(desk.path().join("a")).unwrap();
        std::fs::write(desk.path().join("a/b"), [0; 100]).unwrap();
        std::fs::write(desk.path().join("c"), [0; 11]).unwrap();
        assert_eq!((used(desk.path()), used(&desk.path().join("none"))), (111, 0));
    }
}
