//! The files of a run for other programs: the queries of docs/FORMAT.md with DuckDB on a real run, CSV, and runs of many
//! messages, whose memory is checked.
//!
//! `WIREDYNO_TEST_FULL` sends five million. A missing Python module makes a test ignored, with the reason in its name.

#![allow(clippy::unwrap_used, reason = "every function here is a test or a part of one")]

mod stand;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use serde_json::Value;
use stand::{Desk, PROGRAM, array};

/// Most memory that the program may take, for any number of messages.
const MOST_BYTES: u64 = 300_000_000;

/// The largest report that is still convenient to open or send.
const MOST_REPORT_BYTES: u64 = 3_000_000;

fn python() -> Command {
    Command::new(std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into()))
}

fn has_duckdb() -> bool {
    let imported = python().args(["-c", "import duckdb"]).output();
    imported.is_ok_and(|output| output.status.success())
}

fn main() {
    let mut arguments = Arguments::from_args();
    // One run at a time: the large one measures memory and needs the processors.
    arguments.test_threads = arguments.test_threads.or(Some(1));
    let duckdb = has_duckdb();
    let mut trials = Vec::new();
    for (title, query) in queries() {
        let name = format!("duckdb_answers: {title}");
        let name = if duckdb { name } else { format!("{name} (Python has no duckdb)") };
        let answers = move || {
            answered(&query);
            Ok(())
        };
        trials.push(Trial::test(name, answers).with_ignored_flag(!duckdb));
    }
    let listed: [(&str, fn()); 6] = [
        ("format_md_has_five_queries", five_queries),
        ("csv_has_the_rows_of_cells_parquet", csv),
        ("a_report_is_written_where_it_is_asked_for", report_elsewhere),
        ("a_file_of_a_newer_layout_is_refused_with_the_version_that_can", newer),
        ("ten_thousand_trials_are_planned_in_little_memory", plan),
        ("messages_by_the_hundred_thousand_take_no_more_memory", many),
    ];
    for (name, test) in listed {
        trials.push(Trial::test(name, move || {
            test();
            Ok(())
        }));
    }
    let percentiles = if duckdb { "" } else { " (Python has no duckdb)" };
    let name = format!("percentiles_of_the_summary_are_those_of_the_messages{percentiles}");
    let same = || {
        percentiles_agree();
        Ok(())
    };
    trials.push(Trial::test(name, same).with_ignored_flag(!duckdb));
    libtest_mimic::run(&arguments, trials).exit();
}

/// The queries of docs/FORMAT.md: blocks of SQL with the question on their first line.
fn queries() -> Vec<(String, String)> {
    let format = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/FORMAT.md");
    let text = std::fs::read_to_string(format).unwrap();
    let blocks = text.split("```sql\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let titled = |block: &str| {
        let title = block.lines().next()?.strip_prefix("-- ")?;
        Some((title.to_owned(), block.to_owned()))
    };
    blocks.filter_map(titled).collect()
}

fn five_queries() {
    assert_eq!(queries().len(), 5);
}

/// Two codecs over two modes, five repeats, and codec trials.
fn run() -> &'static Desk {
    static RUN: OnceLock<Desk> = OnceLock::new();
    RUN.get_or_init(|| {
        let desk = Desk::for_runs();
        let settings = ["mode=udp,tcp", "trials.repeats=5", "load.interval=5ms", "load.messages=30"];
        let mut arguments = vec!["run", "tiny.toml", "--out", "r"];
        arguments.extend(settings.iter().flat_map(|setting| ["--set", *setting]));
        desk.wiredyno(&arguments).well();
        desk
    })
}

/// DuckDB's answer: rows as objects.
fn asked(folder: &Path, query: &str) -> Vec<BTreeMap<String, Value>> {
    const SCRIPT: &str = "import duckdb, json, sys\n\
        found = duckdb.sql(sys.stdin.read())\n\
        rows = [dict(zip(found.columns, row)) for row in found.fetchall()]\n\
        json.dump(rows, sys.stdout, default=str)";
    let mut child = python()
        .args(["-c", SCRIPT])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(query.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{query}\n{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A query has an answer without empty columns: this run has no link, so the columns of links are left out.
fn answered(query: &str) {
    let rows = asked(&run().file("r"), query);
    assert!(!rows.is_empty(), "{query}");
    for column in rows[0].keys().filter(|column| !column.contains("wire")) {
        assert!(rows.iter().any(|row| !row[column].is_null()), "{column} is empty: {query}");
    }
}

/// DuckDB's percentiles of the messages (`quantile_cont` is type 7) are those of the summary.
fn percentiles_agree() {
    let desk = run();
    let rows = asked(
        &desk.file("r"),
        "SELECT codec, mode, quantile_cont(received_ns - intended_send_ns, 0.5) AS median, \
                quantile_cont(received_ns - intended_send_ns, 0.9) AS p90, count(received_ns) AS arrived \
         FROM 'messages.parquet' JOIN 'trials.parquet' USING (trial) WHERE valid GROUP BY ALL",
    );
    let summary = desk.summary("r");
    assert_eq!(rows.len(), 4);
    for cell in array(&summary["cells"]) {
        let axes = &cell["axes"];
        let row =
            rows.iter().find(|row| row["codec"] == axes["codec"] && row["mode"] == axes["mode"]).unwrap();
        let latency = &cell["metrics"]["latency"];
        assert_eq!(row["arrived"], latency["count"]);
        for name in ["median", "p90"] {
            let [ours, theirs] = [&latency[name], &row[name]].map(|value| value.as_f64().unwrap());
            assert!((ours - theirs).abs() <= 1.0, "{axes}: {name} {ours} {theirs}");
        }
    }
}

fn csv() {
    let desk = run();
    let text = desk.wiredyno(&["report", "r", "--format", "csv"]).well();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(&header[..4], ["kind", "figures_of", "payload", "codec"]);
    assert!(header.contains(&"unit") && header.contains(&"mean_low"));
    let summary = desk.summary("r");
    let metrics = |cells: &str| -> usize {
        array(&summary[cells]).iter().map(|cell| cell["metrics"].as_object().unwrap().len()).sum()
    };
    assert_eq!(lines.count(), metrics("cells") + metrics("codecs"));
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let latency = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let latency: Vec<Vec<&str>> = latency.filter(|row| row[at("metric")] == "latency").collect();
    assert_eq!(latency.len(), 4);
    for (row, cell) in latency.iter().zip(array(&summary["cells"])) {
        assert_eq!(
            (row[at("unit")], row[at("loss")], row[at("mode")]),
            ("ns", "", cell["axes"]["mode"].as_str().unwrap())
        );
        let mean: f64 = row[at("mean")].parse().unwrap();
        assert_eq!(Some(mean), cell["metrics"]["latency"]["mean"].as_f64());
    }
}

fn report_elsewhere() {
    let desk = run();
    for (format, begin) in [("csv", "kind,"), ("json", "{"), ("md", "# ")] {
        let said = desk.wiredyno(&["report", "r", "--format", format, "-o", "told"]).well();
        assert!(said.contains("told"), "{said}");
        let text = std::fs::read_to_string(desk.file("told")).unwrap();
        assert!(text.starts_with(begin), "{format}: {text}");
    }
}

fn newer() {
    let desk = run();
    let copy = desk.file("newer");
    std::fs::create_dir_all(&copy).unwrap();
    let text = std::fs::read_to_string(desk.file("r/summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    summary["schema"] = 99.into();
    summary["run"]["version"] = "7.8.9".into();
    std::fs::write(copy.join("summary.json"), summary.to_string()).unwrap();
    let refused = desk.wiredyno(&["report", "newer"]).refused(1);
    assert!(refused.contains("its layout is 99") && refused.contains("use Wiredyno 7.8.9"), "{refused}");
}

/// One trial of many messages through accounting, store, summary and report.
fn many() {
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    let (messages, interval) = if full { (5_000_000, "20us") } else { (300_000, "10us") };
    let desk = Desk::for_runs();
    let load = [format!("load.messages={messages}"), format!("load.interval={interval}")];
    let mut command = desk.command(&["run", "tiny.toml", "--out", "r", "--set", "mode=tcp"]);
    command.args(["--set", "payload=opaque@100", "--set", "codec=raw/wiredyno", "--set", "trials.repeats=1"]);
    command.args([
        "--set",
        "codec_trials.enabled=false",
        "--set",
        "load.drain=60s",
        "--set",
        "load.deadline=60s",
    ]);
    command.args(load.iter().flat_map(|setting| ["--set", setting.as_str()]));
    let said = desk.file("said");
    let (status, peak_bytes) = watched(command.stdout(std::fs::File::create(&said).unwrap()));
    // A busy machine may overload the trial, whose messages are accounted for all the same.
    assert!(matches!(status.code(), Some(0 | 3)), "{status}: {}", std::fs::read_to_string(&said).unwrap());
    let cell = &array(&desk.summary("r")["cells"])[0].clone();
    let made = &array(&cell["made"])[0];
    assert_eq!(made["sent"], messages, "{made}");
    assert!(peak_bytes > 0 && peak_bytes < MOST_BYTES, "the program took {peak_bytes} bytes");
    if has_duckdb() {
        percentiles_of_buckets(&desk.file("r"), &cell["metrics"]["latency"]);
    }
    let html = desk.file("r/report.html");
    let bytes = std::fs::metadata(&html).unwrap().len();
    assert!(bytes < MOST_REPORT_BYTES, "the report has {bytes} bytes");
    println!("{messages} messages: {peak_bytes} bytes of memory at most, {bytes} bytes of report");
    opens(&html);
}

/// With more messages than are stored individually: percentiles within a thousandth of the exact ones, the rest exact.
fn percentiles_of_buckets(folder: &Path, latency: &Value) {
    let query = "SELECT quantile_cont(latency, 0.5) AS median, quantile_cont(latency, 0.9) AS p90, quantile_cont(latency, 0.99) AS p99, \
                 min(latency) AS min, max(latency) AS max, avg(latency) AS mean \
                 FROM (SELECT received_ns - intended_send_ns AS latency FROM 'messages.parquet')";
    let row = &asked(folder, query)[0];
    for (name, error) in
        [("median", 1e-3), ("p90", 1e-3), ("p99", 1e-3), ("min", 0.0), ("max", 0.0), ("mean", 1e-9)]
    {
        let [ours, theirs] = [&latency[name], &row[name]].map(|value| value.as_f64().unwrap());
        assert!((ours - theirs).abs() <= theirs.abs() * error, "{name}: {ours} {theirs}");
    }
}

/// Plans are held in memory: ten thousand trials take little.
fn plan() {
    let desk = Desk::new();
    let payloads: Vec<String> = (101..121).map(|size| format!("opaque@{size}")).collect();
    let payloads = format!("payload={}", payloads.join(","));
    let plan = |repeats: u32| {
        let repeats = format!("trials.repeats={repeats}");
        let mut command = desk.command(&["run", "tiny.toml", "--dry-run", "--set", "codec=raw/wiredyno"]);
        command.args(["--set", &payloads, "--set", "mode=tcp", "--set", "codec_trials.enabled=false"]);
        command.args(["--set", &repeats]);
        let said = desk.file("planned");
        let (status, peak_bytes) = watched(command.stdout(std::fs::File::create(&said).unwrap()));
        assert!(status.success());
        (std::fs::read_to_string(said).unwrap(), peak_bytes)
    };
    let ((few, of_few), (many, of_many)) = (plan(5), plan(500));
    assert!(few.contains("100 message trials") && many.contains("10000 message trials"), "{few}{many}");
    println!("100 trials are planned in {of_few} bytes, 10,000 in {of_many}");
    assert!(of_many < of_few + 20_000_000, "100 trials take {of_few} bytes, 10,000 take {of_many}");
}

/// Runs a command to its end; returns the program's peak memory.
fn watched(command: &mut Command) -> (ExitStatus, u64) {
    let mut child = command.spawn().unwrap();
    let mut peak_bytes = 0;
    let mut seen = BTreeSet::new();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status, peak_bytes);
        }
        peak_bytes = peak_bytes.max(peak_bytes_of_program(child.id(), &mut seen));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The largest resident sets of the program and its own worker processes together, without runners.
fn peak_bytes_of_program(root: u32, seen: &mut BTreeSet<u32>) -> u64 {
    let program = std::fs::canonicalize(PROGRAM).unwrap();
    let is_program =
        |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
    let peak = |pid: u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) << 10
    };
    let (mut waiting, mut bytes, mut now) = (vec![root], 0, BTreeSet::new());
    while let Some(pid) = waiting.pop() {
        if is_program(pid) {
            // One that is new may be the moment between a fork and the other program, when it has its parent's memory.
            bytes += if seen.contains(&pid) { peak(pid) } else { 0 };
            now.insert(pid);
        }
        let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for thread in threads.flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            waiting.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    *seen = now;
    bytes
}

/// Opens a report in headless Chromium, if installed: its charts must be drawn within the browser's five seconds.
fn opens(html: &Path) {
    let named = std::env::var("WIREDYNO_CHROMIUM").ok();
    let Some(browser) = named.or_else(|| stand::installed("chromium").is_ok().then(|| "chromium".into()))
    else {
        println!("chromium is missing: the report was not opened");
        return;
    };
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"])
        .args(["--disable-background-networking", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", html.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let root = dom.split_once("<head>").map_or("", |(root, _)| root);
    assert!(root.contains("data-ready=\"true\""), "the page's root says {root}");
    assert!(dom.contains("<svg"), "no chart is drawn");
}
