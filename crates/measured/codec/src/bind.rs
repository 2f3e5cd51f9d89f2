//! A codec bound to a payload, with samples loaded: what runners, commands and tests work with.
//!
//! [`BoundCodec`] is the interface without types; [`Binding`] is compiled for each pair. Dynamic calls happen
//! once per message or per batch, never inside a timed loop.
//!
//! One file because interface, binding and loaded samples divide one job by what must be compiled for each pair.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::{CodecFor, DecodeError, EncodeError, LoadError, Reason, RoundTripError, call};
use crate::measure::{
    self, BatchOutcome, Buffer, EncodedSizes, Measurable, MeasureError, MeasureSettings, Measured, Phase,
    Round, UseBatches,
};
use crate::payload::{Domain, PayloadTypes};
use crate::touch::digest_of;

/// What a successful round trip of all samples found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrips {
    /// Number and sizes of the encoded samples.
    pub encoded: EncodedSizes,
    /// Hash of the bytes of all samples in order (xxh3, 64 bits, of the samples' hashes).
    pub digest: u64,
}

/// Times of the first calls in a process, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstEncodeDecode {
    /// The first `encode`, into a new buffer.
    pub encode_ns: u64,
    /// The first `decode`, of the encoded bytes.
    pub decode_ns: u64,
}

/// A codec bound to a payload.
///
/// The methods of the trait are compiled for every pair of codec and payload; those of `dyn BoundCodec`, which most callers
/// need, once for all, and those of [`Load`] once for every payload.
pub trait BoundCodec: Measurable {
    /// `format/implementation`, or `format/implementation:variant`.
    fn codec(&self) -> &'static str;

    /// The samples and the next message's value.
    fn loaded(&self) -> &dyn Load;

    /// The same, mutable; discards what was built.
    fn loaded_mut(&mut self) -> &mut dyn Load;

    /// Decodes any bytes to a value, as Protobuf bytes. Never panics, whatever the input.
    ///
    /// # Errors
    /// When they are not those of a message.
    fn decode_value(&self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError>;

    /// The `build` phase of the next message.
    fn build(&mut self);

    /// The `encode` phase of the built message, appended to `out`.
    ///
    /// # Errors
    /// When the format can't hold it, or nothing was built.
    fn encode_into(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The same into a new buffer, as users of the library do it.
    ///
    /// # Errors
    /// When the format can't hold it, or nothing was built.
    fn encode_fresh(&mut self) -> Result<Vec<u8>, EncodeError>;

    /// The receiver's phases: `decode`, then a call of `decoded` (to read a clock), then `read`. Returns the
    /// digest of all values.
    ///
    /// # Errors
    /// When the bytes are not those of a message.
    fn receive(&self, bytes: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, DecodeError>;

    /// Decodes a loaded sample: returns the digest from `read`, and where the value differs from the sample's.
    ///
    /// # Errors
    /// When the codec does not accept its own bytes.
    fn round_trip(&self, sample: usize) -> Result<(u64, Option<String>), DecodeError>;
}

impl dyn BoundCodec + '_ {
    /// The name of the payload, as in `payloads/`.
    pub fn payload(&self) -> &str {
        self.loaded().payload()
    }

    /// How many different sequence numbers every loaded sample can carry; `None` if the payload marks no field.
    pub fn sequence_span(&self) -> Option<u64> {
        self.loaded().sequence_span()
    }

    /// Prepares the next message to send, outside every clock: the loaded sample (modulo their number) with
    /// `sequence` in its sequence field.
    pub fn prepare(&mut self, sample: usize, sequence: u64) {
        self.loaded_mut().prepare(sample, sequence);
    }

    /// The same for a value from elsewhere, given as Protobuf bytes.
    ///
    /// # Errors
    /// With the reason, when it is not a value of the payload's types.
    pub fn take_numbered(&mut self, value: &[u8], sequence: u64) -> Result<(), String> {
        self.loaded_mut().take_numbered(value, sequence)
    }

    /// The `encode` phase of the built message, into the emptied `out`.
    ///
    /// # Errors
    /// When the format can't hold it, or nothing was built.
    pub fn encode(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.clear();
        self.encode_into(out)
    }

    fn encoded(&self) -> &[Encoded] {
        self.loaded().encoded()
    }

    /// Replaces the loaded samples, each given as Protobuf bytes; each is encoded once, so that a value the codec can't carry
    /// fails here, after which none is loaded. Returns their number.
    ///
    /// # Errors
    /// When there are none, or one is not a value of the payload or can't be encoded.
    pub fn load(&mut self, samples: &mut dyn Iterator<Item = &[u8]>) -> Result<usize, LoadError> {
        self.loaded_mut().forget();
        for (sample, value) in samples.enumerate() {
            if let Err(error) = self.load_one(sample, value) {
                self.loaded_mut().forget();
                return Err(error);
            }
        }
        match self.encoded().len() {
            0 => Err(LoadError::Empty { payload: self.payload().to_owned() }),
            loaded => Ok(loaded),
        }
    }

    fn load_one(&mut self, sample: usize, value: &[u8]) -> Result<(), LoadError> {
        let payload = self.payload().to_owned();
        let digest = match self.loaded_mut().take(value) {
            Ok(digest) => digest,
            Err(reason) => return Err(LoadError::Value { payload, sample, reason }),
        };
        self.build();
        match self.encode_fresh() {
            Ok(bytes) => self.loaded_mut().keep(Encoded { hash: hash(&bytes), digest, bytes }),
            Err(source) => return Err(LoadError::Encode { payload, sample, source }),
        }
        Ok(())
    }

    /// The bytes of a loaded sample, unchanged; `None` past the end.
    pub fn encoded_sample(&self, sample: usize) -> Option<&[u8]> {
        self.encoded().get(sample).map(|sample| sample.bytes.as_slice())
    }

    /// The sizes of the loaded samples; `None` when none are loaded.
    pub fn encoded_sizes(&self) -> Option<EncodedSizes> {
        let sizes = || self.encoded().iter().map(|sample| sample.bytes.len() as u64);
        Some(EncodedSizes {
            samples: self.encoded().len() as u64,
            total_bytes: sizes().sum(),
            min_bytes: sizes().min()?,
            max_bytes: sizes().max()?,
        })
    }

    /// Appends the bytes of any value of the message type, given as Protobuf bytes.
    ///
    /// # Errors
    /// When the format can't hold it.
    pub fn encode_value(&mut self, value: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.loaded_mut().take(value).map_err(|reason| EncodeError::new(self.codec(), &reason))?;
        self.build();
        out.extend_from_slice(&self.encode_fresh()?);
        Ok(())
    }

    /// Encodes, decodes, reads and compares every loaded sample.
    ///
    /// # Errors
    /// When one does not come back equal.
    pub fn verify_round_trips(&mut self) -> Result<RoundTrips, RoundTripError> {
        let named = || (self.codec().to_owned(), self.payload().to_owned());
        let mut hashes = Vec::with_capacity(self.encoded().len() * 8);
        for (sample, expected) in self.encoded().iter().enumerate() {
            let (digest, difference) = self.round_trip(sample).map_err(|source| RoundTripError::Decode {
                payload: self.payload().to_owned(),
                sample,
                source,
            })?;
            let (codec, payload) = named();
            if let Some(difference) = difference {
                return Err(RoundTripError::Different { codec, payload, sample, difference });
            }
            if digest != expected.digest {
                return Err(RoundTripError::Misread { codec, payload, sample });
            }
            hashes.extend_from_slice(&expected.hash.to_le_bytes());
        }
        let none = EncodedSizes { samples: 0, total_bytes: 0, min_bytes: 0, max_bytes: 0 };
        Ok(RoundTrips { encoded: self.encoded_sizes().unwrap_or(none), digest: hash(&hashes) })
    }

    /// Encodes and decodes a value once, timed, and checks the result: for a process that has not used this codec before.
    ///
    /// # Errors
    /// When a call fails, or the decoded value differs.
    pub fn first_calls(&mut self, value: &[u8]) -> Result<FirstEncodeDecode, MeasureError> {
        let expected =
            self.loaded_mut().take(value).map_err(|reason| EncodeError::new(self.codec(), &reason))?;
        self.build();
        let start = Instant::now();
        let bytes = black_box(self.encode_fresh()?);
        let encode_ns = start.elapsed().as_nanos() as u64;
        let start = Instant::now();
        let mut decode_ns = 0;
        let digest = self.receive(&bytes, &mut || decode_ns = start.elapsed().as_nanos() as u64)?;
        if digest != expected {
            return Err(wrong(self.codec(), Phase::Decode, 0));
        }
        Ok(FirstEncodeDecode { encode_ns, decode_ns })
    }

    /// Measures one phase: [`measure::measure`].
    ///
    /// # Errors
    /// When nothing is loaded, a call fails, or a batch produces something wrong.
    pub fn measure(&mut self, phase: Phase, settings: &MeasureSettings) -> Result<Measured, MeasureError> {
        measure::measure(self, phase, settings)
    }
}

/// The bytes of a loaded sample, and their digests computed outside the loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The sample as encoded when it was loaded.
    pub bytes: Vec<u8>,
    /// Hash of the bytes (xxh3, 64 bits).
    pub hash: u64,
    /// Digest of the sample's value, as `read` computes it.
    pub digest: u64,
}

/// The samples of a payload, independent of the codec.
pub trait Load {
    /// The name of the payload, as in `payloads/`.
    fn payload(&self) -> &str;

    /// How many different sequence numbers every loaded sample can carry; `None` if the payload marks no field.
    fn sequence_span(&self) -> Option<u64>;

    /// Makes any value of the message type, given as Protobuf bytes, the next message to send; returns its digest.
    ///
    /// # Errors
    /// With the reason, when it is not a value of the payload's types.
    fn take(&mut self, value: &[u8]) -> Result<u64, String>;

    /// Makes a value, given as Protobuf bytes, the next message to send, with `sequence` in its sequence field.
    ///
    /// # Errors
    /// With the reason, when it is not a value of the payload's types.
    fn take_numbered(&mut self, value: &[u8], sequence: u64) -> Result<(), String>;

    /// Drops all loaded samples.
    fn forget(&mut self);

    /// Adds the next message to send, with its encoded bytes, to the loaded samples.
    fn keep(&mut self, encoded: Encoded);

    /// The loaded samples as bytes, in order.
    fn encoded(&self) -> &[Encoded];

    /// Makes the loaded sample (modulo their number), with `sequence` in its sequence field, the next message to send.
    fn prepare(&mut self, sample: usize, sequence: u64);
}

/// The samples of a payload as values, with their bytes, and the next message's value.
pub struct Loaded<P: PayloadTypes> {
    payload: String,
    values: Vec<P::Domain>,
    /// The bytes of each of them.
    encoded: Vec<Encoded>,
    outgoing: Option<P::Domain>,
}

impl<P: PayloadTypes> Load for Loaded<P> {
    fn payload(&self) -> &str {
        &self.payload
    }

    fn sequence_span(&self) -> Option<u64> {
        self.values.iter().map(Domain::sequence_span).min().flatten()
    }

    fn take(&mut self, value: &[u8]) -> Result<u64, String> {
        let value = self.outgoing.insert(P::from_protobuf(value)?);
        Ok(digest_of(value))
    }

    fn take_numbered(&mut self, value: &[u8], sequence: u64) -> Result<(), String> {
        self.outgoing.insert(P::from_protobuf(value)?).set_sequence(sequence);
        Ok(())
    }

    fn forget(&mut self) {
        self.values.clear();
        self.encoded.clear();
    }

    fn keep(&mut self, encoded: Encoded) {
        self.values.extend(self.outgoing.take());
        self.encoded.push(encoded);
    }

    fn encoded(&self) -> &[Encoded] {
        &self.encoded
    }

    fn prepare(&mut self, sample: usize, sequence: u64) {
        if !self.values.is_empty() {
            let value = self.values[sample % self.values.len()].clone();
            self.outgoing.insert(value).set_sequence(sequence);
        }
    }
}

impl<P: PayloadTypes> Loaded<P> {
    /// Without samples, for a payload of this name.
    #[inline(never)]
    pub fn new(payload: &str) -> Loaded<P> {
        let (values, encoded) = (Vec::new(), Vec::new());
        Loaded { payload: payload.to_owned(), values, encoded, outgoing: None }
    }

    /// The value of the next message to send; `None` before there is one.
    pub fn outgoing(&self) -> Option<&P::Domain> {
        self.outgoing.as_ref()
    }

    /// Where a decoded value differs from a sample's.
    #[inline(never)]
    pub fn first_difference(&self, sample: usize, back: P::Domain) -> Option<String> {
        self.values[sample].first_difference(&back)
    }

    #[inline(never)]
    fn bytes(&self, sample: usize) -> &[u8] {
        &self.encoded[sample].bytes
    }
}

/// [`BoundCodec`] for one pair of codec and payload.
///
/// Everything in here is compiled for every pair, so what does not touch the types of both is done outside.
pub struct Binding<C: CodecFor<P>, P: PayloadTypes> {
    codec: C,
    state: C::State,
    loaded: Loaded<P>,
    object: Option<C::Object>,
}

impl<C: CodecFor<P>, P: PayloadTypes> Binding<C, P> {
    /// Parses schemas and the like; loads no samples.
    pub(crate) fn new(codec: C, payload: &str) -> Result<Self, Reason> {
        let state = codec.state()?;
        Ok(Binding { codec, state, loaded: Loaded::new(payload), object: None })
    }
}

impl<C: CodecFor<P>, P: PayloadTypes> BoundCodec for Binding<C, P> {
    fn codec(&self) -> &'static str {
        self.codec.id()
    }

    fn loaded(&self) -> &dyn Load {
        &self.loaded
    }

    fn loaded_mut(&mut self) -> &mut dyn Load {
        // Belongs to the previous message.
        self.object = None;
        &mut self.loaded
    }

    fn decode_value(&self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let decoded = call::decode::<C, P>(&self.codec, &self.state, bytes)?;
        let value = call::lift::<C, P>(&self.codec, decoded)?;
        Ok(P::to_protobuf(&value))
    }

    fn build(&mut self) {
        let value = self.loaded.outgoing.as_ref();
        self.object = value.map(|value| call::build::<C, P>(&self.codec, &self.state, value));
    }

    fn encode_into(&mut self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match &self.object {
            Some(object) => call::encode::<C, P>(&self.codec, &mut self.state, object, out),
            None => Err(nothing_built(self.codec.id())),
        }
    }

    fn encode_fresh(&mut self) -> Result<Vec<u8>, EncodeError> {
        match &self.object {
            Some(object) => call::encode_fresh::<C, P>(&self.codec, &mut self.state, object),
            None => Err(nothing_built(self.codec.id())),
        }
    }

    fn receive(&self, bytes: &[u8], decoded: &mut dyn FnMut()) -> Result<u64, DecodeError> {
        let object = call::decode::<C, P>(&self.codec, &self.state, bytes)?;
        decoded();
        call::read::<C, P>(&self.codec, &object)
    }

    fn round_trip(&self, sample: usize) -> Result<(u64, Option<String>), DecodeError> {
        let bytes = self.loaded.bytes(sample);
        let decoded = call::decode::<C, P>(&self.codec, &self.state, bytes)?;
        let digest = call::read::<C, P>(&self.codec, &decoded)?;
        let back = call::lift::<C, P>(&self.codec, decoded)?;
        Ok((digest, self.loaded.first_difference(sample, back)))
    }
}

impl<C: CodecFor<P>, P: PayloadTypes> Measurable for Binding<C, P> {
    fn sample_count(&self) -> usize {
        self.loaded.values.len()
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
        let Binding { codec, state, loaded, .. } = self;
        // Timed closures own what they use, so that no call has to read its address from memory first.
        let (codec, values, encoded) = (&*codec, loaded.values.as_slice(), loaded.encoded.as_slice());
        let batches = Batches { codec: codec.id(), phase, encoded, use_batches };
        match phase {
            Phase::Build => batches.of(&mut |round| {
                let shared = &*state;
                let build = move |i: usize| Ok(call::build::<C, P>(codec, shared, &values[i]));
                let Ok::<_, Infallible>(object) = round.run(build);
                Ok(hash(&call::encode_fresh::<C, P>(codec, state, &object)?))
            }),
            Phase::Encode => {
                let mut objects = Vec::with_capacity(values.len());
                for value in values {
                    objects.push(call::build::<C, P>(codec, state, value));
                }
                let objects = objects.as_slice();
                match buffer {
                    Buffer::Fresh => batches.of(&mut |round| {
                        let state = &mut *state;
                        let encode = move |i: usize| call::encode_fresh::<C, P>(codec, state, &objects[i]);
                        Ok(hash(&round.run(encode)?))
                    }),
                    Buffer::Reused => {
                        let mut out = Vec::new();
                        batches.of(&mut |round| {
                            let (state, into) = (&mut *state, &mut out);
                            round.run(move |i| {
                                into.clear();
                                call::encode::<C, P>(codec, state, &objects[i], into)?;
                                black_box(into.as_ptr());
                                Ok::<_, EncodeError>(())
                            })?;
                            Ok(hash(&out))
                        })
                    }
                }
            }
            Phase::Decode => {
                let state = &*state;
                let bodies = bodies(encoded);
                let bodies = bodies.as_slice();
                batches.of(&mut |round| {
                    let object = round.run(move |i| call::decode::<C, P>(codec, state, bodies[i]))?;
                    Ok(call::read::<C, P>(codec, &object)?)
                })
            }
            Phase::Read => {
                let mut objects = Vec::with_capacity(encoded.len());
                for sample in encoded {
                    objects.push(call::decode::<C, P>(codec, state, &sample.bytes)?);
                }
                let objects = objects.as_slice();
                batches.of(&mut |round| Ok(round.run(move |i| call::read::<C, P>(codec, &objects[i]))?))
            }
            Phase::Empty => batches.of(&mut |round| {
                round.run(Ok::<_, EncodeError>)?;
                Ok(encoded[round.last()].hash)
            }),
            Phase::Compress | Phase::Decompress => batches.none(),
        }
    }
}

/// The part of [`Measurable::with_batches`] that does not touch the types.
struct Batches<'a, 'u> {
    codec: &'static str,
    phase: Phase,
    encoded: &'a [Encoded],
    use_batches: &'a mut UseBatches<'u>,
}

impl Batches<'_, '_> {
    /// Runs the calls of one phase, which return the digest of the last product: of its bytes for build and encode,
    /// of its values for decode and read.
    #[inline(never)]
    fn of(self, calls: &mut dyn FnMut(&mut Round) -> Result<u64, MeasureError>) -> Result<(), MeasureError> {
        let Batches { codec, phase, encoded, use_batches } = self;
        if encoded.is_empty() {
            return Err(MeasureError::NoSamples);
        }
        use_batches(&mut |iterations, first| {
            let mut round = Round::new(iterations, encoded.len(), first);
            let digest = calls(&mut round)?;
            outcome(codec, phase, &round, encoded, digest)
        })
    }

    #[inline(never)]
    fn none(self) -> Result<(), MeasureError> {
        Err(MeasureError::NoPhase { what: self.codec.to_owned(), phase: self.phase })
    }
}

/// What a batch produced, if its last product is the right one.
fn outcome(
    codec: &str,
    phase: Phase,
    round: &Round,
    encoded: &[Encoded],
    digest: u64,
) -> Result<BatchOutcome, MeasureError> {
    let sample = round.last();
    let expected = match phase {
        Phase::Decode | Phase::Read => encoded[sample].digest,
        _ => encoded[sample].hash,
    };
    match digest == expected {
        true => Ok(BatchOutcome { batch: round.batch(), digest }),
        false => Err(wrong(codec, phase, sample)),
    }
}

/// The same for a batch that was run in another language, whose last product was these bytes (build and encode) or has this digest of its
/// values (decode and read).
///
/// # Errors
/// When it is not what the sample's is.
pub fn verified(
    codec: &str,
    phase: Phase,
    round: &Round,
    encoded: &[Encoded],
    bytes: &[u8],
    digest: u64,
) -> Result<BatchOutcome, MeasureError> {
    let digest = match phase {
        Phase::Decode | Phase::Read => digest,
        Phase::Empty => encoded[round.last()].hash,
        _ => hash(bytes),
    };
    outcome(codec, phase, round, encoded, digest)
}

/// Hash of an encoded message. Not inlined: it is long, and outside every clock.
#[inline(never)]
fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

fn bodies(encoded: &[Encoded]) -> Vec<&[u8]> {
    encoded.iter().map(|sample| sample.bytes.as_slice()).collect()
}

#[cold]
fn wrong(codec: &str, phase: Phase, sample: usize) -> MeasureError {
    MeasureError::Wrong { codec: codec.to_owned(), phase, sample }
}

#[cold]
fn nothing_built(codec: &str) -> EncodeError {
    EncodeError::new(codec, &"nothing was built: call prepare and build first")
}
