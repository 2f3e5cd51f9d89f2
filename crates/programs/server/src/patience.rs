//! A stream that gives up on a peer that takes what it is sent too slowly, so that nobody holds a connection, and the memory of an answer, by
//! not reading it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Within this time a peer that keeps the server waiting has to take [`LEAST`].
pub(crate) const WINDOW: Duration = Duration::from_secs(20);
/// Bytes that it has to take: 3.3 kB/s, less than any link that pages are usable over.
pub(crate) const LEAST: usize = 64 * 1024;

/// A stream with the limit. Nothing is limited while the peer keeps up: an event stream may be quiet for hours.
pub struct Patient<S> {
    stream: S,
    /// The end of the window and what was taken in it; `None` while the peer keeps up.
    behind: Option<(Pin<Box<Sleep>>, usize)>,
    window: Duration,
}

impl<S> Patient<S> {
    /// Limits a stream.
    pub fn new(stream: S) -> Self {
        Patient { stream, behind: None, window: WINDOW }
    }

    /// Accounts for a write, and replaces one that waits beyond the limit by an error.
    fn limited(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                if let Some((_, taken)) = &mut self.behind {
                    *taken += bytes;
                    if *taken >= LEAST {
                        self.behind = None;
                    }
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                let window = self.window;
                let start = || (Box::pin(sleep_until(Instant::now() + window)), 0);
                let (end, _) = self.behind.get_or_insert_with(start);
                ready!(end.as_mut().poll(cx));
                let message = "the client takes the answer too slowly";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, message)));
            }
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.limited(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.limited(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // Called only when everything before was written: the peer has caught up.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(cx));
        self.behind = None;
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    fn run(of: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(of);
    }

    #[test]
    fn a_peer_that_does_not_read_is_given_up() {
        run(async {
            let window = Duration::from_millis(50);
            let (near, _far) = duplex(1024);
            let mut stream = Patient { window, ..Patient::new(near) };
            let error = stream.write_all(&[0; 100_000]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn a_peer_that_takes_little_by_little_is_served() {
        run(async {
            let (near, mut far) = duplex(1024);
            let reader = tokio::spawn(async move {
                let mut all = Vec::new();
                far.read_to_end(&mut all).await.unwrap();
                all.len()
            });
            let mut stream = Patient::new(near);
            stream.write_all(&[0; 400_000]).await.unwrap();
            stream.flush().await.unwrap();
            assert!(stream.behind.is_none(), "it has caught up");
            drop(stream);
            assert_eq!(reader.await.unwrap(), 400_000);
        });
    }
}
