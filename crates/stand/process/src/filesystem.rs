//! The file system of a path, from proc_pid_mountinfo(5).

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The type of the file system that holds a path, such as `ext4` or `tmpfs`; `None` if the path or the mount table can't be read.
pub fn of(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    of_mounts(&fs::read_to_string("/proc/self/mountinfo").ok()?, &path)
}

/// The last mount at the longest path above this one: a later mount hides an earlier one.
fn of_mounts(mounts: &str, path: &Path) -> Option<String> {
    let mount = |line: &str| {
        let point = plain(line.split(' ').nth(4)?);
        let kind = line.split_once(" - ")?.1.split(' ').next()?;
        path.starts_with(Path::new(std::ffi::OsStr::from_bytes(&point)))
            .then(|| (point.len(), kind.to_owned()))
    };
    // `max_by_key` takes the last of equal ones.
    mounts.lines().filter_map(mount).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

/// Undoes the escapes of blanks, three octal digits after a backslash.
fn plain(escaped: &str) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut rest = escaped.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let octal = behind.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if first == b'\\' => {
                plain.push(byte);
                rest = &behind[3..];
            }
            _ => {
                plain.push(first);
                rest = behind;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_mount_at_the_longest_path_counts() {
        let mounts = "22 1 8:1 / / rw shared:1 - ext4 /dev/a rw\n\
            30 22 0:26 / /dev/shm rw - tmpfs tmpfs rw\n\
            31 22 0:27 / /a\\040b rw - xfs /dev/b rw\n\
            32 31 0:28 / /a\\040b rw - btrfs /dev/c rw\n";
        let of = |path: &str| of_mounts(mounts, Path::new(path)).unwrap();
        assert_eq!(of("/tmp/x"), "ext4");
        assert_eq!(of("/dev/shm/x"), "tmpfs");
        assert_eq!(of("/dev/shmx"), "ext4");
        assert_eq!(of("/a b/c"), "btrfs");
        assert_eq!(super::of(Path::new("/proc/self")), Some("proc".to_owned()));
    }
}
