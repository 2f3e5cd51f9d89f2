//! The report before it has a format: sections of sentences, tables and places for charts.

use wiredyno_answers::opening::Picture;

use crate::effects::EffectTable;
use crate::finding::Finding;
use crate::first_screen::Badge;
use crate::heat::HeatMap;
use crate::published::Drawing;
use crate::sentence::Sentence;
use crate::table::Table;

/// A report, independent of its format.
#[derive(Debug, Clone)]
pub struct Document {
    /// The study's name, which is the page's title.
    pub title: String,
    /// The question of the study.
    pub question: String,
    /// How to read the results, if the study says so.
    pub analysis: Option<String>,
    /// Date, extent and machine, a few words each.
    pub facts: Vec<String>,
    /// What was asked and how it was measured, in a paragraph.
    pub method: Sentence,
    /// The sections in reading order.
    pub sections: Vec<Section>,
}

/// A section of a report.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its id on the page.
    pub id: &'static str,
    /// Its name in the navigation.
    pub title: &'static str,
    /// Its heading: the question that it answers.
    pub question: &'static str,
    /// What it shows and how to read it.
    pub lead: Sentence,
    /// Its content, from top to bottom.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone)]
pub enum Block {
    /// The first answer, a paragraph for each sentence.
    Answer(Vec<Sentence>),
    /// The certainty of the answer, as one line.
    Badge(Badge),
    /// The figures of each choice, as bars.
    Bars(Picture),
    /// The best candidates at each metric.
    Findings(Vec<Finding>),
    List(Vec<Sentence>),
    Table(Table),
    /// The effects of each value of an axis instead of another; text has sentences instead.
    Effects(EffectTable),
    /// A metric of every combination as a factor of the best.
    Heat(HeatMap),
    /// Something that opens on demand.
    Fold(Fold),
    /// A block for the page only: too long for text.
    OnPage(Box<Block>),
    /// A block for text only, in place of one that is too long for it.
    InText(Box<Block>),
    /// A chart of the front end, by its name in `web/src/charts`, with its caption.
    Chart(Chart),
    /// A figure that is part of the page.
    Drawing(Drawing),
}

/// Blocks that the page shows on demand.
#[derive(Debug, Clone)]
pub struct Fold {
    pub title: String,
    /// Its content when opened.
    pub blocks: Vec<Block>,
}

impl Fold {
    /// Its id on the page.
    pub fn id(&self) -> String {
        let words = self.title.to_lowercase();
        let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        format!("fold-{}", words.collect::<Vec<_>>().join("-"))
    }
}

impl Block {
    /// Blocks that open on demand.
    pub fn fold(title: impl Into<String>, blocks: Vec<Block>) -> Block {
        Block::Fold(Fold { title: title.into(), blocks })
    }
}

/// A chart that the front end draws.
#[derive(Debug, Clone, Copy)]
pub struct Chart {
    /// Its name in the front end.
    pub name: &'static str,
    pub title: &'static str,
    /// What it shows: n, the interval, the scale.
    pub caption: &'static str,
}

/// Sections that share a menu in the navigation, by their ids, because there is room for few entries. All others have an entry of their
/// own.
const MENUS: [(&str, &[&str]); 4] = [
    ("Published", &["claims", "published", "published-figures"]),
    ("Messages", &["delivery", "latency", "overhead", "split", "resources", "setup", "load", "results"]),
    ("Codecs", &["languages", "choice", "sizes", "codecs"]),
    ("The run", &["stopping", "unkept", "left-out", "environment", "method"]),
];

/// An entry of the navigation.
#[derive(Debug)]
pub enum Place<'a> {
    Section(&'a Section),
    /// Several sections in a menu of this name.
    Menu(&'static str, Vec<&'a Section>),
}

impl Document {
    /// The entries of the navigation: in reading order, some sections in menus, each at the place of its first section.
    pub fn places(&self) -> Vec<Place<'_>> {
        let mut places: Vec<Place> = Vec::new();
        for section in &self.sections {
            let Some((word, _)) = MENUS.iter().find(|(_, ids)| ids.contains(&section.id)) else {
                places.push(Place::Section(section));
                continue;
            };
            let known = places.iter_mut().find_map(|place| match place {
                Place::Menu(other, held) if other == word => Some(held),
                _ => None,
            });
            match known {
                Some(held) => held.push(section),
                None => places.push(Place::Menu(word, vec![section])),
            }
        }
        places
    }
}
