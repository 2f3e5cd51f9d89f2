//! What `wiredyno fleet up --on` asks for, as the file of a fleet.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use serde::Serialize;

use crate::failure;
use crate::output::errln;

/// What brings agents to machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum On {
    /// Machines that ssh reaches
    Ssh,
    /// A job of Slurm
    Slurm,
    /// Pods of Kubernetes
    Kubernetes,
    /// Agents that you start yourself
    List,
}

/// The options of `fleet up` that write the file of a fleet.
#[derive(Debug, Default, clap::Args)]
#[group(id = "asked")]
pub struct Asked {
    /// Write FILE for a fleet of this kind, and bring it up
    #[arg(long, value_name = "ENGINE")]
    on: Option<On>,
    /// How many agents, with Slurm and Kubernetes
    #[arg(long, value_name = "NUMBER", requires = "on", value_parser = clap::value_parser!(u32).range(1..=1000))]
    agents: Option<u32>,
    /// The machines of ssh, or the names of agents that you start yourself; may be repeated, or separated by commas
    #[arg(long = "machine", value_name = "NAME", requires = "on", value_delimiter = ',')]
    machines: Vec<String>,
    /// Only nodes with this label of Kubernetes (KEY=VALUE) or this feature of Slurm; may be repeated
    #[arg(long = "label", value_name = "LABEL", requires = "on")]
    labels: Vec<String>,
    /// The image of agents in Kubernetes
    #[arg(long, value_name = "IMAGE", requires = "on")]
    image: Option<String>,
}

#[derive(Serialize)]
struct File {
    hosts: Hosts,
    fleet: BTreeMap<&'static str, Section>,
}

/// The agents of a study's hosts: the first two.
#[derive(Serialize)]
struct Hosts {
    edge: Option<String>,
    cloud: Option<String>,
}

#[derive(Default, Serialize)]
struct Section {
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<toml::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    machines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    node_selector: BTreeMap<String, String>,
}

impl Asked {
    /// Writes the file of the fleet that is asked for, if one is. The same file may be there already.
    ///
    /// # Errors
    /// When the options do not make a fleet, or the file is there and says something else.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let Some(on) = self.on else { return Ok(()) };
        let text = self.text(on).map_err(failure::wrong)?;
        let shown = path.display();
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).with_context(|| shown.to_string())?;
                errln!(
                    "{shown}: written; change it as you like, and next time write: wiredyno fleet up {shown}"
                );
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                match std::fs::read_to_string(path).with_context(|| shown.to_string())? {
                    there if there == text => Ok(()),
                    _ => Err(failure::wrong(anyhow!(
                        "{shown}: it is there, and says something else than --on: write `wiredyno fleet up {shown}` to use it as it is, or name another file"
                    ))),
                }
            }
            Err(error) => Err(error).with_context(|| shown.to_string()),
        }
    }

    /// The text of the file.
    fn text(&self, on: On) -> anyhow::Result<String> {
        let (name, section, names) = match on {
            On::Ssh | On::List => self.named(on)?,
            On::Slurm | On::Kubernetes => self.counted(on)?,
        };
        let mut names = names.into_iter();
        let hosts = Hosts { edge: names.next(), cloud: names.next() };
        let file = File { hosts, fleet: BTreeMap::from([(name, section)]) };
        let head = "# Which host of a study is which agent, and how agents are started: docs/FLEET.md\n";
        Ok(format!("{head}{}", toml::to_string(&file)?))
    }

    /// A fleet whose agents have names.
    fn named(&self, on: On) -> anyhow::Result<(&'static str, Section, Vec<String>)> {
        if let Some(image) = &self.image {
            return Err(anyhow!("--image {image}: only agents in Kubernetes have an image"));
        }
        if let Some(label) = self.labels.first() {
            return Err(anyhow!(
                "--label {label}: name the machines with --machine; labels choose nodes of Slurm and Kubernetes"
            ));
        }
        if self.machines.is_empty() {
            let what = if on == On::Ssh { "the machines, as after `ssh`" } else { "the agents" };
            return Err(anyhow!("--on needs --machine NAME here: name {what}"));
        }
        let machines = match self.agents {
            None => self.machines.clone(),
            Some(agents) if agents as usize > self.machines.len() => {
                return Err(anyhow!("--agents {agents}: {} are named by --machine", self.machines.len()));
            }
            Some(agents) => self.machines[..agents as usize].to_vec(),
        };
        Ok(match on {
            On::Ssh => {
                let names = wiredyno_fleet::Ssh::of(machines.clone()).names();
                ("ssh", Section { machines, ..Section::default() }, names)
            }
            _ => {
                let agents = Some(toml::Value::try_from(&machines)?);
                ("list", Section { agents, ..Section::default() }, machines)
            }
        })
    }

    /// A fleet whose agents have numbers.
    fn counted(&self, on: On) -> anyhow::Result<(&'static str, Section, Vec<String>)> {
        if let Some(machine) = self.machines.first() {
            return Err(anyhow!(
                "--machine {machine}: Slurm and Kubernetes choose machines; --label narrows their choice"
            ));
        }
        let agents = self.agents.ok_or_else(|| anyhow!("--on needs --agents NUMBER here"))?;
        let names = (0..agents).map(|number| format!("agent-{number}")).collect();
        let mut section = Section { agents: Some(toml::Value::Integer(agents.into())), ..Section::default() };
        if on == On::Slurm {
            if let Some(image) = &self.image {
                return Err(anyhow!("--image {image}: only agents in Kubernetes have an image"));
            }
            section.constraint = (!self.labels.is_empty()).then(|| self.labels.join("&"));
            return Ok(("slurm", section, names));
        }
        let image = self.image.clone().ok_or_else(|| {
            anyhow!("--on kubernetes needs --image IMAGE: `wiredyno fleet image` makes one, and your nodes pull it")
        })?;
        section.image = Some(image);
        for label in &self.labels {
            let pair = label.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let (key, value) =
                pair.ok_or_else(|| anyhow!("--label {label}: write KEY=VALUE, for example disk=ssd"))?;
            if section.node_selector.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(anyhow!("--label {label}: `{key}` is given twice"));
            }
        }
        Ok(("kubernetes", section, names))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::run::agents_file::AgentsFile;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        asked: Asked,
    }

    fn asked(words: &str) -> Asked {
        Line::try_parse_from(std::iter::once("up").chain(words.split_whitespace())).unwrap().asked
    }

    fn text(words: &str) -> Result<String, String> {
        let asked = asked(words);
        asked.text(asked.on.unwrap()).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_is_asked_for_is_a_file_that_runs_can_use() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("fleet.toml");
        let kept = |words: &str| {
            let _ = std::fs::remove_file(&path);
            asked(words).write(&path).unwrap();
            AgentsFile::named(None, Some(&path)).unwrap().unwrap();
            // The same again is no other fleet.
            asked(words).write(&path).unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        let slurm = kept("--on slurm --agents 3 --label ssd --label 10g");
        assert!(slurm.contains("edge = \"agent-0\"") && slurm.contains("cloud = \"agent-1\""), "{slurm}");
        assert!(slurm.contains("[fleet.slurm]\nagents = 3\nconstraint = \"ssd&10g\"\n"), "{slurm}");
        let one = kept("--on kubernetes --agents 1 --image wiredyno:1 --label disk=ssd");
        assert!(!one.contains("cloud") && one.contains("disk = \"ssd\""), "{one}");
        let ssh = kept("--on ssh --machine pi@garage,10.0.0.7");
        assert!(ssh.contains("edge = \"garage\"") && ssh.contains("cloud = \"10-0-0-7\""), "{ssh}");
        let list = kept("--on list --machine vehicle --machine gateway");
        assert!(list.contains("agents = [\"vehicle\", \"gateway\"]"), "{list}");
        let other = format!("{:#}", asked("--on list --machine vehicle").write(&path).unwrap_err());
        assert!(other.contains("says something else") && other.contains("fleet.toml"), "{other}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), list);
    }

    #[test]
    fn what_an_engine_has_no_use_for_is_refused() {
        for (words, why) in [
            ("--on ssh", "--machine NAME"),
            ("--on ssh --machine a --label b=c", "--label b=c"),
            ("--on list --machine a --image i", "--image i"),
            ("--on ssh --machine a --agents 2", "1 are named"),
            ("--on slurm", "--agents NUMBER"),
            ("--on slurm --agents 2 --machine a", "--machine a"),
            ("--on slurm --agents 2 --image i", "--image i"),
            ("--on kubernetes --agents 2", "--image IMAGE"),
            ("--on kubernetes --agents 2 --image i --label ssd", "KEY=VALUE"),
            ("--on kubernetes --agents 2 --image i --label a=b --label a=c", "twice"),
        ] {
            let told = text(words).unwrap_err();
            assert!(told.contains(why), "{words}: {told}");
        }
        assert!(Line::try_parse_from(["up", "--agents", "3"]).is_err(), "without --on it means nothing");
        let nothing = tempfile::tempdir().unwrap();
        asked("").write(&nothing.path().join("fleet.toml")).unwrap();
        assert_eq!(std::fs::read_dir(nothing.path()).unwrap().count(), 0);
    }
}
