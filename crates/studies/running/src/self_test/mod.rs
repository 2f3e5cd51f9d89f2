//! A positive control: differences that are made deliberately, in the link and in the runner, and looked for as a study
//! looks for differences.
//!
//! Each control is a study of three cells. One of them differs from another by the deliberate difference, two are equal except for their
//! names. Trials are paired by repeat; quantities that can't be 0 are compared on logarithms, by the paired t test at 95 %.
//! The deviation of the pairs' differences gives the power with which a study of that many repeats finds the deliberate difference, and
//! the smallest difference that it finds in four of five cases ([`wiredyno_stats::power`]).
//!
//! The CPU time of a message is not known beforehand. So a pilot of three equal cells measures it, and how much pairs deviate: encoding
//! each message is made to take a tenth of that time longer, and the study has as many repeats as find it in nine of ten cases.
//!
//! One file because a control, its study and how its difference is looked for belong together.

mod judging;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wiredyno_contract::{LinkId, PayloadId, Ratio, Span};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::{DirectionSpec, LinkSpec, LossSpec};
use wiredyno_model::Study;
use wiredyno_payloads::{PayloadFolder, PayloadName};
use wiredyno_planning::source::StudySource;
use wiredyno_planning::stock;
use wiredyno_process::scratch::Scratch;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runners::Injected;
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, power};
use wiredyno_store::RunTrials;

use crate::run::RunRequest;

pub use self::judging::{Difference, Finding, judge};
use self::judging::{differences, values};

/// The deliberate difference: five percent more, and two of a hundred packets more lost.
const MADE_PERCENT: u32 = 5;
const MADE_LOSS: f64 = 0.02;
/// One-way delay of the links that differ in nothing else.
const DELAY: Span = Span { ns: 20_000_000 };
/// Repeats for which the smallest difference is reported.
const TOLD_REPEATS: [usize; 2] = [5, 20];
/// The power at which a difference counts as found.
const POWER: f64 = 0.8;
/// The total error rate, over all controls, at which equal cells count as different.
const FALSE_ALARM: f64 = 0.05;
/// Repeats of the pilot that precedes a control.
const PILOT_REPEATS: u32 = 10;
/// By what share of its CPU time a message is made to cost more.
const MADE_COST: f64 = 0.1;
/// The power for which a pilot chooses repeats, and the most that it chooses.
const PILOT_POWER: f64 = 0.9;
const MOST_REPEATS: usize = 60;
/// The most needed repeats that an error states when a pilot needs more than it may choose; beyond, that no number suffices.
const TOLD_MOST: usize = 10_000;

const BASE: &str = "self-test-base";
const SAME: &str = "self-test-same";
const MORE: &str = "self-test-more";

/// A payload of 1,281 bytes over UDP (921 bytes in base64 with their JSON and 42 of headers), and one of 1,345.
const SIZE_BYTES: u32 = 921;
const MORE_BYTES: u32 = 969;

/// Why a self-test can't be run.
#[derive(Debug, thiserror::Error)]
pub enum SelfTestError {
    /// Too few repeats were requested for an interval.
    #[error("{asked} repeats give no interval: ask for at least {MIN_TRIALS_FOR_INTERVAL}")]
    Repeats {
        /// The repeats that were requested.
        asked: u32,
    },
    /// A payload's folder can't be written.
    #[error("{path}: {reason}; is there room for temporary files?")]
    Io {
        /// The file or folder of the payload.
        path: PathBuf,
        /// The system's error for this path.
        reason: io::Error,
    },
    /// A study or payload of its own is not valid.
    #[error("the self-test's own {what} is broken: {reason}; please report this")]
    Broken {
        /// Its kind: study, payload, link.
        what: String,
        /// What is wrong with it, in words.
        reason: String,
    },
}

/// The deliberate difference of a control, which it looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// A larger message, by bytes of its body.
    Bytes,
    /// More packets lost by the link.
    Loss,
    /// A longer delay of the link.
    Delay,
    /// More work in encoding, in codec trials.
    Work,
    /// More CPU time for each message.
    Cost,
}

/// A cell of a control: payload and link.
type Place = (&'static str, u32, &'static str);

impl Control {
    /// All controls, in the order in which they run: those that need a quiet machine last.
    pub const ALL: [Self; 5] = [Self::Bytes, Self::Loss, Self::Delay, Self::Work, Self::Cost];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Loss => "loss",
            Self::Delay => "delay",
            Self::Work => "work",
            Self::Cost => "cost",
        }
    }

    /// The metric that shows the difference.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::Bytes => "wire_per_message",
            Self::Loss => "lost",
            Self::Delay => "latency",
            Self::Work => "encode",
            Self::Cost => "publisher_cpu_per_message",
        }
    }

    /// Whether the difference is a ratio, less 1; else it is one of shares.
    pub const fn is_ratio(self) -> bool {
        !matches!(self, Self::Loss)
    }

    /// Whether it needs an emulated link.
    pub const fn needs_link(self) -> bool {
        !matches!(self, Self::Work)
    }

    /// Whether a pilot determines the difference and the number of repeats.
    pub const fn has_pilot(self) -> bool {
        matches!(self, Self::Cost)
    }

    fn made(self) -> f64 {
        match self {
            Self::Bytes | Self::Delay | Self::Work => f64::from(MADE_PERCENT) / 100.0,
            Self::Loss => MADE_LOSS,
            Self::Cost => MADE_COST,
        }
    }

    /// The cells without and with the difference.
    const fn differing(self) -> [Place; 2] {
        match self {
            Self::Bytes => [(BASE, SIZE_BYTES, BASE), (BASE, MORE_BYTES, BASE)],
            Self::Loss | Self::Delay => [(BASE, SIZE_BYTES, BASE), (BASE, SIZE_BYTES, MORE)],
            Self::Work | Self::Cost => [(BASE, SIZE_BYTES, BASE), (MORE, SIZE_BYTES, BASE)],
        }
    }

    /// Two cells that only differ in their names.
    const fn equal(self) -> [Place; 2] {
        match self {
            Self::Bytes | Self::Work | Self::Cost => [(BASE, SIZE_BYTES, BASE), (SAME, SIZE_BYTES, BASE)],
            Self::Delay => [(BASE, SIZE_BYTES, BASE), (BASE, SIZE_BYTES, SAME)],
            // Both lose packets: it would show little that nothing equals nothing.
            Self::Loss => [(BASE, SIZE_BYTES, MORE), (BASE, SIZE_BYTES, SAME)],
        }
    }

    /// The link with a name.
    fn link(self, name: &str) -> Option<LinkSpec> {
        let (delay, loss) = match (self, name) {
            (Self::Delay, MORE) => (Span { ns: DELAY.ns * u64::from(100 + MADE_PERCENT) / 100 }, 0.0),
            (Self::Loss, MORE | SAME) => (DELAY, MADE_LOSS),
            _ => (DELAY, 0.0),
        };
        let direction = |loss: f64| {
            let loss = LossSpec::Independent { share: Ratio::new(loss).ok()? };
            Some(DirectionSpec { delay, loss, ..DirectionSpec::default() })
        };
        // Messages go up: the probe's answers and the like stay unchanged.
        let (up, down) = (direction(loss)?, direction(0.0)?);
        Some(LinkSpec { id: name.to_owned(), about: String::new(), up, down, ..LinkSpec::unshaped() })
    }

    fn study(self, repeats: u32, lanes: &str) -> String {
        let list = |of: fn(&Place) -> String| {
            let names: BTreeSet<String> = self.differing().iter().chain(&self.equal()).map(of).collect();
            names.into_iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        };
        let payloads = list(|(payload, size, _)| format!("{payload}@{size}"));
        let links = list(|(_, _, link)| (*link).to_owned());
        let mut text = format!(
            "name = \"self-test-{}\"\nwhy = \"Is a known difference found?\"\n[axes]\npayload = [{payloads}]\ncodec = \
             [\"json/serde-json\"]\n",
            self.name()
        );
        let (messages, interval) = match self {
            // A share of lost messages needs many.
            Self::Loss => (1_000, "2ms"),
            Self::Cost => (150, "1ms"),
            Self::Bytes | Self::Delay | Self::Work => (300, "2ms"),
        };
        let _ = match self.needs_link() {
            true => write!(
                text,
                "mode = [\"udp\"]\nlink = [{links}]\n[hosts]\npublisher = \"edge\"\nsubscriber = \"cloud\"\nbroker = \"cloud\"\n\
                 [load]\nkind = \"open\"\ninterval = \"{interval}\"\nmessages = {messages}\nwarmup = 5\ndeadline = \"1s\"\ndrain = \"500ms\"\n\
                 [codec_trials]\nenabled = false\n"
            ),
            false => write!(text, "[codec_trials]\nsamples = 20\nbatches = 10\nbatch_time = \"2ms\"\n"),
        };
        let _ = write!(text, "[trials]\nrepeats = {repeats}\nlanes = {lanes}\n");
        if matches!(self, Self::Bytes | Self::Loss) {
            // Neither depends on how quiet the machine is.
            text.push_str("[limits]\n");
            for limit in [
                "scheduling_lateness_p99",
                "load_per_cpu",
                "link_floor",
                "schedule_lag_p99",
                "rate_error",
                "link_lateness_p99",
                "run_delay",
                "utilisation",
                "steal",
            ] {
                let _ = writeln!(text, "{limit} = \"off\"");
            }
        }
        text
    }
}

/// One study of a control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The control that it belongs to.
    pub control: Control,
    /// How often each cell is run.
    pub repeats: u32,
    /// The number of lanes, as a study writes it.
    pub lanes: String,
    /// The CPU time by which encoding each message of one cell is made longer, in nanoseconds; 0 in a pilot and in other controls.
    pub planted_ns: u64,
}

impl Part {
    /// The study of a control without a pilot.
    pub fn of(control: Control, repeats: u32) -> Part {
        Part { control, repeats, lanes: "\"auto\"".to_owned(), planted_ns: 0 }
    }

    /// The pilot of a control that has one: all cells are equal.
    pub fn pilot(control: Control) -> Part {
        Part::of(control, PILOT_REPEATS)
    }

    /// The study that follows from the trials of this pilot: what is planted, and in how many repeats, at least `least`.
    ///
    /// # Errors
    /// With the reason why it can't be planted: too few of the pilot's repeats are complete, or more than [`MOST_REPEATS`] would be needed.
    pub fn after_pilot(&self, least: u32, trials: &RunTrials, study: &Study) -> Result<Part, String> {
        let control = self.control;
        let base = values(control, control.differing()[0], trials, study);
        let mean_ns = base.values().sum::<f64>() / base.len().max(1) as f64;
        let pairs = [control.differing(), control.equal()];
        let variances = pairs.map(|cells| {
            let deviation = differences(control, cells, trials, study)?.standard_deviation();
            Ok::<_, String>(deviation.unwrap_or(0.0).powi(2))
        });
        let [one, other] = variances;
        let deviation = f64::midpoint(one?, other?).sqrt();
        let needed =
            power::pairs_needed(control.made().ln_1p(), deviation, Level::P95, PILOT_POWER, TOLD_MOST);
        match needed {
            Some(needed) if needed <= MOST_REPEATS => Ok(Part {
                repeats: least.max(u32::try_from(needed).unwrap_or(u32::MAX)),
                planted_ns: (mean_ns * control.made()).round() as u64,
                ..self.clone()
            }),
            _ => Err(format!(
                "pairs of equal trials deviate by {:.0} %, so that a study would need {} repeats to find {:.0} % in nine of ten cases: the \
                 machine is too busy for that",
                deviation * 100.0,
                needed.map_or_else(|| format!("more than {TOLD_MOST}"), |needed| needed.to_string()),
                control.made() * 100.0
            )),
        }
    }

    /// The deliberate difference, as its metric shows it if the cell without it is at `base`.
    fn made(&self, base: f64) -> f64 {
        match self.control {
            Control::Cost => self.planted_ns as f64 / base,
            control => control.made(),
        }
    }
}

/// A self-test. Its payloads are deleted on drop.
pub struct SelfTest {
    desk: Scratch,
    runs: Cell<u32>,
}

impl SelfTest {
    /// Writes its payloads.
    ///
    /// # Errors
    /// When they can't be written.
    pub fn new() -> Result<Self, SelfTestError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |reason| SelfTestError::Io { path, reason }
        };
        let desk = Scratch::new("self-test-").map_err(at(&std::env::temp_dir()))?;
        let opaque =
            PayloadFolder::bundled("opaque").ok_or_else(|| broken("payload", "there is no `opaque`"))?;
        for name in [BASE, SAME, MORE] {
            let folder = desk.path().join(name);
            std::fs::create_dir(&folder).map_err(at(&folder))?;
            let files = [
                ("message.proto", opaque.definition()),
                ("generator.toml", opaque.generator().unwrap_or_default()),
            ];
            for (file, text) in files {
                let path = folder.join(file);
                std::fs::write(&path, text).map_err(at(&path))?;
            }
            // From now on the name refers to this folder.
            let name = PayloadName::Folder(folder, Some(SIZE_BYTES));
            stock::payload(&name).map_err(|error| broken("payload", error))?;
        }
        Ok(SelfTest { desk, runs: Cell::new(0) })
    }

    /// The run that executes a part, without the commit.
    ///
    /// # Errors
    /// With fewer repeats than [`MIN_TRIALS_FOR_INTERVAL`], or when its study is not valid.
    pub fn request(
        &self,
        part: &Part,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
    ) -> Result<RunRequest, SelfTestError> {
        let Part { control, repeats, .. } = *part;
        if (repeats as usize) < MIN_TRIALS_FOR_INTERVAL {
            return Err(SelfTestError::Repeats { asked: repeats });
        }
        let text = control.study(repeats, &part.lanes);
        let file = format!("self-test-{}.toml", control.name());
        let study = Study::parse(&file, &text).map_err(|error| broken("study", error))?;
        let mut injected = Injected::default();
        for name in [BASE, SAME, MORE] {
            let id: LinkId = name.parse().map_err(|error| broken("link", error))?;
            let link = control.link(name).ok_or_else(|| broken("link", name))?;
            injected.links.insert(id, link);
        }
        let more = payload(MORE, SIZE_BYTES)?;
        match control {
            Control::Work => drop(injected.burdens_per_mille.insert(more, MADE_PERCENT * 10)),
            Control::Cost => drop(injected.message_burdens_ns.insert(more, part.planted_ns)),
            Control::Bytes | Control::Loss | Control::Delay => {}
        }
        self.runs.set(self.runs.get() + 1);
        Ok(RunRequest {
            study,
            source: StudySource::of_file(file, text),
            only: Vec::new(),
            folder: self.desk.path().join(format!("run-{}-{}", self.runs.get(), control.name())),
            external: BTreeMap::new(),
            agents: None,
            written: Default::default(),
            resumes: false,
            injected,
            sandbox: sandbox.clone(),
            interrupt: interrupt.clone(),
            live: false,
            commit: "",
        })
    }
}

fn broken(what: &str, reason: impl ToString) -> SelfTestError {
    SelfTestError::Broken { what: what.to_owned(), reason: reason.to_string() }
}

fn payload(name: &str, size: u32) -> Result<PayloadId, SelfTestError> {
    format!("{name}@{size}").parse().map_err(|error| broken("payload", error))
}
