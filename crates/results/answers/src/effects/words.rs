//! Effects in words: clauses, figures with their intervals, headlines.
//!
//! One file because all sentences are put together from the same clauses.

use wiredyno_model::metric::{self, MetricInfo, Scope};
use wiredyno_model::summary::{Effect, EffectAt, EffectScale, EffectVerdict};
use wiredyno_stats::MIN_TRIALS_FOR_INTERVAL;

use super::{LOST, RUN, SMALL, SMALL_SHARE, VALUES_LISTED};
use crate::conclusion::Conclusion;
use crate::quantity;
use crate::sentence::Sentence;
use crate::things::value_name;

/// The effect on one metric in a few words.
pub(super) fn clause(effect: &Effect, metric: &MetricInfo) -> Sentence {
    if lost_nothing(effect) {
        return Sentence::plain(format!("neither lost any (at most {})", bound(effect)));
    }
    let sentence = Sentence::plain(lower(&metric.title));
    let counts = counts_lost(effect).filter(|_| effect.metric == LOST);
    let sentence = match effect.verdict {
        EffectVerdict::NoDifference => {
            if same(effect) {
                return sentence.then(": the same").then(in_brackets(counts));
            }
            let sentence = sentence.then(": no difference over ");
            let sentence = sentence.strong(bound(effect)).then(in_brackets(dependence(effect)));
            return sentence.then(in_brackets(counts)).then(in_brackets(of_arrived(effect)));
        }
        EffectVerdict::Undecided | EffectVerdict::NoInterval => sentence.then(": not decided, "),
        EffectVerdict::Better | EffectVerdict::Worse | EffectVerdict::Different => sentence.then(" "),
    };
    let (main, interval) = figure(effect);
    let amount = amount(effect).map(|amount| format!(" ({amount})")).unwrap_or_default();
    let sentence = sentence.figure(main, interval).then(amount);
    let sentence = match effect.verdict {
        EffectVerdict::NoInterval => sentence.then(format!(" ({})", too_few(effect))),
        EffectVerdict::Undecided => sentence.then(in_brackets(by_clocks(effect).or_else(|| needed(effect)))),
        _ if effect.combinations > 1 => {
            sentence.faint(format!(" in {} of {}", effect.same_direction, effect.combinations))
        }
        _ => sentence,
    };
    sentence
        .then(in_brackets(counts))
        .then(in_brackets(dependence(effect)))
        .then(in_brackets(of_arrived(effect)))
}

/// That the clocks of two machines leave a difference open: `clocks: they may have made up 40 µs`.
pub fn by_clocks(effect: &Effect) -> Option<String> {
    let bound = quantity::quantity(effect.clock_bound_ns? as f64, "ns");
    Some(format!("clocks: the two may have made up {bound}"))
}

/// The number of repeats: `3 repeats: 5 would give an interval`.
pub fn too_few(effect: &Effect) -> String {
    let words =
        if effect.repeats == 1 { "1 repeat".to_owned() } else { format!("{} repeats", effect.repeats) };
    format!("{words}: {MIN_TRIALS_FOR_INTERVAL} would give an interval")
}

/// Losses beside a figure of messages that arrived: `of what arrived: 12 % lost, before 0 %`.
pub fn of_arrived(effect: &Effect) -> Option<String> {
    let [without, with] =
        effect.lost.filter(|_| effect.metric != LOST)?.map(|share| quantity::quantity(share, "ratio"));
    Some(format!("of what arrived: {with} lost, {without} {}", otherwise(effect)))
}

/// Losses of both sides: `24 of 200 lost, 0 of 200 with mqtt:qos0`; `None` if there are none.
pub fn counts_lost(effect: &Effect) -> Option<String> {
    let [without, with] = lost_of_sent(effect)?;
    Some(format!("{with} lost, {without} {}", otherwise(effect)))
}

/// Whether effects on a metric report losses.
pub fn tells_lost(metric: &str) -> bool {
    metric == LOST || metric::find(Scope::Message, metric).is_some_and(|info| info.of_arrived)
}

/// Messages lost of those sent, without and with the value: `0 of 200` and `24 of 200`; `None` if there are none.
pub fn lost_of_sent(effect: &Effect) -> Option<[String; 2]> {
    let (shares, sent) = (effect.lost?, effect.sent?);
    let count = |place: usize| (shares[place] * sent[place] as f64).round() as u64;
    Some([0, 1].map(|place| format!("{} of {}", quantity::count(count(place)), quantity::count(sent[place]))))
}

/// The reference of an effect, as words that follow its figure.
pub(super) fn otherwise(effect: &Effect) -> String {
    if effect.axis == RUN {
        "before".to_owned()
    } else {
        format!("with {}", value_name(&effect.axis, &effect.instead_of))
    }
}

/// Whether a difference is shown.
pub fn is_shown(effect: &Effect) -> bool {
    Conclusion::from(effect.verdict) == Conclusion::Difference
}

fn in_brackets(text: Option<String>) -> String {
    text.map(|text| format!(" ({text})")).unwrap_or_default()
}

/// Whether it is about lost messages, and neither side lost any.
pub fn lost_nothing(effect: &Effect) -> bool {
    effect.metric == LOST && effect.means == [0.0, 0.0]
}

/// Whether every repeat gave the same on both sides, to the last digit.
pub fn same(effect: &Effect) -> bool {
    effect.interval.is_some_and(|[low, high]| high - low <= ROUNDING * high.abs())
}

/// Ends of an interval that are this close differ only by the order of additions.
const ROUNDING: f64 = 1e-9;

/// The figure and its interval: `× 0.70` and `[0.55, 0.91]`; for differences `+3.1 %`.
pub fn figure(effect: &Effect) -> (String, Option<String>) {
    match effect.scale {
        EffectScale::Factor => factor(effect.estimate, effect.interval),
        EffectScale::Difference => difference(effect.estimate, effect.interval, &effect.unit),
    }
}

/// A difference of shares: `+9.2 points`.
pub fn points(difference_of_shares: f64) -> String {
    difference(difference_of_shares, None, "ratio").0
}

/// A difference with its interval: `+9.2 points [4.0, 14.4]`, of shares in percentage points.
pub(super) fn difference(estimate: f64, interval: Option<[f64; 2]>, unit: &str) -> (String, Option<String>) {
    let (main, interval) = quantity::apart(estimate, interval, unit);
    let sign = if estimate > 0.0 { "+" } else { "" };
    let main = main.replace(" %", " points");
    (format!("{sign}{main}"), interval)
}

fn factor(estimate: f64, interval: Option<[f64; 2]>) -> (String, Option<String>) {
    let (main, interval) = quantity::apart(estimate, interval, "times");
    (format!("\u{d7} {main}"), interval)
}

/// The largest difference that the interval includes: `1.2 %`.
pub fn bound(effect: &Effect) -> String {
    let [low, high] = effect.interval.unwrap_or([effect.estimate; 2]);
    match effect.scale {
        EffectScale::Factor => {
            let most = (high - 1.0).max(low.recip() - 1.0).max(0.0);
            quantity::quantity(round_up(most), "ratio")
        }
        EffectScale::Difference if lost_nothing(effect) => quantity::quantity(high, &effect.unit),
        EffectScale::Difference => {
            difference(low.abs().max(high.abs()), None, &effect.unit).0.replace('+', "")
        }
    }
}

/// Rounded up to two significant digits, so that what is ruled out really is.
fn round_up(share: f64) -> f64 {
    if share <= 0.0 {
        return 0.0;
    }
    let step = 10f64.powi(share.log10().floor() as i32 - 1);
    (share / step - 1e-9).ceil() * step
}

/// The repeats that would decide: `14 repeats would show 10 %`.
pub fn needed(effect: &Effect) -> Option<String> {
    let repeats = effect.repeats_needed?;
    Some(format!("{} repeats would show 10 %", quantity::count(u64::from(repeats))))
}

/// The difference in bytes, which readers add up: `393 B more`; `None` for other units, and where it contradicts the factor: one large comparison can outweigh
/// many small ones in a sum, but not in a mean of ratios.
pub fn amount(effect: &Effect) -> Option<String> {
    let agrees = (effect.estimate > 1.0) == (effect.difference > 0.0);
    let told = effect.unit == "bytes"
        && effect.scale == EffectScale::Factor
        && effect.difference.abs() >= 0.5
        && agrees;
    let word = if effect.difference > 0.0 { "more" } else { "less" };
    told.then(|| format!("{} {word}", quantity::quantity(effect.difference.abs().round(), "bytes")))
}

/// How an effect depends on another axis: `shown only at 5 % loss: × 0.41 [0.3, 0.6]`, `× 0.41 [0.3, 0.6] at 5 % loss, × 0.80 [0.7, 0.9] at
/// 0 % loss`.
pub fn dependence(effect: &Effect) -> Option<String> {
    let axis = effect.depends_on.first()?.axis.as_str();
    let text = |one: &EffectAt| {
        let (main, interval) = match effect.scale {
            EffectScale::Factor => factor(one.estimate, one.interval),
            EffectScale::Difference => difference(one.estimate, one.interval, &effect.unit),
        };
        let interval = interval.map(|interval| format!(" {interval}")).unwrap_or_default();
        format!("{main}{interval}")
    };
    let there = |one: &EffectAt| format!("{} {}", text(one), at(axis, &one.value));
    let none = if effect.scale == EffectScale::Factor { 1.0 } else { 0.0 };
    let shown = |one: &&EffectAt| one.interval.is_some_and(|[low, high]| low > none || high < none);
    let with: Vec<&EffectAt> = effect.depends_on.iter().filter(shown).collect();
    if let [only] = with[..] {
        return Some(format!("shown only {}: {}", at(axis, &only.value), text(only)));
    }
    if effect.depends_on.len() <= VALUES_LISTED {
        return Some(effect.depends_on.iter().map(there).collect::<Vec<_>>().join(", "));
    }
    let order = |a: &&EffectAt, b: &&EffectAt| a.estimate.total_cmp(&b.estimate);
    let least = effect.depends_on.iter().min_by(order)?;
    let most = effect.depends_on.iter().max_by(order)?;
    Some(format!("from {} to {}", there(least), there(most)))
}

/// A value as a place: `at 5 % loss`, `with json/serde-json`, `over tcp`, `on lte`.
pub(super) fn at(axis: &str, value: &str) -> String {
    let word = match axis {
        "loss" | "rate" => "at",
        "mode" => "over",
        "link" => "on",
        _ => "with",
    };
    format!("{word} {}", value_name(axis, value))
}

/// A title within a sentence: `CPU` keeps its capitals.
fn lower(title: &str) -> String {
    let mut characters = title.chars();
    match (characters.next(), title.chars().nth(1)) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => title.to_owned(),
    }
}

/// The effects grouped by value and reference, in the order given.
pub fn by_question(effects: &[Effect]) -> Vec<Vec<&Effect>> {
    let mut groups: Vec<Vec<&Effect>> = Vec::new();
    for effect in effects {
        let same = |group: &&mut Vec<&Effect>| {
            group.first().is_some_and(|first| {
                (&first.axis, &first.value, &first.instead_of)
                    == (&effect.axis, &effect.value, &effect.instead_of)
            })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(effect),
            None => groups.push(vec![effect]),
        }
    }
    groups
}

/// The question in words: `protobuf/prost instead of json/serde-json`.
pub fn question(effect: &Effect) -> String {
    let Effect { axis, value, instead_of, .. } = effect;
    format!("{} instead of {}", value_name(axis, value), value_name(axis, instead_of))
}

/// The first lines: for codecs, compressions and modes the effects on latency and bytes, or on body and time if no messages were sent; a
/// line for each question.
pub fn headlines(effects: &[Effect]) -> Vec<Sentence> {
    const FIRST: [(&str, &[&str]); 2] =
        [("message", &[LOST, "latency", "wire_per_message"]), ("codec", &["body", "total"])];
    let scope = if effects.iter().any(|effect| effect.scope == "message") { FIRST[0] } else { FIRST[1] };
    let chosen = |effect: &&Effect| {
        let chosen = ["codec", "compression", "mode"].contains(&effect.axis.as_str());
        chosen && effect.scope == scope.0 && scope.1.contains(&effect.metric.as_str())
    };
    let told: Vec<Effect> = effects.iter().filter(chosen).cloned().collect();
    let line = |group: &Vec<&Effect>| {
        let first = group.first()?;
        let value = value_name(&first.axis, &first.value);
        let mut sentence = Sentence::default()
            .strong(value)
            .faint(format!(" instead of {}", value_name(&first.axis, &first.instead_of)))
            .then(": ");
        let mut told_before = false;
        let tells_loss = group.iter().any(|effect| effect.metric == LOST && !lost_nothing(effect));
        for metric in scope.1 {
            let of_metric: Vec<&&Effect> = group.iter().filter(|effect| effect.metric == *metric).collect();
            let Some(title) = of_metric.first().and_then(|effect| title(effect)) else { continue };
            // That nobody loses anything is not worth a line.
            if *metric == LOST && of_metric.iter().all(|effect| lost_nothing(effect)) {
                continue;
            }
            sentence = sentence.then(format!("{}{title} ", if told_before { "; " } else { "" }));
            told_before = true;
            let alike = of_metric.iter().all(|effect| effect.verdict == of_metric[0].verdict);
            let once =
                alike && !of_metric.iter().any(|effect| is_shown(effect) || of_arrived(effect).is_some());
            let told = if once { &of_metric[..1] } else { &of_metric[..] };
            if told.len() > EACH_TOLD {
                sentence = spread(sentence, told);
                continue;
            }
            for (place, effect) in told.iter().enumerate() {
                sentence = sentence.then(if place > 0 { ", " } else { "" });
                sentence = match Conclusion::from(effect.verdict) {
                    Conclusion::Difference => sentence.figure(figure(effect).0, None),
                    open => sentence.then(open.word()).then(in_brackets(dependence(effect))),
                };
                let counts = counts_lost(effect).filter(|_| *metric == LOST && is_shown(effect));
                let arrived = of_arrived(effect)
                    .map(|told| if tells_loss { "of what arrived".to_owned() } else { told });
                sentence = sentence.faint(in_brackets(counts.or(arrived)));
                if told.len() > 1 {
                    sentence = sentence.faint(format!(" ({})", effect.payload));
                }
            }
        }
        Some(sentence.then("."))
    };
    by_question(&told).iter().filter_map(line).collect()
}

/// Payloads whose effects a headline lists one by one.
const EACH_TOLD: usize = 4;

/// The effects on many payloads in few words: from the smallest to the largest that is significant, and how many are not.
fn spread(mut sentence: Sentence, effects: &[&&Effect]) -> Sentence {
    let of = |conclusion: Conclusion| {
        effects.iter().filter(move |effect| Conclusion::from(effect.verdict) == conclusion)
    };
    let real = || of(Conclusion::Difference);
    let least = real().min_by(|a, b| a.estimate.total_cmp(&b.estimate));
    let most = real().max_by(|a, b| a.estimate.total_cmp(&b.estimate));
    let mut place = 0;
    if let (Some(least), Some(most)) = (least, most) {
        sentence = sentence.figure(figure(least).0, None).faint(format!(" ({})", least.payload));
        if most.payload != least.payload {
            sentence =
                sentence.then(" to ").figure(figure(most).0, None).faint(format!(" ({})", most.payload));
        }
        place += 1;
    }
    for open in [Conclusion::NoDifference, Conclusion::NotDecided] {
        let (count, words) = (of(open).count(), open.word());
        if count > 0 {
            let separator = if place > 0 { ", " } else { "" };
            sentence = sentence.then(format!("{separator}{words} for {count} of {} payloads", effects.len()));
            place += 1;
        }
    }
    sentence
}

/// The title of an effect's metric, within a sentence.
fn title(effect: &Effect) -> Option<String> {
    metric_of(effect).map(|metric| lower(&metric.title))
}

/// The row of an effect's metric in the table of metrics.
fn metric_of(effect: &Effect) -> Option<MetricInfo> {
    let scope = if effect.scope == "message" { Scope::Message } else { Scope::Codec };
    metric::find(scope, &effect.metric)
}

/// A sentence for each question: the effects of the value, payload by payload.
pub fn sentences(effects: &[Effect]) -> Vec<Sentence> {
    by_question(effects).iter().map(|group| question_sentence(group)).collect()
}

/// The effects of a question on one payload, each as a clause. Those that are neither real nor of first interest are left out; tables have
/// them.
pub fn clauses(group: &[&Effect], payload: &str) -> Vec<String> {
    let told = |effect: &&&Effect| {
        let is_quiet = || metric_of(effect).is_some_and(|metric| metric.only_where_shown);
        effect.payload == payload && (is_shown(effect) || !is_quiet())
    };
    let tells_loss = group.iter().any(|effect| effect.payload == payload && effect.metric == LOST);
    // Losses are mentioned once.
    let text = |effect: &&Effect| match of_arrived(effect).filter(|_| tells_loss) {
        Some(arrived) => effect.text.replace(&format!(" ({arrived})"), " (of what arrived)"),
        None => effect.text.clone(),
    };
    group.iter().filter(told).map(text).collect()
}

/// The payloads of a question, in the study's order.
pub fn payloads<'a>(group: &[&'a Effect]) -> Vec<&'a str> {
    let mut payloads: Vec<&str> = group.iter().map(|effect| effect.payload.as_str()).collect();
    payloads.dedup();
    payloads
}

fn question_sentence(group: &[&Effect]) -> Sentence {
    let Some(first) = group.first() else { return Sentence::default() };
    let payloads = payloads(group);
    let parts = payloads.iter().map(|payload| {
        let name = if payloads.len() > 1 { format!("{payload}: ") } else { String::new() };
        format!("{name}{}.", clauses(group, payload).join("; "))
    });
    let parts: Vec<String> = parts.collect();
    Sentence::default().strong(question(first)).then(format!(": {}", parts.join(" ")))
}

/// How the effects of a run were determined, in a few sentences.
pub fn method(effects: &[Effect]) -> Option<Sentence> {
    let most = effects.iter().max_by_key(|effect| effect.family)?;
    let repeats = effects.iter().map(|effect| effect.repeats).max().unwrap_or(0);
    Some(Sentence::plain(format!(
        "Each effect compares cells that differ in nothing else, paired by repeat ({repeats} repeats), with equal weight for every \
         combination of the other axes; \"in 11 of 12\" counts the combinations in which the effect has the same direction. Factors \
         are geometric means; points are percentage points. The effects of one axis on one metric are tested together, at most {} \
         here, so that the chance of any false positive is at most 5 % (Holm). Brackets are the intervals of that test. \"No \
         difference over\" names what the interval rules out; \"not decided\": the interval includes differences over {:.0} %, of \
         shares over {:.0} point.",
        most.family,
        (SMALL - 1.0) * 100.0,
        SMALL_SHARE * 100.0
    )))
}
