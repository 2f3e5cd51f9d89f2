//! A server over a temporary folder, and a raw client that can also send malformed requests.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Limit for anything that a test waits for, as long as nothing moves.
pub const PATIENCE: Duration = Duration::from_secs(480);

/// A study of two trials over tcp and loopback.
pub const STUDY: &str = r#"
name = "tiny"
why = "Does it work?"
[axes]
payload = ["small"]
codec = ["json/serde-json"]
mode = ["tcp"]
[load]
kind = "open"
interval = "2ms"
messages = 20
deadline = "1s"
drain = "300ms"
[trials]
repeats = 2
[codec_trials]
batches = 3
batch_time = "1ms"
[limits]
timer_resolution = "off"
scheduling_lateness_p99 = "off"
schedule_lag_p99 = "off"
load_per_cpu = "off"
rate_error = "off"
run_delay = "off"
utilisation = "off"
steal = "off"
disturbed_batches = "off"
"#;

/// The path of a program: the one that `make deps-test` unpacked, or one that is installed, if only for administrators.
pub fn program(name: &str) -> Result<PathBuf, String> {
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/proxies/usr");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = vec![unpacked.join("sbin"), unpacked.join("bin")];
    folders.extend(std::env::split_paths(&path));
    folders.extend(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| format!("{name} is not installed"))
}

/// A running server, killed when dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    pub data: PathBuf,
    /// The lines that it printed before its address.
    pub said: Vec<String>,
}

/// An HTTP answer, with chunked bodies joined.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Its JSON; panics unless it has this status.
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// The error code of a refusal; panics unless it has this status.
    pub fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }
}

impl Server {
    /// Starts a server over a folder, with more arguments.
    pub fn start(data: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"));
        command.args(["serve", "--data"]).arg(data);
        if !more.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let mut child = command.args(more).stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = Vec::new();
        let address = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, rest)) = line.split_once("://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
            said.push(line);
        };
        // The rest is not read; the pipe stays open so that printing does not fail.
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address, data: data.to_owned(), said }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it (SIGKILL).
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end (SIGTERM) and waits; whether it exited with success.
    pub fn end(mut self) -> bool {
        let pid = nix::unistd::Pid::from_raw(self.child.id() as i32);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not end");
    }

    /// Sends bytes and reads the answer until the server closes.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // It may refuse before everything is sent.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        answer_of(&all)
    }

    /// Sends a request with these headers besides the usual ones.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        let mut bytes = (text + "\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    pub fn csrf(&self) -> String {
        self.get("/api/session").json()["csrf"].as_str().unwrap().to_owned()
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json"), ("X-CSRF", &self.csrf())];
        self.request("POST", path, &headers, body.to_string().as_bytes())
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path, &[("X-CSRF", &self.csrf())], b"")
    }

    /// The first token, which a server without a terminal writes into a file.
    pub fn token(&self) -> String {
        std::fs::read_to_string(self.data.join("first-token")).unwrap().trim().to_owned()
    }

    pub fn submit(&self, study: &str) -> i64 {
        self.post("/api/tests", &json!({ "study": study })).expect(201)["id"].as_i64().unwrap()
    }

    pub fn test(&self, id: i64) -> Value {
        self.get(&format!("/api/tests/{id}")).expect(200)
    }

    /// Waits until a test meets a condition, and returns it.
    pub fn await_test(&self, id: i64, is: impl Fn(&Value) -> bool) -> Value {
        let mut moved = (Instant::now(), Value::Null);
        loop {
            let test = self.test(id);
            if is(&test) {
                return test;
            }
            // Compiling may take as long as the machine needs for it, if it makes progress.
            if moved.1 != test {
                moved = (Instant::now(), test.clone());
            }
            assert!(moved.0.elapsed() < PATIENCE, "{test:#}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until a test's state is final, and returns it.
    pub fn await_end(&self, id: i64) -> Value {
        let over = |test: &Value| !matches!(test["state"].as_str(), Some("submitted" | "processing"));
        self.await_test(id, over)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer_of(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let chunked = headers
        .iter()
        .any(|(name, value)| name.eq_ignore_ascii_case("transfer-encoding") && value == "chunked");
    let body = bytes[end + 4..].to_vec();
    Answer { status, headers, body: if chunked { unchunked(&body) } else { body } }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..end]), 16).unwrap_or(0);
        if length == 0 || bytes.len() < end + 2 + length {
            break;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[(end + 4 + length).min(bytes.len())..];
    }
    body
}

/// An open stream of server-sent events.
pub struct Events {
    lines: std::io::Lines<BufReader<TcpStream>>,
}

impl Events {
    /// Opens the stream of a path, after an event.
    pub fn open(server: &Server, path: &str, last: Option<&str>) -> Self {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        let text = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{last}\r\n", server.address);
        stream.write_all(text.as_bytes()).unwrap();
        Events { lines: BufReader::new(stream).lines() }
    }

    /// The next event: its id and its data. `None` at the end of the stream.
    pub fn next(&mut self) -> Option<(String, Value)> {
        let mut id = String::new();
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some(found) = line.strip_prefix("id: ") {
                id = found.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                // An event is one chunk and one line of data; its id comes before or after the data.
                let data = serde_json::from_str(data).unwrap();
                while id.is_empty() {
                    let line = self.lines.next()?.ok()?;
                    if let Some(found) = line.strip_prefix("id: ") {
                        id = found.to_owned();
                    }
                }
                return Some((id, data));
            }
        }
    }

    /// Reads events up to and including one of a type.
    pub fn until(&mut self, kind: &str) -> Vec<(String, Value)> {
        let mut seen = Vec::new();
        loop {
            let event = self.next().unwrap_or_else(|| panic!("no `{kind}` in {seen:#?}"));
            let is_it = event.1["type"] == kind;
            seen.push(event);
            if is_it {
                return seen;
            }
        }
    }
}
