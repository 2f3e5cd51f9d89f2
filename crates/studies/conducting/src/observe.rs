//! A trial's observations of a metric. The metrics are in [`wiredyno_model::metric`]. One file because it is mainly a table from
//! metrics to their computation.

use wiredyno_contract::{Allocations, Batch, Buffer, FirstCalls, Phase, PhaseMeasurement};
use wiredyno_model::metric::{Loop, UNCOMPRESSED};
use wiredyno_model::summary::Coverage;
use wiredyno_model::trial::{
    CodecTrialRecord, MessageRecord, Moving, ProcessMemory, RoleUse, SetUp, TrialRecord, WireClasses,
};
use wiredyno_model::{Host, Hosts};
use wiredyno_stats::histogram::HistogramError;
use wiredyno_stats::{BoxPlot, Quantile, Recorder, Sample, Tally};
use wiredyno_store::{MessageTrial, RunFolder, StoreError};

use crate::cpu_cost::OfCpu;
use crate::memberships::{commit_time, partition_skew, rebalance_time, rebalances, uncommitted};
use crate::messages::{latency, published};
use crate::steady::Trend;

pub(crate) const LATENCY: &str = "latency";
/// The metric that reports a trial that is not in a steady state.
const LATENCY_TREND: &str = "latency_trend";

/// Up to how many messages of a cell, over all its trials, every value is kept. With more, values go into the buckets of histograms:
/// see [`wiredyno_stats::tally`]. For a single trial it is the same number.
pub const EXACT_MESSAGES: u64 = 100_000;

/// Why a trial could not be observed.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// Its messages can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its percentiles can't be computed.
    #[error("the percentiles of a trial: {0}")]
    Percentiles(#[from] HistogramError),
}

/// What was observed in the messages of a trial; empty if it has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observations {
    /// In the order of [`OF_MESSAGE`]; empty if the messages were not read.
    of_messages: Vec<Option<Tally>>,
    latency_trend: Option<f64>,
}

/// A message trial with the observations of its messages.
#[derive(Debug)]
pub struct Observed<'a> {
    /// The trial's record.
    pub record: &'a TrialRecord,
    /// The observations of its messages.
    pub observations: Observations,
}

impl<'a> Observed<'a> {
    /// Reads the messages of a trial in its run's folder. `exact`: whether every value is kept.
    ///
    /// A trial's own figures don't need this reading: they are observed while its messages are written ([`crate::conduct`]). It is for
    /// later: for the summary, which keeps every value of a cell's trials together and may keep fewer of each than the trial did, and for a
    /// resumed run, whose earlier trials belong to another process.
    ///
    /// # Errors
    /// When they can't be read, or there is no memory for percentiles.
    pub fn of(
        folder: &RunFolder,
        record: &'a TrialRecord,
        exact: bool,
    ) -> Result<Observed<'a>, ObserveError> {
        let mut messages = folder.messages_of(record.trial)?;
        let mut observing = Observing::new(messages.count(), exact)?;
        let mut refused = Ok(());
        messages.for_each(&mut |message| {
            if refused.is_ok() {
                refused = observing.add(message);
            }
        })?;
        refused?;
        Ok(Observed { record, observations: observing.told() })
    }

    /// From a trial in memory.
    ///
    /// # Errors
    /// When there is no memory for percentiles.
    pub fn of_trial(trial: &'a MessageTrial) -> Result<Observed<'a>, HistogramError> {
        let count = trial.messages.len() as u64;
        let mut observing = Observing::new(count, count <= EXACT_MESSAGES)?;
        trial.messages.iter().try_for_each(|message| observing.add(message))?;
        Ok(Observed { record: &trial.record, observations: observing.told() })
    }

    /// The observations of a metric, by message or single; `None` if there are none.
    pub fn tally(&self, name: &str, hosts: &Hosts) -> Option<Tally> {
        if let Some(place) = OF_MESSAGE.iter().position(|(known, _)| *known == name) {
            return self.observations.of_messages.get(place)?.clone();
        }
        let of_trial = OF_MESSAGES_TOGETHER.iter().find(|(known, _)| *known == name);
        let value = match (name, of_trial) {
            (LATENCY_TREND, _) => self.observations.latency_trend?,
            (_, Some((_, of))) => of(self)?,
            _ => match OfCpu::named(name) {
                Some(of) => of.alone(self.record)?,
                None => OF_TRIAL.iter().find(|(known, _)| *known == name)?.1(self.record, hosts)?,
            },
        };
        Tally::one(value).ok()
    }

    /// How many of its messages contribute to a metric of single messages; `None` for one of the whole trial.
    pub fn coverage(&self, name: &str) -> Option<Coverage> {
        let is_of = |table: &[(&str, _)]| table.iter().any(|(known, _)| *known == name);
        let made_of = match name {
            _ if OF_MESSAGE.iter().any(|(known, _)| *known == name) => name,
            "codec_share" => "decode_time",
            LATENCY_TREND => LATENCY,
            _ if is_of(OF_MESSAGES_TOGETHER) => LATENCY,
            _ => return None,
        };
        let known = self.of_message(made_of).map_or(0, Tally::count);
        Some(Coverage { known, of: self.record.delivery.sent })
    }

    /// Its value of a metric: the mean of the observations. `None` if there are none.
    pub fn value(&self, name: &str, hosts: &Hosts) -> Option<f64> {
        Some(figure_of_trial(name)(&self.tally(name, hosts)?))
    }

    /// The value by which a study continues or stops: as [`Observed::value`], but for CPU time per message and messages per CPU time the trial's
    /// cost ([`OfCpu::of_trial`]), which has the relative error of both. `None` also if the trial knows it only for some of its messages.
    pub fn stop_value(&self, name: &str, hosts: &Hosts) -> Option<f64> {
        if let Some(of) = OfCpu::named(name) {
            return of.of_trial(self.record);
        }
        self.value(name, hosts).filter(|_| self.coverage(name).is_none_or(Coverage::is_enough))
    }

    /// From the intended send to the receipt, of the messages that arrived; `None` if none did.
    pub fn latencies(&self) -> Option<&Tally> {
        self.of_message(LATENCY)
    }

    /// The observations of a quantity of single messages.
    fn of_message(&self, quantity: &str) -> Option<&Tally> {
        let mut each = OF_MESSAGE.iter().zip(&self.observations.of_messages);
        each.find(|((name, _), _)| *name == quantity)?.1.as_ref()
    }
}

/// Observes the messages of a trial as they are read, in order of sending.
pub(crate) struct Observing {
    of_messages: Vec<Recorder>,
    trend: Trend,
}

impl Observing {
    /// For this number of messages. `exact`: whether every value is kept.
    pub(crate) fn new(count: u64, exact: bool) -> Result<Self, HistogramError> {
        let of_messages = OF_MESSAGE.iter().map(|_| Recorder::new(exact)).collect::<Result<_, _>>()?;
        Ok(Observing { of_messages, trend: Trend::of(count, exact)? })
    }

    pub(crate) fn add(&mut self, message: &MessageRecord) -> Result<(), HistogramError> {
        self.trend.add(message)?;
        let values = OF_MESSAGE.iter().map(|(_, of)| of(message));
        let each = values.zip(&mut self.of_messages);
        each.filter_map(|(value, to)| Some((value?, to))).try_for_each(|(value, to)| to.record(value))
    }

    pub(crate) fn told(self) -> Observations {
        let of_messages = self.of_messages.into_iter().map(Recorder::tally).collect();
        Observations { of_messages, latency_trend: self.trend.share() }
    }
}

/// A codec trial's observations of a metric, by batch, by sample or single; empty if it has no such metric.
pub fn of_codec_trial(name: &str, trial: &CodecTrialRecord) -> Vec<f64> {
    if let Some((_, of)) = OF_CODEC_TRIAL.iter().find(|(known, _)| *known == name) {
        return of(trial);
    }
    let Some((one, ending)) = Loop::of_metric(name) else { return Vec::new() };
    let Some((_, of)) = OF_LOOP.iter().find(|(known, _)| *known == ending) else { return Vec::new() };
    let mut measured = trial.phases.iter();
    measured.find(|m| m.phase == one.phase && m.buffer == one.buffer).map(of).unwrap_or_default()
}

/// A message trial's value of a metric: the mean of its observations. `None` if there are none.
pub fn message_value(name: &str, trial: &MessageTrial, hosts: &Hosts) -> Option<f64> {
    Observed::of_trial(trial).ok()?.value(name, hosts)
}

/// Like [`message_value`], for a codec trial: for a loop its median batch.
pub fn codec_value(name: &str, trial: &CodecTrialRecord) -> Option<f64> {
    Some(figure_of_trial(name)(&codec_tally(name, trial)?))
}

/// Like [`of_codec_trial`], as one tally; `None` if there are no observations.
pub fn codec_tally(name: &str, trial: &CodecTrialRecord) -> Option<Tally> {
    Some(Tally::of(&Sample::new(of_codec_trial(name, trial)).ok()?))
}

/// The value of a trial from its observations of a metric: for a loop the median batch, which is hardly moved by batches that waited
/// for a CPU; otherwise the mean.
pub fn figure_of_trial(name: &str) -> fn(&Tally) -> f64 {
    let of_batches =
        Loop::of_metric(name).is_some_and(|(_, ending)| ["", "_cpu", "_instructions"].contains(&ending));
    if of_batches { |batches| batches.quantile(Quantile::MEDIAN) } else { Tally::mean }
}

type OfCodecTrial = fn(&CodecTrialRecord) -> Vec<f64>;

/// The metrics of a codec trial besides those of its loops.
const OF_CODEC_TRIAL: [(&str, OfCodecTrial); 13] = [
    ("body", |trial| lengths(&trial.body_bytes)),
    (UNCOMPRESSED, |trial| lengths(&trial.uncompressed_bytes)),
    ("zero_share", |trial| trial.zero_bytes.iter().map(|body| body.share()).collect()),
    ("setup", |trial| first_call(trial, |calls| calls.setup_ns)),
    ("encode_first", |trial| first_call(trial, |calls| calls.encode_ns)),
    ("decode_first", |trial| first_call(trial, |calls| calls.decode_ns)),
    ("resident_idle", |trial| resident(trial, |memory| memory.idle_bytes)),
    ("resident_encode", |trial| resident(trial, |memory| memory.encode_bytes)),
    ("resident_decode", |trial| resident(trial, |memory| memory.decode_bytes)),
    ("total", |trial| total_ns(trial).into_iter().collect()),
    ("collected", |trial| most(trial, PhaseMeasurement::collected_share)),
    ("unsettled_loops", |trial| unsettled_share(trial).into_iter().collect()),
    ("disturbed_batches", |trial| trial.most_disturbed().map(|(_, share)| share).into_iter().collect()),
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

/// The largest share of a trial's loops.
fn most(trial: &CodecTrialRecord, of: fn(&PhaseMeasurement) -> Option<f64>) -> Vec<f64> {
    trial.phases.iter().filter_map(of).reduce(f64::max).into_iter().collect()
}

/// Share of a trial's loops that had not settled; `None` where its runner has nothing to settle.
fn unsettled_share(trial: &CodecTrialRecord) -> Option<f64> {
    let settling = trial.phases.iter().filter(|measured| measured.settling.is_some()).count();
    let unsettled = trial.phases.iter().filter(|measured| measured.is_unsettled()).count();
    (settling > 0).then(|| unsettled as f64 / settling as f64)
}

type OfLoop = fn(&PhaseMeasurement) -> Vec<f64>;

/// The metrics of a loop, by the suffix of their names.
const OF_LOOP: [(&str, OfLoop); 7] = [
    ("", |m| per_operation(m, |batch| Some(batch.elapsed_ns))),
    ("_cpu", |m| per_operation(m, |batch| batch.cpu_ns)),
    ("_instructions", |m| per_operation(m, |batch| batch.instructions)),
    ("_allocations", |m| of_heap(m, |heap| heap.count)),
    ("_allocated", |m| of_heap(m, |heap| heap.bytes)),
    ("_peak", |m| of_heap(m, |heap| Some(heap.peak_bytes as f64))),
    ("_stack", |m| m.stack_bytes.iter().map(|&bytes| bytes as f64).collect()),
];

/// None of a loop that was still changing: its batches are kept, and compare with nothing.
fn per_operation(measured: &PhaseMeasurement, of: fn(&Batch) -> Option<u64>) -> Vec<f64> {
    if measured.is_unsettled() {
        return Vec::new();
    }
    let batches = measured.batches.iter().filter(|batch| batch.iterations > 0);
    batches.filter_map(|batch| Some(of(batch)? as f64 / batch.iterations as f64)).collect()
}

fn of_heap(measured: &PhaseMeasurement, of: fn(&Allocations) -> Option<f64>) -> Vec<f64> {
    measured.allocations.iter().filter_map(of).collect()
}

/// Sum of the medians of the phases with a reused buffer; `None` unless all phases of the cell are there. The empty call is not a
/// phase of a message.
fn total_ns(trial: &CodecTrialRecord) -> Option<f64> {
    let added: &[Phase] = if trial.cell.compression.is_none() { &[] } else { &Phase::COMPRESSION };
    let median = |phase: &Phase| {
        let found = trial.phases.iter().find(|m| m.phase == *phase && m.buffer == Buffer::Reused)?;
        let sample = Sample::new(per_operation(found, |batch| Some(batch.elapsed_ns))).ok()?;
        Some(sample.quantile(Quantile::MEDIAN))
    };
    Phase::ALL.iter().chain(added).map(median).sum()
}

type OfMessage = fn(&MessageRecord) -> Option<i64>;

/// The quantities of single messages.
const OF_MESSAGE: &[(&str, OfMessage)] = &[
    (LATENCY, latency),
    ("latency_from_sent", |m| Some(m.received_ns? - m.sent_ns?)),
    ("schedule_lag", |m| Some(m.build_start_ns - m.intended_send_ns)),
    ("build_time", |m| Some(m.built_ns - m.build_start_ns)),
    ("encode_time", |m| Some(m.encoded_ns - m.built_ns)),
    ("send_time", |m| Some(m.sent_ns? - m.encoded_ns)),
    ("publisher_queue_time", |m| Some(m.crossing?.to_broker_ns? - m.encoded_ns)),
    ("publisher_network_time", |m| Some(m.crossing?.at_broker_ns? - m.crossing?.to_broker_ns?)),
    ("broker_time", |m| {
        let begin_ns = m.crossing?.at_broker_ns.unwrap_or(m.encoded_ns);
        Some(m.crossing?.from_broker_ns.or(m.received_ns)? - begin_ns)
    }),
    ("subscriber_network_time", |m| Some(m.crossing?.at_subscriber_ns? - m.crossing?.from_broker_ns?)),
    ("subscriber_queue_time", |m| Some(m.received_ns? - m.crossing?.at_subscriber_ns?)),
    ("decode_time", |m| Some(m.decoded_ns? - m.received_ns?)),
    ("ack_time", |m| Some(m.acked_ns? - m.sent_ns?)),
    ("body", |m| Some(i64::from(m.body_bytes))),
];

type OfMessagesTogether = fn(&Observed<'_>) -> Option<f64>;

/// The quantities of all messages of a trial together.
const OF_MESSAGES_TOGETHER: &[(&str, OfMessagesTogether)] = &[
    ("latency_median", |trial| Some(trial.latencies()?.quantile(Quantile::MEDIAN))),
    ("latency_iqr", |trial| {
        let latencies = trial.latencies()?;
        Some(latencies.quantile(Quantile::P75) - latencies.quantile(Quantile::P25))
    }),
    ("latency_deviation", |trial| trial.latencies()?.deviation()),
    ("latency_max", |trial| Some(trial.latencies()?.max())),
    ("latency_outliers", |trial| {
        let plot = BoxPlot::of_tally(trial.latencies()?);
        Some(plot.outliers() as f64 / plot.count as f64)
    }),
    ("latency_over_ping", |trial| Some(trial.latencies()?.mean() - probe(trial.record)?.0)),
    ("codec_share", |trial| {
        let of_message = |phase| Some(trial.of_message(phase)?.mean());
        let codec_ns = of_message("encode_time")? + of_message("decode_time")?;
        let messages = published(trial.record);
        let execution_ns = trial.record.receiving?.last_ns as f64;
        (execution_ns > 0.0).then(|| codec_ns * messages / execution_ns)
    }),
];

type OfTrial = fn(&TrialRecord, &Hosts) -> Option<f64>;

/// The quantities of whole trials.
const OF_TRIAL: &[(&str, OfTrial)] = &[
    ("wire_per_message", |trial, _| per_message(trial, wire_bytes(trial)?)),
    ("wire_per_delivery", |trial, _| per_delivery(trial, wire_bytes(trial)?)),
    ("packets_per_message", |trial, _| {
        let measure = trial.wire?.measure;
        per_message(trial, (measure.up.packets + measure.down.packets) as f64)
    }),
    ("overhead_per_message", |trial, hosts| {
        per_message(trial, wire_bytes(trial)? - bodies_on_the_link(trial, hosts))
    }),
    ("message_wire", |trial, _| of_class(trial, |classes| classes.message)),
    ("header_length", header_length),
    ("acknowledgement_wire", |trial, _| of_class(trial, |classes| classes.acknowledgement)),
    ("keep_alive_wire", |trial, _| of_class(trial, |classes| classes.keep_alive)),
    ("set_up_wire", |trial, _| of_class(trial, |classes| classes.set_up)),
    ("transport_wire", |trial, _| of_class(trial, |classes| classes.transport)),
    ("retransmitted_wire", |trial, _| of_class(trial, |classes| classes.retransmitted)),
    ("unread_wire", |trial, _| of_class(trial, |classes| classes.unread)),
    ("overhead_study", |trial, hosts| {
        let measure = trial.wire?.measure;
        let frames = (measure.up.application_bytes + measure.down.application_bytes) as f64;
        per_message(trial, frames - bodies_on_the_link(trial, hosts))
    }),
    ("publisher_connect", |trial, _| Some(trial.set_up.publisher_connect_ns? as f64)),
    ("subscriber_connect", |trial, _| Some(trial.set_up.subscriber_connect_ns? as f64)),
    ("handshake", |trial, _| Some(trial.set_up.publisher_handshake?.took_ns as f64)),
    ("handshake_bytes", |trial, _| {
        let handshake = trial.set_up.publisher_handshake?;
        Some((handshake.sent_bytes? + handshake.received_bytes?) as f64)
    }),
    ("handshake_cpu", |trial, _| Some(trial.set_up.publisher_handshake?.cpu_ns? as f64)),
    ("broker_connect_cpu", |trial, _| Some(trial.set_up.broker_connect_cpu_ns? as f64)),
    ("first_message", |trial, _| Some(trial.set_up.first_message_ns? as f64)),
    ("initialization", |trial, _| {
        let SetUp { publisher_connect_ns, subscriber_connect_ns, first_message_ns, .. } = &trial.set_up;
        Some((*publisher_connect_ns)? as f64 + (*subscriber_connect_ns)? as f64 + (*first_message_ns)? as f64)
    }),
    ("setup_wire", |trial, _| {
        let setup = trial.wire?.setup;
        Some((setup.up.bytes + setup.down.bytes) as f64)
    }),
    ("broker_start", |trial, _| Some(trial.set_up.broker_start_ns? as f64)),
    ("publisher_memory", |trial, _| Some(trial.roles.publisher.peak_memory_bytes as f64)),
    ("subscriber_memory", |trial, _| Some(trial.roles.subscriber.peak_memory_bytes as f64)),
    ("broker_memory", |trial, _| Some(trial.roles.broker?.peak_memory_bytes as f64)),
    ("implementation_size", |trial, _| Some(trial.implementation_bytes? as f64)),
    ("publisher_memory_growth", |trial, _| growth(&trial.roles.publisher)),
    ("subscriber_memory_growth", |trial, _| growth(&trial.roles.subscriber)),
    ("broker_memory_growth", |trial, _| growth(trial.roles.broker.as_ref()?)),
    ("lost", |trial, _| {
        (trial.delivery.sent > 0).then(|| trial.delivery.lost as f64 / trial.delivery.sent as f64)
    }),
    ("socket_drops", |trial, _| {
        Some(trial.roles.known().map(|(_, used)| used.dropped_datagrams).sum::<u64>() as f64)
    }),
    ("send_rate", |trial, _| {
        let seconds = trial.sending_ns as f64 / 1e9;
        (seconds > 0.0).then(|| published(trial) / seconds)
    }),
    ("closed_loop_gap", |trial, _| Some(trial.schedule.gap_ns? as f64)),
    ("sustained_rate", |trial, _| Some(trial.search.as_ref()?.rate?.per_s())),
    ("throughput", |trial, _| per_second(trial, trial.delivery.delivered as f64)),
    ("throughput_body", |trial, _| {
        let bytes = trial.receiving?.body_bytes as f64;
        let share = trial.delivery.delivered as f64 / trial.delivery.sent.max(1) as f64;
        per_second(trial, if matched(trial) { bytes } else { trial.body_bytes as f64 * share })
    }),
    ("throughput_wire", |trial, _| per_second(trial, wire_bytes(trial)?)),
    ("execution_time", |trial, _| Some(trial.receiving?.last_ns as f64)),
    ("execution_time_with_drain", |trial, _| Some(trial.receiving?.drained_ns as f64)),
    ("backlog_half", |trial, _| matched(trial).then_some(trial.backlog.half as f64)),
    ("backlog_end", |trial, _| matched(trial).then_some(trial.backlog.end as f64)),
    ("stored_per_message", |trial, _| {
        let stored = trial.stored_bytes?;
        (trial.delivery.sent > 0).then(|| stored as f64 / published(trial))
    }),
    ("partition_skew", |trial, _| partition_skew(&trial.memberships)),
    ("rebalances", |trial, _| rebalances(&trial.memberships)),
    ("rebalance_time", |trial, _| rebalance_time(&trial.memberships)),
    ("commit_time", |trial, _| commit_time(&trial.memberships)),
    ("uncommitted", |trial, _| uncommitted(&trial.memberships)),
    ("link_round_trip", |trial, _| probe(trial).map(|(least_ns, _)| least_ns)),
    ("link_excess", |trial, _| probe(trial).map(|(least_ns, model_ns)| least_ns - model_ns)),
    ("link_lateness_p99", |trial, _| Some(trial.link?.lateness_p99_ns as f64)),
    ("link_run_delay", |trial, _| {
        waited(trial, trial.link?.run_delay_ns, |moving| Some(moving.link_run_delay_ns))
    }),
    ("roles_run_delay", |trial, _| {
        let whole_ns = trial.roles.known().map(|(_, used)| used.run_delay_ns).max()?;
        // Of a role on several machines, each waits for itself.
        waited(trial, whole_ns, |moving| {
            trial.parts(moving).iter().map(|(_, part)| part.used.run_delay_ns).max()
        })
    }),
    ("scheduling_lateness_p99", |trial, _| Some(trial.machine.scheduling_lateness_p99_ns as f64)),
    ("utilisation", |trial, _| Some(trial.utilisation())),
    ("steal", |trial, _| Some(trial.steal())),
];

/// Whether it is known which message an arrival was.
fn matched(trial: &TrialRecord) -> bool {
    trial.counted_only.is_none()
}

/// An amount divided by the time from the first intended send to the last receipt; absent if nothing arrived.
fn per_second(trial: &TrialRecord, amount: f64) -> Option<f64> {
    let seconds = trial.receiving?.last_ns as f64 / 1e9;
    (seconds > 0.0).then(|| amount / seconds)
}

/// How much a resident set grew over the measured part; absent in records without it.
fn growth(used: &RoleUse) -> Option<f64> {
    let known = used.resident_begin_bytes > 0;
    known.then_some(used.resident_end_bytes as f64 - used.resident_begin_bytes as f64)
}

/// Time spent waiting for a CPU, as a share of the time in which messages moved; of the measured part in records without that time.
fn waited(trial: &TrialRecord, run_delay_ns: u64, moving: impl Fn(&Moving) -> Option<u64>) -> Option<f64> {
    if let Some(of) = &trial.moving {
        return Some(of.share(moving(of)?));
    }
    (trial.measured_ns > 0).then(|| run_delay_ns as f64 / trial.measured_ns as f64)
}

/// The probe's least round trip and the model's, in nanoseconds.
fn probe(trial: &TrialRecord) -> Option<(f64, f64)> {
    let probe = trial.link?.probe?;
    Some((probe.least_ns? as f64, probe.model_least_ns as f64))
}

/// An amount per published message, whatever the number of its subscribers.
fn per_message(trial: &TrialRecord, amount: f64) -> Option<f64> {
    (trial.delivery.sent > 0).then(|| amount / published(trial))
}

/// An amount per delivery: one message that arrived at one subscriber.
fn per_delivery(trial: &TrialRecord, amount: f64) -> Option<f64> {
    (trial.delivery.delivered > 0).then(|| amount / trial.delivery.delivered as f64)
}

fn wire_bytes(trial: &TrialRecord) -> Option<f64> {
    let measure = trial.wire?.measure;
    Some((measure.up.bytes + measure.down.bytes) as f64)
}

/// Bytes of a class, in both directions; absent if no message was recognised in the packets.
fn of_class(trial: &TrialRecord, of: fn(&WireClasses) -> u64) -> Option<f64> {
    let measure = trial.wire?.measure;
    let mut classes = measure.up.classes?;
    classes += measure.down.classes?;
    (classes.message > 0).then(|| per_message(trial, of(&classes) as f64)).flatten()
}

/// How often a body has to cross the link, on average: once from the publisher to the broker if these are on
/// different hosts, and once from the broker to each subscriber to which it was delivered.
fn crossings(trial: &TrialRecord, hosts: &Hosts) -> f64 {
    let crosses = |from: Host, to: Host| if from == to { 0.0 } else { 1.0 };
    let delivered = trial.delivery.delivered as f64 / (trial.delivery.sent.max(1)) as f64;
    crosses(hosts.publisher, hosts.broker) / f64::from(trial.fan_out)
        + crosses(hosts.broker, hosts.subscriber) * delivered
}

/// Bytes of bodies that had to cross the link.
fn bodies_on_the_link(trial: &TrialRecord, hosts: &Hosts) -> f64 {
    trial.body_bytes as f64 * crossings(trial, hosts)
}

/// What stands around a body in the frames that carry it. Of trials in which each message was sent and arrived once on each hop: else
/// frames and bodies are not of the same messages.
fn header_length(trial: &TrialRecord, hosts: &Hosts) -> Option<f64> {
    let delivery = &trial.delivery;
    let each_once = delivery.delivered == delivery.sent
        && delivery.duplicated.unwrap_or_default() == 0
        && delivery.corrupted == 0;
    let measure = trial.wire?.measure;
    let frames = measure.up.message_frame_bytes + measure.down.message_frame_bytes;
    let times = delivery.sent as f64 * crossings(trial, hosts);
    (each_once && frames > 0 && times > 0.0)
        .then(|| (frames as f64 - bodies_on_the_link(trial, hosts)) / times)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wiredyno_model::Scope;
    use wiredyno_model::metric;

    use super::*;

    #[test]
    fn every_metric_of_the_table_is_observed_and_no_other() {
        let table = |scope| metric::all(scope).map(|metric| metric.name).collect::<BTreeSet<String>>();
        let single = OF_MESSAGE.iter().map(|(name, _)| *name);
        let together = OF_MESSAGES_TOGETHER.iter().map(|(name, _)| *name);
        let messages =
            single.chain(OF_TRIAL.iter().map(|(name, _)| *name)).chain(together).chain([LATENCY_TREND]);
        let messages = messages.chain(OfCpu::names());
        assert_eq!(messages.map(str::to_owned).collect::<BTreeSet<_>>(), table(Scope::Message));
        let whole = OF_CODEC_TRIAL.iter().map(|(name, _)| (*name).to_owned());
        let of_loop = |one: Loop| OF_LOOP.iter().map(move |(ending, _)| format!("{}{ending}", one.name));
        let codecs = whole.chain(metric::loops(true, true).flat_map(of_loop));
        assert_eq!(codecs.collect::<BTreeSet<_>>(), table(Scope::Codec));
    }
}
