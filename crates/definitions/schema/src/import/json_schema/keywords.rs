//! What a schema says by its keywords alone.

use super::SHAPES;
use crate::import::draft::{DraftShape, DraftType, Part, whole_number};
use crate::import::json::{Json, Kind};

/// The value of a keyword that is a count; `None` if absent.
pub(super) fn count(schema: &Json, keyword: &str) -> Option<u32> {
    match &schema.get(keyword)?.value {
        Kind::Number(digits) => u32::try_from(whole_number(digits)?).ok(),
        _ => None,
    }
}

pub(super) fn double(json: &Json) -> Option<f64> {
    match &json.value {
        Kind::Number(digits) => digits.parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// The value of a keyword that is a number.
pub(super) fn number(schema: &Json, keyword: &str) -> Option<f64> {
    schema.get(keyword).and_then(double)
}

/// The bounds of numbers, each with whether it is itself allowed.
pub(super) fn bounds(schema: &Json) -> (Bound, Bound) {
    // Draft 4 writes true beside `minimum`.
    let is_open = |keyword: &str| schema.get(keyword).is_some_and(|it| it.value == Kind::Bool(true));
    let both = |keyword: &str, exclusive: &str| {
        let inner = number(schema, keyword).map(|end| (end, !is_open(exclusive)));
        (inner, number(schema, exclusive).map(|end| (end, false)))
    };
    let narrower = |(a, b): (Bound, Bound), is: fn(f64, f64) -> bool| match (a, b) {
        (Some(a), Some(b)) => Some(if is(a.0, b.0) { a } else { b }),
        (a, b) => a.or(b),
    };
    (
        narrower(both("minimum", "exclusiveMinimum"), |a, b| a > b),
        narrower(both("maximum", "exclusiveMaximum"), |a, b| a < b),
    )
}

/// A bound of numbers, and whether it is itself allowed.
pub(super) type Bound = Option<(f64, bool)>;

/// A value of `const` or `enum`, and its title.
pub(super) type Value<'a> = (&'a Json, Option<&'a str>);

pub(super) fn title(schema: &Json) -> Option<&str> {
    schema.get("title").or_else(|| schema.get("description")).and_then(Json::as_text)
}

/// Whether an imported part has a given JSON Schema type.
pub(super) fn is_of_type(part: &Part, ty: &str) -> bool {
    match (ty, part.shape, part.ty) {
        ("array", shape, _) => shape == DraftShape::List,
        (_, DraftShape::List, _) => false,
        ("object", DraftShape::Map(_), _) => true,
        (_, DraftShape::Map(_), _) => false,
        (_, _, DraftType::Message(_)) => ty == "object",
        ("boolean", _, of) => of == DraftType::Bool,
        ("integer", _, of) => of.is_integer(),
        ("number", _, of) => of.is_integer() || of == DraftType::Double,
        ("string", _, of) => matches!(of, DraftType::String | DraftType::Bytes | DraftType::Enum(_)),
        _ => false,
    }
}

/// Whether a schema is a list of values.
pub(super) fn is_values(schema: &Json) -> bool {
    schema.get("const").is_some() || schema.get("enum").is_some()
}

/// Whether a schema determines the shape of values.
pub(super) fn says_shape(schema: &Json) -> bool {
    match &schema.value {
        Kind::Object(pairs) => pairs.iter().any(|(key, _)| SHAPES.contains(&key.as_str())),
        _ => false,
    }
}

/// The only pattern of a schema's keys and the schema of their values, if nothing else constrains keys: that makes a map.
pub(super) fn pattern(schema: &Json) -> Option<(&str, &Json)> {
    let Kind::Object(patterns) = &schema.get("patternProperties")?.value else { return None };
    let has_more = schema.get("properties").is_some()
        || schema.get("additionalProperties").is_some_and(|more| matches!(more.value, Kind::Object(_)));
    match patterns.as_slice() {
        [(keys, values)] if !has_more => Some((keys, values)),
        _ => None,
    }
}

/// A bound as it was intended: a program whose numbers are doubles turns the ends of 64-bit integers into 2^63 and 2^64
/// (9223372036854776000).
pub(super) fn within_64_bits(bound: i128, written: i128) -> i128 {
    let rounded = written as f64;
    if rounded == 9_223_372_036_854_775_808.0 {
        bound.min(i64::MAX.into())
    } else if rounded == 18_446_744_073_709_551_616.0 {
        bound.min(u64::MAX.into())
    } else if rounded == -9_223_372_036_854_775_808.0 {
        bound.max(i64::MIN.into())
    } else {
        bound
    }
}
