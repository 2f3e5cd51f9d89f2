//! Changes of a message's definition, field by field.

use std::collections::BTreeMap;

use wiredyno_model::summary::Summary;
use wiredyno_schema::{Cardinality, Definition, Field, Message, Type};

/// The words for a definition that differs in other things than its fields, or that can't be read.
const OTHERWISE: &str = "its fields are the same";

/// The fields of a payload's definition that were added, removed or changed from one run to another; empty if the definition is the same,
/// or a run does not keep it.
pub(crate) fn changes(base: &Summary, new: &Summary, payload: &str) -> Vec<String> {
    let of = |run: &Summary| {
        let build = run.environment.builds.iter().find(|build| build.payload == payload)?;
        Some(build.definition.clone())
    };
    match (of(base), of(new)) {
        (Some(before), Some(now)) if before != now => between(&before, &now),
        _ => Vec::new(),
    }
}

fn between(before: &str, now: &str) -> Vec<String> {
    let read = |text: &str| Definition::from_source(text, "message.proto").ok().map(|found| fields(&found));
    let (Some(before), Some(now)) = (read(before), read(now)) else { return vec![OTHERWISE.to_owned()] };
    let mut told = Vec::new();
    for (name, kind) in &now {
        match before.get(name) {
            None => told.push(format!("{name} ({kind}) was added")),
            Some(old) if old != kind => told.push(format!("{name} was {old} and is {kind}")),
            Some(_) => {}
        }
    }
    let removed = before.iter().filter(|(name, _)| !now.contains_key(*name));
    told.extend(removed.map(|(name, kind)| format!("{name} ({kind}) was removed")));
    if told.is_empty() { vec![OTHERWISE.to_owned()] } else { told }
}

/// The fields by message and name, each with its kind and number.
fn fields(definition: &Definition) -> BTreeMap<String, String> {
    let of_message = |message: &Message| {
        let name = message.name.clone();
        message
            .fields
            .iter()
            .map(move |field| (format!("{name}.{}", field.name), field.clone()))
            .collect::<Vec<_>>()
    };
    let all = definition.messages.iter().flat_map(of_message);
    all.map(|(name, field)| (name, kind(definition, &field))).collect()
}

/// The kind of a field: `optional string, number 3`.
fn kind(definition: &Definition, field: &Field) -> String {
    let ty = |ty: Type| match ty {
        Type::Enum(place) => definition.enums[place].name.clone(),
        Type::Message(place) => definition.messages[place].name.clone(),
        simple => format!("{simple:?}").to_lowercase(),
    };
    let element = ty(field.ty);
    let whole = match field.cardinality {
        Cardinality::Implicit => element,
        Cardinality::Optional => format!("optional {element}"),
        Cardinality::Repeated => format!("repeated {element}"),
        Cardinality::Map(key) => format!("map of {} to {element}", ty(key)),
    };
    format!("{whole}, number {}", field.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, now: &str) -> Vec<String> {
        let whole = |fields: &str| format!("syntax = \"proto3\";\nmessage Trip {{ {fields} }}\n");
        between(&whole(before), &whole(now))
    }

    #[test]
    fn each_field_that_changed_is_named() {
        assert_eq!(
            told("uint32 trip = 1; double speed = 2;", "uint64 trip = 1; optional string driver = 3;"),
            [
                "Trip.driver (optional string, number 3) was added",
                "Trip.trip was u32, number 1 and is u64, number 1",
                "Trip.speed (f64, number 2) was removed",
            ]
        );
        assert_eq!(told("uint32 trip = 1;", "uint32 trip = 1; // new words"), [OTHERWISE]);
    }
}
