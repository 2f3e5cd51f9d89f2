//! CoAP between our own endpoints: losses, and DTLS, also with libcoap.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests may panic, their functions beside #[test] too"
)]

#[cfg(feature = "tls")]
mod dtls;
mod loss;
