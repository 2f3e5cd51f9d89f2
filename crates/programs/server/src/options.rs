//! What this machine offers for a new test, from `wiredyno list`, so that new entries of a registry appear in the form.

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use wiredyno_model::{Family, Scope, metric};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::questions::{QUESTIONS, Question};

/// How long the answer stays valid: a broker may be installed meanwhile.
const FRESH: Duration = Duration::from_secs(600);

/// What there is to choose from on this machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Options {
    /// As `wiredyno list payloads --json`; uploaded ones have `uploaded`.
    pub payloads: Vec<Value>,
    /// As `wiredyno list codecs --json`.
    pub codecs: Vec<Value>,
    /// Families of formats, in the order that reports use.
    pub families: Vec<FamilyTitle>,
    /// As `wiredyno list compressions --json`.
    pub compressions: Vec<Value>,
    /// As `wiredyno list protocols --json`.
    pub protocols: Vec<Value>,
    /// As `wiredyno list brokers --json`.
    pub brokers: Vec<Value>,
    /// As `wiredyno list runners --json`.
    pub runners: Vec<Value>,
    /// As `wiredyno list links --json`.
    pub links: Vec<Value>,
    /// As `wiredyno list studies --json`, with their texts.
    pub studies: Vec<Value>,
    /// Questions to start from, each with its study.
    pub questions: Vec<Question>,
    /// All metrics, with their units.
    pub metrics: Vec<Value>,
    /// How quantities are formatted, by unit.
    pub scales: Value,
    /// Running brokers that tests may use, as `--broker` names them.
    pub external_brokers: Vec<String>,
    /// The largest texts and tests that are accepted.
    pub limits: Limits,
}

/// A family of formats and its heading.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FamilyTitle {
    /// The family, as `family` of a codec names it.
    pub id: Value,
    /// Its heading in reports.
    pub title: String,
}

/// The largest texts and tests that are accepted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Most bytes of a study's text.
    pub study_bytes: u64,
    /// Most bytes of a definition or of samples.
    pub upload_bytes: u64,
    /// Most trials that a test may have.
    pub most_trials: u64,
    /// Longest estimated duration of a test, in seconds.
    pub most_seconds: u64,
}

/// The options, cached for [`FRESH`].
#[derive(Default)]
pub struct OptionsCache {
    known: Mutex<Option<(Instant, Arc<Options>)>>,
}

impl OptionsCache {
    /// The options; listed again when they are stale.
    ///
    /// # Errors
    /// When `wiredyno list` fails.
    pub async fn get(&self, app: &App, limits: Limits) -> ApiResult<Arc<Options>> {
        let mut known = self.known.lock().await;
        if let Some((at, options)) = &*known
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(options));
        }
        let output = app.helper.ask(&["list", "--json"]).await?.about("list", &[])?;
        let listed: Vec<Value> = serde_json::from_str(&output).map_err(ApiError::internal)?;
        let of = |kind: &str| -> Vec<Value> {
            listed.iter().filter(|entry| entry["kind"] == kind).map(without_kind).collect()
        };
        let scopes = [Scope::Message, Scope::Codec];
        let metrics = scopes.into_iter().flat_map(metric::all).map(serde_json::to_value);
        let mut all = of("payloads");
        all.extend(app.payloads.list()?);
        let mut links = of("links");
        for link in &mut links {
            link["uploaded"] = app.links.has(link["id"].as_str().unwrap_or_default()).into();
        }
        let mut studies = of("studies");
        for study in &mut studies {
            study["uploaded"] = app.studies.has(study["id"].as_str().unwrap_or_default()).into();
        }
        let options = Arc::new(Options {
            payloads: all,
            codecs: of("codecs"),
            families: Family::ALL
                .into_iter()
                .map(|family| FamilyTitle { id: json!(family), title: family.title().to_owned() })
                .collect(),
            compressions: of("compressions"),
            protocols: of("protocols"),
            brokers: of("brokers"),
            runners: of("runners"),
            links,
            studies,
            questions: QUESTIONS.to_vec(),
            metrics: metrics.collect::<Result<_, _>>().map_err(ApiError::internal)?,
            scales: serde_json::to_value(wiredyno_report::quantity::scales()).map_err(ApiError::internal)?,
            external_brokers: app.settings.brokers.clone(),
            limits,
        });
        *known = Some((Instant::now(), Arc::clone(&options)));
        Ok(options)
    }

    /// Drops the cached options, so that the next call lists them again.
    pub async fn forget(&self) {
        *self.known.lock().await = None;
    }
}

fn without_kind(entry: &Value) -> Value {
    let mut object: Map<String, Value> = entry.as_object().cloned().unwrap_or_default();
    object.remove("kind");
    // Paths of the server stay private.
    object.remove("folder");
    Value::Object(object)
}
