//! Codec trials: the clock of a batch covers the calls of one phase, all of them and nothing else.

use libtest_mimic::Trial;
use wiredyno_contract::{Batch, Buffer, Operation, Phase, PhaseMeasurement, Success};
use wiredyno_testkit::payloads;
use wiredyno_transport::clock::now_ns;

use crate::marks::{LEAST_NS, Mark};
use crate::{Desk, PAYLOAD, Probed};

const SAMPLES: usize = 3;
const BATCHES: u32 = 3;
const BATCH_NS: u64 = 10_000_000;
/// Calls before the batches are not part of them, and a few show that as well as many.
const SETTLE_NS: u64 = 10_000_000;

pub fn tests(probed: &'static [Probed]) -> Vec<Trial> {
    let phases = [Phase::Build, Phase::Encode, Phase::Decode, Phase::Read];
    let all = probed.iter().flat_map(move |probed| phases.map(|phase| (probed, phase)));
    all.map(|(probed, phase)| {
        let name = format!("the_clock_of_a_batch_holds_the_calls_of_{}_and_nothing_else", phase.name());
        probed.trial(None, &name, move || batches(probed, phase))
    })
    .collect()
}

fn batches(probed: &Probed, phase: Phase) {
    let desk = Desk::of(&payloads::find(PAYLOAD), SAMPLES);
    let mut loaded = probed.load(&desk, &desk.source.wire());
    let before = loaded.marks().len();
    let begin_ns = now_ns();
    let measured = loaded.runner.must(Operation::Measure {
        phase,
        batch_time_ns: BATCH_NS,
        batches: BATCHES,
        buffer: Buffer::Reused,
        burden_per_mille: 0,
        settle_ns: Some(SETTLE_NS),
    });
    let end_ns = now_ns();
    let Success::Measured { measurement, .. } = measured else { panic!("{measured:?}") };
    let marks = &loaded.marks()[before..];
    // The runner's clock is the program's, whatever its language calls it.
    let within =
        |mark: &Mark| begin_ns <= mark.begin_ns && mark.begin_ns <= mark.end_ns && mark.end_ns <= end_ns;
    assert!(
        marks.iter().all(within),
        "{begin_ns} to {end_ns}: {:?}",
        marks.iter().find(|mark| !within(mark))
    );
    check(phase, &measurement, marks);
}

/// Finds the calls of each batch: the right number in a row, without calls of another phase, that together took no longer than the batch reports, in
/// which no more time lies than between the calls before and after.
fn check(phase: Phase, measurement: &PhaseMeasurement, marks: &[Mark]) {
    assert_eq!(measurement.batches.len(), BATCHES as usize);
    let overhead_ns = measurement.timer_overhead_ns as i64;
    let mut from = 0;
    for batch in &measurement.batches {
        let calls = batch.iterations as usize;
        assert!(batch.elapsed_ns as i64 + overhead_ns >= calls as i64 * LEAST_NS, "{batch:?} is too short");
        let found = (from..).take_while(|first| first + calls <= marks.len());
        let first = found.into_iter().find(|&first| is_batch(phase, batch, overhead_ns, marks, first));
        let first = first.unwrap_or_else(|| panic!("no {calls} calls of {} took {batch:?}", phase.name()));
        from = first + calls;
    }
}

fn is_batch(phase: Phase, batch: &Batch, overhead_ns: i64, marks: &[Mark], first: usize) -> bool {
    let calls = &marks[first..first + batch.iterations as usize];
    let (begin_ns, end_ns) = (calls[0].begin_ns, calls[calls.len() - 1].end_ns);
    let before_ns = first.checked_sub(1).map_or(i64::MIN / 2, |before| marks[before].end_ns);
    let after_ns = marks.get(first + calls.len()).map_or(i64::MAX / 2, |after| after.begin_ns);
    let elapsed_ns = batch.elapsed_ns as i64;
    calls.iter().all(|mark| mark.what == phase.name())
        && end_ns - begin_ns <= elapsed_ns + overhead_ns
        && elapsed_ns <= after_ns - before_ns
}
