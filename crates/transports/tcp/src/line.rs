//! A connection of either side, plain or with TLS, shared by threads: one reads, others write.

use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Arc;

#[cfg(feature = "tls")]
use wiredyno_tls::{Encrypted, Room};
use wiredyno_transport::tls::{ServerTls, TlsFault};
use wiredyno_transport::{ClientSetup, ConnectError, Tls, socket};

use crate::NAME;

/// A connection, plain or with TLS.
pub struct Line {
    /// The underlying socket, also with TLS.
    pub stream: TcpStream,
    #[cfg(feature = "tls")]
    tls: Option<Encrypted>,
}

impl Line {
    /// Wraps a connection without encryption.
    pub fn plain(stream: TcpStream) -> Self {
        Line {
            stream,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Connects as the setup says, greets the relay with a byte and waits for its answer; the stream is then blocking.
    ///
    /// # Errors
    /// When there is no relay, it does not answer in time, or one side does not trust the other.
    pub fn laid(setup: &ClientSetup, greeting: u8) -> Result<(Arc<Line>, Reader), ConnectError> {
        let (transport, endpoint, limit) = (NAME, setup.endpoint, setup.limit);
        let stream = socket::connect(transport, endpoint, limit)?;
        let line = Arc::new(match &setup.tls {
            None => Line::plain(stream),
            Some(tls) => Line::encrypted(stream, tls, endpoint).map_err(|error| match error {
                Ok(fault) => ConnectError::Tls { transport, endpoint, fault },
                Err(error) => socket::failed(transport, endpoint, limit, &error),
            })?,
        });
        let mut reader = line.reader();
        // A relay that rejects a client's certificate says so after the handshake.
        let refused = |error: io::Error| match setup.tls.as_ref().and_then(|tls| behind(&error, tls)) {
            Some(fault) => ConnectError::Tls { transport, endpoint, fault },
            None => socket::failed(transport, endpoint, limit, &error),
        };
        socket::say(&[greeting], &mut &*line, &mut reader).map_err(refused)?;
        let local = |source| ConnectError::Local { transport, source };
        line.stream.set_read_timeout(None).map_err(local)?;
        Ok((line, reader))
    }

    #[cfg(feature = "tls")]
    fn encrypted(
        stream: TcpStream,
        tls: &Tls,
        endpoint: SocketAddr,
    ) -> Result<Line, Result<TlsFault, io::Error>> {
        let encrypted = Encrypted::client(&stream, tls, endpoint)?;
        Ok(Line { stream, tls: Some(encrypted) })
    }

    #[cfg(not(feature = "tls"))]
    fn encrypted(
        _stream: TcpStream,
        _tls: &Tls,
        _endpoint: SocketAddr,
    ) -> Result<Line, Result<TlsFault, io::Error>> {
        Err(Ok(TlsFault::NotCompiled))
    }

    /// Accepts a client's connection, with a handshake if the relay encrypts.
    ///
    /// # Errors
    /// When the handshake fails.
    #[cfg(feature = "tls")]
    pub fn taken(stream: TcpStream, terms: &Terms) -> io::Result<Self> {
        let encrypted = terms.encrypted.as_ref();
        let tls = encrypted.map(|config| Encrypted::server(&stream, config.clone())).transpose()?;
        Ok(Line { stream, tls })
    }

    /// Accepts a client's connection, without encryption.
    ///
    /// # Errors
    /// Never: this build has no TLS.
    #[cfg(not(feature = "tls"))]
    pub fn taken(stream: TcpStream, _terms: &Terms) -> io::Result<Self> {
        Ok(Line::plain(stream))
    }

    /// Hands over what the kernel takes at once if the stream does not block; returns how many bytes were taken. With TLS they may
    /// wait in the library.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn write_parts(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            return tls.write(&self.stream, parts);
        }
        (&self.stream).write_vectored(parts)
    }

    /// Whether the kernel has taken all written bytes.
    pub fn is_drained(&self) -> bool {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            return tls.is_drained();
        }
        true
    }

    /// Hands over bytes waiting in the library; returns whether none are left.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn drain(&self) -> io::Result<bool> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            return tls.flush(&self.stream);
        }
        Ok(true)
    }

    /// Announces that nothing more will be sent.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn close(&self) -> io::Result<()> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            tls.close(&self.stream)?;
        }
        self.stream.shutdown(Shutdown::Write)
    }

    /// The reading side, for the thread that reads.
    pub fn reader(self: &Arc<Self>) -> Reader {
        Reader {
            line: self.clone(),
            #[cfg(feature = "tls")]
            room: Room::default(),
        }
    }
}

#[cfg(feature = "tls")]
fn behind(error: &io::Error, tls: &Tls) -> Option<TlsFault> {
    wiredyno_tls::fault_behind(error, &tls.server_name)
}

#[cfg(not(feature = "tls"))]
fn behind(_error: &io::Error, _tls: &Tls) -> Option<TlsFault> {
    None
}

/// How the relay encrypts, if it does.
#[derive(Default)]
pub struct Terms {
    #[cfg(feature = "tls")]
    encrypted: Option<wiredyno_tls::Server>,
}

impl Terms {
    /// The terms for a setup.
    ///
    /// # Errors
    /// When a file can't be used, or TLS is not compiled in.
    pub fn of(tls: Option<&ServerTls>) -> Result<Self, TlsFault> {
        let Some(tls) = tls else { return Ok(Terms::default()) };
        Terms::encrypted(tls)
    }

    #[cfg(feature = "tls")]
    fn encrypted(tls: &ServerTls) -> Result<Self, TlsFault> {
        Ok(Terms { encrypted: Some(wiredyno_tls::server(tls)?) })
    }

    #[cfg(not(feature = "tls"))]
    fn encrypted(_tls: &ServerTls) -> Result<Self, TlsFault> {
        Err(TlsFault::NotCompiled)
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl AsRawFd for Line {
    fn as_raw_fd(&self) -> RawFd {
        self.stream.as_raw_fd()
    }
}

impl Write for &Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_parts(&[IoSlice::new(bytes)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drain().map(drop)
    }
}

/// The reading side of a connection.
pub struct Reader {
    line: Arc<Line>,
    #[cfg(feature = "tls")]
    room: Room,
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.line.tls {
            return tls.read(&self.line.stream, &mut self.room, out);
        }
        (&self.line.stream).read(out)
    }
}
