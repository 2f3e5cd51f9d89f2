//! What was asked and how it was measured, in a few words.

use wiredyno_contract::{Arrivals, LoadKind};
use wiredyno_model::axis::TABLE;
use wiredyno_model::study::Host;
use wiredyno_model::summary::Summary;
use wiredyno_model::{Axes, Load};

use crate::sentence::{Sentence, listed};
use crate::{codecs, quantity};

pub(super) fn facts(summary: &Summary) -> Vec<String> {
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

pub(super) fn method(summary: &Summary) -> Sentence {
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
    let Load { publishers, subscribers, topics, .. } = *load;
    let several = ["publishers", "subscribers", "topics"].iter().any(|axis| !axes.values(axis).is_empty());
    if (publishers, subscribers) == (1, 1) && !several {
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
        return format!("{}: {of}, subscriber at the end of each way", listed(&ways));
    }
    let way = if hosts.publisher == hosts.subscriber { "round trips" } else { "one way" };
    format!(
        "{way}: publisher on {}, broker on {}, subscriber on {}",
        word(hosts.publisher),
        word(hosts.broker),
        word(hosts.subscriber)
    )
}
