//! A row of the tables, and short ways to write one.

use super::{About, Better, MetricInfo, Range, Scope, Unit};

/// A row of the tables.
pub struct Row {
    pub scope: Scope,
    pub name: &'static str,
    pub unit: Unit,
    pub section: &'static str,
    pub title: &'static str,
    pub meaning: &'static str,
    pub misleads: &'static str,
    pub see: Option<&'static str>,
    pub better: Better,
    pub exact: bool,
    pub mean_only: bool,
    pub without_messages: bool,
    pub of_arrived: bool,
    pub only_where_shown: bool,
    pub best: Option<&'static str>,
    pub first_screen: bool,
    pub range: Option<Range>,
    pub about: Option<About>,
}

/// A metric that explains others; no candidate is best at it.
pub const fn part(
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    meaning: &'static str,
) -> Row {
    Row {
        scope,
        name,
        unit,
        section,
        title,
        meaning,
        misleads: "",
        see: None,
        better: Better::Neither,
        exact: false,
        mean_only: false,
        without_messages: false,
        of_arrived: false,
        only_where_shown: false,
        best: None,
        first_screen: false,
        range: None,
        about: None,
    }
}

/// A metric of which less is better, and whose best candidates are named in its section.
pub const fn ranked(
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    best: &'static str,
    meaning: &'static str,
) -> Row {
    Row { better: Better::Lower, best: Some(best), ..part(scope, name, unit, section, title, meaning) }
}

/// A metric of which less is better, and whose best candidates are named on the first screen.
pub const fn first(
    scope: Scope,
    name: &'static str,
    unit: Unit,
    section: &'static str,
    title: &'static str,
    best: &'static str,
    meaning: &'static str,
) -> Row {
    Row { first_screen: true, ..ranked(scope, name, unit, section, title, best, meaning) }
}

impl Row {
    /// Adds what could mislead about it, which every row has.
    pub const fn misleads(self, misleads: &'static str) -> Row {
        Row { misleads, ..self }
    }

    /// Adds the heading in docs/METHODOLOGY.md that says more about it.
    pub const fn see(self, heading: &'static str) -> Row {
        Row { see: Some(heading), ..self }
    }

    /// For a metric that can be below 0.
    pub const fn signed(self) -> Row {
        Row { range: Some(Range::Signed), ..self }
    }

    /// For what the samples alone decide.
    pub const fn exact(self) -> Row {
        Row { exact: true, ..self }
    }

    /// For a metric of which only the mean over trials is right.
    pub const fn mean_only(self) -> Row {
        Row { mean_only: true, ..self }
    }

    /// For what a trial takes without any message.
    pub const fn without_messages(self) -> Row {
        Row { without_messages: true, ..self }
    }

    /// For what only messages that arrived have.
    pub const fn of_arrived(self) -> Row {
        Row { of_arrived: true, ..self }
    }

    /// For what sentences leave out where no difference is shown.
    pub const fn only_where_shown(self) -> Row {
        Row { only_where_shown: true, ..self }
    }

    /// For a metric of which less is better.
    pub const fn lower(self) -> Row {
        Row { better: Better::Lower, ..self }
    }

    /// For a metric of which more is better.
    pub const fn higher(self) -> Row {
        Row { better: Better::Higher, ..self }
    }

    /// For a metric that depends on something else than its unit implies: time for units of time, else the count.
    pub const fn about(self, about: About) -> Row {
        Row { about: Some(about), ..self }
    }

    /// For a ratio that can exceed 1.
    pub const fn no_share(self) -> Row {
        Row { range: Some(Range::Positive), ..self }
    }

    pub fn info(&self) -> MetricInfo {
        MetricInfo {
            name: self.name.to_owned(),
            scope: self.scope,
            unit: self.unit,
            about: self.about.unwrap_or(about(self.unit)),
            range: self.range.unwrap_or(range(self.unit)),
            better: self.better,
            exact: self.exact,
            mean_only: self.mean_only,
            without_messages: self.without_messages,
            of_arrived: self.of_arrived,
            only_where_shown: self.only_where_shown,
            best: self.best,
            first_screen: self.first_screen,
            section: self.section,
            title: self.title.to_owned(),
            meaning: self.meaning.to_owned(),
            misleads: self.misleads.to_owned(),
            see: self.see,
        }
    }
}

fn about(unit: Unit) -> About {
    match unit {
        Unit::Ns | Unit::PerSecond | Unit::BytesPerSecond => About::Time,
        _ => About::Count,
    }
}

fn range(unit: Unit) -> Range {
    if unit == Unit::Ratio { Range::Share } else { Range::Positive }
}
