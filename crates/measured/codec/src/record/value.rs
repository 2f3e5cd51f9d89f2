//! The types of values; each selects its method of a writer or reader.

use super::{Fault, Field, Problem, Reader, Visitor, Writer, check, collect};

/// A value of one of the definition's types.
pub trait Value: Sized {
    /// Writes it with the method for its type.
    fn write<F: Field, W: Writer>(&self, writer: &mut W) -> Result<(), Fault>;
    /// Reads one with the method for its type.
    fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault>;
    /// Visits one without creating it.
    fn visit<F: Field, W: Visitor>(visitor: &mut W) -> Result<(), Fault>;

    /// Refuses a number outside the field's range, and bytes or text whose length it does not allow.
    #[inline]
    fn check<F: Field>(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Writes the elements of a list, without their number.
    #[inline]
    fn write_list<F: Field, W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Fault> {
        values.iter().try_for_each(|value| value.write::<F, W>(writer))
    }

    /// Reads `count` elements of a list.
    #[inline]
    fn read_list<'a, F: Field, R: Reader<'a>>(reader: &mut R, count: usize) -> Result<Vec<Self>, Fault> {
        collect(count, reader.left_bytes(), || Self::read::<F, R>(reader))
    }
}

macro_rules! scalars {
    ($($ty:ty: $method:ident $(, in range: $number:expr)?;)*) => {$(
        impl Value for $ty {
            #[inline]
            fn write<F: Field, W: Writer>(&self, writer: &mut W) -> Result<(), Fault> {
                writer.$method::<F>(*self)
            }
            #[inline]
            fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault> {
                reader.$method::<F>()
            }
            #[inline]
            fn visit<F: Field, W: Visitor>(visitor: &mut W) -> Result<(), Fault> {
                visitor.$method::<F>()
            }
            $(#[inline]
            fn check<F: Field>(&self) -> Result<(), Fault> {
                let number: fn($ty) -> i64 = $number;
                check::<F>(number(*self))
            })?
        }
    )*};
}
scalars! {
    bool: boolean;
    i64: i64, in range: |value| value;
    // Ranges end at the largest i64 at most, so larger values are outside every range.
    u64: u64, in range: |value| i64::try_from(value).unwrap_or(i64::MAX);
}

macro_rules! bulk_scalars {
    ($($ty:ty: $method:ident, $elements:ident $(, in range: $number:expr)?;)*) => {$(
        impl Value for $ty {
            #[inline]
            fn write<F: Field, W: Writer>(&self, writer: &mut W) -> Result<(), Fault> {
                writer.$method::<F>(*self)
            }
            #[inline]
            fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault> {
                reader.$method::<F>()
            }
            #[inline]
            fn visit<F: Field, W: Visitor>(visitor: &mut W) -> Result<(), Fault> {
                visitor.$method::<F>()
            }
            #[inline]
            fn write_list<F: Field, W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Fault> {
                writer.$elements::<F>(values)
            }
            #[inline]
            fn read_list<'a, F: Field, R: Reader<'a>>(reader: &mut R, count: usize) -> Result<Vec<Self>, Fault> {
                reader.$elements::<F>(count)
            }
            $(#[inline]
            fn check<F: Field>(&self) -> Result<(), Fault> {
                let number: fn($ty) -> i64 = $number;
                check::<F>(number(*self))
            })?
        }
    )*};
}
bulk_scalars! {
    i32: i32, i32_elements, in range: i64::from;
    u32: u32, u32_elements, in range: i64::from;
    f32: f32, f32_elements;
    f64: f64, f64_elements;
}

impl Value for String {
    #[inline]
    fn write<F: Field, W: Writer>(&self, writer: &mut W) -> Result<(), Fault> {
        writer.text::<F>(self)
    }
    #[inline]
    fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault> {
        reader.text::<F>()
    }
    #[inline]
    fn visit<F: Field, W: Visitor>(visitor: &mut W) -> Result<(), Fault> {
        visitor.text::<F>()
    }
}

impl Value for Vec<u8> {
    #[inline]
    fn write<F: Field, W: Writer>(&self, writer: &mut W) -> Result<(), Fault> {
        writer.bytes::<F>(self)
    }
    #[inline]
    fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault> {
        reader.bytes::<F>()
    }
    #[inline]
    fn visit<F: Field, W: Visitor>(visitor: &mut W) -> Result<(), Fault> {
        visitor.bytes::<F>()
    }
    #[inline]
    fn check<F: Field>(&self) -> Result<(), Fault> {
        match const { F::INFO.value_length() }.allows(self.len()) {
            true => Ok(()),
            false => Err(Fault::in_field(Problem::Length(self.len() as u64), F::INFO.name)),
        }
    }
}

impl<V: Value> Value for Box<V> {
    #[inline]
    fn write<F: Field, W: Writer>(&self, writer: &mut W) -> Result<(), Fault> {
        (**self).write::<F, W>(writer)
    }
    #[inline]
    fn read<'a, F: Field, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault> {
        V::read::<F, R>(reader).map(Box::new)
    }
    #[inline]
    fn visit<F: Field, W: Visitor>(visitor: &mut W) -> Result<(), Fault> {
        V::visit::<F, W>(visitor)
    }
    #[inline]
    fn check<F: Field>(&self) -> Result<(), Fault> {
        (**self).check::<F>()
    }
}

/// The most memory that a claimed number of elements may reserve, as a multiple of the bytes that are left.
const RESERVED_PER_INPUT_BYTE: usize = 8;

/// The capacity to reserve for a length claimed in the input: as many elements as claimed, but never more
/// memory than eight times the bytes that are left. Lists grow beyond that as elements are actually read.
pub fn cautious_capacity<V>(count: usize, left_bytes: usize) -> usize {
    let most = left_bytes.saturating_mul(RESERVED_PER_INPUT_BYTE) / std::mem::size_of::<V>().max(1);
    count.min(most)
}

/// The nesting depth of messages; refused beyond [`Depth::MAX`], because each level costs stack.
#[derive(Debug, Clone, Copy, Default)]
pub struct Depth(u32);

impl Depth {
    /// The deepest nesting that is read.
    pub const MAX: u32 = 128;
    /// The depth outside every message.
    pub const ROOT: Depth = Depth(0);

    /// Enters a message; refused beyond [`Depth::MAX`].
    #[inline]
    pub fn enter(&mut self) -> Result<(), Fault> {
        self.0 += 1;
        if self.0 > Self::MAX {
            return Err(Fault::new(Problem::Depth(Self::MAX)));
        }
        Ok(())
    }

    /// Leaves the message entered last.
    #[inline]
    pub fn leave(&mut self) {
        self.0 -= 1;
    }
}
