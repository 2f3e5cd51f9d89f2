//! Do ten watchers change what is measured, and how fast does the server answer while trials run?
//!
//! `make bench-watchers`. One study runs repeatedly on a server of its own, alternating between no watchers and ten watchers: each follows the
//! test's event stream and requests the test and the queue once a second, as an open page does. Meanwhile two readers request histories,
//! comparisons and recommendations of 300 earlier runs, one question at a time. Each repeat gives ratios, with watchers over without, of every
//! codec's median time and of the median latency over `lan`. Two one-sided tests
//! say whether they are equivalent. Then fifty tests are submitted at once beside a running one, while ten
//! clients read.
//!
//! The same is done at about 5,000 messages a second, in open and closed loop over loopback: with ten watchers of live curves, against another
//! server without watchers that shows nothing of running trials (`--no-live`), so that the ratios contain what counting and reading cost. Compared are
//! the median and p99 of latency, and the CPU time of publisher and subscriber per message. The limits of these trials are off, because both sides run under the same load.
//!
//! `ROWS` keeps parts: `watched`, `live open`, `live closed`, `fifty`. `WIREDYNO_BENCH_REPEATS` sets the repeats, ten without it. Limits: the watchers run on the machine that measures, as a team's browsers would
//! not; what they take of it counts against the server.

mod compared;
#[path = "../tests/stand/mod.rs"]
mod stand;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use compared::{ANSWER_MS, Figure, LATENCY_MARGIN, MEASURED, Ratios, figures, percentile};
use serde_json::Value as Json;
use stand::{Events, STUDY, Server};
use wiredyno_bench::{Done, MachineState, Table, Value, keeps, repeats, words};

/// About 5,000 messages a second: `{load}` is open or closed.
const FAST: &str = r#"
name = "fast"
why = "Do live curves change what is measured?"
[axes]
payload = ["person"]
codec = ["protobuf/prost"]
mode = ["tcp"]
[load]
{load}
messages = 20_000
deadline = "1s"
drain = "1s"
[trials]
repeats = 3
lanes = 1
[codec_trials]
enabled = false
[limits]
timer_resolution = "off"
scheduling_lateness_p99 = "off"
load_per_cpu = "off"
schedule_lag_p99 = "off"
rate_error = "off"
run_delay = "off"
utilisation = "off"
steal = "off"
"#;

/// An open loop at this rate, and a closed one whose messages take some 50 us each besides the pause.
const LOADS: [(&str, &str); 2] =
    [("open", "kind = \"open\"\nrate = \"5k/s\""), ("closed", "kind = \"closed\"\ninterval = \"150us\"")];

const WATCHERS: usize = 10;
/// Clients that read earlier runs, and the number of those runs.
const READERS: usize = 2;
const PAST: usize = 300;
const AT_ONCE: usize = 50;

const CPU_MARGIN: f64 = 0.05;

/// Requests the test and the queue once a second until `over`; how long each answer took, in milliseconds.
fn look(server: &Server, id: i64, over: &AtomicBool) -> Vec<f64> {
    let mut took = Vec::new();
    while !over.load(Ordering::Relaxed) {
        for path in [format!("/api/tests/{id}"), "/api/tests".to_owned()] {
            took.push(answered_ms(server, &path));
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    took
}

fn answered_ms(server: &Server, path: &str) -> f64 {
    let begun = Instant::now();
    server.get(path).expect(200);
    begun.elapsed().as_secs_f64() * 1e3
}

/// Copies a run under another name, as an earlier run.
fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copied(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to).map(drop)?;
        }
    }
    Ok(())
}

fn past(number: usize) -> String {
    format!("past-{:03}", number % PAST)
}

/// Asks about earlier runs until `over`, rarely twice the same; returns the number of answers.
fn read_on(server: &Server, reader: usize, over: &AtomicBool) -> usize {
    let metrics = ["latency", "encode", "decode", "wire_per_message"];
    let mut asked = 0;
    while !over.load(Ordering::Relaxed) {
        let (one, other) = (past(asked * READERS + reader), past(asked * 7 + 1));
        let path = match asked % 3 {
            0 => format!("/api/history?study=watched&metric={}", metrics[asked / 3 % metrics.len()]),
            1 => format!("/api/compare?base={one}&new={other}&anyway=true"),
            _ => format!("/api/runs/{one}/recommend"),
        };
        server.get(&path).expect(200);
        asked += 1;
    }
    asked
}

/// Submits a study and waits for its end, with watchers and, if there are any, readers; how long answers took meanwhile, in milliseconds.
fn run(server: &Server, study: &str, watchers: usize) -> Done<(Json, Vec<f64>)> {
    let id = server.submit(study);
    let over = AtomicBool::new(false);
    let (test, took) = std::thread::scope(|scope| {
        let watching: Vec<_> = (0..watchers)
            .map(|_| {
                scope.spawn(|| {
                    let path = format!("/api/tests/{id}/events");
                    std::thread::scope(|scope| {
                        scope.spawn(|| drop(Events::open(server, &path, None).until("ended")));
                        look(server, id, &over)
                    })
                })
            })
            .collect();
        // Earlier runs are there to be read in the measured study alone.
        let reads = watchers > 0 && study == MEASURED;
        let reading: Vec<_> = (0..if reads { READERS } else { 0 })
            .map(|reader| {
                let over = &over;
                scope.spawn(move || read_on(server, reader, over))
            })
            .collect();
        let test = server.await_end(id);
        over.store(true, Ordering::Relaxed);
        let answers: usize = reading.into_iter().filter_map(|reader| reader.join().ok()).sum();
        if reads {
            println!("{answers} answers about earlier runs meanwhile");
        }
        (test, watching.into_iter().flat_map(|watcher| watcher.join().unwrap_or_default()).collect())
    });
    if test["state"] != "done" {
        return Err(format!("the test ended as {}: {}", test["state"], test["reason"]).into());
    }
    let run = test["run"].as_str().ok_or("a test without a run")?;
    Ok((server.get(&format!("/api/runs/{run}")).expect(200), took))
}

/// The figures of a run of the fast study.
fn fast_figures(summary: &Json, load: &str) -> Vec<Figure> {
    let metrics = &summary["cells"][0]["metrics"];
    let of = [
        ("latency", "median", LATENCY_MARGIN),
        ("latency", "p99", LATENCY_MARGIN),
        ("publisher_cpu_per_message", "mean", CPU_MARGIN),
        ("subscriber_cpu_per_delivery", "mean", CPU_MARGIN),
    ];
    let figure = |(metric, statistic, margin): (&str, &str, f64)| {
        let value = metrics[metric][statistic].as_f64()?;
        Some((format!("{load} loop at 5,000/s: {statistic} of {metric}"), value, margin))
    };
    of.into_iter().filter_map(figure).collect()
}

/// Adds the ratios of two runs, each with the number of its watchers.
fn compare(mut summaries: Vec<(usize, Vec<Figure>)>, ratios: &mut Ratios) {
    summaries.sort_by_key(|(watchers, _)| *watchers);
    let [(_, alone), (_, watched)] = &summaries[..] else { unreachable!("two runs were made") };
    ratios.add(alone, watched);
}

/// The fast study under a load, with live curves and watchers, and on a server of its own without either.
fn live(server: &Server, (load, lines): (&str, &str), ratios: &mut Ratios) -> Done<()> {
    let data = tempfile::tempdir()?;
    let blind = Server::start(data.path(), &["--pause", "0", "--no-live"]);
    let study = FAST.replace("{load}", lines);
    run(&blind, &study, 0)?;
    for repeat in 0..repeats(10)? {
        let mut summaries = Vec::new();
        for watchers in order(repeat) {
            let on = if watchers == 0 { &blind } else { server };
            summaries.push((watchers, fast_figures(&run(on, &study, watchers)?.0, load)));
        }
        compare(summaries, ratios);
    }
    Ok(())
}

fn main() -> Done<()> {
    println!("{}", MachineState::look()?);
    let words = words();
    let wanted = |part: &str| keeps(&words, part);
    let data = tempfile::tempdir()?;
    let server = Server::start(data.path(), &["--pause", "0"]);
    let (mut ratios, mut took): (Ratios, Vec<f64>) = Default::default();
    if wanted("watched") {
        took = watched(&server, &data.path().join("runs"), &mut ratios)?;
    }
    for (load, lines) in LOADS {
        if wanted(&format!("live {load}")) {
            live(&server, (load, lines), &mut ratios)?;
        }
    }
    let mut table = Table::default();
    ratios.tell(&mut table)?;
    let mut answers = |row: &str, mut took: Vec<f64>| {
        table.add(Value::new(row, "ms", percentile(&mut took, 0.95)).aim("aim: below", ANSWER_MS));
    };
    if wanted("watched") {
        answers("answers with ten watchers, p95", took);
    }
    if wanted("fifty") {
        answers("answers with fifty tests, p95", fifty(&server)?);
    }
    print!("{table}");
    Ok(())
}

/// The measured study, repeatedly, alternating between no watchers and ten; how long answers took, in milliseconds.
fn watched(server: &Server, runs: &Path, ratios: &mut Ratios) -> Done<Vec<f64>> {
    // Runners are compiled before anything is measured.
    let (summary, _) = run(server, MEASURED, 0)?;
    let first = runs.join(summary["run"]["id"].as_str().ok_or("a run without an id")?);
    (0..PAST).try_for_each(|number| copied(&first, &runs.join(past(number))))?;
    let mut took: Vec<f64> = Vec::new();
    for repeat in 0..repeats(10)? {
        let mut summaries = Vec::new();
        for watchers in order(repeat) {
            let (summary, answers) = run(server, MEASURED, watchers)?;
            took.extend(answers);
            summaries.push((watchers, figures(&summary)));
        }
        compare(summaries, ratios);
    }
    Ok(took)
}

/// The numbers of watchers, in an order that alternates from repeat to repeat.
fn order(repeat: u32) -> [usize; 2] {
    if repeat.is_multiple_of(2) { [0, WATCHERS] } else { [WATCHERS, 0] }
}

/// Submits fifty tests at once while one runs and ten clients read; how long their answers took, in milliseconds.
fn fifty(server: &Server) -> Done<Vec<f64>> {
    let long = STUDY.replace("repeats = 2", "repeats = 200").replace("tiny", "long");
    let running = server.submit(&long);
    server.await_test(running, |test| test["progress"]["done"].as_u64() > Some(2));
    let over = AtomicBool::new(false);
    let (took, ids) = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..WATCHERS).map(|_| scope.spawn(|| look(server, running, &over))).collect();
        let submitting: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(|| server.submit(STUDY))).collect();
        let ids: Vec<i64> = submitting.into_iter().filter_map(|one| one.join().ok()).collect();
        std::thread::sleep(Duration::from_secs(5));
        over.store(true, Ordering::Relaxed);
        let took: Vec<f64> = readers.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect();
        (took, ids)
    });
    println!("{} of {AT_ONCE} tests that were submitted at once are in the queue", ids.len());
    for id in ids.into_iter().chain([running]) {
        server.post(&format!("/api/tests/{id}/cancel"), &serde_json::json!({}));
    }
    server.await_end(running);
    Ok(took)
}
