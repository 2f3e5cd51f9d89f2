//! What stands in for the study's formats, protocols and conditions, and every choice of it that a claim can be judged with.

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_contract::{CodecId, ModeId};
use wiredyno_model::summary::Summary;

use crate::expand::{Question, Term};
use crate::measured::{Kind, kind};
use crate::published::{Format, Protocol, Published};

/// The formats and protocols in a claim, in order, each once.
pub(crate) struct Named<'a> {
    pub formats: Vec<&'a Format>,
    pub protocols: Vec<&'a Protocol>,
    pub of_messages: bool,
    /// Whether the bytes of a format are all that is compared: every correct library writes the same.
    pub of_sizes: bool,
}

impl<'a> Named<'a> {
    pub(crate) fn of(published: &'a Published, questions: &[Question]) -> Self {
        let mut named =
            Named { formats: Vec::new(), protocols: Vec::new(), of_messages: false, of_sizes: true };
        for term in questions.iter().flat_map(Question::terms) {
            let over = term.over.as_ref();
            for format in std::iter::once(&term.format).chain(over).filter_map(|id| published.format(id)) {
                if !named.formats.iter().any(|known| known.id == format.id) {
                    named.formats.push(format);
                }
            }
            for protocol in term.protocol.iter().chain(over).filter_map(|id| published.protocol(id)) {
                if !named.protocols.iter().any(|known| known.id == protocol.id) {
                    named.protocols.push(protocol);
                }
            }
            named.of_messages |= is_of_messages(term);
            named.of_sizes &= kind(&term.metric) == Kind::Size;
        }
        named
    }

    pub(crate) fn modes(&self, published: &Published) -> Vec<ModeId> {
        let modes: Vec<ModeId> = self.protocols.iter().map(|protocol| protocol.mode.clone()).collect();
        if modes.is_empty() && self.of_messages {
            return published.conditions.get("mode").and_then(|mode| mode.parse().ok()).into_iter().collect();
        }
        modes
    }
}

pub(crate) fn is_of_messages(term: &Term) -> bool {
    Published::is_of_messages(&term.metric, term.protocol.is_some() || !term.at.is_empty())
}

/// The stand-ins for the study's formats, protocols and conditions.
#[derive(Clone)]
pub(crate) struct StandIns<'a> {
    pub codecs: BTreeMap<&'a str, &'a CodecId>,
    pub modes: BTreeMap<&'a str, &'a ModeId>,
    /// Conditions that replace the file's.
    pub conditions: BTreeMap<String, String>,
}

impl<'a> StandIns<'a> {
    pub(crate) fn of(published: &'a Published) -> Self {
        StandIns {
            codecs: published.format.iter().map(|format| (format.id.as_str(), &format.codec)).collect(),
            modes: published.protocol.iter().map(|protocol| (protocol.id.as_str(), &protocol.mode)).collect(),
            conditions: BTreeMap::new(),
        }
    }

    /// Every choice of libraries for a claim's formats and protocols: all combinations, the file's own choice first.
    pub(crate) fn choices(published: &'a Published, named: &Named<'a>) -> Vec<Self> {
        let mut choices = vec![StandIns::of(published)];
        for format in &named.formats {
            let of = |codec: &'a CodecId| {
                let with = move |choice: &Self| {
                    let mut choice = choice.clone();
                    choice.codecs.insert(&format.id, codec);
                    choice
                };
                choices.iter().map(with).collect::<Vec<_>>()
            };
            choices = std::iter::once(&format.codec).chain(&format.also).flat_map(of).collect();
        }
        for protocol in &named.protocols {
            let of = |mode: &'a ModeId| {
                let with = move |choice: &Self| {
                    let mut choice = choice.clone();
                    choice.modes.insert(&protocol.id, mode);
                    choice
                };
                choices.iter().map(with).collect::<Vec<_>>()
            };
            choices = std::iter::once(&protocol.mode).chain(&protocol.also).flat_map(of).collect();
        }
        choices
    }

    /// The number of languages of the codecs that a claim names: libraries of different languages say nothing about formats.
    pub(crate) fn languages(&self, summary: &Summary, named: &Named<'_>) -> usize {
        let codecs = named.formats.iter().filter_map(|format| self.codecs.get(format.id.as_str()));
        let runner = |codec: &&CodecId| {
            let described = summary.codecs_described.iter().find(|one| one.id == **codec);
            described.map_or("rust", |one| one.runner_name())
        };
        codecs.map(runner).collect::<BTreeSet<&str>>().len()
    }

    /// The libraries of a choice in words: those that a claim names.
    pub(crate) fn words(&self, named: &Named<'_>) -> String {
        let codecs = named.formats.iter().filter_map(|format| self.codecs.get(format.id.as_str()));
        let modes = named.protocols.iter().filter_map(|protocol| self.modes.get(protocol.id.as_str()));
        // The format in which all messages are sent is not a choice between libraries.
        let codecs: Vec<String> = codecs.map(ToString::to_string).collect();
        let words: Vec<String> = match (codecs.as_slice(), named.protocols.as_slice()) {
            ([_], [_, ..]) => modes.map(ToString::to_string).collect(),
            _ => codecs.into_iter().chain(modes.map(ToString::to_string)).collect(),
        };
        words.join(", ")
    }

    /// The codec that stands for a format.
    pub(crate) fn codec(&self, format: &str) -> Option<&'a CodecId> {
        self.codecs.get(format).copied()
    }

    /// Place of a term's message trials on axes.
    pub(crate) fn placed(
        &self,
        published: &Published,
        term: &Term,
        protocol: Option<&str>,
    ) -> BTreeMap<String, String> {
        let known = protocol.and_then(|id| published.protocol(id));
        let mode = protocol.and_then(|id| Some(("mode".to_owned(), self.modes.get(id)?.to_string())));
        let mode: BTreeMap<String, String> = mode.into_iter().collect();
        let mut conditions = self.conditions.clone();
        if let Some(protocol) = known {
            conditions.retain(|axis, _| !protocol.fixed.contains(axis));
        }
        published.placed(known, &[&conditions, &mode, &term.at])
    }
}
