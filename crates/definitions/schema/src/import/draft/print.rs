//! A draft as message.proto.

use std::fmt::Write as _;

use super::{Draft, DraftField, DraftMessage, DraftShape, DraftType, StandsFor, comment, enumeration};

impl Draft {
    /// Renders the definition as message.proto.
    pub fn to_proto(&self) -> String {
        let mut text = String::new();
        for line in self.about.iter().chain(&self.avro) {
            comment(&mut text, "", line);
        }
        let package = self.payload.replace(['-', '.'], "_");
        let _ = write!(
            text,
            "syntax = \"proto3\";\n\npackage wiredyno.payload.{package};\n\nimport \"wiredyno/options.proto\";\n"
        );
        for (index, message) in self.messages.iter().enumerate() {
            self.message(message, index == 0 && self.messages.len() + self.enums.len() > 1, &mut text);
        }
        for declared in &self.enums {
            enumeration(declared, &mut text);
        }
        text
    }

    pub(super) fn message(&self, message: &DraftMessage, mark_root: bool, text: &mut String) {
        text.push('\n');
        for line in &message.comments {
            comment(text, "", line);
        }
        let _ = writeln!(text, "message {} {{", message.name);
        if mark_root {
            text.push_str("  option (wiredyno.root) = true;\n");
        }
        if message.stands_for != StandsFor::Object {
            text.push_str("  option (wiredyno.stands_for_value) = true;\n");
        }
        if let Some(known) = message.well_known {
            let _ = writeln!(text, "  option (wiredyno.well_known) = {:?};", known.name());
        }
        let mut open = None;
        for field in &message.fields {
            if open != field.oneof {
                if open.is_some() {
                    text.push_str("  }\n");
                }
                if let Some((name, required)) = field.oneof.and_then(|oneof| message.oneofs.get(oneof)) {
                    let _ = writeln!(text, "  oneof {name} {{");
                    if *required {
                        text.push_str("    option (wiredyno.required_choice) = true;\n");
                    }
                }
                open = field.oneof;
            }
            self.field(field, if open.is_some() { "    " } else { "  " }, text);
        }
        if open.is_some() {
            text.push_str("  }\n");
        }
        text.push_str("}\n");
    }

    pub(super) fn field(&self, field: &DraftField, indent: &str, text: &mut String) {
        for line in &field.comments {
            comment(text, indent, line);
        }
        let element = self.type_name(field.ty);
        let message = matches!(field.ty, DraftType::Message(_));
        let mut options = field.options.clone();
        let ty = match field.shape {
            DraftShape::One if message && field.oneof.is_none() => {
                options.push("(wiredyno.required) = true".to_owned());
                element
            }
            DraftShape::One => element,
            DraftShape::Required => {
                options.push("(wiredyno.required) = true".to_owned());
                format!("optional {element}")
            }
            // Messages have presence without `optional`.
            DraftShape::Optional if message => element,
            DraftShape::Optional => format!("optional {element}"),
            DraftShape::List => format!("repeated {element}"),
            DraftShape::Map(key) => format!("map<{}, {element}>", self.type_name(key)),
        };
        options.extend(field.said_of_values().map(|text| format!("(wiredyno.invented) = {text}")));
        let options = match options.as_slice() {
            [] => String::new(),
            options => format!(" [{}]", options.join(", ")),
        };
        let _ = writeln!(text, "{indent}{ty} {} = {}{options};", field.name, field.number);
    }

    pub(super) fn type_name(&self, ty: DraftType) -> String {
        match ty {
            DraftType::Bool => "bool".to_owned(),
            DraftType::Int32 => "int32".to_owned(),
            DraftType::Int64 => "int64".to_owned(),
            DraftType::Uint32 => "uint32".to_owned(),
            DraftType::Uint64 => "uint64".to_owned(),
            DraftType::Sint32 => "sint32".to_owned(),
            DraftType::Sint64 => "sint64".to_owned(),
            DraftType::Fixed32 => "fixed32".to_owned(),
            DraftType::Fixed64 => "fixed64".to_owned(),
            DraftType::Sfixed32 => "sfixed32".to_owned(),
            DraftType::Sfixed64 => "sfixed64".to_owned(),
            DraftType::Float => "float".to_owned(),
            DraftType::Double => "double".to_owned(),
            DraftType::String => "string".to_owned(),
            DraftType::Bytes => "bytes".to_owned(),
            DraftType::Message(index) => self.messages[index].name.clone(),
            // An enum's values share the scope around the enum, hence the message that wraps each enum.
            DraftType::Enum(index) => format!("{0}Values.{0}", self.enums[index].name),
        }
    }
}
