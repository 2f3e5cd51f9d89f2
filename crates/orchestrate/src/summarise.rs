//! From trials to the figures of `summary.json`. Only valid trials enter; the trial is the statistical unit.

use std::collections::BTreeMap;

use wiredyno_model::summary::{
    BoxPlot, CellSummary, CodecSummary, LEAST_FOR_P90, LEAST_FOR_P99, Metric, Outcomes, RatioInterval,
    Stopped, UnderOverload,
};
use wiredyno_model::trial::{
    Allocations, Batch, Buffer, CodecTrialRecord, Delivery, FirstCalls, Invalid, MessageRecord, Missing,
    Overload, Phase, PhaseMeasurement, ProcessMemory, RoleUse, TrialRecord, Wire, WireByPhase,
};
use wiredyno_model::{Cell, CodecCell, Host, Hosts, Outcome};
use wiredyno_stats::{
    AxisScale, Bootstrap, Ecdf, Interval, Level, NoInterval, Proportion, Quantile, Sample, Statistic,
    mean_interval, positive_mean_interval,
};
use wiredyno_store::MessageTrial;

use crate::steady;

/// The metric by which a trial that is not in a steady state is told.
const LATENCY_TREND: &str = "latency_trend";

/// Points kept of a latency's cumulative distribution: more than a chart has pixels to show.
const ECDF_COLUMNS: usize = 200;

/// Observations of one quantity: the repeat and a list per valid trial.
type ByTrial = Vec<(u32, Vec<f64>)>;

/// What message trials of one cell found.
/// `stopped` is how the cell came to its number of trials, where the study has a rule for that.
pub fn message_cell(
    cell: &Cell,
    trials: &[&MessageTrial],
    hosts: &Hosts,
    seed: u64,
    stopped: Option<Stopped>,
) -> CellSummary {
    let of = |outcome: Outcome| {
        trials.iter().copied().filter(move |trial| trial.record.outcome() == outcome).collect::<Vec<_>>()
    };
    let complete = of(Outcome::Complete);
    let overloaded = of(Outcome::Overloaded);
    let (metrics, delivery, lost_ratio) = figures(&complete, hosts, seed);
    let summed = |of: fn(&WireByPhase) -> [Wire; 2]| {
        let wires = complete.iter().filter_map(|trial| trial.record.wire.as_ref()).map(of);
        wires.flatten().reduce(|mut sum, wire| {
            sum += wire;
            sum
        })
    };
    let latencies: Vec<f64> = complete
        .iter()
        .flat_map(|trial| trial.messages.iter().filter_map(latency).map(|ns| ns as f64))
        .collect();
    let latencies = Sample::new(latencies).ok();
    CellSummary {
        axes: cell.clone(),
        trials: count(trials.len()),
        valid_trials: count(complete.len()),
        outcomes: Outcomes::of(trials.iter().map(|trial| trial.record.outcome())),
        invalid: reasons(trials.iter().flat_map(|trial| trial.record.invalid.iter().map(Invalid::sentence))),
        overloaded: reasons(
            overloaded.iter().flat_map(|trial| trial.record.overloaded.iter().map(Overload::sentence)),
        ),
        failed: reasons(of(Outcome::Failed).iter().filter_map(|trial| trial.record.failed.clone())),
        under_overload: (!overloaded.is_empty()).then(|| {
            let (metrics, delivery, lost_ratio) = figures(&overloaded, hosts, seed);
            UnderOverload { metrics, delivery, lost_ratio }
        }),
        broker: trials.iter().find_map(|trial| trial.record.broker.clone()),
        metrics,
        delivery,
        counted_only: counted_only(&complete),
        lost_ratio,
        late_ratio: share(&complete, |delivery| delivery.late),
        wire: summed(|phases| [phases.measure, Wire::default()]),
        wire_setup: summed(|phases| [phases.setup, phases.teardown]),
        wire_probe: summed(|phases| [phases.probe, Wire::default()]),
        wire_warmup: summed(|phases| [phases.warmup, Wire::default()]),
        latency_ecdf: latencies.as_ref().map_or_else(Vec::new, ecdf),
        latency_box: latencies.as_ref().map(box_plot),
        trial_latency_ns: complete
            .iter()
            .filter_map(|trial| mean(trial.messages.iter().filter_map(latency).map(|ns| ns as f64)))
            .collect(),
        stopped,
    }
}

/// The figures of trials of one outcome.
fn figures(
    trials: &[&MessageTrial],
    hosts: &Hosts,
    seed: u64,
) -> (BTreeMap<String, Metric>, Delivery, Option<RatioInterval>) {
    let mut metrics = BTreeMap::new();
    for (name, of) in MESSAGE_METRICS {
        let observations = trials.iter().map(|trial| {
            (trial.record.repeat, trial.messages.iter().filter_map(of).map(|ns| ns as f64).collect())
        });
        put(&mut metrics, name, if *name == "body" { "bytes" } else { "ns" }, observations.collect(), seed);
    }
    for (name, unit, of) in TRIAL_METRICS {
        let observations =
            trials.iter().map(|trial| (trial.record.repeat, of(&trial.record, hosts).into_iter().collect()));
        put(&mut metrics, name, unit, observations.collect(), seed);
    }
    let trends = trials
        .iter()
        .map(|trial| (trial.record.repeat, steady::latency_trend(&trial.messages).into_iter().collect()));
    put(&mut metrics, LATENCY_TREND, "ratio", trends.collect(), seed);
    let mut delivery = Delivery::default();
    trials.iter().for_each(|trial| delivery += trial.record.delivery);
    let lost_ratio = share(trials, |delivery| Some(delivery.lost));
    if let (Some(lost), Some(share)) = (metrics.get_mut("lost"), &lost_ratio) {
        // A share has the interval of a share, which has an upper end where nothing was lost.
        lost.interval_95 = lost.interval_95.map(|_| share.interval_95);
    }
    (metrics, delivery, lost_ratio)
}

/// A share of the messages of trials, with its interval over trials; absent where a trial does not tell.
fn share(trials: &[&MessageTrial], of: fn(&Delivery) -> Option<u64>) -> Option<RatioInterval> {
    let delivery = trials.iter().map(|trial| &trial.record.delivery);
    let shares: Vec<Proportion> = delivery.filter_map(|d| Proportion::new(of(d)?, d.sent).ok()).collect();
    let (all, interval) = Proportion::over_trials(&shares, Level::P95)?;
    Some(RatioInterval { ratio: all.ratio(), interval_95: [interval.low, interval.high] })
}

/// What codec trials of one payload, codec and compression found; `stopped` as in [`message_cell`].
pub fn codec_cell(
    cell: &CodecCell,
    trials: &[&CodecTrialRecord],
    seed: u64,
    stopped: Option<Stopped>,
) -> CodecSummary {
    let valid: Vec<&CodecTrialRecord> = trials.iter().copied().filter(|trial| trial.is_complete()).collect();
    let mut metrics = BTreeMap::new();
    for name in codec_metrics() {
        let observations = valid.iter().map(|trial| (trial.repeat, codec_observations(trial, &name)));
        put(&mut metrics, &name, codec_unit(&name), observations.collect(), seed);
    }
    let mut missing: Vec<Missing> = Vec::new();
    for lack in valid.iter().flat_map(|trial| &trial.phases).flat_map(|measured| &measured.missing) {
        if !missing.contains(lack) {
            missing.push(lack.clone());
        }
    }
    CodecSummary {
        axes: cell.clone(),
        trials: count(trials.len()),
        valid_trials: count(valid.len()),
        outcomes: Outcomes::of(trials.iter().map(|trial| trial.outcome())),
        invalid: reasons(trials.iter().flat_map(|trial| trial.invalid.iter().map(Invalid::sentence))),
        failed: reasons(
            trials
                .iter()
                .filter(|trial| trial.outcome() == Outcome::Failed)
                .filter_map(|trial| trial.failed.clone()),
        ),
        metrics,
        stopped,
        dictionary: valid.iter().find_map(|trial| trial.dictionary),
        missing,
    }
}

/// The names of all metrics that a cell of message trials can have.
pub fn message_metrics() -> impl Iterator<Item = &'static str> {
    let whole = TRIAL_METRICS.iter().map(|(name, _, _)| *name).chain([LATENCY_TREND]);
    MESSAGE_METRICS.iter().map(|(name, _)| *name).chain(whole)
}

/// The names of all metrics that a payload, codec and compression can have.
pub fn codec_metrics() -> impl Iterator<Item = String> {
    let whole = CODEC_METRICS.iter().map(|(name, _, _)| (*name).to_owned());
    whole.chain(loop_metrics().map(|(name, _, _)| name))
}

/// Whether a metric of codec trials is there only where bytes are compressed.
pub fn needs_compression(name: &str) -> bool {
    let of_added = |(of, (added, ..), _): (String, Loop, LoopMetric)| {
        of == name && COMPRESSION_LOOPS.iter().any(|(known, ..)| *known == added)
    };
    name == UNCOMPRESSED || loop_metrics().any(of_added)
}

/// A trial's value of a metric: the mean of its observations. `None` where it has none.
pub fn message_value(name: &str, trial: &MessageTrial, hosts: &Hosts) -> Option<f64> {
    if let Some((_, of)) = MESSAGE_METRICS.iter().find(|(known, _)| *known == name) {
        return mean(trial.messages.iter().filter_map(of).map(|ns| ns as f64));
    }
    if name == LATENCY_TREND {
        return steady::latency_trend(&trial.messages);
    }
    let (_, _, of) = TRIAL_METRICS.iter().find(|(known, _, _)| *known == name)?;
    of(&trial.record, hosts)
}

/// As [`message_value`], for a codec trial: of a loop its median batch.
pub fn codec_value(name: &str, trial: &CodecTrialRecord) -> Option<f64> {
    Some(figure_of_trial(name)(&Sample::new(codec_observations(trial, name)).ok()?))
}

/// Metrics that can be below 0: differences of two moments that different processes or threads stamp, or of a measured
/// time and a planned one. All others can't, and their intervals lie above 0.
const MAY_BE_NEGATIVE: [&str; 5] =
    ["latency_from_sent", "transit_time", "schedule_lag", "ack_time", "link_excess"];

/// Whether a metric can't be below 0.
pub fn is_positive(name: &str) -> bool {
    !MAY_BE_NEGATIVE.contains(&name)
}

/// What a trial's observations of a metric come to: of a loop the median batch, which batches that waited for a CPU hardly
/// move; else the mean.
fn figure_of_trial(name: &str) -> fn(&Sample) -> f64 {
    let of_batches = |(known, _, (ending, ..)): (String, Loop, LoopMetric)| {
        known == name && ["", "_cpu", "_instructions"].contains(&ending)
    };
    if loop_metrics().any(of_batches) { |batches| batches.quantile(Quantile::MEDIAN) } else { Sample::mean }
}

fn codec_unit(name: &str) -> &'static str {
    let whole = CODEC_METRICS.iter().find(|(known, _, _)| *known == name).map(|(_, unit, _)| *unit);
    let of_loop = || loop_metrics().find(|(known, _, _)| known == name).map(|(_, _, (_, unit, _))| unit);
    whole.or_else(of_loop).unwrap_or("ns")
}

/// What a codec trial observed of a metric; nothing where it has no such one.
fn codec_observations(trial: &CodecTrialRecord, name: &str) -> Vec<f64> {
    if let Some((_, _, of)) = CODEC_METRICS.iter().find(|(known, _, _)| *known == name) {
        return of(trial);
    }
    let Some((_, (_, phase, buffer), (_, _, of))) = loop_metrics().find(|(known, _, _)| known == name) else {
        return Vec::new();
    };
    let mut measured = trial.phases.iter();
    measured.find(|m| m.phase == phase && m.buffer == buffer).map(of).unwrap_or_default()
}

/// The codec's own bytes, before compression.
const UNCOMPRESSED: &str = "body_uncompressed";

type OfCodecTrial = fn(&CodecTrialRecord) -> Vec<f64>;

/// What a codec trial tells beside its loops: name, unit, observations.
const CODEC_METRICS: [(&str, &str, OfCodecTrial); 10] = [
    ("body", "bytes", |trial| lengths(&trial.body_bytes)),
    (UNCOMPRESSED, "bytes", |trial| lengths(&trial.uncompressed_bytes)),
    ("setup", "ns", |trial| first_call(trial, |calls| calls.setup_ns)),
    ("encode_first", "ns", |trial| first_call(trial, |calls| calls.encode_ns)),
    ("decode_first", "ns", |trial| first_call(trial, |calls| calls.decode_ns)),
    ("resident_idle", "bytes", |trial| resident(trial, |memory| memory.idle_bytes)),
    ("resident_encode", "bytes", |trial| resident(trial, |memory| memory.encode_bytes)),
    ("resident_decode", "bytes", |trial| resident(trial, |memory| memory.decode_bytes)),
    ("total", "ns", |trial| total_ns(trial).into_iter().collect()),
    ("disturbed_batches", "ratio", |trial| {
        trial.most_disturbed().map(|(_, share)| share).into_iter().collect()
    }),
];

fn lengths(bytes: &[u32]) -> Vec<f64> {
    bytes.iter().map(|&bytes| f64::from(bytes)).collect()
}

fn first_call(trial: &CodecTrialRecord, of: fn(&FirstCalls) -> u64) -> Vec<f64> {
    trial.first_calls.iter().map(|calls| of(calls) as f64).collect()
}

fn resident(trial: &CodecTrialRecord, of: fn(&ProcessMemory) -> u64) -> Vec<f64> {
    trial.process_memory.iter().map(|memory| of(memory) as f64).collect()
}

/// A loop of a codec trial: metric, phase, where it writes its bytes to.
pub type Loop = (&'static str, Phase, Buffer);

/// The loops of every codec trial.
const LOOPS: [Loop; 5] = [
    ("build", Phase::Build, Buffer::Reused),
    ("encode", Phase::Encode, Buffer::Reused),
    ("encode_fresh", Phase::Encode, Buffer::Fresh),
    ("decode", Phase::Decode, Buffer::Reused),
    ("read", Phase::Read, Buffer::Reused),
];

/// The loops that a compression adds.
const COMPRESSION_LOOPS: [Loop; 2] =
    [("compress", Phase::Compress, Buffer::Reused), ("decompress", Phase::Decompress, Buffer::Reused)];

/// The loops of a codec trial, in order.
pub fn loops(compressed: bool) -> impl Iterator<Item = Loop> {
    let added = if compressed { &COMPRESSION_LOOPS[..] } else { &[] };
    LOOPS.into_iter().chain(added.iter().copied())
}

type OfLoop = fn(&PhaseMeasurement) -> Vec<f64>;

/// What a loop tells: ending behind its name, unit, observations of one trial.
type LoopMetric = (&'static str, &'static str, OfLoop);

const LOOP_METRICS: [LoopMetric; 7] = [
    ("", "ns", |m| per_operation(m, |batch| Some(batch.elapsed_ns))),
    ("_cpu", "ns", |m| per_operation(m, |batch| batch.cpu_ns)),
    ("_instructions", "count", |m| per_operation(m, |batch| batch.instructions)),
    ("_allocations", "count", |m| of_heap(m, |heap| heap.count)),
    ("_allocated", "bytes", |m| of_heap(m, |heap| heap.bytes)),
    ("_peak", "bytes", |m| of_heap(m, |heap| heap.peak_bytes as f64)),
    ("_stack", "bytes", |m| m.stack_bytes.iter().map(|&bytes| bytes as f64).collect()),
];

/// Every metric of every loop, by its name.
fn loop_metrics() -> impl Iterator<Item = (String, Loop, LoopMetric)> {
    loops(true)
        .flat_map(|one| LOOP_METRICS.into_iter().map(move |told| (format!("{}{}", one.0, told.0), one, told)))
}

fn per_operation(measured: &PhaseMeasurement, of: fn(&Batch) -> Option<u64>) -> Vec<f64> {
    let batches = measured.batches.iter().filter(|batch| batch.iterations > 0);
    batches.filter_map(|batch| Some(of(batch)? as f64 / batch.iterations as f64)).collect()
}

fn of_heap(measured: &PhaseMeasurement, of: fn(&Allocations) -> f64) -> Vec<f64> {
    measured.allocations.iter().map(of).collect()
}

/// Sum of the medians of the phases with a reused buffer; `None` unless all that the cell has are there.
fn total_ns(trial: &CodecTrialRecord) -> Option<f64> {
    let added = if trial.cell.compression.is_none() { 0 } else { Phase::COMPRESSION.len() };
    let wanted = Phase::ALL.len() + added;
    let reused = trial.phases.iter().filter(|measured| measured.buffer == Buffer::Reused);
    let medians: Vec<f64> = reused
        .filter_map(|measured| Sample::new(per_operation(measured, |batch| Some(batch.elapsed_ns))).ok())
        .map(|sample| sample.quantile(Quantile::MEDIAN))
        .collect();
    (medians.len() == wanted).then(|| medians.iter().sum())
}

fn latency(message: &MessageRecord) -> Option<i64> {
    Some(message.received_ns? - message.intended_send_ns)
}

type OfMessage = fn(&MessageRecord) -> Option<i64>;

/// Quantities of single messages.
const MESSAGE_METRICS: &[(&str, OfMessage)] = &[
    ("latency", latency),
    ("latency_from_sent", |m| Some(m.received_ns? - m.sent_ns?)),
    ("schedule_lag", |m| Some(m.build_start_ns - m.intended_send_ns)),
    ("build_time", |m| Some(m.built_ns - m.build_start_ns)),
    ("encode_time", |m| Some(m.encoded_ns - m.built_ns)),
    ("send_time", |m| Some(m.sent_ns? - m.encoded_ns)),
    ("transit_time", |m| Some(m.received_ns? - m.sent_ns?)),
    ("decode_time", |m| Some(m.decoded_ns? - m.received_ns?)),
    ("ack_time", |m| Some(m.acked_ns? - m.sent_ns?)),
    ("body", |m| Some(i64::from(m.body_bytes))),
];

type OfTrial = fn(&TrialRecord, &Hosts) -> Option<f64>;

/// Quantities of whole trials.
const TRIAL_METRICS: &[(&str, &str, OfTrial)] = &[
    ("wire_per_message", "bytes", |trial, _| per_message(trial, wire_bytes(trial)?)),
    ("packets_per_message", "count", |trial, _| {
        let measure = trial.wire?.measure;
        per_message(trial, (measure.up.packets + measure.down.packets) as f64)
    }),
    ("overhead_per_message", "bytes", |trial, hosts| {
        per_message(trial, wire_bytes(trial)? - bodies_on_the_link(trial, hosts))
    }),
    ("overhead_study", "bytes", |trial, hosts| {
        let measure = trial.wire?.measure;
        let frames = (measure.up.application_bytes + measure.down.application_bytes) as f64;
        per_message(trial, frames - bodies_on_the_link(trial, hosts))
    }),
    ("publisher_cpu", "ns", |trial, _| per_message(trial, trial.roles.publisher.users_cpu_ns() as f64)),
    ("subscriber_cpu", "ns", |trial, _| per_message(trial, trial.roles.subscriber.users_cpu_ns() as f64)),
    ("broker_cpu", "ns", |trial, _| per_message(trial, trial.roles.broker?.users_cpu_ns() as f64)),
    ("publisher_memory", "bytes", |trial, _| Some(trial.roles.publisher.peak_memory_bytes as f64)),
    ("subscriber_memory", "bytes", |trial, _| Some(trial.roles.subscriber.peak_memory_bytes as f64)),
    ("broker_memory", "bytes", |trial, _| Some(trial.roles.broker?.peak_memory_bytes as f64)),
    ("publisher_memory_growth", "bytes", |trial, _| growth(&trial.roles.publisher)),
    ("subscriber_memory_growth", "bytes", |trial, _| growth(&trial.roles.subscriber)),
    ("broker_memory_growth", "bytes", |trial, _| growth(trial.roles.broker.as_ref()?)),
    ("lost", "ratio", |trial, _| per_message(trial, trial.delivery.lost as f64)),
    ("socket_drops", "count", |trial, _| {
        Some(trial.roles.known().map(|(_, used)| used.dropped_datagrams).sum::<u64>() as f64)
    }),
    ("send_rate", "per_s", |trial, _| {
        let seconds = trial.sending_ns as f64 / 1e9;
        (seconds > 0.0).then(|| trial.delivery.sent as f64 / seconds)
    }),
    ("backlog_half", "count", |trial, _| matched(trial).then_some(trial.backlog.half as f64)),
    ("backlog_end", "count", |trial, _| matched(trial).then_some(trial.backlog.end as f64)),
    ("link_round_trip", "ns", |trial, _| probe(trial).map(|(least_ns, _)| least_ns)),
    ("link_excess", "ns", |trial, _| probe(trial).map(|(least_ns, model_ns)| least_ns - model_ns)),
    ("link_lateness_p99", "ns", |trial, _| Some(trial.link?.lateness_p99_ns as f64)),
    ("link_run_delay", "ratio", |trial, _| waited(trial, trial.link?.run_delay_ns)),
    ("roles_run_delay", "ratio", |trial, _| {
        waited(trial, trial.roles.known().map(|(_, used)| used.run_delay_ns).max()?)
    }),
    ("scheduling_lateness_p99", "ns", |trial, _| Some(trial.machine.scheduling_lateness_p99_ns as f64)),
    ("utilisation", "ratio", |trial, _| Some(trial.machine.utilisation)),
    ("steal", "ratio", |trial, _| Some(trial.machine.steal)),
];

/// Whether it is known which message an arrival was.
fn matched(trial: &TrialRecord) -> bool {
    trial.counted_only.is_none()
}

/// How much a resident set grew over the measured part; absent in records that don't tell.
fn growth(used: &RoleUse) -> Option<f64> {
    let known = used.resident_begin_bytes > 0;
    known.then(|| used.resident_end_bytes as f64 - used.resident_begin_bytes as f64)
}

/// Time spent waiting for a CPU, as a share of the measured part; absent in records that don't tell.
fn waited(trial: &TrialRecord, run_delay_ns: u64) -> Option<f64> {
    (trial.measured_ns > 0).then(|| run_delay_ns as f64 / trial.measured_ns as f64)
}

/// The probe's least round trip, and the model's, in nanoseconds.
fn probe(trial: &TrialRecord) -> Option<(f64, f64)> {
    let probe = trial.link?.probe?;
    Some((probe.least_ns? as f64, probe.model_least_ns as f64))
}

fn per_message(trial: &TrialRecord, amount: f64) -> Option<f64> {
    (trial.delivery.sent > 0).then(|| amount / trial.delivery.sent as f64)
}

fn wire_bytes(trial: &TrialRecord) -> Option<f64> {
    let measure = trial.wire?.measure;
    Some((measure.up.bytes + measure.down.bytes) as f64)
}

/// Bytes of bodies that crossed the link for their own sake: once from the publisher to the broker where
/// these stand on different hosts, and once from the broker to the subscriber for those delivered.
fn bodies_on_the_link(trial: &TrialRecord, hosts: &Hosts) -> f64 {
    let crosses = |from: Host, to: Host| if from == to { 0.0 } else { 1.0 };
    let delivered = trial.delivery.delivered as f64 / (trial.delivery.sent.max(1)) as f64;
    let legs = crosses(hosts.publisher, hosts.broker) + crosses(hosts.broker, hosts.subscriber) * delivered;
    trial.body_bytes as f64 * legs
}

/// Adds the figures of a quantity, unless nothing was observed.
fn put(metrics: &mut BTreeMap<String, Metric>, name: &str, unit: &str, by_trial: ByTrial, seed: u64) {
    if let Some(metric) = metric(name, unit, by_trial, derived_metric_seed(seed, name)) {
        metrics.insert(name.to_owned(), metric);
    }
}

fn derived_metric_seed(seed: u64, name: &str) -> u64 {
    crate::plan::derived_seed(seed, name, 0)
}

fn metric(name: &str, unit: &str, by_trial: ByTrial, seed: u64) -> Option<Metric> {
    let samples =
        by_trial.into_iter().filter_map(|(repeat, values)| Some((repeat, Sample::new(values).ok()?)));
    let (repeats, trials): (Vec<u32>, Vec<Sample>) = samples.unzip();
    let figures: Vec<f64> = trials.iter().map(figure_of_trial(name)).collect();
    let by_repeat = repeats.into_iter().zip(figures.iter().copied()).collect();
    let figures = Sample::new(figures).ok()?;
    let all = Sample::new(trials.iter().flat_map(|trial| trial.values().iter().copied()).collect::<Vec<_>>())
        .ok()?;
    let count = all.count() as u64;
    let around = |quantile| Bootstrap::seeded(seed).messages(&trials, Statistic::Quantile(quantile));
    let most = if unit == "ratio" { 1.0 } else { f64::INFINITY };
    let ends = |interval: Result<Interval, NoInterval>| {
        interval.ok().map(|within| [within.low.min(most), within.high.min(most)])
    };
    let interval_of_mean = if is_positive(name) { positive_mean_interval } else { mean_interval };
    let p99 = (count >= LEAST_FOR_P99).then(|| all.quantile(Quantile::P99));
    let [min, max] = [all.sorted().first(), all.sorted().last()].map(|end| end.copied().unwrap_or_default());
    Some(Metric {
        unit: unit.to_owned(),
        count,
        mean: figures.mean(),
        interval_95: ends(interval_of_mean(&figures, Level::P95)),
        median: all.quantile(Quantile::MEDIAN),
        median_interval_95: ends(around(Quantile::MEDIAN)),
        p90: (count >= LEAST_FOR_P90).then(|| all.quantile(Quantile::P90)),
        p99,
        p99_interval_95: p99.and_then(|_| ends(around(Quantile::P99))),
        min,
        max,
        by_repeat,
    })
}

fn ecdf(latencies: &Sample) -> Vec<[f64; 2]> {
    let points = Ecdf::of(latencies).thinned(ECDF_COLUMNS, AxisScale::Linear);
    points.iter().map(|point| [point.value, point.fraction]).collect()
}

fn box_plot(latencies: &Sample) -> BoxPlot {
    let plot = wiredyno_stats::BoxPlot::of(latencies);
    BoxPlot {
        low: plot.whisker_low,
        q1: plot.p25,
        median: plot.median,
        q3: plot.p75,
        high: plot.whisker_high,
        outliers: plot.outliers(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    Sample::new(values.collect::<Vec<_>>()).ok().map(|sample| sample.mean())
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

/// Why messages of trials were only counted, in words.
fn counted_only(trials: &[&MessageTrial]) -> Vec<String> {
    reasons(trials.iter().filter_map(|trial| trial.record.counted_only.clone()))
}

/// Reasons in words, each once with how often it came.
fn reasons(sentences: impl Iterator<Item = String>) -> Vec<String> {
    let mut counted: BTreeMap<String, u32> = BTreeMap::new();
    for sentence in sentences {
        *counted.entry(sentence).or_default() += 1;
    }
    let line = |(sentence, times): (String, u32)| match times {
        1 => sentence,
        _ => format!("{sentence} ({times} times)"),
    };
    counted.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests;
