//! A walk through an encoded message that makes no values: the `read` phase of formats that read in place.

use super::{Choice, Enumeration, Fault, Field, Record, Value};

/// Goes over a message's members in the order of the definition.
///
/// Generated code calls, for each member, exactly one of `one`, `optional`, `list`, `map` and `choice`; each of them
/// finds the method that is named after the value's type through [`Value::visit`].
pub trait Visitor: Sized {
    /// A member that is always there; also the chosen alternative of a oneof.
    fn one<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault>;
    /// A member that may be absent.
    fn optional<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault>;
    /// A list.
    fn list<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault>;
    /// A map.
    fn map<M: Record, F: Field, K: Value, V: Value>(&mut self) -> Result<(), Fault>;
    /// A oneof, whether it may be empty or not.
    fn choice<M: Record, C: Choice>(&mut self) -> Result<(), Fault>;

    /// true or false.
    fn boolean<F: Field>(&mut self) -> Result<(), Fault>;
    /// Signed, 32 bits.
    fn i32<F: Field>(&mut self) -> Result<(), Fault>;
    /// Signed, 64 bits.
    fn i64<F: Field>(&mut self) -> Result<(), Fault>;
    /// Unsigned, 32 bits.
    fn u32<F: Field>(&mut self) -> Result<(), Fault>;
    /// Unsigned, 64 bits.
    fn u64<F: Field>(&mut self) -> Result<(), Fault>;
    /// IEEE 754, 32 bits.
    fn f32<F: Field>(&mut self) -> Result<(), Fault>;
    /// IEEE 754, 64 bits.
    fn f64<F: Field>(&mut self) -> Result<(), Fault>;
    /// UTF-8 text.
    fn text<F: Field>(&mut self) -> Result<(), Fault>;
    /// A byte string.
    fn bytes<F: Field>(&mut self) -> Result<(), Fault>;
    /// An enum's value.
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<(), Fault>;
    /// A nested message.
    fn message<F: Field, M: Record>(&mut self) -> Result<(), Fault>;
}
