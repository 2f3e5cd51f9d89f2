//! XML Schema 1.0 (W3C Recommendation, parts 1 and 2, second edition, 2004), in two forms.
//!
//! `xsd` is plain: a global element named after the root message, a complexType per message with a sequence of
//! local elements in the definition's order, no namespace, no attributes. `xsd-merged` flattens nesting: the
//! members of a required nested message are in its parent's sequence, named by their path (`header.station_id`;
//! Protobuf names contain no dots, so names stay unique); lists, optional messages and alternatives stay nested.
//!
//! Stand-ins: a map is a repeated element of {key, value}; a oneof is a choice; an enum is a string with an
//! enumeration, in ascending order of the numbers; lengths of text count characters where the definition
//! counts bytes, so the schema allows slightly more; fixed point scales and decimals are dropped.
//! A list or map of fixed length zero has no element at all. In `xsd` a well-known type has the type that XML writes: a timestamp is a `dateTime`, a
//! duration and a field mask are strings, a message that stands for one value has that value's type. `xsd-merged` has their fields.

use std::fmt::Write as _;

use super::untold::Tells;
use super::{Expression, Idl, Lowered, Note, Refusal};
use crate::model::{Cardinality, Definition, Enum, Field, Message, Type, WellKnown};

/// XML Schema with nested messages, as the language `xsd`.
#[derive(Debug)]
pub struct Xsd;

/// XML Schema with required nested messages merged into their parents, as the language `xsd-merged`.
#[derive(Debug)]
pub struct XsdMerged;

impl Idl for Xsd {
    fn id(&self) -> &'static str {
        "xsd"
    }

    fn name(&self) -> &'static str {
        "XML Schema"
    }

    fn extension(&self) -> &'static str {
        "xsd"
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        Ok(Schema::new(definition, false).lowered())
    }
}

impl Idl for XsdMerged {
    fn id(&self) -> &'static str {
        "xsd-merged"
    }

    fn name(&self) -> &'static str {
        "XML Schema, nesting merged"
    }

    fn extension(&self) -> &'static str {
        "merged.xsd"
    }

    fn variant_of(&self) -> Option<&'static str> {
        Some(Xsd.id())
    }

    fn lower(&self, definition: &Definition) -> Result<Lowered, Refusal> {
        Ok(Schema::new(definition, true).lowered())
    }
}

struct Schema<'a> {
    definition: &'a Definition,
    merged: bool,
    text: String,
    notes: Vec<Note>,
    /// Messages used as the type of some element, in order of first use.
    wanted: Vec<usize>,
}

/// How many times an element may occur.
#[derive(Clone, Copy)]
struct Occurs {
    min: u32,
    max: Option<u32>,
}

impl Occurs {
    const ONCE: Occurs = Occurs { min: 1, max: Some(1) };
    const AT_MOST_ONCE: Occurs = Occurs { min: 0, max: Some(1) };

    fn of(field: &Field) -> Occurs {
        match (field.cardinality, field.oneof) {
            (Cardinality::Implicit, _) | (_, Some(_)) => Occurs::ONCE,
            (Cardinality::Optional, None) => Occurs::AT_MOST_ONCE,
            (Cardinality::Repeated | Cardinality::Map(_), None) => {
                let fixed = field.options.fixed_length;
                Occurs { min: fixed.unwrap_or(0), max: fixed.or(field.options.max_length) }
            }
        }
    }

    fn attributes(self) -> String {
        let mut text = String::new();
        if self.min != 1 {
            let _ = write!(text, " minOccurs=\"{}\"", self.min);
        }
        match self.max {
            Some(1) => {}
            Some(max) => drop(write!(text, " maxOccurs=\"{max}\"")),
            None => text.push_str(" maxOccurs=\"unbounded\""),
        }
        text
    }
}

impl<'a> Schema<'a> {
    fn new(definition: &'a Definition, merged: bool) -> Schema<'a> {
        let unsaid = Expression::stand_in("names without it");
        let mut notes = Vec::from_iter(Note::package(definition, unsaid));
        notes.extend(Note::counted_enums(definition));
        Schema { definition, merged, text: String::new(), notes, wanted: vec![0] }
    }

    fn lowered(mut self) -> Lowered {
        let root = &self.definition.root().name;
        let _ = write!(
            self.text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n  \
             <xs:element name=\"{root}\" type=\"{root}\"/>\n"
        );
        let mut next = 0;
        while let Some(index) = self.wanted.get(next).copied() {
            next += 1;
            let message = &self.definition.messages[index];
            let _ = writeln!(self.text, "  <xs:complexType name=\"{}\">\n    <xs:sequence>", message.name);
            self.members(message, "", 6);
            self.text.push_str("    </xs:sequence>\n  </xs:complexType>\n");
        }
        for declared in &self.definition.enums {
            self.enumeration(declared);
        }
        self.text.push_str("</xs:schema>\n");
        Lowered { text: self.text, notes: self.notes }
    }

    /// Notes how a path is expressed; members that are merged into several messages are noted once for each.
    fn note(&mut self, path: String, expression: Expression) {
        if !self.notes.iter().any(|known| known.path == path) {
            self.notes.push(Note { path, expression });
        }
    }

    fn enumeration(&mut self, declared: &Enum) {
        let _ = writeln!(
            self.text,
            "  <xs:simpleType name=\"{}\">\n    <xs:restriction base=\"xs:string\">",
            declared.name
        );
        let mut values: Vec<_> = declared.values.iter().collect();
        values.sort_by_key(|value| value.number);
        for value in values {
            let _ = writeln!(self.text, "      <xs:enumeration value=\"{}\"/>", value.name);
        }
        self.text.push_str("    </xs:restriction>\n  </xs:simpleType>\n");
    }

    /// The elements of a message; `prefix` is its path if it is merged into another message.
    fn members(&mut self, message: &'a Message, prefix: &str, indent: usize) {
        for (index, field) in message.fields.iter().enumerate() {
            let path = format!("{}.{}", message.name, field.name);
            match field.oneof.map(|oneof| &message.oneofs[oneof]) {
                None => self.field(field, path, prefix, indent),
                Some(oneof) if oneof.fields[0] == index => {
                    let pad = " ".repeat(indent);
                    let occurs = if oneof.required { Occurs::ONCE } else { Occurs::AT_MOST_ONCE };
                    let _ = writeln!(self.text, "{pad}<xs:choice{}>", occurs.attributes());
                    self.note(format!("{}.{}", message.name, oneof.name), Expression::Direct);
                    for at in &oneof.fields {
                        let field = &message.fields[*at];
                        let path = format!("{}.{}", message.name, field.name);
                        self.field(field, path, prefix, indent + 2);
                    }
                    let _ = writeln!(self.text, "{pad}</xs:choice>");
                }
                Some(_) => {}
            }
        }
    }

    fn field(&mut self, field: &'a Field, path: String, prefix: &str, indent: usize) {
        let name = format!("{prefix}{}", field.name);
        if let (true, Type::Message(index), Cardinality::Implicit, None) =
            (self.merged, field.ty, field.cardinality, field.oneof)
        {
            let stand_in = format!("its members instead of it, as `{name}.*`");
            self.note(path, Expression::StandIn(stand_in));
            return self.members(&self.definition.messages[index], &format!("{name}."), indent);
        }
        let pad = " ".repeat(indent);
        let occurs = Occurs::of(field).attributes();
        if let Cardinality::Map(key) = field.cardinality {
            let entries = "one element per entry, each with key and value".to_owned();
            self.note(path, Expression::by_all([entries].into_iter().chain(Tells::LENGTHS.untold(field))));
            let _ = writeln!(
                self.text,
                "{pad}<xs:element name=\"{name}\"{occurs}>\n{pad}  <xs:complexType>\n{pad}    <xs:sequence>"
            );
            self.element("key", "", &simple_type(key), indent + 6);
            let value = self.value_type(field);
            self.element("value", "", &value, indent + 6);
            let _ =
                writeln!(self.text, "{pad}    </xs:sequence>\n{pad}  </xs:complexType>\n{pad}</xs:element>");
            return;
        }
        self.note(path, Expression::by_all(stand_in(field)));
        let value = self.value_type(field);
        self.element(&name, &occurs, &value, indent);
    }

    fn element(&mut self, name: &str, occurs: &str, ty: &ElementType, indent: usize) {
        let pad = " ".repeat(indent);
        let _ = if ty.facets.is_empty() {
            writeln!(self.text, "{pad}<xs:element name=\"{name}\" type=\"{}\"{occurs}/>", ty.name)
        } else {
            let mut facets = String::new();
            for (facet, value) in &ty.facets {
                let _ = writeln!(facets, "{pad}      <xs:{facet} value=\"{value}\"/>");
            }
            writeln!(
                self.text,
                "{pad}<xs:element name=\"{name}\"{occurs}>\n{pad}  <xs:simpleType>\n{pad}    \
                 <xs:restriction base=\"{}\">\n{facets}{pad}    </xs:restriction>\n{pad}  \
                 </xs:simpleType>\n{pad}</xs:element>",
                ty.name
            )
        };
    }

    /// The type of one element of a field.
    fn value_type(&mut self, field: &Field) -> ElementType {
        match field.ty {
            Type::Enum(index) => ElementType::named(&self.definition.enums[index].name),
            // As XML writes them. The merged form is that of EXI, which writes their fields.
            Type::Message(index) if !self.merged && self.definition.messages[index].well_known.is_some() => {
                ElementType::named(match self.definition.messages[index].well_known {
                    Some(WellKnown::Timestamp) => "xs:dateTime",
                    _ => "xs:string",
                })
            }
            Type::Message(index)
                if !self.merged && self.definition.messages[index].stands_for_one_value() =>
            {
                let definition = self.definition;
                self.value_type(&definition.messages[index].fields[0])
            }
            Type::Message(index) => {
                if !self.wanted.contains(&index) {
                    self.wanted.push(index);
                }
                ElementType::named(&self.definition.messages[index].name)
            }
            ty => {
                let mut element = simple_type(ty);
                element.facets = facets(field);
                element
            }
        }
    }
}

/// A type's name, with the facets that restrict it.
struct ElementType {
    name: String,
    facets: Vec<(&'static str, i64)>,
}

impl ElementType {
    fn named(name: &str) -> ElementType {
        ElementType { name: name.to_owned(), facets: Vec::new() }
    }
}

fn simple_type(ty: Type) -> ElementType {
    ElementType::named(match ty {
        Type::Bool => "xs:boolean",
        Type::I32 => "xs:int",
        Type::I64 => "xs:long",
        Type::U32 => "xs:unsignedInt",
        Type::U64 => "xs:unsignedLong",
        Type::F32 => "xs:float",
        Type::F64 => "xs:double",
        Type::Bytes => "xs:base64Binary",
        Type::String | Type::Enum(_) | Type::Message(_) => "xs:string",
    })
}

fn facets(field: &Field) -> Vec<(&'static str, i64)> {
    let mut facets = Vec::new();
    if let Some((min, max)) = field.options.range {
        facets.extend([("minInclusive", min), ("maxInclusive", max)]);
    }
    let many = matches!(field.cardinality, Cardinality::Repeated | Cardinality::Map(_));
    match (field.ty, field.options.fixed_length, field.options.max_length) {
        _ if many => {}
        (Type::Bytes, Some(fixed), _) => facets.push(("length", fixed.into())),
        (Type::String, Some(most), _) | (Type::Bytes | Type::String, None, Some(most)) => {
            facets.push(("maxLength", most.into()));
        }
        _ => {}
    }
    facets
}

/// The stand-ins of a field that the language can't express directly.
fn stand_in(field: &Field) -> Vec<String> {
    let many = matches!(field.cardinality, Cardinality::Repeated | Cardinality::Map(_));
    let sized = field.options.fixed_length.is_some() || field.options.max_length.is_some();
    if field.ty == Type::String && sized && !many {
        return vec!["a maximum in characters instead of bytes".to_owned()];
    }
    Tells::LENGTHS.untold(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTO: &str = r#"
syntax = "proto3";
package p;
import "wiredyno/options.proto";
message Outer {
  option (wiredyno.root) = true;
  Inner head = 1 [(wiredyno.required) = true];
  Inner tail = 2;
  repeated uint32 corners = 3 [(wiredyno.fixed_length) = 4];
  map<int64, Inner> by_number = 4;
}
message Inner {
  int32 level = 1 [(wiredyno.range) = { min: -4, max: 4 }];
  Mood mood = 2;
  oneof what { bytes data = 3 [(wiredyno.fixed_length) = 2]; string text = 4; }
}
enum Mood { NONE = 0; LATE = 5; EARLY = -1; }
"#;

    fn lowered(idl: &dyn Idl) -> Lowered {
        idl.lower(&Definition::from_source(PROTO, "message.proto").unwrap()).unwrap()
    }

    #[test]
    fn plain_keeps_messages_apart() {
        let Lowered { text, notes } = lowered(&Xsd);
        for line in [
            "<xs:element name=\"head\" type=\"Inner\"/>",
            "<xs:element name=\"tail\" type=\"Inner\" minOccurs=\"0\"/>",
            "<xs:element name=\"corners\" type=\"xs:unsignedInt\" minOccurs=\"4\" maxOccurs=\"4\"/>",
            "<xs:choice minOccurs=\"0\">",
            "<xs:length value=\"2\"/>",
            "<xs:minInclusive value=\"-4\"/>",
        ] {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
        let early = text.find("value=\"EARLY\"").unwrap();
        assert!(early < text.find("value=\"NONE\"").unwrap(), "ascending numbers");
        let note = notes.iter().find(|note| note.path == "Outer.by_number").unwrap();
        assert!(matches!(&note.expression, Expression::StandIn(text) if text.contains("key and value")));
    }

    #[test]
    fn merged_names_members_by_their_path() {
        let text = lowered(&XsdMerged).text;
        for line in
            ["name=\"head.level\"", "name=\"head.text\"", "name=\"tail\" type=\"Inner\"", "name=\"level\""]
        {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
        assert!(!text.contains("name=\"head\""), "{text}");
    }
}
