//! Cells: the combinations of a study's axes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{BrokerId, CodecId, CompressionId, LinkId, ModeId, PayloadId};
use crate::option::{OptionTable, OptionValue};
use crate::option_axis::option_of_axis;
use crate::security::Security;
use crate::study::{Axes, Records, Way};
use crate::unit::{MessageRate, Ratio};

/// One combination of the axes' values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The payload.
    pub payload: PayloadId,
    /// The codec.
    pub codec: CodecId,
    /// What is done to its bytes; absent for nothing.
    #[serde(default, skip_serializing_if = "CompressionId::is_none")]
    pub compression: CompressionId,
    /// The mode.
    pub mode: ModeId,
    /// The broker that the study names for it; absent where the installed one that is preferred serves, or none is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broker: Option<BrokerId>,
    /// How its connections are secured; absent where the study does not say, and the protocol's usual way holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// Its protocol's options that are axes of the study, by the names of the axes; absent where there are none.
    #[serde(default, skip_serializing_if = "OptionTable::is_empty")]
    pub options: OptionTable,
    /// The link.
    pub link: LinkId,
    /// Loss per direction, 0..1; absent where the link's own applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Ratio>,
    /// How many messages a second are asked for; absent where the load says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<MessageRate>,
    /// How many messages may be under way; absent where the load says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// How many clients publish; absent where the load says it, as the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publishers: Option<u32>,
    /// How many clients subscribe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribers: Option<u32>,
    /// On how many topics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topics: Option<u32>,
    /// How many messages a trial has; absent where the load says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u32>,
    /// Whether messages come back to the publisher's host; absent where the study's hosts say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// Where the publisher's values are read from; absent where the study does not say, and they are in its memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Records>,
}

/// The axes that every study may have, by name, in their order. Options of transports may be axes besides: [`Axes::names`].
pub const AXES: [&str; 16] = [
    "payload",
    "codec",
    "compression",
    "mode",
    "broker",
    "security",
    "link",
    "loss",
    "rate",
    "window",
    "publishers",
    "subscribers",
    "topics",
    "messages",
    "way",
    "records",
];

/// The axis behind which those of options stand.
const BEFORE_OPTIONS: &str = "security";

/// Whether only modes of some protocols have an axis, so that two protocols have no value in common there: brokers and options.
pub fn is_of_some_protocols(axis: &str) -> bool {
    axis == "broker" || option_of_axis(axis).is_some()
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.payload, self.coding(), self.sending(), self.link)?;
        if let Some(loss) = self.loss {
            write!(f, " loss {}%", loss.get() * 100.0)?;
        }
        if let Some(rate) = self.rate {
            write!(f, " {rate}")?;
        }
        if let Some(way) = self.way {
            write!(f, " {way}")?;
        }
        if let Some(records) = self.records {
            write!(f, " records {records}")?;
        }
        Ok(())
    }
}

/// A payload with a codec and what is done to its bytes: what one codec trial measures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CodecCell {
    /// The payload.
    pub payload: PayloadId,
    /// The codec.
    pub codec: CodecId,
    /// What is done to its bytes; absent for nothing.
    #[serde(default, skip_serializing_if = "CompressionId::is_none")]
    pub compression: CompressionId,
}

impl fmt::Display for CodecCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.payload, self.coding())
    }
}

/// A codec with what is done to its bytes, as reports name the two: `json/serde-json + zstd:3`.
fn coding(codec: &CodecId, compression: &CompressionId) -> String {
    if compression.is_none() { codec.to_string() } else { format!("{codec} + {compression}") }
}

/// So many publishers, subscribers, topics or messages in words: `1 publisher`, `4 topics`.
pub fn count_of(axis: &str, count: u32) -> String {
    format!("{count} {}", if count == 1 { axis.trim_end_matches('s') } else { axis })
}

impl Cell {
    /// The codec with its compression, `json/serde-json + zstd:3`; the codec alone where nothing is compressed.
    pub fn coding(&self) -> String {
        coding(&self.codec, &self.compression)
    }

    /// The mode with its broker where the study names one, with how it is secured where that is not in the clear, with the options
    /// that are axes, and with window and clients that are: `kafka:acks-1 by kafka@3 with tls linger=5ms window 8`,
    /// `mqtt:qos1 4 publishers`.
    pub fn sending(&self) -> String {
        let broker = self.broker.iter().map(|broker| format!("by {broker}"));
        let security = self.security.iter().filter(|security| !security.is_none());
        let security = security.map(|security| format!("with {security}"));
        let named = |(axis, value): (&String, &OptionValue)| {
            let (_, option) = option_of_axis(axis)?;
            Some(format!("{option}={}", value.plain()))
        };
        let options = self.options.iter().filter_map(named);
        let window = self.window.iter().map(|window| format!("window {window}"));
        let clients = self.clients().into_iter().filter_map(|(axis, count)| Some(count_of(axis, count?)));
        let mode = std::iter::once(self.mode.to_string());
        let words: Vec<String> =
            mode.chain(broker).chain(security).chain(options).chain(window).chain(clients).collect();
        words.join(" ")
    }

    /// Publishers, subscribers, topics and messages, by their axes.
    fn clients(&self) -> [(&'static str, Option<u32>); 4] {
        [
            ("publishers", self.publishers),
            ("subscribers", self.subscribers),
            ("topics", self.topics),
            ("messages", self.messages),
        ]
    }

    /// Its value on an axis, as text; `None` where it has none, and for names that are no axis.
    pub fn value(&self, axis: &str) -> Option<String> {
        match axis {
            "mode" => Some(self.mode.to_string()),
            "broker" => self.broker.as_ref().map(BrokerId::to_string),
            "security" => self.security.map(|security| security.to_string()),
            "link" => Some(self.link.to_string()),
            "loss" => self.loss.map(|loss| loss.to_string()),
            "rate" => self.rate.map(|rate| rate.to_string()),
            "window" => self.window.map(|window| window.to_string()),
            "publishers" => self.publishers.map(|count| count.to_string()),
            "subscribers" => self.subscribers.map(|count| count.to_string()),
            "topics" => self.topics.map(|count| count.to_string()),
            "messages" => self.messages.map(|count| count.to_string()),
            "way" => self.way.map(|way| way.to_string()),
            "records" => self.records.map(|records| records.to_string()),
            _ => self.options.get(axis).map(OptionValue::plain).or_else(|| self.codec_cell().value(axis)),
        }
    }

    /// Payload, codec and compression.
    pub fn codec_cell(&self) -> CodecCell {
        CodecCell {
            payload: self.payload.clone(),
            codec: self.codec.clone(),
            compression: self.compression.clone(),
        }
    }
}

impl CodecCell {
    /// As [`Cell::value`]; it has none on the axes of messages.
    pub fn value(&self, axis: &str) -> Option<String> {
        match axis {
            "payload" => Some(self.payload.to_string()),
            "codec" => Some(self.codec.to_string()),
            "compression" => Some(self.compression.to_string()),
            _ => None,
        }
    }

    /// As [`Cell::coding`].
    pub fn coding(&self) -> String {
        coding(&self.codec, &self.compression)
    }
}

/// A mode with a broker, security and options: how messages are sent.
type Sending = (ModeId, Option<BrokerId>, Option<Security>, OptionTable);

/// A rate, and window, publishers, subscribers, topics and messages.
type Load = (Option<MessageRate>, [Option<u32>; 5]);

/// Where messages end, and where their values come from.
type Ends = (Option<Way>, Option<Records>);

impl Axes {
    /// The axes by name, in their order: [`AXES`], and the options that are axes behind broker and security.
    pub fn names(&self) -> Vec<&str> {
        let before = |axis: &&&str| **axis != BEFORE_OPTIONS;
        let place = AXES.iter().take_while(before).count() + 1;
        let options = self.option.keys().map(String::as_str);
        AXES[..place].iter().copied().chain(options).chain(AXES[place..].iter().copied()).collect()
    }

    /// The values of an axis in the study's order, as text; empty for names that are no axis.
    pub fn values(&self, axis: &str) -> Vec<String> {
        fn texts<T: ToString>(values: &[T]) -> Vec<String> {
            values.iter().map(T::to_string).collect()
        }
        match axis {
            "payload" => texts(&self.payload),
            "codec" => texts(&self.codec),
            "compression" => texts(&self.compression),
            "mode" => texts(&self.mode),
            "broker" => texts(&self.broker),
            "security" => texts(&self.security),
            "link" => texts(&self.link),
            "loss" => texts(&self.loss),
            "rate" => texts(&self.rate),
            "window" => texts(&self.window),
            "publishers" => texts(&self.publishers),
            "subscribers" => texts(&self.subscribers),
            "topics" => texts(&self.topics),
            "messages" => texts(&self.messages),
            "way" => texts(&self.way),
            "records" => texts(&self.records),
            _ => self.option.get(axis).into_iter().flatten().map(OptionValue::plain).collect(),
        }
    }

    /// The brokers named that serve a protocol; one nameless where none of them does.
    fn brokers_of(&self, protocol: &str, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Option<BrokerId>> {
        let named = self.broker.iter().filter(|broker| serves(broker, protocol));
        let named: Vec<_> = named.cloned().map(Some).collect();
        if named.is_empty() { vec![None] } else { named }
    }

    /// All combinations of the options of a protocol that are axes; one empty where there are none.
    fn options_of(&self, protocol: &str) -> Vec<OptionTable> {
        let mut tables = vec![OptionTable::new()];
        let is_own = |axis: &str| option_of_axis(axis).is_some_and(|(of, _)| of == protocol);
        for (axis, values) in self.option.iter().filter(|(axis, _)| is_own(axis)) {
            let with = |table: &OptionTable| {
                let of_value = |value: &OptionValue| {
                    let mut table = table.clone();
                    table.insert(axis.clone(), value.clone());
                    table
                };
                values.iter().map(of_value).collect::<Vec<_>>()
            };
            tables = tables.iter().flat_map(with).collect();
        }
        tables
    }

    /// Each mode with those of the brokers named that serve its protocol, with each security, and with its protocol's options.
    fn sendings(&self, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Sending> {
        let mut sendings = Vec::new();
        for mode in &self.mode {
            let options = self.options_of(&mode.protocol);
            for broker in self.brokers_of(&mode.protocol, serves) {
                for security in each_or_none(&self.security) {
                    let with =
                        |options: &OptionTable| (mode.clone(), broker.clone(), security, options.clone());
                    sendings.extend(options.iter().map(with));
                }
            }
        }
        sendings
    }

    /// All combinations, the last axis varying fastest. A mode goes together with those of the brokers named that serve its
    /// protocol, which `serves` knows, and with the values of its protocol's options.
    pub fn cells(&self, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Cell> {
        let losses = each_or_none(&self.loss);
        let (rates, counts) = (each_or_none(&self.rate), self.counts());
        let loads: Vec<Load> =
            rates.iter().flat_map(|&rate| counts.iter().map(move |&counts| (rate, counts))).collect();
        let records = each_or_none(&self.records);
        let ways: Vec<Ends> = each_or_none(&self.way)
            .into_iter()
            .flat_map(|way| records.iter().map(move |&records| (way, records)))
            .collect();
        let sendings = self.sendings(serves);
        let mut cells = Vec::new();
        for CodecCell { payload, codec, compression } in self.codec_cells() {
            for (mode, broker, security, options) in &sendings {
                for link in &self.link {
                    // Loopback has no loss of ours: one cell whatever the loss axis says.
                    let losses = if link.is_loopback() { &[None][..] } else { &losses[..] };
                    let conditions = losses.iter().flat_map(|&loss| {
                        let ways = &ways;
                        loads.iter().flat_map(move |&load| ways.iter().map(move |&way| (loss, load, way)))
                    });
                    let cell = |(loss, (rate, counts), (way, records)): (Option<Ratio>, Load, Ends)| Cell {
                        payload: payload.clone(),
                        codec: codec.clone(),
                        compression: compression.clone(),
                        mode: mode.clone(),
                        broker: broker.clone(),
                        security: *security,
                        options: options.clone(),
                        link: link.clone(),
                        loss,
                        rate,
                        window: counts[0],
                        publishers: counts[1],
                        subscribers: counts[2],
                        topics: counts[3],
                        messages: counts[4],
                        way,
                        records,
                    };
                    cells.extend(conditions.map(cell));
                }
            }
        }
        cells
    }

    /// All combinations of window, publishers, subscribers, topics and messages.
    fn counts(&self) -> Vec<[Option<u32>; 5]> {
        let mut all = vec![[None; 5]];
        for (place, axis) in [&self.window, &self.publishers, &self.subscribers, &self.topics, &self.messages]
            .into_iter()
            .enumerate()
        {
            let values = each_or_none(axis);
            let with = |counts: [Option<u32>; 5]| {
                values.iter().map(move |&value| {
                    let mut counts = counts;
                    counts[place] = value;
                    counts
                })
            };
            all = all.into_iter().flat_map(with).collect();
        }
        all
    }

    /// All combinations of payload, codec and compression.
    pub fn codec_cells(&self) -> Vec<CodecCell> {
        let mut cells = Vec::new();
        for payload in &self.payload {
            for codec in &self.codec {
                cells.extend(self.compression.iter().map(|compression| CodecCell {
                    payload: payload.clone(),
                    codec: codec.clone(),
                    compression: compression.clone(),
                }));
            }
        }
        cells
    }
}

/// The values of an axis that cells need not have; one absent where there are none.
fn each_or_none<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;

    #[test]
    fn a_mode_goes_together_with_the_brokers_that_serve_its_protocol() {
        let text = "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
                    mode = [\"mqtt:qos1\", \"kafka:acks-1\", \"tcp\"]\nbroker = [\"mosquitto\", \"hivemq\", \"kafka@3\"]\n\
                    [load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n";
        let study = Study::parse("t.toml", text).unwrap();
        let serves = |broker: &BrokerId, protocol: &str| {
            (broker.name == "kafka") == (protocol == "kafka") && protocol != "tcp"
        };
        let names: Vec<String> = study.axes.cells(&serves).iter().map(ToString::to_string).collect();
        let expected = [
            "small raw/wiredyno mqtt:qos1 by mosquitto loopback",
            "small raw/wiredyno mqtt:qos1 by hivemq loopback",
            "small raw/wiredyno kafka:acks-1 by kafka@3 loopback",
            "small raw/wiredyno tcp loopback",
        ];
        assert_eq!(names, expected);
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
    }

    #[test]
    fn securities_are_crossed_with_modes_and_the_clear_one_is_not_named() {
        let text = "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
                    mode = [\"mqtt:qos1\", \"tcp\"]\nsecurity = [\"none\", \"mtls\"]\n[security]\nlogin = true\n\
                    [load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n";
        let study = Study::parse("t.toml", text).unwrap();
        let cells = study.axes.cells(&|_, _| false);
        let names: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let expected = [
            "small raw/wiredyno mqtt:qos1 loopback",
            "small raw/wiredyno mqtt:qos1 with mtls loopback",
            "small raw/wiredyno tcp loopback",
            "small raw/wiredyno tcp with mtls loopback",
        ];
        assert_eq!(names, expected);
        let values = [&cells[0], &cells[1]].map(|cell| cell.value("security"));
        assert_eq!(values, [Some("none".to_owned()), Some("mtls".to_owned())]);
        assert!(study.security.login && !study.security.resumption);
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
        let error = Study::parse("t.toml", &text.replace("\"mtls\"", "\"tlss\"")).unwrap_err();
        assert!(error.line == 7 && error.to_string().contains("dtls-psk"), "{error}");
    }

    #[test]
    fn rates_and_windows_are_axes_of_loads() {
        let text = |axis: &str, load: &str| {
            format!(
                "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\nmode = [\"tcp\"]\n\
                 link = [\"lan\"]\nloss = [0.0, 0.01]\n{axis}\n[load]\n{load}\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n"
            )
        };
        let open = text("rate = [\"500/s\", \"10000/s\"]", "kind = \"open\"\narrivals = { bursts = 5 }");
        let study = Study::parse("t.toml", &open).unwrap();
        let cells = study.axes.cells(&|_, _| false);
        let names: Vec<String> = cells.iter().map(ToString::to_string).collect();
        assert_eq!(names[0], "small raw/wiredyno tcp lan loss 0% 500/s");
        assert_eq!((names.len(), cells[3].value("rate").as_deref()), (4, Some("10k/s")));
        let load = study.load.as_ref().unwrap();
        assert_eq!((load.of(&cells[3]).interval.ns, load.of(&cells[3]).rate), (100_000, None));
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
        let study = Study::parse("t.toml", &text("window = [1, 64]", "kind = \"closed\"")).unwrap();
        let cells = study.axes.cells(&|_, _| false);
        assert_eq!(cells[1].to_string(), "small raw/wiredyno tcp window 64 lan loss 0%");
        assert_eq!(study.load.unwrap().of(&cells[1]).window, 64);
        let axes = "publishers = [2]\nsubscribers = [2, 4]\ntopics = [1, 2]";
        let study = Study::parse("t.toml", &text(axes, "kind = \"batch\"")).unwrap();
        let cells = study.axes.cells(&|_, _| true);
        assert_eq!(cells.len(), 2 * 4);
        assert_eq!(
            cells[0].to_string(),
            "small raw/wiredyno tcp 2 publishers 2 subscribers 1 topic lan loss 0%"
        );
        let clients = study.load.unwrap().of(&cells[2]).clients();
        assert_eq!((clients.subscribers, clients.topics, clients.fan_out()), (4, 1, 4));
        assert_eq!(
            serde_json::from_str::<Cell>(&serde_json::to_string(&cells[1]).unwrap()).unwrap(),
            cells[1]
        );
    }

    #[test]
    fn options_are_crossed_with_the_modes_of_their_protocol_alone() {
        let text = "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
                    mode = [\"mqtt:qos1\", \"kafka:acks-1\"]\nbroker = [\"kafka\", \"kafka@3\"]\n\
                    \"kafka.linger\" = [\"0ns\", \"5ms\"]\n\"kafka.group\" = [true]\n\
                    [load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n";
        let study = Study::parse("t.toml", text).unwrap();
        let cells = study.axes.cells(&|broker, protocol| broker.name == protocol);
        let names: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let expected = [
            "small raw/wiredyno mqtt:qos1 loopback",
            "small raw/wiredyno kafka:acks-1 by kafka group=true linger=0ns loopback",
            "small raw/wiredyno kafka:acks-1 by kafka group=true linger=5ms loopback",
            "small raw/wiredyno kafka:acks-1 by kafka@3 group=true linger=0ns loopback",
            "small raw/wiredyno kafka:acks-1 by kafka@3 group=true linger=5ms loopback",
        ];
        assert_eq!(names, expected);
        let axes = [
            "payload",
            "codec",
            "compression",
            "mode",
            "broker",
            "security",
            "kafka.group",
            "kafka.linger",
            "link",
            "loss",
            "rate",
            "window",
            "publishers",
            "subscribers",
            "topics",
            "messages",
            "way",
            "records",
        ];
        assert_eq!(study.axes.names(), axes);
        assert_eq!(study.axes.values("kafka.linger"), ["0ns", "5ms"]);
        let linger = |cell: &Cell| cell.value("kafka.linger");
        assert_eq!((linger(&cells[0]), linger(&cells[2])), (None, Some("5ms".to_owned())));
        assert!(!serde_json::to_string(&cells[0]).unwrap().contains("options"));
        let text = serde_json::to_string(&cells[2]).unwrap();
        assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cells[2]);
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
    }
}
