//! From a study to the trials in the order in which they begin.

mod check;
mod delays;
mod leaving_out;

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_contract::{BrokerId, LoadKind};
use wiredyno_model::metric::{self};
use wiredyno_model::{Cell, CodecCell, Known, Load, Pattern, Place, Refusal, Study};
use wiredyno_seats::noise;
use xxhash_rust::xxh3::xxh3_64;

use crate::left_out::{LeftOut, Part};

use self::check::{
    cannot_carry, cannot_send, check_broker, check_numbers, known_metric, sends_nothing, take_out_unsecured,
};
pub use self::check::{cannot_compress, check_compression, find_payload, unknown_codec};
pub use self::delays::{Clients, PathEstimate};

/// How long after the last packet, beyond a round trip, the link counts as quiet: Linux holds back a bare
/// acknowledgement for up to 200 ms (TCP_DELACK_MAX), and repeats lost data a round trip and at least as much (TCP_RTO_MIN)
/// after it was sent, so that a first repeat is included too; the rest is margin.
pub const QUIET: Duration = Duration::from_millis(250);

/// A message trial to be executed.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTrial {
    /// The cell of the trial.
    pub cell: Cell,
    /// Index of the cell in [`Plan::cells`].
    pub cell_index: usize,
    /// The repeat, from 0.
    pub repeat: u32,
    /// The number of earlier, invalid attempts.
    pub attempt: u32,
    /// Seed of link and load; the same for all cells of a repeat.
    pub seed: u64,
}

/// A codec trial to be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCodecTrial {
    /// The payload, codec and compression to measure.
    pub cell: CodecCell,
    /// The repeat, from 0.
    pub repeat: u32,
    /// The number of earlier, invalid attempts.
    pub attempt: u32,
}

/// Everything that a run will do.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Cells of message trials, in the order of the axes.
    pub cells: Vec<Cell>,
    /// Message trials: cells of one repeat shuffled, repeat after repeat, so that drift affects all alike.
    pub trials: Vec<PlannedTrial>,
    /// Codec trials, interleaved likewise.
    pub codec_trials: Vec<PlannedCodecTrial>,
    /// Combinations that can't be run, with the reason.
    pub left_out: Vec<LeftOut>,
}

/// A study or the command line refers to something that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A value of `--only` does not exist.
    #[error("--only {axis}={values}: {problem}")]
    Only {
        /// The axis that `--only` names.
        axis: String,
        /// The values as written, separated by commas.
        values: String,
        /// What is wrong with it, in words.
        problem: String,
    },
    /// A setting of the study is not valid.
    #[error(transparent)]
    Study(#[from] Refusal),
}

/// `--only axis=value`: the cells to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Only {
    /// The name of the axis.
    pub axis: String,
    /// The values to keep, as text.
    pub values: Vec<String>,
}

impl Only {
    fn keeps(&self, value: &str) -> bool {
        self.values.iter().any(|kept| stands_for(kept, value))
    }

    fn keeps_cell(&self, cell: &Cell) -> bool {
        self.keeps(&cell.value(&self.axis).unwrap_or_default())
    }

    /// An axis that only messages have keeps every codec cell.
    fn keeps_codec_cell(&self, cell: &CodecCell) -> bool {
        cell.value(&self.axis).is_none_or(|value| self.keeps(&value))
    }
}

/// Whether a value of `--only`, an id or a pattern, matches an id.
fn stands_for(value: &str, id: &str) -> bool {
    value == id || Pattern::of(value).is_some_and(|pattern| pattern.matches(id))
}

impl Plan {
    /// Checks that a runner has every payload and codec of a study, and the study every value of `only`.
    ///
    /// # Errors
    /// With the unknown name and what to write instead.
    pub fn check(study: &Study, runner: &Known, only: &[Only]) -> Result<(), PlanError> {
        let axes = &study.axes;
        let at = |axis: &'static str, value: String| {
            move |problem: String| Refusal::at(Place::of_axis(axis).word(&value), problem)
        };
        for payload in &axes.payload {
            find_payload(runner, payload).map_err(at("payload", payload.to_string()))?;
        }
        for codec in &axes.codec {
            let id = codec.to_string();
            if !runner.codecs.iter().any(|known| known.id == *codec) {
                let problem = unknown_codec(runner, &id);
                return Err(at("codec", id)(problem).into());
            }
        }
        for compression in &axes.compression {
            check_compression(runner, compression).map_err(at("compression", compression.to_string()))?;
        }
        for broker in &axes.broker {
            check_broker(study, runner, broker).map_err(at("broker", broker.to_string()))?;
        }
        if let Some(until) = &study.trials.until {
            let place = Place::of(["trials", "until", "metric"]);
            known_metric(study, &until.metric).map_err(|problem| Refusal::at(place, problem))?;
        }
        check_numbers(study, runner)?;
        for Only { axis, values } in only {
            let refuse = |values: &str, problem: String| {
                Err(PlanError::Only { axis: axis.clone(), values: values.to_owned(), problem })
            };
            if !axes.names().contains(&axis.as_str()) {
                let problem = format!("the study has no such axis, only {}", axes.names().join(", "));
                return refuse(&values.join(","), problem);
            }
            let known = axes.values(axis);
            if let Some(value) = values.iter().find(|value| !known.iter().any(|id| stands_for(value, id))) {
                let problem = format!("the study has no such {axis}, only {}", known.join(", "));
                return refuse(value, problem);
            }
        }
        Ok(())
    }

    /// Expands a study with everything that is known; see [`Plan::check`].
    pub fn new(study: &Study, runner: &Known, only: &[Only]) -> Plan {
        let mut left_out = Vec::new();
        let serves = |broker: &BrokerId, protocol: &str| runner.serves(broker, protocol);
        let mut cells = study.cells(&serves);
        cells.retain(|cell| only.iter().all(|o| o.keeps_cell(cell)));
        let mut codec_cells: Vec<CodecCell> = if study.codec_trials.enabled {
            let kept = |cell: &CodecCell| only.iter().all(|o| o.keeps_codec_cell(cell));
            study.codec_cells().into_iter().filter(kept).collect()
        } else {
            Vec::new()
        };
        take_out_unsecured(runner, &mut cells, &mut left_out);
        for pair in study.axes.codec_cells() {
            let affected = cells.iter().any(|cell| cell.codec_cell() == pair);
            if let Some(reason) = cannot_carry(runner, &pair) {
                if affected || codec_cells.contains(&pair) {
                    left_out.push(LeftOut { part: Part::Codec(pair.clone()), reason });
                }
                cells.retain(|cell| cell.codec_cell() != pair);
                codec_cells.retain(|cell| *cell != pair);
            } else if let Some(reason) = sends_nothing(runner, &pair).filter(|_| affected) {
                left_out.push(LeftOut { part: Part::MessagesOf(pair.clone()), reason });
                cells.retain(|cell| cell.codec_cell() != pair);
            }
        }
        cells.retain(|cell| match cannot_send(study, runner, cell) {
            None => true,
            Some(reason) => {
                left_out.push(LeftOut { part: Part::Cell(Box::new(cell.clone())), reason });
                false
            }
        });
        let trials = message_trials(study, &cells);
        let codec_trials = (0..study.trials.repeats)
            .flat_map(|repeat| codec_round(study, codec_cells.clone(), repeat))
            .collect();
        Plan { cells, trials, codec_trials, left_out }
    }

    /// About how long one message trial takes: the check of the machine, set-up, warm-up, messages, and over a link the echoes
    /// that probe it, the waits until it is quiet and a part of the drain. `way` is absent on loopback. Nanoseconds.
    pub fn trial_estimate_ns(load: &Load, way: Option<PathEstimate>, clients: Clients) -> u64 {
        const SETUP_NS: u64 = 430_000_000 + noise::LOOK_NS;
        // Both clients connect, log in and subscribe.
        const SETUP_ROUND_TRIPS: u64 = 6;
        const SETUP_ON_LOOPBACK_NS: u64 = 150_000_000 + noise::LOOK_NS;
        // Echoes are sent for 16 ms; the last answer is back a round trip later, and 10 ms are left for late ones.
        const ECHOES_NS: u64 = 26_000_000;
        if load.kind == LoadKind::Search {
            // From 4,000/s searches over loopback took 16 to 46 steps to some ten thousand or hundred thousand a second; if a rate
            // is too high, late messages arrive in the drain.
            const STEPS: u64 = 25;
            let step = Self::trial_estimate_ns(&load.step(load.first_rate()), way, clients);
            return STEPS * (step + load.drain.ns / 4);
        }
        // There and back over loopback, with three processes that wake up.
        const ANSWER_ON_LOOPBACK_NS: u64 = 500_000;
        // A protocol's wait before it sends again: TCP's least timeout of 200 ms, CoAP's 2 to 3 s.
        const REPEAT_NS: f64 = 1e9;
        let body_ns = way.map_or(0, |way| way.body_ns);
        let fastest_ns = (clients.message_ns * u64::from(1 + load.subscribers.max(1)) / 2).max(body_ns);
        let pace = match load.kind {
            LoadKind::Open | LoadKind::Search => load.interval.ns.max(body_ns),
            LoadKind::Closed => {
                let answer_ns = way.map_or(ANSWER_ON_LOOPBACK_NS, |way| {
                    let again_ns = 2.0 * way.loss * REPEAT_NS;
                    way.round_trip_ns + 2 * way.body_ns + again_ns.min(load.deadline.ns as f64) as u64
                });
                ((load.interval.ns + answer_ns) / u64::from(load.window.max(1))).max(body_ns)
            }
            LoadKind::Batch => fastest_ns,
        };
        let messages = u64::from(load.messages).saturating_mul(pace).min(load.batch_ns().unwrap_or(u64::MAX));
        let messages = messages.saturating_add(u64::from(load.warmup).saturating_mul(fastest_ns));
        match way {
            None => (SETUP_ON_LOOPBACK_NS + clients.ready_ns).saturating_add(messages),
            Some(PathEstimate { round_trip_ns, loss, .. }) => {
                let quiet_ns = 2 * (QUIET.as_nanos() as u64 + round_trip_ns);
                let setup_ns = SETUP_NS + SETUP_ROUND_TRIPS * round_trip_ns + clients.ready_ns;
                // Only lost messages are waited for.
                let drain_ns = if loss > 0.0 { load.drain.ns / 10 } else { 0 };
                let rest_ns = setup_ns + ECHOES_NS + round_trip_ns + quiet_ns + drain_ns;
                rest_ns.saturating_add(messages)
            }
        }
    }

    /// About how long the codec trials take. Nanoseconds.
    pub fn codec_estimate_ns(&self, study: &Study) -> u64 {
        // Each loop is calibrated first, and a batch is rounded up to whole rounds of the samples. Besides the loops: the
        // check of the machine, samples to make and verify, calls to count, and three processes to start for the first calls and
        // for memory.
        let each_loop = (u64::from(study.codec_trials.batches) + 10) * study.codec_trials.batch_time.ns;
        let of_trial = |trial: &PlannedCodecTrial| {
            let loops =
                metric::loops(!trial.cell.compression.is_none(), study.codec_trials.empty).count() as u64;
            loops * each_loop + noise::LOOK_NS + 100_000_000
        };
        self.codec_trials.iter().map(of_trial).sum()
    }
}

fn message_trials(study: &Study, cells: &[Cell]) -> Vec<PlannedTrial> {
    (0..study.trials.repeats).flat_map(|repeat| message_round(study, cells, |_| true, repeat)).collect()
}

/// One trial for each of these cells, by their index, in an order drawn for this repeat. Leaving out cells does not change
/// the order of the others.
pub fn message_round(
    study: &Study,
    cells: &[Cell],
    kept: impl Fn(usize) -> bool,
    repeat: u32,
) -> Vec<PlannedTrial> {
    let mut order: Vec<usize> = (0..cells.len()).collect();
    shuffle(&mut order, derived_seed(study.trials.seed, "order", repeat));
    let seed = derived_seed(study.trials.seed, "trial", repeat);
    let planned = |cell_index: usize| PlannedTrial {
        cell: cells[cell_index].clone(),
        cell_index,
        repeat,
        attempt: 0,
        seed,
    };
    order.into_iter().filter(|&cell_index| kept(cell_index)).map(planned).collect()
}

/// One trial for each of these cells, in an order drawn for this repeat.
pub fn codec_round(study: &Study, mut cells: Vec<CodecCell>, repeat: u32) -> Vec<PlannedCodecTrial> {
    shuffle(&mut cells, derived_seed(study.trials.seed, "codec-order", repeat));
    cells.into_iter().map(|cell| PlannedCodecTrial { cell, repeat, attempt: 0 }).collect()
}

/// A seed for one purpose and repeat, derived from the study's.
pub fn derived_seed(seed: u64, purpose: &str, repeat: u32) -> u64 {
    xxh3_64(format!("{seed}/{purpose}/{repeat}").as_bytes())
}

/// Fisher-Yates with ChaCha8, so that a seed gives the same order on every machine.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for last in (1..items.len()).rev() {
        let pick = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
        items.swap(last, pick as usize);
    }
}

#[cfg(test)]
mod tests;
