//! Every mode of MQTT 5 over every broker that serves it.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_transport_stand::matrix(wiredyno_transport_mqtt5::TRANSPORT, None)
}
