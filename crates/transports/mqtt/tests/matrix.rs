//! Every mode of MQTT 3.1.1 over every broker that serves it.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_transport_stand::matrix(wiredyno_transport_mqtt::TRANSPORT, None)
}
