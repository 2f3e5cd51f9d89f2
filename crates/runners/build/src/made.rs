//! Runners of other languages that are built for a definition, by commands that only their folder knows: built under the same
//! lock, in the same place and with the same guarantees as composed ones.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cache::{CachedRunner, Composed, IN_MAKING, PROGRAM, RUNNERS};
use crate::cache_error::at;
use crate::cargo::BuildStep;
use crate::workshop::{BuildError, MOST_BYTES, Workshop};

/// What is known about such a runner before it is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered {
    /// The key that it is kept under: a digest of everything that its content depends on, 32 hexadecimal digits.
    pub key: String,
    /// The name of the runner's folder.
    pub runner: String,
    /// The name of the payload that it is built for.
    pub payload: String,
    /// Digest of the definition, 32 hexadecimal digits.
    pub definition: String,
    /// Ids of the codecs that it will have.
    pub codecs: Vec<String>,
    /// Ids of its transports, where a composed runner has packages.
    pub transports: Vec<String>,
    /// Whether it reads records from a database.
    pub records: bool,
    /// Digest of the runner's folder and of the tools that build it.
    pub folder: String,
    /// The language with its version.
    pub language: String,
}

/// The folders that a build may use.
#[derive(Debug)]
pub struct Bench {
    /// The empty folder to fill; it is moved afterwards.
    pub built: PathBuf,
    /// An empty folder for temporary files.
    pub scratch: PathBuf,
}

impl Ordered {
    fn composed(&self) -> Composed {
        Composed {
            key: self.key.clone(),
            payload: self.payload.clone(),
            definition: self.definition.clone(),
            codecs: self.codecs.clone(),
            transports: self.transports.clone(),
            encrypted: Vec::new(),
            runner: Some(self.runner.clone()),
            records: self.records,
            parts: [(self.runner.clone(), self.folder.clone())].into(),
            generator: String::new(),
            compiler: self.language.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bytes: 0,
        }
    }
}

impl Workshop<'_> {
    /// The runner that was ordered, held. Where it is missing, or everything is to be built `again`, `make` fills its folder. What
    /// another build makes while this one waits for it is not built again.
    ///
    /// # Errors
    /// When `make` fails, something can't be written, or the user cancels; then nothing of it is left.
    pub fn make<E: From<BuildError>>(
        &self,
        ordered: &Ordered,
        again: bool,
        tell: &mut dyn FnMut(BuildStep),
        make: impl FnOnce(&Bench, &mut dyn FnMut(BuildStep)) -> Result<(), E>,
    ) -> Result<CachedRunner, E> {
        let _lock = self.lock_cache(tell)?;
        if !again && let Some(kept) = self.cache.find_by_key(&ordered.key).map_err(BuildError::from)? {
            return Ok(kept);
        }
        let desk = self.bench()?;
        let bench = Bench { built: desk.path().join(PROGRAM), scratch: desk.path().join("scratch") };
        make(&bench, tell)?;
        self.keep_made(desk.path(), &bench, ordered).map_err(E::from)
    }

    fn bench(&self) -> Result<TempDir, BuildError> {
        self.cache.sweep()?;
        let runners = self.cache.folder(RUNNERS)?;
        let desk = TempDir::with_prefix_in(IN_MAKING, &runners).map_err(at(&runners))?;
        for name in [PROGRAM, "scratch"] {
            let path = desk.path().join(name);
            std::fs::create_dir(&path).map_err(at(&path))?;
        }
        Ok(desk)
    }

    fn keep_made(&self, desk: &Path, bench: &Bench, ordered: &Ordered) -> Result<CachedRunner, BuildError> {
        std::fs::remove_dir_all(&bench.scratch).map_err(at(&bench.scratch))?;
        let kept = self.cache.keep_in(desk, ordered.composed())?;
        self.cache.limit(MOST_BYTES)?;
        Ok(kept)
    }
}
