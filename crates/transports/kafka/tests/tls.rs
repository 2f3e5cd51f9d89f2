//! Kafka's client with TLS over a real broker with certificates of the tests' own. Which version is agreed the library does not tell.

use std::process::ExitCode;

use wiredyno_transport_kafka::TRANSPORT;
use wiredyno_transport_stand::{Grounds, run};

fn main() -> ExitCode {
    let grounds = Grounds::new();
    let kafka = grounds.broker("kafka");
    run(grounds.trials(TRANSPORT, &kafka, None))
}
