//! Fleets that stay for several runs, whatever has brought them up.

use std::rc::Rc;

use crate::processes::in_time;
use crate::stage::{Run, Stage};
use crate::stand::{Desk, array, number};

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
    let up = command(&["up", "fleet.toml", "--for", "10min"], 0);
    assert!(up.contains("its agents end after 10min"), "{up}");
    assert!(command(&["up", "fleet.toml"], 2).contains("a fleet is up"));
    let agents =
        || ["n1", "n2", "pi1", "pi2"].map(|name| stage.find(name).and_then(|machine| machine.agent()));
    let before = agents();
    assert_eq!(before.iter().flatten().count(), 2);
    for out in ["first", "second"] {
        let run = Run::on(stage, Rc::clone(&desk), (out, 1), variables);
        assert!(run.ends(Some(0)).contains("using the fleet that is up"));
        assert_eq!(number(&array(&run.desk.summary(out)["cells"])[0]["delivery"], "delivered"), 20);
        assert_eq!(agents(), before, "they have stayed");
    }
    let status = command(&["status", "fleet.toml"], 0);
    assert_eq!(status.matches("waits for a run").count(), 2, "{status}");
    assert!(command(&["down", "fleet.toml"], 0).contains("the fleet is down"));
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
