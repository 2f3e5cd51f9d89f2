//! Options of a transport as one list, which both its description and the parsing of values use.

use crate::capability::Capability;
use crate::option::{
    OptionCapability, OptionError, OptionKind, OptionTable, OptionValue, TransportOption, resolve,
};

/// One option of a transport whose variants are a `T`: its name, its values, its effect and its field.
pub struct DeclaredOption<T> {
    /// The key in a study's table.
    pub name: &'static str,
    /// What values it takes, with their range.
    pub kind: fn() -> OptionKind,
    /// What it does, in a sentence, with its source.
    pub about: &'static str,
    /// Reads the option from the variants.
    pub get: fn(&T) -> OptionValue,
    /// Sets a value of the option's kind; other values change nothing.
    pub set: fn(&mut T, &OptionValue) -> Option<()>,
    /// The value that adds a capability.
    pub brings: Option<Brings>,
}

/// A capability that an option's value adds.
pub struct Brings {
    /// The option's value that adds the capability.
    pub value: fn() -> OptionValue,
    /// The capability that it adds.
    pub capability: Capability,
    /// The setting that it applies to; `None` for every mode.
    pub setting: Option<&'static str>,
}

/// The variants of a transport that a study can choose among.
pub trait TransportOptions: Clone + 'static {
    /// The protocol, as error messages name it.
    const PROTOCOL: &'static str;

    /// Every option that a study can set.
    const DECLARED: &'static [DeclaredOption<Self>];

    /// Every option, with these variants as defaults.
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

    /// These variants, with the given values replacing their own.
    ///
    /// # Errors
    /// When a name is unknown, or a value is not of its option's kind.
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

/// The words that an option accepts, each with its meaning.
pub struct Words<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    /// A choice of these words.
    pub fn kind(&self) -> OptionKind {
        OptionKind::Choice {
            of: self.0.iter().map(|(word, _)| OptionValue::Text((*word).to_owned())).collect(),
        }
    }

    /// The word for a meaning; empty where there is none.
    pub fn word(&self, meaning: T) -> &'static str {
        self.0.iter().find(|(_, known)| *known == meaning).map_or("", |(word, _)| word)
    }

    /// The word for a meaning, as a value.
    pub fn value(&self, meaning: T) -> OptionValue {
        OptionValue::Text(self.word(meaning).to_owned())
    }

    /// The meaning of a value; `None` where it is not one of the words.
    pub fn meaning(&self, value: &OptionValue) -> Option<T> {
        let word = value.as_text()?;
        self.0.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
    }
}
