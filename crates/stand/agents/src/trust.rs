//! TLS between a coordinator and its agents, with an authority made for the run.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, ServerConfig, SignatureScheme};
use serde::{Deserialize, Serialize};
use wiredyno_credentials::{Authority, CredentialsError, LASTING, Signed};

use crate::invitation::FINGERPRINT_BYTES;

/// The name in the coordinator's certificate, whatever address it has.
pub(crate) const COORDINATOR: &str = "coordinator.wiredyno";

/// The date at which certificates are judged, in seconds since 1970: the first day of 2026. They last from 2020 to 2100.
const AS_OF_S: u64 = 1_767_225_600;

/// Why TLS can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// A certificate could not be made.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// A certificate or key could not be read.
    #[error("a certificate of this run can't be read: {0}; please report this")]
    Unreadable(String),
    /// The library refuses the set-up.
    #[error("TLS can't be set up: {0}; please report this")]
    Library(#[from] Error),
}

pub(crate) fn digest(der: &[u8]) -> [u8; FINGERPRINT_BYTES] {
    let mut all = [0; FINGERPRINT_BYTES];
    all.copy_from_slice(::ring::digest::digest(&::ring::digest::SHA256, der).as_ref());
    all
}

fn certificate(pem: &str) -> Result<CertificateDer<'static>, TrustError> {
    CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| TrustError::Unreadable(error.to_string()))
}

fn key(pem: &str) -> Result<PrivateKeyDer<'static>, TrustError> {
    PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|error| TrustError::Unreadable(error.to_string()))
}

/// The digest by which the coordinator knows a certificate that it has signed.
pub(crate) fn digest_of(signed: &Signed) -> Result<[u8; FINGERPRINT_BYTES], TrustError> {
    Ok(digest(&certificate(&signed.certificate)?))
}

#[derive(Debug)]
struct FixedDay;

impl TimeProvider for FixedDay {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(AS_OF_S)))
    }
}

/// What a coordinator shows to agents. Whoever has it can take its place.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The authority's certificate, as PEM.
    authority: String,
    /// The coordinator's own, and its key.
    certificate: String,
    key: String,
}

impl Identity {
    /// One that an authority has signed.
    pub(crate) fn new(authority: &Authority) -> Result<Self, TrustError> {
        let Signed { certificate, key } = authority.server(&[COORDINATOR], LASTING)?;
        Ok(Identity { authority: authority.pem().to_owned(), certificate, key })
    }
}

/// The coordinator's side: its own certificate followed by the authority's. Agents show a certificate of the authority, or none if they join.
pub(crate) fn coordinator(
    own: &Identity,
) -> Result<(Arc<ServerConfig>, [u8; FINGERPRINT_BYTES]), TrustError> {
    let provider = Arc::new(ring::default_provider());
    let of_authority = certificate(&own.authority)?;
    let fingerprint = digest(&of_authority);
    let mut roots = RootCertStore::empty();
    roots.add(of_authority.clone())?;
    let agents = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .allow_unauthenticated()
        .build()
        .map_err(|error| TrustError::Unreadable(error.to_string()))?;
    let config = ServerConfig::builder_with_details(provider, Arc::new(FixedDay))
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(agents)
        .with_single_cert(vec![certificate(&own.certificate)?, of_authority], key(&own.key)?)?;
    Ok((Arc::new(config), fingerprint))
}

/// An agent's side: it recognises its coordinator by the digest of the authority's certificate, and shows its own certificate if it has one.
pub(crate) fn agent(
    fingerprint: [u8; FINGERPRINT_BYTES],
    identity: Option<&Signed>,
) -> Result<Arc<ClientConfig>, TrustError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Pinned { fingerprint, provider: provider.clone() });
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let config = match identity {
        None => config.with_no_client_auth(),
        Some(signed) => {
            config.with_client_auth_cert(vec![certificate(&signed.certificate)?], key(&signed.key)?)?
        }
    };
    Ok(Arc::new(config))
}

/// The coordinator's name in the library's type.
pub(crate) fn coordinator_name() -> Result<ServerName<'static>, TrustError> {
    ServerName::try_from(COORDINATOR).map_err(|error| TrustError::Unreadable(error.to_string()))
}

/// Accepts what the authority with this digest has signed for the coordinator, and nothing else.
#[derive(Debug)]
struct Pinned {
    fingerprint: [u8; FINGERPRINT_BYTES],
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let stranger = || Error::General("it is not the coordinator that made this invitation".to_owned());
        let of_authority =
            intermediates.iter().find(|one| digest(one) == self.fingerprint).ok_or_else(stranger)?;
        let mut roots = RootCertStore::empty();
        roots.add(of_authority.clone().into_owned())?;
        let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), self.provider.clone())
            .build()
            .map_err(|error| Error::General(error.to_string()))?;
        let as_of = UnixTime::since_unix_epoch(Duration::from_secs(AS_OF_S));
        inner.verify_server_cert(end_entity, &[], server_name, ocsp_response, as_of)
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("only TLS 1.3 is spoken here".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
