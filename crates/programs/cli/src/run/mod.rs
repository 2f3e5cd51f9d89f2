//! `wiredyno run`: carries out a study. One file because its options are one command line, and each is read here.

pub mod agents_file;
mod dry_run;
pub mod fleet;
mod held;
pub mod meeting;
pub mod standing;
mod told;
mod whereabouts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use wiredyno_answers::threshold;
use wiredyno_contract::Span;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Study;
use wiredyno_model::summary::ThresholdVerdict;
use wiredyno_planning::resume::{Asked, Written};
use wiredyno_planning::source::StudySource;
use wiredyno_planning::stock::Stock;
use wiredyno_planning::study::{self, Reduced};
use wiredyno_report::Format;
use wiredyno_running::run::{
    Ending, FinishedRun, PreparedRun, RunAgents, RunRequest, claim_folder, free_folder, no_figure,
};
use wiredyno_seats::interrupt::{Interrupt, Over};
use wiredyno_seats::runners::Injected;
use wiredyno_seats::serving::External;
use wiredyno_store::RunFolder;

use crate::building::Building;
use crate::output::errln;
use crate::progress::TrialsBar;
use crate::progress_lines::ProgressLines;
use crate::terminal;
use crate::{broker, exit, failure, interrupts, runner};

use self::agents_file::AgentsFile;
use self::meeting::{Used, met};
use self::told::{broken, tell_claims, tell_how_to_go_on, tell_plan, tell_results};

/// The default parent of run folders.
const RUNS: &str = "runs";

/// The commit that the program was built from.
pub const COMMIT: &str = env!("WIREDYNO_COMMIT");

#[derive(clap::Args)]
pub struct Arguments {
    /// The study: an id from `wiredyno list studies`, or a file
    #[arg(required_unless_present = "resume")]
    study: Option<String>,
    /// Continue the interrupted run in this folder: missing trials run with the original settings
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["study", "out", "set", "only", "broker", "dry_run", "capture", "keylog", "fast", "decisive"])]
    resume: Option<PathBuf>,
    /// The run folder to create [default: runs/<date>-<study>]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Replace values of the study: an axis (`codec=json/serde-json,protobuf/prost`; without a value it is removed) or any key
    /// (`trials.repeats=2`)
    #[arg(long, value_name = "AXIS=VALUE,...")]
    set: Vec<String>,
    /// Run the study faster, as its [fast] section says; the report lists what differs
    #[arg(long)]
    fast: bool,
    /// Run only the cells that decide the study's published claims, as it names them; the plan says which claims they can judge
    #[arg(long)]
    decisive: bool,
    /// Keep only these cells of the study
    #[arg(long, value_name = "AXIS=VALUE,...")]
    only: Vec<String>,
    /// Use a broker that is already running, over loopback links only: PROTOCOL=[SCHEME://][USER@]HOST[:PORT], with TLS if the
    /// scheme says so (mqtts://, amqps://, ssl://). Password and CA come from WIREDYNO_BROKER_PASSWORD[_FILE] and
    /// WIREDYNO_BROKER_CA_FILE
    #[arg(long, value_name = "PROTOCOL=ADDRESS")]
    broker: Vec<String>,
    /// Run hosts of the study on other machines, as this file says (docs/AGENTS.md): they talk over the network between them, the link
    /// `real`, in place of the study's links and losses
    #[arg(long, value_name = "FILE", conflicts_with = "broker")]
    agents: Option<PathBuf>,
    /// The same, but this command starts the agents on their machines by ssh, Slurm or Kubernetes, and removes them at the end (docs/FLEET.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agents", "broker"])]
    fleet: Option<PathBuf>,
    /// Print the number of cells, what has to be compiled and how long everything takes, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// Run what fits into this time, for example `10min`, compiling included: first with fewer repeats, then with fewer cells
    #[arg(long, value_name = "SPAN", conflicts_with = "resume")]
    max_time: Option<Span>,
    /// Write every packet into captures/, one pcapng file per trial
    #[arg(long)]
    capture: bool,
    /// Write the keys of encrypted connections next to the captures, one file per trial, for Wireshark. Anyone with both can
    /// read everything
    #[arg(long, requires = "capture")]
    keylog: bool,
    /// Write the results of the study's thresholds as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print summary.json instead of tables; with --dry-run, the plan
    #[arg(long)]
    json: bool,
    /// How to show progress: for people on standard error, or as lines of JSON on standard output instead of tables
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["json", "dry_run"])]
    progress: ProgressFormat,
    /// Show nothing of trials while they run. Showing them costs nothing that our bench can detect; this option avoids even that
    #[arg(long)]
    no_live: bool,
}

/// How progress is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ProgressFormat {
    /// For people, on standard error
    #[default]
    Text,
    /// For programs, as JSON lines on standard output
    Json,
}

/// Runs a study, and where no link can be emulated the study that it names instead (`without_link`).
pub fn main(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &arguments.resume {
        return resumed(folder, &arguments);
    }
    let id = arguments.study.as_deref().unwrap_or_default();
    let &Arguments { fast, decisive, .. } = &arguments;
    let mut settings = arguments.set.clone();
    let (mut study, mut source) = study::find_reduced(id, &settings, Reduced { fast, decisive })?;
    // A plan does not depend on whether the fleet is up.
    let named = if arguments.dry_run { AgentsFile::written } else { AgentsFile::named };
    let named = named(arguments.agents.as_deref(), arguments.fleet.as_deref())?;
    if let Some(file) = &named {
        if let Some(dividing) = file.dividing(&study)? {
            settings.push(dividing);
            (study, source) = study::find_reduced(id, &settings, Reduced { fast, decisive })
                .context("publishers are divided among the agents of their host")?;
        }
        agents_file::over_the_real_network(&mut study);
    }
    let written = Written {
        only: arguments.only.clone(),
        brokers: arguments.broker.clone(),
        capture: arguments.capture,
        keylog: arguments.keylog,
    };
    let (only, external) = (study::only(&written.only)?, external(&written)?);
    let sandbox = runner::enter_sandbox()?;
    let interrupt = interrupts::catch_interrupts()?;
    let agents = named.as_ref().map(AgentsFile::planned);
    let request = |study: Study, source: StudySource, folder: PathBuf| RunRequest {
        study,
        source,
        only: only.clone(),
        folder,
        external: external.clone(),
        agents: agents.clone(),
        written: written.clone(),
        resumes: false,
        injected: Injected::default(),
        sandbox: sandbox.clone(),
        interrupt: interrupt.clone(),
        live: !arguments.no_live,
        commit: COMMIT,
    };
    let stand_in = study::stand_in(&study, sandbox.rights())?;
    let folder = arguments.out.clone().unwrap_or_else(|| free_folder(Path::new(RUNS), &study.name));
    let prepared = match PreparedRun::new(request(study, source, folder)) {
        // Ctrl-C also reaches the runner that is asked for the plan; its end is then expected.
        Err(_) if interrupt.is_set() => return Ok(ExitCode::from(exit::INTERRUPTED)),
        prepared => prepared?,
    };
    let code = one(prepared, &arguments, named.as_ref(), &interrupt)?;
    let Some((stand_in, source)) = stand_in.filter(|_| !interrupt.is_set()) else {
        return Ok(code);
    };
    errln!("\nInstead of what could not be run, the study `{}`:", stand_in.name);
    let beside = match &arguments.out {
        Some(out) => PathBuf::from(format!("{}-{}", out.display(), stand_in.name)),
        None => free_folder(Path::new(RUNS), &stand_in.name),
    };
    one(PreparedRun::new(request(stand_in, source, beside))?, &arguments, None, &interrupt)
}

/// Resumes the run in a folder.
fn resumed(path: &Path, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let named = AgentsFile::named(arguments.agents.as_deref(), arguments.fleet.as_deref())?;
    let sandbox = runner::enter_sandbox()?;
    let interrupt = interrupts::catch_interrupts()?;
    let agents = named.as_ref().map(AgentsFile::planned);
    let prepared = match begun(path, sandbox, &interrupt, agents) {
        Err(_) if interrupt.is_set() => return Ok(ExitCode::from(exit::INTERRUPTED)),
        prepared => prepared?,
    };
    let prepared = if arguments.no_live { prepared.without_live() } else { prepared };
    one(prepared, arguments, named.as_ref(), &interrupt)
}

/// The interrupted run in a folder, with its original settings.
///
/// # Errors
/// When there is none, or something that it names is no longer available.
pub fn begun(
    path: &Path,
    sandbox: Sandbox,
    interrupt: &Interrupt,
    agents: Option<RunAgents>,
) -> anyhow::Result<PreparedRun> {
    let (request, asked) = asked_then(path, sandbox, interrupt)?;
    let mut run = PreparedRun::new(RunRequest { agents, ..request })?;
    run.leave_out_as(&asked);
    Ok(run)
}

/// The same, only for reading.
///
/// # Errors
/// As [`begun`].
pub fn to_read(path: &Path, sandbox: Sandbox) -> anyhow::Result<PreparedRun> {
    let (request, asked) = asked_then(path, sandbox, &Interrupt::default())?;
    Ok(PreparedRun::to_read(request, &asked)?)
}

fn asked_then(path: &Path, sandbox: Sandbox, interrupt: &Interrupt) -> anyhow::Result<(RunRequest, Asked)> {
    let folder = RunFolder::reopen(path)?;
    let asked: Asked = folder.read_request()?;
    let written = asked.written.clone();
    let file = folder.study_file().display().to_string();
    let text = std::fs::read_to_string(&file).with_context(|| file.clone())?;
    let study = Study::parse(&file, &text)?;
    let (only, external) = (study::only(&written.only)?, external(&written)?);
    let request = RunRequest {
        study,
        source: StudySource::of_file(file, text),
        only,
        folder: path.to_owned(),
        external,
        agents: None,
        written,
        resumes: true,
        injected: Injected::default(),
        sandbox,
        interrupt: interrupt.clone(),
        live: true,
        commit: COMMIT,
    };
    Ok((request, asked))
}

/// The external brokers, by protocol.
fn external(written: &Written) -> anyhow::Result<BTreeMap<String, External>> {
    written.brokers.iter().map(|text| broker::parse(text).map_err(failure::wrong)).collect()
}

fn one(
    prepared: PreparedRun,
    arguments: &Arguments,
    named: Option<&AgentsFile>,
    interrupt: &Interrupt,
) -> anyhow::Result<ExitCode> {
    if let Some(file) = &arguments.junit {
        check_parent(file).map_err(failure::wrong)?;
    }
    let within = arguments.max_time.map(|most| Within { most, begun: Instant::now() });
    let stock = Stock::of_user()?;
    // Kept until the run, which is dropped before it, has let its agents go.
    let mut fleet = Used::default();
    let mut prepared = prepared;
    if let Some(within) = &within {
        within.keep(&mut prepared, Span { ns: 0 }, &stock)?;
    }
    if arguments.dry_run {
        tell_plan(&prepared, &stock, arguments)?;
        return Ok(exit::DONE);
    }
    if let Some(named) = named {
        if arguments.progress == ProgressFormat::Json {
            ProgressLines::waiting(named.waited_for(), interrupt);
        }
        match met(named, interrupt, &mut fleet)? {
            Some(agents) => prepared.meet(agents),
            None => return Ok(ExitCode::from(exit::INTERRUPTED)),
        }
    }
    let is_claimed = arguments.out.is_none() && arguments.resume.is_none();
    if is_claimed {
        let claimed = claim_folder(Path::new(RUNS), &prepared.study().name);
        prepared.move_to(claimed.with_context(|| format!("no folder can be created in {RUNS}/"))?);
    }
    tell_claims(&prepared, arguments)?;
    let folder = prepared.folder().to_owned();
    let written =
        carry_out(prepared, &stock, within, interrupt, arguments.progress).and_then(
            |finished| match finished {
                Some(finished) => Ok(Some((write_report(&finished)?, finished))),
                None => Ok(None),
            },
        );
    // Before anything is printed: a reader that has gone ends this program.
    drop(fleet);
    // If nothing has begun, the empty folder is removed; a folder with content stays.
    let nothing_begun = || drop(is_claimed.then(|| std::fs::remove_dir(&folder)));
    let Some((report, mut finished)) = (match written {
        Ok(written) => written,
        Err(error) => {
            nothing_begun();
            return Ok(broken(&error, &folder, arguments));
        }
    }) else {
        nothing_begun();
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    tell_results(&finished.summary, &report, arguments)?;
    if let Some(broke) = finished.broke.take() {
        return Ok(broken(&broke.into(), &folder, arguments));
    }
    if let Some(why) = no_figure(&finished.summary).filter(|_| finished.summary.run.complete) {
        errln!("{} {why}", terminal::wrong("wiredyno:"));
    }
    Ok(code(&finished, &folder, arguments))
}

/// The exit code of a run that has carried out what it could; one that was interrupted says how it goes on.
fn code(finished: &FinishedRun, folder: &Path, arguments: &Arguments) -> ExitCode {
    match (finished.ending(), threshold::overall(&finished.summary.thresholds)) {
        (Ending::Interrupted, _) => {
            tell_how_to_go_on(folder, arguments);
            ExitCode::from(exit::INTERRUPTED)
        }
        (_, ThresholdVerdict::Fail) => ExitCode::from(exit::DIFFERENCE),
        (Ending::Incomplete, _) => ExitCode::from(exit::INCOMPLETE),
        (Ending::Whole, verdict) => crate::threshold::code(verdict),
    }
}

/// Checks that a file's folder exists: before the first trial, not after the last.
fn check_parent(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if file.is_dir() {
        bail!("{} is a folder: name a file", file.display());
    }
    if !folder.is_dir() {
        bail!("{} can't be written: there is no folder {}", file.display(), folder.display());
    }
    Ok(())
}

/// The time limit of a run, and its start.
#[derive(Clone, Copy)]
pub struct Within {
    most: Span,
    begun: Instant,
}

impl Within {
    /// Drops what does not fit, and prints notes about it.
    fn keep(&self, prepared: &mut PreparedRun, passed: Span, stock: &Stock) -> anyhow::Result<()> {
        let before = prepared.found_so_far().len();
        prepared.keep_within(self.most, passed, stock)?;
        prepared.found_so_far()[before..].iter().for_each(|note| errln!("{note}"));
        Ok(())
    }

    fn passed(&self) -> Span {
        Span { ns: u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX) }
    }

    fn is_over(&self) -> bool {
        self.passed() >= self.most
    }
}

/// Builds what is missing and carries out the run, with progress. `None` when it was interrupted before its first trial.
pub fn carry_out(
    mut prepared: PreparedRun,
    stock: &Stock,
    within: Option<Within>,
    interrupt: &Interrupt,
    told: ProgressFormat,
) -> anyhow::Result<Option<FinishedRun>> {
    let building = Building::new();
    let over = within.map(|within| Arc::new(move || within.is_over()) as Over);
    let noted = prepared.found_so_far().len();
    let runners = prepared.provide(stock, runner::program()?, over, &mut |step| match told {
        ProgressFormat::Text => building.show(step),
        ProgressFormat::Json => ProgressLines::building(step, interrupt),
    });
    building.finish();
    prepared.found_so_far()[noted..].iter().for_each(|note| errln!("{note}"));
    let runners = match (runners, &within) {
        (Err(_), _) if interrupt.is_set() => return Ok(None),
        (Err(_), Some(Within { most, .. })) if within.is_some_and(|within| within.is_over()) => bail!(
            "--max-time {most} passed while runners were compiled, before the first trial: `wiredyno build STUDY` compiles them \
             ahead; what is compiled is kept"
        ),
        (runners, _) => runners?,
    };
    if let Some(within) = &within {
        within.keep(&mut prepared, within.passed(), stock)?;
    }
    if told == ProgressFormat::Json {
        let lines = ProgressLines::of(prepared.study(), interrupt);
        return Ok(Some(prepared.carry_out(&runners, &|event| lines.show(&event))?));
    }
    let progress = TrialsBar::new();
    let finished = prepared.carry_out(&runners, &|event| progress.show(&event));
    progress.finish();
    Ok(Some(finished?))
}

fn write_report(finished: &FinishedRun) -> anyhow::Result<PathBuf> {
    let path = finished.folder.report("report.html");
    let html = wiredyno_report::render(&finished.summary, Format::Html)?;
    finished.folder.put(&path, html.as_bytes())?;
    Ok(path)
}
