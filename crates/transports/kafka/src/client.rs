//! Shared by publisher and subscriber: the library's settings, the state of its connections, waiting within a limit.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::{NAME, tls};
use wiredyno_transport::{ClientSetup, ConnectError};

/// How long a role's thread waits in one poll, and thus the longest until it notices that it should end or that the
/// connection is lost.
pub const POLL: Duration = Duration::from_millis(50);

/// How long the library may take to report the cause once all brokers are down.
const REASON: Duration = Duration::from_millis(20);

/// The largest batch that our topics accept (`max.message.bytes`): the largest body plus the overhead of its record and
/// batch.
pub const BATCH_LIMIT_BYTES: usize = crate::BODY_LIMIT_BYTES + 65_536;

/// The longest that the library allows its waits for answers to be (CONFIGURATION.md: `socket.timeout.ms`), in
/// milliseconds. A body of a megabyte over a slow link takes minutes.
const LONGEST_WAIT_MS: &str = "300000";

/// The library's settings for every client.
pub fn config(setup: &ClientSetup) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", setup.endpoint.to_string())
        .set("client.id", "wiredyno")
        .set("socket.nagle.disable", "true")
        .set("socket.timeout.ms", LONGEST_WAIT_MS)
        .set("socket.connection.setup.timeout.ms", LONGEST_WAIT_MS)
        .set("api.version.request.timeout.ms", LONGEST_WAIT_MS)
        // Longer than any trial. From 2,147,484 ms on, 2.0's count of microseconds overflows into the negative, and it
        // trusts nothing.
        .set("topic.metadata.refresh.interval.ms", "1800000")
        .set("metadata.max.age.ms", "2100000")
        .set("message.max.bytes", BATCH_LIMIT_BYTES.to_string())
        .set_log_level(RDKafkaLogLevel::Emerg);
    config.set("security.protocol", tls::protocol(setup));
    tls::set(&mut config, setup);
    if let Some(login) = &setup.login {
        config
            .set("sasl.mechanisms", "PLAIN")
            .set("sasl.username", &login.user)
            .set("sasl.password", &login.password);
    }
    config
}

/// What the library has reported about a client's connections, in its error callback.
#[derive(Default)]
pub struct Health {
    down: AtomicBool,
    denied: AtomicBool,
    last: Mutex<Option<String>>,
}

impl Health {
    /// Records an error that the library reports.
    pub fn note(&self, error: &KafkaError, reason: &str) {
        let code = error.rdkafka_error_code();
        if code != Some(RDKafkaErrorCode::AllBrokersDown) {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
        }
        if code == Some(RDKafkaErrorCode::Authentication) {
            self.denied.store(true, Ordering::SeqCst);
        }
        let ends =
            [RDKafkaErrorCode::AllBrokersDown, RDKafkaErrorCode::Fatal, RDKafkaErrorCode::Authentication];
        if code.is_some_and(|code| ends.contains(&code)) {
            self.down.store(true, Ordering::SeqCst);
        }
    }

    /// Whether the connection is lost for good.
    pub fn is_down(&self) -> bool {
        self.down.load(Ordering::SeqCst)
    }

    /// The last error that it reported.
    pub fn last(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why the connection is lost for good; `None` if it is not. `serve` runs the library's callbacks for this long: it
    /// reports that all brokers are down before it reports why.
    pub fn end(&self, serve: impl FnOnce(Duration)) -> Option<String> {
        if !self.is_down() {
            return None;
        }
        serve(REASON);
        Some(self.last().unwrap_or_else(|| "all brokers are down".to_owned()))
    }
}

/// A client that is connecting, with its deadline.
pub struct Connecting<'a> {
    /// The endpoint, login and encryption.
    pub setup: &'a ClientSetup,
    /// What the client's connections have reported.
    pub health: &'a Health,
    /// Runs the library's callbacks for this long.
    pub serve: &'a dyn Fn(Duration),
    /// The deadline for being connected.
    pub until: Instant,
}

impl Connecting<'_> {
    /// The remaining time; an error if there is none, or the broker can't be reached.
    pub fn left(&self) -> Result<Duration, ConnectError> {
        (self.serve)(Duration::ZERO);
        if let Some(reason) = self.health.end(self.serve) {
            return Err(self.unreachable(reason));
        }
        match self.until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(self.given_up()),
            left => Ok(left),
        }
    }

    /// The broker can't be reached, or rejects the user.
    pub fn unreachable(&self, reason: String) -> ConnectError {
        if self.health.denied.load(Ordering::SeqCst) {
            let user = self.setup.login.as_ref().map_or_else(String::new, |login| login.user.clone());
            return ConnectError::Login { transport: NAME, endpoint: self.setup.endpoint, user, reason };
        }
        ConnectError::Unreachable { transport: NAME, endpoint: self.setup.endpoint, reason }
    }

    /// The error when the time has run out.
    pub fn given_up(&self) -> ConnectError {
        match self.health.last() {
            Some(reason) => self.unreachable(reason),
            None => ConnectError::Silent {
                transport: NAME,
                endpoint: self.setup.endpoint,
                limit: self.setup.limit,
            },
        }
    }

    /// The broker denies access to the topic.
    pub fn not_granted(&self, reason: impl Into<String>) -> ConnectError {
        ConnectError::NotGranted {
            transport: NAME,
            endpoint: self.setup.endpoint,
            topic: crate::topic::name(&self.setup.topic),
            reason: reason.into(),
        }
    }
}

/// The library refused to create a client.
pub fn local(error: impl std::fmt::Display) -> ConnectError {
    ConnectError::Local { transport: NAME, source: io::Error::other(error.to_string()) }
}

/// Whole milliseconds, rounded up, as the library requires.
pub fn milliseconds(span: Duration) -> i32 {
    i32::try_from(span.as_micros().div_ceil(1_000)).unwrap_or(i32::MAX)
}

/// Drops a client. The library ends its threads and, in a group, leaves it: what takes longer than `patience` continues in
/// the background.
pub fn part(client: impl Send + 'static, patience: Duration) {
    let (tell, told) = channel();
    let parting = std::thread::Builder::new().name("kafka-parting".into()).spawn(move || {
        drop(client);
        let _ = tell.send(());
    });
    if parting.is_ok() {
        let _ = told.recv_timeout(patience);
    }
}
