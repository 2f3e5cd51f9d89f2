//! The API: what can be asked, and who answers. Session and machine stand here, the rest in a file each.

mod explore;
mod orders;
mod tests;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Body as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{Api, Route};
use crate::clock::now_ms;
use crate::error::{ApiError, ApiResult};
use crate::guard::{Caller, cookie, guard, refused_token};
use crate::session::COOKIE;
use crate::{App, front_end, machine};

/// The longest body of a request: a definition and samples, written as JSON.
const BODY_BYTES: usize = 12 << 20;
/// Shorter answers are not compressed, in bytes.
const SHORT: u64 = 2048;
/// How long the body of a request may take to come.
const BODY: Duration = Duration::from_secs(40);
/// How long an answer may take: longer than a question to the program may, its turn included.
const ANSWER: Duration = Duration::from_secs(400);

/// All routes.
pub fn api() -> Api {
    let api = Api::default()
        .with(
            Route::get("/api/openapi.json", "openapi", "This document.").answers::<Value>(),
            async |State(app): State<App>| Json(app.document.clone()),
        )
        .with(
            Route::get("/api/session", "session", "Who is asking, and what unsafe requests must carry.")
                .answers::<Session>(),
            session,
        )
        .with(
            Route::post("/api/login", "login", "Begins a session with a token.")
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
    explore::with(tests::with(orders::with(api)))
}

/// The router with all that requests pass.
pub fn guarded(router: Router<App>, app: &App) -> Router {
    router
        .fallback(front_end::answer)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn(compressed))
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard))
        .with_state(Arc::clone(app))
}

/// Compresses JSON that is long, where that is understood. What is compressed or has no end already goes as it is.
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

/// Answers in time, or says that it could not: where a body comes too slowly much sooner than where work takes long.
async fn in_time(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY, axum::body::to_bytes(body, BODY_BYTES)).await {
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
        Err(_) => return late("the body of the request took", BODY),
    };
    let request = Request::from_parts(parts, body.into());
    tokio::time::timeout(ANSWER, next.run(request)).await.unwrap_or_else(|_| late("the request took", ANSWER))
}

fn late(what: &str, limit: Duration) -> Response {
    let message = format!("{what} more than {} s", limit.as_secs());
    closing(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message))
}

/// A refusal after which the connection can't be used: the rest of a body may still come.
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

/// Has ready what pages ask first.
pub async fn look_round(app: App) {
    let asked = orders::known(&app).await.map(drop);
    if let Err(error) = asked.and(machine::machine(&app).await.map(drop)) {
        eprintln!("wiredyno-server: can't find out what this machine has: {error}");
    }
}

/// Runs what blocks where it may.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    tokio::task::spawn_blocking(work).await.map_err(ApiError::internal)?
}

/// Who asks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Session {
    /// The server's version.
    version: String,
    /// Whether nothing is answered without a login.
    login_required: bool,
    /// Whether everything may be asked now.
    is_in: bool,
    /// The name, where the server knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// What unsafe requests of a browser must carry in `X-CSRF`.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf: Option<String>,
}

/// A token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// As the server printed it.
    #[schemars(length(min = 1, max = 200))]
    token: String,
}

fn session_of(app: &App, caller: &Caller) -> Session {
    Session {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        login_required: app.settings.login_required,
        is_in: caller.is_in,
        user: caller.name.clone(),
        csrf: caller.csrf.clone(),
    }
}

async fn session(State(app): State<App>, caller: Caller) -> Json<Session> {
    Json(session_of(&app, &caller))
}

async fn login(State(app): State<App>, caller: Caller, Json(login): Json<Login>) -> ApiResult<Response> {
    app.login_rate.look(&caller.address).map_err(ApiError::rate)?;
    let Some(name) = app.sessions.of_token(&login.token)? else {
        return Err(refused_token(&app, &caller.address));
    };
    let (id, member) = app.sessions.begin(&name)?;
    let caller = Caller { name: Some(member.name), is_in: true, csrf: Some(member.csrf), ..caller };
    Ok(with_cookie(&app, &caller, &id, ""))
}

async fn logout(State(app): State<App>, caller: Caller, headers: HeaderMap) -> ApiResult<Response> {
    if let Some(id) = cookie(&headers) {
        app.sessions.end(id)?;
    }
    let is_in = !app.settings.login_required;
    let csrf = is_in.then(|| app.sessions.csrf_of_all());
    let caller = Caller { name: None, is_in, csrf, ..caller };
    Ok(with_cookie(&app, &caller, "", "; Max-Age=0"))
}

fn with_cookie(app: &App, caller: &Caller, id: &str, more: &str) -> Response {
    let mut response = Json(session_of(app, caller)).into_response();
    let secure = if app.settings.tls.is_some() { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={id}; HttpOnly; SameSite=Strict; Path=/{secure}{more}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The audit log.
#[derive(Serialize, JsonSchema)]
struct Audit {
    entries: Vec<AuditEntry>,
}

/// Something that was asked.
#[derive(Serialize, JsonSchema)]
struct AuditEntry {
    /// When, in milliseconds of Unix time.
    at_ms: i64,
    /// By whom, where the server knew.
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    /// From where.
    address: String,
    /// The method and the path.
    action: String,
    /// What was answered.
    status: u16,
}

async fn audit(State(app): State<App>) -> ApiResult<Json<Audit>> {
    let connection = app.database.get();
    let mut statement = connection.prepare_cached("select * from audit order by id desc limit 500")?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(AuditEntry {
            at_ms: row.get("at_ms")?,
            who: row.get("who")?,
            address: row.get("address")?,
            action: row.get("action")?,
            status: row.get("status")?,
        })
    };
    let entries = statement.query_map([], read)?.collect::<Result<_, _>>()?;
    Ok(Json(Audit { entries }))
}

/// How long the server has been up, in milliseconds.
pub fn uptime_ms(app: &App) -> i64 {
    now_ms() - app.started_ms
}
