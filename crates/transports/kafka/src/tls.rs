//! TLS by librdkafka and the machine's OpenSSL. What went wrong is asked once more, on a connection of its own: the library says
//! that a certificate could not be verified, and only to whoever checks along why.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::client::{Client, ClientContext};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka_sys::rd_kafka_type_t::RD_KAFKA_PRODUCER;
use rdkafka_sys::{self as sys, rd_kafka_t};

use crate::NAME;
use crate::client::{self, Health, POLL};
use wiredyno_transport::tls::{TlsFault, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

/// The setting that names the file of authorities; the library's errors name it too.
const CA_FILE: &str = "ssl.ca.location";

/// The longest that it is asked why.
const PATIENCE: Duration = Duration::from_secs(5);

/// Refuses what the library would take for something else, or be silent about.
///
/// # Errors
/// When it is not compiled in, the file of authorities can't be read, or the server's name leads elsewhere.
pub fn check(setup: &ClientSetup) -> Result<(), ConnectError> {
    let Some(tls) = &setup.tls else { return Ok(()) };
    if cfg!(not(feature = "tls")) {
        return Err(refused(setup, TlsFault::NotCompiled));
    }
    // OpenSSL's connections are the library's alone.
    let lacks = |what: &str| Err(refused(setup, TlsFault::Handshake(format!("the client library {what}"))));
    if tls.resumes {
        return lacks("can't be told to resume a session: leave resumption out for Kafka");
    }
    if let Some(path) = &tls.key_log {
        let reason = "the client library (librdkafka) does not export its keys".to_owned();
        return Err(refused(setup, TlsFault::KeyLog { path: path.clone(), reason }));
    }
    // It would take the address for the name, and check that.
    if tls.host(setup.endpoint) != tls.server_name {
        return Err(refused(setup, TlsFault::Elsewhere(tls.server_name.clone())));
    }
    if let Trust::File(path) = &tls.trust
        && let Err(error) = std::fs::File::open(path)
    {
        return Err(refused(
            setup,
            TlsFault::CaFile { path: path.clone(), reason: format!("can't be read: {error}") },
        ));
    }
    Ok(())
}

/// Sets where clients connect, and how they encrypt. The name counts for the first connection: those to the brokers that it tells of go
/// by the addresses that they advertise, and the certificates have to be for those.
pub fn set(config: &mut ClientConfig, setup: &ClientSetup) {
    let Some(tls) = &setup.tls else { return };
    config
        .set("bootstrap.servers", format!("{}:{}", tls.server_name, setup.endpoint.port()))
        // Older than 2.0 it looks at no name of its own accord.
        .set("ssl.endpoint.identification.algorithm", "https");
    if let Trust::File(path) = &tls.trust {
        config.set(CA_FILE, path.display().to_string());
    }
    if let Some(identity) = &tls.identity {
        config
            .set("ssl.certificate.location", identity.certificate.display().to_string())
            .set("ssl.key.location", identity.key.display().to_string());
    }
}

/// The word for a client's protocol: with TLS or without, with a login or without.
pub fn protocol(setup: &ClientSetup) -> &'static str {
    match (&setup.tls, &setup.login) {
        (None, None) => "plaintext",
        (None, Some(_)) => "sasl_plaintext",
        (Some(_), None) => "ssl",
        (Some(_), Some(_)) => "sasl_ssl",
    }
}

/// Of an encrypted client's error what it has to do with TLS, where that is so.
pub fn explained(error: ConnectError, setup: &ClientSetup) -> ConnectError {
    let Some(tls) = &setup.tls else { return error };
    match &error {
        ConnectError::Local { source, .. } if source.to_string().contains(CA_FILE) => match &tls.trust {
            Trust::File(path) => {
                let reason = format!("is damaged: {source}");
                refused(setup, TlsFault::CaFile { path: path.clone(), reason })
            }
            Trust::System => refused(setup, TlsFault::NoAuthorities(source.to_string())),
        },
        ConnectError::Unreachable { reason, .. } if reason.contains("SSL ") => {
            refused(setup, fault(reason, setup, tls))
        }
        _ => error,
    }
}

fn refused(setup: &ClientSetup, fault: TlsFault) -> ConnectError {
    ConnectError::Tls { transport: NAME, endpoint: setup.endpoint, fault }
}

/// What a failed handshake is due to.
fn fault(reason: &str, setup: &ClientSetup, tls: &Tls) -> TlsFault {
    // OpenSSL's words and the library's, for a server that closes or answers something else.
    let says = |words: &[&str]| words.iter().any(|words| reason.contains(words));
    if says(&["unexpected eof", "Disconnected", "Connection reset"]) {
        return TlsFault::Plain("it closed the connection when greeted in TLS".into());
    }
    if says(&["wrong version number", "packet length too long", "record layer failure"]) {
        return TlsFault::Plain("its answer is not TLS".into());
    }
    // OpenSSL's words for alerts of a server that does not like what the client shows.
    if says(&["alert certificate required", "alert bad certificate", "alert unknown ca", "alert certificate"])
    {
        return TlsFault::Refused(reason.to_owned());
    }
    let told = verdict(setup).and_then(|verdict| TlsFault::of_openssl(verdict, &tls.server_name));
    told.unwrap_or_else(|| TlsFault::Handshake(reason.to_owned()))
}

/// A client that connects only to learn what OpenSSL thinks of the certificate.
#[derive(Default)]
struct Witness {
    health: Health,
    /// 0 as long as it thinks well of it.
    verdict: AtomicI32,
}

impl ClientContext for Witness {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.note(&error, reason);
    }
}

/// Why OpenSSL does not like the server's certificate; `None` where it does, or does not come to it.
fn verdict(setup: &ClientSetup) -> Option<i32> {
    let config = client::config(setup);
    let native = config.create_native_config().ok()?;
    // SAFETY: the configuration is alive, and the function has the type that is asked for.
    unsafe { sys::rd_kafka_conf_set_ssl_cert_verify_cb(native.ptr(), Some(verified)) };
    let client = Client::new(&config, native, RD_KAFKA_PRODUCER, Witness::default()).ok()?;
    let until = Instant::now() + PATIENCE;
    let witness = client.context();
    while witness.verdict.load(Ordering::SeqCst) == 0 && !witness.health.is_down() && Instant::now() < until {
        // SAFETY: the client is alive.
        unsafe { sys::rd_kafka_poll(client.native_ptr(), client::milliseconds(POLL)) };
    }
    Some(witness.verdict.load(Ordering::SeqCst)).filter(|code| *code != 0)
}

/// A certificate of a chain was looked at: `error` is OpenSSL's opinion, which stands.
unsafe extern "C" fn verified(
    _client: *mut rd_kafka_t,
    _broker: *const c_char,
    _broker_id: i32,
    error: *mut c_int,
    _depth: c_int,
    _certificate: *const c_char,
    _certificate_bytes: usize,
    _problem: *mut c_char,
    _problem_bytes: usize,
    witness: *mut c_void,
) -> c_int {
    // SAFETY: the library lends the number for this call; the other pointer is the context of the client, which outlives it.
    let (error, witness) = unsafe { (*error, &*witness.cast::<Witness>()) };
    if error != 0 {
        let _ = witness.verdict.compare_exchange(0, error, Ordering::SeqCst, Ordering::SeqCst);
    }
    c_int::from(error == 0)
}
