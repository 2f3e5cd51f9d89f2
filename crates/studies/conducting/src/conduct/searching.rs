//! A search: open loops at one rate after the other, each with its own set-up and drain.

use std::collections::BTreeMap;
use std::path::Path;

use wiredyno_contract::{Capability, MessageRate};
use wiredyno_model::trial::{self, Invalid, Overload, SearchLimit, SearchStep, TrialRecord};
use wiredyno_model::{Load, Outcome};

use super::{Assignment, Conducted, ConductedTrial, Conductor};
use crate::observe::{Observations, Observed};
use crate::search::{Attempt, Next, Search, Terms, is_apart, limit, refusal};

impl Conductor<'_> {
    /// Finds the highest sustained rate. The record is that of the last step at this rate; if there is none, it is that of the lowest
    /// rate that was tried, as a failed trial. A step that the stand disturbs is repeated as often as a trial is.
    #[expect(
        clippy::too_many_lines,
        reason = "the loop of a search, whose steps share the steps so far, the best one and the refused ones"
    )]
    pub(super) fn search(&self, load: &Load, assignment: &Assignment<'_>) -> Conducted {
        let Some(Ok((figure, below))) = load.bound.as_ref().map(|bound| bound.read()) else {
            return self.once(assignment);
        };
        let mut search = Search::from(load.first_rate());
        let (mut kept, mut steps): (Option<(MessageRate, Box<ConductedTrial>)>, Vec<SearchStep>) =
            (None, Vec::new());
        let (mut refused, mut spoilt) = (Refused::default(), 0);
        let mut lost_before = None;
        let file = assignment.messages.with_extension("step");
        let found = loop {
            let rate = match search.next() {
                Next::Try(rate) => rate,
                // The record has to be one at exactly this rate.
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
            // A search may end at the limit of the stand, and reports it.
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
            // Roles that use up the machine and still keep the bound sustain the rate: the search is meant to get there.
            record.overloaded.retain(|overload| !matches!(overload, Overload::Machine { .. }));
            let terms = Terms {
                bound: (&figure, below),
                reliable: assignment.capable(Capability::Reliable),
                lost_before,
                hosts: &assignment.hosts(self.study.hosts),
            };
            let observed = Observed { record, observations: std::mem::take(&mut trial.observations) };
            let why = refusal(&observed, &terms);
            let attempt = match &why {
                None => Attempt::Sustained,
                Some(_) => Attempt::Missed { apart: is_apart(&observed, rate, &terms) },
            };
            trial.observations = observed.observations;
            let record = &mut trial.record;
            search.tell(rate, attempt);
            steps.push(SearchStep { rate, refused: why.clone() });
            if why.is_none() {
                lost_before.get_or_insert(record.delivery.lost as f64 / record.delivery.sent.max(1) as f64);
                take_over(&file, &assignment.messages, record);
                kept = Some((rate, trial));
            } else {
                let link = assignment.lane.map(|(_, link)| link);
                let by = limit(record, link, &self.study.limits, self.stand, true);
                refused.add(rate, trial.record, by);
            }
        };
        let _ = std::fs::remove_file(&file);
        let settled = found.filter(|_| search.is_settled());
        let (refused, by) = refused.lowest_above(found).unzip();
        let told = trial::Search { rate: settled, steps, limit: by };
        concluded(found, told, kept.map(|(_, kept)| kept), refused, &assignment.messages)
    }
}

/// The trial that stands for a search: the last step at its rate, or the refused one of the lowest rate, as a failed trial.
fn concluded(
    found: Option<MessageRate>,
    search: trial::Search,
    kept: Option<Box<ConductedTrial>>,
    refused: Option<TrialRecord>,
    messages: &Path,
) -> Conducted {
    let why = search.steps.iter().rev().find_map(|step| step.refused.clone()).unwrap_or_default();
    let settled = search.rate.is_some();
    let told = |trial: ConductedTrial| {
        let record = TrialRecord { search: Some(search), ..trial.record };
        Conducted::Trial(Box::new(ConductedTrial { record, ..trial }))
    };
    match (kept, refused) {
        (Some(kept), _) if settled => told(*kept),
        (kept, refused) => {
            let _ = std::fs::remove_file(messages);
            let Some(mut record) = refused.or_else(|| kept.map(|kept| kept.record)) else {
                return Conducted::Interrupted;
            };
            record.failed = Some(match found {
                Some(rate) => {
                    format!("the search did not converge: {rate} was sustained and then not, {why}")
                }
                None => format!("no rate was sustained: {why}"),
            });
            // Its messages are deleted, so it has no observations either.
            told(ConductedTrial { record, observations: Observations::default(), timings: None })
        }
    }
}

/// Makes the messages of a step those of the trial. If that fails, its figures are unknown and the trial is invalid.
fn take_over(step: &Path, trial: &Path, record: &mut TrialRecord) {
    let moved = match std::fs::rename(step, trial) {
        // A trial in which nothing has arrived so far has none.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => std::fs::remove_file(trial).or(Ok(())),
        moved => moved,
    };
    if let Err(error) = moved {
        let error = format!("the messages of a step of a search: {error}");
        record.invalid.push(Invalid::NotCarriedOut { error });
    }
}

/// The last step at each requested rate that did not sustain it. The achieved rate is not used: far beyond a limit it may be lower
/// than just above it.
#[derive(Default)]
struct Refused(BTreeMap<u64, (TrialRecord, SearchLimit)>);

impl Refused {
    fn add(&mut self, rate: MessageRate, record: TrialRecord, by: SearchLimit) {
        self.0.insert(rate.per_1000_s, (record, by));
    }

    /// The step at the lowest rate above the found one: lower rates were sustained when they were tried again.
    fn lowest_above(mut self, found: Option<MessageRate>) -> Option<(TrialRecord, SearchLimit)> {
        let found = found.map_or(0, |rate| rate.per_1000_s);
        self.0.split_off(&(found + 1)).pop_first().map(|(_, refused)| refused)
    }
}

/// One step of a search: the same trial at a rate, with its messages in their own file. Packets are not captured.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_that_of_the_lowest_rate_asked_for_above_the_one_that_was_found() {
        let rate = |text: &str| text.parse::<MessageRate>().unwrap();
        let record = |sent: u64| -> TrialRecord {
            serde_json::from_value(serde_json::json!({
                "trial": 0, "repeat": 0, "attempt": 0, "lane": 0, "seed": 1, "started_unix_ns": 0, "duration_ns": 1,
                "cell": { "payload": "small", "codec": "json/serde-json", "mode": "tcp", "link": "loopback" },
                "invalid": [], "transport": null, "broker": null, "body_bytes": 0, "sending_ns": 1_000_000_000,
                "delivery": trial::Delivery { sent, ..trial::Delivery::default() }, "schedule": trial::Schedule::default(),
                "wire": null, "publisher_wire": null, "subscriber_wire": null, "roles": trial::Roles::default(),
                "link": null, "machine": trial::Machine::default()
            }))
            .unwrap()
        };
        // At the fastest doubling less was achieved than at the rate just beyond the one that was found.
        let refused = || {
            let mut refused = Refused::default();
            refused.add(rate("5M/s"), record(400_000), SearchLimit::Machine);
            refused.add(rate("500k/s"), record(480_000), SearchLimit::Subscriber);
            refused.add(rate("100k/s"), record(99_000), SearchLimit::Stand);
            refused
        };
        let by = |found: Option<MessageRate>| refused().lowest_above(found).map(|(_, by)| by);
        assert_eq!(by(Some(rate("490k/s"))), Some(SearchLimit::Subscriber));
        assert_eq!(by(None), Some(SearchLimit::Stand));
        assert_eq!(by(Some(rate("5M/s"))), None);
    }
}
