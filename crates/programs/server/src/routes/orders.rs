//! Routes for preparing a test: options, plans, sizes and payloads.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::App;
use crate::api::{Api, Route};
use crate::audit::Subject;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::helper::Turn;
use crate::links::{KeptLink, NewLink};
use crate::options::{Limits, Options};
use crate::payloads::{Brought, NewPayload, UPLOAD_BYTES, Weighed};
use crate::plan::{PlanRequest, Planned, plan};
use crate::studies::{KeptStudy, NewStudy};
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
    .with(
        Route::post("/api/links", "keep_link", "Keeps a link by its numbers, which studies can name.")
            .body::<NewLink>()
            .makes::<KeptLink>(),
        keep_link,
    )
    .with(
        Route::delete("/api/links/{id}", "take_link_away", "Removes a link that a user made.")
            .word("id", "The link's id.")
            .answers::<KeptLink>(),
        take_link_away,
    )
    .with(
        Route::post(
            "/api/studies",
            "keep_study",
            "Keeps a study under an id, replacing one that was kept before.",
        )
        .body::<NewStudy>()
        .makes::<KeptStudy>(),
        keep_study,
    )
    .with(
        Route::delete("/api/studies/{id}", "take_study_away", "Removes a study that a user kept.")
            .word("id", "The study's id.")
            .answers::<KeptStudy>(),
        take_study_away,
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
    app.options.get(app, limits(app)).await
}

async fn options(State(app): State<App>) -> ApiResult<Json<Options>> {
    let options = known(&app).await?;
    Ok(Json((*options).clone()))
}

/// Waits for the user's turn to ask, because each question costs a process.
pub(super) async fn turn(app: &App, caller: &Caller) -> ApiResult<Turn> {
    app.question_rate.take(caller.client()).map_err(ApiError::rate)?;
    app.turns.of(caller.client()).await
}

async fn planned(
    State(app): State<App>,
    caller: Caller,
    Json(request): Json<PlanRequest>,
) -> ApiResult<Json<Planned>> {
    let _turn = turn(&app, &caller).await?;
    let fleet = request.fleet.as_deref().map(|name| app.fleets.file(name)).transpose()?;
    plan(&app.helper, &app.settings.data.join("scratch"), &request, None, fleet).await.map(Json)
}

async fn size(
    State(app): State<App>,
    caller: Caller,
    Json(brought): Json<Brought>,
) -> ApiResult<Json<Weighed>> {
    let _turn = turn(&app, &caller).await?;
    app.payloads.weigh(&brought).await.map(Json)
}

async fn keep(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewPayload>,
) -> ApiResult<impl IntoResponse> {
    let _turn = turn(&app, &caller).await?;
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
    let subject = Subject(format!("payload {}", new.id));
    Ok((StatusCode::CREATED, Extension(subject), Json(Kept { id: new.id })))
}

async fn take_away(State(app): State<App>, Path(id): Path<String>) -> ApiResult<impl IntoResponse> {
    app.payloads.take_away(&id, || Ok(app.queue.names("payload", &id)?))?;
    changed(&app).await;
    let subject = Subject(format!("payload {id}"));
    Ok((Extension(subject), Json(Kept { id })))
}

async fn keep_link(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewLink>,
) -> ApiResult<impl IntoResponse> {
    let _turn = turn(&app, &caller).await?;
    let options = known(&app).await?;
    if options.links.iter().any(|link| link["id"] == new.id) {
        return Err(ApiError::conflict(format!("there is already a link `{}`: choose another id", new.id)));
    }
    app.links.keep(&new).await?;
    changed(&app).await;
    let subject = Subject(format!("link {}", new.id));
    Ok((StatusCode::CREATED, Extension(subject), Json(KeptLink { id: new.id })))
}

async fn take_link_away(State(app): State<App>, Path(id): Path<String>) -> ApiResult<impl IntoResponse> {
    app.links.take_away(&id, || Ok(app.queue.names("link", &id)?))?;
    changed(&app).await;
    let subject = Subject(format!("link {id}"));
    Ok((Extension(subject), Json(KeptLink { id })))
}

async fn keep_study(State(app): State<App>, Json(new): Json<NewStudy>) -> ApiResult<impl IntoResponse> {
    let options = known(&app).await?;
    if options.studies.iter().any(|study| study["id"] == new.id && study["uploaded"] != true) {
        return Err(ApiError::conflict(format!(
            "a study `{}` comes with Wiredyno: choose another id",
            new.id
        )));
    }
    app.studies.keep(&new)?;
    changed(&app).await;
    let subject = Subject(format!("study {}", new.id));
    Ok((StatusCode::CREATED, Extension(subject), Json(KeptStudy { id: new.id })))
}

async fn take_study_away(State(app): State<App>, Path(id): Path<String>) -> ApiResult<impl IntoResponse> {
    app.studies.take_away(&id)?;
    changed(&app).await;
    let subject = Subject(format!("study {id}"));
    Ok((Extension(subject), Json(KeptStudy { id })))
}

async fn changed(app: &App) {
    app.options.forget().await;
    app.events.tell(None, true, json!({ "type": "options_changed" }));
}
