//! A client's connection, plain or encrypted.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(feature = "rustls")]
use tokio_rustls::client::TlsStream;

#[cfg(feature = "rustls")]
use crate::counted::Counted;
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

/// A client's connection, which implements tokio's reading and writing.
#[derive(Debug)]
pub enum Socket {
    /// Plain TCP, with nothing encrypted.
    Plain(TcpStream),
    /// TLS over TCP, after its handshake.
    #[cfg(feature = "rustls")]
    Tls(Box<Over>),
}

/// An encrypted connection, with its TLS setup, which also records versions and faults.
#[cfg(feature = "rustls")]
#[derive(Debug)]
pub struct Over {
    stream: TlsStream<Counted>,
    tls: Tls,
}

/// Connects to the setup's endpoint, encrypted if requested, with TCP_NODELAY: Nagle's algorithm would delay small messages by up
/// to 40 ms. The caller limits the time.
///
/// # Errors
/// When the endpoint refuses, or no TLS connection with a trusted server is possible.
pub async fn connect(transport: &'static str, setup: &ClientSetup) -> Result<Socket, ConnectError> {
    let endpoint = setup.endpoint;
    let failed =
        |error: io::Error| ConnectError::Unreachable { transport, endpoint, reason: error.to_string() };
    let tcp = TcpStream::connect(endpoint).await.map_err(failed)?;
    tcp.set_nodelay(true).map_err(failed)?;
    match &setup.tls {
        None => Ok(Socket::Plain(tcp)),
        Some(tls) => encrypted(tcp, tls, endpoint).await.map_err(|error| match error {
            Ok(fault) => ConnectError::Tls { transport, endpoint, fault },
            Err(error) => failed(error),
        }),
    }
}

#[cfg(feature = "rustls")]
async fn encrypted(
    tcp: TcpStream,
    tls: &Tls,
    endpoint: SocketAddr,
) -> Result<Socket, Result<TlsFault, io::Error>> {
    let connector = tokio_rustls::TlsConnector::from(crate::config(tls, endpoint).map_err(Ok)?);
    let name = crate::config::name(tls).map_err(Ok)?;
    let stream = connector.connect(name, Counted::new(tcp)).await;
    let stream = stream.map_err(|error| crate::fault(&error, &tls.server_name).ok_or(error))?;
    let (sent, received) = stream.get_ref().0.bytes();
    tls.agreed.note_bytes(sent, received);
    Ok(Socket::Tls(Box::new(Over { stream, tls: tls.clone() })))
}

#[cfg(not(feature = "rustls"))]
async fn encrypted(
    _tcp: TcpStream,
    _tls: &Tls,
    _endpoint: SocketAddr,
) -> Result<Socket, Result<TlsFault, io::Error>> {
    Err(Ok(TlsFault::NotCompiled))
}

impl Socket {
    /// Whether the kernel has taken all written bytes.
    pub fn is_drained(&self) -> bool {
        match self {
            Socket::Plain(_) => true,
            #[cfg(feature = "rustls")]
            Socket::Tls(over) => !over.stream.get_ref().1.wants_write(),
        }
    }
}

impl Socket {
    /// Records an error after the handshake that concerns TLS: a server may reject a client's certificate instead of sending its first
    /// answer, and the layers above can't see that.
    #[cfg_attr(not(feature = "rustls"), expect(unused_variables, reason = "only errors with TLS use it"))]
    fn note(&self, error: &io::Error) {
        #[cfg(feature = "rustls")]
        if let Socket::Tls(over) = self
            && let Some(fault) = crate::fault_behind(error, &over.tls.server_name)
        {
            over.tls.agreed.note_fault(fault);
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Plain(tcp) => tcp.as_fd(),
            #[cfg(feature = "rustls")]
            Socket::Tls(over) => over.stream.get_ref().0.as_fd(),
        }
    }
}

/// Calls the same method on either variant.
macro_rules! of_either {
    ($socket:expr, $stream:ident => $call:expr) => {
        match $socket.get_mut() {
            Socket::Plain(tcp) => {
                let $stream = Pin::new(tcp);
                $call
            }
            #[cfg(feature = "rustls")]
            Socket::Tls(tls) => {
                let $stream = Pin::new(&mut tls.stream);
                $call
            }
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = of_either!(self.as_mut(), stream => stream.poll_read(cx, room));
        match read {
            // Some brokers end a connection without close_notify. The protocols above detect truncation, as they have frames and a
            // farewell of their own: treat it as the end, as without TLS.
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(Ok(())),
            Poll::Ready(Err(error)) => {
                self.note(&error);
                Poll::Ready(Err(error))
            }
            read => read,
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        of_either!(self, stream => stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        of_either!(self, stream => stream.poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Socket::Plain(tcp) => tcp.is_write_vectored(),
            #[cfg(feature = "rustls")]
            Socket::Tls(over) => over.stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self, stream => stream.poll_shutdown(cx))
    }
}
