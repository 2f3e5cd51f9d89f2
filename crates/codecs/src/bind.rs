//! A codec over a payload, with samples loaded: what runners, commands and tests work with.
//!
//! [`Bound`] is the face without types; [`Binding`] is compiled for each pair. Dynamic calls happen once per
//! message or per batch, never inside a timed loop.

use std::hint::black_box;
use std::time::Instant;

use prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor};
use xxhash_rust::xxh3::xxh3_64;

use crate::call;
use crate::codec::{BindError, CodecFor, DecodeError, EncodeError, LoadError, Reason, RoundTripError};
use crate::convert::{Lift, Lower};
use crate::measure::{
    self, BatchOutcome, Buffer, EncodedSizes, Measurable, MeasureError, MeasureSettings, Measured, Phase,
    timed,
};
use crate::payload::{Domain, PayloadTypes};
use crate::touch::digest_of;

/// What a successful round trip of all samples found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrips {
    /// The sizes of the encoded samples.
    pub encoded: EncodedSizes,
    /// Over the bytes of all samples in order (xxh3, 64 bits, of the samples' hashes).
    pub digest: u64,
}

/// Times of the first calls in a process, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstEncodeDecode {
    /// The first `encode`, into a fresh buffer.
    pub encode_ns: u64,
    /// The first `decode`, of what that gave.
    pub decode_ns: u64,
}

/// A codec over a payload.
pub trait Bound: Measurable {
    /// The codec's id.
    fn codec(&self) -> &'static str;

    /// The payload's name.
    fn payload(&self) -> &'static str;

    /// Replaces the loaded samples; each is encoded once, so that a value the codec can't carry fails here.
    /// Gives their number.
    fn load(&mut self, samples: &mut dyn Iterator<Item = DynamicMessage>) -> Result<usize, LoadError>;

    /// The bytes of a loaded sample as it stands; `None` past the end.
    fn encoded_sample(&self, sample: usize) -> Option<&[u8]>;

    /// The sizes of the loaded samples; `None` when there are none.
    fn encoded_sizes(&self) -> Option<EncodedSizes>;

    /// How many different sequence numbers every loaded sample can carry; `None` if the payload marks no field.
    fn sequence_span(&self) -> Option<u64>;

    /// Appends the bytes of any value of the message type.
    fn encode_value(&mut self, value: &DynamicMessage, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The value of any bytes. Never panics, whatever they hold.
    fn decode_value(&self, bytes: &[u8]) -> Result<DynamicMessage, DecodeError>;

    /// Makes the next message to send, outside every clock: the loaded sample (modulo their number) with
    /// `sequence` in its sequence field.
    fn prepare(&mut self, sample: usize, sequence: u64);

    /// The `build` phase of the prepared message.
    fn build(&mut self);

    /// The `encode` phase of the built message, into the emptied `out`.
    fn encode(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The receiver's phases: `decode`, then a call of `decoded` (to read a clock), then `read`. Gives the
    /// digest of all values.
    fn receive(&self, bytes: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, DecodeError>;

    /// Encodes, decodes, reads and compares every loaded sample.
    fn verify_round_trips(&mut self) -> Result<RoundTrips, RoundTripError>;

    /// Encodes and decodes a value once, timed, and checks what came of it: to be asked of a process that has done
    /// nothing with this codec before.
    fn first_calls(&mut self, value: &DynamicMessage) -> Result<FirstEncodeDecode, MeasureError>;
}

impl dyn Bound + '_ {
    /// Runs one batch, from the sample `first` on.
    ///
    /// # Errors
    /// When nothing is loaded, a call fails, or the batch produces something wrong.
    pub fn run_batch(
        &mut self,
        phase: Phase,
        iterations: u64,
        first: usize,
        buffer: Buffer,
    ) -> Result<BatchOutcome, MeasureError> {
        let mut outcome = None;
        self.with_batches(phase, buffer, &mut |run| {
            outcome = Some(run(iterations, first)?);
            Ok(())
        })?;
        outcome.ok_or(MeasureError::NoSamples)
    }

    /// Measures one phase: [`measure::measure`].
    ///
    /// # Errors
    /// When nothing is loaded, a call fails, or a batch produces something wrong.
    pub fn measure(&mut self, phase: Phase, settings: &MeasureSettings) -> Result<Measured, MeasureError> {
        measure::measure(self, phase, settings)
    }
}

/// A loaded sample with what is known about it from outside the loops.
struct Sample<D> {
    value: D,
    digest: u64,
    bytes: Vec<u8>,
    hash: u64,
}

/// [`Bound`] for one pair of codec and payload.
pub struct Binding<C: CodecFor<P>, P: PayloadTypes> {
    codec: C,
    state: C::State,
    descriptor: MessageDescriptor,
    samples: Vec<Sample<P::Domain>>,
    outgoing: Option<P::Domain>,
    object: Option<C::Object>,
}

impl<C: CodecFor<P>, P: PayloadTypes> Binding<C, P> {
    /// Parses schemas and the like.
    pub fn new(descriptor: MessageDescriptor) -> Result<Self, BindError> {
        let codec = C::default();
        let state = codec.state()?;
        Ok(Binding { codec, state, descriptor, samples: Vec::new(), outgoing: None, object: None })
    }

    /// Through Protobuf's bytes, which both sides know.
    fn domain(value: &DynamicMessage) -> Result<P::Domain, String> {
        let message = P::Message::decode(value.encode_to_vec().as_slice()).map_err(|e| e.to_string())?;
        message.lift().map_err(|error| error.to_string())
    }

    fn sample(&mut self, index: usize, value: &DynamicMessage) -> Result<Sample<P::Domain>, LoadError> {
        let payload = || P::NAME.to_owned();
        let value = Self::domain(value).map_err(|reason| LoadError::Value {
            payload: payload(),
            sample: index,
            reason,
        })?;
        let object = call::build::<C, P>(&self.codec, &self.state, &value);
        let bytes = call::encode_fresh::<C, P>(&self.codec, &mut self.state, &object)
            .map_err(|source| LoadError::Encode { payload: payload(), sample: index, source })?;
        Ok(Sample { digest: digest_of(&value), hash: xxh3_64(&bytes), value, bytes })
    }

    fn round_trip(&mut self, index: usize) -> Result<(), RoundTripError> {
        let (codec, payload) = (self.codec.id().to_owned(), P::NAME.to_owned());
        let sample = &self.samples[index];
        let decode = |source| RoundTripError::Decode { payload: P::NAME.to_owned(), sample: index, source };
        let decoded = call::decode::<C, P>(&self.codec, &self.state, &sample.bytes).map_err(decode)?;
        let digest = call::read::<C, P>(&self.codec, &decoded).map_err(decode)?;
        let back = call::lift::<C, P>(&self.codec, decoded).map_err(decode)?;
        if let Some(difference) = sample.value.first_difference(&back) {
            return Err(RoundTripError::Different { codec, payload, sample: index, difference });
        }
        if digest != sample.digest {
            return Err(RoundTripError::Misread { codec, payload, sample: index });
        }
        Ok(())
    }

    fn wrong(codec: &C, phase: Phase, sample: usize) -> MeasureError {
        MeasureError::Wrong { codec: codec.id().to_owned(), phase, sample }
    }
}

impl<C: CodecFor<P>, P: PayloadTypes> Bound for Binding<C, P> {
    fn codec(&self) -> &'static str {
        self.codec.id()
    }

    fn payload(&self) -> &'static str {
        P::NAME
    }

    fn load(&mut self, samples: &mut dyn Iterator<Item = DynamicMessage>) -> Result<usize, LoadError> {
        let mut loaded = Vec::new();
        for (index, value) in samples.enumerate() {
            loaded.push(self.sample(index, &value)?);
        }
        if loaded.is_empty() {
            return Err(LoadError::Empty { payload: P::NAME.to_owned() });
        }
        self.samples = loaded;
        Ok(self.samples.len())
    }

    fn encoded_sample(&self, sample: usize) -> Option<&[u8]> {
        self.samples.get(sample).map(|sample| sample.bytes.as_slice())
    }

    fn encoded_sizes(&self) -> Option<EncodedSizes> {
        let sizes = || self.samples.iter().map(|sample| sample.bytes.len() as u64);
        Some(EncodedSizes {
            samples: self.samples.len() as u64,
            total_bytes: sizes().sum(),
            min_bytes: sizes().min()?,
            max_bytes: sizes().max()?,
        })
    }

    fn sequence_span(&self) -> Option<u64> {
        self.samples.iter().map(|sample| sample.value.sequence_span()).min().flatten()
    }

    fn encode_value(&mut self, value: &DynamicMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let value = Self::domain(value).map_err(|reason| self.codec.encode_error(&reason))?;
        let object = call::build::<C, P>(&self.codec, &self.state, &value);
        let bytes = call::encode_fresh::<C, P>(&self.codec, &mut self.state, &object)?;
        out.extend_from_slice(&bytes);
        Ok(())
    }

    fn decode_value(&self, bytes: &[u8]) -> Result<DynamicMessage, DecodeError> {
        let decoded = call::decode::<C, P>(&self.codec, &self.state, bytes)?;
        let value = call::lift::<C, P>(&self.codec, decoded)?;
        let message: P::Message = value.lower();
        DynamicMessage::decode(self.descriptor.clone(), message.encode_to_vec().as_slice())
            .map_err(|error| self.codec.decode_error(&error))
    }

    fn prepare(&mut self, sample: usize, sequence: u64) {
        if self.samples.is_empty() {
            return;
        }
        let mut value = self.samples[sample % self.samples.len()].value.clone();
        value.set_sequence(sequence);
        self.outgoing = Some(value);
        self.object = None;
    }

    fn build(&mut self) {
        self.object =
            self.outgoing.as_ref().map(|value| call::build::<C, P>(&self.codec, &self.state, value));
    }

    fn encode(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.clear();
        match &self.object {
            Some(object) => call::encode::<C, P>(&self.codec, &mut self.state, object, out),
            None => Err(self.codec.encode_error(&"nothing was built: call prepare and build first")),
        }
    }

    fn receive(&self, bytes: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, DecodeError> {
        let object = call::decode::<C, P>(&self.codec, &self.state, bytes)?;
        decoded();
        call::read::<C, P>(&self.codec, &object)
    }

    fn verify_round_trips(&mut self) -> Result<RoundTrips, RoundTripError> {
        let mut hashes = Vec::with_capacity(self.samples.len() * 8);
        for index in 0..self.samples.len() {
            self.round_trip(index)?;
            hashes.extend_from_slice(&self.samples[index].hash.to_le_bytes());
        }
        let none = EncodedSizes { samples: 0, total_bytes: 0, min_bytes: 0, max_bytes: 0 };
        Ok(RoundTrips { encoded: self.encoded_sizes().unwrap_or(none), digest: xxh3_64(&hashes) })
    }

    fn first_calls(&mut self, value: &DynamicMessage) -> Result<FirstEncodeDecode, MeasureError> {
        let value = Self::domain(value).map_err(|reason| self.codec.encode_error(&reason))?;
        let object = call::build::<C, P>(&self.codec, &self.state, &value);
        let start = Instant::now();
        let bytes = black_box(call::encode_fresh::<C, P>(&self.codec, &mut self.state, &object)?);
        let encoded = Instant::now();
        let decoded = black_box(call::decode::<C, P>(&self.codec, &self.state, &bytes)?);
        let end = Instant::now();
        if call::read::<C, P>(&self.codec, &decoded)? != digest_of(&value) {
            return Err(Self::wrong(&self.codec, Phase::Decode, 0));
        }
        Ok(FirstEncodeDecode {
            encode_ns: (encoded - start).as_nanos() as u64,
            decode_ns: (end - encoded).as_nanos() as u64,
        })
    }
}

impl<C: CodecFor<P>, P: PayloadTypes> Measurable for Binding<C, P> {
    fn sample_count(&self) -> usize {
        self.samples.len()
    }

    fn one_call(&self) -> Result<(), Reason> {
        self.codec.one_call()
    }

    fn with_batches(
        &mut self,
        phase: Phase,
        buffer: Buffer,
        use_batches: &mut dyn FnMut(&mut measure::RunBatch<'_>) -> Result<(), MeasureError>,
    ) -> Result<(), MeasureError> {
        let Binding { codec, state, samples, .. } = self;
        // Timed closures own what they look at, so that no call waits for where it lies to be read from memory.
        let (codec, samples) = (&*codec, samples.as_slice());
        let count = samples.len();
        if count == 0 {
            return Err(MeasureError::NoSamples);
        }
        let checked = |expected: u64, digest: u64, batch, sample| {
            if digest == expected {
                Ok(BatchOutcome { batch, digest })
            } else {
                Err(Self::wrong(codec, phase, sample))
            }
        };
        match phase {
            Phase::Build => use_batches(&mut |iterations, first| {
                let shared = &*state;
                let (batch, object, at) = timed(iterations, count, first, move |i| {
                    Ok::<_, MeasureError>(call::build::<C, P>(codec, shared, &samples[i].value))
                })?;
                let bytes = call::encode_fresh::<C, P>(codec, state, &object)?;
                checked(samples[at].hash, xxh3_64(&bytes), batch, at)
            }),
            Phase::Encode => {
                let objects: Vec<_> =
                    samples.iter().map(|s| call::build::<C, P>(codec, state, &s.value)).collect();
                let objects = objects.as_slice();
                match buffer {
                    Buffer::Fresh => use_batches(&mut |iterations, first| {
                        let state = &mut *state;
                        let encode = move |i: usize| call::encode_fresh::<C, P>(codec, state, &objects[i]);
                        let (batch, bytes, at) = timed(iterations, count, first, encode)?;
                        checked(samples[at].hash, xxh3_64(&bytes), batch, at)
                    }),
                    Buffer::Reused => {
                        let mut out = Vec::new();
                        use_batches(&mut |iterations, first| {
                            let (state, into) = (&mut *state, &mut out);
                            let (batch, (), at) = timed(iterations, count, first, move |i| {
                                into.clear();
                                call::encode::<C, P>(codec, state, &objects[i], into)?;
                                black_box(into.as_ptr());
                                Ok::<_, EncodeError>(())
                            })?;
                            checked(samples[at].hash, xxh3_64(&out), batch, at)
                        })
                    }
                }
            }
            Phase::Decode => {
                let state = &*state;
                let bodies: Vec<&[u8]> = samples.iter().map(|sample| sample.bytes.as_slice()).collect();
                let bodies = bodies.as_slice();
                use_batches(&mut |iterations, first| {
                    let decode = move |i: usize| call::decode::<C, P>(codec, state, bodies[i]);
                    let (batch, object, at) = timed(iterations, count, first, decode)?;
                    checked(samples[at].digest, call::read::<C, P>(codec, &object)?, batch, at)
                })
            }
            Phase::Read => {
                let objects: Vec<_> = samples
                    .iter()
                    .map(|s| call::decode::<C, P>(codec, state, &s.bytes))
                    .collect::<Result<_, _>>()?;
                let objects = objects.as_slice();
                use_batches(&mut |iterations, first| {
                    let read = move |i: usize| call::read::<C, P>(codec, &objects[i]);
                    let (batch, digest, at) = timed(iterations, count, first, read)?;
                    checked(samples[at].digest, digest, batch, at)
                })
            }
            Phase::Compress | Phase::Decompress => {
                Err(MeasureError::NoPhase { what: codec.id().to_owned(), phase })
            }
        }
    }
}
