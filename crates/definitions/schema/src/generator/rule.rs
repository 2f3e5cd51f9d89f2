//! A rule for fields, and how several rules combine.

use super::calendar::Timestamps;
use super::path::PathPattern;
use super::template::Template;

/// The kinds of field that rules distinguish. A list or map field has the shape of a list and that of its elements.
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
    /// Any field that can be absent.
    Optional,
}

/// Names that `[default.<name>]` tables may have, with the shape that each applies to; `any` applies to all.
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

/// A range's bound: exact for integers of any type, binary64 for floats.
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

    /// As an integer; a float's fraction is truncated.
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

/// A rule's settings; `None` leaves a setting to an earlier rule or the built-in one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rule {
    /// Probability that an optional field, a message field or a oneof is present.
    pub(super) presence: Option<f64>,
    /// Probability that a present scalar is zero, false or empty.
    pub(super) zero: Option<f64>,
    pub(super) range: Option<(Number, Number)>,
    /// Smallest and largest change from message to message, which makes a random walk.
    pub(super) step: Option<(Number, Number)>,
    /// Decimals of a float.
    pub(super) decimals: Option<u32>,
    /// Probability that a bool is `true`.
    pub(super) truth: Option<f64>,
    /// The number in the first message, which increases by 1 with each message.
    pub(super) sequence: Option<i128>,
    pub(super) filling: Option<Filling>,
    /// Least and greatest number of elements of a list or map.
    pub(super) count: Option<(u32, u32)>,
    /// Weights of enum values or oneof members, by name.
    pub(super) weights: Option<Vec<(String, u64)>>,
}

impl Rule {
    /// Takes over every setting of `other`.
    pub(super) fn overlay(&mut self, other: &Rule) {
        fn take<T: Clone>(mine: &mut Option<T>, theirs: &Option<T>) {
            if theirs.is_some() {
                mine.clone_from(theirs);
            }
        }
        // A new range without a step ends the walk of an earlier rule, whose step belonged to that rule's range.
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

    /// The rule for a field that no rule of a generator.toml applies to: always present, 0 to 100, eight small letters,
    /// one to three elements.
    pub(super) fn plain() -> Self {
        Self {
            range: Some((Number::Integer(0), Number::Integer(100))),
            filling: Some(Filling::Letters { alphabet: ('a'..='z').collect(), length: (8, 8) }),
            count: Some((1, 3)),
            ..Self::default()
        }
    }

    /// The rule for invented values: integers of every width, non-ASCII text, empty and absent values.
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

/// The rules of the whole file or of one profile.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleSet {
    /// Rules by shape; `None` applies to every field.
    pub(super) defaults: Vec<(Option<Shape>, Rule)>,
    /// In file order; later ones win.
    pub(super) fields: Vec<(PathPattern, Rule)>,
}

/// One of the kinds of message that the generator mixes.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    pub(super) weight: u64,
    pub(super) rules: RuleSet,
}

/// All rules and limits of a generator.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    pub(super) base: Rule,
    pub(super) rules: RuleSet,
    /// At least one; a file without profiles has a single empty profile.
    pub(super) profiles: Vec<Profile>,
    /// Messages nested deeper than this are omitted, so that recursive types end.
    pub(super) max_depth: usize,
    /// Once a message contains this many others, it gets no further optional ones.
    pub(super) max_messages: usize,
    /// Whether lists shrink with depth, so that recursive lists end soon.
    pub(super) lists_shrink: bool,
    /// Whether values have the form that the definition states.
    pub(super) by_format: bool,
}

impl Recipe {
    /// A field's rule for every profile. The order, in which later ones win: built-in, the default of every field, the
    /// default of its shape, `[[field]]`; at each step the file's rules first, then the profile's.
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
