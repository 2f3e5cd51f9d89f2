//! Cells: the combinations of a study's axes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    BrokerId, CodecId, CompressionId, LinkId, ModeId, OptionTable, OptionValue, PayloadId, Security,
};

use super::option::option_of_axis;
pub use super::table::Cell;
use super::table::{AXES, Axes, Part, axis};

/// The axis after which options follow.
const BEFORE_OPTIONS: &str = "security";

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.payload, self.coding(), self.sending())?;
        // The payload, a condition, stands first.
        self.named(Part::Condition).skip(1).try_for_each(|value| write!(f, " {value}"))
    }
}

/// A payload with a codec and its compression: what one codec trial measures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CodecCell {
    /// The payload, with its size if it takes one.
    pub payload: PayloadId,
    /// The codec: format, implementation and variant.
    pub codec: CodecId,
    /// Compression of the codec's bytes; absent for none.
    #[serde(default, skip_serializing_if = "CompressionId::is_none")]
    pub compression: CompressionId,
}

impl fmt::Display for CodecCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.payload, self.coding())
    }
}

/// A codec with its compression, as reports name the two: `json/serde-json + zstd:3`.
fn coding(codec: &CodecId, compression: &CompressionId) -> String {
    if compression.is_none() { codec.to_string() } else { format!("{codec} + {compression}") }
}

impl Cell {
    /// The codec with its compression, `json/serde-json + zstd:3`; the codec alone where nothing is compressed.
    pub fn coding(&self) -> String {
        coding(&self.codec, &self.compression)
    }

    /// How it is sent: `kafka:acks-1 by kafka@3 with tls linger=5ms window 8`. No security is named for connections in the
    /// clear.
    pub fn sending(&self) -> String {
        self.named(Part::Sending).collect::<Vec<_>>().join(" ")
    }

    /// Its values of a part, as its name has them, in the order of the axes.
    fn named(&self, part: Part) -> impl Iterator<Item = String> {
        let options = self.options.keys().map(String::as_str);
        let names = with_options(options).into_iter().filter_map(move |name| Some((name, axis(name)?)));
        names.filter(move |(_, info)| info.part == part).filter_map(|(name, info)| {
            let value = self.value(name)?;
            match option_of_axis(name) {
                Some((_, option)) => Some(format!("{option}={value}")),
                None => info.in_name(&value),
            }
        })
    }

    /// The part that codec trials measure.
    pub fn codec_cell(&self) -> CodecCell {
        CodecCell {
            payload: self.payload.clone(),
            codec: self.codec.clone(),
            compression: self.compression.clone(),
        }
    }
}

impl CodecCell {
    /// As [`Cell::value`]; `None` for the axes of messages.
    pub fn value(&self, axis: &str) -> Option<String> {
        match axis {
            "payload" => Some(self.payload.to_string()),
            "codec" => Some(self.codec.to_string()),
            "compression" => Some(self.compression.to_string()),
            _ => None,
        }
    }

    /// The codec with its compression, as [`Cell::coding`].
    pub fn coding(&self) -> String {
        coding(&self.codec, &self.compression)
    }
}

/// A mode with a broker, security and options: how messages are sent.
type Sending = (ModeId, Option<BrokerId>, Option<Security>, OptionTable);

/// The axes by name, in their order: [`AXES`], with options after broker and security.
fn with_options<'a>(options: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let before = |axis: &&&str| **axis != BEFORE_OPTIONS;
    let place = AXES.iter().take_while(before).count() + 1;
    AXES[..place].iter().copied().chain(options).chain(AXES[place..].iter().copied()).collect()
}

impl Axes {
    pub(super) fn default_link() -> Vec<LinkId> {
        LinkId::LOOPBACK.parse().into_iter().collect()
    }

    pub(super) fn default_compression() -> Vec<CompressionId> {
        vec![CompressionId::none()]
    }

    pub(super) fn is_plain(compression: &[CompressionId]) -> bool {
        matches!(compression, [only] if only.is_none())
    }

    /// Whether anything is compressed in some cell.
    pub fn compresses(&self) -> bool {
        !Self::is_plain(&self.compression)
    }

    /// The axes by name, in their order: [`AXES`], with the options that are axes after broker and security.
    pub fn names(&self) -> Vec<&str> {
        with_options(self.option.keys().map(String::as_str))
    }

    /// The named brokers that serve a protocol; a single `None` where none of them does.
    fn brokers_of(&self, protocol: &str, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Option<BrokerId>> {
        let named = self.broker.iter().filter(|broker| serves(broker, protocol));
        let named: Vec<_> = named.cloned().map(Some).collect();
        if named.is_empty() { vec![None] } else { named }
    }

    /// All combinations of the options of a protocol that are axes; a single empty one where there are none.
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

    /// Each mode with the named brokers that serve its protocol, with each security, and with its protocol's options.
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

    /// All combinations, the last axis varying fastest. A mode is combined with the named brokers that serve its protocol,
    /// according to `serves`, and with the values of its protocol's options.
    pub fn cells(&self, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Cell> {
        let sendings = self.sendings(serves);
        let mut cells = Vec::new();
        for CodecCell { payload, codec, compression } in self.codec_cells() {
            for (mode, broker, security, options) in &sendings {
                cells.extend(self.link.iter().map(|link| Cell {
                    compression: compression.clone(),
                    broker: broker.clone(),
                    security: *security,
                    options: options.clone(),
                    ..Cell::new(payload.clone(), codec.clone(), mode.clone(), link.clone())
                }));
            }
        }
        self.cross(cells)
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

/// Each cell with each value of an axis; unchanged without values, and where the axis does not apply.
pub(super) fn crossed<T: Copy>(
    cells: Vec<Cell>,
    values: &[T],
    not_for: &[fn(&Cell) -> bool],
    with: impl Fn(&mut Cell, T),
) -> Vec<Cell> {
    if values.is_empty() {
        return cells;
    }
    let each = |cell: Cell| {
        if not_for.iter().any(|not| not(&cell)) {
            return vec![cell];
        }
        let of_value = |value: &T| {
            let mut cell = cell.clone();
            with(&mut cell, *value);
            cell
        };
        values.iter().map(of_value).collect()
    };
    cells.into_iter().flat_map(each).collect()
}

pub(super) fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(T::to_string).collect()
}

/// The values of an axis that cells need not have; a single `None` where there are none.
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
        assert!(error.line == Some(7) && error.to_string().contains("dtls-psk"), "{error}");
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
            "small raw/wiredyno tcp lan loss 0% 2 publishers 2 subscribers 1 topic"
        );
        let clients = study.load.unwrap().of(&cells[2]).clients(false);
        assert_eq!((clients.subscribers, clients.topics, clients.fan_out()), (4, 1, 4));
        assert_eq!(
            serde_json::from_str::<Cell>(&serde_json::to_string(&cells[1]).unwrap()).unwrap(),
            cells[1]
        );
    }

    /// Between the rows of the axes that are crossed by hand and that of options.
    #[test]
    fn the_rows_of_further_axes_in_the_docs_are_those_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/FORMAT.md");
        let page = std::fs::read_to_string(path).unwrap();
        let schema = schemars::schema_for!(Axes).to_value();
        let further = AXES.iter().skip_while(|axis| **axis != "link").skip(1);
        let row = |axis: &&str| {
            let said = schema["properties"][axis]["description"].as_str().unwrap();
            format!("| `{axis}` | `[]` | {} |\n", said.trim_end_matches('.'))
        };
        let rows: String = further.map(row).collect();
        let begin = page.find("\n| `link` |").map(|at| at + 1).unwrap();
        let begin = begin + page[begin..].find('\n').unwrap() + 1;
        let end = begin + page[begin..].find("| `\"protocol.option\"` |").unwrap();
        let anew = format!("{}{rows}{}", &page[..begin], &page[end..]);
        if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, anew).unwrap();
            return;
        }
        assert!(
            page == anew,
            "docs/FORMAT.md: run with WIREDYNO_UPDATE_SNAPSHOTS=1; its rows of axes are\n{rows}"
        );
    }

    #[test]
    fn options_are_crossed_with_the_modes_of_their_protocol_alone() {
        let text = "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
                    mode = [\"mqtt:qos1\", \"kafka:acks-1\"]\nbroker = [\"kafka\", \"kafka@3\"]\n\
                    \"kafka.linger\" = [\"0ns\", \"5ms\"]\n\"kafka.group\" = [\"shared\"]\n\
                    [load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n";
        let study = Study::parse("t.toml", text).unwrap();
        let cells = study.axes.cells(&|broker, protocol| broker.name == protocol);
        let names: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let expected = [
            "small raw/wiredyno mqtt:qos1 loopback",
            "small raw/wiredyno kafka:acks-1 by kafka group=shared linger=0ns loopback",
            "small raw/wiredyno kafka:acks-1 by kafka group=shared linger=5ms loopback",
            "small raw/wiredyno kafka:acks-1 by kafka@3 group=shared linger=0ns loopback",
            "small raw/wiredyno kafka:acks-1 by kafka@3 group=shared linger=5ms loopback",
        ];
        assert_eq!(names, expected);
        let names = study.axes.names();
        let behind = names.iter().position(|name| *name == "security").unwrap() + 1;
        assert_eq!(names[behind..behind + 2], ["kafka.group", "kafka.linger"]);
        assert_eq!([&names[..behind], &names[behind + 2..]].concat(), AXES);
        assert_eq!(study.axes.values("kafka.linger"), ["0ns", "5ms"]);
        let linger = |cell: &Cell| cell.value("kafka.linger");
        assert_eq!((linger(&cells[0]), linger(&cells[2])), (None, Some("5ms".to_owned())));
        assert!(!serde_json::to_string(&cells[0]).unwrap().contains("options"));
        let text = serde_json::to_string(&cells[2]).unwrap();
        assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cells[2]);
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
    }
}
