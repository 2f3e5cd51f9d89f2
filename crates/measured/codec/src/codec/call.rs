//! The phases as calls that are never inlined into their callers.
//!
//! A codec's generic code is compiled once for each pair of codec and payload, and every loop and trial, ours or a
//! bench's, runs that same machine code: when it was inlined, it differed from caller to caller by up to a fifth of
//! the time, and was compiled seven times. The price is a real call, as in an application that links a codec: one to
//! two nanoseconds.

use super::{CodecFor, DecodeError, EncodeError};
use crate::payload::PayloadTypes;

/// Calls [`CodecFor::build`], without being inlined.
#[inline(never)]
pub fn build<C: CodecFor<P>, P: PayloadTypes>(codec: &C, state: &C::State, value: &P::Domain) -> C::Object {
    codec.build(state, value)
}

/// [`CodecFor::encode`], never inlined.
///
/// # Errors
/// When the format can't hold the object's value.
#[inline(never)]
pub fn encode<C: CodecFor<P>, P: PayloadTypes>(
    codec: &C,
    state: &mut C::State,
    object: &C::Object,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    codec.encode(state, object, out)
}

/// [`CodecFor::encode_fresh`], never inlined.
///
/// # Errors
/// When the format can't hold the object's value.
#[inline(never)]
pub fn encode_fresh<C: CodecFor<P>, P: PayloadTypes>(
    codec: &C,
    state: &mut C::State,
    object: &C::Object,
) -> Result<Vec<u8>, EncodeError> {
    codec.encode_fresh(state, object)
}

/// [`CodecFor::decode`], never inlined.
///
/// # Errors
/// When the bytes are not those of a message.
#[inline(never)]
pub fn decode<'a, C: CodecFor<P>, P: PayloadTypes>(
    codec: &C,
    state: &C::State,
    bytes: &'a [u8],
) -> Result<C::Decoded<'a>, DecodeError> {
    codec.decode(state, bytes)
}

/// [`CodecFor::read`], never inlined.
///
/// # Errors
/// When what was decoded turns out to be invalid while it is read.
#[inline(never)]
pub fn read<C: CodecFor<P>, P: PayloadTypes>(
    codec: &C,
    decoded: &C::Decoded<'_>,
) -> Result<u64, DecodeError> {
    codec.read(decoded)
}

/// [`CodecFor::lift`], never inlined.
///
/// # Errors
/// When what was decoded is not a value of the payload.
#[inline(never)]
pub fn lift<C: CodecFor<P>, P: PayloadTypes>(
    codec: &C,
    decoded: C::Decoded<'_>,
) -> Result<P::Domain, DecodeError> {
    codec.lift(decoded)
}
