//! `summary.json`: what a run measured, cell by cell. Its JSON Schema is published in `docs/`. One file because its types are the parts
//! of one JSON file.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    CodecDescription, CodecId, CompressionDescription, DictionaryUsed, LinkId, MessageRate, Missing, ModeId,
    Security, TransportDescription,
};

use crate::axis::{Cell, CodecCell};
use crate::figure::{Figure, LEAST_FOR_P90, LEAST_FOR_P99, Statistic};
use crate::outcome::Outcome;
use crate::study::{Host, Hosts, Study};
use crate::trial::{BrokerUsed, Delivery, PEER, Wire};

/// The version of the layout of `summary.json`.
pub const SUMMARY_SCHEMA: u32 = 2;

/// What a run measured, with the study and the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Version of the layout, [`SUMMARY_SCHEMA`].
    pub schema: u32,
    /// The run itself: id, version, time.
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
    /// Message trials, an entry for each cell.
    pub cells: Vec<CellSummary>,
    /// Codec trials, an entry for each payload and codec.
    pub codecs: Vec<CodecSummary>,
    /// Combinations that could not be run, with the reason.
    pub not_run: Vec<NotRun>,
    /// What readers should know before they trust the numbers.
    pub notes: Vec<String>,
    /// Effects of one value of an axis instead of another; absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// How far the rate can be raised, for everything that was measured at several rates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knees: Vec<Knee>,
    /// The run's inputs by name (`payload small samples.jsonl`, `link lte`), each with a digest (XXH3, 128 bits): figures of two runs are
    /// comparable where the digests are equal. Absent in runs of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// Links of which one direction keeps its own loss, so that the axis `loss` applies to the other alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_way_loss: Vec<LinkId>,
    /// Verdicts on the study's thresholds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<ThresholdResult>,
}

/// The rate at which latency turns up, everything but the rate equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// What was measured, without a rate.
    pub axes: Cell,
    /// The highest rate that is shown to be kept, below the first shown not to be; absent where there is none.
    pub rate: Option<MessageRate>,
    /// The first rate that is shown not to be kept; absent where there is none.
    pub beyond: Option<MessageRate>,
    /// Why `beyond` was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<KneeReason>,
    /// The lowest rate between these that is undecided; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenRate>,
}

/// A rate that is undecided: neither shown to be kept nor shown not to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenRate {
    /// The requested rate, in messages a second.
    pub rate: MessageRate,
    /// Why it is undecided.
    pub why: OpenReason,
}

/// Why it is undecided whether a rate was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// No trial shows it: the stand disturbed them, or there is no latency.
    NoFigure,
    /// The interval of the share lost includes 1 %: more messages would decide.
    Messages,
    /// Fewer than five trials, or the interval of the latency's factor includes 2: more trials would decide.
    Trials,
    /// The bounds of two clocks include a factor of the latency on either side of 2: no number of trials would decide.
    Clocks,
}

/// Why a rate was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KneeReason {
    /// A trial was overloaded or failed.
    NotComplete,
    /// More messages were lost than at the lowest rate, beyond chance, or more than 1 %.
    Lost,
    /// Latency is more than twice that at the lowest rate.
    Latency,
}

/// The effect of one value of an axis instead of another on one metric of one payload, everything else equal: combinations of the other axes are
/// blocks, repeats are pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The axis: `codec`, `compression`, `mode`, `link` or `loss`; `run` where two runs are compared.
    pub axis: String,
    /// The value whose effect it is.
    pub value: String,
    /// The value that it is compared with.
    pub instead_of: String,
    /// The payload, with its size if it takes one.
    pub payload: String,
    /// Kind of the metric's trials: `message` or `codec`.
    pub scope: String,
    /// The metric's name in `metrics`.
    pub metric: String,
    /// The metric's unit, as in [`Metric`].
    pub unit: String,
    /// Scale of `estimate`, `interval` and `smallest_found`.
    pub scale: EffectScale,
    /// The effect: geometric mean of the ratios, or mean of the differences, every combination with equal weight.
    pub estimate: f64,
    /// Its two-sided interval, at the level of its test, so that it includes 1 (or 0) exactly where no difference is shown; absent with fewer
    /// than five repeats.
    pub interval: Option<[f64; 2]>,
    /// Whether it is real, and for the better.
    pub verdict: EffectVerdict,
    /// Means over the combinations: of `instead_of`, then of `value`. Geometric if `scale` is a factor, so that their ratio is the effect.
    pub means: [f64; 2],
    /// The difference in the metric's unit: the mean over combinations of the differences of means.
    pub difference: f64,
    /// Combinations of the other axes in which both values were measured.
    pub combinations: u32,
    /// Of these, the combinations in which it goes in the direction of `estimate`.
    pub same_direction: u32,
    /// Repeats that were compared, pair by pair.
    pub repeats: u32,
    /// Number of effects tested together, over which Holm's correction is applied.
    pub family: u32,
    /// The smallest effect above 1 (or above 0) that a study like this one finds in four of five runs; absent without an interval, and where
    /// nothing varies.
    pub smallest_found: Option<f64>,
    /// Number of repeats with which such a study finds an effect of 10 % in four of five runs; absent like `smallest_found`, for differences,
    /// and beyond 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_needed: Option<u32>,
    /// The axis whose values the effect depends on, where that is shown, with the effect at each; empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<EffectAt>,
    /// Shares lost by the compared trials, without and with the value: for loss itself, and for a metric that only messages that arrived have;
    /// absent where neither side lost any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<[f64; 2]>,
    /// How much of the difference the clocks of publisher and subscriber, where they are two, may have made up, in nanoseconds: for latencies whose
    /// difference that leaves open; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_bound_ns: Option<u64>,
    /// Messages sent, without and with the value, of which `lost` are shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<[u64; 2]>,
    /// The effect as a sentence.
    pub text: String,
}

/// Scale of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectScale {
    /// How many times as much: 1 is no effect.
    Factor,
    /// How much more, in the metric's unit: 0 is no effect.
    Difference,
}

/// What is known of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectVerdict {
    /// A difference is shown, for the better.
    Better,
    /// A difference is shown, for the worse.
    Worse,
    /// A difference is shown, of a metric without a better direction.
    Different,
    /// None is shown, and the interval excludes all but a small one.
    NoDifference,
    /// Not decided: none is shown, but the wide interval leaves room for one.
    Undecided,
    /// Not decided, because fewer than five repeats give no interval.
    NoInterval,
}

/// An effect at one value of another axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectAt {
    /// The other axis, as in [`Effect`].
    pub axis: String,
    /// Its value at which the effect is given.
    pub value: String,
    /// The effect at that value, on the scale of [`Effect`].
    pub estimate: f64,
    /// Its 95 % interval: not corrected where a test shows that the effect depends on the axis; corrected for their number where lossless and
    /// lossy conditions are separated.
    pub interval: Option<[f64; 2]>,
}

/// The verdict on a threshold of the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdResult {
    /// The threshold in words: `latency.p99 below 200ms`.
    pub threshold: String,
    /// What it applies to: a cell, or a payload and codec.
    pub cell: String,
    /// Whether the figure keeps it.
    pub verdict: ThresholdVerdict,
    /// The figure, its interval and the reason, in words.
    pub text: String,
}

/// Whether a figure keeps a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdVerdict {
    /// The figure keeps it, and so does its interval.
    Pass,
    /// Its interval includes the limit: more repeats or messages would decide.
    NotDecided,
    /// There is no figure, or it can't be compared.
    CantTell,
    /// The figure does not keep it.
    Fail,
}

/// A trial of a cell, with what is needed to find it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialMade {
    /// Its number in the run.
    pub trial: u32,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// The outcome: `invalid` trials are repeated.
    pub outcome: Outcome,
    /// Why it is not complete; empty for a complete trial.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The seed of its link and load.
    pub seed: u64,
    /// Measured messages sent, each once for every subscriber.
    pub sent: u64,
    /// Of these, the messages lost.
    pub lost: u64,
    /// Mean latency of the messages delivered; absent where there is none.
    pub latency_ns: Option<f64>,
    /// File of its packets, in the run folder; absent where none were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<String>,
}

impl CellSummary {
    /// A metric that covers enough messages to stand for the rest. `metrics` also has those that cover too few, for readers that show how many.
    pub fn told(&self, name: &str) -> Option<&Metric> {
        self.metrics.get(name).filter(|metric| metric.is_covered())
    }

    /// Number of hops of a message: two over a broker or relay, one directly from the publisher to the subscriber; `None` where no trial got far
    /// enough to show it.
    pub fn hops(&self) -> Option<u32> {
        self.broker.as_ref().map(|broker| if broker.id == PEER { 1 } else { 2 })
    }
}

impl Summary {
    /// The hosts of the roles of a cell's trials.
    pub fn hosts_of(&self, cell: &Cell) -> Hosts {
        let used = cell.mode.transport(&self.transports_described);
        let hosts = self.study.hosts.of(cell);
        used.map_or(hosts, |transport| hosts.used_by(transport))
    }

    /// Whether messages of some cells make one hop, and those of others two.
    pub fn mixes_hops(&self) -> bool {
        [1, 2].iter().all(|&hops| self.cells.iter().any(|cell| cell.hops() == Some(hops)))
    }

    /// Converts a summary of layout 1: drops percentiles of too few observations, and fills in outcomes, of which there were two: trials were
    /// valid or invalid. The other figures stay as they were computed.
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

/// The run: its id, version, time and state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// The run folder's name, without its path.
    pub id: String,
    /// The version of Wiredyno that ran it.
    pub version: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// How long it took, in nanoseconds.
    pub duration_ns: u64,
    /// Most trials that ran side by side.
    pub lanes: u32,
    /// Mean utilisation of the machine during message trials, 0..1.
    pub utilisation: f64,
    /// Mean share of CPU time that the hypervisor gave to other machines, over all trials, 0..1.
    #[serde(default)]
    pub steal: f64,
    /// Whether it ran to its end, uninterrupted.
    pub complete: bool,
}

/// The machine, as far as it bears on the numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The CPU's name, from `/proc/cpuinfo`.
    pub cpu: String,
    /// CPUs that the program may use.
    pub cpus: u32,
    /// CPUs of the machine, whose tasks the load average counts.
    #[serde(default)]
    pub cpus_online: u32,
    /// All memory of the machine, in bytes.
    pub memory_bytes: u64,
    /// `Linux` and the kernel's release.
    pub kernel: String,
    /// Name and version of the operating system.
    pub os: String,
    /// The CPU frequency governor, several where CPUs differ; "unknown" where the kernel does not report it.
    pub governor: String,
    /// The hypervisor's name, or "none" or "unknown".
    pub hypervisor: String,
    /// Load average of the last minute before the run.
    pub load_1min: f64,
    /// Smallest step between two readings of CLOCK_MONOTONIC.
    pub timer_resolution_ns: u64,
    /// 99th percentile of how late a 1 ms sleep ends, in nanoseconds.
    pub sleep_lateness_p99_ns: u64,
    /// What this process is allowed: namespaces, real-time priority.
    pub rights: Vec<String>,
    /// The compiler that built the program.
    pub compiler: String,
    /// The commit that it was built from, "unknown" outside a checkout.
    pub commit: String,
    /// The runners that measured, each built for a payload's definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<PayloadBuild>,
    /// The other machines that took part, as agents; empty where all hosts were on this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentMachine>,
}

/// Another machine that took part in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentMachine {
    /// The name that its agent joined with.
    pub name: String,
    /// The host of the study that it was.
    pub host: Host,
    /// The address at which it was reached.
    pub address: String,
    /// The machine.
    pub environment: Environment,
}

/// What a runner was composed of, or the folder that it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadBuild {
    /// The payload's name, without a size.
    pub payload: String,
    /// For a composed runner: digest of its definition, its codecs and transports, their sources and the compiler. For a runner's folder: digest
    /// of its files and the language's version.
    pub build: String,
    /// Language and version of a runner's folder, as in "Python 3.11.2"; absent for composed runners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The codecs that it contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codecs: Vec<CodecId>,
    /// The folder of a user's own payload; absent for one that comes with the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The text of its message.proto at the time of the run.
    pub definition: String,
}

/// Figures of one quantity over a cell's valid trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// The unit: `ns`, `bytes`, `per_s`, `ratio`, `count`.
    pub unit: String,
    /// Number of observations: messages, batches or trials.
    pub count: u64,
    /// Messages that it covers, where it is computed from single messages and some lack a value; absent if it covers all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Mean over trials of each trial's mean; for a codec's loop, of each trial's median batch. For CPU time per message, and messages per CPU
    /// time, the sum over trials divided by the sum over trials.
    pub mean: f64,
    /// Two-sided 95 % interval of that mean, with the trial as the unit; absent with fewer than five trials. Never below 0 if the quantity can't
    /// be.
    pub interval_95: Option<[f64; 2]>,
    /// Median of all observations; that mean, for a metric of which only the mean over trials is right.
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
    /// Smallest observation of all valid trials.
    pub min: f64,
    /// Largest observation of all valid trials.
    pub max: f64,
    /// Mean of each valid trial, or for a codec's loop its median batch, by repeat: equal repeats had the same conditions in all cells, so that
    /// cells are compared repeat by repeat. For CPU time per message, and messages per CPU time, the mean times the factor by which the trial
    /// moves it: their geometric mean is the mean.
    pub by_repeat: BTreeMap<u32, f64>,
    /// Median of each valid trial by its repeat, for metrics with several observations per trial.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub median_by_repeat: BTreeMap<u32, f64>,
    /// 99th percentile of each valid trial with 1,000 observations or more, by its repeat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub p99_by_repeat: BTreeMap<u32, f64>,
}

impl Metric {
    /// Whether it covers enough messages to be compared with others, or to be a part of a whole.
    pub fn is_covered(&self) -> bool {
        self.coverage.is_none_or(Coverage::is_enough)
    }
}

impl Figure {
    /// The number and its 95 % interval over trials; the largest observation has none. `None` where there is no number, such as a
    /// percentile of too few observations.
    pub fn of(&self, metric: &Metric) -> Option<(f64, Option<[f64; 2]>)> {
        match self.statistic {
            Statistic::Mean => Some((metric.mean, metric.interval_95)),
            Statistic::Median => Some((metric.median, metric.median_interval_95)),
            Statistic::P99 => metric.p99.map(|p99| (p99, metric.p99_interval_95)),
            Statistic::Max => Some((metric.max, None)),
        }
    }

    /// The number of each trial by its repeat; `None` for the maximum.
    pub fn by_repeat<'a>(&self, metric: &'a Metric) -> Option<&'a BTreeMap<u32, f64>> {
        match self.statistic {
            Statistic::Mean => Some(&metric.by_repeat),
            Statistic::Median => Some(&metric.median_by_repeat),
            Statistic::P99 => Some(&metric.p99_by_repeat),
            Statistic::Max => None,
        }
    }
}

/// The messages that a metric covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Messages with a value.
    pub known: u64,
    /// Messages sent in the same trials, each once for every subscriber.
    pub of: u64,
}

impl Coverage {
    /// If less than this share is known, the unknown ones may be all that matters: the slow ones, or the lost.
    pub const ENOUGH: f64 = 0.95;

    /// Whether at least [`Coverage::ENOUGH`] of the messages are known.
    pub fn is_enough(self) -> bool {
        self.known as f64 >= Self::ENOUGH * self.of as f64
    }
}

/// Reads `22 of 50`.
impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.known, self.of)
    }
}

/// Numbers of trials by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcomes {
    /// Complete trials, which enter figures.
    pub complete: u32,
    /// Trials that the stand itself disturbed; repeated.
    pub invalid: u32,
    /// Trials in which a role could not keep up with an open loop.
    pub overloaded: u32,
    /// Trials in which what was tested broke.
    pub failed: u32,
}

impl Outcomes {
    /// Counts each outcome.
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

/// Figures of a cell's overloaded trials: results at a rate that could not be kept. Their latency grows for as long as a trial lasts, so that it
/// appears only in curves over rate and is not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnderOverload {
    /// Figures by the metric's name, as in [`CellSummary`].
    pub metrics: BTreeMap<String, Metric>,
    /// Accounting of their messages.
    pub delivery: Delivery,
    /// Share of messages lost; absent without messages.
    pub lost_ratio: Option<RatioInterval>,
}

/// One cell of message trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellSummary {
    /// Its values on the axes.
    pub axes: Cell,
    /// Trials carried out, with any outcome.
    pub trials: u32,
    /// Of these, the complete ones: all figures except `under_overload` are theirs.
    pub valid_trials: u32,
    /// All of them by outcome.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// Why the stand itself disturbed the invalid trials.
    pub invalid: Vec<String>,
    /// Invalid trials by the kind of disturbance, as named by [`Invalid::kind`](crate::trial::Invalid::kind); a trial counts once for each kind.
    /// Absent in runs of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u32>,
    /// What could not keep up in overloaded trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overloaded: Vec<String>,
    /// What broke in failed trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Figures of the overloaded trials; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_overload: Option<UnderOverload>,
    /// The broker that its trials used.
    pub broker: Option<BrokerUsed>,
    /// Figures by the metric's name.
    pub metrics: BTreeMap<String, Metric>,
    /// Accounting of the messages of all complete trials.
    pub delivery: Delivery,
    /// Why messages were only counted, in some or all of its trials: such messages have no latency. Empty where every arrival was matched with a
    /// message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted_only: Vec<String>,
    /// Share of messages lost, with its 95 % interval; absent without messages.
    pub lost_ratio: Option<RatioInterval>,
    /// Share of messages that arrived later than the deadline, likewise.
    #[serde(default)]
    pub late_ratio: Option<RatioInterval>,
    /// Bytes and packets of the `measure` phase of all valid trials; absent on loopback.
    pub wire: Option<Wire>,
    /// The same for set-up and teardown.
    pub wire_setup: Option<Wire>,
    /// The same for the echoes that check the link's floor before each trial.
    #[serde(default)]
    pub wire_probe: Option<Wire>,
    /// The same for the warm-up messages.
    #[serde(default)]
    pub wire_warmup: Option<Wire>,
    /// How wrong each latency may be, either way, because publisher and subscriber read two clocks, in nanoseconds: the largest bound of its complete
    /// trials. Absent where both read one clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_bound_ns: Option<u64>,
    /// Points of the latency's cumulative distribution: nanoseconds and share of delivered messages.
    pub latency_ecdf: Vec<[f64; 2]>,
    /// Box plot of the latency: lower fence, quartiles, upper fence, and the number of values outside.
    pub latency_box: Option<BoxPlot>,
    /// Mean latency of each valid trial, for readers who want their own statistics.
    pub trial_latency_ns: Vec<f64>,
    /// Its trials in the order of the run; empty in runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<TrialMade>,
    /// Result of its searches; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// The resource that was exhausted in complete trials in which messages went as fast as possible, with the number of trials; empty for other
    /// loads. Names as in [`Searched::limits`], and `window`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub full: BTreeMap<String, u32>,
    /// Least number of messages per trial for metrics that are withheld because its trials had too few, by metric; without metrics that no
    /// number of messages would determine at this rate.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub needs_messages: BTreeMap<String, u64>,
    /// What is known of the metrics that are withheld because the fixed cost hides them, and what would determine them, by metric. Empty where
    /// none is withheld, and in runs of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub withheld: BTreeMap<String, Withheld>,
    /// How its number of trials came about, in a study that continues until a metric is known well enough; absent in other studies and in runs
    /// that were interrupted before.
    #[serde(default)]
    pub stopped: Option<Stopped>,
}

/// What is known of a metric that is withheld.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Withheld {
    /// The end of its interval that is known, in its unit: at most this at 95 %, or at least this for a metric of which more is better. Absent
    /// where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Messages a second from which on it can be determined: below, no number of messages suffices. Absent where more messages suffice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Number of trials like these that would determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
}

/// Result of the searches of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Searched {
    /// Whether the highest rate found is at most 1.1 times the lowest. False if a search found none.
    pub settled: bool,
    /// The highest rate found divided by the lowest; absent where none was found.
    pub spread: Option<f64>,
    /// What stopped the next higher rate, with the number of searches: `publisher`, `subscriber`, `broker`, `link`, `machine`, `stand` where the
    /// stand itself could not produce a higher rate, or `waiting` where nothing was exhausted.
    pub limits: BTreeMap<String, u32>,
}

/// The searches of a cell agree if their rates differ by at most this factor.
pub const SETTLED: f64 = 1.1;

/// How a cell of a study with `trials.until` came to its number of trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// Why it got no more trials.
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
    /// The limit of trials came first: the interval is wider than the study requires.
    Limit,
    /// The cell has no such metric, or no valid trial.
    NotMeasured,
}

/// A share of all sent messages with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioInterval {
    /// The share of messages, 0..1.
    pub ratio: f64,
    /// Its 95 % interval, from the variation between trials (Korn and Graubard); with fewer than five trials, and where all have the same share,
    /// the exact one of independent messages (Clopper and Pearson). Its upper end is above 0 even where the share is 0.
    pub interval_95: [f64; 2],
}

/// A box plot's numbers; whiskers end at the last observation inside Tukey's fences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoxPlot {
    /// Lower whisker: the least observation inside the fences.
    pub low: f64,
    /// First quartile, of all observations.
    pub q1: f64,
    /// Median of all observations.
    pub median: f64,
    /// Third quartile, of all observations.
    pub q3: f64,
    /// Upper whisker: the greatest observation inside the fences.
    pub high: f64,
    /// Number of observations outside the fences.
    pub outliers: u64,
    /// Those that are drawn, ascending: all if they are few, else the farthest and an even selection between them.
    #[serde(default)]
    pub outside: Vec<f64>,
}

/// One payload and codec, with its compression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodecSummary {
    /// The payload, codec and compression.
    pub axes: CodecCell,
    /// Trials carried out, with any outcome.
    pub trials: u32,
    /// Of these, the complete ones: all figures are theirs.
    pub valid_trials: u32,
    /// All of them by outcome; none is overloaded.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// Why the stand itself disturbed the invalid trials.
    pub invalid: Vec<String>,
    /// Invalid trials by the kind of disturbance, as named by [`Invalid::kind`](crate::trial::Invalid::kind); a trial counts once for each kind.
    /// Absent in runs of older versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u32>,
    /// What broke in failed trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Figures by name: `build`, `encode`, `decode`, `read` (ns per operation), `body` (bytes),
    /// `encode_allocations` and the like.
    pub metrics: BTreeMap<String, Metric>,
    /// When its trials stopped, as in [`CellSummary`].
    #[serde(default)]
    pub stopped: Option<Stopped>,
    /// Size and training of its compression's dictionary; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary: Option<DictionaryUsed>,
    /// Figures that could not be obtained, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

/// A combination that could not be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotRun {
    /// The cell or the codec cell in words.
    pub what: String,
    /// Why, and what to do.
    pub why: String,
    /// The cell or codec cell by its values on axes; absent in older summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// The part of a study that is not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NotRunPart")]
pub enum Part {
    /// All trials of one cell.
    Cell(Box<Cell>),
    /// A payload with a codec: codec trials and messages.
    Codec(CodecCell),
    /// The messages of a payload with a codec, over every protocol.
    MessagesOf(CodecCell),
    /// All cells of a mode with a security.
    Secured {
        /// The mode, over any broker.
        mode: ModeId,
        /// The security that it can't have here.
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
