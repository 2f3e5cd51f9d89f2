//! Fleets that the operator has set up: a user brings one up, a test runs on its agents, and it is taken down.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::stand::{STUDY, Server};
use serde_json::{Value, json};

fn fleets(server: &Server) -> Vec<Value> {
    server.get("/api/fleets").expect(200)["fleets"].as_array().unwrap().clone()
}

/// Waits until nothing is done with the only fleet, and returns it. The runner of tests ends what never comes true.
fn settled(server: &Server) -> Value {
    loop {
        let fleet = fleets(server).remove(0);
        if fleet["doing"].is_null() {
            return fleet;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// An agent that ends with the test.
struct Agent(Child);

impl Agent {
    fn start(invitation: &Path, name: &str) -> Self {
        let server = PathBuf::from(env!("CARGO_BIN_EXE_wiredyno-server"));
        let mut command = Command::new(server.with_file_name("wiredyno"));
        command.arg("agent").arg(invitation).args(["--name", name, "--patience", "10min"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Agent(command.spawn().unwrap())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_test_runs_on_the_agents_of_a_fleet_that_the_operator_has_set_up() {
    let (desk, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // An address of the loopback network that no other test has: later commands look for the fleet at the same one.
    let id = std::process::id().to_be_bytes();
    let host = format!("127.{}.{}.{}", 128 + id[1] % 64, id[2], id[3].max(1));
    let file = desk.path().join("garage.toml");
    let text = format!(
        "listen = \"{host}:7411\"\nhost = \"{host}\"\n[hosts]\nedge = \"vehicle\"\ncloud = \"gateway\"\n[fleet.list]\nagents = [\"vehicle\", \"gateway\"]\n"
    );
    std::fs::write(&file, &text).unwrap();
    let server = Server::start(data.path(), &["--pause", "0", "--fleet", &file.display().to_string()]);
    let known = fleets(&server);
    let shown = json!({ "engine": "list", "agents": ["vehicle", "gateway"], "hosts": { "edge": ["vehicle"], "cloud": ["gateway"] }, "is_up": false });
    assert_eq!(known, [json!({ "name": "garage", "shown": shown })]);
    for (path, body) in [
        ("/api/tests", json!({ "study": STUDY, "fleet": "roof" })),
        ("/api/plan", json!({ "study": STUDY, "fleet": "../garage" })),
        ("/api/fleets/roof/up", json!({})),
    ] {
        assert_eq!(server.post(path, &body).refused(403), "forbidden", "{path}");
    }
    // Nothing is up, and that is said.
    server.post("/api/fleets/garage/down", &json!({})).expect(200);
    let told = settled(&server)["problem"].to_string();
    assert!(told.contains("no fleet is up") && !told.contains(&desk.path().display().to_string()), "{told}");

    let server = given_up(server, data.path(), &file);
    server.post("/api/fleets/garage/up", &json!({})).expect(200);
    assert_eq!(server.post("/api/fleets/garage/up", &json!({})).refused(409), "conflict");
    let agents: Vec<Agent> = ["vehicle", "gateway"]
        .map(|name| {
            let invitation = data.path().join(format!("invited/{name}.invitation"));
            while !invitation.exists() && fleets(&server)[0]["doing"] == "up" {
                std::thread::sleep(Duration::from_millis(50));
            }
            Agent::start(&invitation, name)
        })
        .into();
    let fleet = settled(&server);
    assert_eq!((&fleet["shown"]["is_up"], &fleet["problem"]), (&json!(true), &Value::Null), "{fleet}");

    let plan = server.post("/api/plan", &json!({ "study": STUDY, "fleet": "garage" })).expect(200);
    assert_eq!(plan["cells"][0]["axes"]["link"], "real", "{plan}");
    let made = server.post("/api/tests", &json!({ "study": STUDY, "fleet": "garage" })).expect(201);
    let test = server.await_end(made["id"].as_i64().unwrap());
    assert_eq!(test["state"], "done", "{test:#}");
    let run = server.get(&format!("/api/runs/{}", test["run"].as_str().unwrap())).expect(200);
    assert_eq!(run["cells"][0]["axes"]["link"], "real");
    // The same again asks for the same fleet.
    let again = server.post(&format!("/api/tests/{}/again", made["id"]), &json!({})).expect(201);
    let again = server.await_end(again["id"].as_i64().unwrap());
    assert_eq!(again["state"], "done", "{again:#}");

    server.post("/api/fleets/garage/down", &json!({})).expect(200);
    let fleet = settled(&server);
    assert_eq!((&fleet["shown"]["is_up"], &fleet["problem"]), (&json!(false), &Value::Null), "{fleet}");
    for mut agent in agents {
        assert_eq!(agent.0.wait().unwrap().code(), Some(0));
    }
    // A file that can't be used any more is told, without its path.
    std::fs::write(&file, "[hosts]\nfog = \"vehicle\"\n").unwrap();
    let fleet = fleets(&server).remove(0);
    let told = fleet["problem"].as_str().unwrap();
    assert!(fleet["shown"].is_null() && told.contains("garage") && told.contains("line 2"), "{fleet}");
    assert!(!told.contains("fog") && !told.contains(&desk.path().display().to_string()), "{told}");
}

/// A fleet that is coming up, whose agents nobody starts: its tests wait, it is given up, and a server that is killed leaves nothing of it. Returns another server.
fn given_up(server: Server, data: &Path, file: &Path) -> Server {
    let is_there = || data.join("fleets/garage.toml.up").exists();
    server.post("/api/fleets/garage/up", &json!({})).expect(200);
    let made = server.post("/api/tests", &json!({ "study": STUDY, "fleet": "garage" })).expect(201);
    let id = made["id"].as_i64().unwrap();
    let waits = server.await_test(id, |test| !test["reason"].is_null());
    assert_eq!((&waits["state"], &waits["fleet"]), (&json!("submitted"), &json!("garage")), "{waits:#}");
    assert_eq!(waits["reason"], "waits until the fleet `garage` is up");
    let local = server.await_end(server.submit(STUDY));
    assert_eq!(local["state"], "done", "others go first: {local:#}");
    let fleet = fleets(&server).remove(0);
    assert!(fleet["said"].to_string().contains("wiredyno agent invited/vehicle.invitation"), "{fleet}");
    server.post(&format!("/api/tests/{id}/cancel"), &json!({})).expect(200);
    server.post("/api/fleets/garage/down", &json!({})).expect(200);
    let fleet = settled(&server);
    assert_eq!((&fleet["shown"]["is_up"], &fleet["problem"]), (&json!(false), &Value::Null), "{fleet}");
    assert!(!is_there());

    server.post("/api/fleets/garage/up", &json!({})).expect(200);
    while !is_there() {
        std::thread::sleep(Duration::from_millis(20));
    }
    server.kill();
    while is_there() {
        std::thread::sleep(Duration::from_millis(50));
    }
    Server::start(data, &["--pause", "0", "--fleet", &file.display().to_string()])
}
