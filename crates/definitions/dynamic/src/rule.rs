//! Checks that all formats share.

use wiredyno_codec::record::{Fault, FieldInfo, FieldType, Length, Problem, Shape};

/// Refuses a number outside the definition's range.
pub fn in_range(field: &FieldInfo, value: i64) -> Result<(), Fault> {
    match field.range {
        Some((min, max)) if value < min || value > max => {
            Err(Fault::in_field(Problem::OutOfRange(value.into()), field.name))
        }
        _ => Ok(()),
    }
}

/// Refuses a length that the definition does not allow.
pub fn length(field: &FieldInfo, allowed: Length, length: usize) -> Result<(), Fault> {
    match allowed.allows(length) {
        true => Ok(()),
        false => Err(Fault::in_field(Problem::Length(length as u64), field.name)),
    }
}

/// The key of a map field as a field, as the codecs see it.
pub const fn key(field: &FieldInfo) -> FieldInfo {
    let ty = match field.shape {
        Shape::Map(key) => key,
        _ => FieldType::Bool,
    };
    FieldInfo::plain("key", ty)
}

/// The error for a value whose type is not the field's, which can't occur.
#[cold]
pub fn misplaced(field: &FieldInfo) -> Fault {
    Fault::in_field(
        Problem::Other("the value's type differs from its field's; report this".to_owned()),
        field.name,
    )
}
