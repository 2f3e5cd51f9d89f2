//! Runners that are folders, one for each language: `runners/<name>/runner.toml` declares what the runner has and how it is
//! made ready and started, so that all of it is known before anything runs.
//!
//! A folder is looked for in `runners/` of the working directory, in `wiredyno/runners/` of the user's configuration
//! (`$XDG_CONFIG_HOME`, else `~/.config`), and among those that come with the program; the first of a name counts. Those of
//! the program are written into the cache when they are first needed, and so are the environments of all.
//!
//! Limits: Rust's runner has a folder, too, which says what it is; but it is composed for each definition (`wiredyno_build`), so
//! that it has no program in there and its codecs are crates.

mod declaration;
mod environment;
mod folder;

pub use declaration::{ComposedRunner, DeclaredRunner, FolderCodec, Version};
pub use environment::{KeptEnvironment, ReadyRunner, SetUpError};
pub use folder::{RunnerFolder, RunnerFolderError, all};

/// The file that makes a folder a runner.
pub const DECLARATION: &str = "runner.toml";
