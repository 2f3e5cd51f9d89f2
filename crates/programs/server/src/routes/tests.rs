//! Routes of the queue: submitting, moving, cancelling and watching tests.
//!
//! One file because every handler works on the same queue and scheduler, through the table of routes at its top.

use std::io::{Read, Seek, SeekFrom};

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::App;
use crate::api::{Api, Route};
use crate::audit::Subject;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use crate::events::Followed;
use crate::places::Full;
use crate::plan::{PlanRequest, plan};
use crate::queue::Refusal;
use crate::space;
use crate::study;
use crate::test::{Kind, Order, State as TestState, Test, WatchedTest};
use crate::test_attempt::{log_file, order_file};

/// When a client with its share of streams may ask again, in seconds.
const STREAM_AGAIN_S: u32 = 5;
/// Lines of its log that a test is answered with.
const LINES: usize = 500;
/// The end of a log that these lines are taken from, in bytes.
const TAIL: u64 = 256 * 1024;

#[expect(clippy::too_many_lines, reason = "the table of this module's routes")]
pub(super) fn with(api: Api) -> Api {
    api.with(
        Route::get(
            "/api/tests",
            "tests",
            "Running tests, then waiting ones in their order, then finished ones, newest first.",
        )
        .query::<ListQuery>()
        .answers::<Tests>(),
        list,
    )
    .with(Route::post("/api/tests", "submit", "Submits a test.").body::<NewTest>().makes::<Test>(), submit)
    .with(
        Route::post(
            "/api/machine/self-test",
            "self_test",
            "Queues a self-test: which differences can this machine detect?",
        )
        .makes::<Test>(),
        self_test,
    )
    .with(
        Route::get("/api/tests/{id}", "test", "A test with everything known about it.")
            .number("id", "The test's number.")
            .answers::<WatchedTest>(),
        one,
    )
    .with(
        Route::get("/api/tests/{id}/log", "test_log", "The output of its run.")
            .number("id", "The test's number.")
            .gives("text/plain"),
        log,
    )
    .with(
        Route::post("/api/tests/{id}/cancel", "cancel", "Stops a test, or removes it from the queue.")
            .number("id", "The test's number.")
            .answers::<Test>(),
        cancel,
    )
    .with(
        Route::post(
            "/api/tests/cancel",
            "cancel_all",
            "Stops several tests, or removes them from the queue.",
        )
        .body::<Several>()
        .answers::<Several>(),
        cancel_all,
    )
    .with(
        Route::delete(
            "/api/tests/{id}",
            "delete_test",
            "Deletes a test that has ended, with its log; its run stays.",
        )
        .number("id", "The test's number.")
        .answers::<Test>(),
        delete,
    )
    .with(
        Route::post("/api/tests/{id}/again", "again", "Submits the same test again.")
            .number("id", "The test's number.")
            .makes::<Test>(),
        again,
    )
    .with(
        Route::post("/api/tests/{id}/move", "move", "Moves a waiting test.")
            .number("id", "The test's number.")
            .body::<Move>()
            .answers::<Test>(),
        move_to,
    )
    .with(
        Route::get("/api/events", "queue_events", "What happens in the queue, as server-sent events.")
            .query::<EventsQuery>()
            .gives("text/event-stream"),
        queue_events,
    )
    .with(
        Route::get("/api/tests/{id}/events", "test_events", "What happens in a test, as server-sent events.")
            .number("id", "The test's number.")
            .query::<EventsQuery>()
            .gives("text/event-stream"),
        test_events,
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// States, separated by commas; all when left out.
    #[serde(default)]
    state: Option<String>,
    /// Most finished tests to list; 100 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
    /// List only finished tests with lower numbers than this.
    #[serde(default)]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    before: Option<i64>,
}

/// A list of tests.
#[derive(Serialize, JsonSchema)]
struct Tests {
    /// Running tests, then waiting ones, then finished ones.
    tests: Vec<Test>,
    /// The number of the last event that this answer includes.
    last_event: String,
}

/// A test to submit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewTest {
    /// The text of its study, as TOML.
    study: String,
    /// Keep only these cells, as with `--only`: `codec=json/serde-json`.
    #[serde(default)]
    only: Vec<String>,
    /// Tests with a higher priority run first.
    #[serde(default)]
    #[schemars(range(min = -100, max = 100))]
    priority: i32,
    /// Whether to capture the packets of its trials.
    #[serde(default)]
    capture: bool,
    /// A running broker to use: one of `external_brokers` of the options.
    #[serde(default)]
    broker: Option<String>,
    /// The fleet whose agents its hosts are: one of `fleets`. It is used if it is up, else brought up and taken down for this test.
    #[serde(default)]
    fleet: Option<String>,
    /// The number of the test that this one is a variant of.
    #[serde(default)]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    again_of: Option<i64>,
}

/// Several tests.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Several {
    /// Their numbers; of an answer, those that were changed.
    #[schemars(length(max = 1000))]
    tests: Vec<i64>,
}

/// A new place in the queue for a waiting test.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Move {
    /// The new priority; unchanged when left out.
    #[serde(default)]
    #[schemars(range(min = -100, max = 100))]
    priority: Option<i32>,
    /// Place it before the test with this number; 0 places it after all of its priority.
    #[serde(default)]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_i64))]
    before: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// The number of the last known event, if the header `Last-Event-ID` does not give it.
    #[serde(default)]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    after: Option<u64>,
    /// Whether the stream of the queue carries the events of all tests too, as `{"of": 7, "queue": false, "event": {...}}`.
    #[serde(default)]
    all: bool,
}

async fn list(State(app): State<App>, Query(query): Query<ListQuery>) -> ApiResult<Response> {
    let is_first = query.state.is_none() && query.before.is_none() && query.limit.is_none();
    let page = match is_first {
        true => first_page(&app, query).await?,
        false => page(&app, &query)?.into(),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], page).into_response())
}

/// The first page. Many wait for it, and none of the threads that serve others.
async fn first_page(app: &App, query: ListQuery) -> ApiResult<Bytes> {
    let app = app.clone();
    let made = move || app.first_page.get(|| app.events.last_of_queue(), || page(&app, &query));
    tokio::task::spawn_blocking(made).await.map_err(ApiError::internal)?
}

/// A page of the list, as JSON.
fn page(app: &App, query: &ListQuery) -> ApiResult<Vec<u8>> {
    let last_event = app.events.last().to_string();
    let mut states = Vec::new();
    for word in crate::explore::words(query.state.as_deref()) {
        let state = TestState::of(word)
            .ok_or_else(|| ApiError::bad(format!("there is no state `{}`", crate::runs::shown(word))))?;
        states.push(state);
    }
    let limit = query.limit.unwrap_or(100);
    if !(1..=1000).contains(&limit) {
        return Err(ApiError::bad("limit must be a number from 1 to 1000"));
    }
    let mut tests = app.queue.list(&states, limit, query.before)?;
    tests.iter_mut().for_each(|test| app.scheduler.complete(test));
    serde_json::to_vec(&Tests { tests, last_event }).map_err(ApiError::internal)
}

fn checked_priority(priority: i32) -> ApiResult<i32> {
    match (-100..=100).contains(&priority) {
        true => Ok(priority),
        false => Err(ApiError::bad("priority must be a number from -100 to 100")),
    }
}

async fn submit(State(app): State<App>, caller: Caller, Json(new): Json<NewTest>) -> ApiResult<Made> {
    checked_priority(new.priority)?;
    if let Some(of) = new.again_of {
        found(&app, of)?;
    }
    let NewTest { study, only, priority, capture, broker, fleet, again_of } = new;
    let order = Order {
        kind: Kind::Study,
        name: String::new(),
        why: String::new(),
        study,
        only,
        broker,
        fleet,
        capture,
        priority,
        by: caller.name.clone(),
        again_of,
        cells: None,
        estimate_ns: None,
    };
    add(&app, &caller, order).await
}

/// A test, with what the audit log says of it.
type Made = (StatusCode, Extension<Subject>, Json<Test>);

fn subject(test: &Test, what: &str) -> Extension<Subject> {
    Extension(Subject(format!("test {}, {}{what}", test.id, test.name)))
}

/// Adds a test if its study can be run here within the limits.
async fn add(app: &App, caller: &Caller, mut order: Order) -> ApiResult<Made> {
    if let Some(lacking) = space::lacking(&app.settings.data, app.settings.least_free) {
        return Err(ApiError::new(StatusCode::INSUFFICIENT_STORAGE, "disk", lacking));
    }
    if app.queue.open_tests()? >= app.settings.most_tests {
        let message = format!("{} tests are already waiting: submit it later", app.settings.most_tests);
        return Err(ApiError::conflict(message));
    }
    if let Some(broker) = &order.broker
        && !app.settings.brokers.contains(broker)
    {
        return Err(ApiError::forbidden("the server's operator has not allowed this broker (--broker)"));
    }
    let fleet = order.fleet.as_deref().map(|name| app.fleets.file(name)).transpose()?;
    let _turn = super::orders::turn(app, caller).await?;
    let request = PlanRequest { study: order.study.clone(), only: order.only.clone(), fleet: None };
    let scratch = app.settings.data.join("scratch");
    let planned = plan(&app.helper, &scratch, &request, order.broker.as_deref(), fleet).await?;
    let trials = planned.trials + planned.codec_trials;
    if trials == 0 {
        let why =
            planned.not_run.first().map_or_else(String::new, |not| format!(": {}: {}", not.what, not.why));
        let message = format!("nothing to measure: none of the study's combinations can be run here{why}");
        return Err(ApiError::text("nothing", message, None));
    }
    let (most_trials, most_seconds) = (app.settings.most_trials, app.settings.most_seconds);
    if trials > most_trials {
        let message =
            format!("the study has {trials} trials, but a test here may have at most {most_trials}");
        return Err(ApiError::text("limit", message, None));
    }
    let seconds = planned.estimate_ns / 1_000_000_000;
    if seconds > most_seconds {
        let message = format!(
            "the study takes about {} hours, but a test here may take at most {}",
            seconds / 3600,
            most_seconds / 3600
        );
        return Err(ApiError::text("limit", message, None));
    }
    (order.name, order.why) = (planned.name, planned.why);
    order.cells = Some(planned.cells.len() as u64 + planned.codec_cells);
    order.estimate_ns = Some(planned.estimate_ns + planned.compile_estimate_ns);
    let uploaded: Vec<String> = uploaded_payloads(app, &order.study)?;
    let made = added(app, &order)?;
    // One may have been removed since the study was planned. From now on none can be.
    if let Some(gone) = uploaded.iter().find(|id| !app.payloads.has(id)) {
        let Json(test) = &made.2;
        app.queue.cancel(test.id)?.ok();
        app.scheduler.tell_changed(test.id);
        return Err(ApiError::conflict(format!("the payload `{gone}` was removed meanwhile")));
    }
    Ok(made)
}

/// The uploaded payloads that a study names.
fn uploaded_payloads(app: &App, text: &str) -> ApiResult<Vec<String>> {
    let of_study = study::read(text)?.axes.values("payload").into_iter();
    let ids = of_study.map(|value| value.split('@').next().unwrap_or_default().to_owned());
    Ok(ids.filter(|id| app.payloads.has(id)).collect())
}

fn added(app: &App, order: &Order) -> ApiResult<Made> {
    let test = app.queue.add(order)?;
    app.scheduler.tell_changed(test.id);
    app.scheduler.wake();
    Ok((StatusCode::CREATED, subject(&test, ""), Json(test)))
}

async fn self_test(State(app): State<App>, caller: Caller) -> ApiResult<Made> {
    let waiting = app.queue.list(&[TestState::Submitted, TestState::Processing], 1, None)?;
    if waiting.iter().any(|test| test.kind == Kind::SelfTest) {
        return Err(ApiError::conflict("a self-test is already waiting"));
    }
    let order = Order {
        kind: Kind::SelfTest,
        name: "self-test".to_owned(),
        why: "Which differences can this machine detect?".to_owned(),
        study: String::new(),
        only: Vec::new(),
        broker: None,
        fleet: None,
        capture: false,
        priority: 0,
        by: caller.name,
        again_of: None,
        cells: None,
        estimate_ns: None,
    };
    added(&app, &order)
}

fn found(app: &App, id: i64) -> ApiResult<Test> {
    app.queue.find(id)?.ok_or_else(|| ApiError::not_found(format!("there is no test {id}")))
}

async fn one(State(app): State<App>, Path(id): Path<i64>) -> ApiResult<Json<WatchedTest>> {
    let last_event = app.events.last().to_string();
    let mut test = found(&app, id)?;
    app.scheduler.complete(&mut test);
    let due = app.queue.due(id)?.ok_or_else(|| ApiError::not_found(format!("there is no test {id}")))?;
    let attempts_made = app.queue.attempts(id)?;
    let now = app.scheduler.current(|current| {
        let current = current.filter(|current| current.test == id)?;
        Some((current.watch.state.clone(), current.watch.lines.iter().cloned().collect::<Vec<_>>()))
    });
    let (watch, lines) = match now {
        Some((watch, lines)) => (Some(watch), lines),
        None => {
            let watch = app.queue.watch(id)?.and_then(|text| serde_json::from_str(&text).ok());
            let text = tail(&app, id)?;
            let skipped = text.lines().count().saturating_sub(LINES);
            (watch, text.lines().skip(skipped).map(str::to_owned).collect())
        }
    };
    let (study, only) = (due.study, due.only);
    Ok(Json(WatchedTest { test, study, only, last_event, lines, attempts_made, watch }))
}

/// The end of a log.
fn tail(app: &App, id: i64) -> ApiResult<String> {
    let Ok(mut file) = std::fs::File::open(log_file(&app.settings.data, id)) else {
        return Ok(String::new());
    };
    let length = file.metadata().map_err(ApiError::internal)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).map_err(ApiError::internal)?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).map_err(ApiError::internal)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

async fn log(State(app): State<App>, Path(id): Path<i64>) -> ApiResult<Response> {
    found(&app, id)?;
    let text = tokio::fs::read(log_file(&app.settings.data, id)).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

fn refused(refusal: Refusal, id: i64) -> ApiError {
    match refusal {
        Refusal::Unknown => ApiError::not_found(format!("there is no test {id}")),
        Refusal::State(state) => {
            ApiError::conflict(format!("test {id} is not waiting: it is {}", state.name()))
        }
    }
}

async fn cancel(State(app): State<App>, Path(id): Path<i64>) -> ApiResult<(Extension<Subject>, Json<Test>)> {
    match app.queue.cancel(id)? {
        Ok(test) => {
            app.scheduler.tell_changed(id);
            Ok((subject(&test, ""), Json(test)))
        }
        Err(Refusal::State(TestState::Processing)) => {
            // Written down first: a server that is killed after its answer cancels the test when it starts again.
            if app.queue.ask_to_cancel(id)? {
                app.scheduler.cancel(id);
            }
            app.scheduler.tell_changed(id);
            let mut test = found(&app, id)?;
            app.scheduler.complete(&mut test);
            Ok((subject(&test, ""), Json(test)))
        }
        Err(Refusal::State(state)) => {
            Err(ApiError::conflict(format!("test {id} is already {}", state.name())))
        }
        Err(refusal) => Err(refused(refusal, id)),
    }
}

/// Cancels those that wait or run; others are left as they are.
async fn cancel_all(
    State(app): State<App>,
    Json(several): Json<Several>,
) -> ApiResult<(Extension<Subject>, Json<Several>)> {
    let mut tests = Vec::new();
    for id in several.tests {
        let cancelled = match app.queue.cancel(id)? {
            Ok(_) => true,
            Err(Refusal::State(TestState::Processing)) => app.queue.ask_to_cancel(id)?,
            Err(_) => false,
        };
        if cancelled {
            app.scheduler.cancel(id);
            app.scheduler.tell_changed(id);
            tests.push(id);
        }
    }
    let names: Vec<String> = tests.iter().map(i64::to_string).collect();
    Ok((Extension(Subject(format!("tests {}", names.join(", ")))), Json(Several { tests })))
}

async fn delete(State(app): State<App>, Path(id): Path<i64>) -> ApiResult<(Extension<Subject>, Json<Test>)> {
    let test = app.queue.delete(id)?.map_err(|refusal| match refusal {
        Refusal::State(_) => ApiError::conflict(format!("test {id} is not over: cancel it first")),
        Refusal::Unknown => refused(refusal, id),
    })?;
    // What is left of a deletion that was interrupted takes little space and is in nobody's way.
    let _ = std::fs::remove_file(log_file(&app.settings.data, id));
    let _ = std::fs::remove_file(order_file(&app.settings.data, id));
    app.events.tell(Some(id), true, json!({ "type": "removed", "id": id }));
    Ok((subject(&test, ""), Json(test)))
}

async fn again(State(app): State<App>, caller: Caller, Path(id): Path<i64>) -> ApiResult<Made> {
    let due = app.queue.due(id)?.ok_or_else(|| ApiError::not_found(format!("there is no test {id}")))?;
    if due.test.kind == Kind::SelfTest {
        return self_test(State(app), caller).await;
    }
    study::read(&due.study)?;
    let order = Order {
        kind: Kind::Study,
        name: due.test.name,
        why: due.test.why,
        study: due.study,
        only: due.only,
        broker: due.broker,
        fleet: due.test.fleet,
        capture: due.test.capture,
        priority: due.test.priority,
        by: caller.name.clone(),
        again_of: Some(id),
        cells: None,
        estimate_ns: None,
    };
    add(&app, &caller, order).await
}

async fn move_to(
    State(app): State<App>,
    Path(id): Path<i64>,
    Json(to): Json<Move>,
) -> ApiResult<(Extension<Subject>, Json<Test>)> {
    to.priority.map(checked_priority).transpose()?;
    if to.before == Some(id) {
        return Err(ApiError::bad("a test can't be placed before itself"));
    }
    let test = app.queue.move_to(id, to.priority, to.before)?.map_err(|refusal| refused(refusal, id))?;
    app.scheduler.tell_changed(id);
    app.scheduler.wake();
    let place = test.place.map_or_else(String::new, |place| format!(" and place {place}"));
    let what = format!(", to priority {}{place}", test.priority);
    Ok((subject(&test, &what), Json(test)))
}

/// A stream of events for a client, as long as it may read them.
fn stream(
    app: &App,
    caller: &Caller,
    followed: Followed,
    query: &EventsQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let place = app.streams.take(caller.client()).map_err(|full| match full {
        Full::Client => ApiError::rate(STREAM_AGAIN_S),
        Full::All => ApiError::busy("too many event streams are open: close one"),
    })?;
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let (of, credential) = (std::sync::Arc::clone(app), caller.credential.clone());
    // A database that can't be read just now is no reason to hang up.
    let may_read = Box::new(move || of.sessions.still(&credential).unwrap_or(true));
    let events = app.events.follow(followed, header.or(query.after), place, may_read);
    // A proxy that buffers answers must not buffer this one (nginx, ngx_http_proxy_module).
    Ok(([(HeaderName::from_static("x-accel-buffering"), "no")], events).into_response())
}

async fn queue_events(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let followed = if query.all { Followed::All } else { Followed::Queue };
    stream(&app, &caller, followed, &query, &headers)
}

async fn test_events(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<i64>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    found(&app, id)?;
    stream(&app, &caller, Followed::Test(id), &query, &headers)
}
