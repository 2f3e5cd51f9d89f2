//! One run: a study carried out from its plan to its summary.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use wiredyno_build::Step;
use wiredyno_link::lane::Lane;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::summary::{Environment, NotRun, Outcomes, RunInfo, SUMMARY_SCHEMA, Summary};
use wiredyno_model::trial::{CodecTrialRecord, TrialRecord};
use wiredyno_model::{BrokerId, Cell, CodecCell, Known, LinkId, ModeId, Outcome, PayloadId, Study};
use wiredyno_payloads::Payload;
use wiredyno_store::{MessageTrial, RunFolder, RunTrials};
use wiredyno_transports::Protocol;

use crate::catalogue::{Kind, find};
use crate::codec_trial::CodecConductor;
use crate::conduct::{self, Assignment, Conductor};
use crate::kept::{self, LaneBrokers};
use crate::lanes::{Gate, Queue, most_lanes};
use crate::needs::Needs;
use crate::observe::{codec_value, message_value};
use crate::plan::{Only, Plan, PlannedCodecTrial, PlannedTrial, codec_round, message_round};
use crate::resume::{Asked, Done, Written};
use crate::runner::Interrupt;
use crate::runners::{Injected, Runners, Wanted};
use crate::serving::{External, Managed, Serving, Servings, choose, transport_for};
use crate::stock::{self, Stock};
use crate::stopping::{Rounds, Stopping};
use crate::validity::Stand;
use crate::{contents, environment, machine, noise, summarise};

/// What to run and how.
pub struct RunRequest {
    /// The study, after `--set`.
    pub study: Study,
    /// The text that it was read from, and what errors call that.
    pub source: StudySource,
    /// Cells kept.
    pub only: Vec<Only>,
    /// The run folder to make.
    pub folder: PathBuf,
    /// Brokers that run already, by protocol.
    pub external: BTreeMap<String, External>,
    /// What of it was written on the command line; whether to capture packets, one file a trial.
    pub written: Written,
    /// Whether the run folder is there, and the run goes on.
    pub resumes: bool,
    /// Differences on purpose; none in a study.
    pub injected: Injected,
    /// Where the run lives.
    pub sandbox: Sandbox,
    /// Set when the run shall end.
    pub interrupt: Interrupt,
}

/// Where a study comes from, for errors that name the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudySource {
    /// What errors call it: a path, or with `after --set` behind it.
    pub file: String,
    /// The text.
    pub text: String,
}

/// What happens during a run, for those who show it.
pub enum Event<'a> {
    /// The plan is made.
    Planned {
        /// Codec trials to come.
        codec_trials: usize,
        /// Message trials to come.
        trials: usize,
        /// Lanes at most.
        lanes: u32,
        /// How long it will take about, in nanoseconds.
        estimate_ns: u64,
    },
    /// Cells whose figures are not known well enough yet get another trial each.
    Round {
        /// Trials to come beyond those told of before.
        trials: usize,
    },
    /// A codec trial ended.
    CodecTrial {
        /// The trial.
        record: &'a CodecTrialRecord,
        /// Whether it will be repeated.
        again: bool,
    },
    /// A message trial ended.
    Trial {
        /// The trial.
        record: &'a TrialRecord,
        /// Median latency of its delivered messages.
        median_latency_ns: Option<i64>,
        /// Whether it will be repeated.
        again: bool,
    },
}

/// A finished run.
pub struct FinishedRun {
    /// Where it is.
    pub folder: RunFolder,
    /// What it found.
    pub summary: Summary,
    /// What ended it before its last trial, beside the user.
    pub broke: Option<anyhow::Error>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every cell has something to show.
    Whole,
    /// All trials of a cell are invalid or failed.
    Incomplete,
    /// It was interrupted.
    Interrupted,
}

impl FinishedRun {
    /// How it ended.
    pub fn ending(&self) -> Ending {
        let summary = &self.summary;
        let nothing = |outcomes: &Outcomes| outcomes.complete + outcomes.overloaded == 0;
        let messages = summary.cells.iter().map(|cell| &cell.outcomes);
        let mut outcomes = messages.chain(summary.codecs.iter().map(|codec| &codec.outcomes));
        if !summary.run.complete {
            Ending::Interrupted
        } else if outcomes.any(nothing) {
            Ending::Incomplete
        } else {
            Ending::Whole
        }
    }
}

/// The runs that a study's thresholds name: what can't be read is known before the first trial.
fn bases(study: &Study) -> anyhow::Result<BTreeMap<String, Summary>> {
    let named = study.threshold.iter().filter_map(|threshold| threshold.than.clone());
    let read = |folder: String| {
        let summary = RunFolder::open(Path::new(&folder))
            .and_then(|run| run.read_summary())
            .with_context(|| format!("the run that a threshold of `{}` names", study.name))?;
        Ok((folder, summary))
    };
    named.map(read).collect()
}

/// Where a run of a study goes unless something else is said: `<date>-<study>` below a folder of runs, with a number behind it
/// where that exists.
pub fn free_folder(runs: &Path, study: &str) -> PathBuf {
    let base = format!("{}-{study}", jiff::Timestamp::now().strftime("%Y-%m-%d"));
    let mut path = runs.join(&base);
    let mut number = 2;
    while path.exists() {
        path = runs.join(format!("{base}-{number}"));
        number += 1;
    }
    path
}

/// A run before its first trial: everything is known, nothing has been started.
pub struct PreparedRun {
    request: RunRequest,
    /// What there is.
    pub known: Known,
    payloads: Vec<Payload>,
    /// The trials.
    pub plan: Plan,
    links: HashMap<LinkId, LinkSpec>,
    servings: Servings,
    /// Why messages of a payload can only be counted, with and without a dictionary.
    counted_only: BTreeMap<(PayloadId, bool), String>,
    /// The runs that thresholds name, by folder.
    bases: BTreeMap<String, Summary>,
    notes: Vec<String>,
}

impl PreparedRun {
    /// Makes the plan: opens the payloads, reads the links, finds the brokers, and sorts out what can't be run here.
    ///
    /// # Errors
    /// When the study names something that does not exist, or asks for what contradicts itself.
    pub fn new(mut request: RunRequest) -> anyhow::Result<Self> {
        let payloads = stock::resolve(&mut request.study, &request.source)?;
        let known = stock::known(&payloads)?;
        let StudySource { file, text } = &request.source;
        request.study = request.study.with_options(file, text, &known.transports)?;
        Plan::check(&request.study, &known, &request.only).map_err(anyhow::Error::msg)?;
        let mut plan = Plan::new(&request.study, &known, &request.only);
        if plan.trials.is_empty() && plan.codec_trials.is_empty() && plan.not_run.is_empty() {
            bail!("nothing is left to run: --only takes away every cell of the study");
        }
        let mut links = HashMap::new();
        for id in request.study.axes.link.iter().filter(|id| !id.is_loopback()) {
            links.insert(id.clone(), link(id, &request.injected)?);
        }
        if !request.external.is_empty() && plan.cells.iter().any(|cell| !cell.link.is_loopback()) {
            bail!(
                "--broker names a server on this machine's network, which an emulated link cannot reach: leave \
                 --broker out, or run over loopback with --set link=loopback"
            );
        }
        let mut notes = Vec::new();
        check_modes(&known, &plan.cells)?;
        for protocol in request.external.keys() {
            if !plan.cells.iter().any(|cell| cell.mode.protocol == *protocol) {
                bail!(
                    "--broker {protocol}=...: no mode of the study is of the protocol `{protocol}`; leave it out"
                );
            }
        }
        if let Err(missing) = &request.sandbox.rights().network_namespaces
            && plan
                .without(|cell| !cell.link.is_loopback(), &format!("no link can be emulated here: {missing}"))
        {
            notes.push(format!("No link can be emulated on this machine: {missing}."));
        }
        for (protocol, why) in lacking(&plan.cells) {
            plan.without(|cell| cell.mode.protocol == protocol, &why);
            notes.push(format!("Nothing was sent over {protocol}: {why}."));
        }
        let wanted: BTreeSet<_> = plan.cells.iter().map(served_by).collect();
        let (servings, unserved) = choose(&known, &request.external, wanted)?;
        for (of, why) in unserved {
            plan.without(|cell| served_by(cell) == of, &why);
            let by = of.1.as_ref().map_or_else(String::new, |broker| format!(" by {broker}"));
            notes.push(format!("Nothing was sent over {}{by}: {why}.", of.0));
        }
        let counted_only = counted_only(&request.study, &payloads, &plan.cells)?;
        let bases = bases(&request.study)?;
        let mut run =
            PreparedRun { request, known, payloads, plan, links, servings, counted_only, bases, notes };
        run.notes.extend(run.told_of_counting());
        Ok(run)
    }

    /// Why the messages of a cell can only be counted, where that is so.
    pub fn counted_only(&self, cell: &Cell) -> Option<&str> {
        self.counted_only.get(&(cell.payload.clone(), cell.compression.dictionary)).map(String::as_str)
    }

    /// Of each payload whose messages are only counted, that they are and why.
    fn told_of_counting(&self) -> Vec<String> {
        let mut told = Vec::new();
        for cell in &self.plan.cells {
            let said = self.counted_only(cell).map(|why| {
                format!(
                    "Messages of `{}` are only counted, without latency, copies and order: {why}.",
                    cell.payload
                )
            });
            told.extend(said.filter(|said| !told.contains(said)));
        }
        told
    }

    /// What the trials need of runners.
    pub fn needs(&self) -> Needs<'_> {
        let RunRequest { study, external, .. } = &self.request;
        Needs { study, known: &self.known, payloads: &self.payloads, plan: &self.plan, external }
    }

    /// Builds or makes ready the runners that are missing, and hands out the payloads. `program` is this one.
    ///
    /// # Errors
    /// When something stands in the run folder, a runner can't be had, or samples are broken.
    pub fn provide(
        &self,
        stock: &Stock,
        program: PathBuf,
        tell: &mut dyn FnMut(Step),
    ) -> anyhow::Result<Runners> {
        // Asked again when the folder is made; here so that nobody waits for runners first.
        if !self.request.resumes {
            RunFolder::check_free(&self.request.folder)?;
        }
        let RunRequest { study, sandbox, interrupt, .. } = &self.request;
        let provided = self.needs().provide(stock, sandbox, interrupt, tell)?;
        let messages = study.load.as_ref().map_or(1, conduct::samples_of);
        let wanted = Wanted {
            samples: study.codec_trials.samples.max(messages) as usize,
            dictionary: study.axes.compression.iter().any(|id| id.dictionary),
        };
        let mut runners = Runners::of(program)?.burdened(self.request.injected.burdens_per_mille.clone());
        for (payload, programs) in provided {
            runners.add(payload, programs, wanted)?;
        }
        Ok(runners)
    }

    /// The run folder to be made, or gone on with.
    pub fn folder(&self) -> &Path {
        &self.request.folder
    }

    /// The study, after `--set`.
    pub fn study(&self) -> &Study {
        &self.request.study
    }

    /// Lanes at most.
    pub fn lanes(&self) -> u32 {
        let loopback = self.plan.cells.iter().any(|cell| cell.link.is_loopback());
        if loopback {
            // Trials on loopback use the CPU all the time: side by side they would measure each other.
            return 1;
        }
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get());
        let trials = self.plan.trials.len();
        let lanes = most_lanes(self.request.study.trials.lanes, u32::try_from(cpus).unwrap_or(1), trials);
        let kept = self.kept();
        if kept.is_empty() {
            return lanes;
        }
        let of_a_lane = kept.into_iter().map(Managed::memory_bytes).sum();
        kept::most_lanes(lanes, of_a_lane, machine::available_memory_bytes())
    }

    /// The brokers that a lane keeps, each once.
    fn kept(&self) -> Vec<&Managed> {
        let mut kept: Vec<&Managed> = Vec::new();
        for serving in self.servings.values() {
            if let Serving::Managed(managed) = serving
                && managed.is_kept()
                && !kept.contains(&managed)
            {
                kept.push(managed);
            }
        }
        kept
    }

    /// About how long it will take, in nanoseconds, without invalid trials and without rounds beyond `repeats`.
    pub fn estimate_ns(&self) -> u64 {
        let study = &self.request.study;
        let round_trip_ns = |link: &LinkId| self.links.get(link).map(|link| link.mean_round_trip().ns);
        let of_trial =
            |planned: &PlannedTrial| Plan::trial_estimate_ns(study, round_trip_ns(&planned.cell.link));
        let messages = self.plan.trials.iter().map(of_trial).sum::<u64>() / u64::from(self.lanes());
        messages + self.brokers_estimate_ns() + self.plan.codec_estimate_ns(study)
    }

    /// About how long it takes until the brokers that lanes keep have started, all lanes at once, and are warm in every mode.
    fn brokers_estimate_ns(&self) -> u64 {
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u64);
        let start_ns: u64 = self.kept().into_iter().map(Managed::start_ns).sum();
        let side_by_side = u64::from(self.lanes()).div_ceil(cpus);
        let modes: BTreeSet<_> = self.plan.cells.iter().map(|cell| (&cell.mode, &cell.broker)).collect();
        let warm_ns = |(mode, broker): &(&ModeId, &Option<BrokerId>)| {
            let served = (mode.protocol.clone(), (*broker).clone());
            self.servings.get(&served).map_or(0, conduct::warming_ns)
        };
        start_ns * side_by_side + modes.iter().map(warm_ns).sum::<u64>()
    }

    /// Carries out the run.
    ///
    /// # Errors
    /// When the run folder can't be written or a lane can't be made. A trial that fails is a row in the results.
    pub fn carry_out(
        self,
        runners: &Runners,
        observe: &(dyn Fn(Event<'_>) + Sync),
    ) -> anyhow::Result<FinishedRun> {
        let begun = Instant::now();
        let mut environment = environment::read(rights(&self.request.sandbox));
        environment.builds = runners.builds().cloned().collect();
        let (folder, asked) = self.begun(&mut environment)?;
        let _hold = folder.hold()?;
        let (before, retries) = (folder.read_trials()?, self.request.study.trials.retries);
        let done = Done::of(&before);
        let codec_trials = done.codecs_left(self.plan.codec_trials.iter().cloned(), retries);
        let message_trials = done.left(self.plan.trials.iter().cloned(), retries);
        let lanes = self.lanes();
        observe(Event::Planned {
            codec_trials: codec_trials.len(),
            trials: message_trials.len(),
            lanes,
            estimate_ns: self.estimate_ns(),
        });
        let stand = Stand {
            timer_resolution_ns: environment.timer_resolution_ns,
            cpus_online: environment.cpus_online,
        };
        let progress = Progress { folder: &folder, done: &done, before: &before, runners, stand, observe };
        let made = self.codec_trials(codec_trials, &progress).and_then(|first| {
            let any = !self.plan.trials.is_empty();
            any.then(|| self.trials(message_trials, lanes, first, &progress)).transpose()
        });
        let (lanes, broke) = match made {
            Ok(most_in_flight) => (most_in_flight.unwrap_or_default(), None),
            Err(error) => (0, Some(error)),
        };
        let part = Part {
            duration_ns: u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
            lanes,
            complete: !self.request.interrupt.is_set() && broke.is_none(),
        };
        // What broke is the news, whatever becomes of the summary.
        match (self.conclude(folder, &asked, environment, part), broke) {
            (Ok(finished), broke) => Ok(FinishedRun { broke, ..finished }),
            (Err(_), Some(broke)) => Err(broke),
            (Err(error), None) => Err(error),
        }
    }

    /// What a run that was cut off has so far: its summary, from the trials alone.
    ///
    /// # Errors
    /// When the folder holds no such run, or somebody writes it.
    pub fn so_far(&self) -> anyhow::Result<FinishedRun> {
        let folder = RunFolder::reopen(&self.request.folder)?;
        let _hold = folder.hold()?;
        let (asked, environment) = (folder.read_request::<Asked>()?, folder.read_environment()?);
        self.conclude(folder, &asked, environment, Part { duration_ns: 0, lanes: 0, complete: false })
    }

    /// Puts together what the trials say, and the trials into their files where they are all there.
    fn conclude(
        &self,
        folder: RunFolder,
        asked: &Asked,
        environment: Environment,
        part: Part,
    ) -> anyhow::Result<FinishedRun> {
        let trials = folder.read_trials()?;
        let info = RunInfo {
            id: folder.id(),
            version: asked.version.clone(),
            started: asked.started.clone(),
            duration_ns: part.duration_ns,
            lanes: part.lanes,
            utilisation: mean_utilisation(&trials),
            steal: mean_steal(&trials),
            complete: part.complete,
        };
        let mut summary = self.summary(info, environment, &trials);
        if !asked.resumed.is_empty() {
            summary.notes.push(told_of_resuming(&asked.resumed));
        }
        if self.request.written.capture {
            let made = summary.cells.iter_mut().flat_map(|cell| &mut cell.made);
            made.for_each(|one| one.capture = folder.has_capture(one.trial));
        }
        summary.effects = wiredyno_answers::effects(&summary);
        let mut stored = |folder: &str| {
            self.bases
                .get(folder)
                .cloned()
                .ok_or_else(|| format!("{folder} was not read; please report this"))
        };
        summary.thresholds =
            wiredyno_answers::threshold::judge(&summary, &mut stored).map_err(anyhow::Error::msg)?;
        folder.write_summary(&summary)?;
        if part.complete {
            folder.compact()?;
        }
        Ok(FinishedRun { folder, summary, broke: None })
    }

    /// The run folder, new or gone on with, and what the run was asked for. Of one that goes on, `environment` becomes what it was at
    /// the beginning.
    fn begun(&self, environment: &mut Environment) -> anyhow::Result<(RunFolder, Asked)> {
        let RunRequest { study, written, folder: path, resumes, .. } = &self.request;
        let now = format!("{:.0}", jiff::Timestamp::now());
        let inputs = self.depends_on(environment);
        if !resumes {
            let asked = Asked {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                written: written.clone(),
                started: now,
                resumed: Vec::new(),
                inputs,
            };
            return Ok((RunFolder::create(path, study, environment, &asked)?, asked));
        }
        let folder = RunFolder::reopen(path)?;
        let mut asked: Asked = folder.read_request()?;
        let then = folder.read_environment()?;
        let differences = asked.differences((&then, environment), &inputs);
        if !differences.is_empty() {
            bail!(
                "{} can't go on: what it measures is not what it was, and its trials could not be compared\n  {}\nput it back as it \
                 was, or start a new run",
                path.display(),
                differences.join("\n  ")
            );
        }
        asked.resumed.push(now);
        folder.write_request(&asked)?;
        *environment = then;
        Ok((folder, asked))
    }

    /// What the figures depend on: digests of payloads and links, keys of runners, versions of brokers.
    fn depends_on(&self, environment: &Environment) -> BTreeMap<String, String> {
        let builds = environment.builds.iter();
        let mut inputs = self.inputs();
        let study = toml::to_string(&self.request.study).unwrap_or_default();
        inputs.insert("the study".to_owned(), wiredyno_payloads::digest(study.as_bytes()));
        inputs.extend(builds.map(|build| {
            let codecs: Vec<String> = build.codecs.iter().map(ToString::to_string).collect();
            (format!("runner of {} with {}", build.payload, codecs.join(", ")), build.build.clone())
        }));
        inputs.extend(self.servings.iter().filter_map(|((protocol, _), serving)| match serving {
            Serving::Managed(managed) => {
                let broker = &managed.folder.broker.id;
                Some((format!("broker {broker} of {protocol}"), managed.version.clone()))
            }
            Serving::Runner { .. } | Serving::External(_) => None,
        }));
        inputs
    }

    /// Codec trials, one after the other. Returns the number of the next trial.
    fn codec_trials(&self, trials: Vec<PlannedCodecTrial>, progress: &Progress<'_>) -> anyhow::Result<u32> {
        let Progress { folder, done, before, runners, stand, observe } = *progress;
        let request = &self.request;
        let study = &request.study;
        let mut rounds = Rounds::after_first(self.rule(Scope::Codec));
        if let (Some(metric), Some(last)) = (rounds.metric().map(str::to_owned), done.last_codec_repeat()) {
            for record in before.codecs.iter().filter(|record| record.is_complete()) {
                if let Some(value) = codec_value(&metric, record) {
                    rounds.add(record.cell.clone(), value);
                }
            }
            rounds.go_on_at(last);
        }
        let mut waiting = VecDeque::from(trials);
        let mut number = done.next_number;
        let conductor = CodecConductor {
            settings: &study.codec_trials,
            limits: &study.limits,
            stand,
            runners,
            sandbox: &request.sandbox,
            interrupt: &request.interrupt,
        };
        loop {
            let Some(planned) = waiting.pop_front() else {
                let Some((repeat, open)) = rounds.next_round() else { break };
                observe(Event::Round { trials: open.len() });
                let round = codec_round(study, open.into_iter().collect(), repeat);
                waiting.extend(done.codecs_left(round, study.trials.retries));
                continue;
            };
            let Some(record) = conductor.conduct(number, &planned) else { break };
            number += 1;
            folder.add_codec_trial(&record)?;
            let again = record.outcome() == Outcome::Invalid && planned.attempt < study.trials.retries;
            observe(Event::CodecTrial { record: &record, again });
            let value = rounds
                .metric()
                .filter(|_| record.is_complete())
                .and_then(|metric| codec_value(metric, &record));
            if let Some(value) = value {
                rounds.add(planned.cell.clone(), value);
            }
            waiting.extend(again.then(|| PlannedCodecTrial { attempt: planned.attempt + 1, ..planned }));
        }
        Ok(number)
    }

    /// The study's stopping rule, where its metric is one of this scope.
    fn rule(&self, scope: Scope) -> Option<Stopping> {
        let stopping = Stopping::of(&self.request.study.trials)?;
        metric::find(scope, &stopping.metric).is_some().then_some(stopping)
    }

    /// Message trials, in lanes, numbered from `first`. Returns how many were in flight at most.
    fn trials(
        &self,
        trials: Vec<PlannedTrial>,
        lanes: u32,
        first: u32,
        progress: &Progress<'_>,
    ) -> anyhow::Result<u32> {
        let Progress { folder, done, before, runners, stand, observe } = *progress;
        let study = &self.request.study;
        let adaptive = study.trials.lanes == wiredyno_model::Lanes::Auto;
        let mut rounds = Rounds::after_first(self.rule(Scope::Message));
        if let (Some(metric), Some(last)) = (rounds.metric().map(str::to_owned), done.last_repeat()) {
            for trial in before.messages.iter().filter(|trial| trial.record.is_complete()) {
                let cell = self.plan.cells.iter().position(|cell| *cell == trial.record.cell);
                if let Some((cell, value)) = cell.zip(message_value(&metric, trial, &study.hosts)) {
                    rounds.add(cell, value);
                }
            }
            rounds.go_on_at(last);
        }
        let rounds = Mutex::new(rounds);
        let more = || {
            loop {
                let next = rounds.lock().unwrap_or_else(PoisonError::into_inner).next_round();
                let Some((repeat, open)) = next else { return Vec::new() };
                let round = message_round(study, &self.plan.cells, |cell| open.contains(&cell), repeat);
                let left = done.left(round, study.trials.retries);
                if !left.is_empty() {
                    observe(Event::Round { trials: left.len() });
                    return left;
                }
            }
        };
        let lanes_of = LanesOf {
            queue: Queue::new(trials, lanes, adaptive, more),
            rounds: &rounds,
            numbers: AtomicU32::new(first),
            started: Gate::for_lanes(lanes),
            folder,
            runners,
            stand,
            observe,
        };
        let failed: Mutex<Option<anyhow::Error>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for index in 0..lanes {
                let (lanes_of, failed) = (&lanes_of, &failed);
                scope.spawn(move || {
                    let work = AssertUnwindSafe(|| self.work(index, lanes_of));
                    let worked = std::panic::catch_unwind(work).unwrap_or_else(|panic| {
                        Err(anyhow!(
                            "lane {index}: a mistake in this program, please report it: {}",
                            said(&*panic)
                        ))
                    });
                    if let Err(error) = worked {
                        self.request.interrupt.set();
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                });
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(lanes_of.queue.most_in_flight()),
        }
    }

    /// One lane: takes trials until none is left. Its hosts are made when its first trial comes.
    fn work(&self, index: u32, shared: &LanesOf<'_>) -> anyhow::Result<()> {
        let LanesOf { queue, rounds, numbers, folder, runners, stand, observe, started } = shared;
        let request = &self.request;
        let conductor = Conductor {
            study: &request.study,
            runners,
            sandbox: &request.sandbox,
            interrupt: &request.interrupt,
            stand: *stand,
        };
        let spawn = || {
            let lane = Lane::spawn(runners.program(), index as usize, &request.sandbox);
            lane.with_context(|| format!("lane {index}"))
        };
        // Brokers that take seconds of both processors start before any trial, on all lanes.
        let pass = started.pass();
        let needs_link = self.plan.cells.iter().any(|cell| !cell.link.is_loopback());
        let first = (needs_link && !self.kept().is_empty()).then(spawn).transpose();
        let (on_link, on_loopback) = (LaneBrokers::new(true), LaneBrokers::new(false));
        let brokers = if needs_link { &on_link } else { &on_loopback };
        if let Ok(lane) = &first {
            let host = lane.as_ref().map(|lane| lane.host(request.study.hosts.broker));
            brokers.start(&self.kept(), host.as_ref(), &request.sandbox, &request.interrupt);
        }
        pass.wait();
        let mut lane = first?;
        while let Some((planned, lanes_in_use)) = queue.take(&request.interrupt) {
            let link = self.link_of(&planned.cell);
            if link.is_some() && lane.is_none() {
                lane = Some(spawn()?);
            }
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            let protocol = &planned.cell.mode.protocol;
            let (Some(transport), Some(serving)) =
                (transport_for(&self.known, protocol), self.servings.get(&served_by(&planned.cell)))
            else {
                bail!("no client or server for `{protocol}`");
            };
            let trial = conductor.conduct(&Assignment {
                number,
                planned: &planned,
                lane_index: index,
                lane: lane.as_ref().zip(link.as_ref()),
                transport,
                serving,
                brokers: if link.is_some() { &on_link } else { &on_loopback },
                lanes_in_use,
                counted_only: self.counted_only(&planned.cell),
                capture: (request.written.capture && link.is_some())
                    .then(|| folder.capture(number))
                    .transpose()?,
            });
            let Some(trial) = trial else {
                queue.finish(None);
                break;
            };
            folder.add_message_trial(&trial)?;
            let outcome = trial.record.outcome();
            let again = outcome == Outcome::Invalid && planned.attempt < request.study.trials.retries;
            let median_latency_ns = median_latency(&trial);
            observe(Event::Trial { record: &trial.record, median_latency_ns, again });
            if outcome == Outcome::Complete {
                let mut rounds = rounds.lock().unwrap_or_else(PoisonError::into_inner);
                let value =
                    rounds.metric().and_then(|metric| message_value(metric, &trial, &request.study.hosts));
                if let Some(value) = value {
                    rounds.add(planned.cell_index, value);
                }
            }
            queue.finish(again.then(|| PlannedTrial { attempt: planned.attempt + 1, ..planned.clone() }));
        }
        Ok(())
    }

    fn link_of(&self, cell: &Cell) -> Option<LinkSpec> {
        let link = self.links.get(&cell.link)?.clone();
        Some(match cell.loss {
            Some(loss) => link.with_loss(loss.get()),
            None => link,
        })
    }

    fn summary(&self, run: RunInfo, environment: Environment, trials: &RunTrials) -> Summary {
        let study = &self.request.study;
        let seed = study.trials.seed;
        let (message_rule, codec_rule) = (self.rule(Scope::Message), self.rule(Scope::Codec));
        let cells = self.plan.cells.iter().map(|cell| {
            let of_cell: Vec<&MessageTrial> =
                trials.messages.iter().filter(|t| t.record.cell == *cell).collect();
            let stopped = message_rule.as_ref().and_then(|rule| {
                let valid = of_cell.iter().filter(|trial| trial.record.is_complete());
                let values: Vec<f64> =
                    valid.filter_map(|trial| message_value(&rule.metric, trial, &study.hosts)).collect();
                rule.outcome(&values, run.complete)
            });
            summarise::message_cell(cell, &of_cell, &study.hosts, seed, stopped)
        });
        let mut codec_cells: Vec<_> =
            self.plan.codec_trials.iter().map(|planned| planned.cell.clone()).collect();
        // Compressions in the study's order, so that `none` stands where it was put.
        let place = |cell: &CodecCell| study.axes.compression.iter().position(|id| *id == cell.compression);
        codec_cells.sort_by(|a, b| (&a.payload, &a.codec, place(a)).cmp(&(&b.payload, &b.codec, place(b))));
        codec_cells.dedup();
        let codecs = codec_cells.iter().map(|cell| {
            let of_cell: Vec<&CodecTrialRecord> = trials.codecs.iter().filter(|t| t.cell == *cell).collect();
            let stopped = codec_rule.as_ref().and_then(|rule| {
                let valid = of_cell.iter().filter(|trial| trial.is_complete());
                let values: Vec<f64> = valid.filter_map(|trial| codec_value(&rule.metric, trial)).collect();
                rule.outcome(&values, run.complete)
            });
            summarise::codec_cell(cell, &of_cell, seed, stopped)
        });
        let used_codec = |id| study.axes.codec.contains(id);
        let used_method = |method: &str| {
            study.axes.compresses() && study.axes.compression.iter().any(|id| id.method == method)
        };
        let used_protocol = |protocol: &str| study.axes.mode.iter().any(|mode| mode.protocol == protocol);
        Summary {
            schema: SUMMARY_SCHEMA,
            codecs_described: self.known.codecs.iter().filter(|c| used_codec(&c.id)).cloned().collect(),
            compressions_described: self
                .known
                .compressions
                .iter()
                .filter(|c| used_method(&c.method))
                .cloned()
                .collect(),
            transports_described: self
                .known
                .transports
                .iter()
                .filter(|t| used_protocol(&t.id.protocol))
                .map(|t| match study.transport.get(&t.id.protocol) {
                    Some(options) => t.clone().under(options),
                    None => t.clone(),
                })
                .collect(),
            cells: cells.collect(),
            codecs: codecs.collect(),
            not_run: self.plan.not_run.clone(),
            notes: self.notes(&run, &environment),
            effects: Vec::new(),
            inputs: self.inputs(),
            thresholds: Vec::new(),
            environment,
            study: study.clone(),
            run,
        }
    }

    /// Digests of what the figures depend on and the study only names.
    fn inputs(&self) -> BTreeMap<String, String> {
        let files = self.payloads.iter().flat_map(|payload| {
            let name = |file: String| format!("payload {} {file}", payload.id());
            payload.folder().digests().into_iter().map(move |(file, digest)| (name(file), digest))
        });
        let links = self.links.iter().filter_map(|(id, link)| {
            let text = serde_json::to_string(link).ok()?;
            Some((format!("link {id}"), wiredyno_payloads::digest(text.as_bytes())))
        });
        files.chain(links).collect()
    }

    fn notes(&self, run: &RunInfo, environment: &Environment) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(environment.builds.iter().filter_map(|build| {
            let (payload, folder, key) = (&build.payload, build.folder.as_ref()?, &build.build);
            Some(format!("`{payload}` is a payload of your own, {folder}, measured by the runner {key}."))
        }));
        let governor = noise::governor();
        if governor != environment.governor {
            notes.push(format!(
                "The frequency governor changed during the run, from {} to {governor}.",
                environment.governor
            ));
        }
        if !run.complete {
            notes.push(
                "The run was interrupted: cells have fewer trials than the study asked for.".to_owned(),
            );
        }
        notes
    }
}

/// The link of that name.
fn link(id: &LinkId, injected: &Injected) -> anyhow::Result<LinkSpec> {
    if let Some(link) = injected.links.get(id) {
        return Ok(link.clone());
    }
    let found = find(Kind::Link, id.as_str())?;
    let path = found.path.clone().unwrap_or_else(|| PathBuf::from(&found.name));
    Ok(LinkSpec::parse(&found.text, &path)?)
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given")
}

/// That a run was cut off, and when it went on.
fn told_of_resuming(at: &[String]) -> String {
    format!(
        "The run was cut off and gone on with at {}: its duration is that of the last part, and the machine may have been another \
         kind of busy in each.",
        at.join(", ")
    )
}

/// What one sitting at a run came to.
struct Part {
    duration_ns: u64,
    lanes: u32,
    complete: bool,
}

/// What a run has and works with.
#[derive(Clone, Copy)]
struct Progress<'a> {
    folder: &'a RunFolder,
    /// What was there before, and how far that comes.
    done: &'a Done,
    before: &'a RunTrials,
    runners: &'a Runners,
    stand: Stand,
    observe: &'a (dyn Fn(Event<'_>) + Sync),
}

/// What the lanes of a run share.
struct LanesOf<'a> {
    queue: Queue<'a, PlannedTrial>,
    rounds: &'a Mutex<Rounds<usize>>,
    numbers: AtomicU32,
    folder: &'a RunFolder,
    runners: &'a Runners,
    stand: Stand,
    observe: &'a (dyn Fn(Event<'_>) + Sync),
    /// Passed by every lane when the brokers that it keeps have started.
    started: Gate,
}

impl Plan {
    /// Takes out cells that can't be run, with the reason. Whether there were any.
    fn without(&mut self, cannot: impl Fn(&Cell) -> bool, why: &str) -> bool {
        let out: Vec<NotRun> = self
            .cells
            .iter()
            .filter(|cell| cannot(cell))
            .map(|cell| NotRun { what: cell.to_string(), why: why.to_owned() })
            .collect();
        let any = !out.is_empty();
        self.not_run.extend(out);
        self.trials.retain(|trial| !cannot(&trial.cell));
        self.cells.retain(|cell| !cannot(cell));
        any
    }
}

/// Why the messages of cells can only be counted, by payload and whether a dictionary is trained.
fn counted_only(
    study: &Study,
    payloads: &[Payload],
    cells: &[Cell],
) -> anyhow::Result<BTreeMap<(PayloadId, bool), String>> {
    let Some(load) = &study.load else { return Ok(BTreeMap::new()) };
    let kinds: BTreeSet<(&PayloadId, bool)> =
        cells.iter().map(|cell| (&cell.payload, cell.compression.dictionary)).collect();
    let mut reasons = BTreeMap::new();
    for (id, dictionary) in kinds {
        let Some(payload) = payloads.iter().find(|payload| payload.id() == id) else { continue };
        if let Some(why) = contents::counted_only(payload, load, dictionary)? {
            reasons.insert((id.clone(), dictionary), why);
        }
    }
    Ok(reasons)
}

/// The protocols of cells whose clients can't be compiled here, with the line that helps.
fn lacking(cells: &[Cell]) -> BTreeMap<String, String> {
    let lack = |protocol: &Protocol| {
        let id = (protocol.describe)().id.protocol;
        let used = cells.iter().any(|cell| cell.mode.protocol == id);
        let lack = used.then(|| protocol.lack()).flatten()?;
        let packages = lack.debian.join(" ");
        Some((
            id,
            format!("its client can't be compiled here, {}: sudo apt-get install {packages}", lack.reason),
        ))
    };
    wiredyno_transports::REGISTRY.iter().filter_map(lack).collect()
}

/// What a cell needs of servers: its protocol, and the broker where one is named.
fn served_by(cell: &Cell) -> (String, Option<BrokerId>) {
    (cell.mode.protocol.clone(), cell.broker.clone())
}

/// Refuses modes that no transport has.
fn check_modes(known: &Known, cells: &[Cell]) -> anyhow::Result<()> {
    for cell in cells {
        let mode = &cell.mode;
        let Some(transport) = transport_for(known, &mode.protocol) else {
            let known = known.transports.iter().map(|transport| transport.id.protocol.as_str());
            let hint = match wiredyno_model::nearest(&mode.protocol, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`wiredyno list protocols` shows what there is".to_owned(),
            };
            bail!("there is no protocol `{}`; {hint}", mode.protocol);
        };
        let settings: Vec<&str> = transport.settings.iter().map(|setting| setting.name.as_str()).collect();
        match mode.setting.as_deref() {
            None if settings.is_empty() => {}
            Some(setting) if settings.contains(&setting) => {}
            _ if settings.is_empty() => bail!("`{mode}`: {} has just one mode, write `{0}`", mode.protocol),
            _ => bail!(
                "`{mode}` is no mode of {}: write one of {}",
                mode.protocol,
                modes(&mode.protocol, &settings)
            ),
        }
    }
    Ok(())
}

fn modes(protocol: &str, settings: &[&str]) -> String {
    settings.iter().map(|setting| format!("`{protocol}:{setting}`")).collect::<Vec<_>>().join(", ")
}

/// What this process may do, in words for the environment.
pub fn rights(sandbox: &Sandbox) -> Vec<String> {
    let rights = sandbox.rights();
    let line = |what: &str, right: Result<(), String>| match right {
        Ok(()) => format!("{what}: yes"),
        Err(missing) => format!("{what}: no ({missing})"),
    };
    let missing = |right: &Result<(), wiredyno_link::sandbox::Missing>| right.clone().map_err(|m| m.what);
    vec![
        line("network namespaces", missing(&rights.network_namespaces)),
        line("PID namespace", missing(&rights.pid_namespace)),
        line("real-time priority for links", missing(&rights.realtime)),
        format!("user namespace: {}", if rights.user_namespace { "yes" } else { "not needed" }),
    ]
}

fn mean_utilisation(trials: &RunTrials) -> f64 {
    let shares: Vec<f64> = trials.messages.iter().map(|trial| trial.record.machine.utilisation).collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

fn mean_steal(trials: &RunTrials) -> f64 {
    let messages = trials.messages.iter().map(|trial| trial.record.machine.steal);
    let shares: Vec<f64> = messages.chain(trials.codecs.iter().map(|trial| trial.machine.steal)).collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

fn median_latency(trial: &MessageTrial) -> Option<i64> {
    let mut latencies: Vec<i64> =
        trial.messages.iter().filter_map(|m| Some(m.received_ns? - m.intended_send_ns)).collect();
    latencies.sort_unstable();
    latencies.get(latencies.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_folder_that_exists_gets_a_number_behind_it() {
        let desk = tempfile::tempdir().unwrap();
        let first = free_folder(desk.path(), "demo");
        assert!(first.display().to_string().ends_with("-demo"), "{}", first.display());
        std::fs::create_dir(&first).unwrap();
        let second = free_folder(desk.path(), "demo");
        assert_eq!(second.display().to_string(), format!("{}-2", first.display()));
        std::fs::create_dir(&second).unwrap();
        assert_eq!(free_folder(desk.path(), "demo").display().to_string(), format!("{}-3", first.display()));
    }
}
