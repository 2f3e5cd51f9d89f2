//! Single values: what a rule or the definition leaves open is drawn.

use prost_reflect::prost::bytes::Bytes;
use prost_reflect::{Kind, Value};

use super::super::draw::{Draw, POWERS_OF_TEN, rounded};
use super::super::format;
use super::super::pattern;
use super::super::prose::prose;
use super::super::recipe_file::integer_limits;
use super::super::rule::{Filling, Number, Rule};
use super::{DRAWS, Scene, Slot};
use crate::model::{FieldOptions, Invented};

/// A value that satisfies the schema's constraints; `None` if there are none for its type.
#[expect(
    clippy::too_many_lines,
    reason = "the cases of a value's kind, in the order of their `match`, which share the constraints"
)]
pub(super) fn of_schema(
    kind: &Kind,
    options: &FieldOptions,
    rule: &Rule,
    slot: &mut Slot,
    scene: &mut Scene<'_>,
) -> Option<Value> {
    let said = &options.invented;
    if *said == (Invented { count: said.count, ..Invented::default() }) {
        return None;
    }
    let (least, most) = (said.length.0.unwrap_or(0), said.length.1);
    match kind {
        Kind::Bool => {
            let [only] = said.values[..] else { return None };
            Some(Value::Bool(only != 0.0))
        }
        Kind::String => {
            let by_pattern = said.pattern.as_ref().and_then(|pattern| {
                (0..DRAWS)
                    .find_map(|_| pattern::text(pattern, scene.draw).filter(|text| is_of_length(text, said)))
            });
            Some(Value::String(by_pattern.unwrap_or_else(|| {
                let mut letters: Vec<char> = text(rule, scene).chars().collect();
                let wanted =
                    scene.draw.length(least, most.unwrap_or(least.saturating_add(24)).min(least.max(24)));
                letters.truncate(wanted);
                letters.resize_with(wanted, || char::from(b'a' + scene.draw.below(26) as u8));
                letters.into_iter().collect()
            })))
        }
        Kind::Bytes => {
            let length = scene.draw.length(least, most.unwrap_or(least.saturating_add(24)));
            Some(Value::Bytes(Bytes::from(scene.draw.bytes(length))))
        }
        Kind::Double | Kind::Float => {
            let number = double(said, rule, slot, scene);
            Some(if *kind == Kind::Float { Value::F32(number as f32) } else { Value::F64(number) })
        }
        _ => {
            let (least, most) = integer_limits(kind)?;
            let (least, most) = options
                .range
                .map_or((least, most), |(min, max)| (least.max(min.into()), most.min(max.into())));
            if !said.values.is_empty() {
                let chosen = said.values[scene.draw.below(said.values.len() as u64) as usize] as i128;
                return (least..=most).contains(&chosen).then(|| integer_of(kind, chosen));
            }
            let above =
                |(end, is_one): (f64, bool)| end.floor() as i128 + i128::from(!is_one || end.fract() != 0.0);
            let below =
                |(end, is_one): (f64, bool)| end.ceil() as i128 - i128::from(!is_one || end.fract() != 0.0);
            let (least, most) =
                (said.min.map_or(least, above).max(least), said.max.map_or(most, below).min(most));
            let step =
                said.multiple_of.filter(|step| step.fract() == 0.0).map_or(1, |step| step as i128).max(1);
            let (first, last) = (-(-least).div_euclid(step), most.div_euclid(step));
            if first > last {
                return None;
            }
            let has_ends = (said.min.is_some() && said.max.is_some()) || options.range.is_some();
            let drawn = match has_ends {
                true => scene.draw.integer(first, last),
                false => scene.draw.any_width(first, last),
            };
            Some(integer_of(kind, drawn * step))
        }
    }
}

/// Whether a string has as many characters as the schema requires.
fn is_of_length(text: &str, said: &Invented) -> bool {
    let length = text.chars().count() as u64;
    said.length.0.is_none_or(|least| u64::from(least) <= length)
        && said.length.1.is_none_or(|most| length <= u64::from(most))
}

/// A float within the schema's bounds.
fn double(said: &Invented, rule: &Rule, slot: &mut Slot, scene: &mut Scene<'_>) -> f64 {
    if !said.values.is_empty() {
        return said.values[scene.draw.below(said.values.len() as u64) as usize];
    }
    let number = match (said.min, said.max) {
        (None, None) => float(rule, slot, scene, 53),
        (Some((min, _)), None) => min + float(rule, slot, scene, 53).abs(),
        (None, Some((max, _))) => max - float(rule, slot, scene, 53).abs(),
        (Some((min, _)), Some((max, _))) => {
            let drawn = scene.draw.float(min, max);
            let short = rounded(drawn, 3);
            if said.holds(short) { short } else { drawn }
        }
    };
    let number = match said.multiple_of {
        Some(step) => {
            let near = (number / step).floor() * step;
            if said.holds(near) { near } else { near + step }
        }
        None => number,
    };
    match (said.holds(number), said.min, said.max) {
        (true, ..) => number,
        // Both bounds are excluded.
        (false, Some((min, _)), Some((max, _))) => min + (max - min) / 2.0,
        (false, Some((min, _)), None) => min + 1.0,
        (false, None, Some((max, _))) => max - 1.0,
        (false, None, None) => number,
    }
}

/// A string or bytes value cut or filled to a length that the definition allows; elements of lists have no limit.
pub(super) fn fitted(value: Value, options: &FieldOptions, many: bool) -> Value {
    if many {
        return value;
    }
    let longest = options.fixed_length.or(options.max_length).map(|length| length as usize);
    match (value, longest) {
        (Value::String(mut text), Some(longest)) => {
            while text.len() > longest {
                text.pop();
            }
            if options.fixed_length.is_some() {
                text.extend(std::iter::repeat_n('x', longest - text.len()));
            }
            Value::String(text)
        }
        (Value::Bytes(bytes), Some(longest)) => {
            let mut bytes = bytes.to_vec();
            match options.fixed_length {
                Some(_) => bytes.resize(longest, 0),
                None => bytes.truncate(longest),
            }
            Value::Bytes(Bytes::from(bytes))
        }
        (value, _) => value,
    }
}

/// A value in the form that the definition states; `None` if it states none that is known.
pub(super) fn as_defined(kind: &Kind, options: &FieldOptions, many: bool, draw: &mut Draw) -> Option<Value> {
    if let Some((precision, scale)) = options.decimal {
        return Some(match kind {
            Kind::String => Value::String(format::decimal_text(precision, scale, draw)),
            _ => {
                let length = options.fixed_length.filter(|_| !many);
                Value::Bytes(Bytes::from(format::decimal_bytes(precision, length, draw)))
            }
        });
    }
    let format = options.format.as_deref()?;
    if *kind == Kind::String {
        let text = (0..DRAWS)
            .find_map(|_| format::text(format, draw).filter(|text| is_of_length(text, &options.invented)));
        return text.map(|text| fitted(Value::String(text), options, many));
    }
    let (least, most) = integer_limits(kind)?;
    let value = i128::from(format::integer(format, draw)?);
    let range = options.range.map_or((least, most), |(min, max)| (min.into(), max.into()));
    if value < least.max(range.0) || value > most.min(range.1) {
        return None;
    }
    Some(integer_of(kind, value))
}

/// An integer value of a kind; `value` must be within the kind's limits.
fn integer_of(kind: &Kind, value: i128) -> Value {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(value as i32),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(value as u32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(value as i64),
        _ => Value::U64(value as u64),
    }
}

/// A Unicode code point from the rule's alphabet.
pub(super) fn character(rule: &Rule, scene: &mut Scene<'_>) -> u32 {
    match &rule.filling {
        Some(Filling::Letters { alphabet, .. }) if !alphabet.is_empty() => {
            u32::from(alphabet[scene.draw.below(alphabet.len() as u64) as usize])
        }
        _ => u32::from('x'),
    }
}

pub(super) fn integer(
    rule: &Rule,
    slot: &mut Slot,
    scene: &mut Scene<'_>,
    kind: &Kind,
    range: Option<(i64, i64)>,
) -> Value {
    let (least, most) = integer_limits(kind).unwrap_or((0, 0));
    let (least, most) =
        range.map_or((least, most), |(min, max)| (least.max(min.into()), most.min(max.into())));
    let limited = |bounds: (Number, Number)| {
        (bounds.0.as_integer().clamp(least, most), bounds.1.as_integer().clamp(least, most))
    };
    let value = match (rule.sequence, rule.range.map(limited), rule.step) {
        (Some(first), ..) => least + (first + i128::from(scene.index) - least) % (most - least + 1),
        (None, None, _) if range.is_some() => scene.draw.integer(least, most),
        (None, None, _) => scene.draw.any_width(least, most),
        (None, Some((low, high)), None) => scene.draw.integer(low, high),
        (None, Some((low, high)), Some(step)) => {
            let next = match slot.walk {
                None => scene.draw.integer(low, high),
                Some(last) => {
                    let change = scene.draw.integer(step.0.as_integer(), step.1.as_integer());
                    let next = last.as_integer() + change;
                    // Reflected at the ends, so that walks don't stick there.
                    let back = if next > high { 2 * high - next } else { next };
                    let back = if back < low { 2 * low - back } else { back };
                    back.clamp(low, high)
                }
            };
            slot.walk = Some(Number::Integer(next));
            next
        }
    };
    integer_of(kind, value)
}

/// A finite float; without a range, an integer of any width up to the type's `precision`, divided by a power of ten.
pub(super) fn float(rule: &Rule, slot: &mut Slot, scene: &mut Scene<'_>, precision: u32) -> f64 {
    let Some((low, high)) = rule.range.map(|(low, high)| (low.as_float(), high.as_float())) else {
        let most = (1i128 << precision) - 1;
        let whole = scene.draw.any_width(-most, most) as f64;
        return whole / POWERS_OF_TEN[scene.draw.length(0, 6)];
    };
    let value = match (rule.step, slot.walk) {
        (None, _) | (Some(_), None) => scene.draw.float(low, high),
        (Some(step), Some(last)) => {
            let next = last.as_float() + scene.draw.float(step.0.as_float(), step.1.as_float());
            let back = if next > high { 2.0 * high - next } else { next };
            let back = if back < low { 2.0 * low - back } else { back };
            back.clamp(low, high)
        }
    };
    // The walk keeps the unrounded value: otherwise steps smaller than the last decimal would never add up.
    slot.walk = Some(Number::Float(value));
    rule.decimals.map_or(value, |places| rounded(value, places))
}

pub(super) fn text(rule: &Rule, scene: &mut Scene<'_>) -> String {
    match &rule.filling {
        None => String::new(),
        Some(Filling::Choices(choices)) => {
            let chosen = &choices[scene.draw.below(choices.len() as u64) as usize];
            if scene.wanted { chosen.clone() } else { String::new() }
        }
        Some(Filling::Pattern { template, first }) => {
            template.fill(scene.draw, first.wrapping_add(scene.index))
        }
        Some(Filling::Timestamps(times)) if !scene.wanted => {
            times.unix_ms(scene.draw, scene.index);
            String::new()
        }
        Some(Filling::Timestamps(times)) => times.text(scene.draw, scene.index),
        Some(Filling::Prose { length }) => {
            let length = scene.draw.length(length.0, length.1);
            prose(scene.draw, length)
        }
        Some(Filling::Letters { alphabet, length }) => {
            let length = scene.draw.length(length.0, length.1);
            (0..length).map(|_| alphabet[scene.draw.below(alphabet.len() as u64) as usize]).collect()
        }
    }
}

/// Random bytes, unless the rule requests text.
pub(super) fn bytes(rule: &Rule, scene: &mut Scene<'_>) -> Vec<u8> {
    match &rule.filling {
        Some(Filling::Letters { length, .. }) => {
            let length = scene.draw.length(length.0, length.1);
            scene.draw.bytes(length)
        }
        None => Vec::new(),
        Some(_) => text(rule, scene).into_bytes(),
    }
}
