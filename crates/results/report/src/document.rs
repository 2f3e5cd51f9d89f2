//! The report before it has a format: sections of sentences, tables and places for charts, in reading order. One file because it is the
//! report's table of contents, with the texts of each section.

use std::collections::{BTreeMap, BTreeSet};

use wiredyno_answers::opening::Picture;
use wiredyno_contract::{Arrivals, Clients, LoadKind, PayloadId};
use wiredyno_model::axis::TABLE;
use wiredyno_model::study::Host;
use wiredyno_model::summary::{CellSummary, CodecSummary, Summary};
use wiredyno_model::{Axes, AxisInfo, Load, Part};

use crate::caution::{cautions, observed_against_model};
use crate::effects::{self, EffectTable};
use crate::finding::{Condition, Finding, findings};
use crate::heat::{self, HeatMap};
use crate::opening::{self, Badge};
use crate::published::{self, Drawing};
use crate::quantity;
use crate::sentence::{Sentence, listed};
use crate::table::Table;
use crate::{choice, codecs, dropped, languages, stopping, tables};

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

const fn chart(name: &'static str, title: &'static str, caption: &'static str) -> Block {
    Block::Chart(Chart { name, title, caption })
}

/// Heat maps that are open; others are folded.
const MAPS: usize = 2;

impl Document {
    /// The report of a summary.
    pub fn of(summary: &Summary) -> Document {
        let all = findings(summary);
        let effects = wiredyno_answers::effects(summary);
        let mut sections: Vec<Section> = effects::section(summary, &effects).into_iter().collect();
        if !summary.thresholds.is_empty() {
            sections.insert(0, thresholds(summary));
        }
        sections.insert(0, opening::section(summary, wiredyno_answers::opening::opening(summary)));
        let best = best(&all);
        match picture(summary, &best) {
            Some(picture) => sections.push(picture),
            None => sections.push(best),
        }
        sections.push(Section {
            id: "know",
            title: "To know",
            question: "What should you know before trusting this?",
            lead: Sentence::default(),
            blocks: vec![Block::List(or_nothing(cautions(summary)))],
        });
        sections.extend(published::sections(summary));
        if !summary.cells.is_empty() {
            sections.extend(message_sections(summary, &all));
        }
        sections.extend(languages::section(summary));
        if !summary.codecs.is_empty() {
            sections.extend(codec_sections(summary, &all));
        }
        sections.extend(closing_sections(summary));
        Document {
            title: summary.study.name.clone(),
            question: summary.study.why.clone(),
            analysis: summary.study.analysis.clone(),
            facts: facts(summary),
            method: method(summary),
            sections,
        }
    }
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

fn or_nothing(list: Vec<Sentence>) -> Vec<Sentence> {
    if list.is_empty() { vec![Sentence::plain("Nothing out of the ordinary.")] } else { list }
}

fn thresholds(summary: &Summary) -> Section {
    let answer = crate::answer::thresholds(&summary.study.name, &summary.thresholds);
    let blocks = answer.parts.into_iter().map(|(_, block)| block).collect();
    Section {
        id: "thresholds",
        title: "Thresholds",
        question: "Are the limits kept?",
        lead: answer.conclusion,
        blocks,
    }
}

/// Every combination in one picture: as a factor of the best, and two metrics against each other.
fn picture(summary: &Summary, best: &Section) -> Option<Section> {
    let mut maps = heat::maps(summary).into_iter();
    let mut blocks: Vec<Block> = maps.by_ref().take(MAPS).map(Block::Heat).collect();
    let others: Vec<Block> = maps.map(Block::Heat).collect();
    if blocks.is_empty() && measured_codecs(summary).count() <= 2 {
        return None;
    }
    let lead = if blocks.is_empty() {
        ""
    } else {
        "Each mean as a multiple of the best under the same condition, which lost no message if any did not. In bold, on the page hatched: \
         the data can't distinguish it from the best."
    };
    if !others.is_empty() {
        blocks.push(Block::fold("Heat maps of other metrics", others));
    }
    if are_several_comparable(summary) {
        blocks.push(chart(
            "scatter",
            "Two metrics against each other",
            "Each mark is the mean of a combination over its trials; lines are 95 % intervals, where there are any. The stepped line \
             joins the combinations that no other beats in both metrics. Tail latency against losses shows what a guarantee costs.",
        ));
    }
    if has_numbers(summary) {
        blocks.push(chart(
            "along",
            "Along a number",
            "Mean over trials along an axis of numbers (share lost, size, subscribers, messages), with its 95 % interval: a curve for each \
             codec and mode.",
        ));
    }
    let mut words = vec![Block::List(vec![best.lead.clone()])];
    words.extend(best.blocks.iter().cloned());
    blocks.push(Block::fold("The best at each metric, in words", words));
    Some(Section {
        id: "picture",
        title: "Combinations",
        question: "How do all combinations compare?",
        lead: Sentence::plain(lead),
        blocks,
    })
}

fn measured_cells(summary: &Summary) -> impl Iterator<Item = &CellSummary> {
    summary.cells.iter().filter(|cell| cell.valid_trials > 0)
}

fn measured_codecs(summary: &Summary) -> impl Iterator<Item = &CodecSummary> {
    summary.codecs.iter().filter(|codec| codec.valid_trials > 0)
}

/// Whether there are two to compare: under a condition, or for a payload if no messages were sent.
fn are_several_comparable(summary: &Summary) -> bool {
    if summary.cells.is_empty() {
        let of = |payload: &&PayloadId| {
            measured_codecs(summary).filter(|codec| codec.axes.payload == **payload).count()
        };
        return codecs::payloads(summary).iter().any(|payload| of(payload) > 1);
    }
    let measured =
        |condition: &Condition| condition.cells(summary).filter(|cell| cell.valid_trials > 0).count();
    Condition::all(summary).iter().any(|condition| measured(condition) > 1)
}

/// Whether cells differ in a number that a sender can't choose: on an axis of numbers except the rate, which has its own chart, or in the
/// size that is part of a payload's name.
fn has_numbers(summary: &Summary) -> bool {
    let differ = |of: &dyn Fn(&CellSummary) -> Option<String>| {
        let values: BTreeSet<String> = measured_cells(summary).filter_map(of).collect();
        values.len() > 1
    };
    let given = |axis: &&AxisInfo| axis.part == Part::Condition && axis.is_number() && axis.name != "rate";
    let on_axis = |axis: &AxisInfo| differ(&|cell| cell.axes.value(axis.name));
    let of_payload = |cell: &CellSummary| cell.axes.payload.size_bytes.map(|size| size.to_string());
    TABLE.iter().filter(given).any(on_axis) || differ(&of_payload)
}

fn best(all: &[Finding]) -> Section {
    let first: Vec<Finding> = all.iter().filter(|finding| finding.metric.first_screen).cloned().collect();
    Section {
        id: "best",
        title: "What is best",
        question: "What is best at each metric?",
        lead: if first.is_empty() {
            Sentence::default()
        } else {
            Sentence::plain(
                "Each metric has a winner of its own; there is no overall one. Brackets are 95 % intervals over trials. A tie does \
                 not differ significantly from the best (paired by repeat).",
            )
        },
        blocks: vec![if first.is_empty() {
            Block::List(vec![Sentence::plain(
                "Nothing was measured: what was left out, and why, is listed below.",
            )])
        } else {
            Block::Findings(first)
        }],
    }
}

/// The findings of a section that are not on the first screen.
fn more(all: &[Finding], section: &str) -> Vec<Block> {
    let found: Vec<Finding> = all
        .iter()
        .filter(|finding| finding.metric.section == section && !finding.metric.first_screen)
        .cloned()
        .collect();
    if found.is_empty() { Vec::new() } else { vec![Block::Findings(found)] }
}

/// Whether some combination has a figure of this metric.
fn is_measured(summary: &Summary, metric: &str) -> bool {
    measured_cells(summary).any(|cell| cell.metrics.contains_key(metric))
}

/// A chart, if it has something to draw.
fn chart_of(has: bool, name: &'static str, title: &'static str, caption: &'static str) -> Option<Block> {
    has.then(|| chart(name, title, caption))
}

// One function: the sections of messages in reading order, each with its texts.
fn message_sections(summary: &Summary, all: &[Finding]) -> Vec<Section> {
    let mut delivery = Vec::new();
    if measured_cells(summary).any(|cell| cell.delivery.sent > 0) {
        delivery.push(chart(
            "delivery",
            "What became of the messages",
            "Shares of all messages sent in the complete trials of a combination; the lost share has its 95 % interval. Late: delivered \
             after the deadline.",
        ));
        let model = observed_against_model(summary);
        delivery.extend((!model.is_empty()).then_some(Block::List(model)));
        delivery
            .push(Block::fold("Every message accounted for", vec![Block::Table(tables::delivery(summary))]));
    }
    let bytes = chart_of(
        is_measured(summary, "wire_per_message"),
        "overhead",
        "Bytes on the wire per published message",
        "Bars start at zero. Body: the message itself on each leg of the link; overhead: everything else, headers, \
         acknowledgements and retransmissions included.",
    );
    let classes = chart_of(
        is_measured(summary, "message_wire"),
        "classes",
        "What the bytes are for",
        "Mean bytes per published message: frames that carry messages, acknowledgements of the protocol and of TCP, keep-alives, \
         set-up, and retransmissions. A packet's headers count towards the frame that it begins with.",
    );
    let mut overhead: Vec<Block> = bytes.into_iter().chain(classes).collect();
    overhead.extend(folded("The least overhead, in words", more(all, "overhead")));
    let of_role = |metrics: &[&str]| metrics.iter().any(|metric| is_measured(summary, metric));
    let cpu = chart_of(
        of_role(&["publisher_cpu_per_message", "subscriber_cpu_per_delivery", "broker_cpu_per_message"]),
        "cpu",
        "CPU time per message and delivery",
        "Mean over trials with its 95 % interval; user and system time of each role's process. Bars start at zero.",
    );
    let memory = chart_of(
        of_role(&["publisher_memory", "subscriber_memory", "broker_memory"]),
        "memory",
        "Peak memory",
        "Mean over trials of the largest resident set of each role's process. Bars start at zero.",
    );
    let mut resources: Vec<Block> = cpu.into_iter().chain(memory).collect();
    resources.extend(more(all, "resources"));
    let setup = tables::setup(summary).map(Block::Table).into_iter().chain(more(all, "setup"));
    let setup = Section {
        id: "setup",
        title: "Set-up",
        question: "What does it cost before the first message?",
        lead: Sentence::plain("What a connection costs up to and including its first message."),
        blocks: folded("Connections, first message, broker's start", setup.collect()),
    };
    let trials = tables::every_trial(summary).map(|trials| {
        let fold = Block::fold("Its trials", vec![Block::Table(trials)]);
        Block::OnPage(Box::new(fold))
    });
    let results = std::iter::once(Block::Table(tables::results(summary))).chain(trials).collect();
    let parts = chart_of(
        is_measured(summary, "broker_time"),
        "parts",
        "Mean time of each part",
        "Where packets on the link separate network from broker, and each part is known of at least 95 % of the messages. The parts \
         add up to the time from the first call of the codec to the decoded message.",
    );
    let phases = chart_of(
        of_role(&["build_time", "encode_time", "send_time", "decode_time"]),
        "split",
        "Median time of each phase",
        "Logarithmic scale, because encoding takes microseconds and the link milliseconds: compare positions, not lengths.",
    );
    let mut sections = vec![
        Section {
            id: "results",
            title: "Results",
            question: "What was measured for each combination?",
            lead: Sentence::plain("Every figure of every combination that ran, and its trials."),
            blocks: folded("Every figure of every combination", results),
        },
        Section {
            id: "delivery",
            title: "Delivery",
            question: "Did the messages arrive?",
            lead: Sentence::plain("sent = delivered + lost + superseded; late ones are among the delivered."),
            blocks: delivery,
        },
        Section {
            id: "latency",
            title: "Latency",
            question: "How long did messages take?",
            lead: Sentence::plain(
                "From the intended send to the receipt. Only delivered messages have a latency: read it beside Delivery.",
            ),
            blocks: latency_charts(summary),
        },
        Section {
            id: "overhead",
            title: "Bytes on the wire",
            question: "What went over the network?",
            lead: Sentence::plain(
                "Counted where packets enter the link, before loss, with 14 bytes of Ethernet header each.",
            ),
            blocks: folded("Bytes on the wire of each combination", overhead),
        },
        Section {
            id: "split",
            title: "Time split",
            question: "Where did the time go?",
            lead: Sentence::plain(
                "Stamps inside the message trials: medians of each phase, not added up to the latency's median.",
            ),
            blocks: folded("Where a message spends its time", parts.into_iter().chain(phases).collect()),
        },
        Section {
            id: "resources",
            title: "CPU, memory",
            question: "How much CPU and memory did it take?",
            lead: Sentence::plain(
                "For publisher, subscriber and broker separately, during the measured part of each trial.",
            ),
            blocks: folded("CPU and memory of each role", resources),
        },
    ];
    sections.extend([
        setup,
        Section {
            id: "load",
            title: "Load and throughput",
            question: "How much can it carry?",
            lead: Sentence::plain("How much a path carries, what that takes, and what it does to latency."),
            blocks: load_blocks(summary, all),
        },
    ]);
    // Questions without any figure are left out.
    sections.retain(|section| !section.blocks.is_empty());
    sections
}

/// The result of a cell's searches, in words; `None` if there are none.
fn searched(cell: &CellSummary) -> Option<Sentence> {
    let searched = cell.searched.as_ref()?;
    let start = Sentence::default().strong(cell.axes.to_string());
    let Some(rate) = cell.metrics.get("sustained_rate") else {
        return Some(start.then(" sustained none of the rates tried."));
    };
    let limits = used_up(&searched.limits);
    let start = start
        .then(" sustained ")
        .strong(quantity::with_interval(rate.mean, rate.interval_95, &rate.unit))
        .then(format!("; stopped by {}", limits.unwrap_or_else(|| "nothing".to_owned())));
    Some(match (searched.settled, searched.spread) {
        (true, _) => start.then("."),
        (false, Some(spread)) => {
            start.then(format!(". Not settled: the highest rate found is {spread:.2} times the lowest."))
        }
        (false, None) => start.then(". Not settled."),
    })
}

/// The exhausted resources in words, with their counts if they differ between trials; `None` if nothing is known.
fn used_up(limits: &BTreeMap<String, u32>) -> Option<String> {
    let by = |limit: &str| match limit {
        "waiting" => "no resource that ran out (its parts wait for one another)".to_owned(),
        "stand" => "the limit of the stand (the rate of what was measured lies higher)".to_owned(),
        limit => format!("the {limit}"),
    };
    let limits: Vec<String> = match limits.len() {
        0 => return None,
        1 => limits.keys().map(|limit| by(limit)).collect(),
        _ => limits.iter().map(|(limit, times)| format!("{} ({times})", by(limit))).collect(),
    };
    Some(listed(&limits))
}

/// The exhausted resources of a cell that sent as fast as it could, in words; `None` for other loads.
fn filled(cell: &CellSummary) -> Option<Sentence> {
    let (rate, limits) = (cell.metrics.get("throughput")?, used_up(&cell.full)?);
    let start = Sentence::default().strong(cell.axes.to_string()).then(" carried ");
    Some(
        start
            .strong(quantity::with_interval(rate.mean, rate.interval_95, &rate.unit))
            .then(format!("; held back by {limits}.")),
    )
}

/// Curves over rate if there are rates; other effects of the load, folded.
fn load_blocks(summary: &Summary, all: &[Finding]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !summary.knees.is_empty() {
        blocks.push(chart(
            "rates",
            "Latency over rate",
            "Median latency at each requested rate, from the intended send, with its 95 % interval; both scales logarithmic. A \
             filled mark is the knee: the highest rate before latency (its 99th percentile where all have one) more than doubled \
             from the lowest rate, more was lost, or a role could not keep up. Rates without a complete trial have no mark.",
        ));
        let knees: Vec<Sentence> = summary.knees.iter().map(wiredyno_answers::knees::sentence).collect();
        blocks.push(Block::fold("The knees, in words", vec![Block::List(knees)]));
    }
    let searched: Vec<Sentence> = summary.cells.iter().filter_map(searched).collect();
    if !searched.is_empty() {
        blocks.push(Block::List(searched));
    }
    let filled: Vec<Sentence> = summary.cells.iter().filter_map(filled).collect();
    if !filled.is_empty() {
        blocks.push(Block::fold("What held the rate back", vec![Block::List(filled)]));
    }
    let table = tables::load(summary).map(Block::Table).into_iter().chain(more(all, "load"));
    blocks.extend(folded("Throughput, and messages per CPU second", table.collect()));
    blocks
}

fn latency_charts(summary: &Summary) -> Vec<Block> {
    let means = chart_of(
        is_measured(summary, "latency"),
        "latency",
        "Mean latency with its 95 % interval",
        "Mark: mean of the trials' means; line: 95 % t interval on logarithms over trials; hollow: no interval. A cross beside \
         it: messages were lost. Panels of one payload share their scale.",
    );
    let curves = chart_of(
        measured_cells(summary).any(|cell| !cell.latency_ecdf.is_empty()),
        "ecdf",
        "Latency of all messages sent",
        "Share of the messages sent that arrived within this time: a curve ends at the share that arrived at all. \
         Logarithmic time.",
    );
    let boxes = chart_of(
        measured_cells(summary).any(|cell| cell.latency_box.is_some()),
        "box",
        "Spread of single messages",
        "Box: quartiles and median; whiskers: the last message within Tukey's fences; rings: messages outside, of more than 40 \
         some.",
    );
    let single = folded("How single messages are distributed", curves.into_iter().chain(boxes).collect());
    means.into_iter().chain(single).collect()
}

/// Blocks that open on demand, if there are any.
fn folded(title: &str, blocks: Vec<Block>) -> Vec<Block> {
    if blocks.is_empty() { Vec::new() } else { vec![Block::fold(title, blocks)] }
}

/// A block that is too long for text if there are many codecs.
fn long(summary: &Summary, block: Block) -> Block {
    if codecs::many(summary) { Block::OnPage(Box::new(block)) } else { block }
}

// One function: the sections of codecs in reading order, each with its texts.
fn codec_sections(summary: &Summary, all: &[Finding]) -> Vec<Section> {
    let phases = if codecs::many(summary) {
        "Marks: mean over trials of each phase and of their sum, with the sum's 95 % interval as a line. Logarithmic scale: \
         compare positions, not lengths. Each panel has its own scale."
    } else {
        "Means over trials, stacked: build, encode, decode and read of one message, with compress and decompress \
         where bytes are compressed. Bars start at zero; each panel has its own scale."
    };
    let has = |wanted: &dyn Fn(&str) -> bool| {
        measured_codecs(summary).any(|codec| codec.metrics.keys().any(|name| wanted(name)))
    };
    let times = chart_of(
        has(&|name| ["build", "encode", "decode", "read"].contains(&name)),
        "phases",
        "Time of the phases",
        phases,
    );
    let allocations = chart_of(
        has(&|name| name.ends_with("_allocations")),
        "allocations",
        "Heap allocations of one message",
        "Counted in a separate pass without timing, by phase, stacked. Bars start at zero.",
    );
    let mut alone: Vec<Block> = times.into_iter().chain(allocations).collect();
    alone.extend(more(all, "codecs").into_iter().map(|block| long(summary, block)));
    alone.push(long(summary, Block::Table(codecs::codecs(summary))));
    if codecs::many(summary) {
        alone.push(Block::InText(Box::new(Block::Table(codecs::best_few(summary)))));
    }
    let bodies = chart_of(
        has(&|name| name == "body"),
        "sizes",
        "Body of one message",
        "Bar: mean over the payload's samples; line: smallest to largest sample. Bars start at zero; each panel \
         has its own scale.",
    );
    let mut sizes: Vec<Block> = bodies.into_iter().collect();
    if summary.study.axes.payload.len() > 1 || codecs::many(summary) {
        sizes.insert(0, Block::OnPage(Box::new(Block::Table(codecs::sizes(summary)))));
    }
    let mut worth = vec![Block::List(choice::sentences(summary))];
    worth.extend(choice::table(summary).map(|table| long(summary, Block::Table(table))));
    // If messages were sent, the figures of codecs alone are details of the answer.
    if !summary.cells.is_empty() {
        worth = folded("The Pareto front of codecs", worth);
        sizes = folded("Bodies of the samples", sizes);
        alone = folded("Times and memory of each codec", alone);
    }
    vec![
        Section {
            id: "choice",
            title: "Worth considering",
            question: "Which codecs are worth considering?",
            lead: Sentence::plain(choice::LEAD),
            blocks: worth,
        },
        Section {
            id: "sizes",
            title: "Sizes",
            question: "How large are messages?",
            lead: Sentence::plain(
                "What each codec makes of one message, before any protocol adds its overhead.",
            ),
            blocks: sizes,
        },
        Section {
            id: "codecs",
            title: "Codecs alone",
            question: "What do codecs cost alone?",
            lead: Sentence::plain(
                "Calibrated loops without hosts or link. All phases are shown, because a codec can move work from one to \
             another.",
            ),
            blocks: alone,
        },
    ]
}

// One function: the closing sections in reading order, each with its texts.
fn closing_sections(summary: &Summary) -> Vec<Section> {
    let mut left_out = vec![dropped::table(summary), tables::invalid(summary), tables::not_run(summary)];
    left_out.retain(|table| !table.rows.is_empty());
    let mut left_out: Vec<Block> =
        left_out.into_iter().map(|table| long(summary, Block::Table(table))).collect();
    if codecs::many(summary) && !left_out.is_empty() {
        left_out.push(Block::InText(Box::new(Block::List(vec![Sentence::plain(
            "What, and why, is in report.html and summary.json.",
        )]))));
    }
    let left_out = if left_out.is_empty() {
        vec![Block::List(vec![Sentence::plain("Nothing: every combination ran, and no trial was invalid.")])]
    } else {
        folded("What was left out, and why", left_out)
    };
    let stopping = stopping::table(summary).map(|table| Section {
        id: "stopping",
        title: "How many trials",
        question: "How many trials did it take?",
        lead: Sentence::plain("The study repeats a combination until its figure is precise enough."),
        blocks: vec![Block::Table(table)],
    });
    let unkept = tables::unkept(summary);
    let unkept = (!unkept.rows.is_empty()).then(|| Section {
        id: "unkept",
        title: "Overloaded and failed",
        question: "What was overloaded, and what failed?",
        lead: Sentence::plain(
            "These are results: what could not keep up with the load, and what broke. They are not repeated, and their \
             latency enters no comparison.",
        ),
        blocks: vec![long(summary, Block::Table(unkept))],
    });
    let mut sections: Vec<Section> = stopping.into_iter().chain(unkept).collect();
    sections.extend([
        Section {
            id: "left-out",
            title: "Left out",
            question: "What was left out, and why?",
            lead: Sentence::plain(
                "Invalid trials are the stand's own fault. They are repeated, stay in the run folder and enter no figure.",
            ),
            blocks: left_out,
        },
        Section {
            id: "environment",
            title: "Environment",
            question: "Where was it measured?",
            lead: Sentence::plain("What the numbers were measured on."),
            blocks: folded("Machine, libraries, brokers", vec![
                Block::Table(tables::environment(summary)),
                long(summary, Block::Table(tables::implementations(summary))),
            ]),
        },
        Section {
            id: "method",
            title: "Method",
            question: "How was it measured?",
            lead: Sentence::plain("What each number means, and how combinations are compared."),
            blocks: folded("How figures, intervals and comparisons are computed", vec![
                Block::List(vec![Sentence::plain(
                        "A mean averages the trials' means (in codec trials: each loop's median batch). Medians and percentiles are \
                     over all observations; a 90th percentile needs at least 100, a 99th at least 1,000. Intervals are two-sided 95 \
                     %: Student's t for means, on logarithms for what can't be negative; bootstrap over trials for medians and 99th \
                     percentiles. Fewer than five complete trials give no interval. Shares of lost and late messages always have \
                     one: from the spread between trials (Korn and Graubard), else exact (Clopper and Pearson). Two combinations \
                     are compared by a paired t test over the repeats, which had the same conditions in all cells, with Holm's \
                     correction for all pairs compared at once. They tie where it finds no significant difference at the 5 % level. \
                     The test uses logarithms where all values are above 0, so it compares factors. Intervals of two combinations \
                     can overlap although the paired test finds a difference: they also contain what varies between repeats, such \
                     as the rate of the link.",
                )]),
                long(summary, Block::Table(tables::metrics(summary))),
            ]),
        },
    ]);
    sections
}

fn facts(summary: &Summary) -> Vec<String> {
    let run = &summary.run;
    let trials: u32 = summary.cells.iter().map(|cell| cell.trials).sum();
    let codec_trials: u32 = summary.codecs.iter().map(|codec| codec.trials).sum();
    let mut facts = vec![run.started.replacen('T', " ", 1).replacen('Z', " UTC", 1)];
    let whole = whole_time(run.duration_ns);
    if summary.cells.is_empty() {
        facts.push(format!("{codec_trials} codec trials in {whole}"));
    } else {
        facts.push(format!("{trials} message and {codec_trials} codec trials in {whole}"));
        let noun = if run.lanes == 1 { "lane" } else { "lanes" };
        facts.push(format!("{} {noun} at {:.0} % utilisation", run.lanes, run.utilisation * 100.0));
    }
    facts.push(format!("{}, {} CPUs", summary.environment.cpu, summary.environment.cpus));
    facts.push(format!("Wiredyno {}", run.version));
    facts
}

/// A duration: `3 min 12 s`.
fn whole_time(ns: u64) -> String {
    match (ns + 500_000_000) / 1_000_000_000 {
        0 => quantity::quantity(ns as f64, "ns"),
        seconds if seconds < 60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

fn method(summary: &Summary) -> Sentence {
    let axes = &summary.study.axes;
    let names = |words: Vec<String>| listed(&words);
    let payloads = names(axes.payload.iter().map(ToString::to_string).collect());
    let codecs = if axes.codec.len() > codecs::MANY {
        let (codecs, formats) = codecs::extent(summary);
        format!("{codecs} codecs of {formats} formats")
    } else {
        names(axes.codec.iter().map(ToString::to_string).collect())
    };
    let sentence = Sentence::strong(Sentence::default(), payloads).then(" in ").strong(codecs);
    let sentence = if axes.compresses() {
        let compressions = names(axes.compression.iter().map(ToString::to_string).collect());
        sentence.then(" with compression ").strong(compressions)
    } else {
        sentence
    };
    if axes.mode.is_empty() {
        return sentence.then(format!(", codec trials only, {}.", repeats_words(summary)));
    }
    let modes = names(axes.mode.iter().map(ToString::to_string).collect());
    let links = names(axes.link.iter().map(ToString::to_string).collect());
    let losses = names(axes.loss.iter().map(|loss| quantity::percent(loss.get())).collect());
    let sentence = sentence.then(" over ").strong(modes);
    let brokers = names(axes.broker.iter().map(ToString::to_string).collect());
    let sentence = if brokers.is_empty() { sentence } else { sentence.then(" by ").strong(brokers) };
    let securities = names(axes.security.iter().map(ToString::to_string).collect());
    let sentence =
        if securities.is_empty() { sentence } else { sentence.then(" with security ").strong(securities) };
    let options = axes.option.keys().map(|axis| format!("{axis} {}", names(axes.values(axis))));
    let sentence = options.fold(sentence, |sentence, option| sentence.then(" with ").strong(option));
    let sentence = sentence.then(" on ").strong(links);
    let sentence = if losses.is_empty() {
        sentence
    } else {
        sentence.then(" with ").strong(losses).then(" loss each way")
    };
    let load = summary.study.load.as_ref().map(|load| load_words(load, axes)).unwrap_or_default();
    let sentence =
        others_in_words(axes).fold(sentence.then(load), |sentence, words| sentence.then("; ").strong(words));
    sentence.then(format!("; {}; {}.", repeats_words(summary), hosts_words(summary)))
}

/// The axes that other parts of the sentence name.
const NAMED: [&str; 15] = [
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
];

/// All other axes with values in the study, in words: `records from memory and postgresql`.
fn others_in_words(axes: &Axes) -> impl Iterator<Item = String> {
    let others = TABLE.iter().filter(|axis| !NAMED.contains(&axis.name));
    others.filter_map(move |axis| {
        let values = axes.values(axis.name);
        (!values.is_empty()).then(|| axis.in_words(&listed(&values)))
    })
}

/// The values of an axis, or the load's number if it has none, in the axis's words: `1 and 64 messages`.
fn in_words(axes: &Axes, axis: &str, of_load: u32) -> String {
    let values = axes.values(axis);
    let values = if values.is_empty() { of_load.to_string() } else { listed(&values) };
    wiredyno_answers::value_name(axis, &values)
}

fn repeats_words(summary: &Summary) -> String {
    let trials = &summary.study.trials;
    match &trials.until {
        None => format!("{} repeats", trials.repeats),
        Some(until) => format!("{} to {} repeats", trials.repeats, until.at_most),
    }
}

/// The load in words, with the values of axes.
fn load_words(load: &Load, axes: &Axes) -> String {
    let (rates, windows) = (axes.values("rate"), axes.values("window"));
    let kind = match load.kind {
        LoadKind::Open if !rates.is_empty() => {
            format!("{}{}", listed(&rates), arrivals_words(load.arrivals))
        }
        LoadKind::Open => match (load.rate, load.interval.ns) {
            (Some(rate), _) => format!("{rate}{}", arrivals_words(load.arrivals)),
            (None, 0) => format!("on a schedule{}", arrivals_words(load.arrivals)),
            (None, _) => format!("one every {}{}", load.interval, arrivals_words(load.arrivals)),
        },
        LoadKind::Closed if !windows.is_empty() => format!("{} at a time", listed(&windows)),
        LoadKind::Closed if load.window == 1 => "one at a time".to_owned(),
        LoadKind::Closed => format!("{} at a time", load.window),
        LoadKind::Batch => match load.duration {
            None => "as fast as they are taken".to_owned(),
            Some(duration) => format!("as fast as they are accepted, for at most {duration}"),
        },
        LoadKind::Search => {
            let bound =
                load.bound.as_ref().map(|bound| format!(" with {} below {}", bound.metric, bound.below));
            format!("at the highest sustained rate{}", bound.unwrap_or_default())
        }
    };
    format!(
        "; {} a trial{}, {kind}, late after {}, lost after {}",
        in_words(axes, "messages", load.messages),
        clients_words(load, axes),
        load.deadline,
        load.drain
    )
}

fn clients_words(load: &Load, axes: &Axes) -> String {
    let Clients { publishers, subscribers, topics } = load.clients();
    let several = ["publishers", "subscribers", "topics"].iter().any(|axis| !axes.values(axis).is_empty());
    if load.clients().is_single() && !several {
        return String::new();
    }
    format!(
        " from {} to {} on {}",
        in_words(axes, "publishers", publishers),
        in_words(axes, "subscribers", subscribers),
        in_words(axes, "topics", topics)
    )
}

fn arrivals_words(arrivals: Arrivals) -> String {
    match arrivals {
        Arrivals::Constant => String::new(),
        Arrivals::Poisson => " on the mean (Poisson)".to_owned(),
        Arrivals::Bursts(each) => format!(" on the mean, in bursts of {each}"),
        Arrivals::Ramp(from) => format!(" at the end, rising from {from}"),
    }
}

fn hosts_words(summary: &Summary) -> String {
    let hosts = &summary.study.hosts;
    let word = |host| match host {
        Host::Edge => "edge",
        Host::Cloud => "cloud",
    };
    let ways: Vec<String> =
        summary.study.axes.way.iter().map(|way| way.to_string().replace('-', " ")).collect();
    if !ways.is_empty() {
        let of = format!("publisher on {}, broker on {}", word(hosts.publisher), word(hosts.broker));
        return format!("{}: {of}, subscriber where the way ends", listed(&ways));
    }
    let way = if hosts.publisher == hosts.subscriber { "round trips" } else { "one way" };
    format!(
        "{way}: publisher on {}, broker on {}, subscriber on {}",
        word(hosts.publisher),
        word(hosts.broker),
        word(hosts.subscriber)
    )
}
