//! `/healthz` for a supervisor and `/metrics` for Prometheus (text format 0.0.4, Prometheus, Exposition formats).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::App;
use crate::error::ApiResult;
use crate::explore::FiguresQuery;
use crate::reader::Question;
use crate::space;
use crate::test::State as TestState;

/// The path of the figures.
pub const PATH: &str = "/metrics";

/// Studies whose latest run has its figures here, those that ran last.
pub(crate) const STUDIES: usize = 20;
/// Cells of a run that have them.
pub(crate) const CELLS: usize = 100;
/// Limit for reading a run that was not read before: within what Prometheus waits by default (10 s). The next scrape has it.
const WAIT: Duration = Duration::from_secs(5);

/// Figures of a cell: the metric in summaries, and as Prometheus names it, with the number of its units that one of Prometheus' has.
const FIGURES: [(&str, &str, f64, &str); 4] = [
    ("latency", "wiredyno_latency_seconds", 1e9, "Mean over its trials of the latency of messages."),
    ("lost", "wiredyno_lost_ratio", 1.0, "Share of messages that were lost."),
    ("wire_per_message", "wiredyno_wire_bytes", 1.0, "Bytes on the link per message."),
    ("throughput", "wiredyno_throughput_messages_per_second", 1.0, "Messages delivered per second."),
];

/// Whether the server works: its database answers, its scheduler lives. A full disk is not its fault, but is reported.
pub async fn health(State(app): State<App>) -> Response {
    let queue = app.queue.open_tests();
    let wrong = match (&queue, app.scheduler.is_alive()) {
        (Err(error), _) => Some(format!("the database can't be read: {error}")),
        (_, false) => Some("the scheduler has stopped working".to_owned()),
        _ => None,
    };
    let (status, text) = match (wrong, app.scheduler.stalled()) {
        (Some(wrong), _) => (StatusCode::SERVICE_UNAVAILABLE, wrong),
        (None, Some(stalled)) => (StatusCode::OK, format!("ok, but no test begins: {stalled}")),
        (None, None) => (StatusCode::OK, "ok".to_owned()),
    };
    (status, [(header::CACHE_CONTROL, "no-store")], text + "\n").into_response()
}

/// A text in the format, in which all lines of a metric stand together.
#[derive(Default)]
struct Page(String);

impl Page {
    fn about(&mut self, name: &str, kind: &str, about: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let of = |(label, text): &(&str, &str)| format!("{label}=\"{}\"", escaped(text));
        let labels: Vec<String> = labels.iter().map(of).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, about: &str, value: f64) {
        self.about(name, "gauge", about);
        self.value(name, &[], value);
    }
}

/// A label's value: backslashes, quotes and line breaks are escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Everything at once.
pub async fn metrics(State(app): State<App>) -> ApiResult<Response> {
    let mut page = Page::default();
    page.about("wiredyno_info", "gauge", "Always 1; its label is the version.");
    page.value("wiredyno_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    let counts = app.queue.counts()?;
    page.about("wiredyno_tests", "gauge", "Tests by state.");
    for state in TestState::ALL {
        let count = counts.iter().find(|(name, _)| name == state.name()).map_or(0, |(_, count)| *count);
        page.value("wiredyno_tests", &[("state", state.name())], f64::from(count));
    }
    let stalled = app.scheduler.stalled().is_some();
    page.one(
        "wiredyno_queue_stalled",
        "1 if no test begins because disk space is low.",
        f64::from(u8::from(stalled)),
    );
    if let Ok(free) = space::free(&app.settings.data) {
        page.one("wiredyno_disk_free_bytes", "Free space of the disk with the server's folder.", free as f64);
    }
    let now = app.scheduler.current(|current| {
        let current = current?;
        Some((
            current.test.to_string(),
            current.watch.state.progress,
            current.watch.state.machine.back().copied(),
        ))
    });
    if let Some((test, progress, sample)) = now {
        let of = [("test", test.as_str())];
        let values = [
            ("wiredyno_trials_made", "Trials of the running test that have ended.", progress.done as f64),
            ("wiredyno_trials_planned", "Trials of the running test in all.", progress.total as f64),
            (
                "wiredyno_left_seconds",
                "Estimated remaining time of the running test.",
                progress.left_ns as f64 / 1e9,
            ),
        ];
        for (name, about, value) in values {
            page.about(name, "gauge", about);
            page.value(name, &of, value);
        }
        if let Some(sample) = sample {
            page.one("wiredyno_cpu_ratio", "Share of the time of all CPUs that is used.", sample.cpu);
            page.one("wiredyno_memory_bytes", "Memory of the machine in use.", sample.memory_bytes as f64);
        }
    }
    latest(&app, &mut page).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], page.0).into_response())
}

/// The latest run of each study with its figures. Runs that have not been read yet, and take long to read, follow with the next scrape.
async fn latest(app: &App, page: &mut Page) -> ApiResult<()> {
    let Ok(Ok(runs)) = tokio::time::timeout(WAIT, app.reader.list(&app.runs)).await else { return Ok(()) };
    let mut studies = BTreeSet::new();
    let newest = runs.iter().filter(|run| studies.insert(run.study.clone())).take(STUDIES);
    let newest: Vec<_> = newest.collect();
    page.about(
        "wiredyno_run_started_seconds",
        "gauge",
        "When the latest run of a study began, in seconds of Unix time.",
    );
    for run in &newest {
        let started: Option<jiff::Timestamp> = run.started.parse().ok();
        let seconds = started.map_or(f64::NAN, |at| at.as_millisecond() as f64 / 1e3);
        page.value("wiredyno_run_started_seconds", &[("study", &run.study), ("run", &run.id)], seconds);
    }
    let metric = Some(FIGURES.map(|(metric, ..)| metric).join(","));
    let query = FiguresQuery { scope: Some("message".to_owned()), metric, ..FiguresQuery::default() };
    let mut rows: Vec<(&str, Vec<Value>)> = Vec::new();
    let reading = async {
        for run in &newest {
            let question = Question::Figures { id: run.id.clone(), query: query.clone() };
            if let Ok(answer) = app.reader.answer(&app.runs, &question).await
                && let Ok(Value::Object(mut answer)) = serde_json::from_str(&answer)
                && let Some(Value::Array(of_run)) = answer.remove("rows")
            {
                rows.push((&run.study, of_run));
            }
        }
    };
    // What was read in time is reported.
    let _ = tokio::time::timeout(WAIT, reading).await;
    for (metric, name, units, about) in FIGURES {
        page.about(name, "gauge", about);
        for (study, of_run) in &rows {
            for row in of_run.iter().filter(|row| row["metric"] == metric).take(CELLS) {
                let (Some(axes), Some(mean)) = (row["axes"].as_object(), row["figure"]["mean"].as_f64())
                else {
                    continue;
                };
                let axes: Vec<(String, String)> = axes
                    .iter()
                    .filter_map(|(axis, value)| Some((axis.replace(['-', '.'], "_"), plain(value)?)))
                    .collect();
                let mut labels = vec![("study", *study)];
                labels.extend(axes.iter().map(|(axis, value)| (axis.as_str(), value.as_str())));
                page.value(name, &labels, mean / units);
            }
        }
    }
    Ok(())
}

/// An axis' value as a label; `None` for tables, which options are.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut page = Page::default();
        page.value("a", &[("b", "x\"y\\z\nw"), ("c", "d")], 1.5);
        page.value("a", &[], f64::NAN);
        assert_eq!(page.0, "a{b=\"x\\\"y\\\\z\\nw\",c=\"d\"} 1.5\na NaN\n");
    }
}
