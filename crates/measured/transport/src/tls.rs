//! What a client needs for TLS, what can go wrong, and how to detect a server that unexpectedly speaks TLS.
//!
//! No library is needed here: clients encrypt with their own, if compiled with the cargo feature `tls`.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use wiredyno_contract::{Handshake, TlsVersion};

use crate::{ClientSetup, ConnectError};

/// How a connection is encrypted.
#[derive(Debug, Clone)]
pub struct Tls {
    /// The authorities that the client trusts.
    pub trust: Trust,
    /// The name or IP address that the certificate must cover; a name is also sent to the server (SNI).
    pub server_name: String,
    /// The certificate that the client presents if asked; `None` for none.
    pub identity: Option<Identity>,
    /// A key that both sides know in advance, instead of certificates; only for DTLS.
    pub psk: Option<Psk>,
    /// The authority's signed documents about participants; only for DDS Security.
    pub documents: Option<Documents>,
    /// The oldest version that is accepted; `None` for TLS 1.2.
    pub least: Option<TlsVersion>,
    /// Whether each client connects once before the measured connection, which then resumes that session.
    pub resumes: bool,
    /// File to which keys are appended, in NSS key log format (SSLKEYLOGFILE); `None` for none.
    pub key_log: Option<PathBuf>,
    /// The negotiated version, recorded by clients that know it.
    pub agreed: Agreed,
}

/// The authorities that a client trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The operating system's certificate authorities.
    System,
    /// Only those in a file of certificates in PEM form.
    File(PathBuf),
}

/// A certificate and its private key, as files in PEM form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, with any intermediate ones.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
}

/// Files signed by the trusted authority (DDS Security 1.1, sections 9.4.1.2 and 9.4.1.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// What is protected, and how.
    pub governance: PathBuf,
    /// Who may publish and subscribe to which topics.
    pub permissions: PathBuf,
}

/// A key that both sides know in advance.
#[derive(Clone, PartialEq, Eq)]
pub struct Psk {
    /// The name by which the client refers to it.
    pub identity: String,
    /// The key; it appears in no log, error or result.
    pub key: Vec<u8>,
}

impl fmt::Debug for Psk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Psk").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// How a server encrypts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTls {
    /// The certificate that it presents; `None` with a pre-shared key.
    pub identity: Option<Identity>,
    /// File of authorities that client certificates must be signed by; `None` if clients need no certificate.
    pub clients: Option<PathBuf>,
    /// A key that both sides know in advance.
    pub psk: Option<Psk>,
}

/// What was negotiated, once known; the clones of a setup share it.
#[derive(Debug, Clone, Default)]
pub struct Agreed(Arc<Noted>);

#[derive(Debug, Default)]
struct Noted {
    version: OnceLock<TlsVersion>,
    handshake: Mutex<Option<Handshake>>,
    fault: OnceLock<TlsFault>,
}

impl Agreed {
    /// Records the version. The first connection's counts: other connections of the client have the same terms.
    pub fn note(&self, version: TlsVersion) {
        let _ = self.0.version.set(version);
    }

    /// The version; `None` before a handshake, or if the library does not report it.
    pub fn version(&self) -> Option<TlsVersion> {
        self.0.version.get().copied()
    }

    /// Records a handshake; only the first counts.
    pub fn note_handshake(&self, handshake: Handshake) {
        self.0.handshake.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(handshake);
    }

    /// Records how many bytes the first handshake took: sent and received.
    pub fn note_bytes(&self, sent: u64, received: u64) {
        if let Some(handshake) = &mut *self.0.handshake.lock().unwrap_or_else(PoisonError::into_inner) {
            handshake.sent_bytes.get_or_insert(sent);
            handshake.received_bytes.get_or_insert(received);
        }
    }

    /// Records why a connection ended after its handshake; only the first reason counts.
    pub fn note_fault(&self, fault: TlsFault) {
        let _ = self.0.fault.set(fault);
    }

    /// The first handshake; `None` before it, or if the library does not report it.
    pub fn handshake(&self) -> Option<Handshake> {
        *self.0.handshake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tls {
    /// For a server whose certificate covers this name; the client presents no certificate and resumes nothing.
    pub fn new(trust: Trust, server_name: impl Into<String>) -> Self {
        Tls {
            trust,
            server_name: server_name.into(),
            identity: None,
            psk: None,
            documents: None,
            least: None,
            resumes: false,
            key_log: None,
            agreed: Agreed::default(),
        }
    }

    /// The host to give to a library that derives the server's name from it: the name if it resolves to the endpoint, else the
    /// endpoint's address.
    pub fn host(&self, endpoint: SocketAddr) -> String {
        let leads = (self.server_name.as_str(), endpoint.port()).to_socket_addrs();
        match leads.is_ok_and(|mut all| all.any(|address| address == endpoint)) {
            true => self.server_name.clone(),
            false => endpoint.ip().to_string(),
        }
    }
}

/// Why no TLS connection was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsFault {
    /// This client was compiled without TLS.
    #[error("it was compiled without TLS: build the runner again with TLS")]
    NotCompiled,
    /// The protocol has no TLS in Wiredyno.
    #[error("this protocol has no TLS here: ask for a connection in the clear")]
    Never,
    /// The file of authorities can't be used.
    #[error("the CA file {} {reason}; name a file with the CA's certificate in PEM form", path.display())]
    CaFile {
        /// The file, as it was named.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// This side's certificate or key can't be used.
    #[error("the certificate {} with its key {} can't be used: {reason}; name files in PEM form", identity.certificate.display(), identity.key.display())]
    Identity {
        /// The files, as they were named.
        identity: Identity,
        /// What is wrong with them.
        reason: String,
    },
    /// The key log can't be written.
    #[error("keys can't be written to {}: {reason}", path.display())]
    KeyLog {
        /// The file, as it was named.
        path: PathBuf,
        /// The operating system's error, or why this client can't write keys.
        reason: String,
    },
    /// The server rejects the client: its certificate is missing or invalid.
    #[error(
        "the server refuses this client's certificate: {0}; is it signed by an authority that the server trusts, and still valid?"
    )]
    Refused(String),
    /// The system has no authorities; with the reason.
    #[error("this machine has no certificate authorities ({0}): install ca-certificates, or name a CA file")]
    NoAuthorities(String),
    /// The name can't be that of a certificate.
    #[error("`{0}` is neither a server name nor an IP address")]
    Name(String),
    /// The client finds its server by name, and would find a different one.
    #[error("`{0}` does not resolve to this address here, and this client finds its server by that name")]
    Elsewhere(String),
    /// No trusted authority has signed the certificate.
    #[error(
        "its certificate is not signed by a CA that is trusted here (unknown CA): if it is the right server, trust its CA with a \
         CA file (for a broker by address, WIREDYNO_BROKER_CA_FILE)"
    )]
    UnknownAuthority,
    /// The certificate has expired; with when, as text.
    #[error("its certificate has expired{0}: renew it, or check this machine's clock")]
    Expired(String),
    /// The certificate is not valid yet; with from when, as text.
    #[error("its certificate is not valid yet{0}: check the clocks of both machines")]
    NotYet(String),
    /// The certificate belongs to another server.
    #[error("its certificate is not for `{name}`{presented}: use an address with a name that it covers")]
    WrongName {
        /// The name that was requested.
        name: String,
        /// The names that it covers, as text; empty if the library does not report them.
        presented: String,
    },
    /// The certificate is invalid for another reason.
    #[error("its certificate is not valid: {0}")]
    Certificate(String),
    /// The server does not speak TLS.
    #[error("it does not seem to speak TLS ({0}): use its TLS port, or an address without TLS")]
    Plain(String),
    /// A part of the client's library is missing on this machine.
    #[error("{} is missing, a part of its library: install {package} with it", path.display())]
    Plugin {
        /// The file that was looked for.
        path: PathBuf,
        /// The package that contains it.
        package: &'static str,
    },
    /// The permissions don't cover what the client does.
    #[error(
        "its permissions don't cover the topic `{topic}` ({reason}): name it in the permissions, signed by the authority"
    )]
    Permission {
        /// The topic that is not covered.
        topic: String,
        /// What the library said about it.
        reason: String,
    },
    /// Too few subscribers were authenticated and authorised in time.
    #[error("{found} of {wanted} subscribers of `{topic}` were authenticated in time: {reason}")]
    Unproved {
        /// The topic whose subscribers are missing.
        topic: String,
        /// How many were authenticated in time.
        found: u32,
        /// How many the setup asks for.
        wanted: u32,
        /// The library's last error, or a possible cause.
        reason: String,
    },
    /// The server speaks TLS, but the client connected without it.
    #[error(
        "it speaks TLS, but was addressed without: use an address with TLS (such as mqtts://, amqps://, ssl://)"
    )]
    Unexpected,
    /// The server refused the handshake, or both sides have no common version or cipher.
    #[error("the handshake failed: {0}")]
    Handshake(String),
}

impl TlsFault {
    /// The meaning of OpenSSL's verdict on a certificate (`openssl/x509_vfy.h`, X509_V_ERR_*); `None` if it has no objection.
    pub fn of_openssl(verdict: i32, server_name: &str) -> Option<Self> {
        Some(match verdict {
            0 => return None,
            2 | 18..=21 => TlsFault::UnknownAuthority,
            9 => TlsFault::NotYet(String::new()),
            10 => TlsFault::Expired(String::new()),
            62 | 64 => TlsFault::WrongName { name: server_name.to_owned(), presented: String::new() },
            code => TlsFault::Certificate(format!("OpenSSL rejects it with {code} (X509_V_ERR_*)")),
        })
    }
}

/// Cipher suites of TLS 1.2 that servers support for both kinds of certificate (RFC 5289, section 3): ECDHE with ECDSA or RSA, AES in
/// GCM.
const SUITES: [u8; 8] = [0xc0, 0x2b, 0xc0, 0x2c, 0xc0, 0x2f, 0xc0, 0x30];

/// Extensions of ClientHello, each as type and content: supported_groups (x25519, secp256r1), ec_point_formats (uncompressed; both
/// RFC 8422, section 5.1) and signature_algorithms (ECDSA and RSA with SHA-256 to SHA-512; RFC 8446, section 4.2.3).
const EXTENSIONS: [(u8, &[u8]); 3] = [
    (10, &[0, 4, 0, 0x1d, 0, 0x17]),
    (11, &[1, 0]),
    (13, &[0, 16, 4, 3, 5, 3, 6, 3, 8, 4, 8, 5, 8, 6, 4, 1, 5, 1]),
];

/// A ClientHello that servers of TLS 1.2 accept and those of 1.3 alone reject with a TLS alert: a random of zeros, no session, no
/// compression (RFC 5246, section 7.4.1.2).
fn hello() -> Vec<u8> {
    let sized = |content: &[u8]| [&[0, content.len() as u8], content].concat();
    let extensions: Vec<u8> =
        EXTENSIONS.iter().flat_map(|(kind, content)| [vec![0, *kind], sized(content)].concat()).collect();
    let body = [&[3, 3][..], &[0; 32], &[0], &sized(&SUITES), &[1, 0], &sized(&extensions)].concat();
    // A client_hello's length has three bytes; records of the first flight have version 1.0 (section E.1).
    let message = [&[1, 0][..], &sized(&body)].concat();
    [&[0x16, 3, 1][..], &sized(&message)].concat()
}

/// Types of the records that answer it: alert and handshake (RFC 5246, 6.2.1).
const ANSWERS: [u8; 2] = [0x15, 0x16];

/// Time limit for the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a server answers in TLS.
pub fn speaks_tls(endpoint: SocketAddr) -> bool {
    let asked = || -> io::Result<[u8; 2]> {
        let until = Instant::now() + PATIENCE;
        let mut stream = TcpStream::connect_timeout(&endpoint, PATIENCE)?;
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(left))?;
        stream.write_all(&hello())?;
        let mut answer = [0; 2];
        stream.read_exact(&mut answer)?;
        Ok(answer)
    };
    // The second byte is the major version: 3 in every version.
    asked().is_ok_and(|[kind, major]| ANSWERS.contains(&kind) && major == 3)
}

/// Replaces a client's error by its TLS cause, if there is one: the server speaks TLS and was addressed without it, or it rejected the
/// client after the handshake.
pub fn explained(error: ConnectError, setup: &ClientSetup) -> ConnectError {
    let refused = setup.tls.as_ref().and_then(|tls| tls.agreed.0.fault.get());
    if let (Some(fault), false) = (refused, matches!(error, ConnectError::Tls { .. })) {
        let (transport, endpoint) = (error.transport(), setup.endpoint);
        return ConnectError::Tls { transport, endpoint, fault: fault.clone() };
    }
    let (transport, endpoint) = match (&setup.tls, &error) {
        (
            None,
            ConnectError::Unreachable { transport, endpoint, .. }
            | ConnectError::Silent { transport, endpoint, .. },
        ) => (*transport, *endpoint),
        _ => return error,
    };
    match speaks_tls(endpoint) {
        true => ConnectError::Tls { transport, endpoint, fault: TlsFault::Unexpected },
        false => error,
    }
}
