//! The checks that every request passes first: host name, origin, login and rate.
//!
//! - The `Host` must be one of the server's names: a foreign page whose name was made to resolve to this machine (DNS rebinding) sends
//!   its own name.
//! - Unsafe requests must not come from another origin (`Origin`, `Sec-Fetch-Site`), and must carry a value that only a page of this
//!   server can have read (`X-CSRF`). A token in `Authorization` also suffices, because browsers never send one by themselves.
//! - Off loopback, nothing below `/api/` is answered without a login, except session and login.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Body as _;

use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::session::{COOKIE, Credential, same};
use crate::{App, audit, metrics};

/// The header with the CSRF token, which only a page of this server can have read.
const CSRF: &str = "x-csrf";

/// What pages may load: only from this server, nothing inline.
const CONTENT_SECURITY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; worker-src 'self'; font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The same for a report in one file: everything is inline, and it can't act on this server.
pub const REPORT_SECURITY: &str = "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; \
     script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The longest name of a user that a proxy may give, in bytes.
const USER: usize = 200;

/// Passes a request on, or refuses it; notes it in the audit log.
pub async fn guard(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let of_api = is_of_api(uri.path());
    let has_body = !request.body().is_end_stream();
    let (caller, response) = match admitted(&app, peer, &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller.clone());
            (caller, next.run(request).await)
        }
        Err(refusal) => {
            let mut response = refusal.into_response();
            if has_body {
                // Which is not read.
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            (Caller::unknown(&app.settings, peer, request.headers()), response)
        }
    };
    audit::note(&app.database, &method, &uri, &caller, (response.status(), response.extensions().get()));
    secured(as_error(response, of_api).await, of_api)
}

fn is_of_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
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
    app.rate.take(caller.client()).map_err(ApiError::rate)?;
    let path = request.uri().path();
    let is_login = matches!(path, "/api/session" | "/api/login");
    let is_closed = is_of_api(path) || path == metrics::PATH;
    if !request.method().is_safe() {
        same_origin(headers, host)?;
    } else if is_closed {
        not_fetched_by_others(headers)?;
    }
    let open = !is_closed || is_login;
    if !caller.is_in && !open {
        return Err(ApiError::login("log in first, or send a token: Authorization: Bearer TOKEN"));
    }
    if !request.method().is_safe()
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
    let unknown = Caller::unknown(&app.settings, peer, headers);
    // Other schemes are not ours: a proxy passes on the password that it has checked.
    if let Some(token) = headers.get(header::AUTHORIZATION).and_then(bearer) {
        let Some(name) = app.sessions.of_token(token)? else {
            return Err(refused_token(app, &unknown.address));
        };
        let credential = Credential::of_token(token);
        return Ok(Caller { name: Some(name), is_in: true, credential, ..unknown });
    }
    if let Some(header) = app.settings.user_header(peer.ip())
        && let Some(user) = headers.get(header)
    {
        let is_one = headers.get_all(header).iter().count() == 1;
        let user = user.to_str().ok().filter(|user| is_one && !user.is_empty() && user.len() <= USER);
        let user = user.ok_or_else(|| ApiError::bad("the proxy's header names no user, or several"))?;
        let csrf = Some(app.sessions.csrf_of_all());
        return Ok(Caller { name: Some(user.to_owned()), is_in: true, csrf, ..unknown });
    }
    if let Some(id) = cookie(headers)
        && let Some(member) = app.sessions.of_cookie(id)?
    {
        let credential = Credential::of_cookie(id);
        let (name, csrf) = (Some(member.name), Some(member.csrf));
        return Ok(Caller { name, is_in: true, csrf, credential, ..unknown });
    }
    let open = !app.settings.login_required;
    Ok(Caller { is_in: open, csrf: open.then(|| app.sessions.csrf_of_all()), ..unknown })
}

/// The token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1); `None` for other schemes.
fn bearer(given: &HeaderValue) -> Option<&str> {
    let (scheme, token) = given.to_str().ok()?.split_once(' ').unwrap_or((given.to_str().ok()?, ""));
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// An unknown token; after several, the address has to wait. Known ones still pass: guessing locks nobody out.
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

/// Refuses answers to pages of another site, whose requests the browser marks; a link that a user follows is not such a request
/// (W3C, Fetch Metadata Request Headers).
fn not_fetched_by_others(headers: &HeaderMap) -> ApiResult<()> {
    let is = |name: &'static str, words: &[&str]| {
        headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| words.contains(&value))
    };
    let followed = is("sec-fetch-mode", &["navigate"]) && is("sec-fetch-dest", &["document"]);
    if is("sec-fetch-site", &["cross-site", "same-site"]) && !followed {
        let message = "requests from pages of another site are refused";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "origin", message));
    }
    Ok(())
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
