//! ROS 1 messages as roscpp serializes them: little-endian, fields one after the other without tags or padding.
//!
//! Source: the ROS wiki's pages "msg" (field types) and "roscpp/Overview/MessagesSerializationAndAdaptingTypes";
//! the tests compare the bytes with roscpp's and genpy's. Integers are the narrowest type that holds the definition's range;
//! strings and arrays of unknown length carry their number as u32, fixed arrays do not.
//!
//! Stand-ins: an optional field is an array of at most one element; so is each alternative of a oneof; a map
//! is an array of {key, value}; an enum is the narrowest integer that holds its numbers; a string of fixed
//! length is an ordinary string. A fixed-length bytes field is `uint8[N]`.

pub mod container;
pub mod declared;

pub use container::{Ros1Container, Ros1ContainerAlone};

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::cursor::Cursor;
use wiredyno_codec::positional::{self, Integers, Layout};
use wiredyno_codec::record::{Fault, Problem, Record, RecordFormat};

/// ROS 1's byte order and integer widths, as a layout.
pub struct Plain;

impl Layout for Plain {
    const BIG_ENDIAN: bool = false;
    const ALIGNED: bool = false;
    const NUL: bool = false;
    const INTEGERS: Integers = Integers::Narrowest;
}

/// Implements `ros1/wiredyno`, declared as [`declared::ROS1`].
#[derive(Debug, Default)]
pub struct Ros1;

impl Codec for Ros1 {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::ROS1
    }
}

/// Implements `ros1/wiredyno:udp`, declared as [`declared::ROS1_UDP`].
#[derive(Debug, Default)]
pub struct Ros1Udp;

impl Codec for Ros1Udp {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::ROS1_UDP
    }
}

/// UDPROS header (ROS wiki, "ROS/UDPROS"): u32 connection id, u8 opcode (0 is DATA0), u8 message id, u16 number of
/// blocks, little-endian.
pub const UDP_HEADER: [u8; 8] = [0, 0, 0, 0, 0, 0, 1, 0];

impl RecordFormat for Ros1Udp {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.extend_from_slice(&UDP_HEADER);
        out.extend_from_slice(&[0; 4]);
        let start = out.len();
        positional::write::<Plain, M>(message, out)?;
        let length = length_of(out.len() - start)?;
        out[start - 4..start].copy_from_slice(&length);
        Ok(())
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        positional::read::<Plain, M>(behind(bytes)?)
    }
}

/// What follows the header of a datagram and the length.
///
/// # Errors
/// When the message has more datagrams than one, or the length is wrong.
#[inline(always)]
fn behind(bytes: &[u8]) -> Result<&[u8], Fault> {
    let mut cursor = Cursor::new(bytes);
    let header = cursor.array::<8>()?;
    if header[4] != UDP_HEADER[4] || header[6..] != UDP_HEADER[6..] {
        return Err(Fault::other("the datagram is not the only one of its message"));
    }
    let length = u32::from_le_bytes(cursor.array()?);
    let body = cursor.take(length as usize)?;
    cursor.finish()?;
    Ok(body)
}

/// A number of bytes as ROS 1 writes it.
fn length_of(bytes: usize) -> Result<[u8; 4], Fault> {
    let length = u32::try_from(bytes).map_err(|_| Fault::new(Problem::Length(bytes as u64)))?;
    Ok(length.to_le_bytes())
}

impl RecordFormat for Ros1 {
    type State = ();

    fn state<M: Record>(&self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn write<M: Record>(&self, (): &mut (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        positional::write::<Plain, M>(message, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, (): &(), bytes: &[u8]) -> Result<M, Fault> {
        positional::read::<Plain, M>(bytes)
    }
}
