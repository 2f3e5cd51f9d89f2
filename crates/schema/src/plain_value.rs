//! Messages that stand for a value which .proto can't have in its place: a list in a list, a null in a list, a value of one of
//! several kinds. Formats that describe themselves write the value as it is where its kind tells what it is.

use crate::model::{Cardinality, Definition, Field, Message, Type};

/// Messages that stand for values stand in one another no deeper than this.
const MAX_DEPTH: usize = 16;

/// What a value is without a definition, as JSON tells values apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Number,
    Text,
    List,
    Object,
}

/// How a message can stand for a value.
enum Standing<'a> {
    /// For that of its only field.
    Single(&'a Field),
    /// For that of the alternative which is there.
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
    /// The first message that is marked with `(wiredyno.stands_for_value)` and can't be, with the reason.
    pub(crate) fn wrong_plain_value(&self) -> Option<(&Message, &'static str)> {
        self.messages.iter().enumerate().filter(|(_, message)| message.stands_for_value).find_map(
            |(index, message)| match Standing::of(message) {
                _ if index == 0 => Some((message, "it is what the payload is about")),
                None => Some((message, "it has neither one field nor one required oneof")),
                Some(_) => None,
            },
        )
    }

    /// Takes the mark from messages whose value could not be told from another one without the message.
    pub(crate) fn unmark_ambiguous_values(&mut self) {
        let is_ambiguous = |definition: &Definition, index: usize| {
            definition.messages[index].stands_for_value && !definition.can_be_told_apart(index)
        };
        // What a message is for those around it changes with its mark.
        while let Some(index) = (0..self.messages.len()).find(|index| is_ambiguous(self, *index)) {
            self.messages[index].stands_for_value = false;
        }
    }

    fn can_be_told_apart(&self, index: usize) -> bool {
        let message = &self.messages[index];
        match Standing::of(message) {
            None => false,
            Some(Standing::Single(one)) => {
                // Where the message itself may be absent, null would mean two things.
                let may_be_absent = |field: &Field| {
                    field.ty == Type::Message(index) && field.cardinality == Cardinality::Optional
                };
                one.cardinality != Cardinality::Optional
                    || !self.messages.iter().flat_map(|message| &message.fields).any(may_be_absent)
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
            Type::String | Type::Bytes | Type::Enum(_) => Kind::Text,
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

    /// Whether bytes, or maps with other keys than texts, are reached: what stands for them depends on their type.
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
