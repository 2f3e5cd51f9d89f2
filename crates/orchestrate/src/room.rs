//! Whether disks have room: a trial for which there was none tells nothing, and the ones behind it would not either.

use std::path::Path;

use anyhow::bail;
use nix::sys::statvfs::statvfs;

/// With less than this a trial's files have no place.
const LEAST_BYTES: u64 = 1 << 20;

/// Looks at the disks of these folders.
///
/// # Errors
/// When one has no room left.
pub fn check(folders: &[&Path]) -> anyhow::Result<()> {
    for folder in folders {
        // What can't be asked fails by itself where it matters.
        let Ok(disk) = statvfs(*folder) else { continue };
        let free_bytes = disk.blocks_available().saturating_mul(disk.fragment_size());
        // File systems that make files as they need them count none.
        let no_files = disk.files() > 0 && disk.files_available() == 0;
        if free_bytes < LEAST_BYTES || no_files {
            bail!(
                "the disk of {} has no room left ({free_bytes} bytes): make room and continue",
                folder.display()
            );
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
