//! `wiredyno doctor`: what is installed, what is missing and how to install it; with `--self-test`, which differences this machine detects.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use wiredyno_brokers::{BrokerFolderError, InstallError};
use wiredyno_build::Cache;
use wiredyno_contract::{DeclaredCodec, DeclaredTransport, Need, OWN_LIBRARY};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_needs::Lack;
use wiredyno_planning::stock;
use wiredyno_running::environment;
use wiredyno_running::run::rights;
use wiredyno_seats::here;

use crate::listed::Finding;
use crate::output::outln;
use crate::terminal::{good, lacking};
use crate::{exit, failure, interrupts, run, runner, self_test};

#[derive(clap::Args)]
pub struct Arguments {
    /// Print a JSON array of findings
    #[arg(long)]
    json: bool,
    /// Create known differences in link and runner, and check that a study would find them
    #[arg(long)]
    self_test: bool,
    /// Download a broker into the cache; its files are checked against the hashes next to its broker.toml
    #[arg(long, value_name = "BROKER", conflicts_with_all = ["json", "self_test"])]
    install: Vec<String>,
    /// With --self-test: trials of each cell
    #[arg(long, default_value_t = 10, requires = "self_test", value_name = "NUMBER")]
    repeats: u32,
}

/// Other useful programs: name, purpose, how to install it. Debian's cargo is too old.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("ping", "the link's physical tests", "sudo apt-get install iputils-ping"),
    ("tshark", "checks captures and byte counts", "sudo apt-get install tshark"),
    ("chromium", "checks the report's page", "sudo apt-get install chromium"),
    ("cargo", "builds Wiredyno and its runners", "install Rust from https://rustup.rs"),
    ("cc", "compiles and links runners", "sudo apt-get install gcc"),
];

/// Prints the findings. A missing item is not an error: Wiredyno does what it can without it.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sandbox = runner::enter_sandbox()?;
    if arguments.self_test {
        return self_test::main(&sandbox, arguments.repeats, arguments.json);
    }
    if !arguments.install.is_empty() {
        return install(&arguments.install, &sandbox);
    }
    let mut findings = Vec::new();
    let links = &sandbox.rights().network_namespaces;
    findings.push(finding("emulated link", links.as_ref().map(|()| "network namespaces and TUN".into())));
    let pids = &sandbox.rights().pid_namespace;
    findings.push(finding("nothing outlives a run", pids.as_ref().map(|()| "PID namespace".into())));
    let realtime = &sandbox.rights().realtime;
    findings.push(finding("real-time priority for links", realtime.as_ref().map(|()| "SCHED_FIFO".into())));
    findings.extend(protocols()?);
    findings.extend(clients());
    findings.extend(codecs());
    let cache = Cache::of_user()?;
    for folder in wiredyno_brokers::all()? {
        let broker = &folder.broker;
        let missing: Vec<String> =
            folder.missing(&cache).into_iter().map(|one| format!("{}: {}", one.what, one.remedy)).collect();
        let state = match (missing.is_empty(), folder.program_path()) {
            (true, Some(path)) => Ok(format!("{} ({})", folder.version(&cache)?, path.display())),
            _ => Err(missing.join("; ")),
        };
        findings.push(finding(&format!("broker {} for {}", broker.id, broker.protocols.join(", ")), state));
    }
    for folder in wiredyno_languages::all()? {
        let state =
            folder.language_version().map(|version| format!("{} {version}", folder.declared.language));
        findings.push(finding(&format!("runner {}", folder.name), state));
    }
    for (program, purpose, install) in PROGRAMS {
        let state = match find_program(program) {
            Some(path) => Ok(path.display().to_string()),
            None => Err(format!("{purpose}; {install}")),
        };
        findings.push(finding(program, state));
    }
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&findings)?);
        return Ok(exit::DONE);
    }
    for Finding { what, here, detail } in &findings {
        outln!("{}  {what}: {detail}", if *here { good("here   ") } else { lacking("missing") });
    }
    let environment = environment::read(rights(&sandbox), run::COMMIT);
    outln!(
        "\n{}, {} CPUs, {}, {}; governor {}, hypervisor {}\ntimer step {} ns, a 1 ms sleep ends up to {:.0} µs late (p99)",
        environment.cpu,
        environment.cpus,
        environment.os,
        environment.kernel,
        environment.governor,
        environment.hypervisor,
        environment.timer_resolution_ns,
        environment.sleep_lateness_p99_ns as f64 / 1e3
    );
    Ok(exit::DONE)
}

/// Which client and broker of each protocol a plan would use here, by the plan's own checks. The first client goes by the
/// protocol's name alone.
fn protocols() -> anyhow::Result<Vec<Finding>> {
    let known = stock::known(&[])?;
    let mut findings: Vec<Finding> = Vec::new();
    for (transport, state) in here::protocols(&known)? {
        let alone = format!("messages over {}", transport.protocol);
        let is_first = findings.iter().all(|finding| finding.what != alone);
        findings.push(finding(&if is_first { alone } else { format!("messages over {transport}") }, state));
    }
    Ok(findings)
}

/// Each protocol's clients with what they need of the machine; a separate line for encryption that needs more.
fn clients() -> Vec<Finding> {
    let of = |client: &&DeclaredTransport| {
        let what = format!("client {}", client.describe().id);
        let encrypted =
            finding(&format!("{what} with encryption"), needed(client.encrypts_with, client.library));
        let own = finding(&what, needed(client.needs, client.library));
        [Some(own), (!client.encrypts_with.is_empty()).then_some(encrypted)].into_iter().flatten()
    };
    wiredyno_transport_registry::REGISTRY.iter().flat_map(of).collect()
}

/// The Rust codecs that need something of the machine, one by one; all others on one line.
fn codecs() -> Vec<Finding> {
    let (plain, needing): (Vec<&DeclaredCodec>, Vec<_>) =
        wiredyno_codec_registry::REGISTRY.iter().copied().partition(|codec| codec.needs.is_empty());
    let of =
        |codec: &DeclaredCodec| finding(&format!("codec {}", codec.id), needed(codec.needs, codec.library));
    let others = finding::<String>(
        &format!("{} other codecs in Rust", plain.len()),
        Ok("cargo brings what they need".to_owned()),
    );
    needing.into_iter().map(of).chain([others]).collect()
}

/// The versions of what a package needs of the machine, or what is missing and how to install it.
fn needed(needs: &[Need], library: &str) -> Result<String, Lack> {
    match wiredyno_needs::lack(needs) {
        Some(lack) => Err(lack),
        None if needs.is_empty() && library == OWN_LIBRARY => Ok("our own".to_owned()),
        None if needs.is_empty() => Ok(format!("cargo brings {library}")),
        None => Ok(needs.iter().map(wiredyno_needs::here).collect::<Vec<_>>().join(", ")),
    }
}

/// Installs brokers into the cache; installed ones stay unchanged.
fn install(names: &[String], sandbox: &Sandbox) -> anyhow::Result<ExitCode> {
    let cache = Cache::of_user()?;
    let interrupt = interrupts::catch_interrupts()?;
    for name in names {
        let id = name.parse().with_context(|| format!("--install {name}")).map_err(failure::wrong)?;
        let folder = match wiredyno_brokers::find(&id) {
            Err(unknown @ BrokerFolderError::Unknown { .. }) => return Err(failure::wrong(unknown)),
            found => found?,
        };
        let place = folder.install(
            &cache,
            &mut |command| sandbox.prepare(command),
            &|| interrupt.is_set(),
            &mut |line| eprintln!("{line}"),
        );
        match place {
            Ok(place) => outln!("{name} {}: {}", folder.version(&cache)?, place.display()),
            Err(InstallError::Interrupted) => return Ok(ExitCode::from(exit::INTERRUPTED)),
            Err(error) => bail!(error),
        }
    }
    Ok(exit::DONE)
}

fn finding<E: ToString>(what: &str, state: Result<String, E>) -> Finding {
    let (here, detail) = match state {
        Ok(detail) => (true, detail),
        Err(missing) => (false, missing.to_string()),
    };
    Finding { what: what.to_owned(), here, detail }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
