//! The library's runtime: tokio, with our own streams.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use async_rs::traits::Reactor;
use async_rs::util::RuntimeParts;
use async_rs::{Runtime, Tokio};
use futures_io::{AsyncRead, AsyncWrite};
use futures_util::Stream as Items;
use tokio::net::TcpStream;
use tokio::runtime::Handle;

use crate::stream::{Leash, Stream};
use wiredyno_tls::Socket;

/// tokio's reactor, with [`Stream`]s as connections.
#[derive(Debug, Clone)]
pub struct Streams(Tokio);

/// The library's runtime on tokio, with this reactor.
pub type Kit = RuntimeParts<Tokio, Streams>;

/// The runtime given to the library.
pub fn runtime(handle: Handle) -> Runtime<Kit> {
    let tokio = Tokio::default().with_handle(handle);
    Runtime::new(RuntimeParts::new(tokio.clone(), Streams(tokio)))
}

impl Reactor for Streams {
    type TcpStream = Stream;
    type Sleep = <Tokio as Reactor>::Sleep;

    fn register<H: Read + Write + AsFd + AsRawFd + Send + 'static>(
        &self,
        socket: H,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
        self.0.register(socket)
    }

    fn sleep(&self, span: Duration) -> Self::Sleep {
        self.0.sleep(span)
    }

    fn interval(&self, span: Duration) -> impl Items<Item = Instant> + Send + 'static {
        self.0.interval(span)
    }

    #[allow(
        clippy::manual_async_fn,
        reason = "an async function would borrow the reactor, which may not last as long"
    )]
    fn tcp_connect_addr(
        &self,
        address: SocketAddr,
    ) -> impl Future<Output = io::Result<Stream>> + Send + 'static {
        async move { Stream::over(Socket::Plain(TcpStream::connect(address).await?), None, Leash::default()) }
    }
}
