//! Whether disks have room: a trial without it gives no results, and neither would the following ones.

use std::path::{Path, PathBuf};

use nix::sys::statvfs::statvfs;

/// The least room that a trial's files need.
const LEAST_BYTES: u64 = 1 << 20;

/// The error for a full disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the disk of {} has no room left ({free_bytes} bytes): make room and continue", folder.display())]
pub struct Full {
    /// A folder on the disk.
    pub folder: PathBuf,
    /// The bytes that are left.
    pub free_bytes: u64,
}

/// Checks the disks of these folders.
///
/// # Errors
/// When one has no room left.
pub fn check(folders: &[&Path]) -> Result<(), Full> {
    for folder in folders {
        // A disk whose room is unknown gives its own error when it is written.
        let Ok(disk) = statvfs(*folder) else { continue };
        let free_bytes = disk.blocks_available().saturating_mul(disk.fragment_size());
        // File systems that create inodes on demand report none.
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
