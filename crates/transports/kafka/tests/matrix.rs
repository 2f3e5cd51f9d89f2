//! Every mode of Kafka over every broker that serves it.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::process::ExitCode;

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use wiredyno_transport_stand::LIMIT;

/// The topics that the broker has beside its own.
fn topics(broker: SocketAddr) -> Vec<String> {
    let mut config = ClientConfig::new();
    let witness: BaseConsumer = config.set("bootstrap.servers", broker.to_string()).create().unwrap();
    let metadata = witness.fetch_metadata(None, LIMIT).unwrap();
    let names = metadata.topics().iter().map(|topic| topic.name().to_owned());
    names.filter(|name| !name.starts_with("__")).collect()
}

fn main() -> ExitCode {
    wiredyno_transport_stand::matrix(wiredyno_transport_kafka::TRANSPORT, Some(topics))
}
