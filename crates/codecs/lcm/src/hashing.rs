//! LCM with a fingerprint that is computed again for each message, as the car study's serializer did it (lcm-gen's code computes it once).
//!
//! The hash goes over every member's name and type, however often; its strings are laid out when the codec is bound. Receivers skip the
//! message's fingerprint, as the study's did; a container's is compared with a constant.

use wiredyno_contract::DeclaredCodec;

use wiredyno_codec::codec::{Codec, Reason};
use wiredyno_codec::container::{Container, Opened};
use wiredyno_codec::container_alone;
use wiredyno_codec::positional;
use wiredyno_codec::record::{Fault, MessageInfo, Problem, Record, RecordFormat};

use crate::container::{CONTAINER, Framing};
use crate::fingerprint::{Types, carries};
use crate::{Network, declared, read, write};

/// Implements `lcm/wiredyno:hashing`, declared as [`declared::LCM_HASHING`].
#[derive(Debug, Default)]
pub struct LcmHashing;

/// Implements `lcm/wiredyno:container-alone-hashing`, declared as [`declared::LCM_CONTAINER_ALONE_HASHING`].
#[derive(Debug, Default)]
pub struct LcmContainerAloneHashing;

impl Codec for LcmHashing {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::LCM_HASHING
    }
}

impl Codec for LcmContainerAloneHashing {
    fn declared(&self) -> &'static DeclaredCodec {
        &declared::LCM_CONTAINER_ALONE_HASHING
    }
}

impl RecordFormat for LcmHashing {
    type State = Types;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        carries(message)
    }

    fn state<M: Record>(&self) -> Result<Types, Fault> {
        Ok(Types::of(M::INFO))
    }

    #[inline(always)]
    fn write<M: Record>(&self, state: &mut Types, message: &M, out: &mut Vec<u8>) -> Result<(), Fault> {
        write(state.fingerprint(), message, out)
    }

    #[inline(always)]
    fn read<M: Record>(&self, _: &Types, bytes: &[u8]) -> Result<M, Fault> {
        match bytes.split_first_chunk::<8>() {
            Some((_, body)) => positional::read::<Network, M>(body),
            None => Err(Fault::new(Problem::Truncated)),
        }
    }
}

/// The container whose own fingerprint is computed for each.
#[derive(Debug)]
pub struct Hashing;

container_alone!(LcmContainerAloneHashing, Hashing);

/// What is around a message, and the container's type.
#[derive(Debug)]
pub struct HashedFraming {
    framing: Framing,
    container: Types,
}

impl Container for Hashing {
    type State = HashedFraming;
    type Key = u64;

    fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
        carries(message)
    }

    fn state(message: &'static MessageInfo) -> HashedFraming {
        HashedFraming { framing: Framing::of(message), container: Types::of(&CONTAINER) }
    }

    fn key(state: &HashedFraming) -> u64 {
        state.framing.message
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
    fn wrap(state: &mut HashedFraming, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let fingerprint = state.container.fingerprint();
        state.framing.envelope.wrap_with(fingerprint, message, out)
    }

    #[inline(always)]
    fn open<'a>(state: &HashedFraming, bytes: &'a [u8]) -> Result<Opened<&'a [u8]>, Fault> {
        state.framing.envelope.open(bytes)
    }
}
