//! How agents join, and what is known of them then.

use std::time::Duration;

use wiredyno_agents::agent::{Ended, Event};
use wiredyno_agents::{ClockView, Coordinator, Kept, Member, MemberState};

use crate::stage::{PATIENCE, PROGRAM, Running, coordinator, elsewhere, invited, present, terms, until};

#[test]
fn agents_join_are_known_and_are_told_when_the_run_is_over() {
    let here = coordinator();
    let agents = ["vehicle", "cloud"].map(|name| Running::start(invited(&here), terms(name)));
    let is_known = |of: &Member| matches!(of.clock, ClockView::Known(_));
    let members = until(&here, "both known", |all| present(all) == 2 && all.iter().all(is_known));
    for member in &members {
        let ClockView::Known(clock) = &member.clock else { panic!("{member:?}") };
        // One process has one clock.
        assert!(clock.is_ours && clock.estimate.bound_ns == 0 && clock.round_trip_ns > 0, "{clock:?}");
        assert_eq!(member.labels["site"], "garage");
        assert_eq!(member.environment.as_ref().unwrap().cpu, "a CPU[2J", "a terminal obeys nothing of it");
        assert_eq!(member.address, Some([127, 0, 0, 1].into()));
    }
    // Until both have said where they answer, and on a busy machine, none of the exchanges may be answered.
    let begun = std::time::Instant::now();
    let pair = loop {
        let pair = here.probe("vehicle", "cloud").unwrap();
        assert_eq!(pair.estimate.bound_ns, 0, "both share our clock");
        if pair.exchanges.0 > 0 {
            break pair;
        }
        assert!(begun.elapsed() < PATIENCE, "{pair:?}");
    };
    assert!(pair.is_one_clock && pair.round_trip_ns.unwrap() > 0, "{pair:?}");
    assert!(here.probe("vehicle", "moon").unwrap_err().to_string().contains("no agent `moon`"));
    drop(here);
    for agent in agents {
        assert!(matches!(agent.told()[..], [Event::Joined, Event::Present(_)]), "{:?}", agent.told());
        assert_eq!(agent.ended().unwrap(), Ended::RunOver);
    }
}

#[test]
fn an_invitation_lets_in_one_agent_and_a_name_has_one() {
    let here = coordinator();
    let invitation = invited(&here);
    let first = Running::start(invitation.clone(), terms("vehicle"));
    until(&here, "the first", |all| present(all) == 1);
    assert!(Running::start(invitation, terms("cloud")).refused().contains("has been used"));
    assert!(Running::start(invited(&here), terms("vehicle")).refused().contains("has joined already"));
    assert!(
        Running::start(invited(&here), terms("Vehicle")).refused().contains("can't be the name of an agent")
    );
    let expired = here.invite("127.0.0.1", Duration::ZERO).unwrap();
    assert!(Running::start(expired, terms("cloud")).refused().contains("has expired"));
    let mut other = terms("cloud");
    other.program = "1.2.4".to_owned();
    let refused = Running::start(invited(&here), other).refused();
    assert!(
        refused.contains("1.2.4") && refused.contains("1.2.3") && refused.contains("install the same"),
        "{refused}"
    );
    let mut labelled = terms("cloud");
    labelled.labels.insert("site\n".to_owned(), "x".to_owned());
    assert!(Running::start(invited(&here), labelled).refused().contains("control characters"));
    first.stop();
    assert_eq!(first.ended().unwrap(), Ended::Interrupted);
    until(&here, "gone", |all| matches!(all[0].state, MemberState::Cut(_)));
}

#[test]
fn an_agent_talks_only_to_the_coordinator_that_invited_it() {
    let (here, other) = (coordinator(), coordinator());
    let lured = elsewhere(&invited(&here), other.address());
    let refused = Running::start(lured, terms("vehicle")).refused();
    assert!(refused.contains("not the coordinator that made this invitation"), "{refused}");
    assert!(here.members().is_empty() && other.members().is_empty());
}

#[test]
fn who_reaches_nobody_says_so_and_gives_up() {
    let here = coordinator();
    let nowhere = elsewhere(&invited(&here), "127.0.0.1:1".parse().unwrap());
    let mut impatient = terms("vehicle");
    impatient.patience = Duration::from_millis(300);
    let agent = Running::start(nowhere.clone(), impatient);
    let refused = agent.refused();
    assert!(refused.contains("127.0.0.1:1 was not reached"), "{refused}");
    let patient = Running::start(nowhere, terms("vehicle"));
    patient.until("waiting", 1, |event| matches!(event, Event::Waiting(_)));
    patient.stop();
    assert_eq!(patient.ended().unwrap(), Ended::Interrupted);
}

#[test]
fn an_agent_stays_for_a_coordinator_that_comes_back_and_lets_nobody_else_in() {
    let here = coordinator();
    let agent = Running::start(invited(&here), terms("vehicle"));
    agent.until_present(1);
    here.stay(true);
    let kept: Kept = serde_json::from_str(&serde_json::to_string(&here.kept()).unwrap()).unwrap();
    let address = here.address();
    drop(here);
    let stranger = Coordinator::listen(address, PROGRAM).unwrap();
    let is_told =
        |event: &Event| matches!(event, Event::Waiting(why) if why.contains("another program answers there"));
    agent.until("a stranger", 1, is_told);
    assert!(stranger.members().is_empty());
    drop(stranger);
    let again = Coordinator::again(address, PROGRAM, &kept).unwrap();
    assert_eq!(again.members()[0].state, MemberState::Invited);
    agent.until_present(2);
    let known = until(&again, "known again", |all| present(all) == 1);
    assert_eq!((known[0].name.as_str(), known[0].labels["site"].as_str()), ("vehicle", "garage"));
    let other = Running::start(invited(&again), terms("other"));
    assert!(other.refused().contains("lets nobody else in"));
    // A second time, and then for good.
    drop(again);
    let last = Coordinator::again(address, PROGRAM, &kept).unwrap();
    agent.until_present(3);
    last.stay(false);
    drop(last);
    assert_eq!(agent.ended().unwrap(), Ended::RunOver);
}
