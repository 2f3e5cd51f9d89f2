//! Options of a transport as one list, from which both its description and the reading of values come.

use crate::capability::Capability;
use crate::option::{
    OptionCapability, OptionError, OptionKind, OptionTable, OptionValue, TransportOption, resolve,
};

/// One option of a transport whose variants are a `T`: how it is called, what it takes and does, where it stands.
pub struct DeclaredOption<T> {
    /// The key in a study's table.
    pub name: &'static str,
    /// What it takes.
    pub kind: fn() -> OptionKind,
    /// What it does, in a sentence, with its source.
    pub about: &'static str,
    /// What the variants say.
    pub get: fn(&T) -> OptionValue,
    /// Makes them say a value of the kind; others change nothing.
    pub set: fn(&mut T, &OptionValue) -> Option<()>,
    /// The value that brings a capability.
    pub brings: Option<Brings>,
}

/// A capability that comes with a value of an option.
pub struct Brings {
    /// With this value.
    pub value: fn() -> OptionValue,
    /// This capability.
    pub capability: Capability,
    /// In this setting; `None` for every mode.
    pub setting: Option<&'static str>,
}

/// The variants of a transport that a study can choose among.
pub trait TransportOptions: Clone + 'static {
    /// The protocol, as refusals name it.
    const PROTOCOL: &'static str;

    /// All that a study can set.
    const DECLARED: &'static [DeclaredOption<Self>];

    /// What a study can set, with these variants as defaults.
    fn declared(&self) -> Vec<TransportOption> {
        let brings = |brought: &Brings| OptionCapability {
            value: (brought.value)(),
            capability: brought.capability,
            setting: brought.setting.map(str::to_owned),
        };
        let declared = |option: &DeclaredOption<Self>| TransportOption {
            name: option.name.to_owned(),
            kind: (option.kind)(),
            default: (option.get)(self),
            about: option.about.to_owned(),
            brings: option.brings.iter().map(brings).collect(),
        };
        Self::DECLARED.iter().map(declared).collect()
    }

    /// These variants with the values given in place of their own.
    ///
    /// # Errors
    /// When a name is unknown, or a value not of its option's kind.
    fn with(&self, values: &OptionTable) -> Result<Self, OptionError> {
        let mut variants = self.clone();
        let values = resolve(Self::PROTOCOL, &self.declared(), values)?;
        for option in Self::DECLARED {
            if let Some(value) = values.get(option.name) {
                (option.set)(&mut variants, value);
            }
        }
        Ok(variants)
    }
}

/// The words of an option that takes one of some, each with its meaning.
pub struct Words<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    /// One of the words.
    pub fn kind(&self) -> OptionKind {
        OptionKind::Choice {
            of: self.0.iter().map(|(word, _)| OptionValue::Text((*word).to_owned())).collect(),
        }
    }

    /// The word of a meaning; empty where none has it.
    pub fn word(&self, meaning: T) -> &'static str {
        self.0.iter().find(|(_, known)| *known == meaning).map_or("", |(word, _)| word)
    }

    /// The word of a meaning as a value.
    pub fn value(&self, meaning: T) -> OptionValue {
        OptionValue::Text(self.word(meaning).to_owned())
    }

    /// What a value means; `None` where it is none of the words.
    pub fn meaning(&self, value: &OptionValue) -> Option<T> {
        let word = value.as_text()?;
        self.0.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
    }
}
