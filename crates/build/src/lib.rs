//! Compiles the codecs of a payload of one's own into a runner, and keeps such runners.
//!
//! Bundled payloads are compiled into the program. A payload that a user brings is a folder of the same shape:
//! [`PayloadFolder`] reads it, [`Workshop`] compiles its codecs from the sources that the program carries, and [`Cache`]
//! keeps the runner under a digest of folder and sources, and under the payload's name.
//!
//! Limits: one payload a runner. Samples are part of the runner, so that new samples need a new build. Libraries have
//! the versions of the program and its profile; which of their optional features are on may differ where only
//! other parts of the program ask for them.

mod cache;
mod cargo;
mod folder;
mod sources;
mod workshop;

pub use cache::{Build, Cache, CacheError, NamedBuild, State};
pub use cargo::{CargoError, Step};
pub use folder::{FolderError, PayloadFolder};
pub use sources::DIGEST as SOURCES;
pub use workshop::{BuildError, Finished, Workshop};
