//! From a study to the trials in the order in which they begin.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_contract::{BrokerId, CodecDescription, CompressionId, LoadKind, OptionValue, PayloadId, RUST};
use wiredyno_link::spec::{DirectionSpec, LinkSpec, RateSpec};
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::{Cell, CodecCell, Known, Lanes, Load, Pattern, Place, Refusal, Study};
use wiredyno_seats::noise;
use xxhash_rust::xxh3::xxh3_64;

use crate::left_out::{LeftOut, Part, Reason};

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

impl PlannedTrial {
    /// Whether no other trial may run beside it: on loopback trials use the CPU all the time, and would disturb each other.
    pub fn runs_alone(&self) -> bool {
        self.cell.link.is_loopback()
    }
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

    /// About how long one message trial takes: the check of the machine, set-up, messages, and over a link the echoes
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
        let pace = match load.kind {
            LoadKind::Open | LoadKind::Search => load.interval.ns.max(body_ns),
            LoadKind::Closed => {
                let answer_ns = way.map_or(ANSWER_ON_LOOPBACK_NS, |way| {
                    let again_ns = 2.0 * way.loss * REPEAT_NS;
                    way.round_trip_ns + 2 * way.body_ns + again_ns.min(load.deadline.ns as f64) as u64
                });
                ((load.interval.ns + answer_ns) / u64::from(load.window.max(1))).max(body_ns)
            }
            LoadKind::Batch => (clients.message_ns * u64::from(1 + load.subscribers.max(1)) / 2).max(body_ns),
        };
        let messages = u64::from(load.messages).saturating_mul(pace).min(load.batch_ns().unwrap_or(u64::MAX));
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

/// The times that clients add to the minimum, as far as an estimate knows them: measured on two CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clients {
    /// Until they are ready, beyond connecting sockets: creating topics, joining a group, discovering each other.
    pub ready_ns: u64,
    /// What a publisher and a subscriber together take for a message, as fast as they can.
    pub message_ns: u64,
}

impl Clients {
    /// For a protocol in a runner.
    pub fn of(protocol: &str, runner: &str) -> Self {
        let ready_ns = wiredyno_transport_registry::of_protocol(protocol).map_or(0, |client| client.ready_ns);
        let message_ns = if runner == RUST { 20_000 } else { 100_000 };
        Clients { ready_ns, message_ns }
    }
}

/// How a link delays a message, as far as an estimate knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathEstimate {
    /// Its round trip, without load.
    pub round_trip_ns: u64,
    /// How long a message keeps the slower direction busy.
    pub body_ns: u64,
    /// The share of packets that it loses, in the direction that loses more.
    pub loss: f64,
}

impl PathEstimate {
    /// For a message with this many bytes on the wire.
    pub fn over(link: &LinkSpec, wire_bytes: u64) -> PathEstimate {
        let busy_ns = |way: &DirectionSpec| {
            let bits_per_s = match &way.rate {
                RateSpec::Unlimited => return 0,
                RateSpec::Constant { rate } => rate.bits_per_s,
                RateSpec::Trace { bits_per_s, .. } => {
                    bits_per_s.iter().sum::<u64>() / (bits_per_s.len() as u64).max(1)
                }
            };
            (wire_bytes as f64 * 8e9 / bits_per_s.max(way.rate_floor.bits_per_s).max(1) as f64) as u64
        };
        PathEstimate {
            round_trip_ns: link.mean_round_trip().ns,
            body_ns: busy_ns(&link.up).max(busy_ns(&link.down)),
            loss: link.up.loss.stationary().max(link.down.loss.stationary()),
        }
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
    // Trials that run alone follow those that run side by side, so that lanes empty once a repeat.
    order.sort_by_key(|&cell_index| cells[cell_index].link.is_loopback());
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

/// Refuses a metric that no trial of the study measures.
fn known_metric(study: &Study, name: &str) -> Result<(), String> {
    let [message, codec] = [Scope::Message, Scope::Codec].map(|scope| metric::find(scope, name).is_some());
    if message || codec {
        let of_messages = message && !study.axes.mode.is_empty();
        let compressed = study.axes.compresses() || !metric::needs_compression(name);
        let of_codecs = codec && study.codec_trials.enabled && compressed;
        return (of_messages || of_codecs).then_some(()).ok_or_else(|| {
            format!(
                "trials.until: no trial of this study has the metric `{name}`: choose one of its codec trials, such \
                 as `encode`, or of its message trials, such as `latency`"
            )
        });
    }
    let known: Vec<String> =
        metric::all(Scope::Message).chain(metric::all(Scope::Codec)).map(|metric| metric.name).collect();
    Err(match wiredyno_contract::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("trials.until: there is no metric `{name}`; did you mean `{near}`?"),
        None => format!(
            "trials.until: there is no metric `{name}`; write one of docs/METHODOLOGY.md, for example `latency`"
        ),
    })
}

/// The most trials of one run: more would take weeks, and their plan and records gigabytes.
const MOST_TRIALS: u64 = 200_000;

/// The most lanes per CPU if a study sets their number: the processes of one take some per cent of a CPU even if its link is slow.
const MOST_LANES_PER_CPU: u32 = 20;

/// Checks that a machine can run this many trials, and this many at a time.
fn check_numbers(study: &Study, known: &Known) -> Result<(), Refusal> {
    let refuse = |key, problem: String| Err(Refusal::at(Place::of(["trials", key]), problem));
    let cells = study.axes.cells(&|broker: &BrokerId, protocol: &str| known.serves(broker, protocol)).len();
    let codecs = if study.codec_trials.enabled { study.axes.codec_cells().len() } else { 0 };
    let (all, repeats) = ((cells + codecs) as u64, u64::from(study.trials.repeats));
    let trials = all.saturating_mul(repeats);
    if trials > MOST_TRIALS {
        let problem = format!(
            "{repeats} repeats of {all} cells are {trials} trials, but a run may have at most {MOST_TRIALS}: use fewer \
             repeats (trials.repeats), or fewer values on the axes"
        );
        return refuse("repeats", problem);
    }
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
    match study.trials.lanes {
        Lanes::Fixed(lanes) if lanes > cpus.saturating_mul(MOST_LANES_PER_CPU) => {
            let most = cpus * MOST_LANES_PER_CPU;
            let problem = format!(
                "{lanes} lanes are too many for the {cpus} CPUs of this machine: use at most {most}, or \"auto\" (trials.lanes)"
            );
            refuse("lanes", problem)
        }
        _ => Ok(()),
    }
}

/// Refuses a broker that does not exist, and one that serves none of the study's modes.
fn check_broker(study: &Study, known: &Known, broker: &BrokerId) -> Result<(), String> {
    let Some((name, protocols)) = known.brokers.iter().find(|(name, _)| *name == broker.name) else {
        let near =
            wiredyno_contract::nearest(&broker.name, known.brokers.iter().map(|(name, _)| name.as_str()));
        return Err(match near {
            Some(near) => format!("there is no broker `{broker}`; did you mean `{near}`?"),
            None => format!("there is no broker `{broker}`; `wiredyno list brokers` shows what there is"),
        });
    };
    if study.axes.mode.iter().any(|mode| known.serves(broker, &mode.protocol)) {
        return Ok(());
    }
    Err(format!(
        "the axis `broker` names `{name}`, which serves {}, and the study has no mode of it: name one, or remove the \
         broker",
        protocols.join(" and ")
    ))
}

/// Removes the cells whose client lacks their security; each mode and security is noted once, with the reason.
fn take_out_unsecured(runner: &Known, cells: &mut Vec<Cell>, left_out: &mut Vec<LeftOut>) {
    cells.retain(|cell| {
        let Some(security) = cell.security else { return true };
        let client = cell.mode.transport(&runner.transports);
        let Some(why) = client.and_then(|client| client.lacks(security)) else { return true };
        let part = Part::Secured { mode: cell.mode.clone(), security };
        let without = LeftOut { part, reason: Reason::NoSecurity(why) };
        if !left_out.contains(&without) {
            left_out.push(without);
        }
        false
    });
}

/// Why a runner can't encode a payload with a codec and compression; `None` if it can.
fn cannot_carry(runner: &Known, pair: &CodecCell) -> Option<Reason> {
    let payload = runner.payloads.iter().find(|payload| payload.name == pair.payload.name)?;
    let lacking = payload.lacking.iter().find(|(codec, _)| *codec == pair.codec);
    let not_carried = payload.not_carried.iter().find(|(codec, _)| *codec == pair.codec);
    let no_dictionary = payload.no_dictionary.as_ref().filter(|_| pair.compression.dictionary);
    let codec = runner.codecs.iter().find(|codec| codec.id == pair.codec);
    lacking
        .map(|(_, lack)| Reason::NotHere(lack.clone()))
        .or_else(|| not_carried.map(|(_, why)| Reason::NotCarried(why.clone())))
        .or_else(|| no_dictionary.cloned().map(Reason::NoDictionary))
        .or_else(|| codec.and_then(|codec| cannot_compress(codec, &pair.compression)))
}

/// Why the runner that has a codec can't compress; `None` if it can, or nothing is compressed.
pub fn cannot_compress(codec: &CodecDescription, compression: &CompressionId) -> Option<Reason> {
    let runner = codec.runner_name();
    (runner != RUST && !compression.is_none()).then(|| Reason::NoCompression(runner.to_owned()))
}

/// Why no protocol can send messages of a codec; `None` if one can.
fn sends_nothing(known: &Known, pair: &CodecCell) -> Option<Reason> {
    let runner = known.runner_of(&pair.codec);
    (runner != RUST && !known.folder_transports.contains_key(runner))
        .then(|| Reason::NoTransports(runner.to_owned()))
}

/// Why the runner that has a cell's codec can't send its messages as the study requires; `None` if it can.
fn cannot_send(study: &Study, known: &Known, cell: &Cell) -> Option<Reason> {
    let (runner, mode) = (known.runner_of(&cell.codec).to_owned(), &cell.mode);
    let Some(client) = known.client(cell) else {
        // Modes of the composed runner are checked earlier.
        let protocol = mode.protocol.clone();
        return (runner != RUST).then_some(Reason::NoClient { runner, protocol });
    };
    let settings = client.settings.iter().map(|setting| &setting.name);
    let is_unknown = |setting: &String| !settings.clone().any(|known| known == setting);
    if runner != RUST && mode.setting.iter().any(is_unknown) {
        return Some(Reason::NoMode { runner, client: client.id.clone() });
    }
    // An option that only other clients of the protocol have is allowed at its default.
    let declared = known.transports.iter().filter(|transport| transport.id.protocol == mode.protocol);
    let declared: Vec<_> = declared.flat_map(|transport| &transport.options).collect();
    let is_default = |name: &String, value: &OptionValue| {
        declared.iter().any(|option| option.name == *name && option.default == *value)
    };
    let mut asked = study.options_for(cell).into_iter();
    let other = asked.find(|(name, value)| {
        !client.options.iter().any(|option| option.name == *name) && !is_default(name, value)
    });
    other.map(|(option, _)| Reason::NoOption { runner, client: client.id.clone(), option })
}

/// Checks that a runner has a compression.
///
/// # Errors
/// With what to write instead.
pub fn check_compression(runner: &Known, id: &CompressionId) -> Result<(), String> {
    if id.is_none() {
        return Ok(());
    }
    for method in &runner.compressions {
        if method.accepts(id)? {
            return Ok(());
        }
    }
    let methods = runner.compressions.iter().map(|method| method.method.as_str());
    Err(match wiredyno_contract::nearest(&id.method, methods) {
        Some(near) => format!("there is no compression `{id}`; did you mean `{near}`?"),
        None => format!("there is no compression `{id}`; `wiredyno list compressions` shows what there is"),
    })
}

/// Checks that a runner has a payload.
///
/// # Errors
/// With what to write instead.
pub fn find_payload(runner: &Known, id: &PayloadId) -> Result<(), String> {
    let Some(payload) = runner.payloads.iter().find(|payload| payload.name == id.name) else {
        let names = runner.payloads.iter().map(|payload| payload.name.as_str());
        return Err(match wiredyno_contract::nearest(&id.name, names) {
            Some(near) => format!("there is no payload `{id}`; did you mean `{near}`?"),
            None => format!("there is no payload `{id}`; `wiredyno list payloads` shows what there is"),
        });
    };
    match (payload.sized, id.size_bytes) {
        (true, None) => Err(format!("the payload `{id}` takes a size in bytes: write `{id}@1024`")),
        (false, Some(_)) => Err(format!("the payload `{}` takes no size: write it without `@`", id.name)),
        _ => Ok(()),
    }
}

/// The error for a codec that a runner does not have.
pub fn unknown_codec(runner: &Known, id: &str) -> String {
    let ids: Vec<String> = runner.codecs.iter().map(|codec| codec.id.to_string()).collect();
    match wiredyno_contract::nearest(id, ids.iter().map(String::as_str)) {
        Some(near) => format!("there is no codec `{id}`; did you mean `{near}`?"),
        None => format!("there is no codec `{id}`; `wiredyno list codecs` shows what there is"),
    }
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
