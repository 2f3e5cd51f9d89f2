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
    /// Which.
    pub part: Part,
    /// Why.
    pub reason: Reason,
}

/// Why a part of a study is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The codec can't carry the payload.
    NotCarried(String),
    /// The codec can't be had here.
    NotHere(Lack),
    /// No dictionary can be trained on the payload's samples.
    NoDictionary(String),
    /// This runner, which has the codec, does not compress.
    NoCompression(String),
    /// This runner, which has the codec, has no client of any protocol.
    NoTransports(String),
    /// The runner that has the codec has no client of this protocol.
    NoClient {
        /// The runner.
        runner: String,
        /// The protocol.
        protocol: String,
    },
    /// The runner's client has no such mode.
    NoMode {
        /// The runner.
        runner: String,
        /// Its client.
        client: TransportId,
    },
    /// The runner's client has no such option.
    NoOption {
        /// The runner.
        runner: String,
        /// Its client.
        client: TransportId,
        /// The option.
        option: String,
    },
    /// The client has no such security.
    NoSecurity(String),
    /// The client can't be compiled here.
    NotCompiled(Lack),
    /// No link can be emulated here, for lack of this.
    NoLink(String),
    /// Without a broker, messages would not leave their host.
    OneHost,
    /// The client can't be many, or have many topics.
    Clients(String),
    /// Bodies are larger than the mode carries.
    TooLarge(String),
    /// There is no database to read records from.
    NoDatabase(Lack),
    /// The runner that has the codec can't read records.
    NoRecords,
    /// Nobody serves the protocol here as the study wants it.
    Unserved(Lack),
    /// There is no time for it: the run shall take no longer than this.
    NoTime(Span),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotCarried(why)
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
    /// The command that would bring what is missing; `None` where none is known to.
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
    /// As summaries say it.
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
        assert_eq!(reason.install(), None, "a sentence is told, not read");
    }
}
