//! The trials of a run: codec trials one after the other, message trials in lanes.

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use wiredyno_conducting::codec_trial::{CodecConductor, ConductedCodecTrial};
use wiredyno_conducting::conduct::{Assignment, Conducted, ConductedTrial, Conductor};
use wiredyno_conducting::live::Live;
use wiredyno_conducting::observe::{EXACT_MESSAGES, Observed, codec_value};
use wiredyno_conducting::validity::Stand;
use wiredyno_link::capture::CaptureFile;
use wiredyno_link::host::HostHandle;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::{Cell, Lifetime, Outcome};
use wiredyno_planning::plan::{PlannedCodecTrial, PlannedTrial, codec_round, message_round};
use wiredyno_planning::resume::Done;
use wiredyno_seats::database::Database;
use wiredyno_seats::lane_brokers::Site;
use wiredyno_seats::managed::Managed;
use wiredyno_seats::runners::Runners;
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::serving::Served;
use wiredyno_stats::Quantile;
use wiredyno_store::{RunFolder, RunRecords, StoreError};

use super::ground::Ground;
use super::lanes::{self, Gate, Pass, Queue};
use super::{Event, PreparedRun, RunError};
use crate::room;
use crate::stopping::{Rounds, Stopping};

impl PreparedRun {
    /// Codec trials, one after the other. Returns the number of the next trial.
    pub(super) fn codec_trials(
        &self,
        trials: Vec<PlannedCodecTrial>,
        progress: &Resources<'_>,
    ) -> Result<u32, RunError> {
        let Resources { folder, done, before, runners, stand, observe, .. } = *progress;
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
            observe(Event::CodecTrialStarted(&planned));
            let Some(ConductedCodecTrial { record, .. }) = conductor.conduct(number, &planned) else { break };
            number += 1;
            if !record.is_complete() {
                room::check(&[folder.path(), &std::env::temp_dir()])?;
            }
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
            if again {
                let next = PlannedCodecTrial { attempt: planned.attempt + 1, ..planned };
                lanes::put_again(&mut waiting, next, |trial| trial.repeat);
            }
        }
        Ok(number)
    }

    /// The study's stopping rule, if its metric has this scope.
    pub(super) fn rule(&self, scope: Scope) -> Option<Stopping> {
        let stopping = Stopping::of(&self.request.study.trials)?;
        metric::find(scope, &stopping.metric).is_some().then_some(stopping)
    }

    /// Runs message trials, numbered from `first`: those that run alone on one lane, whose brokers are then the only ones, and after them the others
    /// side by side. Returns how many were in flight at most; 0 without any trial.
    pub(super) fn message_trials(
        &self,
        trials: Vec<PlannedTrial>,
        lanes: u32,
        first: u32,
        progress: &Resources<'_>,
    ) -> Result<u32, RunError> {
        let (alone, beside): (Vec<_>, Vec<_>) =
            trials.into_iter().partition(|trial| self.runs_alone(&trial.cell));
        let (mut next, mut most_in_flight) = (first, 0);
        for (trials, lanes, run_alone) in [(alone, 1, true), (beside, lanes, false)] {
            if trials.is_empty() && self.rule(Scope::Message).is_none() {
                continue;
            }
            let of = |cell: &Cell| self.runs_alone(cell) == run_alone;
            if self.plan.cells.iter().any(of) && !self.request.interrupt.is_set() {
                let in_flight = self.trials(trials, &of, lanes, &mut next, progress)?;
                most_in_flight = most_in_flight.max(in_flight);
            }
        }
        Ok(most_in_flight)
    }

    /// Runs message trials of cells for which `of` returns true in lanes, numbered from `next`. Returns how many were in flight at most.
    fn trials(
        &self,
        trials: Vec<PlannedTrial>,
        of: &(dyn Fn(&Cell) -> bool + Sync),
        lanes: u32,
        next: &mut u32,
        progress: &Resources<'_>,
    ) -> Result<u32, RunError> {
        let Resources { folder, done, before, runners, database, stand, live, observe } = *progress;
        let study = &self.request.study;
        let adaptive = study.trials.lanes == wiredyno_model::Lanes::Auto;
        let mut rounds = Rounds::after_first(self.rule(Scope::Message));
        if let (Some(metric), Some(last)) = (rounds.metric().map(str::to_owned), done.last_repeat(of)) {
            for record in before.messages.iter().filter(|record| record.is_complete() && of(&record.cell)) {
                let cell = self.plan.cells.iter().position(|cell| *cell == record.cell);
                // Another process ran it: its messages' values are only in its file.
                let trial = Observed::of(folder, record, record.delivery.sent <= EXACT_MESSAGES)?;
                let value = trial.stop_value(&metric, &self.hosts_of(&record.cell));
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
            queue: Queue::new(trials, lanes, adaptive, |trial| trial.repeat, more),
            needs_link: self.plan.cells.iter().any(|cell| of(cell) && cell.link.is_emulated()),
            rounds: &rounds,
            numbers: AtomicU32::new(*next),
            folder,
            runners,
            database,
            stand,
            live,
            observe,
        };
        let started = Gate::for_lanes(lanes);
        lanes::side_by_side(&started, lanes, &self.request.interrupt, |index, pass| {
            self.work(index, pass, &lanes_of)
        })?;
        *next = lanes_of.numbers.load(Ordering::Relaxed);
        Ok(lanes_of.queue.most_in_flight())
    }

    /// One lane: takes trials until none is left. Its hosts are created when its first trial comes.
    fn work(&self, index: u32, pass: Pass<'_>, shared: &LanesOf<'_>) -> Result<(), RunError> {
        let request = &self.request;
        let conductor = Conductor {
            study: &request.study,
            runners: shared.runners,
            sandbox: &request.sandbox,
            interrupt: &request.interrupt,
            stand: shared.stand,
            database: shared.database,
            away: self.away(),
            live: shared.live,
        };
        let mut ground = Ground::new(index, shared.runners, &request.sandbox);
        self.start_kept(&mut ground, shared.needs_link)?;
        pass.wait();
        while let Some((planned, lanes_in_use)) = shared.queue.take(&request.interrupt) {
            let number = shared.numbers.fetch_add(1, Ordering::Relaxed);
            let taken = Taken { planned: &planned, number, lane: index, lanes_in_use };
            let Some(trial) = self.carried_out(&conductor, &mut ground, &taken, shared)? else {
                shared.queue.finish(None);
                return Ok(());
            };
            ground.lost_in_a_row = 0;
            let ConductedTrial { record, observations, timings } = trial;
            if !record.is_complete() {
                room::check(&[shared.folder.path(), &std::env::temp_dir()])?;
            }
            shared.folder.add_message_trial(&record)?;
            if let Some(timings) = timings.filter(|_| record.is_complete()) {
                timings.commit()?;
            }
            self.finished(planned, &Observed { record: &record, observations }, shared);
        }
        Ok(())
    }

    /// Starts, before any trial and on all lanes, the brokers that take seconds of both processors.
    fn start_kept(&self, ground: &mut Ground<'_>, needs_link: bool) -> Result<(), RunError> {
        let request = &self.request;
        let kept = self.kept().into_iter().map(|(managed, _)| managed);
        let kept: Vec<&Managed> = kept.filter(|managed| managed.lifetime() == Lifetime::Run).collect();
        if kept.is_empty() {
            return Ok(());
        }
        let lane = needs_link.then(|| ground.lane()).transpose()?;
        let of_broker = request.study.hosts.broker;
        let host = lane.map(|lane| lane.host(of_broker));
        let address = match self.away() {
            // What is not known now, the trial that needs it finds out.
            Some(away) => away.address(of_broker).ok(),
            None => Some(host.as_ref().map_or(Ipv4Addr::LOCALHOST, HostHandle::address).into()),
        };
        if let Some(address) = address {
            let brokers = ground.brokers(needs_link);
            let enter = |command: &mut Command| {
                request.sandbox.prepare(command);
                host.iter().for_each(|host| host.enter(command));
            };
            let away = self.away().filter(|away| away.has(of_broker)).map(|away| (away, of_broker));
            brokers.start(kept, (address, Site { enter: &enter, away }), &request.interrupt);
        }
        Ok(())
    }

    /// Conducts a trial, again if its lane was lost under it; `None` if the run is interrupted.
    fn carried_out(
        &self,
        conductor: &Conductor<'_>,
        ground: &mut Ground<'_>,
        taken: &Taken<'_>,
        shared: &LanesOf<'_>,
    ) -> Result<Option<ConductedTrial>, RunError> {
        let Taken { planned, number, lane, lanes_in_use } = *taken;
        let written = &self.request.written;
        let link = self.link_of(&planned.cell);
        let (Some(transport), Some(serving)) =
            (self.known.client(&planned.cell), self.servings.get(&Served::from(&planned.cell)))
        else {
            return Err(RunError::NoClient { mode: planned.cell.mode.clone() });
        };
        let messages = shared.folder.messages_part(number);
        let capture = (written.capture && link.is_some()).then(|| capture_of(shared.folder, planned, number));
        let capture = capture.transpose()?;
        (shared.observe)(Event::TrialStarted { planned, lane });
        loop {
            if link.is_some() {
                ground.lane()?;
            }
            let conducted = conductor.conduct(&Assignment {
                number,
                planned,
                lane_index: lane,
                lane: ground.lane.as_ref().zip(link.as_ref()),
                transport,
                serving,
                brokers: ground.brokers(link.is_some()),
                lanes_in_use,
                counted_only: self.counted_only(&planned.cell),
                messages: messages.clone(),
                capture: capture.clone(),
                keylog: written.keylog,
                rate: None,
            });
            match conducted {
                Conducted::Trial(trial) => return Ok(Some(*trial)),
                Conducted::Interrupted => return Ok(None),
                // The attempt does not count: it is repeated under the same number.
                Conducted::LaneGone(reason) => {
                    (shared.observe)(Event::LaneGone { lane, reason: &reason });
                    ground.lost(&reason)?;
                }
            }
        }
    }

    /// Updates queue and rounds after a trial that is kept.
    fn finished(&self, planned: PlannedTrial, trial: &Observed<'_>, shared: &LanesOf<'_>) {
        let LanesOf { queue, rounds, observe, .. } = shared;
        let study = &self.request.study;
        let record = trial.record;
        let outcome = record.outcome();
        let again = outcome == Outcome::Invalid && planned.attempt < study.trials.retries;
        let median_latency_ns =
            trial.latencies().map(|latencies| latencies.quantile(Quantile::MEDIAN) as i64);
        observe(Event::Trial { record, median_latency_ns, again });
        if outcome == Outcome::Complete {
            let mut rounds = rounds.lock().unwrap_or_else(PoisonError::into_inner);
            let value =
                rounds.metric().and_then(|metric| trial.stop_value(metric, &self.hosts_of(&planned.cell)));
            if let Some(value) = value {
                rounds.add(planned.cell_index, value);
            }
        }
        queue.finish(again.then(|| PlannedTrial { attempt: planned.attempt + 1, ..planned }));
    }

    /// The hosts that are other machines, if any are.
    fn away(&self) -> Option<&dyn Away> {
        let away = self.request.agents.as_ref()?.away.as_deref()?;
        Some(away)
    }

    fn link_of(&self, cell: &Cell) -> Option<LinkSpec> {
        let link = self.links.get(&cell.link)?.clone();
        Some(match cell.loss {
            Some(loss) => link.with_loss(loss.get()),
            None => link,
        })
    }
}

/// What a run has and uses.
#[derive(Clone, Copy)]
pub(super) struct Resources<'a> {
    pub(super) folder: &'a RunFolder,
    /// The earlier trials, and how far they got.
    pub(super) done: &'a Done,
    pub(super) before: &'a RunRecords,
    pub(super) runners: &'a Runners,
    /// The database with the records that publishers read, if any trial reads some.
    pub(super) database: Option<&'a Database>,
    pub(super) stand: Stand,
    /// Where trials are reported while they run; absent if no one watches.
    pub(super) live: Option<&'a Live>,
    pub(super) observe: &'a (dyn Fn(Event<'_>) + Sync),
}

/// A trial that a lane has taken.
#[derive(Clone, Copy)]
struct Taken<'a> {
    planned: &'a PlannedTrial,
    number: u32,
    /// The index of the lane.
    lane: u32,
    /// How many lanes work now, this one included.
    lanes_in_use: u32,
}

/// The capture of a trial, with the comment by which readers of the file know it.
fn capture_of(folder: &RunFolder, planned: &PlannedTrial, number: u32) -> Result<CaptureFile, StoreError> {
    let PlannedTrial { cell, repeat, attempt, .. } = planned;
    let (repeat, attempt) = (repeat + 1, attempt + 1);
    let comment = format!("{cell}\nrun {}, trial {number}, repeat {repeat}, attempt {attempt}", folder.id());
    Ok(CaptureFile { path: folder.capture(number, &cell.to_string())?, comment })
}

/// What the lanes of a run share.
struct LanesOf<'a> {
    queue: Queue<'a, PlannedTrial>,
    /// Whether any of these trials goes over an emulated link.
    needs_link: bool,
    rounds: &'a Mutex<Rounds<usize>>,
    numbers: AtomicU32,
    folder: &'a RunFolder,
    runners: &'a Runners,
    database: Option<&'a Database>,
    stand: Stand,
    live: Option<&'a Live>,
    observe: &'a (dyn Fn(Event<'_>) + Sync),
}
