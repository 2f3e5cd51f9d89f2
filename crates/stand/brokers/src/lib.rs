//! Brokers: servers that a protocol needs, each a folder in `brokers/`. `broker.toml` declares what a broker is and how it is
//! installed, prepared, started, checked and ended, so that no broker's name appears in code.
//!
//! Folders are looked up in `brokers/` of the working directory, in `wiredyno/brokers/` of the user's configuration
//! (`$XDG_CONFIG_HOME`, else `~/.config`), and among those that come with the program; the first of a name is used.
//!
//! A broker runs as private children of this program, in its own folder and on free ports; all processes that it starts
//! end with it ([`wiredyno_process::tree`]).

mod definition;
mod error;
mod folder;
mod library;
mod process;
mod secured;
mod start;
mod stored;
mod template;

pub use definition::{Access, Broker, DataPlace, Install, Prepare, Ready, Stop, Variant, VersionProbe};
pub use error::StartError;
pub use folder::{BrokerFolder, BrokerFolderError, all, find};
pub use library::{InstallError, Requirement};
pub use process::BrokerProcess;
pub use secured::Secured;
pub use start::Place;
pub use wiredyno_model::Remedy;

/// The name of the file that makes a folder a broker.
pub const DEFINITION: &str = "broker.toml";
