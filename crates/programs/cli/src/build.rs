//! `wiredyno build`: compiles runners in advance, lists and deletes them.

use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use anyhow::{Context as _, anyhow, bail};
use wiredyno_build::{BuildError, CachedRunner, Composition};
use wiredyno_contract::{CodecDescription, CodecId, PayloadId, RUST};
use wiredyno_languages::{KeptEnvironment, RunnerFolder};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{Known, Pattern};
use wiredyno_payloads::{Payload, PayloadName, Place};
use wiredyno_planning::plan::unknown_codec;
use wiredyno_planning::stock::{self, Stock};

use crate::building::Building;
use crate::in_words::{count, words};
use crate::output::outln;
use crate::{exit, failure, interrupts, runner};

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub struct Arguments {
    /// Payloads, by id or by a folder as `wiredyno new` creates it; from then on the folder's name is the payload's id
    #[arg(value_name = "PAYLOAD|DIR", conflicts_with_all = ["list", "remove", "gc"])]
    payloads: Vec<PayloadName>,
    /// Codecs to compile, or patterns of them; when left out, all that carry the payload, of installed languages
    #[arg(long, value_name = "CODEC,...", value_delimiter = ',', requires = "payloads")]
    codec: Vec<String>,
    /// Compile even if nothing has changed
    #[arg(long, requires = "payloads")]
    force: bool,
    /// List the existing runners, most recently used first, and the environments of other languages
    #[arg(long)]
    list: bool,
    /// Delete all runners of a payload
    #[arg(long, value_name = "NAME", conflicts_with = "list")]
    remove: Option<PayloadId>,
    /// Delete runners, least recently used first, until the rest fits in --limit, and environments of other languages that
    /// no runner uses any more
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    gc: bool,
    /// With --gc: megabytes to keep
    #[arg(long, value_name = "MB", default_value_t = wiredyno_build::MOST_BYTES / 1_000_000, requires = "gc")]
    limit: u64,
}

/// Builds, lists or deletes.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(payload) = &arguments.remove {
        return remove(&payload.name);
    }
    if arguments.gc {
        return collect(arguments.limit);
    }
    match arguments.list {
        true => list(),
        false => build(arguments),
    }
}

/// A payload with what to compile for it.
struct Order {
    payload: Payload,
    composition: Composition,
    /// Runners of other languages to build for it.
    folders: Vec<RunnerFolder>,
    /// Codecs that can't carry it, with the reason.
    left_out: Vec<(CodecId, String)>,
}

fn build(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    // In a sandbox, everything that cargo starts ends with this program.
    let sandbox = runner::enter_sandbox()?;
    let stock = Stock::of_user()?;
    let begun = Instant::now();
    let (orders, missing) = compile(arguments, &stock, &sandbox)?;
    let folders_built = build_folders(&orders, &stock, arguments.force, &sandbox)?;
    for order in &orders {
        let before = match &order.payload.folder().place {
            Place::Disk(path) => stock.cache().name(&order.payload.id().name, path)?,
            Place::Bundled => None,
        };
        let id = order.payload.id();
        let fresh = missing.iter().any(|built| built.definition() == order.composition.definition())
            || folders_built.contains(&id);
        let what =
            if fresh { format!("built in {}", words(begun.elapsed())) } else { "already built".into() };
        let of_folders = order.folders.iter().map(|folder| order.carried_by(folder).count());
        let codecs = order.composition.codecs().count() + of_folders.sum::<usize>();
        let name = &order.payload.id().name;
        outln!("{name}: {what}; {} of {} carry it", codecs, count(codecs + order.left_out.len(), "codec"));
        for (codec, why) in &order.left_out {
            outln!("  left out: {codec}: {why}");
        }
        if let Some(before) = before {
            let now = order.payload.folder().path();
            outln!("`{name}` was {} so far, and is {} from now on", before.display(), now.display());
        }
        outln!("next: wiredyno show payload {name}, or wiredyno run STUDY --set payload={name}");
    }
    Ok(exit::DONE)
}

/// Compiles what is missing. Returns the orders, without codecs that failed to compile, and what there was to compile.
fn compile(
    arguments: &Arguments,
    stock: &Stock,
    sandbox: &Sandbox,
) -> anyhow::Result<(Vec<Order>, Vec<Composition>)> {
    let ordered = || -> anyhow::Result<Vec<Order>> {
        arguments.payloads.iter().map(|name| order(name, &arguments.codec)).collect()
    };
    let mut orders: Vec<Order> = ordered()?;
    if arguments.force {
        let definitions = orders.iter().map(|order| order.payload.definition_digest());
        definitions.into_iter().try_for_each(|definition| stock.cache().forget_left_out(&definition))?;
        orders = ordered()?;
    }
    let compositions = orders.iter().map(|order| &order.composition);
    let compositions: Vec<Composition> =
        compositions.filter(|composition| composition.codecs().next().is_some()).cloned().collect();
    let missing = if arguments.force { compositions } else { stock.missing(&compositions)? };
    if missing.is_empty() {
        return Ok((orders, missing));
    }
    let interrupt = interrupts::catch_interrupts()?;
    let building = Building::new();
    let tell = &mut |step| building.show(step);
    let built = stock.build_or_again(&missing, arguments.force, sandbox, &interrupt, tell);
    building.finish();
    let verify = |kept: &CachedRunner, composition: &Composition| {
        stock::verify(kept, composition, &|command| sandbox.prepare(command), &interrupt)
    };
    match built {
        Ok(built) => missing.iter().zip(&built).try_for_each(|(one, kept)| verify(kept, one))?,
        Err(BuildError::LeftOut(_)) => {
            orders = ordered()?;
            for order in orders.iter().filter(|order| order.composition.codecs().next().is_some()) {
                let kept = stock.find(&order.composition, false)?;
                verify(
                    &kept.context("a runner that was just built is not in the cache")?,
                    &order.composition,
                )?;
            }
        }
        Err(error) => return Err(error.into()),
    }
    Ok((orders, missing))
}

impl Order {
    /// The codecs of a folder that carry the payload.
    fn carried_by<'a>(&'a self, folder: &'a RunnerFolder) -> impl Iterator<Item = &'a CodecId> {
        let left_out = |id: &CodecId| self.left_out.iter().any(|(refused, _)| refused == id);
        folder.declared.codecs.iter().map(|codec| &codec.id).filter(move |id| !left_out(id))
    }
}

/// Builds the runners of other languages, and verifies that each matches its declaration. Returns the payloads for which something was
/// built.
fn build_folders<'a>(
    orders: &'a [Order],
    stock: &Stock,
    again: bool,
    sandbox: &Sandbox,
) -> anyhow::Result<Vec<&'a PayloadId>> {
    let mut to_build = Vec::new();
    for order in orders {
        for folder in &order.folders {
            if again || !folder.is_ready(stock.cache(), &order.payload)? {
                to_build.push((order, folder));
            }
        }
    }
    if to_build.is_empty() {
        return Ok(Vec::new());
    }
    let interrupt = interrupts::catch_interrupts()?;
    let building = Building::new();
    let tell = &mut |step| building.show(step);
    let built = to_build.into_iter().map(|(order, folder)| {
        let make = if again { Stock::make_again } else { Stock::make_ready };
        let ready = make(stock, folder, &order.payload, sandbox, &interrupt, tell)?;
        stock::verify_folder(&ready, folder, &|command| sandbox.prepare(command), &interrupt)?;
        Ok(order.payload.id())
    });
    let built = built.collect();
    building.finish();
    built
}

/// The runners of other languages that are built for a definition and have a chosen codec; without a choice, those whose language is installed.
fn built_folders(known: &Known, wanted: &[String]) -> anyhow::Result<Vec<RunnerFolder>> {
    let mut folders = wiredyno_languages::all()?;
    folders.retain(|folder| {
        let mut own = known.codecs.iter().filter(|codec| codec.runner_name() == folder.name);
        folder.is_built()
            && match wanted {
                [] => folder.language_version().is_ok(),
                wanted => own.any(|codec| wanted.iter().any(|wanted| stands_for(wanted, &codec.id))),
            }
    });
    Ok(folders)
}

fn order(name: &PayloadName, wanted: &[String]) -> anyhow::Result<Order> {
    let payload = failure::named(stock::payload(name))?;
    payload.folder().check()?;
    let mut known = stock::known(std::slice::from_ref(&payload))?;
    let mut folders = built_folders(&known, wanted)?;
    let is_built = |codec: &CodecDescription| {
        codec.runner_name() == RUST || folders.iter().any(|folder| folder.name == codec.runner_name())
    };
    for wanted in wanted {
        let meant = || known.codecs.iter().filter(|codec| stands_for(wanted, &codec.id));
        match meant().next() {
            None => return Err(failure::wrong(anyhow!(unknown_codec(&known, wanted)))),
            Some(first) if !meant().any(is_built) => {
                return Err(failure::wrong(anyhow!(
                    "`{wanted}` names codecs of the runner `{}`, which compiles nothing: leave it out",
                    first.runner_name()
                )));
            }
            Some(_) => {}
        }
    }
    known.codecs.retain(is_built);
    let composed = |id: &CodecId| known.codecs.iter().any(|codec| codec.id == *id);
    let chosen = |id: &CodecId| wanted.is_empty() || wanted.iter().any(|wanted| stands_for(wanted, id));
    let refused = known.payloads.iter().flat_map(|described| described.not_carried.iter());
    let left_out: Vec<_> = refused.filter(|(id, _)| chosen(id) && composed(id)).cloned().collect();
    let carried = known
        .codecs
        .iter()
        .filter(|codec| chosen(&codec.id) && !left_out.iter().any(|(refused, _)| *refused == codec.id));
    let composition = stock::composition(&payload, carried);
    // A runner without a codec that carries the payload need not be built.
    let has_some = |folder: &RunnerFolder| {
        folder.declared.codecs.iter().any(|codec| !left_out.iter().any(|(refused, _)| *refused == codec.id))
    };
    folders.retain(has_some);
    Ok(Order { payload, composition, folders, left_out })
}

fn stands_for(wanted: &str, id: &CodecId) -> bool {
    let id = id.to_string();
    wanted == id || Pattern::of(wanted).is_some_and(|pattern| pattern.matches(&id))
}

fn list() -> anyhow::Result<ExitCode> {
    let stock = Stock::of_user()?;
    let all = stock.cache().all()?;
    let folders = wiredyno_languages::all()?;
    for kept in &all {
        outln!("{}", line(kept, &folders));
    }
    let bytes: u64 = all.iter().map(|kept| kept.bytes).sum();
    let place = stock.cache().path().display();
    outln!("{}, {} MB, in {place}", count(all.len(), "runner"), bytes / 1_000_000);
    for environment in KeptEnvironment::all(stock.cache())? {
        outln!("{}", environment_line(&environment));
    }
    Ok(exit::DONE)
}

/// An environment, as a line of `--list`.
fn environment_line(environment: &KeptEnvironment) -> String {
    let state = if environment.is_current { "" } else { "; no longer used by any runner" };
    format!("environment of `{}`  {} MB{state}", environment.runner, environment.bytes / 1_000_000)
}

/// A runner, as a line of `--list`. `folders` are the runners of other languages.
fn line(kept: &CachedRunner, folders: &[RunnerFolder]) -> String {
    let composed = &kept.composed;
    let codecs = match &composed.codecs[..] {
        [one] => one.clone(),
        several => count(several.len(), "codec"),
    };
    let transports = composed.transports.iter().map(|package| package.rsplit('-').next().unwrap_or(package));
    let transports: Vec<&str> = transports.collect();
    let transports = if transports.is_empty() { "none".to_owned() } else { transports.join(" ") };
    let payload = if composed.payload.is_empty() { "without payload" } else { &composed.payload };
    let is_current = match &composed.runner {
        None => composed.is_current(),
        Some(name) => folders.iter().any(|folder| folder.name == *name && folder.would_build(composed)),
    };
    let state = match (is_current, &composed.runner) {
        (true, _) => "",
        (false, None) => "; from sources other than this program's",
        (false, Some(_)) => "; from sources or tools other than those here",
    };
    let by = composed.runner.as_ref().map_or_else(String::new, |name| format!("  by `{name}`"));
    let idle = SystemTime::now().duration_since(kept.used).unwrap_or_default();
    format!(
        "{}  {}  {codecs}{by}  transports: {transports}  {} MB  used {} ago{state}",
        &composed.key[..12.min(composed.key.len())],
        payload,
        kept.bytes / 1_000_000,
        words(idle)
    )
}

fn remove(name: &str) -> anyhow::Result<ExitCode> {
    let stock = Stock::of_user()?;
    let noted = stock.cache().folder_of(name)?.is_some();
    match stock.cache().remove(name)? {
        (0, 0) if !noted => {
            bail!("nothing is built for `{name}`: `wiredyno build --list` shows what is")
        }
        (removed, 0) => outln!("{} of `{name}` deleted", count(removed, "runner")),
        (removed, in_use) => bail!(
            "{} of `{name}` deleted; {} not, because a run or another command is using it: try again later",
            count(removed, "runner"),
            count(in_use, "runner")
        ),
    }
    Ok(exit::DONE)
}

fn collect(limit_megabytes: u64) -> anyhow::Result<ExitCode> {
    let stock = Stock::of_user()?;
    let deleted = stock.collect(limit_megabytes.saturating_mul(1_000_000))?;
    let folders = wiredyno_languages::all()?;
    for kept in &deleted {
        outln!("deleted: {}", line(kept, &folders));
    }
    for environment in KeptEnvironment::all(stock.cache())? {
        if !environment.is_current {
            environment.delete()?;
            outln!("deleted: {}", environment_line(&environment));
        }
    }
    let bytes: u64 = deleted.iter().map(|kept| kept.bytes).sum();
    outln!("{} deleted, {} MB", count(deleted.len(), "runner"), bytes / 1_000_000);
    let left_bytes: u64 = stock.cache().all()?.iter().map(|kept| kept.bytes).sum();
    if left_bytes > limit_megabytes.saturating_mul(1_000_000) {
        outln!("{} MB remain: runners that are in use", left_bytes / 1_000_000);
    }
    Ok(exit::DONE)
}
