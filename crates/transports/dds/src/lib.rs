//! `dds/rustdds`: DDS through RustDDS, without anybody between publisher and subscriber.
//!
//! Every client is a participant of its own with one writer or one reader. Participants find each other by multicast (SPDP) and tell each
//! other of their writers and readers (SEDP; both DDSI-RTPS, section 8.5): that is the set-up of a trial. A publisher is connected when its
//! writer is matched with as many readers as the topic has subscribers; a subscriber when its reader is there, as it can't know who will
//! come. The reader learns of the writer at about the same time: what is sent in best-effort before that is lost.
//!
//! The topic's type is a `sequence<octet>` without a key, in plain CDR: a message is four bytes of length longer than
//! its body, beside the four bytes of encapsulation that every sample has.
//!
//! Participants use the one interface by which the endpoint's host is reached. Over loopback, which has no multicast, the library announces
//! itself to the first twelve participants' ports of this host instead, and nothing leaves it.
//!
//! Everything else is the library's default: fragments of 256 bytes for what does not fit into a packet, several of them in one; heartbeats
//! with samples and every 100 ms while something is unacknowledged, else every second; announcements every 10 s.
//!
//! Threads: two of the library's for each participant, and for a subscriber one of ours, which takes samples and stamps them.
//!
//! Limits: IPv4; 120 participants on a host, 12 of which find each other over loopback; bodies up to 64 MiB. Nobody is told that a message
//! was acknowledged, or that a peer is gone: DDS has no connection that could be lost.

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

/// DDS through RustDDS.
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
