//! Byte formats without tags, whose fields follow each other in the order of the definition: LCM, ROS 1, CDR.
//!
//! One writer and one reader, generic over a [`Layout`] of constants (byte order, alignment, the NUL after
//! strings, widths of integers), so that each format is straight-line code of its own and is written once.
//! Lengths are u32; lists and byte strings of fixed length have none.
//!
//! Stand-ins that all of them share: an optional field is a list of at most one element; so is each alternative
//! of a oneof; a map is a list of {key, value}.
//!
//! Limits: a text that contains a NUL is refused where strings end with one. Memory of a decoded value is
//! bounded by [`cautious_capacity`](crate::record::cautious_capacity), nesting by [`Depth`](crate::record::Depth).

mod reader;
pub mod writer;

use crate::record::{Fault, Field, FieldInfo, FieldType, Integer, MemberInfo, MessageInfo, Record, Shape};
use crate::sink::{Block, MAX_BLOCK_BYTES, MAX_ROOM_BYTES, Room};
use reader::Input;
use writer::Body;

/// What distinguishes these formats.
pub trait Layout: 'static {
    /// Whether the most significant byte comes first.
    const BIG_ENDIAN: bool;
    /// Whether a number's offset from the message's start is a multiple of its width.
    const ALIGNED: bool;
    /// Whether strings end with a NUL, which their length includes.
    const NUL: bool;
    /// How wide integers and enums are.
    const INTEGERS: Integers;
}

/// The integer types that a format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integers {
    /// Signed and unsigned of every width: the narrowest that holds the definition's range or the enum.
    Narrowest,
    /// The same, but enums take four bytes.
    WideEnums,
    /// Signed ones, and an unsigned one of 8 bits: the narrowest that holds the range; u32 becomes 64 bits wide, u64 keeps
    /// its bits, enums take four bytes.
    Signed,
}

/// The type of an integer or enum field; `None` for other types.
pub const fn integer_of(field: &FieldInfo, integers: Integers) -> Option<Integer> {
    let narrowest = match field.integer() {
        Some(integer) => integer,
        None => return None,
    };
    let is_enum = matches!(field.ty, FieldType::Enum(_));
    let four = Integer { bits: 32, signed: true };
    Some(match integers {
        Integers::Narrowest => narrowest,
        Integers::WideEnums | Integers::Signed if is_enum => four,
        Integers::WideEnums => narrowest,
        Integers::Signed if narrowest.signed || narrowest.bits == 8 => narrowest,
        Integers::Signed => match (field.range, narrowest.bits) {
            (Some((_, max)), 16) if max <= 0x7fff => Integer { bits: 16, signed: true },
            (Some((_, max)), 32) if max <= 0x7fff_ffff => four,
            (_, 16) => four,
            _ => Integer { bits: 64, signed: true },
        },
    })
}

/// Appends a message to `out`; alignment counts from there.
#[inline(always)]
pub fn write<L: Layout, M: Record>(message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
    let bytes = const { size_up_to::<L>(M::INFO, MAX_ROOM_BYTES) };
    // Each condition is a constant: the branch that it rules out is not compiled for the message.
    if const { size_up_to::<L>(M::INFO, MAX_BLOCK_BYTES).is_some() } {
        let mut block = Block::empty();
        message.write(&mut Body::<L, _>::new(&mut block))?;
        out.extend_from_slice(block.bytes(bytes.unwrap_or(0)));
        Ok(())
    } else if const { size_up_to::<L>(M::INFO, MAX_ROOM_BYTES).is_some() } {
        message.write(&mut Body::<L, _>::new(&mut Room::behind(out, bytes.unwrap_or(0))))
    } else {
        message.write(&mut Body::<L, _>::new(out))
    }
}

/// Reads a message that occupies all of `bytes`.
#[inline(always)]
pub fn read<L: Layout, M: Record>(bytes: &[u8]) -> Result<M, Fault> {
    // Checked once for messages of known size: the compiler then drops every further check of the length.
    if let Some(whole) = const { size::<L>(M::INFO, 0) }
        && bytes.len() != whole
    {
        return Err(Fault::other(format_args!(
            "it has {} bytes, and the message takes {whole}",
            bytes.len()
        )));
    }
    let mut input = Input::<L>::new(bytes);
    let message = M::read(&mut input)?;
    input.finish()?;
    Ok(message)
}

/// The largest offset in a message that is computed beforehand: for messages that contain each other twice, level by level,
/// the work would double with each level.
const MAX_KNOWN_BYTES: usize = 1 << 16;

/// The bytes that a message takes, if the definition fixes them and they are at most `most`.
const fn size_up_to<L: Layout>(message: &MessageInfo, most: usize) -> Option<usize> {
    match size::<L>(message, 0) {
        Some(size) if size <= most => Some(size),
        _ => None,
    }
}

/// Where a message that begins at `at` ends; `None` where that depends on its values, or is too far.
const fn size<L: Layout>(message: &MessageInfo, at: usize) -> Option<usize> {
    let (mut end, mut member) = (at, 0);
    while member < message.members.len() {
        let MemberInfo::Field(field) = &message.members[member] else {
            return None;
        };
        if !matches!(field.shape, Shape::One) {
            return None;
        }
        let bytes = match (field.ty, field.fixed_length) {
            (FieldType::Message(inner), _) => match size::<L>(inner, end) {
                Some(inner_end) => {
                    end = inner_end;
                    0
                }
                None => return None,
            },
            (FieldType::Bytes, Some(length)) => {
                end += length as usize;
                0
            }
            (FieldType::Bytes | FieldType::Text, _) => return None,
            (FieldType::Bool, _) => 1,
            (FieldType::F32, _) => 4,
            (FieldType::F64, _) => 8,
            _ => match integer_of(field, L::INTEGERS) {
                Some(integer) => integer.bytes(),
                None => return None,
            },
        };
        if bytes > 0 {
            let padding = if L::ALIGNED { end.wrapping_neg() & (bytes - 1) } else { 0 };
            end += padding + bytes;
        }
        if end > MAX_KNOWN_BYTES {
            return None;
        }
        member += 1;
    }
    Some(end)
}

/// The type of an integer or enum field.
const fn integer<F: Field, L: Layout>() -> Integer {
    match integer_of(F::INFO, L::INTEGERS) {
        Some(integer) => integer,
        None => panic!("no integer"),
    }
}

/// Whether the encoding of a list of such integers equals its bytes in memory.
const fn is_plain<F: Field, L: Layout>() -> bool {
    F::INFO.range.is_none() && integer::<F, L>().bits == 32
}

/// The bytes of a number in reverse order; at most eight. Goes through an integer, which the compiler turns into
/// one instruction; bytes swapped one by one would stay that.
#[inline(always)]
fn reversed<const N: usize>(bytes: [u8; N]) -> [u8; N] {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(&bytes);
    let swapped = (u64::from_le_bytes(wide).swap_bytes() >> (u64::BITS as usize - 8 * N)).to_le_bytes();
    std::array::from_fn(|at| swapped[at])
}
