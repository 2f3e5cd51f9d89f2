//! Routes of the fleets that the operator has set up.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::App;
use crate::api::{Api, Route};
use crate::audit::Subject;
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::fleets::Fleet;

pub(super) fn with(api: Api) -> Api {
    let of = |route: Route| route.word("name", "The fleet's name.").answers::<Begun>();
    api.with(
        Route::get("/api/fleets", "fleets", "The fleets that tests may ask for.").answers::<Fleets>(),
        list,
    )
    .with(
        of(Route::post(
            "/api/fleets/{name}/up",
            "fleet_up",
            "Begins to bring a fleet up, to stay for an hour without a test.",
        )),
        up,
    )
    .with(of(Route::post("/api/fleets/{name}/down", "fleet_down", "Begins to take a fleet down.")), down)
}

/// The fleets.
#[derive(Serialize, JsonSchema)]
struct Fleets {
    /// All that the operator has set up, by name.
    fleets: Vec<Fleet>,
}

/// What has been begun; `fleets` tells what becomes of it.
#[derive(Serialize, JsonSchema)]
struct Begun {
    /// The fleet's name.
    name: String,
    /// `up` or `down`.
    what: String,
}

/// A deed, with what the audit log says of it.
type Done = (Extension<Subject>, Json<Begun>);

async fn list(State(app): State<App>, caller: Caller) -> ApiResult<Json<Fleets>> {
    let _turn = super::orders::turn(&app, &caller).await?;
    Ok(Json(Fleets { fleets: app.fleets.list().await? }))
}

async fn up(State(app): State<App>, Path(name): Path<String>) -> ApiResult<Done> {
    begin(&app, name, "up")
}

async fn down(State(app): State<App>, Path(name): Path<String>) -> ApiResult<Done> {
    begin(&app, name, "down")
}

fn begin(app: &App, name: String, what: &'static str) -> ApiResult<Done> {
    app.fleets.begin(&name, what)?;
    app.scheduler.wake();
    Ok((Extension(Subject(format!("fleet {name}, {what}"))), Json(Begun { name, what: what.to_owned() })))
}
