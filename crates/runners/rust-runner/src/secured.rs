//! Converts what requests say about encryption into what transports take.

use wiredyno_contract::{CertificateFiles, DocumentFiles, Failure, PskFile, ServerTlsTerms, TlsTerms};
use wiredyno_transport::Tls;
use wiredyno_transport::tls::{Agreed, Documents, Identity, Psk, ServerTls, Trust};

use crate::refusal::{Refusal, failure};

/// Reads the files that a client's terms name.
pub fn tls(terms: TlsTerms) -> Result<Tls, Failure> {
    let TlsTerms { server_name, ca_file, certificate, psk: key, documents: signed, least, resumes, key_log } =
        terms;
    Ok(Tls {
        trust: ca_file.map_or(Trust::System, |path| Trust::File(path.into())),
        identity: certificate.map(identity),
        psk: key.map(psk).transpose()?,
        documents: signed.map(documents),
        least,
        resumes,
        key_log: key_log.map(Into::into),
        server_name,
        agreed: Agreed::default(),
    })
}

/// Reads the files that a server's terms name.
pub fn server_tls(terms: ServerTlsTerms) -> Result<ServerTls, Failure> {
    let ServerTlsTerms { certificate, client_ca_file, psk: key } = terms;
    Ok(ServerTls {
        identity: certificate.map(identity),
        clients: client_ca_file.map(Into::into),
        psk: key.map(psk).transpose()?,
    })
}

fn identity(files: CertificateFiles) -> Identity {
    Identity { certificate: files.certificate_file.into(), key: files.key_file.into() }
}

fn documents(files: DocumentFiles) -> Documents {
    Documents { governance: files.governance_file.into(), permissions: files.permissions_file.into() }
}

fn psk(PskFile { identity, key_file }: PskFile) -> Result<Psk, Failure> {
    let text = std::fs::read_to_string(&key_file)
        .map_err(|source| failure(Refusal::Key { path: key_file.clone(), source }))?;
    match hex::decode(text.trim()) {
        Ok(key) if !key.is_empty() => Ok(Psk { identity, key }),
        _ => Err(failure(Refusal::NoKey { path: key_file })),
    }
}
