//! A walk through an encoded message that creates no values: the `read` phase of formats that read in place.

use super::{Choice, Enumeration, Fault, Field, Record, Value};

/// Visits a message's members in the order of the definition.
///
/// Generated code calls, for each member, exactly one of `one`, `optional`, `list`, `map` and `choice`; each of them
/// selects the method named after the value's type through [`Value::visit`].
pub trait Visitor: Sized {
    /// A member that is always present; also the chosen alternative of a oneof.
    fn one<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault>;
    /// A member that may be absent.
    fn optional<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault>;
    /// A list; visits every element.
    fn list<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault>;
    /// A map; visits every key and value.
    fn map<M: Record, F: Field, K: Value, V: Value>(&mut self) -> Result<(), Fault>;
    /// A oneof, whether it may be empty or not.
    fn choice<M: Record, C: Choice>(&mut self) -> Result<(), Fault>;

    /// Visits a value of a `bool` field.
    fn boolean<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of an `int32`, `sint32` or `sfixed32` field.
    fn i32<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of an `int64`, `sint64` or `sfixed64` field.
    fn i64<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of a `uint32` or `fixed32` field.
    fn u32<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of a `uint64` or `fixed64` field.
    fn u64<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of a `float` field.
    fn f32<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of a `double` field.
    fn f64<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of a `string` field.
    fn text<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of a `bytes` field.
    fn bytes<F: Field>(&mut self) -> Result<(), Fault>;
    /// Visits a value of an enum.
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<(), Fault>;
    /// Visits a nested message, or a message that is an element.
    fn message<F: Field, M: Record>(&mut self) -> Result<(), Fault>;
}
