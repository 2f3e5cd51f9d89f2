//! How messages are issued in one trial. One file because a key of a load is checked against the others and against the axes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{Arrivals, Clients, LoadKind, MessageRate, Span};

use crate::axis::{Axes, Cell};
use crate::figure::{Figure, FigureError, LEAST_FOR_P99, Statistic};
use crate::metric::{self, Scope};
use crate::place::{Place, Refusal};

/// How messages are issued in one trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// On a schedule, with a fixed number in flight, as fast as possible, or at the highest rate that is sustained.
    pub kind: LoadKind,
    /// Open loop: the time between two messages, or its mean. Closed loop: the pause after a receipt.
    #[serde(default)]
    pub interval: Span,
    /// Open loop: messages a second, instead of `interval`. Search: the first rate; 100/s when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<MessageRate>,
    /// Open loop: how the times between messages are distributed.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// Closed loop: most messages in flight, from 1 to 4096.
    #[serde(default = "Load::one", skip_serializing_if = "Load::is_one")]
    pub window: u32,
    /// Clients that publish, each with a connection of its own; they take turns. From 1 to 1000.
    #[serde(default = "Load::one", skip_serializing_if = "Load::is_one")]
    pub publishers: u32,
    /// Clients that subscribe, each with a connection of its own. Every message goes to all subscribers of its topic, and counts once for
    /// each; to one of them, where an option of the protocol makes them share messages. From 1 to 1000.
    #[serde(default = "Load::one", skip_serializing_if = "Load::is_one")]
    pub subscribers: u32,
    /// Runner processes that share the publishers, each with its own messages of the one schedule: for rates that one process can't reach.
    /// From 1 to 64; a closed loop has one.
    #[serde(default = "Load::one", skip_serializing_if = "Load::is_one")]
    pub publisher_runners: u32,
    /// Topics, assigned to publishers and to subscribers in turn, so that each topic has equally many of both.
    #[serde(default = "Load::one", skip_serializing_if = "Load::is_one")]
    pub topics: u32,
    /// Search: the condition under which a rate counts as sustained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Search: how long messages are sent at each rate; a second when left out. Batch: how long they are sent, unless `messages` is reached
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Span>,
    /// Measured messages of a trial; in a search, the most at each rate.
    pub messages: u32,
    /// Most different samples that the messages cycle through, from 1 to 10,000,000; a publisher loads at most 10,000 of them, and reads any number
    /// from a database (`records`). A payload may have fewer.
    #[serde(default = "Load::default_samples", skip_serializing_if = "Load::is_default_samples")]
    pub samples: u32,
    /// Messages sent before them, which no figure includes, from 0 to 1,000,000.
    #[serde(default = "Load::default_warmup")]
    pub warmup: u32,
    /// A message received later than this after its intended send is late.
    pub deadline: Span,
    /// A message that has not arrived this long after the last send is lost.
    pub drain: Span,
}

/// The condition under which a rate counts as sustained, besides delivering all that the mode promises without a growing backlog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// A figure of a message metric: `latency.p99`.
    pub metric: String,
    /// It must be below this: `"100ms"`.
    pub below: String,
}

impl Bound {
    /// The figure and its limit.
    ///
    /// # Errors
    /// What is wrong and what to write.
    pub fn read(&self) -> Result<(Figure, f64), String> {
        let figure: Figure = self.metric.parse().map_err(|error: FigureError| error.to_string())?;
        if metric::find(Scope::Message, &figure.metric).is_none() {
            return Err(format!(
                "`{}` is not a metric of messages: write one such as latency.p99",
                figure.metric
            ));
        }
        let below = figure.quantity(&self.below).map_err(|error| error.to_string())?;
        Ok((figure, below))
    }
}

/// A search's first rate, and below the duration of a step.
const FIRST_RATE: MessageRate = MessageRate { per_1000_s: 100_000 };

const STEP: Span = Span::from_s(1);

/// A rate with fewer messages than this shows nothing.
const LEAST_OF_STEP: f64 = 20.0;

/// Largest window: receipts that the publisher has not read yet must fit into the buffers between two processes.
const MOST_IN_FLIGHT: u32 = 4096;

/// Most clients of a kind: all of them connect from one process.
const MOST_CLIENTS: u32 = 1000;

/// Most processes that publish.
const MOST_RUNNERS: u32 = 64;

/// Most warm-up messages.
const MOST_WARMUP: u32 = 1_000_000;

/// Most different samples: their file has as many values.
const MOST_SAMPLES: u32 = 10_000_000;

impl Load {
    fn default_warmup() -> u32 {
        2
    }

    fn default_samples() -> u32 {
        1_000
    }

    fn is_default_samples(samples: &u32) -> bool {
        *samples == Load::default_samples()
    }

    fn one() -> u32 {
        1
    }

    fn is_one(window: &u32) -> bool {
        *window == 1
    }

    /// The load of a cell: with its rate as an interval, and the numbers that are its own.
    pub fn of(&self, cell: &Cell) -> Load {
        let rate = cell.rate.or(self.rate).filter(|_| self.kind != LoadKind::Search);
        Load {
            interval: rate.map_or(self.interval, MessageRate::interval),
            rate: self.rate.filter(|_| self.kind == LoadKind::Search),
            window: cell.window.unwrap_or(self.window),
            publishers: cell.publishers.unwrap_or(self.publishers),
            subscribers: cell.subscribers.unwrap_or(self.subscribers),
            topics: cell.topics.unwrap_or(self.topics),
            messages: cell.messages.unwrap_or(self.messages),
            warmup: cell.warmup.unwrap_or(self.warmup),
            ..self.clone()
        }
    }

    /// Numbers of publishers, subscribers and topics. `shared`: whether the subscribers of a topic share its messages, as the transport says of the
    /// cell's options.
    pub fn clients(&self, shared: bool) -> Clients {
        let Load { publishers, subscribers, topics, .. } = *self;
        Clients { publishers, subscribers, topics, shared }
    }

    /// The time after which a batch ends, unless its number of messages is reached before.
    pub fn batch_ns(&self) -> Option<u64> {
        self.duration.filter(|_| self.kind == LoadKind::Batch).map(|duration| duration.ns)
    }

    /// A search's first rate, in messages a second.
    pub fn first_rate(&self) -> MessageRate {
        self.rate.unwrap_or(FIRST_RATE)
    }

    /// One step of a search: an open loop at a rate, for its duration, of 20 messages at least, or as many as a 99th percentile requires if
    /// that is its bound.
    pub fn step(&self, rate: MessageRate) -> Load {
        let seconds = self.duration.unwrap_or(STEP).ns as f64 / 1e9;
        let figure = self.bound.as_ref().and_then(|bound| bound.read().ok()).map(|(figure, _)| figure);
        let least = match figure.map(|figure| figure.statistic) {
            Some(Statistic::P99) => LEAST_FOR_P99 as f64,
            _ => LEAST_OF_STEP,
        };
        let wanted = (rate.per_s() * seconds).max(least).min(f64::from(self.messages));
        Load {
            kind: LoadKind::Open,
            interval: rate.interval(),
            rate: None,
            bound: None,
            duration: None,
            messages: wanted as u32,
            ..self.clone()
        }
    }

    fn check_search(&self, axes: &Axes) -> Result<(), Refusal> {
        let refuse = |key, problem: &str| Err(Refusal::at(of_load(key), problem));
        let Some(bound) = &self.bound else {
            let problem = "a search needs a bound that rates must keep, for example bound = { metric = \"latency.p99\", below = \"100ms\" }";
            return refuse("kind", problem);
        };
        bound.read().map_err(|problem| Refusal::at(of_load("bound"), format!("bound: {problem}")))?;
        if !axes.rate.is_empty() {
            let problem = "a search finds its own rates: remove the axis rate, or write kind = \"open\"";
            return Err(Refusal::at(Place::of_axis("rate"), problem));
        }
        if matches!(self.arrivals, Arrivals::Ramp(_)) {
            return refuse("arrivals", "a search keeps each rate constant: remove the ramp");
        }
        if self.interval.ns > 0 {
            return refuse(
                "interval",
                "a search finds its own rates: set its first rate with rate, and remove the interval",
            );
        }
        if f64::from(self.messages) < LEAST_OF_STEP {
            let problem = format!(
                "messages is {}: a search needs room for {LEAST_OF_STEP} at each rate",
                self.messages
            );
            return refuse("messages", &problem);
        }
        Ok(())
    }

    /// Checks the numbers of clients and topics, in [load] and as axes.
    fn check_clients(&self, axes: &Axes) -> Result<(), Refusal> {
        let counts = [
            ("publishers", self.publishers, &axes.publishers),
            ("subscribers", self.subscribers, &axes.subscribers),
            ("topics", self.topics, &axes.topics),
        ];
        for (axis, own, values) in counts {
            if own != 1 && !values.is_empty() {
                let problem = format!("{axis} is set twice, in [load] and as an axis: remove one");
                return Err(Refusal::at(Place::of_axis(axis), problem));
            }
            within(axis, own, values, MOST_CLIENTS)?;
        }
        let each = |own: u32, axis: &[u32]| if axis.is_empty() { vec![own] } else { axis.to_vec() };
        for topics in each(self.topics, &axes.topics) {
            let of = |own, axis| each(own, axis).into_iter().find(|count| count % topics != 0);
            let uneven = [
                ("publishers", of(self.publishers, &axes.publishers)),
                ("subscribers", of(self.subscribers, &axes.subscribers)),
            ];
            if let Some((axis, count)) = uneven.into_iter().find_map(|(axis, count)| Some((axis, count?))) {
                let problem = format!(
                    "{} and {}: every topic needs equally many {axis}, write a multiple of {topics}",
                    counted(topics, "topic"),
                    counted(count, axis.trim_end_matches('s'))
                );
                return Err(Refusal::at(axis_or_load("topics", &axes.topics), problem));
            }
        }
        Ok(())
    }

    /// Checks that publishers can be distributed evenly over runners.
    fn check_runners(&self, axes: &Axes) -> Result<(), Refusal> {
        let runners = self.publisher_runners;
        let refuse = |problem: String| Err(Refusal::at(of_load("publisher_runners"), problem));
        if !(1..=MOST_RUNNERS).contains(&runners) {
            return refuse(format!(
                "publisher_runners is {runners}: write a number from 1 to {MOST_RUNNERS}"
            ));
        }
        if runners > 1 && self.kind == LoadKind::Closed {
            return refuse("in a closed loop one runner publishes: remove publisher_runners".to_owned());
        }
        let publishers = if axes.publishers.is_empty() { &[self.publishers][..] } else { &axes.publishers };
        match publishers.iter().find(|publishers| *publishers % runners != 0) {
            Some(publishers) => refuse(format!(
                "{} on {runners} runners: every runner needs equally many, write a multiple of {runners} in publishers",
                counted(*publishers, "publisher")
            )),
            None => Ok(()),
        }
    }

    /// Checks what serde can't: contradictions between keys, and with the axes.
    pub(crate) fn check(&self, axes: &Axes) -> Result<(), Refusal> {
        let nothing = "messages is 0: nothing would be sent";
        if let Some(position) = axes.messages.iter().position(|messages| *messages == 0) {
            return Err(Refusal::at(Place::of_axis("messages").item(position), nothing));
        }
        if self.messages == 0 {
            return Err(Refusal::at(of_load("messages"), nothing));
        }
        if !(1..=MOST_SAMPLES).contains(&self.samples) {
            let problem = format!("samples is {}: write a number from 1 to {MOST_SAMPLES}", self.samples);
            return Err(Refusal::at(of_load("samples"), problem));
        }
        let warmups = axes.warmup.iter().enumerate();
        let warmups = warmups.map(|(position, count)| (Place::of_axis("warmup").item(position), *count));
        let mut warmups = std::iter::once((of_load("warmup"), self.warmup)).chain(warmups);
        if let Some((place, wrong)) = warmups.find(|(_, count)| *count > MOST_WARMUP) {
            return Err(Refusal::at(
                place,
                format!("warmup is {wrong}: write a number from 0 to {MOST_WARMUP}"),
            ));
        }
        self.check_kind(axes)?;
        self.check_clients(axes)?;
        self.check_runners(axes)?;
        self.check_window(axes)?;
        let refuse = |problem: &str| Err(Refusal::at(of_load("arrivals"), problem));
        match self.arrivals {
            Arrivals::Constant => Ok(()),
            _ if !matches!(self.kind, LoadKind::Open | LoadKind::Search) => {
                refuse("only an open loop has arrivals: write kind = \"open\", or remove them")
            }
            Arrivals::Bursts(0) => refuse("bursts of 0 messages: write a number from 1"),
            _ => Ok(()),
        }
    }

    /// Checks keys that only some kinds of load have.
    fn check_kind(&self, axes: &Axes) -> Result<(), Refusal> {
        let refuse = |key, problem: &str| Err(Refusal::at(of_load(key), problem));
        if self.kind == LoadKind::Search {
            self.check_search(axes)?;
        } else if self.bound.is_some() {
            return refuse("bound", "only a search has a bound: write kind = \"search\", or remove it");
        } else if self.duration.is_some() && self.kind != LoadKind::Batch {
            let problem = "only a batch or a search has a duration: write one of these kinds, or remove it";
            return refuse("duration", problem);
        } else if self.duration.is_some_and(|duration| duration.ns == 0) {
            return refuse("duration", "duration is 0: write for example \"10s\"");
        }
        let paced = [self.interval.ns > 0, self.rate.is_some(), !axes.rate.is_empty()];
        let of_rate = |problem: &str| Err(Refusal::at(axis_or_load("rate", &axes.rate), problem));
        match (self.kind, paced.iter().filter(|given| **given).count()) {
            (LoadKind::Open, 0) => {
                let problem = "an open loop needs a rate or an interval, for example rate = \"5/s\" or interval = \"200ms\"";
                refuse("kind", problem)
            }
            (LoadKind::Open, 1) | (LoadKind::Search, _) => Ok(()),
            (LoadKind::Open, _) => {
                of_rate("the rate is set twice, by rate, interval or the axis rate: remove one")
            }
            _ if paced[1] || paced[2] => {
                of_rate("only an open loop has a rate: write kind = \"open\", or remove the rate")
            }
            (LoadKind::Batch, 1) => refuse(
                "interval",
                "a batch is sent as fast as possible: remove the interval, or write kind = \"open\"",
            ),
            _ => Ok(()),
        }
    }

    fn check_window(&self, axes: &Axes) -> Result<(), Refusal> {
        let of_window = |problem: &str| Err(Refusal::at(axis_or_load("window", &axes.window), problem));
        if self.kind != LoadKind::Closed && (self.window != 1 || !axes.window.is_empty()) {
            return of_window(
                "only a closed loop has a window: write kind = \"closed\", or remove the window",
            );
        }
        if self.window != 1 && !axes.window.is_empty() {
            return of_window("the window is set twice, in [load] and as an axis: remove one");
        }
        within("window", self.window, &axes.window, MOST_IN_FLIGHT)
    }
}

/// The place of a key in `[load]`.
fn of_load(key: &str) -> Place {
    Place::of(["load", key])
}

/// The place of something that is an axis if it has values, else a key of the load.
fn axis_or_load<T>(name: &str, values: &[T]) -> Place {
    if values.is_empty() { of_load(name) } else { Place::of_axis(name) }
}

/// Checks that a count and all values of its axis are from 1 to a limit.
fn within(name: &str, own: u32, values: &[u32], most: u32) -> Result<(), Refusal> {
    let counts = std::iter::once((of_load(name), own));
    let on_axis = values.iter().enumerate();
    let mut counts =
        counts.chain(on_axis.map(|(position, count)| (Place::of_axis(name).item(position), *count)));
    match counts.find(|(_, count)| !(1..=most).contains(count)) {
        Some((place, wrong)) => {
            Err(Refusal::at(place, format!("{name} is {wrong}: write a number from 1 to {most}")))
        }
        None => Ok(()),
    }
}

/// A number of things, in words.
fn counted(number: u32, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Study;

    /// The largest of a hundred messages is no 99th percentile: held to it, a search ends at a hundredth of what is sustained.
    #[test]
    fn a_step_has_as_many_messages_as_its_bound_takes() {
        let step = |bound: &str, messages: u32| {
            let study = format!(
                "name = \"s\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"protobuf/prost\"]\nmode = [\"tcp\"]\n\
                 link = [\"lan\"]\n[load]\nkind = \"search\"\nmessages = {messages}\nduration = \"100ms\"\ndeadline = \"1s\"\n\
                 drain = \"2s\"\nbound = {{ metric = \"{bound}\", below = \"100ms\" }}\n"
            );
            let load = Study::parse("study.toml", &study).unwrap().load.unwrap();
            [100.0, 50_000.0].map(|rate| load.step(MessageRate { per_1000_s: (rate * 1e3) as u64 }).messages)
        };
        assert_eq!(step("latency.p99", 100_000), [1_000, 5_000]);
        assert_eq!(step("latency.median", 100_000), [20, 5_000]);
        assert_eq!(step("latency.p99", 500), [500, 500]);
    }
}
