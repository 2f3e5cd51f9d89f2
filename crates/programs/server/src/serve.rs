//! The listener: connections bounded in number and time, plain or with TLS, until the server is asked to end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::settings::Settings;

/// Most connections at a time.
const CONNECTIONS: usize = 256;
/// Limit for receiving the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Limit for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long shutdown waits for connections.
const ENDING: Duration = Duration::from_secs(3);
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
    let config =
        ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).with_context(told)?;
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

/// Serves connections until `ended` changes.
///
/// # Errors
/// When no further connections can be accepted.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    mut ended: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
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
        let _ = stream.set_nodelay(true);
        let (router, tls, ended) = (router.clone(), tls.clone(), ended.clone());
        tokio::spawn(async move {
            match tls {
                None => talk(stream, peer, router, ended).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                        talk(stream, peer, router, ended).await;
                    }
                }
            }
            drop(place);
        });
    }
    drop(listener);
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(ENDING, places.acquire_many(all)).await;
    Ok(())
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    mut ended: watch::Receiver<bool>,
) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let mut router = router.clone();
        async move { tower_service::Service::call(&mut router, request).await }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // Errors of a connection concern only its client.
        _ = connection.as_mut() => {}
        _ = ended.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(ENDING, connection).await;
        }
    }
}
