//! Every mode of AMQP 1.0 over every broker that serves it.

use std::process::ExitCode;

fn main() -> ExitCode {
    wiredyno_transport_stand::matrix(wiredyno_transport_amqp_1_0::TRANSPORT, None)
}
