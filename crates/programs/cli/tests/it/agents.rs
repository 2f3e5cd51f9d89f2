//! What `agent` and `agents` refuse, and how they say it. Agents that join are in the physical tests.

use std::io::Read;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::stand::{Desk, said};

#[test]
fn an_agent_says_what_is_wrong_with_its_invitation_and_itself() {
    let desk = Desk::new();
    let agent = |arguments: &[&str]| {
        let mut command = desk.command(&[&["agent"], arguments].concat());
        said(command.env_remove("WIREDYNO_INVITATION"))
    };
    let none = agent(&[]).refused(2);
    assert!(none.contains("needs an invitation") && none.contains("WIREDYNO_INVITATION"), "{none}");
    let missing = agent(&["nowhere"]).refused(1);
    assert!(missing.contains("nowhere: copy the file"), "{missing}");
    std::fs::write(desk.file("damaged"), "gateway.example:7411/xyz\n").unwrap();
    let damaged = agent(&["damaged"]).refused(1);
    assert!(damaged.contains("damaged: the invitation is damaged after the `/`"), "{damaged}");
    std::fs::write(desk.file("good"), format!("localhost:1/{}\n", "A".repeat(75))).unwrap();
    for (label, wanted) in [("garage", "KEY=VALUE"), ("=garage", "KEY=VALUE")] {
        let wrong = agent(&["good", "--label", label]).refused(2);
        assert!(wrong.contains(wanted), "{wrong}");
    }
    let twice = agent(&["good", "--label", "a=1", "--label", "a=2"]).refused(2);
    assert!(twice.contains("`a` is given twice"), "{twice}");
    let name = agent(&["good", "--name", "The Vehicle"]).refused(1);
    assert!(name.contains("`The Vehicle` can't be the name of an agent"), "{name}");
    let unreached = agent(&["good", "--name", "vehicle", "--patience", "100ms"]).refused(1);
    assert!(unreached.contains("localhost:1 was not reached"), "{unreached}");
}

#[test]
fn invitations_are_shown_to_a_terminal_alone() {
    let desk = Desk::new();
    for arguments in [&["agents"][..], &["agents", "--json"]] {
        let refused = desk.wiredyno(arguments).refused(2);
        assert!(refused.contains("add --invitations FOLDER"), "{refused}");
    }
    let arguments = ["agents", "--listen", "127.0.0.1:0", "--invitations", "invited", "--within", "100ms"];
    let nobody = desk.wiredyno(&arguments);
    assert_eq!((nobody.code, nobody.out.trim()), (Some(11), "0 of 1 agents are connected"), "{nobody:?}");
    let invitation = std::fs::read_to_string(desk.file("invited/agent-1.invitation")).unwrap();
    assert!(!nobody.err.contains(invitation.trim()) && invitation.starts_with("127.0.0.1:"), "{nobody:?}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = desk.wiredyno(&["agents", "--listen", &address, "--invitations", "invited"]).refused(1);
    assert!(refused.contains(&address) && refused.contains("another port"), "{refused}");
}

#[test]
fn agents_that_others_start_are_a_fleet_that_stays_until_it_is_taken_down() {
    let desk = Desk::new();
    // An address of the loopback network that no other test has: later commands look for the fleet at the same one.
    let id = std::process::id().to_be_bytes();
    let (host, port) = (format!("127.{}.{}.{}", 64 + id[1] % 64, id[2], id[3].max(1)), 7411);
    let hosts = "[hosts]\nedge = \"vehicle\"\ncloud = \"site=roof\"\n";
    let section = "[fleet.list]\nagents = [\"vehicle\", \"gateway\"]\n";
    let text = format!("listen = \"{host}:{port}\"\nhost = \"{host}\"\n{hosts}{section}");
    std::fs::write(desk.file("fleet.toml"), &text).unwrap();
    let fleet = |words: &[&str]| desk.wiredyno(&[&["fleet"], words].concat());
    assert!(fleet(&["status"]).refused(2).contains("no fleet is up"));
    let other = fleet(&["up", "--on", "list", "--machine", "vehicle"]).refused(2);
    assert!(other.contains("fleet.toml: it is there, and says something else"), "{other}");

    let mut agents = std::thread::scope(|scope| {
        let up = scope.spawn(|| fleet(&["up", "--for", "10min"]));
        let start = |name: &str, label: &str| {
            let file = format!("invited/{name}.invitation");
            let path = desk.file(&file);
            awaited(|| path.exists() || up.is_finished());
            assert!(path.exists(), "no invitation");
            let words = ["agent", &file, "--name", name, "--label", label, "--patience", "10min"];
            desk.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let agents = Started([start("vehicle", "site=road"), start("gateway", "site=roof")]);
        let up = up.join().unwrap();
        let line = "wiredyno agent invited/gateway.invitation --name gateway --patience 10min";
        assert!(up.err.contains("waiting for 2 agent(s)") && up.err.contains(line), "{up:?}");
        assert!(up.well().contains("the fleet is up"));
        agents
    });
    let status = fleet(&["status"]).well();
    assert_eq!(status.matches("waits for a run, at 127.").count(), 2, "{status}");
    assert!(fleet(&["down"]).well().contains("the fleet is down"));
    for agent in &mut agents.0 {
        awaited(|| agent.try_wait().unwrap().is_some());
        assert_eq!(agent.wait().unwrap().code(), Some(0));
    }
    let left: Vec<_> = std::fs::read_dir(desk.file("invited")).unwrap().collect();
    assert!(left.is_empty() && !desk.file("fleet.toml.up").exists(), "{left:?}");
}

#[test]
fn publishers_and_subscribers_are_divided_among_several_agents_and_nothing_else_is() {
    let desk = Desk::for_runs();
    let plan = |hosts: &str, settings: &[&str]| {
        std::fs::write(desk.file("agents.toml"), format!("[hosts]\n{hosts}\n")).unwrap();
        let fixed = ["run", "tiny.toml", "--agents", "agents.toml", "--dry-run"];
        let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
        desk.wiredyno(&fixed.into_iter().chain(settings).collect::<Vec<_>>())
    };
    let edge = "edge = [\"a\", \"b\", \"c\"]";
    let one_way = "way=one-way";
    plan(edge, &[one_way, "load.publishers=3"]).well();
    plan(edge, &[one_way, "load.publishers=6", "load.publisher_runners=6"]).well();
    let too_few = plan(edge, &[one_way]).refused(2);
    assert!(too_few.contains("1 publisher on 3 runners"), "{too_few}");
    let uneven = plan(edge, &[one_way, "load.publishers=4", "load.publisher_runners=4"]).refused(2);
    assert!(uneven.contains("write publisher_runners = 3"), "{uneven}");
    let closed = plan(edge, &[one_way, "load.kind=closed"]).refused(2);
    assert!(closed.contains("in a closed loop one runner publishes: name one agent for `edge`"), "{closed}");
    let brokers = plan("cloud = [\"a\", \"b\"]", &[one_way, "load.publishers=2"]).well();
    assert!(brokers.contains("the host `cloud` is 2 agents, and the broker"), "{brokers}");
    // One publisher, here.
    let receiving = [one_way, "hosts.publisher=cloud", "mode=mqtt:qos1"];
    let received = |more: &[&str]| plan(edge, &[&receiving, more].concat()).well();
    let divided = received(&["load.subscribers=6"]);
    assert!(!divided.contains("3 agents"), "{divided}");
    assert!(received(&["load.subscribers=4"]).contains("4 subscribers can't be divided equally"));
    let both = plan(edge, &["way=round-trip", "load.publishers=3", "load.subscribers=3"]).well();
    assert!(both.contains("a round trip is read by one clock"), "{both}");
}

#[test]
fn what_an_agent_starts_has_no_more_memory_than_its_owner_allows() {
    let desk = Desk::for_runs();
    let head = "listen = \"127.0.0.1:0\"\nwithin = \"2min\"\npatience = \"2s\"\n";
    std::fs::write(desk.file("agents.toml"), format!("{head}[hosts]\nedge = \"vehicle\"\n")).unwrap();
    // A message alone takes a tenth of what is allowed, and the stand keeps several.
    let load = ["payload=opaque@1000000", "codec=raw/wiredyno", "load.messages=20"];
    let settings =
        ["link=real", "mode=tcp", "codec_trials.enabled=false", "trials.repeats=1", "trials.retries=0"];
    let words = ["run", "tiny.toml", "--agents", "agents.toml", "--out", "r"];
    let words: Vec<_> =
        words.into_iter().chain(settings.iter().chain(load.iter()).flat_map(|one| ["--set", *one])).collect();
    let said = std::thread::scope(|scope| {
        let run = scope.spawn(|| desk.wiredyno(&words));
        let _agent = invited(&desk, &["--name", "vehicle", "--most-memory", "0.01"], || run.is_finished());
        run.join().unwrap()
    });
    assert_eq!(said.code, Some(3), "{said:?}");
    // It may be refused what it needs, or be ended; lines are wrapped.
    let flat = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for all in [flat, said.err] {
        assert!(all.contains("this agent's processes have at most 10 MB of memory"), "{all}");
        assert!(all.contains("invalid") && !all.contains("[limits]"), "{all}");
    }
}

#[test]
fn an_agent_leaves_when_the_time_that_its_owner_gave_is_over() {
    let desk = Desk::new();
    let words =
        ["agents", "--listen", "127.0.0.1:0", "--invitations", "invited", "--expect", "2", "--within", "5s"];
    std::thread::scope(|scope| {
        let agents = scope.spawn(|| desk.wiredyno(&words));
        let mut agent = invited(&desk, &["--most-time", "100ms"], || agents.is_finished());
        awaited(|| agent.0[0].try_wait().unwrap().is_some());
        assert_eq!(agent.0[0].wait().unwrap().code(), Some(0));
        let mut told = String::new();
        agent.0[0].stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert!(told.contains("served as long as --most-time says"), "{told}");
        assert!(agents.join().unwrap().out.contains("of 2 agents"));
    });
}

/// An agent that is started once its invitation is there.
#[track_caller]
fn invited(desk: &Desk, options: &[&str], is_over: impl Fn() -> bool) -> Started<1> {
    let invitation = "invited/agent-1.invitation";
    let is_there = || std::fs::metadata(desk.file(invitation)).is_ok_and(|file| file.len() > 0);
    awaited(|| is_there() || is_over());
    assert!(is_there(), "no invitation");
    let mut agent = desk.command(&[&["agent", invitation], options].concat());
    Started([agent.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()])
}

/// Agents that end with the test.
struct Started<const AGENTS: usize>([Child; AGENTS]);

impl<const AGENTS: usize> Drop for Started<AGENTS> {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until something comes true. The runner of tests ends what never does.
fn awaited(mut is: impl FnMut() -> bool) {
    while !is() {
        std::thread::sleep(Duration::from_millis(50));
    }
}
