//! The way subcommands come to a runner: what is missing is built first.

use std::path::PathBuf;

use anyhow::{Context, bail};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{CodecId, CompressionId, Known};
use wiredyno_orchestrate::plan::{check_compression, find_payload, unknown_codec};
use wiredyno_orchestrate::runner::{Interrupt, RunnerError, RunnerProcess};
use wiredyno_orchestrate::runners::{Runners, Wanted};
use wiredyno_orchestrate::stock::{self, Stock};
use wiredyno_payloads::Payload;
use wiredyno_runner_wire::PayloadSource;

use crate::building::Building;
use crate::run;

/// This program's file, which is also its lane worker.
pub fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("this program's own file can't be found")
}

/// The sandbox that runs and links live in; must be entered before threads exist.
pub fn enter_sandbox() -> anyhow::Result<Sandbox> {
    Sandbox::enter().context("the sandbox of the run")
}

/// A payload's runner outside any run; it ends with this program, whose pipe it reads.
pub struct Ready {
    /// The process.
    pub process: RunnerProcess,
    /// What it is to be handed.
    pub source: PayloadSource,
    /// Keeps the files that it is handed.
    _runners: Runners,
}

/// Starts a runner that has these codecs over a payload, built first where there is none.
pub fn start(
    role: &'static str,
    payload: &Payload,
    codecs: &[CodecId],
    compression: &CompressionId,
    samples: usize,
) -> anyhow::Result<Ready> {
    let (runners, interrupt) = provide(payload, codecs, compression, samples, None)?;
    let command = runners.command_for(payload.id())?;
    let source = runners.source(payload.id(), compression)?;
    let process = RunnerProcess::start(role, command, &interrupt)?;
    Ok(Ready { process, source, _runners: runners })
}

/// The runner that has these codecs over a payload, with so many samples laid out, and what the user's Ctrl-C sets from now
/// on. Without a sandbox one is entered where something has to be built.
pub fn provide(
    payload: &Payload,
    codecs: &[CodecId],
    compression: &CompressionId,
    samples: usize,
    sandbox: Option<&Sandbox>,
) -> anyhow::Result<(Runners, Interrupt)> {
    let known = stock::known(std::slice::from_ref(payload));
    check(&known, payload, codecs, compression)?;
    let described = known.codecs.iter().filter(|codec| codecs.contains(&codec.id));
    let composition = stock::composition(payload, described);
    let stock = Stock::of_user()?;
    let (kept, interrupt) = match stock.find(&composition, false)? {
        Some(kept) => (kept, run::catch_interrupts()?),
        None => {
            let entered;
            let sandbox = match sandbox {
                Some(sandbox) => sandbox,
                None => {
                    entered = enter_sandbox()?;
                    &entered
                }
            };
            let interrupt = run::catch_interrupts()?;
            let building = Building::new();
            let compositions = std::slice::from_ref(&composition);
            let built = stock.build(compositions, sandbox, &interrupt, &mut |step| building.show(step));
            building.finish();
            let kept = built?.into_iter().next().context("a build without a runner; please report this")?;
            (kept, interrupt)
        }
    };
    stock::verify(&kept, &composition, &|_| {}, &interrupt).map_err(|error| refused(error.into()))?;
    let mut runners = Runners::of(program()?)?;
    let wanted = Wanted { samples: samples.max(1), dictionary: compression.dictionary };
    runners.add(payload, &kept, [], wanted)?;
    Ok((runners, interrupt))
}

/// Says what to do about a runner that was asked what it is, and answered nothing or something else than was declared.
pub fn refused(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        None | Some(RunnerError::Interrupted) => error,
        Some(_) => error.context(
            "a runner is not what it was built as, and nothing is measured with it: `wiredyno build --remove PAYLOAD` \
             deletes a payload's runners, and they are built again",
        ),
    }
}

/// Refuses what no runner can do.
fn check(
    known: &Known,
    payload: &Payload,
    codecs: &[CodecId],
    compression: &CompressionId,
) -> anyhow::Result<()> {
    find_payload(known, payload.id()).map_err(anyhow::Error::msg)?;
    check_compression(known, compression).map_err(anyhow::Error::msg)?;
    for codec in codecs {
        if !known.codecs.iter().any(|described| described.id == *codec) {
            bail!("{}", unknown_codec(known, &codec.to_string()));
        }
        let not_carried = known.payloads.iter().flat_map(|payload| &payload.not_carried);
        if let Some((_, why)) = not_carried.into_iter().find(|(id, _)| id == codec) {
            bail!("{codec} can't carry {}: {why}", payload.id());
        }
    }
    if compression.dictionary {
        payload.can_train()?;
    }
    Ok(())
}
