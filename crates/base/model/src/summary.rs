//! `summary.json`: what a run found, cell by cell. Its JSON Schema is published in `docs/`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    CodecDescription, CodecId, CompressionDescription, DictionaryUsed, LinkId, MessageRate, Missing, ModeId,
    Security, TransportDescription,
};

use crate::axis::{Cell, CodecCell};
use crate::outcome::Outcome;
use crate::study::{Hosts, Study};
use crate::trial::{BrokerUsed, Delivery, PEER, Wire};

/// The version of the layout of `summary.json`.
pub const SUMMARY_SCHEMA: u32 = 2;

/// Fewest observations for a 90th percentile: ten lie beyond it. With fewer it is little more than one of the largest.
pub const LEAST_FOR_P90: u64 = 100;

/// Fewest observations for a 99th percentile, by the same rule.
pub const LEAST_FOR_P99: u64 = 1_000;

/// What a run found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// [`SUMMARY_SCHEMA`].
    pub schema: u32,
    /// The run.
    pub run: RunInfo,
    /// The study as run, after `--set`.
    pub study: Study,
    /// The machine it ran on.
    pub environment: Environment,
    /// The codecs of the study as the runner describes them.
    pub codecs_described: Vec<CodecDescription>,
    /// The compressions of the study as the runner describes them; empty where nothing is compressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compressions_described: Vec<CompressionDescription>,
    /// The transports of the study as the runner describes them.
    pub transports_described: Vec<TransportDescription>,
    /// Message trials, one entry a cell.
    pub cells: Vec<CellSummary>,
    /// Codec trials, one entry a payload and codec.
    pub codecs: Vec<CodecSummary>,
    /// Combinations that could not be run, with the reason.
    pub not_run: Vec<NotRun>,
    /// What a reader should know before trusting the numbers.
    pub notes: Vec<String>,
    /// What one value of an axis does in place of another; absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// How far the rate can be raised, of everything that was measured at several rates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knees: Vec<Knee>,
    /// What went in, by name (`payload small samples.jsonl`, `link lte`), with a digest of it (XXH3, 128 bits): figures of two
    /// runs are comparable where the digests are equal. Absent in runs of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// Links of which one direction keeps its own loss, so that the axis `loss` is of the other alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_way_loss: Vec<LinkId>,
    /// What became of the study's thresholds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<ThresholdResult>,
}

/// Where latency over rate turns up: everything but the rate equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// What was measured, without a rate.
    pub axes: Cell,
    /// The highest rate that is shown to be kept, below the first that is shown not to be; absent where none is.
    pub rate: Option<MessageRate>,
    /// The first rate that is shown not to be kept; absent where none is.
    pub beyond: Option<MessageRate>,
    /// Why that was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<KneeReason>,
    /// The lowest rate between these that is not decided; absent where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenRate>,
}

/// A rate of which it is not decided whether it was kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenRate {
    /// The rate.
    pub rate: MessageRate,
    /// Why.
    pub why: OpenReason,
}

/// Why it is not decided whether a rate was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// No trial tells: the stand spoilt them, or there is no latency.
    NoFigure,
    /// The interval of the share lost holds 1 %: more messages would tell.
    Messages,
    /// Fewer than five trials, or the interval of the factor of latency holds two: more trials would tell.
    Trials,
}

/// Why a rate was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KneeReason {
    /// A trial was overloaded or failed.
    NotComplete,
    /// More was lost than at the lowest rate, beyond chance, or more than 1 %.
    Lost,
    /// Latency is above twice that at the lowest rate.
    Latency,
}

/// What one value of an axis does in place of another to one metric of one payload, everything else equal: the other axes are
/// blocks, the repeats pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The axis: `codec`, `compression`, `mode`, `link` or `loss`; `run` where two runs are compared.
    pub axis: String,
    /// The value.
    pub value: String,
    /// What it stands in place of.
    pub instead_of: String,
    /// The payload.
    pub payload: String,
    /// Where the metric stands: `message` or `codec`.
    pub scope: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What `estimate`, `interval` and `smallest_found` are.
    pub scale: EffectScale,
    /// The effect: geometric mean of the ratios, or mean of the differences, every combination weighing alike.
    pub estimate: f64,
    /// Its two-sided interval, at the level at which it was judged, so that it holds 1 (or 0) exactly where no difference is
    /// shown; absent with fewer than five repeats.
    pub interval: Option<[f64; 2]>,
    /// Whether it is real, and for the better.
    pub verdict: EffectVerdict,
    /// Means over the combinations, without and with: of `instead_of`, then of `value`. Geometric where `scale` is a factor, so
    /// that their ratio is the effect.
    pub means: [f64; 2],
    /// How much more, in the metric's unit: the mean over combinations of the differences of means.
    pub difference: f64,
    /// Combinations of the other axes in which both values were measured.
    pub combinations: u32,
    /// Of these, those in which it goes in the direction of `estimate`.
    pub same_direction: u32,
    /// Repeats that were compared.
    pub repeats: u32,
    /// Effects that were judged together: the correction by Holm spans them.
    pub family: u32,
    /// The smallest effect above 1 (or above 0) that a study like this one finds in four of five runs; absent without an
    /// interval, and where nothing varies.
    pub smallest_found: Option<f64>,
    /// Repeats with which such a study finds an effect of 10 % in four of five runs; absent as `smallest_found`, for
    /// differences, and beyond 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_needed: Option<u32>,
    /// The axis on whose values the effect depends, where that is shown, with its effect at each; empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<EffectAt>,
    /// Shares lost, without and with, of the messages that the compared trials sent: of what is lost itself, and of a metric that knows
    /// only what arrived; absent where neither side lost any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<[f64; 2]>,
    /// Messages sent, without and with, of which `lost` are shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<[u64; 2]>,
    /// In words.
    pub text: String,
}

/// What an effect's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectScale {
    /// How many times as much.
    Factor,
    /// How much more, in the metric's unit.
    Difference,
}

/// What is known of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectVerdict {
    /// Real, for the better.
    Better,
    /// Real, for the worse.
    Worse,
    /// Real, of a metric that has no good direction.
    Different,
    /// None is shown, and the interval leaves no room for one that is not small.
    NoDifference,
    /// Not decided: none is shown, and there may be one, because the interval is wide.
    Undecided,
    /// Not decided for want of repeats: fewer than five give no interval.
    NoInterval,
}

/// An effect at one value of another axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectAt {
    /// The other axis.
    pub axis: String,
    /// Its value.
    pub value: String,
    /// The effect there.
    pub estimate: f64,
    /// Its 95 % interval, not corrected where a test shows that the effect depends on the axis; of lossless and lossy conditions apart,
    /// corrected for their number.
    pub interval: Option<[f64; 2]>,
}

/// What became of a threshold of the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdResult {
    /// The threshold in words.
    pub threshold: String,
    /// What it was held against: a cell, or a payload and codec.
    pub cell: String,
    /// Whether it holds.
    pub verdict: ThresholdVerdict,
    /// The figure, its interval and the reason, in words.
    pub text: String,
}

/// Whether a figure keeps a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdVerdict {
    /// It does.
    Pass,
    /// Its interval holds the limit: more repeats or messages would decide.
    NotDecided,
    /// There is no figure, or it can't be compared.
    CantTell,
    /// It does not.
    Fail,
}

/// A trial of a cell, to find it by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialMade {
    /// Its number in the run.
    pub trial: u32,
    /// Which repeat of the cell it is.
    pub repeat: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, where it is not complete.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The seed of its link and load.
    pub seed: u64,
    /// Messages sent.
    pub sent: u64,
    /// Messages lost.
    pub lost: u64,
    /// Mean latency of those delivered; absent where there is none.
    pub latency_ns: Option<f64>,
    /// Its packets, in the run folder; absent where none were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<String>,
}

impl CellSummary {
    /// A metric that speaks of enough messages to stand for the rest. What is known of a part of them alone stands in `metrics`, for who says of
    /// how many it is.
    pub fn told(&self, name: &str) -> Option<&Metric> {
        self.metrics.get(name).filter(|metric| metric.is_covered())
    }

    /// How many hops a message makes: two over a broker or relay, one straight from the publisher to the subscriber; `None` where no
    /// trial came far enough to tell.
    pub fn hops(&self) -> Option<u32> {
        self.broker.as_ref().map(|broker| if broker.id == PEER { 1 } else { 2 })
    }
}

impl Summary {
    /// Where the roles of a cell's trials stood.
    pub fn hosts_of(&self, cell: &Cell) -> Hosts {
        let used = cell.mode.transport(&self.transports_described);
        let hosts = self.study.hosts.of(cell);
        used.map_or(hosts, |transport| hosts.used_by(transport))
    }

    /// Whether messages of some cells make one hop, and those of others two.
    pub fn mixes_hops(&self) -> bool {
        [1, 2].iter().all(|&hops| self.cells.iter().any(|cell| cell.hops() == Some(hops)))
    }

    /// A summary of layout 1 in the present one: without percentiles of too few observations, and with outcomes, of which
    /// there were two: trials counted or were invalid. The other figures stay as they were computed.
    pub fn from_layout_1(mut self) -> Summary {
        let two = |complete: u32, trials: u32| Outcomes {
            complete,
            invalid: trials.saturating_sub(complete),
            ..Outcomes::default()
        };
        self.cells.iter_mut().for_each(|cell| cell.outcomes = two(cell.valid_trials, cell.trials));
        self.codecs.iter_mut().for_each(|codec| codec.outcomes = two(codec.valid_trials, codec.trials));
        let cells = self.cells.iter_mut().map(|cell| &mut cell.metrics);
        let codecs = self.codecs.iter_mut().map(|codec| &mut codec.metrics);
        for metric in cells.chain(codecs).flat_map(BTreeMap::values_mut) {
            metric.p90 = metric.p90.filter(|_| metric.count >= LEAST_FOR_P90);
            metric.p99 = metric.p99.filter(|_| metric.count >= LEAST_FOR_P99);
        }
        self
    }
}

/// The run itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// The run folder's name.
    pub id: String,
    /// The version of Wiredyno.
    pub version: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// How long it took.
    pub duration_ns: u64,
    /// Most trials that ran side by side.
    pub lanes: u32,
    /// Mean utilisation of the machine during message trials, 0..1.
    pub utilisation: f64,
    /// Mean share of CPU time that the hypervisor gave to others, over all trials, 0..1.
    #[serde(default)]
    pub steal: f64,
    /// Whether it ran to its end.
    pub complete: bool,
}

/// The machine, as far as it bears on the numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The CPU's name.
    pub cpu: String,
    /// CPUs that the program may use.
    pub cpus: u32,
    /// CPUs of the machine, of whose tasks the load average is.
    #[serde(default)]
    pub cpus_online: u32,
    /// All memory.
    pub memory_bytes: u64,
    /// Kernel name and release.
    pub kernel: String,
    /// Operating system.
    pub os: String,
    /// The CPU frequency governor, several where CPUs differ; "unknown" where the kernel does not tell.
    pub governor: String,
    /// The hypervisor's name, or "none" or "unknown".
    pub hypervisor: String,
    /// Load average of the last minute before the run.
    pub load_1min: f64,
    /// Smallest step between two readings of CLOCK_MONOTONIC.
    pub timer_resolution_ns: u64,
    /// 99th percentile of how late a 1 ms sleep ends.
    pub sleep_lateness_p99_ns: u64,
    /// What this process may do: namespaces, real-time priority.
    pub rights: Vec<String>,
    /// The compiler that built the program.
    pub compiler: String,
    /// The commit it was built from, "unknown" outside a checkout.
    pub commit: String,
    /// The runners that measured, each built for a payload's definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<PayloadBuild>,
}

/// What a runner was composed of, or of which folder it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadBuild {
    /// The payload's name.
    pub payload: String,
    /// Of a composed runner: digest of its definition, its codecs and transports, their sources and the compiler. Of a
    /// runner's folder: digest of its files and the language's version.
    pub build: String,
    /// Language and version of a runner's folder, as in "Python 3.11.2"; absent for composed runners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The codecs that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codecs: Vec<CodecId>,
    /// The folder of a payload of the user's own; absent for one that comes with the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The text of its message.proto as it was then.
    pub definition: String,
}

/// Figures of one quantity over a cell's valid trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// The unit: `ns`, `bytes`, `per_s`, `ratio`, `count`.
    pub unit: String,
    /// Observations: messages, batches or trials.
    pub count: u64,
    /// Of how many messages it speaks, where it is made of single messages and not of all; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Mean over trials of each trial's mean; of a codec's loop, of each trial's median batch. Of CPU time by messages, and of messages by CPU
    /// time, the sum over trials divided by the sum over trials.
    pub mean: f64,
    /// Two-sided 95 % interval of that mean, the trial being the unit; absent with fewer than five trials. Never below 0
    /// where the quantity can't be.
    pub interval_95: Option<[f64; 2]>,
    /// Median of all observations; of a metric that is right on the mean of trials alone, that mean.
    pub median: f64,
    /// Bootstrap 95 % interval of the median over trials; absent with fewer than five trials.
    pub median_interval_95: Option<[f64; 2]>,
    /// 90th percentile of all observations; absent with fewer than 100 of them.
    pub p90: Option<f64>,
    /// Bootstrap 95 % interval of the 90th percentile over trials; absent without it or with fewer than five trials.
    #[serde(default)]
    pub p90_interval_95: Option<[f64; 2]>,
    /// 99th percentile of all observations; absent with fewer than 1,000 of them.
    pub p99: Option<f64>,
    /// Bootstrap 95 % interval of the 99th percentile over trials; absent without it or with fewer than five trials.
    #[serde(default)]
    pub p99_interval_95: Option<[f64; 2]>,
    /// Smallest observation.
    pub min: f64,
    /// Largest observation.
    pub max: f64,
    /// Mean of each valid trial, of a codec's loop its median batch, by its repeat: repeats of one number had the same
    /// conditions in all cells, so that cells are compared repeat by repeat. Of CPU time by messages, and of messages by CPU time, the mean
    /// times how far the trial moves it: their geometric mean is the mean.
    pub by_repeat: BTreeMap<u32, f64>,
    /// Median of each valid trial by its repeat, of metrics with several observations a trial.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub median_by_repeat: BTreeMap<u32, f64>,
    /// 99th percentile of each valid trial with 1,000 observations or more, by its repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub p99_by_repeat: BTreeMap<u32, f64>,
}

impl Metric {
    /// Whether it speaks of enough messages to be compared with others, or to be a part of a whole.
    pub fn is_covered(&self) -> bool {
        self.coverage.is_none_or(Coverage::is_enough)
    }
}

/// The part of the messages that a metric is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Messages that it is known of.
    pub known: u64,
    /// Messages that were sent in the same trials, each once for every subscriber that it was for.
    pub of: u64,
}

impl Coverage {
    /// With less than this share known, those that are not may be all that matters: the slow ones, or the lost.
    pub const ENOUGH: f64 = 0.95;

    /// Whether at least [`Coverage::ENOUGH`] of the messages are known.
    pub fn is_enough(self) -> bool {
        self.known as f64 >= Self::ENOUGH * self.of as f64
    }
}

/// `22 of 50`.
impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.known, self.of)
    }
}

/// Trials by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcomes {
    /// They enter figures.
    pub complete: u32,
    /// The stand's own fault; repeated.
    pub invalid: u32,
    /// A role could not keep up with an open loop.
    pub overloaded: u32,
    /// What was tested broke.
    pub failed: u32,
}

impl Outcomes {
    /// Counts outcomes.
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut counts = Outcomes::default();
        for outcome in outcomes {
            *counts.of_mut(outcome) += 1;
        }
        counts
    }

    fn of_mut(&mut self, outcome: Outcome) -> &mut u32 {
        match outcome {
            Outcome::Complete => &mut self.complete,
            Outcome::Invalid => &mut self.invalid,
            Outcome::Overloaded => &mut self.overloaded,
            Outcome::Failed => &mut self.failed,
        }
    }

    /// Trials that say something about what was tested: all but invalid ones.
    pub fn results(&self) -> u32 {
        self.complete + self.overloaded + self.failed
    }
}

/// What the overloaded trials of a cell gave: results at a rate that could not be kept. Their latency grows for as long
/// as a trial lasts, so that it belongs into curves over rate only and is compared with nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnderOverload {
    /// Figures by name, as in [`CellSummary`].
    pub metrics: BTreeMap<String, Metric>,
    /// What became of their messages.
    pub delivery: Delivery,
    /// Share of messages lost; absent without messages.
    pub lost_ratio: Option<RatioInterval>,
}

/// One cell of message trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellSummary {
    /// Its values on the axes.
    pub axes: Cell,
    /// Trials carried out.
    pub trials: u32,
    /// Of these, those that are complete: all figures but those of `under_overload` are theirs.
    pub valid_trials: u32,
    /// What became of all of them.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// Why trials are invalid, the stand's own fault.
    pub invalid: Vec<String>,
    /// Invalid trials by what was wrong, as [`Invalid::kind`](crate::trial::Invalid::kind) names it; of a trial each once. Absent in runs
    /// of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u32>,
    /// What could not keep up in overloaded trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overloaded: Vec<String>,
    /// What broke in failed trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// What overloaded trials gave; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_overload: Option<UnderOverload>,
    /// The broker of its trials.
    pub broker: Option<BrokerUsed>,
    /// Figures by name.
    pub metrics: BTreeMap<String, Metric>,
    /// What became of the messages of all complete trials.
    pub delivery: Delivery,
    /// Why messages were only counted, in all its trials or in some: these have no latency. Empty where every arrival was
    /// matched with a message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted_only: Vec<String>,
    /// Share of messages lost, with its 95 % interval; absent without messages.
    pub lost_ratio: Option<RatioInterval>,
    /// Share of messages that arrived, but later than the deadline, likewise.
    #[serde(default)]
    pub late_ratio: Option<RatioInterval>,
    /// Bytes and packets of the `measure` phase of all valid trials; absent on loopback.
    pub wire: Option<Wire>,
    /// The same of set-up and teardown.
    pub wire_setup: Option<Wire>,
    /// The same of the echoes by which the link's floor is looked at before each trial.
    #[serde(default)]
    pub wire_probe: Option<Wire>,
    /// The same of the warm-up messages.
    #[serde(default)]
    pub wire_warmup: Option<Wire>,
    /// Points of the latency's cumulative distribution: nanoseconds and share of delivered messages.
    pub latency_ecdf: Vec<[f64; 2]>,
    /// Box plot of the latency: lower fence, quartiles, upper fence, and how many lie outside.
    pub latency_box: Option<BoxPlot>,
    /// Mean latency of each valid trial, for readers who want their own statistics.
    pub trial_latency_ns: Vec<f64>,
    /// Its trials in the order of the run; empty in runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<TrialMade>,
    /// What its searches came to; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// What was used up in complete trials in which messages went as fast as they could, with the number of trials; empty for other
    /// loads. Names as in [`Searched::limits`], and `window`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub full: BTreeMap<String, u32>,
    /// How many messages a trial would need at least for metrics that are withheld because its trials had too few, by metric; without those
    /// that no number of messages makes known at this rate.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub needs_messages: BTreeMap<String, u64>,
    /// What is known all the same of the metrics that are withheld because the fixed cost hides them, and what would make them known, by metric.
    /// Empty where none is withheld, and in runs of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub withheld: BTreeMap<String, Withheld>,
    /// How it came to its number of trials, where the study goes on until a metric is known well enough; absent
    /// in other studies and in runs that were interrupted before.
    #[serde(default)]
    pub stopped: Option<Stopped>,
}

/// What is known of a metric that is withheld.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Withheld {
    /// The end of its interval that is told all the same, in its unit: no more than this at 95 %; of a metric of which more is better, no
    /// less. Absent where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Messages a second from which on it could be known: slower, no number of messages makes it so. Absent where more messages do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Trials like these with which it would be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
}

/// What the searches of a cell came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Searched {
    /// Whether the highest of the rates found is at most 1.1 times the lowest. Searches that found none make it false.
    pub settled: bool,
    /// The highest rate found divided by the lowest; absent where none was found.
    pub spread: Option<f64>,
    /// What stopped the next higher rate, with the number of searches: `publisher`, `subscriber`, `broker`, `link`, `machine`,
    /// `stand` where the stand itself could not make a higher rate, or `waiting` where nothing was used up.
    pub limits: BTreeMap<String, u32>,
}

/// The searches of a cell agree when their rates differ by this factor at most.
pub const SETTLED: f64 = 1.1;

/// How a cell of a study with `trials.until` came to its number of trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// Why no more trials were made.
    pub why: StopReason,
    /// Half the 95 % interval divided by the absolute mean, of the study's metric over the valid trials; absent
    /// where there is no interval or the mean is 0.
    pub within: Option<f64>,
}

/// Why a cell got no more trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The interval is narrow enough.
    Reached,
    /// The limit of trials came first: the interval is wider than the study asked for.
    Limit,
    /// The cell has no such metric, or no valid trial.
    NotMeasured,
}

/// A share of all sent messages with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioInterval {
    /// The share, 0..1.
    pub ratio: f64,
    /// Its 95 % interval, by how trials scatter (Korn and Graubard); with fewer than five trials, and where all have the same
    /// share, the exact one of independent messages (Clopper and Pearson). Above 0 at its upper end, also where the share is 0.
    pub interval_95: [f64; 2],
}

/// A box plot's numbers; whiskers end at the last observation inside Tukey's fences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoxPlot {
    /// Lower whisker.
    pub low: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Upper whisker.
    pub high: f64,
    /// Observations outside the fences.
    pub outliers: u64,
    /// Those that are drawn, ascending: all of them where they are few, else the farthest and between them every so many.
    #[serde(default)]
    pub outside: Vec<f64>,
}

/// One payload and codec, and what is done to its bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodecSummary {
    /// What was measured.
    pub axes: CodecCell,
    /// Trials carried out.
    pub trials: u32,
    /// Of these, those that are complete: figures are theirs.
    pub valid_trials: u32,
    /// What became of all of them; none is overloaded.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// Why trials are invalid, the stand's own fault.
    pub invalid: Vec<String>,
    /// Invalid trials by what was wrong, as [`Invalid::kind`](crate::trial::Invalid::kind) names it; of a trial each once. Absent in runs
    /// of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u32>,
    /// What broke in failed trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Figures by name: `build`, `encode`, `decode`, `read` (ns per operation), `body` (bytes),
    /// `encode_allocations` and the like.
    pub metrics: BTreeMap<String, Metric>,
    /// As in [`CellSummary`].
    #[serde(default)]
    pub stopped: Option<Stopped>,
    /// The dictionary of its compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary: Option<DictionaryUsed>,
    /// Figures that could not be had, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

/// A combination that could not be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotRun {
    /// Which: the cell or the codec cell in words.
    pub what: String,
    /// Why, and what to do.
    pub why: String,
    /// Which, by its values on axes; absent in older summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// Which part of a study is not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NotRunPart")]
pub enum Part {
    /// The trials of a cell.
    Cell(Box<Cell>),
    /// A payload in a codec: codec trials and messages.
    Codec(CodecCell),
    /// The messages of a payload in a codec, by every protocol.
    MessagesOf(CodecCell),
    /// All cells of a mode with a security.
    Secured {
        /// The mode.
        mode: ModeId,
        /// The security.
        security: Security,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Cell(cell) => cell.fmt(f),
            Part::Codec(cell) => cell.fmt(f),
            Part::MessagesOf(cell) => write!(f, "messages of {cell}"),
            Part::Secured { mode, security } => write!(f, "{mode} with security {security}"),
        }
    }
}
