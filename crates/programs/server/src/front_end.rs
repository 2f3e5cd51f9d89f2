//! The pages, which are embedded in the program.

use std::io::Read;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;

use crate::App;

include!(concat!(env!("OUT_DIR"), "/front_end.rs"));

/// Folder of the files whose names contain a hash of their content.
const HASHED: &str = "assets/";

/// The page of all addresses.
const FIRST: &str = "index.html";
/// Where it names the path below which the server is reached, and the files that it loads.
const BELOW: &str = "data-base=\"\"";
const LOADED: &str = "=\"/assets/";
/// How long a file without a hash in its name may be kept.
const CHANGES: &str = "no-cache";

/// Media types by file extension.
const MEDIA: [(&str, &str); 9] = [
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".json", "application/json"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".ico", "image/x-icon"),
    (".wasm", "application/wasm"),
    (".txt", "text/plain; charset=utf-8"),
];

/// Answers requests outside the API: with a file of the front end, or with its page, which routes by the address.
pub async fn answer(State(app): State<App>, method: Method, uri: Uri, asked: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    match file(path, &asked).filter(|_| path != FIRST) {
        Some(response) => response,
        // An old page may request assets that a newer server does not have.
        None if path.starts_with(HASHED) => StatusCode::NOT_FOUND.into_response(),
        None => first(&app.settings.path),
    }
}

/// The page, told below which path the server is reached.
fn first(path: &str) -> Response {
    let Some(page) = found(FIRST) else { return StatusCode::NOT_FOUND.into_response() };
    let page = String::from_utf8_lossy(page)
        .replacen(BELOW, &format!("data-base=\"{path}\""), 1)
        .replace(LOADED, &format!("=\"{path}/assets/"));
    let media = HeaderValue::from_static("text/html; charset=utf-8");
    ([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, HeaderValue::from_static(CHANGES))], page)
        .into_response()
}

fn found(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// Whether a value of `Accept-Encoding` lists gzip.
pub fn is_gzip(value: &HeaderValue) -> bool {
    let mut words = value.to_str().unwrap_or_default().split(',');
    words.any(|one| one.trim().split(';').next() == Some("gzip"))
}

fn file(name: &str, asked: &HeaderMap) -> Option<Response> {
    let (bytes, compressed) = match found(name) {
        Some(bytes) => (bytes, false),
        None => (found(&format!("{name}.gz"))?, true),
    };
    let accepts = asked.get_all(header::ACCEPT_ENCODING).iter().any(is_gzip);
    let body = match compressed && !accepts {
        true => {
            let mut plain = Vec::new();
            GzDecoder::new(bytes).read_to_end(&mut plain).ok()?;
            Body::from(plain)
        }
        false => Body::from(bytes),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    let media = MEDIA.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, media)| *media);
    headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(media.unwrap_or("application/octet-stream")));
    let keep = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { CHANGES };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if compressed && accepts {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Some(response)
}
