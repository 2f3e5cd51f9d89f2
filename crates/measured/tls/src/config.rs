//! The rustls configuration of a client and of our own server.

use std::io::{self, Read};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{ClientConnection, ClientSessionStore, Resumption, WebPkiServerVerifier};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{
    ClientConfig, DEFAULT_VERSIONS, DigitallySignedStruct, Error, RootCertStore, ServerConfig,
    SignatureScheme,
};
use wiredyno_contract::TlsVersion;
use wiredyno_transport::Tls;
use wiredyno_transport::tls::{Identity, ServerTls, TlsFault, Trust};

use crate::fault::fault;
use crate::witness::Witness;

/// How long a server may take to offer a resumable session.
const TICKET: Duration = Duration::from_secs(5);

/// Read timeout while waiting for that session.
const STEP: Duration = Duration::from_millis(50);

/// The configuration of one client: it checks the server's certificate against the name in [`Tls`], whatever address the client
/// uses. If the client should resume, this first makes a connection to the endpoint to get a session.
///
/// # Errors
/// When there are no trusted authorities, the name is invalid, a file can't be used, or the server offers no session.
pub fn config(tls: &Tls, endpoint: SocketAddr) -> Result<Arc<ClientConfig>, TlsFault> {
    let provider = Arc::new(ring::default_provider());
    let failed = |error: Error| TlsFault::Handshake(error.to_string());
    let inner =
        WebPkiServerVerifier::builder_with_provider(Arc::new(authorities(&tls.trust)?), provider.clone());
    let inner = inner.build().map_err(|error| TlsFault::NoAuthorities(error.to_string()))?;
    let witness = Arc::new(Witness::new(tls.agreed.clone(), tls.resumes, tls.key_log.as_deref())?);
    let verifier = Verifier { inner, name: name(tls)?, witness: witness.clone() };
    let versions = if tls.least == Some(TlsVersion::Tls13) { &[&TLS13][..] } else { DEFAULT_VERSIONS };
    let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(versions);
    let config = config.map_err(failed)?.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &tls.identity {
        None => config.with_no_client_auth(),
        Some(identity) => {
            let (chain, key) = shown(identity)?;
            config.with_client_auth_cert(chain, key).map_err(|error| unfit(identity, error.to_string()))?
        }
    };
    config.resumption = Resumption::store(witness.clone() as Arc<dyn ClientSessionStore>);
    config.key_log = witness.clone();
    let config = Arc::new(config);
    if tls.resumes {
        witness.count(false);
        lay_before(&config, &witness, tls, endpoint)?;
        witness.count(true);
    }
    Ok(config)
}

/// The configuration of a server, shared by its connections.
pub type Server = Arc<ServerConfig>;

/// The configuration of our own server, for TLS 1.3 alone.
///
/// # Errors
/// When a file can't be used.
pub fn server(tls: &ServerTls) -> Result<Server, TlsFault> {
    let Some(identity) = &tls.identity else {
        return Err(TlsFault::Handshake("a TLS server needs a certificate".into()));
    };
    let provider = Arc::new(ring::default_provider());
    let failed = |error: Error| TlsFault::Handshake(error.to_string());
    let config = ServerConfig::builder_with_provider(provider.clone());
    let config = config.with_protocol_versions(&[&TLS13]).map_err(failed)?;
    let config = match &tls.clients {
        None => config.with_no_client_auth(),
        Some(path) => {
            let authorities = Arc::new(authorities(&Trust::File(path.clone()))?);
            let verifier = WebPkiClientVerifier::builder_with_provider(authorities, provider).build();
            config.with_client_cert_verifier(
                verifier.map_err(|error| TlsFault::NoAuthorities(error.to_string()))?,
            )
        }
    };
    let (chain, key) = shown(identity)?;
    let config = config.with_single_cert(chain, key);
    Ok(Arc::new(config.map_err(|error| unfit(identity, error.to_string()))?))
}

/// Makes the connection whose session is resumed later; it ends when the server has offered one.
fn lay_before(
    config: &Arc<ClientConfig>,
    witness: &Witness,
    tls: &Tls,
    endpoint: SocketAddr,
) -> Result<(), TlsFault> {
    let until = Instant::now() + TICKET;
    let talk = || -> io::Result<()> {
        let name = name(tls).map_err(io::Error::other)?;
        let mut connection = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        let mut stream = TcpStream::connect_timeout(&endpoint, TICKET)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TICKET))?;
        connection.complete_io(&mut stream)?;
        stream.set_read_timeout(Some(STEP))?;
        while !witness.has_session() && Instant::now() < until {
            match connection.read_tls(&mut stream) {
                Ok(0) => break,
                Ok(_) => {
                    let state = connection.process_new_packets().map_err(io::Error::other)?;
                    let mut said = vec![0; state.plaintext_bytes_to_read()];
                    connection.reader().read_exact(&mut said)?;
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(error) => return Err(error),
            }
        }
        connection.send_close_notify();
        connection.write_tls(&mut stream).map(drop)
    };
    let told = |error: io::Error| {
        fault(&error, &tls.server_name).unwrap_or_else(|| TlsFault::Handshake(error.to_string()))
    };
    talk().map_err(told)?;
    if witness.has_session() {
        return Ok(());
    }
    let reason = "the server offers no session to resume: leave resumption out, or use another server";
    Err(TlsFault::Handshake(reason.into()))
}

/// Reads a certificate chain and its key.
fn shown(identity: &Identity) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsFault> {
    let chain = certificates(&identity.certificate).map_err(|fault| match fault {
        TlsFault::CaFile { path, reason } => unfit(identity, format!("{} {reason}", path.display())),
        other => other,
    })?;
    let key = PrivateKeyDer::from_pem_file(&identity.key)
        .map_err(|error| unfit(identity, format!("{}: {error}", identity.key.display())))?;
    Ok((chain, key))
}

fn unfit(identity: &Identity, reason: String) -> TlsFault {
    TlsFault::Identity { identity: identity.clone(), reason }
}

/// The server's name in the library's type.
pub(crate) fn name(tls: &Tls) -> Result<ServerName<'static>, TlsFault> {
    ServerName::try_from(tls.server_name.clone()).map_err(|_| TlsFault::Name(tls.server_name.clone()))
}

fn authorities(trust: &Trust) -> Result<RootCertStore, TlsFault> {
    let mut store = RootCertStore::empty();
    match trust {
        Trust::File(path) => {
            for certificate in certificates(path)? {
                let unfit = |error: Error| {
                    ca_file(path, format!("contains something other than a certificate: {error}"))
                };
                store.add(certificate).map_err(unfit)?;
            }
        }
        Trust::System => {
            let found = rustls_native_certs::load_native_certs();
            // Some systems include certificates that this library can't parse: the others still count.
            store.add_parsable_certificates(found.certs);
            if store.is_empty() {
                let first = found.errors.first().map(ToString::to_string);
                return Err(TlsFault::NoAuthorities(first.unwrap_or_else(|| "none were found".into())));
            }
        }
    }
    Ok(store)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFault> {
    let unreadable = |error: pem::Error| match error {
        pem::Error::Io(error) => ca_file(path, format!("can't be read: {error}")),
        other => ca_file(path, format!("is damaged: {other}")),
    };
    let all = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
    let all: Vec<_> = all.collect::<Result<_, _>>().map_err(unreadable)?;
    if all.is_empty() {
        return Err(ca_file(path, "contains no certificate".into()));
    }
    Ok(all)
}

fn ca_file(path: &Path, reason: String) -> TlsFault {
    TlsFault::CaFile { path: path.to_owned(), reason }
}

/// The library's own check of a certificate, against one name. It also records the negotiated version (known from the signature
/// that it verifies), because some clients give no access to their connection.
#[derive(Debug)]
struct Verifier {
    inner: Arc<WebPkiServerVerifier>,
    name: ServerName<'static>,
    witness: Arc<Witness>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _of_the_address: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.inner.verify_server_cert(end_entity, intermediates, &self.name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.witness.saw(TlsVersion::Tls12);
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.witness.saw(TlsVersion::Tls13);
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
