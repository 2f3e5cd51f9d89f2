//! The stream under the library: a TCP connection with TCP_NODELAY that tells what happens on it.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::frame::Frames;
use wiredyno_transport::clock::now_ns;

/// Hears of the messages whose last byte the kernel has taken.
pub trait Written: Send {
    /// So many more, just now.
    fn messages(&mut self, count: usize, at_ns: i64);
}

/// For those who write no messages.
pub struct Unheard;

impl Written for Unheard {
    fn messages(&mut self, _count: usize, _at_ns: i64) {}
}

/// How the connection was lost, as the system said it; shared with the stream.
#[derive(Clone, Default)]
pub struct Loss(Arc<Mutex<Option<String>>>);

impl Loss {
    /// The first thing that went wrong.
    pub fn reason(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, reason: impl FnOnce() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(reason);
    }
}

/// A connection that is watched.
pub struct Stream {
    tcp: TcpStream,
    frames: Frames,
    written: Box<dyn Written>,
    loss: Loss,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tcp.fmt(f)
    }
}

impl Stream {
    /// Connects.
    pub async fn connect(endpoint: SocketAddr, written: Box<dyn Written>, loss: Loss) -> io::Result<Stream> {
        Stream::over(TcpStream::connect(endpoint).await?, written, loss)
    }

    /// A connection that is there.
    pub fn over(tcp: TcpStream, written: Box<dyn Written>, loss: Loss) -> io::Result<Stream> {
        tcp.set_nodelay(true)?;
        Ok(Stream { tcp, frames: Frames::new(), written, loss })
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.tcp).poll_read(cx, buffer);
        match &read {
            Poll::Ready(Ok(())) if room > 0 && buffer.filled().len() == before => {
                self.loss.note(|| "the other side closed the connection".to_owned());
            }
            Poll::Ready(Err(error)) => self.loss.note(|| error.to_string()),
            _ => {}
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let taken = Pin::new(&mut self.tcp).poll_write(cx, bytes);
        match &taken {
            Poll::Ready(Ok(count)) => {
                let at_ns = now_ns();
                let ended = self.frames.ended(&bytes[..*count]);
                if ended > 0 {
                    self.written.messages(ended, at_ns);
                }
            }
            Poll::Ready(Err(error)) => self.loss.note(|| error.to_string()),
            Poll::Pending => {}
        }
        taken
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
