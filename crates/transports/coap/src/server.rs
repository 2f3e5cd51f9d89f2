//! The server with its socket, and shutting it down with notice to observers.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::NAME;
use crate::declared::Options;
use crate::dtls::Veil;
use crate::endpoint::{Channel, Endpoint};
use crate::service::Service;
use wiredyno_transport::{ServeError, Server, ServerSetup};

pub struct CoapServer {
    address: SocketAddr,
    endpoint: Endpoint<Service>,
}

impl CoapServer {
    pub fn start(setup: &ServerSetup, options: &Options) -> Result<Self, ServeError> {
        let bind = setup.bind;
        let failed = |source| ServeError::Bind { transport: NAME, address: bind, source };
        let veil = setup.tls.as_ref().map(Veil::server).transpose();
        let veil = veil.map_err(|fault| ServeError::Tls { transport: NAME, fault })?;
        let socket = UdpSocket::bind(bind).map_err(failed)?;
        // A read follows poll, so it blocks only if the kernel discards what poll reported (a wrong checksum).
        let limit = Some(Duration::from_millis(1));
        socket.set_read_timeout(limit).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let nap = Duration::from_nanos(options.transmission.ack_timeout_ns.unsigned_abs());
        let service =
            Service::new(options.clone(), xxh3_64_with_seed(b"server", setup.seed), setup.sink.clone());
        let endpoint = Endpoint::start("coap-server", Channel { socket, peer: None, veil }, nap, service)
            .map_err(failed)?;
        Ok(CoapServer { address, endpoint })
    }
}

impl Server for CoapServer {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for CoapServer {
    fn drop(&mut self) {
        self.endpoint.with(Service::close);
    }
}
