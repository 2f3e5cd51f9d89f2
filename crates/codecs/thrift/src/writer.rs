//! Writes a message through a protocol of the library.

use std::collections::BTreeMap;

use thrift::protocol::{
    TFieldIdentifier, TListIdentifier, TMapIdentifier, TOutputProtocol, TStructIdentifier, TType,
};
use wiredyno_codec::record::{Choice, Enumeration, Fault, Field, Key, Problem, Record, Value, Writer, check};

use super::{element_type, refused, wire_type};

/// The output of a struct.
pub struct Output<'p> {
    /// The protocol object of the library.
    pub protocol: &'p mut dyn TOutputProtocol,
}

impl Output<'_> {
    /// Announces a field.
    ///
    /// # Errors
    /// When the library fails.
    #[inline(never)]
    pub fn field(&mut self, field_type: TType, number: u32) -> Result<(), Fault> {
        // `carries` refuses larger numbers.
        let id = Some(number as i16);
        self.protocol.write_field_begin(&TFieldIdentifier { name: None, field_type, id }).map_err(refused)
    }

    /// Ends a field.
    ///
    /// # Errors
    /// When the library fails.
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
    /// When the library fails.
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

pub(super) fn count<F: Field>(count: usize) -> Result<i32, Fault> {
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
