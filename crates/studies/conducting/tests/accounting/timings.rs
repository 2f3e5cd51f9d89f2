//! The timings of messages in the database of a run.

use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::trial::MessageRecord;
use wiredyno_seats::database::Database;
use wiredyno_seats::interrupt::Interrupt;

use crate::{role, stdout};

/// More than are written in one batch.
const MESSAGES: u64 = 25_000;

pub fn kept_when_committed() {
    let told = stdout(&mut role("timings"));
    assert_eq!(told.trim(), format!("0 {MESSAGES} {MESSAGES}"));
}

/// Prints how many rows there are after a trial was dropped, how many were committed, and how many there are afterwards.
pub fn play() -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let database = Database::start(&sandbox, &Interrupt::default()).unwrap();
    let rows = || wiredyno_records::count(&database.timings()).unwrap();
    let written = |trial| {
        let mut timings = database.timings_of(trial);
        (0..MESSAGES).for_each(|sequence| timings.add(&message(sequence)));
        timings
    };
    drop(written(0));
    let none = rows();
    let committed = written(1).commit().unwrap();
    println!("{none} {committed} {}", rows());
    0
}

fn message(sequence: u64) -> MessageRecord {
    MessageRecord {
        sequence,
        body_bytes: 1,
        arrivals: 0,
        intended_send_ns: 1,
        build_start_ns: 2,
        built_ns: 3,
        encoded_ns: 4,
        handed_over_ns: None,
        sent_ns: None,
        acked_ns: None,
        received_ns: None,
        decoded_ns: None,
        crossing: None,
    }
}
