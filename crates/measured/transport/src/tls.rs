//! What a client needs for TLS, what can go wrong with it, and how a server is known that speaks it where none is expected.
//!
//! Nothing here needs a library: clients encrypt with their own, where they are compiled with the cargo feature `tls`.

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
    /// Whose signature makes a server's certificate good.
    pub trust: Trust,
    /// The name, or IP address, that the certificate has to be for; a name is also told to the server (SNI).
    pub server_name: String,
    /// What the client shows where the server asks for it; `None` for nothing.
    pub identity: Option<Identity>,
    /// A key that both sides know beforehand, in place of certificates; of DTLS alone.
    pub psk: Option<Psk>,
    /// What an authority says of all that take part; of DDS Security alone.
    pub documents: Option<Documents>,
    /// The oldest version that is good enough; `None` for TLS 1.2.
    pub least: Option<TlsVersion>,
    /// Whether each client connects once before the connection that counts, which then resumes what the first agreed.
    pub resumes: bool,
    /// The file to which keys are added, in the form of NSS (SSLKEYLOGFILE); `None` for none.
    pub key_log: Option<PathBuf>,
    /// Which version was agreed, written by a client that knows.
    pub agreed: Agreed,
}

/// Whose signature makes a certificate good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The system's authorities.
    System,
    /// Those of a file of certificates in PEM form, and no others.
    File(PathBuf),
}

/// A certificate and its key, files in PEM form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, and those between it and an authority's.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// Files that the trusted authority has signed (DDS Security 1.1, sections 9.4.1.2 and 9.4.1.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// What is protected, and how.
    pub governance: PathBuf,
    /// Who may publish and subscribe to which topics.
    pub permissions: PathBuf,
}

/// A key that both sides know beforehand.
#[derive(Clone, PartialEq, Eq)]
pub struct Psk {
    /// How the client calls it.
    pub identity: String,
    /// The key; it stands in no log, no error and no result.
    pub key: Vec<u8>,
}

impl fmt::Debug for Psk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Psk").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// With what a server encrypts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTls {
    /// What it shows; `None` where a key is known beforehand.
    pub identity: Option<Identity>,
    /// The file of authorities one of which has to have signed a client's certificate; `None` where clients need none.
    pub clients: Option<PathBuf>,
    /// A key that both sides know beforehand.
    pub psk: Option<Psk>,
}

/// What was agreed, once it is; shared by the clones of a setup.
#[derive(Debug, Clone, Default)]
pub struct Agreed(Arc<Noted>);

#[derive(Debug, Default)]
struct Noted {
    version: OnceLock<TlsVersion>,
    handshake: Mutex<Option<Handshake>>,
    fault: OnceLock<TlsFault>,
}

impl Agreed {
    /// Notes it. The first connection's counts: others of one client have the same terms.
    pub fn note(&self, version: TlsVersion) {
        let _ = self.0.version.set(version);
    }

    /// The version; `None` before a handshake, and where the library does not tell.
    pub fn version(&self) -> Option<TlsVersion> {
        self.0.version.get().copied()
    }

    /// Notes a handshake; the first one's counts.
    pub fn note_handshake(&self, handshake: Handshake) {
        self.0.handshake.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(handshake);
    }

    /// Notes how many bytes the first handshake took: sent and received.
    pub fn note_bytes(&self, sent: u64, received: u64) {
        if let Some(handshake) = &mut *self.0.handshake.lock().unwrap_or_else(PoisonError::into_inner) {
            handshake.sent_bytes.get_or_insert(sent);
            handshake.received_bytes.get_or_insert(received);
        }
    }

    /// Notes why a connection ended after its handshake; the first reason counts.
    pub fn note_fault(&self, fault: TlsFault) {
        let _ = self.0.fault.set(fault);
    }

    /// The first handshake; `None` before it, and where the library does not tell.
    pub fn handshake(&self) -> Option<Handshake> {
        *self.0.handshake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tls {
    /// With a server whose certificate is for this name; the client shows none, and resumes nothing.
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

    /// The host under which a library shall look for the endpoint that takes the server's name from it: the name, where that
    /// leads to the endpoint, else its address.
    pub fn host(&self, endpoint: SocketAddr) -> String {
        let leads = (self.server_name.as_str(), endpoint.port()).to_socket_addrs();
        match leads.is_ok_and(|mut all| all.any(|address| address == endpoint)) {
            true => self.server_name.clone(),
            false => endpoint.ip().to_string(),
        }
    }
}

/// Why there is no TLS with a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsFault {
    /// The client has none.
    #[error("it was compiled without TLS: build the runner again with TLS")]
    NotCompiled,
    /// The protocol has none here.
    #[error("this protocol has no TLS here: ask for a connection in the clear")]
    Never,
    /// The file with the authorities can't be used.
    #[error("the CA file {} {reason}; name a file with the CA's certificate in PEM form", path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The certificate of this side, or its key, can't be used.
    #[error("the certificate {} with its key {} can't be used: {reason}; name files in PEM form", identity.certificate.display(), identity.key.display())]
    Identity {
        /// The files.
        identity: Identity,
        /// What is wrong with them.
        reason: String,
    },
    /// The file for keys.
    #[error("keys can't be written to {}: {reason}", path.display())]
    KeyLog {
        /// The file.
        path: PathBuf,
        /// What the system said, or why the client has none to write.
        reason: String,
    },
    /// The server refuses the client: its certificate is missing, or not good.
    #[error(
        "the server refuses this client's certificate: {0}; is it signed by an authority that the server trusts, and still valid?"
    )]
    Refused(String),
    /// The system has no authorities.
    #[error("this machine has no certificate authorities ({0}): install ca-certificates, or name a CA file")]
    NoAuthorities(String),
    /// No name that a certificate could be for.
    #[error("`{0}` is neither a server name nor an IP address")]
    Name(String),
    /// The client finds its server by the name, and would find another one.
    #[error("`{0}` does not resolve to this address here, and this client finds its server by that name")]
    Elsewhere(String),
    /// Nobody who is trusted has signed the certificate.
    #[error(
        "its certificate is not signed by a CA that is trusted here (unknown CA): if it is the right server, trust its CA with a \
         CA file (for a broker by address, WIREDYNO_BROKER_CA_FILE)"
    )]
    UnknownAuthority,
    /// It was good once.
    #[error("its certificate has expired{0}: renew it, or check this machine's clock")]
    Expired(String),
    /// It will be good.
    #[error("its certificate is not valid yet{0}: check the clocks of both machines")]
    NotYet(String),
    /// It is for another server.
    #[error("its certificate is not for `{name}`{presented}: use an address with a name that it covers")]
    WrongName {
        /// The name that was asked for.
        name: String,
        /// Those that it is for, in words; empty where the library does not tell.
        presented: String,
    },
    /// It is no good for another reason.
    #[error("its certificate is not valid: {0}")]
    Certificate(String),
    /// The server does not speak TLS.
    #[error("it does not seem to speak TLS ({0}): use its TLS port, or an address without TLS")]
    Plain(String),
    /// A part of the client's library that the machine does not have.
    #[error("{} is missing, a part of its library: install {package} with it", path.display())]
    Plugin {
        /// The file that was looked for.
        path: PathBuf,
        /// The package that has it.
        package: &'static str,
    },
    /// The documents don't allow what the client is for.
    #[error(
        "its permissions don't cover the topic `{topic}` ({reason}): name it in the permissions, signed by the authority"
    )]
    Permission {
        /// The topic.
        topic: String,
        /// What the library said.
        reason: String,
    },
    /// Too few of those who should be there have proved in time who they are, and that they may be.
    #[error("{found} of {wanted} subscribers of `{topic}` proved in time who they are: {reason}")]
    Unproved {
        /// The topic.
        topic: String,
        /// How many did.
        found: u32,
        /// How many there should be.
        wanted: u32,
        /// What the library said last, or what may be.
        reason: String,
    },
    /// The server speaks TLS, and was spoken to without.
    #[error(
        "it speaks TLS, but was addressed without: use an address with TLS (such as mqtts://, amqps://, ssl://)"
    )]
    Unexpected,
    /// The server refused the handshake, or both agree on nothing.
    #[error("the handshake failed: {0}")]
    Handshake(String),
}

impl TlsFault {
    /// What OpenSSL's verdict on a certificate means (`openssl/x509_vfy.h`, X509_V_ERR_*); `None` where it has none against it.
    pub fn of_openssl(verdict: i32, server_name: &str) -> Option<Self> {
        Some(match verdict {
            0 => return None,
            2 | 18..=21 => TlsFault::UnknownAuthority,
            9 => TlsFault::NotYet(String::new()),
            10 => TlsFault::Expired(String::new()),
            62 | 64 => TlsFault::WrongName { name: server_name.to_owned(), presented: String::new() },
            code => TlsFault::Certificate(format!("OpenSSL refuses it with {code} (X509_V_ERR_*)")),
        })
    }
}

/// Cipher suites of TLS 1.2 that servers have for certificates of both kinds (RFC 5289, section 3): ECDHE with ECDSA or RSA, AES in GCM.
const SUITES: [u8; 8] = [0xc0, 0x2b, 0xc0, 0x2c, 0xc0, 0x2f, 0xc0, 0x30];

/// Extensions of ClientHello, each as type and content: supported_groups (x25519, secp256r1), ec_point_formats (uncompressed; both
/// RFC 8422, section 5.1) and signature_algorithms (ECDSA and RSA with SHA-256 to SHA-512; RFC 8446, section 4.2.3).
const EXTENSIONS: [(u8, &[u8]); 3] = [
    (10, &[0, 4, 0, 0x1d, 0, 0x17]),
    (11, &[1, 0]),
    (13, &[0, 16, 4, 3, 5, 3, 6, 3, 8, 4, 8, 5, 8, 6, 4, 1, 5, 1]),
];

/// A ClientHello that servers of TLS 1.2 take, and those of 1.3 alone refuse in TLS: a random of zeros, no session, no compression
/// (RFC 5246, section 7.4.1.2).
fn hello() -> Vec<u8> {
    let sized = |content: &[u8]| [&[0, content.len() as u8], content].concat();
    let extensions: Vec<u8> =
        EXTENSIONS.iter().flat_map(|(kind, content)| [vec![0, *kind], sized(content)].concat()).collect();
    let body = [&[3, 3][..], &[0; 32], &[0], &sized(&SUITES), &[1, 0], &sized(&extensions)].concat();
    // Of client_hello the length has three bytes; records of a first flight are of version 1.0 (section E.1).
    let message = [&[1, 0][..], &sized(&body)].concat();
    [&[0x16, 3, 1][..], &sized(&message)].concat()
}

/// Types of the records that answer it: alert and handshake (RFC 5246, 6.2.1).
const ANSWERS: [u8; 2] = [0x15, 0x16];

/// The longest that is waited for an answer.
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
    // The second byte is the version's first: 3 in every version.
    asked().is_ok_and(|[kind, major]| ANSWERS.contains(&kind) && major == 3)
}

/// What an error of a client has to do with TLS, where it has: it comes from a server that speaks it and was spoken to without, or
/// that has refused the client behind the handshake.
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
