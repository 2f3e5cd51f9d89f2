//! `amqp-0-9-1/lapin`: AMQP 0-9-1 through the lapin client, with the modes and options of brokers such as RabbitMQ.
//!
//! Decisions: a connection with one channel per client; the virtual host `/`; TCP_NODELAY on; no heartbeats unless the broker asks
//! for them in connection.tune (ours does not); a lost connection ends the role, as does a closed channel. Each subscriber has a
//! queue of its own, bound to the topic's exchange (`topology`); messages without a bound queue are dropped, so a publisher needs no
//! subscriber. Publishing is queued in the library, which never waits.
//!
//! # What each mode promises
//!
//! TCP retransmits lost packets, so both modes are ordered (AMQP 0-9-1, section 4.7) and reliable on a link that loses packets, as
//! MQTT's QoS 0 is. With `auto-ack` the broker forgets a message when it has written it to the subscriber's socket, and publishers
//! get no confirms. With `manual-ack` it keeps the message until the subscriber's basic.ack, which acknowledges each message
//! individually, and confirms it to the publisher; on another connection the message would be delivered again. Neither mode
//! republishes: a message not confirmed when a role ends has no acknowledgement in the results. Messages that the broker answers with
//! basic.nack are counted and reported when the publisher finishes. A broker that stores messages may confirm a small one before a
//! large one that was sent earlier.
//!
//! # What is on the wire
//!
//! Everything is frames of 8 bytes and a payload (section 4.2.3). For each message a publisher sends basic.publish (9 bytes, exchange
//! and key), a content header (14 bytes, 15 with `durable`) and as many content bodies as its bytes need at the broker's frame-max
//! less 8 bytes each, none for an empty message (section 4.2.6): with `amq.direct` and the topic `wiredyno/1` 67 bytes and the body.
//! A subscriber gets basic.deliver (16 bytes, consumer tag, exchange and key), header and bodies: 82 bytes and the body in that case.
//! Both kinds of basic.ack, a subscriber's and a confirm, have 21 bytes; a confirm may cover many messages.
//!
//! # What the timestamps mean
//!
//! The stream under the library follows all bytes (`ledger`): `sent` is when the kernel has taken the message's last frame, `acked`
//! when it has handed over the basic.ack that covers it, which lapin reads next. `received` is when lapin has handed the message to
//! our thread.
//!
//! lapin 4 has a thread for its socket besides the runtime that waits for it: readiness goes from tokio's thread to lapin's, and a
//! message from lapin's to tokio's, which is two thread switches per wake-up (as read in its `io_loop.rs` and `socket_state.rs`). It
//! copies a body twice in each direction.
//!
//! With TLS (`wiredyno_tls`) `sent` is when the kernel has taken the last byte of the record that holds the message's end, never
//! before; if one write of the library could not leave at once, its messages are reported together when all of it has. `acked` is
//! when the basic.ack is decrypted.
//!
//! Limits: no server; a broker is a separate program. An exchange of type `fanout` disappears with its last subscriber: a later
//! publisher to it loses its channel. A durable queue remains at the broker if the connection is lost, or cut because it could not
//! finish in time.

mod client;
pub mod declared;
mod frame;
mod kit;
mod ledger;
mod publisher;
mod session;
mod stream;
mod subscriber;
mod topology;

use std::sync::Arc;

use declared::{Confirms, Options};
use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "amqp-0-9-1/lapin";

/// Largest body: RabbitMQ closes the channel on larger ones unless configured otherwise (its `max_message_size`). The protocol itself
/// has eight bytes for the size.
pub const BODY_LIMIT_BYTES: usize = 128 << 20;

/// What to do if there is no broker.
const REMEDY: &str = "install RabbitMQ (sudo apt-get install rabbitmq-server)";

/// AMQP 0-9-1 through the lapin client.
pub static TRANSPORT: &dyn Transport = &Lapin;

struct Lapin;

/// What a client should do, parsed from its setup.
#[derive(Clone, Copy)]
struct Mode {
    /// Whether subscribers acknowledge messages themselves.
    manual: bool,
    options: Options,
}

impl Mode {
    fn of(setup: &ClientSetup) -> Result<Mode, ConnectError> {
        let manual = setup.setting_of(NAME, &declared::SETTINGS)?;
        let options = Options::STANDARD.with(&setup.options);
        let options = options.map_err(|source| ConnectError::Option { transport: NAME, source })?;
        Ok(Mode { manual, options })
    }

    fn confirms(&self) -> Confirms {
        self.options.confirms.in_mode(self.manual)
    }
}

impl Transport for Lapin {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        Ok(Box::new(publisher::AmqpPublisher::connect(setup, Mode::of(setup)?, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Ok(Box::new(subscriber::AmqpSubscriber::connect(setup, Mode::of(setup)?, sink)?))
    }

    fn server(&self, _setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Err(ServeError::NeedsBroker { transport: NAME, remedy: REMEDY })
    }
}
