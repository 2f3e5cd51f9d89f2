//! The checks that every request passes first: host name, origin, login and rate.
//!
//! - The `Host` must be one of the server's names: a foreign page whose name was made to resolve to this machine (DNS rebinding) sends
//!   its own name.
//! - Unsafe requests must not come from another origin (`Origin`, `Sec-Fetch-Site`), and must carry a value that only a page of this
//!   server can have read (`X-CSRF`). A token in `Authorization` also suffices, because browsers never send one by themselves.
//! - Off loopback, nothing below `/api/` is answered without a login, except session and login.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::App;
use crate::clock::now_ms;
use crate::error::{ApiError, ApiResult};
use crate::session::{COOKIE, same};

/// The header with the CSRF token, which only a page of this server can have read.
const CSRF: &str = "x-csrf";

/// What pages may load: only from this server, nothing inline.
const CONTENT_SECURITY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; worker-src 'self'; font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The same for a report in one file: everything is inline, and it can't act on this server.
pub const REPORT_SECURITY: &str = "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; \
     script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Entries kept in the audit log.
const AUDITED: i64 = 100_000;

/// The client of a request, as the guard identified it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user's name, if the server knows it.
    pub name: Option<String>,
    /// Whether the client may use the whole API.
    pub is_in: bool,
    /// The CSRF token that the browser's requests must carry; absent for clients with a token.
    pub csrf: Option<String>,
    /// The client's IP address.
    pub address: String,
}

/// Passes a request on, or refuses it; notes it in the audit log.
pub async fn guard(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let of_api = is_of_api(uri.path());
    let response = match admitted(&app, peer, &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller.clone());
            let response = next.run(request).await;
            note(&app, &method, &uri, &caller, response.status());
            response
        }
        Err(refusal) => {
            let response = refusal.into_response();
            let caller = Caller { name: None, is_in: false, csrf: None, address: peer.ip().to_string() };
            note(&app, &method, &uri, &caller, response.status());
            response
        }
    };
    secured(as_error(response, of_api).await, of_api)
}

fn is_of_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

fn admitted(app: &App, peer: SocketAddr, request: &Request) -> ApiResult<Caller> {
    let headers = request.headers();
    let host = host_of(headers, request.uri())?;
    if !app.settings.is_own_name(host) {
        return Err(ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host",
            format!("this server does not answer to the name `{host}`; `wiredyno serve --host` adds names"),
        ));
    }
    let caller = caller(app, peer, headers)?;
    let asker = caller.name.clone().unwrap_or_else(|| caller.address.clone());
    app.rate.take(&asker).map_err(ApiError::rate)?;
    if !is_safe(request.method()) {
        same_origin(headers, host)?;
    }
    let path = request.uri().path();
    let open = !is_of_api(path) || matches!(path, "/api/session" | "/api/login");
    if !caller.is_in && !open {
        return Err(ApiError::login("log in first, or send a token: Authorization: Bearer TOKEN"));
    }
    if !is_safe(request.method())
        && path != "/api/login"
        && let Some(csrf) = &caller.csrf
    {
        let sent = headers.get(CSRF).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !same(sent, csrf) {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "csrf",
                "the header X-CSRF is missing or outdated: read /api/session again",
            ));
        }
    }
    Ok(caller)
}

/// The host that the request names, possibly with a port.
fn host_of<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> ApiResult<&'a str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (uri.authority(), hosts.next(), hosts.next()) {
        (_, Some(_), Some(_)) => None,
        (Some(authority), ..) => Some(authority.as_str()),
        (None, host, _) => host.and_then(|host| host.to_str().ok()),
    };
    host.ok_or_else(|| ApiError::bad("the request names no host, or more than one"))
}

fn caller(app: &App, peer: SocketAddr, headers: &HeaderMap) -> ApiResult<Caller> {
    let address = peer.ip().to_string();
    let of = |name: Option<String>, is_in, csrf| Caller { name, is_in, csrf, address: address.clone() };
    if let Some(given) = headers.get(header::AUTHORIZATION) {
        // Only wrong tokens count against the limit.
        app.login_rate.look(&address).map_err(ApiError::rate)?;
        let token = given.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let name = token.map(|token| app.sessions.of_token(token)).transpose()?.flatten();
        let Some(name) = name else {
            return Err(refused_token(app, &address));
        };
        return Ok(of(Some(name), true, None));
    }
    if let Some(proxy) = &app.settings.proxy
        && proxy.is_from(peer.ip())
        && let Some(user) = headers.get(&proxy.header)
    {
        let user = user.to_str().ok().filter(|user| !user.is_empty() && user.len() <= 200);
        let user = user.ok_or_else(|| ApiError::bad("the proxy's header names no user"))?;
        return Ok(of(Some(user.to_owned()), true, Some(app.sessions.csrf_of_all())));
    }
    if let Some(member) = cookie(headers).map(|id| app.sessions.of_cookie(id)).transpose()?.flatten() {
        return Ok(of(Some(member.name), true, Some(member.csrf)));
    }
    let open = !app.settings.login_required;
    Ok(of(None, open, open.then(|| app.sessions.csrf_of_all())))
}

/// An unknown token; after several, the address has to wait.
pub fn refused_token(app: &App, address: &str) -> ApiError {
    match app.login_rate.take(address) {
        Ok(()) => ApiError::login("there is no such token"),
        Err(after) => ApiError::rate(after),
    }
}

/// The session cookie.
pub fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|one| {
        let (name, value) = one.trim().split_once('=')?;
        (name == COOKIE).then_some(value)
    })
}

/// Refuses requests from pages of another origin.
fn same_origin(headers: &HeaderMap, host: &str) -> ApiResult<()> {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site"))
        && !matches!(site, "same-origin" | "none")
    {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "origin",
            format!("requests from a {site} page are refused"),
        ));
    }
    if let Some(origin) = text(header::ORIGIN) {
        let of_host = origin.split_once("://").is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(host));
        if !of_host {
            let message = format!("requests from pages of {origin} are refused");
            return Err(ApiError::new(StatusCode::FORBIDDEN, "origin", message));
        }
    }
    Ok(())
}

/// Whether a host, with or without port, is an IP address: names can be made to resolve elsewhere, addresses can't.
pub fn is_address(host: &str) -> bool {
    let bare = without_port(host);
    bare.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
}

/// A host without its port.
pub fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Writes changes, and requests refused for their client, to the audit log.
fn note(app: &App, method: &Method, uri: &Uri, caller: &Caller, status: StatusCode) {
    let refused =
        matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST);
    let only_asks = is_safe(method) || matches!(uri.path(), "/api/plan" | "/api/size");
    if only_asks && !refused {
        return;
    }
    // Without the query, which the client chooses and which may be long.
    let path: String = uri.path().chars().take(200).collect();
    let action = format!("{method} {path}");
    let sql = "insert into audit (at_ms, who, address, action, status) values (?1, ?2, ?3, ?4, ?5)";
    let connection = app.database.get();
    let values = rusqlite::params![now_ms(), caller.name, caller.address, action, status.as_u16()];
    let written = connection.execute(sql, values).and_then(|_| {
        let last = connection.last_insert_rowid();
        connection.execute("delete from audit where id <= ?1", [last - AUDITED])
    });
    if let Err(error) = written {
        eprintln!("wiredyno-server: the audit log can't be written: {error}");
    }
}

/// Gives refusals of the libraries the shape of all API errors.
async fn as_error(response: Response, of_api: bool) -> Response {
    const SENTENCE: usize = 4096;
    let status = response.status();
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !of_api || is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let body = axum::body::to_bytes(response.into_body(), SENTENCE).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&body).into_owned();
    let (code, otherwise) = match status {
        StatusCode::NOT_FOUND => ("not_found", "there is no such path"),
        StatusCode::METHOD_NOT_ALLOWED => ("method", "this path does not support the method"),
        StatusCode::PAYLOAD_TOO_LARGE => ("too_large", "the request is too large"),
        _ => ("bad_request", "the request can't be read"),
    };
    let message = if said.is_empty() { otherwise.to_owned() } else { said };
    let mut response = ApiError::new(status, code, message).into_response();
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

/// Adds the security headers.
fn secured(mut response: Response<Body>, of_api: bool) -> Response {
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &'static str| {
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    };
    set("content-security-policy", CONTENT_SECURITY);
    set("x-content-type-options", "nosniff");
    set("x-frame-options", "DENY");
    set("referrer-policy", "no-referrer");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    if of_api {
        set("cache-control", "no-store");
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_told_apart() {
        for address in ["127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
            assert!(is_address(address), "{address}");
        }
        for name in ["localhost", "evil.example:8080", "127.0.0.1.evil.example", ""] {
            assert!(!is_address(name), "{name}");
        }
        assert_eq!(without_port("[::1]:80"), "[::1]");
    }
}
