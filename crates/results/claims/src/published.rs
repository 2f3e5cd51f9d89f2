//! The file of what a study published, as written. One file because its types are the sections of one file format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wiredyno_contract::{CodecId, ModeId, PayloadId};
use wiredyno_model::Scope;
use wiredyno_model::metric;
use wiredyno_model::selection::plain_value;

/// A study's published figures and claims, as far as a run can check them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The id of the study in `studies/` that asks the same questions; the file has the same name.
    pub study: String,
    /// Title of the publication.
    pub title: String,
    /// The authors, as the publication lists them.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: u16,
    /// Journal, conference or series.
    pub source: String,
    /// Its method and hardware, in a few sentences.
    pub setup: String,
    /// Known reasons why our figures differ, a sentence each.
    pub causes: Vec<String>,
    /// What must be equal for a verdict on the study's own, beside the library.
    #[serde(default)]
    pub must: Vec<Must>,
    /// The quantities that its claims are about, as it defined and measured them.
    #[serde(default)]
    pub measure: Vec<Measure>,
    /// Other conditions, value by axis, under each of which the claims on messages are judged again.
    #[serde(default)]
    pub also_under: Vec<BTreeMap<String, String>>,
    /// Place of message trials on axes, unless protocol, claim or side override it: value by axis, as studies write them.
    #[serde(default)]
    pub conditions: BTreeMap<String, String>,
    /// The protocols that it compared, each with its setting.
    #[serde(default)]
    pub protocol: Vec<Protocol>,
    /// The formats that it compared, or in which it sent.
    pub format: Vec<Format>,
    /// The messages that it encoded or sent.
    pub message: Vec<Message>,
    /// Its tables of measurements, with the printed numbers.
    #[serde(default)]
    pub table: Vec<Table>,
    /// Printed numbers that belong to no single format, protocol and message.
    #[serde(default)]
    pub number: Vec<Number>,
    /// Its figures, redrawn or not.
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// Its findings, as claims.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

/// A format that the study compared, and the codec that stands for it here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// The id that the rest of the file uses.
    pub id: String,
    /// The name in reports.
    pub name: String,
    /// The implementation that the study measured.
    pub theirs: String,
    /// `codec`, if it is that very library; a run must have had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Own>,
    /// The codec that stands for it here.
    pub codec: CodecId,
    /// Other codecs of the same format, with each of which the claims are judged again.
    #[serde(default)]
    pub also: Vec<CodecId>,
    /// A remark about the stand-in, for readers.
    #[serde(default)]
    pub note: Option<String>,
}

/// A protocol and its setting that the study compared, and the mode that stands for it here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// The id that the rest of the file uses.
    pub id: String,
    /// The name in reports.
    pub name: String,
    /// The programs that the study measured.
    pub theirs: String,
    /// `mode`, if its client is that very library; a run must have had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Own>,
    /// The mode that stands for it here.
    pub mode: ModeId,
    /// Place of its cells on other axes, which overrides the file's conditions.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// Axes whose value in `at` is fixed: conditions under which claims are judged again do not change it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// Other modes, with each of which the claims are judged again.
    #[serde(default)]
    pub also: Vec<ModeId>,
    /// A remark about the stand-in, for readers.
    #[serde(default)]
    pub note: Option<String>,
}

/// The library that a study measured, as runs describe it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Own {
    /// The library's name in the runs.
    pub library: String,
    /// The runner in whose language the study used it; `rust` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// How its version begins, where another version would be another library: `3.20.`; any version if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What must be equal for a verdict on the study's own: a definition, a link, a pace. It has exactly one of `settings` and `lacks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Must {
    /// The id that measures and claims use.
    pub id: String,
    /// What it is in the study.
    pub what: String,
    /// Settings of a run's study that make it equal, by the keys that `--set` takes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Why no run of this program has it equal: what is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// What can't be said where it is not equal.
    #[serde(default)]
    pub without: Without,
}

/// What can't be said about a claim where something is not equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Without {
    /// Nothing can: it would be about something else.
    #[default]
    NoVerdict,
    /// Only that the claim fails: where it holds nevertheless, it holds.
    NoFailure,
}

/// A quantity as the study defined and measured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The id that claims use.
    pub id: String,
    /// What was measured, how and where.
    pub quantity: String,
    /// What the study held fixed meanwhile.
    pub held: String,
    /// What must be equal: ids of the file's, or [`LIBRARY`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<String>,
}

/// The id of the requirement that every library compared is the study's own, in its language.
pub const LIBRARY: &str = "library";

/// One value or several, as written: `"0"` or `["0", "1%"]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a text, or a list of texts")]
pub enum Values {
    /// A single value.
    One(String),
    /// Several values, to each of which the statement applies.
    Several(Vec<String>),
}

impl Values {
    /// The values as a list, one or more.
    pub fn all(&self) -> &[String] {
        match self {
            Values::One(value) => std::slice::from_ref(value),
            Values::Several(values) => values,
        }
    }
}

/// A message of the study: a payload here, an average over two, or the sum of several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The id that the rest of the file uses.
    pub id: String,
    /// The name in reports.
    pub name: String,
    /// The payload; either this, `average` or `sum`.
    #[serde(default)]
    pub payload: Option<PayloadId>,
    /// The format in which it is sent, if a claim names none.
    #[serde(default)]
    pub format: Option<String>,
    /// Two payloads that are sent in turn.
    #[serde(default)]
    pub average: Option<Average>,
    /// Several payloads, whose figures are added.
    #[serde(default)]
    pub sum: Vec<PayloadId>,
}

impl Message {
    /// The payloads that stand for it here.
    pub fn payloads(&self) -> impl Iterator<Item = &PayloadId> {
        let average = self.average.iter().flat_map(|average| [&average.without, &average.with]);
        self.payload.iter().chain(average).chain(&self.sum)
    }
}

/// The average message of a sender that adds something to some of its messages: with `m` messages per second of which
/// `w` carry it, ((m - w) without + w with) / m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Average {
    /// The payload of most messages.
    pub without: PayloadId,
    /// The payload of those that carry more.
    pub with: PayloadId,
    /// All messages per second, above 0.
    pub messages_per_s: f64,
    /// Those of them that carry more; at most `messages_per_s`.
    pub with_per_s: f64,
    /// Further rates of those that carry more, shown beside the study's.
    #[serde(default)]
    pub other_rates_per_s: Vec<f64>,
}

/// The form of the numbers in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrintedAs {
    /// The quantity itself, in the table's unit.
    Value,
    /// The increase over the baseline, in percent of it.
    Change,
    /// The increase over the baseline, in the quantity's unit.
    Difference,
}

/// A table of measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The id that figures use.
    pub id: String,
    /// The title in reports.
    pub title: String,
    /// The place in the publication.
    #[serde(rename = "where")]
    pub place: String,
    /// The metrics of a run whose sum is the quantity.
    pub metric: Vec<String>,
    /// The form of its numbers.
    pub printed_as: PrintedAs,
    /// The printed unit; `%` for changes.
    pub unit: String,
    /// The format or protocol that the others are compared with. Times from other hardware are compared only in this way.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Place of its message trials on axes, which overrides the file's conditions.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// A remark that readers need.
    #[serde(default)]
    pub note: Option<String>,
    /// Its rows, one for each message and place.
    pub row: Vec<Row>,
}

/// A row: one message, with a number for each format or protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Id of the message.
    pub message: String,
    /// The exact place in the publication, if the table combines several.
    #[serde(default, rename = "where")]
    pub place: Option<String>,
    /// Place on axes, which overrides the table's.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// The number per format or protocol, as printed, without the unit; also as `about 50`, `over 100`, `below 250`, `150 to 200`.
    pub values: BTreeMap<String, String>,
    /// Formats whose number the study contradicts elsewhere, with the contradiction.
    #[serde(default)]
    pub disputed: BTreeMap<String, String>,
}

/// A number that is shown as printed; only claims compare it with a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// The quantity that it states.
    pub says: String,
    /// The number with its unit, as printed.
    pub value: String,
    /// The place in the publication.
    #[serde(rename = "where")]
    pub place: String,
    /// A remark about it, for readers.
    #[serde(default)]
    pub note: Option<String>,
}

/// How a figure is redrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// The quantity itself, in its unit.
    Value,
    /// The quantity in percent of the baseline's.
    Index,
    /// Samples: from the smallest through the median to the largest.
    Range,
}

/// A figure of the publication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its printed number or numbers.
    pub id: String,
    /// The title in reports.
    pub title: String,
    /// The metrics whose sum it draws; not needed if it is not redrawn.
    #[serde(default)]
    pub metric: Vec<String>,
    /// How it is redrawn; not needed if it is not.
    #[serde(default)]
    pub shows: Option<Shows>,
    /// Ids of the messages that it shows.
    #[serde(default)]
    pub messages: Vec<String>,
    /// Ids of the formats that it shows.
    #[serde(default)]
    pub formats: Vec<String>,
    /// Ids of the protocols that it shows.
    #[serde(default)]
    pub protocols: Vec<String>,
    /// Place on axes, which overrides the file's conditions; each of several values is drawn.
    #[serde(default)]
    pub at: BTreeMap<String, Values>,
    /// The format or protocol that is 100 % in an index.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Whether its scale is logarithmic.
    #[serde(default)]
    pub logarithmic: bool,
    /// The table that prints its values, if there is one.
    #[serde(default)]
    pub table: Option<String>,
    /// A remark that readers need.
    #[serde(default)]
    pub note: Option<String>,
    /// Why it can't be redrawn.
    #[serde(default)]
    pub not_redrawn: Option<String>,
}

/// A statement of the study, or a part of one: `c07.2` is the second part of `c07`. It has exactly one of the relations, or `cannot_judge`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id, such as `c07`.
    pub id: String,
    /// The study's statement, in our words.
    pub says: String,
    /// The place in the publication.
    #[serde(rename = "where")]
    pub place: String,
    /// Id of the quantity that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// What must be equal beside what its measure requires: ids of the file's, or [`LIBRARY`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<String>,
    /// The words that restrict it, in ours, with the bound that stands for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hedge: Option<String>,
    /// The share of its comparisons that must hold, where it says "generally" or "mostly"; all of them if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// How far two varying figures may differ and still be a tie; 0.05 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<f64>,
    /// Why it comes true by construction: what was made from the claimed figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_design: Option<String>,
    /// The metrics of a run whose sum is compared.
    #[serde(default)]
    pub metric: Vec<String>,
    /// The messages, for each of which it must hold.
    #[serde(default)]
    pub messages: Vec<String>,
    /// The formats, for each of which it must hold, if a side names none.
    #[serde(default)]
    pub formats: Vec<String>,
    /// The protocols, for each of which it must hold, if a side names none.
    #[serde(default)]
    pub protocols: Vec<String>,
    /// Place of its message trials on axes, which overrides the file's conditions; it must hold for each of several values.
    #[serde(default)]
    pub at: BTreeMap<String, Values>,
    /// Several such places that differ on more than one axis; it must hold at each.
    #[serde(default)]
    pub places: Vec<BTreeMap<String, String>>,
    /// One format or protocol has less than each of the others.
    #[serde(default)]
    pub lowest: Option<Extreme>,
    /// One format or protocol has more than each of the others.
    #[serde(default)]
    pub highest: Option<Extreme>,
    /// One side has less than the other.
    #[serde(default)]
    pub less: Option<Pair>,
    /// Each side has less than the next.
    #[serde(default)]
    pub order: Option<Vec<Side>>,
    /// Of several rows, each has less than the next in the same row.
    #[serde(default)]
    pub orders: Option<Vec<Vec<Side>>>,
    /// One side divided by the other lies in a range.
    #[serde(default)]
    pub ratio: Option<Range>,
    /// Two sides are alike, within a tolerance.
    #[serde(default)]
    pub equal: Option<Equal>,
    /// It grows along an axis.
    #[serde(default)]
    pub increases: Option<Along>,
    /// It shrinks along an axis.
    #[serde(default)]
    pub decreases: Option<Along>,
    /// It stays constant along an axis.
    #[serde(default)]
    pub constant: Option<Steady>,
    /// It is proportional to the values of an axis.
    #[serde(default)]
    pub tracks: Option<Steady>,
    /// One side grows less along an axis than the other.
    #[serde(default)]
    pub slope: Option<Slope>,
    /// Several formats or protocols are alike.
    #[serde(default)]
    pub similar: Option<Similar>,
    /// It lies in a range of the metric's unit.
    #[serde(default)]
    pub value: Option<Bounds>,
    /// What is missing for any run of this program to judge it.
    #[serde(default)]
    pub cannot_judge: Option<String>,
    /// Contradictions in the study's own numbers, or the part of the statement that is not checked.
    #[serde(default)]
    pub note: Option<String>,
}

/// One format or protocol compared with others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extreme {
    /// Id of the format or protocol that has least or most.
    pub of: String,
    /// Ids of those that it is compared with.
    pub among: Vec<String>,
}

/// One side of a comparison. What is left out is the claim's: each of its formats, protocols and messages, its place and its metric.
/// Each of several values is compared with each of the other side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Side {
    /// The format, or several of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Values>,
    /// The protocol, or several of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Values>,
    /// The message, or several of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Values>,
    /// Place on axes, which overrides the claim's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// The metrics that are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Vec<String>>,
    /// The format or protocol whose same figure is the divisor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

/// Two sides, the first of which has less.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The side that the statement is about.
    pub of: Side,
    /// The side that it is compared with.
    pub than: Side,
}

/// Two sides and a range of their ratio; at least one end is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The numerator of the ratio.
    pub of: Side,
    /// The denominator of the ratio.
    pub to: Side,
    /// Lower end of the ratio; open if absent.
    #[serde(default)]
    pub from: Option<f64>,
    /// Upper end of the ratio; open if absent.
    #[serde(default)]
    pub up_to: Option<f64>,
}

/// Two sides that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equal {
    /// The side that is the numerator.
    pub of: Side,
    /// The side that is the denominator.
    pub to: Side,
    /// How far their ratio may deviate from 1; 0 for exactly alike.
    pub within: f64,
}

/// Values along an axis, for a trend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Along {
    /// The axis, or `message` or `protocol` for those of this file.
    pub along: String,
    /// Its values in order, at least two.
    pub over: Vec<String>,
}

/// Values along an axis along which something does not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steady {
    /// The axis, as in [`Along`].
    pub along: String,
    /// Its values in order, as in [`Along`].
    pub over: Vec<String>,
    /// How far ratios to the first value may deviate from 1.
    pub within: f64,
}

/// Two trends along an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slope {
    /// The side that grows less.
    pub of: Side,
    /// The side that it is compared with.
    pub than: Side,
    /// The axis, as in [`Along`]; the values must be numbers, or messages with sizes.
    pub along: String,
    /// Its values in order, as in [`Along`].
    pub over: Vec<String>,
}

/// Formats or protocols that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Similar {
    /// The format or protocol that each of the others is compared with; if absent, each is compared with each.
    #[serde(default)]
    pub of: Option<String>,
    /// Those that are compared with `of`, or with each other.
    pub among: Vec<String>,
    /// How far ratios may deviate from 1.
    pub within: f64,
}

/// A range in the metric's unit; at least one end is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The side that the statement is about.
    #[serde(default)]
    pub of: Side,
    /// Lower end, such as `"2ms"`; open if absent.
    #[serde(default)]
    pub from: Option<String>,
    /// Upper end, such as `"5ms"` or `"1%"`; open if absent.
    #[serde(default)]
    pub up_to: Option<String>,
}

/// The word for messages in place of an axis: their sizes are its values.
pub(crate) const MESSAGE: &str = "message";
/// The word for protocols in place of an axis.
pub(crate) const PROTOCOL: &str = "protocol";

impl Published {
    /// The format with this id.
    pub fn format(&self, id: &str) -> Option<&Format> {
        self.format.iter().find(|format| format.id == id)
    }

    /// The message with this id.
    pub fn message(&self, id: &str) -> Option<&Message> {
        self.message.iter().find(|message| message.id == id)
    }

    /// The protocol with this id.
    pub fn protocol(&self, id: &str) -> Option<&Protocol> {
        self.protocol.iter().find(|protocol| protocol.id == id)
    }

    /// Whether a sum of metrics belongs to message trials: if a protocol or a place on axes is named, and if codec trials have no such
    /// metric.
    pub fn is_of_messages(metrics: &[String], placed: bool) -> bool {
        placed || metrics.iter().any(|name| metric::find(Scope::Codec, name).is_none())
    }

    /// Place of message trials on axes: the file's conditions, those of the protocol, and then each of `places`, later ones overriding
    /// earlier ones. Values are normalised.
    pub fn placed(
        &self,
        protocol: Option<&Protocol>,
        places: &[&BTreeMap<String, String>],
    ) -> BTreeMap<String, String> {
        let mut at = self.conditions.clone();
        if let Some(protocol) = protocol {
            at.insert("mode".to_owned(), protocol.mode.to_string());
            at.extend(protocol.at.clone());
        }
        for place in places {
            at.extend((*place).clone());
        }
        let plain = |(axis, value): (String, String)| {
            let value = plain_value(&axis, &value).unwrap_or(value);
            (axis, value)
        };
        at.into_iter().map(plain).collect()
    }

    /// A reference with authors and year: `Borosean, Eidukas and Dang 2015`.
    pub fn reference(&self) -> String {
        let authors = match self.authors.as_slice() {
            [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
            authors => authors.concat(),
        };
        format!("{authors}, {}", self.year)
    }

    /// The quantity with this id.
    pub fn measure(&self, id: &str) -> Option<&Measure> {
        self.measure.iter().find(|measure| measure.id == id)
    }

    /// The quantity that a claim is about.
    pub fn measure_of(&self, claim: &Claim) -> Option<&Measure> {
        claim.measure.as_deref().and_then(|id| self.measure(id))
    }

    /// Ids of what must be equal for a claim, its measure's first, each once.
    pub fn musts<'a>(&'a self, claim: &'a Claim) -> Vec<&'a str> {
        let of_measure = self.measure_of(claim).into_iter().flat_map(|measure| &measure.must);
        let mut ids: Vec<&str> = Vec::new();
        for id in of_measure.chain(&claim.must) {
            if !ids.contains(&id.as_str()) {
                ids.push(id);
            }
        }
        ids
    }

    /// Every codec that it names, in order, each once.
    pub fn codecs(&self) -> Vec<&CodecId> {
        let mut codecs: Vec<&CodecId> = Vec::new();
        for codec in self.format.iter().flat_map(|format| std::iter::once(&format.codec).chain(&format.also))
        {
            if !codecs.contains(&codec) {
                codecs.push(codec);
            }
        }
        codecs
    }

    /// Every payload that it names, in order, each once.
    pub fn payloads(&self) -> Vec<&PayloadId> {
        let mut payloads: Vec<&PayloadId> = Vec::new();
        for payload in self.message.iter().flat_map(Message::payloads) {
            if !payloads.contains(&payload) {
                payloads.push(payload);
            }
        }
        payloads
    }

    /// Every mode that it names, in order, each once.
    pub fn modes(&self) -> Vec<ModeId> {
        let of_protocols =
            self.protocol.iter().flat_map(|protocol| std::iter::once(&protocol.mode).chain(&protocol.also));
        let mut modes: Vec<ModeId> = Vec::new();
        let written = self.conditions.get("mode").and_then(|mode| mode.parse().ok());
        for mode in of_protocols.cloned().chain(written) {
            if !modes.contains(&mode) {
                modes.push(mode);
            }
        }
        modes
    }

    /// Every metric that it names, sorted, each once.
    pub fn metrics(&self) -> Vec<&str> {
        let sides = self.claim.iter().flat_map(Claim::sides).filter_map(|side| side.metric.as_ref());
        let tables = self.table.iter().map(|table| &table.metric);
        let figures = self.figure.iter().map(|figure| &figure.metric);
        let claims = self.claim.iter().map(|claim| &claim.metric);
        let all = tables.chain(figures).chain(claims).chain(sides).flatten().map(String::as_str);
        let mut metrics: Vec<&str> = all.collect();
        metrics.sort_unstable();
        metrics.dedup();
        metrics
    }
}

impl Claim {
    /// The id of the statement that it is a part of, or its own.
    pub fn statement(&self) -> &str {
        self.id.split_once('.').map_or(self.id.as_str(), |(whole, _)| whole)
    }

    /// The sides that the claim names.
    pub fn sides(&self) -> Vec<&Side> {
        let mut sides: Vec<&Side> = Vec::new();
        sides.extend(self.less.iter().flat_map(|pair| [&pair.of, &pair.than]));
        sides.extend(self.order.iter().flatten());
        sides.extend(self.orders.iter().flatten().flatten());
        sides.extend(self.ratio.iter().flat_map(|range| [&range.of, &range.to]));
        sides.extend(self.equal.iter().flat_map(|equal| [&equal.of, &equal.to]));
        sides.extend(self.slope.iter().flat_map(|slope| [&slope.of, &slope.than]));
        sides.extend(self.value.iter().map(|value| &value.of));
        sides
    }

    /// The relations along axes that it names, with their values.
    pub(crate) fn ways(&self) -> Vec<(&str, &[String])> {
        let along = self.increases.iter().chain(&self.decreases);
        let along = along.map(|way| (way.along.as_str(), way.over.as_slice()));
        let steady = self.constant.iter().chain(&self.tracks);
        let steady = steady.map(|way| (way.along.as_str(), way.over.as_slice()));
        let slope = self.slope.iter().map(|way| (way.along.as_str(), way.over.as_slice()));
        along.chain(steady).chain(slope).collect()
    }

    /// Number of relations that it has; exactly one is valid.
    pub(crate) fn relations(&self) -> usize {
        [
            self.lowest.is_some(),
            self.highest.is_some(),
            self.less.is_some(),
            self.order.is_some(),
            self.orders.is_some(),
            self.ratio.is_some(),
            self.equal.is_some(),
            self.increases.is_some(),
            self.decreases.is_some(),
            self.constant.is_some(),
            self.tracks.is_some(),
            self.slope.is_some(),
            self.similar.is_some(),
            self.value.is_some(),
            self.cannot_judge.is_some(),
        ]
        .into_iter()
        .filter(|there| *there)
        .count()
    }
}

impl Row {
    /// The number for a format or protocol, for a range its middle; `None` if the row has none.
    pub fn number(&self, format: &str) -> Option<f64> {
        number(self.values.get(format)?)
    }
}

/// A number as printed: a sign, digits, a point, commas between thousands; after `about`, `over` or `below`; for two joined by `to`
/// their middle.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = ["about ", "over ", "below "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    if let Some((low, high)) = text.split_once(" to ") {
        return Some((number(low)? + number(high)?) / 2.0);
    }
    text.replace(',', "").trim_start_matches('+').parse().ok().filter(|number: &f64| number.is_finite())
}
