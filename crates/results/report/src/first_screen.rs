//! The first screen: the answer, its certainty, and one picture.

use wiredyno_answers::Conclusion;
use wiredyno_answers::opening::{Opening, Picture, PictureFigure, Standing};
use wiredyno_model::summary::{CellSummary, CodecSummary, Outcomes, Summary};
use wiredyno_stats::MIN_TRIALS_FOR_INTERVAL;

use crate::caution;
use crate::published;
use crate::quantity;
use crate::sentence::Sentence;
use crate::table::{About, Column, Row, Table, Value};

/// Whether the stand was fit for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fitness {
    /// There are no objections.
    Fit,
    /// There are cautions that a reader should know.
    Careful,
    /// Figures are few, or selected by what disturbed the others.
    Unfit,
}

impl Fitness {
    /// The badge's class and first word.
    pub const fn word(self) -> &'static str {
        match self {
            Fitness::Fit => "sound",
            Fitness::Careful => "with care",
            Fitness::Unfit => "not sound",
        }
    }
}

/// The certainty of the answer and the fitness of the stand, in one line that opens.
#[derive(Debug, Clone)]
pub struct Badge {
    /// The worst of its lines.
    pub fitness: Fitness,
    /// The line that is always shown.
    pub line: String,
    /// The sentences that it summarises.
    pub lines: Vec<Sentence>,
}

/// The answer; for a study that was published, preceded by the verdicts on its claims.
pub fn answer(summary: &Summary, opening: &Opening) -> Vec<Sentence> {
    published::answer(summary).into_iter().chain(opening.answer.iter().cloned()).collect()
}

/// From this share of invalid trials on, the disturbance may have selected the rest.
const MANY_INVALID: f64 = 0.2;

/// The badge of a run.
pub fn badge(summary: &Summary, opening: &Opening) -> Badge {
    let conclusion = opening.conclusion;
    let of_answer = if conclusion == Conclusion::Difference { Fitness::Fit } else { Fitness::Careful };
    let mut lines = vec![(of_answer, Sentence::plain(&opening.sure))];
    lines.extend(stand(summary));
    let counts = Counts::of(summary);
    Badge::of(lines, format!("{} \u{b7} {} \u{b7} {}", decided(conclusion), counts.told(), machine(summary)))
}

impl Badge {
    fn of(lines: Vec<(Fitness, Sentence)>, line: String) -> Badge {
        let fitness = lines.iter().map(|(fitness, _)| *fitness).max().unwrap_or(Fitness::Fit);
        Badge { fitness, line, lines: lines.into_iter().map(|(_, sentence)| sentence).collect() }
    }
}

/// The badge of a comparison: how sure it is, then what qualifies the figures of each run.
pub fn of_two(base: &Summary, new: &Summary, conclusion: Conclusion, sure: Sentence) -> Badge {
    let of_answer = match conclusion {
        Conclusion::Difference | Conclusion::NoDifference => Fitness::Fit,
        Conclusion::NotDecided | Conclusion::CantTell => Fitness::Careful,
    };
    let mut lines = vec![(of_answer, sure)];
    for run in [base, new] {
        let of_run = |(fitness, sentence): (Fitness, Sentence)| {
            (fitness, Sentence::default().strong(&run.run.id).then(": ").then(sentence.to_plain()))
        };
        lines.extend(stand(run).into_iter().map(of_run));
    }
    let counted = [base, new].map(|run| Counts::of(run).told());
    let counted = if counted[0] == counted[1] {
        format!("{} in each", counted[0])
    } else {
        format!("{}, then {}", counted[0], counted[1])
    };
    Badge::of(lines, format!("{} \u{b7} {counted}", decided(conclusion)))
}

const fn decided(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Difference | Conclusion::NoDifference => "decided at 95 %",
        Conclusion::NotDecided => "not decided",
        Conclusion::CantTell => "can't tell",
    }
}

/// What the trials and the machine say about a run's figures.
fn stand(summary: &Summary) -> Vec<(Fitness, Sentence)> {
    let counts = Counts::of(summary);
    let mut lines = Vec::new();
    let mut told = |fitness: Fitness, sentence: Sentence| lines.push((fitness, sentence));
    caution::dropped(summary).into_iter().for_each(|sentence| told(Fitness::Unfit, sentence));
    caution::utilisation(summary).into_iter().for_each(|sentence| told(Fitness::Careful, sentence));
    if !summary.run.complete {
        told(
            Fitness::Careful,
            Sentence::plain("The run was interrupted: these are the trials that it finished."),
        );
    }
    let (complete, trials, invalid) = (counts.complete, counts.trials, counts.outcomes.invalid);
    let share = f64::from(invalid) / f64::from(trials.max(1));
    let fitness = match (complete, invalid) {
        (0, _) => Fitness::Unfit,
        (_, 0) => Fitness::Fit,
        _ if share >= MANY_INVALID => Fitness::Unfit,
        _ => Fitness::Careful,
    };
    told(
        fitness,
        Sentence::plain(format!("{} of {} trials are complete", number(complete), number(trials))).then(
            match invalid {
                0 => "; the stand disturbed none.".to_owned(),
                _ => format!(
                    "; the stand disturbed {} ({}): {}.",
                    number(invalid),
                    quantity::quantity(share, "ratio"),
                    counts.why()
                ),
            },
        ),
    );
    for (count, what) in [
        (counts.outcomes.overloaded, "overloaded: a role could not keep up"),
        (counts.outcomes.failed, "failed: what was tested broke"),
    ] {
        if count > 0 {
            told(Fitness::Careful, Sentence::plain(format!("{} {what}.", number(count))));
        }
    }
    if counts.without_interval > 0 {
        told(
            Fitness::Careful,
            Sentence::plain(format!(
                "{} of {} combinations have fewer than {MIN_TRIALS_FOR_INTERVAL} complete trials, so no interval.",
                counts.without_interval, counts.combinations
            )),
        );
    }
    lines
}

struct Counts {
    trials: u32,
    complete: u32,
    outcomes: Outcomes,
    combinations: usize,
    without_interval: usize,
    /// The stand's faults with the number of trials that they disturbed, most first.
    faults: Vec<(String, u32)>,
}

impl Counts {
    fn of(summary: &Summary) -> Counts {
        let cell = |cell: &CellSummary| (cell.trials, cell.valid_trials, cell.outcomes, cell.dropped.clone());
        let codec =
            |codec: &CodecSummary| (codec.trials, codec.valid_trials, codec.outcomes, codec.dropped.clone());
        let all: Vec<_> = summary.cells.iter().map(cell).chain(summary.codecs.iter().map(codec)).collect();
        let mut outcomes = Outcomes::default();
        let mut faults = std::collections::BTreeMap::<String, u32>::new();
        for (_, _, of, dropped) in &all {
            outcomes.invalid += of.invalid;
            outcomes.overloaded += of.overloaded;
            outcomes.failed += of.failed;
            for (kind, trials) in dropped {
                *faults.entry(kind.clone()).or_default() += trials;
            }
        }
        let mut faults: Vec<(String, u32)> = faults.into_iter().collect();
        faults.sort_by_key(|(_, trials)| std::cmp::Reverse(*trials));
        Counts {
            trials: all.iter().map(|(trials, ..)| trials).sum(),
            complete: all.iter().map(|(_, complete, ..)| complete).sum(),
            outcomes,
            combinations: all.len(),
            without_interval: all
                .iter()
                .filter(|(_, complete, ..)| (*complete as usize) < MIN_TRIALS_FOR_INTERVAL)
                .count(),
            faults,
        }
    }

    /// `110 complete trials, none invalid`.
    fn told(&self) -> String {
        let spoilt = match self.outcomes.invalid {
            0 => "none invalid".to_owned(),
            invalid => format!("{} invalid", number(invalid)),
        };
        let trials = if self.complete == 1 { "trial" } else { "trials" };
        format!("{} complete {trials}, {spoilt}", number(self.complete))
    }

    /// The faults that disturbed trials, the most frequent first.
    fn why(&self) -> String {
        if self.faults.is_empty() {
            return "see \u{201c}Left out\u{201d}".to_owned();
        }
        let told = self.faults.iter().take(3).map(|(kind, trials)| format!("{kind} ({})", number(*trials)));
        told.collect::<Vec<_>>().join(", ")
    }
}

fn number(count: u32) -> String {
    quantity::count(u64::from(count))
}

/// The utilisation of the machine.
fn machine(summary: &Summary) -> String {
    match summary.run.utilisation {
        busy if summary.cells.is_empty() || busy <= 0.0 => format!("{} CPUs", summary.environment.cpus),
        busy => format!("machine {:.0} % busy", busy * 100.0),
    }
}

/// The picture as a table, for text.
pub fn table(picture: &Picture) -> Table {
    let mut columns = vec![Column::words("choice")];
    columns.extend(picture.measures.iter().map(|measure| Column::numbers(measure.title.as_str())));
    columns.push(Column::words(""));
    let rows = picture.choices.iter().map(|choice| {
        let mut values = vec![Value::text(&choice.name)];
        values.extend(choice.figures.iter().zip(&picture.measures).map(|(figure, measure)| {
            figure.as_ref().map_or_else(Value::none, |shown| {
                let (text, detail) = quantity::apart(shown.mean, shown.interval, measure.unit);
                let survivors = shown.of_survivors.then(|| "of those that arrived".to_owned());
                let detail = [detail, survivors].into_iter().flatten().collect::<Vec<_>>().join(", ");
                Value { detail: (!detail.is_empty()).then_some(detail), ..Value::number(text, shown.mean) }
            })
        }));
        values.push(Value::text(word(choice.standing)));
        Row { about: About::Other, values }
    });
    Table { id: "", caption: Sentence::plain(caption(picture)), columns, rows: rows.collect() }
}

pub fn caption(picture: &Picture) -> String {
    let condition =
        if picture.condition.is_empty() { String::new() } else { format!(" Under {}.", picture.condition) };
    let more = match picture.more {
        0 => String::new(),
        1 => " One more choice is in the tables.".to_owned(),
        more => format!(" {more} more choices are in the tables."),
    };
    format!("Means over complete trials with their 95 % intervals; bars begin at zero.{condition}{more}")
}

/// The place of a choice in the answer, in up to four words.
pub const fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Best => "best",
        Standing::WithBest => "tied with the best",
        Standing::Behind => "",
        Standing::Undecided => "loss not decided",
        Standing::Misses => "loses too many",
        Standing::LeftOut => "not compared",
    }
}

/// The end of each measure's bars: the full length of a share, or the largest interval end.
pub fn ends(picture: &Picture) -> Vec<f64> {
    let largest = |place: usize| {
        let shown = picture.choices.iter().filter_map(|choice| choice.figures[place].as_ref());
        shown
            .map(|shown: &PictureFigure| shown.interval.map_or(shown.mean, |[_, high]| high.max(shown.mean)))
            .fold(0.0, f64::max)
    };
    picture
        .measures
        .iter()
        .enumerate()
        .map(|(place, measure)| measure.whole.unwrap_or_else(|| largest(place)))
        .collect()
}
