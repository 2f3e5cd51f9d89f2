//! The stream under the library: a connection, encrypted or not, that reports what happens on it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::frame::Frames;
use crate::greeting::{Greeting, Stage};
use wiredyno_tls::Socket;
use wiredyno_transport::clock::now_ns;

/// Receives the number of messages whose last byte the kernel has taken (encrypted, with TLS).
pub trait Written: Send {
    /// This many more, just now.
    fn messages(&mut self, count: usize, at_ns: i64);
}

/// For clients that write no messages.
pub struct Unheard;

impl Written for Unheard {
    fn messages(&mut self, _count: usize, _at_ns: i64) {}
}

/// How far the connection came, and the operating system's error that ended it; shared with the stream.
#[derive(Clone, Default)]
pub struct Loss(Arc<Shared>);

#[derive(Default)]
struct Shared {
    reason: Mutex<Option<String>>,
    stage: Mutex<Stage>,
}

impl Loss {
    /// The first thing that went wrong.
    pub fn reason(&self) -> Option<String> {
        self.0.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How far the broker came with the login.
    pub fn stage(&self) -> Stage {
        *self.0.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, reason: impl FnOnce() -> String) {
        self.0.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(reason);
    }
}

/// A connection whose progress is reported.
pub struct Stream {
    socket: Socket,
    frames: Frames,
    /// `None` once the broker has answered the login.
    greeting: Option<Greeting>,
    /// Number of messages that end in what was written and that the kernel has not completely taken yet.
    waiting: usize,
    written: Box<dyn Written>,
    loss: Loss,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.socket.fmt(f)
    }
}

impl Stream {
    /// Wraps a connection, and reports what is written.
    pub fn over(socket: Socket, written: Box<dyn Written>, loss: Loss) -> Stream {
        let greeting = Some(Greeting::default());
        Stream { socket, frames: Frames::new(), greeting, waiting: 0, written, loss }
    }

    fn follow_login(&mut self, bytes: &[u8]) {
        let Some(greeting) = &mut self.greeting else { return };
        let stage = greeting.read(bytes);
        *self.loss.0.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        if stage == Stage::Answered {
            self.greeting = None;
        }
    }

    /// Reports the messages if the kernel has taken everything by now; otherwise none.
    fn tell_drained(&mut self, at_ns: i64) {
        if self.waiting > 0 && self.socket.is_drained() {
            self.written.messages(std::mem::take(&mut self.waiting), at_ns);
        }
    }

    /// Waits until the kernel has taken everything written: no message is reported later than the write in which it ended.
    fn poll_drained(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let drained = ready!(Pin::new(&mut self.socket).poll_flush(cx));
        match &drained {
            Ok(()) => self.tell_drained(now_ns()),
            Err(error) => self.loss.note(|| error.to_string()),
        }
        Poll::Ready(drained)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.socket).poll_read(cx, buffer);
        match &read {
            Poll::Ready(Ok(())) if room > 0 && buffer.filled().len() == before => {
                self.loss.note(|| "the other side closed the connection".to_owned());
            }
            Poll::Ready(Ok(())) => self.follow_login(&buffer.filled()[before..]),
            Poll::Ready(Err(error)) => self.loss.note(|| error.to_string()),
            _ => {}
        }
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.waiting > 0 {
            ready!(self.poll_drained(cx))?;
        }
        let taken = Pin::new(&mut self.socket).poll_write(cx, bytes);
        match &taken {
            Poll::Ready(Ok(count)) => {
                let at_ns = now_ns();
                self.waiting += self.frames.ended(&bytes[..*count]);
                self.tell_drained(at_ns);
            }
            Poll::Ready(Err(error)) => self.loss.note(|| error.to_string()),
            Poll::Pending => {}
        }
        taken
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_drained(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
