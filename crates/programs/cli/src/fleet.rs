//! `wiredyno fleet`: what a fleet in Kubernetes is made of.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use wiredyno_fleet::{image, manifests};

use crate::output::outln;
use crate::{exit, runner};

#[derive(Subcommand)]
pub enum Command {
    /// Write an image with this program and its libraries, for agents in Kubernetes; no Docker is needed
    Image(ImageArguments),
    /// Write the manifests from which agents are created in Kubernetes, to be changed and named by `manifests` in [fleet.kubernetes]
    Manifests(ManifestsArguments),
}

#[derive(clap::Args)]
pub struct ImageArguments {
    /// The archive to write, which Docker, Podman, containerd, skopeo and crane read
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
        Command::Image(arguments) => write_image(arguments),
        Command::Manifests(arguments) => write_manifests(arguments),
    }
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
