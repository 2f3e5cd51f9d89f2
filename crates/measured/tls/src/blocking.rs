//! TLS over a socket that threads share: one reads, others write.
//!
//! A thread that waits for bytes holds nothing that one needs that writes. What the library has encrypted and the kernel has not
//! taken waits in the library; [`Encrypted::flush`] hands it over.

use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_rustls::rustls::{ClientConnection, Connection, ServerConfig, ServerConnection};
use wiredyno_transport::Tls;
use wiredyno_transport::tls::TlsFault;

use crate::config::{config, name};
use crate::fault::fault;

/// What is read from the kernel at once: four records of the largest size.
const READ_BYTES: usize = 64 << 10;

/// One side of an encrypted connection.
pub struct Encrypted {
    connection: Mutex<Connection>,
}

/// A reader's room for what is still encrypted.
pub struct Room {
    bytes: Vec<u8>,
    /// What the library has not taken yet: it has room for a record's plain text or two.
    left: Range<usize>,
}

impl Default for Room {
    fn default() -> Self {
        Room { bytes: vec![0; READ_BYTES], left: 0..0 }
    }
}

impl Encrypted {
    /// A client's, after its handshake. The stream blocks, with a limit on reads where the handshake shall have one.
    ///
    /// # Errors
    /// Why there is no TLS with the server, or what the system said.
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

    /// A server's, after its handshake.
    ///
    /// # Errors
    /// When the client is refused, or the connection breaks.
    pub fn server(stream: &TcpStream, config: Arc<ServerConfig>) -> io::Result<Self> {
        let connection = ServerConnection::new(config).map_err(io::Error::other)?;
        let encrypted = Encrypted { connection: Mutex::new(connection.into()) };
        encrypted.locked().complete_io(&mut &*stream)?;
        // Tickets, and the refusal of a client.
        encrypted.flush(stream)?;
        Ok(encrypted)
    }

    fn locked(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Encrypts what the library has room for and hands it to the kernel, as far as that takes it at once where the stream does not
    /// block; how many bytes of these the library has taken. 0 while what was taken before waits.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn write(&self, stream: &TcpStream, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut connection = self.locked();
        if !handed_over(&mut connection, stream)? {
            return Ok(0);
        }
        // Together: each write of its own would be a record, and a segment, of its own.
        let taken = connection.writer().write_vectored(parts)?;
        handed_over(&mut connection, stream)?;
        Ok(taken)
    }

    /// Hands over what waits; whether nothing waits any more.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn flush(&self, stream: &TcpStream) -> io::Result<bool> {
        handed_over(&mut self.locked(), stream)
    }

    /// Whether the kernel has taken all that was written.
    pub fn is_drained(&self) -> bool {
        !self.locked().wants_write()
    }

    /// Reads what is there, waiting for it where the stream blocks; 0 at the end.
    ///
    /// # Errors
    /// When the connection breaks, or what comes is not what the other side has encrypted.
    pub fn read(&self, stream: &TcpStream, room: &mut Room, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.locked().reader().read(out) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // Whoever ends without saying so in TLS ends all the same: the frames above tell what is cut off.
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
                // The alert that tells why.
                let _ = handed_over(&mut connection, stream);
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
            handed_over(&mut connection, stream)?;
        }
    }

    /// Says that nothing more will come.
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
