//! `kafka/rdkafka`: Kafka through librdkafka, wrapped by the crate `rdkafka`, linked with the machine's library.
//!
//! A topic belongs to a trial: its first subscriber creates it, with the requested partitions and replicas, and removes it when it
//! finishes; other subscribers find it, publishers wait for it. Kafka's topic names allow letters, digits and `._-`: a `/` becomes a
//! dot, `wiredyno/12` is `wiredyno.12`. A subscriber receives what is written after its subscription, by offset, so the content of
//! an earlier topic of the same name does not matter.
//!
//! Differences from the library's defaults: TCP_NODELAY on; waits that would end a connection over a slow link (`*.timeout.ms`) as
//! long as allowed; messages don't expire; metadata is requested every half an hour instead of every five minutes; subscribers take
//! records from the broker without a queue limit of their own (at the library's, 100,000 records or 64 MB, version 2.0 stops
//! fetching for a second); a publisher holds up to 16,777,216 records or 1 GiB and refuses more; the library stores and commits no
//! offsets by itself outside a group. Everything else is the library's default, including `linger.ms` of 5 ms.
//!
//! Groups: a subscriber names its partitions itself, or is the only member of a group, or one of the members of its topic's group (`group`). A shared group
//! is complete when the broker says so: all members, every partition assigned, and each member knows its own. The group begins where the topic ends at that time.
//! What is committed is the offset after a record that the runner has dealt with (`commit`); at the end each member tells what it took from which
//! partition, what the broker has as committed for those that it held, and how often and how long it rebalanced. Whoever created the topic
//! removes it and the group, once all members have left.
//!
//! Traffic without records: an idle subscriber fetches again every `fetch.wait.max.ms` (500 ms); it has a second connection to its
//! group's coordinator, silent unless `group` is on; topics and groups are removed over a separate connection. The first idempotent
//! publisher of a broker that has just started may wait half a second for its id with the first record, not while it connects.
//!
//! A connection is lost, and the role ends, when the library reports that all brokers it has known are down. With one node that is
//! any lost connection, noticed within about 100 ms; with more, publisher and subscriber continue with the next leader, as Kafka
//! intends. The library retries what was in flight.
//!
//! Threads: the library's, and one of ours per role, which polls: acknowledgements (delivery reports) and records are timestamped
//! there. `sent` is timestamped by the library when a Produce request has left, see `written`.
//!
//! Logins use SASL/PLAIN, with the password unencrypted unless the connection is encrypted.
//!
//! TLS is the library's, through the machine's OpenSSL with its defaults; see `tls`. `sent` is then when it has handed the last byte
//! of a request to OpenSSL, which holds none back. It does not report the negotiated version.
//!
//! Limits: 64-bit machines; a broker is a separate program; bodies up to 64 MiB; a subscriber can't distinguish an empty body from
//! none at all; the value of a record is the body, a key only chooses its partition (`key`), and headers are not read (`headers`).

mod admin;
mod client;
mod committing;
pub mod declared;
mod group;
mod headers;
mod own;
mod producer;
mod publisher;
mod subscriber;
mod taking;
mod tls;
mod topic;
mod written;

use std::sync::Arc;

use declared::{Options, SETTINGS};
use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "kafka/rdkafka";

/// Largest body. A broker accepts requests up to 100 MB (`socket.request.max.bytes`) and holds each completely in its memory.
pub const BODY_LIMIT_BYTES: usize = 64 << 20;

/// What to do if there is no broker.
const REMEDY: &str = "install Apache Kafka (wiredyno doctor --install kafka; it needs Java and Maven), or name a running broker";

/// Kafka through the librdkafka library.
pub static TRANSPORT: &dyn Transport = &Rdkafka;

struct Rdkafka;

impl Transport for Rdkafka {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        let (setting, options) = (setup.setting_of(NAME, &SETTINGS)?, options(setup)?);
        tls::check(setup)?;
        let connected = publisher::KafkaPublisher::connect(setup, setting, &options, sink);
        Ok(Box::new(connected.map_err(|error| tls::explained(error, setup))?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let options = options(setup)?;
        setup.setting_of(NAME, &SETTINGS)?;
        tls::check(setup)?;
        let connected = subscriber::KafkaSubscriber::connect(setup, &options, sink);
        Ok(Box::new(connected.map_err(|error| tls::explained(error, setup))?))
    }

    fn server(&self, _setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Err(ServeError::NeedsBroker { transport: NAME, remedy: REMEDY })
    }
}

fn options(setup: &ClientSetup) -> Result<Options, ConnectError> {
    let options = Options::STANDARD.with(&setup.options);
    options.map_err(|source| ConnectError::Option { transport: NAME, source })
}
