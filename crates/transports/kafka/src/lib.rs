//! `kafka/rdkafka`: Kafka through librdkafka, as the crate `rdkafka` wraps it, linked with the machine's library.
//!
//! A topic is the trial's: its first subscriber makes it, with the partitions and copies that are asked for, and removes it
//! when it finishes; others find it there, publishers wait for it. Kafka's topics take letters, digits and `._-`: a `/`
//! becomes a dot, `wiredyno/12` is `wiredyno.12`. A subscriber receives what is written from its subscription on, by offset, so
//! what an earlier topic of that name still holds does not matter.
//!
//! What is set other than the library has it: TCP_NODELAY on; waits of its own that would end a connection over a slow link
//! (`*.timeout.ms`) as long as they may be; no message is given up for its age; metadata is asked for every half an hour, not
//! every five minutes; subscribers take records from the broker without a limit of their own on what waits (at the library's,
//! 100,000 records or 64 MB, version 2.0 stops fetching for a second); a publisher holds up to 16,777,216 records or 1 GiB and
//! refuses more; no offsets are stored or committed outside a group. Everything else is the library's default, `linger.ms` of
//! 5 ms among it.
//!
//! What goes over the wire without a record: a subscriber that has nothing asks again every `fetch.wait.max.ms` (500 ms); it
//! has a second connection to its group's coordinator, silent unless `group` is on; topics and groups are removed over a
//! connection of their own. The first idempotent publisher of a broker that has just started may wait half a second for its
//! id with the first record, not while it connects.
//!
//! A connection is lost, and the role ends, when the library says that all brokers which it has known are down. With one node
//! that is any lost connection, noticed within about 100 ms; with more, publisher and subscriber go on with the next leader,
//! as Kafka means it. What was under way then is repeated by the library.
//!
//! Threads: the library's, and one of ours for each role, which polls: acknowledgements (delivery reports) and records are
//! stamped there. `sent` is stamped by the library when a Produce request has left, see `written`.
//!
//! A login is given by SASL/PLAIN, the password unencrypted unless the connection is.
//!
//! TLS is the library's, by the machine's OpenSSL with its defaults; see `tls`. `sent` is then when it has handed the last byte of a
//! request to OpenSSL, which keeps none back. Which version was agreed it does not tell.
//!
//! Limits: 64-bit machines; a broker is a program of its own; bodies up to 64 MiB; an empty body and none at all are
//! the same to a subscriber; of a record only its value is used, no key and no headers.

mod admin;
mod client;
pub mod declared;
mod producer;
mod publisher;
mod subscriber;
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

/// Largest body. A broker takes requests up to 100 MB (`socket.request.max.bytes`) and holds each whole in its memory.
pub const BODY_LIMIT_BYTES: usize = 64 << 20;

/// What to do without a broker.
const REMEDY: &str = "install Apache Kafka (wiredyno doctor --install kafka; it needs Java and Maven), or name a running broker";

/// Kafka through librdkafka.
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
