//! The library's configuration, for clients and for the relay.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::rustls::client::Resumption;
use quinn::rustls::crypto::ring;
use quinn::rustls::pki_types::PrivatePkcs8KeyDer;
use quinn::rustls::server::ServerSessionMemoryCache;
use quinn::rustls::{self, version};
use quinn::{
    ClientConfig, Endpoint, EndpointConfig, IdleTimeout, MtuDiscoveryConfig, ServerConfig, TokioRuntime,
    TransportConfig, VarInt,
};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use wiredyno_transport::Tls;
use wiredyno_transport::socket::widen_buffers;
use wiredyno_transport::tls::TlsFault;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::declared::{Congestion, Options};

/// The application protocol of both sides (RFC 9001, section 8.1).
const ALPN: &[u8] = b"wiredyno";

/// Datagrams buffered on one side, in bytes: as much as plain UDP's sockets.
pub const DATAGRAM_BUFFER_BYTES: usize = 4 << 20;

/// Sessions that the relay remembers for resumption: more than any load has clients.
const SESSIONS: usize = 65_536;

/// Sessions that a client keeps: it has only one server.
const OWN_SESSIONS: usize = 8;

fn transport(options: &Options, keep_alive: bool) -> Arc<TransportConfig> {
    let window = options.initial_window_bytes.into();
    let congestion: Arc<dyn ControllerFactory + Send + Sync> = match options.congestion {
        Congestion::Cubic => {
            let mut rule = CubicConfig::default();
            rule.initial_window(window);
            Arc::new(rule)
        }
        Congestion::NewReno => {
            let mut rule = NewRenoConfig::default();
            rule.initial_window(window);
            Arc::new(rule)
        }
        Congestion::Bbr => {
            let mut rule = BbrConfig::default();
            rule.initial_window(window);
            Arc::new(rule)
        }
    };
    let ms = |ms: u32| Duration::from_millis(ms.into());
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(Some(IdleTimeout::from(VarInt::from_u32(options.idle_timeout_ms))))
        .keep_alive_interval((keep_alive && options.keep_alive_ms > 0).then(|| ms(options.keep_alive_ms)))
        .initial_rtt(ms(options.initial_rtt_ms))
        .initial_mtu(options.initial_mtu)
        .mtu_discovery_config(options.mtu_discovery.then(MtuDiscoveryConfig::default))
        .max_concurrent_uni_streams(VarInt::from_u32(options.max_streams))
        .stream_receive_window(VarInt::from_u32(options.stream_window_bytes))
        .datagram_receive_buffer_size(Some(DATAGRAM_BUFFER_BYTES))
        .datagram_send_buffer_size(DATAGRAM_BUFFER_BYTES)
        .enable_segmentation_offload(false)
        .congestion_controller_factory(congestion);
    Arc::new(config)
}

/// A client's configuration: it trusts the given authorities, and resumes only if requested.
pub fn client(options: &Options, tls: &Tls, relay: SocketAddr) -> Result<ClientConfig, TlsFault> {
    let mut crypto = (*wiredyno_tls::config(tls, relay)?).clone();
    crypto.alpn_protocols = vec![ALPN.to_vec()];
    if options.zero_rtt {
        crypto.enable_early_data = true;
        crypto.resumption = Resumption::in_memory_sessions(OWN_SESSIONS);
    }
    let crypto =
        QuicClientConfig::try_from(crypto).map_err(|error| TlsFault::Handshake(error.to_string()))?;
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(transport(options, true));
    Ok(config)
}

/// The relay's configuration, and its certificate in PEM form. The error text says what is wrong.
pub fn server(options: &Options, bind: SocketAddr) -> Result<(ServerConfig, String), String> {
    let (certificate, key) = certificate(bind).map_err(|error| format!("no certificate: {error}"))?;
    let pem = certificate.pem();
    let of_library = |error: rustls::Error| error.to_string();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let mut crypto = rustls::ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13])
        .map_err(of_library)?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.into())
        .map_err(of_library)?;
    crypto.alpn_protocols = vec![ALPN.to_vec()];
    if options.zero_rtt {
        // QUIC has no other limit (RFC 9001, section 4.6.1).
        crypto.max_early_data_size = u32::MAX;
        crypto.session_storage = ServerSessionMemoryCache::new(SESSIONS);
    }
    let crypto = QuicServerConfig::try_from(crypto).map_err(|error| error.to_string())?;
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(transport(options, false));
    Ok((config, pem))
}

/// A certificate for the address, self-signed with a new key.
fn certificate(bind: SocketAddr) -> Result<(rcgen::Certificate, KeyPair), rcgen::Error> {
    let mut params = CertificateParams::new(vec![bind.ip().to_string()])?;
    let key = KeyPair::generate()?;
    // A unique name, so that another relay's certificate is unknown instead of having a wrong signature.
    let own = xxh3_128_with_seed(key.public_key_raw(), 0);
    params.distinguished_name.push(DnType::CommonName, format!("relay of Wiredyno {own:032x}"));
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok((params.self_signed(&key)?, key))
}

/// An endpoint at a socket of its own, whose random values come from the seed and the role as far as the library
/// allows.
pub fn endpoint(
    bind: SocketAddr,
    server: Option<ServerConfig>,
    role: &str,
    seed: u64,
) -> std::io::Result<Endpoint> {
    let socket = UdpSocket::bind(bind)?;
    widen_buffers(&socket);
    let drawn = xxh3_128_with_seed(role.as_bytes(), seed).to_le_bytes();
    let mut own = [0; 32];
    own[..16].copy_from_slice(&drawn);
    own[16..].copy_from_slice(&drawn);
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(own));
    Endpoint::new(config, server, socket, Arc::new(TokioRuntime))
}
