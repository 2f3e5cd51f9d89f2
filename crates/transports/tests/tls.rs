//! Every client with TLS over real brokers with certificates of the tests' own. Kafka's has a program of its own beside its other
//! tests, as it needs a library of the machine's.

use std::process::ExitCode;

use wiredyno_contract::TlsVersion;
use wiredyno_transport::Transport;
use wiredyno_transport_stand::{Grounds, run};

fn main() -> ExitCode {
    let grounds = Grounds::new();
    let over = |name: &str| grounds.broker(name);
    let (mosquitto, rabbitmq, qpid) = (over("mosquitto"), over("rabbitmq"), over("qpid"));
    let pairs: [(&'static dyn Transport, _, _); 5] = [
        (wiredyno_transport_mqtt::TRANSPORT, &mosquitto, TlsVersion::Tls13),
        (wiredyno_transport_mqtt5::TRANSPORT, &mosquitto, TlsVersion::Tls13),
        // It is told to speak nothing newer.
        (wiredyno_transport_amqp_0_9_1::TRANSPORT, &rabbitmq, TlsVersion::Tls12),
        (wiredyno_transport_amqp_0_9_1::TRANSPORT, &qpid, TlsVersion::Tls13),
        (wiredyno_transport_amqp_1_0::TRANSPORT, &qpid, TlsVersion::Tls13),
    ];
    let mutual = [wiredyno_transport_mqtt::TRANSPORT, wiredyno_transport_mqtt5::TRANSPORT];
    let mutual: Vec<_> = mutual.into_iter().flat_map(|transport| grounds.mutual_trials(transport)).collect();
    let trials = pairs
        .into_iter()
        .flat_map(|(transport, broker, version)| grounds.trials(transport, broker, Some(version)));
    run(trials.chain(mutual).collect())
}
