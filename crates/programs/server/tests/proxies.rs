//! The server behind the reverse proxies that docs/SERVER.md describes, with their own programs and the files of docs/proxies; and HTTP/2 with
//! its own certificate. Ignored, with the reason in the name, where a program is missing.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Arguments;
use serde_json::{Value, json};
use wiredyno_listed::{installed, listed};

use crate::stand::{PATIENCE, Server, program};

#[path = "stand/mod.rs"]
mod stand;

const NGINX: &str = include_str!("../../../../docs/proxies/nginx.conf");
const CADDY: &str = include_str!("../../../../docs/proxies/Caddyfile");
/// The address in these files of the server, and of the proxy.
const SERVER: &str = "127.0.0.1:8970";
const NAME: &str = "bench.example.org";
/// Arguments of the server that they name.
const ARGUMENTS: &[&str] = &["--host", NAME, "--path", "/bench", "--proxy-header", "X-Forwarded-User"];

fn main() {
    let curl = || installed("curl");
    let tests = vec![
        listed("nginx_as_documented", || behind(nginx), program("nginx").map(drop).and_then(|()| curl())),
        listed("caddy_as_documented", || behind(caddy), program("caddy").map(drop).and_then(|()| curl())),
        listed("with_a_certificate_of_its_own_it_speaks_http2", http2, curl()),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

/// A proxy, killed when dropped.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that is free now.
fn port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A certificate with its key, for the name in the files.
fn certificate(folder: &Path) -> [PathBuf; 2] {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let paths = ["certificate.pem", "key.pem"].map(|name| folder.join(name));
    std::fs::write(&paths[0], made.cert.pem()).unwrap();
    std::fs::write(&paths[1], made.signing_key.serialize_pem()).unwrap();
    paths
}

fn nginx(folder: &Path, server: &str, port: u16) -> Proxy {
    let [certificate, key] = certificate(folder).map(|path| path.display().to_string());
    let users = folder.join("users");
    std::fs::write(&users, "ann:{PLAIN}secret\n").unwrap();
    let site = NGINX
        .replace("listen 443", &format!("listen 127.0.0.1:{port}"))
        .replace("/etc/ssl/bench.example.org.pem", &certificate)
        .replace("/etc/ssl/bench.example.org.key", &key)
        .replace("/etc/nginx/wiredyno.users", &users.display().to_string())
        .replace(SERVER, server);
    // What a distribution's own file has around sites, with all files in this folder, and without another user.
    let at = folder.display();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary: String = temporary.iter().map(|of| format!("{of}_temp_path {at}/{of};\n")).collect();
    let whole = format!(
        "daemon off;\nmaster_process off;\npid {at}/pid;\nerror_log {at}/error.log;\nevents {{}}\n\
         http {{\naccess_log off;\n{temporary}{site}}}\n"
    );
    let file = folder.join("nginx.conf");
    std::fs::write(&file, whole).unwrap();
    let mut command = Command::new(program("nginx").unwrap());
    command.arg("-c").arg(file).arg("-e").arg(folder.join("error.log"));
    Proxy(command.stdin(Stdio::null()).spawn().unwrap())
}

fn caddy(folder: &Path, server: &str, port: u16) -> Proxy {
    let [certificate, key] = certificate(folder).map(|path| path.display().to_string());
    let output = Command::new(program("caddy").unwrap())
        .args(["hash-password", "--plaintext", "secret"])
        .output()
        .unwrap();
    let hash = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let site = CADDY
        .replace(
            &format!("{NAME} {{\n"),
            &format!("https://{NAME}:{port} {{\nbind 127.0.0.1\ntls {certificate} {key}\n"),
        )
        .replace(SERVER, server);
    let file = folder.join("Caddyfile");
    std::fs::write(&file, format!("{{\nadmin off\nauto_https disable_redirects\n}}\n{site}")).unwrap();
    let mut command = Command::new(program("caddy").unwrap());
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(file);
    command
        .env("ANN_HASH", hash)
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .env("XDG_CONFIG_HOME", folder);
    let log = std::fs::File::create(folder.join("caddy.log")).unwrap();
    Proxy(command.stdin(Stdio::null()).stderr(log).stdout(Stdio::null()).spawn().unwrap())
}

/// Requests by curl to the proxy's name, whose certificate no authority has signed.
struct Curl {
    port: u16,
}

impl Curl {
    fn command(&self, path: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("curl");
        command.args(["--silent", "--insecure", "--noproxy", "*", "--max-time", "120"]);
        command.args(["--resolve", &format!("{NAME}:{}:127.0.0.1", self.port)]).args(arguments);
        command.arg(format!("https://{NAME}:{}{path}", self.port));
        command
    }

    /// Status and body of an answer.
    fn ask(&self, path: &str, arguments: &[&str]) -> (u16, String) {
        let output =
            self.command(path, &[arguments, &["--write-out", "\n%{http_code}"]].concat()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (body, status) = text.rsplit_once('\n').unwrap();
        (status.parse().unwrap_or(0), body.to_owned())
    }

    fn await_answer(&self, path: &str) {
        let begun = Instant::now();
        while self.ask(path, &[]).0 == 0 {
            assert!(begun.elapsed() < PATIENCE, "no answer");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

const ANN: [&str; 2] = ["--user", "ann:secret"];

fn behind(start: fn(&Path, &str, u16) -> Proxy) {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Server::start(data.path(), ARGUMENTS);
    let curl = Curl { port: port() };
    let _proxy = start(folder.path(), &server.address.to_string(), curl.port);
    curl.await_answer("/bench/healthz");

    assert_eq!(curl.ask("/bench/healthz", &[]), (200, "ok\n".to_owned()), "a supervisor needs no password");
    for path in ["/bench/", "/bench/api/session", "/bench/api/tests", "/bench/metrics"] {
        assert_eq!(curl.ask(path, &[]).0, 401, "{path}");
        assert_eq!(curl.ask(path, &["--user", "ann:wrong"]).0, 401, "{path}");
    }
    // More often than tokens may be wrong.
    for _ in 0..15 {
        assert_eq!(curl.ask("/bench/api/tests", &ANN).0, 200);
    }
    let forged = [&ANN[..], &["--header", "X-Forwarded-User: root"]].concat();
    let (status, session) = curl.ask("/bench/api/session", &forged);
    let session: Value = serde_json::from_str(&session).unwrap();
    assert_eq!((status, &session["user"], &session["is_in"]), (200, &json!("ann"), &json!(true)));
    assert_eq!(curl.ask("/bench/healthz", &["--header", "X-Forwarded-User: root"]).0, 200);
    // Without a body: HTTP/2 of Caddy ends the stream of one that it does not read, now and then before curl has the answer.
    let (posted, _) = curl.ask("/bench/healthz", &["--request", "POST"]);
    assert!(matches!(posted, 403 | 405), "a supervisor only asks: {posted}");

    // The page, and what it loads.
    let (status, page) = curl.ask("/bench/", &ANN);
    assert!(status == 200 && page.contains("data-base=\"/bench\""), "{page}");
    let script = page.split("src=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(script.starts_with("/bench/assets/"), "{script}");
    assert_eq!(curl.ask(script, &ANN).0, 200, "{script}");

    // Orders carry the token of the page, and its origin.
    let csrf = format!("X-CSRF: {}", session["csrf"].as_str().unwrap());
    let origin = format!("Origin: https://{NAME}:{}", curl.port);
    let order = |origin: &str, body: &str| {
        let headers = ["--header", &csrf, "--header", origin, "--header", "Content-Type: application/json"];
        curl.ask("/bench/api/payloads", &[&ANN[..], &headers, &["--data", body]].concat())
    };
    let payload = json!({ "id": "mine", "kind": "samples", "text": "{\"a\": 1}" }).to_string();
    assert_eq!(order("Origin: https://evil.example", &payload).0, 403);
    // A stream of events passes at once. It begins before the order, however late it is opened.
    let tests: Value = serde_json::from_str(&curl.ask("/bench/api/tests", &ANN).1).unwrap();
    let events = format!("/bench/api/events?all=true&after={}", tests["last_event"].as_str().unwrap());
    let mut stream =
        curl.command(&events, &[&ANN[..], &["--no-buffer"]].concat()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(stream.stdout.take().unwrap()));
    let (status, answer) = order(&origin, &payload);
    assert_eq!(status, 201, "{answer}");
    assert!(lines.map_while(Result::ok).any(|line| line.contains("options_changed")), "no event passed");
    stream.kill().unwrap();
    stream.wait().unwrap();
    // What a definition with samples may have passes the proxy: the server itself refuses it.
    let long = folder.path().join("long.json");
    std::fs::write(
        &long,
        json!({ "id": "long", "kind": "samples", "text": "x".repeat(11 << 20) }).to_string(),
    )
    .unwrap();
    let (status, answer) = order(&origin, &format!("@{}", long.display()));
    assert!(status == 413 && answer.contains("at most"), "{status}: {answer}");
}

fn http2() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [certificate, key] = certificate(folder.path()).map(|path| path.display().to_string());
    let arguments = ["--tls-certificate", &certificate, "--tls-key", &key, "--host", NAME];
    let server = Server::start(data.path(), &arguments);
    let curl = Curl { port: server.address.port() };
    let version = |argument: &str| {
        let arguments = [argument, "--output", "/dev/null", "--write-out", "%{http_version} %{http_code}"];
        String::from_utf8_lossy(&curl.command("/api/tests", &arguments).output().unwrap().stdout).into_owned()
    };
    assert_eq!(version("--http1.1"), "1.1 200");
    // Some builds of curl can't.
    let able = Command::new("curl").arg("--version").output().unwrap();
    if String::from_utf8_lossy(&able.stdout).contains("HTTP2") {
        assert_eq!(version("--http2"), "2 200");
        let session: Value = serde_json::from_str(&curl.ask("/api/session", &["--http2"]).1).unwrap();
        assert_eq!(session["is_in"], true);
    }
}
