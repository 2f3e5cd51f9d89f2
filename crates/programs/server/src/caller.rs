//! The client of a request.

use std::net::SocketAddr;

use axum::http::HeaderMap;

use crate::session::Credential;
use crate::settings::Settings;

/// The client of a request, as the guard identified it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user's name, if the server knows it.
    pub name: Option<String>,
    /// Whether the client may use the whole API.
    pub is_in: bool,
    /// The CSRF token that the browser's requests must carry; absent for clients with a token.
    pub csrf: Option<String>,
    /// The client's IP address, as its proxy names it if it comes through one.
    pub address: String,
    /// Whether it speaks TLS to this server or to its proxy.
    pub encrypted: bool,
    /// What it proved who it is with.
    pub credential: Credential,
}

impl Caller {
    /// A client of which only the address is known.
    pub(crate) fn unknown(settings: &Settings, peer: SocketAddr, headers: &HeaderMap) -> Self {
        let (address, encrypted) = settings.client(peer.ip(), headers);
        let encrypted = encrypted || settings.tls.is_some();
        Caller { name: None, is_in: false, csrf: None, address, encrypted, credential: Credential::None }
    }

    /// The name under which limits count it.
    pub fn client(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.address)
    }
}
