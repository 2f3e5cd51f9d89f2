//! What the program and reports know of this transport; needs no client library.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use wiredyno_contract::{Addresses, Security, SystemLibrary, TransportDescription};

/// The package that implements it.
pub const PACKAGE: &str = "wiredyno-transport-dds-cyclonedds";

/// How addresses are written: not at all, as there are no servers.
pub const ADDRESSES: Addresses = Addresses::NONE;

/// What compiling and running it needs of the machine.
pub const LIBRARY: SystemLibrary =
    SystemLibrary { pkg_config: "CycloneDDS", least: "0.10.2", debian: "cyclonedds-dev cyclonedds-tools" };

/// What it is.
pub fn description() -> TransportDescription {
    let description = wiredyno_dds::description(
        "cyclonedds",
        version(),
        &[],
        "the complete sample, after all before it, as the reader hands it over: in reliable, samples after a gap wait for its \
         repair",
        "the writer has put the sample into its history and sent it, in the publisher's own thread",
    );
    TransportDescription { securities: vec![Security::None, Security::DdsSecurity], ..description }
}

/// The version of the library that it was compiled with; where it is not compiled, of the machine's, or the least that will do.
fn version() -> &'static str {
    static MACHINES: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_owned());
        let mut command = Command::new(program);
        command.args(["--modversion", LIBRARY.pkg_config]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    match option_env!("WIREDYNO_CYCLONEDDS") {
        Some(compiled) => compiled,
        None => MACHINES.get_or_init(ask).as_deref().unwrap_or(LIBRARY.least),
    }
}
