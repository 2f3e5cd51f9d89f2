//! What a client does whatever its library.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_contract::{TransportDescription, TransportOptions};
use wiredyno_transport::{
    ClientSetup, ConnectError, Publisher, ReceivedSink, SentSink, ServeError, Server, ServerSetup,
    Subscriber, Transport,
};

use crate::{Options, SETTINGS, Setting};

/// How often is looked for subscribers while there are too few.
const LOOK: Duration = Duration::from_micros(500);

/// A library of DDS.
pub trait Library: Send + Sync + 'static {
    /// Protocol and library: what errors call it.
    const NAME: &'static str;

    /// Whether it has DDS Security.
    const SECURES: bool = false;

    /// What it is.
    fn description(&self) -> TransportDescription;

    /// A participant with one writer, which is matched with as many readers as there should be.
    ///
    /// # Errors
    /// When the library refuses, or does not find them in time.
    fn publisher(
        &self,
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError>;

    /// A participant with one reader.
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

/// The transport of a library.
pub struct Client<L>(pub L);

/// What a client is told, read.
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

/// Waits until a writer is matched with as many readers as there should be subscribers. `found` says with how many it is.
///
/// # Errors
/// When these don't come until then, or `found` fails.
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
