//! How a runner describes its codecs and compression methods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;
use crate::id::{CodecId, CompressionId};

/// The name of the runner that is composed from Rust's codecs. Every other runner is a folder.
pub const RUST: &str = "rust";

/// How a runner describes one codec.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodecDescription {
    /// `format/implementation`, or `format/implementation:variant`.
    pub id: CodecId,
    /// The name of the runner that has it; absent for Rust's. A runner does not state its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The language of the application that uses it, where that is not its runner's: `c`, `c++`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The library that does the work; `wiredyno` for our own code.
    pub library: String,
    /// The library's version. A codec without one is refused.
    pub version: String,
    /// The compiler of its own code and its version, where that is not its runner's: `GCC 12.2.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// One sentence: which options of the format are the canonical ones here.
    pub about: String,
    /// The fairness labels that hold for it, sorted.
    pub capabilities: Vec<Capability>,
}

impl CodecDescription {
    /// The name of the runner that has it, [`RUST`] where none is given.
    pub fn runner_name(&self) -> &str {
        self.runner.as_deref().unwrap_or(RUST)
    }

    /// Its language: its own where it states one, else the name of its runner.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or_else(|| self.runner_name())
    }

    /// Its library with its version, and for a codec in C or C++ its language and compiler.
    pub fn library_text(&self) -> String {
        let own = [self.language.as_deref().map(str::to_uppercase), self.compiler.clone()];
        let own: Vec<String> = own.into_iter().flatten().collect();
        let language = if own.is_empty() { String::new() } else { format!(" in {}", own.join(", ")) };
        format!("{} {}{language}", self.library, self.version)
    }
}

/// How a runner describes one compression method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressionDescription {
    /// The first part of its ids: `zstd`.
    pub method: String,
    /// The library that does the work.
    pub library: String,
    /// The library's version. A method without one is refused.
    pub version: String,
    /// What the bytes are, and what is timed.
    pub about: String,
    /// Its lowest and highest level; absent where it has no levels.
    pub levels: Option<[u8; 2]>,
    /// Whether it can use a dictionary that both sides know beforehand.
    pub dictionary: bool,
    /// The ids that lists show; other levels can be used as well.
    pub ids: Vec<CompressionId>,
}

impl CompressionDescription {
    /// Whether an id belongs to this method; `Err` says what is wrong with its level or dictionary.
    ///
    /// # Errors
    /// When the method matches but the rest of the id does not fit it.
    pub fn accepts(&self, id: &CompressionId) -> Result<bool, String> {
        if id.method != self.method {
            return Ok(false);
        }
        match (self.levels, id.level) {
            (Some([least, greatest]), Some(level)) if (least..=greatest).contains(&level) => {}
            (None, None) => {}
            (Some([least, greatest]), _) => {
                return Err(format!(
                    "`{id}`: write a level from {least} to {greatest}, as in `{}:{least}`",
                    self.method
                ));
            }
            (None, Some(_)) => return Err(format!("`{id}`: {0} has no levels, write `{0}`", self.method)),
        }
        if id.dictionary && !self.dictionary {
            return Err(format!("`{id}`: {} has no dictionary here, leave the word out", self.method));
        }
        Ok(true)
    }
}
