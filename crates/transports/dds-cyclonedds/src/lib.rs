//! `dds/cyclonedds`: DDS through Eclipse Cyclone DDS, the machine's C library, called as declared in its header.
//!
//! What a client is, what it publishes and when it is connected is as in `dds/rustdds`; each matches and understands the other. The topic's type
//! is what the library's `idlc` generates from `Body.idl`, including type information, which is sent during discovery.
//!
//! All clients of a process share one domain of the library, with participants of their own: they share its sockets and threads, and a publisher
//! and a subscriber in one process would bypass the network. The domain uses the one interface through which the endpoint's host is reached. Over
//! a link participants find each other by multicast; over loopback, which has none, they announce themselves to the ports of the first twelve
//! participants on this host, and nothing leaves it. `CYCLONEDDS_URI` is ignored.
//!
//! Everything else is the library's default: messages up to 14,720 bytes, which become IP fragments above the link's MTU; a reliable writer blocks
//! the publisher above 500 kB of unacknowledged data. Fragments shorter than both 1,025 bytes and the option `fragment_size` are rejected as
//! malformed: RustDDS's, of 256, need an option as small.
//!
//! With `dds-security` participants authenticate each other, and the library's plugins, which are then loaded, encrypt everything. Clients of one
//! process exchange samples without encryption, as those don't cross the network. The library gives the reason for a rejection only in its log,
//! and only on the rejecting side: a publisher's error has that text if it is the one that rejects.
//!
//! Threads: half a dozen of the library's per process, and for a subscriber one of ours, which waits for samples and timestamps them.
//!
//! Limits: those of `dds/rustdds`. One address and domain at a time per process.

pub mod declared;
mod domain;
mod participant;
mod publisher;
mod security;
mod subscriber;
mod sys;

use std::sync::Arc;

use wiredyno_contract::TransportDescription;
use wiredyno_dds::{Client, Library, Options, Setting};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, Subscriber, Transport,
};

const NAME: &str = "dds/cyclonedds";

/// DDS through the Cyclone DDS library.
pub static TRANSPORT: &dyn Transport = &Client(CycloneDds);

struct CycloneDds;

impl Library for CycloneDds {
    const NAME: &'static str = NAME;
    const SECURES: bool = true;

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
