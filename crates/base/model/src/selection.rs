//! Cells by their values on axes, as people write them: `mode=mqtt:*; loss=0`.

use std::fmt;
use std::str::FromStr;

use wiredyno_contract::{MessageRate, OptionValue, Ratio, nearest};

use crate::axis::{AXES, AxisKind, Pattern, axis as info, option_of_axis};
use crate::metric::Unit;

/// A set of cells: those that have, on every axis named, one of its values. All cells if no axis is named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    axis: String,
    values: Vec<String>,
}

/// A text that is not a selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// A part lacks an axis, an equals sign or a value.
    #[error(
        "`{text}` is not a selection: write an axis, an equals sign and values, for example mode=mqtt:*; loss=0,0.05"
    )]
    Shape {
        /// The whole text as written.
        text: String,
    },
    /// There is no such axis.
    #[error("there is no axis `{axis}`: write one of {known}{hint}")]
    Axis {
        /// The name as written.
        axis: String,
        /// The axes that exist, separated by commas.
        known: String,
        /// The nearest name, with a leading separator; empty without one.
        hint: String,
    },
    /// A value of a share, such as a loss, that is not a ratio.
    #[error("`{value}` is not a {axis}: write 0.05 or 5%")]
    Share {
        /// Name of the axis, such as `loss`.
        axis: String,
        /// The value as written.
        value: String,
    },
    /// A value of the axis `rate` that is not a rate.
    #[error("`{value}` is not a rate of messages: write 200/s or 10k/s")]
    Rate {
        /// The value as written.
        value: String,
    },
}

impl Selection {
    /// Whether it selects what has these values on axes.
    pub fn means(&self, value: impl Fn(&str) -> Option<String>) -> bool {
        self.terms.iter().all(|term| value(&term.axis).is_some_and(|value| term.has(&value)))
    }

    /// As [`Selection::means`], but an axis without a value excludes nothing.
    pub fn means_where_known(&self, value: impl Fn(&str) -> Option<String>) -> bool {
        self.terms.iter().all(|term| value(&term.axis).is_none_or(|value| term.has(&value)))
    }

    /// The first axis and value that matches none of the values that `known` lists for the axis; an axis for which it returns `None`
    /// matches any value.
    pub fn unknown(&self, known: impl Fn(&str) -> Option<Vec<String>>) -> Option<(&str, &str)> {
        self.terms.iter().find_map(|term| {
            let known = known(&term.axis)?;
            let stands = |one: &String| known.iter().any(|value| fits(one, value));
            let wrong = term.values.iter().find(|one| !stands(one))?;
            Some((term.axis.as_str(), wrong.as_str()))
        })
    }

    /// Checks that a study has all axes that are named; any text with a dot may name an option.
    ///
    /// # Errors
    /// With the first that it lacks, and with those that it has.
    pub fn check(&self, axes: &[&str]) -> Result<(), SelectionError> {
        match self.terms.iter().find(|term| !axes.contains(&term.axis.as_str())) {
            Some(term) => Err(no_axis(&term.axis, axes)),
            None => Ok(()),
        }
    }

    /// The part of it on an axis that has only these values; `None` if nothing is left.
    pub fn within(mut self, axis: &str, values: &[String]) -> Option<Self> {
        for term in self.terms.iter_mut().filter(|term| term.axis == axis) {
            term.values.retain(|one| values.iter().any(|value| fits(one, value)));
        }
        self.terms.iter().all(|term| !term.values.is_empty()).then_some(self)
    }

    /// Whether it selects all cells.
    pub fn is_all(&self) -> bool {
        self.terms.is_empty()
    }
}

impl Term {
    fn has(&self, value: &str) -> bool {
        self.values.iter().any(|one| fits(one, value))
    }
}

/// Whether a value or pattern matches a value.
fn fits(one: &str, value: &str) -> bool {
    one == value || Pattern::of(one).is_some_and(|pattern| pattern.matches(value))
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, term) in self.terms.iter().enumerate() {
            let separator = if place > 0 { "; " } else { "" };
            write!(f, "{separator}{}={}", term.axis, term.values.join(","))?;
        }
        Ok(())
    }
}

impl FromStr for Selection {
    type Err = SelectionError;
    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let shape = || SelectionError::Shape { text: text.to_owned() };
        let mut terms = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (axis, values) = part.split_once('=').ok_or_else(shape)?;
            let axis = axis.trim();
            if !is_axis(axis) {
                return Err(no_axis(axis, &AXES));
            }
            let values: Vec<&str> = values.split(',').map(str::trim).collect();
            if values.iter().any(|value| value.is_empty()) {
                return Err(shape());
            }
            let values =
                values.into_iter().map(|value| plain_value(axis, value)).collect::<Result<_, _>>()?;
            terms.push(Term { axis: axis.to_owned(), values });
        }
        Ok(Selection { terms })
    }
}

/// Whether some study may have an axis of this name.
pub fn is_axis(name: &str) -> bool {
    info(name).is_some()
}

fn no_axis(axis: &str, known: &[&str]) -> SelectionError {
    let near = nearest(axis, known.iter().copied());
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    SelectionError::Axis { axis: axis.to_owned(), known: known.join(", "), hint }
}

/// A value of an axis as cells write it: a loss as a number (`5%` is `0.05`), a rate (`1000/s` is `1k/s`) and an option (`2000ms` is
/// `2s`) in normal form.
///
/// # Errors
/// When a loss or a rate can't be read.
pub fn plain_value(axis: &str, value: &str) -> Result<String, SelectionError> {
    if Pattern::of(value).is_some() {
        return Ok(value.to_owned());
    }
    if option_of_axis(axis).is_some() {
        return Ok(OptionValue::of_word(value).plain());
    }
    let given = || value.to_owned();
    match info(axis).map(|axis| axis.kind) {
        Some(AxisKind::Number(Unit::Ratio)) => value
            .parse()
            .map(|share: Ratio| share.to_string())
            .map_err(|_| SelectionError::Share { axis: axis.to_owned(), value: given() }),
        Some(AxisKind::Number(Unit::PerSecond)) => value
            .parse()
            .map(|rate: MessageRate| rate.to_string())
            .map_err(|_| SelectionError::Rate { value: given() }),
        _ => Ok(given()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_meant_by_all_terms_together() {
        let cell = crate::Cell {
            options: [("mqtt.receive_wait".to_owned(), OptionValue::Text("2s".into()))].into(),
            loss: Some(Ratio::new(0.05).unwrap()),
            rate: Some("10k/s".parse().unwrap()),
            topics: Some(4),
            way: Some(crate::Way::OneWay),
            ..crate::Cell::new(
                "small".parse().unwrap(),
                "json/serde-json".parse().unwrap(),
                "mqtt:qos1".parse().unwrap(),
                "lte".parse().unwrap(),
            )
        };
        for (text, meant) in [
            ("", true),
            ("mode=mqtt:*", true),
            ("mode=mqtt:*; loss=5%", true),
            ("mode=tcp,mqtt:qos1;loss=0", false),
            ("codec=json/*", true),
            ("payload=person", false),
            ("mqtt.receive_wait=2000ms", true),
            ("kafka.linger=*", false),
            ("rate=10000/s,1/s", true),
            ("window=1", false),
            ("topics=4", true),
            ("way=one-way", true),
            ("way=round-trip", false),
        ] {
            let selection: Selection = text.parse().unwrap();
            assert_eq!(selection.means(|axis| cell.value(axis)), meant, "{text}");
        }
        let any_mode: Selection = "mode=*".parse().unwrap();
        assert!(!any_mode.means(|axis| cell.codec_cell().value(axis)));
    }

    #[test]
    fn what_is_no_selection_is_refused_with_what_to_write() {
        let refused = |text: &str| text.parse::<Selection>().unwrap_err().to_string();
        assert!(refused("mqtt").contains("an equals sign"));
        assert!(refused("mode=").contains("an equals sign"));
        assert!(refused("modes=tcp").contains("did you mean `mode`?"));
        assert!(refused("loss=five").contains("0.05"));
        assert!(refused("rate=10k").contains("write 200/s or 10k/s"));
        let of_option: Selection = "kafka.lingr=5ms".parse().unwrap();
        let known = of_option.check(&["mode", "kafka.linger"]).unwrap_err().to_string();
        assert!(known.contains("write one of mode, kafka.linger; did you mean `kafka.linger`?"), "{known}");
        assert_eq!("mode=a,b;loss=5%".parse::<Selection>().unwrap().to_string(), "mode=a,b; loss=0.05");
    }
}
