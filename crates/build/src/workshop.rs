//! From a payload's folder to a runner in the cache.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tempfile::TempDir;
use wiredyno_runner_wire::PayloadDescription;

use crate::cache::{Build, Cache, CacheError, IN_MAKING, at};
use crate::cargo::{self, CargoError, Job, Step};
use crate::folder::PayloadFolder;
use crate::sources;

/// How often a build that waits for another looks whether that has ended.
const ANOTHER_LOOK: Duration = Duration::from_millis(200);

/// Why there is no runner.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The cache.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Cargo.
    #[error(transparent)]
    Cargo(#[from] CargoError),
}

/// Where runners are built, one at a time.
pub struct Workshop<'a> {
    /// Where they are kept.
    pub cache: &'a Cache,
    /// Sees to it that a child ends with this program.
    pub prepare: &'a dyn Fn(&mut Command),
    /// Whether the user wants it to end.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// A runner that was compiled and is not yet kept. Dropped, it leaves nothing behind.
pub struct Finished<'a> {
    cache: &'a Cache,
    made: TempDir,
    digest: String,
    folder: &'a PayloadFolder,
    _lock: Flock<File>,
}

impl<'a> Workshop<'a> {
    /// Compiles the runner of a folder; the caller looks whether it works, then keeps it.
    ///
    /// # Errors
    /// When something that is needed is missing, cargo fails, or it was interrupted.
    pub fn build(
        &self,
        folder: &'a PayloadFolder,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Finished<'a>, BuildError> {
        cargo::check()?;
        let lock = self.lock(tell)?;
        self.cache.sweep()?;
        let builds = self.cache.folder("builds")?;
        let made = TempDir::with_prefix_in(IN_MAKING, &builds).map_err(at(&builds))?;
        // Its path has the digest in it, so that cargo sees another folder for other content.
        let digest = folder.build_digest();
        let scratch = made.path().join(&digest);
        let payload = scratch.join(&folder.name);
        folder.copy_to(&payload).map_err(at(&payload))?;
        let workspace = self.workspace()?;
        let log = self.cache.folder("logs")?.join(format!("{}.log", folder.name));
        let target = self.cache.folder("target")?;
        let job =
            Job { workspace: &workspace, target: &target, payload: &payload, scratch: &scratch, log: &log };
        let program = cargo::build(&job, self.prepare, self.interrupted, tell)?;
        let runner = made.path().join("runner");
        std::fs::copy(&program, &runner).map_err(at(&runner))?;
        std::fs::remove_dir_all(&scratch).map_err(at(&scratch))?;
        Ok(Finished { cache: self.cache, made, digest, folder, _lock: lock })
    }

    /// Waits until no other build of this user goes on.
    fn lock(&self, tell: &mut dyn FnMut(Step)) -> Result<Flock<File>, BuildError> {
        let path = self.cache.folder("")?.join("lock");
        let mut file = File::create(&path).map_err(at(&path))?;
        let mut told = false;
        loop {
            match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(lock) => return Ok(lock),
                Err((unlocked, Errno::EWOULDBLOCK)) => file = unlocked,
                Err((_, errno)) => return Err(at(&path)(errno.into()).into()),
            }
            if (self.interrupted)() {
                return Err(CargoError::Interrupted.into());
            }
            if !std::mem::replace(&mut told, true) {
                tell(Step::Waiting);
            }
            std::thread::sleep(ANOTHER_LOOK);
        }
    }

    /// The program's sources, unpacked once.
    fn workspace(&self) -> Result<PathBuf, CacheError> {
        let all = self.cache.folder("sources")?;
        let workspace = all.join(sources::DIGEST);
        if !workspace.is_dir() {
            let unpacked = TempDir::with_prefix_in(IN_MAKING, &all).map_err(at(&all))?;
            sources::unpack(unpacked.path()).map_err(at(&workspace))?;
            std::fs::rename(unpacked.keep(), &workspace).map_err(at(&workspace))?;
        }
        Ok(workspace)
    }
}

impl Finished<'_> {
    /// The program, to look whether it works.
    pub fn runner(&self) -> PathBuf {
        self.made.path().join("runner")
    }

    /// Keeps it under its digest and the payload's name. Returns the folder that the name meant before, where that was
    /// another one.
    ///
    /// # Errors
    /// When the cache can't be written.
    pub fn keep(self, description: PayloadDescription) -> Result<Option<PathBuf>, CacheError> {
        let build = Build {
            digest: self.digest,
            files: self.folder.digests(),
            sources: sources::DIGEST.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description,
        };
        self.cache.keep(self.made.path(), &build)?;
        self.cache.name(self.folder, &build.digest)
    }
}
