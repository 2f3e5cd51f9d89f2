//! The options of `wiredyno/options.proto` on a field, and the field that carries the sequence.

use prost_reflect::{FieldDescriptor, MessageDescriptor};

use super::compile::SOURCE_NAME;
use super::{DefinitionError, Reader, flag, read_options};
use crate::model::{Cardinality, FieldOptions, Type};

impl Reader<'_> {
    pub(super) fn options(
        &self,
        field: &FieldDescriptor,
        ty: Type,
        cardinality: Cardinality,
    ) -> Result<FieldOptions, DefinitionError> {
        let found = read_options(field);
        let many = matches!(cardinality, Cardinality::Repeated | Cardinality::Map(_));
        let integer = matches!(ty, Type::I32 | Type::I64 | Type::U32 | Type::U64);
        let sized = many || matches!(ty, Type::String | Type::Bytes);
        let wrong = |option: &str, where_: &str| {
            self.misplaced(field, option, &format!("this option belongs on {where_}"))
        };
        if let Some((min, max)) = found.range {
            if !integer {
                return Err(wrong("wiredyno.range", "integer fields"));
            }
            if min > max {
                return Err(wrong("wiredyno.range", "integer fields with min not above max"));
            }
        }
        if found.fixed_point_scale.is_some() && !integer {
            return Err(wrong("wiredyno.fixed_point_scale", "integer fields"));
        }
        if (found.fixed_length.is_some() || found.max_length.is_some()) && !sized {
            return Err(wrong("wiredyno.fixed_length/max_length", "string, bytes, repeated and map fields"));
        }
        if found.fixed_length.is_some() && found.max_length.is_some() {
            return Err(wrong("wiredyno.max_length", "fields without a fixed length"));
        }
        if found.decimal.is_some() && !matches!(ty, Type::String | Type::Bytes) {
            return Err(wrong("wiredyno.decimal", "string and bytes fields"));
        }
        if found.format.is_some() && ty != Type::String && !integer {
            return Err(wrong("wiredyno.format", "string and integer fields"));
        }
        if found.character && ty != Type::U32 {
            return Err(wrong("wiredyno.character", "uint32 fields"));
        }
        if let Some(tag) = found.choice_tag {
            if field.containing_oneof().is_none_or(|oneof| oneof.is_synthetic()) {
                return Err(wrong("wiredyno.choice_tag", "fields of a oneof"));
            }
            if tag > 255 {
                return Err(wrong("wiredyno.choice_tag", "fields of a oneof with a value of at most 255"));
            }
        }
        Ok(found)
    }

    pub(super) fn sequence(&self, root: &MessageDescriptor) -> Result<Option<Vec<usize>>, DefinitionError> {
        let Some(file) = self.compiled.pool.get_file_by_name(SOURCE_NAME) else {
            return Ok(None);
        };
        let mut found = None;
        let mut waiting: Vec<_> = file.messages().collect();
        while let Some(message) = waiting.pop() {
            waiting.extend(message.child_messages());
            for field in message.fields().filter(|field| flag(&field.options(), "wiredyno.sequence")) {
                let path =
                    self.known.get(message.full_name()).and_then(|index| self.sequence_to(*index, &field));
                if path.is_none() || found.is_some() {
                    let remedy = format!(
                        "mark one singular string, bytes or integer field of `{}`, or of a message that is \
                         required in one place on the way from there",
                        root.name()
                    );
                    return Err(DefinitionError::Misplaced {
                        file: self.file.to_owned(),
                        line: self.line(field.path()),
                        option: "wiredyno.sequence".to_owned(),
                        message: format!("{}.", message.name()),
                        field: field.name().to_owned(),
                        remedy,
                    });
                }
                found = path;
            }
        }
        Ok(found)
    }

    /// The field indexes on the way from the root to the field that identifies messages.
    pub(super) fn sequence_to(&self, message: usize, field: &FieldDescriptor) -> Option<Vec<usize>> {
        let place = self.messages[message].fields.iter().position(|known| known.name == field.name())?;
        let known = &self.messages[message].fields[place];
        let fits = known.oneof.is_none()
            && matches!(known.cardinality, Cardinality::Implicit | Cardinality::Optional)
            && matches!(known.ty, Type::I32 | Type::I64 | Type::U32 | Type::U64 | Type::String | Type::Bytes);
        let (mut paths, mut waiting) = (Vec::new(), vec![(0, Vec::new())]);
        while let Some((at, path)) = waiting.pop() {
            // Required messages never contain themselves, so this terminates.
            for (step, field) in self.messages[at].fields.iter().enumerate() {
                if let (Type::Message(to), Cardinality::Implicit) = (field.ty, field.cardinality) {
                    waiting.push((to, [path.as_slice(), &[step]].concat()));
                }
            }
            if at == message {
                paths.push(path);
            }
        }
        match paths.as_slice() {
            [path] if fits => Some([path.as_slice(), &[place]].concat()),
            _ => None,
        }
    }
}
