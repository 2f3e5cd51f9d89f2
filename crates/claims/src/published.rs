//! The file of what a study published, as written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wiredyno_model::{CodecId, FileError, PayloadId, parse_toml};

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
    /// The formats that it compared.
    pub format: Vec<Format>,
    /// The messages that it sent through them.
    pub message: Vec<Message>,
    /// Its tables of measurements.
    #[serde(default)]
    pub table: Vec<Table>,
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

/// A message of the study: a payload here, or an average over two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// What the rest of the file calls it.
    pub id: String,
    /// What readers call it.
    pub name: String,
    /// The payload; either this or `average`.
    #[serde(default)]
    pub payload: Option<PayloadId>,
    /// Two payloads that take turns.
    #[serde(default)]
    pub average: Option<Average>,
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
    /// The format that the others are set in relation to. Times of other hardware are compared in this way only.
    #[serde(default)]
    pub baseline: Option<String>,
    /// What to know to read it.
    #[serde(default)]
    pub note: Option<String>,
    /// Its rows.
    pub row: Vec<Row>,
}

/// A row: one message, a number per format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The message.
    pub message: String,
    /// Where exactly it is printed, where the table gathers several.
    #[serde(default, rename = "where")]
    pub place: Option<String>,
    /// The number per format, as printed, without the unit.
    pub values: BTreeMap<String, String>,
    /// Formats whose number the study contradicts elsewhere, and how.
    #[serde(default)]
    pub disputed: BTreeMap<String, String>,
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
    /// One format has less than each of the others.
    #[serde(default)]
    pub lowest: Option<Extreme>,
    /// One format has more than each of the others.
    #[serde(default)]
    pub highest: Option<Extreme>,
    /// One has less than the other.
    #[serde(default)]
    pub less: Option<Pair>,
    /// Each has less than the next.
    #[serde(default)]
    pub order: Option<Vec<Side>>,
    /// One divided by the other lies in a range.
    #[serde(default)]
    pub ratio: Option<Range>,
    /// The two are alike.
    #[serde(default)]
    pub equal: Option<Equal>,
    /// Why no run of this program can say anything to it.
    #[serde(default)]
    pub not_comparable: Option<String>,
    /// What the study's own numbers say where they do not say the same, or what part of the sentence is not checked.
    #[serde(default)]
    pub note: Option<String>,
}

/// One format against others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extreme {
    /// The one.
    pub of: String,
    /// The others.
    pub among: Vec<String>,
}

/// One side of a comparison. What is left out is the claim's: each of its formats and messages, and its metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Side {
    /// The format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The metrics whose sum it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Vec<String>>,
    /// Divided by the same of this format.
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

impl Published {
    /// Reads a file; `file` is what errors call it.
    ///
    /// # Errors
    /// With file, line and what to do, when the text is no such file or names what it does not define.
    pub fn parse(file: &str, text: &str) -> Result<Published, FileError> {
        let published: Published = parse_toml(file, text)?;
        check(&published, file, text)?;
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
        for message in &self.message {
            let average = message.average.iter().flat_map(|average| [&average.without, &average.with]);
            for payload in message.payload.iter().chain(average) {
                if !payloads.contains(&payload) {
                    payloads.push(payload);
                }
            }
        }
        payloads
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
        sides.extend(self.ratio.iter().flat_map(|range| [&range.of, &range.to]));
        sides.extend(self.equal.iter().flat_map(|equal| [&equal.of, &equal.to]));
        sides
    }

    /// How many relations stand in it; exactly one is right.
    pub(crate) fn relations(&self) -> usize {
        [
            self.lowest.is_some(),
            self.highest.is_some(),
            self.less.is_some(),
            self.order.is_some(),
            self.ratio.is_some(),
            self.equal.is_some(),
            self.not_comparable.is_some(),
        ]
        .into_iter()
        .filter(|there| *there)
        .count()
    }
}

impl Row {
    /// The number of a format; `None` where the row has none.
    pub fn number(&self, format: &str) -> Option<f64> {
        number(self.values.get(format)?)
    }
}

/// A number as printed: a sign, digits, a point, commas between thousands.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.replace(',', "").trim_start_matches('+').parse().ok().filter(|number: &f64| number.is_finite())
}
