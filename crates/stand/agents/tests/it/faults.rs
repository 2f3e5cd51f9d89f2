//! What breaks between an agent and its coordinator, and who else connects.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use wiredyno_agents::agent::{Ended, Event};
use wiredyno_agents::{ClockPath, ClockView, MemberState};

use crate::cable::Cable;
use crate::stage::{PATIENCE, Running, coordinator, elsewhere, invited, present, terms, until};

#[test]
fn an_agent_comes_back_after_a_cut_with_its_name_and_clock() {
    let here = coordinator();
    let cable = Cable::to(here.address());
    let agent = Running::start(elsewhere(&invited(&here), cable.address), terms("vehicle"));
    // The cable carries no datagrams: its clock is known by the connection alone.
    let by_control =
        |clock: &ClockView| matches!(clock, ClockView::Known(known) if known.path == ClockPath::Control);
    until(&here, "there", |all| present(all) == 1 && by_control(&all[0].clock));
    for time in 1..=3 {
        agent.until_present(time);
        cable.cut();
        until(&here, "cut", |all| matches!(all[0].state, MemberState::Cut(_)));
        let members = until(&here, "back", |all| present(all) == 1);
        assert_eq!(members.len(), 1, "one agent, one place");
    }
    agent.until_present(4);
    let cuts = agent.told().iter().filter(|event| matches!(event, Event::Cut(_))).count();
    assert_eq!(cuts, 3, "{:?}", agent.told());
    drop(here);
    assert_eq!(agent.ended().unwrap(), Ended::RunOver);
}

#[test]
fn a_line_that_falls_silent_lapses_the_lease_on_both_sides() {
    let here = coordinator();
    let cable = Cable::to(here.address());
    let agent = Running::start(elsewhere(&invited(&here), cable.address), terms("vehicle"));
    agent.until_present(1);
    cable.silent(true);
    until(
        &here,
        "cut",
        |all| matches!(&all[0].state, MemberState::Cut(why) if why.contains("no answer came")),
    );
    agent.until("cut", 1, |event| matches!(event, Event::Cut(why) if why.contains("no answer came")));
    cable.silent(false);
    until(&here, "back", |all| present(all) == 1);
    drop(here);
    assert_eq!(agent.ended().unwrap(), Ended::RunOver);
}

#[test]
fn who_talks_nonsense_or_nothing_is_shown_the_door_and_hinders_nobody() {
    let here = coordinator();
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(here.address()).unwrap()).collect();
    for nonsense in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 4_096], b"\x16\x03\x01\xff\xff"] {
        let mut stream = TcpStream::connect(here.address()).unwrap();
        // Reset while it is being sent, perhaps.
        let _ = stream.write_all(nonsense);
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut rest = Vec::new();
        closed(stream.read_to_end(&mut rest));
    }
    let agent = Running::start(invited(&here), terms("vehicle"));
    until(&here, "there", |all| present(all) == 1);
    for mut stream in silent {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut rest = Vec::new();
        closed(stream.read_to_end(&mut rest));
    }
    drop(here);
    assert_eq!(agent.ended().unwrap(), Ended::RunOver);
}

/// Closed after an alert, or reset: not left waiting.
fn closed(read: std::io::Result<usize>) {
    if let Err(error) = read {
        assert!(!matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    }
}

#[test]
fn a_coordinator_that_is_gone_is_waited_for_as_long_as_patience_lasts() {
    let here = coordinator();
    let mut impatient = terms("vehicle");
    impatient.patience = Duration::from_secs(1);
    let cable = Cable::to(here.address());
    let agent = Running::start(elsewhere(&invited(&here), cable.address), impatient);
    agent.until_present(1);
    cable.silent(true);
    let refused = agent.refused();
    assert!(refused.contains("was not reached for"), "{refused}");
}
