//! The values of axes that are words of Wiredyno's own: the way of messages, and where records are read from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where messages end, relative to where they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Over the broker and back: the subscriber is on the publisher's host.
    RoundTrip,
    /// The subscriber is on the other host.
    OneWay,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::RoundTrip => "round-trip",
            Way::OneWay => "one-way",
        })
    }
}

/// Where the values of messages are read from, one for each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Records {
    /// The publisher's memory, loaded before the trial.
    Memory,
    /// A table of a PostgreSQL database that the run starts; the timings of messages are written to another.
    Postgresql,
}

impl fmt::Display for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Records::Memory => "memory",
            Records::Postgresql => "postgresql",
        })
    }
}
