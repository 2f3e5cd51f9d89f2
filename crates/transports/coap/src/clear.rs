//! In the place of DTLS where it is not compiled in: nothing is encrypted, and nothing that shall be goes out.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use wiredyno_transport::Tls;
use wiredyno_transport::tls::{ServerTls, TlsFault};

/// The largest message that a record holds.
pub const RECORD_LIMIT_BYTES: usize = 16_384;

/// There is none.
pub struct Client(Infallible);

/// How far a client's handshake is.
pub enum Shaking {
    /// It goes on.
    On(Client),
    /// The connection stands.
    Done(Veil),
}

impl Client {
    /// Never.
    ///
    /// # Errors
    /// Always.
    pub fn new(_tls: &Tls) -> Result<Self, TlsFault> {
        Err(TlsFault::NotCompiled)
    }

    /// Never.
    pub fn unfinished(&self) -> Option<TlsFault> {
        match self.0 {}
    }

    /// Never.
    pub fn step(
        self,
        _datagram: Option<&[u8]>,
        _send: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Shaking, Result<TlsFault, io::Error>> {
        match self.0 {}
    }
}

/// There is none.
pub struct Veil(Infallible);

impl Veil {
    /// Never.
    ///
    /// # Errors
    /// Always.
    pub fn server(_tls: &ServerTls) -> Result<Self, TlsFault> {
        Err(TlsFault::NotCompiled)
    }

    /// Never.
    pub fn encrypt(&mut self, _to: SocketAddr, _message: &[u8], _send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match self.0 {}
    }

    /// Never.
    pub fn decrypt(
        &mut self,
        _from: SocketAddr,
        _datagram: &[u8],
        _send: &mut dyn FnMut(SocketAddr, &[u8]),
    ) -> Vec<Vec<u8>> {
        match self.0 {}
    }

    /// Never.
    pub fn due_ns(&self) -> Option<i64> {
        match self.0 {}
    }

    /// Never.
    pub fn tick(&mut self, _now_ns: i64, _send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match self.0 {}
    }

    /// Never.
    pub fn close(&mut self, _peer: Option<SocketAddr>, _send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match self.0 {}
    }
}
