//! What every transport must do, over loopback.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_transport_stand::conforms(wiredyno_transport_dds::TRANSPORT)
}
