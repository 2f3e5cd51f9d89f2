//! The line with which an agent joins: where its coordinator listens, how to recognise it, and a secret that is accepted once.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The environment variable that may have an agent's invitation.
pub const INVITATION: &str = "WIREDYNO_INVITATION";

/// Bytes of the digest of the authority's certificate: SHA-256.
pub(crate) const FINGERPRINT_BYTES: usize = 32;
/// Bytes of the number by which the coordinator knows an invitation.
pub(crate) const ID_BYTES: usize = 8;
/// Bytes of its secret: 128 bits.
pub(crate) const SECRET_BYTES: usize = 16;

const ALL_BYTES: usize = FINGERPRINT_BYTES + ID_BYTES + SECRET_BYTES;

/// An invitation for one agent. Whoever has it can join in its place: treat it like a password.
///
/// As text: `HOST:PORT/` and 75 characters of base64url (RFC 4648, section 5).
#[derive(Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Where to connect: a host name or an address, and a port.
    pub address: String,
    pub(crate) fingerprint: [u8; FINGERPRINT_BYTES],
    pub(crate) id: [u8; ID_BYTES],
    pub(crate) secret: [u8; SECRET_BYTES],
}

/// Why a text is not an invitation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvitationError {
    /// It has another form.
    #[error(
        "an invitation is one line, `HOST:PORT/` and 75 more characters, as `wiredyno agents` wrote it; this is something else"
    )]
    Form,
    /// It names no host and port.
    #[error("`{0}` in the invitation is not HOST:PORT: copy the whole line as `wiredyno agents` wrote it")]
    Address(String),
    /// Its second half is damaged.
    #[error(
        "the invitation is damaged after the `/`: 75 letters, digits, `-` and `_` belong there; copy the whole line"
    )]
    Damaged,
}

impl fmt::Display for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = Vec::with_capacity(ALL_BYTES);
        for part in [&self.fingerprint[..], &self.id, &self.secret] {
            all.extend_from_slice(part);
        }
        write!(f, "{}/{}", self.address, URL_SAFE_NO_PAD.encode(all))
    }
}

impl fmt::Debug for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the secret.
        f.debug_struct("Invitation").field("address", &self.address).finish_non_exhaustive()
    }
}

impl FromStr for Invitation {
    type Err = InvitationError;

    fn from_str(text: &str) -> Result<Self, InvitationError> {
        let text = text.trim();
        if text.contains(char::is_whitespace) {
            return Err(InvitationError::Form);
        }
        let (address, rest) = text.split_once('/').ok_or(InvitationError::Form)?;
        let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port);
        if !port.is_some_and(|port| port.parse::<u16>().is_ok_and(|port| port > 0)) {
            return Err(InvitationError::Address(address.to_owned()));
        }
        let all: [u8; ALL_BYTES] = URL_SAFE_NO_PAD
            .decode(rest)
            .ok()
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or(InvitationError::Damaged)?;
        let (mut fingerprint, mut id, mut secret) =
            ([0; FINGERPRINT_BYTES], [0; ID_BYTES], [0; SECRET_BYTES]);
        fingerprint.copy_from_slice(&all[..FINGERPRINT_BYTES]);
        id.copy_from_slice(&all[FINGERPRINT_BYTES..FINGERPRINT_BYTES + ID_BYTES]);
        secret.copy_from_slice(&all[FINGERPRINT_BYTES + ID_BYTES..]);
        Ok(Invitation { address: address.to_owned(), fingerprint, id, secret })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Invitation {
        Invitation {
            address: "gateway.example:7411".into(),
            fingerprint: [7; 32],
            id: [0xff; 8],
            secret: [0; 16],
        }
    }

    #[test]
    fn an_invitation_is_a_line_of_text() {
        let text = one().to_string();
        assert!(
            text.starts_with("gateway.example:7411/") && text.split_once('/').unwrap().1.len() == 75,
            "{text}"
        );
        assert_eq!(format!(" {text}\n").parse(), Ok(one()));
        let six = Invitation { address: "[::1]:7411".into(), ..one() };
        assert_eq!(six.to_string().parse(), Ok(six));
        assert!(!format!("{:?}", one()).contains("secret"));
    }

    #[test]
    fn what_is_none_is_refused_with_the_reason() {
        let text = one().to_string();
        let of = |text: &str| text.parse::<Invitation>().unwrap_err();
        assert_eq!(of(""), InvitationError::Form);
        assert_eq!(of(&format!("{text} {text}")), InvitationError::Form);
        assert_eq!(of(&text.replace(":7411", "")), InvitationError::Address("gateway.example".into()));
        assert_eq!(of(&text.replace(":7411", ":0")), InvitationError::Address("gateway.example:0".into()));
        assert_eq!(of(&text.replace("gateway.example", "")), InvitationError::Address(":7411".into()));
        assert_eq!(of(&text[..text.len() - 1]), InvitationError::Damaged);
        assert_eq!(of(&text.replace("BwcH", "B+cH")), InvitationError::Damaged);
    }
}
