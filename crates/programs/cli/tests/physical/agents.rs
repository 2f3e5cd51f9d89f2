//! Agents as on machines of their own: with clocks apart (time namespaces), behind the emulated link.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::stand::{Desk, PROGRAM};

/// How far the clocks of the two agents are ahead of the coordinator's, in seconds: exact, because the kernel adds it.
const AHEAD_S: [i64; 2] = [3_600, 86_400];

/// A script's wait for a file, a minute at most.
fn there(file: &str) -> String {
    format!("for i in $(seq 1200); do test -s {file} && break; sleep 0.05; done;")
}

/// An agent whose clock is ahead, started once its invitation is there.
fn agent(desk: &Desk, number: usize, name: &str, ahead_s: i64) -> Command {
    let mut command = Command::new("sh");
    let script = format!(
        "{} exec unshare --time --monotonic {ahead_s} --fork {PROGRAM} agent invited/agent-{number}.invitation --name {name} --label site=garage",
        there(&format!("invited/agent-{number}.invitation"))
    );
    command.args(["-c", &script]).current_dir(desk.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn well(agent: Child) {
    let output = agent.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("the run is over"), "{said}");
}

/// Whether a clock is as far ahead as it is known to be, within its bound; returns the bound.
#[track_caller]
fn right(clock: &Value, ahead_s: i64) -> i64 {
    let (ahead_ns, bound_ns) = (clock["ahead_ns"].as_i64().unwrap(), clock["bound_ns"].as_i64().unwrap());
    assert!((ahead_ns - ahead_s * 1_000_000_000).abs() <= bound_ns, "{clock}");
    bound_ns
}

/// Two agents on this machine, whose clocks are an hour and a day ahead.
pub fn clocks_apart() {
    let desk = Desk::new();
    let names = ["gateway", "vehicle"];
    let agents: Vec<Child> = names
        .iter()
        .zip(AHEAD_S)
        .enumerate()
        .map(|(place, (name, ahead_s))| agent(&desk, place + 1, name, ahead_s).spawn().unwrap())
        .collect();
    let arguments = [
        "agents",
        "--listen",
        "127.0.0.1:0",
        "--expect",
        "2",
        "--invitations",
        "invited",
        "--for",
        "1s",
        "--json",
    ];
    let shown = desk.wiredyno(&arguments).json();
    agents.into_iter().for_each(well);
    for agent in shown["agents"].as_array().unwrap() {
        let place = names.iter().position(|name| agent["id"] == *name).unwrap();
        assert_eq!((&agent["state"], &agent["labels"]["site"]), (&"present".into(), &"garage".into()));
        // By datagrams, and known to a tenth of a second on the busiest machine.
        assert!(right(&agent["clock"], AHEAD_S[place]) < 100_000_000, "{agent}");
    }
    let pair = &shown["pairs"][0];
    assert_eq!((&pair["from"], &pair["to"]), (&"gateway".into(), &"vehicle".into()));
    right(&pair["clock"], AHEAD_S[1] - AHEAD_S[0]);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(desk.file("invited/agent-1.invitation")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600, "an invitation is a secret");
    let used = desk.wiredyno(&["agent", "invited/agent-1.invitation", "--patience", "1s"]).refused(1);
    assert!(used.contains("was not reached"), "{used}");
}

/// An agent at the other end of the emulated link, whose delays differ by direction: all of the difference may be an error of the offset.
pub fn clocks_over_a_link() {
    let desk = Desk::new();
    let link = r#"
about = "A path whose packets take longer one way"
source = "Made for this test."
[up]
delay = "2ms"
jitter = "1ms"
[down]
delay = "20ms"
jitter = "1ms"
"#;
    std::fs::write(desk.file("lopsided.toml"), link).unwrap();
    let coordinator = format!(
        "{PROGRAM} agents --listen 0.0.0.0:7411 --host $WIREDYNO_CLOUD --invitations invited --for 2s --json > shown.part; mv shown.part shown.json"
    );
    let script = format!(
        "{} unshare --time --monotonic 3600 --fork {PROGRAM} agent invited/agent-1.invitation --name vehicle; {}",
        there("invited/agent-1.invitation"),
        there("shown.json")
    );
    desk.wiredyno(&[
        "link",
        "exec",
        "--link",
        "lopsided.toml",
        "--loss",
        "5%",
        "--cloud-cmd",
        &coordinator,
        "--",
        "sh",
        "-c",
        &script,
    ])
    .well();
    let shown: Value = serde_json::from_slice(&std::fs::read(desk.file("shown.json")).unwrap()).unwrap();
    let clock = &shown["agents"][0]["clock"];
    let bound_ns = right(clock, 3_600);
    // Half a round trip of 22 ms, less the jitter of the quickest.
    assert!(bound_ns > 9_000_000, "{clock}");
}
