//! Runners that are folders, one for each language: `runners/<name>/runner.toml` declares what the runner offers and how it is
//! prepared and started, so that all of it is known before anything runs.
//!
//! A folder is searched for in `runners/` of the working directory, in `wiredyno/runners/` of the user's configuration
//! (`$XDG_CONFIG_HOME`, else `~/.config`), and among the bundled ones; the first of a name counts. Bundled folders are written into
//! the cache when they are first needed, and environments are created there too. A runner in a compiled language is also built for
//! each definition; the result is kept like composed runners (`wiredyno_build`).
//!
//! Limits: Rust's runner has a folder, too, which says what it is; but it is composed for each definition (`wiredyno_build`), so it
//! has no program there and its codecs are crates.

mod build_order;
mod command;
mod declaration;
mod environment;
mod error;
mod folder;
mod places;
mod set_up_error;
mod taken;

pub use declaration::{ComposedRunner, DeclaredBuild, DeclaredRunner, FolderCodec, Tool, Version};
pub use environment::{KeptEnvironment, ReadyRunner};
pub use error::RunnerFolderError;
pub use folder::{RunnerFolder, all};
pub use set_up_error::SetUpError;

/// The file that makes a folder a runner.
pub const DECLARATION: &str = "runner.toml";
