//! The stream under the library: a connection, encrypted or not, that reports its frames and can be cut.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_io::{AsyncRead, AsyncWrite};
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::sync::watch;

use crate::frame::{Frame, PROTOCOL_HEADER_BYTES, Reader};
use wiredyno_tls::Socket;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket;

/// Receives the frames of a connection, on the library's own thread.
pub trait Watch: Send {
    /// The kernel has taken the last byte of this frame (encrypted, with TLS).
    fn written(&mut self, frame: Frame, at_ns: i64);
    /// The last byte of this frame has arrived (and is decrypted); the library has not seen it yet.
    fn read(&mut self, frame: Frame, at_ns: i64);
}

/// How far a broker has admitted a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It has sent nothing that is AMQP.
    Silent,
    /// It has sent connection.start, and not answered the login yet.
    Greeted,
    /// It has accepted the login: connection.tune.
    LetIn,
}

/// What both sides of a connection know about its stream.
#[derive(Default)]
struct Shared {
    socket: Mutex<Option<OwnedFd>>,
    stage: AtomicU8,
    loss: Mutex<Option<String>>,
    /// Whether the library has dropped the stream.
    closed: watch::Sender<bool>,
}

/// A handle on a stream that the library owns: reports how it went, and can cut it.
#[derive(Clone, Default)]
pub struct Leash(Arc<Shared>);

/// How long the library may take to drop a cut stream; it does so at once unless something is wrong.
const LETTING_GO: Duration = Duration::from_secs(5);

impl Leash {
    /// How far the broker has admitted the client.
    pub fn stage(&self) -> Stage {
        match self.0.stage.load(Ordering::Acquire) {
            0 => Stage::Silent,
            1 => Stage::Greeted,
            _ => Stage::LetIn,
        }
    }

    /// The operating system's error when the connection was lost; `None` while it is not.
    pub fn loss(&self) -> Option<String> {
        self.0.loss.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the connection at once, if it has not ended, and waits until the library has dropped it.
    pub async fn cut(&self) {
        let socket = self.0.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(socket) = socket {
            socket::wake(&socket);
            let _ = tokio::time::timeout(LETTING_GO, self.closed()).await;
        }
    }

    /// Waits until the library has dropped the stream, which it does when the connection has ended.
    pub async fn closed(&self) {
        // It can't fail: we hold the sender.
        let _ = self.0.closed.subscribe().wait_for(|closed| *closed).await;
    }

    fn note(&self, loss: impl FnOnce() -> String) {
        self.0.loss.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(loss);
    }

    fn advance(&self, frame: Frame) {
        match frame {
            Frame::Method([CONNECTION, START], _) => self.0.stage.store(1, Ordering::Release),
            Frame::Method([CONNECTION, TUNE], _) => self.0.stage.store(2, Ordering::Release),
            _ => {}
        }
    }
}

/// The class of connection's methods, and two of them (AMQP 0-9-1, section 3.2.2; numbers are in the protocol's XML).
const CONNECTION: u16 = 10;
const START: u16 = 10;
const TUNE: u16 = 30;

/// A connection whose frames are reported.
pub struct Stream {
    socket: Socket,
    /// Frames that end in what was written and that the kernel has not completely taken yet.
    waiting: Vec<Frame>,
    watch: Option<Box<dyn Watch>>,
    sent: Reader,
    received: Reader,
    leash: Leash,
}

impl Stream {
    /// Takes over a connection. `leash` must not hold a stream yet.
    pub fn over(socket: Socket, watch: Option<Box<dyn Watch>>, leash: Leash) -> io::Result<Stream> {
        let own = socket.as_fd().try_clone_to_owned()?;
        *leash.0.socket.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
        let (sent, received) = (Reader::behind(PROTOCOL_HEADER_BYTES), Reader::behind(0));
        Ok(Stream { socket, waiting: Vec::new(), watch, sent, received, leash })
    }

    fn note_written(&mut self, pieces: &[IoSlice<'_>], mut count: usize) {
        if self.watch.is_none() {
            return;
        }
        let at_ns = now_ns();
        let Stream { sent, waiting, .. } = self;
        for piece in pieces {
            let part = &piece[..count.min(piece.len())];
            count -= part.len();
            sent.read(part, |frame| waiting.push(frame));
        }
        self.tell_drained(at_ns);
    }

    /// Reports the frames if the kernel has taken everything by now; otherwise none.
    fn tell_drained(&mut self, at_ns: i64) {
        if self.waiting.is_empty() || !self.socket.is_drained() {
            return;
        }
        if let Some(watch) = &mut self.watch {
            self.waiting.drain(..).for_each(|frame| watch.written(frame, at_ns));
        }
    }

    /// Waits until the kernel has taken everything written: no frame is reported later than the write in which it ended.
    fn poll_drained(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let drained = ready!(Pin::new(&mut self.socket).poll_flush(cx));
        match &drained {
            Ok(()) => self.tell_drained(now_ns()),
            Err(error) => self.leash.note(|| error.to_string()),
        }
        Poll::Ready(drained)
    }

    fn note_read(&mut self, bytes: &[u8]) {
        let let_in = self.leash.stage() == Stage::LetIn;
        if let_in && self.watch.is_none() {
            return;
        }
        let at_ns = now_ns();
        let Stream { watch, leash, received, .. } = self;
        received.read(bytes, |frame| {
            if !let_in {
                leash.advance(frame);
            }
            if let Some(watch) = watch {
                watch.read(frame, at_ns);
            }
        });
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.leash.0.closed.send_replace(true);
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(room);
        let read = ready!(Pin::new(&mut self.socket).poll_read(cx, &mut buffer));
        let bytes = buffer.filled();
        match &read {
            Ok(()) if bytes.is_empty() => self.leash.note(|| "the other side closed the connection".into()),
            Ok(()) => self.note_read(bytes),
            Err(error) => self.leash.note(|| error.to_string()),
        }
        Poll::Ready(read.map(|()| bytes.len()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if !self.waiting.is_empty() {
            ready!(self.poll_drained(cx))?;
        }
        let written = ready!(Pin::new(&mut self.socket).poll_write_vectored(cx, pieces));
        match &written {
            Ok(count) => self.note_written(pieces, *count),
            Err(error) => self.leash.note(|| error.to_string()),
        }
        Poll::Ready(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_drained(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
