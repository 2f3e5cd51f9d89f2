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
    pub fn trial_estimate_ns(load: &Load, way: Option<Way>, clients: Clients) -> u64 {
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
            Some(Way { round_trip_ns, loss, .. }) => {
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
pub struct Way {
    /// Its round trip, without load.
    pub round_trip_ns: u64,
    /// How long a message keeps the slower direction busy.
    pub body_ns: u64,
    /// The share of packets that it loses, in the direction that loses more.
    pub loss: f64,
}

impl Way {
    /// For a message with this many bytes on the wire.
    pub fn over(link: &LinkSpec, wire_bytes: u64) -> Way {
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
        Way {
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
mod tests {
    use super::*;
    use wiredyno_contract::{Capability, CodecDescription, CompressionDescription};
    use wiredyno_model::PayloadDescription;

    fn runner() -> Known {
        let codec = |id: &str| CodecDescription {
            id: id.parse().unwrap(),
            runner: None,
            library: "lib".into(),
            version: "1".into(),
            about: String::new(),
            capabilities: vec![Capability::SelfDescribing],
        };
        let payload = |name: &str, not_carried| PayloadDescription {
            name: name.into(),
            sized: name == "opaque",
            about: String::new(),
            definition: String::new(),
            samples: 1,
            not_carried,
            lacking: Vec::new(),
            no_dictionary: (name == "person").then(|| "one sample".to_owned()),
        };
        Known {
            brokers: Vec::new(),
            codecs: vec![
                codec("json/serde-json"),
                codec("raw/wiredyno"),
                CodecDescription { runner: Some("python".into()), ..codec("json/orjson") },
            ],
            compressions: vec![CompressionDescription {
                method: "zstd".into(),
                library: "lib".into(),
                version: "1".into(),
                about: String::new(),
                levels: Some([1, 22]),
                dictionary: true,
                ids: vec!["zstd:3".parse().unwrap()],
            }],
            transports: vec![],
            folder_transports: Default::default(),
            folder_readers: Default::default(),
            payloads: vec![
                payload("person", vec![("raw/wiredyno".parse().unwrap(), "four fields".into())]),
                payload("small", vec![]),
                payload("opaque", vec![]),
            ],
        }
    }

    fn study() -> Study {
        let text = r#"
name = "t"
why = "?"
[axes]
payload = ["person", "small"]
codec = ["json/serde-json", "raw/wiredyno"]
mode = ["tcp", "udp"]
link = ["lte", "loopback"]
loss = [0.0, 0.05]
[load]
kind = "open"
interval = "1ms"
messages = 1
deadline = "1s"
drain = "1s"
[trials]
repeats = 3
"#;
        Study::parse("t.toml", text).unwrap()
    }

    #[test]
    fn every_repeat_has_every_cell_once_and_the_seed_decides_the_order() {
        let plan = Plan::new(&study(), &runner(), &[]);
        // Three supported pairs, two modes, lte with two losses and loopback with one cell.
        assert_eq!(plan.cells.len(), 3 * 2 * 3);
        assert_eq!(plan.trials.len(), plan.cells.len() * 3);
        for repeat in plan.trials.chunks(plan.cells.len()) {
            let mut indexes: Vec<usize> = repeat.iter().map(|trial| trial.cell_index).collect();
            indexes.sort_unstable();
            assert_eq!(indexes, (0..plan.cells.len()).collect::<Vec<_>>());
            assert!(repeat.iter().all(|trial| trial.seed == repeat[0].seed));
        }
        assert_eq!(plan, Plan::new(&study(), &runner(), &[]));
        let mut other = study();
        other.trials.seed = 2;
        assert_ne!(plan.trials, Plan::new(&other, &runner(), &[]).trials);
    }

    #[test]
    fn what_a_codec_cannot_carry_is_listed_with_the_reason() {
        let plan = Plan::new(&study(), &runner(), &[]);
        assert_eq!(plan.left_out.len(), 1);
        assert_eq!(plan.left_out[0].part.to_string(), "person raw/wiredyno");
        assert_eq!(plan.codec_trials.len(), 3 * 3);
    }

    #[test]
    fn compressions_multiply_cells_and_a_dictionary_needs_samples() {
        let plain = Plan::new(&study(), &runner(), &[]);
        let mut study = study();
        study.axes.compression = ["none", "zstd:3:dictionary"].map(|id| id.parse().unwrap()).into();
        assert_eq!(Plan::check(&study, &runner(), &[]), Ok(()));
        let plan = Plan::new(&study, &runner(), &[]);
        // Only `small` has samples to train on: json and raw, two modes, lte with two losses and loopback.
        assert_eq!(plan.cells.len(), plain.cells.len() + 2 * 2 * 3);
        let dictionary =
            plan.left_out.iter().find(|left| left.reason == Reason::NoDictionary("one sample".into()));
        assert_eq!(dictionary.unwrap().part.to_string(), "person json/serde-json + zstd:3:dictionary");
        let only = [Only { axis: "compression".into(), values: vec!["none".into()] }];
        assert_eq!(Plan::new(&study, &runner(), &only).cells, plain.cells);
        for (wrong, part) in [("zsdt:3", "`zstd`"), ("zstd:40", "1 to 22"), ("gzip:6", "compressions")] {
            study.axes.compression = vec![wrong.parse().unwrap()];
            let error = Plan::check(&study, &runner(), &[]).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn codecs_of_a_folder_are_measured_but_neither_sent_nor_compressed() {
        let mut study = study();
        study.axes.codec = vec!["json/orjson".parse().unwrap()].into();
        study.axes.compression = ["none", "zstd:3"].map(|id| id.parse().unwrap()).into();
        let plan = Plan::new(&study, &runner(), &[]);
        assert!(plan.cells.is_empty() && plan.trials.is_empty());
        assert_eq!(plan.codec_trials.len(), 2 * 3, "both payloads, plain");
        let told = |what: &str| {
            let mut told = plan.left_out.iter().map(LeftOut::told);
            told.find(|not_run| not_run.what == what).unwrap().why
        };
        assert!(told("messages of small json/orjson").contains("`python` has no transports"));
        assert!(told("small json/orjson + zstd:3").contains("compresses nothing"));
    }

    #[test]
    fn only_keeps_the_cells_named() {
        let only = [Only { axis: "mode".into(), values: vec!["udp".into()] }];
        let plan = Plan::new(&study(), &runner(), &only);
        assert!(plan.cells.iter().all(|cell| cell.mode.to_string() == "udp"));
        let only = [Only { axis: "loss".into(), values: vec!["0.05".into()] }];
        assert!(Plan::new(&study(), &runner(), &only).cells.iter().all(|cell| cell.loss.is_some()));
    }

    #[test]
    fn only_keeps_the_cells_with_a_value_of_an_option() {
        let mut study = study();
        study.axes.option =
            [("tcp.wait".to_owned(), ["1s", "2s"].map(|s| OptionValue::Text(s.into())).into())].into();
        let plain = Plan::new(&study, &runner(), &[]);
        assert_eq!(plain.cells.len(), 3 * (2 + 1) * 3, "udp has no such axis");
        let of = |axis: &str, value: &str| [Only { axis: axis.into(), values: vec![value.into()] }];
        let kept = Plan::new(&study, &runner(), &of("tcp.wait", "2s"));
        assert_eq!(kept.cells.len(), 3 * 3);
        assert!(kept.cells.iter().all(|cell| cell.sending() == "tcp wait=2s"));
        assert_eq!(kept.codec_trials, plain.codec_trials);
        let error = Plan::check(&study, &runner(), &of("tcp.wait", "3s")).unwrap_err();
        assert_eq!(error.to_string(), "--only tcp.wait=3s: the study has no such tcp.wait, only 1s, 2s");
        let error = Plan::check(&study, &runner(), &of("udp.wait", "3s")).unwrap_err();
        let known = "payload, codec, compression, mode, broker, security, tcp.wait, link, loss, rate, window, publishers, subscribers, topics, messages, way, records";
        assert!(error.to_string().ends_with(&format!("no such axis, only {known}")), "{error}");
    }

    #[test]
    fn values_that_the_study_or_the_runner_lacks_are_refused() {
        let runner = runner();
        let only = |axis: &str, value: &str| [Only { axis: axis.into(), values: vec![value.into()] }];
        assert_eq!(Plan::check(&study(), &runner, &only("loss", "0.05")), Ok(()));
        let error = Plan::check(&study(), &runner, &only("mode", "upd")).unwrap_err();
        assert_eq!(error.to_string(), "--only mode=upd: the study has no such mode, only tcp, udp");
        let mut other = study();
        other.axes.codec.push("json/serde-jsn".parse().unwrap());
        assert!(
            Plan::check(&other, &runner, &[])
                .unwrap_err()
                .to_string()
                .contains("did you mean `json/serde-json`?")
        );
    }

    #[test]
    fn patterns_stand_for_what_the_runner_has_also_with_only() {
        let mut all = study();
        let text = "payload = [\"all\", \"*@8\"] codec = [\"*/wiredyno\", \"json/*\"]";
        all.axes.payload = serde_json::from_str("[\"all\", \"*@8\"]").unwrap();
        all.axes.codec = serde_json::from_str("[\"*/wiredyno\", \"json/*\"]").unwrap();
        let codecs = runner().codecs;
        let payloads = [("person", false), ("small", false), ("opaque", true)];
        all.resolve("t.toml", text, &codecs, &payloads).unwrap();
        let names = |ids: Vec<String>| ids.join(" ");
        assert_eq!(
            names(all.axes.payload.iter().map(ToString::to_string).collect()),
            "person small opaque@8"
        );
        assert_eq!(
            names(all.axes.codec.iter().map(ToString::to_string).collect()),
            "raw/wiredyno json/serde-json"
        );
        let only = [Only { axis: "codec".into(), values: vec!["raw/*".into()] }];
        assert_eq!(Plan::check(&all, &runner(), &only), Ok(()));
        assert!(Plan::new(&all, &runner(), &only).cells.iter().all(|cell| cell.codec.format == "raw"));
        all.axes.codec = serde_json::from_str("[\"xml/*\"]").unwrap();
        assert!(all.resolve("t.toml", text, &codecs, &payloads).is_err());
    }

    #[test]
    fn the_estimate_knows_loops_looks_and_links() {
        let mut study = study();
        let plan = Plan::new(&study, &runner(), &[]);
        let codecs_ns = plan.codec_estimate_ns(&study);
        study.codec_trials.batches += 10;
        let more_ns = plan.codec_trials.len() as u64 * 5 * 10 * study.codec_trials.batch_time.ns;
        assert_eq!(plan.codec_estimate_ns(&study), codecs_ns + more_ns);
        // 150 ms of set-up, 20 ms for the check of the machine, one message after 1 ms.
        let load = study.load.as_ref().unwrap();
        let clients = Clients::of("tcp", RUST);
        assert_eq!(Plan::trial_estimate_ns(load, None, clients), 171_000_000);
        let slower = Clients { ready_ns: 400_000_000, ..clients };
        assert_eq!(Plan::trial_estimate_ns(load, None, slower), 571_000_000);
        let batch = Load { kind: LoadKind::Batch, messages: 1_000, subscribers: 3, ..load.clone() };
        let of_batch = |runner| Plan::trial_estimate_ns(&batch, None, Clients::of("tcp", runner));
        assert_eq!(of_batch("python") - of_batch(RUST), 1_000 * (200_000 - 40_000));
        let over = |way| Plan::trial_estimate_ns(load, Some(way), clients);
        let nothing = Way::default();
        let far = Way { round_trip_ns: 70_000_000, ..nothing };
        assert_eq!(over(far), over(nothing) + (3 + 6) * 70_000_000);
        let lossy = Way { loss: 0.01, ..nothing };
        assert_eq!(over(lossy), over(nothing) + load.drain.ns / 10);
        // 1 MB over 1 Mbit/s takes 8 s, however short the interval.
        let slow = Way { body_ns: 8_000_000_000, ..nothing };
        assert_eq!(over(slow), over(nothing) + 8_000_000_000 - 1_000_000);
        let closed = Load { kind: LoadKind::Closed, ..load.clone() };
        let way = Way { round_trip_ns: 10_000_000, body_ns: 5_000_000, loss: 0.0 };
        let in_turn = |window| {
            Plan::trial_estimate_ns(&Load { window, messages: 100, ..closed.clone() }, Some(way), clients)
        };
        assert_eq!(in_turn(1) - in_turn(2), 100 * (20_000_000 + closed.interval.ns) / 2);
        let mut link = LinkSpec::unshaped();
        link.up.rate = RateSpec::Constant { rate: wiredyno_contract::BitRate { bits_per_s: 1_000_000 } };
        assert_eq!(Way::over(&link, 1_000_000).body_ns, 8_000_000_000);
    }

    #[test]
    fn more_trials_or_lanes_than_a_machine_can_carry_are_refused() {
        let mut study = study();
        study.trials.repeats = 3_000_000;
        let problem = Plan::check(&study, &runner(), &[]).unwrap_err().to_string();
        assert!(problem.contains("a run may have at most 200000"), "{problem}");
        study.trials.repeats = 1;
        study.trials.lanes = Lanes::Fixed(100_000);
        assert!(Plan::check(&study, &runner(), &[]).unwrap_err().to_string().contains("lanes are too many"));
    }

    #[test]
    fn further_rounds_keep_the_order_of_the_cells_that_are_left() {
        let (study, plan) = (study(), Plan::new(&study(), &runner(), &[]));
        let all = message_round(&study, &plan.cells, |_| true, 7);
        let some = message_round(&study, &plan.cells, |cell| cell % 2 == 0, 7);
        let expected: Vec<_> = all.into_iter().filter(|trial| trial.cell_index % 2 == 0).collect();
        assert_eq!(some, expected);
        assert!(some.iter().all(|trial| trial.repeat == 7 && trial.seed == some[0].seed));
    }

    #[test]
    fn a_rule_that_looks_at_no_metric_is_refused() {
        let mut study = study();
        let ask = |study: &mut Study, metric: &str| {
            let within = wiredyno_contract::Ratio::from_percent(5);
            study.trials.until = Some(wiredyno_model::Until { metric: metric.into(), within, at_most: 30 });
            Plan::check(study, &runner(), &[])
        };
        assert_eq!((ask(&mut study, "latency"), ask(&mut study, "encode_peak")), (Ok(()), Ok(())));
        study.axes.mode.clear();
        assert!(ask(&mut study, "latency").unwrap_err().to_string().contains("no trial of this study"));
        assert!(ask(&mut study, "latncy").unwrap_err().to_string().contains("did you mean `latency`?"));
        assert!(ask(&mut study, "xx").unwrap_err().to_string().contains("METHODOLOGY"));
    }

    #[test]
    fn unknown_payloads_and_codecs_get_the_nearest_name() {
        let runner = runner();
        let asked = |text: &str| find_payload(&runner, &text.parse().unwrap());
        assert!(asked("persn").unwrap_err().contains("`person`"));
        assert!(asked("opaque").unwrap_err().contains("opaque@1024"));
        assert!(asked("small@3").unwrap_err().contains("no size"));
        assert!(unknown_codec(&runner, "json/serde").contains("json/serde-json"));
    }
}
