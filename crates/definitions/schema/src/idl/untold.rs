//! Which of a field's options a translation drops, in the wording of notes, which all languages share.

use super::{Expression, Note};
use crate::model::{Cardinality, Definition, Field, FieldOptions, Type};

/// An integer type of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Width {
    pub bits: u8,
    pub signed: bool,
}

impl Width {
    /// The width of a definition's type; `None` if it is not an integer.
    pub fn declared(ty: Type) -> Option<Width> {
        Some(match ty {
            Type::I32 => Width { bits: 32, signed: true },
            Type::I64 => Width { bits: 64, signed: true },
            Type::U32 => Width { bits: 32, signed: false },
            Type::U64 => Width { bits: 64, signed: false },
            _ => return None,
        })
    }

    /// The narrowest width that holds both values.
    pub fn narrowest(min: i64, max: i64) -> Width {
        let signed = min < 0;
        let holds = |bits: &u8| {
            let width = Width { bits: *bits, signed };
            width.min() <= min.into() && width.max() >= max.into()
        };
        Width { bits: [8, 16, 32].into_iter().find(holds).unwrap_or(64), signed }
    }

    fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn max(self) -> i128 {
        (1 << (self.bits - u8::from(self.signed))) - 1
    }
}

impl std::fmt::Display for Width {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let article = if self.signed { "a signed" } else { "an unsigned" };
        write!(f, "{article} integer of {} bits", self.bits)
    }
}

/// The note on an integer field translated to an integer type: `None` if that holds exactly the field's values.
pub(super) fn integer(field: &Field, chosen: Width) -> Option<String> {
    let declared = Width::declared(field.ty)?;
    let other = (chosen != declared).then(|| chosen.to_string());
    match (field.options.range, other) {
        (Some((min, max)), _) if (chosen.min(), chosen.max()) == (min.into(), max.into()) => None,
        (Some(_), _) => Some(format!("{chosen}, its range is dropped")),
        (None, Some(other)) if chosen.min() > declared.min() || chosen.max() < declared.max() => {
            Some(format!("{other} that keeps the bits"))
        }
        (None, other) => other,
    }
}

/// Which lengths a language can state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tells {
    /// Whether it can fix the number of a list's elements.
    pub fixed_lists: bool,
    /// Whether it can bound the number of a list's elements.
    pub bounded_lists: bool,
    /// Whether it can fix the length of a byte string.
    pub fixed_bytes: bool,
    /// Whether it can bound the length of a byte string.
    pub bounded_bytes: bool,
}

impl Tells {
    pub const LENGTHS: Tells =
        Tells { fixed_lists: true, bounded_lists: true, fixed_bytes: true, bounded_bytes: true };
    pub const NO_LENGTHS: Tells =
        Tells { fixed_lists: false, bounded_lists: false, fixed_bytes: false, bounded_bytes: false };

    /// What the translation drops of a field's options, apart from its range.
    pub fn untold(self, field: &Field) -> Vec<String> {
        let FieldOptions { fixed_length, max_length, fixed_point_scale, decimal, character, .. } =
            &field.options;
        let many = matches!(field.cardinality, Cardinality::Repeated | Cardinality::Map(_));
        let (fixed, bounded) = match field.ty {
            _ if many => (self.fixed_lists, self.bounded_lists),
            Type::Bytes => (self.fixed_bytes, self.bounded_bytes),
            _ => (false, false),
        };
        let of = if many { "number of elements" } else { "length" };
        let mut untold = Vec::new();
        if fixed_length.is_some() && !fixed {
            untold.push(format!("its {of} is dropped"));
        }
        if max_length.is_some() && !bounded {
            untold.push(format!("its maximum {of} is dropped"));
        }
        if let Some(scale) = fixed_point_scale {
            untold.push(format!("the integer; its scale {scale} is dropped"));
        }
        if decimal.is_some() {
            let by = if field.ty == Type::Bytes { "bytes" } else { "text" };
            untold.push(format!("{by}, its digits are not bounded"));
        }
        if *character {
            untold.push("the character's number".to_owned());
        }
        untold
    }
}

impl Expression {
    /// Direct if there are no parts, else a stand-in described by all of them.
    pub(super) fn by_all(parts: impl IntoIterator<Item = String>) -> Expression {
        let parts: Vec<String> = parts.into_iter().collect();
        match parts.is_empty() {
            true => Expression::Direct,
            false => Expression::StandIn(parts.join(", ")),
        }
    }
}

impl Note {
    /// A note on the definition's package, if it has one.
    pub(super) fn package(definition: &Definition, expression: Expression) -> Option<Note> {
        let path = definition.package();
        (!path.is_empty()).then(|| Note { path: path.to_owned(), expression })
    }

    /// Notes on enums for a language that numbers values by position: their numbers are kept if they are
    /// 0, 1, 2 and so on.
    pub(super) fn counted_enums(definition: &Definition) -> impl Iterator<Item = Note> {
        definition.enums.iter().map(|declared| {
            let counted = declared.ascending().zip(0..).all(|(value, place)| value.number == place);
            let by = "its values in ascending order, without their numbers".to_owned();
            Note { path: declared.name.clone(), expression: Expression::by_all((!counted).then_some(by)) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_type_is_as_narrow_as_its_range_allows() {
        for (range, bits, signed) in [
            ((0, 255), 8, false),
            ((-128, 127), 8, true),
            ((-1, 128), 16, true),
            ((0, 65_536), 32, false),
            ((0, i64::MAX), 64, false),
            ((i64::MIN, 0), 64, true),
        ] {
            assert_eq!(Width::narrowest(range.0, range.1), Width { bits, signed }, "{range:?}");
        }
    }

    #[test]
    fn what_is_said_of_an_integer() {
        let said = |ty, range, bits, signed| {
            let options = FieldOptions { range, ..FieldOptions::default() };
            let field = Field {
                name: "value".to_owned(),
                number: 1,
                ty,
                cardinality: Cardinality::Implicit,
                required: false,
                oneof: None,
                boxed: false,
                options,
            };
            integer(&field, Width { bits, signed }).unwrap_or_default()
        };
        assert_eq!(said(Type::U32, None, 32, false), "");
        assert_eq!(said(Type::U32, None, 64, true), "a signed integer of 64 bits");
        assert_eq!(said(Type::U64, None, 64, true), "a signed integer of 64 bits that keeps the bits");
        assert_eq!(said(Type::I32, Some((-128, 127)), 8, true), "");
        assert_eq!(
            said(Type::I32, Some((0, 9)), 32, true),
            "a signed integer of 32 bits, its range is dropped"
        );
        assert_eq!(
            said(Type::U32, Some((0, 9)), 8, false),
            "an unsigned integer of 8 bits, its range is dropped"
        );
    }
}
