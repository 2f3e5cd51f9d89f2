//! How long a run takes.

use std::collections::{BTreeSet, HashMap};

use wiredyno_build::CacheError;
use wiredyno_conducting::conduct;
use wiredyno_contract::{Capability, LinkId, ModeId};
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::{Cell, Lanes, Load};
use wiredyno_planning::plan::{Clients, PathEstimate, Plan, PlannedTrial};
use wiredyno_planning::stock::Stock;
use wiredyno_seats::lane_brokers;
use wiredyno_seats::machine;
use wiredyno_seats::serving::Served;

use super::super::PreparedRun;
use super::HEADERS_BYTES;
use crate::run::lanes::most_lanes;

/// Trials over a link with a mean round trip below this run alone. Over `wifi` (3 ms) in three lanes on two CPUs most trials were invalid, because
/// publisher, subscriber or broker waited for a CPU; alone, 2 in 52.
const NEAR_ROUND_TRIP_NS: u64 = 10_000_000;

/// Whether no other trial may run beside those of this cell, and no idle broker of another lane: on loopback and over near links trials use the CPU
/// all the time, and would disturb each other. `links` has all links but loopback.
pub(super) fn runs_alone(links: &HashMap<LinkId, LinkSpec>, cell: &Cell) -> bool {
    links.get(&cell.link).is_none_or(|link| link.mean_round_trip().ns < NEAR_ROUND_TRIP_NS)
}

impl PreparedRun {
    /// About how long it takes to compile what is missing, in nanoseconds.
    pub(super) fn compiling_ns(&self, stock: &Stock) -> Result<u64, CacheError> {
        Ok(stock.cache().estimate_ns(&self.needs().missing(stock)?))
    }

    /// Whether the subscribers of a cell share messages.
    fn shares(&self, cell: &Cell) -> bool {
        let options = self.request.study.options_for(cell);
        let transport = self.known.client(cell).map(|transport| transport.clone().under(&options));
        transport.is_some_and(|transport| transport.has(cell.mode.setting.as_deref(), Capability::Shared))
    }

    /// See [`runs_alone`].
    pub(in crate::run) fn runs_alone(&self, cell: &Cell) -> bool {
        runs_alone(&self.links, cell)
    }

    /// The most lanes at once.
    pub fn lanes(&self) -> u32 {
        // Machines are one set.
        if self.request.agents.is_some() {
            return 1;
        }
        let trials = self.plan.trials.iter().filter(|trial| !self.runs_alone(&trial.cell)).count();
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get());
        let cpus = u32::try_from(cpus).unwrap_or(1);
        let asked = self.request.study.trials.lanes;
        let lanes = most_lanes(asked, cpus, trials);
        let kept = self.kept();
        if kept.is_empty() {
            return lanes;
        }
        let idle_cpu = kept.iter().map(|(managed, count)| managed.idle_cpu() * *count as f64).sum();
        let lanes = match asked {
            Lanes::Auto => lanes.min(lane_brokers::quiet_lanes(idle_cpu, cpus)),
            Lanes::Fixed(_) => lanes,
        };
        let of_a_lane = kept.into_iter().map(|(managed, count)| managed.memory_bytes() * count).sum();
        lane_brokers::most_lanes(lanes, trials, of_a_lane, machine::available_memory_bytes())
    }

    /// About how long the run will take, in nanoseconds, without invalid trials and without rounds beyond `repeats`.
    pub fn estimate_ns(&self) -> u64 {
        let study = &self.request.study;
        let way = |cell: &Cell| {
            let link = self.links.get(&cell.link)?;
            let link = cell.loss.map_or_else(|| link.clone(), |loss| link.clone().with_loss(loss.get()));
            let body_bytes = self.body_bytes.get(&cell.payload).copied().unwrap_or_default();
            Some(PathEstimate::over(&link, body_bytes + HEADERS_BYTES))
        };
        let mut of_cells: HashMap<usize, u64> = HashMap::new();
        let mut of_trial = |planned: &PlannedTrial| {
            let load = study.load.as_ref().map(|load| load.of(&planned.cell));
            let cell = &planned.cell;
            let clients = Clients::of(&cell.mode.protocol, self.known.runner_of(&cell.codec));
            let estimate = || {
                load.map_or(0, |load| {
                    // Messages that subscribers share are received once.
                    let subscribers = if self.shares(cell) { load.topics } else { load.subscribers };
                    Plan::trial_estimate_ns(&Load { subscribers, ..load }, way(cell), clients)
                })
            };
            *of_cells.entry(planned.cell_index).or_insert_with(estimate)
        };
        let (mut alone, mut beside) = (0_u64, 0_u64);
        for planned in &self.plan.trials {
            let sum = if self.runs_alone(&planned.cell) { &mut alone } else { &mut beside };
            *sum = sum.saturating_add(of_trial(planned));
        }
        let messages = alone.saturating_add(beside / u64::from(self.lanes()));
        messages + self.brokers_estimate_ns() + self.plan.codec_estimate_ns(study)
    }

    /// About how long it takes until the brokers that lanes keep have started, on the lane of the trials that run alone and later on all lanes at
    /// once, and are warm in every mode.
    pub(super) fn brokers_estimate_ns(&self) -> u64 {
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u64);
        let start_ns: u64 = self.kept().into_iter().map(|(managed, count)| managed.start_ns() * count).sum();
        let alone = self.plan.cells.iter().filter(|cell| self.runs_alone(cell)).count();
        let lanes = if alone < self.plan.cells.len() { self.lanes() } else { 0 };
        let in_turn = u64::from(alone > 0) + u64::from(lanes).div_ceil(cpus);
        let modes: BTreeSet<_> =
            self.plan.cells.iter().map(|cell| (&cell.mode, Served::from(cell))).collect();
        let warm_ns =
            |(_, served): &(&ModeId, Served)| self.servings.get(served).map_or(0, conduct::warming_ns);
        start_ns * in_turn + modes.iter().map(warm_ns).sum::<u64>()
    }
}
