//! The minimum nesting depth of each message's values. At the depth limit, a required oneof takes the alternative of least depth.

use std::collections::HashMap;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::definition::flag;

/// Keyed by full name; a message without a finite value has no entry.
pub(super) type Heights = HashMap<String, usize>;

/// The heights of a message and of all messages in it.
pub(super) fn of(root: &MessageDescriptor) -> Heights {
    let (mut all, mut waiting) = (Vec::new(), vec![root.clone()]);
    while let Some(message) = waiting.pop() {
        if all.contains(&message) {
            continue;
        }
        waiting.extend(message.fields().filter_map(|field| field.kind().as_message().cloned()));
        all.push(message);
    }
    let needs: Vec<(MessageDescriptor, Needs)> =
        all.into_iter().map(|message| (message.clone(), needs(&message))).collect();
    let mut heights = Heights::new();
    loop {
        let mut is_done = true;
        for (message, (always, choices)) in &needs {
            let of = |name: &Option<String>| match name {
                Some(name) => heights.get(name).copied(),
                None => Some(0),
            };
            let of_choice = |choice: &Vec<Option<String>>| choice.iter().filter_map(&of).min();
            let parts = always.iter().map(&of).chain(choices.iter().map(of_choice));
            let height = parts
                .collect::<Option<Vec<usize>>>()
                .map(|all| all.into_iter().max().map_or(0, |most| most + 1));
            if let Some(height) = height
                && heights.get(message.full_name()).is_none_or(|known| height < *known)
            {
                heights.insert(message.full_name().to_owned(), height);
                is_done = false;
            }
        }
        if is_done {
            return heights;
        }
    }
}

/// The required messages, and for each required oneof its alternatives: a message's name, or `None` for any other type.
type Needs = (Vec<Option<String>>, Vec<Vec<Option<String>>>);

fn needs(message: &MessageDescriptor) -> Needs {
    let name = |field: &FieldDescriptor| match field.kind() {
        Kind::Message(of) if !field.is_list() && !field.is_map() => Some(of.full_name().to_owned()),
        _ => None,
    };
    let is_always = |field: &FieldDescriptor| {
        field.containing_oneof().is_none_or(|oneof| oneof.is_synthetic())
            && flag(&field.options(), "wiredyno.required")
    };
    let always = message.fields().filter(is_always).map(|field| name(&field)).collect();
    let choices = message.oneofs().filter(|oneof| flag(&oneof.options(), "wiredyno.required_choice"));
    (always, choices.map(|oneof| oneof.fields().map(|field| name(&field)).collect()).collect())
}
