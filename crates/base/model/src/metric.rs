//! The one table of metrics: what can be measured, in which unit, which way is better, and what the number means. The
//! summary, the report, docs/METHODOLOGY.md and a study's `until` follow it; a metric is added by a row of `table` and what computes
//! it in the orchestrator.

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
    /// In `cells[].metrics`: message trials.
    Message,
    /// In `codecs[].metrics`: codec trials.
    Codec,
}

/// What a metric is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// Pieces.
    Count,
    /// A share, or another ratio.
    Ratio,
    /// Pieces a second.
    PerSecond,
    /// Bytes a second.
    BytesPerSecond,
}

impl Unit {
    /// As it stands in the summary.
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

/// Which direction is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: shown for explanation.
    Neither,
}

/// What values a metric can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Range {
    /// 0 to 1: a share.
    Share,
    /// Not below 0.
    Positive,
    /// Any: a difference of two moments that different processes or threads stamp, or of a measured figure and another.
    Signed,
}

/// What a metric is about: on what it hangs, and so what may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// Bytes of messages: of the format, whoever writes it.
    Size,
    /// Time, and what is counted by time: of the implementation and the machine.
    Time,
    /// Heap and stack of one call: of the implementation.
    Heap,
    /// Memory of a whole process: of the implementation and the machine.
    Process,
    /// Bytes on the wire, packets, shares: of the implementation.
    Count,
}

impl About {
    /// Whether another machine has another figure.
    pub fn is_of_machine(self) -> bool {
        matches!(self, About::Time | About::Process)
    }
}

/// A metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetricInfo {
    /// Its name in the summary.
    pub name: String,
    /// Where it stands.
    pub scope: Scope,
    /// What it is counted in.
    pub unit: Unit,
    /// What it hangs on.
    pub about: About,
    /// What values it can have.
    pub range: Range,
    /// Which direction is better.
    pub better: Better,
    /// Whether the samples alone decide it, so that it is the same in every trial and needs no repeats.
    pub exact: bool,
    /// Whether it is right on the mean of trials alone, because what is taken off is met by some trials and missed by others: single trials
    /// and their median are not, nor are their reciprocals and logarithms.
    pub mean_only: bool,
    /// Whether it is what a trial takes without any message, which is no cost of one.
    #[serde(skip)]
    pub without_messages: bool,
    /// Whether only messages that arrived have it.
    #[serde(skip)]
    pub of_arrived: bool,
    /// Whether sentences about effects tell it only where a difference is shown.
    #[serde(skip)]
    pub only_where_shown: bool,
    /// The heading under which its best are named, where they are.
    pub best: Option<&'static str>,
    /// Whether its best stand on the first screen.
    pub first_screen: bool,
    /// The section of the report it belongs to.
    pub section: &'static str,
    /// Its name for readers.
    pub title: String,
    /// How the number comes about and what is inside the clock: sentences, with backticks around names.
    pub meaning: String,
    /// What could mislead about it, likewise.
    pub misleads: String,
    /// The heading in docs/METHODOLOGY.md under which there is more of it.
    pub see: Option<&'static str>,
}

/// A loop of a codec trial: what one phase, writing to one kind of buffer, is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// The metric of its time; the others of the loop have an ending behind it.
    pub name: &'static str,
    /// The phase.
    pub phase: Phase,
    /// Where it writes its bytes to.
    pub buffer: Buffer,
}

const fn one_loop(name: &'static str, phase: Phase, buffer: Buffer) -> Loop {
    Loop { name, phase, buffer }
}

/// The loops of a codec trial in their order. Those behind the first five are there where something is compressed, and where
/// the study asks what a call costs that does nothing.
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
    /// Whether it is there only where bytes are compressed.
    pub fn is_of_compression(&self) -> bool {
        Phase::COMPRESSION.contains(&self.phase)
    }

    /// The loop that a metric is of, and what it tells of it: the ending behind its name, empty for its time.
    pub fn of_metric(metric: &str) -> Option<(Loop, &'static str)> {
        let mut endings = std::iter::once("").chain(BESIDE_TIME.iter().map(|row| row.name));
        endings.find_map(|ending| {
            let name = metric.strip_suffix(ending)?;
            Some((LOOPS.into_iter().find(|one| one.name == name)?, ending))
        })
    }
}

/// Whether a metric of codec trials is there only where bytes are compressed.
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

/// All metrics of a scope: those of the table in its order, then what loops tell beside their time.
pub fn all(scope: Scope) -> impl Iterator<Item = MetricInfo> {
    let beside = LOOPS.iter().flat_map(|one| {
        BESIDE_TIME.iter().filter_map(move |row| find(Codec, &format!("{}{}", one.name, row.name)))
    });
    let rows = TABLE.iter().filter(move |row| row.scope == scope).map(Row::info);
    rows.chain(beside.filter(move |_| scope == Codec))
}

/// Where a metric stands among all of its scope; those that nothing is known of come last.
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
                info.unit == Bytes && info.section == "sizes",
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
