//! `wiredyno pack`: packs the program with the runners of studies into a folder for other machines.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use wiredyno_running::pack::{make, studies_without_broker};

use crate::building::Building;
use crate::in_words::count;
use crate::output::outln;
use crate::{exit, failure, interrupts, runner};

#[derive(clap::Args)]
pub struct Arguments {
    /// The studies, by id or file
    #[arg(value_name = "STUDY")]
    studies: Vec<String>,
    /// Also pack all bundled studies that need neither a broker nor another language
    #[arg(long)]
    without_broker: bool,
    /// The folder to create for the pack
    #[arg(short, long, value_name = "FOLDER")]
    out: PathBuf,
}

/// Builds missing runners, writes the pack, and prints what it needs.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sandbox = runner::enter_sandbox()?;
    let interrupt = interrupts::catch_interrupts()?;
    let mut studies = arguments.studies.clone();
    if arguments.without_broker {
        studies.extend(studies_without_broker()?);
    }
    if studies.is_empty() {
        return Err(failure::wrong(anyhow!(
            "name a study to pack (`wiredyno list studies`), or pack all that need no broker with --without-broker"
        )));
    }
    let building = Building::new();
    let tell = &mut |step| building.show(step);
    let made = make(&studies, &arguments.out, &runner::program()?, &sandbox, &interrupt, tell);
    building.finish();
    let made = failure::named(made)?;
    let machine = &made.manifest.machine;
    let folder = arguments.out.display();
    outln!(
        "{folder}: {} with {}, {} MB",
        made.manifest.studies.join(", "),
        count(made.runners, "runner"),
        made.bytes / 1_000_000
    );
    let glibc =
        machine.glibc.as_ref().map_or_else(String::new, |version| format!(", glibc {version} or newer"));
    outln!("needs: Linux on {}{glibc}, CPU with {}", machine.architecture, machine.cpu.join(" "));
    for line in &made.manifest.brokers {
        outln!("needs, for messages over {line}");
    }
    outln!(
        "next, on that machine: {folder}/wiredyno run {}",
        made.manifest.studies.first().map_or("STUDY", String::as_str)
    );
    Ok(exit::DONE)
}
