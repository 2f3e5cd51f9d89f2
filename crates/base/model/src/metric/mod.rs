//! The one table of metrics: what can be measured, in which unit, which direction is better, and what the number means. The summary, the
//! report, docs/METHODOLOGY.md and a study's `until` follow it; a metric is added by a row of `table` and its computation in the
//! orchestrator.

mod row;
mod table;

use serde::Serialize;

use Scope::Codec;
use row::Row;
use table::{BESIDE_TIME, TABLE};
use wiredyno_contract::{Buffer, Phase};

/// Where a metric stands in the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Message trials: in `cells[].metrics`.
    Message,
    /// Codec trials: in `codecs[].metrics`.
    Codec,
}

/// What a metric is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub enum Unit {
    /// Nanoseconds: times, and CPU times.
    Ns,
    /// Bytes: of bodies, packets, memory.
    Bytes,
    /// A number of things, such as packets or allocations.
    Count,
    /// A share, or another ratio.
    Ratio,
    /// A rate: messages or operations a second.
    PerSecond,
    /// A throughput, in bytes a second.
    BytesPerSecond,
}

impl Unit {
    /// The unit's name in the summary.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::Ratio => "ratio",
            Self::PerSecond => "per_s",
            Self::BytesPerSecond => "bytes_per_s",
        }
    }
}

impl From<Unit> for &'static str {
    fn from(unit: Unit) -> Self {
        unit.name()
    }
}

/// Which direction is better, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better, as for bytes and times.
    Lower,
    /// More is better, as for rates.
    Higher,
    /// Neither is: the metric explains others.
    Neither,
}

/// The values that a metric can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Range {
    /// 0 to 1: a share.
    Share,
    /// 0 or more, without an upper bound.
    Positive,
    /// Any: a difference of two moments stamped by different processes or threads, or of a measured figure and another.
    Signed,
}

/// What a metric depends on, and so what may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// Bytes of messages: depends on the format alone.
    Size,
    /// Time, and counts per time: depends on the implementation and the machine.
    Time,
    /// Heap and stack of one call: depends on the implementation.
    Heap,
    /// Memory of a whole process: depends on the implementation and the machine.
    Process,
    /// Bytes on the wire, packets, shares: depends on the implementation.
    Count,
}

impl About {
    /// Whether it differs from machine to machine.
    pub fn is_of_machine(self) -> bool {
        matches!(self, About::Time | About::Process)
    }
}

/// A metric of the table, or of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetricInfo {
    /// Its name in the summary, unique in its scope.
    pub name: String,
    /// The kind of trials that have it.
    pub scope: Scope,
    /// The unit of its values.
    pub unit: Unit,
    /// What it depends on.
    pub about: About,
    /// The values it can have.
    pub range: Range,
    /// Which direction is better, if any.
    pub better: Better,
    /// Whether the samples alone decide it, so that it is the same in every trial and needs no repeats.
    pub exact: bool,
    /// Whether only its mean over trials is right, because what is subtracted occurs in some trials and not in others: single trials and
    /// their median are not, nor are their reciprocals and logarithms.
    pub mean_only: bool,
    /// Whether it is what a trial takes without any message, which is not a message's cost.
    #[serde(skip)]
    pub without_messages: bool,
    /// Whether only messages that arrived have it.
    #[serde(skip)]
    pub of_arrived: bool,
    /// Whether sentences about effects mention it only where a difference is shown.
    #[serde(skip)]
    pub only_where_shown: bool,
    /// The heading under which its best candidates are named; absent where none are.
    pub best: Option<&'static str>,
    /// Whether its best candidates are on the first screen.
    pub first_screen: bool,
    /// The section of the report that it belongs to.
    pub section: &'static str,
    /// Its name in tables and charts.
    pub title: String,
    /// How the number is obtained and what is inside the clock: sentences, with backticks around names.
    pub meaning: String,
    /// What could mislead about it, in the same form.
    pub misleads: String,
    /// The heading in docs/METHODOLOGY.md that says more about it.
    pub see: Option<&'static str>,
}

/// A loop of a codec trial: one phase, writing to one kind of buffer, with its metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// The metric of its time; the loop's other metrics have a suffix.
    pub name: &'static str,
    /// The phase that it repeats.
    pub phase: Phase,
    /// The buffer that it writes its bytes to.
    pub buffer: Buffer,
}

const fn one_loop(name: &'static str, phase: Phase, buffer: Buffer) -> Loop {
    Loop { name, phase, buffer }
}

/// The loops of a codec trial in their order. Those after the first five exist where something is compressed, or where the study measures
/// an empty call.
const LOOPS: [Loop; 8] = [
    one_loop("build", Phase::Build, Buffer::Reused),
    one_loop("encode", Phase::Encode, Buffer::Reused),
    one_loop("encode_fresh", Phase::Encode, Buffer::Fresh),
    one_loop("decode", Phase::Decode, Buffer::Reused),
    one_loop("read", Phase::Read, Buffer::Reused),
    one_loop("compress", Phase::Compress, Buffer::Reused),
    one_loop("decompress", Phase::Decompress, Buffer::Reused),
    one_loop("empty", Phase::Empty, Buffer::Reused),
];

/// The loops of a codec trial, in order: with compression, and with the empty call.
pub fn loops(compressed: bool, empty: bool) -> impl Iterator<Item = Loop> {
    let wanted = move |one: &Loop| match one.phase {
        Phase::Empty => empty,
        _ => compressed || !one.is_of_compression(),
    };
    LOOPS.into_iter().filter(wanted)
}

impl Loop {
    /// Whether it exists only where bytes are compressed.
    pub fn is_of_compression(&self) -> bool {
        Phase::COMPRESSION.contains(&self.phase)
    }

    /// The loop that a metric belongs to, and what it measures of it: the suffix of its name, empty for its time.
    pub fn of_metric(metric: &str) -> Option<(Loop, &'static str)> {
        let mut endings = std::iter::once("").chain(BESIDE_TIME.iter().map(|row| row.name));
        endings.find_map(|ending| {
            let name = metric.strip_suffix(ending)?;
            Some((LOOPS.into_iter().find(|one| one.name == name)?, ending))
        })
    }
}

/// Whether a metric of codec trials exists only where bytes are compressed.
pub fn needs_compression(metric: &str) -> bool {
    metric == UNCOMPRESSED || Loop::of_metric(metric).is_some_and(|(one, _)| one.is_of_compression())
}

/// The metric of the codec's own bytes, before compression.
pub const UNCOMPRESSED: &str = "body_uncompressed";

/// A metric of the table, or of a loop.
pub fn find(scope: Scope, name: &str) -> Option<MetricInfo> {
    let row = TABLE.iter().find(|row| row.scope == scope && row.name == name);
    row.map(Row::info).or_else(|| {
        let (one, ending) = Loop::of_metric(name).filter(|_| scope == Codec)?;
        let beside = BESIDE_TIME.iter().find(|row| row.name == ending)?.info();
        let time = find(scope, one.name)?;
        Some(MetricInfo {
            name: name.to_owned(),
            section: time.section,
            title: format!("{}, {}", time.title, beside.title),
            ..beside
        })
    })
}

/// All metrics of a scope: those of the table in its order, then what loops measure besides their time.
pub fn all(scope: Scope) -> impl Iterator<Item = MetricInfo> {
    let beside = LOOPS.iter().flat_map(|one| {
        BESIDE_TIME.iter().filter_map(move |row| find(Codec, &format!("{}{}", one.name, row.name)))
    });
    let rows = TABLE.iter().filter(move |row| row.scope == scope).map(Row::info);
    rows.chain(beside.filter(move |_| scope == Codec))
}

/// The position of a metric among all of its scope; unknown ones come last.
pub fn place(scope: Scope, name: &str) -> usize {
    TABLE.iter().position(|row| row.scope == scope && row.name == name).unwrap_or(TABLE.len())
}

#[cfg(test)]
mod tests {
    use super::Scope::Message;
    use super::Unit::{Bytes, Count, Ns};
    use super::*;

    /// By what their texts say.
    #[test]
    fn memory_of_processes_hangs_on_the_machine_and_heap_of_a_call_does_not() {
        for info in [Message, Codec].into_iter().flat_map(all) {
            let of_process = info.meaning.contains("resident set");
            assert_eq!(info.about == About::Process, of_process, "{}: {}", info.name, info.meaning);
            assert_eq!(
                info.about == About::Heap,
                info.see == Some("One call: heap and stack"),
                "{}",
                info.name
            );
            assert_eq!(
                info.about == About::Size,
                info.section == "sizes" && (info.unit == Bytes || info.name == "zero_share"),
                "{}",
                info.name
            );
        }
    }

    #[test]
    fn what_a_metric_is_of_and_where_it_is_told_is_said_by_the_rows() {
        let named = |is: fn(&MetricInfo) -> bool| -> Vec<String> {
            all(Message).chain(all(Codec)).filter(is).map(|metric| metric.name).collect()
        };
        let without = ["publisher_fixed_cpu", "subscriber_fixed_cpu", "broker_fixed_cpu"];
        assert_eq!(named(|metric| metric.without_messages), without);
        let of_latency: Vec<String> = named(|metric| metric.name.starts_with("latency"));
        assert_eq!(named(|metric| metric.of_arrived), of_latency);
        let quiet = ["publisher_cpu_per_message", "broker_cpu_per_message"];
        assert_eq!(named(|metric| metric.only_where_shown), quiet);
    }

    #[test]
    fn no_metric_stands_twice() {
        for scope in [Message, Codec] {
            let mut names: Vec<String> = all(scope).map(|metric| metric.name).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn every_metric_says_how_it_comes_about_and_what_could_mislead() {
        for metric in all(Message).chain(all(Codec)) {
            for text in [&metric.meaning, &metric.misleads] {
                let whole = text.ends_with('.') && !text.contains("  ") && text.matches('`').count() % 2 == 0;
                assert!(whole, "{}: {text}", metric.name);
            }
        }
    }

    #[test]
    fn what_a_loop_tells_is_found_by_its_ending() {
        let found = |name: &str| find(Codec, name).map(|metric| (metric.title, metric.unit));
        assert_eq!(found("decode_allocations"), Some(("Decode, allocations".into(), Count)));
        assert_eq!(found("encode_fresh_peak"), Some(("Encode, fresh buffer, peak heap".into(), Bytes)));
        assert_eq!(found("encode_fresh"), Some(("Encode, fresh buffer".into(), Ns)));
        assert_eq!(found("setup_peak"), None);
        assert_eq!(
            Loop::of_metric("encode_fresh_cpu").map(|(one, ending)| (one.name, ending)),
            Some(("encode_fresh", "_cpu"))
        );
        assert!(
            needs_compression("compress_stack")
                && needs_compression(UNCOMPRESSED)
                && !needs_compression("read")
        );
    }

    #[test]
    fn every_loop_has_a_row_for_its_time() {
        assert!(LOOPS.iter().all(|one| find(Codec, one.name).is_some_and(|metric| metric.unit == Ns)));
        assert_eq!((loops(false, false).count(), loops(true, true).count()), (5, LOOPS.len()));
    }
}
