//! What this machine lacks, and what provides it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why something is not available on this machine. Old runs recorded a single sentence, without a remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Lack {
    /// What is missing, in a sentence without a full stop.
    pub reason: String,
    /// What provides it; absent where nothing is known to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// What provides something that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// Any one of these commands is enough.
    Commands(Vec<String>),
    /// What to do, in words.
    Words(String),
}

impl Lack {
    /// A lack without a known remedy.
    pub fn of(reason: impl Into<String>) -> Self {
        Lack { reason: reason.into(), remedy: None }
    }

    /// The command that provides it, the first of several; `None` where a command is not enough.
    pub fn command(&self) -> Option<&str> {
        match self.remedy.as_ref()? {
            Remedy::Commands(commands) => commands.first().map(String::as_str),
            Remedy::Words(_) => None,
        }
    }
}

impl Remedy {
    /// The remedy that is this one command.
    pub fn command(command: impl Into<String>) -> Self {
        Remedy::Commands(vec![command.into()])
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Commands(commands) => f.write_str(&commands.join(", or ")),
            Remedy::Words(words) => f.write_str(words),
        }
    }
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.remedy {
            Some(remedy) => write!(f, "{}: {remedy}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

/// As recorded in the request of a run.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Whole { reason: String, remedy: Option<Remedy> },
    Sentence(String),
}

impl From<Written> for Lack {
    fn from(written: Written) -> Self {
        match written {
            Written::Whole { reason, remedy } => Lack { reason, remedy },
            Written::Sentence(reason) => Lack::of(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_what_is_typed_and_nothing_around_it() {
        let brings = |remedy| Lack { reason: "a broker is missing".to_owned(), remedy };
        let commands = vec!["sudo apt-get install a".to_owned(), "wiredyno doctor --install b".to_owned()];
        let words = Remedy::Words("name another (`sudo apt-get install c` is not enough)".to_owned());
        for (lack, said, command) in [
            (brings(None), "a broker is missing", None),
            (
                brings(Some(Remedy::Commands(commands))),
                "a broker is missing: sudo apt-get install a, or wiredyno doctor --install b",
                Some("sudo apt-get install a"),
            ),
            (
                brings(Some(words)),
                "a broker is missing: name another (`sudo apt-get install c` is not enough)",
                None,
            ),
        ] {
            assert_eq!((lack.to_string().as_str(), lack.command()), (said, command));
            let text = serde_json::to_string(&lack).unwrap();
            assert_eq!(serde_json::from_str::<Lack>(&text).unwrap(), lack, "{text}");
        }
        assert_eq!(serde_json::from_str::<Lack>("\"as it was\"").unwrap(), Lack::of("as it was"));
    }
}
