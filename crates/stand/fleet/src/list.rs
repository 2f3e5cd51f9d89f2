//! Agents that somebody else starts, on machines of a list: people, a configuration management, a service of the machine itself. Each gets an invitation in a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wiredyno_contract::Span;

use crate::command::typed;
use crate::{Engine, FleetError, PATIENCE, Place, Record, State, differs};

/// The longest name of an agent, in bytes.
const MOST_NAME_BYTES: usize = 40;

/// Agents that are started by hand, or by something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The names with which they join: lower-case letters, digits and hyphens.
    pub agents: Vec<String>,
    /// The folder into which their invitations are written, one file each, NAME.invitation; `invited` if left out.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// How long an agent tries to reach its coordinator again, as the command that starts it says; a minute if left out.
    #[serde(default)]
    pub patience: Option<Span>,
}

/// Agents that were invited.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invited {
    list: List,
    /// The invitations' files.
    files: Vec<PathBuf>,
    /// Whether nobody is told how to start them any more.
    is_known: bool,
}

fn is_name(name: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    (1..=MOST_NAME_BYTES).contains(&name.len()) && !name.starts_with('-') && name.chars().all(is_plain)
}

impl List {
    pub(crate) fn check(&self) -> Result<(), FleetError> {
        let asked = |what: String| Err(FleetError::Asked(format!("[fleet.list]: {what}")));
        if self.agents.is_empty() {
            return asked("agents is empty: name at least one".to_owned());
        }
        if let Some(name) = self.agents.iter().find(|name| !is_name(name)) {
            return asked(format!(
                "`{name}` is not a name of an agent: write at most {MOST_NAME_BYTES} lower-case letters, digits and hyphens"
            ));
        }
        let mut seen = std::collections::BTreeSet::new();
        match self.agents.iter().find(|name| !seen.insert(name.as_str())) {
            Some(name) => asked(format!("the agent `{name}` appears twice")),
            None => Ok(()),
        }
    }

    /// Writes the invitations.
    ///
    /// # Errors
    /// When a file can't be written; those that were are removed again.
    pub(crate) fn up(&self, invitations: &[String]) -> Result<Invited, FleetError> {
        let folder = self.folder();
        let folder = std::path::absolute(&folder).map_err(|source| not_written(&folder, source))?;
        std::fs::create_dir_all(&folder).map_err(|source| not_written(&folder, source))?;
        let mut invited = Invited { list: self.clone(), files: Vec::new(), is_known: false };
        for (name, invitation) in self.agents.iter().zip(invitations) {
            let path = folder.join(format!("{name}.invitation"));
            // One of an earlier fleet is no longer of use.
            let _ = std::fs::remove_file(&path);
            // In one write: whoever waits for the file sees all of it.
            let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            let written = made.and_then(|mut file| file.write_all(format!("{invitation}\n").as_bytes()));
            invited.files.push(path.clone());
            if let Err(source) = written {
                invited.end();
                return Err(not_written(&path, source));
            }
        }
        Ok(invited)
    }

    /// The folder for invitations, as it is written.
    fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(|| PathBuf::from("invited"))
    }

    /// How an agent is started, as one would type it on its machine.
    fn line(&self, name: &str) -> String {
        let patience = self.patience.unwrap_or(PATIENCE).to_string();
        let file = self.folder().join(format!("{name}.invitation")).display().to_string();
        let words = ["wiredyno", "agent", &file, "--name", name, "--patience", &patience];
        typed(&words.map(str::to_owned))
    }
}

fn not_written(path: &Path, source: std::io::Error) -> FleetError {
    FleetError::Asked(format!("{}: {source}: name a folder that you may write to", path.display()))
}

impl Invited {
    /// Says what is wrong with what was kept of it: these files are removed.
    pub(crate) fn check(&self) -> Result<(), FleetError> {
        let is_its = |(name, file): (&String, &PathBuf)| {
            file.is_absolute()
                && is_name(name)
                && file.file_name().is_some_and(|of| of == format!("{name}.invitation").as_str())
        };
        let all = self.list.agents.iter().zip(&self.files);
        match self.list.agents.len() == self.files.len() && all.into_iter().all(is_its) {
            true => Ok(()),
            false => Err(FleetError::Asked("this is not what a fleet of a list has left".to_owned())),
        }
    }

    /// In what it differs from a section.
    pub(crate) fn differs(&self, section: &List) -> Option<String> {
        differs("agents", (&section.agents, &self.list.agents))
            .or_else(|| differs("folder", (&section.folder, &self.list.folder)))
    }
}

impl Engine for Invited {
    fn look(&mut self) -> Vec<Place> {
        let place = |name: &String| {
            let state = match self.is_known {
                true => State::Runs,
                false => State::Waits(format!(
                    "copy its file to its machine, and start it there: {}",
                    self.list.line(name)
                )),
            };
            Place::new(name.clone(), state)
        };
        let places = self.list.agents.iter().map(place).collect();
        self.is_known = true;
        places
    }

    fn record(&self) -> Record {
        Record::List(Self { is_known: true, ..self.clone() })
    }

    /// Removes the invitations. Agents end when their coordinator lets them go.
    fn end(&mut self) -> Vec<String> {
        let removed = |file: &PathBuf| match std::fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Some(format!("{}: the invitation is still there: {error}", file.display()))
            }
            _ => None,
        };
        self.files.iter().filter_map(removed).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn list(agents: &[&str], folder: &Path) -> List {
        let agents = agents.iter().map(|name| (*name).to_owned()).collect();
        List { agents, folder: Some(folder.to_owned()), patience: Some(Span::from_s(7200)) }
    }

    #[test]
    fn each_agent_gets_a_file_that_only_its_user_can_read_and_none_is_left() {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("in vited");
        let of = list(&["vehicle", "gateway"], &folder);
        of.check().unwrap();
        let mut up = of.up(&["one".to_owned(), "two".to_owned()]).unwrap();
        let file = folder.join("gateway.invitation");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two\n");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let places = up.look();
        let State::Waits(why) = &places[1].state else { panic!("{places:?}") };
        let line = format!("wiredyno agent '{}' --name gateway --patience 2h", file.display());
        assert!(why.ends_with(&line), "{why}");
        // It is said once.
        assert_eq!(up.look()[1].state, State::Runs);
        let Record::List(kept) = up.record() else { panic!("of another engine") };
        kept.check().unwrap();
        assert_eq!(kept.differs(&of), None);
        assert!(kept.differs(&list(&["vehicle"], &folder)).unwrap().contains("`agents`"));
        assert!(up.end().is_empty() && up.end().is_empty());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn what_was_not_written_here_is_not_removed() {
        let desk = tempfile::tempdir().unwrap();
        let mut up = list(&["vehicle"], desk.path()).up(&["one".to_owned()]).unwrap();
        up.files = vec![PathBuf::from("/etc/passwd")];
        assert!(up.check().is_err());
        up.files = Vec::new();
        assert!(up.check().is_err());
    }

    #[test]
    fn names_that_no_agent_can_have_are_refused() {
        let refused = |agents: &[&str]| list(agents, Path::new("/")).check().unwrap_err().to_string();
        assert!(refused(&[]).contains("at least one"));
        assert!(refused(&["a", "a"]).contains("`a` appears twice"));
        let long = "a".repeat(MOST_NAME_BYTES + 1);
        for name in ["", "-a", "A", "a/b", "..", "a b", &long] {
            assert!(refused(&[name]).contains("is not a name"), "{name}");
        }
    }
}
