//! What the program and reports know of this transport; needs no client library.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use wiredyno_contract::{DeclaredTransport, Need, Security};

/// The C library that is linked.
const CYCLONEDDS: Need =
    Need::library("CycloneDDS", "0.10.2").debian(&["cyclonedds-dev", "cyclonedds-tools"]);

/// Its IDL compiler, which generates the code of the topics' type.
const IDLC: Need = Need::program("idlc").debian(&["cyclonedds-tools"]);

/// The declaration of the client.
pub static DECLARED: DeclaredTransport =
    wiredyno_dds::declared("cyclonedds", "wiredyno-transport-dds-cyclonedds", |_, _| Some(version()))
        .needs(&[CYCLONEDDS, IDLC])
        .options(|| wiredyno_dds::options(&[]))
        .received_at(
            "the complete sample, after all before it, as the reader hands it over: in reliable, samples after a gap wait for its \
             repair",
        )
        .sent_at("the writer has put the sample into its history and sent it, in the publisher's own thread")
        .securities(&[Security::None, Security::DdsSecurity]);

/// The version of the library that this was compiled with; if it is not compiled, the machine's, or the minimum required.
fn version() -> &'static str {
    static MACHINES: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_owned());
        let mut command = Command::new(program);
        command.args(["--modversion", CYCLONEDDS.name]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    match option_env!("WIREDYNO_CYCLONEDDS") {
        Some(compiled) => compiled,
        None => MACHINES.get_or_init(ask).as_deref().unwrap_or(CYCLONEDDS.version.word()),
    }
}
