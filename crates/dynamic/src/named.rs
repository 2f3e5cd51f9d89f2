//! What serde's self-describing libraries write, and those that go by position: the same walk as the generated
//! objects of the codecs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost_reflect::{DynamicMessage, Value};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use wiredyno_schema::{Cardinality, Type};

use crate::plan::{Content, Element, Message, Plan};
use crate::{EncodeError, Encoder};

/// A message for serde; `complete` writes absent fields as null instead of leaving them out.
pub struct Named<'a> {
    pub message: Message<'a>,
    pub complete: bool,
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.message.declared().fields.iter().enumerate();
        let contents: Vec<Content<'_>> = fields.map(|(at, _)| self.message.content(at)).collect();
        let absent = contents.iter().filter(|content| matches!(content, Content::None)).count();
        let count = contents.len() - if self.complete { 0 } else { absent };
        let mut object = serializer.serialize_struct(self.message.name(), count)?;
        for (at, content) in contents.iter().enumerate() {
            let name = self.message.field_name(at);
            let field = self.message.field(at);
            let element = |value| Leaf {
                element: Element { plan: self.message.plan, ty: field.ty, value },
                complete: self.complete,
            };
            match content {
                Content::None if self.complete => object.serialize_field(name, &None::<u8>)?,
                Content::None => object.skip_field(name)?,
                Content::One(value) if field.cardinality == Cardinality::Optional => {
                    object.serialize_field(name, &Some(element(value)))?;
                }
                Content::One(value) => object.serialize_field(name, &element(value))?,
                Content::List(list) => {
                    object.serialize_field(name, &list.iter().map(element).collect::<Seq<_>>())?;
                }
                Content::Map(key, entries) => {
                    let key = |value| Leaf {
                        element: Element { plan: self.message.plan, ty: *key, value },
                        complete: self.complete,
                    };
                    object.serialize_field(
                        name,
                        &Entries(entries.iter().map(|(k, v)| (key(k), element(v))).collect()),
                    )?;
                }
            }
        }
        object.end()
    }
}

/// A list.
struct Seq<T>(Vec<T>);

impl<T> FromIterator<T> for Seq<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Seq(elements.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Seq<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|element| seq.serialize_element(element))?;
        seq.end()
    }
}

/// A map.
struct Entries<T>(Vec<(T, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        map.end()
    }
}

/// One element.
struct Leaf<'a> {
    element: Element<'a>,
    complete: bool,
}

impl Serialize for Leaf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Element { plan, ty, value } = self.element;
        match (value, ty) {
            (Value::Bool(value), _) => serializer.serialize_bool(*value),
            (Value::I32(value), _) => serializer.serialize_i32(*value),
            (Value::I64(value), _) => serializer.serialize_i64(*value),
            (Value::U32(value), _) => serializer.serialize_u32(*value),
            (Value::U64(value), _) => serializer.serialize_u64(*value),
            (Value::F32(value), _) => serializer.serialize_f32(*value),
            (Value::F64(value), _) => serializer.serialize_f64(*value),
            (Value::String(text), _) => serializer.serialize_str(text),
            (Value::Bytes(bytes), _) if serializer.is_human_readable() => {
                serializer.serialize_str(&STANDARD.encode(bytes))
            }
            (Value::Bytes(bytes), _) => serializer.serialize_bytes(bytes),
            (Value::EnumNumber(number), Type::Enum(index)) => {
                let declared = &plan.definition.enums[index];
                let at = declared.values.iter().position(|value| value.number == *number).unwrap_or(0);
                // The name of the type is not in any format's bytes.
                serializer.serialize_unit_variant("", at as u32, plan.symbols[index][at])
            }
            (Value::Message(value), Type::Message(index)) => {
                Named { message: plan.message(index, value), complete: self.complete }.serialize(serializer)
            }
            _ => Err(serde::ser::Error::custom("the value is of another type than its field")),
        }
    }
}

macro_rules! serde_encoder {
    ($name:ident, $codec:literal, $complete:literal, |$object:ident, $out:ident| $write:expr) => {
        #[doc = concat!("`", $codec, "`.")]
        pub struct $name;

        impl Encoder for $name {
            fn codec(&self) -> &'static str {
                $codec
            }

            fn encode(
                &self,
                plan: &Plan,
                value: &DynamicMessage,
                $out: &mut Vec<u8>,
            ) -> Result<(), EncodeError> {
                let $object = &Named { message: plan.message(0, value), complete: $complete };
                $write.map_err(|error| EncodeError { codec: $codec, reason: error.to_string() })
            }
        }
    };
}

serde_encoder!(Json, "json/serde-json", false, |object, out| serde_json::to_writer(out, object));
serde_encoder!(MessagePack, "messagepack/rmp-serde", false, |object, out| {
    object.serialize(&mut rmp_serde::Serializer::new(out).with_struct_map())
});
serde_encoder!(Positional, "messagepack/rmp-serde:positional", true, |object, out| {
    object.serialize(&mut rmp_serde::Serializer::new(out))
});
serde_encoder!(Cbor, "cbor/ciborium", false, |object, out| ciborium::into_writer(object, out));
