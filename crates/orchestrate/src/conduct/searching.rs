//! A search: open loops at one rate after the other, each with set-up and drain of its own.

use std::path::Path;

use wiredyno_contract::{Capability, MessageRate};
use wiredyno_model::trial::{self, Invalid, Overload, SearchLimit, SearchStep, TrialRecord};
use wiredyno_model::{Load, Outcome};

use super::{Assignment, Conducted, ConductedTrial, Conductor};
use crate::observe::{Observations, Observed};
use crate::search::{Next, Search, Terms, limit, refusal};

impl Conductor<'_> {
    /// Finds the highest rate that is sustained. The record is that of the last step at this rate; where none is, it is that of the lowest
    /// rate that was tried, as one that failed. A step that the stand spoils is made again as often as a trial is.
    pub(super) fn search(&self, load: &Load, assignment: &Assignment<'_>) -> Conducted {
        let Some(Ok((figure, below))) = load.bound.as_ref().map(|bound| bound.read()) else {
            return self.once(assignment);
        };
        let mut search = Search::from(load.first_rate());
        let (mut kept, mut steps): (Option<(MessageRate, Box<ConductedTrial>)>, Vec<SearchStep>) =
            (None, Vec::new());
        let (mut refused, mut spoilt): (Option<(TrialRecord, SearchLimit)>, u32) = (None, 0);
        let mut lost_before = None;
        let file = assignment.messages.with_extension("step");
        let found = loop {
            let rate = match search.next() {
                Next::Try(rate) => rate,
                // The record is one at this very rate.
                Next::Found(Some(rate))
                    if search.is_settled() && kept.as_ref().is_none_or(|(at, _)| *at != rate) =>
                {
                    rate
                }
                Next::Found(rate) => break rate,
            };
            let mut trial = match self.once(&step(assignment, rate, &file)) {
                Conducted::Trial(trial) => trial,
                other => {
                    let _ = std::fs::remove_file(&assignment.messages);
                    return other;
                }
            };
            let record = &mut trial.record;
            // A search may end at what the stand can make, and says so.
            record.invalid.retain(|invalid| !matches!(invalid, Invalid::StandBusy { .. }));
            if record.outcome() == Outcome::Invalid {
                spoilt += 1;
                if spoilt > self.study.trials.retries {
                    take_over(&file, &assignment.messages, record);
                    return Conducted::Trial(trial);
                }
                continue;
            }
            spoilt = 0;
            // Roles that use up the machine and yet keep the bound sustain the rate: that is where this search leads.
            record.overloaded.retain(|overload| !matches!(overload, Overload::Machine { .. }));
            let terms = Terms {
                bound: (&figure, below),
                reliable: assignment.capable(Capability::Reliable),
                lost_before,
                hosts: &assignment.hosts(self.study.hosts),
            };
            let observed = Observed { record, observations: std::mem::take(&mut trial.observations) };
            let why = refusal(&observed, &terms);
            trial.observations = observed.observations;
            let record = &mut trial.record;
            search.tell(rate, why.is_none());
            steps.push(SearchStep { rate, refused: why.clone() });
            if why.is_none() {
                lost_before.get_or_insert(record.delivery.lost as f64 / record.delivery.sent.max(1) as f64);
                take_over(&file, &assignment.messages, record);
                kept = Some((rate, trial));
            } else {
                let link = assignment.lane.map(|(_, link)| link);
                let by = limit(record, link, &self.study.limits);
                let lowest = refused.as_ref().is_none_or(|(lowest, _)| rate_of(lowest) >= rate_of(record));
                if lowest {
                    refused = Some((trial.record, by));
                }
            }
        };
        let _ = std::fs::remove_file(&file);
        let by = refused.as_ref().map(|(_, by)| *by);
        let settled = found.filter(|_| search.is_settled());
        let told = |trial: ConductedTrial| {
            let search = Some(trial::Search { rate: settled, steps: steps.clone(), limit: by });
            let record = TrialRecord { search, ..trial.record };
            Conducted::Trial(Box::new(ConductedTrial { record, ..trial }))
        };
        match (settled, kept, refused) {
            (Some(_), Some((_, kept)), _) => told(*kept),
            (_, kept, refused) => {
                let _ = std::fs::remove_file(&assignment.messages);
                let kept = kept.map(|(_, kept)| kept.record);
                let Some(mut record) = refused.map(|(record, _)| record).or(kept) else {
                    return Conducted::Interrupted;
                };
                let why = steps.iter().rev().find_map(|step| step.refused.clone()).unwrap_or_default();
                record.failed = Some(match found {
                    Some(rate) => {
                        format!("the search did not converge: {rate} was sustained and then not, {why}")
                    }
                    None => format!("no rate was sustained: {why}"),
                });
                // Its messages are gone, and with them what they gave.
                told(ConductedTrial { record, observations: Observations::default(), timings: None })
            }
        }
    }
}

/// Makes the messages of a step those of the trial. Without them its figures can't be had: the trial is invalid then.
fn take_over(step: &Path, trial: &Path, record: &mut TrialRecord) {
    let moved = match std::fs::rename(step, trial) {
        // A trial in which nothing came so far has none.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => std::fs::remove_file(trial).or(Ok(())),
        moved => moved,
    };
    if let Err(error) = moved {
        let error = format!("the messages of a step of a search: {error}");
        record.invalid.push(Invalid::NotCarriedOut { error });
    }
}

/// Messages a second that were kept, for comparison.
fn rate_of(record: &TrialRecord) -> u64 {
    record.delivery.sent * 1_000_000_000 / record.sending_ns.max(1)
}

/// One step of it: the same trial at a rate, with messages in a file of its own. Packets are not captured.
fn step<'a>(of: &Assignment<'a>, rate: MessageRate, file: &Path) -> Assignment<'a> {
    Assignment {
        number: of.number,
        planned: of.planned,
        lane_index: of.lane_index,
        lane: of.lane,
        transport: of.transport,
        serving: of.serving,
        brokers: of.brokers,
        lanes_in_use: of.lanes_in_use,
        counted_only: of.counted_only,
        messages: file.to_owned(),
        capture: None,
        keylog: false,
        rate: Some(rate),
    }
}
