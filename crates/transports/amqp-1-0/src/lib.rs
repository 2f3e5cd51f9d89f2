//! `amqp-1-0/fe2o3-amqp`: AMQP 1.0 through the fe2o3-amqp client, settled and unsettled.
//!
//! Decisions: a connection, a session and a link per client; TCP_NODELAY on; no idle time-out of ours, and no heartbeats unless
//! the broker asks for them; a lost connection ends the role. The body is one `data` section (AMQP 1.0, part 3, section 3.2.6).
//! A message larger than a frame is split into transfers at the broker's limit; ours is `MAX_FRAME_BYTES`. Messages wait in
//! memory for the client's thread, so the schedule never waits for the network or for credit. Transfers are handed to the
//! library one after another without waiting for dispositions.
//!
//! Every subscriber gets every message: a topic is a routing key of the exchange `amq.direct`, which every AMQP broker of the
//! 0-9-1 family has (AMQP 0-9-1, section 3.1.3), in Qpid's address form: `amq.direct/TOPIC`. Such a source gives each link a
//! queue of its own, which ends with it. With `durable` that queue ends when its link is closed cleanly: a subscriber that dies
//! leaves it behind.
//!
//! A publisher of settled messages attaches a new link after every few thousand, because of Qpid (`SETTLED_ON_A_LINK`): one more
//! attach, flow and detach each time.
//!
//! `sent` is exact: the stream under the library follows all bytes and reports when the kernel has taken a message's last byte.
//! With TLS (`wiredyno_tls`) that is the last byte of the record that holds the message's end, never before. `acknowledged` is
//! when the library hands over the accepted outcome; messages with any other outcome are reported at the end.
//!
//! fe2o3-amqp 0.18 writes each frame separately: one system call per message, and one per disposition. It hands a message over
//! when its last transfer has arrived, after decoding it. It keeps the tag of every unsettled message that it received as long
//! as the session lasts, about 100 bytes each (as read in its `session/mod.rs`: `delivery_tag_by_id`).
//!
//! Without a broker a subscriber listens itself (`peer`), through the library's acceptors.
//!
//! Limits: no server; a broker is a separate program. Addresses are those of Qpid's brokers.

mod client;
pub mod declared;
mod frame;
mod greeting;
mod peer;
mod publisher;
mod stream;
mod subscriber;

use std::sync::Arc;

use declared::Options;
use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

const NAME: &str = "amqp-1-0/fe2o3-amqp";

/// The largest frame that we accept, as large as those of Qpid's broker.
pub const MAX_FRAME_BYTES: u32 = 256 * 1024;

/// Room for the sections' own bytes: a header with `durable`, and the descriptor and length of the data section.
const SECTION_BYTES: usize = 64;

/// Largest body: the length of a binary has four bytes (AMQP 1.0, part 1, section 1.6.19). A broker may accept less.
pub const BODY_LIMIT_BYTES: usize = u32::MAX as usize - SECTION_BYTES;

/// What to do if there is no broker.
const REMEDY: &str = "install Apache Qpid Broker-J (wiredyno doctor --install qpid)";

/// AMQP 1.0 through the fe2o3-amqp client.
pub static TRANSPORT: &dyn Transport = &Fe2o3Amqp;

struct Fe2o3Amqp;

/// What a client should do, parsed from its setup.
#[derive(Clone, Copy)]
struct Mode {
    settled: bool,
    options: Options,
}

impl Transport for Fe2o3Amqp {
    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        Ok(Box::new(publisher::AmqpPublisher::connect(setup, mode(setup)?, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Ok(Box::new(subscriber::AmqpSubscriber::connect(setup, mode(setup)?, sink)?))
    }

    fn peer(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Ok(Box::new(peer::AmqpPeer::listen(setup, mode(setup)?, sink)?))
    }

    fn server(&self, _setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Err(ServeError::NeedsBroker { transport: NAME, remedy: REMEDY })
    }
}

fn mode(setup: &ClientSetup) -> Result<Mode, ConnectError> {
    let settled = setup.setting_of(NAME, &declared::SETTINGS)?;
    let options = Options::STANDARD.with(&setup.options);
    let options = options.map_err(|source| ConnectError::Option { transport: NAME, source })?;
    Ok(Mode { settled, options })
}
