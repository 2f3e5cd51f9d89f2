//! What is said when something can't be done: one shape for all of the API.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_model::FileError;

/// The body of every answer with a status of 400 or more.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What is wrong.
    pub error: ErrorDetail,
}

/// What is wrong, and what to do.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDetail {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// The line of the text that was sent, from 1, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Why a request is refused.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    detail: ErrorDetail,
    retry_after_s: Option<u32>,
}

/// What a handler gives.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// With a status, a word for programs and a sentence.
    pub fn new(status: StatusCode, code: &str, message: impl ToString) -> Self {
        let detail = ErrorDetail { code: code.to_owned(), message: message.to_string(), line: None };
        ApiError { status, detail, retry_after_s: None }
    }

    /// What a child said, as it said it.
    pub fn of_parts(status: StatusCode, detail: ErrorDetail) -> Self {
        ApiError { status, detail, retry_after_s: None }
    }

    /// For whoever hands it on.
    pub fn parts(self) -> (StatusCode, ErrorDetail) {
        (self.status, self.detail)
    }

    /// What was sent makes no sense.
    pub fn bad(message: impl ToString) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// Nobody has logged in.
    pub fn login(message: impl ToString) -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, "login", message)
    }

    /// It is not allowed.
    pub fn forbidden(message: impl ToString) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl ToString) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// The state of things does not allow it.
    pub fn conflict(message: impl ToString) -> Self {
        ApiError::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// The text of a study or a definition is refused.
    pub fn text(code: &str, message: impl ToString, line: Option<usize>) -> Self {
        let mut error = ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message);
        error.detail.line = line;
        error
    }

    /// Too often.
    pub fn rate(after_s: u32) -> Self {
        let message = format!("too many requests: wait {after_s} s");
        let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", message);
        ApiError { retry_after_s: Some(after_s), ..error }
    }

    /// Not now.
    pub fn busy(message: impl ToString) -> Self {
        let error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message);
        ApiError { retry_after_s: Some(1), ..error }
    }

    /// A defect or a broken machine: the log says what, the answer does not.
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
