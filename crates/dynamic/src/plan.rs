//! A definition beside the descriptors of its values, so that encoders look nothing up by name.

use std::borrow::Cow;

use prost_reflect::{DynamicMessage, FieldDescriptor, MapKey, MessageDescriptor, Value};
use wiredyno_schema::{Cardinality, Definition, Field, Type};

/// A definition with everything that encoders ask of it.
#[derive(Debug)]
pub struct Plan {
    /// The definition.
    pub definition: Definition,
    messages: Vec<Members>,
    /// By enum: the names of its values, as serde wants them.
    pub(crate) symbols: Vec<Vec<&'static str>>,
}

#[derive(Debug)]
struct Members {
    name: &'static str,
    /// In the order of the definition's fields.
    descriptors: Vec<FieldDescriptor>,
    names: Vec<&'static str>,
}

impl Plan {
    /// Of a definition. Names are kept for the life of the process, a few kilobytes: serde asks for that.
    pub fn new(definition: Definition) -> Plan {
        let pool = definition.descriptor.parent_pool();
        let kept = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        let messages = definition
            .messages
            .iter()
            .map(|message| {
                let descriptor: Option<MessageDescriptor> = pool.get_message_by_name(&message.full_name);
                let fields = message.fields.iter();
                Members {
                    name: kept(&message.name),
                    descriptors: fields
                        .clone()
                        .filter_map(|field| descriptor.as_ref()?.get_field(field.number))
                        .collect(),
                    names: fields.map(|field| kept(&field.name)).collect(),
                }
            })
            .collect();
        let symbols =
            definition.enums.iter().map(|e| e.values.iter().map(|v| kept(&v.name)).collect()).collect();
        Plan { definition, messages, symbols }
    }

    /// The message type at an index of the definition, with a value of it.
    pub fn message<'a>(&'a self, index: usize, value: &'a DynamicMessage) -> Message<'a> {
        Message { plan: self, index, value }
    }
}

/// A value of a message type.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// What its type says.
    pub plan: &'a Plan,
    /// Where its type stands among the definition's messages.
    pub index: usize,
    value: &'a DynamicMessage,
}

/// One element, or the whole of a list or map.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    pub plan: &'a Plan,
    pub ty: Type,
    pub value: &'a Value,
}

/// A field's value.
pub enum Content<'a> {
    /// Absent.
    None,
    /// The one value.
    One(Cow<'a, Value>),
    /// A list's elements.
    List(Vec<Value>),
    /// A map's entries in ascending order of their keys.
    Map(Type, Vec<(Value, Value)>),
}

impl<'a> Message<'a> {
    /// What the definition says of its type.
    pub fn declared(&self) -> &'a wiredyno_schema::Message {
        &self.plan.definition.messages[self.index]
    }

    /// The type's name.
    pub fn name(&self) -> &'static str {
        self.plan.messages[self.index].name
    }

    /// The name of the field at a place.
    pub fn field_name(&self, at: usize) -> &'static str {
        self.plan.messages[self.index].names[at]
    }

    /// The descriptor of the field at a place.
    pub fn descriptor(&self, at: usize) -> &'a FieldDescriptor {
        &self.plan.messages[self.index].descriptors[at]
    }

    /// The field at a place of the definition.
    pub fn field(&self, at: usize) -> &'a Field {
        &self.declared().fields[at]
    }

    /// The value of the field at a place.
    pub fn content(&self, at: usize) -> Content<'a> {
        let (field, descriptor) = (self.field(at), self.descriptor(at));
        match field.cardinality {
            Cardinality::Optional if !self.value.has_field(descriptor) => Content::None,
            Cardinality::Optional | Cardinality::Implicit => Content::One(self.value.get_field(descriptor)),
            Cardinality::Repeated => match self.value.get_field(descriptor).into_owned() {
                Value::List(list) => Content::List(list),
                _ => Content::List(Vec::new()),
            },
            Cardinality::Map(key) => match self.value.get_field(descriptor).into_owned() {
                Value::Map(map) => {
                    let mut entries: Vec<(MapKey, Value)> = map.into_iter().collect();
                    entries.sort_by(|(a, _), (b, _)| order(a, b));
                    Content::Map(key, entries.into_iter().map(|(key, value)| (plain(key), value)).collect())
                }
                _ => Content::Map(key, Vec::new()),
            },
        }
    }
}

/// Keys of one map have one type.
fn order(a: &MapKey, b: &MapKey) -> std::cmp::Ordering {
    match (a, b) {
        (MapKey::Bool(a), MapKey::Bool(b)) => a.cmp(b),
        (MapKey::I32(a), MapKey::I32(b)) => a.cmp(b),
        (MapKey::I64(a), MapKey::I64(b)) => a.cmp(b),
        (MapKey::U32(a), MapKey::U32(b)) => a.cmp(b),
        (MapKey::U64(a), MapKey::U64(b)) => a.cmp(b),
        (MapKey::String(a), MapKey::String(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    }
}

fn plain(key: MapKey) -> Value {
    match key {
        MapKey::Bool(key) => Value::Bool(key),
        MapKey::I32(key) => Value::I32(key),
        MapKey::I64(key) => Value::I64(key),
        MapKey::U32(key) => Value::U32(key),
        MapKey::U64(key) => Value::U64(key),
        MapKey::String(key) => Value::String(key),
    }
}
