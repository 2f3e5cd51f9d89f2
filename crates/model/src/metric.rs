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

/// A line of the tables below.
struct Row {
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    meaning: &'static str,
    misleads: &'static str,
    see: Option<&'static str>,
    better: Better,
    best: Option<&'static str>,
    first_screen: bool,
    range: Option<Range>,
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
    Row {
        scope,
        name,
        unit,
        section,
        title,
        meaning,
        misleads: "",
        see: None,
        better: Better::Neither,
        best: None,
        first_screen: false,
        range: None,
    }
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
    /// The same with what could mislead about it, which every row has.
    const fn misleads(self, misleads: &'static str) -> Row {
        Row { misleads, ..self }
    }

    /// The same with a heading in docs/METHODOLOGY.md under which there is more of it.
    const fn see(self, heading: &'static str) -> Row {
        Row { see: Some(heading), ..self }
    }

    /// The same for a metric that can be below 0.
    const fn signed(self) -> Row {
        Row { range: Some(Range::Signed), ..self }
    }

    /// The same where more is better.
    const fn higher(self) -> Row {
        Row { better: Better::Higher, ..self }
    }

    /// The same for a ratio that can be above 1.
    const fn no_share(self) -> Row {
        Row { range: Some(Range::Positive), ..self }
    }

    fn info(&self) -> MetricInfo {
        MetricInfo {
            name: self.name.to_owned(),
            scope: self.scope,
            unit: self.unit,
            range: self.range.unwrap_or(range(self.unit)),
            better: self.better,
            best: self.best,
            first_screen: self.first_screen,
            section: self.section,
            title: self.title.to_owned(),
            meaning: self.meaning.to_owned(),
            misleads: self.misleads.to_owned(),
            see: self.see,
        }
    }
}

fn range(unit: Unit) -> Range {
    if unit == Unit::Ratio { Range::Share } else { Range::Positive }
}

use Scope::{Codec, Message};
use Unit::{Bytes, BytesPerSecond, Count, Ns, PerSecond, Ratio};

/// In the order in which reports show them.
const TABLE: &[Row] = &[
    first(
        Message,
        "latency",
        Ns,
        "latency",
        "Latency",
        "Fastest delivery",
        "From the moment the schedule wanted the message sent (`intended_send`) to the moment the receiving client \
         handed it to the application (`received`). Building, encoding and any wait or lateness of the publisher are \
         inside; decoding is not.",
    )
    .misleads(
        "Only delivered messages have one: a mode that loses messages can look fast. With both roles on `edge` it is a \
         round trip, not one way.",
    ),
    part(
        Message,
        "latency_from_sent",
        Ns,
        "latency",
        "Latency from sent",
        "From the moment the transport had taken the message (`sent`) to its receipt (`received`). It leaves out \
         encoding and a publisher that fell behind. Negative values are kept.",
    )
    .misleads("It hides a client that blocks before it sends; when a message counts as `sent` differs between transports.")
    .signed(),
    part(
        Message,
        "latency_median",
        Ns,
        "latency",
        "Median latency of a trial",
        "Median of `latency` over a trial's delivered messages; the figure is the mean of these medians over trials.",
    )
    .misleads("Not the median of all messages together, which stands beside `latency`: half of a trial's messages may be as slow as they like."),
    part(
        Message,
        "latency_iqr",
        Ns,
        "latency",
        "Interquartile range of the latency",
        "Third quartile less first quartile of `latency` over a trial's delivered messages.",
    )
    .misleads("The slowest and the fastest quarter are not in it."),
    part(
        Message,
        "latency_deviation",
        Ns,
        "latency",
        "Standard deviation of the latency",
        "Standard deviation of `latency` over a trial's delivered messages, with one less than their number as divisor. Absent with fewer \
         than two.",
    )
    .misleads("One message that waited for a repeat can be most of it."),
    part(
        Message,
        "latency_max",
        Ns,
        "latency",
        "Largest latency of a trial",
        "The largest `latency` of a trial's delivered messages.",
    )
    .misleads("It grows with the number of messages."),
    part(
        Message,
        "latency_outliers",
        Ratio,
        "latency",
        "Outliers of the latency",
        "Share of a trial's delivered messages whose `latency` lies outside Tukey's inner fences, 1.5 interquartile ranges outside the \
         quartiles.",
    )
    .misleads("A narrow box has near fences: what is steady can have more outliers than what is not."),
    part(
        Message,
        "latency_over_ping",
        Ns,
        "latency",
        "Latency above a ping",
        "Mean `latency` of a trial less the shortest round trip of the ICMP echoes before it (`link_round_trip`): what client, broker and \
         protocol add to the bare path there and back.",
    )
    .misleads("Of one way it is no use: the ping goes there and back. The echo is small; a large message also pays for its own bytes.")
    .signed(),
    first(
        Message,
        "lost",
        Ratio,
        "delivery",
        "Lost",
        "Most reliable delivery",
        "Share of the sent messages that had not arrived when the drain after the last send was over, superseded ones \
         apart: the mean over trials. The interval is that of `lost_ratio`: of a share over trials (Korn and Graubard), \
         exact for independent messages where trials do not differ or are fewer than five (Clopper and Pearson); \
         nothing lost has an upper end too.",
    )
    .misleads("With unequal numbers of messages a trial, the mean is another one than `lost_ratio`."),
    first(
        Message,
        "wire_per_message",
        Bytes,
        "overhead",
        "Bytes on the wire",
        "Fewest bytes on the wire",
        "Bytes of all packets of the measured phase, both directions, all flows and all legs, per sent message: IP \
         length plus 14 bytes of Ethernet header, counted where a packet enters the link and before loss. \
         Acknowledgements and retransmissions are inside; connection set-up and warm-up are not.",
    )
    .misleads(
        "It holds every leg: there and back over the broker is twice one way. It depends on the interval where TCP \
         joins messages.",
    )
    .see("Bytes on the wire"),
    part(
        Message,
        "packets_per_message",
        Count,
        "overhead",
        "Packets",
        "Packets of the measured phase, both directions, all flows and all legs, per sent message, counted before loss. \
         Acknowledgements and retransmissions are inside.",
    )
    .misleads("As `wire_per_message`."),
    ranked(
        Message,
        "overhead_per_message",
        Bytes,
        "overhead",
        "Overhead",
        "Least overhead",
        "Bytes on the wire per sent message minus the bodies that crossed the link for their own sake: once to the \
         broker, and once from it for the share that was delivered. A leg inside one host counts nothing.",
    )
    .misleads("A body lost on its way up counts as body, although it was in vain."),
    part(
        Message,
        "message_wire",
        Bytes,
        "overhead",
        "Bytes of messages",
        "Of `wire_per_message`, frames of the protocol that carry messages, with the headers of the packets \
         that begin with one.",
    )
    .misleads("It holds the protocol's own headers of a message too: `overhead_per_message` is what stands around \
     bodies.")
    .see("Bytes on the wire"),
    part(
        Message,
        "header_length",
        Bytes,
        "overhead",
        "Header of a message",
        "What the protocol puts around a body: bytes of the frames that carry messages, without the headers of TCP or UDP, IP and \
         Ethernet and without what is sent again, minus the bodies, for each message and hop over the link. All that the client writes \
         into such a frame is inside: fixed header, topic or path, identifiers, options, and of DDS what shares the datagram.",
    )
    .signed()
    .misleads(
        "More than the fixed header of a specification, and longer with a longer topic. Of a body in several frames, such as CoAP's blocks, \
         it is all of their headers; of several messages in one, such as Kafka's batches, a share, below 0 where the client \
         compresses. Absent where anything was lost or doubled, on loopback, and where frames can't be read.",
    )
    .see("Headers and sizes of protocols"),
    part(
        Message,
        "acknowledgement_wire",
        Bytes,
        "overhead",
        "Bytes of acknowledgements",
        "Of `wire_per_message`, the protocol's own acknowledgements and requests for further messages, with \
         the headers of the packets that begin with one.",
    )
    .misleads("An acknowledgement that shares a packet with a message costs no headers here.")
    .see("Bytes on the wire"),
    part(
        Message,
        "transport_wire",
        Bytes,
        "overhead",
        "Bytes of TCP's acknowledgements",
        "Of `wire_per_message`, TCP segments without payload that only acknowledge.",
    )
    .misleads("TCP lets acknowledgements ride on data where there is some in time: at another rate their number is \
     another.")
    .see("Bytes on the wire"),
    part(
        Message,
        "keep_alive_wire",
        Bytes,
        "overhead",
        "Bytes of keep-alive",
        "Of `wire_per_message`, signs of life and their answers; with Kafka, answers to a fetch that waited \
         in vain.",
    )
    .misleads("They come by the clock: the slower the messages, the more of them a message bears.")
    .see("Bytes on the wire"),
    part(
        Message,
        "set_up_wire",
        Bytes,
        "overhead",
        "Bytes of set-up while measuring",
        "Of `wire_per_message`, what belongs to connections and subscriptions: reconnects, new metadata, SYN, \
         FIN and RST of TCP.",
    )
    .misleads("The connection that was there before is in `setup_wire`, not here.")
    .see("Bytes on the wire"),
    part(
        Message,
        "retransmitted_wire",
        Bytes,
        "overhead",
        "Bytes sent again",
        "Of `wire_per_message`, packets that carry something sent before, whatever it was.",
    )
    .misleads("A segment that repeats in part counts its headers and its old bytes here.")
    .see("Bytes on the wire"),
    part(
        Message,
        "unread_wire",
        Bytes,
        "overhead",
        "Bytes that can't be read",
        "Of `wire_per_message`, what can't be told apart: encrypted, of no known format, or the beginning of \
         a header that a packet cut off.",
    )
    .misleads("Where it is large, the other classes tell little.")
    .see("Bytes on the wire"),
    part(
        Message,
        "overhead_study",
        Bytes,
        "overhead",
        "Overhead, study's definition",
        "Overhead as the vehicle-to-cloud study defined it, for comparison with its figures.",
    )
    .misleads("It leaves out bare acknowledgements: protocols on TCP look leaner than they are.")
    .see("Bytes on the wire"),
    part(
        Message,
        "build_time",
        Ns,
        "split",
        "Build",
        "From the domain value to the codec's own object, inside the message trial (`built` minus `build_start`).",
    )
    .misleads("One cold call; a codec trial's loop is hot."),
    part(
        Message,
        "encode_time",
        Ns,
        "split",
        "Encode",
        "From the codec's object to bytes, inside the message trial (`encoded` minus `built`), into a buffer that is \
         used again. Compression is inside.",
    )
    .misleads("As `build_time`."),
    part(
        Message,
        "send_time",
        Ns,
        "split",
        "Send",
        "From bytes ready to the moment the client library had taken them (`sent` minus `encoded`).",
    )
    .misleads("What \"taken\" means is declared by each transport (`sent_at`): a queue in memory is fast."),
    part(
        Message,
        "transit_time",
        Ns,
        "split",
        "Transit",
        "From the client library having taken the message to its receipt: the same number as `latency_from_sent`, as \
         part of the time split.",
    )
    .misleads("Broker, queues of both clients and link are all in it.")
    .signed(),
    part(
        Message,
        "publisher_queue_time",
        Ns,
        "split",
        "Publisher's queue",
        "From bytes ready (`encoded`) to the first packet of the message in the link: client library, \
         batching, kernel.",
    )
    .misleads("Told only for messages that were on their way alone, and where the link is Wiredyno's.")
    .see("Time split"),
    part(
        Message,
        "publisher_network_time",
        Ns,
        "split",
        "Network to the broker",
        "From the first packet of the message in the link to the last one handed to the broker's host; \
         waiting for a repeat of what was lost is inside.",
    )
    .misleads("As `publisher_queue_time`. TCP's waits for a window are inside where a body has several packets.")
    .see("Time split"),
    part(
        Message,
        "broker_time",
        Ns,
        "split",
        "Broker",
        "From the last packet handed to the broker's host to the first packet towards the subscriber; where \
         broker and subscriber share a host, to the receipt.",
    )
    .misleads("The kernel of the broker's host is inside, and with the subscriber on that host its client too.")
    .see("Time split"),
    part(
        Message,
        "subscriber_network_time",
        Ns,
        "split",
        "Network to the subscriber",
        "From the first packet towards the subscriber to the last one handed to its host; waiting for a \
         repeat of what was lost is inside.",
    )
    .misleads("As `publisher_network_time`.")
    .see("Time split"),
    part(
        Message,
        "subscriber_queue_time",
        Ns,
        "split",
        "Subscriber's queue",
        "From the last packet handed to the subscriber's host to the receipt: kernel, client library.",
    )
    .misleads("As `publisher_queue_time`.")
    .see("Time split"),
    part(
        Message,
        "decode_time",
        Ns,
        "split",
        "Decode",
        "From bytes to the codec's object, inside the message trial (`decoded` minus `received`). Decompression is \
         inside.",
    )
    .misleads("One cold call; zero-copy formats do their work later, in no number here."),
    part(
        Message,
        "codec_share",
        Ratio,
        "split",
        "Codec's share",
        "Mean `encode_time` plus `decode_time` of a message, times the messages sent, divided by `execution_time`: `build_time` is not in it.",
    )
    .no_share()
    .misleads("In an open loop it follows the schedule. Publisher and subscriber work at the same time, so that it can be above 1.")
    .see("Time split"),
    part(
        Message,
        "ack_time",
        Ns,
        "split",
        "Acknowledgement",
        "From the client library having taken the message to the protocol's acknowledgement (`acked` minus `sent`); \
         only modes that have one.",
    )
    .misleads("It acknowledges the hop to the broker, not the receipt by the subscriber.")
    .signed(),
    part(
        Message,
        "schedule_lag",
        Ns,
        "split",
        "Schedule lag",
        "Actual minus intended send (`build_start` minus `intended_send`): how late the publisher itself was. It is \
         inside `latency`.",
    )
    .misleads("A client that blocks in one send is late for the next.")
    .signed(),
    ranked(
        Message,
        "publisher_connect",
        Ns,
        "setup",
        "Publisher's connection",
        "Fastest to connect a publisher",
        "How long the publisher's client took to connect: from the call to the moment when messages can be sent. Every \
         handshake that the client waits for is inside, with the link's round trips.",
    )
    .misleads("Some clients connect when they send: compare it beside `first_message`.")
    .see("Set-up"),
    ranked(
        Message,
        "subscriber_connect",
        Ns,
        "setup",
        "Subscriber's connection",
        "Fastest to connect a subscriber",
        "How long the subscriber's client took to connect and subscribe: from the call to the moment from which \
         messages sent will arrive.",
    )
    .misleads("Some clients look again and again whether the broker has taken the subscription.")
    .see("Set-up"),
    ranked(
        Message,
        "handshake",
        Ns,
        "setup",
        "Handshake",
        "Fastest handshake",
        "How long the publisher's handshake of TLS or DTLS took: from the making of ClientHello to the moment when the server's \
         Finished was found good. It is inside `publisher_connect`.",
    )
    .misleads("Absent in the clear, and where the library does not tell: librdkafka, and anybody under TLS 1.2.")
    .see("Security"),
    ranked(
        Message,
        "handshake_bytes",
        Bytes,
        "setup",
        "Handshake's bytes",
        "Fewest bytes of a handshake",
        "Bytes of the publisher's handshake, both directions, without the headers of TCP, UDP and IP. On the wire they are \
         inside `setup_wire`.",
    )
    .misleads("Absent where the client's library keeps its connection to itself: rumqttc and librdkafka. Compare `setup_wire` then.")
    .see("Security"),
    ranked(
        Message,
        "handshake_cpu",
        Ns,
        "setup",
        "Handshake's CPU",
        "Least CPU for a handshake",
        "CPU time of the publisher's connecting thread over `handshake`: keys, signatures, certificates.",
    )
    .misleads("The server's share is in `broker_connect_cpu`. Absent where `handshake` is.")
    .see("Security"),
    ranked(
        Message,
        "broker_connect_cpu",
        Ns,
        "setup",
        "Broker's CPU for connections",
        "Least CPU of a broker for connections",
        "CPU time of all of the broker's processes, or of the relay's, from before the first client connects until all have connected.",
    )
    .misleads("Whatever else the broker does meanwhile is inside: of one that has just started, the rest of its start. Whole clock \
               ticks where the kernel books them so.")
    .see("Security"),
    ranked(
        Message,
        "first_message",
        Ns,
        "setup",
        "First message",
        "Fastest first message",
        "Latency of the first message over fresh connections: from the moment the publisher turned to it to its \
         receipt. It is a warm-up message that goes alone, and enters no other figure.",
    )
    .misleads("The codec's first call is inside. Absent without warm-up, and where that message was lost.")
    .see("Set-up"),
    part(
        Message,
        "initialization",
        Ns,
        "setup",
        "Initialization",
        "From the first client's call to connect to the receipt of the first message, as far as the clients make it: `subscriber_connect` \
         plus `publisher_connect` plus `first_message`.",
    )
    .misleads("Starting the programs is not in it, nor the broker's start. An application may connect both sides at once.")
    .see("Set-up"),
    ranked(
        Message,
        "setup_wire",
        Bytes,
        "setup",
        "Bytes of set-up",
        "Fewest bytes to set up",
        "Bytes of all packets of both connections' set-up in a trial, both directions, all flows and all legs, counted \
         as `wire_per_message` is.",
    )
    .misleads("Keep-alives and acknowledgements until the first warm-up message are inside.")
    .see("Set-up"),
    part(
        Message,
        "broker_start",
        Ns,
        "setup",
        "Broker's start",
        "From the broker's first preparing step to the moment when all of its nodes listened.",
    )
    .misleads("Of a broker that serves many trials it is one start, told by each of them.")
    .see("Set-up"),
    first(
        Message,
        "publisher_cpu",
        Ns,
        "resources",
        "Publisher CPU",
        "Least CPU at the publisher",
        "CPU time of the publisher's process, user and system, all threads, over the measured phase, per sent message, \
         without the stand's own work. Building and encoding are inside, and the kernel's work for its sockets as far \
         as it runs in the process's calls; the link's process is not.",
    )
    .misleads(
        "Soft interrupts may be booked on another process; stamps, some ten nanoseconds each, are inside.",
    )
    .see("The stand's own work"),
    ranked(
        Message,
        "subscriber_cpu",
        Ns,
        "resources",
        "Subscriber CPU",
        "Least CPU at the subscriber",
        "CPU time of the subscriber's process, user and system, all threads, over the measured phase, per sent message, \
         without the stand's own work. Decoding is inside, and the kernel's work for its sockets as far as it runs in \
         the process's calls; the link's process is not.",
    )
    .misleads("As `publisher_cpu`.")
    .see("The stand's own work"),
    ranked(
        Message,
        "broker_cpu",
        Ns,
        "resources",
        "Broker CPU",
        "Least CPU at the broker",
        "CPU time of the broker's or relay's processes, user and system, all threads, over the measured phase, per sent \
         message. The kernel's work for their sockets is inside as far as it runs in the processes' calls; the link's \
         process is not.",
    )
    .misleads("Soft interrupts may be booked on another process."),
    ranked(
        Message,
        "publisher_memory",
        Bytes,
        "resources",
        "Publisher memory",
        "Least memory at the publisher",
        "Largest resident set of the publisher's process since it began (`VmHWM`, proc(5)).",
    )
    .misleads(
        "The runner with the study's codecs of the payload and its transports is inside (the same program for all cells \
         of a payload; idle with one codec about 3.5 MB), its samples, and what loading took. Differences are safer \
         than values.",
    ),
    ranked(
        Message,
        "subscriber_memory",
        Bytes,
        "resources",
        "Subscriber memory",
        "Least memory at the subscriber",
        "Largest resident set of the subscriber's process since it began (`VmHWM`, proc(5)).",
    )
    .misleads("As `publisher_memory`."),
    ranked(
        Message,
        "broker_memory",
        Bytes,
        "resources",
        "Broker memory",
        "Least memory at the broker",
        "Largest resident set of the broker's or relay's processes since they began, or since the trial did where they are \
         kept over several (`VmHWM`, proc(5)), summed over processes.",
    )
    .misleads("The idle program is inside: differences are safer than values."),
    ranked(
        Message,
        "implementation_size",
        Bytes,
        "resources",
        "Size of the client",
        "Smallest client",
        "What a program grows by that carries the protocol's client, for both roles and with all that it is linked with: loaded bytes of \
         a runner composed of this client alone, and of the shared libraries that it needs, minus those of a runner without any client. \
         Only with `trials.weigh`.",
    )
    .misleads(
        "Our few lines that drive the client are inside; the broker is not. What several clients would share, such as an \
         asynchronous runtime, counts for each. Without encryption.",
    )
    .see("Headers and sizes of protocols"),
    part(
        Message,
        "publisher_memory_growth",
        Bytes,
        "resources",
        "Growth of the publisher's memory",
        "The publisher's resident set (`VmRSS`, proc(5)) at the end of the drain minus that at the mark of the measured \
         phase.",
    )
    .misleads("Chunks of records on their way to a file are inside, a megabyte or two at any number of messages.")
    .signed(),
    part(
        Message,
        "subscriber_memory_growth",
        Bytes,
        "resources",
        "Growth of the subscriber's memory",
        "The subscriber's resident set (`VmRSS`, proc(5)) at the end of the drain minus that at the mark of the \
         measured phase.",
    )
    .misleads("Chunks of records on their way to a file are inside, a megabyte or two at any number of messages.")
    .signed(),
    part(
        Message,
        "broker_memory_growth",
        Bytes,
        "resources",
        "Growth of the broker's memory",
        "The broker's or relay's resident set (`VmRSS`, proc(5)) at the end of the drain minus that at the mark of the \
         measured phase.",
    )
    .misleads(
        "What a process frees need not go back to the system, and what it had freed before can be used again.",
    )
    .signed(),
    part(
        Message,
        "send_rate",
        PerSecond,
        "pace",
        "Rate",
        "Messages sent, divided by the time from the first intended send to the last hand-over to the client.",
    )
    .misleads("It is that of one trial's schedule; in a closed loop it follows the latency."),
    ranked(
        Message,
        "sustained_rate",
        PerSecond,
        "load",
        "Highest sustained rate",
        "Highest sustained rate",
        "Of a search: the highest rate that was sustained twice, with the next higher one that was tried, at most 4 % above, not sustained.",
    )
    .higher()
    .misleads(
        "Steps last as long as the study says: what fills up more slowly is not seen. All other figures of the cell are of the last step at \
         this rate.",
    )
    .see("The search"),
    ranked(
        Message,
        "throughput",
        PerSecond,
        "load",
        "Throughput",
        "Most messages a second",
        "Messages delivered, divided by the time from the first intended send to the last receipt.",
    )
    .higher()
    .misleads(
        "An open loop that is kept up with has the rate that was asked for: only a batch, a window, or a rate beyond what the path carries tells \
         how much that is. A trial of few messages is mostly the latency of the last.",
    )
    .see("Load and throughput"),
    part(
        Message,
        "throughput_body",
        BytesPerSecond,
        "load",
        "Throughput in bytes of bodies",
        "Bytes of the bodies of messages delivered, divided by the same time; where messages were only counted, the share of all \
         bodies that the messages delivered are of those sent.",
    )
    .higher()
    .misleads("As `throughput`. A format with larger bodies has more of it for the same messages."),
    part(
        Message,
        "throughput_wire",
        BytesPerSecond,
        "load",
        "Bytes on the link per second",
        "`wire_per_message` times the messages sent, both directions together, divided by the same time.",
    )
    .misleads("Acknowledgements and repeats that come after the last receipt are inside the bytes, not the time."),
    part(
        Message,
        "publisher_per_cpu",
        PerSecond,
        "load",
        "Messages per CPU second, publisher",
        "Messages sent, divided by the publisher's CPU time as `publisher_cpu` has it.",
    )
    .higher()
    .misleads("As `publisher_cpu`: a client that waits in a loop takes CPU time at any rate."),
    part(
        Message,
        "subscriber_per_cpu",
        PerSecond,
        "load",
        "Messages per CPU second, subscriber",
        "Messages delivered, divided by the subscriber's CPU time as `subscriber_cpu` has it.",
    )
    .higher()
    .misleads("As `publisher_per_cpu`."),
    part(
        Message,
        "broker_per_cpu",
        PerSecond,
        "load",
        "Messages per CPU second, broker",
        "Messages delivered, divided by the broker's or relay's CPU time as `broker_cpu` has it.",
    )
    .higher()
    .misleads("As `publisher_per_cpu`. What a broker's own threads do beside the messages, such as collecting garbage, is inside."),
    part(
        Message,
        "execution_time",
        Ns,
        "load",
        "Execution time",
        "From the first intended send to the last receipt of a message.",
    )
    .misleads("In an open loop it is mostly the schedule's. What is lost does not lengthen it."),
    part(
        Message,
        "execution_time_with_drain",
        Ns,
        "load",
        "Execution time with the drain",
        "From the first intended send until all had arrived and been acknowledged and the link was quiet, or the drain was over.",
    )
    .misleads(
        "With anything lost it is mostly the drain that the study asks for; without, waits of some tens of milliseconds that show \
         that nothing comes any more are inside.",
    ),
    part(
        Message,
        "backlog_half",
        Count,
        "pace",
        "Backlog at half time",
        "Messages handed over and not yet received when half of all had been handed over; those that never arrive are \
         left out.",
    )
    .misleads("What the link holds is inside: rate times latency."),
    part(
        Message,
        "backlog_end",
        Count,
        "pace",
        "Backlog at the end",
        "The same when the last message had been handed over.",
    )
    .misleads("As `backlog_half`."),
    part(
        Message,
        "latency_trend",
        Ratio,
        "pace",
        "Trend of the latency",
        "Median latency of the last third of a trial's messages over that of the first third, minus 1: 0 in a steady \
         state. Absent with fewer than ten delivered in either third.",
    )
    .misleads("Conditions of the link that change during a trial (a rate trace) make a trend too.")
    .signed(),
    part(
        Message,
        "socket_drops",
        Count,
        "delivery",
        "Dropped by sockets",
        "Datagrams that the kernel threw away in front of the roles' UDP sockets, because a buffer was full (`drops` of \
         `/proc/net/udp`), summed over roles, in a trial. They are no losses of the link.",
    )
    .misleads(
        "Sockets that were closed before the end of the drain are not seen; of a broker by address nothing is known.",
    ),
    part(
        Message,
        "link_run_delay",
        Ratio,
        "noise",
        "Link's wait for a CPU",
        "Share of the measured phase in which the link's process could have run and waited for a CPU (`run_delay` of \
         `/proc/PID/task/TID/schedstat`).",
    )
    .misleads("A sum: one long wait and many short ones look alike."),
    part(
        Message,
        "roles_run_delay",
        Ratio,
        "noise",
        "Roles' wait for a CPU",
        "The same of the role that waited most, summed over its threads.",
    )
    .misleads("A role with many threads can wait more than all of the time.")
    .no_share(),
    part(
        Message,
        "link_round_trip",
        Ns,
        "noise",
        "Link's floor",
        "Shortest round trip of the ICMP echoes, 84 bytes of IP, that looked at the laid link before each trial.",
    )
    .misleads("Not the messages' round trip: no broker, no load, and conditions held at their first values."),
    part(
        Message,
        "link_excess",
        Ns,
        "noise",
        "Link above its floor",
        "The shortest echo's round trip (`link_round_trip`) minus the least that the link's model gives for it: what \
         the emulation and the waking of a thread added.",
    )
    .misleads("The least of five: what the link adds at its best, not usually.")
    .signed(),
    part(
        Message,
        "link_lateness_p99",
        Ns,
        "noise",
        "Link's lateness",
        "99th percentile of how much later than the model said packets left the link, in each trial.",
    )
    .misleads(
        "Of all packets since the link was laid, set-up included; a packet that waits for its turn behind another \
         counts too.",
    ),
    part(
        Message,
        "scheduling_lateness_p99",
        Ns,
        "noise",
        "Scheduling lateness",
        "99th percentile of how late a sleeping thread was woken, of a hundred wakings before each trial.",
    )
    .misleads("A look of 20 ms; timer slack of 50 us is inside.")
    .see("Noise and validity"),
    part(
        Message,
        "utilisation",
        Ratio,
        "noise",
        "Utilisation",
        "Share of the whole machine's CPU time in use over the measured phase of each trial (`/proc/stat`).",
    )
    .misleads("Counted in ticks of 10 ms; all lanes and everything else on the machine are inside."),
    part(
        Message,
        "steal",
        Ratio,
        "noise",
        "Steal",
        "Share of the whole machine's CPU time that the hypervisor gave to others over the measured phase of each trial \
         (`/proc/stat`).",
    )
    .misleads("Hypervisors need not tell: 0 may mean \"not known\"."),
    part(
        Message,
        "body",
        Bytes,
        "sizes",
        "Body",
        "Bytes that the codec and the compression behind it made of each message that was sent, without any header of \
         the protocol.",
    )
    .misleads("Over the first samples only: `messages` of them, not the hundred of codec trials."),
    first(
        Codec,
        "body",
        Bytes,
        "sizes",
        "Body",
        "Smallest body",
        "Bytes that the codec and the compression behind it make of one message, without any header of the protocol. \
         Means go over the loaded samples of the payload, with the default the first 100.",
    )
    .misleads("The order of samples is the payload's. A dictionary that both sides know is not in it."),
    part(
        Codec,
        "body_uncompressed",
        Bytes,
        "sizes",
        "Body before compression",
        "Bytes that the codec makes of the same samples before they are compressed. Only where bytes are compressed.",
    )
    .misleads("With a dictionary the samples of a payload with samples.jsonl are others.")
    .see("Compression"),
    first(
        Codec,
        "total",
        Ns,
        "codecs",
        "All phases",
        "Least codec time",
        "Sum of the medians of `build`, `encode`, `decode` and `read` of each trial, and of `compress` and `decompress` \
         where there is a compression, the output buffer used again: no codec wins by moving its work into a phase \
         outside the clock.",
    )
    .misleads("It weighs the phases alike; a sender never pays `decompress`, `decode` and `read`."),
    ranked(
        Codec,
        "build",
        Ns,
        "codecs",
        "Build",
        "Fastest to build",
        "From the domain value to the codec's own object, in a calibrated loop with the timer's overhead taken off: \
         making the object and dropping it. A trial's figure is its median batch.",
    )
    .misleads("It clones the value; an application that holds the codec's own structs from the start does not."),
    ranked(
        Codec,
        "encode",
        Ns,
        "codecs",
        "Encode",
        "Fastest to encode",
        "From the codec's object to bytes: emptying one output buffer that is used again, and encoding into it.",
    )
    .misleads(
        "A library that can't write into a given buffer pays for a copy; an application that allocates each time pays \
         `encode_fresh`.",
    ),
    part(
        Codec,
        "encode_fresh",
        Ns,
        "codecs",
        "Encode, fresh buffer",
        "From the codec's object to bytes in a new output buffer for every message: its allocation, growth and release \
         are inside the clock.",
    )
    .misleads("The allocator is hot and has just freed what it gives out."),
    ranked(
        Codec,
        "decode",
        Ns,
        "codecs",
        "Decode",
        "Fastest to decode",
        "From bytes to the codec's object: whatever validation the library does by itself, allocation, and dropping the \
         object.",
    )
    .misleads(
        "Zero-copy codecs do next to nothing here: their cost is in `read`. Validation differs (see the labels).",
    ),
    ranked(
        Codec,
        "read",
        Ns,
        "codecs",
        "Read",
        "Fastest to read",
        "Touching every field of the decoded object once and mixing it into a digest (one rotate, xor and multiply per \
         number).",
    )
    .misleads("An application that reads two fields pays less; the digest is inside, the same for all."),
    part(
        Codec,
        "compress",
        Ns,
        "codecs",
        "Compress",
        "From the codec's bytes to the compressed ones: emptying one output buffer that is used again, and compressing \
         into it. Only where bytes are compressed.",
    )
    .misleads(
        "Contexts and tables are kept from message to message; a program that makes them anew each time pays more.",
    ),
    part(
        Codec,
        "decompress",
        Ns,
        "codecs",
        "Decompress",
        "Back from the compressed bytes to the codec's, into a buffer that is used again, with the checks of the format \
         (CRC of gzip, lengths). Only where bytes are compressed.",
    )
    .misleads("As `compress`; formats check different things."),
    part(
        Codec,
        "empty",
        Ns,
        "codecs",
        "Empty call",
        "A call that does nothing, in the loop that times the phases: what the loop itself costs in the language of the \
         runner. It is inside every other figure, from which nothing is taken off for it. Only with \
         `codec_trials.empty`.",
    )
    .misleads("In a compiled language the call is inlined, and what is left is the counting of the loop."),
    part(
        Codec,
        "setup",
        Ns,
        "codecs",
        "Set-up",
        "Making what lives as long as codec and payload go together, such as parsed schemas and tables, in a process \
         that has done nothing else. Once a trial.",
    )
    .misleads("One observation a trial; the program's file is in the page cache.")
    .see("First calls"),
    part(
        Codec,
        "encode_first",
        Ns,
        "codecs",
        "Encode, first call",
        "The first encode in the process of `setup`, which has done nothing else: of the first sample into a new \
         buffer. Code, caches and tables are cold.",
    )
    .misleads("As `setup`; page faults of the program's code are inside.")
    .see("First calls"),
    part(
        Codec,
        "decode_first",
        Ns,
        "codecs",
        "Decode, first call",
        "The first decode in the same process, of what the first encode gave.",
    )
    .misleads("As `setup`; `protobuf/prost` has parsed one message of the type before.")
    .see("First calls"),
    part(
        Codec,
        "resident_idle",
        Bytes,
        "codecs",
        "Process, idle",
        "Largest resident set (`VmHWM`, proc(5)) of a runner process in which the codec is ready for the payload and \
         has seen no message, read from outside.",
    )
    .misleads(
        "The runner holds the study's codecs of the payload and its transports, with `codec_trials.alone` this codec \
         alone (about 3.5 MB then).",
    )
    .see("Whole processes"),
    part(
        Codec,
        "resident_encode",
        Bytes,
        "codecs",
        "Process that encodes",
        "Largest resident set of a process that reads the samples and encodes each into one buffer, and does nothing \
         else.",
    )
    .misleads("The samples as values are inside; in steps of a page (4 KiB); compression is not in it.")
    .see("Whole processes"),
    part(
        Codec,
        "resident_decode",
        Bytes,
        "codecs",
        "Process that decodes",
        "Largest resident set of a process that gets the samples' bytes and decodes and reads each, and does nothing \
         else.",
    )
    .misleads("The bytes as they arrived, in hexadecimal, are inside.")
    .see("Whole processes"),
    part(
        Codec,
        "disturbed_batches",
        Ratio,
        "codecs",
        "Disturbed batches",
        "Share of the batches that took more than 5 % longer than the CPU time of their thread, because it waited for a \
         CPU: in the loop of each trial that has most of them. A loop's figure is its median batch, which few of them \
         hardly move. Absent where the system tells no CPU time.",
    )
    .misleads(
        "The hypervisor's steal is in it only where the kernel keeps it out of the thread's CPU time; what fills caches \
         is not seen.",
    ),
];

/// What a loop tells beside its time: rows whose names are endings, and whose titles stand behind the loop's.
const BESIDE_TIME: [Row; 6] = [
    part(
        Codec,
        "_cpu",
        Ns,
        "codecs",
        "CPU time",
        "CPU time of the measuring thread, user and system, for one operation of this phase, from the same batches as \
         the time.",
    )
    .misleads("Reading the clock is a system call: a batch of one slow call is less exact than its wall time."),
    part(
        Codec,
        "_instructions",
        Count,
        "codecs",
        "instructions",
        "Instructions retired in user mode by the measuring thread for one operation of this phase, from the same \
         batches as the time. Absent where the kernel or machine has no such counter (`missing` says why).",
    )
    .misleads("Instructions differ in what they cost."),
    part(
        Codec,
        "_stack",
        Bytes,
        "codecs",
        "stack",
        "Deepest byte that one operation of this phase wrote on a painted stack, below the loop that calls it: the \
         largest of the samples, found in a pass apart from timing.",
    )
    .misleads(
        "Below 512 bytes figures can't be told apart; what is reserved and never written counts only when something \
         deeper is written.",
    )
    .see("One call: heap and stack"),
    part(
        Codec,
        "_allocations",
        Count,
        "codecs",
        "allocations",
        "Heap allocations of one operation of this phase, those of C libraries included: the mean over the samples, \
         counted in a pass apart from timing, after warm-up rounds. A `realloc` counts once.",
    )
    .misleads("Memory that a library maps by itself is not seen.")
    .see("One call: heap and stack"),
    part(
        Codec,
        "_allocated",
        Bytes,
        "codecs",
        "bytes allocated",
        "Bytes asked of the heap by one operation of this phase, whether given back or not: the mean over the samples, \
         from the same pass as the allocations. A `realloc` counts by what it grows.",
    )
    .misleads("Asked for, not used: growth by doubling is inside.")
    .see("One call: heap and stack"),
    part(
        Codec,
        "_peak",
        Bytes,
        "codecs",
        "peak heap",
        "Most heap bytes that one operation of this phase held at once beyond what it found: the largest of the \
         samples, from the same pass as the allocations.",
    )
    .misleads("The largest sample decides; stack is not in it.")
    .see("One call: heap and stack"),
];

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
