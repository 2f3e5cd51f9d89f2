//! Messages that stand for a value which .proto can't have in its place: a list in a list, a null in a list, a value of one of
//! several kinds. Self-describing formats write the bare value if its kind identifies it.

use crate::model::{Cardinality, Definition, Field, Message, Type, WellKnown};

/// The maximum nesting depth of messages that stand for values.
const MAX_DEPTH: usize = 16;

/// A value's kind without a definition, as far as JSON distinguishes values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Flag,
    Number,
    Text,
    List,
    Object,
}

/// How a message can stand for a value.
enum Standing<'a> {
    /// For the value of its only field.
    Single(&'a Field),
    /// For the value of the alternative that is present.
    Choice,
}

impl<'a> Standing<'a> {
    fn of(message: &'a Message) -> Option<Standing<'a>> {
        match (&message.fields[..], &message.oneofs[..]) {
            ([one], []) => Some(Standing::Single(one)),
            (fields, [only]) if only.required && only.fields.len() == fields.len() => Some(Standing::Choice),
            _ => None,
        }
    }
}

impl Definition {
    /// The first message that has `(wiredyno.stands_for_value)` but can't stand for a value, with the reason.
    pub(crate) fn wrong_plain_value(&self) -> Option<(&Message, &'static str)> {
        self.messages.iter().enumerate().filter(|(_, message)| message.stands_for_value).find_map(
            |(index, message)| match Standing::of(message) {
                _ if index == 0 => Some((message, "it is what the payload is about")),
                None => Some((message, "it has neither one field nor one required oneof")),
                Some(_) => None,
            },
        )
    }

    /// Removes the option from messages whose value would be ambiguous without the message around it.
    pub(crate) fn unmark_ambiguous_values(&mut self) {
        let is_ambiguous = |definition: &Definition, index: usize| {
            definition.messages[index].stands_for_value && !definition.can_be_told_apart(index)
        };
        // Each removal changes the kind of the messages around, so start over.
        while let Some(index) = (0..self.messages.len()).find(|index| is_ambiguous(self, *index)) {
            self.messages[index].stands_for_value = false;
        }
    }

    fn can_be_told_apart(&self, index: usize) -> bool {
        let message = &self.messages[index];
        match Standing::of(message) {
            None => false,
            Some(Standing::Single(one)) => {
                // If the message itself may be absent, null would have two meanings.
                let may_be_absent = |field: &Field| {
                    field.ty == Type::Message(index) && field.cardinality == Cardinality::Optional
                };
                one.cardinality != Cardinality::Optional
                    || !self.messages.iter().flat_map(|message| &message.fields).any(may_be_absent)
                        && !self.may_be_null(one.ty)
            }
            Some(Standing::Choice) => {
                let mut kinds: Vec<Kind> = Vec::new();
                message.fields.iter().all(|field| match self.kind_of(field.ty, MAX_DEPTH) {
                    Some(kind) if !kinds.contains(&kind) => {
                        kinds.push(kind);
                        !self.holds_what_is_read_by_type(field.ty)
                    }
                    _ => false,
                })
            }
        }
    }

    fn kind_of(&self, ty: Type, depth: usize) -> Option<Kind> {
        Some(match ty {
            Type::Bool => Kind::Flag,
            Type::I32 | Type::I64 | Type::U32 | Type::U64 | Type::F32 | Type::F64 => Kind::Number,
            Type::Enum(index) if self.enums[index].stands_for_null => Kind::Null,
            Type::String | Type::Bytes | Type::Enum(_) => Kind::Text,
            // The representation depends on the format.
            Type::Message(index) if self.messages[index].well_known.is_some() => return None,
            Type::Message(index) if !self.messages[index].stands_for_value => Kind::Object,
            Type::Message(index) => match Standing::of(&self.messages[index])? {
                Standing::Choice => return None,
                Standing::Single(one) => match one.cardinality {
                    Cardinality::Repeated => Kind::List,
                    Cardinality::Map(_) => Kind::Object,
                    Cardinality::Implicit if depth > 0 => self.kind_of(one.ty, depth - 1)?,
                    Cardinality::Implicit | Cardinality::Optional => return None,
                },
            },
        })
    }

    /// Whether the value of a field of this type may be null, so that null does not mean that the field is absent.
    pub fn may_be_null(&self, ty: Type) -> bool {
        let (mut seen, mut waiting) = (Vec::new(), vec![ty]);
        while let Some(ty) = waiting.pop() {
            match ty {
                Type::Enum(index) if self.enums[index].stands_for_null => return true,
                Type::Message(index) if self.messages[index].stands_for_value && !seen.contains(&index) => {
                    seen.push(index);
                    match Standing::of(&self.messages[index]) {
                        Some(Standing::Choice) => {
                            waiting.extend(self.messages[index].fields.iter().map(|field| field.ty));
                        }
                        Some(Standing::Single(one)) => match one.cardinality {
                            Cardinality::Optional => return true,
                            Cardinality::Implicit => waiting.push(one.ty),
                            Cardinality::Repeated | Cardinality::Map(_) => {}
                        },
                        None => {}
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Whether an alternative of a message that stands for a value is a 64-bit integer. In a format that writes those as strings,
    /// it can't be distinguished from a string, so the message is not replaced by its value.
    pub fn has_wide_alternative(&self, message: usize) -> bool {
        let is_wide = |field: &Field| {
            let mut ty = field.ty;
            for _ in 0..=MAX_DEPTH {
                match ty {
                    Type::I64 | Type::U64 => return true,
                    Type::Message(index) if self.messages[index].stands_for_value => {
                        match Standing::of(&self.messages[index]) {
                            Some(Standing::Single(one)) if one.cardinality == Cardinality::Implicit => {
                                ty = one.ty;
                            }
                            _ => return false,
                        }
                    }
                    _ => return false,
                }
            }
            false
        };
        self.messages[message].fields.iter().any(|field| field.oneof.is_some() && is_wide(field))
    }

    /// The first message that has `(wiredyno.well_known)` but not that type's fields, with the reason.
    pub(crate) fn wrong_well_known(&self) -> Option<(&Message, &'static str)> {
        let is_field = |message: &Message, number: u32, name: &str, ty: Type, cardinality: Cardinality| {
            let is_it = |field: &Field| {
                field.number == number
                    && field.name == name
                    && field.ty == ty
                    && field.cardinality == cardinality
                    && !field.required
            };
            message.fields.iter().any(is_it)
        };
        self.messages.iter().enumerate().find_map(|(index, message)| {
            let (fits, why) = match message.well_known? {
                WellKnown::Timestamp | WellKnown::Duration => (
                    message.fields.len() == 2
                        && is_field(message, 1, "seconds", Type::I64, Cardinality::Implicit)
                        && is_field(message, 2, "nanos", Type::I32, Cardinality::Implicit),
                    "its fields are not `int64 seconds = 1; int32 nanos = 2;`",
                ),
                WellKnown::FieldMask => (
                    message.stands_for_value
                        && message.fields.len() == 1
                        && is_field(message, 1, "paths", Type::String, Cardinality::Repeated),
                    "its field is not `repeated string paths = 1;`, with `(wiredyno.stands_for_value)`",
                ),
            };
            match index {
                0 => Some((message, "it is what the payload is about")),
                _ => (!fits).then_some((message, why)),
            }
        })
    }

    /// Whether the type contains bytes, times, or maps with keys other than strings, whose representation depends on their type.
    fn holds_what_is_read_by_type(&self, ty: Type) -> bool {
        let (mut seen, mut waiting) = (Vec::new(), vec![ty]);
        while let Some(ty) = waiting.pop() {
            let Type::Message(index) = ty else {
                if ty == Type::Bytes {
                    return true;
                }
                continue;
            };
            if seen.contains(&index) {
                continue;
            }
            seen.push(index);
            if self.messages[index].well_known.is_some() {
                return true;
            }
            for field in &self.messages[index].fields {
                if matches!(field.cardinality, Cardinality::Map(key) if key != Type::String) {
                    return true;
                }
                waiting.push(field.ty);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Definition, String> {
        let head = "syntax = \"proto3\"; import \"wiredyno/options.proto\"; ";
        Definition::from_source(&format!("{head}{text}"), "message.proto").map_err(|error| error.to_string())
    }

    const PLAIN: &str = "option (wiredyno.stands_for_value) = true;";

    #[test]
    fn lists_nulls_and_kinds_that_differ_stand_for_values() {
        let definition = read(&format!(
            "message Root {{ option (wiredyno.root) = true; repeated Row rows = 1; repeated Hole holes = 2; Kind kind = 3; }}\
             message Row {{ {PLAIN} repeated double value = 1; }}\
             message Hole {{ {PLAIN} optional int32 value = 1; }}\
             message Kind {{ {PLAIN} oneof kind {{ option (wiredyno.required_choice) = true; double number = 1; \
             string text = 2; Row list = 3; Sub object = 4; }} }}\
             message Sub {{ string name = 1; }}"
        ))
        .unwrap();
        let marked = |name: &str| definition.messages.iter().any(|m| m.name == name && m.stands_for_value);
        assert!(marked("Row") && marked("Hole") && marked("Kind") && !marked("Sub"));
    }

    #[test]
    fn what_could_not_be_told_apart_keeps_its_message() {
        let choice = |members: &str| {
            format!(
                "message Root {{ option (wiredyno.root) = true; Kind kind = 1; }} message Kind {{ {PLAIN} oneof kind {{ \
                 option (wiredyno.required_choice) = true; {members} }} }} message Sub {{ bytes data = 1; }} \
                 message Row {{ {PLAIN} repeated int32 value = 1; }}"
            )
        };
        let hole = format!(
            "message Root {{ option (wiredyno.root) = true; Hole hole = 1; }} message Hole {{ {PLAIN} optional int32 a = 1; }}"
        );
        for text in [
            choice("int32 a = 1; double b = 2;"),
            choice("string a = 1; bytes b = 2;"),
            choice("string a = 1; Sub b = 2;"),
            choice("Row a = 1; Row b = 2;"),
            hole,
        ] {
            assert!(!read(&text).unwrap().messages[1].stands_for_value, "{text}");
        }
        assert!(read(&choice("string a = 1; Row b = 2;")).unwrap().messages[1].stands_for_value);
    }

    #[test]
    fn null_and_the_kinds_of_json_stand_for_values_beside_one_another() {
        let any = format!(
            "message Root {{ option (wiredyno.root) = true; Any any = 1; }} message Any {{ {PLAIN} oneof kind {{ option \
             (wiredyno.required_choice) = true; Nulls.Null n = 1; double d = 2; string s = 3; bool b = 4; Object o = 5; List l = 6; }} }} \
             message Object {{ {PLAIN} map<string, Any> fields = 1; }} message List {{ {PLAIN} repeated Any values = 1; }} \
             message Nulls {{ enum Null {{ option (wiredyno.stands_for_null) = true; NONE = 0; }} }}"
        );
        let definition = read(&any).unwrap();
        assert!(definition.messages[1..].iter().all(|message| message.stands_for_value));
        assert!(definition.may_be_null(Type::Message(1)) && !definition.has_wide_alternative(1));
        let wide = read(&any.replace("double d", "int64 d")).unwrap();
        assert!(wide.messages[1].stands_for_value && wide.has_wide_alternative(1));
        let two = any.replace("NONE = 0;", "NONE = 0; OTHER = 1;");
        assert!(read(&two).unwrap_err().contains("stands for null and has 2 values"));
    }

    #[test]
    fn a_well_known_type_has_the_fields_of_that_type() {
        let of = |name: &str, fields: &str| {
            read(&format!(
                "message Root {{ option (wiredyno.root) = true; A a = 1; }} message A {{ option (wiredyno.well_known) = \"{name}\"; {fields} }}"
            ))
        };
        let moment = "int32 nanos = 2; int64 seconds = 1;";
        assert_eq!(of("timestamp", moment).unwrap().messages[1].well_known, Some(WellKnown::Timestamp));
        assert_eq!(of("duration", moment).unwrap().messages[1].well_known, Some(WellKnown::Duration));
        assert!(of("field_mask", &format!("{PLAIN} repeated string paths = 1;")).is_ok());
        for (name, fields, wanted) in [
            ("timestamp", "int64 seconds = 1; int32 nanos = 3;", "its fields are not `int64 seconds = 1;"),
            ("duration", "uint64 seconds = 1; int32 nanos = 2;", "its fields are not `int64 seconds = 1;"),
            ("field_mask", "repeated string paths = 1;", "with `(wiredyno.stands_for_value)`"),
            ("moment", moment, "is \"moment\"; write one of timestamp, duration, field_mask"),
        ] {
            let error = of(name, fields).unwrap_err();
            assert!(error.contains(wanted), "{name} {fields}: {error}");
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let pair = "message Root { option (wiredyno.root) = true; Pair pair = 1; } message Pair { PLAIN int32 a = 1; int32 b = 2; }";
        for (text, wanted) in [
            (format!("message Root {{ {PLAIN} repeated int32 a = 1; }}"), "it is what the payload is about"),
            (pair.replace("PLAIN", PLAIN), "neither one field nor one required oneof"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains("can't stand for a value") && error.contains(wanted), "{text}: {error}");
        }
    }
}
