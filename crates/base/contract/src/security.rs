//! How the connections of a cell are secured: the values of the axis `security`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How connections are encrypted, and which side authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Security {
    /// In the clear.
    None,
    /// TLS 1.3 (RFC 8446; under QUIC as in RFC 9001): the server presents a certificate, which clients verify.
    Tls,
    /// The same, and the server requests a certificate from clients, too.
    Mtls,
    /// DTLS 1.2 (RFC 6347) with a pre-shared key (RFC 4279, and RFC 7252, section 9.1.3.1).
    DtlsPsk,
    /// DTLS 1.2 with a certificate of the server, which clients verify (RFC 7252, section 9.1.3.3).
    DtlsCert,
    /// DDS Security 1.1 with its built-in plugins (section 9): both sides present certificates, and signed documents say what each may
    /// do.
    DdsSecurity,
}

impl Security {
    /// Every value, in the order of lists.
    pub const ALL: [Security; 6] = [
        Security::None,
        Security::Tls,
        Security::Mtls,
        Security::DtlsPsk,
        Security::DtlsCert,
        Security::DdsSecurity,
    ];

    /// The word in studies and results.
    pub const fn word(self) -> &'static str {
        match self {
            Security::None => "none",
            Security::Tls => "tls",
            Security::Mtls => "mtls",
            Security::DtlsPsk => "dtls-psk",
            Security::DtlsCert => "dtls-cert",
            Security::DdsSecurity => "dds-security",
        }
    }

    /// A short description without a full stop.
    pub const fn about(self) -> &'static str {
        match self {
            Security::None => "in the clear",
            Security::Tls => "TLS 1.3, with a certificate of the server",
            Security::Mtls => "TLS 1.3, with certificates of both sides",
            Security::DtlsPsk => "DTLS 1.2, with a pre-shared key",
            Security::DtlsCert => "DTLS 1.2, with a certificate of the server",
            Security::DdsSecurity => {
                "DDS Security 1.1, with certificates of both sides and signed permissions"
            }
        }
    }

    /// Whether nothing is encrypted.
    pub const fn is_none(self) -> bool {
        matches!(self, Security::None)
    }

    /// Whether peers that discover each other without a server can use it.
    pub const fn is_between_peers(self) -> bool {
        matches!(self, Security::DdsSecurity)
    }

    /// Whether the server presents a certificate.
    pub const fn has_certificate(self) -> bool {
        matches!(self, Security::Tls | Security::Mtls | Security::DtlsCert)
    }
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The text is not a value of the axis `security`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a security: write one of {known}", known = Security::ALL.map(Security::word).join(", "))]
pub struct UnknownSecurity(pub String);

impl FromStr for Security {
    type Err = UnknownSecurity;
    fn from_str(text: &str) -> Result<Self, UnknownSecurity> {
        let found = Security::ALL.into_iter().find(|known| known.word() == text);
        found.ok_or_else(|| UnknownSecurity(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_files() {
        for security in Security::ALL {
            assert_eq!(security.word().parse(), Ok(security));
            assert_eq!(serde_json::to_value(security).unwrap(), security.word());
        }
        let error = "tsl".parse::<Security>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`tsl` is not a security: write one of none, tls, mtls, dtls-psk, dtls-cert, dds-security"
        );
    }
}
