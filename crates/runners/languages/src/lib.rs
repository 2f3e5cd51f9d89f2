//! Runners that are folders, one for each language: `runners/<name>/runner.toml` declares what the runner has and how it is
//! made ready and started, so that all of it is known before anything runs.
//!
//! A folder is looked for in `runners/` of the working directory, in `wiredyno/runners/` of the user's configuration
//! (`$XDG_CONFIG_HOME`, else `~/.config`), and among those that come with the program; the first of a name counts. Those of
//! the program are written into the cache when they are first needed, and so are the environments of all. A runner of a language that
//! is compiled is built for each definition, too; what comes of it is kept as composed runners are (`wiredyno_build`).
//!
//! Limits: Rust's runner has a folder, too, which says what it is; but it is composed for each definition (`wiredyno_build`), so
//! that it has no program in there and its codecs are crates.

mod built;
mod command;
mod declaration;
mod environment;
mod error;
mod folder;
mod places;
mod taken;

pub use declaration::{ComposedRunner, DeclaredBuild, DeclaredRunner, FolderCodec, Tool, Version};
pub use environment::{KeptEnvironment, ReadyRunner, SetUpError};
pub use error::RunnerFolderError;
pub use folder::{RunnerFolder, all};

/// The file that makes a folder a runner.
pub const DECLARATION: &str = "runner.toml";
