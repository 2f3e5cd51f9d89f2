//! The names under which folders of payloads are known, and deleting runners that have not been used for long.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use super::{
    Cache, CacheError, CachedRunner, IN_MAKING, PROGRAM, RECORD, RUNNERS, at, bytes_of, kept, names_in,
};

impl Cache {
    /// Deletes runners that are not in use, the least recently used first, until the rest takes at most this many bytes. Returns
    /// those deleted. Incomplete runners, and those of another version of this program, are deleted in their turn.
    ///
    /// # Errors
    /// When one can't be deleted.
    pub fn limit(&self, most_bytes: u64) -> Result<Vec<CachedRunner>, CacheError> {
        let entry = |folder: PathBuf| {
            let record = std::fs::metadata(folder.join(RECORD)).or_else(|_| std::fs::metadata(&folder));
            let used = record.and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            let bytes = bytes_of(&folder.join(PROGRAM)).unwrap_or(0);
            (used, bytes, folder)
        };
        let mut entries: Vec<_> = self.folders()?.into_iter().map(entry).collect();
        entries.sort();
        let mut left_bytes: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        let mut deleted = Vec::new();
        for (_, bytes, folder) in entries {
            if left_bytes <= most_bytes {
                break;
            }
            let kept = kept(&folder);
            if self.delete(&folder)? {
                left_bytes -= bytes;
                deleted.extend(kept);
            }
        }
        Ok(deleted)
    }

    /// Deletes a runner's folder, unless it is in use. Returns whether it is gone.
    pub(super) fn delete(&self, folder: &Path) -> Result<bool, CacheError> {
        let lock = File::open(folder.join(RECORD)).ok();
        let lock = lock.map(|record| Flock::lock(record, FlockArg::LockExclusiveNonblock));
        if matches!(lock, Some(Err((_, Errno::EWOULDBLOCK)))) {
            return Ok(false);
        }
        // Renamed at once, so that no process finds half of it.
        let runners = self.folder(RUNNERS)?;
        let away = tempfile::TempDir::with_prefix_in(IN_MAKING, &runners).map_err(at(&runners))?;
        match std::fs::rename(folder, away.path().join(PROGRAM)) {
            // Deleted by another process.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            renamed => renamed.map_err(at(folder))?,
        }
        match away.close() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(folder)(error)),
            _ => Ok(true),
        }
    }

    /// The folder that a payload's name stands for, where `wiredyno build` was given it; `None` where there is none.
    ///
    /// # Errors
    /// When it is noted and the note can't be read.
    pub fn folder_of(&self, payload: &str) -> Result<Option<PathBuf>, CacheError> {
        let path = self.root.join("names").join(payload);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(PathBuf::from(text.trim_end_matches('\n')))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// The payloads whose folders are noted, with these.
    ///
    /// # Errors
    /// When a note can't be read.
    pub fn names(&self) -> Result<Vec<(String, PathBuf)>, CacheError> {
        let mut names = names_in(&self.root.join("names"))?;
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        let noted = |name: String| Ok(self.folder_of(&name)?.map(|folder| (name, folder)));
        names.into_iter().filter_map(|name| noted(name).transpose()).collect()
    }

    /// Notes the folder that a payload's name stands for from now on. Returns the previous one, if it was another.
    ///
    /// # Errors
    /// When the note can't be written.
    pub fn name(&self, payload: &str, folder: &Path) -> Result<Option<PathBuf>, CacheError> {
        let before = self.folder_of(payload)?;
        let names = self.folder("names")?;
        let path = names.join(payload);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&names)?;
            io::Write::write_all(&mut file, format!("{}\n", folder.display()).as_bytes())?;
            file.persist(&path).map_err(|error| error.error)
        };
        write().map_err(at(&path))?;
        Ok(before.filter(|before| before != folder))
    }

    /// Forgets a payload: the note of its folder, and the runners that were built for it. Returns how many of those are
    /// deleted, and how many are not because they are in use.
    ///
    /// # Errors
    /// When something can't be deleted.
    pub fn remove(&self, payload: &str) -> Result<(usize, usize), CacheError> {
        let path = self.root.join("names").join(payload);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path)(error)),
            _ => {}
        }
        let (mut deleted, mut in_use) = (0, 0);
        for kept in self.all()?.iter().filter(|kept| kept.composed.payload == payload) {
            let folder = kept.program.parent().unwrap_or(&kept.program);
            self.forget_left_out(&kept.composed.definition)?;
            *if self.delete(folder)? { &mut deleted } else { &mut in_use } += 1;
        }
        Ok((deleted, in_use))
    }

    /// Removes what a killed build left behind. The caller must hold the lock.
    pub(crate) fn sweep(&self) -> Result<(), CacheError> {
        let runners = self.root.join(RUNNERS);
        for name in names_in(&runners)?.iter().filter(|name| name.starts_with(IN_MAKING)) {
            let path = runners.join(name);
            std::fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        Ok(())
    }
}
