//! How subcommands get a runner: a missing one is built first.

use std::path::PathBuf;

use anyhow::Context;
use wiredyno_contract::{CodecId, CompressionId};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_payloads::Payload;
use wiredyno_planning::ready::{Order, Provided, Ready};
use wiredyno_planning::stock::Stock;
use wiredyno_seats::interrupt::Interrupt;

use crate::building::Building;
use crate::interrupts;

/// The path of this program, which is also the lane worker.
pub fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("the path of this program can't be determined")
}

/// The sandbox that runs and links live in; must be entered before threads exist.
pub fn enter_sandbox() -> anyhow::Result<Sandbox> {
    Sandbox::enter().context("the sandbox of the run")
}

/// Starts a runner with these codecs for a payload, built first if missing.
pub fn start(
    role: &'static str,
    payload: &Payload,
    codecs: &[CodecId],
    compression: &CompressionId,
    samples: usize,
) -> anyhow::Result<Ready> {
    let order = Order::new(payload, codecs, compression, samples)?;
    let (provided, interrupt) = have(&order)?;
    Ok(order.start(role, provided, program()?, &interrupt)?)
}

/// The ordered runner, built or made ready if missing, and the flag that Ctrl-C sets from now on. A sandbox
/// is entered only if something has to be built.
fn have(order: &Order<'_>) -> anyhow::Result<(Provided, Interrupt)> {
    if let Some(provided) = order.find(&Stock::of_user()?)? {
        return Ok((provided, interrupts::catch_interrupts()?));
    }
    let sandbox = enter_sandbox()?;
    let interrupt = interrupts::catch_interrupts()?;
    Ok((provide(order, &sandbox, &interrupt)?, interrupt))
}

/// The ordered runner, built or made ready if missing.
pub fn provide(order: &Order<'_>, sandbox: &Sandbox, interrupt: &Interrupt) -> anyhow::Result<Provided> {
    let stock = Stock::of_user()?;
    if let Some(provided) = order.find(&stock)? {
        return Ok(provided);
    }
    let building = Building::new();
    let built = order.build(&stock, sandbox, interrupt, &mut |step| building.show(step));
    building.finish();
    Ok(built?)
}
