//! The library's configuration for one client.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{Resumption, WebPkiServerVerifier};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use wiredyno_model::trial::TlsVersion;
use wiredyno_transport::Tls;
use wiredyno_transport::tls::{Agreed, TlsFault, Trust};

/// The configuration of one client: it checks the server's certificate for the name that [`Tls`] says, whatever the address
/// that the client knows.
///
/// # Errors
/// When there are no authorities to trust, or the name is none.
pub fn config(tls: &Tls) -> Result<Arc<ClientConfig>, TlsFault> {
    let provider = Arc::new(ring::default_provider());
    let failed = |error: Error| TlsFault::Handshake(error.to_string());
    let inner =
        WebPkiServerVerifier::builder_with_provider(Arc::new(authorities(&tls.trust)?), provider.clone());
    let inner = inner.build().map_err(|error| TlsFault::NoAuthorities(error.to_string()))?;
    let verifier = Verifier { inner, name: name(tls)?, agreed: tls.agreed.clone() };
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(failed)?.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = config.with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

/// The server's name as the library takes it.
pub(crate) fn name(tls: &Tls) -> Result<ServerName<'static>, TlsFault> {
    ServerName::try_from(tls.server_name.clone()).map_err(|_| TlsFault::Name(tls.server_name.clone()))
}

fn authorities(trust: &Trust) -> Result<RootCertStore, TlsFault> {
    let mut store = RootCertStore::empty();
    match trust {
        Trust::File(path) => {
            for certificate in certificates(path)? {
                let unfit = |error: Error| ca_file(path, format!("holds what is no certificate: {error}"));
                store.add(certificate).map_err(unfit)?;
            }
        }
        Trust::System => {
            let found = rustls_native_certs::load_native_certs();
            // Some systems have some that this library does not understand: the others count.
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
        return Err(ca_file(path, "holds no certificate".into()));
    }
    Ok(all)
}

fn ca_file(path: &Path, reason: String) -> TlsFault {
    TlsFault::CaFile { path: path.to_owned(), reason }
}

/// The library's own check of a certificate, against one name. It notes by whose signature it is asked which version was agreed,
/// as some clients hand their connection to nobody.
#[derive(Debug)]
struct Verifier {
    inner: Arc<WebPkiServerVerifier>,
    name: ServerName<'static>,
    agreed: Agreed,
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
        self.agreed.note(TlsVersion::Tls12);
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.agreed.note(TlsVersion::Tls13);
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
