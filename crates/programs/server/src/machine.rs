//! What this machine has and lacks, and how quiet it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::App;
use crate::clock::now_ms;
use crate::error::{ApiError, ApiResult};
use crate::reader::Question;
use crate::space;
use crate::work::{blocking, uptime_ms};

/// Database key of the last findings.
const FINDINGS: &str = "doctor";
/// Database key of the list of cached runners.
const CACHE: &str = "cache";
/// Database key of the last self-test.
pub const SELF_TEST: &str = "self-test";
/// How long findings stay valid, in milliseconds.
const FRESH_MS: i64 = 60_000;
/// Runs whose noise is reported.
const NOISE: usize = 100;

/// What this machine has and lacks, and how quiet it is.
#[derive(Serialize, JsonSchema)]
pub struct Machine {
    /// What is installed and what is missing, as `wiredyno doctor --json`.
    findings: Vec<Finding>,
    /// The machine's environment, as the newest run recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<Value>,
    /// Cached runners, as `wiredyno build --list` prints them.
    cache: Vec<String>,
    /// How quiet the machine was in the last 100 runs, the oldest first.
    noise: Vec<Noise>,
    /// The last self-test; absent if none was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    self_test: Option<SelfTest>,
    /// The state of this server.
    server: Server,
}

/// Something that is installed, or missing.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What was looked for, such as `emulated link`.
    id: String,
    /// Whether it is available.
    here: bool,
    /// Its version, or how to install it.
    detail: String,
}

/// How quiet the machine was in a run.
#[derive(Serialize, JsonSchema)]
pub struct Noise {
    /// The run's id.
    run: String,
    /// When the run began, as RFC 3339.
    started: String,
    /// Share of CPU time that a hypervisor took, 0..1.
    steal: f64,
    /// Share of the time of all CPUs that was used, 0..1.
    utilisation: f64,
    /// How late a sleep of one millisecond ended, in nanoseconds (99th percentile).
    sleep_lateness_p99_ns: u64,
}

/// The smallest differences that the machine could detect.
#[derive(Serialize, JsonSchema)]
pub struct SelfTest {
    /// When the test ended, in milliseconds of Unix time.
    at_ms: i64,
    /// The output of `wiredyno doctor --self-test --json`.
    found: Value,
}

/// The state of this server.
#[derive(Serialize, JsonSchema)]
pub struct Server {
    /// Wiredyno's version, such as `0.1.0`.
    version: String,
    /// The address and port that it listens on.
    listen: String,
    /// Time since its start, in milliseconds.
    uptime_ms: i64,
    /// How often a test is attempted before it fails.
    attempts: u32,
    /// External brokers that tests may use, as PROTOCOL=ADDRESS.
    brokers: Vec<String>,
    /// Event streams that are open.
    streams: u64,
    /// Free space of the disk with its folder, in bytes; absent where it can't be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_bytes: Option<u64>,
    /// Free space below which no test is accepted or begun, in bytes.
    least_free_bytes: u64,
}

/// Collects the findings, mostly from what was asked within the last minute.
///
/// # Errors
/// When `wiredyno doctor` fails.
pub async fn machine(app: &App) -> ApiResult<Machine> {
    let findings = asked(app, FINDINGS, &["doctor", "--json"]).await?;
    let cache = asked(app, CACHE, &["build", "--list"]).await?;
    let app = std::sync::Arc::clone(app);
    let runs = app.reader.list(&app.runs).await?;
    let environment = match runs.first() {
        Some(run) => app.reader.answer(&app.runs, &Question::Environment { id: run.id.clone() }).await.ok(),
        None => None,
    };
    blocking(move || {
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
                streams: app.streams.taken() as u64,
                free_bytes: space::free(&app.settings.data).ok(),
                least_free_bytes: app.settings.least_free,
            },
        })
    })
    .await
}

/// The answer of `wiredyno`, from the database if it is fresh.
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
