//! The car study's [container](wiredyno_codec::container) as a ROS 1 message.
//!
//! As roscpp would serialize it: `uint32 data_type`, `uint8[] data`, `TimeStamp sent`, `TimeStamp received`, where `TimeStamp` is
//! `int32 seconds`, `int32 microseconds`, behind the header of a UDPROS datagram and the container's length. `data` is the message
//! as `ros1/wiredyno` writes it; the study's string of the same bytes looks the same. The study also wrote the message's size at the
//! beginning of `data`, which ROS 1 does not.

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::Codec;
use wiredyno_codec::container::{Container, DATA_TYPE, Opened, TIME, Time};
use wiredyno_codec::container_alone;
use wiredyno_codec::cursor::Cursor;
use wiredyno_codec::positional;
use wiredyno_codec::record::{Fault, MessageInfo, Problem, Record, RecordFormat};

use crate::{Plain, UDP_HEADER, behind, declared, length_of};

/// Implements `ros1/wiredyno:container`, declared as [`declared::ROS1_CONTAINER`].
#[derive(Debug, Default)]
pub struct Ros1Container;

/// Implements `ros1/wiredyno:container-alone`, declared as [`declared::ROS1_CONTAINER_ALONE`].
#[derive(Debug, Default)]
pub struct Ros1ContainerAlone;

impl Codec for Ros1Container {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::ROS1_CONTAINER
    }
}

impl Codec for Ros1ContainerAlone {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::ROS1_CONTAINER_ALONE
    }
}

container_alone!(Ros1ContainerAlone, Ros1Container);

/// The times of a container.
#[derive(Debug)]
pub struct Times {
    sent: Time,
    received: Time,
}

impl Default for Times {
    fn default() -> Self {
        Times { sent: TIME, received: TIME }
    }
}

/// Data type, and the number of the message's bytes.
const BEFORE_BYTES: usize = 4 + 4;
/// Two times of seconds and nanoseconds, four bytes each.
const AFTER_BYTES: usize = 8 + 8;

/// Header, length and container up to a message of so many bytes.
///
/// # Errors
/// When a length does not fit 32 bits.
#[inline(always)]
fn start(message: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let (whole, string) = lengths(message)?;
    out.extend_from_slice(&UDP_HEADER);
    out.extend_from_slice([whole, DATA_TYPE.to_le_bytes(), string].as_flattened());
    Ok(())
}

/// The lengths of the container and of the message in it.
fn lengths(message: usize) -> Result<([u8; 4], [u8; 4]), Fault> {
    let whole = message.checked_add(BEFORE_BYTES + AFTER_BYTES);
    let whole = whole.ok_or_else(|| Fault::new(Problem::Length(message as u64)))?;
    Ok((length_of(whole)?, length_of(message)?))
}

impl Times {
    /// The container behind the message.
    #[inline(always)]
    fn end(&self, out: &mut Vec<u8>) {
        let Times { sent, received } = self;
        let numbers = [sent.seconds, sent.microseconds, received.seconds, received.microseconds];
        out.extend_from_slice(numbers.map(i32::to_le_bytes).as_flattened());
    }

    /// Appends header, length and container around a message.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    #[inline(always)]
    pub fn wrap(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        out.reserve(UDP_HEADER.len() + 4 + BEFORE_BYTES + message.len() + AFTER_BYTES);
        start(message.len(), out)?;
        out.extend_from_slice(message);
        self.end(out);
        Ok(())
    }
}

/// Reads header, length and container.
///
/// # Errors
/// When the bytes are not those of one container.
#[inline(always)]
pub fn open(bytes: &[u8]) -> Result<Opened<&[u8]>, Fault> {
    let mut cursor = Cursor::new(behind(bytes)?);
    let data_type = u32::from_le_bytes(cursor.array()?);
    let length = u32::from_le_bytes(cursor.array()?);
    let message = cursor.take(length as usize)?;
    let mut number = || Ok::<_, Fault>(i32::from_le_bytes(cursor.array()?));
    let sent = Time { seconds: number()?, microseconds: number()? };
    let received = Time { seconds: number()?, microseconds: number()? };
    cursor.finish()?;
    Ok(Opened { data_type, message, sent, received })
}

impl RecordFormat for Ros1Container {
    type State = Times;

    fn state<M: Record>(&self) -> Result<Times, Fault> {
        Ok(Times::default())
    }

    #[inline(always)]
    fn write<M: Record>(&self, times: &mut Times, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        let begin = out.len() + UDP_HEADER.len();
        start(0, out)?;
        let body = out.len();
        positional::write::<Plain, M>(message, out)?;
        let (whole, string) = lengths(out.len() - body)?;
        out[begin..begin + 4].copy_from_slice(&whole);
        out[body - 4..body].copy_from_slice(&string);
        times.end(out);
        Ok(())
    }

    #[inline(always)]
    fn read<M: Record>(&self, _: &Times, bytes: &[u8]) -> Result<M, Fault> {
        positional::read::<Plain, M>(open(bytes)?.message()?)
    }
}

impl Container for Ros1Container {
    type State = Times;
    type Key = ();

    fn state(_: &'static MessageInfo) -> Times {
        Times::default()
    }

    fn key(_: &Times) {}

    #[inline(always)]
    fn write_message<M: Record>((): (), message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        positional::write::<Plain, M>(message, out)
    }

    #[inline(always)]
    fn read_message<M: Record>((): (), bytes: &[u8]) -> Result<M, Fault> {
        positional::read::<Plain, M>(bytes)
    }

    #[inline(always)]
    fn wrap(times: &mut Times, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        times.wrap(message, out)
    }

    #[inline(always)]
    fn open<'a>(_: &Times, bytes: &'a [u8]) -> Result<Opened<&'a [u8]>, Fault> {
        open(bytes)
    }
}
