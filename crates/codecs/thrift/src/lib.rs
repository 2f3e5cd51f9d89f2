//! Apache Thrift with the protocols of Apache's own Rust library, driven by the walk.
//!
//! Canonical is the compact protocol, the variant `binary` the (strict) binary one; a plain struct without message
//! header or frame. Fields carry their Protobuf numbers; every field that is there is written, zeros too, as
//! Apache's generated code does for fields without `optional`. Readers take fields in any order and skip unknown ones.
//!
//! Stand-ins: Thrift has no unsigned types, so an integer is the narrowest of i8, i16, i32 and i64 that holds the
//! definition's range or declared type, and unsigned 64-bit ones keep their bits in an i64; single-precision floats
//! are doubles; members of a oneof are optional fields, of which the last one read counts. Field numbers past 32,767
//! can't be expressed.
//!
//! Against hostile input the library's limits are set to what the input can hold: no text, byte string or list is
//! longer than the input has bytes, and structs nest at most 64 deep, which the library holds writers to, too.

pub mod declared;
pub mod types;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use thrift::TConfiguration;
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TOutputProtocol, TStructIdentifier,
    TType,
};
use wiredyno_contract::DeclaredCodec;

use types::{WireType, is_required, required_mask};
use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, FieldInfo, Key, MemberInfo, MessageInfo, Problem, Reader, Record,
    RecordFormat, Value, Writer, cautious_capacity, check,
};

/// `thrift/apache-thrift`.
#[derive(Debug, Default)]
pub struct Compact;

/// `thrift/apache-thrift:binary`.
#[derive(Debug, Default)]
pub struct Binary;

impl Codec for Compact {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::COMPACT
    }
}

impl Codec for Binary {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::BINARY
    }
}

/// Generated code of Thrift's own compiler works through the protocols' trait objects too; so both protocols share
/// the code of a walk.
impl RecordFormat for Compact {
    type State = ();

    fn carries(info: &'static MessageInfo) -> Result<(), Reason> {
        types::carries(info)
    }

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        message.write(&mut Output { protocol: &mut TCompactOutputProtocol::new(out) })
    }

    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let rest = Cell::new(bytes);
        let mut protocol = TCompactInputProtocol::with_config(Source(&rest), limits(bytes)?);
        read(&mut protocol, &rest)
    }
}

impl RecordFormat for Binary {
    type State = ();

    fn carries(info: &'static MessageInfo) -> Result<(), Reason> {
        types::carries(info)
    }

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        message.write(&mut Output { protocol: &mut TBinaryOutputProtocol::new(out, true) })
    }

    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        let rest = Cell::new(bytes);
        let mut protocol = TBinaryInputProtocol::with_config(Source(&rest), true, limits(bytes)?);
        read(&mut protocol, &rest)
    }
}

/// Nothing in the input may claim more than the input has.
fn limits(bytes: &[u8]) -> Result<TConfiguration, Fault> {
    TConfiguration::builder()
        .max_frame_size(None)
        .max_message_size(Some(bytes.len()))
        .max_string_size(Some(bytes.len()))
        .max_container_size(Some(bytes.len()))
        .build()
        .map_err(refused)
}

/// In the library's words.
#[cold]
#[inline(never)]
pub fn refused(error: thrift::Error) -> Fault {
    Fault::other(error)
}

/// The library's name of a wire type.
const fn named(ty: WireType) -> TType {
    match ty {
        WireType::Bool => TType::Bool,
        WireType::I8 => TType::I08,
        WireType::I16 => TType::I16,
        WireType::I32 => TType::I32,
        WireType::I64 => TType::I64,
        WireType::Double => TType::Double,
        WireType::String => TType::String,
        WireType::Struct => TType::Struct,
        WireType::Map => TType::Map,
        WireType::List => TType::List,
    }
}

/// The wire type of a field's elements.
pub const fn element_type(field: &FieldInfo) -> TType {
    named(types::element_type(field))
}

const fn wire_type(field: &FieldInfo) -> TType {
    named(types::wire_type(field))
}

/// Where a structure's output goes.
pub struct Output<'p> {
    /// The library's.
    pub protocol: &'p mut dyn TOutputProtocol,
}

impl Output<'_> {
    /// Announces a field.
    ///
    /// # Errors
    /// The library's.
    #[inline(never)]
    pub fn field(&mut self, field_type: TType, number: u32) -> Result<(), Fault> {
        // `carries` refuses larger numbers.
        let id = Some(number as i16);
        self.protocol.write_field_begin(&TFieldIdentifier { name: None, field_type, id }).map_err(refused)
    }

    /// Ends a field.
    ///
    /// # Errors
    /// The library's.
    #[inline(never)]
    pub fn field_end(&mut self) -> Result<(), Fault> {
        self.protocol.write_field_end().map_err(refused)
    }

    #[inline]
    fn integer<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        check::<F>(value)?;
        self.signed(value, const { element_type(F::INFO) })
    }

    /// An integer of one of the four types.
    ///
    /// # Errors
    /// The library's.
    #[inline(never)]
    pub fn signed(&mut self, value: i64, ty: TType) -> Result<(), Fault> {
        match ty {
            TType::I08 => self.protocol.write_i8(value as i8),
            TType::I16 => self.protocol.write_i16(value as i16),
            TType::I32 => self.protocol.write_i32(value as i32),
            _ => self.protocol.write_i64(value),
        }
        .map_err(refused)
    }
}

fn count<F: Field>(count: usize) -> Result<i32, Fault> {
    i32::try_from(count).map_err(|_| Fault::in_field(Problem::Length(count as u64), F::INFO.name))
}

impl Writer for Output<'_> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self, _: &M) -> Result<(), Fault> {
        // Neither protocol writes the name.
        self.protocol.write_struct_begin(&TStructIdentifier { name: String::new() }).map_err(refused)
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        self.protocol.write_field_stop().map_err(refused)?;
        self.protocol.write_struct_end().map_err(refused)
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut (), value: &V) -> Result<(), Fault> {
        self.field(const { wire_type(F::INFO) }, const { F::INFO.number })?;
        value.write::<F, _>(self)?;
        self.field_end()
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut (),
        value: Option<&V>,
    ) -> Result<(), Fault> {
        match value {
            Some(value) => self.one::<M, F, V>(frame, value),
            None => Ok(()),
        }
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        self.field(TType::List, const { F::INFO.number })?;
        let list = TListIdentifier { element_type: element_type(F::INFO), size: count::<F>(values.len())? };
        self.protocol.write_list_begin(&list).map_err(refused)?;
        V::write_list::<F, _>(values, self)?;
        self.protocol.write_list_end().map_err(refused)?;
        self.field_end()
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        self.field(TType::Map, const { F::INFO.number })?;
        let map = TMapIdentifier {
            key_type: Some(element_type(Key::<F>::INFO)),
            value_type: Some(element_type(F::INFO)),
            size: count::<F>(entries.len())?,
        };
        self.protocol.write_map_begin(&map).map_err(refused)?;
        for (key, value) in entries {
            key.write::<Key<F>, _>(self)?;
            value.write::<F, _>(self)?;
        }
        self.protocol.write_map_end().map_err(refused)?;
        self.field_end()
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        choice.write::<_, M>(self, frame)
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        match choice {
            Some(choice) => choice.write::<_, M>(self, frame),
            None => Ok(()),
        }
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        self.protocol.write_bool(value).map_err(refused)
    }

    #[inline]
    fn i32<F: Field>(&mut self, value: i32) -> Result<(), Fault> {
        self.integer::<F>(value.into())
    }

    #[inline]
    fn i64<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        self.integer::<F>(value)
    }

    #[inline]
    fn u32<F: Field>(&mut self, value: u32) -> Result<(), Fault> {
        self.integer::<F>(value.into())
    }

    #[inline]
    fn u64<F: Field>(&mut self, value: u64) -> Result<(), Fault> {
        // A range ends at the largest i64, so that larger values are outside of every one.
        check::<F>(i64::try_from(value).unwrap_or(i64::MAX))?;
        self.signed(value.cast_signed(), const { element_type(F::INFO) })
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.protocol.write_double(value.into()).map_err(refused)
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.protocol.write_double(value).map_err(refused)
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        self.protocol.write_string(value).map_err(refused)
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.protocol.write_bytes(value).map_err(refused)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.protocol.write_i32(value.number()).map_err(refused)
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        value.write(self)
    }
}

/// The input as the library's transport; the walk sees how much is left.
struct Source<'c, 'a>(&'c Cell<&'a [u8]>);

impl Read for Source<'_, '_> {
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut rest = self.0.get();
        let read = rest.read(into)?;
        self.0.set(rest);
        Ok(read)
    }

    #[inline]
    fn read_exact(&mut self, into: &mut [u8]) -> std::io::Result<()> {
        let mut rest = self.0.get();
        rest.read_exact(into)?;
        self.0.set(rest);
        Ok(())
    }
}

fn read<M: Record>(protocol: &mut dyn TInputProtocol, rest: &Cell<&[u8]>) -> Result<M, Fault> {
    let message = Input { protocol, rest, found: TType::Struct }.structure()?;
    match rest.get().len() {
        0 => Ok(message),
        left => Err(Fault::other(format_args!("{left} bytes are left after the message"))),
    }
}

/// Where a structure's fields come from.
struct Input<'p, 'c, 'a> {
    protocol: &'p mut dyn TInputProtocol,
    rest: &'c Cell<&'a [u8]>,
    /// The wire type of the field that is to be read.
    found: TType,
}

/// Which of a message's required messages and oneofs were met, one bit each.
struct Met(u64);

/// The bit of the required member that a field is or belongs to; 0 if it is not required.
const fn required_bit(info: &MessageInfo, number: u32) -> u64 {
    let (mut at, mut bit) = (0, 1u64);
    while at < info.members.len() {
        let member = &info.members[at];
        if is_required(member) {
            if has_number(member, number) {
                return bit;
            }
            bit <<= 1;
        }
        at += 1;
    }
    0
}

const fn has_number(member: &MemberInfo, number: u32) -> bool {
    match member {
        MemberInfo::Field(field) => field.number == number,
        MemberInfo::Choice(choice) => {
            let mut at = 0;
            while at < choice.alternatives.len() {
                if choice.alternatives[at].number == number {
                    return true;
                }
                at += 1;
            }
            false
        }
    }
}

impl Input<'_, '_, '_> {
    fn structure<M: Record>(&mut self) -> Result<M, Fault> {
        let mut message = M::empty();
        let mut met = Met(0);
        self.protocol.read_struct_begin().map_err(refused)?;
        while let Some(number) = self.field()? {
            if !message.read_numbered(self, &mut met, number)? {
                self.protocol.skip(self.found).map_err(refused)?;
            }
            self.protocol.read_field_end().map_err(refused)?;
        }
        self.protocol.read_struct_end().map_err(refused)?;
        if met.0 != const { required_mask(M::INFO) } {
            return Err(Fault::in_field(Problem::Missing, "a required message or oneof"));
        }
        Ok(message)
    }

    /// The next field's number; none at the end.
    /// Announces a field.
    ///
    /// # Errors
    /// The library's.
    #[inline(never)]
    pub fn field(&mut self) -> Result<Option<u32>, Fault> {
        let field = self.protocol.read_field_begin().map_err(refused)?;
        self.found = field.field_type;
        match (field.field_type, field.id) {
            (TType::Stop, _) => Ok(None),
            // Numbers below zero are nobody's; 0 is none of Protobuf's either.
            (_, id) => Ok(Some(u32::try_from(id.unwrap_or(0)).unwrap_or(0))),
        }
    }

    #[inline]
    fn expect<F: Field>(found: TType, expected: TType) -> Result<(), Fault> {
        if found == expected { Ok(()) } else { Err(wrong_type(found, expected, F::INFO.name)) }
    }

    /// An integer of one of the four types.
    ///
    /// # Errors
    /// The library's.
    #[inline(never)]
    pub fn signed(&mut self, ty: TType) -> Result<i64, Fault> {
        match ty {
            TType::I08 => self.protocol.read_i8().map(i64::from),
            TType::I16 => self.protocol.read_i16().map(i64::from),
            TType::I32 => self.protocol.read_i32().map(i64::from),
            _ => self.protocol.read_i64(),
        }
        .map_err(refused)
    }

    #[inline]
    fn integer<F: Field>(&mut self) -> Result<i64, Fault> {
        let value = self.signed(const { element_type(F::INFO) })?;
        check::<F>(value)?;
        Ok(value)
    }

    fn elements<F: Field>(&self, size: i32) -> Result<usize, Fault> {
        // Every element takes at least a byte.
        match usize::try_from(size) {
            Ok(count) if count <= self.rest.get().len() => Ok(count),
            _ => Err(Fault::in_field(Problem::Count(size as u64), F::INFO.name)),
        }
    }
}

#[cold]
#[inline(never)]
fn wrong_type(found: TType, expected: TType, field: &'static str) -> Fault {
    Fault::in_field(
        Problem::Other(format!("it is {found} in the bytes and {expected} in the definition")),
        field,
    )
}

/// Members come by their numbers, so that the walk in the definition's order is never taken.
fn out_of_order<T>(what: impl fmt::Display) -> Result<T, Fault> {
    Err(Fault::other(format_args!("{what} is not read in the definition's order: report this")))
}

impl<'a> Reader<'a> for Input<'_, '_, 'a> {
    type Frame<M: Record> = Met;

    fn begin<M: Record>(&mut self) -> Result<Met, Fault> {
        out_of_order(M::INFO.name)
    }

    fn end<M: Record>(&mut self, _: Met) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, met: &mut Met) -> Result<V, Fault> {
        Self::expect::<F>(self.found, const { wire_type(F::INFO) })?;
        met.0 |= const { required_bit(M::INFO, F::INFO.number) };
        V::read::<F, _>(self)
    }

    fn optional<M: Record, F: Field, V: Value>(&mut self, _: &mut Met) -> Result<Option<V>, Fault> {
        out_of_order(F::INFO.name)
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, _: &mut Met) -> Result<Vec<V>, Fault> {
        Self::expect::<F>(self.found, TType::List)?;
        let list = self.protocol.read_list_begin().map_err(refused)?;
        let count = self.elements::<F>(list.size)?;
        if count > 0 {
            Self::expect::<F>(list.element_type, element_type(F::INFO))?;
        }
        let values = V::read_list::<F, _>(self, count)?;
        self.protocol.read_list_end().map_err(refused)?;
        Ok(values)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        _: &mut Met,
    ) -> Result<BTreeMap<K, V>, Fault> {
        Self::expect::<F>(self.found, TType::Map)?;
        let map = self.protocol.read_map_begin().map_err(refused)?;
        let count = self.elements::<F>(map.size)?;
        if count > 0 {
            Self::expect::<F>(map.key_type.unwrap_or(TType::Void), element_type(Key::<F>::INFO))?;
            Self::expect::<F>(map.value_type.unwrap_or(TType::Void), element_type(F::INFO))?;
        }
        let mut entries = Vec::with_capacity(cautious_capacity::<(K, V)>(count, self.rest.get().len()));
        for _ in 0..count {
            entries.push((K::read::<Key<F>, _>(self)?, V::read::<F, _>(self)?));
        }
        self.protocol.read_map_end().map_err(refused)?;
        Ok(entries.into_iter().collect())
    }

    fn choice<M: Record, C: Choice>(&mut self, _: &mut Met) -> Result<C, Fault> {
        out_of_order(C::INFO.name)
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, _: &mut Met) -> Result<Option<C>, Fault> {
        out_of_order(C::INFO.name)
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        self.protocol.read_bool().map_err(refused)
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        Ok(self.integer::<F>()? as i32)
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        self.integer::<F>()
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        let value = self.integer::<F>()?;
        u32::try_from(value).map_err(|_| Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name))
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        Ok(self.integer::<F>()?.cast_unsigned())
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        Ok(self.protocol.read_double().map_err(refused)? as f32)
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.protocol.read_double().map_err(refused)
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        self.protocol.read_string().map_err(refused)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        self.protocol.read_bytes().map_err(refused)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        E::from_number(self.protocol.read_i32().map_err(refused)?)
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        self.structure()
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.rest.get().len()
    }
}
