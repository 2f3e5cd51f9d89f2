//! A study: the TOML file that names axes and their values, and how its trials are carried out.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wiredyno_contract::{
    BrokerId, Capability, CodecDescription, CodecId, OptionTable, PayloadId, RUST, Ratio, Span,
    TransportDescription, nearest,
};

use crate::axis::{Axes, AxisInfo, Cell, CodecCell, NothingMatches, Pattern, Shown, TABLE};
use crate::file::{FileError, TomlText, parse_toml};
use crate::limits::Limits;
use crate::load::Load;
use crate::option_axis;
use crate::place::{Place, Refusal};
use crate::security::SecuritySettings;
use crate::selection::{Selection, plain_value};
use crate::threshold::Threshold;

/// A study as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its id: the file's name without `.toml`.
    pub name: String,
    /// The question it answers, in one sentence.
    pub why: String,
    /// How to read its results, in prose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<String>,
    /// The study to run instead where no link can be emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_link: Option<String>,
    /// The cells that are run: those that any of these selects, as in `payload=small; link=lte`; all combinations of the axes' values when
    /// left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// What `--fast` sets, by the keys that `--set` takes: `"load.interval" = "500ms"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fast: BTreeMap<String, String>,
    /// The values that `--fast` replaced, by the same keys, in a study that is run with it. Empty for a key that had been left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own_pace: BTreeMap<String, String>,
    /// What varies: each axis with its values.
    #[serde(deserialize_with = "option_axis::read_axes")]
    pub axes: Axes,
    /// Where the roles run: `edge` or `cloud`, for each role.
    #[serde(default)]
    pub hosts: Hosts,
    /// Settings of every secured connection.
    #[serde(default, skip_serializing_if = "SecuritySettings::is_default")]
    pub security: SecuritySettings,
    /// How messages are issued. Needed when the axes name modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// How trials are carried out.
    #[serde(default)]
    pub trials: Trials,
    /// How codec trials are carried out.
    #[serde(default)]
    pub codec_trials: CodecTrials,
    /// Limits beyond which a trial is invalid or overloaded.
    #[serde(default)]
    pub limits: Limits,
    /// Options of transports, by protocol; `wiredyno list protocols` shows what is available.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub transport: BTreeMap<String, OptionTable>,
    /// Bounds that figures must keep: they decide the exit code of `run`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threshold: Vec<Threshold>,
}

/// A place where processes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// The vehicle, robot or device.
    Edge,
    /// The data centre, at the far end of the link.
    Cloud,
}

impl Host {
    /// Both hosts, in order.
    pub const ALL: [Host; 2] = [Host::Edge, Host::Cloud];

    /// The host at the other end of the link.
    pub const fn other(self) -> Host {
        match self {
            Host::Edge => Host::Cloud,
            Host::Cloud => Host::Edge,
        }
    }
}

/// The host of each role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hosts {
    /// The publisher's host: `edge` unless the study says otherwise.
    pub publisher: Host,
    /// The subscriber's host: `edge` measures the round trip, `cloud` one way.
    pub subscriber: Host,
    /// The host of the broker, or of the relay where a protocol has none.
    pub broker: Host,
}

impl Default for Hosts {
    fn default() -> Self {
        Hosts { publisher: Host::Edge, subscriber: Host::Edge, broker: Host::Cloud }
    }
}

/// Where messages end, relative to where they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Over the broker and back: the subscriber is on the publisher's host.
    RoundTrip,
    /// The subscriber is on the other host.
    OneWay,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::RoundTrip => "round-trip",
            Way::OneWay => "one-way",
        })
    }
}

/// Where the values of messages are read from, one for each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Records {
    /// The publisher's memory, loaded before the trial.
    Memory,
    /// A table of a PostgreSQL database that the run starts; the timings of messages are written to another.
    Postgresql,
}

impl fmt::Display for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Records::Memory => "memory",
            Records::Postgresql => "postgresql",
        })
    }
}

impl Hosts {
    /// The same for a protocol without a broker between publishers and subscribers: where both are on one host, the subscriber moves to
    /// the broker's, so that messages cross the link, once.
    #[must_use]
    pub fn apart(self) -> Self {
        if self.publisher == self.subscriber { Hosts { subscriber: self.broker, ..self } } else { self }
    }

    /// The hosts of roles that use a client: these, but for a direct client, whose messages pass no broker.
    #[must_use]
    pub fn used_by(self, client: &TransportDescription) -> Self {
        if client.capabilities.contains(&Capability::Direct) { self.apart() } else { self }
    }

    /// How many times a message crosses the link on its way from the publisher over the broker to the subscriber.
    pub fn hops(&self) -> u32 {
        u32::from(self.publisher != self.broker) + u32::from(self.broker != self.subscriber)
    }

    /// The way of a cell's messages between these hosts, in words, with the number of hops: `there and back, two hops`. `straight` where
    /// there is no broker or relay. On loopback there is no other host to come back from.
    pub fn way_in_words(&self, cell: &Cell, straight: bool) -> String {
        let hops = if straight { "one hop" } else { "two hops" };
        match (cell.link.is_loopback(), self.publisher == self.subscriber) {
            (true, _) => hops.to_owned(),
            (false, true) => format!("there and back, {hops}"),
            (false, false) => format!("one way, {hops}"),
        }
    }

    /// These, with the subscriber at the end of a cell's way.
    #[must_use]
    pub fn of(&self, cell: &Cell) -> Hosts {
        let subscriber = match cell.way {
            None => self.subscriber,
            Some(Way::RoundTrip) => self.publisher,
            Some(Way::OneWay) => self.publisher.other(),
        };
        Hosts { subscriber, ..*self }
    }
}

/// How long one start of a broker serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetime {
    /// One trial: no trial finds what another left behind.
    #[default]
    Trial,
    /// All trials of a cell on a lane: no cell finds what another left behind. A lane runs as many of these brokers as it has cells for
    /// them.
    Cell,
    /// All trials of a lane, each with a topic or queue of its own: for brokers that take seconds to start.
    Run,
}

/// How trials are carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trials {
    /// Valid trials required per cell. With fewer than five, reports say "no interval". With `until`, the minimum.
    pub repeats: u32,
    /// Trials that may run side by side.
    pub lanes: Lanes,
    /// The seed of schedule, link and load.
    pub seed: u64,
    /// How often an invalid trial is repeated before its cell continues without it.
    pub retries: u32,
    /// More trials for each cell until a figure is known well enough; absent for `repeats` and no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Whether the size of clients is measured: `implementation_size`. Needs a runner with each client alone, and one without any.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weigh: bool,
}

/// More trials of a cell until the 95 % interval of a metric's mean is narrow enough, with a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The metric, by its name in `summary.json`. Cells that don't have it stop after `repeats`.
    pub metric: String,
    /// Half the interval divided by the mean, at most; above 0 and below 1.
    pub within: Ratio,
    /// No cell gets more valid trials than this.
    pub at_most: u32,
}

impl Default for Trials {
    fn default() -> Self {
        Trials { repeats: 5, lanes: Lanes::Auto, seed: 1, retries: 2, until: None, weigh: false }
    }
}

/// How many lanes: `"auto"` or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenLanes", into = "WrittenLanes")]
#[schemars(with = "WrittenLanes")]
pub enum Lanes {
    /// As many as the CPU carries with room to spare.
    Auto,
    /// Exactly this many, from 1.
    Fixed(u32),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "lanes is \"auto\" or a number")]
enum WrittenLanes {
    Number(u32),
    Word(String),
}

impl TryFrom<WrittenLanes> for Lanes {
    type Error = &'static str;
    fn try_from(written: WrittenLanes) -> Result<Self, Self::Error> {
        match written {
            WrittenLanes::Number(lanes) => Ok(Lanes::Fixed(lanes)),
            WrittenLanes::Word(word) if word == "auto" => Ok(Lanes::Auto),
            WrittenLanes::Word(_) => Err("lanes is \"auto\" or a number"),
        }
    }
}

impl From<Lanes> for WrittenLanes {
    fn from(lanes: Lanes) -> Self {
        match lanes {
            Lanes::Auto => WrittenLanes::Word("auto".to_owned()),
            Lanes::Fixed(lanes) => WrittenLanes::Number(lanes),
        }
    }
}

/// How codec trials are carried out: each measures the four phases of one codec on one payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CodecTrials {
    /// Whether the study has codec trials at all.
    pub enabled: bool,
    /// The least time of one batch; batches are calibrated to it.
    pub batch_time: Span,
    /// Batches timed per phase; the figure is their median.
    pub batches: u32,
    /// Samples of the payload that the loops cycle through.
    pub samples: u32,
    /// Whether each codec is measured in a runner of its own, so that figures of whole processes are that codec's alone. Otherwise one
    /// runner of a payload has all codecs of the study.
    pub alone: bool,
    /// Whether an empty call is timed, too: what the loop itself costs in the runner's language.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
}

impl Default for CodecTrials {
    fn default() -> Self {
        CodecTrials {
            enabled: true,
            batch_time: Span::from_ms(2),
            batches: 30,
            samples: 100,
            alone: false,
            empty: false,
        }
    }
}

impl Study {
    /// Reads a study; `file` is its name in errors.
    ///
    /// # Errors
    /// With file, line and what to do, when the text is no valid study.
    pub fn parse(file: &str, text: &str) -> Result<Study, FileError> {
        let study: Study = parse_toml(file, text)?;
        study.check().map_err(|refusal| TomlText { file, text }.refuse(refusal))?;
        Ok(study)
    }

    /// The selections in `cells`; empty for all cells. A line that its check refused is left out.
    fn selections(&self) -> Vec<Selection> {
        self.cells.iter().filter_map(|written| written.parse().ok()).collect()
    }

    /// The cells of its axes that are run; `serves` as in [`Axes::cells`].
    pub fn cells(&self, serves: &dyn Fn(&BrokerId, &str) -> bool) -> Vec<Cell> {
        let selections = self.selections();
        let mut cells = self.axes.cells(serves);
        let meant = |cell: &Cell| selections.iter().any(|selection| selection.means(|axis| cell.value(axis)));
        cells.retain(|cell| selections.is_empty() || meant(cell));
        cells
    }

    /// The same for codec trials; an axis of messages, on which they have no value, excludes none of them.
    pub fn codec_cells(&self) -> Vec<CodecCell> {
        let selections = self.selections();
        let mut cells = self.axes.codec_cells();
        let meant = |cell: &CodecCell| {
            selections.iter().any(|selection| selection.means_where_known(|axis| cell.value(axis)))
        };
        cells.retain(|cell| selections.is_empty() || meant(cell));
        cells
    }

    /// Why a line of `cells` selects nothing.
    fn check_cells(&self, written: &str) -> Result<(), String> {
        let selection: Selection = written.parse().map_err(|error| format!("{error}"))?;
        selection.check(&self.axes.names()).map_err(|error| error.to_string())?;
        // What formats and patterns stand for is not known yet.
        let open = |axis: &str| match axis {
            "codec" => !self.axes.format.is_empty() || !self.axes.codec.patterns().is_empty(),
            "payload" => !self.axes.payload.patterns().is_empty(),
            _ => false,
        };
        let known = |axis: &str| {
            let plain = |value: String| plain_value(axis, &value).unwrap_or(value);
            self.axes.values(axis).into_iter().map(plain).collect::<Vec<_>>()
        };
        match selection.unknown(|axis| (!open(axis)).then(|| known(axis))) {
            None => Ok(()),
            Some((axis, value)) => {
                let known = known(axis);
                let hint = nearest(value, known.iter().map(String::as_str)).map_or_else(
                    || format!("write one of {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                Err(format!("the axis `{axis}` has no value `{value}`; {hint}"))
            }
        }
    }

    /// Replaces formats and patterns by ids. A format stands for the first of its codecs in each runner that is named, a pattern for all
    /// of their codecs that match; where no runner is named, Rust's is used. Payloads come with whether they take a size: one that does is
    /// matched only by a pattern with a size, such as `*@1024`. `file` and `text` are the study's name and source, for errors.
    ///
    /// # Errors
    /// With file and line, when a pattern or format matches nothing, or there is no such runner.
    pub fn resolve(
        &mut self,
        file: &str,
        text: &str,
        codecs: &[CodecDescription],
        payloads: &[(&str, bool)],
    ) -> Result<(), FileError> {
        let named = self.name_codecs(codecs).and_then(|()| self.name_payloads(payloads));
        named.map_err(|refusal| TomlText { file, text }.refuse(refusal))
    }

    // One function: runners, formats and patterns are resolved in turn, against one list of codecs.
    fn name_codecs(&mut self, codecs: &[CodecDescription]) -> Result<(), Refusal> {
        let refuse = |axis: &str, word: &str, problem: String| {
            Err(Refusal::at(Place::of_axis(axis).word(word), problem))
        };
        let mut runners = std::mem::take(&mut self.axes.runner);
        for runner in &runners {
            if codecs.iter().any(|codec| codec.runner_name() == runner) {
                continue;
            }
            let known = codecs.iter().map(CodecDescription::runner_name);
            let problem = match nearest(runner, known) {
                Some(near) => format!("there is no runner `{runner}`; did you mean `{near}`?"),
                None => {
                    format!("there is no runner `{runner}`; `wiredyno list runners` shows what there is")
                }
            };
            return refuse("runner", runner, problem);
        }
        if runners.is_empty() {
            runners.push(RUST.to_owned());
        }
        for format in std::mem::take(&mut self.axes.format) {
            let of_format = |codec: &&CodecDescription| codec.id.format == format;
            if !codecs.iter().any(|codec| of_format(&codec)) {
                let hint = nearest(&format, codecs.iter().map(|codec| codec.id.format.as_str()));
                let hint = hint.map_or_else(
                    || "`wiredyno list codecs` shows what there is".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                return refuse("format", &format, format!("there is no format `{format}`; {hint}"));
            }
            for runner in &runners {
                let first =
                    codecs.iter().filter(of_format).find(|codec| codec.runner_name() == runner.as_str());
                let Some(first) = first else {
                    let problem = format!(
                        "the runner `{runner}` has no codec of the format `{format}`: remove one of the two, or name \
                         codecs in `codec`"
                    );
                    return refuse("format", &format, problem);
                };
                if !self.axes.codec.contains(&first.id) {
                    self.axes.codec.push(first.id.clone());
                }
            }
        }
        let of_runners: Vec<&CodecId> = codecs
            .iter()
            .filter(|codec| runners.iter().any(|runner| codec.runner_name() == runner.as_str()))
            .map(|codec| &codec.id)
            .collect();
        let meant = |pattern: &Pattern| {
            let fitting = of_runners.iter().filter(|codec| pattern.matches(&codec.to_string()));
            fitting.map(|codec| (*codec).clone()).collect()
        };
        let Some(pattern) = self.axes.codec.resolve(meant).into_iter().next() else { return Ok(()) };
        let format = pattern.as_str().split('/').next().unwrap_or_default();
        let hint = nearest(format, of_runners.iter().map(|codec| codec.format.as_str()));
        let hint = hint.map(|near| format!("; did you mean `{near}/*`?")).unwrap_or_default();
        Err(nothing_matches(&pattern, "codec", hint))
    }

    fn name_payloads(&mut self, payloads: &[(&str, bool)]) -> Result<(), Refusal> {
        let meant = |pattern: &Pattern| {
            let chosen = |&(name, sized): &(&str, bool)| {
                let size_bytes = if sized { Some(pattern.sized(name)?) } else { None };
                let stands = sized || pattern.matches(name);
                stands.then(|| PayloadId { name: name.to_owned(), size_bytes })
            };
            payloads.iter().filter_map(chosen).collect()
        };
        let Some(pattern) = self.axes.payload.resolve(meant).into_iter().next() else { return Ok(()) };
        let sized = payloads.iter().any(|(name, sized)| *sized && pattern.matches(name));
        let hint =
            if sized { format!("; if it takes a size: `{}@1024`", pattern.as_str()) } else { String::new() };
        Err(nothing_matches(&pattern, "payload", hint))
    }

    /// What serde can't check: axes without values, doubled values, numbers that allow no trial.
    // One function: a list of checks, of which the first that fails is reported.
    fn check(&self) -> Result<(), Refusal> {
        let refuse = |place: Place, problem: &str| Err(Refusal::at(place, problem));
        let axes = &self.axes;
        let is_part_of_path = |c: char| matches!(c, '/' | '\\') || c.is_control();
        if self.name.is_empty() || self.name.starts_with('.') || self.name.contains(is_part_of_path) {
            let problem = format!(
                "the name {:?} can't be part of a folder's name: write a word such as `my-study`, without slashes and without a \
                 leading point",
                self.name
            );
            return refuse(Place::of(["name"]), &problem);
        }
        if axes.payload.patterns().is_empty() || !axes.payload.is_empty() {
            empty_or_doubled(&axes.payload, "payload")?;
        }
        if !axes.format.is_empty() {
            empty_or_doubled(&axes.format, "format")?;
        }
        if !axes.runner.is_empty() {
            empty_or_doubled(&axes.runner, "runner")?;
            if axes.format.is_empty() && axes.codec.patterns().is_empty() {
                let problem = "the axis `runner` selects codecs by formats and patterns, and there are none: name formats, \
                               as in format = [\"json\"], or remove it";
                return refuse(Place::of_axis("runner"), problem);
            }
        }
        let stood_for = !axes.format.is_empty() || !axes.codec.patterns().is_empty();
        if !stood_for || !axes.codec.is_empty() {
            empty_or_doubled(&axes.codec, "codec")?;
        }
        empty_or_doubled(&axes.compression, "compression")?;
        empty_or_doubled(&axes.link, "link")?;
        if !axes.mode.is_empty() {
            empty_or_doubled(&axes.mode, "mode")?;
        }
        for (position, written) in self.cells.iter().enumerate() {
            let place = Place::of(["cells"]).item(position);
            self.check_cells(written).map_err(|problem| Refusal::at(place, format!("cells: {problem}")))?;
        }
        self.check_trials()?;
        for (position, threshold) in self.threshold.iter().enumerate() {
            self.check_threshold(threshold).map_err(|Refusal { place, problem }| {
                let table = Place::of(["threshold"]).item(position);
                Refusal::at(table.join(place), format!("threshold on {}: {problem}", threshold.metric))
            })?;
        }
        for AxisInfo { name: axis, .. } in TABLE.iter().filter(|axis| axis.shown == Shown::Named) {
            let given = axes.values(axis);
            if !given.is_empty() {
                empty_or_doubled(&given, axis)?;
            }
        }
        match &self.load {
            None if !axes.mode.is_empty() => refuse(
                Place::of_axis("mode"),
                "the axes name modes, but there is no [load]: say how messages are issued",
            ),
            None => Ok(()),
            Some(load) => load.check(axes),
        }
    }

    fn check_trials(&self) -> Result<(), Refusal> {
        let refuse = |key, problem: &str| Err(Refusal::at(Place::of(["trials", key]), problem));
        if self.trials.repeats == 0 {
            return refuse("repeats", "repeats is 0: a cell needs at least one trial, five for an interval");
        }
        if self.trials.lanes == Lanes::Fixed(0) {
            return refuse("lanes", "lanes is 0: write \"auto\" or a number from 1");
        }
        let until = self.trials.until.as_ref();
        until.map_or(Ok(()), |until| until.check(self.trials.repeats)).map_err(
            |Refusal { place, problem }| Refusal::at(Place::of(["trials", "until"]).join(place), problem),
        )
    }

    /// Checks that a threshold can be read and its cells are on axes of the study; the place is relative to its table.
    fn check_threshold(&self, threshold: &Threshold) -> Result<(), Refusal> {
        let (_, cells, _) = threshold.read()?;
        let known = cells.check(&self.axes.names());
        known.map_err(|error| Refusal::at(Place::of(["where"]), error.to_string()))
    }
}

impl Until {
    /// Checks that the rule can be followed; places are relative to its table.
    fn check(&self, repeats: u32) -> Result<(), Refusal> {
        let Until { at_most, within, .. } = self;
        if repeats < 5 {
            let problem = format!(
                "trials.until needs repeats = 5 or more, not {repeats}: fewer trials have no interval"
            );
            return Err(Refusal::at(Place::default(), problem));
        }
        if *at_most < repeats {
            let problem =
                format!("at_most = {at_most} is less than repeats = {repeats}: write a larger number");
            return Err(Refusal::at(Place::of(["at_most"]), problem));
        }
        let within = within.get();
        if within <= 0.0 || within >= 1.0 {
            let problem = format!(
                "within = {within} is out of range: write a ratio above 0 and below 1, such as \"5%\""
            );
            return Err(Refusal::at(Place::of(["within"]), problem));
        }
        Ok(())
    }
}

fn nothing_matches(pattern: &Pattern, kind: &'static str, hint: String) -> Refusal {
    let problem = NothingMatches { pattern: pattern.as_str().to_owned(), kind, hint }.to_string();
    Refusal::at(Place::of_axis(kind).word(pattern.as_str()), problem)
}

fn empty_or_doubled<T: PartialEq + std::fmt::Display>(values: &[T], axis: &str) -> Result<(), Refusal> {
    let refuse = |problem: String| Err(Refusal::at(Place::of_axis(axis), problem));
    if values.is_empty() {
        return refuse(format!("the axis `{axis}` has no value: name at least one"));
    }
    for (position, value) in values.iter().enumerate() {
        if values[..position].contains(value) {
            return refuse(format!("the axis `{axis}` names `{value}` twice: remove one"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEMO: &str = r#"
name = "demo"
why = "Which format?"
[axes]
payload = ["small"]
codec = ["json/serde-json"]
mode = ["mqtt:qos0", "tcp"]
link = ["lte"]
loss = [0.0, "5%"]
[load]
kind = "open"
interval = "200ms"
messages = 10
deadline = "2s"
drain = "8s"
[trials]
repeats = 5
lanes = "auto"
seed = 1
"#;

    #[test]
    fn a_study_is_read() {
        let study = Study::parse("demo.toml", DEMO).unwrap();
        assert_eq!(study.axes.loss[1].get(), 0.05);
        assert_eq!(study.trials.lanes, Lanes::Auto);
        assert_eq!(study.hosts.broker, Host::Cloud);
        let fixed = Study::parse("demo.toml", &DEMO.replace("\"auto\"", "3")).unwrap();
        assert_eq!(fixed.trials.lanes, Lanes::Fixed(3));
    }

    #[test]
    fn hosts_left_out_have_their_defaults() {
        let one_way = DEMO.replace("[trials]", "[hosts]\nsubscriber = \"cloud\"\n[trials]");
        let hosts = Study::parse("demo.toml", &one_way).unwrap().hosts;
        assert_eq!(hosts, Hosts { subscriber: Host::Cloud, ..Hosts::default() });
    }

    #[test]
    fn where_nobody_stands_between_the_subscriber_takes_the_broker_s_host() {
        use Host::{Cloud, Edge};
        let hosts = |[publisher, subscriber, broker]: [Host; 3]| Hosts { publisher, subscriber, broker };
        for (of, hops, apart, hops_apart) in [
            ([Edge, Edge, Cloud], 2, [Edge, Cloud, Cloud], 1),
            ([Edge, Cloud, Cloud], 1, [Edge, Cloud, Cloud], 1),
            ([Edge, Cloud, Edge], 1, [Edge, Cloud, Edge], 1),
            ([Cloud, Cloud, Edge], 2, [Cloud, Edge, Edge], 1),
            ([Edge, Edge, Edge], 0, [Edge, Edge, Edge], 0),
        ] {
            let of = hosts(of);
            assert_eq!(
                (of.hops(), of.apart(), of.apart().hops()),
                (hops, hosts(apart), hops_apart),
                "{of:?}"
            );
        }
    }

    #[test]
    fn the_way_is_said_in_words_also_where_the_study_says_nothing_of_it() {
        let cells = |text: &str| {
            let study = Study::parse("demo.toml", text).unwrap();
            let words = |cell: &Cell| study.hosts.of(cell).way_in_words(cell, false);
            study.cells(&|_, _| true).iter().map(words).collect::<Vec<_>>()
        };
        assert!(cells(DEMO).iter().all(|words| words == "there and back, two hops"));
        let one_way = DEMO.replace("[trials]", "[hosts]\nsubscriber = \"cloud\"\n[trials]");
        assert!(cells(&one_way).iter().all(|words| words == "one way, two hops"));
        let both = cells(&DEMO.replace("link =", "way = [\"round-trip\", \"one-way\"]\nlink ="));
        assert!(both.iter().any(|words| words.starts_with("there and back")));
        assert!(both.iter().any(|words| words.starts_with("one way")));
        let near = DEMO.replace("\"lte\"", "\"loopback\"").replace("loss = [0.0, \"5%\"]\n", "");
        assert!(cells(&near).iter().all(|words| words == "two hops"));
    }

    #[test]
    fn compression_is_an_axis_and_none_leaves_cells_as_they_are() {
        let plain = Study::parse("demo.toml", DEMO).unwrap();
        assert!(!plain.axes.compresses() && !toml::to_string(&plain).unwrap().contains("compression"));
        assert!(
            plain
                .axes
                .cells(&|_, _| true)
                .iter()
                .all(|cell| !serde_json::to_string(cell).unwrap().contains("compr"))
        );
        let text = DEMO.replace("link =", "compression = [\"none\", \"zstd:3\"]\nlink =");
        let study = Study::parse("demo.toml", &text).unwrap();
        assert_eq!(study.axes.cells(&|_, _| true).len(), 2 * plain.axes.cells(&|_, _| true).len());
        let names: Vec<String> = study.axes.codec_cells().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["small json/serde-json", "small json/serde-json + zstd:3"]);
    }

    #[test]
    fn a_study_written_out_reads_back_the_same() {
        let study = Study::parse("demo.toml", DEMO).unwrap();
        let text = toml::to_string(&study).unwrap();
        assert_eq!(Study::parse("again.toml", &text).unwrap(), study);
    }

    #[test]
    fn trials_may_go_on_until_a_metric_is_known_well_enough() {
        let with = |repeats: u32, until: &str| {
            let trials = format!("repeats = {repeats}\nuntil = {{ {until} }}");
            Study::parse("demo.toml", &DEMO.replace("repeats = 5", &trials))
                .map_err(|error| error.to_string())
        };
        let study = with(5, "metric = \"latency\", within = \"5 %\", at_most = 30").unwrap();
        let until = study.trials.until.clone().unwrap();
        assert_eq!((until.metric.as_str(), until.within.get(), until.at_most), ("latency", 0.05, 30));
        assert_eq!(Study::parse("again.toml", &toml::to_string(&study).unwrap()).unwrap(), study);
        for (repeats, until, part) in [
            (2, "metric = \"latency\", within = 0.05, at_most = 30", "repeats = 5 or more"),
            (9, "metric = \"latency\", within = 0.05, at_most = 8", "less than repeats"),
            (5, "metric = \"latency\", within = 0, at_most = 8", "out of range"),
            (5, "metric = \"latency\", within = 0.1, at_mots = 8", "did you mean `at_most`?"),
        ] {
            let error = with(repeats, until).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn patterns_become_what_the_runner_has_and_only_that_is_recorded() {
        let text =
            DEMO.replace("[\"small\"]", "[\"all\", \"opaque*@16\"]").replace("json/serde-json", "json/*");
        let mut study = Study::parse("demo.toml", &text).unwrap();
        let codecs = ["cbor/ciborium", "json/serde-json", "json/sonic-rs"].map(|id| described(id, None));
        let payloads = [("small", false), ("opaque", true), ("person", false)];
        study.resolve("demo.toml", &text, &codecs, &payloads).unwrap();
        let written = toml::to_string(&study).unwrap();
        assert!(written.contains("payload = [\"small\", \"person\", \"opaque@16\"]"), "{written}");
        assert!(written.contains("codec = [\"json/serde-json\", \"json/sonic-rs\"]"), "{written}");
        assert_eq!(Study::parse("again.toml", &written).unwrap(), study);
        for (from, to, line, part) in [
            ("json/*", "jsn/*", 6, "did you mean `json/*`?"),
            ("all", "x*", 5, "`x*` matches no payload: `wiredyno list payloads`"),
            ("opaque*@16", "opa*", 5, "`opa*@1024`"),
        ] {
            let text = text.replace(from, to);
            let mut study = Study::parse("demo.toml", &text).unwrap();
            let error = study.resolve("demo.toml", &text, &codecs, &payloads).unwrap_err();
            assert_eq!(error.line, Some(line), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
        let error = Study::parse("demo.toml", &text.replace("json/*", "JSON/*")).unwrap_err();
        assert_eq!(error.line, Some(6), "{error}");
    }

    fn described(id: &str, runner: Option<&str>) -> CodecDescription {
        CodecDescription {
            id: id.parse().unwrap(),
            runner: runner.map(str::to_owned),
            library: "lib".to_owned(),
            version: "1".to_owned(),
            about: String::new(),
            capabilities: Vec::new(),
        }
    }

    #[test]
    fn a_format_stands_for_the_first_codec_of_each_runner_named() {
        let codecs = [
            described("json/serde-json", None),
            described("json/sonic-rs", None),
            described("cbor/ciborium", None),
            described("json/python-json", Some("python")),
            described("json/orjson", Some("python")),
        ];
        let resolved = |codec: &str| {
            let text = DEMO.replace("codec = [\"json/serde-json\"]", codec);
            let mut study = Study::parse("demo.toml", &text).map_err(|error| error.to_string())?;
            study.resolve("demo.toml", &text, &codecs, &[]).map_err(|error| error.to_string())?;
            let written = toml::to_string(&study).unwrap();
            assert_eq!(Study::parse("again.toml", &written).unwrap(), study);
            assert!(!written.contains("runner =") && !written.contains("format ="), "{written}");
            Ok::<_, String>(study.axes.codec.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let both = "runner = [\"rust\", \"python\"]";
        let ids = resolved(&format!("format = [\"json\"]\n{both}")).unwrap();
        assert_eq!(ids, ["json/serde-json", "json/python-json"]);
        assert_eq!(resolved("format = [\"json\", \"cbor\"]").unwrap(), ["json/serde-json", "cbor/ciborium"]);
        let ids = resolved("codec = [\"cbor/ciborium\", \"*/*json*\"]\nrunner = [\"python\"]").unwrap();
        assert_eq!(ids, ["cbor/ciborium", "json/python-json", "json/orjson"]);
        assert_eq!(resolved("codec = [\"all\"]").unwrap().len(), 3, "Rust's where no runner is named");
        for (codec, part) in [
            (format!("format = [\"cbor\"]\n{both}"), "the runner `python` has no codec of the format `cbor`"),
            ("format = [\"jsn\"]".to_owned(), "there is no format `jsn`; did you mean `json`?"),
            ("format = [\"json\"]\nrunner = [\"pyton\"]".to_owned(), "did you mean `python`?"),
            ("codec = [\"json/orjson\"]\nrunner = [\"python\"]".to_owned(), "name formats"),
            (both.to_owned(), "name formats"),
            ("format = [\"json\", \"json\"]".to_owned(), "twice"),
            (String::new(), "the axis `codec` has no value"),
        ] {
            let error = resolved(&codec).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_line() {
        for (from, to, line, part) in [
            ("messages = 10", "mesages = 10", 13, "did you mean `messages`?"),
            ("messages = 10", "messages = 0", 13, "nothing would be sent"),
            ("[\"small\"]", "[]", 5, "no value"),
            ("[\"small\"]", "[\"small\", \"small\"]", 5, "twice"),
            ("interval = \"200ms\"", "", 11, "needs a rate or an interval"),
            ("interval = \"200ms\"", "rate = \"0/s\"", 12, "a number above 0"),
            ("interval = \"200ms\"", "interval = \"1s\"\nrate = \"1/s\"", 13, "remove one"),
            (
                "interval = \"200ms\"",
                "interval = \"200ms\"\nwindow = 2",
                13,
                "only a closed loop has a window",
            ),
            ("loss =", "rate = [\"1k/s\"]\nloss =", 9, "remove one"),
            ("kind = \"open\"", "kind = \"search\"", 11, "needs a bound"),
            (
                "kind = \"open\"\ninterval = \"200ms\"",
                "kind = \"search\"\nbound = { metric = \"latency.p9\", below = \"1s\" }",
                12,
                "mean, median, p99 or max",
            ),
            ("loss =", "window = [2]\nloss =", 9, "only a closed loop has a window"),
            ("loss =", "rate = [\"1k/s\", \"1000/s\"]\nloss =", 9, "twice"),
            ("json/serde-json", "json", 6, "protobuf/prost"),
            ("0.0, ", "1.5, ", 9, "between 0 and 1"),
            ("link =", "compression = [\"none:1\"]\nlink =", 8, "zstd:3"),
            ("link =", "compression = []\nlink =", 8, "no value"),
            ("\"auto\"", "\"many\"", 18, ""),
        ] {
            let error = Study::parse("demo.toml", &DEMO.replace(from, to)).unwrap_err();
            assert_eq!(error.line, Some(line), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
