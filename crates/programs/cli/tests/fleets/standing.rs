//! Fleets that stay for several runs, whatever has brought them up.

use std::process::Command;
use std::rc::Rc;
use std::time::Instant;

use nix::sys::signal::Signal;

use crate::processes::in_time;
use crate::stage::{Run, Stage};
use crate::stand::{Desk, PROGRAM, array, number, said};

/// The port of the coordinator, in a network of its own.
const PORT: u16 = 7411;

/// A command about the fleet; returns what it says. It ends with this code.
#[track_caller]
fn fleet(stage: &Stage, desk: &Desk, words: &[&str], code: i32, variables: &[(&str, String)]) -> String {
    let status = Run::program(stage, desk, variables).arg("fleet").args(words).status().unwrap();
    let told = std::fs::read_to_string(desk.file("told")).unwrap();
    assert_eq!(status.code(), Some(code), "fleet {words:?}: {told}\n{}", stage.told());
    told
}

/// Two runs use the same agents, which then go when they are told; and those that nobody uses end by themselves. Returns the last run.
pub fn stays<'a>(stage: &'a Stage, hosts: &str, section: &str, variables: &[(&str, String)]) -> Run<'a> {
    let desk = Run::desk(stage, (hosts, PORT), section);
    let command = |words: &[&str], code| fleet(stage, &desk, words, code, variables);
    assert!(command(&["status", "fleet.toml"], 2).contains("no fleet is up"));
    let mut took = Vec::new();
    let mut begun = Instant::now();
    let mut lap = |what: &str| {
        took.push(format!("{what} {:.1} s", begun.elapsed().as_secs_f64()));
        begun = Instant::now();
    };
    let up = command(&["up", "fleet.toml", "--for", "10min"], 0);
    lap("up");
    assert!(up.contains("its agents end after 10min"), "{up}");
    assert!(command(&["up", "fleet.toml"], 2).contains("a fleet is up"));
    let agents =
        || ["n1", "n2", "pi1", "pi2"].map(|name| stage.find(name).and_then(|machine| machine.agent()));
    let before = agents();
    assert_eq!(before.iter().flatten().count(), 2);
    lap("looked at");
    for out in ["first", "second"] {
        let run = Run::on(stage, Rc::clone(&desk), (out, 1), variables);
        assert!(run.ends(Some(0)).contains("using the fleet that is up"));
        assert_eq!(number(&array(&run.desk.summary(out)["cells"])[0]["delivery"], "delivered"), 20);
        lap(&format!("{out} run"));
        assert_eq!(agents(), before, "they have stayed");
    }
    let status = command(&["status", "fleet.toml"], 0);
    assert_eq!(status.matches("waits for a run").count(), 2, "{status}");
    is_kept(stage, &desk, variables);
    assert_eq!(agents(), before, "they have stayed");
    lap("kept");
    assert!(command(&["down", "fleet.toml"], 0).contains("the fleet is down"));
    lap("down");
    println!("{}: {}", section.lines().next().unwrap_or_default(), took.join(", "));
    assert!(!desk.file("fleet.toml.up").exists());

    command(&["up", "fleet.toml", "--for", "1s"], 0);
    assert!(in_time(|| agents().iter().flatten().next().is_none()), "agents are left");
    command(&["status", "fleet.toml"], 11);
    let late = Run::on(stage, Rc::clone(&desk), ("late", 1), variables);
    let told = late.ends(Some(1));
    assert!(told.contains("bring it up again"), "{told}");
    command(&["down", "fleet.toml"], 0);
    late
}

/// A fleet stays as it is while a run uses it, in the network where it was brought up and in another.
fn is_kept(stage: &Stage, desk: &Rc<Desk>, variables: &[(&str, String)]) {
    let names = if stage.find("n1").is_some() { ["n1", "n2"] } else { ["pi1", "pi2"] };
    let run = Run::on(stage, Rc::clone(desk), ("third", 1_000), variables);
    run.is_under_way(&names);
    let used = fleet(stage, desk, &["down", "fleet.toml"], 1, variables);
    assert!(used.contains("the fleet stays as it is"), "{used}");
    let status = fleet(stage, desk, &["status", "fleet.toml"], 0, variables);
    assert_eq!(status.matches("a run or another command uses the fleet").count(), 2, "{status}");
    let mut elsewhere = Command::new(PROGRAM);
    elsewhere.current_dir(desk.path()).args(["fleet", "down", "fleet.toml"]);
    elsewhere.envs(variables.iter().map(|(name, value)| (name, value)));
    let told = said(&mut elsewhere);
    assert!(told.code == Some(2) && told.err.contains("another network of this machine"), "{}", told.err);
    names.iter().for_each(|name| stage.machine(name).has_role());
    run.signal(Signal::SIGINT);
    run.ends(Some(130));
}
