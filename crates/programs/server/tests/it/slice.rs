//! End to end with real trials: a study is planned, submitted, run and watched; its result is explored, fetched and compared.

use std::process::Command;

use crate::stand::{Events, STUDY, Server};
use serde_json::{Value, json};

/// Arguments that make trials independent of the machine's load.
const QUICK: &[&str] = &["--pause", "0"];

#[test]
fn a_study_goes_from_its_text_to_a_result_while_two_watch() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), QUICK);
    let plan = server.post("/api/plan", &json!({ "study": STUDY })).expect(200);
    assert_eq!((&plan["trials"], &plan["codec_trials"]), (&json!(2), &json!(2)), "{plan}");
    assert_eq!(plan["cells"][0]["name"], "small json/serde-json tcp loopback");

    let mut queue = Events::open(&server, "/api/events", None);
    let id = server.submit(STUDY);
    let path = format!("/api/tests/{id}/events?after={}", server.test(id)["last_event"].as_str().unwrap());
    let mut watcher = Events::open(&server, &path, None);
    let seen = watcher.until("ended");
    let of_type = |kind: &str| seen.iter().filter(|(_, data)| data["type"] == kind).count();
    assert_eq!(
        (of_type("plan"), of_type("started") >= 4, of_type("trial") >= 4),
        (1, true, true),
        "{seen:#?}"
    );
    let trial =
        &seen.iter().find(|(_, data)| data["type"] == "trial" && data["kind"] == "message").unwrap().1;
    assert!(trial["latency_ns"].as_i64() > Some(0) && trial["sent"] == 20, "{trial}");
    assert_eq!(trial["roles"][0]["role"], "publisher");
    let ids: Vec<u64> = seen.iter().map(|(id, _)| id.parse().unwrap()).collect();
    assert!(ids.windows(2).all(|two| two[0] < two[1]), "{ids:?}");
    // A reader that reconnects in the middle gets the rest, and nothing twice.
    let (middle, _) = &seen[seen.len() / 2];
    let mut again = Events::open(&server, &format!("/api/tests/{id}/events"), Some(middle));
    assert_eq!(again.until("ended"), seen[seen.len() / 2 + 1..]);
    let states: Vec<Value> = queue
        .until("queue_changed")
        .into_iter()
        .chain(queue.until("queue_changed"))
        .filter(|(_, data)| data["type"] == "queue_changed")
        .map(|(_, data)| data["test"]["state"].clone())
        .collect();
    assert_eq!(states, ["submitted", "processing"]);
    let mut stale = Events::open(&server, "/api/events?after=5", None);
    assert_eq!(stale.next().unwrap().1["type"], "reset");

    let test = server.await_end(id);
    assert_eq!(test["state"], "done", "{test:#}");
    let cells = test["watch"]["cells"].as_array().unwrap();
    assert!(cells.iter().all(|cell| cell["made"].as_u64() >= Some(2)), "{cells:#?}");
    let run = test["run"].as_str().unwrap();
    looked_at(&server, run);
    fetched(&server, id, run);
    assert!(server.end(), "the server ends in good order");
}

/// Everything that the API answers about a run.
fn looked_at(server: &Server, run: &str) {
    let runs = server.get("/api/runs").expect(200);
    assert_eq!((&runs["runs"][0]["id"], &runs["runs"][0]["complete"]), (&json!(run), &json!(true)));
    let summary = server.get(&format!("/api/runs/{run}")).expect(200);
    assert_eq!(summary["cells"][0]["valid_trials"], 2);
    let page = server.get(&format!("/api/runs/{run}/page")).expect(200);
    assert!(page["sections"].as_array().unwrap().len() > 3 && page["metrics"].is_array());
    let figures = server
        .get(&format!("/api/runs/{run}/figures?scope=message&metric=latency&where=mode%3Dtcp"))
        .expect(200);
    assert_eq!(figures["rows"].as_array().unwrap().len(), 1, "{figures}");
    assert_eq!(figures["rows"][0]["figure"]["mean"], summary["cells"][0]["metrics"]["latency"]["mean"]);
    let table = server.get(&format!("/api/runs/{run}/figures?format=csv")).text();
    assert!(table.lines().count() > 10 && table.contains("latency"), "{table}");
    let spread = server.get(&format!("/api/runs/{run}/distribution")).expect(200);
    let cell = &spread["cells"][0];
    let sum: u64 = cell["counts"].as_array().unwrap().iter().flat_map(Value::as_u64).sum();
    assert_eq!((cell["count"].as_u64(), sum), (Some(40), 40), "{spread}");
    let same = server.get(&format!("/api/compare?base={run}&new={run}")).expect(200);
    assert!(same["effects"].is_array() && same["text"].is_string());
    let choice = server.get(&format!("/api/runs/{run}/recommend?weigh=time%3D1")).expect(200);
    // Forty messages without a loss leave open whether at most 1 % are lost.
    assert!(choice["undecided"].as_array().unwrap().len() == 1, "{choice}");
    let any = server.get(&format!("/api/runs/{run}/recommend?weigh=time%3D1&need=lost%3D100%25")).expect(200);
    assert!(any["meet"].as_array().unwrap().len() == 1, "{any}");
    let history = server.get("/api/history?study=tiny&metric=latency").expect(200);
    assert_eq!((history["runs"].as_array().unwrap().len(), &history["unit"]), (1, &json!("ns")), "{history}");
    let report = server.get(&format!("/api/runs/{run}/report"));
    assert!(report.header("content-security-policy").unwrap().starts_with("sandbox"));
    for query in ["where=colour%3Dred", "scope=x"] {
        assert_eq!(server.get(&format!("/api/runs/{run}/figures?{query}")).refused(400), "bad_request");
    }

    let whole = server.get(&format!("/api/runs/{run}/files/messages.parquet"));
    assert_eq!(&whole.body[..4], b"PAR1");
    let part = server.request(
        "GET",
        &format!("/api/runs/{run}/files/messages.parquet"),
        &[("Range", "bytes=-4")],
        b"",
    );
    assert_eq!((part.status, part.body.as_slice()), (206, &b"PAR1"[..]));
    let length = whole.body.len().to_string();
    assert_eq!(
        part.header("content-range").unwrap(),
        format!("bytes {}-{}/{length}", whole.body.len() - 4, whole.body.len() - 1)
    );
    let head = server.request("HEAD", &format!("/api/runs/{run}/files/messages.parquet"), &[], b"");
    assert_eq!((head.header("content-length"), head.body.len()), (Some(length.as_str()), 0));
}

/// The same from a shell.
fn fetched(server: &Server, id: i64, run: &str) {
    let desk = tempfile::tempdir().unwrap();
    let shell = |code: i32, arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
            .args(arguments)
            .current_dir(desk.path())
            .env("WIREDYNO_SERVER", format!("http://{}", server.address))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        if code == 0 { String::from_utf8(output.stdout).unwrap() } else { said.into_owned() }
    };
    assert_eq!(shell(0, &["fetch", &id.to_string()]), format!("{run}\n"));
    assert!(shell(2, &["fetch", run]).contains("exists already"));
    let unknown = shell(2, &["submit", "demoo"]);
    assert!(unknown.contains("no study `demoo`; did you mean `demo`?"), "{unknown}");
    assert!(shell(2, &["status", "--server", "ftp://here"]).contains("write http://HOST:PORT"));
    assert!(shell(1, &["status", "--server", "http://127.0.0.1:1"]).contains("127.0.0.1:1"));
    assert!(desk.path().join(run).join("summary.json").is_file());
    std::fs::write(desk.path().join("s.toml"), STUDY.replace("tiny", "from-a-shell")).unwrap();
    let number = shell(0, &["submit", "s.toml", "--wait", "--priority", "-3"]);
    let line = shell(0, &["status", number.trim()]);
    assert!(line.contains("done") && line.contains("from-a-shell"), "{line}");
    assert_eq!(shell(0, &["status"]).lines().count(), 2);
}

#[test]
fn a_run_that_cannot_be_carried_out_is_tried_again_and_stays_failed_with_its_reason_and_log() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &["--pause", "0", "--attempts", "2"]);
    // A user's own folder is in the way of the run.
    let day = jiff::Timestamp::now();
    for at in [day, day + jiff::Span::new().hours(2)] {
        let folder = data.path().join("runs").join(format!("{}-tiny-1", at.strftime("%Y-%m-%d")));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("mine.txt"), "mine").unwrap();
    }
    let id = server.submit(STUDY);
    let test = server.await_end(id);
    assert_eq!((&test["state"], &test["failures"]), (&json!("failed"), &json!(2)), "{test:#}");
    assert!(test["reason"].as_str().unwrap().contains("exists already"), "{test:#}");
    assert_eq!(test["attempts_made"].as_array().unwrap().len(), 2);
    let log = server.get(&format!("/api/tests/{id}/log")).text();
    assert!(log.matches("-- attempt").count() == 2 && log.contains("exists already"), "{log}");
    let again = server.post(&format!("/api/tests/{id}/again"), &json!({})).expect(201);
    assert_eq!(again["again_of"], id);
    assert_eq!(server.await_end(again["id"].as_i64().unwrap())["state"], "done");
}

#[test]
fn tests_that_wait_are_moved_and_cancelled_and_the_one_that_runs_ends_in_good_order() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), QUICK);
    let long = STUDY.replace("repeats = 2", "repeats = 300").replace("tiny", "long");
    let first = server.submit(&long);
    let ids: Vec<i64> = (0..3).map(|_| server.submit(STUDY)).collect();
    server.await_test(first, |test| test["progress"]["done"].as_u64() > Some(2));
    let moved = server.post(&format!("/api/tests/{}/move", ids[2]), &json!({ "before": ids[0] })).expect(200);
    assert_eq!(moved["place"], 1);
    let moved = server.post(&format!("/api/tests/{}/move", ids[1]), &json!({ "priority": 9 })).expect(200);
    assert_eq!((&moved["place"], &moved["priority"]), (&json!(1), &json!(9)));
    assert_eq!(
        server.post(&format!("/api/tests/{first}/move"), &json!({ "priority": 1 })).refused(409),
        "conflict"
    );
    server.post(&format!("/api/tests/{}/cancel", ids[0]), &json!({})).expect(200);
    server.post(&format!("/api/tests/{first}/cancel"), &json!({})).expect(200);
    let test = server.await_end(first);
    assert_eq!(test["state"], "cancelled", "{test:#}");
    // Its trials so far can be read.
    let run = test["run"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/runs/{run}")).expect(200)["run"]["complete"], false);
    for (id, state) in [(ids[0], "cancelled"), (ids[1], "done"), (ids[2], "done")] {
        assert_eq!(server.await_end(id)["state"], state);
    }
    assert_eq!(server.post(&format!("/api/tests/{first}/cancel"), &json!({})).refused(409), "conflict");
    let all = server.get("/api/tests?state=done&limit=1").expect(200);
    assert_eq!(all["tests"].as_array().unwrap().len(), 1);
}

#[test]
fn what_there_is_stands_in_the_form_and_a_message_of_ones_own_too() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), QUICK);
    let options = server.get("/api/options").expect(200);
    for kind in ["payloads", "codecs", "protocols", "brokers", "links", "studies", "questions", "metrics"] {
        assert!(!options[kind].as_array().unwrap().is_empty(), "{kind}");
    }
    let question = options["questions"][0]["study"].as_str().unwrap();
    let plan = server.post("/api/plan", &json!({ "study": question })).expect(200);
    assert!(
        plan["cells"].as_array().unwrap().len() + plan["not_run"].as_array().unwrap().len() > 5,
        "{plan}"
    );

    let samples = "{\"speed\": 12.5, \"seq\": 1}\n{\"speed\": 13.5, \"seq\": 2}\n";
    let weighed = server.post("/api/size", &json!({ "kind": "samples", "text": samples })).expect(200);
    assert!(weighed["definition"].as_str().unwrap().contains("speed"), "{weighed}");
    assert!(weighed["sizes"]["codecs"].as_array().unwrap().len() > 20);
    assert_eq!(weighed["sizes"]["samples"]["count"], 2);
    let body = json!({ "id": "my-trip", "kind": "samples", "text": samples });
    server.post("/api/payloads", &body).expect(201);
    assert_eq!(server.post("/api/payloads", &body).refused(409), "conflict");
    let options = server.get("/api/options").expect(200);
    let found = options["payloads"].as_array().unwrap().iter().find(|of| of["id"] == "my-trip");
    assert_eq!(found.unwrap()["uploaded"], true);
    let id = server.submit(&STUDY.replace("[\"small\"]", "[\"my-trip\"]"));
    let test = server.await_end(id);
    assert_eq!(test["state"], "done", "{test:#}");
    let csrf = server.csrf();
    let gone = server.request("DELETE", "/api/payloads/my-trip", &[("X-CSRF", &csrf)], b"");
    gone.expect(200);
    for (kind, text, line) in [
        ("samples", "{\"a\": 1}\n{\"a\": ", 2),
        ("proto", "syntax = \"proto3\";\nmessage M {\n  int32 a = ;\n}\n", 3),
    ] {
        let answer = server.post("/api/size", &json!({ "kind": kind, "text": text }));
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert_eq!(answer.json()["error"]["line"], line, "{}", answer.text());
        assert!(!answer.text().contains(data.path().to_str().unwrap()), "{}", answer.text());
    }
    let bad = server.post("/api/plan", &json!({ "study": STUDY.replace("serde-json", "serde-jsn") }));
    assert_eq!(bad.status, 422);
    assert!(bad.json()["error"]["message"].is_string(), "{}", bad.text());
}

#[test]
fn the_machine_tells_what_it_has_and_a_backup_is_a_database() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), QUICK);
    let machine = server.get("/api/machine").expect(200);
    assert!(machine["findings"].as_array().unwrap().len() > 5 && machine["server"]["version"].is_string());
    let id = server.submit(&STUDY.replace("tiny", "kept"));
    let copy = data.path().join("copy.sqlite");
    let backup = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
        .args(["serve", "--data"])
        .arg(data.path())
        .arg("--backup")
        .arg(&copy)
        .output()
        .unwrap();
    assert!(backup.status.success(), "{backup:?}");
    server.await_end(id);
    let other = tempfile::tempdir().unwrap();
    std::fs::copy(&copy, other.path().join("queue.sqlite")).unwrap();
    let restored = Server::start(other.path(), QUICK);
    assert_eq!(restored.test(id)["name"], "kept");
    let second = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(other.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&second.stderr).contains("another server is using"), "{second:?}");
}

#[test]
fn a_shell_talks_to_a_server_over_tls_and_to_none_that_it_does_not_trust() {
    let desk = tempfile::tempdir().unwrap();
    let file = |name: &str| desk.path().join(name).display().to_string();
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(file("c.pem"), cert.pem()).unwrap();
    std::fs::write(file("k.pem"), signing_key.serialize_pem()).unwrap();
    let tls = ["--login", "--tls-certificate", &file("c.pem"), "--tls-key", &file("k.pem")];
    let server = Server::start(&desk.path().join("data"), &tls);
    let token = server.token();
    let status = |more: &[&str], scheme: &str| {
        let url = format!("{scheme}://localhost:{}", server.address.port());
        let output = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
            .args(["status", "--json", "--server", &url])
            .args(more)
            .env("WIREDYNO_TOKEN", &token)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (done, said) = status(&["--ca", &file("c.pem")], "https");
    assert!(done, "{said}");
    assert!(!status(&[], "https").0, "an authority that nobody trusts");
    assert!(!status(&[], "http").0, "in the clear");
}
