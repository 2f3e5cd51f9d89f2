//! What this machine has and lacks, and how quiet it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::App;
use crate::clock::now_ms;
use crate::error::{ApiError, ApiResult};
use crate::reader::Question;
use crate::routes::uptime_ms;

/// The name under which the last findings stand in the database.
const FINDINGS: &str = "doctor";
/// The same of the runners that are kept.
const CACHE: &str = "cache";
/// The same of the last self-test.
pub const SELF_TEST: &str = "self-test";
/// How long findings are taken to be so, in milliseconds.
const FRESH_MS: i64 = 60_000;
/// Runs whose noise is told.
const NOISE: usize = 100;

/// What this machine is like.
#[derive(Serialize, JsonSchema)]
pub struct Machine {
    /// What is here and what is missing, as `wiredyno doctor --json`.
    findings: Vec<Finding>,
    /// The machine as the newest run found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<Value>,
    /// Runners that are kept, as `wiredyno build --list` prints them.
    cache: Vec<String>,
    /// How quiet it was in the last runs, the oldest first.
    noise: Vec<Noise>,
    /// The last self-test.
    #[serde(skip_serializing_if = "Option::is_none")]
    self_test: Option<SelfTest>,
    /// The server.
    server: Server,
}

/// Something that is here, or not.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What.
    id: String,
    /// Whether it is here.
    here: bool,
    /// Its version, or how to get it.
    detail: String,
}

/// How quiet the machine was in a run.
#[derive(Serialize, JsonSchema)]
pub struct Noise {
    /// The run.
    run: String,
    /// When it began.
    started: String,
    /// Time that a hypervisor took, 0..1.
    steal: f64,
    /// Time of all CPUs that was used, 0..1.
    utilisation: f64,
    /// How late a sleep of a millisecond ended, in nanoseconds (99th percentile).
    sleep_lateness_p99_ns: u64,
}

/// What the machine could tell apart.
#[derive(Serialize, JsonSchema)]
pub struct SelfTest {
    /// When that was found, in milliseconds of Unix time.
    at_ms: i64,
    /// As `wiredyno doctor --self-test --json` says it.
    found: Value,
}

/// The server.
#[derive(Serialize, JsonSchema)]
pub struct Server {
    /// Its version.
    version: String,
    /// Where it listens.
    listen: String,
    /// How long it has been up, in milliseconds.
    uptime_ms: i64,
    /// Attempts at a test.
    attempts: u32,
    /// Brokers that run already and that tests may use.
    brokers: Vec<String>,
    /// Event streams that may still be opened.
    streams_left: u64,
}

/// Asks.
///
/// # Errors
/// When `wiredyno doctor` can't be asked.
pub async fn machine(app: &App) -> ApiResult<Machine> {
    let findings = asked(app, FINDINGS, &["doctor", "--json"]).await?;
    let cache = asked(app, CACHE, &["build", "--list"]).await?;
    let app = std::sync::Arc::clone(app);
    let runs = app.runs.list(&app.reader).await?;
    let environment = match runs.first() {
        Some(run) => app.reader.answer(&app.runs, &Question::Environment { id: run.id.clone() }).await.ok(),
        None => None,
    };
    crate::routes::blocking(move || {
        let self_test = fact(&app, SELF_TEST)?;
        let noise = runs.iter().take(NOISE).rev().map(|run| Noise {
            run: run.id.clone(),
            started: run.started.clone(),
            steal: run.steal,
            utilisation: run.utilisation,
            sleep_lateness_p99_ns: run.sleep_lateness_p99_ns,
        });
        let of = environment.map(|environment| serde_json::from_str(&environment));
        Ok(Machine {
            findings: serde_json::from_str(&findings).map_err(ApiError::internal)?,
            environment: of.transpose().map_err(ApiError::internal)?,
            cache: cache.lines().map(str::to_owned).collect(),
            noise: noise.collect(),
            self_test: self_test
                .and_then(|(at_ms, text)| Some(SelfTest { at_ms, found: serde_json::from_str(&text).ok()? })),
            server: Server {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                listen: app.settings.listen.to_string(),
                uptime_ms: uptime_ms(&app),
                attempts: app.settings.attempts,
                brokers: app.settings.brokers.clone(),
                streams_left: app.streams.available_permits() as u64,
            },
        })
    })
    .await
}

/// What `wiredyno` answers, or did a short time ago.
async fn asked(app: &App, name: &str, question: &[&str]) -> ApiResult<String> {
    if let Some((at, text)) = fact(app, name)?
        && now_ms() - at < FRESH_MS
    {
        return Ok(text);
    }
    let text = app.helper.ask(question).await?.about(name, &[])?;
    app.queue.note(name, &text)?;
    Ok(text)
}

fn fact(app: &App, name: &str) -> ApiResult<Option<(i64, String)>> {
    use rusqlite::OptionalExtension;
    let sql = "select at_ms, value from facts where name = ?1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(app.database.get().query_row(sql, [name], read).optional()?)
}
