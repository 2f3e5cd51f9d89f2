//! Routes for preparing a test: options, plans, sizes and payloads.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::App;
use crate::api::{Api, Route};
use crate::error::{ApiError, ApiResult};
use crate::guard::Caller;
use crate::options::{Limits, Options};
use crate::payloads::{Brought, NewPayload, UPLOAD_BYTES, Weighed};
use crate::plan::{PlanRequest, Planned, plan};
use crate::study::STUDY_BYTES;

pub(super) fn with(api: Api) -> Api {
    api.with(
        Route::get("/api/options", "options", "What this machine offers to choose from.")
            .answers::<Options>(),
        options,
    )
    .with(
        Route::post("/api/plan", "plan", "What a study would do here, without running it.")
            .body::<PlanRequest>()
            .answers::<Planned>(),
        planned,
    )
    .with(
        Route::post("/api/size", "size", "A message's size in every format, without keeping it.")
            .body::<Brought>()
            .answers::<Weighed>(),
        size,
    )
    .with(
        Route::post("/api/payloads", "keep_payload", "Keeps a message as a payload that studies can name.")
            .body::<NewPayload>()
            .makes::<Kept>(),
        keep,
    )
    .with(
        Route::delete("/api/payloads/{id}", "take_payload_away", "Removes an uploaded payload.")
            .word("id", "The payload's id.")
            .answers::<Kept>(),
        take_away,
    )
}

/// An uploaded payload that was kept or removed.
#[derive(Serialize, JsonSchema)]
struct Kept {
    /// The payload's id.
    id: String,
}

fn limits(app: &App) -> Limits {
    Limits {
        study_bytes: STUDY_BYTES as u64,
        upload_bytes: UPLOAD_BYTES as u64,
        most_trials: app.settings.most_trials,
        most_seconds: app.settings.most_seconds,
    }
}

/// The options, from the cache if they are fresh.
pub(super) async fn known(app: &App) -> ApiResult<Arc<Options>> {
    app.options.get(&app.helper, &app.payloads, &app.settings.brokers, limits(app)).await
}

async fn options(State(app): State<App>) -> ApiResult<Json<Options>> {
    let options = known(&app).await?;
    Ok(Json((*options).clone()))
}

/// Limits questions per user, because each costs a process.
fn may_ask(app: &App, caller: &Caller) -> ApiResult<()> {
    app.question_rate.take(caller.name.as_deref().unwrap_or(&caller.address)).map_err(ApiError::rate)
}

async fn planned(
    State(app): State<App>,
    caller: Caller,
    Json(request): Json<PlanRequest>,
) -> ApiResult<Json<Planned>> {
    may_ask(&app, &caller)?;
    plan(&app.helper, &app.settings.data.join("scratch"), &request, None).await.map(Json)
}

async fn size(
    State(app): State<App>,
    caller: Caller,
    Json(brought): Json<Brought>,
) -> ApiResult<Json<Weighed>> {
    may_ask(&app, &caller)?;
    app.payloads.weigh(&brought).await.map(Json)
}

async fn keep(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewPayload>,
) -> ApiResult<(axum::http::StatusCode, Json<Kept>)> {
    may_ask(&app, &caller)?;
    let options = known(&app).await?;
    let taken = |of: &serde_json::Value| of["name"] == new.id || of["id"] == new.id;
    if options.payloads.iter().any(taken) {
        return Err(ApiError::conflict(format!(
            "there is already a payload `{}`: choose another id",
            new.id
        )));
    }
    app.payloads.keep(&new).await?;
    changed(&app).await;
    Ok((axum::http::StatusCode::CREATED, Json(Kept { id: new.id })))
}

async fn take_away(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<Kept>> {
    if app.queue.names_payload(&id)? {
        return Err(ApiError::conflict("a waiting or running test uses it: wait for its end or cancel it"));
    }
    app.payloads.take_away(&id)?;
    changed(&app).await;
    Ok(Json(Kept { id }))
}

async fn changed(app: &App) {
    app.options.forget().await;
    app.events.tell(None, true, json!({ "type": "options_changed" }));
}
