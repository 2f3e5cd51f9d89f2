//! Every mode of AMQP 0-9-1 over every broker that serves it.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_transport_stand::matrix(wiredyno_transport_amqp_0_9_1::TRANSPORT, None)
}
