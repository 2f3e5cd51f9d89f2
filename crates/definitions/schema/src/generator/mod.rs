//! Seeded samples for any message, by the rules of a payload's generator.toml, or invented without rules.
//!
//! Why: payloads need data that resembles real traffic, differs from message to message, and is the same for the same
//! seed on every machine and in every version, so that sizes can be published and runs repeated. So every draw is
//! defined in this module with integers or single IEEE 754 operations over ChaCha8, and fields are visited in the order
//! of their numbers.
//!
//! A generator.toml has `seed`, `samples`, and rules for fields; every key is optional except `seed`, `samples`, and
//! a `[[field]]`'s `path` or a `[[profile]]`'s `name` and `weight`:
//!
//! ```toml
//! seed = 1
//! samples = 100                       # the payload's sample set
//! distinct = 1_000_000                # how many different ones a trial can have that asks for more; left out: the set
//!
//! [default.any]                       # or .integer .float .bool .string .bytes .enum .message .list .oneof
//! presence = 0.5                      # of optional fields, message fields and oneofs
//! zero = 0.3                          # of present scalars: 0, false, empty
//!
//! [[field]]
//! path = "engine.*"                   # `*` within a name, `**` any number of names; no list indices
//! range = [0, 100]                    # uniform; with `step`, a random walk from message to message
//! step = 2                            # at most 2 up or down; or [-1, 3]; reflected at the range's ends
//!
//! [[field]]
//! path = "**.temperature"
//! range = [-40.0, 60.0]
//! decimals = 1                        # places of a float
//!
//! # Strings, one of: choices = ["a", "b"], pattern = "message{sequence:03}", timestamp = { start =
//! # 2018-03-05T06:00:00Z, step_ms = 10000, jitter_ms = 0, decimals = 0 }, or length = 8 | [4, 12] | "size" with
//! # style = "random" | "text" and an alphabet. Bytes: length and style. "size" is the number after the payload's `@`.
//! # Also: sequence = FIRST (integers, patterns), truth = 0.5 (bool), count = 3 | [1, 4] | "size / 100" (lists, maps;
//! # the last is a hundredth of the number after the payload's `@`, but at least 1),
//! # weights = { NAME = 3 } (enum values; a oneof's members, the path then naming the oneof).
//!
//! [[profile]]                         # chosen for each message by weight; has [[profile.field]] and
//! name = "parked"                     # [profile.default.any] of its own
//! weight = 3
//! ```
//!
//! Where several rules apply to a field, the later wins, key by key: built-in, `[default.any]`, the default of the field's type,
//! `[[field]]` in order; at each step the file's rule first, then the profile's. A field without a rule is always
//! present, with 0 to 100, eight small letters, or one to three elements. Unknown keys, paths that match nothing and keys
//! that don't apply to their field are refused.
//!
//! Limits: fields are independent of each other, except through profiles and walks; a walk advances only when its field is present;
//! a map's entries have no order; messages nested deeper than 16 are omitted.

use std::fmt;
use std::path::Path;

use prost_reflect::{DynamicMessage, MessageDescriptor};
use thiserror::Error;

use self::draw::Draw;
use self::heights::Heights;
use self::node::{Node, Scene};
use self::rule::{Profile, Recipe, Rule, RuleSet};

mod calendar;
mod draw;
mod format;
mod heights;
mod known;
mod node;
mod path;
mod pattern;
mod prose;
mod reader;
mod recipe_file;
mod rule;
mod template;
#[cfg(test)]
mod tests;

/// The seed of invented samples, for payloads that have none.
pub const INVENTED_SEED: u64 = 1;

/// The maximum nesting depth of invented messages.
const INVENTED_DEPTH: usize = 8;

/// The maximum number of optional messages in an invented one: recursive ones would double with each level.
const INVENTED_MESSAGES: usize = 1_000;

/// Why a generator.toml was refused. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// The file is not valid TOML.
    #[error("{file}:{line}: this is not TOML: {reason}")]
    Syntax {
        /// The file's name as the caller gave it.
        file: String,
        /// The line of the parse error.
        line: usize,
        /// The TOML parser's error message.
        reason: String,
    },
    /// No rule has a key of this name.
    #[error("{file}:{line}: unknown key `{key}`; {remedy}")]
    UnknownKey {
        /// The file's name as the caller gave it.
        file: String,
        /// The line of the unknown key.
        line: usize,
        /// The key as it was written.
        key: String,
        /// The most similar known key, or all of them.
        remedy: String,
    },
    /// A required key is missing.
    #[error("{file}:{line}: `{key}` is missing; add it: {meaning}")]
    MissingKey {
        /// The file's name as the caller gave it.
        file: String,
        /// The line of the table that lacks the key.
        line: usize,
        /// The name of the missing key.
        key: &'static str,
        /// What the key defines.
        meaning: &'static str,
    },
    /// A path or pattern matches no field of the message.
    #[error("{file}:{line}: `path`: {message} has no field `{path}`; {remedy}")]
    UnknownPath {
        /// The file's name as the caller gave it.
        file: String,
        /// The line of the path.
        line: usize,
        /// The path as it was written.
        path: String,
        /// The message type's full name.
        message: String,
        /// The most similar path, or how paths are written.
        remedy: String,
    },
    /// A key has a value that it can't have.
    #[error("{file}:{line}: `{key}` {reason}; {remedy}")]
    BadValue {
        /// The file's name as the caller gave it.
        file: String,
        /// The line of the key.
        line: usize,
        /// The key as it was written.
        key: String,
        /// What is wrong with the value.
        reason: String,
        /// What to write instead.
        remedy: String,
    },
    /// A rule has `length = "size"` or `count = "size / 100"`, and the payload's id has no size.
    #[error(
        "{file}:{line}: the rule depends on the payload's size, but none was given; name the payload with a size, as in \
         `opaque@1024`"
    )]
    SizeMissing {
        /// The file's name as the caller gave it.
        file: String,
        /// The line of the rule that needs a size.
        line: usize,
    },
    /// The payload's id has a size, and no rule uses it.
    #[error(
        "{file}: the payload has no sizes; name it without `@{size_bytes}`, or give a field `length = \"size\"` or a list `count = \"size / 100\"`"
    )]
    SizeUnused {
        /// The file's name as the caller gave it.
        file: String,
        /// The size in the payload's id, in bytes.
        size_bytes: u32,
    },
}

/// An endless iterator of messages, the same on every machine for the same rules and seed.
#[derive(Clone)]
pub struct Generator {
    recipe: Recipe,
    samples: u32,
    distinct: u32,
    draw: Draw,
    message: MessageDescriptor,
    /// Built with the first message, because matching rules with every field's path takes time, and the number of samples is known
    /// without it.
    root: Option<Node>,
    /// The minimum nesting depth of each message; set together with `root`.
    heights: Heights,
    index: u64,
}

/// Whether the rules of a generator.toml use the size after a payload's `@`. The rules are not checked: false if the
/// text is not TOML.
pub fn takes_size(text: &str) -> bool {
    recipe_file::takes_size(text)
}

impl Generator {
    /// Parses the rules in `text` for messages of type `message`. `file_name` names the text in errors;
    /// `size_bytes` is the number after the payload's `@`, for rules with `length = "size"`.
    ///
    /// # Errors
    /// When the text is not TOML, has unknown keys or paths, or values that don't fit the message, or when a size is
    /// given but unused, or used but not given.
    pub fn from_toml(
        text: &str,
        file_name: impl AsRef<Path>,
        message: &MessageDescriptor,
        size_bytes: Option<u32>,
    ) -> Result<Self, GeneratorError> {
        let name = file_name.as_ref().display().to_string();
        let read = recipe_file::read(text, &name, message, size_bytes)?;
        Ok(Self::new(read.recipe, read.seed, (read.samples, read.distinct), message))
    }

    /// Plausible values without rules: integers of every width and sign, finite floats, non-ASCII text, empty
    /// lists, absent optional fields; values follow what the definition says about them. [`Generator::samples`] is 100.
    pub fn invented(message: &MessageDescriptor, seed: u64) -> Self {
        let recipe = Recipe {
            base: Rule::invented(),
            rules: RuleSet::default(),
            profiles: vec![Profile { weight: 1, rules: RuleSet::default() }],
            max_depth: INVENTED_DEPTH,
            max_messages: INVENTED_MESSAGES,
            lists_shrink: true,
            by_format: true,
        };
        Self::new(recipe, seed, (100, 100), message)
    }

    fn new(recipe: Recipe, seed: u64, (samples, distinct): (u32, u32), message: &MessageDescriptor) -> Self {
        let (draw, message) = (Draw::new(seed), message.clone());
        Self { recipe, samples, distinct, draw, message, root: None, heights: Heights::default(), index: 0 }
    }

    /// The number of messages in the payload's sample set, counted from the first; 1 or more.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// How many messages from the first are meant to differ, for trials that need more than the sample set: at least
    /// [`Generator::samples`].
    pub fn distinct(&self) -> u32 {
        self.distinct
    }

    /// The next message; there is no end.
    pub fn message(&mut self) -> DynamicMessage {
        self.visit(true, |root, scene| root.message(scene, 0))
    }

    /// Skips messages: performs their draws and advances their walks, but creates no values.
    pub fn skip_messages(&mut self, messages: u64) {
        for _ in 0..messages {
            self.visit(false, |root, scene| root.skip(scene, 0));
        }
    }

    fn visit<T>(&mut self, wanted: bool, root: impl FnOnce(&mut Node, &mut Scene<'_>) -> T) -> T {
        let weights: Vec<u64> = self.recipe.profiles.iter().map(|profile| profile.weight).collect();
        let profile = if weights.len() == 1 { 0 } else { self.draw.weighted(&weights).unwrap_or(0) };
        if self.root.is_none() {
            self.heights = heights::of(&self.message);
        }
        let node = self.root.get_or_insert_with(|| Node::new(&self.message, &[], &self.recipe));
        let mut scene = Scene {
            recipe: &self.recipe,
            heights: &self.heights,
            draw: &mut self.draw,
            index: self.index,
            profile,
            wanted,
            left: self.recipe.max_messages,
        };
        let done = root(node, &mut scene);
        self.index += 1;
        done
    }
}

/// Omits the definition: printing a descriptor follows its fields' types, which never ends for a recursive type.
impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("Generator");
        parts.field("samples", &self.samples).field("index", &self.index).finish_non_exhaustive()
    }
}

impl Iterator for Generator {
    type Item = DynamicMessage;

    fn next(&mut self) -> Option<DynamicMessage> {
        Some(self.message())
    }
}
