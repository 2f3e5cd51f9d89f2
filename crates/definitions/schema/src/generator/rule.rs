//! What a rule can say about a field, and how several rules become one.

use super::calendar::Timestamps;
use super::path::PathPattern;
use super::template::Template;

/// What a field is, as far as rules are concerned. A list or map field is a list and what its elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Shape {
    Integer,
    Float,
    Bool,
    String,
    Bytes,
    Enum,
    Message,
    List,
    Oneof,
    /// Anything that can be absent.
    Optional,
}

/// Names that `[default.<name>]` tables may have, with the shape each speaks of; `any` speaks of all.
pub(super) const SHAPE_NAMES: [(&str, Option<Shape>); 10] = [
    ("any", None),
    ("integer", Some(Shape::Integer)),
    ("float", Some(Shape::Float)),
    ("bool", Some(Shape::Bool)),
    ("string", Some(Shape::String)),
    ("bytes", Some(Shape::Bytes)),
    ("enum", Some(Shape::Enum)),
    ("message", Some(Shape::Message)),
    ("list", Some(Shape::List)),
    ("oneof", Some(Shape::Oneof)),
];

/// A bound of a range: exact for integers of any type, binary64 for floats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// As a float; integers beyond 2^53 are rounded.
    pub(super) fn as_float(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// As an integer; a float's fraction is cut off.
    pub(super) fn as_integer(self) -> i128 {
        match self {
            Self::Integer(value) => value,
            Self::Float(value) => value as i128,
        }
    }
}

/// How strings and bytes are filled.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Filling {
    Choices(Vec<String>),
    Pattern { template: Template, first: u64 },
    Timestamps(Timestamps),
    Letters { alphabet: Vec<char>, length: (u32, u32) },
    Prose { length: (u32, u32) },
}

/// All that is said about a field; what is `None` is said elsewhere or by the built-in rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rule {
    /// Probability that an optional field, a message field or a oneof is there.
    pub(super) presence: Option<f64>,
    /// Probability that a scalar that is there is zero, false or empty.
    pub(super) zero: Option<f64>,
    pub(super) range: Option<(Number, Number)>,
    /// Smallest and largest change from message to message: makes a random walk.
    pub(super) step: Option<(Number, Number)>,
    /// Places after the point of a float.
    pub(super) decimals: Option<u32>,
    /// Probability of `true`.
    pub(super) truth: Option<f64>,
    /// The first message's number; every further one gets the next.
    pub(super) sequence: Option<i128>,
    pub(super) filling: Option<Filling>,
    /// Elements of a list or map.
    pub(super) count: Option<(u32, u32)>,
    /// Weights of enum values or oneof members, by name.
    pub(super) weights: Option<Vec<(String, u64)>>,
}

impl Rule {
    /// Takes over everything that `other` says.
    pub(super) fn overlay(&mut self, other: &Rule) {
        fn take<T: Clone>(mine: &mut Option<T>, theirs: &Option<T>) {
            if theirs.is_some() {
                mine.clone_from(theirs);
            }
        }
        // A new range without a step ends a walk of the rule below: its step belonged to its range.
        if other.range.is_some() {
            self.step = None;
        }
        if other.range.is_some() || other.step.is_some() {
            self.sequence = None;
        }
        take(&mut self.presence, &other.presence);
        take(&mut self.zero, &other.zero);
        take(&mut self.range, &other.range);
        take(&mut self.step, &other.step);
        take(&mut self.decimals, &other.decimals);
        take(&mut self.truth, &other.truth);
        take(&mut self.sequence, &other.sequence);
        take(&mut self.filling, &other.filling);
        take(&mut self.count, &other.count);
        take(&mut self.weights, &other.weights);
    }

    /// What a field gets that no rule of a generator.toml speaks of: always there, 0 to 100, eight small letters,
    /// one to three elements.
    pub(super) fn plain() -> Self {
        Self {
            range: Some((Number::Integer(0), Number::Integer(100))),
            filling: Some(Filling::Letters { alphabet: ('a'..='z').collect(), length: (8, 8) }),
            count: Some((1, 3)),
            ..Self::default()
        }
    }

    /// What invented values follow: integers of every width, text beyond ASCII, empty and absent things.
    pub(super) fn invented() -> Self {
        let alphabet =
            "abcdefghijklmnopqrstuvwxyzABCXYZ0189 _-.\"\\/<&\t\u{e4}\u{e9}\u{df}\u{20ac}\u{6f22}\u{1f69b}";
        Self {
            presence: Some(0.7),
            zero: Some(0.15),
            filling: Some(Filling::Letters { alphabet: alphabet.chars().collect(), length: (0, 24) }),
            count: Some((0, 3)),
            ..Self::default()
        }
    }
}

/// Rules of one level: of the whole file or of one profile.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleSet {
    /// By shape; `None` speaks of every field.
    pub(super) defaults: Vec<(Option<Shape>, Rule)>,
    /// In the file's order; later ones win.
    pub(super) fields: Vec<(PathPattern, Rule)>,
}

/// A kind of message among those that the generator mixes.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    pub(super) weight: u64,
    pub(super) rules: RuleSet,
}

/// Everything a generator follows.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    pub(super) base: Rule,
    pub(super) rules: RuleSet,
    /// At least one; a file without profiles has a single empty one.
    pub(super) profiles: Vec<Profile>,
    /// Messages nested deeper than this are left out, so that recursive types end.
    pub(super) max_depth: usize,
    /// Once a message holds so many, no other is in it that need not be.
    pub(super) max_messages: usize,
    /// Lists shrink with depth, so that recursive lists end soon.
    pub(super) lists_shrink: bool,
    /// Values look like what the definition says of them.
    pub(super) by_format: bool,
}

impl Recipe {
    /// The rule of a field for every profile. The order, later winning: built-in, what is said of any field, what is
    /// said of its shape, `[[field]]`; at each step the file first, then the profile.
    pub(super) fn resolve(&self, path: &[&str], shapes: &[Shape]) -> Vec<Rule> {
        let resolve_one = |profile: &Profile| {
            let mut rule = self.base.clone();
            let sets = [&self.rules, &profile.rules];
            for set in sets {
                let of_any = set.defaults.iter().filter(|(shape, _)| shape.is_none());
                of_any.for_each(|(_, other)| rule.overlay(other));
            }
            for set in sets {
                let of_shape = |shape: &Option<Shape>| shape.is_some_and(|shape| shapes.contains(&shape));
                set.defaults
                    .iter()
                    .filter(|(shape, _)| of_shape(shape))
                    .for_each(|(_, other)| rule.overlay(other));
            }
            for set in sets {
                let matching = set.fields.iter().filter(|(pattern, _)| pattern.matches(path));
                matching.for_each(|(_, other)| rule.overlay(other));
            }
            rule
        };
        self.profiles.iter().map(resolve_one).collect()
    }
}
