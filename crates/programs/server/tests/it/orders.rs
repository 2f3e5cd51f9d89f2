//! An order that was acknowledged is carried out, even if the server is killed a moment later.

use std::path::Path;
use std::time::Duration;

use crate::stand::{STUDY, Server};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Rounds over all orders: quick, and with `WIREDYNO_TEST_FULL`.
const ROUNDS: [u32; 2] = [1, 10];
const SEED: u64 = 77;
/// The longest time between acknowledgement and kill, in milliseconds.
const LATE_MS: u32 = 60;

/// Starts the server again after a kill some time after the last acknowledgement.
fn killed(server: Server, data: &Path, random: &mut ChaCha8Rng) -> Server {
    std::thread::sleep(Duration::from_millis(u64::from(random.next_u32() % LATE_MS)));
    server.kill();
    Server::start(data, &["--pause", "0"])
}

/// A study of so many messages that its trials outlast any kill.
fn long() -> String {
    STUDY.replace("messages = 20", "messages = 60000")
}

fn state(server: &Server, id: i64) -> Value {
    server.test(id)["state"].clone()
}

fn names(server: &Server) -> Vec<String> {
    let tests = server.get("/api/tests?state=submitted").expect(200);
    tests["tests"].as_array().unwrap().iter().map(|test| test["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a sequence of orders, each killed after, over one folder")]
fn an_acknowledged_order_survives_a_kill_and_none_is_carried_out_twice() {
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    let seed = std::env::var("WIREDYNO_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let data = tempfile::tempdir().unwrap();
    let mut server = Server::start(data.path(), &["--pause", "0"]);
    // Its run, which later orders are about; and its runners, so that the long ones reach their trials.
    let done = server.await_end(server.submit(STUDY));
    assert_eq!(done["state"], "done", "{done:#}");
    for round in 0..ROUNDS[usize::from(full)] {
        let named = |name: &str| long().replace("tiny", &format!("{name}-{round}"));

        // Submit: they are there, in their order, once each.
        let ids: Vec<i64> = ["a", "b", "c"].iter().map(|name| server.submit(&named(name))).collect();
        server = killed(server, data.path(), &mut random);
        server.await_test(ids[0], |test| test["watch"]["phase"] == "trials");
        assert_eq!(names(&server), [format!("b-{round}"), format!("c-{round}")]);

        // Reorder, and change the priority.
        server
            .post(&format!("/api/tests/{}/move", ids[2]), &json!({ "before": ids[1], "priority": 0 }))
            .expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(names(&server), [format!("c-{round}"), format!("b-{round}")]);
        server.post(&format!("/api/tests/{}/move", ids[1]), &json!({ "priority": 7 })).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.test(ids[1])["priority"], 7);

        // Cancel one that waits, and the one that runs.
        server.post(&format!("/api/tests/{}/cancel", ids[2]), &json!({})).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(state(&server, ids[2]), "cancelled");
        server.await_test(ids[0], |test| test["watch"]["phase"] == "trials");
        server.post(&format!("/api/tests/{}/cancel", ids[0]), &json!({})).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.await_end(ids[0])["state"], "cancelled");
        let several =
            server.post("/api/tests/cancel", &json!({ "tests": [ids[1], ids[2], 999_999] })).expect(200);
        assert_eq!(several["tests"], json!([ids[1]]));
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.await_end(ids[1])["state"], "cancelled");

        // Again, once.
        let again =
            server.post(&format!("/api/tests/{}/again", ids[2]), &json!({})).expect(201)["id"].clone();
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.test(again.as_i64().unwrap())["again_of"], ids[2]);
        let all = server.get("/api/tests").expect(200);
        let of_it = |test: &&Value| test["again_of"] == ids[2];
        assert_eq!(all["tests"].as_array().unwrap().iter().filter(of_it).count(), 1);
        server.post(&format!("/api/tests/{again}/cancel"), &json!({})).expect(200);
        assert_eq!(server.await_end(again.as_i64().unwrap())["state"], "cancelled");

        // Delete a test.
        server.delete(&format!("/api/tests/{}", ids[2])).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.get(&format!("/api/tests/{}", ids[2])).refused(404), "not_found");

        // Keep a payload, and delete it.
        let payload = json!({ "id": format!("mine-{round}"), "kind": "samples", "text": "{\"a\": 1}" });
        server.post("/api/payloads", &payload).expect(201);
        server = killed(server, data.path(), &mut random);
        let path = format!("/api/payloads/mine-{round}");
        let options = server.get("/api/options").expect(200);
        assert!(options["payloads"].as_array().unwrap().iter().any(|of| of["id"] == payload["id"]));
        server.delete(&path).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.delete(&path).refused(404), "not_found");

        // Pin a run: it can't be deleted; take the pin away and delete it.
        let id = server.submit(STUDY);
        let test = server.await_end(id);
        assert_eq!((&test["state"], &test["opens"]), (&json!("done"), &json!(true)), "{test:#}");
        let run = format!("/api/runs/{}", test["run"].as_str().unwrap());
        server.post(&format!("{run}/pin"), &json!({ "pinned": true })).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.delete(&run).refused(409), "conflict");
        server.post(&format!("{run}/pin"), &json!({ "pinned": false })).expect(200);
        server = killed(server, data.path(), &mut random);
        server.delete(&run).expect(200);
        server = killed(server, data.path(), &mut random);
        assert_eq!(server.get(&run).refused(404), "not_found");
        assert_eq!(server.test(id)["opens"], false);
        server.delete(&format!("/api/tests/{id}")).expect(200);
    }
    assert_eq!(state(&server, done["id"].as_i64().unwrap()), "done");
}

#[test]
fn a_full_disk_refuses_tests_in_time_strands_none_and_recovers() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start(data.path(), &["--pause", "0"]);
    let long = server.submit(&long());
    let waits = server.submit(STUDY);
    server.await_test(long, |test| test["state"] == "processing");
    server.kill();
    // A petabyte is never free.
    let server = Server::start(data.path(), &["--pause", "0", "--least-free", "1000000"]);
    let refused = server.post("/api/tests", &json!({ "study": STUDY }));
    assert_eq!(refused.refused(507), "disk");
    server.await_test(waits, |test| {
        test["reason"].as_str().is_some_and(|reason| reason.contains("--least-free"))
    });
    assert!(server.get("/healthz").text().contains("no test begins"));
    // What was cancelled meanwhile stays so, and what waits begins when there is space.
    server.post(&format!("/api/tests/{long}/cancel"), &json!({})).expect(200);
    server.kill();
    let server = Server::start(data.path(), &["--pause", "0"]);
    assert_eq!(server.await_end(long)["state"], "cancelled");
    assert_eq!(server.await_end(waits)["state"], "done");
    assert_eq!(server.get("/healthz").text(), "ok\n");
}
