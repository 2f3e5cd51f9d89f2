//! The listener: connections bounded in number and time, plain or with TLS, until the server is asked to end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::uri::PathAndQuery;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::App;
use crate::patience::Patient;
use crate::places::{Places, client_of};
use crate::settings::Settings;

/// Most connections at a time, in all and from one client; a reverse proxy may have all of them.
pub(crate) const CONNECTIONS: usize = 256;
pub(crate) const CONNECTIONS_EACH: usize = 100;
/// Limit for receiving the head of a request.
pub(crate) const HEAD: Duration = Duration::from_secs(10);
/// Limit for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long shutdown waits for connections.
const ENDING: Duration = Duration::from_secs(3);
/// How the TLS handshake names HTTP/2.
const H2: &[u8] = b"h2";
/// Most requests at a time over one HTTP/2 connection.
const REQUESTS: u32 = 64;
/// How long an HTTP/2 connection may be quiet before it is tried.
const QUIET: Duration = Duration::from_secs(30);
/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 32 * 1024;

/// The server's certificate and key.
///
/// # Errors
/// When a file can't be read or the key does not match the certificate.
pub fn tls(settings: &Settings) -> anyhow::Result<Option<TlsAcceptor>> {
    let Some((certificate, key)) = &settings.tls else { return Ok(None) };
    let told = || format!("--tls-certificate {}", certificate.display());
    let chain = CertificateDer::pem_file_iter(certificate).with_context(told)?;
    let chain = chain.collect::<Result<Vec<_>, _>>().with_context(told)?;
    let key = PrivateKeyDer::from_pem_file(key).with_context(|| format!("--tls-key {}", key.display()))?;
    let mut config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).with_context(told)?;
    // RFC 9113, section 3.3, and RFC 7301: the client chooses among these during the handshake.
    config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

#[derive(Clone)]
struct Shared {
    router: Router,
    tls: Option<TlsAcceptor>,
    path: Arc<str>,
    ended: watch::Receiver<bool>,
}

/// Serves connections until `ended` changes.
///
/// # Errors
/// When no further connections can be accepted.
pub async fn serve(
    app: App,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    mut ended: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let of_clients = Places::new(CONNECTIONS, CONNECTIONS_EACH);
    let shared = Shared { router, tls, path: app.settings.path.as_str().into(), ended: ended.clone() };
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place?,
            _ = ended.changed() => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // No descriptors are left, or the peer has disconnected.
                    eprintln!("wiredyno-server: a connection was lost: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = ended.changed() => break,
        };
        // A client with more connections than its share is disconnected.
        let is_proxy = app.settings.is_proxy(peer.ip());
        let of_client = match of_clients.take(&client_of(peer.ip())) {
            Err(_) if !is_proxy => continue,
            taken => taken.ok().filter(|_| !is_proxy),
        };
        let _ = stream.set_nodelay(true);
        let shared = shared.clone();
        tokio::spawn(async move {
            let stream = Patient::new(stream);
            match &shared.tls {
                None => talk(stream, peer, &shared).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                        match stream.get_ref().1.alpn_protocol() {
                            Some(H2) => talk_http2(stream, peer, &shared).await,
                            _ => talk(stream, peer, &shared).await,
                        }
                    }
                }
            }
            drop((place, of_client));
        });
    }
    drop(listener);
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(ENDING, places.acquire_many(all)).await;
    Ok(())
}

/// The service of a connection: the router, for paths below the server's own.
fn service(
    peer: SocketAddr,
    shared: &Shared,
) -> impl hyper::service::Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send> + use<>
{
    let (router, path) = (shared.router.clone(), Arc::clone(&shared.path));
    service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        *request.uri_mut() = below(&path, request.uri());
        let mut router = router.clone();
        async move { tower_service::Service::call(&mut router, request).await }
    })
}

/// An address without the server's own path in front, which some proxies leave and others take away.
fn below(path: &str, uri: &Uri) -> Uri {
    let rest = |asked: &str| match asked.strip_prefix(path)? {
        "" => Some("/".to_owned()),
        rest if rest.starts_with('/') => Some(rest.to_owned()),
        rest if rest.starts_with('?') => Some(format!("/{rest}")),
        _ => None,
    };
    let asked = uri.path_and_query().map(PathAndQuery::as_str).filter(|_| !path.is_empty());
    let Some(rest) = asked.and_then(rest).and_then(|rest| rest.parse().ok()) else { return uri.clone() };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(rest);
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    shared: &Shared,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service(peer, shared));
    carry(connection, |connection| connection.graceful_shutdown(), shared).await;
}

/// The same over HTTP/2, where all requests of a browser share one connection.
async fn talk_http2(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    shared: &Shared,
) {
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        // A client that answers no ping is gone.
        .keep_alive_interval(QUIET)
        .keep_alive_timeout(HEAD)
        .max_concurrent_streams(REQUESTS)
        .max_header_list_size(HEAD_BYTES as u32)
        .serve_connection(TokioIo::new(stream), service(peer, shared));
    carry(connection, |connection| connection.graceful_shutdown(), shared).await;
}

/// Carries a connection to its end; when the server ends, what was begun is finished within [`ENDING`].
async fn carry<C: Future>(connection: C, close: impl FnOnce(Pin<&mut C>), shared: &Shared) {
    let mut connection = std::pin::pin!(connection);
    let mut ended = shared.ended.clone();
    tokio::select! {
        // Errors of a connection concern only its client.
        _ = connection.as_mut() => {}
        _ = ended.changed() => {
            close(connection.as_mut());
            let _ = tokio::time::timeout(ENDING, connection).await;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn paths_are_those_below_the_servers_own_whether_a_proxy_left_it_or_not() {
        let below = |path: &str, uri: &str| below(path, &uri.parse().unwrap()).to_string();
        assert_eq!(below("/bench", "/bench/api/tests?limit=1"), "/api/tests?limit=1");
        assert_eq!(below("/bench", "/api/tests"), "/api/tests");
        assert_eq!(below("/bench", "/bench"), "/");
        assert_eq!(below("/bench", "/bench?a=1"), "/?a=1");
        assert_eq!(below("/bench", "/benches/x"), "/benches/x");
        assert_eq!(below("/bench", "https://a.example/bench/runs"), "https://a.example/runs");
        assert_eq!(below("", "/bench"), "/bench");
    }
}
