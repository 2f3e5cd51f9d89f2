//! What a DDS client does, independent of its library.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

use crate::{Options, SETTINGS, Setting};

/// Polling interval while the publisher waits for subscribers.
const LOOK: Duration = Duration::from_micros(500);

/// A DDS library that [`Client`] makes a transport.
pub trait Library: Send + Sync + 'static {
    /// Protocol and library, as errors name it.
    const NAME: &'static str;

    /// Whether the library has DDS Security.
    const SECURES: bool = false;

    /// Its declared properties, with the library's version.
    fn description(&self) -> TransportDescription;

    /// Creates a participant with one writer and waits until it is matched with the expected number of readers.
    ///
    /// # Errors
    /// When the library refuses, or the readers are not found in time.
    fn publisher(
        &self,
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError>;

    /// Creates a participant with one reader.
    ///
    /// # Errors
    /// When the library refuses.
    fn subscriber(
        &self,
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError>;
}

/// The transport that a library provides.
pub struct Client<L>(pub L);

/// Parses the setup's setting and options.
fn read<L: Library>(setup: &ClientSetup) -> Result<(Setting, Options), ConnectError> {
    let setting = setup.setting_of(L::NAME, &SETTINGS)?;
    let options = Options::STANDARD.with(&setup.options);
    let options = options.map_err(|source| ConnectError::Option { transport: L::NAME, source })?;
    if !L::SECURES {
        setup.in_the_clear(L::NAME)?;
    }
    Ok((setting, options))
}

impl<L: Library> Transport for Client<L> {
    fn description(&self) -> TransportDescription {
        self.0.description()
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        let (setting, options) = read::<L>(setup)?;
        self.0.publisher(setup, setting, &options, sink)
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let (setting, options) = read::<L>(setup)?;
        self.0.subscriber(setup, setting, &options, sink)
    }

    fn peer(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        self.subscriber(setup, sink)
    }

    fn server(&self, _setup: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        Err(ServeError::Direct { transport: L::NAME })
    }
}

/// Waits until a writer is matched with as many readers as there are subscribers. `found` returns the current number.
///
/// # Errors
/// When too few are matched by `until`, or `found` fails.
pub fn await_matches<L: Library>(
    setup: &ClientSetup,
    address: IpAddr,
    until: Instant,
    mut found: impl FnMut() -> Result<u32, ConnectError>,
) -> Result<(), ConnectError> {
    loop {
        let found = found()?;
        if found >= setup.subscribers {
            return Ok(());
        }
        if Instant::now() >= until {
            return Err(ConnectError::Unmatched {
                transport: L::NAME,
                topic: setup.topic.clone(),
                address,
                found,
                wanted: setup.subscribers,
                limit: setup.limit,
            });
        }
        std::thread::sleep(LOOK);
    }
}
