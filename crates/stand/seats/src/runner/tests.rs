use wiredyno_contract::bulk::{ABSENT, SentRow};

use std::sync::Arc;

use super::*;
use crate::seat::elsewhere::{CLOCK, Elsewhere};

const LIMIT: Duration = PATIENCE;

fn row(at_ns: i64) -> SentRow {
    SentRow {
        sequence: 0,
        digest: 7,
        body_bytes: 10,
        intended_send_ns: at_ns,
        build_start_ns: at_ns + 1,
        built_ns: at_ns + 2,
        encoded_ns: at_ns + 3,
        handed_over_ns: at_ns + 4,
        sent_ns: at_ns + 5,
        acked_ns: ABSENT,
    }
}

fn sent(path: &std::path::Path) -> Vec<SentRow> {
    bulk::read_sent(&mut File::open(path).unwrap()).unwrap()
}

#[test]
fn a_runner_is_asked_and_answers_by_the_clock_of_its_seat() {
    let folder = tempfile::tempdir().unwrap();
    let (last, asked) = (Moment::now(), Arc::default());
    let seat = Elsewhere {
        folder: folder.path().into(),
        last,
        sent: vec![row(last.ns())],
        asked: Arc::clone(&asked),
    };
    let mut runner = Runner::on(Box::new(seat));
    let until = last + Duration::from_secs(2);
    let there_ns = CLOCK.stamp(until).ns();
    assert_eq!(there_ns - until.ns(), 3_600_000_000_000);
    runner.start(until, Start::open(0, 1, 1)).unwrap();
    for progress in
        [runner.await_sent(until, false, LIMIT).unwrap(), runner.await_received(1, until, LIMIT).unwrap()]
    {
        assert_eq!(progress.last, Some(last));
    }
    let asked_ns = |operation: &Operation| match operation {
        Operation::Start(Start { at_ns, .. }) => *at_ns,
        Operation::AwaitSent { until_ns, .. } | Operation::AwaitReceived { until_ns, .. } => *until_ns,
        other => panic!("{other:?}"),
    };
    assert_eq!(asked.lock().unwrap().iter().map(asked_ns).collect::<Vec<_>>(), [there_ns; 3]);
}

#[test]
fn records_are_handed_on_with_the_times_of_the_clock_that_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let (last, asked) = (Moment::now(), Arc::default());
    let rows = vec![row(last.ns())];
    let seat =
        Elsewhere { folder: folder.path().into(), last, sent: rows.clone(), asked: Arc::clone(&asked) };
    let mut runner = Runner::on(Box::new(seat));
    // From that seat: with its own times and clock.
    let recorded = runner.write_sent("measured").unwrap();
    let there = row(CLOCK.stamp(last).ns());
    assert_eq!((sent(&recorded.path), recorded.clock), (vec![there], CLOCK));
    runner.await_delivered(&recorded, last, LIMIT).unwrap();
    // From ours.
    let ours = Recorded { path: folder.path().join("ours"), clock: SeatClock::OURS };
    bulk::write_sent(&mut File::create(&ours.path).unwrap(), &rows).unwrap();
    runner.await_delivered(&ours, last, LIMIT).unwrap();
    let handed = asked.lock().unwrap().iter().filter_map(handed).collect::<Vec<_>>();
    // By another clock, it may have begun earlier by as much as the comparison is wrong.
    let slack_ns = CLOCK.bound().as_nanos() as i64;
    let told = bulk::SentRow { build_start_ns: there.build_start_ns - slack_ns, ..there };
    assert_eq!(handed.len(), 2);
    for (name, expected) in handed.iter().zip([there, told]) {
        let path = std::path::PathBuf::from(name.trim_start_matches("there:"));
        assert_eq!(sent(&path), [expected], "{name}");
    }
    assert_eq!(sent(&ours.path), rows);
}

fn handed(operation: &Operation) -> Option<String> {
    match operation {
        Operation::AwaitDelivered { sent, .. } => Some(sent.clone()),
        _ => None,
    }
}
