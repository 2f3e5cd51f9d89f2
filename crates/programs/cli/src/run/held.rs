//! The file of a fleet that stays, held by one command at a time: for as long as it is held (flock(2)), no other command uses the fleet or takes it down.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};
use wiredyno_seats::interrupt::Interrupt;

use crate::agents::tell;

/// The time between two attempts.
const AGAIN: Duration = Duration::from_millis(50);

/// A file that this process holds until this is dropped.
#[derive(Debug)]
pub struct Held {
    lock: Flock<File>,
    path: PathBuf,
}

/// Whether a file could be held.
pub enum Holding {
    Held(Held),
    /// There is none.
    Missing,
    /// Another command holds it.
    InUse,
}

impl Held {
    /// Holds a file that only this user can have written. Waits for another command that holds it, for so long at most, or until the user interrupts that.
    ///
    /// # Errors
    /// When it could be somebody else's, or its file system has no locks.
    pub fn of(path: &Path, patience: Duration, interrupt: &Interrupt) -> anyhow::Result<Holding> {
        let (until, mut is_told) = (Instant::now() + patience, false);
        loop {
            let Some(file) = own(path, true)? else { return Ok(Holding::Missing) };
            match locked(file, path)? {
                Some(held) if held.is_at_its_path() => return Ok(Holding::Held(held)),
                // It was replaced or removed just now.
                Some(_) => {}
                None if interrupt.is_set() || Instant::now() >= until => return Ok(Holding::InUse),
                None => {
                    if !std::mem::replace(&mut is_told, true) {
                        tell("another command uses the fleet that is up; waiting for its end");
                    }
                }
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Makes a file that was not there, and that only its user may read, and holds it.
    ///
    /// # Errors
    /// When there is one, it can't be made, or its file system has no locks; nothing is left then.
    pub fn made(path: &Path) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(path)?;
        let held = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| no_locks(errno));
        let lock = held.inspect_err(|_| drop(std::fs::remove_file(path)))?;
        Ok(Held { lock, path: path.to_owned() })
    }

    /// Its content is read and written through this.
    pub fn file(&self) -> &File {
        &self.lock
    }

    /// Puts it in the place of another that this process holds.
    ///
    /// # Errors
    /// When another file is there by now, or it can't be moved.
    pub fn replace(&mut self, other: &Held) -> io::Result<()> {
        other.check()?;
        std::fs::rename(&self.path, &other.path)?;
        self.path.clone_from(&other.path);
        Ok(())
    }

    /// Removes it.
    ///
    /// # Errors
    /// When another file is there by now, or it can't be removed.
    pub fn remove(&self) -> io::Result<()> {
        self.check()?;
        std::fs::remove_file(&self.path)
    }

    fn check(&self) -> io::Result<()> {
        match self.is_at_its_path() {
            true => Ok(()),
            false => Err(io::Error::other(
                "it was removed or replaced meanwhile; what is there now stays as it is",
            )),
        }
    }

    /// Whether what is at its path is still this file.
    fn is_at_its_path(&self) -> bool {
        let (held, there) = (self.lock.metadata(), std::fs::symlink_metadata(&self.path));
        matches!((held, there), (Ok(held), Ok(there)) if (held.dev(), held.ino()) == (there.dev(), there.ino()))
    }
}

/// A file that is held from now on; `None` if another process holds it.
fn locked(file: File, path: &Path) -> anyhow::Result<Option<Held>> {
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(lock) => Ok(Some(Held { lock, path: path.to_owned() })),
        Err((_, Errno::EWOULDBLOCK | Errno::EINTR)) => Ok(None),
        Err((_, errno)) => Err(no_locks(errno)),
    }
}

fn no_locks(errno: Errno) -> anyhow::Error {
    anyhow!("it can't be locked ({errno}): put the file of the fleet on a file system that has locks")
}

/// A file that only this user can have written; `None` if there is none.
///
/// # Errors
/// When it could be somebody else's, or can't be opened; the error says what to do.
pub fn own(path: &Path, is_to_be_held: bool) -> anyhow::Result<Option<File>> {
    let how = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    // Over NFS only who may write a file can hold it.
    let opened = OpenOptions::new().read(true).write(is_to_be_held).custom_flags(how.bits()).open(path);
    let file = match opened {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(nix::libc::ELOOP) => {
            return Err(anyhow!(
                "it is a symbolic link, and `wiredyno fleet up` makes none: remove it, and name the file to which it leads"
            ));
        }
        opened => opened?,
    };
    let of = file.metadata()?;
    if !of.is_file() {
        return Err(anyhow!("it is not a regular file, and `wiredyno fleet up` makes no other: remove it"));
    }
    if of.uid() != nix::unistd::geteuid().as_raw() {
        return Err(anyhow!(
            "it belongs to the user with the number {}: take that fleet down as that user, or remove it; what it says would be carried out on machines as you",
            of.uid()
        ));
    }
    if of.mode() & 0o077 != 0 {
        return Err(anyhow!(
            "others may read or change it (mode {:o}): who has read it can start programs on the fleet's machines. If you trust them, write: chmod 600 {}; otherwise end the fleet's agents and remove it",
            of.mode() & 0o777,
            path.display()
        ));
    }
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(path: &Path) -> Holding {
        Held::of(path, Duration::ZERO, &Interrupt::default()).unwrap()
    }

    #[test]
    fn one_holds_a_file_at_a_time_and_removes_no_other() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("fleet.toml.up");
        assert!(matches!(hold(&path), Holding::Missing));
        let held = Held::made(&path).unwrap();
        assert!(Held::made(&path).is_err() && matches!(hold(&path), Holding::InUse));
        drop(held);
        let Holding::Held(held) = hold(&path) else { panic!("it is free") };
        // Somebody has removed it, and brought another fleet up.
        std::fs::remove_file(&path).unwrap();
        let other = Held::made(&path).unwrap();
        assert!(held.remove().unwrap_err().to_string().contains("replaced meanwhile") && path.exists());
        let mut third = Held::made(&desk.path().join("third")).unwrap();
        assert!(third.replace(&held).is_err());
        third.replace(&other).unwrap();
        drop(other);
        assert!(matches!(hold(&path), Holding::InUse), "it is held under its new name");
        third.remove().unwrap();
        assert!(!path.exists());
    }
}
