//! The rows of all metrics. One file because it is one table.

use super::About::{Heap, Process, Size};
use super::Scope::{Codec, Message};
use super::Unit::{Bytes, BytesPerSecond, Count, Ns, PerSecond, Ratio};
use super::row::{Row, first, part, ranked};

/// In the order of reports: loss comes before metrics that only messages that arrived have.
pub const TABLE: &[Row] = &[
    first(
        Message,
        "lost",
        Ratio,
        "delivery",
        "Lost",
        "Most reliable delivery",
        "Share of the sent messages that had not arrived when the drain after the last send was over, superseded ones \
         excluded: the mean over trials. The interval is that of `lost_ratio`: for a share over trials (Korn and \
         Graubard), or exact for independent messages if trials do not differ or are fewer than five (Clopper and \
         Pearson). It has an upper end even if nothing was lost.",
    )
    .misleads("If trials have unequal numbers of messages, the mean differs from `lost_ratio`."),
    first(
        Message,
        "latency",
        Ns,
        "latency",
        "Latency",
        "Fastest delivery",
        "From the moment the schedule wanted the message sent (`intended_send`) to the moment the receiving client \
         handed it to the application (`received`). Includes building, encoding and any wait or lateness of the \
         publisher, but not decoding.",
    )
    .of_arrived()
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
        "From the moment the transport had accepted the message (`sent`) to its receipt (`received`). Excludes \
         encoding and a publisher that fell behind. Negative values are kept.",
    )
    .of_arrived()
    .misleads("It hides a client that blocks before it sends; transports differ in when a message counts as `sent`.")
    .signed(),
    part(
        Message,
        "latency_median",
        Ns,
        "latency",
        "Median latency of a trial",
        "Median of `latency` over a trial's delivered messages; the figure is the mean of these medians over trials.",
    )
    .of_arrived()
    .misleads("Not the median of all messages together, which is given with `latency`: half of a trial's messages may be \
        arbitrarily slow."),
    part(
        Message,
        "latency_iqr",
        Ns,
        "latency",
        "Interquartile range of the latency",
        "Third quartile minus first quartile of `latency` over a trial's delivered messages.",
    )
    .of_arrived()
    .misleads("It leaves out the slowest and the fastest quarter."),
    part(
        Message,
        "latency_deviation",
        Ns,
        "latency",
        "Standard deviation of the latency",
        "Sample standard deviation (divisor n - 1) of `latency` over a trial's delivered messages. Absent with fewer than two.",
    )
    .of_arrived()
    .misleads("A single message that waited for a retransmission can dominate it."),
    part(
        Message,
        "latency_max",
        Ns,
        "latency",
        "Largest latency of a trial",
        "The largest `latency` of a trial's delivered messages.",
    )
    .of_arrived()
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
    .of_arrived()
    .misleads("A narrow box has near fences: steady latency can have more outliers than unsteady."),
    part(
        Message,
        "latency_over_ping",
        Ns,
        "latency",
        "Latency above a ping",
        "Mean `latency` of a trial minus the shortest round trip of the ICMP echoes before it (`link_round_trip`): what client, \
         broker and protocol add to the bare path there and back.",
    )
    .of_arrived()
    .misleads("Useless for one-way latency, as the ping goes there and back. The echo is small; a large message also pays \
        for its own bytes.")
    .signed(),
    first(
        Message,
        "wire_per_message",
        Bytes,
        "overhead",
        "Bytes on the wire per message",
        "Fewest bytes on the wire",
        "Bytes of all packets of the measured phase, both directions, all flows and all legs, per published message, \
         regardless of the number of subscribers: IP length plus 14 bytes of Ethernet header, counted where a packet enters the link and before loss. Includes \
         acknowledgements and retransmissions, but not connection set-up and warm-up.",
    )
    .misleads(
        "It counts every leg: there and back through the broker is twice one way. It depends on the send interval \
         if TCP coalesces messages.",
    )
    .see("Bytes on the wire"),
    part(
        Message,
        "wire_per_delivery",
        Bytes,
        "overhead",
        "Bytes on the wire per delivery",
        "The bytes of `wire_per_message`, per message that arrived at one subscriber.",
    )
    .misleads("With one subscriber and nothing lost it is the same number. Lost messages cost bytes, too: they are shared out \
        among those that arrived.")
    .see("Bytes on the wire"),
    part(
        Message,
        "packets_per_message",
        Count,
        "overhead",
        "Packets per message",
        "Packets of the measured phase, both directions, all flows and all legs, per published message, counted before loss. \
         Includes acknowledgements and retransmissions.",
    )
    .misleads("As `wire_per_message`."),
    ranked(
        Message,
        "overhead_per_message",
        Bytes,
        "overhead",
        "Overhead per message",
        "Least overhead",
        "Bytes on the wire per published message minus the bodies: one crossing to the broker, and one from it for each \
         delivery. A leg inside one host counts nothing.",
    )
    .misleads("A body lost on its way to the broker still counts as body."),
    part(
        Message,
        "message_wire",
        Bytes,
        "overhead",
        "Bytes of messages",
        "Of `wire_per_message`, frames of the protocol that carry messages, with the headers of the packets \
         that begin with one.",
    )
    .misleads("It includes the protocol's own headers of a message; `overhead_per_message` is everything around \
     the bodies.")
    .see("Bytes on the wire"),
    part(
        Message,
        "header_length",
        Bytes,
        "overhead",
        "Header of a message",
        "What the protocol puts around a body: bytes of the frames that carry messages, without the headers of TCP or UDP, IP and \
         Ethernet and without retransmissions, minus the bodies, for each message and hop over the link. Includes all that the \
         client writes into such a frame: fixed header, topic or path, identifiers, options, and for DDS everything else in the \
         datagram.",
    )
    .signed()
    .misleads(
        "More than the fixed header of a specification, and longer with a longer topic. For a body in several frames, such as \
         CoAP's blocks, it is all their headers; for several messages in one frame, such as Kafka's batches, a share, below 0 if \
         the client compresses. Absent if anything was lost or duplicated, on loopback, and if frames can't be read.",
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
    .misleads("TCP piggybacks acknowledgements on data if there is some in time: their number changes with the \
     rate.")
    .see("Bytes on the wire"),
    part(
        Message,
        "keep_alive_wire",
        Bytes,
        "overhead",
        "Bytes of keep-alive",
        "Of `wire_per_message`, keep-alives and their answers; with Kafka, empty answers to a fetch.",
    )
    .misleads("They are sent by the clock: the slower the messages, the more of them per message.")
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
    .misleads("The connection that existed before is in `setup_wire`, not here.")
    .see("Bytes on the wire"),
    part(
        Message,
        "retransmitted_wire",
        Bytes,
        "overhead",
        "Bytes sent again",
        "Of `wire_per_message`, packets that carry anything sent before.",
    )
    .misleads("For a segment that is partly a retransmission, its headers and its old bytes count here.")
    .see("Bytes on the wire"),
    part(
        Message,
        "unread_wire",
        Bytes,
        "overhead",
        "Bytes that can't be read",
        "Of `wire_per_message`, what can't be classified: encrypted, of unknown format, or the start of a \
         header that continues in the next packet.",
    )
    .misleads("If it is large, the other classes say little.")
    .see("Bytes on the wire"),
    part(
        Message,
        "overhead_study",
        Bytes,
        "overhead",
        "Overhead, study's definition",
        "Overhead as the vehicle-to-cloud study defined it, for comparison with its figures.",
    )
    .misleads("It leaves out pure acknowledgements, so protocols on TCP look leaner than they are.")
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
        "From the codec's object to bytes, inside the message trial (`encoded` minus `built`), into a reused buffer. \
         Includes compression.",
    )
    .misleads("As `build_time`."),
    part(
        Message,
        "send_time",
        Ns,
        "split",
        "Send",
        "From bytes ready to the moment the client library had accepted them (`sent` minus `encoded`).",
    )
    .misleads("Each transport declares what \"accepted\" means (`sent_at`): a queue in memory is fast."),
    part(
        Message,
        "publisher_queue_time",
        Ns,
        "split",
        "Publisher's queue",
        "From bytes ready (`encoded`) to the first byte of the message in the link: client library, batching, \
         kernel. Includes waiting in the sender's queue and buffers behind other messages.",
    )
    .misleads("Known only on Wiredyno's own link, of messages that arrived and that are found in its packets.")
    .see("Time split"),
    part(
        Message,
        "publisher_network_time",
        Ns,
        "split",
        "Network to the broker",
        "From the first byte of the message in the link to the moment when the broker's host has all of it, and \
         over TCP everything before it; includes waiting for retransmissions, also of others before it.",
    )
    .misleads("As `publisher_queue_time`. Includes TCP's waits for its window if a body takes several packets.")
    .see("Time split"),
    part(
        Message,
        "broker_time",
        Ns,
        "split",
        "Broker",
        "From the moment when the broker's host has all of the message to its first byte towards the subscriber; \
         where broker and subscriber share a host, to the receipt.",
    )
    .misleads("Includes the kernel of the broker's host and, if the subscriber is on that host, its client.")
    .see("Time split"),
    part(
        Message,
        "subscriber_network_time",
        Ns,
        "split",
        "Network to the subscriber",
        "From the first byte towards the subscriber to the moment when its host has all of the message, and over \
         TCP everything before it; includes waiting for retransmissions, also of others before it.",
    )
    .misleads("As `publisher_network_time`.")
    .see("Time split"),
    part(
        Message,
        "subscriber_queue_time",
        Ns,
        "split",
        "Subscriber's queue",
        "From the moment when the subscriber's host has all of the message to the receipt: kernel, client library. \
         Includes waiting for others where the library restores their order.",
    )
    .misleads("As `publisher_queue_time`.")
    .see("Time split"),
    part(
        Message,
        "decode_time",
        Ns,
        "split",
        "Decode",
        "From bytes to the codec's object, inside the message trial (`decoded` minus `received`). Includes \
         decompression.",
    )
    .misleads("One cold call; zero-copy formats do their work later, in no number here."),
    part(
        Message,
        "codec_share",
        Ratio,
        "split",
        "Codec's share",
        "Mean `encode_time` plus `decode_time` of a message, times the messages sent, divided by `execution_time`. Excludes \
         `build_time`.",
    )
    .no_share()
    .misleads("In an open loop it follows the schedule. Publisher and subscriber work at the same time, so it can exceed 1.")
    .see("Time split"),
    part(
        Message,
        "ack_time",
        Ns,
        "split",
        "Acknowledgement",
        "From the client library's acceptance of the message to the protocol's acknowledgement (`acked` minus \
         `sent`); only in modes that have one.",
    )
    .misleads("It acknowledges the hop to the broker, not the receipt by the subscriber.")
    .signed(),
    part(
        Message,
        "closed_loop_gap",
        Ns,
        "split",
        "Gap of a closed loop",
        "From the receipt of a message until the next is due, without the pause, in closed loops with one message in flight: the time that the \
         stand takes to notify the publisher. No latency contains it.",
    )
    .misleads(
        "It lowers the rate of a closed loop: with a short latency it is a considerable part of a turn. It includes decode and read. Turns whose \
         message came after the next was due are left out.",
    )
    .signed(),
    part(
        Message,
        "schedule_lag",
        Ns,
        "split",
        "Schedule lag",
        "Actual minus intended send (`build_start` minus `intended_send`): how late the publisher itself was. \
         `latency` includes it.",
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
        "How long the publisher's client took to connect: from the call to the moment when messages can be sent. \
         Includes every handshake that the client waits for, with the link's round trips.",
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
    .misleads("Some clients poll until the broker has accepted the subscription.")
    .see("Set-up"),
    ranked(
        Message,
        "handshake",
        Ns,
        "setup",
        "Handshake",
        "Fastest handshake",
        "How long the publisher's handshake of TLS or DTLS took: from creating ClientHello to the moment when the server's \
         Finished was verified. `publisher_connect` includes it.",
    )
    .misleads("Absent in the clear, and if the library does not report it: librdkafka, and all under TLS 1.2.")
    .see("Security"),
    ranked(
        Message,
        "handshake_bytes",
        Bytes,
        "setup",
        "Handshake's bytes",
        "Fewest bytes of a handshake",
        "Bytes of the publisher's handshake, both directions, without the headers of TCP, UDP and IP. On the wire, \
         `setup_wire` includes them.",
    )
    .misleads("Absent if the client's library hides its connection: rumqttc and librdkafka. Compare `setup_wire` then.")
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
    .misleads("Includes whatever else the broker does meanwhile, such as the rest of its start. Whole clock ticks if the kernel \
               accounts that way.")
    .see("Security"),
    ranked(
        Message,
        "first_message",
        Ns,
        "setup",
        "First message",
        "Fastest first message",
        "Latency of the first message over fresh connections: from the moment the publisher began with it to its \
         receipt. It is a warm-up message sent alone, and enters no other figure.",
    )
    .misleads("Includes the codec's first call. Absent without warm-up, and if that message was lost.")
    .see("Set-up"),
    part(
        Message,
        "initialization",
        Ns,
        "setup",
        "Initialization",
        "From the first client's call to connect to the receipt of the first message, counting only the clients' part: \
         `subscriber_connect` plus `publisher_connect` plus `first_message`.",
    )
    .misleads("Excludes the start of programs and broker. An application may connect both sides at once.")
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
    .misleads("Includes keep-alives and acknowledgements until it ends, which is before discovery is waited for and the first warm-up message.")
    .see("Set-up"),
    part(
        Message,
        "broker_start",
        Ns,
        "setup",
        "Broker's start",
        "From the broker's first preparation step to the moment when all its nodes listened.",
    )
    .misleads("If a broker serves many trials, all of them report the same start.")
    .see("Set-up"),
    first(
        Message,
        "publisher_cpu_per_message",
        Ns,
        "resources",
        "Publisher CPU per message",
        "Least CPU at the publisher",
        "CPU time of the publisher's process, user and system, all threads, over the measured phase, per published message, \
         without the stand's own work and the fixed cost (`publisher_fixed_cpu`). Includes building and encoding, and the kernel's work for its sockets if done in \
         the process's calls, but not the link's process.",
    )
    .mean_only()
    .only_where_shown()
    .misleads(
        "Soft interrupts may be charged to another process. Includes stamps, some ten nanoseconds each.",
    )
    .see("The stand's own work"),
    ranked(
        Message,
        "subscriber_cpu_per_delivery",
        Ns,
        "resources",
        "Subscriber CPU per delivery",
        "Least CPU at the subscriber",
        "CPU time of the subscribers' process, user and system, all threads, over the measured phase, per message that arrived at one subscriber, \
         without the stand's own work and the fixed cost (`subscriber_fixed_cpu`). Includes decoding and reading every field, and the kernel's work for its sockets if done in the process's \
         calls, but not the link's process.",
    )
    .mean_only()
    .misleads("As `publisher_cpu_per_message`.")
    .see("The stand's own work"),
    ranked(
        Message,
        "broker_cpu_per_message",
        Ns,
        "resources",
        "Broker CPU per message",
        "Least CPU at the broker",
        "CPU time of the broker's or relay's processes, user and system, all threads, over the measured phase, per \
         published message, regardless of the number of subscribers, without the fixed cost (`broker_fixed_cpu`). Includes the kernel's work for their sockets if done in the processes' \
         calls, but not the link's process.",
    )
    .mean_only()
    .only_where_shown()
    .misleads("Soft interrupts may be charged to another process."),
    part(
        Message,
        "broker_cpu_per_delivery",
        Ns,
        "resources",
        "Broker CPU per delivery",
        "The CPU time of `broker_cpu_per_message`, per message that arrived at one subscriber.",
    )
    .mean_only()
    .misleads("With one subscriber and nothing lost it is the same number. It falls with more subscribers where the work of \
        taking a message is shared among them, while the broker works more in all."),
    part(
        Message,
        "publisher_fixed_cpu",
        Ns,
        "resources",
        "Publisher's fixed CPU",
        "CPU time that the publisher's process would have taken over the measured phase without any message, and without the stand's own work: \
         idling, and the part of the communication with the stand that is not distinguished. From a blank before the measured phase.",
    )
    .mean_only()
    .without_messages()
    .misleads("It grows with the length of the phase if a client polls or sends keep-alives. It is not part of a message's cost.")
    .see("Fixed cost"),
    part(
        Message,
        "subscriber_fixed_cpu",
        Ns,
        "resources",
        "Subscriber's fixed CPU",
        "The same for the subscribers' process.",
    )
    .mean_only()
    .without_messages()
    .misleads("As `publisher_fixed_cpu`.")
    .see("Fixed cost"),
    part(
        Message,
        "broker_fixed_cpu",
        Ns,
        "resources",
        "Broker's fixed CPU",
        "The same for the broker's or relay's processes, which do not communicate with the stand: what they take while idle.",
    )
    .mean_only()
    .without_messages()
    .misleads("As `publisher_fixed_cpu`. A virtual machine that still compiles or collects garbage after the warm-up looks busier than it is later.")
    .see("Fixed cost"),
    ranked(
        Message,
        "publisher_memory",
        Bytes,
        "resources",
        "Publisher memory",
        "Least memory at the publisher",
        "Largest resident set of the publisher's process since its start (`VmHWM`, proc(5)).",
    )
    .about(Process)
    .misleads(
        "Includes the runner with the study's codecs for the payload and its transports (the same program for all cells \
         of a payload; about 3.5 MB idle with one codec), its samples, and what loading took. Trust differences more \
         than values.",
    ),
    ranked(
        Message,
        "subscriber_memory",
        Bytes,
        "resources",
        "Subscriber memory",
        "Least memory at the subscriber",
        "Largest resident set of the subscriber's process since its start (`VmHWM`, proc(5)).",
    )
    .about(Process)
    .misleads("As `publisher_memory`."),
    ranked(
        Message,
        "broker_memory",
        Bytes,
        "resources",
        "Broker memory",
        "Least memory at the broker",
        "Largest resident set of the broker's or relay's processes since their start, or the trial's start if they serve \
         several (`VmHWM`, proc(5)), summed over processes.",
    )
    .about(Process)
    .misleads("Includes the idle program: trust differences more than values."),
    ranked(
        Message,
        "stored_per_message",
        Bytes,
        "resources",
        "Stored by the broker",
        "Least stored by the broker",
        "By how much the broker's files with messages grew in the measured part, copies on all nodes included, per message sent. Only for brokers whose \
         definition names these files (`stores`).",
    )
    .misleads("The broker's indexes and its own journals are left out. What is stored is not what has reached the disk: the system writes later.")
    .see("Several clients"),
    ranked(
        Message,
        "implementation_size",
        Bytes,
        "resources",
        "Size of the client",
        "Smallest client",
        "How much the protocol's client adds to a program, for both roles and with all that it links: loaded bytes of a runner with \
         this client alone, and of the shared libraries that it needs, minus those of a runner without any client. Only with \
         `trials.weigh`.",
    )
    .misleads(
        "Includes our few lines that drive the client, but not the broker. What several clients would share, such as an \
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
    .about(Process)
    .misleads("Includes chunks of records on their way to a file, a megabyte or two for any number of messages.")
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
    .about(Process)
    .misleads("Includes chunks of records on their way to a file, a megabyte or two for any number of messages.")
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
    .about(Process)
    .misleads(
        "Freed memory need not go back to the system, and memory freed earlier can be reused.",
    )
    .signed(),
    part(
        Message,
        "send_rate",
        PerSecond,
        "pace",
        "Rate",
        "Messages sent, divided by the time from the first intended send to the last handover to the client.",
    )
    .misleads("n messages are divided by the n - 1 intervals between them: in an open loop of ten it is a tenth above the schedule's rate. In a closed loop it follows the latency."),
    ranked(
        Message,
        "sustained_rate",
        PerSecond,
        "load",
        "Highest sustained rate",
        "Highest sustained rate",
        "Of a search: the highest rate that was sustained twice, while the next higher rate tried, at most 4 % above, was not.",
    )
    .higher()
    .misleads(
        "Steps last as long as the study says, so a backlog that builds more slowly goes unseen. All other figures of the cell are \
         from the last step at this rate.",
    )
    .see("The search"),
    ranked(
        Message,
        "throughput",
        PerSecond,
        "load",
        "Throughput in deliveries",
        "Most deliveries a second",
        "Deliveries, each of a message to one subscriber, divided by the time from the first intended send to the last receipt.",
    )
    .higher()
    .misleads(
        "n messages are divided by the n - 1 intervals between them and the last one's latency: an open loop of ten that keeps up has up to a tenth more than the \
         requested rate. Only a batch, a window, or a rate beyond what the path carries \
         shows the maximum. With few messages, it mostly reflects the latency of the last.",
    )
    .see("Load and throughput"),
    part(
        Message,
        "throughput_body",
        BytesPerSecond,
        "load",
        "Throughput in bytes of bodies",
        "Bytes of the bodies of messages delivered, divided by the same time; if messages were only counted, all bodies times the \
         delivered share.",
    )
    .higher()
    .misleads("As `throughput`. A format with larger bodies has more of it for the same messages."),
    part(
        Message,
        "throughput_wire",
        BytesPerSecond,
        "load",
        "Bytes on the link per second",
        "`wire_per_message` times the messages published, both directions together, divided by the same time.",
    )
    .misleads("Acknowledgements and retransmissions after the last receipt count in the bytes, but not in the time."),
    part(
        Message,
        "publisher_messages_per_cpu",
        PerSecond,
        "load",
        "Messages per CPU second, publisher",
        "Messages published, divided by the publisher's CPU time as in `publisher_cpu_per_message`, over all trials together.",
    )
    .higher()
    .mean_only()
    .misleads("As `publisher_cpu_per_message`: a client that busy-waits takes CPU time at any rate."),
    part(
        Message,
        "subscriber_deliveries_per_cpu",
        PerSecond,
        "load",
        "Deliveries per CPU second, subscriber",
        "Deliveries, divided by the subscriber's CPU time as in `subscriber_cpu_per_delivery`.",
    )
    .higher()
    .mean_only()
    .misleads("As `publisher_messages_per_cpu`."),
    part(
        Message,
        "broker_deliveries_per_cpu",
        PerSecond,
        "load",
        "Deliveries per CPU second, broker",
        "Deliveries, divided by the broker's or relay's CPU time as in `broker_cpu_per_message`.",
    )
    .higher()
    .mean_only()
    .misleads("As `publisher_messages_per_cpu`. Includes the broker's background work, such as garbage collection."),
    part(
        Message,
        "execution_time",
        Ns,
        "load",
        "Execution time",
        "From the first intended send to the last receipt of a message.",
    )
    .misleads("In an open loop it is mostly the length of the schedule. Lost messages do not lengthen it."),
    part(
        Message,
        "execution_time_with_drain",
        Ns,
        "load",
        "Execution time with the drain",
        "From the first intended send until all had arrived and been acknowledged and the link was quiet, or the drain was over.",
    )
    .misleads(
        "If anything was lost it is mostly the study's drain; if not, it includes waits of some tens of milliseconds to make sure \
         that nothing more arrives.",
    ),
    part(
        Message,
        "backlog_half",
        Count,
        "pace",
        "Backlog at half time",
        "Messages sent but not yet received when half of all had been sent; those that never arrive are left out.",
    )
    .misleads("Includes what is on the link: rate times latency."),
    part(
        Message,
        "backlog_end",
        Count,
        "pace",
        "Backlog at the end",
        "The same when the last message had been sent.",
    )
    .misleads("As `backlog_half`."),
    part(
        Message,
        "partition_skew",
        Ratio,
        "pace",
        "Skew of partitions",
        "Messages that subscribers took from the fullest partition, divided by the mean of all partitions. Only where subscribers are members of a group or \
         commit, and there are several partitions.",
    )
    .misleads("Includes the warm-up. 1 is even; with few messages or few keys chance alone makes it larger.")
    .see("Several clients"),
    part(
        Message,
        "rebalances",
        Count,
        "pace",
        "Rebalances",
        "Assignments of a group's partitions after all members were connected, summed over the members, as their clients see them. Only where \
         subscribers are members of a group.",
    )
    .misleads(
        "A rebalance in which all members take part counts once for each. With cooperative assignment a member counts one when it gives partitions up, and one when \
         it gets some.",
    )
    .see("Several clients"),
    part(
        Message,
        "rebalance_time",
        Ns,
        "pace",
        "Time of rebalances",
        "From the moment at which a member's client was told to give partitions up until its next assignment, summed over its rebalances: of the member with \
         the longest. Only where there were rebalances, and none with cooperative assignment, whose members continue to read what they keep.",
    )
    .misleads(
        "Before the client is told, nothing is counted: a group learns of a dead member when its session times out. Our Kafka broker keeps one copy of its groups, \
         on one node, whatever the number of nodes.",
    )
    .see("Several clients"),
    part(
        Message,
        "commit_time",
        Ns,
        "pace",
        "Time of commits",
        "How long committing calls blocked the subscribers' threads, per message that they took, those of the warm-up and copies included. Only where \
         subscribers commit records or batches.",
    )
    .misleads(
        "Not what commits cost the broker, or the client's other threads. Without waiting for the answer it is the time to hand a commit over. Our Kafka \
         broker keeps one copy of committed offsets, whatever the number of nodes: with the usual three, waiting takes longer.",
    )
    .see("Several clients"),
    part(
        Message,
        "uncommitted",
        Count,
        "pace",
        "Not committed at the end",
        "Messages after the committed offsets of all partitions when subscribers had stopped receiving, up to where each partition ended when it was last fetched \
         from: what a member would get that took over, those that were never delivered and those whose commit is missing (Kafka's lag). Only where subscribers are \
         members of a group or commit, and the offsets of all partitions are known.",
    )
    .misleads(
        "Without any commit it counts from where the subscription began, and includes the warm-up. A client that commits by itself commits once more when it stops, so \
         that it is 0: after a crash up to five seconds would be missing.",
    )
    .see("Several clients"),
    part(
        Message,
        "latency_trend",
        Ratio,
        "pace",
        "Trend of the latency",
        "Median latency of the last third of a trial's messages divided by that of the first third, minus 1: 0 in a \
         steady state. Absent with fewer than ten delivered in either third.",
    )
    .of_arrived()
    .misleads("Link conditions that change during a trial (a rate trace) also cause a trend.")
    .signed(),
    part(
        Message,
        "socket_drops",
        Count,
        "delivery",
        "Dropped by sockets",
        "Datagrams that the kernel dropped at the roles' UDP sockets because a buffer was full (`drops` of \
         `/proc/net/udp`), summed over roles, per trial. The link did not lose them.",
    )
    .misleads(
        "Misses sockets that were closed before the end of the drain, and a broker given by address.",
    ),
    part(
        Message,
        "link_run_delay",
        Ratio,
        "noise",
        "Link's wait for a CPU",
        "Share of the time in which messages moved that the link's process was runnable but waited for a CPU (`run_delay` of \
         `/proc/PID/task/TID/schedstat`).",
    )
    .misleads("A sum: one long wait and many short ones look alike."),
    part(
        Message,
        "roles_run_delay",
        Ratio,
        "noise",
        "Roles' wait for a CPU",
        "The same for the role that waited most, summed over its threads, whatever it waited for.",
    )
    .misleads("A role with many threads can wait more than all of the time.")
    .no_share(),
    part(
        Message,
        "link_round_trip",
        Ns,
        "noise",
        "Link's floor",
        "Shortest round trip of the ICMP echoes, 84 bytes of IP, that checked the link before each trial.",
    )
    .misleads("Not the messages' round trip: no broker, no load, and link conditions fixed at their first values."),
    part(
        Message,
        "link_excess",
        Ns,
        "noise",
        "Link above its floor",
        "The shortest echo's round trip (`link_round_trip`) minus the least that the link's model gives for it: what \
         the emulation and the waking of a thread added.",
    )
    .misleads("The minimum of five: what the link adds at best, not typically.")
    .signed(),
    part(
        Message,
        "link_lateness_p99",
        Ns,
        "noise",
        "Link's lateness",
        "99th percentile, in each trial, of how much later packets left the link than the model says.",
    )
    .misleads(
        "Over all packets since the link was set up, including connection set-up; a packet queued behind another \
         counts too.",
    ),
    part(
        Message,
        "scheduling_lateness_p99",
        Ns,
        "noise",
        "Scheduling lateness",
        "99th percentile of how late a sleeping thread woke up, over a hundred wake-ups before each trial.",
    )
    .misleads("Looks at only 20 ms; includes timer slack of 50 µs.")
    .see("Noise and validity"),
    part(
        Message,
        "utilisation",
        Ratio,
        "noise",
        "Utilisation",
        "Share of the whole machine's CPU time in use over the measured phase of each trial (`/proc/stat`); with agents, of the busiest \
         machine, on an agent's while messages moved.",
    )
    .misleads("Counted in ticks of 10 ms; includes all lanes and everything else on the machine."),
    part(
        Message,
        "steal",
        Ratio,
        "noise",
        "Steal",
        "Share of the whole machine's CPU time that the hypervisor gave to other machines over the measured phase of each trial \
         (`/proc/stat`).",
    )
    .misleads("Hypervisors need not report it: 0 may mean \"unknown\"."),
    part(
        Message,
        "body",
        Bytes,
        "sizes",
        "Body",
        "Bytes of each sent message after codec and compression, without any protocol header.",
    )
    .lower()
    .exact()
    .about(Size)
    .misleads("Only over the first samples: `messages` of them, not the hundred of codec trials."),
    first(
        Codec,
        "body",
        Bytes,
        "sizes",
        "Body",
        "Smallest body",
        "Bytes of one message after codec and compression, without any protocol header. Means are over the loaded \
         samples of the payload, by default the first 100.",
    )
    .exact()
    .about(Size)
    .misleads("The order of samples is the payload's. Excludes a dictionary that both sides know."),
    part(
        Codec,
        "body_uncompressed",
        Bytes,
        "sizes",
        "Body before compression",
        "Bytes of the same samples after the codec, before compression. Only with a compression.",
    )
    .about(Size)
    .misleads("With a dictionary, a payload with samples.jsonl has other samples here.")
    .see("Compression"),
    part(
        Codec,
        "zero_share",
        Ratio,
        "sizes",
        "Zeros in the body",
        "Share of the body's bytes that are 0, after the codec, before compression: padding, wide integers, offsets, default values. Mean \
         over the samples.",
    )
    .about(Size)
    .misleads("Zeros compress well: it says how much a compression may find, not what it costs."),
    first(
        Codec,
        "total",
        Ns,
        "codecs",
        "All phases",
        "Least codec time",
        "Sum of the medians of `build`, `encode`, `decode` and `read` of each trial, and of `compress` and `decompress` \
         with a compression, into a reused output buffer. So no codec wins by moving work into a phase that is not \
         timed.",
    )
    .misleads("It weighs all phases equally; a sender never pays for `decompress`, `decode` and `read`."),
    ranked(
        Codec,
        "build",
        Ns,
        "codecs",
        "Build",
        "Fastest to build",
        "From the domain value to the codec's own object, in a calibrated loop with the timer's overhead subtracted: \
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
        "From the codec's object to bytes: clearing a reused output buffer, and encoding into it.",
    )
    .misleads(
        "A library that can't write into a given buffer pays for a copy; an application that allocates each time pays \
         for `encode_fresh`.",
    ),
    part(
        Codec,
        "encode_fresh",
        Ns,
        "codecs",
        "Encode, fresh buffer",
        "From the codec's object to bytes in a new output buffer for every message: includes its allocation, growth and \
         release.",
    )
    .misleads("The allocator is warm and hands out what it has just freed."),
    ranked(
        Codec,
        "decode",
        Ns,
        "codecs",
        "Decode",
        "Fastest to decode",
        "From bytes to the codec's object: includes whatever validation the library does by itself, allocation, and \
         dropping the object.",
    )
    .misleads(
        "Zero-copy codecs do almost nothing here: their cost is in `read`. Validation differs (see the labels).",
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
    .misleads("An application that reads two fields pays less. Includes the digest, the same for all codecs of a language: Rust's and C++'s read eight bytes of a text at a time, Java's four characters, Python's is a hash that a text keeps. Compare it within a language."),
    part(
        Codec,
        "compress",
        Ns,
        "codecs",
        "Compress",
        "From the codec's bytes to the compressed ones: clearing a reused output buffer, and compressing into it. Only \
         with a compression.",
    )
    .misleads(
        "Contexts and tables are kept between messages; a program that creates them each time pays more.",
    ),
    part(
        Codec,
        "decompress",
        Ns,
        "codecs",
        "Decompress",
        "From the compressed bytes back to the codec's, into a reused buffer, with the format's checks (CRC of gzip, \
         lengths). Only with a compression.",
    )
    .misleads("As `compress`; formats check different things."),
    part(
        Codec,
        "empty",
        Ns,
        "codecs",
        "Empty call",
        "A call that does nothing, in the loop that times the phases: what the loop itself costs in the runner's \
         language. Every other figure includes it; it is not subtracted. Only with `codec_trials.empty`.",
    )
    .misleads("In a compiled language the call is inlined, and only the loop's counting remains."),
    part(
        Codec,
        "setup",
        Ns,
        "codecs",
        "Set-up",
        "Creating what lasts as long as a codec serves a payload, such as parsed schemas and tables, in a process \
         that has done nothing else. Once per trial.",
    )
    .misleads("One observation per trial; the program's file is in the page cache.")
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
    .misleads("As `setup`; includes page faults of the program's code.")
    .see("First calls"),
    part(
        Codec,
        "decode_first",
        Ns,
        "codecs",
        "Decode, first call",
        "The first decode in the same process, of the first encode's output.",
    )
    .misleads("As `setup`; `protobuf/prost` has already parsed one message of the type.")
    .see("First calls"),
    part(
        Codec,
        "resident_idle",
        Bytes,
        "codecs",
        "Process, idle",
        "Largest resident set (`VmHWM`, proc(5)), read from outside, of a runner process whose codec is ready for the \
         payload but has seen no message.",
    )
    .about(Process)
    .misleads(
        "The runner contains the study's codecs for the payload and its transports; with `codec_trials.alone` only \
         this codec (about 3.5 MB then).",
    )
    .see("Whole processes"),
    part(
        Codec,
        "resident_encode",
        Bytes,
        "codecs",
        "Process that encodes",
        "Largest resident set of a process that only reads the samples and encodes each into one buffer.",
    )
    .about(Process)
    .misleads("Includes the samples as values, excludes compression; in steps of a page (4 KiB).")
    .see("Whole processes"),
    part(
        Codec,
        "resident_decode",
        Bytes,
        "codecs",
        "Process that decodes",
        "Largest resident set of a process that only gets the samples' bytes and decodes and reads each.",
    )
    .about(Process)
    .misleads("Includes the bytes as they arrived, in hexadecimal.")
    .see("Whole processes"),
    part(
        Codec,
        "collected",
        Ratio,
        "codecs",
        "Collector's share",
        "Share of the batches' wall time in which the runner's garbage collector worked, as reported by the collector: in the loop of each trial that has \
         most. Absent for runners whose language has none, or does not report it.",
    )
    .misleads("Collectors report whole milliseconds. What one does concurrently with the program is not wall time of a batch."),
    part(
        Codec,
        "unsettled_loops",
        Ratio,
        "codecs",
        "Unsettled loops",
        "Share of a trial's loops that were still changing when their batches began: their times are kept and enter no figure. Absent for \
         runners whose language does not compile while it runs.",
    )
    .misleads("A loop on a busy machine settles later, or not in its time."),
    part(
        Codec,
        "disturbed_batches",
        Ratio,
        "codecs",
        "Disturbed batches",
        "Share of the batches that took more than 5 % longer than their thread's CPU time, because it waited for a CPU: \
         in the worst loop of each trial. A loop's figure is its median batch, which a few of them hardly move. Absent \
         if the system reports no CPU time.",
    )
    .misleads(
        "Includes the hypervisor's steal only if the kernel keeps it out of the thread's CPU time; cache pollution goes \
         unseen.",
    ),
];

/// What a loop measures besides its time: rows whose names are suffixes, and whose titles follow the loop's.
pub const BESIDE_TIME: [Row; 6] = [
    part(
        Codec,
        "_cpu",
        Ns,
        "codecs",
        "CPU time",
        "CPU time of the measuring thread, user and system, for one operation of this phase, from the same batches as \
         the time.",
    )
    .misleads("Reading this clock is a system call: for a batch of one slow call it is less exact than wall time."),
    part(
        Codec,
        "_instructions",
        Count,
        "codecs",
        "instructions",
        "Instructions retired in user mode by the measuring thread for one operation of this phase, from the same \
         batches as the time. Absent if the kernel or machine has no such counter (`missing` says why).",
    )
    .misleads("Instructions differ in cost."),
    part(
        Codec,
        "_stack",
        Bytes,
        "codecs",
        "stack",
        "Deepest byte that one operation of this phase wrote on a painted stack, below the loop that calls it: the \
         largest of the samples, from a separate pass without timing.",
    )
    .about(Heap)
    .misleads(
        "Figures below 512 bytes can't be resolved; what is reserved but never written counts only if something \
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
         counted in a separate pass without timing, after warm-up rounds. A `realloc` counts once.",
    )
    .about(Heap)
    .misleads("Misses memory that a library maps by itself.")
    .see("One call: heap and stack"),
    part(
        Codec,
        "_allocated",
        Bytes,
        "codecs",
        "bytes allocated",
        "Bytes requested from the heap by one operation of this phase, freed or not: the mean over the samples, from \
         the same pass as the allocations. A `realloc` counts by its growth.",
    )
    .about(Heap)
    .misleads("Requested, not used: includes growth by doubling.")
    .see("One call: heap and stack"),
    part(
        Codec,
        "_peak",
        Bytes,
        "codecs",
        "peak heap",
        "Most heap bytes that one operation of this phase added at any moment: the largest of the samples, from \
         the same pass as the allocations.",
    )
    .about(Heap)
    .misleads("The largest sample decides; excludes the stack.")
    .see("One call: heap and stack"),
];
