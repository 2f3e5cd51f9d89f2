//! A codec in C or C++ bound to a payload, with samples loaded.

use std::ffi::{CStr, c_int, c_void};

use wiredyno_codec::bind::{Encoded, Load, Loaded, verified};
use wiredyno_codec::measure::{Buffer, Measurable, MeasureError, Phase, Round, UseBatches};
use wiredyno_codec::payload::PayloadTypes;
use wiredyno_codec::{BoundCodec, Codec, DecodeError, EncodeError, Reason};

use crate::Foreign;
use crate::table::{INTERFACE, Slice, Table};

/// A codec's state on the other side. Closed when it is dropped.
struct Handle {
    table: &'static Table,
    this: *mut c_void,
}

// SAFETY: the other side keeps no state of its own in threads, and a handle is used by one thread at a time.
unsafe impl Send for Handle {}

impl Handle {
    /// The result of a call: its code as a reason.
    fn done(&self, code: c_int) -> Result<(), Reason> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the handle is open, and its reason is a text that ends with a NUL.
        let why = unsafe { CStr::from_ptr((self.table.why)(self.this)) };
        Err(Reason(why.to_string_lossy().into_owned()))
    }

    fn take(&self, value: &[u8]) -> Result<(), Reason> {
        // SAFETY: the handle is open, and the bytes outlive the call.
        self.done(unsafe { (self.table.take)(self.this, Slice::of(value)) })
    }

    fn keep(&self, body: &[u8]) -> Result<(), Reason> {
        // SAFETY: as above.
        self.done(unsafe { (self.table.keep)(self.this, Slice::of(body)) })
    }

    fn encode(&self, buffer: Buffer, use_bytes: impl FnOnce(&[u8])) -> Result<(), Reason> {
        let mut out = Slice::EMPTY;
        // SAFETY: the handle is open.
        self.done(unsafe { (self.table.encode)(self.this, is_fresh(buffer), &raw mut out) })?;
        // SAFETY: no other call has been made since.
        use_bytes(unsafe { out.bytes() });
        Ok(())
    }

    /// What is decoded is valid until [`Handle::release`], if the bytes are.
    fn decode(&self, body: &[u8]) -> Result<(), Reason> {
        // SAFETY: the handle is open; every caller releases what was decoded while it has the bytes.
        self.done(unsafe { (self.table.decode)(self.this, Slice::of(body)) })
    }

    fn read(&self) -> Result<u64, Reason> {
        let mut digest = 0;
        // SAFETY: the handle is open.
        self.done(unsafe { (self.table.read)(self.this, &raw mut digest) })?;
        Ok(digest)
    }

    /// What was decoded, as Protobuf bytes.
    fn lift(&self) -> Result<Vec<u8>, Reason> {
        let mut value = Slice::EMPTY;
        // SAFETY: the handle is open, and no other call has been made when the bytes are used.
        self.done(unsafe { (self.table.lift)(self.this, &raw mut value) })?;
        // SAFETY: as above.
        Ok(unsafe { value.bytes() }.to_vec())
    }

    fn release(&self) {
        // SAFETY: the handle is open.
        unsafe { (self.table.release)(self.this) }
    }

    /// Decodes the bytes, calls `use_decoded`, and drops what was decoded.
    fn with_decoded<T>(
        &self,
        body: &[u8],
        use_decoded: impl FnOnce() -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        let result = self.decode(body).and_then(|()| use_decoded());
        self.release();
        result
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it is open, and nothing uses it afterwards.
        unsafe { (self.table.close)(self.this) }
    }
}

fn is_fresh(buffer: Buffer) -> c_int {
    c_int::from(buffer == Buffer::Fresh)
}

/// The number of a phase in the interface; `None` for one that codecs don't have.
fn number(phase: Phase) -> Option<c_int> {
    Some(match phase {
        Phase::Build => 0,
        Phase::Encode => 1,
        Phase::Decode => 2,
        Phase::Read => 3,
        Phase::Empty => 4,
        Phase::Compress | Phase::Decompress => return None,
    })
}

/// The samples, on both sides.
struct Samples<P: PayloadTypes> {
    loaded: Loaded<P>,
    handle: Handle,
    /// Why the other side does not have a value that this side has; until all are forgotten.
    fault: Option<Reason>,
}

impl<P: PayloadTypes> Samples<P> {
    /// Hands the next message's value over.
    fn hand_over(&mut self) {
        let Some(value) = self.loaded.outgoing() else { return };
        let handed_over = self.handle.take(&P::to_protobuf(value));
        self.fault = self.fault.take().or(handed_over.err());
    }
}

impl<P: PayloadTypes> Load for Samples<P> {
    fn payload(&self) -> &str {
        self.loaded.payload()
    }

    fn sequence_span(&self) -> Option<u64> {
        self.loaded.sequence_span()
    }

    fn take(&mut self, value: &[u8]) -> Result<u64, String> {
        let digest = self.loaded.take(value)?;
        self.hand_over();
        Ok(digest)
    }

    fn take_numbered(&mut self, value: &[u8], sequence: u64) -> Result<(), String> {
        self.loaded.take_numbered(value, sequence)?;
        self.hand_over();
        Ok(())
    }

    fn forget(&mut self) {
        self.loaded.forget();
        self.fault = None;
        // SAFETY: the handle is open.
        unsafe { (self.handle.table.forget)(self.handle.this) }
    }

    fn keep(&mut self, encoded: Encoded) {
        let kept = self.handle.keep(&encoded.bytes);
        self.fault = self.fault.take().or(kept.err());
        self.loaded.keep(encoded);
    }

    fn encoded(&self) -> &[Encoded] {
        self.loaded.encoded()
    }

    fn prepare(&mut self, sample: usize, sequence: u64) {
        self.loaded.prepare(sample, sequence);
        self.hand_over();
    }
}

/// [`BoundCodec`] over a codec in C or C++.
pub struct Bound<P: PayloadTypes> {
    codec: &'static Foreign,
    samples: Samples<P>,
    /// Why the last `build` failed.
    unbuilt: Option<Reason>,
}

/// Binds a codec to a payload of this name; or the reason why the other side can't be set up.
///
/// # Errors
/// When the library fails, or was compiled with another version of the interface.
pub fn bind<P: PayloadTypes>(codec: &'static Foreign, payload: &str) -> Result<Box<dyn BoundCodec>, Reason> {
    let Some(table) = codec.table() else {
        return Err(Reason(format!("`{}` does not carry this definition", codec.declared().id)));
    };
    if table.interface_version != INTERFACE {
        return Err(Reason(format!(
            "its code has version {} of the interface, and this runner has {INTERFACE}",
            table.interface_version
        )));
    }
    // SAFETY: what opens has no conditions.
    let this = unsafe { (table.open)() };
    if this.is_null() {
        return Err(Reason("its library can't be set up".to_owned()));
    }
    let handle = Handle { table, this };
    let samples = Samples { loaded: Loaded::<P>::new(payload), handle, fault: None };
    Ok(Box::new(Bound { codec, samples, unbuilt: None }))
}

impl<P: PayloadTypes> Bound<P> {
    fn handle(&self) -> &Handle {
        &self.samples.handle
    }

    /// Why there is no object to encode.
    fn check_built(&self) -> Result<(), EncodeError> {
        match self.samples.fault.as_ref().or(self.unbuilt.as_ref()) {
            Some(reason) => Err(self.codec.encode_error(reason)),
            None => Ok(()),
        }
    }

    fn encode_with(&self, buffer: Buffer, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.check_built()?;
        let encoded = self.handle().encode(buffer, |bytes| out.extend_from_slice(bytes));
        encoded.map_err(|reason| self.codec.encode_error(&reason))
    }

    /// A reason as the error of a phase.
    fn failed(&self, phase: Phase, reason: &Reason) -> MeasureError {
        match phase {
            Phase::Decode | Phase::Read => self.codec.decode_error(reason).into(),
            _ => self.codec.encode_error(reason).into(),
        }
    }
}

impl<P: PayloadTypes> BoundCodec for Bound<P> {
    fn codec(&self) -> &'static str {
        self.codec.id()
    }

    fn loaded(&self) -> &dyn Load {
        &self.samples
    }

    fn loaded_mut(&mut self) -> &mut dyn Load {
        &mut self.samples
    }

    fn decode_value(&self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let value = self.handle().with_decoded(bytes, || {
            let value = self.handle().lift()?;
            Ok(P::to_protobuf(&P::from_protobuf(&value).map_err(Reason)?))
        });
        value.map_err(|reason| self.codec.decode_error(&reason))
    }

    fn build(&mut self) {
        let handle = self.handle();
        // SAFETY: the handle is open.
        self.unbuilt = handle.done(unsafe { (handle.table.build)(handle.this) }).err();
    }

    fn encode_into(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.encode_with(Buffer::Reused, out)
    }

    fn encode_fresh(&mut self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        self.encode_with(Buffer::Fresh, &mut out)?;
        Ok(out)
    }

    fn receive(&self, bytes: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, DecodeError> {
        let digest = self.handle().with_decoded(bytes, || {
            decoded();
            self.handle().read()
        });
        digest.map_err(|reason| self.codec.decode_error(&reason))
    }

    fn round_trip(&self, sample: usize) -> Result<(u64, Option<String>), DecodeError> {
        let bytes = &self.samples.encoded()[sample].bytes;
        let back = self.handle().with_decoded(bytes, || {
            let digest = self.handle().read()?;
            let value = P::from_protobuf(&self.handle().lift()?).map_err(Reason)?;
            Ok((digest, self.samples.loaded.first_difference(sample, value)))
        });
        back.map_err(|reason| self.codec.decode_error(&reason))
    }
}

impl<P: PayloadTypes> Measurable for Bound<P> {
    fn sample_count(&self) -> usize {
        self.samples.encoded().len()
    }

    fn one_call(&self) -> Result<(), Reason> {
        self.codec.one_call()
    }

    fn with_batches(
        &mut self,
        phase: Phase,
        buffer: Buffer,
        use_batches: &mut UseBatches<'_>,
    ) -> Result<(), MeasureError> {
        let Some(own) = number(phase) else {
            return Err(MeasureError::NoPhase { what: self.codec.id().to_owned(), phase });
        };
        let encoded = self.samples.encoded();
        if encoded.is_empty() {
            return Err(MeasureError::NoSamples);
        }
        let failed = |reason: Reason| self.failed(phase, &reason);
        if let Some(fault) = &self.samples.fault {
            return Err(failed(fault.clone()));
        }
        let Handle { table, this } = self.samples.handle;
        let done = |code| self.handle().done(code).map_err(failed);
        // SAFETY: the handle is open, here and below.
        done(unsafe { (table.prepare)(this, own) })?;
        let _finish = Finish(self.handle());
        use_batches(&mut |iterations, first| {
            let mut round = Round::new(iterations, encoded.len(), first);
            let (calls, from) = (round.iterations(), round.first());
            let watch = round.stopwatch();
            // SAFETY: the round outlives the call.
            done(unsafe { (table.batch)(this, own, is_fresh(buffer), calls, from, &raw const watch) })?;
            let (mut bytes, mut digest) = (Slice::EMPTY, 0);
            // SAFETY: as above.
            done(unsafe { (table.product)(this, own, is_fresh(buffer), &raw mut bytes, &raw mut digest) })?;
            // SAFETY: no other call has been made since.
            let bytes = unsafe { bytes.bytes() };
            verified(self.codec.id(), phase, &round, encoded, bytes, digest)
        })
    }
}

/// Drops what was prepared for a phase.
struct Finish<'a>(&'a Handle);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is open.
        unsafe { (self.0.table.finish)(self.0.this) }
    }
}
