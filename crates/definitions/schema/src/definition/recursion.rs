//! Messages that contain themselves: refused if no value of them is finite, else boxed.

use std::collections::HashSet;

use prost_reflect::MessageDescriptor;

use super::{DefinitionError, Reader};
use crate::model::{Cardinality, Field, Message, Type};

impl Reader<'_> {
    /// For each message, whether it has a finite value.
    pub(super) fn finite(&self) -> Vec<bool> {
        let mut finite = vec![false; self.messages.len()];
        loop {
            let ends = |field: &Field| !matches!(field.ty, Type::Message(to) if !finite[to]);
            let has_value = |message: &Message| {
                let mut always =
                    message.fields.iter().filter(|field| field.cardinality == Cardinality::Implicit);
                let mut choices = message.oneofs.iter().filter(|oneof| oneof.required);
                always.all(ends)
                    && choices.all(|oneof| oneof.fields.iter().any(|at| ends(&message.fields[*at])))
            };
            let next: Vec<bool> = self.messages.iter().map(has_value).collect();
            if next == finite {
                return finite;
            }
            finite = next;
        }
    }

    /// Refuses a message that always contains itself, be it through every alternative of a required oneof.
    pub(super) fn no_endless_message(&self, root: &MessageDescriptor) -> Result<(), DefinitionError> {
        let finite = self.finite();
        let finite = &finite;
        let required = |message: usize| {
            let of = &self.messages[message];
            let is_always = move |field: &Field| {
                field.cardinality == Cardinality::Implicit
                    || field.oneof.is_some_and(|oneof| of.oneofs[oneof].required)
            };
            of.fields.iter().filter(move |field| is_always(field)).filter_map(move |field| match field.ty {
                Type::Message(to) if !finite[message] && !finite[to] => Some(to),
                _ => None,
            })
        };
        for start in 0..self.messages.len() {
            let (mut seen, mut waiting) = (HashSet::new(), Vec::from_iter(required(start)));
            while let Some(next) = waiting.pop() {
                if next == start {
                    return Err(self.refuse(
                        root.path(),
                        format!("`{}` always contains itself", self.messages[start].full_name),
                        "remove `(wiredyno.required)` from one of the fields in the cycle",
                    ));
                }
                if seen.insert(next) {
                    waiting.extend(required(next));
                }
            }
        }
        Ok(())
    }

    /// Marks the singular fields through which a message contains itself.
    pub(super) fn box_recursion(&mut self) {
        let direct: Vec<Vec<usize>> = self
            .messages
            .iter()
            .map(|message| {
                let singular = message.fields.iter().filter(|f| f.cardinality == Cardinality::Optional);
                singular.filter_map(|f| if let Type::Message(to) = f.ty { Some(to) } else { None }).collect()
            })
            .collect();
        let reaches = |from: usize, to: usize| {
            let (mut seen, mut waiting) = (HashSet::new(), vec![from]);
            while let Some(next) = waiting.pop() {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    waiting.extend(&direct[next]);
                }
            }
            false
        };
        for (index, message) in self.messages.iter_mut().enumerate() {
            for field in &mut message.fields {
                if let (Type::Message(target), Cardinality::Optional) = (field.ty, field.cardinality) {
                    field.boxed = reaches(target, index);
                }
            }
        }
    }
}
