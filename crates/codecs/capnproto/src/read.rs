//! The walks over an encoded message: one creates a value, the other only touches it.
//!
//! One file because both walks find their values through the same places.

use std::collections::BTreeMap;

use capnp::private::layout::{ListReader, PointerReader, PrimitiveElement, StructReader};
use capnp::traits::FromPointerReader;
use capnp::{data_list, struct_list, text_list};

use super::layout::{Entry, entry, has_flag, slot};
use super::write::{element_size, integer_of};
use super::{Node, Scalar, refused};
use wiredyno_codec::record::{
    Choice, Enumeration, Fault, Field, FieldType, Key, Problem, Reader, Record, Value, Visitor,
    cautious_capacity, check,
};
use wiredyno_codec::touch::{Digest, Touch};

/// Decodes the value below a root pointer.
pub fn value<M: Record>(root: PointerReader<'_>, left_bytes: usize) -> Result<M, Fault> {
    let place = Place::Field(root.get_struct(None).map_err(refused)?, 0);
    M::read(&mut Input { place, left_bytes })
}

/// Touches every field, and returns the digest.
pub fn digest<M: Record>(root: PointerReader<'_>) -> Result<u64, Fault> {
    let mut digest = Digest::default();
    let place = Place::Field(root.get_struct(None).map_err(refused)?, 0);
    M::visit(&mut Touching { place, digest: &mut digest })?;
    Ok(digest.value())
}

/// The place of the next value.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// A field of a struct, counted as [`slot`] does.
    Field(StructReader<'a>, u32),
    /// An element of a list of scalars or pointers.
    Element(ListReader<'a>, u32),
    /// An element of a list of structs.
    Struct(struct_list::Reader<'a, Node>, u32),
}

/// A list of either kind; gives the places of its elements.
#[derive(Clone, Copy)]
enum List<'a> {
    Plain(ListReader<'a>),
    Structs(struct_list::Reader<'a, Node>),
}

impl<'a> List<'a> {
    fn len(self) -> u32 {
        match self {
            List::Plain(list) => list.len(),
            List::Structs(list) => list.len(),
        }
    }

    #[inline]
    fn at(self, at: u32) -> Place<'a> {
        match self {
            List::Plain(list) => Place::Element(list, at),
            List::Structs(list) => Place::Struct(list, at),
        }
    }
}

/// For cases that never occur: an error rather than a panic.
#[cold]
#[inline(never)]
fn misplaced() -> Fault {
    Fault::other("a value has no place in its struct: report this")
}

impl<'a> Place<'a> {
    #[inline]
    fn moved(self, at: u32) -> Place<'a> {
        match self {
            Place::Field(structure, _) => Place::Field(structure, at),
            other => other,
        }
    }

    #[inline]
    fn structure_here(self) -> Result<StructReader<'a>, Fault> {
        match self {
            Place::Field(structure, _) => Ok(structure),
            _ => Err(misplaced()),
        }
    }

    #[inline]
    fn scalar<T: Scalar>(self) -> Result<T, Fault> {
        match self {
            Place::Field(structure, at) => Ok(T::get_field(structure, at)),
            Place::Element(list, at) => Ok(PrimitiveElement::get(&list, at)),
            Place::Struct(..) => Err(misplaced()),
        }
    }

    #[inline]
    fn boolean(self) -> Result<bool, Fault> {
        match self {
            Place::Field(structure, at) => Ok(structure.get_bool_field(at as usize)),
            Place::Element(list, at) => Ok(PrimitiveElement::get(&list, at)),
            Place::Struct(..) => Err(misplaced()),
        }
    }

    #[inline]
    fn integer<F: Field>(self) -> Result<i64, Fault> {
        let signed = const { integer_of::<F>().signed };
        let value = if const { integer_of::<F>().bits == 8 } {
            let value = self.scalar::<u8>()?;
            if signed { value.cast_signed().into() } else { value.into() }
        } else if const { integer_of::<F>().bits == 16 } {
            let value = self.scalar::<u16>()?;
            if signed { value.cast_signed().into() } else { value.into() }
        } else if const { integer_of::<F>().bits == 32 } {
            let value = self.scalar::<u32>()?;
            if signed { value.cast_signed().into() } else { value.into() }
        } else {
            self.scalar::<i64>()?
        };
        check::<F>(value)?;
        Ok(value)
    }

    #[inline]
    fn enumeration<E: Enumeration>(self) -> Result<E, Fault> {
        E::from_ordinal(self.scalar::<u16>()?.into())
    }

    #[inline]
    fn pointer(self) -> Result<PointerReader<'a>, Fault> {
        match self {
            Place::Field(structure, at) => Ok(structure.get_pointer_field(at as usize)),
            _ => Err(misplaced()),
        }
    }

    #[inline(never)]
    fn text(self) -> Result<&'a str, Fault> {
        let text = match self {
            Place::Element(list, at) => text_list::Reader::new(list).get(at),
            _ => self.pointer()?.get_text(None),
        };
        text.map_err(refused)?.to_str().map_err(|_| Fault::new(Problem::Text))
    }

    #[inline(never)]
    fn bytes(self) -> Result<&'a [u8], Fault> {
        match self {
            Place::Element(list, at) => data_list::Reader::new(list).get(at),
            _ => self.pointer()?.get_data(None),
        }
        .map_err(refused)
    }

    /// The struct in a message field or list element.
    #[inline(never)]
    fn message(self, field: &'static str) -> Result<Place<'a>, Fault> {
        let structure = match self {
            Place::Struct(list, at) => list.get(at).0,
            _ => {
                let pointer = self.pointer()?;
                if pointer.is_null() {
                    return Err(Fault::in_field(Problem::Missing, field));
                }
                pointer.get_struct(None).map_err(refused)?
            }
        };
        Ok(Place::Field(structure, 0))
    }

    fn list<F: Field>(self) -> Result<List<'a>, Fault> {
        let pointer = self.pointer()?;
        match F::INFO.ty {
            FieldType::Message(_) => structs(&pointer).map(List::Structs),
            _ => pointer.get_list(element_size(F::INFO), None).map(List::Plain).map_err(refused),
        }
    }

    /// Whether an optional member is present.
    #[inline]
    fn present<M: Record, F: Field>(self) -> Result<bool, Fault> {
        let slot = const { slot(M::INFO, F::INFO.number) };
        let structure = self.structure_here()?;
        Ok(match const { has_flag(F::INFO) } {
            true => structure.get_bool_field(slot.flag as usize),
            false => !structure.get_pointer_field(slot.at as usize).is_null(),
        })
    }

    /// Which alternative of a oneof is present.
    #[inline]
    fn chosen<M: Record, C: Choice>(self) -> Result<Option<usize>, Fault> {
        let union = const { slot(M::INFO, C::INFO.alternatives[0].number).union };
        let chosen: u16 = self.structure_here()?.get_data_field(union as usize);
        // `none` is 0.
        Ok(usize::from(chosen).checked_sub(1))
    }
}

fn structs<'a>(pointer: &PointerReader<'a>) -> Result<struct_list::Reader<'a, Node>, Fault> {
    FromPointerReader::get_from_pointer(pointer, None).map_err(refused)
}

struct Input<'a> {
    place: Place<'a>,
    /// Bytes of the whole message: limits what a claimed length may reserve.
    left_bytes: usize,
}

impl<'a> Input<'a> {
    #[inline]
    fn at(&self, place: Place<'a>) -> Input<'a> {
        Input { place, left_bytes: self.left_bytes }
    }
}

impl<'a> Reader<'a> for Input<'a> {
    type Frame<M: Record> = ();

    #[inline]
    fn begin<M: Record>(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end<M: Record>(&mut self, (): ()) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<V, Fault> {
        V::read::<F, _>(&mut self.at(self.place.moved(const { slot(M::INFO, F::INFO.number).at })))
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(&mut self, frame: &mut ()) -> Result<Option<V>, Fault> {
        Ok(if self.place.present::<M, F>()? { Some(self.one::<M, F, V>(frame)?) } else { None })
    }

    fn list<M: Record, F: Field, V: Value>(&mut self, (): &mut ()) -> Result<Vec<V>, Fault> {
        let list = self.place.moved(const { slot(M::INFO, F::INFO.number).at }).list::<F>()?;
        let mut values = Vec::with_capacity(cautious_capacity::<V>(list.len() as usize, self.left_bytes));
        for at in 0..list.len() {
            values.push(V::read::<F, _>(&mut self.at(list.at(at)))?);
        }
        Ok(values)
    }

    fn map<M: Record, F: Field, K: Value + Ord, V: Value>(
        &mut self,
        (): &mut (),
    ) -> Result<BTreeMap<K, V>, Fault> {
        let Entry { key, value, .. } = const { entry(Key::<F>::INFO, F::INFO) };
        let list = structs(&self.place.moved(const { slot(M::INFO, F::INFO.number).at }).pointer()?)?;
        let mut entries = BTreeMap::new();
        for at in 0..list.len() {
            let place = Place::Field(list.get(at).0, key);
            let name = K::read::<Key<F>, _>(&mut self.at(place))?;
            entries.insert(name, V::read::<F, _>(&mut self.at(place.moved(value)))?);
        }
        Ok(entries)
    }

    fn choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<C, Fault> {
        self.optional_choice::<M, C>(frame)?.ok_or_else(|| Fault::in_field(Problem::Missing, C::INFO.name))
    }

    fn optional_choice<M: Record, C: Choice>(&mut self, frame: &mut ()) -> Result<Option<C>, Fault> {
        let chosen = self.place.chosen::<M, C>()?;
        chosen.map(|ordinal| C::read::<_, M>(ordinal, self, frame)).transpose()
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<bool, Fault> {
        self.place.boolean()
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<i32, Fault> {
        Ok(self.place.integer::<F>()? as i32)
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<i64, Fault> {
        self.place.integer::<F>()
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<u32, Fault> {
        Ok(self.place.integer::<F>()? as u32)
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<u64, Fault> {
        Ok(self.place.integer::<F>()?.cast_unsigned())
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<f32, Fault> {
        self.place.scalar()
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<f64, Fault> {
        self.place.scalar()
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<String, Fault> {
        self.place.text().map(str::to_owned)
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<Vec<u8>, Fault> {
        self.place.bytes().map(<[u8]>::to_vec)
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<E, Fault> {
        self.place.enumeration()
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<M, Fault> {
        M::read(&mut self.at(self.place.message(F::INFO.name)?))
    }

    #[inline]
    fn left_bytes(&self) -> usize {
        self.left_bytes
    }
}

/// Touches fields in the same order as in the domain value.
struct Touching<'a, 'd> {
    place: Place<'a>,
    digest: &'d mut Digest,
}

impl<'a> Touching<'a, '_> {
    #[inline]
    fn at(&mut self, place: Place<'a>) -> Touching<'a, '_> {
        Touching { place, digest: self.digest }
    }
}

impl Visitor for Touching<'_, '_> {
    #[inline]
    fn one<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault> {
        let place = self.place.moved(const { slot(M::INFO, F::INFO.number).at });
        V::visit::<F, _>(&mut self.at(place))
    }

    #[inline]
    fn optional<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault> {
        let present = self.place.present::<M, F>()?;
        self.digest.number(present.into());
        if present { self.one::<M, F, V>() } else { Ok(()) }
    }

    fn list<M: Record, F: Field, V: Value>(&mut self) -> Result<(), Fault> {
        let list = self.place.moved(const { slot(M::INFO, F::INFO.number).at }).list::<F>()?;
        self.digest.number(list.len().into());
        (0..list.len()).try_for_each(|at| V::visit::<F, _>(&mut self.at(list.at(at))))
    }

    fn map<M: Record, F: Field, K: Value, V: Value>(&mut self) -> Result<(), Fault> {
        let Entry { key, value, .. } = const { entry(Key::<F>::INFO, F::INFO) };
        let list = structs(&self.place.moved(const { slot(M::INFO, F::INFO.number).at }).pointer()?)?;
        self.digest.number(list.len().into());
        for at in 0..list.len() {
            let place = Place::Field(list.get(at).0, key);
            K::visit::<Key<F>, _>(&mut self.at(place))?;
            V::visit::<F, _>(&mut self.at(place.moved(value)))?;
        }
        Ok(())
    }

    fn choice<M: Record, C: Choice>(&mut self) -> Result<(), Fault> {
        let chosen = self.place.chosen::<M, C>()?;
        if chosen.is_none() && C::INFO.required {
            return Err(Fault::in_field(Problem::Missing, C::INFO.name));
        }
        for ordinal in 0..const { C::INFO.alternatives.len() } {
            self.digest.number((chosen == Some(ordinal)).into());
            if chosen == Some(ordinal) {
                C::visit::<_, M>(ordinal, self)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn boolean<F: Field>(&mut self) -> Result<(), Fault> {
        self.place.boolean()?.touch(self.digest);
        Ok(())
    }

    #[inline]
    fn i32<F: Field>(&mut self) -> Result<(), Fault> {
        (self.place.integer::<F>()? as i32).touch(self.digest);
        Ok(())
    }

    #[inline]
    fn i64<F: Field>(&mut self) -> Result<(), Fault> {
        self.place.integer::<F>()?.touch(self.digest);
        Ok(())
    }

    #[inline]
    fn u32<F: Field>(&mut self) -> Result<(), Fault> {
        (self.place.integer::<F>()? as u32).touch(self.digest);
        Ok(())
    }

    #[inline]
    fn u64<F: Field>(&mut self) -> Result<(), Fault> {
        self.place.integer::<F>()?.touch(self.digest);
        Ok(())
    }

    #[inline]
    fn f32<F: Field>(&mut self) -> Result<(), Fault> {
        self.place.scalar::<f32>()?.touch(self.digest);
        Ok(())
    }

    #[inline]
    fn f64<F: Field>(&mut self) -> Result<(), Fault> {
        self.place.scalar::<f64>()?.touch(self.digest);
        Ok(())
    }

    #[inline]
    fn text<F: Field>(&mut self) -> Result<(), Fault> {
        self.place.text()?.touch(self.digest);
        Ok(())
    }

    #[inline]
    fn bytes<F: Field>(&mut self) -> Result<(), Fault> {
        self.digest.bytes(self.place.bytes()?);
        Ok(())
    }

    #[inline]
    fn enumeration<F: Field, E: Enumeration>(&mut self) -> Result<(), Fault> {
        self.place.enumeration::<E>()?.number().touch(self.digest);
        Ok(())
    }

    #[inline]
    fn message<F: Field, M: Record>(&mut self) -> Result<(), Fault> {
        let place = self.place.message(F::INFO.name)?;
        M::visit(&mut self.at(place))
    }
}
