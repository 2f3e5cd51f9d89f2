//! The tables of the report, computed from the summary. One file because they share the columns of axes and the form of figures.

use std::collections::BTreeSet;

use wiredyno_contract::{Capability, MessageRate, WireFormat};
use wiredyno_model::study::Host;
use wiredyno_model::summary::{CellSummary, Metric, Outcomes, RatioInterval, Summary, UnderOverload};
use wiredyno_model::{AXES, AxisInfo, AxisKind, Unit, axis};

use crate::finding::best_cells;
use crate::metric::{self, Better, Scope, ordered};
use crate::quantity;
use crate::sentence::Sentence;
use crate::table::{About, Column, Groups, Row, Table, Value};

/// Every combination of message trials.
pub fn results(summary: &Summary) -> Table {
    let mut columns = axis_columns(summary);
    columns.extend(["trials", "lost", "mean latency", "median", "p99"].map(Column::numbers));
    let measured = metric::columns(Scope::Message, |name| {
        summary.cells.iter().any(|cell| cell.metrics.contains_key(name))
    });
    columns.extend(measured.iter().map(|column| Column::numbers(column.heading)));
    let best = |name: &str| best_cells(summary, &metric::describe(Scope::Message, name));
    let (best_latency, best_measured) =
        (best("latency"), measured.iter().map(|column| best(column.name)).collect::<Vec<_>>());
    let rows = summary.cells.iter().enumerate().map(|(place, cell)| {
        let mut values = axis_values(summary, cell);
        let link = (trials_told(summary) && !cell.made.is_empty()).then(|| format!("#trials-{place}"));
        values.push(Value { link, ..outcomes(cell) });
        values.push(lost(cell));
        let latency = cell.metrics.get("latency");
        values.push(latency.map_or_else(
            || Value::text(no_figure(cell)),
            |latency| of_arrived(mean(Some(latency)), cell).marked(best_latency.contains(&place)),
        ));
        values.push(latency.map_or_else(Value::none, |latency| {
            figure(latency.median, latency.median_interval_95, &latency.unit)
        }));
        values.push(latency.map_or_else(Value::none, tail));
        values.extend(
            measured
                .iter()
                .zip(&best_measured)
                .map(|(column, best)| mean(cell.metrics.get(column.name)).marked(best.contains(&place))),
        );
        Row { about: About::Cell(place), values }
    });
    Table {
        id: "results-table",
        caption: Sentence::plain(format!(
            "Brackets: 95 % intervals over complete trials; absent with fewer than five. Trials: the complete ones; below them, \
             overloaded and failed ones (results without figures) and invalid ones. Bold: the best under a condition of those that lost \
             at most 1 %, and what can't be distinguished from it.{}",
            few_for_a_tail(summary)
        )),
        columns,
        rows: rows.collect(),
    }
}

/// A latency with the number of messages that have one, if some were lost.
fn of_arrived(value: Value, cell: &CellSummary) -> Value {
    let delivery = &cell.delivery;
    if delivery.lost == 0 {
        return value;
    }
    let of = format!("of {} of {} sent", quantity::count(delivery.delivered), quantity::count(delivery.sent));
    let detail = value.detail.iter().cloned().chain([of]).collect::<Vec<_>>().join(" ");
    Value { detail: Some(detail), ..value }
}

/// More trials than these are only in the run folder.
const TRIALS_TOLD: usize = 3_000;

fn trials_told(summary: &Summary) -> bool {
    summary.cells.iter().map(|cell| cell.made.len()).sum::<usize>() <= TRIALS_TOLD
}

/// Every message trial; `None` if there are too many, or the run recorded none.
pub fn every_trial(summary: &Summary) -> Option<Table> {
    if !trials_told(summary) || summary.cells.iter().all(|cell| cell.made.is_empty()) {
        return None;
    }
    let captured = summary.cells.iter().flat_map(|cell| &cell.made).any(|trial| trial.capture.is_some());
    let mut columns = vec![Column::group("combination", Groups::Apart), Column::numbers("trial")];
    columns.extend(["repeat"].map(Column::numbers));
    columns.extend(["outcome", "why"].map(Column::words));
    columns.extend(["sent", "lost", "mean latency"].map(Column::numbers));
    columns.push(Column::words("seed"));
    columns.extend(captured.then(|| Column::words("packets")));
    let rows = summary.cells.iter().enumerate().flat_map(|(place, cell)| {
        cell.made.iter().enumerate().map(move |(number, trial)| {
            let count = |count: u64| Value::number(quantity::count(count), count as f64);
            let latency = |ns: f64| Value::number(quantity::quantity(ns, "ns"), ns);
            let mut values = vec![
                Value { repeats: number > 0, ..Value::text(&cell.axes) },
                count(u64::from(trial.trial)),
                count(u64::from(trial.repeat)),
                Value::text(trial.outcome.name()),
                Value::text(&trial.why),
                count(trial.sent),
                count(trial.lost),
                trial.latency_ns.map_or_else(Value::none, latency),
                Value::text(trial.seed),
            ];
            values.extend(captured.then(|| match &trial.capture {
                Some(capture) => Value { link: Some(capture.clone()), ..Value::text(capture) },
                None => Value::none(),
            }));
            Row { about: About::Cell(place), values }
        })
    });
    Some(Table {
        id: "trial-table",
        caption: Sentence::plain(
            "Trials in the order of the run. Repeats with the same number had the same seed, hence the same link, in all \
             combinations.",
        ),
        columns,
        rows: rows.collect(),
    })
}

/// The accounting of messages, combination by combination.
pub fn delivery(summary: &Summary) -> Table {
    let mut columns = axis_columns(summary);
    let counts = ["sent", "delivered", "lost", "superseded", "late", "duplicated", "reordered", "corrupted"];
    columns.extend(counts.map(Column::numbers));
    columns.push(Column::numbers("retransmitted packets"));
    let rows = summary.cells.iter().enumerate().map(|(place, cell)| {
        let mut values = axis_values(summary, cell);
        let d = &cell.delivery;
        let known = [d.sent, d.delivered, d.lost, d.superseded].map(Some);
        let counts = known.into_iter().chain([d.late, d.duplicated, d.reordered, Some(d.corrupted)]);
        let shares = [None, None, cell.lost_ratio, None, cell.late_ratio, None, None, None];
        values.extend(counts.zip(shares).map(|(count, share)| Value {
            detail: share.map(|share| quantity::with_interval(share.ratio, Some(share.interval_95), "ratio")),
            ..count.map_or_else(Value::none, |count| Value::number(quantity::count(count), count as f64))
        }));
        let protocol = &cell.axes.mode.protocol;
        let described = summary.transports_described.iter().find(|known| known.id.protocol == *protocol);
        let is_told = described.and_then(|known| known.format).is_none_or(WireFormat::tells_repeats);
        values.push(cell.wire.as_ref().filter(|_| is_told).map_or_else(Value::none, |wire| {
            let packets = wire.up.retransmitted_packets + wire.down.retransmitted_packets;
            Value::number(quantity::count(packets), packets as f64)
        }));
        Row { about: About::Cell(place), values }
    });
    Table {
        id: "delivery-table",
        caption: Sentence::plain(
            "Messages of all complete trials; lost and late ones also as a share of those sent, with its 95 % interval. Late, \
             duplicated and reordered ones are among the delivered or on top of them; corrupted counts arrivals that match no sent \
             message. A dash: messages were only counted, see the notes; for retransmitted packets: unknown, because the protocol \
             encrypts their numbers.",
        ),
        columns,
        rows: rows.collect(),
    }
}

/// The costs before the measured messages; `None` if none is known.
pub fn setup(summary: &Summary) -> Option<Table> {
    figures(
        summary,
        "setup-table",
        &[
            "publisher_connect",
            "subscriber_connect",
            "handshake",
            "handshake_bytes",
            "handshake_cpu",
            "broker_connect_cpu",
            "first_message",
            "setup_wire",
            "broker_start",
        ],
        "Means over trials with their 95 % intervals. No other figure includes these: measured messages follow a warm-up over \
         established connections.",
    )
}

/// How much was carried, and at what cost.
pub fn load(summary: &Summary) -> Option<Table> {
    figures(
        summary,
        "load-table",
        &[
            "throughput",
            "throughput_body",
            "throughput_wire",
            "publisher_messages_per_cpu",
            "subscriber_deliveries_per_cpu",
            "broker_deliveries_per_cpu",
            "execution_time",
            "execution_time_with_drain",
        ],
        "Means over complete trials with their 95 % intervals. An open loop of n messages that keeps up has up to n / (n - 1) times the requested rate.",
    )
}

/// Means of some metrics; `None` if no cell has one.
fn figures(summary: &Summary, id: &'static str, wanted: &[&str], caption: &str) -> Option<Table> {
    let known = |name: &&str| summary.cells.iter().any(|cell| cell.metrics.contains_key(*name));
    let known: Vec<&str> = wanted.iter().copied().filter(known).collect();
    if known.is_empty() {
        return None;
    }
    let mut columns = axis_columns(summary);
    columns.extend(
        known.iter().map(|name| Column::numbers(metric::describe(Scope::Message, name).title.to_lowercase())),
    );
    let rows = summary.cells.iter().enumerate().map(|(place, cell)| {
        let mut values = axis_values(summary, cell);
        values.extend(known.iter().map(|name| mean(cell.metrics.get(*name))));
        Row { about: About::Cell(place), values }
    });
    Some(Table { id, caption: Sentence::plain(caption), columns, rows: rows.collect() })
}

/// Results without figures: what could not keep up, with the rate that was kept, and what broke.
pub fn unkept(summary: &Summary) -> Table {
    let rows = summary.cells.iter().enumerate().flat_map(|(place, cell)| {
        let row =
            move |outcome: &'static str, trials: u32, reason: &String, under: Option<&UnderOverload>| Row {
                about: About::Cell(place),
                values: vec![
                    Value::text(cell.axes.to_string()),
                    Value::text(outcome),
                    of_results(trials, cell.outcomes.results()),
                    mean(under.and_then(|under| under.metrics.get("send_rate"))),
                    under.and_then(|under| under.lost_ratio).map_or_else(Value::none, lost_share),
                    mean(under.and_then(|under| under.metrics.get("backlog_end"))),
                    Value::text(reason),
                ],
            };
        let (outcomes, under) = (cell.outcomes, cell.under_overload.as_ref());
        let overloaded =
            cell.overloaded.iter().map(move |why| row("overloaded", outcomes.overloaded, why, under));
        overloaded.chain(cell.failed.iter().map(move |why| row("failed", outcomes.failed, why, None)))
    });
    let codecs = summary.codecs.iter().enumerate().flat_map(|(place, codec)| {
        codec.failed.iter().map(move |reason| {
            let mut values = vec![Value::none(); 7];
            values[0] = Value::text(codec.axes.to_string());
            values[1] = Value::text("failed");
            values[2] = of_results(codec.outcomes.failed, codec.outcomes.results());
            values[6] = Value::text(reason);
            Row { about: About::Codec(place), values }
        })
    });
    let headings = [
        Column::words("combination"),
        Column::words("outcome"),
        Column::numbers("trials"),
        Column::numbers("rate kept"),
        Column::numbers("lost"),
        Column::numbers("backlog at the end"),
        Column::words("reason"),
    ];
    Table {
        id: "unkept-table",
        caption: Sentence::plain(
            "Trials: out of those that are not invalid. Rate kept, lost messages and backlog are means over overloaded \
             trials; backlog is the messages still in flight when the last was sent.",
        ),
        columns: headings.to_vec(),
        rows: rows.chain(codecs).collect(),
    }
}

pub(crate) fn of_results(trials: u32, results: u32) -> Value {
    Value::number(format!("{trials} of {results}"), f64::from(trials))
}

/// Trials that the stand itself disturbed.
pub fn invalid(summary: &Summary) -> Table {
    let cells = summary.cells.iter().enumerate().map(|(place, cell)| {
        (About::Cell(place), cell.axes.to_string(), cell.outcomes.invalid, cell.trials, &cell.invalid)
    });
    let codecs = summary.codecs.iter().enumerate().map(|(place, codec)| {
        (About::Codec(place), codec.axes.to_string(), codec.outcomes.invalid, codec.trials, &codec.invalid)
    });
    let rows = cells.chain(codecs).flat_map(|(about, what, invalid, all, reasons)| {
        reasons.iter().map(move |reason| Row {
            about,
            values: vec![Value::text(&what), of_results(invalid, all), Value::text(reason)],
        })
    });
    Table {
        id: "invalid-table",
        caption: Sentence::plain("Combinations with invalid trials, and what was wrong with the stand."),
        columns: vec![Column::words("combination"), Column::numbers("invalid"), Column::words("reason")],
        rows: rows.collect(),
    }
}

/// Combinations that did not run.
pub fn not_run(summary: &Summary) -> Table {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for left in &summary.not_run {
        match reasons.iter_mut().find(|(why, _)| *why == left.why) {
            Some((_, whats)) => whats.push(left.what.clone()),
            None => reasons.push((&left.why, vec![left.what.clone()])),
        }
    }
    let rows = reasons.into_iter().map(|(why, whats)| Row {
        about: About::Other,
        values: vec![Value::text(whats.join("; ")), Value::text(why)],
    });
    Table {
        id: "not-run-table",
        caption: Sentence::plain("Combinations that could not be run, by reason."),
        columns: vec![Column::words("combination"), Column::words("why, and what to do")],
        rows: rows.collect(),
    }
}

/// The machine and the run.
pub fn environment(summary: &Summary) -> Table {
    let (machine, run) = (&summary.environment, &summary.run);
    let known = |text: &str| {
        if text.is_empty() { "unknown".to_owned() } else { text.to_owned() }
    };
    let facts = [
        ("run", run.id.clone()),
        ("started", run.started.clone()),
        (
            "Wiredyno",
            format!("{}, commit {}, {}", run.version, known(&machine.commit), known(&machine.compiler)),
        ),
        ("CPU", format!("{}, {} usable", known(&machine.cpu), machine.cpus)),
        ("memory", quantity::quantity(machine.memory_bytes as f64, "bytes")),
        ("system", format!("{}, {}", known(&machine.os), known(&machine.kernel))),
        ("hypervisor", known(&machine.hypervisor)),
        ("frequency governor", known(&machine.governor)),
        ("load before the run", format!("{:.2}", machine.load_1min)),
        ("timer resolution", quantity::quantity(machine.timer_resolution_ns as f64, "ns")),
        ("a 1 ms sleep ends late by (p99)", quantity::quantity(machine.sleep_lateness_p99_ns as f64, "ns")),
        ("utilisation during message trials", quantity::quantity(run.utilisation, "ratio")),
        ("CPU time given to others (steal)", quantity::quantity(run.steal, "ratio")),
        ("rights", known(&machine.rights.join(", "))),
        ("lanes", run.lanes.to_string()),
        ("seed", summary.study.trials.seed.to_string()),
    ];
    let agents = machine.agents.iter().map(|agent| {
        let of = &agent.environment;
        let host = match agent.host {
            Host::Edge => "edge",
            Host::Cloud => "cloud",
        };
        let what = format!("{} at {}", agent.name, agent.address);
        let machine =
            format!("{}, {} usable, {}, {}", known(&of.cpu), of.cpus, known(&of.os), known(&of.kernel));
        (format!("host {host}"), format!("{what}: {machine}"))
    });
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(agents);
    let rows = facts.map(|(name, value)| Row {
        about: About::Other,
        values: vec![Value::text(name), Value::text(value)],
    });
    Table {
        id: "environment-table",
        caption: Sentence::plain("The machine and the run."),
        columns: vec![Column::words("what"), Column::words("value")],
        rows: rows.collect(),
    }
}

/// The libraries behind codecs and transports, and the brokers.
pub fn implementations(summary: &Summary) -> Table {
    let row = |what: String, library: String, about: String, properties: String| Row {
        about: About::Other,
        values: [what, library, about, properties].map(Value::text).to_vec(),
    };
    let codecs = summary.codecs_described.iter().map(|codec| {
        row(codec.id.to_string(), codec.library_text(), codec.about.clone(), properties(&codec.capabilities))
    });
    let compressions = summary.compressions_described.iter().map(|method| {
        let library = format!("{} {}", method.library, method.version);
        row(format!("compression {}", method.method), library, method.about.clone(), String::new())
    });
    let transports = summary.transports_described.iter().map(|transport| {
        let about = format!("received: {}; sent: {}", transport.received_at, transport.sent_at);
        let library = format!("{} {}", transport.library, transport.version);
        row(transport.id.to_string(), library, about, properties(&transport.capabilities))
    });
    let mut rows: Vec<Row> = codecs.chain(compressions).chain(transports).collect();
    let mut brokers: Vec<_> = summary.cells.iter().filter_map(|cell| cell.broker.as_ref()).collect();
    brokers.sort_by(|a, b| (&a.id, &a.version).cmp(&(&b.id, &b.version)));
    brokers.dedup();
    let broker_rows = brokers.into_iter().map(|broker| {
        row(
            format!("broker {}", broker.id),
            format!("{} {}", broker.id, broker.version),
            broker.label.clone(),
            if broker.storage.is_empty() { String::new() } else { format!("data on {}", broker.storage) },
        )
    });
    rows.extend(broker_rows);
    let columns = ["implementation", "library", "what it does", "properties"].map(Column::words);
    Table {
        id: "implementation-table",
        caption: Sentence::plain("Codecs, transports and brokers as they describe themselves."),
        columns: columns.to_vec(),
        rows,
    }
}

/// What each metric of this summary means.
pub fn metrics(summary: &Summary) -> Table {
    let message = ordered(Scope::Message, summary.cells.iter().flat_map(|cell| cell.metrics.keys()));
    let codec = ordered(Scope::Codec, summary.codecs.iter().flat_map(|codec| codec.metrics.keys()));
    let rows = message.into_iter().chain(codec).map(|info| {
        let scope = match info.scope {
            Scope::Message => "message trials",
            Scope::Codec => "codec trials",
        };
        let better = match info.better {
            Better::Lower => "lower",
            Better::Higher => "higher",
            Better::Neither => "\u{2013}",
        };
        let [meaning, misleads] = [info.meaning, info.misleads].map(|text| metric::words(&text));
        let values = [info.title, info.name, scope.to_owned(), better.to_owned(), meaning, misleads];
        Row { about: About::Other, values: values.map(Value::text).to_vec() }
    });
    let columns = ["metric", "in summary.json", "from", "better", "meaning", "what could mislead"];
    Table {
        id: "metric-table",
        caption: Sentence::plain("What is inside each number."),
        columns: columns.map(Column::words).to_vec(),
        rows: rows.collect(),
    }
}

/// The properties that an implementation declares, in words.
pub fn properties(capabilities: &[Capability]) -> String {
    let words = capabilities.iter().map(|capability| match capability {
        Capability::ZeroCopy => "zero-copy",
        Capability::SchemaDriven => "schema-driven",
        Capability::SelfDescribing => "self-describing",
        Capability::ValidatesUtf8 => "validates UTF-8",
        Capability::ReusesBuffers => "reuses buffers",
        Capability::Canonical => "canonical",
        Capability::HumanReadable => "readable text",
        Capability::BytesAsBase64 => "bytes as base64",
        Capability::Ordered => "ordered",
        Capability::Reliable => "reliable",
        Capability::MayDuplicate => "may duplicate",
        Capability::MaySupersede => "may supersede",
        Capability::Brokerless => "brokerless",
        Capability::Datagram => "datagram",
        Capability::PeerToPeer => "peer to peer",
        Capability::Topics => "topics",
        Capability::Direct => "direct",
        Capability::Encrypted => "always encrypted",
        Capability::Shared => "shared among subscribers",
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The axes with a column: those that every study has, and others that this one varies.
fn shown_axes(summary: &Summary) -> Vec<(&str, AxisInfo)> {
    let axes = &summary.study.axes;
    let known = axes.names().into_iter().filter_map(|name| Some((name, axis(name)?)));
    known.filter(|(name, axis)| axis.is_shown(&axes.values(name))).collect()
}

/// The axes as columns. Hops follow how messages are sent if some combinations make one hop and others two.
fn axis_columns(summary: &Summary) -> Vec<Column> {
    let column = |(name, axis): (&str, AxisInfo)| {
        if axis.is_number() { Column::numbers(name) } else { Column::words(name) }
    };
    let mut columns: Vec<Column> = shown_axes(summary).into_iter().map(column).collect();
    if summary.mixes_hops() {
        columns.insert(before_hops(summary), Column::numbers("hops"));
    }
    columns
}

/// Number of columns before the one for hops: what is sent, and how, without options.
fn before_hops(summary: &Summary) -> usize {
    let before: Vec<&str> = AXES.into_iter().take_while(|name| *name != "link").collect();
    shown_axes(summary).iter().filter(|(name, _)| before.contains(name)).count()
}

fn axis_values(summary: &Summary, cell: &CellSummary) -> Vec<Value> {
    let value = |(name, axis): (&str, AxisInfo)| match (cell.axes.value(name), axis.kind) {
        (None, _) if axis.absent.is_empty() => Value::none(),
        (None, _) => Value::text(axis.absent),
        (Some(text), AxisKind::Number(unit)) => number(&text, unit),
        (Some(text), AxisKind::Category) => Value::text(text),
    };
    let mut values: Vec<Value> = shown_axes(summary).into_iter().map(value).collect();
    if summary.mixes_hops() {
        let number = |hops: u32| Value::number(hops.to_string(), hops.into());
        values.insert(before_hops(summary), cell.hops().map_or_else(Value::none, number));
    }
    values
}

/// A value of an axis of numbers, with the key that sorts it.
fn number(text: &str, unit: Unit) -> Value {
    match unit {
        Unit::PerSecond => Value::number(text, text.parse().map_or(f64::NAN, MessageRate::per_s)),
        Unit::Ratio => text
            .parse()
            .map_or_else(|_| Value::text(text), |share| Value::number(quantity::percent(share), share)),
        _ => Value::number(text, text.parse().unwrap_or(f64::NAN)),
    }
}

/// Number of complete trials, and of all.
pub fn trials(complete: u32, all: u32) -> Value {
    let text = if complete == all { complete.to_string() } else { format!("{complete} of {all}") };
    Value::number(text, f64::from(complete))
}

/// Number of complete trials among the results, with the other outcomes below.
fn outcomes(cell: &CellSummary) -> Value {
    let Outcomes { overloaded, failed, invalid, .. } = cell.outcomes;
    let results = cell.valid_trials + overloaded + failed;
    let others = [(overloaded, "overloaded"), (failed, "failed"), (invalid, "invalid")];
    let others = others.iter().filter(|(count, _)| *count > 0);
    let others: Vec<String> = others.map(|(count, outcome)| format!("{count} {outcome}")).collect();
    let detail = (!others.is_empty()).then(|| format!("({})", others.join(", ")));
    Value { detail, ..trials(cell.valid_trials, results) }
}

/// The words instead of a latency: complete trials have none, because nothing arrived or messages were only counted; otherwise the
/// most frequent outcome.
pub fn no_figure(cell: &CellSummary) -> &'static str {
    let Outcomes { complete, overloaded, failed, .. } = cell.outcomes;
    match (complete, overloaded, failed) {
        (1.., ..) if cell.delivery.delivered == 0 => "nothing arrived",
        (1.., ..) => "no latency",
        (0, 0, 0) => "no valid trial",
        (0, overloaded, failed) if overloaded >= failed => "overloaded",
        _ => "failed",
    }
}

/// The mean with its interval below it.
pub fn mean(metric: Option<&Metric>) -> Value {
    metric.map_or_else(Value::none, |metric| {
        covered(metric, figure(metric.mean, metric.interval_95, &metric.unit))
    })
}

/// The value with the number of messages that the metric covers, if not all.
fn covered(metric: &Metric, value: Value) -> Value {
    let Some(coverage) = metric.coverage else { return value };
    let told = format!("{coverage} messages");
    let detail = value.detail.map_or_else(|| told.clone(), |detail| format!("{detail}, {told}"));
    Value { detail: Some(detail), ..value }
}

/// The sign of a value that replaces a 99th percentile.
const LARGEST: &str = "\u{2020}";

/// The legend of that sign, once for all cells: `†: the largest of 50 messages, too few for a p99, which needs 1,000.`
fn few_for_a_tail(summary: &Summary) -> String {
    let latencies = summary.cells.iter().filter_map(|cell| cell.metrics.get("latency"));
    let counts: BTreeSet<u64> =
        latencies.filter(|latency| latency.p99.is_none()).map(|latency| latency.count).collect();
    let (Some(least), Some(most)) = (counts.first(), counts.last()) else { return String::new() };
    let of = if least == most {
        quantity::count(*most)
    } else {
        format!("{} to {}", quantity::count(*least), quantity::count(*most))
    };
    format!(" {LARGEST}: the largest of {of} messages, too few for a p99, which needs 1,000.")
}

/// The 99th percentile with its interval, or the largest value with the sign.
fn tail(metric: &Metric) -> Value {
    match metric.p99 {
        Some(p99) => {
            let value = figure(p99, metric.p99_interval_95, &metric.unit);
            let of = format!("of {} in {} trials", quantity::count(metric.count), metric.by_repeat.len());
            let detail = value.detail.map_or_else(|| of.clone(), |interval| format!("{interval}, {of}"));
            Value { detail: Some(detail), ..value }
        }
        None => {
            Value::number(format!("{} {LARGEST}", quantity::quantity(metric.max, &metric.unit)), metric.max)
        }
    }
}

fn figure(value: f64, interval: Option<[f64; 2]>, unit: &str) -> Value {
    let (text, detail) = quantity::apart(value, interval, unit);
    Value { text, detail, sort: Some(value), ..Value::default() }
}

fn lost(cell: &CellSummary) -> Value {
    cell.lost_ratio.map_or_else(Value::none, lost_share)
}

fn lost_share(lost: RatioInterval) -> Value {
    figure(lost.ratio, Some(lost.interval_95), "ratio")
}
