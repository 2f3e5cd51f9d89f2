//! Measures a client's handshake through the library's own hooks: the library asks for a session to resume when a handshake begins,
//! and reports the first application key once it has verified the server's Finished. This also works for clients that give no
//! access to their connection.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_rustls::rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{KeyLog, NamedGroup};
use wiredyno_contract::{Handshake, TlsVersion};
use wiredyno_transport::clock::{now_ns, thread_cpu_ns};
use wiredyno_transport::tls::{Agreed, TlsFault};

/// Label of the first key with which a client encrypts after a TLS 1.3 handshake, in NSS key logs.
const FINISHED: &str = "CLIENT_TRAFFIC_SECRET_0";

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Observes the handshakes of one client.
#[derive(Debug)]
pub(crate) struct Witness {
    agreed: Agreed,
    /// Whether handshakes are recorded: that of the connection made to get a session is not.
    counts: AtomicBool,
    begun: Mutex<Option<(i64, u64)>>,
    /// The client had a session to resume; next, whether a certificate was verified nevertheless.
    offered: AtomicBool,
    verified: AtomicBool,
    /// Sessions that can be resumed; `None` if the client must not.
    sessions: Option<Mutex<Vec<Tls13ClientSessionValue>>>,
    keys: Option<Mutex<File>>,
}

impl Witness {
    /// `resumes` keeps sessions for resumption; `key_log` is the file to which keys are appended.
    ///
    /// # Errors
    /// When the key log can't be opened.
    pub fn new(agreed: Agreed, resumes: bool, key_log: Option<&Path>) -> Result<Self, TlsFault> {
        let keys = key_log.map(|path| {
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
            file.map(Mutex::new)
                .map_err(|error| TlsFault::KeyLog { path: path.to_owned(), reason: error.to_string() })
        });
        Ok(Witness {
            agreed,
            counts: AtomicBool::new(true),
            begun: Mutex::default(),
            offered: AtomicBool::new(false),
            verified: AtomicBool::new(false),
            sessions: resumes.then(Mutex::default),
            keys: keys.transpose()?,
        })
    }

    /// Sets whether handshakes are recorded from now on.
    pub fn count(&self, counts: bool) {
        self.counts.store(counts, Ordering::SeqCst);
    }

    /// Whether a session is available to resume.
    pub fn has_session(&self) -> bool {
        self.sessions.as_ref().is_some_and(|sessions| !locked(sessions).is_empty())
    }

    /// Records that a certificate's signature was verified in this version.
    pub fn saw(&self, version: TlsVersion) {
        self.verified.store(true, Ordering::SeqCst);
        self.agreed.note(version);
    }

    fn begin(&self) {
        self.verified.store(false, Ordering::SeqCst);
        *locked(&self.begun) = Some((now_ns(), thread_cpu_ns()));
    }

    fn end(&self) {
        let begun = locked(&self.begun).take();
        let Some((begun_ns, cpu_ns)) = begun.filter(|_| self.counts.load(Ordering::SeqCst)) else { return };
        // A resumed session shows no certificate (RFC 8446, section 2.2), so `saw` has not recorded the version.
        self.agreed.note(TlsVersion::Tls13);
        self.agreed.note_handshake(Handshake {
            took_ns: (now_ns() - begun_ns).unsigned_abs(),
            cpu_ns: Some(thread_cpu_ns().saturating_sub(cpu_ns)),
            sent_bytes: None,
            received_bytes: None,
            resumed: self.offered.load(Ordering::SeqCst) && !self.verified.load(Ordering::SeqCst),
        });
    }
}

impl KeyLog for Witness {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        if label == FINISHED {
            self.end();
        }
        if let Some(keys) = &self.keys {
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let line = format!("{label} {} {}\n", hex(client_random), hex(secret));
            // Written at once, so that lines of several clients don't mix. A full disk costs the keys, not the trial.
            let _ = locked(keys).write_all(line.as_bytes());
        }
    }

    fn will_log(&self, label: &str) -> bool {
        label == FINISHED || self.keys.is_some()
    }
}

impl ClientSessionStore for Witness {
    fn set_kx_hint(&self, _server: ServerName<'static>, _group: NamedGroup) {}

    fn kx_hint(&self, _server: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    // Sessions of TLS 1.2 are not resumed.
    fn set_tls12_session(&self, _server: ServerName<'static>, _session: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _server: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _server: &ServerName<'static>) {}

    // A client has only one server, whatever name its library uses.
    fn insert_tls13_ticket(&self, _server: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        if let Some(sessions) = &self.sessions {
            locked(sessions).push(ticket);
        }
    }

    fn take_tls13_ticket(&self, _server: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.begin();
        let ticket = self.sessions.as_ref().and_then(|sessions| locked(sessions).pop());
        self.offered.store(ticket.is_some(), Ordering::SeqCst);
        ticket
    }
}
