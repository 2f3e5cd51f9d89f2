//! What a plan leaves out, and why: as types here and in a run's request, as sentences in its summary.

use std::fmt;

use serde::{Deserialize, Serialize};
use wiredyno_contract::{RUST, Span, TransportId};
use wiredyno_model::Lack;
use wiredyno_model::summary::NotRun;
pub use wiredyno_model::summary::Part;

/// The option that bounds how long a run takes.
pub const MAX_TIME: &str = "--max-time";

/// A part of a study that is not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The part that is left out.
    pub part: Part,
    /// Why it is left out.
    pub reason: Reason,
}

/// Why a part of a study is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The codec can't carry the payload, for this reason.
    NotCarried(String),
    /// The codec is not available on this machine.
    NotHere(Lack),
    /// No dictionary can be trained on the payload's samples.
    NoDictionary(String),
    /// The runner of this name, which has the codec, does not compress.
    NoCompression(String),
    /// The runner of this name, which has the codec, has no client of any protocol.
    NoTransports(String),
    /// The runner that has the codec has no client of this protocol.
    NoClient {
        /// Name of the runner that has the codec.
        runner: String,
        /// Name of the protocol.
        protocol: String,
    },
    /// The runner's client has no such mode.
    NoMode {
        /// Name of the runner that has the codec.
        runner: String,
        /// Its client of the mode's protocol.
        client: TransportId,
    },
    /// The runner's client has no such option.
    NoOption {
        /// Name of the runner that has the codec.
        runner: String,
        /// Its client of the mode's protocol.
        client: TransportId,
        /// Name of the option.
        option: String,
    },
    /// The client of another runner than the composed one does not take a value of an option.
    NoValue {
        /// Name of the runner that has the codec.
        runner: String,
        /// What it takes instead.
        problem: String,
    },
    /// The client does not support the security.
    NoSecurity(String),
    /// The client can't be compiled on this machine.
    NotCompiled(Lack),
    /// No link can be emulated here, because this is missing.
    NoLink(String),
    /// Without a broker, messages would not leave their host.
    OneHost,
    /// Hosts are agents, which can't do this yet.
    Agents(String),
    /// The client can't act as several clients, or use several topics.
    Clients(String),
    /// Bodies are too large for the mode.
    TooLarge(String),
    /// There is no database to read records from.
    NoDatabase(Lack),
    /// The runner that has the codec can't read records.
    NoRecords,
    /// Nothing here serves the protocol as the study requires.
    Unserved(Lack),
    /// There is no time for it: the run is limited to this.
    NoTime(Span),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Agents(why)
            | Reason::NotCarried(why)
            | Reason::NoDictionary(why)
            | Reason::NoSecurity(why)
            | Reason::Clients(why)
            | Reason::TooLarge(why) => f.write_str(why),
            Reason::NotHere(lack)
            | Reason::NotCompiled(lack)
            | Reason::NoDatabase(lack)
            | Reason::Unserved(lack) => write!(f, "{lack}"),
            Reason::NoCompression(runner) => write!(
                f,
                "the runner `{runner}` compresses nothing: leave `compression` out, or name a codec of the runner `{RUST}`"
            ),
            Reason::NoTransports(runner) => {
                write!(f, "the runner `{runner}` has no transports; only its codecs are measured")
            }
            Reason::NoClient { runner, protocol } => {
                write!(f, "the runner `{runner}` has no client of {protocol}")
            }
            Reason::NoMode { runner, client } => {
                write!(f, "`{client}` of the runner `{runner}` has no such mode")
            }
            Reason::NoOption { runner, client, option } => {
                write!(f, "`{client}` of the runner `{runner}` has no option `{option}`: leave it out")
            }
            Reason::NoValue { runner, problem } => write!(f, "the runner `{runner}`: {problem}"),
            Reason::NoLink(missing) => write!(f, "no link can be emulated here: {missing}"),
            Reason::OneHost => f.write_str(
                "without a broker its messages would not cross the link, because publisher and subscriber are on one host; \
                 write way = [\"one-way\"] in [axes]",
            ),
            Reason::NoRecords => f.write_str("the codec's runner can't read records from a database"),
            Reason::NoTime(most) => write!(f, "left out to keep within {MAX_TIME} {most}"),
        }
    }
}

impl Reason {
    /// The command that would install what is missing; `None` if none is known.
    pub fn install(&self) -> Option<&str> {
        match self {
            Reason::NotHere(lack)
            | Reason::NotCompiled(lack)
            | Reason::NoDatabase(lack)
            | Reason::Unserved(lack) => lack.command(),
            _ => None,
        }
    }
}

impl LeftOut {
    /// The entry for a summary.
    pub fn told(&self) -> NotRun {
        NotRun { what: self.part.to_string(), why: self.reason.to_string(), part: Some(self.part.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_read_back_and_told_in_sentences() {
        let secured = Part::Secured { mode: "udp".parse().unwrap(), security: "tls".parse().unwrap() };
        let client = "mqtt/paho".parse().unwrap();
        let option = Reason::NoOption { runner: "python".into(), client, option: "x".into() };
        for (reason, why) in [
            (Reason::NoTime(Span::from_s(90)), "left out to keep within --max-time 90s"),
            (option, "`mqtt/paho` of the runner `python` has no option `x`: leave it out"),
            (
                Reason::NoTransports("python".into()),
                "the runner `python` has no transports; only its codecs are measured",
            ),
        ] {
            let left_out = LeftOut { part: secured.clone(), reason };
            let text = serde_json::to_string(&left_out).unwrap();
            assert_eq!(serde_json::from_str::<LeftOut>(&text).unwrap(), left_out, "{text}");
            let part = Some(secured.clone());
            let told = NotRun { what: "udp with security tls".into(), why: why.into(), part };
            assert_eq!(left_out.told(), told);
        }
        let as_it_was = "{\"unserved\":\"no broker for mqtt is installed: sudo apt-get install mosquitto\"}";
        let reason: Reason = serde_json::from_str(as_it_was).unwrap();
        assert_eq!(reason.to_string(), "no broker for mqtt is installed: sudo apt-get install mosquitto");
        assert_eq!(reason.install(), None, "a sentence is shown, not parsed");
    }
}
