//! How clients and servers connect: address, login and encryption. A request contains no secrets, only the names of files that do.

use serde::{Deserialize, Serialize};

use crate::handshake::TlsVersion;

/// An address that a server listens on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// IPv4 or IPv6 address, no name.
    pub host: String,
    /// TCP or UDP port; 0 asks a server for any.
    pub port: u16,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// A user, and the file with the password: a request contains no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginFile {
    /// The user to log in as.
    pub user: String,
    /// The file that contains only the password.
    pub password_file: String,
}

/// How a connection is encrypted. Certificates and keys are in files that it names, never in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsTerms {
    /// The name or IP address that the server's certificate must be for; a name is also sent to the server.
    pub server_name: String,
    /// The file with the certificates of the only trusted authorities, in PEM form; absent for the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// What the client presents if the server asks for a certificate; absent for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateFiles>,
    /// A pre-shared key, instead of certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<PskFile>,
    /// The documents that the authority has signed for DDS Security.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<DocumentFiles>,
    /// The oldest accepted version; absent for 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<TlsVersion>,
    /// Connect once before the connection that counts, which then resumes that session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumes: bool,
    /// The file that the connections' keys are appended to, in the format that Wireshark reads (SSLKEYLOGFILE); absent for
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_log: Option<String>,
}

impl TlsTerms {
    /// For a server with a certificate for this name, signed by one of the authorities in a file, or of the system's.
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

/// How a server encrypts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTlsTerms {
    /// What it presents; absent where a pre-shared key is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateFiles>,
    /// The file with the authorities, one of which must have signed a client's certificate; absent where clients need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ca_file: Option<String>,
    /// A pre-shared key, instead of certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psk: Option<PskFile>,
}

/// A certificate with its key, in PEM form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateFiles {
    /// The file with the certificate, and the intermediate ones up to a trusted authority.
    pub certificate_file: String,
    /// The file with its key, as PKCS 8.
    pub key_file: String,
}

/// A pre-shared key with its identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PskFile {
    /// The identity under which the client names it.
    pub identity: String,
    /// The file that contains only the key, in hexadecimal.
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
