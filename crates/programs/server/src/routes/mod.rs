//! The routes of the API and their handlers. Session, machine and audit log are here, the rest in a file per topic.

mod explore;
mod fleets;
mod orders;
mod tests;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, FromRequestParts, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Body as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{Api, Route};
use crate::audit::{AuditEntry, Subject};
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::guard::{cookie, guard, refused_token};
use crate::session::{COOKIE, Credential};
use crate::work::blocking;
use crate::{App, front_end, machine, metrics};

/// The longest request body, in bytes: a definition and samples, written as JSON.
pub(crate) const BODY_BYTES: usize = 12 << 20;
/// The longest body of somebody who is not logged in, in bytes: a token.
pub(crate) const FIRST_BODY_BYTES: usize = 4096;
/// Most bodies at a time that are read, of all clients and of one: a reverse proxy's clients are told apart.
pub(crate) const SENDERS: usize = 128;
pub(crate) const SENDERS_EACH: usize = 32;
/// The path that takes a body of somebody who is not logged in.
pub(crate) const LOGIN: &str = "/api/login";
/// Kibibytes of request bodies that may be in memory.
pub const BODIES: usize = 64 * 1024;
/// Shorter answers are not compressed, in bytes.
const SHORT: u64 = 2048;
/// Limit for receiving a request body.
pub(crate) const BODY: Duration = Duration::from_secs(40);
/// The same for somebody who is not logged in.
pub(crate) const FIRST_BODY: Duration = Duration::from_secs(10);
/// Limit for an answer: longer than a helper's answer may take, waiting included.
pub(crate) const ANSWER: Duration = Duration::from_secs(400);

/// The API: every route with its handler.
pub fn api() -> Api {
    let api = Api::default()
        .with(
            Route::get("/api/openapi.json", "openapi", "This document.").answers::<Value>(),
            async |State(app): State<App>| Json(app.document.clone()),
        )
        .with(
            Route::get("/api/session", "session", "The current user, and what unsafe requests must carry.")
                .answers::<Session>(),
            session,
        )
        .with(
            Route::post("/api/login", "login", "Starts a session with a token.")
                .body::<Login>()
                .answers::<Session>(),
            login,
        )
        .with(Route::post("/api/logout", "logout", "Ends the session.").answers::<Session>(), logout)
        .with(
            Route::get("/api/machine", "machine", "What this machine has and lacks, and how quiet it is.")
                .answers::<machine::Machine>(),
            async |State(app): State<App>| machine::machine(&app).await.map(Json),
        )
        .with(
            Route::get("/api/audit", "audit", "Who changed what, and what was refused; newest first.")
                .answers::<Audit>(),
            audit,
        );
    explore::with(tests::with(fleets::with(orders::with(api))))
}

/// The router behind the layers that every request passes.
pub fn guarded(router: Router<App>, app: &App) -> Router {
    router
        .route("/healthz", get(metrics::health))
        .route(metrics::PATH, get(metrics::metrics))
        .fallback(front_end::answer)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(app), in_time))
        .layer(middleware::from_fn(compressed))
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard))
        .with_state(Arc::clone(app))
}

/// Compresses long JSON for clients that accept gzip. Answers that are already compressed or have no known length pass unchanged.
async fn compressed(request: Request, next: Next) -> Response {
    let accepted = request.headers().get_all(header::ACCEPT_ENCODING).iter().any(front_end::is_gzip);
    let response = next.run(request).await;
    let is_json = |headers: &HeaderMap| {
        headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
            && !headers.contains_key(header::CONTENT_ENCODING)
            && !headers.contains_key(header::CONTENT_RANGE)
    };
    let length = response.body().size_hint().exact().unwrap_or(0);
    if !accepted || length < SHORT || !is_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return ApiError::internal("an answer that can't be read").into_response();
    };
    let packed = blocking(move || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&bytes).and_then(|()| encoder.finish()).map_err(ApiError::internal)
    });
    match packed.await {
        Ok(packed) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, packed.into())
        }
        Err(error) => error.into_response(),
    }
}

/// Answers within a time limit, or reports a timeout: much sooner for a slow request body than for long work. Bodies are bounded: the one of
/// somebody who is not logged in needs to hold a token only, and all together have a limit.
async fn in_time(State(app): State<App>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>();
    let is_in = caller.is_some_and(|caller| caller.is_in);
    let (most, within) = if is_in { (BODY_BYTES, BODY) } else { (FIRST_BODY_BYTES, FIRST_BODY) };
    let has_body = !request.body().is_end_stream();
    if has_body && !is_in && request.uri().path() != LOGIN {
        // Whoever is not logged in has nothing to send but a token, and is not waited for.
        return closing(ApiError::login("log in first: a body is read only from who is logged in"));
    }
    let client = caller.filter(|_| has_body).map(|caller| caller.client().to_owned());
    let Ok(_place) = client.map(|client| app.senders.take(&client)).transpose() else {
        return closing(ApiError::busy("the server is reading other bodies of yours: try again"));
    };
    let (parts, body) = request.into_parts();
    let expected =
        body.size_hint().upper().map_or(most, |bytes| usize::try_from(bytes).unwrap_or(most).min(most));
    let kibibytes = u32::try_from(expected.div_ceil(1024)).unwrap_or(u32::MAX);
    let Ok(room) = Arc::clone(&app.bodies).try_acquire_many_owned(kibibytes) else {
        return closing(ApiError::busy("the server is reading other bodies: try again"));
    };
    let body = match tokio::time::timeout(within, axum::body::to_bytes(body, most)).await {
        Ok(Ok(body)) => body,
        Ok(Err(e)) => {
            let is_long =
                std::error::Error::source(&e).is_some_and(|e| e.is::<http_body_util::LengthLimitError>());
            let (status, code) = if is_long {
                (StatusCode::PAYLOAD_TOO_LARGE, "too_large")
            } else {
                (StatusCode::BAD_REQUEST, "bad_request")
            };
            return closing(ApiError::new(status, code, format!("the body of the request: {e}")));
        }
        Err(_) => return late("the body of the request took", within),
    };
    let request = Request::from_parts(parts, body.into());
    let answer = tokio::time::timeout(ANSWER, next.run(request)).await;
    drop(room);
    answer.unwrap_or_else(|_| late("the request took", ANSWER))
}

fn late(what: &str, limit: Duration) -> Response {
    let message = format!("{what} more than {} s", limit.as_secs());
    closing(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message))
}

/// A refusal that closes the connection, because the rest of a body may still arrive.
fn closing(error: ApiError) -> Response {
    let mut response = error.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

impl<S: Sync> FromRequestParts<S> for Caller
where
    S: Send,
{
    type Rejection = ApiError;

    fn from_request_parts<'a, 'b, 'c>(
        parts: &'a mut Parts,
        _: &'b S,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Self, ApiError>> + Send + 'c>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        let caller = parts.extensions.get::<Caller>().cloned();
        Box::pin(async move { caller.ok_or_else(|| ApiError::internal("a request without a caller")) })
    }
}

/// Fetches what the first page needs, so that it is cached.
pub async fn look_round(app: App) {
    let asked = orders::known(&app).await.map(drop);
    if let Err(error) = asked.and(machine::machine(&app).await.map(drop)) {
        eprintln!("wiredyno-server: the options or the machine's state can't be read: {error}");
    }
}

/// The current user, and what unsafe requests must carry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Session {
    /// Wiredyno's version, such as `0.1.0`.
    version: String,
    /// Whether the server requires a login.
    login_required: bool,
    /// Whether this client may use the whole API.
    is_in: bool,
    /// Whether it is in by a session, which a logout ends.
    has_session: bool,
    /// The user's name, if the server knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The value that unsafe requests of a browser must carry in `X-CSRF`.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf: Option<String>,
}

/// A token to log in with.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The token, as the server printed it.
    #[schemars(length(min = 1, max = 200))]
    token: String,
}

fn session_of(app: &App, caller: &Caller) -> Session {
    Session {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        login_required: app.settings.login_required,
        is_in: caller.is_in,
        has_session: matches!(caller.credential, Credential::Session(_)),
        user: caller.name.clone(),
        csrf: caller.csrf.clone(),
    }
}

async fn session(State(app): State<App>, caller: Caller) -> Json<Session> {
    Json(session_of(&app, &caller))
}

async fn login(State(app): State<App>, caller: Caller, Json(login): Json<Login>) -> ApiResult<Response> {
    let Some(name) = app.sessions.of_token(&login.token)? else {
        return Err(refused_token(&app, &caller.address));
    };
    let (id, member) = app.sessions.begin(&name)?;
    let (name, csrf, credential) = (Some(member.name), Some(member.csrf), Credential::of_cookie(&id));
    let caller = Caller { name, is_in: true, csrf, credential, ..caller };
    Ok(with_cookie(&app, &caller, &id, ""))
}

async fn logout(State(app): State<App>, caller: Caller, headers: HeaderMap) -> ApiResult<Response> {
    let mut ended = None;
    if let Some(id) = cookie(&headers) {
        ended = app.sessions.of_cookie(id)?.map(|member| Subject(format!("a session of {}", member.name)));
        app.sessions.end(id)?;
    }
    let is_in = !app.settings.login_required;
    let csrf = is_in.then(|| app.sessions.csrf_of_all());
    let caller = Caller { name: None, is_in, csrf, credential: Credential::None, ..caller };
    let mut response = with_cookie(&app, &caller, "", "; Max-Age=0");
    if let Some(subject) = ended {
        response.extensions_mut().insert(subject);
    }
    Ok(response)
}

fn with_cookie(app: &App, caller: &Caller, id: &str, more: &str) -> Response {
    let mut response = Json(session_of(app, caller)).into_response();
    let secure = if caller.encrypted { "; Secure" } else { "" };
    let path = &app.settings.path;
    let cookie = format!("{COOKIE}={id}; HttpOnly; SameSite=Strict; Path={path}/{secure}{more}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The newest 500 entries of the audit log, or the newest before a time.
#[derive(Serialize, JsonSchema)]
struct Audit {
    entries: Vec<AuditEntry>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AuditQuery {
    /// Only entries before this time, in milliseconds of Unix time: the `at_ms` of the last one that is known.
    #[serde(default)]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    before: Option<i64>,
}

async fn audit(State(app): State<App>, Query(query): Query<AuditQuery>) -> ApiResult<Json<Audit>> {
    Ok(Json(Audit { entries: crate::audit::newest(&app.database, query.before)? }))
}
