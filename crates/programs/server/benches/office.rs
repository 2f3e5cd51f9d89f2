//! Does a server that an office uses for an hour stay small, quick, and out of the way of its measurements?
//!
//! `make soak-server` (`MINUTES=60`). One server has 500 tests waiting all the time and runs them one after another. 48 clients follow the events of all tests,
//! eight more read the queue, the running test, the list of runs and a run once a second, and two browsers have the queue and the running test
//! open. The hour is cut into ten blocks; before, between and after them tests run while nobody is there. Each block gives ratios, of its figures
//! (the mean over its tests) over those of the tests before and after it. A test during which clients came or went is in no figure. Printed are
//! these ratios with verdicts, the 95th percentile of the time that each kind of answer took, and the resident set of the server by quarters of
//! the time: it is flat if the last is at most a tenth above the second.
//!
//! Limits: the clients run on the machine that measures, as an office's would not. Browsers draw with the lowest priority (`nice -n 19`), because
//! drawing is what an office does elsewhere; what the server does for them is not niced. Tests without clients run on the same server, with the
//! same waiting tests.

#![allow(clippy::unwrap_used, reason = "a bench ends at the first thing that is wrong")]

mod compared;
#[path = "../tests/stand/mod.rs"]
mod stand;

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use compared::{ANSWER_MS, Figure, MEASURED, Ratios, figures, percentile};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value as Json, json};
use stand::{Events, Server};
use wiredyno_bench::{Done, MachineState, Table, Value};

/// The status of a refusal because of too many requests.
const TOO_MANY: u16 = 429;
const STREAMS: usize = 48;
const READERS: usize = 8;
const WAITING: usize = 500;
const BLOCKS: u32 = 10;
/// Tests in a row that run while nobody is there, from which a block's ratios are made.
const ALONE: usize = 2;
/// The time between two looks at a running test or at the server's memory: rare, so that tests without clients have none.
const LOOK: Duration = Duration::from_secs(2);
/// The share by which the resident set may grow from the second to the last quarter.
const GROWTH: f64 = 1.1;

fn main() -> Done<()> {
    println!("{}", MachineState::look()?);
    let minutes = match std::env::var("WIREDYNO_SOAK_MINUTES").ok().filter(|text| !text.is_empty()) {
        None => 60.0,
        Some(text) => {
            text.parse::<f64>().map_err(|error| format!("WIREDYNO_SOAK_MINUTES={text}: {error}"))?
        }
    };
    let block = Duration::from_secs_f64(minutes * 60.0 / f64::from(BLOCKS));
    let data = tempfile::tempdir()?;
    let server = Server::start(data.path(), &["--pause", "0", "--most-tests", "1000"]);
    // Runners are compiled before anything is measured.
    server.await_end(server.submit(MEASURED));
    let (mut queue, mut ratios, mut took) = (Queue::new(&server), Ratios::default(), Vec::new());
    let over = AtomicBool::new(false);
    let resident = std::thread::scope(|scope| -> Done<Vec<f64>> {
        // Whatever breaks here, the threads of the scope end.
        let ends = Ends(&over);
        let watching = scope.spawn(|| resident(&server, &over));
        let mut measure = || -> Done<()> {
            queue.fill()?;
            let mut before = queue.alone()?;
            for number in 1..=BLOCKS {
                queue.fill()?;
                let (watched, answers) = queue.watched(block)?;
                took.extend(answers);
                let after = queue.alone()?;
                let around: Vec<Vec<Figure>> = before.into_iter().chain(after.iter().cloned()).collect();
                ratios.add(&means(&around), &means(&watched));
                println!("block {number} of {BLOCKS}: {} tests with clients", watched.len());
                before = after;
            }
            Ok(())
        };
        let measured = measure();
        drop(ends);
        measured.and_then(|()| watching.join().map_err(|_| "the watch over the server's memory broke")?)
    })?;
    let mut table = Table::default();
    ratios.tell(&mut table)?;
    for kind in KINDS {
        let of_kind: Vec<Option<f64>> =
            took.iter().filter(|(of, _)| *of == kind).map(|(_, ms)| *ms).collect();
        let mut took: Vec<f64> = of_kind.iter().flatten().copied().collect();
        let row = format!("{kind}: p95 of {} answers, {} refused", took.len(), of_kind.len() - took.len());
        table.add(Value::new(row, "ms", percentile(&mut took, 0.95)).aim("aim: below", ANSWER_MS));
    }
    let quarters: Vec<f64> = resident
        .chunks(resident.len().div_ceil(4).max(1))
        .map(|of| of.iter().sum::<f64>() / of.len() as f64)
        .collect();
    for (number, mean) in quarters.iter().enumerate() {
        table.add(Value::new(format!("resident set of the server, quarter {}", number + 1), "MB", *mean));
    }
    if let [_, second, .., last] = quarters[..] {
        table.add(
            Value::new("resident set, last quarter / second", "", last / second).aim("aim: at most", GROWTH),
        );
    }
    println!("{} tests ran, {} of them without a figure", queue.ran, queue.without.len());
    queue.without.iter().for_each(|line| println!("  {line}"));
    print!("{table}");
    Ok(())
}

/// Sets it when dropped.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The resident set of the server until `over`, in megabytes.
fn resident(server: &Server, over: &AtomicBool) -> Done<Vec<f64>> {
    let mut all = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        all.push(kilobytes * 1024.0 / 1e6);
        std::thread::sleep(LOOK);
    }
    Ok(all)
}

/// The mean of each figure over several tests.
fn means(tests: &[Vec<Figure>]) -> Vec<Figure> {
    let names =
        tests.iter().flatten().fold(Vec::new(), |mut names: Vec<(&String, f64)>, (name, _, margin)| {
            if !names.iter().any(|(known, _)| *known == name) {
                names.push((name, *margin));
            }
            names
        });
    let mean = |(name, margin): (&String, f64)| {
        let of: Vec<f64> =
            tests.iter().flatten().filter(|(known, ..)| known == name).map(|(_, value, _)| *value).collect();
        (name.clone(), of.iter().sum::<f64>() / of.len() as f64, margin)
    };
    names.into_iter().map(mean).collect()
}

/// The server's tests, in the order in which they run.
struct Queue<'a> {
    server: &'a Server,
    waiting: Vec<i64>,
    ran: usize,
    /// Tests that gave no figure, with the reason.
    without: Vec<String>,
}

impl<'a> Queue<'a> {
    fn new(server: &'a Server) -> Self {
        Queue { server, waiting: Vec::new(), ran: 0, without: Vec::new() }
    }

    /// Submits tests until so many wait as a block can't use up.
    fn fill(&mut self) -> Done<()> {
        while self.waiting.len() < WAITING + 100 {
            let answer = self.server.post("/api/tests", &json!({ "study": MEASURED }));
            match answer.status {
                TOO_MANY => std::thread::sleep(Duration::from_secs(1)),
                _ => self.waiting.push(answer.expect(201)["id"].as_i64().ok_or("a test without a number")?),
            }
        }
        Ok(())
    }

    /// The next test that ends: its figures, or nothing if it has none.
    fn next(&mut self) -> Done<Vec<Figure>> {
        let id =
            if self.waiting.is_empty() { return Err("no test waits".into()) } else { self.waiting.remove(0) };
        let test = loop {
            let test = self.server.test(id);
            if !matches!(test["state"].as_str(), Some("submitted" | "processing")) {
                break test;
            }
            std::thread::sleep(LOOK);
        };
        self.ran += 1;
        let run = match (test["state"].as_str(), test["run"].as_str()) {
            (Some("done"), Some(run)) => self.server.get(&format!("/api/runs/{run}")).expect(200),
            _ => {
                self.without.push(format!("test {id}: {}: {}", test["state"], test["reason"]));
                return Ok(Vec::new());
            }
        };
        Ok(figures(&run))
    }

    /// Tests while nobody is there, after the one that runs.
    fn alone(&mut self) -> Done<Vec<Vec<Figure>>> {
        self.next()?;
        (0..ALONE).map(|_| self.next()).collect()
    }

    /// Tests with clients, for so long, and how long answers took; the one that runs when they come and the one that runs when they go are left out.
    fn watched(&mut self, time: Duration) -> Done<(Vec<Vec<Figure>>, Vec<Answered>)> {
        let (server, running) = (self.server, Mutex::new(self.waiting.first().copied().unwrap_or_default()));
        let _browsers = Browsers::open(server, self.waiting.first().copied().unwrap_or_default())?;
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let ends = Ends(&over);
            (0..STREAMS).for_each(|_| {
                scope.spawn(|| {
                    let mut events = Events::open(server, "/api/events?all=true", None);
                    while events.next().is_some() {
                        if over.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                });
            });
            let readers: Vec<_> =
                (0..READERS).map(|_| scope.spawn(|| read(server, &running, &over))).collect();
            let begun = Instant::now();
            let mut tests = Vec::new();
            let mut until_over = || -> Done<()> {
                self.next()?;
                while begun.elapsed() < time {
                    *running.lock().unwrap() = self.waiting.first().copied().unwrap_or_default();
                    tests.push(self.next()?);
                }
                Ok(())
            };
            let ended = until_over();
            drop(ends);
            let mut took = Vec::new();
            for reader in readers {
                took.extend(reader.join().map_err(|_| "a reader broke")?);
            }
            ended.map(|()| (tests, took))
        })
    }
}

/// What clients read.
const KINDS: [&str; 4] = ["the queue", "the running test", "the list of runs", "a run"];

/// What was read, and how long the answer took, in milliseconds; `None` if it was refused because of too many requests: all clients have one address here.
type Answered = (&'static str, Option<f64>);

/// Reads all kinds once a second until `over`.
fn read(server: &Server, running: &Mutex<i64>, over: &AtomicBool) -> Vec<Answered> {
    let mut took = Vec::new();
    let mut answered = |kind: &'static str, path: &str| {
        let begun = Instant::now();
        let answer = server.get(path);
        let is_refused = answer.status == TOO_MANY;
        took.push((kind, (!is_refused).then(|| begun.elapsed().as_secs_f64() * 1e3)));
        if is_refused { Json::Null } else { answer.expect(200) }
    };
    while !over.load(Ordering::Relaxed) {
        answered(KINDS[0], "/api/tests");
        let id = *running.lock().unwrap();
        answered(KINDS[1], &format!("/api/tests/{id}"));
        let runs = answered(KINDS[2], "/api/runs?limit=50");
        if let Some(run) = runs["runs"][0]["id"].as_str() {
            answered(KINDS[3], &format!("/api/runs/{run}"));
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    took
}

/// Two browsers, on the queue and on a test; their process groups are killed when dropped.
struct Browsers {
    open: Vec<Child>,
    _profiles: Vec<tempfile::TempDir>,
}

impl Browsers {
    fn open(server: &Server, test: i64) -> Done<Self> {
        let program = match std::env::var_os("WIREDYNO_CHROMIUM") {
            Some(named) => named.into(),
            None => stand::program("chromium")?,
        };
        let mut all = Browsers { open: Vec::new(), _profiles: Vec::new() };
        for path in ["/queue".to_owned(), format!("/tests/{test}")] {
            let profile = tempfile::tempdir()?;
            let child = Command::new("nice")
                .args(["-n", "19"])
                .arg(&program)
                // A debugging port keeps it open; without one it ends when the page is there.
                .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg(format!("http://{}{path}", server.address))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()?;
            all.open.push(child);
            all._profiles.push(profile);
        }
        Ok(all)
    }
}

impl Drop for Browsers {
    fn drop(&mut self) {
        for child in &mut self.open {
            let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
            let _ = child.wait();
        }
    }
}
