//! The usual attacks, all refused: foreign hosts and origins, forged requests, path traversal, too many or too slow requests,
//! missing, wrong, revoked and expired tokens, texts that try to inject code.
//!
//! One file because an attack is a test of its own and all share one small server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Instant;

use crate::stand::{PATIENCE, STUDY, Server};
use serde_json::json;

fn loopback() -> (tempfile::TempDir, Server) {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &["--host", "bench.example.org"]);
    (data, server)
}

#[test]
fn a_page_whose_name_was_made_to_mean_this_machine_gets_nothing() {
    let (_data, server) = loopback();
    let port = server.address.port();
    for host in [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "localhost@evil.example",
    ] {
        for path in ["/", "/api/session", "/api/tests", "/api/openapi.json"] {
            let answer = server.request("GET", path, &[("Host", host)], b"");
            assert_eq!(answer.status, 421, "{host} {path}");
        }
    }
    for host in
        ["localhost", "bench.example.org:443", "BENCH.example.org", "[::1]", &format!("127.0.0.1:{port}")]
    {
        assert_eq!(server.request("GET", "/api/session", &[("Host", host)], b"").status, 200, "{host}");
    }
    let two = "GET /api/tests HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(server.raw(two.as_bytes()).status, 400);
    assert_eq!(server.raw(b"GET /api/tests HTTP/1.0\r\n\r\n").status, 400);
}

#[test]
fn a_page_of_another_origin_changes_nothing() {
    let (_data, server) = loopback();
    let own = format!("http://{}", server.address);
    let csrf = server.csrf();
    let body = json!({ "study": STUDY }).to_string();
    let json = ("Content-Type", "application/json");
    let post = |headers: &[(&str, &str)]| server.request("POST", "/api/tests", headers, body.as_bytes());
    assert_eq!(post(&[json]).refused(403), "csrf");
    assert_eq!(post(&[json, ("X-CSRF", "0")]).refused(403), "csrf");
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "?"] {
        assert_eq!(post(&[json, ("X-CSRF", &csrf), ("Origin", origin)]).refused(403), "origin", "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(post(&[json, ("X-CSRF", &csrf), ("Sec-Fetch-Site", site)]).refused(403), "origin");
    }
    // Forms can't send JSON.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let headers = [("Content-Type", kind), ("X-CSRF", csrf.as_str()), ("Origin", own.as_str())];
        assert_eq!(post(&headers).status, 415, "{kind}");
    }
    for method in ["GET", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "OPTIONS"] {
        let answer = server.request(method, "/api/tests/1/cancel", &[("X-CSRF", &csrf)], b"");
        assert!(matches!(answer.status, 400 | 404 | 405), "{method}: {}", answer.status);
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    assert_eq!(server.get("/api/tests").expect(200)["tests"], json!([]));
    let refused = server.get("/api/audit").expect(200);
    let refused = refused["entries"].as_array().unwrap();
    assert!(refused.iter().all(|entry| entry["status"].as_u64() >= Some(400)), "{refused:#?}");
    assert!(refused.iter().filter_map(|entry| entry["times"].as_u64()).sum::<u64>() >= 8, "{refused:#?}");
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "lists of malformed names and paths, all tried against one prepared folder"
)]
fn no_path_of_a_request_reaches_the_file_system() {
    let (data, server) = loopback();
    std::fs::write(data.path().join("secret.json"), "secret words").unwrap();
    let run = data.path().join("runs/2026-01-01-a-1");
    std::fs::create_dir_all(run.join("captures")).unwrap();
    std::fs::write(run.join("summary.json"), "{}").unwrap();
    std::fs::write(run.join(".hidden.json"), "secret words").unwrap();
    std::os::unix::fs::symlink(data.path().join("secret.json"), run.join("link.json")).unwrap();
    std::os::unix::fs::symlink(data.path(), data.path().join("runs/out")).unwrap();
    let names = [
        "..",
        ".",
        "%2e%2e",
        "..%2f..%2fetc",
        "%2fetc",
        "a%00",
        "out",
        "a/../..",
        "....//",
        "..%5c..",
        "2026-01-01-a-1%2f..",
        "%c0%ae%c0%ae",
    ];
    for name in names {
        for rest in ["", "/page", "/report", "/files", "/files/summary.json", "/figures", "/distribution"] {
            let answer = server.get(&format!("/api/runs/{name}{rest}"));
            assert!((400..500).contains(&answer.status), "{name}{rest}: {} {}", answer.status, answer.text());
            assert!(
                !answer.text().contains("secret words") && !answer.text().contains("root:"),
                "{name}{rest}"
            );
        }
        for query in [
            format!("/api/compare?base={name}&new={name}"),
            format!("/api/history?study={name}&metric={name}"),
        ] {
            let answer = server.get(&query);
            assert!(!answer.text().contains("secret words"), "{query}");
            assert_ne!(answer.status, 500, "{query}");
        }
    }
    let files = [
        "../../secret.json",
        "..%2f..%2fsecret.json",
        "%2e%2e/%2e%2e/secret.json",
        ".hidden.json",
        "link.json",
        "captures/../summary.json",
        "captures",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "summary.json%00",
        "summary.json/",
        "./summary.json",
    ];
    for file in files {
        let answer = server.get(&format!("/api/runs/2026-01-01-a-1/files/{file}"));
        assert_eq!(answer.status, 404, "{file}: {}", answer.text());
    }
    assert_eq!(server.get("/api/runs/2026-01-01-a-1/files/summary.json").body, b"{}");
    for path in [
        "/../../etc/passwd",
        "/assets/../../../etc/passwd",
        "/assets/%2e%2e/%2e%2e/secret.json",
        "//etc/passwd",
    ] {
        let answer = server.get(path);
        assert!(!answer.text().contains("root:") && !answer.text().contains("secret words"), "{path}");
    }
    let gone = server.request("DELETE", "/api/payloads/..%2fruns", &[("X-CSRF", &server.csrf())], b"");
    assert_eq!(gone.status, 404);
    assert!(run.join("summary.json").is_file());
}

#[test]
fn a_study_cannot_name_files_programs_or_addresses() {
    let (_data, server) = loopback();
    let plan = |study: &str| server.post("/api/plan", &json!({ "study": study }));
    for (from, to) in [
        ("\"tiny\"", "\"../../x\""),
        ("\"tiny\"", "\"a/b\""),
        ("[\"small\"]", "[\"../../etc\"]"),
        ("[\"small\"]", "[\"./x\"]"),
        ("mode =", "link = [\"/etc/passwd\"]\nmode ="),
        ("mode =", "link = [\"x.toml\"]\nmode ="),
        ("why =", "without_link = \"/etc/passwd\"\nwhy ="),
        ("why =", "program = \"/bin/sh\"\nwhy ="),
        ("mode = [\"tcp\"]", "mode = [\"mqtt:qos0\"]\nbroker = [\"evil.example\"]"),
        ("[trials]", "[transport.mqtt]\nhost = \"evil.example\"\n[trials]"),
    ] {
        let answer = plan(&STUDY.replace(from, to));
        assert!((400..500).contains(&answer.status), "{to}: {}", answer.text());
        assert!(!answer.text().contains("root:"), "{to}");
    }
    for only in ["--out=/tmp/x", "codec=json\nx", "x"] {
        let answer = server.post("/api/plan", &json!({ "study": STUDY, "only": [only] }));
        assert!((400..500).contains(&answer.status), "{only}: {}", answer.text());
    }
    let order = json!({ "study": STUDY, "broker": "tcp=evil.example:1" });
    assert_eq!(server.post("/api/tests", &order).refused(403), "forbidden");
    let many = STUDY.replace("repeats = 2", "repeats = 4000000");
    let answer = server.post("/api/tests", &json!({ "study": many }));
    assert_eq!(answer.status, 422, "{}", answer.text());
    let slow = STUDY.replace("messages = 20", "messages = 4000000000");
    assert_eq!(server.post("/api/tests", &json!({ "study": slow })).status, 422);
}

#[test]
fn a_definition_is_data_and_bombs_burst_outside() {
    let (data, server) = loopback();
    let size = |kind: &str, text: &str| server.post("/api/size", &json!({ "kind": kind, "text": text }));
    let proto = |body: &str| format!("syntax = \"proto3\";\n{body}");
    for text in [
        proto("import \"../../../../etc/passwd\";\nmessage M { int32 a = 1; }"),
        proto("import \"/etc/passwd\";\nmessage M { int32 a = 1; }"),
        proto("import \"other.proto\";\nmessage M { int32 a = 1; }"),
        proto("message M { M m = 1; }").repeat(2),
        format!("{}{}", proto("message M { "), "message N { ".repeat(100_000)),
        "\u{0}\u{1}".to_owned(),
    ] {
        let answer = size("proto", &text);
        assert!((400..500).contains(&answer.status), "{}: {}", &text[..text.len().min(60)], answer.text());
        assert!(!answer.text().contains("root:"));
    }
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let wide: String = (0..20_000).map(|n| format!("\"f{n}\": {n},")).collect();
    for text in [deep.clone(), format!("{{\"a\": {deep}}}"), format!("{{{}\"z\": 1}}", wide)] {
        // A program that exceeds its CPU time is killed, and that must not be a 5xx answer.
        let answer = size("samples", &text);
        assert!(answer.status < 500, "{}", answer.text());
    }
    // Code in every place where text is kept; none of it runs when the generated code is compiled.
    let mark = data.path().join("mark");
    let evil =
        format!("*/ fn main() {{ std::fs::write(\"{}\", \"x\"); }} /* \\\" #[x] \\n //! ", mark.display());
    let text = proto(&format!(
        "// {evil}\npackage a.b;\nmessage Type {{\n  // {evil}\n  int32 fn = 1; // {evil}\n  string self = 2;\n  bytes r = 3;\n  enum Crate {{ \
         IMPL = 0; MACRO_RULES = 1; }}\n  Crate crate = 4;\n}}\n"
    ));
    let body = json!({ "id": "evil", "kind": "proto", "text": text });
    server.post("/api/payloads", &body).expect(201);
    let id = server.submit(
        &STUDY
            .replace("\"small\"", "\"evil\"")
            .replace("[\"json/serde-json\"]", "[\"json/serde-json\", \"protobuf/prost\"]"),
    );
    let test = server.await_end(id);
    assert_eq!(test["state"], "done", "{test:#}");
    assert!(!mark.exists(), "words of a comment were run");
    for id in ["../x", "A", "-x", "x/y", "", "draft", "small", &"x".repeat(60)] {
        let body = json!({ "id": id, "kind": "samples", "text": "{\"a\": 1}" });
        assert!(matches!(server.post("/api/payloads", &body).status, 409 | 422), "{id}");
    }
}

#[test]
fn names_and_samples_with_scripts_in_them_stay_text() {
    let (_data, server) = loopback();
    let script = "<script>alert(1)</script>";
    let study = STUDY.replace("Does it work?", script);
    let id = server.submit(&study);
    let test = server.await_end(id);
    assert_eq!(test["state"], "done", "{test:#}");
    let run = test["run"].as_str().unwrap();
    let page = server.get(&format!("/api/runs/{run}/page")).expect(200);
    for section in page["sections"].as_array().unwrap() {
        assert!(!section["html"].as_str().unwrap().contains("<script"), "{}", section["id"]);
    }
    assert!(!page["asked"].as_str().unwrap().contains("<script"));
    let report = server.get(&format!("/api/runs/{run}/report"));
    assert!(!report.text().contains(script));
    for path in ["/", "/tests/1", "/api/tests", "/api/runs", &format!("/api/tests/{id}")] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.contains("script-src 'self'") && !policy.contains("unsafe-inline"),
            "{path}: {policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
    }
    assert_eq!(server.get("/api/tests").header("content-type"), Some("application/json"));
}

#[test]
fn too_much_and_too_slow_is_cut_off_and_others_are_served_meanwhile() {
    let (_data, server) = loopback();
    let csrf = server.csrf();
    let headers = [("Content-Type", "application/json"), ("X-CSRF", csrf.as_str())];
    let large = format!("{{\"study\": \"{}\"}}", "x".repeat(13 << 20));
    let answer = server.request("POST", "/api/plan", &headers, large.as_bytes());
    assert_eq!(answer.status, 413);
    let study = format!("{{\"study\": \"{}\"}}", "x".repeat(300_000));
    assert_eq!(server.request("POST", "/api/plan", &headers, study.as_bytes()).status, 422);
    let head = format!(
        "GET /api/session HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n",
        server.address,
        "x".repeat(100_000)
    );
    assert!(matches!(server.raw(head.as_bytes()).status, 400 | 431));
    // Announced but never sent: the rest of a head, and of a body.
    let open = |text: String| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let begun = Instant::now();
    let slow_heads: Vec<TcpStream> =
        (0..40).map(|_| open("GET / HTTP/1.1\r\nHost: local".to_owned())).collect();
    let body = format!(
        "POST /api/plan HTTP/1.1\r\nHost: {}\r\nX-CSRF: {csrf}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        server.address
    );
    let mut slow_body = open(body);
    assert_eq!(server.get("/api/session").status, 200);
    for mut stream in slow_heads {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(begun.elapsed() < PATIENCE / 4, "a head may take ten seconds");
    }
    let mut answer = Vec::new();
    let _ = slow_body.read_to_end(&mut answer);
    assert!(
        String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 408"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    assert!(begun.elapsed() < PATIENCE / 2);
}

#[test]
fn nobody_is_waited_for_who_is_not_logged_in_and_bodies_of_one_client_are_bounded() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &["--login"]);
    // The rest of the body never comes: an answer means that it was not waited for.
    for path in ["/healthz", "/", "/assets/x.js", "/api/tests", "/metrics"] {
        let text =
            format!("POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: 4000\r\n\r\n{{", server.address);
        let answer = server.raw(text.as_bytes());
        assert_eq!((answer.status, answer.header("connection")), (401, Some("close")), "{path}");
    }
    // One that must be read, for a token: more than a client's share at a time are refused at once.
    let text = format!(
        "POST /api/login HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{{",
        server.address
    );
    let slow: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            stream
        })
        .collect();
    let answers: Vec<String> = slow
        .into_iter()
        .map(|mut stream| {
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).chars().take(12).collect()
        })
        .collect();
    let refused = answers.iter().filter(|answer| *answer == "HTTP/1.1 503").count();
    assert!(refused >= 60 - 32, "{answers:?}");
    assert!(answers.iter().all(|answer| answer == "HTTP/1.1 503" || answer == "HTTP/1.1 408"), "{answers:?}");
}

#[test]
fn who_asks_too_often_waits() {
    let (_data, server) = loopback();
    let csrf = server.csrf();
    let headers = [("Content-Type", "application/json"), ("X-CSRF", csrf.as_str())];
    // Questions cost a process each and have their own limit. All at once: one after another, a busy machine would be slow
    // enough for them to be let through.
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..80)
            .map(|_| scope.spawn(|| server.request("POST", "/api/plan", &headers, b"{\"study\": \"x\"}")))
            .collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| matches!(answer.status, 422 | 429 | 503)));
    let refused = answers.iter().find(|answer| answer.status == 429).expect("one of so many is refused");
    assert!(refused.header("retry-after").is_some_and(|after| after.parse::<u32>().is_ok()));
    assert_eq!(server.get("/api/session").status, 200, "other requests go on");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one server is asked, from its first token to its last")]
fn off_loopback_nothing_is_answered_without_a_token_and_tokens_end() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &["--login"]);
    let token = server.token();
    assert_eq!(token.len(), 64, "{:?}", server.said);
    assert!(!server.said.iter().any(|line| line.contains(&token)), "a service manager keeps what is printed");
    for (path, most) in [
        ("first-token", 0o600),
        ("queue.sqlite", 0o600),
        ("queue.sqlite-wal", 0o600),
        ("runs", 0o700),
        ("", 0o700),
    ] {
        let mode = std::fs::metadata(data.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & !most, 0, "{path}: {mode:o}");
    }
    let database = std::fs::read(data.path().join("queue.sqlite-wal")).unwrap_or_default();
    let database = [std::fs::read(data.path().join("queue.sqlite")).unwrap(), database].concat();
    assert!(!database.windows(64).any(|bytes| bytes == token.as_bytes()), "the token stands in the database");
    for path in [
        "/api/tests",
        "/api/options",
        "/api/runs",
        "/api/events",
        "/api/openapi.json",
        "/api/audit",
        "/api/nothing",
    ] {
        assert_eq!(server.get(path).refused(401), "login", "{path}");
    }
    let session = server.get("/api/session").expect(200);
    assert_eq!((&session["is_in"], &session["csrf"]), (&json!(false), &serde_json::Value::Null));
    let bearer = format!("Bearer {token}");
    let with = |token: &str| server.request("GET", "/api/tests", &[("Authorization", token)], b"").status;
    assert_eq!(with(&bearer), 200);
    for wrong in
        [format!("Bearer {}", "0".repeat(64)), format!("Basic {token}"), token.clone(), "Bearer ".to_owned()]
    {
        assert_eq!(with(&wrong), 401, "{wrong}");
    }
    let login = |token: &str| {
        let body = json!({ "token": token }).to_string();
        server.request("POST", "/api/login", &[("Content-Type", "application/json")], body.as_bytes())
    };
    let answer = login(&token);
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let csrf = answer.json()["csrf"].as_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let of_session = |method: &str, path: &str, csrf: Option<&str>| {
        let mut headers = vec![("Cookie", cookie.as_str()), ("Content-Type", "application/json")];
        headers.extend(csrf.map(|csrf| ("X-CSRF", csrf)));
        server.request(method, path, &headers, b"{}")
    };
    assert_eq!(of_session("GET", "/api/tests", None).status, 200);
    assert_eq!(of_session("POST", "/api/tests/1/cancel", None).refused(403), "csrf");
    assert_eq!(of_session("POST", "/api/tests/1/cancel", Some(&csrf)).refused(404), "not_found");
    of_session("POST", "/api/logout", Some(&csrf)).expect(200);
    assert_eq!(of_session("GET", "/api/tests", None).refused(401), "login", "a cookie that was used up");
    // Guessing ends soon, and locks out nobody who knows.
    let guesses: Vec<u16> = (0..20).map(|_| login(&"0".repeat(64)).status).collect();
    assert!(guesses.contains(&429), "{guesses:?}");
    assert_eq!(with(&format!("Bearer {}", "0".repeat(64))), 429);
    assert_eq!((with(&bearer), login(&token).status), (200, 200));
    // What it takes to log in is short.
    let long = json!({ "token": "0".repeat(100_000) }).to_string();
    let answer =
        server.request("POST", "/api/login", &[("Content-Type", "application/json")], long.as_bytes());
    assert_eq!(answer.refused(413), "too_large");
    let (_, mut stream) = follow(&server, "/api/events", &[("Authorization", &bearer)]);
    let revoke = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
        .args(["serve", "--revoke-token", "first", "--data"])
        .arg(data.path())
        .status()
        .unwrap();
    assert!(revoke.success());
    assert_ne!(with(&bearer), 200, "a token that was taken away");
    // Its stream ends, too.
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
}

/// Opens a stream of events: the status of its answer, and the connection.
fn follow(server: &Server, path: &str, headers: &[(&str, &str)]) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", server.address).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    (String::from_utf8_lossy(&head[9..]).parse().unwrap(), stream)
}

#[test]
fn one_client_takes_neither_all_streams_nor_all_connections() {
    let (_data, server) = loopback();
    let open: Vec<_> = (0..70).map(|_| follow(&server, "/api/events?all=true", &[])).collect();
    let refused = open.iter().filter(|(status, _)| *status == 429).count();
    assert!((1..70).contains(&refused), "{refused}");
    drop(open);
    // Connections beyond a share are hung up on at once; a client with another address comes in.
    let idle: Vec<TcpStream> = (0..130).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let hung_up = |stream: &&TcpStream| {
        let mut stream = *stream;
        stream.set_read_timeout(Some(std::time::Duration::from_secs(1))).unwrap();
        matches!(stream.read(&mut [0; 1]), Ok(0))
    };
    let lost = idle.iter().rev().take(40).filter(hung_up).count();
    assert!(lost >= 10, "{lost}");
    let other = socket_from("127.0.0.2", server.address);
    assert_eq!(other, 200);
}

/// The status that a client with another loopback address is answered with.
fn socket_from(from: &str, to: std::net::SocketAddr) -> u16 {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, socket};
    let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).unwrap();
    let std::net::SocketAddr::V4(to) = to else { panic!("{to}") };
    let from: std::net::Ipv4Addr = from.parse().unwrap();
    bind(std::os::fd::AsRawFd::as_raw_fd(&socket), &SockaddrIn::from(std::net::SocketAddrV4::new(from, 0)))
        .unwrap();
    connect(std::os::fd::AsRawFd::as_raw_fd(&socket), &SockaddrIn::from(to)).unwrap();
    let mut stream = TcpStream::from(socket);
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn pages_of_other_sites_read_nothing_and_links_work() {
    let (_data, server) = loopback();
    for site in ["cross-site", "same-site"] {
        for path in ["/api/tests", "/api/runs", "/metrics"] {
            let headers =
                [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "script")];
            assert_eq!(server.request("GET", path, &headers, b"").status, 403, "{site} {path}");
        }
        let link = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
        assert_eq!(server.request("GET", "/api/tests", &link, b"").status, 200);
    }
    for site in ["same-origin", "none"] {
        assert_eq!(server.request("GET", "/api/tests", &[("Sec-Fetch-Site", site)], b"").status, 200);
    }
}

#[test]
fn a_token_is_made_beside_a_running_server_without_touching_its_files() {
    let (data, server) = loopback();
    let scratch = data.path().join("scratch/plan-of-somebody");
    std::fs::create_dir(&scratch).unwrap();
    let make = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"));
        command.args(["serve", "--new-token", name, "--data"]).arg(data.path()).output().unwrap()
    };
    assert_eq!(String::from_utf8_lossy(&make("ann").stdout).trim().len(), 64);
    assert!(scratch.is_dir(), "what a question in flight uses");
    let second = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&second.stderr).contains("another server"), "{second:?}");
    assert!(scratch.is_dir());
    drop(server);
}

#[test]
fn the_audit_log_names_what_was_done_and_strangers_push_nothing_out_of_it() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &["--login"]);
    let bearer = format!("Bearer {}", server.token());
    let as_user = |method: &str, path: &str, body: &serde_json::Value| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        server.request(method, path, &headers, body.to_string().as_bytes())
    };
    let id = as_user("POST", "/api/tests", &json!({ "study": STUDY })).expect(201)["id"].clone();
    for _ in 0..150 {
        server.get("/api/tests");
        server.request("POST", "/api/logout", &[], b"");
    }
    as_user("POST", &format!("/api/tests/{id}/cancel"), &json!({})).expect(200);
    let log = as_user("GET", "/api/audit", &json!({})).expect(200);
    let entries = log["entries"].as_array().unwrap();
    let subjects: Vec<&str> = entries.iter().filter_map(|entry| entry["subject"].as_str()).collect();
    assert_eq!(subjects, [format!("test {id}, tiny"), format!("test {id}, tiny")]);
    assert!(entries.len() < 10, "{log:#}");
    assert!(
        entries.iter().any(|entry| entry["status"] == 401 && entry["times"].as_u64() > Some(50)),
        "{log:#}"
    );
}

#[test]
fn only_the_proxy_says_who_asks() {
    let data = tempfile::tempdir().unwrap();
    // Who has a proxy that names users wants no open door beside it: a login is required without --login.
    let header = ["--proxy-header", "X-Forwarded-User"];
    let server = Server::start(data.path(), &[&header[..], &["--proxy", "192.0.2.1"]].concat());
    let ask = |server: &Server| server.request("GET", "/api/tests", &[("X-Forwarded-User", "ann")], b"");
    assert_eq!(ask(&server).refused(401), "login");
    drop(server);
    let server = Server::start(data.path(), &header);
    assert_eq!(ask(&server).status, 200);
    let session = server.request("GET", "/api/session", &[("X-Forwarded-User", "ann")], b"").expect(200);
    assert_eq!(session["user"], "ann");
    assert_eq!(server.get("/api/tests").refused(401), "login");
    // The proxy passes the password on that it has checked.
    let basic = [("X-Forwarded-User", "ann"), ("Authorization", "Basic YW5uOnNlY3JldA==")];
    for _ in 0..15 {
        assert_eq!(server.request("GET", "/api/tests", &basic, b"").status, 200);
    }
    // Strangers behind it guess; their guesses are counted by the address that the proxy names.
    let guess = |from: &str| {
        let headers = [("X-Forwarded-For", from), ("Authorization", "Bearer 0")];
        server.request("GET", "/api/tests", &headers, b"").status
    };
    assert!((0..20).map(|_| guess("203.0.113.9")).any(|status| status == 429));
    assert_eq!(guess("203.0.113.10"), 401, "another address");
    assert_eq!(ask(&server).status, 200);
    let csrf = session["csrf"].as_str().unwrap().to_owned();
    let headers =
        [("X-Forwarded-User", "ann"), ("X-CSRF", csrf.as_str()), ("Content-Type", "application/json")];
    let test =
        server.request("POST", "/api/tests", &headers, json!({ "study": STUDY }).to_string().as_bytes());
    assert_eq!(test.expect(201)["by"], "ann");
}
