//! `dds/cyclonedds`: DDS through Eclipse Cyclone DDS, the machine's library in C, called as its header has it.
//!
//! What a client is, what it publishes and when it is connected is as in `dds/rustdds`; each matches and understands the other. The topic's
//! type is what the library's `idlc` makes of `Body.idl`, type information included, which goes over the wire with discovery.
//!
//! All clients of a process are of one domain of the library's, with participants of their own: they share its sockets and threads, and a
//! publisher and a subscriber in one process would go past the network. The domain uses the one interface by which the endpoint's host is
//! reached. Over a link participants find each other by multicast; over loopback, which has none, they announce themselves to the first twelve
//! participants' ports of this host, and nothing leaves it. `CYCLONEDDS_URI` is not looked at.
//!
//! Everything else is the library's default: messages up to 14,720 bytes, which become IP fragments above the link's MTU; a reliable writer
//! holds back the publisher above 500 kB that are unacknowledged. Fragments that are shorter than 1,025 bytes and than the option
//! `fragment_size` are refused as malformed: RustDDS's, of 256, need an option that is as small.
//!
//! With `dds-security` participants prove to each other who they are, and everything is encrypted by the library's plugins, which are loaded then.
//! Clients of one process pass samples to each other without, as they don't go over the network. Why somebody is refused the library says in its
//! log alone, and only on the side that refuses: a publisher's error has that text where it is its own.
//!
//! Threads: half a dozen of the library's for a process, and for a subscriber one of ours, which waits for samples and stamps them.
//!
//! Limits: those of `dds/rustdds`. One address and domain at a time for each process.

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

/// DDS through Cyclone DDS.
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
