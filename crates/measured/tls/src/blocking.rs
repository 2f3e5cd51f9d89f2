//! TLS over a socket shared by threads: one reads, others write.
//!
//! A thread that waits for bytes holds no lock that a writer needs. Bytes that the library has encrypted but the kernel has not
//! taken wait in the library; [`Encrypted::flush`] hands them over.

use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_rustls::rustls::{ClientConnection, Connection, ServerConfig, ServerConnection};
use wiredyno_transport::Tls;
use wiredyno_transport::tls::TlsFault;

use crate::config::{config, name};
use crate::fault::fault;

/// Bytes read from the kernel at once: four records of the largest size.
const READ_BYTES: usize = 64 << 10;

/// One side of an encrypted connection.
pub struct Encrypted {
    connection: Mutex<Connection>,
}

/// A reader's buffer for bytes that are still encrypted.
pub struct Room {
    bytes: Vec<u8>,
    /// Bytes that the library has not taken yet: it has room for the plaintext of one or two records.
    left: Range<usize>,
}

impl Default for Room {
    fn default() -> Self {
        Room { bytes: vec![0; READ_BYTES], left: 0..0 }
    }
}

impl Encrypted {
    /// Performs a client's handshake. The stream blocks; to limit the handshake, set a read timeout.
    ///
    /// # Errors
    /// Why no TLS connection was made, or the operating system's error.
    pub fn client(
        stream: &TcpStream,
        tls: &Tls,
        endpoint: SocketAddr,
    ) -> Result<Self, Result<TlsFault, io::Error>> {
        let config = config(tls, endpoint).map_err(Ok)?;
        let connection = ClientConnection::new(config, name(tls).map_err(Ok)?);
        let connection = connection.map_err(|error| Ok(TlsFault::Handshake(error.to_string())))?;
        let encrypted = Encrypted { connection: Mutex::new(connection.into()) };
        let shaken = encrypted.locked().complete_io(&mut &*stream);
        let (received, sent) = shaken.map_err(|error| fault(&error, &tls.server_name).ok_or(error))?;
        tls.agreed.note_bytes(sent as u64, received as u64);
        Ok(encrypted)
    }

    /// Performs a server's handshake.
    ///
    /// # Errors
    /// When the client is rejected, or the connection breaks.
    pub fn server(stream: &TcpStream, config: Arc<ServerConfig>) -> io::Result<Self> {
        let connection = ServerConnection::new(config).map_err(io::Error::other)?;
        let encrypted = Encrypted { connection: Mutex::new(connection.into()) };
        encrypted.locked().complete_io(&mut &*stream)?;
        // Session tickets, or the alert that rejects the client.
        encrypted.flush(stream)?;
        Ok(encrypted)
    }

    fn locked(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Encrypts as much as the library has room for and hands it to the kernel (with a non-blocking stream, as much as that takes
    /// at once). Returns how many of these bytes the library has taken: 0 while earlier bytes are waiting.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn write(&self, stream: &TcpStream, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut connection = self.locked();
        if !handed_over(&mut connection, stream)? {
            return Ok(0);
        }
        // Together: separate writes would become separate records and segments.
        let taken = connection.writer().write_vectored(parts)?;
        handed_over(&mut connection, stream)?;
        Ok(taken)
    }

    /// Hands waiting bytes to the kernel; returns whether none are left.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn flush(&self, stream: &TcpStream) -> io::Result<bool> {
        handed_over(&mut self.locked(), stream)
    }

    /// Whether the kernel has taken all written bytes.
    pub fn is_drained(&self) -> bool {
        !self.locked().wants_write()
    }

    /// Reads available bytes, blocking if the stream does; 0 at the end.
    ///
    /// # Errors
    /// When the connection breaks, or the bytes were not encrypted by the other side.
    pub fn read(&self, stream: &TcpStream, room: &mut Room, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.locked().reader().read(out) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // An end without close_notify is still an end: the framing above detects truncation.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            let mut ended = false;
            if room.left.is_empty() {
                let got = (&*stream).read(&mut room.bytes)?;
                (room.left, ended) = (0..got, got == 0);
            }
            let mut connection = self.locked();
            if !room.left.is_empty() || ended {
                room.left.start += connection.read_tls(&mut &room.bytes[room.left.clone()])?;
            }
            if let Err(error) = connection.process_new_packets() {
                // The alert that states the reason.
                let _ = handed_over(&mut connection, stream);
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
            handed_over(&mut connection, stream)?;
        }
    }

    /// Sends close_notify: nothing more will be sent.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn close(&self, stream: &TcpStream) -> io::Result<()> {
        let mut connection = self.locked();
        connection.send_close_notify();
        handed_over(&mut connection, stream).map(drop)
    }
}

fn handed_over(connection: &mut Connection, mut stream: &TcpStream) -> io::Result<bool> {
    while connection.wants_write() {
        match connection.write_tls(&mut stream) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
