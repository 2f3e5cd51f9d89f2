//! Error answers: one shape for the whole API.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_model::FileError;

/// The body of every answer with a status of 400 or more.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What is wrong, and what to do about it.
    pub error: ErrorDetail,
}

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDetail {
    /// A stable identifier for programs, such as `not_found`.
    pub code: String,
    /// A sentence for the user.
    pub message: String,
    /// The line of the submitted text, from 1, if the error is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// A refused request: status, body and `Retry-After`.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    detail: ErrorDetail,
    retry_after_s: Option<u32>,
}

/// The result of a handler: its answer, or the error that becomes one.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// From a status, an identifier for programs and a sentence.
    pub fn new(status: StatusCode, code: &str, message: impl ToString) -> Self {
        let detail = ErrorDetail { code: code.to_owned(), message: message.to_string(), line: None };
        ApiError { status, detail, retry_after_s: None }
    }

    /// An error that a child process reported.
    pub fn of_parts(status: StatusCode, detail: ErrorDetail) -> Self {
        ApiError { status, detail, retry_after_s: None }
    }

    /// Status and detail, for passing on to another process.
    pub fn parts(self) -> (StatusCode, ErrorDetail) {
        (self.status, self.detail)
    }

    /// 400: the request makes no sense.
    pub fn bad(message: impl ToString) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// 401: a login is required.
    pub fn login(message: impl ToString) -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, "login", message)
    }

    /// 403: the request is not allowed.
    pub fn forbidden(message: impl ToString) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// 404: there is no such thing.
    pub fn not_found(message: impl ToString) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// 409: the current state does not allow it.
    pub fn conflict(message: impl ToString) -> Self {
        ApiError::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// 422: the text of a study or definition is refused.
    pub fn text(code: &str, message: impl ToString, line: Option<usize>) -> Self {
        let mut error = ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message);
        error.detail.line = line;
        error
    }

    /// 429: the client must wait this many seconds.
    pub fn rate(after_s: u32) -> Self {
        let message = format!("too many requests: wait {after_s} s");
        let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", message);
        ApiError { retry_after_s: Some(after_s), ..error }
    }

    /// 503: overloaded; the client may retry after a second.
    pub fn busy(message: impl ToString) -> Self {
        let error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message);
        ApiError { retry_after_s: Some(1), ..error }
    }

    /// 500: a defect or a broken machine. Only the server's log has the cause.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        eprintln!("wiredyno-server: {error:#}");
        let message = "something went wrong in the server; see its log";
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail.message)
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        ApiError::internal(error)
    }
}

impl From<rusqlite::Error> for ApiError {
    fn from(error: rusqlite::Error) -> Self {
        ApiError::internal(error)
    }
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        ApiError::text("study", format!("{}{}", error.problem, error.hint), error.line)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { error: self.detail })).into_response();
        if let Some(after) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after));
        }
        response
    }
}
