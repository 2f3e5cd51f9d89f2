//! Reads a message through a protocol of the library.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use super::types::{is_required, required_mask};
use thrift::protocol::{TInputProtocol, TType};
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, Key, MemberInfo, MessageInfo, Problem, Reader, Record, Value,
    cautious_capacity, check,
};

use super::{element_type, refused, wire_type};

/// The input as the library's transport; the walk sees how much is left.
pub(super) struct Source<'c, 'a>(pub(super) &'c Cell<&'a [u8]>);

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

pub(super) fn read<M: Record>(protocol: &mut dyn TInputProtocol, rest: &Cell<&[u8]>) -> Result<M, Fault> {
    let message = Input { protocol, rest, found: TType::Struct }.structure()?;
    match rest.get().len() {
        0 => Ok(message),
        left => Err(Fault::other(format_args!("{left} bytes are left after the message"))),
    }
}

struct Input<'p, 'c, 'a> {
    protocol: &'p mut dyn TInputProtocol,
    rest: &'c Cell<&'a [u8]>,
    /// The wire type of the current field.
    found: TType,
}

/// Which of a message's required messages and oneofs were read, one bit each.
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

    /// The next field's number; `None` at the end.
    ///
    /// # Errors
    /// When the library fails.
    #[inline(never)]
    pub fn field(&mut self) -> Result<Option<u32>, Fault> {
        let field = self.protocol.read_field_begin().map_err(refused)?;
        self.found = field.field_type;
        match (field.field_type, field.id) {
            (TType::Stop, _) => Ok(None),
            // Negative numbers belong to no field; neither does 0, in Protobuf.
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
    /// When the library fails.
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
        // Every element takes at least one byte.
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

/// Members are read by number, so the walk in the definition's order is never used.
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
