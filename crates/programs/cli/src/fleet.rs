//! `wiredyno fleet`: fleets that stay for several runs, and what one in Kubernetes is made of. One file because its subcommands are one command line, and what they have in common is here.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Subcommand;
use serde::Serialize;
use wiredyno_agents::{Coordinator, MemberState, Presence};
use wiredyno_contract::Span;
use wiredyno_fleet::{Place, State, image, manifests};
use wiredyno_model::Host;
use wiredyno_seats::interrupt::Interrupt;

use crate::fleet_asked::Asked;
use crate::output::{errln, outln};
use crate::run::agents_file::AgentsFile;
use crate::run::fleet::word;
use crate::run::meeting;
use crate::run::standing::{Hold, Listening, Reserved, Standing, forget, in_use};
use crate::{exit, failure, interrupts, runner};

/// The file of a fleet, unless another is named.
const FILE: &str = "fleet.toml";

#[derive(Subcommand)]
pub enum Command {
    /// Start agents that stay for several runs: `wiredyno run STUDY --fleet FILE` then uses them
    Up(UpArguments),
    /// Show what the file of a fleet says, and whether the fleet is up
    Show(ShowArguments),
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
    #[arg(default_value = FILE)]
    file: PathBuf,
    #[command(flatten)]
    asked: Asked,
    /// How long agents stay when no run uses them
    #[arg(long = "for", value_name = "TIME", default_value = "1h")]
    stay: Span,
}

#[derive(clap::Args)]
pub struct FileArguments {
    /// The file with which the fleet was brought up
    #[arg(default_value = FILE)]
    file: PathBuf,
}

#[derive(clap::Args)]
pub struct ShowArguments {
    /// The file of a fleet
    #[arg(default_value = FILE)]
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
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
        Command::Show(arguments) => show(arguments),
        Command::Status(arguments) => status(arguments),
        Command::Down(arguments) => down(arguments, HELD),
        Command::Image(arguments) => write_image(arguments),
        Command::Manifests(arguments) => write_manifests(arguments),
    }
}

/// How long agents may take to come back to their coordinator: their longest pause between two attempts, and the handshake.
const BACK: Duration = Duration::from_secs(5);

fn up(arguments: &UpArguments) -> anyhow::Result<ExitCode> {
    let path = &arguments.file;
    arguments.asked.write(path)?;
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
    // Taken before anything is started, so that nothing is started that can't be kept.
    let mut kept = Reserved::of(path).map_err(failure::wrong)?;
    if !meeting::brought(&file, arguments.stay, &mut kept, &interrupt)? {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    }
    let (shown, stay) = (path.display(), arguments.stay);
    outln!("the fleet is up; without a run its agents end after {stay}");
    outln!("next: wiredyno run STUDY --fleet {shown}; then: wiredyno fleet down {shown}");
    Ok(exit::DONE)
}

/// What the file of a fleet says.
#[derive(Serialize)]
struct Shown {
    /// What brings its agents to machines.
    engine: &'static str,
    agents: Vec<String>,
    /// The agents of hosts, by name or label.
    hosts: BTreeMap<Host, Vec<String>>,
    is_up: bool,
    /// Why what has been left of a fleet can't be used, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

fn show(arguments: &ShowArguments) -> anyhow::Result<ExitCode> {
    let file = AgentsFile::written(None, Some(&arguments.file))?.ok_or_else(|| no_file(&arguments.file))?;
    let (engine, agents) = file.agents();
    let (is_up, problem) = match AgentsFile::named(None, Some(&arguments.file)) {
        Ok(file) => (file.is_some_and(|file| file.is_up()), None),
        Err(error) => (false, Some(format!("{error:#}"))),
    };
    let shown = Shown { engine, agents, hosts: file.hosts().clone(), is_up, problem };
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&shown)?);
        return Ok(exit::DONE);
    }
    outln!("{}, {}: {}", shown.engine, if shown.is_up { "up" } else { "not up" }, shown.agents.join(", "));
    for (host, agents) in &shown.hosts {
        outln!("{}: {}", word(*host), agents.join(", "));
    }
    shown.problem.iter().for_each(|problem| outln!("{problem}"));
    Ok(exit::DONE)
}

/// Who has the port of a fleet, as far as is known.
enum Port {
    /// This command: these are the agents that have come back to it.
    Ours(Vec<Presence>),
    /// A run, or another command about the fleet.
    InUse,
    /// A program that has nothing to do with the fleet, at this address.
    Strange(SocketAddr),
}

fn status(arguments: &FileArguments) -> anyhow::Result<ExitCode> {
    let (file, standing) = standing(&arguments.file)?;
    let interrupt = interrupts::catch_interrupts()?;
    // It takes up to a minute, in which a run may begin: only the port is asked for with the fleet held.
    let places = standing.up()?.look();
    let port = match file.hold(Duration::ZERO, &interrupt)? {
        Hold::Missing => return Err(none_is_up(&arguments.file)),
        Hold::InUse => Port::InUse,
        Hold::Held(standing, _held) => match standing.coordinator()? {
            Listening::There(coordinator) => {
                come_back(&coordinator, places.len(), &interrupt);
                Port::Ours(coordinator.presences())
            }
            Listening::InUse(address) => Port::Strange(address),
        },
    };
    if interrupt.is_set() {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    }
    let mut is_whole = true;
    for place in &places {
        let (is_fine, words) = told(place, &port);
        is_whole &= is_fine;
        outln!("{}: {words}", place.agent);
    }
    Ok(if is_whole { exit::DONE } else { ExitCode::from(exit::CANT_TELL) })
}

/// Whether an agent is there as far as is known, and what is said of it.
fn told(place: &Place, port: &Port) -> (bool, String) {
    let there = match port {
        Port::Ours(there) => &there[..],
        Port::InUse | Port::Strange(_) => &[],
    };
    let found = there.iter().find(|one| one.name == place.agent);
    match (&place.state, found, &place.unsure) {
        (State::Gone(why), ..) => (false, format!("gone: {why}")),
        (_, Some(Presence { state: MemberState::Present, address: Some(address), .. }), _) => {
            (true, format!("waits for a run, at {address}"))
        }
        (.., Some(why)) => (false, format!("unknown: {why}")),
        (State::Waits(why), ..) => (false, format!("not started: {why}")),
        (State::Runs, ..) => match port {
            Port::Ours(_) => (false, "started, but it does not come back to this machine".to_owned()),
            Port::InUse => (true, "started; a run or another command uses the fleet".to_owned()),
            Port::Strange(address) => {
                (false, format!("started; another program has {address}, so that no run can use it"))
            }
        },
    }
}

/// How long `down` waits for a command that only looks at the fleet.
const HELD: Duration = Duration::from_secs(10);

/// Takes a fleet down, after a wait of at most `patience` for another command that has it.
fn down(arguments: &FileArguments, patience: Duration) -> anyhow::Result<ExitCode> {
    let (file, _) = standing(&arguments.file)?;
    let path = Standing::path(&arguments.file);
    let interrupt = interrupts::catch_interrupts()?;
    // Held to the end: a run that uses the fleet holds it, and nothing may happen to that.
    let (standing, held) = match file.hold(patience, &interrupt)? {
        Hold::Held(standing, held) => (standing, held),
        Hold::InUse => return Err(in_use(&arguments.file).context("the fleet stays as it is")),
        Hold::Missing => return Err(none_is_up(&arguments.file)),
    };
    let found = let_go(&standing, &interrupt)?;
    let mut up = standing.up()?;
    let ended = if found == 0 { all_ended(&up.look()) } else { None };
    let left = up.end();
    if !left.is_empty() {
        left.iter().for_each(|line| errln!("{line}"));
        return Err(anyhow!(
            "{}: kept, because not all of the fleet is down: write `wiredyno fleet down {}` again, or remove the file if you have seen to the rest",
            path.display(),
            arguments.file.display()
        ));
    }
    forget(&arguments.file, &held)?;
    match ended {
        Some(why) => outln!("the fleet is down: its agents had ended before ({why})"),
        None => outln!("the fleet is down"),
    }
    // An interruption has only shortened the wait for agents.
    Ok(if interrupt.is_set() { ExitCode::from(exit::INTERRUPTED) } else { exit::DONE })
}

/// Why no agent was there any more to be ended, if none was.
fn all_ended(places: &[Place]) -> Option<String> {
    let why = |place: &Place| match &place.state {
        State::Gone(why) => Some(why.clone()),
        State::Waits(_) | State::Runs => None,
    };
    let whys: BTreeSet<String> = places.iter().map(why).collect::<Option<_>>()?;
    (!whys.is_empty()).then(|| whys.into_iter().collect::<Vec<_>>().join("; "))
}

/// Lets agents go, before the engine takes them down; says if they can't be told. Returns how many came to be told.
///
/// # Errors
/// When it can't be said that no run uses the fleet.
fn let_go(standing: &Standing, interrupt: &Interrupt) -> anyhow::Result<usize> {
    let why = match standing.coordinator() {
        Ok(Listening::There(coordinator)) => {
            coordinator.stay(false);
            come_back(&coordinator, coordinator.presences().len(), interrupt);
            return Ok(present(&coordinator.presences()));
        }
        Ok(Listening::InUse(address)) => format!("{address} is in use by another program"),
        Err(error) => format!("{error:#}"),
    };
    if !standing.is_from_here() {
        return Err(anyhow!(
            "{why}; the fleet stays as it is, because its file does not say on which machine it was brought up: write the command there, or remove the file if you have seen to the agents"
        ));
    }
    errln!("agents can't be told to end, and are ended: {why}");
    Ok(0)
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
    file.ok_or_else(|| no_file(path))
}

fn no_file(path: &Path) -> anyhow::Error {
    failure::wrong(anyhow!("{}: name the file of a fleet", path.display()))
}

/// The fleet that is up for a file, and what the file says.
fn standing(path: &Path) -> anyhow::Result<(AgentsFile, Standing)> {
    let mut file = named(path)?;
    let standing = file.take_standing().ok_or_else(|| none_is_up(path))?;
    Ok((file, standing))
}

fn none_is_up(path: &Path) -> anyhow::Error {
    failure::wrong(anyhow!("{0}: no fleet is up for this file: wiredyno fleet up {0}", path.display()))
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

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::run::standing::tests::with_agents;

    /// The file that the fleets of these tests are of. No ssh answers there.
    fn text(port: u16) -> String {
        format!(
            "listen = \"127.0.0.1:{port}\"\nhost = \"127.0.0.1\"\n[hosts]\nedge = \"127-0-0-1\"\n[fleet.ssh]\nmachines = [\"127.0.0.1\"]\noptions = [\"-p\", \"1\"]\n"
        )
    }

    #[test]
    fn a_fleet_in_use_stays_as_it_is_and_one_of_which_something_is_left_is_not_forgotten() {
        const AGENT: &str = "[{\"machine\": \"127.0.0.1\", \"folder\": \"/tmp/wiredyno-agent.0a1b2c3d-127-0-0-1\", \"state\": \"Runs\"}]";
        let desk = tempfile::tempdir().unwrap();
        let arguments = FileArguments { file: desk.path().join("fleet.toml") };
        std::fs::write(&arguments.file, text(7411)).unwrap();
        let keep = |listen: SocketAddr, agents: &str| {
            let _ = std::fs::remove_file(Standing::path(&arguments.file));
            let mut reserved = Reserved::of(&arguments.file).unwrap();
            reserved.keep(&with_agents(listen, agents)).unwrap();
            reserved
        };
        let is_kept = || Standing::read(&arguments.file).unwrap().is_some();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = taken.local_addr().unwrap();
        let used = keep(listen, AGENT);
        let told = format!("{:#}", down(&arguments, Duration::ZERO).unwrap_err());
        assert!(told.contains("stays as it is") && told.contains("is in use") && is_kept(), "{told}");
        drop(used);
        // Another program that has the port keeps nobody from it.
        let told = format!("{:#}", down(&arguments, Duration::ZERO).unwrap_err());
        assert!(told.contains("not all of the fleet is down") && is_kept(), "{told}");
        // What the file does not say is not carried out.
        std::fs::write(&arguments.file, text(7411).replace("\"-p\", ", "\"-v\", \"-p\", ")).unwrap();
        let told = format!("{:#}", down(&arguments, Duration::ZERO).unwrap_err());
        assert!(told.contains("`options`") && told.contains("fleet.toml.up is not used"), "{told}");
        std::fs::write(&arguments.file, text(7411)).unwrap();
        // An address for documentation, which no machine has: the engine does without the coordinator.
        for listen in [listen, SocketAddr::from(([192, 0, 2, 1], 7411))] {
            drop(keep(listen, "[]"));
            down(&arguments, Duration::ZERO).unwrap();
            assert!(!is_kept() && std::fs::read_dir(desk.path()).unwrap().count() == 1);
        }
    }

    #[test]
    fn a_fleet_that_does_not_come_up_leaves_no_file_and_what_is_there_is_not_touched() {
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("fleet.toml");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        std::fs::write(&file, text(port)).unwrap();
        let asked = Asked::default();
        let arguments = UpArguments { file: file.clone(), asked, stay: Span::from_s(60) };
        let told = format!("{:#}", up(&arguments).unwrap_err());
        assert!(told.contains("no agent could be started") && !Standing::path(&file).exists(), "{told}");
        // What a killed command has left is in nobody's way.
        std::fs::write(Standing::path(&file), "").unwrap();
        std::fs::set_permissions(Standing::path(&file), Permissions::from_mode(0o600)).unwrap();
        let told = format!("{:#}", up(&arguments).unwrap_err());
        assert!(told.contains("no agent could be started") && !Standing::path(&file).exists(), "{told}");
        std::fs::write(Standing::path(&file), "a").unwrap();
        let told = format!("{:#}", up(&arguments).unwrap_err());
        assert!(Standing::path(&file).exists(), "{told}");
    }

    #[test]
    fn agents_that_had_ended_before_are_not_said_to_be_taken_down() {
        let place = |state: State| Place { agent: "agent-0".to_owned(), state, unsure: None };
        let gone = || place(State::Gone("job 2 has ended, timeout".to_owned()));
        assert_eq!(all_ended(&[gone(), gone()]).as_deref(), Some("job 2 has ended, timeout"));
        assert_eq!(all_ended(&[gone(), place(State::Runs)]), None);
        assert_eq!(all_ended(&[]), None);
    }

    #[test]
    fn an_agent_that_is_gone_or_of_which_nothing_is_known_is_not_there() {
        let place = |state: State, unsure: Option<&str>| Place {
            agent: "agent-0".into(),
            state,
            unsure: unsure.map(str::to_owned),
        };
        let present = || {
            vec![Presence {
                name: "agent-0".into(),
                state: MemberState::Present,
                address: Some([10, 0, 0, 7].into()),
                reaches_us_at: None,
                session: 1,
            }]
        };
        let (used, nobody) = (|| Port::InUse, || Port::Ours(Vec::new()));
        let cases = [
            (place(State::Runs, None), Port::Ours(present()), (true, "waits for a run, at 10.0.0.7")),
            (
                place(State::Runs, Some("no route")),
                Port::Ours(present()),
                (true, "waits for a run, at 10.0.0.7"),
            ),
            (
                place(State::Runs, None),
                nobody(),
                (false, "started, but it does not come back to this machine"),
            ),
            (place(State::Runs, Some("no route")), nobody(), (false, "unknown: no route")),
            (place(State::Runs, None), used(), (true, "started; a run or another command uses the fleet")),
            (
                place(State::Runs, None),
                Port::Strange(SocketAddr::from(([10, 0, 0, 1], 7411))),
                (false, "started; another program has 10.0.0.1:7411, so that no run can use it"),
            ),
            (place(State::Runs, Some("no route")), used(), (false, "unknown: no route")),
            (place(State::Gone("evicted".into()), None), used(), (false, "gone: evicted")),
            (place(State::Waits("pending".into()), None), used(), (false, "not started: pending")),
        ];
        for (place, port, (is_fine, words)) in cases {
            assert_eq!(told(&place, &port), (is_fine, words.to_owned()));
        }
    }
}
