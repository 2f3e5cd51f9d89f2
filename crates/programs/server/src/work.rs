//! Work that a request waits for on a thread of its own.

use crate::App;
use crate::clock::now_ms;
use crate::error::{ApiError, ApiResult};

/// Runs blocking work on a thread for it.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    tokio::task::spawn_blocking(work).await.map_err(ApiError::internal)?
}

/// Time since the server started, in milliseconds.
pub fn uptime_ms(app: &App) -> i64 {
    now_ms() - app.started_ms
}
