//! Whether disks have room: a trial for which there was none tells nothing, and the ones behind it would not either.

use std::path::{Path, PathBuf};

use nix::sys::statvfs::statvfs;

/// With less than this a trial's files have no place.
const LEAST_BYTES: u64 = 1 << 20;

/// A disk that has no room left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the disk of {} has no room left ({free_bytes} bytes): make room and continue", folder.display())]
pub struct Full {
    /// A folder on it.
    pub folder: PathBuf,
    /// What is left.
    pub free_bytes: u64,
}

/// Looks at the disks of these folders.
///
/// # Errors
/// When one has no room left.
pub fn check(folders: &[&Path]) -> Result<(), Full> {
    for folder in folders {
        // What can't be asked fails by itself where it matters.
        let Ok(disk) = statvfs(*folder) else { continue };
        let free_bytes = disk.blocks_available().saturating_mul(disk.fragment_size());
        // File systems that make files as they need them count none.
        let no_files = disk.files() > 0 && disk.files_available() == 0;
        if free_bytes < LEAST_BYTES || no_files {
            return Err(Full { folder: folder.to_path_buf(), free_bytes });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_with_room_is_none_to_complain_about_and_what_is_not_there_neither() {
        assert!(check(&[&std::env::temp_dir(), Path::new("/no/such/folder")]).is_ok());
        // Its file system has no blocks at all.
        let error = check(&[Path::new("/proc")]).unwrap_err().to_string();
        assert!(error.contains("/proc has no room left (0 bytes)"), "{error}");
    }
}
