//! rkyv as the library's derives write it: first what a value points to, then the value's own bytes, the root last.
//!
//! The library requires compile-time types; this performs the same steps (rkyv 0.8, `string/repr.rs`, `vec.rs`, `collections/btree/map`)
//! at run time, with the codec's options: little-endian, 32-bit relative pointers, unaligned.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::record::Fault;
use wiredyno_schema::{Cardinality, Definition, Field, Type};

use crate::described::Described;
use crate::value::{Datum, Member, Record};

/// Texts up to this length are stored in their field.
const INLINE_BYTES: usize = 8;
/// The size of a pointer, and of a length, in bytes.
const POINTER_BYTES: usize = 4;
/// The number of entries in a map's node.
const NODE_ENTRIES: usize = 5;
/// The maximum size of a value itself, without what it points to: nested messages multiply, and absent ones take space, too.
const MAX_BYTES: usize = 1 << 24;
/// The offset of a null pointer.
const INVALID: i32 = 1;

/// Refuses definitions that exceed [`MAX_BYTES`].
pub fn limit(described: &Described) -> Result<(), Reason> {
    match described.archived_bytes(0) {
        bytes if bytes > MAX_BYTES => Err(Reason(format!(
            "a message takes {bytes} bytes even when it is empty, more than the {MAX_BYTES} allowed here"
        ))),
        _ => Ok(()),
    }
}

pub fn write(described: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut archive = Archive { described, bytes: Vec::new() };
    let laid = archive.lay_message(value);
    archive.put_message(value, &laid);
    out.append(&mut archive.bytes);
    Ok(())
}

impl Described {
    /// The size of an archived message itself, without what it points to, in bytes; computed once.
    fn archived_bytes(&self, index: usize) -> usize {
        self.archived_bytes.get_or_init(|| sizes(&self.definition))[index]
    }
}

/// The size of each message's values, without what they point to, in bytes.
fn sizes(definition: &Definition) -> Vec<usize> {
    let mut known = vec![None; definition.messages.len()];
    (0..definition.messages.len()).map(|index| message_bytes(definition, index, &mut known)).collect()
}

/// Computes each message once, however often others contain it.
fn message_bytes(definition: &Definition, index: usize, known: &mut [Option<usize>]) -> usize {
    if let Some(bytes) = known[index] {
        return bytes;
    }
    let message = &definition.messages[index];
    let own = message.fields.iter().filter(|field| field.oneof.is_none());
    let own = own.map(|field| field_bytes(definition, field, known)).fold(0, usize::saturating_add);
    let all = message.oneofs.iter().fold(own, |bytes, oneof| {
        let alternatives = oneof.fields.iter().map(|at| one_bytes(definition, &message.fields[*at], known));
        let tags = usize::from(!oneof.required) + 1;
        bytes.saturating_add(alternatives.max().unwrap_or(0)).saturating_add(tags)
    });
    known[index] = Some(all);
    all
}

fn field_bytes(definition: &Definition, field: &Field, known: &mut [Option<usize>]) -> usize {
    match field.cardinality {
        Cardinality::Repeated | Cardinality::Map(_) => 2 * POINTER_BYTES,
        Cardinality::Optional => one_bytes(definition, field, known).saturating_add(1),
        Cardinality::Implicit => one_bytes(definition, field, known),
    }
}

fn one_bytes(definition: &Definition, field: &Field, known: &mut [Option<usize>]) -> usize {
    match field.boxed {
        true => POINTER_BYTES,
        false => type_bytes(field.ty, |index| message_bytes(definition, index, known)),
    }
}

fn type_bytes(ty: Type, of_message: impl FnOnce(usize) -> usize) -> usize {
    match ty {
        Type::Bool | Type::Enum(_) => 1,
        Type::I32 | Type::U32 | Type::F32 => 4,
        Type::I64 | Type::U64 | Type::F64 => 8,
        Type::String => INLINE_BYTES,
        Type::Bytes => 2 * POINTER_BYTES,
        Type::Message(index) => of_message(index),
    }
}

/// The result of writing what a value points to, before its own bytes.
enum Laid {
    Nothing,
    /// The position that it points to.
    At(usize),
    /// The results for its members.
    Members(Vec<Laid>),
}

struct Archive<'p> {
    described: &'p Described,
    bytes: Vec<u8>,
}

impl Archive<'_> {
    /// A message's fields in the definition, a oneof's in its place, in the order of [`Record::fields`].
    fn fields(&self, value: &Record) -> &[Field] {
        &self.described.definition.messages[value.index].fields
    }

    fn type_bytes(&self, ty: Type) -> usize {
        type_bytes(ty, |index| self.described.archived_bytes(index))
    }

    fn one_bytes(&self, field: &Field) -> usize {
        if field.boxed { POINTER_BYTES } else { self.type_bytes(field.ty) }
    }

    fn lay_message(&mut self, value: &Record) -> Laid {
        let boxed: Vec<bool> = self.fields(value).iter().map(|field| field.boxed).collect();
        let values = value.fields().zip(boxed).enumerate();
        let laid = values.map(|(at, (member, boxed))| match member {
            Member::One(_, one) | Member::Optional(_, Some(one)) => self.lay(one, boxed),
            Member::List(_, list) => {
                let laid: Vec<Laid> = list.iter().map(|one| self.lay(one, false)).collect();
                let start = self.bytes.len();
                list.iter().zip(&laid).for_each(|(one, laid)| self.put(one, laid));
                Laid::At(start)
            }
            Member::Map(_, entries) => {
                let field = &self.described.definition.messages[value.index].fields[at];
                self.lay_map(field, entries)
            }
            Member::Optional(_, None) | Member::Choice(..) => Laid::Nothing,
        });
        Laid::Members(laid.collect())
    }

    fn lay(&mut self, one: &Datum, boxed: bool) -> Laid {
        let start = self.bytes.len();
        match one {
            Datum::Text(text) if text.len() > INLINE_BYTES => self.bytes.extend_from_slice(text.as_bytes()),
            Datum::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
            Datum::Message(message) => {
                let laid = self.lay_message(message);
                if !boxed {
                    return laid;
                }
                let start = self.bytes.len();
                self.put_message(message, &laid);
                return Laid::At(start);
            }
            _ => return Laid::Nothing,
        }
        Laid::At(start)
    }

    fn put_message(&mut self, value: &Record, laid: &Laid) {
        let none = Vec::new();
        let mut laid = match laid {
            Laid::Members(laid) => laid.iter(),
            _ => none.iter(),
        };
        let mut next = || laid.next().unwrap_or(&Laid::Nothing);
        let mut fields = self.described.definition.messages[value.index].fields.iter();
        for member in value.members() {
            match member {
                Member::One(_, one) => {
                    let laid = next();
                    self.put_one(fields.next(), one, laid);
                }
                Member::Optional(_, one) => {
                    let (field, laid) = (fields.next(), next());
                    self.bytes.push(one.is_some().into());
                    match one {
                        Some(one) => self.put_one(field, one, laid),
                        None => self.pad(field.map_or(0, |field| self.one_bytes(field))),
                    }
                }
                Member::List(_, list) => {
                    fields.next();
                    self.put_slice(list.len(), next());
                }
                Member::Map(_, entries) => {
                    fields.next();
                    self.put_slice(entries.len(), next());
                }
                Member::Choice(info, chosen) => {
                    let fields: Vec<&Field> = fields.by_ref().take(info.alternatives.len()).collect();
                    let laid: Vec<&Laid> = fields.iter().map(|_| next()).collect();
                    let room = fields.iter().map(|field| self.one_bytes(field)).max().unwrap_or(0);
                    if !info.required {
                        self.bytes.push(chosen.is_some().into());
                    }
                    match chosen {
                        Some((at, one)) => {
                            self.bytes.push(at as u8);
                            let start = self.bytes.len();
                            self.put_one(Some(fields[at]), one, laid[at]);
                            self.pad(start + room - self.bytes.len());
                        }
                        None => self.pad(1 + room),
                    }
                }
            }
        }
    }

    fn put_one(&mut self, field: Option<&Field>, one: &Datum, laid: &Laid) {
        match laid {
            Laid::At(start) if field.is_some_and(|field| field.boxed) => self.put_pointer(*start),
            _ => self.put(one, laid),
        }
    }

    fn put(&mut self, one: &Datum, laid: &Laid) {
        match one {
            Datum::Bool(value) => self.bytes.push((*value).into()),
            Datum::I32(value) => self.bytes.extend(value.to_le_bytes()),
            Datum::I64(value) => self.bytes.extend(value.to_le_bytes()),
            Datum::U32(value) => self.bytes.extend(value.to_le_bytes()),
            Datum::U64(value) => self.bytes.extend(value.to_le_bytes()),
            Datum::F32(value) => self.bytes.extend(value.to_le_bytes()),
            Datum::F64(value) => self.bytes.extend(value.to_le_bytes()),
            Datum::Enum(_, place) => self.bytes.push(*place as u8),
            Datum::Text(text) => self.put_text(text, laid),
            Datum::Bytes(bytes) => self.put_slice(bytes.len(), laid),
            Datum::Message(message) => self.put_message(message, laid),
        }
    }

    /// Short texts are stored in place, padded with 0xff, which never occurs in UTF-8; others as a length and an offset relative to the
    /// length. The lowest byte's top two bits are then 10, which no text starts with.
    fn put_text(&mut self, text: &str, laid: &Laid) {
        let Laid::At(start) = laid else {
            self.bytes.extend_from_slice(text.as_bytes());
            let filled = self.bytes.len() + INLINE_BYTES - text.len();
            self.bytes.resize(filled, 0xff);
            return;
        };
        let (here, length) = (self.bytes.len(), text.len() as u32);
        let tagged = (length & 0x3f) | 0x80 | ((length & !0x3f) << 2);
        self.bytes.extend(tagged.to_le_bytes());
        self.bytes.extend(offset(here, *start).to_le_bytes());
    }

    fn put_slice(&mut self, length: usize, laid: &Laid) {
        match laid {
            Laid::At(start) => self.put_pointer(*start),
            _ => self.bytes.extend(INVALID.to_le_bytes()),
        }
        self.bytes.extend((length as u32).to_le_bytes());
    }

    fn put_pointer(&mut self, to: usize) {
        let offset = offset(self.bytes.len(), to);
        self.bytes.extend(offset.to_le_bytes());
    }

    fn pad(&mut self, bytes: usize) {
        self.bytes.resize(self.bytes.len() + bytes, 0);
    }

    /// Writes a B-tree, each node as soon as it is full; all levels but the last are complete.
    fn lay_map(&mut self, field: &Field, entries: &[(Datum, Datum)]) -> Laid {
        let branches = NODE_ENTRIES + 1;
        if entries.is_empty() {
            return Laid::Nothing;
        }
        let inner_levels = entries.len().ilog(branches);
        let in_last_level = entries.len() + 1 - branches.pow(inner_levels);
        let mut tree = Tree { field, entries: entries.iter(), below: None };
        let mut inners: Vec<Node> = (0..inner_levels).map(|_| Node::default()).collect();
        let mut leaf = Node::default();
        let mut in_leaves = 0;
        while let Some(entry) = tree.entries.next() {
            leaf.push((entry, None));
            in_leaves += 1;
            let is_last = in_leaves == in_last_level;
            if !is_last && leaf.len() < NODE_ENTRIES {
                continue;
            }
            tree.below = Some(self.close(&std::mem::take(&mut leaf), &mut tree, true));
            // The last level ends here: the rest of this branch has nothing below it.
            if is_last && let Some(mut inner) = inners.pop() {
                while inner.len() < NODE_ENTRIES
                    && let Some(entry) = tree.entries.next()
                {
                    inner.push((entry, tree.below.take()));
                }
                tree.below = Some(self.close(&inner, &mut tree, false));
            }
            let mut closed = 0;
            while let Some(inner) = inners.last_mut() {
                if inner.len() == NODE_ENTRIES {
                    let inner = inners.pop().unwrap_or_default();
                    tree.below = Some(self.close(&inner, &mut tree, false));
                    closed += 1;
                } else {
                    inner.extend(tree.entries.next().map(|entry| (entry, tree.below.take())));
                    inners.extend((0..closed).map(|_| Node::default()));
                    break;
                }
            }
        }
        if !leaf.is_empty() {
            tree.below = Some(self.close(&leaf, &mut tree, true));
        }
        while let Some(inner) = inners.pop() {
            tree.below = Some(self.close(&inner, &mut tree, false));
        }
        tree.below.map_or(Laid::Nothing, Laid::At)
    }

    /// Writes what a node's entries point to, then the node; returns its position.
    fn close(&mut self, node: &[Branch<'_>], tree: &mut Tree<'_>, is_leaf: bool) -> usize {
        let key_bytes = match tree.field.cardinality {
            Cardinality::Map(key) => self.type_bytes(key),
            _ => 0,
        };
        let value_bytes = self.type_bytes(tree.field.ty);
        let lay = |((key, value), _): &Branch<'_>| (self.lay(key, false), self.lay(value, false));
        let laid: Vec<(Laid, Laid)> = node.iter().map(lay).collect();
        let start = self.bytes.len();
        let unused = NODE_ENTRIES - node.len();
        self.bytes.push((!is_leaf).into());
        node.iter().zip(&laid).for_each(|(((key, _), _), (laid, _))| self.put(key, laid));
        self.pad(unused * key_bytes);
        node.iter().zip(&laid).for_each(|(((_, value), _), (_, laid))| self.put(value, laid));
        self.pad(unused * value_bytes);
        if is_leaf {
            self.bytes.extend((node.len() as u32).to_le_bytes());
            return start;
        }
        let greater = tree.below.take();
        for below in node.iter().map(|(_, lesser)| *lesser).chain([greater]) {
            match below {
                Some(below) => self.put_pointer(below),
                None => self.bytes.extend(INVALID.to_le_bytes()),
            }
        }
        start
    }
}

/// An entry with the node of the entries less than it.
type Branch<'a> = (&'a (Datum, Datum), Option<usize>);
type Node<'a> = Vec<Branch<'a>>;

/// The state of a map while its tree is being written.
struct Tree<'a> {
    field: &'a Field,
    entries: std::slice::Iter<'a, (Datum, Datum)>,
    /// The last written node that nothing points to yet.
    below: Option<usize>,
}

/// The distance from the pointer, in bytes.
fn offset(from: usize, to: usize) -> i32 {
    (to as i64 - from as i64) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each message contains the next one twice.
    fn doubling(levels: usize) -> Definition {
        let message = |at: usize| match at + 1 == levels {
            true => format!("message M{at} {{ uint32 x = 1; }}"),
            false => format!("message M{at} {{ M{next} a = 1; M{next} b = 2; }}", next = at + 1),
        };
        let messages: String = (0..levels).map(message).collect();
        Definition::from_source(&format!("syntax = \"proto3\"; {messages}"), "message.proto").unwrap()
    }

    #[test]
    fn a_definition_that_doubles_at_every_level_is_refused_at_once() {
        // The innermost takes 4 bytes; the next one 1 + 4, twice.
        assert_eq!(sizes(&doubling(3)), [22, 10, 4]);
        assert!(limit(&Described::new(doubling(3))).is_ok());
        let refused = limit(&Described::new(doubling(38))).unwrap_err().to_string();
        assert!(refused.contains("even when it is empty"), "{refused}");
    }
}
