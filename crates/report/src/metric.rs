//! The one table of metrics: what each name in `summary.json` is called, which direction is better, and what is
//! inside the clock. Everything that shows a metric asks here; a name that is not here shows as it stands.

use serde::Serialize;

/// Where a metric stands in the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// In `cells[].metrics`: message trials.
    Message,
    /// In `codecs[].metrics`: codec trials.
    Codec,
}

/// Which direction is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Less is better.
    Lower,
    /// Neither: shown for explanation.
    Neither,
}

/// A metric as reports speak of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetricInfo {
    /// Its name in the summary.
    pub name: String,
    /// Where it stands.
    pub scope: Scope,
    /// Its name for readers.
    pub title: String,
    /// Which direction is better.
    pub better: Better,
    /// The heading under which its best are named, where they are.
    pub best: Option<&'static str>,
    /// Whether its best stand on the first screen.
    pub first_screen: bool,
    /// The section of the report it belongs to.
    pub section: &'static str,
    /// What the number means and what is inside the clock.
    pub meaning: String,
}

/// A line of the table below.
struct Known {
    name: &'static str,
    scope: Scope,
    title: &'static str,
    best: Option<&'static str>,
    first_screen: bool,
    section: &'static str,
    meaning: &'static str,
}

/// A metric whose best are named on the first screen.
const fn first(
    scope: Scope,
    name: &'static str,
    section: &'static str,
    title: &'static str,
    best: &'static str,
    meaning: &'static str,
) -> Known {
    Known { name, scope, title, best: Some(best), first_screen: true, section, meaning }
}

/// A metric whose best are named in its section.
const fn ranked(
    scope: Scope,
    name: &'static str,
    section: &'static str,
    title: &'static str,
    best: &'static str,
    meaning: &'static str,
) -> Known {
    Known { name, scope, title, best: Some(best), first_screen: false, section, meaning }
}

/// A metric that explains others; nothing is best at it.
const fn part(
    scope: Scope,
    name: &'static str,
    section: &'static str,
    title: &'static str,
    meaning: &'static str,
) -> Known {
    Known { name, scope, title, best: None, first_screen: false, section, meaning }
}

use Scope::{Codec, Message};

/// In the order in which reports show them.
const TABLE: &[Known] = &[
    first(
        Message,
        "latency",
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
        "latency",
        "Latency from sent",
        "From the moment the transport had taken the message to its receipt. It leaves out encoding and a \
         publisher that fell behind.",
    ),
    first(
        Message,
        "lost",
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
        "overhead",
        "Packets",
        "Packets of the measured phase, both directions and all legs, per sent message, counted before loss. \
         Acknowledgements and retransmissions are inside.",
    ),
    ranked(
        Message,
        "overhead_per_message",
        "overhead",
        "Overhead",
        "Least overhead",
        "Bytes on the wire per sent message minus the body on each leg that it crossed: up to the broker, and down from \
         it if it was delivered.",
    ),
    part(
        Message,
        "overhead_study",
        "overhead",
        "Overhead, study's definition",
        "Overhead as the vehicle-to-cloud study defined it, for comparison with its figures.",
    ),
    part(
        Message,
        "build_time",
        "split",
        "Build",
        "From the domain value to the codec's own object, inside the message trial.",
    ),
    part(
        Message,
        "encode_time",
        "split",
        "Encode",
        "From the codec's object to bytes, inside the message trial.",
    ),
    part(
        Message,
        "send_time",
        "split",
        "Send",
        "From bytes ready to the moment the client library had taken them; each transport declares what that is.",
    ),
    part(
        Message,
        "transit_time",
        "split",
        "Transit",
        "From the client library having taken the message to its receipt: link, broker and client queues.",
    ),
    part(
        Message,
        "decode_time",
        "split",
        "Decode",
        "From bytes to the codec's object, inside the message trial.",
    ),
    part(
        Message,
        "ack_time",
        "split",
        "Acknowledgement",
        "From the client library having taken the message to the protocol's acknowledgement; only modes that \
         have one.",
    ),
    part(
        Message,
        "schedule_lag",
        "split",
        "Schedule lag",
        "Actual minus intended send: how late the publisher itself was. It is inside the latency.",
    ),
    first(
        Message,
        "publisher_cpu",
        "resources",
        "Publisher CPU",
        "Least CPU at the publisher",
        "CPU time of the publisher's process, user and system, during the measured part of a trial, per sent \
         message. Building and encoding are inside.",
    ),
    ranked(
        Message,
        "subscriber_cpu",
        "resources",
        "Subscriber CPU",
        "Least CPU at the subscriber",
        "CPU time of the subscriber's process, user and system, per sent message. Decoding is inside.",
    ),
    ranked(
        Message,
        "broker_cpu",
        "resources",
        "Broker CPU",
        "Least CPU at the broker",
        "CPU time of the broker's or relay's process, user and system, per sent message.",
    ),
    ranked(
        Message,
        "publisher_memory",
        "resources",
        "Publisher memory",
        "Least memory at the publisher",
        "Largest resident set of the publisher's process since it began; the runner itself is inside.",
    ),
    ranked(
        Message,
        "subscriber_memory",
        "resources",
        "Subscriber memory",
        "Least memory at the subscriber",
        "Largest resident set of the subscriber's process since it began; the runner itself is inside.",
    ),
    ranked(
        Message,
        "broker_memory",
        "resources",
        "Broker memory",
        "Least memory at the broker",
        "Largest resident set of the broker's or relay's process since it began.",
    ),
    part(
        Message,
        "publisher_memory_growth",
        "resources",
        "Growth of the publisher's memory",
        "The publisher's resident set at the end of the measured part minus that at its beginning.",
    ),
    part(
        Message,
        "subscriber_memory_growth",
        "resources",
        "Growth of the subscriber's memory",
        "The subscriber's resident set at the end of the measured part minus that at its beginning.",
    ),
    part(
        Message,
        "broker_memory_growth",
        "resources",
        "Growth of the broker's memory",
        "The broker's resident set at the end of the measured part minus that at its beginning.",
    ),
    part(
        Message,
        "send_rate",
        "pace",
        "Rate",
        "Messages sent, divided by the time from the first intended send to the last hand-over to the client.",
    ),
    part(
        Message,
        "backlog_half",
        "pace",
        "Backlog at half time",
        "Messages that had been sent and were still to arrive when half of all had been sent; lost ones are left out.",
    ),
    part(
        Message,
        "backlog_end",
        "pace",
        "Backlog at the end",
        "The same when the last message had been sent.",
    ),
    part(
        Message,
        "latency_trend",
        "pace",
        "Trend of the latency",
        "Median latency of the last third of a trial's messages over that of the first third, minus 1: 0 in a steady state.",
    ),
    part(
        Message,
        "socket_drops",
        "delivery",
        "Dropped by sockets",
        "Datagrams that the kernel threw away because the buffer of a role's UDP socket was full, in a trial. They are no \
         losses of the link.",
    ),
    part(
        Message,
        "link_run_delay",
        "noise",
        "Link's wait for a CPU",
        "Share of the measured part in which the link's process could have run and waited for a CPU.",
    ),
    part(
        Message,
        "roles_run_delay",
        "noise",
        "Roles' wait for a CPU",
        "The same of the role that waited most, summed over its threads.",
    ),
    part(
        Message,
        "link_round_trip",
        "noise",
        "Link's floor",
        "Shortest round trip of the ICMP echoes that looked at the laid link before each trial.",
    ),
    part(
        Message,
        "link_excess",
        "noise",
        "Link above its floor",
        "The shortest echo's round trip minus the least that the link's model gives for it: what the emulation and the \
         waking of a thread added.",
    ),
    part(
        Message,
        "link_lateness_p99",
        "noise",
        "Link's lateness",
        "99th percentile of how much later than the model said packets left the link, in each trial.",
    ),
    part(
        Message,
        "scheduling_lateness_p99",
        "noise",
        "Scheduling lateness",
        "99th percentile of how late a sleeping thread was woken, looked at for 20 ms before each trial.",
    ),
    part(
        Message,
        "utilisation",
        "noise",
        "Utilisation",
        "Share of the whole machine's CPU time in use during the measured part of each trial.",
    ),
    part(
        Message,
        "steal",
        "noise",
        "Steal",
        "Share of the CPU time that the hypervisor gave to others during the measured part of each trial.",
    ),
    first(
        Codec,
        "body",
        "sizes",
        "Body",
        "Smallest body",
        "Bytes that the codec and the compression behind it make of one message, without any header of the protocol. \
         Means go over the payload's samples.",
    ),
    part(
        Codec,
        "body_uncompressed",
        "sizes",
        "Body before compression",
        "Bytes that the codec makes of one message before they are compressed. A dictionary that both sides know is in \
         neither figure.",
    ),
    first(
        Codec,
        "total",
        "codecs",
        "All phases",
        "Least codec time",
        "Sum of build, encode, decode and read, and of compress and decompress where there is a compression, of each \
         trial's medians, the output buffer used again: no codec wins by moving its work into a phase outside the clock.",
    ),
    ranked(
        Codec,
        "build",
        "codecs",
        "Build",
        "Fastest to build",
        "From the domain value to the codec's own object, in a calibrated loop with the timer's overhead taken off: the median \
         batch of each trial.",
    ),
    ranked(
        Codec,
        "encode",
        "codecs",
        "Encode",
        "Fastest to encode",
        "From the codec's object to bytes, into a buffer that is used again where the codec can.",
    ),
    part(
        Codec,
        "encode_fresh",
        "codecs",
        "Encode, fresh buffer",
        "The same into a new output buffer for every message: its allocation is inside the clock.",
    ),
    ranked(
        Codec,
        "decode",
        "codecs",
        "Decode",
        "Fastest to decode",
        "From bytes to the codec's object. Zero-copy codecs do next to nothing here: their cost is in read.",
    ),
    ranked(
        Codec,
        "read",
        "codecs",
        "Read",
        "Fastest to read",
        "Touching every field of the decoded object once.",
    ),
    part(
        Codec,
        "compress",
        "codecs",
        "Compress",
        "From the codec's bytes to the compressed ones, into a buffer that is used again; states and tables are kept from \
         message to message.",
    ),
    part(
        Codec,
        "decompress",
        "codecs",
        "Decompress",
        "Back from the compressed bytes to the codec's, into a buffer that is used again.",
    ),
    part(
        Codec,
        "setup",
        "codecs",
        "Set-up",
        "Making what lives as long as codec and payload go together, such as a parsed schema, in a process that has done \
         nothing else.",
    ),
    part(
        Codec,
        "encode_first",
        "codecs",
        "Encode, first call",
        "The first encode in a process that has done nothing else, into a new buffer: code, caches and tables are cold.",
    ),
    part(
        Codec,
        "decode_first",
        "codecs",
        "Decode, first call",
        "The first decode in the same process, of what the first encode gave.",
    ),
    part(
        Codec,
        "resident_idle",
        "codecs",
        "Process, idle",
        "Largest resident set of a runner process in which the codec is ready and has seen no message: the program with every codec in it.",
    ),
    part(
        Codec,
        "resident_encode",
        "codecs",
        "Process that encodes",
        "Largest resident set of a process that makes the samples and encodes each, and does nothing else.",
    ),
    part(
        Codec,
        "resident_decode",
        "codecs",
        "Process that decodes",
        "Largest resident set of a process that gets the samples' bytes and decodes and reads each, and does nothing else.",
    ),
    part(
        Codec,
        "disturbed_batches",
        "codecs",
        "Disturbed batches",
        "Share of the batches that took 5 % longer than the CPU time of their thread, because it waited for a CPU: in the loop of \
         a trial that has most of them. A loop's figure is its median batch, which few of them hardly move.",
    ),
];

/// Metrics that have a column in the tables, with a heading where the title is too long for one, in the order of the
/// columns. A column stands where some row has its metric; what is not here stands in charts and `summary.json`.
const COLUMNS: &[(Scope, &str, &str)] = &[
    (Message, "body", "body"),
    (Message, "wire_per_message", "wire per message"),
    (Message, "publisher_cpu", "publisher CPU"),
    (Message, "subscriber_cpu", "subscriber CPU"),
    (Codec, "body", "body"),
    (Codec, "body_uncompressed", "uncompressed"),
    (Codec, "total", "all phases"),
    (Codec, "build", "build"),
    (Codec, "encode", "encode"),
    (Codec, "encode_fresh", "encode, fresh buffer"),
    (Codec, "compress", "compress"),
    (Codec, "decompress", "decompress"),
    (Codec, "decode", "decode"),
    (Codec, "read", "read"),
    (Codec, "encode_peak", "heap to encode"),
    (Codec, "encode_stack", "stack to encode"),
    (Codec, "decode_peak", "heap to decode"),
    (Codec, "decode_stack", "stack to decode"),
    (Codec, "encode_allocations", "allocations to encode"),
    (Codec, "decode_allocations", "allocations to decode"),
    (Codec, "disturbed_batches", "disturbed batches"),
];

/// A metric with a column of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricColumn {
    /// Its name in the summary.
    pub name: &'static str,
    /// The column's heading.
    pub heading: &'static str,
}

/// The columns of a scope for metrics that there are.
pub fn columns(scope: Scope, has: impl Fn(&str) -> bool) -> Vec<MetricColumn> {
    let wanted = COLUMNS.iter().filter(|(of, name, _)| *of == scope && has(name));
    wanted.map(|&(_, name, heading)| MetricColumn { name, heading }).collect()
}

/// Endings behind the name of a phase, for what codec trials measure beside its time.
const BESIDE_TIME: [(&str, &str, &str); 6] = [
    (
        "_cpu",
        "CPU time",
        "CPU time of the measuring thread, user and system, for one operation of this phase, from the same batches as \
         the time.",
    ),
    (
        "_instructions",
        "instructions",
        "Instructions retired in user mode for one operation of this phase, from the same batches as the time.",
    ),
    (
        "_stack",
        "stack",
        "Deepest byte that one operation of this phase wrote on a painted stack, below the loop that calls it: the \
         largest of the samples, found in a pass apart from timing.",
    ),
    (
        "_allocations",
        "allocations",
        "Heap allocations of one operation of this phase, those of C libraries included, counted in a pass apart from \
         timing.",
    ),
    (
        "_allocated",
        "bytes allocated",
        "Bytes asked of the heap by one operation of this phase, whether given back or not.",
    ),
    (
        "_peak",
        "peak heap",
        "Most heap bytes that one operation of this phase held at once beyond what it found.",
    ),
];

/// What is known of a metric; unknown names get a description that says so.
pub fn describe(scope: Scope, name: &str) -> MetricInfo {
    if let Some(known) = TABLE.iter().find(|known| known.scope == scope && known.name == name) {
        return from_table(known);
    }
    // A message's body is the codec's: one description serves both.
    if let Some(known) = TABLE.iter().find(|known| name == "body" && known.name == name) {
        return MetricInfo { scope, best: None, first_screen: false, ..from_table(known) };
    }
    let memory = BESIDE_TIME.iter().find_map(|(ending, title, meaning)| {
        let phase = name.strip_suffix(ending).filter(|_| scope == Codec)?;
        Some((format!("{}, {title}", describe(scope, phase).title), (*meaning).to_owned()))
    });
    let (title, meaning) = memory.unwrap_or_else(|| {
        (
            capitalised(&name.replace('_', " ")),
            "A metric that this version of the report has no words for.".to_owned(),
        )
    });
    MetricInfo {
        name: name.to_owned(),
        scope,
        title,
        better: Better::Neither,
        best: None,
        first_screen: false,
        section: if scope == Codec { "codecs" } else { "results" },
        meaning,
    }
}

/// All metrics of a scope that are named in the table, in its order.
pub fn known(scope: Scope) -> impl Iterator<Item = MetricInfo> {
    TABLE.iter().filter(move |known| known.scope == scope).map(from_table)
}

/// The given names, those of the table first and in its order, the others behind them by name.
pub fn ordered<'a>(scope: Scope, names: impl Iterator<Item = &'a String>) -> Vec<MetricInfo> {
    let mut names: Vec<&String> = names.collect();
    let place = |name: &str| {
        let found = TABLE.iter().position(|known| known.scope == scope && known.name == name);
        found.unwrap_or(TABLE.len())
    };
    names.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
    names.dedup();
    names.into_iter().map(|name| describe(scope, name)).collect()
}

fn from_table(known: &Known) -> MetricInfo {
    MetricInfo {
        name: known.name.to_owned(),
        scope: known.scope,
        title: known.title.to_owned(),
        better: if known.best.is_some() { Better::Lower } else { Better::Neither },
        best: known.best,
        first_screen: known.first_screen,
        section: known.section,
        meaning: known.meaning.to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_metric_stands_twice() {
        for (place, known) in TABLE.iter().enumerate() {
            let twice =
                TABLE[..place].iter().any(|other| other.name == known.name && other.scope == known.scope);
            assert!(!twice, "{}", known.name);
        }
    }

    #[test]
    fn unknown_names_still_have_a_title() {
        assert_eq!(describe(Message, "queue_depth").title, "Queue depth");
        assert_eq!(describe(Codec, "decode_allocations").title, "Decode, allocations");
        assert_eq!(describe(Codec, "encode_fresh_peak").title, "Encode, fresh buffer, peak heap");
        assert_eq!(describe(Message, "body").title, "Body");
    }

    #[test]
    fn known_metrics_come_first_and_in_order() {
        let names = ["zeal", "lost", "abc", "latency"].map(str::to_owned);
        let titles: Vec<String> = ordered(Message, names.iter()).into_iter().map(|info| info.name).collect();
        assert_eq!(titles, ["latency", "lost", "abc", "zeal"]);
    }
}
