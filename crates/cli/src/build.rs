//! `wiredyno build`: the codecs of a payload of one's own, compiled into a runner and kept.

use std::cell::Cell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use wiredyno_build::{BuildError, Cache, CargoError, NamedBuild, PayloadFolder, State, Step, Workshop};
use wiredyno_model::PayloadId;
use wiredyno_orchestrate::runner::RunnerProcess;
use wiredyno_runner_wire::PayloadDescription;

use crate::output::outln;
use crate::progress::{count, words};
use crate::{exit, own, run, runner};

/// How often a line is printed where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Arguments of `build`.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub struct Arguments {
    /// The payload's folder, as `wiredyno new` makes it; its name is the payload's
    #[arg(conflicts_with_all = ["list", "remove"])]
    folder: Option<PathBuf>,
    /// Compile also where nothing has changed
    #[arg(long, requires = "folder")]
    force: bool,
    /// List what is built
    #[arg(long)]
    list: bool,
    /// Delete all builds of a payload
    #[arg(long, value_name = "NAME", conflicts_with = "list")]
    remove: Option<PayloadId>,
}

/// Builds, lists or removes.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(payload) = &arguments.remove {
        return remove(&payload.name);
    }
    match &arguments.folder {
        Some(folder) => build(folder, arguments.force),
        None => list(),
    }
}

fn build(path: &Path, force: bool) -> anyhow::Result<ExitCode> {
    // Whatever cargo starts ends with this program.
    let sandbox = runner::enter_sandbox()?;
    let folder = PayloadFolder::read(path)?;
    let name = folder.name.clone();
    if own::is_bundled(&name) {
        bail!("{}: `{name}` is a payload that the program has: give the folder another name", path.display());
    }
    folder.check()?;
    let cache = Cache::of_user()?;
    let digest = folder.build_digest();
    if let Some(known) = cache.build(&digest)?.filter(|_| !force) {
        let before = cache.name(&folder, &digest)?;
        tell(path, &known.description, "is built already", before)?;
        return Ok(exit::DONE);
    }
    let interrupt = run::catch_interrupts()?;
    let begun = Instant::now();
    let workshop = Workshop {
        cache: &cache,
        prepare: &|command| sandbox.prepare(command),
        interrupted: &|| interrupt.is_set(),
    };
    let progress = Progress::new();
    let finished = workshop.build(&folder, &mut |step| progress.show(step));
    progress.finish();
    let finished = match finished {
        Err(BuildError::Cargo(CargoError::Interrupted)) => return Ok(ExitCode::from(exit::INTERRUPTED)),
        finished => finished?,
    };
    let mut command = std::process::Command::new(finished.runner());
    sandbox.prepare(&mut command);
    let mut process = RunnerProcess::start("runner", command, &interrupt)?;
    let description = process.describe().context("the runner that was built does not work")?;
    process.stop();
    let payload = description.payloads.into_iter().find(|payload| payload.name == name);
    let payload = payload.context("the runner that was built lacks its payload; please report this")?;
    let before = finished.keep(payload.clone())?;
    tell(path, &payload, &format!("built in {}", words(begun.elapsed())), before)?;
    Ok(exit::DONE)
}

/// What there is now, what there is not and why, and what can be done with it.
fn tell(
    path: &Path,
    payload: &PayloadDescription,
    what: &str,
    before: Option<PathBuf>,
) -> anyhow::Result<()> {
    let name = &payload.name;
    let all = wiredyno_codecs::REGISTRY.len();
    let refused = &payload.not_carried;
    outln!("{name}: {what}; {} of {} carry it", all - refused.len().min(all), count(all, "codec"));
    for (codec, why) in refused {
        outln!("  left out: {codec}: {why}");
    }
    if let Some(before) = before {
        outln!("`{name}` meant {} until now, and means {} from now on", before.display(), path.display());
    }
    outln!("next: wiredyno show payload {name}, or wiredyno run STUDY --set payload={name}");
    Ok(())
}

fn list() -> anyhow::Result<ExitCode> {
    let cache = Cache::of_user()?;
    let all = cache.all()?;
    for named in &all {
        let state = match named.state()? {
            State::Current => "up to date".to_owned(),
            State::Orphaned => "its folder has gone".to_owned(),
            State::Stale(why) => format!("out of date: {why}"),
        };
        let NamedBuild { build, folder, .. } = named;
        outln!("{}  {}  {}  {state}", build.description.name, build.digest, folder.display());
    }
    outln!("{} in {}", count(all.len(), "payload"), cache.path().display());
    Ok(exit::DONE)
}

fn remove(name: &str) -> anyhow::Result<ExitCode> {
    let cache = Cache::of_user()?;
    match cache.remove(name)? {
        0 => bail!("nothing is built of the name `{name}`: `wiredyno build --list` shows what is"),
        removed => outln!("{} of `{name}` deleted", count(removed, "build")),
    }
    Ok(exit::DONE)
}

/// Shows how far a build is, on standard error.
struct Progress {
    bar: ProgressBar,
    /// Where there is no terminal: when a line was printed last.
    plain: Option<Cell<Instant>>,
    /// How many of how many things are compiled.
    counted: Cell<Option<(u64, u64)>>,
}

impl Progress {
    fn new() -> Self {
        let counted = Cell::new(None);
        if !std::io::stderr().is_terminal() {
            let plain = Some(Cell::new(Instant::now()));
            return Progress { bar: ProgressBar::hidden(), plain, counted };
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} {pos} of {len} compiled, {elapsed}\n  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress { bar, plain: None, counted }
    }

    fn show(&self, step: Step) {
        let line = match step {
            Step::Waiting => "waiting for another build to end".to_owned(),
            Step::Compiling { done, total, now } => {
                self.bar.set_length(total);
                self.bar.set_position(done);
                self.counted.set(Some((done, total)));
                now
            }
            Step::Said(line) => line,
        };
        if let Some(last) = self.plain.as_ref().filter(|last| last.get().elapsed() >= PLAIN_EVERY) {
            match self.counted.get() {
                Some((done, total)) => eprintln!("{done} of {total} compiled: {line}"),
                None => eprintln!("{line}"),
            }
            last.set(Instant::now());
        }
        self.bar.set_message(line);
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
