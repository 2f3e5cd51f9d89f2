//! Brokers: servers that a protocol needs, one folder in `brokers/` each. `broker.toml` says what a broker is, how it is
//! installed, prepared, started, asked and ended, so that no broker's name stands in code.
//!
//! A folder is looked for in `brokers/` of the working directory, in `wiredyno/brokers/` of the user's configuration
//! (`$XDG_CONFIG_HOME`, else `~/.config`), and among those that come with the program; the first of a name counts.
//!
//! A broker runs as private children of this program: in a folder of its own, on ports that were free, with all that it starts
//! ended when it is ([`wiredyno_process::tree`]).

mod definition;
mod folder;
mod library;
mod process;
mod secured;
mod start;
mod template;

pub use definition::{Access, Broker, DataPlace, Install, Prepare, Ready, Stop, Variant, VersionProbe};
pub use folder::{BrokerFolder, BrokerFolderError, all, find};
pub use library::{InstallError, Requirement};
pub use process::BrokerProcess;
pub use secured::Secured;
pub use start::{Place, StartError};
pub use wiredyno_model::Remedy;

/// The file that makes a folder a broker.
pub const DEFINITION: &str = "broker.toml";
