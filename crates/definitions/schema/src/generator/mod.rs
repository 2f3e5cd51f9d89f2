//! Seeded samples for any message: declared in a payload's generator.toml, or invented without one.
//!
//! Why: payloads need data that looks like real traffic, differs from message to message, and is the same for the same
//! seed on every machine and in every version, so that sizes can be published and runs repeated. So every draw is
//! defined in this module in integers or single IEEE 754 operations over ChaCha8, and fields are visited in the order
//! of their numbers.
//!
//! A generator.toml has `seed`, `samples`, and rules for fields; every key is optional except `seed`, `samples`, and
//! a `[[field]]`'s `path` or a `[[profile]]`'s `name` and `weight`:
//!
//! ```toml
//! seed = 1
//! samples = 100
//!
//! [default.any]                       # or .integer .float .bool .string .bytes .enum .message .list .oneof
//! presence = 0.5                      # of optional fields, message fields and oneofs
//! zero = 0.3                          # of scalars that are there: 0, false, empty
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
//! # style = "random" | "text" and an alphabet. Bytes: length and style. "size" is what follows the payload's `@`.
//! # Also: sequence = FIRST (integers, patterns), truth = 0.5 (bool), count = 3 | [1, 4] | "size / 100" (lists, maps;
//! # the last is one element, or as many as what follows the payload's `@` has hundreds),
//! # weights = { NAME = 3 } (enum values; a oneof's members, the path then naming the oneof).
//!
//! [[profile]]                         # chosen for each message by weight; has [[profile.field]] and
//! name = "parked"                     # [profile.default.any] of its own
//! weight = 3
//! ```
//!
//! Of several rules for a field the later wins, key by key: built-in, `[default.any]`, the default of the field's type,
//! `[[field]]` in order; at each step the file's own first, then the profile's. A field that no rule speaks of is always
//! there, with 0 to 100, eight small letters, or one to three elements. Unknown keys, paths that name nothing and keys
//! without a meaning for their field are refused.
//!
//! Limits: fields are independent of each other but for profiles and walks; a walk moves when its field is there; a
//! map's entries come in no order; messages nested deeper than 16 are left out.

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
mod file;
mod format;
mod heights;
mod known;
mod node;
mod path;
mod pattern;
mod prose;
mod reader;
mod rule;
mod template;
#[cfg(test)]
mod tests;

/// The seed of samples that are invented where a payload has none.
pub const INVENTED_SEED: u64 = 1;

/// How deep invented messages nest.
const INVENTED_DEPTH: usize = 8;

/// How many messages an invented one holds at most, beside those that must be there: recursive ones would double with each level.
const INVENTED_MESSAGES: usize = 1_000;

/// Why a generator.toml was refused. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// The file is no TOML.
    #[error("{file}:{line}: this is not TOML: {reason}")]
    Syntax {
        /// The file's name as given.
        file: String,
        /// Where reading stopped.
        line: usize,
        /// The TOML reader's words.
        reason: String,
    },
    /// A key that nothing reads.
    #[error("{file}:{line}: unknown key `{key}`; {remedy}")]
    UnknownKey {
        /// The file's name as given.
        file: String,
        /// The key's line.
        line: usize,
        /// The key as written.
        key: String,
        /// The nearest known key, or all of them.
        remedy: String,
    },
    /// A key that can't be left out.
    #[error("{file}:{line}: `{key}` is missing; add it: {meaning}")]
    MissingKey {
        /// The file's name as given.
        file: String,
        /// The line of the table that lacks it.
        line: usize,
        /// The key to add.
        key: &'static str,
        /// What it says.
        meaning: &'static str,
    },
    /// A path or pattern that hits no field of the message.
    #[error("{file}:{line}: `path`: {message} has no field `{path}`; {remedy}")]
    UnknownPath {
        /// The file's name as given.
        file: String,
        /// The path's line.
        line: usize,
        /// The path as written.
        path: String,
        /// The message's full name.
        message: String,
        /// The nearest path.
        remedy: String,
    },
    /// A value that its key can't have.
    #[error("{file}:{line}: `{key}` {reason}; {remedy}")]
    BadValue {
        /// The file's name as given.
        file: String,
        /// The key's line.
        line: usize,
        /// The key as written.
        key: String,
        /// What is wrong with the value.
        reason: String,
        /// What to write instead.
        remedy: String,
    },
    /// A rule has `length = "size"` or `count = "size / 100"`, and the payload was named without one.
    #[error(
        "{file}:{line}: the rule depends on the payload's size, but none was given; name the payload with a size, as in \
         `opaque@1024`"
    )]
    SizeMissing {
        /// The file's name as given.
        file: String,
        /// The rule's line.
        line: usize,
    },
    /// The payload was named with a size, and no rule uses it.
    #[error(
        "{file}: the payload has no sizes; name it without `@{size_bytes}`, or give a field `length = \"size\"` or a list `count = \"size / 100\"`"
    )]
    SizeUnused {
        /// The file's name as given.
        file: String,
        /// The size that was asked for.
        size_bytes: u32,
    },
}

/// An endless iterator of messages, the same for the same rules and seed on every machine.
#[derive(Clone)]
pub struct Generator {
    recipe: Recipe,
    samples: u32,
    draw: Draw,
    message: MessageDescriptor,
    /// Made with the first message: its rules are looked for by every field's path, and who asks for the number of samples alone
    /// needs none.
    root: Option<Node>,
    /// How deep each message nests at least; known with the root.
    heights: Heights,
    index: u64,
}

/// Whether the rules of a generator.toml ask for what stands behind a payload's `@`. They are not checked: says no where the
/// text is no TOML.
pub fn takes_size(text: &str) -> bool {
    file::takes_size(text)
}

impl Generator {
    /// Reads the rules in `text` for messages of type `message`. `file_name` is how errors name the text;
    /// `size_bytes` is what stands behind the payload's `@`, for rules with `length = "size"`.
    ///
    /// # Errors
    /// When the text is no TOML, has unknown keys or paths or values that don't fit the message, or when a size is
    /// given and not used, or used and not given.
    pub fn from_toml(
        text: &str,
        file_name: impl AsRef<Path>,
        message: &MessageDescriptor,
        size_bytes: Option<u32>,
    ) -> Result<Self, GeneratorError> {
        let name = file_name.as_ref().display().to_string();
        let read = file::read(text, &name, message, size_bytes)?;
        Ok(Self::new(read.recipe, read.seed, read.samples, message))
    }

    /// Plausible values without any rules: integers of every width and sign, finite floats, text beyond ASCII, empty
    /// lists, absent optionals; where the definition says what a value looks like, it does. [`Generator::samples`] is 100.
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
        Self::new(recipe, seed, 100, message)
    }

    fn new(recipe: Recipe, seed: u64, samples: u32, message: &MessageDescriptor) -> Self {
        let (draw, message) = (Draw::new(seed), message.clone());
        Self { recipe, samples, draw, message, root: None, heights: Heights::default(), index: 0 }
    }

    /// How many messages, from the first, make the payload's sample set; 1 or more.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The next message. Never ends.
    pub fn message(&mut self) -> DynamicMessage {
        self.visit(true, |root, scene| root.message(scene, 0))
    }

    /// Goes on as if so many messages had been made: their draws are, and what walks remember, but no values.
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

/// Without the definition: printing a descriptor follows its fields' types, which for a recursive type never ends.
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
