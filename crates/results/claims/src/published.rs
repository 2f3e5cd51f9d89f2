//! The file of what a study published, as written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wiredyno_contract::{CodecId, ModeId, PayloadId};
use wiredyno_model::metric;
use wiredyno_model::selection::plain_value;
use wiredyno_model::{FileError, Scope, TomlText, parse_toml};

use crate::check::check;

/// What one study published, as far as a run can say something to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The id of the study in `studies/` that asks the same questions; the file has the same name.
    pub study: String,
    /// Title of the publication.
    pub title: String,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// When it appeared.
    pub year: u16,
    /// Where it appeared.
    pub source: String,
    /// How it measured, on what, in a few sentences.
    pub setup: String,
    /// Known causes for our figures to differ, a sentence each.
    pub causes: Vec<String>,
    /// Other conditions, value by axis, under each of which the claims on messages are judged once more.
    #[serde(default)]
    pub also_under: Vec<BTreeMap<String, String>>,
    /// Where message trials stand on axes, unless protocol, claim or side say otherwise: value by axis, as studies write them.
    #[serde(default)]
    pub conditions: BTreeMap<String, String>,
    /// The protocols that it compared, each with its setting.
    #[serde(default)]
    pub protocol: Vec<Protocol>,
    /// The formats that it compared, or in which it sent.
    pub format: Vec<Format>,
    /// The messages that it sent through them.
    pub message: Vec<Message>,
    /// Its tables of measurements.
    #[serde(default)]
    pub table: Vec<Table>,
    /// Numbers that it prints and that are of no single format, protocol and message.
    #[serde(default)]
    pub number: Vec<Number>,
    /// Its figures.
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// What it found.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

/// A format as the study compared it, and what stands for it here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// What the rest of the file calls it.
    pub id: String,
    /// What readers call it.
    pub name: String,
    /// The implementation that the study measured.
    pub theirs: String,
    /// Whether `codec` is that very implementation. Where it is not, verdicts on time and memory say so.
    #[serde(default)]
    pub same_implementation: bool,
    /// The codec that stands for it.
    pub codec: CodecId,
    /// Other codecs of the same format, with each of which the claims are judged again.
    #[serde(default)]
    pub also: Vec<CodecId>,
    /// What to know about the stand-in.
    #[serde(default)]
    pub note: Option<String>,
}

/// A protocol and its setting as the study compared it, and what stands for it here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// What the rest of the file calls it.
    pub id: String,
    /// What readers call it.
    pub name: String,
    /// The programs that the study measured.
    pub theirs: String,
    /// Whether client and broker here are those very programs. Where they are not, verdicts on time and memory say so.
    #[serde(default)]
    pub same_implementation: bool,
    /// The mode that stands for it.
    pub mode: ModeId,
    /// Where its cells stand on other axes, in place of the file's conditions.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// Axes on which it stands where `at` says and nowhere else: conditions under which claims are judged once more leave it there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// Other modes, with each of which the claims are judged again.
    #[serde(default)]
    pub also: Vec<ModeId>,
    /// What to know about the stand-in.
    #[serde(default)]
    pub note: Option<String>,
}

/// One value or several, as they are written: `"0"` or `["0", "1%"]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a text, or a list of texts")]
pub enum Values {
    /// One.
    One(String),
    /// Several, for each of which it is said.
    Several(Vec<String>),
}

impl Values {
    /// All of them.
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
    /// What the rest of the file calls it.
    pub id: String,
    /// What readers call it.
    pub name: String,
    /// The payload; either this, `average` or `sum`.
    #[serde(default)]
    pub payload: Option<PayloadId>,
    /// The format in which it is sent, where a claim names none.
    #[serde(default)]
    pub format: Option<String>,
    /// Two payloads that take turns.
    #[serde(default)]
    pub average: Option<Average>,
    /// Several payloads whose figures are added.
    #[serde(default)]
    pub sum: Vec<PayloadId>,
}

impl Message {
    /// The payloads that stand for it.
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
    /// Of these, those that carry more; at most as many.
    pub with_per_s: f64,
    /// Further rates of those that carry more, shown beside the study's.
    #[serde(default)]
    pub other_rates_per_s: Vec<f64>,
}

/// What the numbers of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrintedAs {
    /// The quantity itself.
    Value,
    /// How much more than the baseline's, in per cent of it.
    Change,
    /// How much more than the baseline's, in the quantity's unit.
    Difference,
}

/// A table of measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What figures call it.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Where it is printed.
    #[serde(rename = "where")]
    pub place: String,
    /// The metrics of a run whose sum is the quantity.
    pub metric: Vec<String>,
    /// What its numbers are.
    pub printed_as: PrintedAs,
    /// The unit that is printed; `%` for changes.
    pub unit: String,
    /// The format or protocol that the others are set in relation to. Times of other hardware are compared in this way only.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Where its message trials stand on axes, in place of the file's conditions.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// What to know to read it.
    #[serde(default)]
    pub note: Option<String>,
    /// Its rows.
    pub row: Vec<Row>,
}

/// A row: one message, a number per format or protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The message.
    pub message: String,
    /// Where exactly it is printed, where the table gathers several.
    #[serde(default, rename = "where")]
    pub place: Option<String>,
    /// Where it stands on axes, in place of the table's.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// The number per format or protocol, as printed, without the unit; also as `about 50`, `over 100`, `below 250`, `150 to 200`.
    pub values: BTreeMap<String, String>,
    /// Formats whose number the study contradicts elsewhere, and how.
    #[serde(default)]
    pub disputed: BTreeMap<String, String>,
}

/// A number that is shown as it is printed; nothing here is held against it but by a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// What it is of.
    pub says: String,
    /// The number with its unit, as printed.
    pub value: String,
    /// Where it is printed.
    #[serde(rename = "where")]
    pub place: String,
    /// What to know about it.
    #[serde(default)]
    pub note: Option<String>,
}

/// How a figure is drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// The quantity.
    Value,
    /// In per cent of the baseline's.
    Index,
    /// From the smallest sample by the median to the largest.
    Range,
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its number or numbers.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The metrics whose sum it draws; not needed where it is not redrawn.
    #[serde(default)]
    pub metric: Vec<String>,
    /// How; not needed where it is not redrawn.
    #[serde(default)]
    pub shows: Option<Shows>,
    /// The messages that it has.
    #[serde(default)]
    pub messages: Vec<String>,
    /// The formats that it has.
    #[serde(default)]
    pub formats: Vec<String>,
    /// The protocols that it has.
    #[serde(default)]
    pub protocols: Vec<String>,
    /// Where it stands on axes, in place of the file's conditions; of several values each is drawn.
    #[serde(default)]
    pub at: BTreeMap<String, Values>,
    /// What an index is of.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Whether lengths are logarithms.
    #[serde(default)]
    pub logarithmic: bool,
    /// The table that prints its values, where there is one.
    #[serde(default)]
    pub table: Option<String>,
    /// What to know to read it.
    #[serde(default)]
    pub note: Option<String>,
    /// Why it can't be drawn again.
    #[serde(default)]
    pub not_redrawn: Option<String>,
}

/// A sentence that a run can confirm or refute. Exactly one of the relations stands in it, or `not_comparable`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id.
    pub id: String,
    /// What the study says, in our words.
    pub says: String,
    /// Where it says so.
    #[serde(rename = "where")]
    pub place: String,
    /// The metrics of a run whose sum is compared.
    #[serde(default)]
    pub metric: Vec<String>,
    /// The messages for each of which it has to hold.
    #[serde(default)]
    pub messages: Vec<String>,
    /// The formats for each of which it has to hold, where a side names none.
    #[serde(default)]
    pub formats: Vec<String>,
    /// The protocols for each of which it has to hold, where a side names none.
    #[serde(default)]
    pub protocols: Vec<String>,
    /// Where its message trials stand on axes, in place of the file's conditions; of several values it has to hold for each.
    #[serde(default)]
    pub at: BTreeMap<String, Values>,
    /// Several such places that differ on more than one axis; it has to hold at each.
    #[serde(default)]
    pub places: Vec<BTreeMap<String, String>>,
    /// One format or protocol has less than each of the others.
    #[serde(default)]
    pub lowest: Option<Extreme>,
    /// One format or protocol has more than each of the others.
    #[serde(default)]
    pub highest: Option<Extreme>,
    /// One has less than the other.
    #[serde(default)]
    pub less: Option<Pair>,
    /// Each has less than the next.
    #[serde(default)]
    pub order: Option<Vec<Side>>,
    /// Of several rows, each has less than the next in the same row.
    #[serde(default)]
    pub orders: Option<Vec<Vec<Side>>>,
    /// One divided by the other lies in a range.
    #[serde(default)]
    pub ratio: Option<Range>,
    /// The two are alike.
    #[serde(default)]
    pub equal: Option<Equal>,
    /// It grows along an axis.
    #[serde(default)]
    pub increases: Option<Along>,
    /// It shrinks along an axis.
    #[serde(default)]
    pub decreases: Option<Along>,
    /// It stays as it is along an axis.
    #[serde(default)]
    pub constant: Option<Steady>,
    /// It is in proportion to the values of an axis.
    #[serde(default)]
    pub tracks: Option<Steady>,
    /// One grows less along an axis than the other.
    #[serde(default)]
    pub slope: Option<Slope>,
    /// Formats or protocols are alike.
    #[serde(default)]
    pub similar: Option<Similar>,
    /// It lies in a range.
    #[serde(default)]
    pub value: Option<Bounds>,
    /// Why no run of this program can say anything to it.
    #[serde(default)]
    pub not_comparable: Option<String>,
    /// What the study's own numbers say where they do not say the same, or what part of the sentence is not checked.
    #[serde(default)]
    pub note: Option<String>,
}

/// One format against others, or one protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extreme {
    /// The one.
    pub of: String,
    /// The others.
    pub among: Vec<String>,
}

/// One side of a comparison. What is left out is the claim's: each of its formats, protocols and messages, its place and its metric. Of
/// several values each is compared with each of the other side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Side {
    /// The format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Values>,
    /// The protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Values>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Values>,
    /// Where it stands on axes, in place of the claim's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// The metrics whose sum it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Vec<String>>,
    /// Divided by the same of this format or protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

/// Two sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// That of which it is said.
    pub of: Side,
    /// What it is compared with.
    pub than: Side,
}

/// Two sides and a range of their ratio; at least one end is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The numerator.
    pub of: Side,
    /// The denominator.
    pub to: Side,
    /// The least ratio.
    #[serde(default)]
    pub from: Option<f64>,
    /// The greatest ratio.
    #[serde(default)]
    pub up_to: Option<f64>,
}

/// Two sides that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equal {
    /// The one.
    pub of: Side,
    /// The other.
    pub to: Side,
    /// How far their ratio may be from 1; 0 for exactly alike.
    pub within: f64,
}

/// A way along an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Along {
    /// The axis, or `message` or `protocol` for those of this file.
    pub along: String,
    /// Its values in order, at least two.
    pub over: Vec<String>,
}

/// A way along an axis on which something does not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steady {
    /// As in [`Along`].
    pub along: String,
    /// As in [`Along`].
    pub over: Vec<String>,
    /// How far ratios to the first value may be from 1.
    pub within: f64,
}

/// Two ways along an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slope {
    /// That of which it is said.
    pub of: Side,
    /// What it is compared with.
    pub than: Side,
    /// As in [`Along`]; the values must be numbers, or messages with sizes.
    pub along: String,
    /// As in [`Along`].
    pub over: Vec<String>,
}

/// Formats or protocols that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Similar {
    /// The one with which each of the others is compared; each with each where none is named.
    #[serde(default)]
    pub of: Option<String>,
    /// The others, or all.
    pub among: Vec<String>,
    /// How far ratios may be from 1.
    pub within: f64,
}

/// A range in the metric's unit; at least one end is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Of what it is said.
    #[serde(default)]
    pub of: Side,
    /// The least: `"2ms"`.
    #[serde(default)]
    pub from: Option<String>,
    /// The most: `"5ms"`, `"1%"`.
    #[serde(default)]
    pub up_to: Option<String>,
}

/// The word for messages where an axis is named: their sizes are along it.
pub(crate) const MESSAGE: &str = "message";
/// The word for protocols there.
pub(crate) const PROTOCOL: &str = "protocol";

impl Published {
    /// Reads a file; `file` is what errors call it.
    ///
    /// # Errors
    /// With file, line and what to do, when the text is no such file or names what it does not define.
    pub fn parse(file: &str, text: &str) -> Result<Published, FileError> {
        let published: Published = parse_toml(file, text)?;
        check(&published).map_err(|refusal| TomlText { file, text }.refuse(refusal))?;
        Ok(published)
    }

    /// The format of an id.
    pub fn format(&self, id: &str) -> Option<&Format> {
        self.format.iter().find(|format| format.id == id)
    }

    /// The message of an id.
    pub fn message(&self, id: &str) -> Option<&Message> {
        self.message.iter().find(|message| message.id == id)
    }

    /// The protocol of an id.
    pub fn protocol(&self, id: &str) -> Option<&Protocol> {
        self.protocol.iter().find(|protocol| protocol.id == id)
    }

    /// Whether a sum of metrics is of message trials: where a protocol or a place on axes is named, and where codec trials have no such
    /// metric.
    pub fn is_of_messages(metrics: &[String], placed: bool) -> bool {
        placed || metrics.iter().any(|name| metric::find(Scope::Codec, name).is_none())
    }

    /// Where message trials stand on axes: the file's conditions, those of the protocol, and then each of `places`, the later before the
    /// earlier. Values in their usual forms.
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

    /// `Borosean, Eidukas and Dang 2015`-like reference: authors and year.
    pub fn reference(&self) -> String {
        let authors = match self.authors.as_slice() {
            [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
            authors => authors.concat(),
        };
        format!("{authors}, {}", self.year)
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
    /// The sides that it writes out.
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

    /// The ways along axes that it names, with their values.
    pub(crate) fn ways(&self) -> Vec<(&str, &[String])> {
        let along = self.increases.iter().chain(&self.decreases);
        let along = along.map(|way| (way.along.as_str(), way.over.as_slice()));
        let steady = self.constant.iter().chain(&self.tracks);
        let steady = steady.map(|way| (way.along.as_str(), way.over.as_slice()));
        let slope = self.slope.iter().map(|way| (way.along.as_str(), way.over.as_slice()));
        along.chain(steady).chain(slope).collect()
    }

    /// How many relations stand in it; exactly one is right.
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
            self.not_comparable.is_some(),
        ]
        .into_iter()
        .filter(|there| *there)
        .count()
    }
}

impl Row {
    /// The number of a format or protocol, of a range its middle; `None` where the row has none.
    pub fn number(&self, format: &str) -> Option<f64> {
        number(self.values.get(format)?)
    }
}

/// A number as printed: a sign, digits, a point, commas between thousands; behind `about`, `over` or `below`; of two with `to` between
/// them their middle.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = ["about ", "over ", "below "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    if let Some((low, high)) = text.split_once(" to ") {
        return Some((number(low)? + number(high)?) / 2.0);
    }
    text.replace(',', "").trim_start_matches('+').parse().ok().filter(|number: &f64| number.is_finite())
}
