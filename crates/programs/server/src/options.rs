//! What there is on this machine, for the form of a new test: from `wiredyno list`, so that what is added to a registry stands in the form.

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use wiredyno_model::{Family, Scope, metric};

use crate::error::{ApiError, ApiResult};
use crate::helper::Helper;
use crate::payloads::Payloads;
use crate::questions::{QUESTIONS, Question};

/// How long what there is is taken to be so: somebody may install a broker.
const FRESH: Duration = Duration::from_secs(600);

/// What there is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Options {
    /// As `wiredyno list payloads --json`; those that were brought here have `uploaded`.
    pub payloads: Vec<Value>,
    /// As `wiredyno list codecs --json`.
    pub codecs: Vec<Value>,
    /// Families of formats, in the order of reports.
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
    /// Questions to start from.
    pub questions: Vec<Question>,
    /// All metrics, with what they are counted in.
    pub metrics: Vec<Value>,
    /// How quantities are written, by unit.
    pub scales: Value,
    /// Brokers that run already and may be used, as `--broker` names them.
    pub external_brokers: Vec<String>,
    /// The longest texts, in bytes.
    pub limits: Limits,
}

/// A family of formats.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FamilyTitle {
    /// Its name.
    pub id: Value,
    /// What people call it.
    pub title: String,
}

/// What is accepted at most.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The text of a study, in bytes.
    pub study_bytes: u64,
    /// A definition or samples, in bytes.
    pub upload_bytes: u64,
    /// Trials of a test.
    pub most_trials: u64,
    /// How long a test may be expected to take, in seconds.
    pub most_seconds: u64,
}

/// See the module.
#[derive(Default)]
pub struct OptionsCache {
    known: Mutex<Option<(Instant, Arc<Options>)>>,
}

impl OptionsCache {
    /// What there is; asked for anew when that is old.
    ///
    /// # Errors
    /// When it can't be asked for.
    pub async fn get(
        &self,
        helper: &Helper,
        payloads: &Payloads,
        external_brokers: &[String],
        limits: Limits,
    ) -> ApiResult<Arc<Options>> {
        let mut known = self.known.lock().await;
        if let Some((at, options)) = &*known
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(options));
        }
        let output = helper.ask(&["list", "--json"]).await?.about("list", &[])?;
        let listed: Vec<Value> = serde_json::from_str(&output).map_err(ApiError::internal)?;
        let of = |kind: &str| -> Vec<Value> {
            listed.iter().filter(|entry| entry["kind"] == kind).map(without_kind).collect()
        };
        let scopes = [Scope::Message, Scope::Codec];
        let metrics = scopes.into_iter().flat_map(metric::all).map(serde_json::to_value);
        let mut all = of("payloads");
        all.extend(payloads.list()?);
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
            links: of("links"),
            studies: of("studies"),
            questions: QUESTIONS.to_vec(),
            metrics: metrics.collect::<Result<_, _>>().map_err(ApiError::internal)?,
            scales: serde_json::to_value(wiredyno_report::quantity::scales()).map_err(ApiError::internal)?,
            external_brokers: external_brokers.to_vec(),
            limits,
        });
        *known = Some((Instant::now(), Arc::clone(&options)));
        Ok(options)
    }

    /// Has it asked for anew the next time.
    pub async fn forget(&self) {
        *self.known.lock().await = None;
    }
}

fn without_kind(entry: &Value) -> Value {
    let mut object: Map<String, Value> = entry.as_object().cloned().unwrap_or_default();
    object.remove("kind");
    // Where this machine has a runner is no one's business.
    object.remove("folder");
    Value::Object(object)
}
