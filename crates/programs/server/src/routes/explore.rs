//! Routes about runs: their results, files, comparisons and histories.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wiredyno_model::summary::Summary;

use crate::api::{Api, Route};
use crate::audit::Subject;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::explore::{
    CompareQuery, Distribution, DistributionQuery, Figures, FiguresQuery, History, HistoryQuery,
    RecommendQuery,
};
use crate::reader::Question;
use crate::run_list::{RunList, RunsQuery};
use crate::runs::{RunEntry, RunFile};
use crate::work::blocking;
use crate::{App, files, guard};

/// Most runs in a history, the newest.
const HISTORY: usize = 200;

#[expect(clippy::too_many_lines, reason = "the table of this module's routes")]
pub(super) fn with(api: Api) -> Api {
    let run = |route: Route| route.word("id", "The run's id.");
    api.with(
        Route::get("/api/runs", "runs", "The runs that have a summary, newest first.")
            .query::<RunsQuery>()
            .answers::<RunList>(),
        list,
    )
    .with(run(Route::delete("/api/runs/{id}", "delete_run", "Deletes a run.")).answers::<Deleted>(), delete)
    .with(
        run(Route::post(
            "/api/runs/{id}/pin",
            "pin_run",
            "Pins a run, so that it is not deleted, or takes the pin away.",
        ))
        .body::<Pin>()
        .answers::<Pin>(),
        pin,
    )
    .with(run(Route::get("/api/runs/{id}", "run", "A run's summary.json.")).answers::<Summary>(), summary)
    .with(
        run(Route::get(
            "/api/runs/{id}/page",
            "run_page",
            "The parts of a run's report, for embedding in a page.",
        ))
        .answers::<Value>(),
        page,
    )
    .with(
        run(Route::get("/api/runs/{id}/report", "run_report", "A run's report as one HTML file."))
            .gives("text/html"),
        report,
    )
    .with(
        run(Route::get("/api/runs/{id}/files", "run_files", "The files of a run.")).answers::<RunFiles>(),
        list_files,
    )
    .with(
        run(Route::get("/api/runs/{id}/files/{path}", "run_file", "A file of a run, or a range of it."))
            .word("path", "The file's path, as in the list of files.")
            .gives("application/octet-stream"),
        file,
    )
    .with(
        run(Route::get("/api/runs/{id}/figures", "run_figures", "A run's figures by cell."))
            .query::<FiguresQuery>()
            .answers::<Figures>(),
        run_figures,
    )
    .with(
        run(Route::get(
            "/api/runs/{id}/distribution",
            "run_distribution",
            "The distribution of a time of single messages.",
        ))
        .query::<DistributionQuery>()
        .answers::<Distribution>(),
        run_distribution,
    )
    .with(
        run(Route::get(
            "/api/runs/{id}/recommend",
            "run_recommend",
            "Which codec and mode to choose, and how certain that is.",
        ))
        .query::<RecommendQuery>()
        .answers::<Value>(),
        recommend,
    )
    .with(
        Route::get("/api/compare", "compare", "How two runs differ, and whether that is significant.")
            .query::<CompareQuery>()
            .answers::<Value>(),
        compare,
    )
    .with(
        Route::get("/api/history", "history", "A figure of a study over its runs, and where it changed.")
            .query::<HistoryQuery>()
            .answers::<History>(),
        over_time,
    )
}

/// A run that was deleted.
#[derive(Serialize, JsonSchema)]
struct Deleted {
    /// The run's id.
    id: String,
}

/// Whether a run is pinned.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pin {
    pinned: bool,
}

/// The files of a run that may be fetched.
#[derive(Serialize, JsonSchema)]
struct RunFiles {
    files: Vec<RunFile>,
}

async fn list(State(app): State<App>, Query(query): Query<RunsQuery>) -> ApiResult<Json<RunList>> {
    let all = app.reader.list(&app.runs).await?;
    blocking(move || {
        let mut list = RunList::of(all, &query)?;
        let tests = app.queue.of_runs()?;
        list.runs.iter_mut().for_each(|run| run.test = tests.get(&run.id).copied());
        Ok(Json(list))
    })
    .await
}

async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> ApiResult<(Extension<Subject>, Json<Deleted>)> {
    blocking(move || {
        if app.queue.runs_in_work()?.contains(&id) {
            return Err(ApiError::conflict("its test is not over: wait for its end or cancel it"));
        }
        app.runs.delete(&id, &app.settings.scratch())?;
        app.events.tell(None, true, json!({ "type": "runs_changed" }));
        Ok((Extension(Subject(format!("run {id}"))), Json(Deleted { id })))
    })
    .await
}

async fn pin(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(pin): Json<Pin>,
) -> ApiResult<(Extension<Subject>, Json<Pin>)> {
    app.runs.pin(&id, pin.pinned, caller.name.as_deref())?;
    let what = if pin.pinned { "pinned" } else { "no longer pinned" };
    Ok((Extension(Subject(format!("run {id}, {what}"))), Json(pin)))
}

async fn summary(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Response> {
    blocking(move || Ok(answered(app.runs.summary(&id)?))).await
}

/// The JSON answer to a question.
async fn read(app: &App, question: Question) -> ApiResult<Response> {
    Ok(answered(app.reader.answer(&app.runs, &question).await?.to_string()))
}

async fn page(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Response> {
    read(&app, Question::Page { id }).await
}

/// An answer from JSON text.
fn answered(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn report(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Response> {
    let html = app.reader.answer(&app.runs, &Question::Report { id: id.clone() }).await?.to_string();
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.html\"")),
        (header::CONTENT_SECURITY_POLICY, guard::REPORT_SECURITY.to_owned()),
    ];
    Ok((headers, html).into_response())
}

async fn list_files(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<RunFiles>> {
    blocking(move || Ok(Json(RunFiles { files: app.runs.files(&id)? }))).await
}

async fn file(
    State(app): State<App>,
    Path((id, path)): Path<(String, String)>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let folder = app.runs.folder(&id)?;
    // Only listed files are opened, so that no path of a request reaches the file system.
    let known = app.runs.files(&id)?.into_iter().find(|file| file.path == path);
    let known = known.ok_or_else(|| ApiError::not_found("the run has no such file"))?;
    let name = known.path.replace('/', "-");
    files::answer(&folder.join(&known.path), &format!("{id}-{name}"), &method, &headers).await
}

async fn run_figures(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<FiguresQuery>,
) -> ApiResult<Response> {
    if query.format.as_deref() != Some("csv") {
        return read(&app, Question::Figures { id, query }).await;
    }
    let table = app.reader.answer(&app.runs, &Question::Table { id: id.clone() }).await?.to_string();
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.csv\"")),
    ];
    Ok((headers, table).into_response())
}

async fn run_distribution(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<DistributionQuery>,
) -> ApiResult<Response> {
    read(&app, Question::Distribution { id, query }).await
}

async fn recommend(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<RecommendQuery>,
) -> ApiResult<Response> {
    read(&app, Question::Recommend { id, query }).await
}

async fn compare(State(app): State<App>, Query(query): Query<CompareQuery>) -> ApiResult<Response> {
    read(&app, Question::Compare { query }).await
}

async fn over_time(State(app): State<App>, Query(query): Query<HistoryQuery>) -> ApiResult<Response> {
    let mut runs: Vec<RunEntry> = app.reader.list(&app.runs).await?;
    runs.retain(|run| run.study == query.study && run.complete);
    runs.truncate(HISTORY);
    runs.reverse();
    read(&app, Question::History { runs, query }).await
}
