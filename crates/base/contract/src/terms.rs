//! How clients and servers connect: where, as whom, and how it is encrypted. No secret stands in a request, only the files that hold it.

use serde::{Deserialize, Serialize};

use crate::handshake::TlsVersion;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// IP address.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// A user, and the file with the word that proves it: no secret stands in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginFile {
    /// The user's name.
    pub user: String,
    /// The file that holds the password and nothing else.
    pub password_file: String,
}

/// How a connection is encrypted. Certificates and keys stand in files that it names, never in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsTerms {
    /// The name, or IP address, that the server's certificate has to be for; a name is also told to the server.
    pub server_name: String,
    /// The file with the certificates of the authorities to trust, and no others, in PEM form; absent for the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// What the client shows where the server asks for it; absent for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateFiles>,
    /// A key that both sides know beforehand, in place of certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<PskFile>,
    /// What the authority says of all that take part in DDS Security.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<DocumentFiles>,
    /// The oldest version that is good enough; absent for 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<TlsVersion>,
    /// Connect once before the connection that counts, which then resumes what the first agreed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumes: bool,
    /// The file to which the keys of connections are added, in the form that Wireshark reads (SSLKEYLOGFILE); absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_log: Option<String>,
}

impl TlsTerms {
    /// Those of a server that shows a certificate for this name, signed by one of the authorities of a file, or of the system's.
    pub fn of(server_name: String, ca_file: Option<String>) -> Self {
        TlsTerms {
            server_name,
            ca_file,
            certificate: None,
            psk: None,
            documents: None,
            least: None,
            resumes: false,
            key_log: None,
        }
    }
}

/// With what a server encrypts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTlsTerms {
    /// What it shows; absent where a key is known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateFiles>,
    /// The file with the authorities one of which has to have signed a client's certificate; absent where clients need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ca_file: Option<String>,
    /// A key that both sides know beforehand, in place of certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<PskFile>,
}

/// A certificate with its key, in PEM form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateFiles {
    /// The file with the certificate, and those of the authorities between it and one that is trusted.
    pub certificate_file: String,
    /// The file with its key, as PKCS 8.
    pub key_file: String,
}

/// A key that both sides know beforehand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PskFile {
    /// How the client calls it.
    pub identity: String,
    /// The file that holds it in hexadecimal and nothing else.
    pub key_file: String,
}

/// Documents that the authority has signed (DDS Security 1.1, sections 9.4.1.2 and 9.4.1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentFiles {
    /// The file that says what is protected, and how.
    pub governance_file: String,
    /// The file that says who may publish and subscribe to which topics.
    pub permissions_file: String,
}
