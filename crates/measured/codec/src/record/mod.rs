//! Messages as formats of our own see them: a walk over the domain value in which everything that the message
//! definition says about each field is known at compile time.
//!
//! Generated code implements [`Record`] once per message. A format implements [`Writer`] and [`Reader`] once;
//! both are generic over the field, so that the compiler generates straight-line code for every pair of format
//! and message: the contents of a field's [`FieldInfo`] are constants there (`const { width(F::INFO) }`), never
//! looked up. This is the static code that a code generator for C would print, without printing it.
//!
//! The object of such a codec is the domain value itself: `build` clones it, `read` touches the decoded one.

mod bounds;
mod fault;
mod format;
mod info;
mod value;
mod visit;

use std::collections::BTreeMap;

pub use bounds::{check, narrow, out_of_range};
pub use fault::{Fault, Problem};
pub use format::RecordFormat;
pub use info::{
    Alternative, At, ChoiceInfo, EnumInfo, Field, FieldInfo, FieldType, Integer, Key, Length, MemberInfo,
    MessageInfo, Shape, StandsFor,
};
pub use value::{Depth, Value, cautious_capacity};
pub use visit::Visitor;

use crate::touch::Touch;

/// Which optional members of a message are present, in order. Implemented by `[bool; N]`.
pub trait Presence: Copy + AsRef<[bool]> + AsMut<[bool]> {
    /// No optional member is present.
    const NONE: Self;
}

impl<const N: usize> Presence for [bool; N] {
    const NONE: [bool; N] = [false; N];
}

/// A call that takes the number of a message's members as a constant, for libraries that want it as a const
/// generic argument, which generic code can't derive from [`MessageInfo::members`].
pub trait Counted {
    /// The return type of the call.
    type Output;
    /// Called with the number of members.
    fn call<const MEMBERS: usize>(self) -> Self::Output;
}

/// A message. Generated for the domain types.
pub trait Record: Touch + Clone + Sized + 'static {
    /// What the definition says about the message.
    const INFO: &'static MessageInfo;
    /// One flag for each optional member (optional fields, oneofs that may be empty), in order.
    type Presence: Presence;

    /// Which optional members are present.
    fn presence(&self) -> Self::Presence;

    /// Writes every member in the order of the definition, between [`Writer::begin`] and [`Writer::end`].
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Fault>;

    /// Reads every member in the order of the definition, between [`Reader::begin`] and [`Reader::end`].
    fn read<'a, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault>;

    /// The value whose every member is empty, zero or absent: the start of reading by number.
    fn empty() -> Self;

    /// Calls `call` with the number of its members (fields outside oneofs, and oneofs).
    fn counted<C: Counted>(call: C) -> C::Output;

    /// Reads the one member with this number, for formats whose members may come in any order, or not at all.
    /// Returns `false`, and reads nothing, if there is none.
    fn read_numbered<'a, R: Reader<'a>>(
        &mut self,
        reader: &mut R,
        frame: &mut R::Frame<Self>,
        number: u32,
    ) -> Result<bool, Fault>;

    /// Visits every member in the order of the definition.
    fn visit<W: Visitor>(visitor: &mut W) -> Result<(), Fault>;
}

/// A oneof. Generated for the domain's enums.
pub trait Choice: Sized {
    /// What the definition says about the oneof.
    const INFO: &'static ChoiceInfo;

    /// The alternative's index among [`ChoiceInfo::alternatives`].
    fn ordinal(&self) -> usize;

    /// Writes the alternative's value through [`Writer::one`].
    fn write<W: Writer, M: Record>(&self, writer: &mut W, frame: &mut W::Frame<M>) -> Result<(), Fault>;

    /// Reads the value of the alternative at this index through [`Reader::one`].
    fn read<'a, R: Reader<'a>, M: Record>(
        ordinal: usize,
        reader: &mut R,
        frame: &mut R::Frame<M>,
    ) -> Result<Self, Fault>;

    /// Visits the alternative at this index through [`Visitor::one`].
    fn visit<W: Visitor, M: Record>(ordinal: usize, visitor: &mut W) -> Result<(), Fault>;
}

/// The most elements of a list whose elements take no bytes, where only the count limits them: damaged input must not take all memory.
pub const MAX_EMPTY_ELEMENTS: usize = 1 << 16;

/// Reads a choice whose alternatives are each written as a list of at most one value, in the order of the definition. For formats
/// without unions; `count` reads the length of the next list.
///
/// # Errors
/// When a length or a value can't be read, or more than one value is there.
#[inline]
pub fn choice_of_lists<'a, R: Reader<'a>, M: Record, C: Choice>(
    reader: &mut R,
    frame: &mut R::Frame<M>,
    count: impl Fn(&mut R) -> Result<u64, Fault>,
) -> Result<Option<C>, Fault> {
    let mut chosen = None;
    for ordinal in 0..const { C::INFO.alternatives.len() } {
        match (count(reader)?, &chosen) {
            (0, _) => {}
            (1, None) => chosen = Some(C::read::<_, M>(ordinal, reader, frame)?),
            _ => {
                let several = format_args!("more than one alternative of `{}`", C::INFO.name);
                return Err(Fault::other(several));
            }
        }
    }
    Ok(chosen)
}

/// An enum. Generated for the domain types.
pub trait Enumeration: Copy + Sized + 'static {
    /// What the definition says about the enum.
    const INFO: &'static EnumInfo;

    /// The number of the value in the definition.
    fn number(self) -> i32;

    /// The value's index among [`EnumInfo::values`], which are in ascending order of their numbers.
    fn ordinal(self) -> usize;

    /// The value with this number.
    fn from_number(number: i32) -> Result<Self, Fault>;

    /// The value at this index.
    fn from_ordinal(ordinal: usize) -> Result<Self, Fault>;
}

/// Receives a message's members.
///
/// The generated code calls `begin`, then for each member, in the definition's order, exactly one of `one`
/// (members that are always present), `optional`, `list`, `map`, `choice` and `optional_choice`, then `end`.
/// `one` and the elements of the others arrive at one of the methods named after value types.
pub trait Writer: Sized {
    /// What is kept between the members of one message.
    type Frame<M: Record>;

    /// Called before the first member.
    fn begin<M: Record>(&mut self, message: &M) -> Result<Self::Frame<M>, Fault>;
    /// Called after the last member, with the frame from `begin`.
    fn end<M: Record>(&mut self, frame: Self::Frame<M>) -> Result<(), Fault>;

    /// A member that is always present; also the chosen alternative of a oneof.
    fn one<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut Self::Frame<M>,
        value: &V,
    ) -> Result<(), Fault>;
    /// A member that may be absent.
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut Self::Frame<M>,
        value: Option<&V>,
    ) -> Result<(), Fault>;
    /// A list; `V::write_list` writes its elements at once.
    fn list<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut Self::Frame<M>,
        values: &[V],
    ) -> Result<(), Fault>;
    /// A map, in ascending order of its keys.
    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        frame: &mut Self::Frame<M>,
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault>;
    /// A oneof that is never empty.
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut Self::Frame<M>, choice: &C) -> Result<(), Fault>;
    /// A oneof that may be empty.
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut Self::Frame<M>,
        choice: Option<&C>,
    ) -> Result<(), Fault>;

    /// A value of a `bool` field.
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault>;
    /// A value of an `int32`, `sint32` or `sfixed32` field.
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault>;
    /// A value of an `int64`, `sint64` or `sfixed64` field.
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault>;
    /// A value of a `uint32` or `fixed32` field.
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault>;
    /// A value of a `uint64` or `fixed64` field.
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault>;
    /// A value of a `float` field.
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault>;
    /// A value of a `double` field.
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault>;
    /// A value of a `string` field.
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault>;
    /// A value of a `bytes` field.
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault>;
    /// A value of an enum, by number or index as the format has it.
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault>;
    /// A nested message, or a message that is an element.
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault>;

    /// The elements of a list of f32, together where the format stores them contiguously.
    fn f32_elements<F: Field>(&mut self, values: &[f32]) -> Result<(), Fault> {
        values.iter().try_for_each(|value| self.f32::<F>(*value))
    }
    /// The elements of a list of f64, likewise.
    fn f64_elements<F: Field>(&mut self, values: &[f64]) -> Result<(), Fault> {
        values.iter().try_for_each(|value| self.f64::<F>(*value))
    }
    /// The elements of a list of i32, likewise.
    fn i32_elements<F: Field>(&mut self, values: &[i32]) -> Result<(), Fault> {
        values.iter().try_for_each(|value| self.i32::<F>(*value))
    }
    /// The elements of a list of u32, likewise.
    fn u32_elements<F: Field>(&mut self, values: &[u32]) -> Result<(), Fault> {
        values.iter().try_for_each(|value| self.u32::<F>(*value))
    }
}

/// Returns a message's members; the counterpart of [`Writer`], method by method.
///
/// Readers accept arbitrary bytes: they never panic, and bound their memory by a stated multiple of the input
/// ([`cautious_capacity`]) and their nesting ([`Depth`]).
pub trait Reader<'a>: Sized {
    /// What is kept between the members of one message.
    type Frame<M: Record>;

    /// Called before the first member.
    fn begin<M: Record>(&mut self) -> Result<Self::Frame<M>, Fault>;
    /// Called after the last member, with the frame from `begin`.
    fn end<M: Record>(&mut self, frame: Self::Frame<M>) -> Result<(), Fault>;

    /// A member that is always present; also the chosen alternative of a oneof.
    fn one<M: Record, F: Field, V: Value>(&mut self, frame: &mut Self::Frame<M>) -> Result<V, Fault>;
    /// A member that may be absent.
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut Self::Frame<M>,
    ) -> Result<Option<V>, Fault>;
    /// A list; `V::read_list` reads its elements together when their number is known.
    fn list<M: Record, F: Field, V: Value>(&mut self, frame: &mut Self::Frame<M>) -> Result<Vec<V>, Fault>;
    /// A map; of a repeated key the last value is kept.
    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        frame: &mut Self::Frame<M>,
    ) -> Result<BTreeMap<K, V>, Fault>;
    /// A oneof that is never empty.
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut Self::Frame<M>) -> Result<C, Fault>;
    /// A oneof that may be empty.
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut Self::Frame<M>,
    ) -> Result<Option<C>, Fault>;

    /// Reads a value of a `bool` field.
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault>;
    /// Reads a value of an `int32`, `sint32` or `sfixed32` field.
    fn i32<F: Field>(&mut self) -> Result<i32, Fault>;
    /// Reads a value of an `int64`, `sint64` or `sfixed64` field.
    fn i64<F: Field>(&mut self) -> Result<i64, Fault>;
    /// Reads a value of a `uint32` or `fixed32` field.
    fn u32<F: Field>(&mut self) -> Result<u32, Fault>;
    /// Reads a value of a `uint64` or `fixed64` field.
    fn u64<F: Field>(&mut self) -> Result<u64, Fault>;
    /// Reads a value of a `float` field.
    fn f32<F: Field>(&mut self) -> Result<f32, Fault>;
    /// Reads a value of a `double` field.
    fn f64<F: Field>(&mut self) -> Result<f64, Fault>;
    /// Reads a value of a `string` field, which must be UTF-8.
    fn text<F: Field>(&mut self) -> Result<String, Fault>;
    /// Reads a value of a `bytes` field.
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault>;
    /// Reads a value of an enum; numbers without a name are a fault.
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault>;
    /// Reads a nested message, or a message that is an element.
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault>;

    /// How many bytes of the input are left, to limit what a claimed length may allocate.
    fn left_bytes(&self) -> usize;

    /// `count` elements of a list of f32, together where the format stores them contiguously.
    fn f32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<f32>, Fault> {
        collect(count, self.left_bytes(), || self.f32::<F>())
    }
    /// `count` elements of a list of f64, likewise.
    fn f64_elements<F: Field>(&mut self, count: usize) -> Result<Vec<f64>, Fault> {
        collect(count, self.left_bytes(), || self.f64::<F>())
    }
    /// `count` elements of a list of i32, likewise.
    fn i32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<i32>, Fault> {
        collect(count, self.left_bytes(), || self.i32::<F>())
    }
    /// `count` elements of a list of u32, likewise.
    fn u32_elements<F: Field>(&mut self, count: usize) -> Result<Vec<u32>, Fault> {
        collect(count, self.left_bytes(), || self.u32::<F>())
    }
}

/// Reads `count` elements one by one; the list grows as they arrive, whatever count was claimed.
pub fn collect<V>(
    count: usize,
    left_bytes: usize,
    mut read: impl FnMut() -> Result<V, Fault>,
) -> Result<Vec<V>, Fault> {
    let mut list = Vec::with_capacity(cautious_capacity::<V>(count, left_bytes));
    for _ in 0..count {
        list.push(read()?);
    }
    Ok(list)
}
