//! OpenDaVINCI's Netstrings: fields with ids and sizes, between a magic number and a comma.
//!
//! Source: the layout tables of V. Borosean, S. Eidukas, A. Dang, "Evaluating Data Marshalling Approaches for Embedded
//! Real-Time Systems on the Example of Autonomous Scaled Cars" (University of Gothenburg, 2015) and OpenDaVINCI's
//! serializers, whose later form the study did not have. The tests compare the bytes with those of a C++ program that
//! was written from this layout.
//!
//! The 2015 form: AA CF, u32 length of the payload, the payload, one comma; the payload is u32 id, u32 size and value per
//! field, all big-endian. bool takes one byte, 32-bit integers and float four, 64-bit integers and double eight; a string is u32 length and
//! bytes; a nested message is a whole message of the same form. The later form: AB CF, and every length, id, size
//! and integer as varint, signed ones zigzag.
//!
//! Ids are the definition's field numbers; the variant `crc` uses the pseudo-CRC of the names. Stand-ins: bytes are strings; an enum is a
//! signed 32-bit integer; a list is one field with a count and the elements one after the other (no count where the length is fixed); a map
//! is such a list with alternating keys and values; an absent optional field and the alternatives of a oneof that are not chosen are left
//! out.
//!
//! Readers accept fields in any order, skip unknown ids, and leave absent fields empty or zero, as the middleware does; a oneof that the
//! definition requires must be present.

pub mod declared;
mod reader;
pub mod writer;

use wiredyno_contract::DeclaredCodec;

use reader::{Input, message_of};
use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::container::{Container, Opened};
use wiredyno_codec::container_alone;
use wiredyno_codec::record::{
    Fault, FieldInfo, FieldType, MemberInfo, MessageInfo, Record, RecordFormat, Shape,
};
use wiredyno_codec::sink::{MAX_ROOM_BYTES, Room};
use writer::Body;

/// Implements `netstrings/wiredyno`, declared as [`declared::NETSTRINGS`].
#[derive(Debug, Default)]
pub struct Netstrings;

/// Implements `netstrings/wiredyno:crc`, declared as [`declared::NETSTRINGS_CRC`].
#[derive(Debug, Default)]
pub struct NetstringsCrc;

/// Implements `netstrings/wiredyno:varint`, declared as [`declared::NETSTRINGS_VARINT`].
#[derive(Debug, Default)]
pub struct NetstringsVarint;

/// Implements `netstrings/wiredyno:container`, declared as [`declared::NETSTRINGS_CONTAINER`].
#[derive(Debug, Default)]
pub struct NetstringsContainer;

/// Implements `netstrings/wiredyno:container-alone`, declared as [`declared::NETSTRINGS_CONTAINER_ALONE`].
#[derive(Debug, Default)]
pub struct NetstringsContainerAlone;

macro_rules! codec {
    ($codec:ty, $declared:ident) => {
        impl Codec for $codec {
            fn declared(&self) -> &'static DeclaredCodec {
                &declared::$declared
            }
        }
    };
}

codec!(Netstrings, NETSTRINGS);
codec!(NetstringsCrc, NETSTRINGS_CRC);
codec!(NetstringsVarint, NETSTRINGS_VARINT);
codec!(NetstringsContainer, NETSTRINGS_CONTAINER);
codec!(NetstringsContainerAlone, NETSTRINGS_CONTAINER_ALONE);

container_alone!(NetstringsContainerAlone, NetstringsContainer);

/// The pseudo-CRC of a field's name: `r ^= c ^ 0x04C11DB7` per byte, and the sum of all `r`.
pub const fn name_id(name: &str) -> u32 {
    let (bytes, mut at) = (name.as_bytes(), 0);
    let (mut register, mut sum) = (0_u32, 0_u32);
    while at < bytes.len() {
        register ^= bytes[at] as u32 ^ 0x04C1_1DB7;
        sum = sum.wrapping_add(register);
        at += 1;
    }
    sum
}

/// Every field, the alternatives of oneofs in their places.
fn fields(message: &'static MessageInfo) -> impl Iterator<Item = &'static FieldInfo> {
    message.members.iter().flat_map(|member| match member {
        MemberInfo::Field(field) => std::slice::from_ref(field),
        MemberInfo::Choice(choice) => choice.alternatives,
    })
}

/// Every message reachable from this one, itself included.
fn reachable(message: &'static MessageInfo) -> Vec<&'static MessageInfo> {
    let (mut known, mut waiting) = (Vec::<&'static MessageInfo>::new(), vec![message]);
    while let Some(message) = waiting.pop() {
        if known.iter().any(|other| std::ptr::eq(*other, message)) {
            continue;
        }
        known.push(message);
        waiting.extend(fields(message).filter_map(|field| match field.ty {
            FieldType::Message(inner) => Some(inner),
            _ => None,
        }));
    }
    known
}

/// The field numbers for pseudo-CRCs, message by message.
#[derive(Debug)]
pub struct NameIds(Vec<(&'static MessageInfo, Vec<(u32, u32)>)>);

impl NameIds {
    fn of(message: &'static MessageInfo) -> NameIds {
        let ids = |message| fields(message).map(|field| (name_id(field.name), field.number)).collect();
        NameIds(reachable(message).into_iter().map(|message| (message, ids(message))).collect())
    }

    /// The number of the field with this id; 0, which no field has, if there is none.
    fn number(&self, message: &'static MessageInfo, id: u32) -> u32 {
        let of_message = self.0.iter().find(|(known, _)| std::ptr::eq(*known, message));
        let ids = of_message.map_or(&[][..], |(_, ids)| ids.as_slice());
        ids.iter().find(|(known, _)| *known == id).map_or(0, |(_, number)| *number)
    }
}

/// The bytes that a whole message of the 2015 form takes; `None` where that depends on its values, or is more than
/// [`MAX_ROOM_BYTES`]: for messages that contain each other twice, level by level, the work would double with each level.
const fn size(message: &MessageInfo) -> Option<usize> {
    // Magic, length, and the comma.
    let (mut bytes, mut member) = (2 + 4 + 1, 0);
    while member < message.members.len() {
        bytes += match &message.members[member] {
            MemberInfo::Field(field) => match field_size(field) {
                // Id and size.
                Some(value) => 4 + 4 + value,
                None => return None,
            },
            MemberInfo::Choice(_) => return None,
        };
        if bytes > MAX_ROOM_BYTES {
            return None;
        }
        member += 1;
    }
    Some(bytes)
}

/// The bytes of a field that is always present, without id and size; `None` where that depends on the value.
const fn field_size(field: &FieldInfo) -> Option<usize> {
    if matches!(field.shape, Shape::One) { value_size(field) } else { None }
}

/// The bytes of one value of a field; `None` where that depends on the value.
const fn value_size(field: &FieldInfo) -> Option<usize> {
    match (field.ty, field.fixed_length) {
        (FieldType::Message(inner), _) => size(inner),
        (FieldType::Text | FieldType::Bytes, Some(length)) => Some(4 + length as usize),
        (FieldType::Text | FieldType::Bytes, None) => None,
        (FieldType::Bool, _) => Some(1),
        (FieldType::I32 | FieldType::U32 | FieldType::F32 | FieldType::Enum(_), _) => Some(4),
        (FieldType::I64 | FieldType::U64 | FieldType::F64, _) => Some(8),
    }
}

/// Writes a whole message of the 2015 form.
#[inline(always)]
fn write<M: Record>(message: &M, by_name: bool, out: &mut Vec<u8>) -> Result<(), Fault> {
    // Each condition here and below is a constant: the branch that it rules out is not compiled for the message.
    if const { size(M::INFO).is_some() } {
        let out = &mut Room::behind(out, const { size(M::INFO) }.unwrap_or(0));
        Body::<false, _> { out, by_name }.whole(message)
    } else {
        write_fields(message, by_name, out)
    }
}

/// A message whose size depends on its values: compiled once for all variants.
#[inline(never)]
fn write_fields<M: Record>(message: &M, by_name: bool, out: &mut Vec<u8>) -> Result<(), Fault> {
    Body::<false> { out, by_name }.whole(message)
}

/// [`write`], compiled once for the variants, because all fields of the message may be inlined into it.
#[inline(never)]
fn write_variant<M: Record>(message: &M, by_name: bool, out: &mut Vec<u8>) -> Result<(), Fault> {
    write(message, by_name, out)
}

/// Reads a whole message of the 2015 form, straight through if everything in it is at the definition's places.
#[inline(always)]
fn read<M: Record>(bytes: &[u8], names: Option<&NameIds>) -> Result<M, Fault> {
    if const { size(M::INFO).is_some() }
        && const { size(M::INFO) } == Some(bytes.len())
        && let Ok(message) = message_of(&mut Input::<false, true>::new(bytes, names))
    {
        return Ok(message);
    }
    read_fields(bytes, names)
}

/// A message with fields in any order: compiled once for all variants.
#[inline(never)]
fn read_fields<M: Record>(bytes: &[u8], names: Option<&NameIds>) -> Result<M, Fault> {
    message_of(&mut Input::<false, false>::new(bytes, names))
}

/// [`read`], compiled once for the variants.
#[inline(never)]
fn read_variant<M: Record>(bytes: &[u8], names: Option<&NameIds>) -> Result<M, Fault> {
    read(bytes, names)
}

impl RecordFormat for Netstrings {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        write(message, false, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        read(bytes, None)
    }
}

impl RecordFormat for NetstringsCrc {
    type State = NameIds;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        for message in reachable(message) {
            let mut ids: Vec<_> = fields(message).map(|field| (name_id(field.name), field.name)).collect();
            ids.sort_unstable();
            if let Some(pair) = ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Reason(format!(
                    "`{}` and `{}` of `{}` have the same pseudo-CRC; rename one of them",
                    pair[0].1, pair[1].1, message.name
                )));
            }
        }
        Ok(())
    }

    fn state<M: Record>(&self) -> Result<NameIds, Fault> {
        Ok(NameIds::of(M::INFO))
    }

    #[inline(always)]
    fn write<M: Record>(&self, _: &mut NameIds, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        write_variant(message, true, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, ids: &NameIds, bytes: &[u8]) -> Result<M, Fault> {
        read_variant(bytes, Some(ids))
    }
}

impl RecordFormat for NetstringsVarint {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        Body::<true> { out, by_name: false }.whole(message)
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        message_of(&mut Input::<true, false>::new(bytes, None))
    }
}

impl RecordFormat for NetstringsContainer {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = Body::<false> { out, by_name: false }.container_start();
        write_variant(message, false, out)?;
        Body::<false> { out, by_name: false }.container_end(start)
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        read_variant(reader::container(bytes)?.message()?, None)
    }
}

impl Container for NetstringsContainer {
    type State = ();
    type Key = ();

    fn state(_: &'static MessageInfo) {}

    fn key((): &()) {}

    #[inline(always)]
    fn write_message<M: Record>((): (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        write_variant(message, false, out)
    }

    #[inline(always)]
    fn read_message<M: Record>((): (), bytes: &[u8]) -> Result<M, Fault> {
        read_variant(bytes, None)
    }

    #[inline(always)]
    fn wrap((): &mut (), message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        out.reserve(writer::CONTAINER_BYTES + message.len());
        let start = Body::<false> { out, by_name: false }.container_start();
        out.extend_from_slice(message);
        Body::<false> { out, by_name: false }.container_end(start)
    }

    #[inline(always)]
    fn open<'a>((): &(), bytes: &'a [u8]) -> Result<Opened<&'a [u8]>, Fault> {
        reader::container(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::name_id;

    #[test]
    fn the_id_of_speed_is_the_known_one() {
        assert_eq!(name_id("speed"), 0x0E43_596B);
    }
}
