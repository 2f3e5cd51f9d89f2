//! LCM: a fingerprint of the type, then the fields one after the other, big-endian.
//!
//! Source: the LCM type specification and lcm-gen's generated code, against which bytes and fingerprints are
//! checked; the UDP header is the "LC02" small message of the LCM UDP multicast protocol description.
//!
//! Stand-ins: LCM's only unsigned integer is `byte`, so a field is the narrowest signed type that holds the definition's
//! range, a `uint32` without one is `int64_t`, and a `uint64` keeps its bits in an `int64_t` (values of 2^63 and more
//! read as negative there); an enum is `int32_t`. A list of unknown length is preceded by its count, an `int32_t` member
//! `NAME_count`; an optional field is such a list of at most one; so is each alternative of a oneof; a map is a list of
//! {key, value}. Bytes inside lists are in a struct of their own. The fingerprint covers member names, so renaming a
//! field changes bytes, as LCM intends.

pub mod container;
pub mod declared;
mod fingerprint;
mod hashing;

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::positional::{self, Integers, Layout};
use wiredyno_codec::record::{Fault, MessageInfo, Problem, Record, RecordFormat};

pub use container::{LcmContainer, LcmContainerAlone};
pub use fingerprint::{Types, carries, fingerprint};
pub use hashing::{LcmContainerAloneHashing, LcmHashing};

/// Implements `lcm/wiredyno`, declared as [`declared::LCM`].
#[derive(Debug, Default)]
pub struct Lcm;

/// Implements `lcm/wiredyno:udp`, declared as [`declared::LCM_UDP`].
#[derive(Debug, Default)]
pub struct LcmUdp;

/// LCM's byte order and integer widths, as a layout.
pub struct Network;

impl Layout for Network {
    const BIG_ENDIAN: bool = true;
    const ALIGNED: bool = false;
    const NUL: bool = true;
    const INTEGERS: Integers = Integers::Signed;
}

impl Codec for Lcm {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::LCM
    }
}

impl Codec for LcmUdp {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::LCM_UDP
    }
}

#[inline(always)]
fn write<M: Record>(fingerprint: u64, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&fingerprint.to_be_bytes());
    positional::write::<Network, M>(message, out)
}

#[inline(always)]
fn read<M: Record>(fingerprint: u64, bytes: &[u8]) -> Result<M, Fault> {
    match bytes.split_first_chunk::<8>() {
        Some((found, body)) if *found == fingerprint.to_be_bytes() => positional::read::<Network, M>(body),
        Some((found, _)) => Err(Fault::other(format_args!(
            "the fingerprint {:016x} is of a different type than {fingerprint:016x}",
            u64::from_be_bytes(*found)
        ))),
        None => Err(Fault::new(Problem::Truncated)),
    }
}

impl RecordFormat for Lcm {
    type State = u64;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        fingerprint::carries(message)
    }

    fn state<M: Record>(&self) -> Result<u64, Fault> {
        Ok(fingerprint(M::INFO))
    }

    #[inline(always)]
    fn write<M: Record>(&self, state: &mut u64, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        write(*state, message, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, state: &u64, bytes: &[u8]) -> Result<M, Fault> {
        read(*state, bytes)
    }
}

/// What precedes the fingerprint in a datagram.
#[derive(Debug)]
pub struct Datagram {
    fingerprint: u64,
    header: Vec<u8>,
}

/// The magic of a message that fits into one datagram: "LC02".
const SHORT_MAGIC: u32 = 0x4c43_3032;

/// Magic, sequence number and channel, in that order.
pub fn header(message: &MessageInfo) -> Vec<u8> {
    let sequence = 0_u32;
    let mut header = SHORT_MAGIC.to_be_bytes().to_vec();
    header.extend_from_slice(&sequence.to_be_bytes());
    header.extend_from_slice(message.name.as_bytes());
    header.push(0);
    header
}

/// What follows the header of a datagram.
///
/// # Errors
/// When magic or channel differ from the expected header's. The sequence number may: it differs between datagrams.
#[inline(always)]
fn behind<'a>(header: &[u8], bytes: &'a [u8]) -> Result<&'a [u8], Fault> {
    let (magic, channel) = (&header[..4], &header[8..]);
    match bytes.split_at_checked(header.len()) {
        Some((found, body)) if found.starts_with(magic) && &found[8..] == channel => Ok(body),
        Some(_) => Err(Fault::other("the datagram has another magic or channel")),
        None => Err(Fault::new(Problem::Truncated)),
    }
}

impl RecordFormat for LcmUdp {
    type State = Datagram;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        fingerprint::carries(message)
    }

    fn state<M: Record>(&self) -> Result<Datagram, Fault> {
        Ok(Datagram { fingerprint: fingerprint(M::INFO), header: header(M::INFO) })
    }

    #[inline(always)]
    fn write<M: Record>(&self, state: &mut Datagram, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.extend_from_slice(&state.header);
        write(state.fingerprint, message, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, state: &Datagram, bytes: &[u8]) -> Result<M, Fault> {
        read(state.fingerprint, behind(&state.header, bytes)?)
    }
}
