//! Agents as on machines of their own: with clocks apart (time namespaces), behind the emulated link.
//!
//! One file because all start agents in the same way and look at the same clocks.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::processes::{is_dead, tree};
use crate::stand::{Desk, PROGRAM, array, mode, number};

/// How far the clocks of the two agents are ahead of the coordinator's, in seconds: exact, because the kernel adds it.
const AHEAD_S: [i64; 2] = [3_600, 86_400];

/// A script's wait for a file, a minute at most.
pub fn there(file: &str) -> String {
    format!("for i in $(seq 1200); do test -s {file} && break; sleep 0.05; done;")
}

/// An agent whose clock is ahead, started once its invitation is there.
pub fn agent(desk: &Desk, number: usize, name: &str, ahead_s: i64) -> Command {
    let mut command = Command::new("sh");
    let script = format!(
        "{} exec unshare --time --monotonic {ahead_s} --fork {PROGRAM} agent invited/agent-{number}.invitation --name {name} --label site=garage",
        there(&format!("invited/agent-{number}.invitation"))
    );
    command.args(["-c", &script]).current_dir(desk.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

pub fn well(agent: Child) {
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

/// Which host of a study is which agent.
pub fn hosts(desk: &Desk, text: &str) {
    let head = "listen = \"127.0.0.1:0\"\nwithin = \"2min\"\npatience = \"2s\"\n";
    std::fs::write(desk.file("agents.toml"), format!("{head}[hosts]\n{text}")).unwrap();
}

const RUN: [&str; 6] = ["run", "tiny.toml", "--agents", "agents.toml", "--out", "r"];

pub fn run<'a>(settings: &'a [&'a str]) -> Vec<&'a str> {
    RUN.into_iter().chain(settings.iter().flat_map(|setting| ["--set", *setting])).collect()
}

/// A study whose hosts are two agents, an hour and a day ahead: latencies from one to the other are known within their bounds, those of a round trip exactly.
pub fn roles_apart() {
    let desk = Desk::for_runs();
    hosts(&desk, "edge = \"vehicle\"\ncloud = \"site=garage\"\n");
    // Both have the label: that which is named is not taken for it.
    let agents = [("vehicle", 1), ("gateway", 2)]
        .map(|(name, number)| agent(&desk, number, name, AHEAD_S[number - 1]).spawn().unwrap());
    let settings = ["link=real", "mode=udp,tcp", "way=one-way,round-trip", "codec_trials.enabled=false"];
    let said = desk.wiredyno(&run(&settings));
    agents.into_iter().for_each(well);
    assert!(said.err.contains("the clock of vehicle is known within"), "{}", said.err);
    said.well();
    let summary = desk.summary("r");
    let names: Vec<_> =
        array(&summary["environment"]["agents"]).iter().map(|of| (&of["host"], &of["name"])).collect();
    assert_eq!(names, [(&"edge".into(), &"vehicle".into()), (&"cloud".into(), &"gateway".into())]);
    let cells = array(&summary["cells"]);
    assert_eq!(cells.len(), 8);
    for cell in cells {
        assert_eq!(number(&cell["delivery"], "delivered"), 10, "{cell}");
        let latency_ns = cell["metrics"]["latency"]["mean"].as_f64().unwrap();
        // All of it happens on this machine, in at most some hundred milliseconds however busy it is.
        let bound_ns = match &cell["axes"]["way"] {
            way if way == "one-way" => cell["clock_bound_ns"].as_f64().unwrap(),
            _ => {
                assert!(cell["clock_bound_ns"].is_null(), "{cell}");
                0.0
            }
        };
        assert!(latency_ns > -bound_ns && latency_ns < 1e9 + bound_ns, "{} {cell}", mode(cell));
        assert!(bound_ns < 1e9, "{cell}");
    }
    let report = std::fs::read_to_string(desk.file("r/report.html")).unwrap();
    assert!(report.contains("read two clocks in 4 combinations") && report.contains("host edge"));
}

/// Publishers on three agents, an hour, a day and a minute ahead, and the subscriber here: all that they send is told by one clock, within the bound of the
/// most uncertain.
pub fn publishers_apart() {
    let desk = Desk::for_runs();
    hosts(&desk, "edge = [\"site=garage\", \"truck\", \"site=garage\"]\n");
    let agents = [("vehicle", 3_600), ("car", 86_400), ("truck", 60)];
    let agents: Vec<Child> = (1..)
        .zip(agents)
        .map(|(number, (name, ahead_s))| agent(&desk, number, name, ahead_s).spawn().unwrap())
        .collect();
    let settings = [
        "link=real",
        "mode=tcp",
        "codec=protobuf/prost",
        "way=one-way",
        "codec_trials.enabled=false",
        "load.publishers=6",
        "load.messages=60",
    ];
    let running = std::fs::File::create(desk.file("told")).unwrap();
    let mut command = desk.command(&run(&settings));
    let mut running = command.stdout(Stdio::null()).stderr(running).spawn().unwrap();
    // Each has its share.
    agents.iter().for_each(|agent| until_role(Pid::from_raw(agent.id().cast_signed())));
    let status = running.wait().unwrap();
    let told = std::fs::read_to_string(desk.file("told")).unwrap();
    assert!(status.success(), "{told}");
    agents.into_iter().for_each(well);
    let summary = desk.summary("r");
    let machines = array(&summary["environment"]["agents"]);
    assert!(machines.len() == 3 && machines.iter().all(|of| of["host"] == "edge"), "{machines:?}");
    assert!(std::fs::read_to_string(desk.file("r/study.toml")).unwrap().contains("publisher_runners = 3"));
    let cells = array(&summary["cells"]);
    assert_eq!(cells.len(), 1);
    let (cell, bound_ns) = (&cells[0], cells[0]["clock_bound_ns"].as_f64().unwrap());
    assert_eq!(number(&cell["delivery"], "delivered"), 120, "{cell}");
    let latency_ns = cell["metrics"]["latency"]["mean"].as_f64().unwrap();
    // One message of a clock that is not known would make this hours.
    assert!(bound_ns > 0.0 && bound_ns < 1e9, "{cell}");
    assert!(latency_ns > -bound_ns && latency_ns < 1e9 + bound_ns, "{cell}");
}

/// Four subscribers on two agents, an hour and a day ahead, of a publisher and a broker here: each message reaches each, and all are told by one clock.
pub fn subscribers_apart() {
    let desk = Desk::for_runs();
    hosts(&desk, "edge = [\"vehicle\", \"car\"]\n");
    let agents = [("vehicle", 1), ("car", 2)]
        .map(|(name, number)| agent(&desk, number, name, AHEAD_S[number - 1]).spawn().unwrap());
    let settings = [
        "link=real",
        "mode=mqtt:qos1",
        "codec=protobuf/prost",
        "hosts.publisher=cloud",
        "way=one-way",
        "codec_trials.enabled=false",
        "load.subscribers=4",
        "load.messages=50",
    ];
    let said = desk.wiredyno(&run(&settings));
    agents.into_iter().for_each(well);
    said.well();
    let cells = desk.summary("r")["cells"].clone();
    let (cell, bound_ns) = (&array(&cells)[0], cells[0]["clock_bound_ns"].as_f64().unwrap());
    assert_eq!(number(&cell["delivery"], "delivered"), 400, "{cell}");
    let latency_ns = cell["metrics"]["latency"]["mean"].as_f64().unwrap();
    // One message of a clock that is not known would make this hours.
    assert!(bound_ns > 0.0 && bound_ns < 1e9, "{cell}");
    assert!(latency_ns > -bound_ns && latency_ns < 1e9 + bound_ns, "{cell}");
}

/// A broker on an agent that shares its host with the subscriber, in the clear and, in the long form, encrypted, with both sides' certificates. It is gone when the
/// run is over.
pub fn broker_apart() {
    let desk = Desk::for_runs();
    let securities: &[&str] =
        if std::env::var_os("WIREDYNO_TEST_FULL").is_some() { &["none", "mtls"] } else { &["none"] };
    let security = format!("security={}", securities.join(","));
    hosts(&desk, "cloud = \"gateway\"\n");
    let gateway = agent(&desk, 1, "gateway", 3_600).spawn().unwrap();
    let settings = [
        "link=real",
        "mode=mqtt:qos1",
        "codec=protobuf/prost",
        "way=one-way",
        &security,
        "load.messages=50",
        "codec_trials.enabled=false",
    ];
    let told = std::fs::File::create(desk.file("told")).unwrap();
    let mut command = desk.command(&run(&settings));
    let mut running = command.stdout(Stdio::null()).stderr(told).spawn().unwrap();
    let broker = until_process(Pid::from_raw(gateway.id().cast_signed()), "mosquitto");
    let status = running.wait().unwrap();
    let told = std::fs::read_to_string(desk.file("told")).unwrap();
    assert!(status.success(), "{told}");
    well(gateway);
    assert!(!Path::new(&format!("/proc/{broker}/stat")).exists() || is_dead(broker), "the broker is left");
    let cells = desk.summary("r")["cells"].clone();
    let cells = array(&cells);
    assert_eq!(cells.len(), securities.len(), "{told}");
    for cell in cells {
        assert_eq!(number(&cell["delivery"], "delivered"), 100, "{cell}");
        assert!(cell["metrics"]["broker_memory"]["mean"].as_f64().unwrap() > 0.0, "{cell}");
    }
}

/// A publisher at the far end of a link that takes 20 ms one way and 2 ms back: as the whole difference may be an error of the offset, the
/// latency that is told is wrong by up to its bound, and the true one, which the link makes, lies within it.
pub fn latency_over_a_link() {
    let desk = Desk::for_runs();
    let link = "about = \"A path whose packets take longer one way\"\nsource = \"Made for this test.\"\n[up]\ndelay = \"20ms\"\n[down]\ndelay = \"2ms\"\n";
    std::fs::write(desk.file("lopsided.toml"), link).unwrap();
    let text = "listen = \"0.0.0.0:7411\"\nhost = \"CLOUD\"\n[hosts]\nedge = \"vehicle\"\n";
    std::fs::write(desk.file("agents.in"), text).unwrap();
    let settings = [
        "link=real",
        "mode=tcp",
        "codec=protobuf/prost",
        "way=one-way",
        "codec_trials.enabled=false",
        "load.kind=closed",
    ];
    let settings: Vec<String> = settings.iter().map(|setting| format!("--set {setting}")).collect();
    let coordinator = format!(
        "sed s/CLOUD/$WIREDYNO_CLOUD/ agents.in > agents.toml; {PROGRAM} run tiny.toml --agents agents.toml --out r {} > said 2>&1; touch ended; echo >> ended",
        settings.join(" ")
    );
    let script = format!(
        "{} unshare --time --monotonic 3600 --fork {PROGRAM} agent invited/agent-1.invitation --name vehicle; {}",
        there("invited/agent-1.invitation"),
        there("ended")
    );
    let arguments =
        ["link", "exec", "--link", "lopsided.toml", "--cloud-cmd", &coordinator, "--", "sh", "-c", &script];
    desk.wiredyno(&arguments).well();
    let said = std::fs::read_to_string(desk.file("said")).unwrap_or_default();
    assert!(desk.file("r/summary.json").exists(), "{said}");
    let summary = desk.summary("r");
    let cell = &array(&summary["cells"])[0];
    assert_eq!(number(&cell["delivery"], "delivered"), 10, "{said}");
    let (latency_ns, bound_ns) =
        (cell["metrics"]["latency"]["mean"].as_f64().unwrap(), cell["clock_bound_ns"].as_f64().unwrap());
    // Half of 22 ms at least. A busy machine adds to the latency, and to the bound.
    assert!(bound_ns > 10e6, "{cell}");
    assert!(latency_ns + bound_ns >= 20e6, "{cell}");
    assert!(latency_ns - bound_ns <= 1e9, "{cell}");
    // A closed loop: without a gate between the machines each message would wait for the deadline of the one before, 5 s.
    assert!(cell["metrics"]["execution_time"]["mean"].as_f64().unwrap() < 20e9, "{cell}");
    assert!(summary["environment"]["agents"][0]["address"].as_str().unwrap().contains('.'), "{summary}");
    // Each message is one segment: its frame behind the headers of TCP with timestamps, IP and Ethernet.
    let up = &cell["wire"]["up"];
    assert_eq!(number(up, "application_packets"), 10, "{cell}");
    assert_eq!(number(up, "application_bytes"), number(up, "message_frame_bytes") + 10 * 66, "{cell}");
    assert!(number(up, "message_frame_bytes") > 10 * 4, "{cell}");
    assert!(!said.contains("were not counted"), "{said}");
}

/// Waits until a file has a text so many times.
fn until(path: &Path, what: &str, times: usize) {
    let begun = Instant::now();
    let text = || std::fs::read_to_string(path).unwrap_or_default();
    while text().matches(what).count() < times {
        assert!(begun.elapsed() < Duration::from_secs(300), "{}: `{what}` in {}", path.display(), text());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How the line begins that tells of a trial which lost its machine.
const LOST: &str = "{\"type\":\"lane_gone\"";

/// How a complete trial begins among the lines of progress for programs.
const TRIAL: &str = "{\"type\":\"trial\"";

/// A machine that stands still longer than its lease comes back, and its trial is made again; one that dies ends the run, which is resumed with another. What roles
/// started is gone.
#[expect(
    clippy::too_many_lines,
    reason = "one run, from the first cut to the resumption with another machine"
)]
pub fn cut_and_killed() {
    let desk = Desk::for_runs();
    hosts(&desk, "edge = \"vehicle\"\n");
    let invitation = desk.file("invited/agent-1.invitation");
    let start = || {
        let mut command = desk.command(&["agent", "invited/agent-1.invitation", "--name", "vehicle"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let settings = ["link=real", "mode=tcp", "codec_trials.enabled=false", "trials.repeats=40"];
    let begin = |arguments: &[&str], told: &str| {
        let _ = std::fs::remove_file(&invitation);
        let told = std::fs::File::create(desk.file(told)).unwrap();
        let mut command = desk.command(arguments);
        command.args(["--progress", "json"]).stdout(told.try_clone().unwrap()).stderr(told).spawn().unwrap()
    };
    let mut running = begin(&run(&settings), "told");
    until(&invitation, "/", 1);
    let vehicle = start();
    until(&desk.file("told"), TRIAL, 3);
    let pid = Pid::from_raw(i32::try_from(vehicle.id()).unwrap());
    // One may have ended meanwhile.
    let send = |all: &[Pid], signal| all.iter().filter(|one| kill(**one, signal).is_err()).count();
    let still = |pid: Pid, for_s: u64| {
        let all = tree(pid);
        send(&all, Signal::SIGSTOP);
        std::thread::sleep(Duration::from_secs(for_s));
        send(&all, Signal::SIGCONT);
    };
    let told =
        |what: &str| std::fs::read_to_string(desk.file("told")).unwrap_or_default().matches(what).count();
    // Longer than a lease, shorter than the run's patience beyond it. A trial may just have ended.
    while told(LOST) == 0 {
        until_role(pid);
        let before = told(TRIAL);
        still(pid, 4);
        let begun = Instant::now();
        while told(LOST) == 0 && told(TRIAL) <= before + 1 {
            assert!(begun.elapsed() < Duration::from_secs(300), "neither lost nor gone on");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let before = told(TRIAL);
    until(&desk.file("told"), TRIAL, before + 3);
    until_role(pid);
    let started = tree(pid);
    kill(pid, Signal::SIGKILL).unwrap();
    let status = running.wait().unwrap();
    let told = std::fs::read_to_string(desk.file("told")).unwrap();
    assert!(!status.success() && told.contains("the agent vehicle is not connected"), "{told}");
    assert!(told.contains("to continue: wiredyno run --resume r --agents agents.toml"), "{told}");
    let begun = Instant::now();
    while started.iter().any(|one| Path::new(&format!("/proc/{one}/stat")).exists() && !is_dead(*one)) {
        assert!(begun.elapsed() < Duration::from_secs(60), "a role outlived its agent");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(vehicle);
    let mut resumed = begin(&["run", "--resume", "r", "--agents", "agents.toml"], "told-again");
    until(&invitation, "/", 1);
    let mut again = start();
    let status = resumed.wait().unwrap();
    let told = std::fs::read_to_string(desk.file("told-again")).unwrap();
    assert!(status.success(), "{told}");
    assert!(again.wait().unwrap().success());
    let summary = desk.summary("r");
    for cell in array(&summary["cells"]) {
        assert_eq!(number(cell, "valid_trials"), 40, "{cell}");
    }
    let without = desk.wiredyno(&["run", "tiny.toml", "--set", "link=real"]).refused(2);
    assert!(without.contains("--agents FILE"), "{without}");
}

/// Waits until an agent has a role, whose program is in its folder.
fn until_role(agent: Pid) {
    until_process(agent, "/role-");
}

/// Waits until an agent runs a process whose command line has these words.
fn until_process(agent: Pid, words: &str) -> Pid {
    let is_it = |pid: &Pid| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.contains(words)
    };
    let begun = Instant::now();
    loop {
        if let Some(found) = tree(agent).into_iter().find(is_it) {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "the agent starts no {words}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
