//! Connections of clients: TCP with TCP_NODELAY, and TLS 1.3 or 1.2 over it where that is compiled in (cargo feature `rustls`); and
//! TLS for blocking sockets, of either side.
//!
//! Decisions: rustls with ring; the library's default cipher suites, groups and versions; the system's authorities as OpenSSL
//! finds them (`SSL_CERT_FILE` and `SSL_CERT_DIR` count), or a file's and no others; the name in the certificate is checked,
//! revocation is not; a full handshake for every connection, unless [`wiredyno_transport::Tls`] says that it resumes; no early data;
//! keys are written to the file that it names, and nowhere else.
//!
//! [`Socket::is_drained`] tells whether the kernel has taken all that was written: with TLS bytes wait in the library while the
//! kernel takes no more, so that a write that returned is not yet one that left.

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
