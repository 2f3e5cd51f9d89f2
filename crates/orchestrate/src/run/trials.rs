//! The trials of a run: codec trials one after the other, message trials in lanes.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow, bail};
use wiredyno_link::lane::Lane;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::trial::TrialRecord;
use wiredyno_model::{Cell, Outcome};
use wiredyno_stats::Quantile;
use wiredyno_store::{RunFolder, RunRecords};

use super::prepared::served_by;
use super::{Event, PreparedRun};
use crate::codec_trial::CodecConductor;
use crate::conduct::{Assignment, Conductor};
use crate::kept::LaneBrokers;
use crate::lanes::{Gate, Queue};
use crate::observe::{EXACT_MESSAGES, Observed, codec_value};
use crate::plan::{PlannedCodecTrial, PlannedTrial, codec_round, message_round};
use crate::resume::Done;
use crate::runners::Runners;
use crate::serving::transport_for;
use crate::stopping::{Rounds, Stopping};
use crate::validity::Stand;

impl PreparedRun {
    /// Codec trials, one after the other. Returns the number of the next trial.
    pub(super) fn codec_trials(
        &self,
        trials: Vec<PlannedCodecTrial>,
        progress: &Progress<'_>,
    ) -> anyhow::Result<u32> {
        let Progress { folder, done, before, runners, stand, observe } = *progress;
        let request = &self.request;
        let study = &request.study;
        let mut rounds = Rounds::after_first(self.rule(Scope::Codec));
        if let (Some(metric), Some(last)) = (rounds.metric().map(str::to_owned), done.last_codec_repeat()) {
            for record in before.codecs.iter().filter(|record| record.is_complete()) {
                if let Some(value) = codec_value(&metric, record) {
                    rounds.add(record.cell.clone(), value);
                }
            }
            rounds.go_on_at(last);
        }
        let mut waiting = VecDeque::from(trials);
        let mut number = done.next_number;
        let conductor = CodecConductor {
            settings: &study.codec_trials,
            limits: &study.limits,
            stand,
            runners,
            sandbox: &request.sandbox,
            interrupt: &request.interrupt,
        };
        loop {
            let Some(planned) = waiting.pop_front() else {
                let Some((repeat, open)) = rounds.next_round() else { break };
                observe(Event::Round { trials: open.len() });
                let round = codec_round(study, open.into_iter().collect(), repeat);
                waiting.extend(done.codecs_left(round, study.trials.retries));
                continue;
            };
            let Some(record) = conductor.conduct(number, &planned) else { break };
            number += 1;
            folder.add_codec_trial(&record)?;
            let again = record.outcome() == Outcome::Invalid && planned.attempt < study.trials.retries;
            observe(Event::CodecTrial { record: &record, again });
            let value = rounds
                .metric()
                .filter(|_| record.is_complete())
                .and_then(|metric| codec_value(metric, &record));
            if let Some(value) = value {
                rounds.add(planned.cell.clone(), value);
            }
            waiting.extend(again.then(|| PlannedCodecTrial { attempt: planned.attempt + 1, ..planned }));
        }
        Ok(number)
    }

    /// The study's stopping rule, where its metric is one of this scope.
    pub(super) fn rule(&self, scope: Scope) -> Option<Stopping> {
        let stopping = Stopping::of(&self.request.study.trials)?;
        metric::find(scope, &stopping.metric).is_some().then_some(stopping)
    }

    /// Message trials, in lanes, numbered from `first`. Returns how many were in flight at most.
    pub(super) fn trials(
        &self,
        trials: Vec<PlannedTrial>,
        lanes: u32,
        first: u32,
        progress: &Progress<'_>,
    ) -> anyhow::Result<u32> {
        let Progress { folder, done, before, runners, stand, observe } = *progress;
        let study = &self.request.study;
        let adaptive = study.trials.lanes == wiredyno_model::Lanes::Auto;
        let mut rounds = Rounds::after_first(self.rule(Scope::Message));
        if let (Some(metric), Some(last)) = (rounds.metric().map(str::to_owned), done.last_repeat()) {
            for record in before.messages.iter().filter(|record| record.is_complete()) {
                let cell = self.plan.cells.iter().position(|cell| *cell == record.cell);
                let value = observed(folder, record)?.value(&metric, &study.hosts);
                if let Some((cell, value)) = cell.zip(value) {
                    rounds.add(cell, value);
                }
            }
            rounds.go_on_at(last);
        }
        let rounds = Mutex::new(rounds);
        let more = || {
            loop {
                let next = rounds.lock().unwrap_or_else(PoisonError::into_inner).next_round();
                let Some((repeat, open)) = next else { return Vec::new() };
                let round = message_round(study, &self.plan.cells, |cell| open.contains(&cell), repeat);
                let left = done.left(round, study.trials.retries);
                if !left.is_empty() {
                    observe(Event::Round { trials: left.len() });
                    return left;
                }
            }
        };
        let lanes_of = LanesOf {
            queue: Queue::new(trials, lanes, adaptive, more),
            rounds: &rounds,
            numbers: AtomicU32::new(first),
            started: Gate::for_lanes(lanes),
            folder,
            runners,
            stand,
            observe,
        };
        let failed: Mutex<Option<anyhow::Error>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for index in 0..lanes {
                let (lanes_of, failed) = (&lanes_of, &failed);
                scope.spawn(move || {
                    let work = AssertUnwindSafe(|| self.work(index, lanes_of));
                    let worked = std::panic::catch_unwind(work).unwrap_or_else(|panic| {
                        Err(anyhow!(
                            "lane {index}: a mistake in this program, please report it: {}",
                            said(&*panic)
                        ))
                    });
                    if let Err(error) = worked {
                        self.request.interrupt.set();
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                });
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(lanes_of.queue.most_in_flight()),
        }
    }

    /// One lane: takes trials until none is left. Its hosts are made when its first trial comes.
    fn work(&self, index: u32, shared: &LanesOf<'_>) -> anyhow::Result<()> {
        let LanesOf { queue, rounds, numbers, folder, runners, stand, observe, started } = shared;
        let request = &self.request;
        let conductor = Conductor {
            study: &request.study,
            runners,
            sandbox: &request.sandbox,
            interrupt: &request.interrupt,
            stand: *stand,
        };
        let spawn = || {
            let lane = Lane::spawn(runners.program(), index as usize, &request.sandbox);
            lane.with_context(|| format!("lane {index}"))
        };
        // Brokers that take seconds of both processors start before any trial, on all lanes.
        let pass = started.pass();
        let needs_link = self.plan.cells.iter().any(|cell| !cell.link.is_loopback());
        let first = (needs_link && !self.kept().is_empty()).then(spawn).transpose();
        let (on_link, on_loopback) = (LaneBrokers::new(true), LaneBrokers::new(false));
        let brokers = if needs_link { &on_link } else { &on_loopback };
        if let Ok(lane) = &first {
            let host = lane.as_ref().map(|lane| lane.host(request.study.hosts.broker));
            brokers.start(&self.kept(), host.as_ref(), &request.sandbox, &request.interrupt);
        }
        pass.wait();
        let mut lane = first?;
        while let Some((planned, lanes_in_use)) = queue.take(&request.interrupt) {
            let link = self.link_of(&planned.cell);
            if link.is_some() && lane.is_none() {
                lane = Some(spawn()?);
            }
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            let protocol = &planned.cell.mode.protocol;
            let (Some(transport), Some(serving)) =
                (transport_for(&self.known, protocol), self.servings.get(&served_by(&planned.cell)))
            else {
                bail!("no client or server for `{protocol}`");
            };
            let trial = conductor.conduct(&Assignment {
                number,
                planned: &planned,
                lane_index: index,
                lane: lane.as_ref().zip(link.as_ref()),
                transport,
                serving,
                brokers: if link.is_some() { &on_link } else { &on_loopback },
                lanes_in_use,
                counted_only: self.counted_only(&planned.cell),
                messages: folder.messages_part(number),
                capture: (request.written.capture && link.is_some())
                    .then(|| folder.capture(number))
                    .transpose()?,
            });
            let Some(record) = trial else {
                queue.finish(None);
                break;
            };
            folder.add_message_trial(&record)?;
            let trial = observed(folder, &record)?;
            let outcome = record.outcome();
            let again = outcome == Outcome::Invalid && planned.attempt < request.study.trials.retries;
            let median_latency_ns =
                trial.latencies().map(|latencies| latencies.quantile(Quantile::MEDIAN) as i64);
            observe(Event::Trial { record: &record, median_latency_ns, again });
            if outcome == Outcome::Complete {
                let mut rounds = rounds.lock().unwrap_or_else(PoisonError::into_inner);
                let value = rounds.metric().and_then(|metric| trial.value(metric, &request.study.hosts));
                if let Some(value) = value {
                    rounds.add(planned.cell_index, value);
                }
            }
            queue.finish(again.then(|| PlannedTrial { attempt: planned.attempt + 1, ..planned.clone() }));
        }
        Ok(())
    }

    fn link_of(&self, cell: &Cell) -> Option<LinkSpec> {
        let link = self.links.get(&cell.link)?.clone();
        Some(match cell.loss {
            Some(loss) => link.with_loss(loss.get()),
            None => link,
        })
    }
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given")
}

/// What a run has and works with.
#[derive(Clone, Copy)]
pub(super) struct Progress<'a> {
    pub(super) folder: &'a RunFolder,
    /// What was there before, and how far that comes.
    pub(super) done: &'a Done,
    pub(super) before: &'a RunRecords,
    pub(super) runners: &'a Runners,
    pub(super) stand: Stand,
    pub(super) observe: &'a (dyn Fn(Event<'_>) + Sync),
}

/// What the lanes of a run share.
struct LanesOf<'a> {
    queue: Queue<'a, PlannedTrial>,
    rounds: &'a Mutex<Rounds<usize>>,
    numbers: AtomicU32,
    folder: &'a RunFolder,
    runners: &'a Runners,
    stand: Stand,
    observe: &'a (dyn Fn(Event<'_>) + Sync),
    /// Passed by every lane when the brokers that it keeps have started.
    started: Gate,
}

/// What the messages of one trial gave, by itself.
fn observed<'a>(folder: &RunFolder, record: &'a TrialRecord) -> anyhow::Result<Observed<'a>> {
    Ok(Observed::of(folder, record, record.delivery.sent <= EXACT_MESSAGES)?)
}
