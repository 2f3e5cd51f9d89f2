//! Temporary folders that are always removed: all folders of a program are in one, which the program locks (flock(2)) as long as it lives.
//!
//! Each is deleted on drop. The folder of a killed program is recognised by its lock, which the system has released: the next program
//! deletes it, see [`sweep`].

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use tempfile::TempDir;

/// The prefix of the folder that holds all temporary folders of a program.
const PREFIX: &str = "wiredyno-scratch-";

/// How often to recreate a folder that another program swept away before it was locked.
const TRIES: u32 = 10;

/// A file system in memory, present on every Linux.
const MEMORY: &str = "/dev/shm";

/// The folders of this program, one for each place.
static PRESENT: Mutex<Vec<Weak<Root>>> = Mutex::new(Vec::new());

/// The program's folder; deleted with the last folder in it.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    _held: Flock<File>,
}

impl Root {
    fn make(place: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let made = TempDir::with_prefix_in(PREFIX, place)?;
            let Ok(folder) = File::open(made.path()) else { continue };
            let Ok(held) = Flock::lock(folder, FlockArg::LockExclusive) else { continue };
            // Before it was locked, another program may have taken it for an abandoned one.
            if made.path().exists() {
                return Ok(Root { path: made.keep(), _held: held });
            }
        }
        Err(io::Error::other("it is deleted as soon as it is created"))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        // Before the lock is released. The next sweep retries what can't be deleted.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A temporary folder; deleted when dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _root: Arc<Root>,
}

impl Scratch {
    /// An empty folder with this prefix, readable by this user alone.
    ///
    /// # Errors
    /// When it can't be created.
    pub fn new(prefix: &str) -> io::Result<Self> {
        Scratch::below(&std::env::temp_dir(), prefix)
    }

    /// The same in a file system in memory.
    ///
    /// # Errors
    /// When it can't be created.
    pub fn in_memory(prefix: &str) -> io::Result<Self> {
        Scratch::below(Path::new(MEMORY), prefix)
    }

    fn below(place: &Path, prefix: &str) -> io::Result<Self> {
        let mut present = PRESENT.lock().unwrap_or_else(PoisonError::into_inner);
        let of_place = |root: &Arc<Root>| root.path.parent() == Some(place);
        let root = match present.iter().filter_map(Weak::upgrade).find(of_place) {
            Some(root) => root,
            None => {
                sweep_in(place);
                let root = Arc::new(Root::make(place)?);
                present.retain(|root| root.strong_count() > 0);
                present.push(Arc::downgrade(&root));
                root
            }
        };
        Ok(Scratch { folder: TempDir::with_prefix_in(prefix, &root.path)?, _root: root })
    }

    /// Where the folder is, as an absolute path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Deletes the temporary folders that killed programs of this user have left. Returns whether running programs still hold some.
pub fn sweep() -> bool {
    let held = sweep_in(&std::env::temp_dir());
    sweep_in(Path::new(MEMORY)) || held
}

fn sweep_in(place: &Path) -> bool {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    // What can't be deleted belongs to another user, or is gone by now.
    ours.map(|entry| take_away(&entry.path()).unwrap_or(false)).fold(false, |held, one| held | one)
}

/// Deletes it unless a running program holds it, and returns whether one does.
fn take_away(path: &Path) -> io::Result<bool> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if folder.metadata()?.uid() != geteuid().as_raw() {
        return Ok(false);
    }
    match Flock::lock(folder, FlockArg::LockExclusiveNonblock) {
        Ok(_left) => fs::remove_dir_all(path).map(|()| false),
        Err(_) => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_when_they_are_dropped_and_the_one_around_them_with_the_last() {
        let first = Scratch::new("a-").unwrap();
        let second = Scratch::new("b-").unwrap();
        let (gone, root) = (first.path().to_owned(), second.path().parent().unwrap().to_owned());
        assert_eq!(gone.parent().unwrap(), root);
        fs::write(first.path().join("file"), "x").unwrap();
        drop(first);
        assert!(!gone.exists() && root.exists());
        sweep();
        assert!(second.path().is_dir(), "a folder in use is never swept away");
        drop(second);
        assert!(!root.exists());
    }

    #[test]
    fn one_in_memory_lies_on_tmpfs_and_goes_too() {
        let scratch = Scratch::in_memory("m-").unwrap();
        let path = scratch.path().to_owned();
        assert_eq!(crate::filesystem::of(&path).as_deref(), Some("tmpfs"));
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_program_left_is_swept_away_and_nothing_else() {
        let place = TempDir::new().unwrap();
        let left = place.path().join(format!("{PREFIX}left"));
        fs::create_dir_all(left.join("deep/er")).unwrap();
        fs::create_dir(place.path().join("wiredyno-other")).unwrap();
        std::os::unix::fs::symlink("/", place.path().join(format!("{PREFIX}link"))).unwrap();
        let used = Root::make(place.path()).unwrap();
        assert!(sweep_in(place.path()), "one is held");
        assert!(!left.exists() && used.path.exists());
        assert!(place.path().join("wiredyno-other").exists() && Path::new("/tmp").exists());
        assert!(fs::symlink_metadata(place.path().join(format!("{PREFIX}link"))).is_ok());
    }
}
