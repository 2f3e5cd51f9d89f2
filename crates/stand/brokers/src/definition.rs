//! `broker.toml`: what a broker's folder declares.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wiredyno_contract::{OptionTable, Security, Span};
use wiredyno_model::{Lifetime, Place, Refusal};

use crate::stored;

/// A broker as its `broker.toml` defines it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broker {
    /// Its id: the folder's name.
    pub id: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Names of the protocols it serves, at least one.
    pub protocols: Vec<String>,
    /// If a study names no broker, the installed one with the lowest number serves.
    #[serde(default = "Broker::default_preference")]
    pub preference: u32,
    /// A note that reports show with its numbers; empty for none.
    #[serde(default)]
    pub label: String,
    /// About how much memory a node takes, in bytes; 0 if negligible.
    #[serde(default)]
    pub memory_bytes: u64,
    /// The share of a CPU that an idle node takes; 0 if negligible.
    #[serde(default)]
    pub idle_cpu: f64,
    /// How long one start of it serves.
    #[serde(default)]
    pub lifetime: Lifetime,
    /// Where it keeps its data; on disk by default.
    #[serde(default)]
    pub data: DataPlace,
    /// The files in a node's folder that hold the messages of a topic, as a path with `{topic}` and `*`; absent where it stores none, or they can't be told
    /// apart.
    #[serde(default)]
    pub stores: Option<String>,
    /// The numbers of nodes that a study can request; the first is the default.
    #[serde(default = "Broker::default_nodes")]
    pub nodes: Vec<u32>,
    /// Names of its ports; clients connect to the first.
    #[serde(default = "Broker::default_ports")]
    pub ports: Vec<String>,
    /// The program's file name, looked up in PATH and `paths`.
    pub program: String,
    /// Folders in which to look for it besides PATH.
    #[serde(default)]
    pub paths: Vec<PathBuf>,
    /// Its arguments, with placeholders.
    pub arguments: Vec<String>,
    /// Variables added to its environment, with placeholders.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Templates beside broker.toml, which are filled in and written into the node's folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// Texts that are filled in for every node and joined by commas, for the placeholders `{list.NAME}`.
    #[serde(default)]
    pub lists: BTreeMap<String, String>,
    /// Steps before the start, each run to its end.
    #[serde(default)]
    pub prepare: Vec<Prepare>,
    /// How to find out that it is ready.
    #[serde(default)]
    pub ready: Ready,
    /// Messages that warm it up before its first trial in a mode; 0 if it is fast from the start. A virtual machine with a
    /// just-in-time compiler needs some. Not for the lifetime `trial`.
    #[serde(default)]
    pub warm_up_messages: u32,
    /// Options that its clients need, by protocol; a study can override them.
    #[serde(default)]
    pub options: BTreeMap<String, OptionTable>,
    /// The ways it can secure connections, with what differs for each; only in the clear if empty.
    #[serde(default)]
    pub security: BTreeMap<Security, Variant>,
    /// The ways it can restrict access, with what differs for each; only open to everybody if empty.
    #[serde(default)]
    pub access: BTreeMap<Access, Variant>,
    /// How it is ended; by SIGKILL by default.
    #[serde(default)]
    pub stop: Stop,
    /// How to learn its version.
    pub version: VersionProbe,
    /// How to install it: a package, jars, or a command.
    pub install: Install,
}

/// Where a broker keeps its data while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataPlace {
    /// Below the folder for temporary files; trials record its file system.
    #[default]
    Disk,
    /// In `/dev/shm`, a file system in memory.
    Memory,
}

/// Which clients a broker lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// All clients, or the protocol's guest.
    Open,
    /// One user with a password, who may use only the topics of runs.
    Login,
}

impl Access {
    const fn word(self) -> &'static str {
        match self {
            Access::Open => "open",
            Access::Login => "login",
        }
    }
}

/// What differs between ways to start a broker.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// Texts by name, for the placeholders `{security.NAME}` or `{access.NAME}`; they may have placeholders themselves.
    pub values: BTreeMap<String, String>,
    /// Additional templates beside broker.toml.
    pub files: Vec<String>,
    /// Additional arguments after the others, with placeholders.
    pub arguments: Vec<String>,
    /// Additional steps before the start, ahead of the others.
    pub prepare: Vec<Prepare>,
}

/// A step before the start.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// The program's file name, looked up as the broker's own.
    pub program: String,
    /// Its arguments, with placeholders.
    pub arguments: Vec<String>,
}

/// How to find out that a broker is ready.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// Names of the ports on which a process of each node must listen, by TCP or UDP; the first port by default.
    #[serde(default)]
    pub listens: Vec<String>,
    /// How long that may take; 20 s by default.
    #[serde(default = "Ready::default_patience")]
    pub patience: Span,
    /// How much CPU time it usually takes, preparing steps included; only for estimates.
    #[serde(default)]
    pub usual: Span,
}

impl Default for Ready {
    fn default() -> Self {
        Ready { listens: Vec::new(), patience: Ready::default_patience(), usual: Span::default() }
    }
}

impl Ready {
    fn default_patience() -> Span {
        Span { ns: 20_000_000_000 }
    }
}

/// How a broker is ended: by SIGKILL to all of its processes, after a signal to the started one if one is named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The signal; none by default, for brokers that have nothing to save at their end.
    #[serde(default)]
    pub signal: Option<Signal>,
    /// How long it may then take to end by itself.
    #[serde(default)]
    pub patience: Span,
}

/// A signal that asks a program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// SIGTERM, `TERM` in broker.toml.
    Term,
    /// SIGINT, `INT` in broker.toml.
    Int,
    /// SIGQUIT, `QUIT` in broker.toml.
    Quit,
}

/// How to learn a broker's version: from the program's output, or from a file name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum VersionProbe {
    /// The program prints it when it is called with these arguments.
    Asked {
        /// Arguments that make it print its version, with the placeholder `{library}`.
        arguments: Vec<String>,
        /// The text before the version, at the start of its line.
        prefix: String,
    },
    /// The name of a file or folder contains it, for programs that report it only once started.
    Path {
        /// An absolute path with one `*`, in its last part, which stands for the version.
        path: String,
    },
    /// A jar's name contains it.
    Jar {
        /// The text before the version in the jar's name; `.jar` follows it.
        jar: String,
    },
}

/// How to install a broker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Install {
    /// The name of a Debian package.
    Debian(String),
    /// A pom beside broker.toml whose dependencies Maven copies into the cache; `SHA256SUMS` beside it has their hashes.
    Maven(String),
    /// A command line to type.
    Command(String),
}

/// The hashes of a library's files, beside broker.toml.
pub(crate) const SUMS: &str = "SHA256SUMS";

impl Broker {
    fn default_preference() -> u32 {
        50
    }

    fn default_nodes() -> Vec<u32> {
        vec![1]
    }

    fn default_ports() -> Vec<String> {
        vec!["main".to_owned()]
    }

    /// Refuses contradictions; `has` returns whether the folder has a file.
    pub(crate) fn check(&self, name: &str, has: &dyn Fn(&str) -> bool) -> Result<(), Refusal> {
        let refuse =
            |place: &[&str], problem: String| Err(Refusal::at(Place::of(place.iter().copied()), problem));
        if self.id != name {
            let problem =
                format!("the id is `{}`, but the folder is `{name}`: they must be the same", self.id);
            return refuse(&["id"], problem);
        }
        if self.protocols.is_empty() {
            return refuse(&["protocols"], "a broker must serve at least one protocol".to_owned());
        }
        if let Some(other) = self.options.keys().find(|protocol| !self.protocols.contains(protocol)) {
            let known = self.protocols.join(", ");
            let problem = format!("it does not serve `{other}`, but has options for it: {known}");
            return refuse(&["options", other], problem);
        }
        if let Some(problem) = self.stores.as_deref().and_then(stored::fault) {
            return refuse(&["stores"], problem.to_owned());
        }
        if self.nodes.is_empty() || self.nodes.contains(&0) {
            return refuse(&["nodes"], "a broker must have at least one node".to_owned());
        }
        if self.ports.is_empty() {
            return refuse(&["ports"], "clients need a port".to_owned());
        }
        if let Some(unknown) = self.ready.listens.iter().find(|port| !self.ports.contains(port)) {
            let problem = format!("`{unknown}` is not one of its ports: {}", self.ports.join(", "));
            return refuse(&["ready", "listens"], problem);
        }
        self.check_files(has)?;
        check_values("security", &self.security, Security::None)?;
        check_values("access", &self.access, Access::Open)?;
        if self.warm_up_messages > 0 && self.lifetime == Lifetime::Trial {
            let problem =
                "a broker that serves one trial is not kept warm: write lifetime = \"run\" or \"cell\"";
            return refuse(&["warm_up_messages"], problem.to_owned());
        }
        if matches!(self.version, VersionProbe::Jar { .. }) && !matches!(self.install, Install::Maven(_)) {
            let problem = "a version in a jar's name needs `install.maven`";
            return refuse(&["version", "jar"], problem.to_owned());
        }
        Ok(())
    }

    /// Refuses references to missing files.
    fn check_files(&self, has: &dyn Fn(&str) -> bool) -> Result<(), Refusal> {
        let own = self.files.iter().map(|file| (Place::of(["files"]).word(file), file.as_str()));
        let of_security = self.security.iter().map(|(kind, variant)| ("security", kind.word(), variant));
        let of_access = self.access.iter().map(|(kind, variant)| ("access", kind.word(), variant));
        let of_variants = of_security.chain(of_access).flat_map(|(table, kind, variant)| {
            let place = Place::of([table, kind, "files"]);
            variant.files.iter().map(move |file| (place.clone().word(file), file.as_str()))
        });
        let of_install = match &self.install {
            Install::Maven(pom) => vec![pom.as_str(), SUMS],
            _ => Vec::new(),
        };
        let of_install = of_install.into_iter().map(|file| (Place::of(["install", "maven"]), file));
        match own.chain(of_variants).chain(of_install).find(|(_, file)| !has(file)) {
            Some((place, missing)) => {
                Err(Refusal::at(place, format!("there is no file `{missing}` beside it")))
            }
            None => Ok(()),
        }
    }

    /// The ways it can secure connections; unencrypted is always one.
    pub fn securities(&self) -> BTreeSet<Security> {
        self.security.keys().copied().chain([Security::None]).collect()
    }

    /// Whether it can restrict access to a user with a password.
    pub fn knows_users(&self) -> bool {
        self.access.contains_key(&Access::Login)
    }

    /// The ports on which each node must listen to be ready.
    pub(crate) fn awaited_ports(&self) -> &[String] {
        if self.ready.listens.is_empty() {
            self.ports.get(..1).unwrap_or_default()
        } else {
            &self.ready.listens
        }
    }
}

/// Refuses variants of which one lacks a text that another has: its placeholder would stay unfilled. If there are any texts, the
/// variant of the usual start must have them too.
fn check_values<K: Ord + Copy>(
    key: &'static str,
    variants: &BTreeMap<K, Variant>,
    usual: K,
) -> Result<(), Refusal> {
    let names: BTreeSet<&String> = variants.values().flat_map(|variant| variant.values.keys()).collect();
    let lacks = |variant: Option<&Variant>| {
        names.iter().find(|name| !variant.is_some_and(|variant| variant.values.contains_key(**name)))
    };
    let lacking = variants.values().map(Some).chain([variants.get(&usual)]).find_map(lacks);
    lacking.map_or(Ok(()), |name| {
        let problem = format!(
            "the text `{name}` of [{key}] must be in all of its tables, including that of the usual start"
        );
        Err(Refusal::at(Place::of([key]), problem))
    })
}
