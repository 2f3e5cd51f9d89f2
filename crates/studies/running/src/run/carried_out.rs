//! A run from its folder to its summary.

use std::collections::BTreeMap;
use std::time::Instant;

use wiredyno_conducting::live::Live;
use wiredyno_conducting::validity::Stand;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Records;
use wiredyno_model::summary::{Environment, RunInfo};
use wiredyno_model::trial::TrialRecord;
use wiredyno_planning::resume::{Asked, Done};
use wiredyno_seats::database::{Database, DatabaseError};
use wiredyno_seats::runners::Runners;
use wiredyno_seats::serving::{Served, Serving};
use wiredyno_store::{Hold, RunFolder, RunRecords};

use super::lanes::caught;
use super::trials::Resources;
use super::{Event, FinishedRun, PreparedRun, RunError, RunRequest};
use crate::environment;

impl PreparedRun {
    /// Executes the run.
    ///
    /// # Errors
    /// When the run folder can't be written or a lane can't be created. A trial that fails is a row in the results.
    pub fn carry_out(
        self,
        runners: &Runners,
        observe: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<FinishedRun, RunError> {
        let begun = Instant::now();
        let mut environment = environment::read(rights(&self.request.sandbox), self.request.commit);
        environment.builds = runners.builds().cloned().collect();
        environment.agents = self.request.agents.iter().flat_map(|agents| agents.machines.clone()).collect();
        let (folder, _hold, asked) = self.begun(&mut environment)?;
        let (before, retries) = (folder.read_records()?, self.request.study.trials.retries);
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
        observe(Event::Plan { plan: &self.plan, before: &before });
        let stand = Stand {
            timer_resolution_ns: environment.timer_resolution_ns,
            cpus_online: environment.cpus_online,
        };
        let database = self.database(runners)?;
        let made = watched(self.request.live, observe, |live| {
            let progress = Resources {
                folder: &folder,
                done: &done,
                before: &before,
                runners,
                database: database.as_ref(),
                stand,
                live,
                observe,
            };
            // A panic of this thread ends the run, as one of a lane does.
            let codecs = caught(|| self.codec_trials(codec_trials, &progress));
            codecs.and_then(|first| self.message_trials(message_trials, lanes, first, &progress))
        });
        drop(database);
        let (lanes, broke) = match made {
            Ok(most_in_flight) => (most_in_flight, None),
            Err(error) => (0, Some(error)),
        };
        let part = Part {
            duration_ns: u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
            lanes,
            complete: !self.request.interrupt.is_set() && broke.is_none(),
        };
        // What broke is reported first, whatever happens to the summary.
        match (self.conclude(folder, &asked, environment, part), broke) {
            (Ok(finished), broke) => Ok(FinishedRun { broke, ..finished }),
            (Err(_), Some(broke)) => Err(broke),
            (Err(error), None) => Err(error),
        }
    }

    /// The database of the run, with the records of all cells that read any; `None` if no cell does, or if the user interrupts
    /// the run.
    fn database(&self, runners: &Runners) -> Result<Option<Database>, RunError> {
        let mut cells = self.plan.cells.iter().filter(|cell| cell.records == Some(Records::Postgresql));
        let Some(first) = cells.next() else { return Ok(None) };
        let RunRequest { sandbox, interrupt, .. } = &self.request;
        let mut database = match Database::start(sandbox, interrupt) {
            Err(DatabaseError::Interrupted) => return Ok(None),
            started => started?,
        };
        for cell in std::iter::once(first).chain(cells) {
            database.add(&runners.source(&cell.payload, &cell.compression)?.samples)?;
        }
        Ok(Some(database))
    }

    /// What an interrupted run has so far: its summary, only from the trials. For one that is [`PreparedRun::to_read`].
    ///
    /// # Errors
    /// When the folder has no such run, or another process writes it.
    pub fn so_far(&self) -> Result<FinishedRun, RunError> {
        let folder = RunFolder::reopen(&self.request.folder)?;
        let _hold = folder.hold()?;
        let (asked, environment) = (folder.read_request::<Asked>()?, folder.read_environment()?);
        self.conclude(folder, &asked, environment, Part { duration_ns: 0, lanes: 0, complete: false })
    }

    /// Summarises the trials, and merges them into their files if all are there.
    fn conclude(
        &self,
        folder: RunFolder,
        asked: &Asked,
        environment: Environment,
        part: Part,
    ) -> Result<FinishedRun, RunError> {
        let trials = folder.read_records()?;
        if self.request.written.capture {
            let messages = trials.messages.iter().map(|record| record.trial);
            folder.keep_captures_of(&messages.collect())?;
        }
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
        let mut summary = self.summary(info, environment, &folder, &trials)?;
        if !asked.resumed.is_empty() {
            summary.notes.push(told_of_resuming(&asked.resumed));
        }
        if self.request.written.capture {
            let captures = folder.captures();
            let made = summary.cells.iter_mut().flat_map(|cell| &mut cell.made);
            made.for_each(|one| one.capture = captures.get(&one.trial).cloned());
        }
        summary.effects = wiredyno_answers::effects(&summary);
        summary.knees = wiredyno_answers::knees(&summary);
        let mut stored = |folder: &str| {
            self.bases
                .get(folder)
                .cloned()
                .ok_or_else(|| format!("{folder} was not read; please report this"))
        };
        summary.thresholds =
            wiredyno_answers::threshold::judge(&summary, &mut stored).map_err(RunError::Threshold)?;
        folder.write_summary(&summary)?;
        if part.complete {
            folder.compact()?;
        }
        Ok(FinishedRun { folder, summary, broke: None })
    }

    /// The run folder, new or resumed, with the right to write it, and what was requested. For a resumed run, `environment` becomes that of
    /// its beginning.
    fn begun(&self, environment: &mut Environment) -> Result<(RunFolder, Hold, Asked), RunError> {
        let RunRequest { study, written, folder: path, resumes, .. } = &self.request;
        let now = format!("{:.0}", jiff::Timestamp::now());
        let inputs = self.depends_on(environment);
        let study_text = toml::to_string(study)?;
        if !resumes {
            let asked = Asked {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                written: written.clone(),
                started: now,
                resumed: Vec::new(),
                study: study_text,
                inputs,
                left_out: self.plan.left_out.clone(),
                notes: self.notes.clone(),
            };
            let (folder, hold) = RunFolder::create(path, study, environment, &asked)?;
            return Ok((folder, hold, asked));
        }
        let hold = RunFolder::reopen(path)?.hold()?;
        // The run may have been finished by the previous holder.
        let folder = RunFolder::reopen(path)?;
        let mut asked: Asked = folder.read_request()?;
        let then = folder.read_environment()?;
        let differences = asked.differences((&then, environment), (&study_text, &inputs));
        if !differences.is_empty() {
            return Err(RunError::Changed { folder: path.clone(), differences });
        }
        asked.resumed.push(now);
        folder.write_request(&asked)?;
        *environment = then;
        Ok((folder, hold, asked))
    }

    /// What the figures depend on: digests of payloads and links, keys of runners, versions of brokers.
    fn depends_on(&self, environment: &Environment) -> BTreeMap<String, String> {
        let builds = environment.builds.iter();
        let mut inputs = self.inputs();
        inputs.extend(builds.map(|build| {
            let codecs: Vec<String> = build.codecs.iter().map(ToString::to_string).collect();
            (format!("runner of {} with {}", build.payload, codecs.join(", ")), build.build.clone())
        }));
        inputs.extend(self.servings.iter().filter_map(|(Served { protocol, .. }, serving)| match serving {
            Serving::Managed(managed) => {
                let broker = &managed.folder.broker.id;
                Some((format!("broker {broker} of {protocol}"), managed.version.clone()))
            }
            Serving::Runner { .. } | Serving::External(_) | Serving::Peer => None,
        }));
        inputs
    }
}

/// The note that a run was interrupted, and when it was resumed.
fn told_of_resuming(at: &[String]) -> String {
    format!(
        "The run was interrupted and resumed at {}: its duration is that of the last part, and the machine's load may differ \
         between parts.",
        at.join(", ")
    )
}

/// The result of one part of a run, from its start or a resumption to its end or interruption.
struct Part {
    duration_ns: u64,
    lanes: u32,
    complete: bool,
}

/// The permissions of this process, in words for the environment.
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

fn mean_utilisation(trials: &RunRecords) -> f64 {
    let shares: Vec<f64> = trials.messages.iter().map(TrialRecord::utilisation).collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

fn mean_steal(trials: &RunRecords) -> f64 {
    let messages = trials.messages.iter().map(TrialRecord::steal);
    let shares: Vec<f64> = messages.chain(trials.codecs.iter().map(|trial| trial.machine.steal)).collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

/// Does the work of a run while a thread reads what its trials do, if they are to be watched and there is one.
fn watched<T>(
    wanted: bool,
    observe: &(dyn Fn(Event<'_>) + Sync),
    work: impl FnOnce(Option<&Live>) -> T,
) -> T {
    if !wanted {
        return work(None);
    }
    let (live, sampler) = Live::begin();
    std::thread::scope(|scope| {
        let tell = move || sampler.run(&|trials| observe(Event::Live { trials }));
        let reading = std::thread::Builder::new().name("live".into()).spawn_scoped(scope, tell);
        // Dropped before the thread is waited for, which ends then.
        let live = reading.is_ok().then_some(live);
        work(live.as_ref())
    })
}
