//! Places in a TOML file, and what is refused there.

/// A place in a TOML file: keys and list items, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    steps: Vec<Step>,
}

/// One step into a table or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The key of a table.
    Key(String),
    /// An item of a list, by its position from 0.
    Item(usize),
    /// The first item of a list equal to this text.
    Word(String),
    /// The first key or text equal to this, at any depth below.
    Mention(String),
}

impl Place {
    /// The place of a key in a table in a table, and so on.
    pub fn of<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        keys.into_iter().fold(Place::default(), Place::key)
    }

    /// The place of an axis.
    pub fn of_axis(name: &str) -> Self {
        Place::of(["axes", name])
    }

    /// The place of a key in the table here.
    #[must_use]
    pub fn key(self, name: &str) -> Self {
        self.step(Step::Key(name.to_owned()))
    }

    /// The place of an item of the list here, by its position from 0.
    #[must_use]
    pub fn item(self, position: usize) -> Self {
        self.step(Step::Item(position))
    }

    /// The place of the first item of the list here that equals this text.
    #[must_use]
    pub fn word(self, text: &str) -> Self {
        self.step(Step::Word(text.to_owned()))
    }

    /// The place of the first key or text that equals this, at any depth below.
    #[must_use]
    pub fn mention(self, text: &str) -> Self {
        self.step(Step::Mention(text.to_owned()))
    }

    /// A place relative to this one.
    #[must_use]
    pub fn join(mut self, inner: Place) -> Self {
        self.steps.extend(inner.steps);
        self
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// What is wrong in a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Refusal {
    /// Where it is; empty for the file as a whole.
    pub place: Place,
    /// What is wrong and what to do.
    pub problem: String,
}

impl Refusal {
    /// Refuses what is written at a place.
    pub fn at(place: Place, problem: impl Into<String>) -> Self {
        Refusal { place, problem: problem.into() }
    }
}
