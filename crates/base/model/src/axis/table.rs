//! The table of axes, and what follows from its rows: an axis's values in a study, its one value in a cell, and its column in
//! tables of figures. One file because a macro generates all of these from the rows.

use std::collections::BTreeMap;
use std::convert::identity;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    BrokerId, CodecId, CompressionId, LinkId, MessageRate, ModeId, OptionTable, OptionValue, PayloadId,
    Ratio, Security,
};

use super::cell::{crossed, texts};
use super::option::option_of_axis;
use super::value::Axis;
use super::words::{Records, Way};
use crate::metric::Unit;

/// An axis that every study may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AxisInfo {
    /// Its name in a study.
    pub name: &'static str,
    /// Whether its values are words or numbers.
    pub kind: AxisKind,
    /// The part of a message's way that it belongs to.
    pub part: Part,
    /// A value in words, where `{}` stands for it. A share is written in percent.
    pub words: &'static str,
    /// The words for a count of 1, where they differ.
    pub one: Option<&'static str>,
    /// Values with words of their own.
    pub spoken: &'static [(&'static str, &'static str)],
    /// A value in the name of a cell, where that differs from `words`. `none` is left out there.
    #[serde(skip)]
    pub in_names: Option<&'static str>,
    /// When tables have a column of it.
    #[serde(skip)]
    pub shown: ColumnShown,
    /// What a table shows for a cell without a value; empty for nothing.
    #[serde(skip)]
    pub absent: &'static str,
    /// Whether only modes of some protocols have it, so that two protocols have no value in common there.
    #[serde(skip)]
    pub of_some_protocols: bool,
}

/// What the values of an axis are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisKind {
    /// Words, in no order but the study's.
    Category,
    /// Numbers in this unit.
    Number(Unit),
}

/// The part of a message's way that a value belongs to. Only cells with the same conditions are rivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// How a message is encoded, which the sender chooses.
    Coding,
    /// How it is sent, which the sender chooses.
    Sending,
    /// Conditions that the sender can't choose: what there is to say, how often, to whom, over which network.
    Condition,
}

/// When a table of cells has a column of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnShown {
    /// In every table.
    Always,
    /// Where the study names values.
    Named,
    /// Where the study names a value that is not `none`.
    Used,
    /// Where the study names more than one value.
    Several,
}

/// The value that means nothing is there.
const NONE: &str = "none";

const COMMON: AxisInfo = AxisInfo {
    name: "",
    kind: AxisKind::Category,
    part: Part::Condition,
    words: "{}",
    one: None,
    spoken: &[],
    in_names: None,
    shown: ColumnShown::Named,
    absent: "",
    of_some_protocols: false,
};

/// An axis of counts.
const COUNT: AxisInfo = AxisInfo { kind: AxisKind::Number(Unit::Count), ..COMMON };

/// An option of a protocol, as `kafka.linger`.
const OPTION: AxisInfo = AxisInfo { part: Part::Sending, of_some_protocols: true, ..COMMON };

/// What is known of an axis by its name; `None` for names that no axis may have.
pub fn axis(name: &str) -> Option<AxisInfo> {
    let fixed = TABLE.iter().find(|axis| axis.name == name).copied();
    fixed.or_else(|| option_of_axis(name).map(|_| OPTION))
}

impl AxisInfo {
    /// Whether its values are numbers.
    pub const fn is_number(&self) -> bool {
        matches!(self.kind, AxisKind::Number(_))
    }

    /// Whether tables have a column of it where a study names these values.
    pub fn is_shown(&self, values: &[String]) -> bool {
        match self.shown {
            ColumnShown::Always => true,
            ColumnShown::Named => !values.is_empty(),
            ColumnShown::Used => values.iter().any(|value| value != NONE),
            ColumnShown::Several => values.len() > 1,
        }
    }

    /// A value as people read it: `5 % loss`, `window 8`, `1 publisher`.
    pub fn in_words(&self, value: &str) -> String {
        if let Some((_, words)) = self.spoken.iter().find(|(spoken, _)| *spoken == value) {
            return (*words).to_owned();
        }
        let words = self.one.filter(|_| value == "1").unwrap_or(self.words);
        words.replace("{}", &self.number_of(value, " %"))
    }

    /// A value in the name of a cell: `loss 5%`, `by mosquitto`; `None` for `none`.
    pub fn in_name(&self, value: &str) -> Option<String> {
        let words =
            self.in_names.unwrap_or(if value == "1" { self.one.unwrap_or(self.words) } else { self.words });
        (value != NONE).then(|| words.replace("{}", &self.number_of(value, "%")))
    }

    /// Shares in percent, other values unchanged.
    fn number_of(&self, value: &str, percent: &str) -> String {
        match (self.kind, value.parse::<f64>()) {
            (AxisKind::Number(Unit::Ratio), Ok(share)) => format!("{}{percent}", (share * 1e6).round() / 1e4),
            _ => value.to_owned(),
        }
    }
}

/// Generates from the rows: [`TABLE`], the fields of [`Axes`] and [`Cell`] with their values as text, and the columns.
///
/// The fixed axes need more than their values to be crossed, which is written by hand. On the further ones any cell may have no value or one
/// of those that the study names; what `study` says of them is repeated in docs/FORMAT.md.
macro_rules! axes {
    (
        fixed { $($fixed:expr,)* }
        further { $($name:ident: $type:ty, $column:ident: $of_column:ty = $figured:expr => {
            study: $(#[$of_axes:meta])* $in_study:literal,
            cell: $in_cell:literal,
            column: $in_table:literal,
            row: $row:expr,
            $(unless: $unless:expr,)?
        })* }
    ) => {
        /// The axes, in the order in which cells are crossed, the last varying fastest; options of protocols follow `security`.
        pub const TABLE: &[AxisInfo] = &[
            $($fixed,)*
            $(AxisInfo { name: stringify!($name), ..$row },)*
        ];

        /// The axes; a cell is one combination of their values.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(extend("patternProperties" = { "^[^.]+[.][^.]+$": {
            "description": "An option of a transport, `kafka.linger`, with the values to cross the cells of its protocol with.",
            "type": "array",
            "items": { "$ref": "#/$defs/OptionValue" },
        } }))]
        pub struct Axes {
            /// Payloads, with a size after an at sign if they take one.
            pub payload: Axis<PayloadId>,
            /// Codecs. A study as run names all of them, including those that `format` and `runner` stood for as it was written.
            #[serde(default)]
            pub codec: Axis<CodecId>,
            /// Formats: each stands for the first of its codecs in every named runner.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub format: Vec<String>,
            /// The runners whose codecs formats and patterns stand for; Rust's when left out.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub runner: Vec<String>,
            /// Compressions of the encoded bytes; `none` when left out.
            #[serde(default = "Axes::default_compression", skip_serializing_if = "Axes::is_plain")]
            pub compression: Vec<CompressionId>,
            /// Modes; without any, the study has codec trials only.
            #[serde(default)]
            pub mode: Vec<ModeId>,
            /// Brokers, each for the modes whose protocols it serves; other modes use the preferred one that is installed.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub broker: Vec<BrokerId>,
            /// Security of connections; each protocol's default when left out, which is in the clear where possible.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub security: Vec<Security>,
            /// Links; `loopback` when left out, `real` for the network between agents.
            #[serde(default = "Axes::default_link")]
            pub link: Vec<LinkId>,
            $(
                #[doc = $in_study]
                $(#[$of_axes])*
                pub $name: Vec<$type>,
            )*
            /// Options of transports, each with the values to cross the cells of its protocol with: `"kafka.linger" = ["0ms", "5ms"]`.
            #[serde(flatten, skip_deserializing)]
            pub option: BTreeMap<String, Vec<OptionValue>>,
        }

        /// One combination of the axes' values.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct Cell {
            /// The payload, with its size if it takes one.
            pub payload: PayloadId,
            /// The codec: format, implementation and variant.
            pub codec: CodecId,
            /// Compression of the codec's bytes; absent for none.
            #[serde(default, skip_serializing_if = "CompressionId::is_none")]
            pub compression: CompressionId,
            /// The mode: protocol and delivery guarantee.
            pub mode: ModeId,
            /// The broker that the study names for it; absent where the preferred one that is installed serves, or none is needed.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub broker: Option<BrokerId>,
            /// Security of its connections; absent where the study names none, so that the protocol's default applies.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub security: Option<Security>,
            /// Its protocol's options that are axes of the study, by the names of the axes; absent where there are none.
            #[serde(default, skip_serializing_if = "OptionTable::is_empty")]
            pub options: OptionTable,
            /// The link, `loopback` for none, `real` for the network between agents.
            pub link: LinkId,
            $(
                #[doc = $in_cell]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<$type>,
            )*
        }

        /// The values of the axes that cells need not have, as columns of a table of figures.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
        pub struct FurtherColumns {
            $(
                #[doc = $in_table]
                pub $column: Option<$of_column>,
            )*
        }

        impl Axes {
            /// The values of an axis in the study's order, as text; empty for names that are not an axis.
            pub fn values(&self, axis: &str) -> Vec<String> {
                match axis {
                    "payload" => texts(&self.payload),
                    "codec" => texts(&self.codec),
                    "compression" => texts(&self.compression),
                    "mode" => texts(&self.mode),
                    "broker" => texts(&self.broker),
                    "security" => texts(&self.security),
                    "link" => texts(&self.link),
                    $(stringify!($name) => texts(&self.$name),)*
                    _ => self.option.get(axis).into_iter().flatten().map(OptionValue::plain).collect(),
                }
            }

            /// These cells, each with every combination of what the study names on the axes that any cell may have.
            pub(super) fn cross(&self, mut cells: Vec<Cell>) -> Vec<Cell> {
                $(
                    let none: &[fn(&Cell) -> bool] = &[$($unless)?];
                    cells = crossed(cells, &self.$name, none, |cell, value| cell.$name = Some(value));
                )*
                cells
            }
        }

        impl Cell {
            /// A cell with what every cell has.
            pub fn new(payload: PayloadId, codec: CodecId, mode: ModeId, link: LinkId) -> Self {
                Cell {
                    payload,
                    codec,
                    compression: CompressionId::none(),
                    mode,
                    broker: None,
                    security: None,
                    options: OptionTable::new(),
                    link,
                    $($name: None,)*
                }
            }

            /// Its value on an axis, as text; `None` where it has none, and for names that are not an axis.
            pub fn value(&self, axis: &str) -> Option<String> {
                match axis {
                    "mode" => Some(self.mode.to_string()),
                    "broker" => self.broker.as_ref().map(BrokerId::to_string),
                    "security" => self.security.map(|security| security.to_string()),
                    "link" => Some(self.link.to_string()),
                    $(stringify!($name) => self.$name.map(|value| value.to_string()),)*
                    _ => self.options.get(axis).map(OptionValue::plain).or_else(|| self.codec_cell().value(axis)),
                }
            }

            /// Its values on the axes that it need not have.
            pub(crate) fn further(&self) -> FurtherColumns {
                FurtherColumns { $($column: self.$name.map($figured),)* }
            }
        }
    };
}

axes! {
    fixed {
    AxisInfo { name: "payload", shown: ColumnShown::Always, ..COMMON },
    AxisInfo { name: "codec", part: Part::Coding, shown: ColumnShown::Always, ..COMMON },
    AxisInfo { name: "compression", part: Part::Coding, spoken: &[("none", "no compression")], shown: ColumnShown::Used, ..COMMON },
    AxisInfo { name: "mode", part: Part::Sending, shown: ColumnShown::Always, ..COMMON },
    AxisInfo {
        name: "broker",
        part: Part::Sending,
        in_names: Some("by {}"),
        absent: "the preferred one",
        of_some_protocols: true,
        ..COMMON
    },
    AxisInfo { name: "security", part: Part::Sending, words: "with {}", spoken: &[("none", "in the clear")], ..COMMON },
    AxisInfo { name: "link", shown: ColumnShown::Several, ..COMMON },
    }
    further {
    loss: Ratio, loss: f64 = Ratio::get => {
        study: #[serde(default)]
            "Losses per direction, in place of the link's own; without effect on `loopback` and `real`.",
        cell: "Loss per direction, 0..1; absent where the link's own applies.",
        column: "Loss per direction; absent where the link's own applies.",
        row: AxisInfo {
            kind: AxisKind::Number(Unit::Ratio),
            words: "{} loss",
            in_names: Some("loss {}"),
            shown: ColumnShown::Several,
            absent: "link's own",
            ..COMMON
        },
        // Loss can only be emulated: one cell whatever the axis says.
        unless: |cell| !cell.link.is_emulated(),
    }
    rate: MessageRate, rate_per_s: f64 = MessageRate::per_s => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Rates of an open loop in messages per second, in place of the load's own: `[\"1k/s\", \"10k/s\"]`. Reports draw latency over \
             them and mark the knee.",
        cell: "Messages per second requested; absent where the load sets them.",
        column: "Messages per second requested, where that is an axis of the study.",
        row: AxisInfo { kind: AxisKind::Number(Unit::PerSecond), ..COMMON },
    }
    window: u32, window: u32 = identity => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Windows of a closed loop, in place of the load's own: `[1, 8, 64]`.",
        cell: "Most messages in flight; absent where the load sets them.",
        column: "Most messages in flight, where that is an axis of the study.",
        row: AxisInfo { part: Part::Sending, words: "window {}", ..COUNT },
    }
    publishers: u32, publishers: u32 = identity => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Numbers of clients that publish, in place of the load's own: `[1, 4, 16]`.",
        cell: "Number of clients that publish; absent where the load sets it, like the next two.",
        column: "Clients that publish, where that is an axis of the study.",
        row: AxisInfo { words: "{} publishers", one: Some("{} publisher"), ..COUNT },
    }
    subscribers: u32, subscribers: u32 = identity => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Numbers of clients that subscribe, in place of the load's own.",
        cell: "Number of clients that subscribe.",
        column: "Clients that subscribe, where that is an axis of the study.",
        row: AxisInfo { words: "{} subscribers", one: Some("{} subscriber"), ..COUNT },
    }
    topics: u32, topics: u32 = identity => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Numbers of topics, in place of the load's own.",
        cell: "Number of topics.",
        column: "Topics, where that is an axis of the study.",
        row: AxisInfo { words: "{} topics", one: Some("{} topic"), ..COUNT },
    }
    messages: u32, messages: u32 = identity => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Numbers of messages of a trial, in place of the load's own: `[10, 1000]`.",
        cell: "Messages per trial; absent where the load sets them.",
        column: "Messages of a trial, where that is an axis of the study.",
        row: AxisInfo { words: "{} messages", one: Some("{} message"), ..COUNT },
    }
    warmup: u32, warmup: u32 = identity => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Numbers of warm-up messages, in place of the load's own: `[2, 20000]` compares programs that have just started with programs \
             that have been running ([more](METHODOLOGY.md#cold-and-warm)).",
        cell: "Warm-up messages before those of the trial; absent where the load sets them.",
        column: "Warm-up messages before those of a trial, where that is an axis of the study.",
        row: AxisInfo { words: "{} warm-up messages", one: Some("{} warm-up message"), spoken: &[("0", "no warm-up")], ..COUNT },
    }
    way: Way, way: String = |way| way.to_string() => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "`\"round-trip\"`, where the subscriber is on the publisher's host, and `\"one-way\"`, where it is on the other, in place of \
             the subscriber's host.",
        cell: "Whether messages come back to the publisher's host; absent where the study's hosts decide it.",
        column: "`round-trip` or `one-way`, where that is an axis of the study.",
        row: AxisInfo { spoken: &[("round-trip", "round trip"), ("one-way", "one way")], ..COMMON },
    }
    records: Records, records: String = |records| records.to_string() => {
        study: #[serde(default, skip_serializing_if = "Vec::is_empty")]
            "Where the publisher's values are read from: `\"memory\"` and `\"postgresql\"`, a database of the run \
             ([more](METHODOLOGY.md#records-from-a-database)); its memory when left out.",
        cell: "Where the publisher's values are read from; absent where the study names nothing, so that they are in its memory.",
        column: "`memory` or `postgresql`, where that is an axis of the study.",
        row: AxisInfo { words: "records from {}", in_names: Some("records {}"), ..COMMON },
    }
    }
}

/// The names of the axes, in their order. Options of transports can be axes, too: [`Axes::names`].
pub const AXES: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = TABLE[place].name;
        place += 1;
    }
    names
};
