//! What a client's handshake takes, from the library's own hooks: it asks for a session to resume when it begins one, and tells
//! the key of what follows when it has found the server's Finished good. So it is known alike of clients that keep their connection
//! to themselves.

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

/// The label of the first key of what a client sends after a handshake of TLS 1.3, in the key log of NSS.
const FINISHED: &str = "CLIENT_TRAFFIC_SECRET_0";

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sees one client's handshakes.
#[derive(Debug)]
pub(crate) struct Witness {
    agreed: Agreed,
    /// Whether what it sees counts: the connection before one that resumes does not.
    counts: AtomicBool,
    begun: Mutex<Option<(i64, u64)>>,
    /// A session was there to resume, and a certificate was looked at all the same.
    offered: AtomicBool,
    verified: AtomicBool,
    /// What may be resumed; `None` for nothing.
    sessions: Option<Mutex<Vec<Tls13ClientSessionValue>>>,
    keys: Option<Mutex<File>>,
}

impl Witness {
    /// Of a client that may resume, or not, and writes its keys to a file, or not.
    ///
    /// # Errors
    /// When the file can't be written.
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

    /// Whether handshakes from now on count.
    pub fn count(&self, counts: bool) {
        self.counts.store(counts, Ordering::SeqCst);
    }

    /// Whether there is a session to resume.
    pub fn has_session(&self) -> bool {
        self.sessions.as_ref().is_some_and(|sessions| !locked(sessions).is_empty())
    }

    /// A certificate's signature was looked at under this version.
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
        // Where a session is resumed no certificate is shown (RFC 8446, section 2.2).
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
            // Written at once: lines of several clients stay whole. A file that is full costs the keys, not the trial.
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

    // A client has one server, by whatever name its library looks for it.
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
