//! Translates the library's errors.

use std::io;

use tokio_rustls::rustls::{AlertDescription, CertificateError, Error};
use wiredyno_transport::tls::TlsFault;

/// The fault behind a handshake error; `None` for a system error unrelated to TLS. `name` is the server's.
pub fn fault(error: &io::Error, name: &str) -> Option<TlsFault> {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(error) => Some(of_library(error, name)),
        // tokio-rustls reports this when the other side closes during the handshake.
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            Some(TlsFault::Plain("it closed the connection when greeted in TLS".into()))
        }
        None if error.kind() == io::ErrorKind::ConnectionReset => {
            Some(TlsFault::Plain("it broke the connection when greeted in TLS".into()))
        }
        None => None,
    }
}

/// The same for an error after the handshake: only the library's own TLS errors.
pub fn fault_behind(error: &io::Error, name: &str) -> Option<TlsFault> {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    inner.map(|error| of_library(error, name))
}

fn of_library(error: &Error, name: &str) -> TlsFault {
    use CertificateError as Certificate;
    let wrong_name = |presented| TlsFault::WrongName { name: name.to_owned(), presented };
    match error {
        Error::InvalidCertificate(certificate) => match certificate {
            Certificate::UnknownIssuer => TlsFault::UnknownAuthority,
            Certificate::Expired => TlsFault::Expired(String::new()),
            Certificate::ExpiredContext { time, not_after } => {
                TlsFault::Expired(ago(time.as_secs(), not_after.as_secs()))
            }
            Certificate::NotValidYet => TlsFault::NotYet(String::new()),
            Certificate::NotValidYetContext { time, not_before } => {
                TlsFault::NotYet(format!(" for {}", span(not_before.as_secs(), time.as_secs())))
            }
            Certificate::NotValidForName => wrong_name(String::new()),
            Certificate::NotValidForNameContext { presented, .. } if presented.is_empty() => {
                wrong_name(", it names no server".into())
            }
            Certificate::NotValidForNameContext { presented, .. } => {
                wrong_name(format!(", only for {}", presented.join(", ")))
            }
            other => TlsFault::Certificate(other.to_string()),
        },
        // After receiving the client's certificate, a server may send this instead of its first answer (RFC 8446, section
        // 4.4.2.4).
        Error::AlertReceived(
            alert @ (AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied),
        ) => TlsFault::Refused(format!("it answers with the alert {alert:?}")),
        Error::PeerIncompatible(reason) => {
            TlsFault::Handshake(format!("both sides have no version or cipher in common ({reason:?})"))
        }
        Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            TlsFault::Handshake("the server supports no version that is acceptable here".into())
        }
        Error::NoCertificatesPresented => TlsFault::Certificate("the server presents none".into()),
        Error::InvalidMessage(_) => TlsFault::Plain("its answer is not TLS".into()),
        other => TlsFault::Handshake(other.to_string()),
    }
}

fn ago(now_s: u64, then_s: u64) -> String {
    format!(" {} ago", span(now_s, then_s))
}

/// The time between two moments as text: whole days, or seconds below one day.
fn span(later_s: u64, earlier_s: u64) -> String {
    const DAY_S: u64 = 86_400;
    match later_s.saturating_sub(earlier_s) {
        seconds if seconds < DAY_S => format!("{seconds} s"),
        seconds => format!("{} days", seconds / DAY_S),
    }
}
