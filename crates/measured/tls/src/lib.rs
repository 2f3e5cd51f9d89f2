//! Client connections: TCP with TCP_NODELAY, and TLS 1.3 or 1.2 over it if compiled in (cargo feature `rustls`). Also TLS for
//! blocking sockets, for both sides.
//!
//! Decisions: rustls with ring; the library's default cipher suites, groups and versions; the system's authorities as OpenSSL finds
//! them (`SSL_CERT_FILE` and `SSL_CERT_DIR` count), or only those of a file; the name in the certificate is checked, revocation is
//! not; a full handshake for every connection, unless [`wiredyno_transport::Tls`] requests resumption; no early data; keys are
//! written only to the file named there.
//!
//! [`Socket::is_drained`] reports whether the kernel has taken all written bytes: with TLS, bytes wait in the library while the
//! kernel takes no more, so a write may return before its bytes have left.

#[cfg(feature = "rustls")]
mod blocking;
#[cfg(feature = "rustls")]
mod config;
#[cfg(feature = "rustls")]
mod counted;
#[cfg(feature = "rustls")]
mod fault;
mod socket;
#[cfg(feature = "rustls")]
mod witness;

#[cfg(feature = "rustls")]
pub use blocking::{Encrypted, Room};
#[cfg(feature = "rustls")]
pub use config::{Server, config, server};
#[cfg(feature = "rustls")]
pub use fault::{fault, fault_behind};
pub use socket::{Socket, connect};
