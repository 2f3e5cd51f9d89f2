//! A compressor with samples: what runners and tests work with. [`Squeezer`] is compiled for each method, so that
//! there is no dynamic call inside a timed loop.

use wiredyno_contract::{Buffer, CompressionId, DictionaryUsed, Phase};
use xxhash_rust::xxh3::xxh3_64;

use super::{CompressionError, Compressor};
use wiredyno_codec::measure::{BatchOutcome, Measurable, MeasureError, Round, UseBatches};

/// A compressor with its samples, whatever the method.
pub trait BoundCompression: Measurable {
    /// The compression's id, with level and dictionary.
    fn id(&self) -> &CompressionId;

    /// The dictionary in use; `None` without one.
    fn dictionary(&self) -> Option<DictionaryUsed>;

    /// Replaces the content of `out` with the compressed bytes.
    ///
    /// # Errors
    /// When the library fails.
    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), CompressionError>;

    /// Replaces the content of `out` with the plain bytes. Never panics.
    ///
    /// # Errors
    /// When the bytes are damaged or longer than [`super::LIMIT_BYTES`].
    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), CompressionError>;

    /// Replaces the loaded samples; each must come back equal. Returns the compressed lengths.
    ///
    /// # Errors
    /// When one does not come back equal.
    fn load(&mut self, samples: &mut dyn Iterator<Item = &[u8]>) -> Result<Vec<u32>, CompressionError>;
}

struct Sample {
    plain: Vec<u8>,
    compressed: Vec<u8>,
    plain_hash: u64,
    compressed_hash: u64,
}

/// [`BoundCompression`] for one method, without dynamic calls inside the loops.
pub struct Squeezer<C> {
    id: CompressionId,
    compressor: C,
    dictionary: Option<DictionaryUsed>,
    samples: Vec<Sample>,
}

impl<C: Compressor> Squeezer<C> {
    /// Starts without samples; [`BoundCompression::load`] adds them.
    pub fn new(id: &CompressionId, compressor: C, dictionary: Option<DictionaryUsed>) -> Self {
        Squeezer { id: id.clone(), compressor, dictionary, samples: Vec::new() }
    }
}

impl<C: Compressor> BoundCompression for Squeezer<C> {
    fn id(&self) -> &CompressionId {
        &self.id
    }

    fn dictionary(&self) -> Option<DictionaryUsed> {
        self.dictionary
    }

    fn compress(&mut self, plain: &[u8], out: &mut Vec<u8>) -> Result<(), CompressionError> {
        self.compressor
            .compress(plain, out)
            .map_err(|reason| CompressionError::Compress { id: self.id.to_string(), reason })
    }

    fn decompress(&mut self, compressed: &[u8], out: &mut Vec<u8>) -> Result<(), CompressionError> {
        self.compressor
            .decompress(compressed, out)
            .map_err(|reason| CompressionError::Decompress { id: self.id.to_string(), reason })
    }

    fn load(&mut self, samples: &mut dyn Iterator<Item = &[u8]>) -> Result<Vec<u32>, CompressionError> {
        let mut loaded = Vec::new();
        let mut back = Vec::new();
        for plain in samples {
            let mut compressed = Vec::new();
            self.compress(plain, &mut compressed)?;
            // The compressor's buffer may be much longer than its content.
            compressed.shrink_to_fit();
            self.decompress(&compressed, &mut back)?;
            if back != plain {
                let reason = "a sample came back different; report this".to_owned();
                return Err(CompressionError::Decompress { id: self.id.to_string(), reason });
            }
            loaded.push(Sample {
                plain_hash: xxh3_64(plain),
                compressed_hash: xxh3_64(&compressed),
                plain: plain.to_vec(),
                compressed,
            });
        }
        self.samples = loaded;
        Ok(self.samples.iter().map(|sample| sample.compressed.len() as u32).collect())
    }
}

impl<C: Compressor> Measurable for Squeezer<C> {
    fn sample_count(&self) -> usize {
        self.samples.len()
    }

    fn with_batches(
        &mut self,
        phase: Phase,
        buffer: Buffer,
        use_batches: &mut UseBatches<'_>,
    ) -> Result<(), MeasureError> {
        let Squeezer { id, compressor, samples, .. } = self;
        let (id, samples) = (&*id, samples.as_slice());
        if samples.is_empty() {
            return Err(MeasureError::NoSamples);
        }
        let rounds = Rounds { id, phase, samples, buffer };
        match phase {
            Phase::Compress => {
                let wrong = |reason| CompressionError::Compress { id: id.to_string(), reason };
                let call =
                    |i: usize, out: &mut Vec<u8>| compressor.compress(&samples[i].plain, out).map_err(wrong);
                rounds.run(call, |sample| sample.compressed_hash, use_batches)
            }
            Phase::Decompress => {
                let wrong = |reason| CompressionError::Decompress { id: id.to_string(), reason };
                let call = |i: usize, out: &mut Vec<u8>| {
                    compressor.decompress(&samples[i].compressed, out).map_err(wrong)
                };
                rounds.run(call, |sample| sample.plain_hash, use_batches)
            }
            _ => Err(MeasureError::NoPhase { what: id.to_string(), phase }),
        }
    }
}

/// The timed loops of both phases: they differ in the call and in the expected result.
struct Rounds<'a> {
    id: &'a CompressionId,
    phase: Phase,
    samples: &'a [Sample],
    buffer: Buffer,
}

impl Rounds<'_> {
    fn run(
        &self,
        mut call: impl FnMut(usize, &mut Vec<u8>) -> Result<(), CompressionError>,
        expected: fn(&Sample) -> u64,
        use_batches: &mut UseBatches<'_>,
    ) -> Result<(), MeasureError> {
        let count = self.samples.len();
        let checked = |bytes: &[u8], round: &Round| {
            let (digest, sample) = (xxh3_64(bytes), round.last());
            if digest == expected(&self.samples[sample]) {
                return Ok(BatchOutcome { batch: round.batch(), digest });
            }
            Err(MeasureError::Wrong { codec: self.id.to_string(), phase: self.phase, sample })
        };
        match self.buffer {
            Buffer::Fresh => use_batches(&mut |iterations, first| {
                let (mut round, call) = (Round::new(iterations, count, first), &mut call);
                let bytes = round.run(move |i| {
                    let mut out = Vec::new();
                    call(i, &mut out)?;
                    Ok::<_, CompressionError>(out)
                })?;
                checked(&bytes, &round)
            }),
            Buffer::Reused => {
                let mut out = Vec::new();
                use_batches(&mut |iterations, first| {
                    let mut round = Round::new(iterations, count, first);
                    let (call, into) = (&mut call, &mut out);
                    round.run(move |i| call(i, into))?;
                    checked(&out, &round)
                })
            }
        }
    }
}
