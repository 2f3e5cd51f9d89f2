//! Builds the runners of compositions into the cache.
//!
//! One file because every way to build holds the same two locks and shares the search for codecs to leave out.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tempfile::TempDir;
use wiredyno_contract::CodecDescription;

use crate::cache::{Cache, CachedRunner, Composed, IN_MAKING, Level, names_in};
use crate::cache_error::{CacheError, at};
use crate::cargo::{self, BuildStep, CargoError, Job};
use crate::composition::{ComposeError, Composition, MADE, RUNNERS};
use crate::desk::Desk;
use crate::left_out::LeftOut;
use crate::pack::Pack;
use crate::{estimate, parts, tools};

/// How often a build that waits for another checks whether that has ended.
const ANOTHER_LOOK: Duration = Duration::from_millis(200);

/// After a build, the least recently used runners are deleted until the rest takes at most this many bytes: 4 GiB.
pub const MOST_BYTES: u64 = 4 << 30;

/// Appended to the compiler's name where it is told not to optimise.
const NOT_OPTIMISED: &str = ", not optimised";

/// Why there is no runner.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The cache can't be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The runner's crates can't be written.
    #[error("{payload}: {reason}")]
    Compose {
        /// The name of the payload.
        payload: String,
        /// Digest of its definition, 32 hexadecimal digits.
        definition: String,
        /// Why they can't be written.
        reason: ComposeError,
    },
    /// Cargo can't be run, or failed.
    #[error(transparent)]
    Cargo(#[from] CargoError),
    /// Some codecs can't be compiled for a definition. They are noted, and runners without them are built.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    LeftOut(Vec<LeftOut>),
    /// A pack has no runner for the request, and nothing can be compiled here.
    #[error(
        "this pack has no such runner: it was packed for {studies}. Pack again with the study that needs it, or compile it here: \
         {reason}"
    )]
    NotPacked {
        /// The studies that it was packed for.
        studies: String,
        /// Why it can't be compiled here.
        reason: CargoError,
    },
    /// Cargo used another version of a library than the program states.
    #[error(
        "cargo compiled {library} {compiled}, but this program has {stated}; delete {lock} and build again"
    )]
    OtherVersion {
        /// The library's name.
        library: String,
        /// The version that was compiled.
        compiled: String,
        /// The version that the program states.
        stated: String,
        /// The lock file to delete.
        lock: PathBuf,
    },
}

/// Builds runners, one at a time.
pub struct Workshop<'a> {
    /// The cache that they are kept in.
    pub cache: &'a Cache,
    /// Makes sure that a child process ends with this program.
    pub prepare: &'a dyn Fn(&mut Command),
    /// Whether the user has cancelled.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Which of the existing runners are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// Those that serve, although they may contain more.
    Serving,
    /// Those of exactly the composition.
    Same,
    /// None is accepted: all are rebuilt.
    None,
}

impl Cache {
    /// The compiler that runners are built with, as it prints its version, and what codecs in C and C++ are built with; empty where there is none. Where rustup chooses
    /// it, it depends on the folder in which cargo compiles.
    pub fn compiler(&self) -> String {
        let said = self.answers().compiler_in(&Desk::of(self).workspace).unwrap_or_default();
        tools::with_tools(match self.level() {
            Level::Full => said,
            Level::None => said + NOT_OPTIMISED,
        })
    }
}

impl Workshop<'_> {
    /// The runners of these compositions, in order and held. Missing ones are built together, so that no library is compiled twice,
    /// and kept. What another build makes while this one waits for it is not built again.
    ///
    /// # Errors
    /// When something required is missing, no code can be generated for a definition, cargo fails, or it was interrupted.
    pub fn build(
        &self,
        compositions: &[Composition],
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        self.provide(compositions, Taken::Serving, tell)
    }

    /// As [`Workshop::build`], but does not accept a runner that contains more than a composition asks for.
    ///
    /// # Errors
    /// As for [`Workshop::build`].
    pub fn build_exactly(
        &self,
        compositions: &[Composition],
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        self.provide(compositions, Taken::Same, tell)
    }

    /// Builds all of them, and replaces existing ones.
    ///
    /// # Errors
    /// As for [`Workshop::build`].
    pub fn build_again(
        &self,
        compositions: &[Composition],
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        self.provide(compositions, Taken::None, tell)
    }

    fn provide(
        &self,
        compositions: &[Composition],
        taken: Taken,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        cargo::check().map_err(|reason| match Pack::here() {
            Some(pack) => BuildError::NotPacked { studies: pack.manifest.studies.join(", "), reason },
            None => reason.into(),
        })?;
        let compiler = self.cache.compiler();
        let desk = self.desk()?;
        let _locks = self.lock(&desk, tell)?;
        self.cache.sweep()?;
        let mut all = Vec::new();
        let mut missing: Vec<Composition> = Vec::new();
        for composition in compositions {
            let there = match taken {
                Taken::Serving => self.cache.find(composition, &compiler)?,
                Taken::Same => self.cache.find_exactly(composition, &compiler)?,
                Taken::None => None,
            };
            if there.is_none() && !missing.iter().any(|other| other.is_same(composition)) {
                missing.push(composition.clone());
            }
            all.push(there);
        }
        let made = if missing.is_empty() {
            Vec::new()
        } else {
            self.compile_what_can_be(&desk, &compiler, &missing, taken == Taken::None, tell)?
        };
        let made_of = |composition: &Composition| {
            missing
                .iter()
                .zip(&made)
                .find(|(other, _)| other.is_same(composition))
                .map(|(_, kept)| kept.clone())
        };
        let all = compositions.iter().zip(all);
        Ok(all.filter_map(|(composition, there)| there.or_else(|| made_of(composition))).collect())
    }

    /// Compiles these, all different, and keeps them. Where codecs can't be compiled that is noted, the others are built without them, and the
    /// codecs are the error. The caller must hold the locks.
    fn compile_what_can_be(
        &self,
        desk: &Desk,
        compiler: &str,
        compositions: &[Composition],
        replace: bool,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        let (mut left, mut left_out) = (compositions.to_vec(), Vec::new());
        while !left.is_empty() {
            let error = match self.compile(desk, compiler, &left, replace, tell) {
                Ok(kept) if left_out.is_empty() => return Ok(kept),
                Ok(_) => break,
                Err(error) => error,
            };
            let refused = error.codecs_of(&left);
            if refused.is_empty() {
                return Err(error);
            }
            self.cache.note_left_out(&refused, compiler)?;
            left = left.into_iter().filter_map(|composition| without(composition, &refused)).collect();
            left_out.extend(refused);
        }
        Err(BuildError::LeftOut(left_out))
    }

    /// Compiles these, all different, and keeps them. The caller must hold the locks.
    fn compile(
        &self,
        desk: &Desk,
        compiler: &str,
        compositions: &[Composition],
        replace: bool,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        let workspace = desk.workspace.clone();
        parts::lay_out(&workspace).map_err(at(&workspace))?;
        let mut members: Vec<String> = parts::members().collect();
        for composition in compositions {
            let made = composition.write(&workspace, compiler);
            let compose = |reason| BuildError::Compose {
                payload: composition.payload().to_owned(),
                definition: composition.definition().to_owned(),
                reason,
            };
            members.extend(made.map_err(compose)?);
        }
        members.sort();
        members.dedup();
        lay_out_manifest(&workspace, &members, self.cache.level())?;
        let programs: Vec<String> =
            compositions.iter().map(|composition| composition.program(compiler)).collect();
        let runners = self.cache.folder("runners")?;
        let scratch = TempDir::with_prefix_in(IN_MAKING, &runners).map_err(at(&runners))?;
        let log = self.cache.path().join("cargo.log");
        let job = Job {
            workspace: &workspace,
            target: &desk.target,
            programs: &programs,
            scratch: scratch.path(),
            log: &log,
        };
        let expected_ns = estimate::expected_ns(&desk.target, compositions);
        let begun = Instant::now();
        let built = cargo::build(&job, self.prepare, self.interrupted, tell)?;
        self.cache.note_build(expected_ns, u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
        check_versions(&workspace.join(parts::LOCK))?;
        let kept = compositions.iter().zip(&programs).map(|(composition, program)| {
            let kept = self.cache.keep(&built[program], Composed::of(composition, compiler), replace);
            // A copy is kept: cargo's own output would only take space.
            let _ = std::fs::remove_file(&built[program]);
            kept
        });
        let kept = kept.collect::<Result<Vec<_>, _>>()?;
        self.cache.limit(MOST_BYTES)?;
        self.tidy(desk)?;
        Ok(kept)
    }

    /// Deletes runners, the least recently used first, until the rest takes at most this many bytes, and what cargo made for
    /// them. Returns those deleted.
    ///
    /// # Errors
    /// When something can't be deleted, or the user cancels.
    pub fn collect(
        &self,
        most_bytes: u64,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        let desk = self.desk()?;
        let _locks = self.lock(&desk, tell)?;
        self.cache.sweep()?;
        let deleted = self.cache.limit(most_bytes)?;
        self.tidy(&desk)?;
        Ok(deleted)
    }

    /// Removes generated crates of definitions that have no runner left, with what cargo compiled from them. Not in a
    /// checkout, where other caches may have runners of them, and `cargo clean` removes everything.
    fn tidy(&self, desk: &Desk) -> Result<(), CacheError> {
        if desk.shared {
            return Ok(());
        }
        let kept = self.cache.all()?;
        let is_used = |short: &str| kept.iter().any(|kept| kept.composed.definition.starts_with(short));
        let made = desk.workspace.join(MADE);
        let unused: Vec<String> =
            names_in(&made)?.into_iter().filter(|name| name != RUNNERS && !is_used(name)).collect();
        for short in &unused {
            let path = made.join(short);
            std::fs::remove_dir_all(&path).map_err(at(&path))?;
        }
        for folder in ["deps", ".fingerprint"].map(|name| desk.target.join("release").join(name)) {
            for name in names_in(&folder)?.iter().filter(|name| name.contains("made")) {
                if unused.iter().any(|short| name.contains(short.as_str())) {
                    let path = folder.join(name);
                    let gone = if path.is_dir() {
                        std::fs::remove_dir_all(&path)
                    } else {
                        std::fs::remove_file(&path)
                    };
                    gone.map_err(at(&path))?;
                }
            }
        }
        Ok(())
    }

    /// The place where crates are laid out and cargo compiles, created if missing.
    fn desk(&self) -> Result<Desk, CacheError> {
        let desk = Desk::of(self.cache);
        std::fs::create_dir_all(&desk.workspace).map_err(at(&desk.workspace))?;
        Ok(desk)
    }

    /// Waits until no other build is running in this cache, nor in this place where crates are laid out: programs of
    /// several checkouts share a cache, and caches share a checkout. Always in this order, so that no two wait for each other.
    fn lock(&self, desk: &Desk, tell: &mut dyn FnMut(BuildStep)) -> Result<[Flock<File>; 2], BuildError> {
        let own = self.cache.folder("")?;
        let mut told = false;
        let own = self.lock_one(&own, &mut told, tell)?;
        Ok([own, self.lock_one(&desk.workspace, &mut told, tell)?])
    }

    /// Waits until no other build is running in this cache.
    pub(crate) fn lock_cache(&self, tell: &mut dyn FnMut(BuildStep)) -> Result<Flock<File>, BuildError> {
        let own = self.cache.folder("")?;
        self.lock_one(&own, &mut false, tell)
    }

    fn lock_one(
        &self,
        folder: &Path,
        told: &mut bool,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Flock<File>, BuildError> {
        let path = folder.join("lock");
        let mut file = File::create(&path).map_err(at(&path))?;
        loop {
            match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(lock) => return Ok(lock),
                Err((unlocked, Errno::EWOULDBLOCK)) => file = unlocked,
                Err((_, errno)) => return Err(at(&path)(errno.into()).into()),
            }
            if (self.interrupted)() {
                return Err(CargoError::Interrupted.into());
            }
            if !std::mem::replace(told, true) {
                tell(BuildStep::Waiting);
            }
            std::thread::sleep(ANOTHER_LOOK);
        }
    }
}

impl BuildError {
    /// The codecs of these compositions that alone are the cause; empty where there is another cause.
    fn codecs_of(&self, compositions: &[Composition]) -> Vec<LeftOut> {
        match self {
            BuildError::Compose { definition, reason: ComposeError::Codecs(refused), .. } => {
                let own = compositions.iter().filter(|one| one.definition() == definition);
                let own = own.take(1).flat_map(|one| {
                    refused.iter().map(|(codec, why)| LeftOut::not_generated(one, codec, why))
                });
                own.collect()
            }
            BuildError::Cargo(CargoError::Failed { refused, .. }) => {
                let mut all = Vec::new();
                for (name, error) in refused {
                    let of = |one: &Composition| {
                        let codecs: Vec<_> = one.codecs_of(name).collect();
                        codecs
                            .into_iter()
                            .map(|codec| LeftOut::not_compiled(one, codec, error))
                            .collect::<Vec<_>>()
                    };
                    let own: Vec<LeftOut> = compositions.iter().flat_map(of).collect();
                    if own.is_empty() {
                        return Vec::new();
                    }
                    for one in own {
                        if !all.contains(&one) {
                            all.push(one);
                        }
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }
}

/// A composition without codecs that are left out; `None` where none of its own is left.
fn without(composition: Composition, left_out: &[LeftOut]) -> Option<Composition> {
    let own = left_out.iter().filter(|one| one.definition == composition.definition());
    let codecs: Vec<&str> = own.map(|one| one.codec).collect();
    let had_some = composition.codecs().next().is_some();
    let left = composition.without(&codecs);
    (!had_some || left.codecs().next().is_some()).then_some(left)
}

/// Writes the workspace's manifest with these members, and the program's lock file where there is none for these sources.
fn lay_out_manifest(workspace: &Path, members: &[String], level: Level) -> Result<(), CacheError> {
    let files = parts::files().map_err(at(workspace))?;
    let content =
        |name: &str| files.iter().find(|(path, _)| path == name).map(|(_, content)| content.as_slice());
    let (Some(manifest), Some(lock)) = (content(parts::MANIFEST), content(parts::LOCK)) else {
        return Err(at(workspace)(std::io::ErrorKind::NotFound.into()));
    };
    let listed: String = members.iter().map(|member| format!("{member:?}, ")).collect();
    let manifest = String::from_utf8_lossy(manifest);
    let manifest = manifest.replacen("[workspace]\n", &format!("[workspace]\nmembers = [{listed}]\n"), 1);
    let manifest = match level {
        Level::Full => manifest,
        Level::None => manifest + not_optimised(workspace, members)?.as_str(),
    };
    let put = |name: &str, content: &[u8]| {
        let path = workspace.join(name);
        parts::write_if_other(&path, content).map_err(at(&path))
    };
    put(parts::MANIFEST, manifest.as_bytes())?;
    // Cargo adds generated crates to its own; it is recreated with the program's versions when those change.
    let own = workspace.join("program.lock");
    if std::fs::read(&own).ok().as_deref() != Some(lock) || !workspace.join(parts::LOCK).is_file() {
        put(parts::LOCK, lock)?;
        put("program.lock", lock)?;
    }
    Ok(())
}

/// Manifest tables that turn optimisation off for the members. Not `package."*"`, which would leave build scripts of libraries
/// optimised.
fn not_optimised(workspace: &Path, members: &[String]) -> Result<String, CacheError> {
    let table = |member: &String| {
        let path = workspace.join(member).join(parts::MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(at(&path))?;
        let name = text.lines().find_map(|line| line.strip_prefix("name = "));
        Ok(format!("\n[profile.release.package.{}]\nopt-level = 0\n", name.unwrap_or_default()))
    };
    members.iter().map(table).collect()
}

/// Refuses a lock file in which a codec or transport has another version of its library than the program states.
fn check_versions(lock: &Path) -> Result<(), BuildError> {
    let text = std::fs::read_to_string(lock).map_err(at(lock))?;
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in text.lines() {
        let quoted = line.split('"').nth(1).unwrap_or_default();
        if line.starts_with("name = ") {
            name = quoted;
        } else if line.starts_with("version = ") {
            versions.entry(name).or_default().push(quoted);
        }
    }
    // Libraries in C and C++ are the machine's, whatever crates have their names.
    let of_cargo = |codec: &CodecDescription| codec.language.is_none();
    for codec in wiredyno_codec_registry::descriptions().into_iter().filter(of_cargo) {
        let Some(compiled) = versions.get(codec.library.as_str()) else { continue };
        if !compiled.contains(&codec.version.as_str()) {
            return Err(BuildError::OtherVersion {
                compiled: compiled.join(", "),
                library: codec.library,
                stated: codec.version,
                lock: lock.to_owned(),
            });
        }
    }
    Ok(())
}
