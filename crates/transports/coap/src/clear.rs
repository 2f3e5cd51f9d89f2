//! Replaces DTLS where it is not compiled in: nothing is encrypted, and what should be encrypted is never
//! sent.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use wiredyno_transport::Tls;
use wiredyno_transport::tls::{ServerTls, TlsFault};

/// The largest message in a record, in bytes.
pub const RECORD_LIMIT_BYTES: usize = 16_384;

/// There is no client without DTLS.
pub struct Client(Infallible);

/// The state of a client's handshake.
#[expect(dead_code, reason = "a client is never made here")]
pub enum Shaking {
    /// The handshake is not finished yet.
    On(Client),
    /// The handshake is finished; the connection works.
    Done(Veil),
}

impl Client {
    /// Fails: DTLS is not compiled in.
    ///
    /// # Errors
    /// Always, with `TlsFault::NotCompiled`.
    pub fn new(_tls: &Tls) -> Result<Self, TlsFault> {
        Err(TlsFault::NotCompiled)
    }

    /// Never called: there is no client.
    pub fn unfinished(&self) -> Option<TlsFault> {
        match self.0 {}
    }

    /// Never called: there is no client.
    pub fn step(
        self,
        _datagram: Option<&[u8]>,
        _send: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Shaking, Result<TlsFault, io::Error>> {
        match self.0 {}
    }
}

/// There is no encryption without DTLS.
pub struct Veil(Infallible);

impl Veil {
    /// Fails: DTLS is not compiled in.
    ///
    /// # Errors
    /// Always, with `TlsFault::NotCompiled`.
    pub fn server(_tls: &ServerTls) -> Result<Self, TlsFault> {
        Err(TlsFault::NotCompiled)
    }

    /// Never called: nothing is encrypted.
    pub fn encrypt(&mut self, _to: SocketAddr, _message: &[u8], _send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match self.0 {}
    }

    /// Never called: nothing is encrypted.
    pub fn decrypt(
        &mut self,
        _from: SocketAddr,
        _datagram: &[u8],
        _send: &mut dyn FnMut(SocketAddr, &[u8]),
    ) -> Vec<Vec<u8>> {
        match self.0 {}
    }

    /// Never called: nothing is encrypted.
    pub fn due_ns(&self) -> Option<i64> {
        match self.0 {}
    }

    /// Never called: nothing is encrypted.
    pub fn tick(&mut self, _now_ns: i64, _send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match self.0 {}
    }

    /// Never called: nothing is encrypted.
    pub fn close(&mut self, _peer: Option<SocketAddr>, _send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match self.0 {}
    }
}
