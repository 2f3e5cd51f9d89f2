//! `wiredyno fleet`: fleets that stay for several runs, and what one in Kubernetes is made of.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Subcommand;
use wiredyno_agents::{Coordinator, MemberState, Presence};
use wiredyno_contract::Span;
use wiredyno_fleet::{State, image, manifests};
use wiredyno_seats::interrupt::Interrupt;

use crate::output::outln;
use crate::run::agents_file::AgentsFile;
use crate::run::meeting;
use crate::run::standing::Standing;
use crate::{exit, failure, interrupts, runner};

#[derive(Subcommand)]
pub enum Command {
    /// Start agents that stay for several runs: `wiredyno run STUDY --fleet FILE` then uses them
    Up(UpArguments),
    /// Show the agents that are up
    Status(FileArguments),
    /// End the agents that are up, and remove what was brought to their machines
    Down(FileArguments),
    /// Write an image with this program and its libraries, for agents in Kubernetes; no Docker is needed
    Image(ImageArguments),
    /// Write the manifests from which agents are created in Kubernetes, to be changed and named by `manifests` in [fleet.kubernetes]
    Manifests(ManifestsArguments),
}

#[derive(clap::Args)]
pub struct UpArguments {
    /// The file that says which agents are started, and how (docs/FLEET.md). `FILE.up` is kept beside it as long as they are up
    file: PathBuf,
    /// How long agents stay when no run uses them
    #[arg(long = "for", value_name = "TIME", default_value = "1h")]
    stay: Span,
}

#[derive(clap::Args)]
pub struct FileArguments {
    /// The file with which the fleet was brought up
    file: PathBuf,
}

#[derive(clap::Args)]
pub struct ImageArguments {
    /// The archive to write: an OCI image layout with Docker's manifest, for skopeo, containerd, docker load and the like
    #[arg(value_name = "FILE.tar")]
    archive: PathBuf,
    /// What the image is called, as nodes will pull it
    #[arg(long, value_name = "REGISTRY/NAME:TAG", default_value = concat!("wiredyno:", env!("CARGO_PKG_VERSION")))]
    name: String,
}

#[derive(clap::Args)]
pub struct ManifestsArguments {
    /// The folder, created if missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Carries out a subcommand.
pub fn main(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Up(arguments) => up(arguments),
        Command::Status(arguments) => status(arguments),
        Command::Down(arguments) => down(arguments),
        Command::Image(arguments) => write_image(arguments),
        Command::Manifests(arguments) => write_manifests(arguments),
    }
}

/// How long agents may take to come back to their coordinator: their longest pause between two attempts, and the handshake.
const BACK: Duration = Duration::from_secs(5);

fn up(arguments: &UpArguments) -> anyhow::Result<ExitCode> {
    let path = &arguments.file;
    let file = named(path)?;
    if file.is_up() {
        return Err(failure::wrong(anyhow!(
            "{}: a fleet is up; end it with: wiredyno fleet down {}",
            Standing::path(path).display(),
            path.display()
        )));
    }
    if !file.has_port() {
        return Err(failure::wrong(anyhow!(
            "{}: listen needs a port other than 0: later runs are looked for there",
            path.display()
        )));
    }
    let interrupt = interrupts::catch_interrupts()?;
    let Some(standing) = meeting::brought(&file, arguments.stay, &interrupt)? else {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    if let Err(error) = standing.write(path) {
        drop(standing.to_end()?);
        return Err(error);
    }
    let (shown, stay) = (path.display(), arguments.stay);
    outln!("the fleet is up; without a run its agents end after {stay}");
    outln!("next: wiredyno run STUDY --fleet {shown}; then: wiredyno fleet down {shown}");
    Ok(exit::DONE)
}

fn status(arguments: &FileArguments) -> anyhow::Result<ExitCode> {
    let standing = standing(&arguments.file)?;
    let interrupt = interrupts::catch_interrupts()?;
    let places = standing.up()?.look();
    let there = match standing.coordinator() {
        Ok(coordinator) => {
            come_back(&coordinator, places.len(), &interrupt);
            Some(coordinator.presences())
        }
        Err(_) => None,
    };
    for place in &places {
        let found = there.iter().flatten().find(|one| one.name == place.agent);
        let words = match (&place.state, found) {
            (State::Gone(why), _) => format!("gone: {why}"),
            (_, Some(Presence { state: MemberState::Present, address: Some(address), .. })) => {
                format!("waits for a run, at {address}")
            }
            (State::Waits(why), _) => format!("not started: {why}"),
            (State::Runs, _) if there.is_none() => "started; a run may use it now".to_owned(),
            (State::Runs, _) => "started, but it does not come back to this machine".to_owned(),
        };
        outln!("{}: {words}", place.agent);
    }
    let is_whole = there.is_none_or(|there| present(&there) == places.len());
    Ok(if is_whole { exit::DONE } else { ExitCode::from(exit::CANT_TELL) })
}

fn down(arguments: &FileArguments) -> anyhow::Result<ExitCode> {
    let standing = standing(&arguments.file)?;
    let interrupt = interrupts::catch_interrupts()?;
    let up = standing.to_end()?;
    let coordinator = standing.coordinator()?;
    coordinator.stay(false);
    come_back(&coordinator, coordinator.presences().len(), &interrupt);
    // It lets its agents go, before the engine takes them down.
    drop(coordinator);
    drop(up);
    let path = Standing::path(&arguments.file);
    std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
    outln!("the fleet is down");
    Ok(exit::DONE)
}

/// Waits until so many agents are connected, as long as they may take.
fn come_back(coordinator: &Coordinator, all: usize, interrupt: &Interrupt) {
    let (until, mut version) = (Instant::now() + BACK, 0);
    while !interrupt.is_set() && Instant::now() < until && present(&coordinator.presences()) < all {
        version = coordinator.wait(version, Duration::from_millis(100));
    }
}

fn present(all: &[Presence]) -> usize {
    all.iter().filter(|one| one.state == MemberState::Present).count()
}

fn named(path: &Path) -> anyhow::Result<AgentsFile> {
    let file = AgentsFile::named(None, Some(path))?;
    file.ok_or_else(|| failure::wrong(anyhow!("{}: name the file of a fleet", path.display())))
}

fn standing(path: &Path) -> anyhow::Result<Standing> {
    let found = Standing::read(path)?;
    found.ok_or_else(|| {
        failure::wrong(anyhow!("{}: no fleet is up for this file: wiredyno fleet up {0}", path.display()))
    })
}

fn write_image(arguments: &ImageArguments) -> anyhow::Result<ExitCode> {
    let program = runner::program()?;
    let libraries =
        wiredyno_agents::libraries(&program).context("the program's libraries can't be listed")?;
    let (archive, name) = (&arguments.archive, &arguments.name);
    let made = image::write(archive, name, &program, &libraries)?;
    let shown = archive.display();
    outln!(
        "{shown}: {name}, {} MB: this program and its {} libraries, for Linux on {}",
        made.bytes / 1_000_000,
        made.libraries,
        std::env::consts::ARCH
    );
    outln!(
        "next, to where your nodes pull it from, for example: skopeo copy docker-archive:{shown} docker://{name}"
    );
    Ok(exit::DONE)
}

fn write_manifests(arguments: &ManifestsArguments) -> anyhow::Result<ExitCode> {
    let folder = &arguments.folder;
    manifests::write(folder).context("expected a folder without these files, that you may write to")?;
    let files: Vec<&str> = manifests::BUNDLED.iter().map(|(name, _)| *name).collect();
    outln!("{}: {}", folder.display(), files.join(", "));
    outln!("next: manifests = \"{}\" in [fleet.kubernetes]", folder.display());
    Ok(exit::DONE)
}
