//! The car study's [container](wiredyno_codec::container) as an LCM message.
//!
//! As lcm-gen would encode it: `int32_t data_type; int32_t data_count; byte data[data_count]; TimeStamp sent; TimeStamp
//! received;`, where `TimeStamp` is `int32_t seconds; int32_t microseconds;`, behind the container's own fingerprint and the header
//! of a datagram with the message's name as its channel. `data` is the message as `lcm/wiredyno` writes it, fingerprint included.
//!
//! Stand-ins: the study's data type is a uint32, which LCM lacks; its string is an array of bytes, because LCM's strings end at the
//! first NUL. Both take as many bytes as theirs.

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::container::{Container, DATA_TYPE, Opened, TIME, Time};
use wiredyno_codec::container_alone;
use wiredyno_codec::cursor::Cursor;
use wiredyno_codec::record::{
    Fault, FieldInfo, FieldType, MemberInfo, MessageInfo, Problem, Record, RecordFormat, StandsFor,
};

use crate::fingerprint::{carries, fingerprint};
use crate::{behind, declared, header, read, write};

/// Implements `lcm/wiredyno:container`, declared as [`declared::LCM_CONTAINER`].
#[derive(Debug, Default)]
pub struct LcmContainer;

/// Implements `lcm/wiredyno:container-alone`, declared as [`declared::LCM_CONTAINER_ALONE`].
#[derive(Debug, Default)]
pub struct LcmContainerAlone;

impl Codec for LcmContainer {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::LCM_CONTAINER
    }
}

impl Codec for LcmContainerAlone {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::LCM_CONTAINER_ALONE
    }
}

container_alone!(LcmContainerAlone, LcmContainer);

const fn member(position: usize, name: &'static str, ty: FieldType) -> MemberInfo {
    MemberInfo::Field(FieldInfo { position, number: position as u32 + 1, ..FieldInfo::plain(name, ty) })
}

const fn message(name: &'static str, members: &'static [MemberInfo]) -> MessageInfo {
    MessageInfo { name, members, extensible: false, stands_for: StandsFor::Fields }
}

/// The container as a message, for its fingerprint.
pub(crate) static CONTAINER: MessageInfo = message("Container", &CONTAINER_MEMBERS);

static CONTAINER_MEMBERS: [MemberInfo; 4] = [
    member(0, "data_type", FieldType::I32),
    member(1, "data", FieldType::Bytes),
    member(2, "sent", FieldType::Message(&TIME_STAMP)),
    member(3, "received", FieldType::Message(&TIME_STAMP)),
];

static TIME_STAMP: MessageInfo = message("TimeStamp", &TIME_STAMP_MEMBERS);

static TIME_STAMP_MEMBERS: [MemberInfo; 2] =
    [member(0, "seconds", FieldType::I32), member(1, "microseconds", FieldType::I32)];

/// What is around the bytes of a message.
#[derive(Debug)]
pub struct Envelope {
    header: Vec<u8>,
    fingerprint: u64,
    sent: Time,
    received: Time,
}

/// Data type, and the number of the message's bytes.
const BEFORE_BYTES: usize = 4 + 4;
/// Two times of eight bytes each, in microseconds.
const AFTER_BYTES: usize = 8 + 8;

impl Envelope {
    /// Around messages of a type.
    pub fn of(message: &'static MessageInfo) -> Envelope {
        let fingerprint = fingerprint(&CONTAINER);
        Envelope { header: header(message), fingerprint, sent: TIME, received: TIME }
    }

    /// Appends header and container around a message.
    ///
    /// # Errors
    /// When its length does not fit LCM's `int32_t`.
    #[inline(always)]
    pub fn wrap(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        self.wrap_with(self.fingerprint, message, out)
    }

    /// The same with a fingerprint that is computed elsewhere.
    #[inline(always)]
    pub(crate) fn wrap_with(&self, fingerprint: u64, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let count = count_of(message.len())?;
        out.reserve(self.header.len() + 8 + BEFORE_BYTES + message.len() + AFTER_BYTES);
        self.start(fingerprint, count, out);
        out.extend_from_slice(message);
        self.end(out);
        Ok(())
    }

    #[inline(always)]
    fn start(&self, fingerprint: u64, count: i32, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
        out.extend_from_slice(&fingerprint.to_be_bytes());
        out.extend_from_slice([DATA_TYPE.cast_signed(), count].map(i32::to_be_bytes).as_flattened());
    }

    #[inline(always)]
    fn end(&self, out: &mut Vec<u8>) {
        let Envelope { sent, received, .. } = self;
        let numbers = [sent.seconds, sent.microseconds, received.seconds, received.microseconds];
        out.extend_from_slice(numbers.map(i32::to_be_bytes).as_flattened());
    }

    /// Reads header and container.
    ///
    /// # Errors
    /// When the bytes are not those of one container.
    #[inline(always)]
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<Opened<&'a [u8]>, Fault> {
        let mut cursor = Cursor::new(behind(&self.header, bytes)?);
        if u64::from_be_bytes(cursor.array()?) != self.fingerprint {
            return Err(Fault::other("the fingerprint is not that of a container"));
        }
        let data_type = u32::from_be_bytes(cursor.array()?);
        let count = u32::from_be_bytes(cursor.array()?);
        let message = cursor.take(count as usize)?;
        let mut number = || Ok::<_, Fault>(i32::from_be_bytes(cursor.array()?));
        let sent = Time { seconds: number()?, microseconds: number()? };
        let received = Time { seconds: number()?, microseconds: number()? };
        cursor.finish()?;
        Ok(Opened { data_type, message, sent, received })
    }
}

/// As LCM counts the elements of an array.
fn count_of(bytes: usize) -> Result<i32, Fault> {
    i32::try_from(bytes).map_err(|_| Fault::new(Problem::Length(bytes as u64)))
}

/// What is around a message, and what its own bytes begin with.
#[derive(Debug)]
pub struct Framing {
    pub(crate) envelope: Envelope,
    /// The fingerprint of the message itself.
    pub(crate) message: u64,
}

impl Framing {
    pub(crate) fn of(message: &'static MessageInfo) -> Framing {
        Framing { envelope: Envelope::of(message), message: fingerprint(message) }
    }
}

impl RecordFormat for LcmContainer {
    type State = Framing;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        carries(message)
    }

    fn state<M: Record>(&self) -> Result<Framing, Fault> {
        Ok(Framing::of(M::INFO))
    }

    #[inline(always)]
    fn write<M: Record>(&self, state: &mut Framing, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        let Framing { envelope, message: fingerprint } = state;
        envelope.start(envelope.fingerprint, 0, out);
        let start = out.len();
        write(*fingerprint, message, out)?;
        let count = count_of(out.len() - start)?;
        out[start - 4..start].copy_from_slice(&count.to_be_bytes());
        envelope.end(out);
        Ok(())
    }

    #[inline(always)]
    fn read<M: Record>(&self, state: &Framing, bytes: &[u8]) -> Result<M, Fault> {
        read(state.message, state.envelope.open(bytes)?.message()?)
    }
}

impl Container for LcmContainer {
    type State = Framing;
    type Key = u64;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        carries(message)
    }

    fn state(message: &'static MessageInfo) -> Framing {
        Framing::of(message)
    }

    fn key(state: &Framing) -> u64 {
        state.message
    }

    #[inline(always)]
    fn write_message<M: Record>(key: u64, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        write(key, message, out)
    }

    #[inline(always)]
    fn read_message<M: Record>(key: u64, bytes: &[u8]) -> Result<M, Fault> {
        read(key, bytes)
    }

    #[inline(always)]
    fn wrap(state: &mut Framing, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        state.envelope.wrap(message, out)
    }

    #[inline(always)]
    fn open<'a>(state: &Framing, bytes: &'a [u8]) -> Result<Opened<&'a [u8]>, Fault> {
        state.envelope.open(bytes)
    }
}
