//! TLS by librdkafka and the machine's OpenSSL. The cause of a failure is determined on a separate connection: the library reports that
//! a certificate could not be verified, and gives the reason only to a verification callback.

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

/// The setting for the file of authorities; the library's errors name it too.
const CA_FILE: &str = "ssl.ca.location";

/// Time limit for determining the cause.
const PATIENCE: Duration = Duration::from_secs(5);

/// Rejects what the library would misunderstand or silently ignore.
///
/// # Errors
/// When TLS is not compiled in, the file of authorities can't be read, or the server's name leads elsewhere.
pub fn check(setup: &ClientSetup) -> Result<(), ConnectError> {
    let Some(tls) = &setup.tls else { return Ok(()) };
    if cfg!(not(feature = "tls")) {
        return Err(refused(setup, TlsFault::NotCompiled));
    }
    // Only the library has access to OpenSSL's connections.
    let lacks = |what: &str| Err(refused(setup, TlsFault::Handshake(format!("the client library {what}"))));
    if tls.resumes {
        return lacks("can't be told to resume a session: leave resumption out for Kafka");
    }
    if let Some(path) = &tls.key_log {
        let reason = "the client library (librdkafka) does not export its keys".to_owned();
        return Err(refused(setup, TlsFault::KeyLog { path: path.clone(), reason }));
    }
    // It would use the address as the name, and verify that.
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

/// Sets where clients connect, and how they encrypt. The server name applies to the first connection: connections to other brokers use
/// their advertised addresses, which the certificates must cover.
pub fn set(config: &mut ClientConfig, setup: &ClientSetup) {
    let Some(tls) = &setup.tls else { return };
    config
        .set("bootstrap.servers", format!("{}:{}", tls.server_name, setup.endpoint.port()))
        // Versions before 2.0 don't verify names by default.
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

/// The name of a client's protocol: with or without TLS, with or without a login.
pub fn protocol(setup: &ClientSetup) -> &'static str {
    match (&setup.tls, &setup.login) {
        (None, None) => "plaintext",
        (None, Some(_)) => "sasl_plaintext",
        (Some(_), None) => "ssl",
        (Some(_), Some(_)) => "sasl_ssl",
    }
}

/// The TLS cause of an encrypted client's error, if there is one.
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

/// The fault behind a failed handshake.
fn fault(reason: &str, setup: &ClientSetup, tls: &Tls) -> TlsFault {
    // The messages of OpenSSL and the library for a server that closes or answers something else.
    let says = |words: &[&str]| words.iter().any(|words| reason.contains(words));
    if says(&["unexpected eof", "Disconnected", "Connection reset"]) {
        return TlsFault::Plain("it closed the connection when greeted in TLS".into());
    }
    if says(&["wrong version number", "packet length too long", "record layer failure"]) {
        return TlsFault::Plain("its answer is not TLS".into());
    }
    // OpenSSL's messages for alerts of a server that rejects the client's certificate.
    if says(&["alert certificate required", "alert bad certificate", "alert unknown ca", "alert certificate"])
    {
        return TlsFault::Refused(reason.to_owned());
    }
    let known = [tls.server_name.clone(), setup.endpoint.ip().to_string()];
    let advertised = asked(reason).filter(|(host, _)| !known.contains(host));
    let name = advertised.as_ref().map_or(tls.server_name.as_str(), |(host, _)| host);
    let told = verdict(setup, advertised.as_ref()).and_then(|verdict| TlsFault::of_openssl(verdict, name));
    told.unwrap_or_else(|| TlsFault::Handshake(reason.to_owned()))
}

/// The host and port of the broker that a reason is about, `ssl://HOST:PORT/...`: after the first connection, those that brokers advertise.
fn asked(reason: &str) -> Option<(String, u16)> {
    let (_, rest) = reason.split_once("ssl://")?;
    let (host, port) = rest.split('/').next()?.rsplit_once(':')?;
    Some((host.trim_matches(['[', ']']).to_owned(), port.parse().ok()?))
}

/// A client that connects only to obtain OpenSSL's verdict on the certificate.
#[derive(Default)]
struct Witness {
    health: Health,
    /// 0 as long as the certificate is valid.
    verdict: AtomicI32,
}

impl ClientContext for Witness {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.note(&error, reason);
    }
}

/// OpenSSL's objection to the certificate of the server, or of one that it advertises; `None` if it has none, or was not asked.
fn verdict(setup: &ClientSetup, advertised: Option<&(String, u16)>) -> Option<i32> {
    let mut config = client::config(setup);
    if let Some((host, port)) = advertised {
        config.set("bootstrap.servers", format!("{host}:{port}"));
    }
    let native = config.create_native_config().ok()?;
    // SAFETY: the configuration is alive, and the function has the required type.
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

/// A certificate of a chain was verified: `error` is OpenSSL's result, which is kept.
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
    // SAFETY: the number is valid during this call; the other pointer is the client's context, which outlives it.
    let (error, witness) = unsafe { (*error, &*witness.cast::<Witness>()) };
    if error != 0 {
        let _ = witness.verdict.compare_exchange(0, error, Ordering::SeqCst, Ordering::SeqCst);
    }
    c_int::from(error == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_broker_that_a_reason_is_about_is_read_from_it() {
        let of = |reason: &str| asked(reason);
        let reason = "ssl://localhost:39291/bootstrap: SSL handshake failed: certificate verify failed";
        assert_eq!(of(reason), Some(("localhost".into(), 39291)));
        assert_eq!(of("at ssl://[::1]:9093/1: Disconnected"), Some(("::1".into(), 9093)));
        assert_eq!(of("the connection is gone"), None);
        assert_eq!(of("ssl://nowhere/"), None);
    }
}
