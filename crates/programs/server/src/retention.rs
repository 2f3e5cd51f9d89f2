//! Deletes old runs, if the operator wants that: beyond an age, and the oldest beyond a size. Never a pinned run, never that of a test that is
//! not over.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::App;
use crate::error::ApiResult;
use crate::runs::RunEntry;
use crate::space;
use crate::work::blocking;

/// How often runs are looked through.
const EVERY: Duration = Duration::from_secs(600);

/// Looks through the runs again and again, until the program ends.
pub async fn work(app: App) {
    let settings = &app.settings;
    if settings.keep_age.is_none() && settings.keep_bytes.is_none() {
        return;
    }
    loop {
        if let Err(error) = once(&app).await {
            eprintln!("wiredyno-server: old runs can't be deleted: {error}");
        }
        tokio::time::sleep(EVERY).await;
    }
}

async fn once(app: &App) -> ApiResult<()> {
    let runs = app.reader.list(&app.runs).await?;
    let app = Arc::clone(app);
    blocking(move || {
        let in_work = app.queue.runs_in_work()?;
        let folder = app.settings.data.join("runs");
        let candidates: Vec<Candidate<'_>> = runs
            .iter()
            .map(|run| Candidate {
                run,
                bytes: app.settings.keep_bytes.map_or(0, |_| space::used(&folder.join(&run.id))),
                stays: run.pinned || in_work.contains(&run.id),
            })
            .collect();
        for run in beyond(&candidates, app.settings.keep_age, app.settings.keep_bytes, SystemTime::now()) {
            match app.runs.delete(run, &app.settings.scratch()) {
                Ok(()) => {
                    println!("deleted the run {run}, which --keep-days or --keep-gigabytes does not keep")
                }
                Err(error) => eprintln!("wiredyno-server: the run {run} can't be deleted: {error}"),
            }
        }
        Ok(())
    })
    .await
}

struct Candidate<'a> {
    run: &'a RunEntry,
    bytes: u64,
    /// Whether it may not be deleted.
    stays: bool,
}

/// The ids of the runs to delete, of some that are listed newest first.
fn beyond<'a>(
    runs: &[Candidate<'a>],
    age: Option<Duration>,
    most_bytes: Option<u64>,
    now: SystemTime,
) -> Vec<&'a str> {
    let mut bytes: u64 = runs.iter().map(|candidate| candidate.bytes).sum();
    let mut gone = Vec::new();
    for Candidate { run, bytes: own, stays } in runs.iter().rev() {
        let begun = run.started.parse::<jiff::Timestamp>().map(SystemTime::from);
        let is_old = age.is_some_and(|age| {
            begun.is_ok_and(|begun| now.duration_since(begun).is_ok_and(|since| since > age))
        });
        let is_too_much = most_bytes.is_some_and(|most| bytes > most);
        if !stays && (is_old || is_too_much) {
            bytes -= own;
            gone.push(run.id.as_str());
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn old_runs_and_the_oldest_of_too_many_go_but_pinned_ones_stay() {
        let entry = |id: &str, day: u32| RunEntry {
            id: id.to_owned(),
            study: "s".to_owned(),
            why: String::new(),
            started: format!("2026-03-{day:02}T00:00:00Z"),
            duration_ns: 0,
            complete: true,
            answer: String::new(),
            fitness: "sound".to_owned(),
            sure: String::new(),
            version: String::new(),
            cells: 1,
            codecs: 0,
            commit: String::new(),
            machine: String::new(),
            steal: 0.0,
            utilisation: 0.0,
            sleep_lateness_p99_ns: 0,
            test: None,
            pinned: false,
        };
        let runs = [entry("new", 30), entry("middle", 20), entry("pinned", 10), entry("old", 1)];
        let candidates: Vec<Candidate<'_>> =
            runs.iter().map(|run| Candidate { run, bytes: 10, stays: run.id == "pinned" }).collect();
        let now = SystemTime::from("2026-03-31T00:00:00Z".parse::<jiff::Timestamp>().unwrap());
        let days = |days: u64| Some(Duration::from_secs(days * 86_400));
        assert_eq!(beyond(&candidates, days(15), None, now), ["old"]);
        assert_eq!(beyond(&candidates, days(1_000), None, now), [""; 0]);
        assert_eq!(beyond(&candidates, None, Some(25), now), ["old", "middle"]);
        assert_eq!(beyond(&candidates, None, Some(5), now), ["old", "middle", "new"]);
        assert_eq!(beyond(&candidates, days(15), Some(30), now), ["old"]);
    }
}
