//! `dds/rustdds`: DDS through RustDDS, without a server between publisher and subscriber.
//!
//! Every client is a participant with one writer or one reader. Participants find each other by multicast (SPDP) and announce their writers
//! and readers to each other (SEDP; both DDSI-RTPS, section 8.5): that is the set-up of a trial. A publisher is connected when its writer
//! is matched with as many readers as the topic has subscribers; a subscriber when its reader exists, as it can't know which writers will
//! come. The reader learns of the writer at about the same time: best-effort samples sent before that are lost.
//!
//! The topic's type is a `sequence<octet>` without a key, in plain CDR: a message is its body and four bytes of length, besides the four
//! bytes of encapsulation that every sample has.
//!
//! Participants use the one interface through which the endpoint's host is reached. Over loopback, which has no multicast, the library
//! announces itself instead to the ports of the first twelve participants on this host, and nothing leaves it.
//!
//! Everything else is the library's default: fragments of 256 bytes for samples that don't fit a packet, several of them per packet;
//! heartbeats with samples and every 100 ms while something is unacknowledged, otherwise every second; announcements every 10 s.
//!
//! Threads: two of the library's per participant, and for a subscriber one of ours, which takes samples and timestamps them.
//!
//! Limits: IPv4; 120 participants on a host, 12 of which find each other over loopback; bodies up to 64 MiB. Acknowledgements of messages
//! and the loss of a peer are not reported: DDS has no connection that could be lost.

mod body;
pub mod declared;
mod participant;
mod publisher;
mod subscriber;

use std::sync::Arc;

use wiredyno_contract::TransportDescription;
use wiredyno_dds::{Client, Library, Options, Setting};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, Subscriber, Transport,
};

const NAME: &str = "dds/rustdds";

/// DDS through the RustDDS library.
pub static TRANSPORT: &dyn Transport = &Client(RustDds);

struct RustDds;

impl Library for RustDds {
    const NAME: &'static str = NAME;

    fn description(&self) -> TransportDescription {
        declared::DECLARED.describe()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        Ok(Box::new(publisher::DdsPublisher::connect(setup, setting, options, sink)?))
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        Ok(Box::new(subscriber::DdsSubscriber::connect(setup, setting, options, sink)?))
    }
}
