//! The one table of metrics: what can be measured, in which unit, which way is better, and what the number means. The
//! summary, the report, docs/METHODOLOGY.md and a study's `until` follow it; a metric is added by a row here and what computes
//! it in the orchestrator.

use serde::Serialize;

use crate::trial::{Buffer, Phase};

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

/// A metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetricInfo {
    /// Its name in the summary.
    pub name: String,
    /// Where it stands.
    pub scope: Scope,
    /// What it is counted in.
    pub unit: Unit,
    /// What values it can have.
    pub range: Range,
    /// Which direction is better.
    pub better: Better,
    /// The heading under which its best are named, where they are.
    pub best: Option<&'static str>,
    /// Whether its best stand on the first screen.
    pub first_screen: bool,
    /// The section of the report it belongs to.
    pub section: &'static str,
    /// Its name for readers.
    pub title: String,
    /// What the number means and what is inside the clock.
    pub meaning: String,
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

/// The loops of a codec trial in their order, those behind the first five where something is compressed.
const LOOPS: [Loop; 7] = [
    one_loop("build", Phase::Build, Buffer::Reused),
    one_loop("encode", Phase::Encode, Buffer::Reused),
    one_loop("encode_fresh", Phase::Encode, Buffer::Fresh),
    one_loop("decode", Phase::Decode, Buffer::Reused),
    one_loop("read", Phase::Read, Buffer::Reused),
    one_loop("compress", Phase::Compress, Buffer::Reused),
    one_loop("decompress", Phase::Decompress, Buffer::Reused),
];

/// The loops of a codec trial, in order.
pub fn loops(compressed: bool) -> impl Iterator<Item = Loop> {
    LOOPS.into_iter().filter(move |one| compressed || !one.is_of_compression())
}

impl Loop {
    /// Whether it is there only where bytes are compressed.
    pub fn is_of_compression(&self) -> bool {
        Phase::COMPRESSION.contains(&self.phase)
    }

    /// The loop that a metric is of, and what it tells of it: the ending behind its name, empty for its time.
    pub fn of_metric(metric: &str) -> Option<(Loop, &'static str)> {
        let mut endings = std::iter::once("").chain(BESIDE_TIME.iter().map(|(ending, ..)| *ending));
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

/// A line of the table below.
struct Row {
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    meaning: &'static str,
    better: Better,
    best: Option<&'static str>,
    first_screen: bool,
    signed: bool,
}

/// A metric that explains others; nothing is best at it.
const fn part(
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    meaning: &'static str,
) -> Row {
    let (better, best) = (Better::Neither, None);
    Row { scope, name, unit, section, title, meaning, better, best, first_screen: false, signed: false }
}

/// A metric of which less is better, and whose best are named in its section.
const fn ranked(
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    best: &'static str,
    meaning: &'static str,
) -> Row {
    Row { better: Better::Lower, best: Some(best), ..part(scope, name, unit, section, title, meaning) }
}

/// A metric of which less is better, and whose best are named on the first screen.
const fn first(
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    best: &'static str,
    meaning: &'static str,
) -> Row {
    Row { first_screen: true, ..ranked(scope, name, unit, section, title, best, meaning) }
}

impl Row {
    /// The same for a metric that can be below 0, and for a ratio that is no share.
    const fn signed(self) -> Row {
        Row { signed: true, ..self }
    }

    fn info(&self) -> MetricInfo {
        MetricInfo {
            name: self.name.to_owned(),
            scope: self.scope,
            unit: self.unit,
            range: range(self.unit, self.signed),
            better: self.better,
            best: self.best,
            first_screen: self.first_screen,
            section: self.section,
            title: self.title.to_owned(),
            meaning: self.meaning.to_owned(),
        }
    }
}

fn range(unit: Unit, signed: bool) -> Range {
    match unit {
        _ if signed => Range::Signed,
        Unit::Ratio => Range::Share,
        _ => Range::Positive,
    }
}

use Scope::{Codec, Message};
use Unit::{Bytes, Count, Ns, PerSecond, Ratio};

/// In the order in which reports show them.
const TABLE: &[Row] = &[
    first(
        Message,
        "latency",
        Ns,
        "latency",
        "Latency",
        "Fastest delivery",
        "From the moment the schedule wanted the message sent to the moment the receiving client handed it to \
         the application. Building, encoding and any wait of the publisher are inside; decoding is not. Only \
         delivered messages have one, so a mode that loses messages can look fast.",
    ),
    part(
        Message,
        "latency_from_sent",
        Ns,
        "latency",
        "Latency from sent",
        "From the moment the transport had taken the message to its receipt. It leaves out encoding and a \
         publisher that fell behind.",
    )
    .signed(),
    first(
        Message,
        "lost",
        Ratio,
        "delivery",
        "Lost",
        "Most reliable delivery",
        "Share of the sent messages that had not arrived when the drain after the last send was over. The \
         interval is that of a share over trials (Korn and Graubard), exact for independent messages where trials do not \
         differ or are fewer than five (Clopper and Pearson); nothing lost has an upper end too.",
    ),
    first(
        Message,
        "wire_per_message",
        Bytes,
        "overhead",
        "Bytes on the wire",
        "Fewest bytes on the wire",
        "Bytes of all packets of the measured phase, both directions and all legs, per sent message: IP length \
         plus 14 bytes of Ethernet header, counted where a packet enters the link and before loss. \
         Acknowledgements and retransmissions are inside; connection set-up and warm-up are not.",
    ),
    part(
        Message,
        "packets_per_message",
        Count,
        "overhead",
        "Packets",
        "Packets of the measured phase, both directions and all legs, per sent message, counted before loss. \
         Acknowledgements and retransmissions are inside.",
    ),
    ranked(
        Message,
        "overhead_per_message",
        Bytes,
        "overhead",
        "Overhead",
        "Least overhead",
        "Bytes on the wire per sent message minus the body on each leg that it crossed: up to the broker, and down from \
         it if it was delivered.",
    ),
    part(
        Message,
        "overhead_study",
        Bytes,
        "overhead",
        "Overhead, study's definition",
        "Overhead as the vehicle-to-cloud study defined it, for comparison with its figures.",
    ),
    part(
        Message,
        "build_time",
        Ns,
        "split",
        "Build",
        "From the domain value to the codec's own object, inside the message trial.",
    ),
    part(
        Message,
        "encode_time",
        Ns,
        "split",
        "Encode",
        "From the codec's object to bytes, inside the message trial.",
    ),
    part(
        Message,
        "send_time",
        Ns,
        "split",
        "Send",
        "From bytes ready to the moment the client library had taken them; each transport declares what that is.",
    ),
    part(
        Message,
        "transit_time",
        Ns,
        "split",
        "Transit",
        "From the client library having taken the message to its receipt: link, broker and client queues.",
    )
    .signed(),
    part(
        Message,
        "decode_time",
        Ns,
        "split",
        "Decode",
        "From bytes to the codec's object, inside the message trial.",
    ),
    part(
        Message,
        "ack_time",
        Ns,
        "split",
        "Acknowledgement",
        "From the client library having taken the message to the protocol's acknowledgement; only modes that \
         have one.",
    )
    .signed(),
    part(
        Message,
        "schedule_lag",
        Ns,
        "split",
        "Schedule lag",
        "Actual minus intended send: how late the publisher itself was. It is inside the latency.",
    )
    .signed(),
    first(
        Message,
        "publisher_cpu",
        Ns,
        "resources",
        "Publisher CPU",
        "Least CPU at the publisher",
        "CPU time of the publisher's process, user and system, during the measured part of a trial, per sent \
         message. Building and encoding are inside.",
    ),
    ranked(
        Message,
        "subscriber_cpu",
        Ns,
        "resources",
        "Subscriber CPU",
        "Least CPU at the subscriber",
        "CPU time of the subscriber's process, user and system, per sent message. Decoding is inside.",
    ),
    ranked(
        Message,
        "broker_cpu",
        Ns,
        "resources",
        "Broker CPU",
        "Least CPU at the broker",
        "CPU time of the broker's or relay's process, user and system, per sent message.",
    ),
    ranked(
        Message,
        "publisher_memory",
        Bytes,
        "resources",
        "Publisher memory",
        "Least memory at the publisher",
        "Largest resident set of the publisher's process since it began; the runner itself is inside.",
    ),
    ranked(
        Message,
        "subscriber_memory",
        Bytes,
        "resources",
        "Subscriber memory",
        "Least memory at the subscriber",
        "Largest resident set of the subscriber's process since it began; the runner itself is inside.",
    ),
    ranked(
        Message,
        "broker_memory",
        Bytes,
        "resources",
        "Broker memory",
        "Least memory at the broker",
        "Largest resident set of the broker's or relay's process since it began.",
    ),
    part(
        Message,
        "publisher_memory_growth",
        Bytes,
        "resources",
        "Growth of the publisher's memory",
        "The publisher's resident set at the end of the measured part minus that at its beginning.",
    )
    .signed(),
    part(
        Message,
        "subscriber_memory_growth",
        Bytes,
        "resources",
        "Growth of the subscriber's memory",
        "The subscriber's resident set at the end of the measured part minus that at its beginning.",
    )
    .signed(),
    part(
        Message,
        "broker_memory_growth",
        Bytes,
        "resources",
        "Growth of the broker's memory",
        "The broker's resident set at the end of the measured part minus that at its beginning.",
    )
    .signed(),
    part(
        Message,
        "send_rate",
        PerSecond,
        "pace",
        "Rate",
        "Messages sent, divided by the time from the first intended send to the last hand-over to the client.",
    ),
    part(
        Message,
        "backlog_half",
        Count,
        "pace",
        "Backlog at half time",
        "Messages that had been sent and were still to arrive when half of all had been sent; lost ones are left out.",
    ),
    part(
        Message,
        "backlog_end",
        Count,
        "pace",
        "Backlog at the end",
        "The same when the last message had been sent.",
    ),
    part(
        Message,
        "latency_trend",
        Ratio,
        "pace",
        "Trend of the latency",
        "Median latency of the last third of a trial's messages over that of the first third, minus 1: 0 in a steady state.",
    )
    .signed(),
    part(
        Message,
        "socket_drops",
        Count,
        "delivery",
        "Dropped by sockets",
        "Datagrams that the kernel threw away because the buffer of a role's UDP socket was full, in a trial. They are no \
         losses of the link.",
    ),
    part(
        Message,
        "link_run_delay",
        Ratio,
        "noise",
        "Link's wait for a CPU",
        "Share of the measured part in which the link's process could have run and waited for a CPU.",
    ),
    part(
        Message,
        "roles_run_delay",
        Ratio,
        "noise",
        "Roles' wait for a CPU",
        "The same of the role that waited most, summed over its threads.",
    ),
    part(
        Message,
        "link_round_trip",
        Ns,
        "noise",
        "Link's floor",
        "Shortest round trip of the ICMP echoes that looked at the laid link before each trial.",
    ),
    part(
        Message,
        "link_excess",
        Ns,
        "noise",
        "Link above its floor",
        "The shortest echo's round trip minus the least that the link's model gives for it: what the emulation and the \
         waking of a thread added.",
    )
    .signed(),
    part(
        Message,
        "link_lateness_p99",
        Ns,
        "noise",
        "Link's lateness",
        "99th percentile of how much later than the model said packets left the link, in each trial.",
    ),
    part(
        Message,
        "scheduling_lateness_p99",
        Ns,
        "noise",
        "Scheduling lateness",
        "99th percentile of how late a sleeping thread was woken, looked at for 20 ms before each trial.",
    ),
    part(
        Message,
        "utilisation",
        Ratio,
        "noise",
        "Utilisation",
        "Share of the whole machine's CPU time in use during the measured part of each trial.",
    ),
    part(
        Message,
        "steal",
        Ratio,
        "noise",
        "Steal",
        "Share of the CPU time that the hypervisor gave to others during the measured part of each trial.",
    ),
    part(
        Message,
        "body",
        Bytes,
        "sizes",
        "Body",
        "Bytes that the codec and the compression behind it made of each message that was sent, without any header of the \
         protocol.",
    ),
    first(
        Codec,
        "body",
        Bytes,
        "sizes",
        "Body",
        "Smallest body",
        "Bytes that the codec and the compression behind it make of one message, without any header of the protocol. \
         Means go over the payload's samples.",
    ),
    part(
        Codec,
        "body_uncompressed",
        Bytes,
        "sizes",
        "Body before compression",
        "Bytes that the codec makes of one message before they are compressed. A dictionary that both sides know is in \
         neither figure.",
    ),
    first(
        Codec,
        "total",
        Ns,
        "codecs",
        "All phases",
        "Least codec time",
        "Sum of build, encode, decode and read, and of compress and decompress where there is a compression, of each \
         trial's medians, the output buffer used again: no codec wins by moving its work into a phase outside the clock.",
    ),
    ranked(
        Codec,
        "build",
        Ns,
        "codecs",
        "Build",
        "Fastest to build",
        "From the domain value to the codec's own object, in a calibrated loop with the timer's overhead taken off: the median \
         batch of each trial.",
    ),
    ranked(
        Codec,
        "encode",
        Ns,
        "codecs",
        "Encode",
        "Fastest to encode",
        "From the codec's object to bytes, into a buffer that is used again where the codec can.",
    ),
    part(
        Codec,
        "encode_fresh",
        Ns,
        "codecs",
        "Encode, fresh buffer",
        "The same into a new output buffer for every message: its allocation is inside the clock.",
    ),
    ranked(
        Codec,
        "decode",
        Ns,
        "codecs",
        "Decode",
        "Fastest to decode",
        "From bytes to the codec's object. Zero-copy codecs do next to nothing here: their cost is in read.",
    ),
    ranked(
        Codec,
        "read",
        Ns,
        "codecs",
        "Read",
        "Fastest to read",
        "Touching every field of the decoded object once.",
    ),
    part(
        Codec,
        "compress",
        Ns,
        "codecs",
        "Compress",
        "From the codec's bytes to the compressed ones, into a buffer that is used again; states and tables are kept from \
         message to message.",
    ),
    part(
        Codec,
        "decompress",
        Ns,
        "codecs",
        "Decompress",
        "Back from the compressed bytes to the codec's, into a buffer that is used again.",
    ),
    part(
        Codec,
        "setup",
        Ns,
        "codecs",
        "Set-up",
        "Making what lives as long as codec and payload go together, such as a parsed schema, in a process that has done \
         nothing else.",
    ),
    part(
        Codec,
        "encode_first",
        Ns,
        "codecs",
        "Encode, first call",
        "The first encode in a process that has done nothing else, into a new buffer: code, caches and tables are cold.",
    ),
    part(
        Codec,
        "decode_first",
        Ns,
        "codecs",
        "Decode, first call",
        "The first decode in the same process, of what the first encode gave.",
    ),
    part(
        Codec,
        "resident_idle",
        Bytes,
        "codecs",
        "Process, idle",
        "Largest resident set of a runner process in which the codec is ready and has seen no message: the program with every codec in it.",
    ),
    part(
        Codec,
        "resident_encode",
        Bytes,
        "codecs",
        "Process that encodes",
        "Largest resident set of a process that makes the samples and encodes each, and does nothing else.",
    ),
    part(
        Codec,
        "resident_decode",
        Bytes,
        "codecs",
        "Process that decodes",
        "Largest resident set of a process that gets the samples' bytes and decodes and reads each, and does nothing else.",
    ),
    part(
        Codec,
        "disturbed_batches",
        Ratio,
        "codecs",
        "Disturbed batches",
        "Share of the batches that took 5 % longer than the CPU time of their thread, because it waited for a CPU: in the loop of \
         a trial that has most of them. A loop's figure is its median batch, which few of them hardly move.",
    ),
];

/// What a loop tells beside its time: ending, unit, title, meaning.
const BESIDE_TIME: [(&str, Unit, &str, &str); 6] = [
    (
        "_cpu",
        Ns,
        "CPU time",
        "CPU time of the measuring thread, user and system, for one operation of this phase, from the same batches as \
         the time.",
    ),
    (
        "_instructions",
        Count,
        "instructions",
        "Instructions retired in user mode for one operation of this phase, from the same batches as the time.",
    ),
    (
        "_stack",
        Bytes,
        "stack",
        "Deepest byte that one operation of this phase wrote on a painted stack, below the loop that calls it: the \
         largest of the samples, found in a pass apart from timing.",
    ),
    (
        "_allocations",
        Count,
        "allocations",
        "Heap allocations of one operation of this phase, those of C libraries included, counted in a pass apart from \
         timing.",
    ),
    (
        "_allocated",
        Bytes,
        "bytes allocated",
        "Bytes asked of the heap by one operation of this phase, whether given back or not.",
    ),
    (
        "_peak",
        Bytes,
        "peak heap",
        "Most heap bytes that one operation of this phase held at once beyond what it found.",
    ),
];

/// A metric of the table, or of a loop.
pub fn find(scope: Scope, name: &str) -> Option<MetricInfo> {
    let row = TABLE.iter().find(|row| row.scope == scope && row.name == name);
    row.map(Row::info).or_else(|| {
        let (one, ending) = Loop::of_metric(name).filter(|_| scope == Codec)?;
        let (_, unit, title, meaning) = BESIDE_TIME.iter().find(|(known, ..)| *known == ending)?;
        let time = find(scope, one.name)?;
        Some(MetricInfo {
            name: name.to_owned(),
            unit: *unit,
            range: range(*unit, false),
            better: Better::Neither,
            best: None,
            first_screen: false,
            title: format!("{}, {title}", time.title),
            meaning: (*meaning).to_owned(),
            ..time
        })
    })
}

/// All metrics of a scope: those of the table in its order, then what loops tell beside their time.
pub fn all(scope: Scope) -> impl Iterator<Item = MetricInfo> {
    let beside = LOOPS.iter().flat_map(|one| {
        BESIDE_TIME.iter().filter_map(move |(ending, ..)| find(Codec, &format!("{}{ending}", one.name)))
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
    use super::*;

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
        assert_eq!(loops(false).count(), 5);
    }
}
