//! The walk that fills a message builder.

use std::collections::BTreeMap;

use capnp::message::{Allocator, Builder};
use capnp::private::layout::{
    ElementSize, ListBuilder, PointerBuilder, PrimitiveElement, StructBuilder, StructSize,
};
use capnp::struct_list;
use capnp::traits::FromPointerBuilder;

use super::layout::{Entry, entry, has_flag, size, slot};
use super::{Node, RootBuilder, Scalar, refused, struct_size};
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, FieldInfo, FieldType, Integer, Key, Problem, Record, Shape, Value,
    Writer,
};

/// The most elements of a list and bytes of a text that a list pointer can count.
pub const MAX_ELEMENTS: usize = (1 << 29) - 1;

/// Sets the builder's root to a message.
pub fn root<A: Allocator, M: Record>(builder: &mut Builder<A>, message: &M) -> Result<(), Fault> {
    let RootBuilder(pointer) = builder.init_root();
    message.write(&mut Output {
        place: Place::Field(pointer.init_struct(const { struct_size(size(M::INFO)) }), 0),
    })
}

/// The place of the next value.
enum Place<'b> {
    /// A field of a struct, counted as [`slot`] does.
    Field(StructBuilder<'b>, u32),
    /// An element of a list of scalars or pointers.
    Element(ListBuilder<'b>, u32),
    /// An element of a list of structs.
    Struct(struct_list::Builder<'b, Node>, u32),
}

struct Output<'b> {
    place: Place<'b>,
}

/// For cases that never occur: an error rather than a panic.
#[cold]
#[inline(never)]
fn misplaced() -> Fault {
    Fault::other("a value has no place in its struct: report this")
}

/// How a list stores its elements.
pub fn element_size(field: &FieldInfo) -> ElementSize {
    match field.ty {
        FieldType::Bool => ElementSize::Bit,
        FieldType::Enum(_) => ElementSize::TwoBytes,
        FieldType::F32 => ElementSize::FourBytes,
        FieldType::F64 => ElementSize::EightBytes,
        FieldType::Text | FieldType::Bytes => ElementSize::Pointer,
        FieldType::Message(_) => ElementSize::InlineComposite,
        _ => match field.integer() {
            Some(Integer { bits: 8, .. }) => ElementSize::Byte,
            Some(Integer { bits: 16, .. }) => ElementSize::TwoBytes,
            Some(Integer { bits: 32, .. }) => ElementSize::FourBytes,
            _ => ElementSize::EightBytes,
        },
    }
}

/// The type of an integer field.
pub const fn integer_of<F: Field>() -> Integer {
    match F::INFO.integer() {
        Some(integer) => integer,
        None => panic!("no integer"),
    }
}

impl<'b> Output<'b> {
    #[inline]
    fn at(&mut self, at: u32) {
        if let Place::Field(_, place) = &mut self.place {
            *place = at;
        }
    }

    #[inline]
    fn structure(&mut self) -> Result<StructBuilder<'_>, Fault> {
        match &mut self.place {
            Place::Field(structure, _) => Ok(structure.reborrow()),
            _ => Err(misplaced()),
        }
    }

    #[inline]
    fn scalar<T: Scalar>(&mut self, value: T) -> Result<(), Fault> {
        match &self.place {
            Place::Field(structure, at) => value.set_field(structure, *at),
            Place::Element(list, at) => PrimitiveElement::set(list, *at, value),
            Place::Struct(..) => return Err(misplaced()),
        }
        Ok(())
    }

    #[inline]
    fn integer<F: Field>(&mut self, value: i64) -> Result<(), Fault> {
        if let Some((min, max)) = const { F::INFO.range }
            && (value < min || value > max)
        {
            return Err(Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name));
        }
        match const { integer_of::<F>().bits } {
            8 => self.scalar(value as u8),
            16 => self.scalar(value as u16),
            32 => self.scalar(value as u32),
            _ => self.scalar(value as u64),
        }
    }

    #[inline]
    fn pointer(&mut self) -> Result<PointerBuilder<'_>, Fault> {
        match &mut self.place {
            Place::Field(structure, at) => Ok(structure.reborrow().get_pointer_field(*at as usize)),
            Place::Element(list, at) => Ok(list.reborrow().get_pointer_element(*at)),
            Place::Struct(..) => Err(misplaced()),
        }
    }

    /// Texts and byte strings: empty ones are left out where the result means the same.
    #[inline(never)]
    fn block(
        &mut self,
        bytes: &[u8],
        text: Option<&str>,
        always: bool,
        name: &'static str,
    ) -> Result<(), Fault> {
        if bytes.is_empty() && !always {
            return Ok(());
        }
        if bytes.len() >= MAX_ELEMENTS {
            return Err(Fault::in_field(Problem::Length(bytes.len() as u64), name));
        }
        let mut pointer = self.pointer()?;
        match text {
            Some(text) => pointer.set_text(text.into()),
            None => pointer.set_data(bytes),
        }
        Ok(())
    }
}

/// Sets a list's pointer to a new list of `count` structs.
pub fn structs(
    mut pointer: PointerBuilder<'_>,
    count: u32,
    size: StructSize,
) -> Result<struct_list::Builder<'_, Node>, Fault> {
    pointer.reborrow().init_struct_list(count, size);
    FromPointerBuilder::get_from_pointer(pointer, None).map_err(refused)
}

fn count<F: Field>(count: usize) -> Result<u32, Fault> {
    match count {
        0..=MAX_ELEMENTS => Ok(count as u32),
        _ => Err(Fault::in_field(Problem::Length(count as u64), F::INFO.name)),
    }
}

impl Writer for Output<'_> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self, _: &M) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut (), value: &V) -> Result<(), Fault> {
        self.at(const { slot(M::INFO, F::INFO.number).at });
        value.write::<F, _>(self)
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(
        &mut self,
        frame: &mut (),
        value: Option<&V>,
    ) -> Result<(), Fault> {
        let Some(value) = value else {
            return Ok(());
        };
        if const { has_flag(F::INFO) } {
            self.structure()?.set_bool_field(const { slot(M::INFO, F::INFO.number).flag } as usize, true);
        }
        self.one::<M, F, V>(frame, value)
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut (), values: &[V]) -> Result<(), Fault> {
        if values.is_empty() {
            return Ok(());
        }
        let count = count::<F>(values.len())?;
        self.at(const { slot(M::INFO, F::INFO.number).at });
        let pointer = self.pointer()?;
        if let FieldType::Message(info) = F::INFO.ty {
            let mut list = structs(pointer, count, struct_size(size(info)))?;
            for (at, value) in (0..).zip(values) {
                value.write::<F, _>(&mut Output { place: Place::Struct(list.reborrow(), at) })?;
            }
        } else {
            let mut list = pointer.init_list(element_size(F::INFO), count);
            for (at, value) in (0..).zip(values) {
                value.write::<F, _>(&mut Output { place: Place::Element(list.reborrow(), at) })?;
            }
        }
        Ok(())
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
        entries: &BTreeMap<K, V>,
    ) -> Result<(), Fault> {
        if entries.is_empty() {
            return Ok(());
        }
        let count = count::<F>(entries.len())?;
        let Entry { key: key_at, value: value_at, size } = const { entry(Key::<F>::INFO, F::INFO) };
        self.at(const { slot(M::INFO, F::INFO.number).at });
        let mut list = structs(self.pointer()?, count, struct_size(size))?;
        for (at, (key, value)) in (0..).zip(entries) {
            let mut one = Output { place: Place::Field(list.reborrow().get(at).0, key_at) };
            key.write::<Key<F>, _>(&mut one)?;
            one.at(value_at);
            value.write::<F, _>(&mut one)?;
        }
        Ok(())
    }

    #[inline]
    fn choice<M: Record, C: Choice>(&mut self, frame: &mut (), choice: &C) -> Result<(), Fault> {
        let union = const { slot(M::INFO, C::INFO.alternatives[0].number).union };
        // `none` is 0.
        self.structure()?.set_data_field(union as usize, choice.ordinal() as u16 + 1);
        choice.write::<_, M>(self, frame)
    }

    #[inline]
    fn optional_choice<M: Record, C: Choice>(
        &mut self,
        frame: &mut (),
        choice: Option<&C>,
    ) -> Result<(), Fault> {
        match choice {
            Some(choice) => self.choice::<M, C>(frame, choice),
            None => Ok(()),
        }
    }

    #[inline]
    fn boolean<F: Field>(&mut self, value: bool) -> Result<(), Fault> {
        match &self.place {
            Place::Field(structure, at) => structure.set_bool_field(*at as usize, value),
            Place::Element(list, at) => PrimitiveElement::set(list, *at, value),
            Place::Struct(..) => return Err(misplaced()),
        }
        Ok(())
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
        if const { F::INFO.range.is_some() } && i64::try_from(value).is_err() {
            return Err(Fault::in_field(Problem::OutOfRange(value.into()), F::INFO.name));
        }
        self.integer::<F>(value.cast_signed())
    }

    #[inline]
    fn f32<F: Field>(&mut self, value: f32) -> Result<(), Fault> {
        self.scalar(value)
    }

    #[inline]
    fn f64<F: Field>(&mut self, value: f64) -> Result<(), Fault> {
        self.scalar(value)
    }

    #[inline]
    fn text<F: Field>(&mut self, value: &str) -> Result<(), Fault> {
        self.block(value.as_bytes(), Some(value), const { is_optional::<F>() }, F::INFO.name)
    }

    #[inline]
    fn bytes<F: Field>(&mut self, value: &[u8]) -> Result<(), Fault> {
        self.block(value, None, const { is_optional::<F>() }, F::INFO.name)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self, value: E) -> Result<(), Fault> {
        self.scalar(value.ordinal() as u16)
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self, value: &M) -> Result<(), Fault> {
        let structure = match &mut self.place {
            Place::Struct(list, at) => list.reborrow().get(*at).0,
            _ => self.pointer()?.init_struct(const { struct_size(size(M::INFO)) }),
        };
        value.write(&mut Output { place: Place::Field(structure, 0) })
    }
}

const fn is_optional<F: Field>() -> bool {
    matches!(F::INFO.shape, Shape::Optional)
}
