//! `/metrics` read by a real Prometheus, with the configuration of docs/SERVER.md, and the queries of docs/grafana.json asked of it. Ignored, with
//! the reason in the name, where a program is missing.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Arguments;
use serde_json::{Value, json};
use wiredyno_listed::{installed, listed};

use crate::stand::{PATIENCE, STUDY, Server, program};

#[path = "../../../results/answers/tests/made_up/mod.rs"]
mod made_up;
#[path = "stand/mod.rs"]
mod stand;

const DOCUMENT: &str = include_str!("../../../../docs/SERVER.md");
const DASHBOARD: &str = include_str!("../../../../docs/grafana.json");

fn main() {
    let there = || program("prometheus").and(program("promtool")).map(drop);
    let tests = vec![listed(
        "prometheus_reads_what_is_documented_and_every_query_of_the_dashboard_has_an_answer",
        scraped,
        there().and_then(|()| installed("curl")),
    )];
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

/// Prometheus, killed when dropped.
struct Prometheus {
    child: Child,
    port: u16,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Prometheus {
    /// With the documented configuration, for this server and its token.
    fn start(folder: &Path, server: &Server) -> Self {
        let token = folder.join("token");
        std::fs::write(&token, server.token()).unwrap();
        let block = DOCUMENT.lines().skip_while(|line| *line != "    scrape_configs:");
        let block = block.take_while(|line| !line.is_empty());
        let block: Vec<&str> = block.filter_map(|line| line.strip_prefix("    ")).collect();
        let block = block
            .join("\n")
            .replace("/etc/prometheus/wiredyno.token", &token.display().to_string())
            .replace("scheme: https", "scheme: http")
            .replace("bench.example.org", &server.address.to_string());
        let file = folder.join("prometheus.yml");
        std::fs::write(&file, format!("global: {{ scrape_interval: 1s }}\n{block}\n")).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program("prometheus").unwrap());
        command
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"));
        let log = std::fs::File::create(folder.join("log")).unwrap();
        Prometheus { child: command.stdin(Stdio::null()).stderr(log).spawn().unwrap(), port }
    }

    fn ask(&self, path: &str, arguments: &[&str]) -> Option<Value> {
        let address = format!("http://127.0.0.1:{}/api/v1/{path}", self.port);
        let output =
            Command::new("curl").args(["--silent", "--noproxy", "*", &address]).args(arguments).output();
        serde_json::from_slice(&output.unwrap().stdout).ok()
    }

    /// The result of a query.
    fn query(&self, query: &str) -> Vec<Value> {
        let answer = self.ask("query", &["--data-urlencode", &format!("query={query}")]);
        let answer = answer.unwrap_or_else(|| panic!("{query}: no answer"));
        assert_eq!(answer["status"], "success", "{query}: {answer}");
        answer["data"]["result"].as_array().unwrap().clone()
    }

    fn await_result(&self, query: &str) -> Vec<Value> {
        let begun = Instant::now();
        loop {
            let found = self.query(query);
            if !found.is_empty() {
                return found;
            }
            let targets = self.ask("targets", &[]).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "{query} has no result: {targets:#}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// All queries of the dashboard, for every study.
fn queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries = targets.map(|target| target["expr"].as_str().unwrap().replace("$study", ".*"));
    let queries: Vec<String> = queries.collect();
    assert!(queries.len() >= panels.len() && !queries.is_empty(), "a panel without a query");
    queries
}

fn scraped() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let recorded = made_up::messages(made_up::FOUR_CELLS, |_, repeat| {
        let latency = 10e6 * made_up::noise("latency", repeat);
        vec![("latency", latency), ("lost", 0.01), ("wire_per_message", 300.0), ("throughput", 49.0)]
    });
    let run = data.path().join("runs/recorded");
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("summary.json"), serde_json::to_vec(&recorded).unwrap()).unwrap();
    let server = Server::start(data.path(), &["--pause", "0", "--login"]);
    let bearer = format!("Bearer {}", server.token());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    // A test that runs as long as this: some metrics are about the running one.
    let study = STUDY.replace("repeats = 2", "repeats = 10000");
    let body = json!({ "study": study }).to_string();
    server.request("POST", "/api/tests", &headers, body.as_bytes()).expect(201);
    assert_eq!(server.get("/metrics").status, 401);

    let mut prometheus = Prometheus::start(folder.path(), &server);
    let begun = Instant::now();
    while prometheus.ask("targets", &[]).is_none() {
        let log = || std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        assert!(prometheus.child.try_wait().unwrap().is_none(), "it ended: {}", log());
        assert!(begun.elapsed() < PATIENCE, "no answer");
        std::thread::sleep(Duration::from_millis(100));
    }
    for query in queries() {
        prometheus.await_result(&query);
    }
    // The values are those of the run.
    let lost = prometheus.await_result("wiredyno_lost_ratio{codec=\"protobuf/prost\",mode=\"tcp\"}");
    assert_eq!((&lost[0]["value"][1], &lost[0]["metric"]["study"]), (&json!("0.01"), &json!("made-up")));
    let latency = prometheus.query("wiredyno_latency_seconds");
    let seconds: f64 = latency[0]["value"][1].as_str().unwrap().parse().unwrap();
    assert!(latency.len() == 4 && (0.0098..0.0102).contains(&seconds), "{latency:#?}");
    let running = prometheus.await_result("wiredyno_tests{state=\"processing\"}");
    assert_eq!(running[0]["value"][1], "1");

    // Each metric that the dashboard or its variables name is one of the page, and the page is in good form.
    let page = server.request("GET", "/metrics", &headers, b"");
    let names = DASHBOARD.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    for name in names.filter(|word| word.starts_with("wiredyno_")) {
        assert!(page.text().contains(&format!("# TYPE {name} ")), "no metric {name}");
    }
    let mut tool = Command::new(program("promtool").unwrap());
    tool.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tool = tool.spawn().unwrap();
    std::io::Write::write_all(&mut tool.stdin.take().unwrap(), &page.body).unwrap();
    let output = tool.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
}
