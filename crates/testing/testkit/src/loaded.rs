//! A runner's process with a codec loaded.

use prost_reflect::DynamicMessage;
use wiredyno_contract::{Buffer, Failure, Operation, Phase, PhaseMeasurement, Success};
use wiredyno_payloads::Payload;
use wiredyno_schema::canonical_bytes;

use crate::Runner;
use crate::lent::{Lent, Spare};
use crate::source::Source;

/// A runner's process, with a codec and samples loaded.
pub struct Loaded {
    /// The process, for further operations.
    pub runner: Lent,
    /// The payload's files that were loaded.
    pub source: Source,
    /// Encoded length of each sample, in bytes.
    pub body_bytes: Vec<u32>,
    payload: Payload,
    codec: String,
}

impl Loaded {
    /// Loads all samples of a source; panics unless the codec carries them.
    pub(crate) fn new(
        runner: Runner,
        payload: &Payload,
        codec: &str,
        source: Source,
        spare: Option<Spare>,
    ) -> Loaded {
        let (payload, codec) = (payload.clone(), codec.to_owned());
        let runner = Lent::new(runner, spare);
        let mut loaded = Loaded { runner, source, body_bytes: Vec::new(), payload, codec };
        loaded.load(None).unwrap_or_else(|failure| panic!("{failure}"));
        loaded
    }

    /// Loads again, at most this many samples.
    pub fn load(&mut self, samples: Option<u32>) -> Result<(), Failure> {
        let operation = Operation::Load {
            payload: self.source.wire(),
            codec: self.codec.parse().unwrap_or_else(|error| panic!("{}: {error}", self.codec)),
            compression: Default::default(),
            samples,
        };
        match self.runner.ask(operation)? {
            Success::Loaded { samples, body_bytes, .. } => {
                assert_eq!(samples as usize, body_bytes.len(), "{}", self.name());
                self.body_bytes = body_bytes;
                Ok(())
            }
            other => panic!("{}: loaded by {other:?}", self.name()),
        }
    }

    /// Codec and payload, for messages.
    pub fn name(&self) -> String {
        format!("{} over {}", self.codec, self.payload.id())
    }

    /// A sample, encoded; panics on a refusal.
    pub fn encode(&mut self, sample: usize) -> Vec<u8> {
        let operation = Operation::Encode { sample: Some(sample as u32), value: None };
        self.body(operation).unwrap_or_else(|failure| panic!("{}: {failure}", self.name()))
    }

    /// All samples, encoded; panics on a refusal.
    pub fn encode_all(&mut self) -> Vec<Vec<u8>> {
        let all = 0..self.body_bytes.len() as u32;
        let operations = all.map(|sample| Operation::Encode { sample: Some(sample), value: None });
        let answers = self.runner.ask_all(operations);
        let body = |answer| match answer {
            Ok(Success::Encoded { body }) => bytes(&body),
            other => panic!("{}: encoded by {other:?}", self.name()),
        };
        answers.into_iter().map(body).collect()
    }

    /// Encodes any value of the payload's message.
    pub fn encode_value(&mut self, value: &DynamicMessage) -> Result<Vec<u8>, Failure> {
        self.body(Operation::Encode { sample: None, value: Some(hex::encode(canonical_bytes(value))) })
    }

    fn body(&mut self, operation: Operation) -> Result<Vec<u8>, Failure> {
        match self.runner.ask(operation)? {
            Success::Encoded { body } => Ok(bytes(&body)),
            other => panic!("{}: encoded by {other:?}", self.name()),
        }
    }

    /// Decodes bytes into a value.
    pub fn decode(&mut self, body: &[u8]) -> Result<DynamicMessage, Failure> {
        match self.runner.ask(Operation::Decode { body: hex::encode(body) })? {
            Success::Decoded { value } => {
                let value = DynamicMessage::decode(self.payload.descriptor().clone(), &*bytes(&value));
                Ok(value.unwrap_or_else(|error| panic!("{} gives no value: {error}", self.name())))
            }
            other => panic!("{}: decoded by {other:?}", self.name()),
        }
    }

    /// Decodes bytes into [`canonical_bytes`], which are equal for equal values.
    pub fn decode_bytes(&mut self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        self.decode(body).map(|value| canonical_bytes(&value))
    }

    /// Measures one phase and returns the digest that proves its work.
    pub fn measure(
        &mut self,
        phase: Phase,
        batch_time_ns: u64,
        batches: u32,
        buffer: Buffer,
    ) -> (PhaseMeasurement, String) {
        match self.runner.ask(Operation::Measure {
            phase,
            batch_time_ns,
            batches,
            buffer,
            burden_per_mille: 0,
            // That what is produced is right does not depend on how fast it is.
            settle_ns: Some(0),
        }) {
            Ok(Success::Measured { measurement, digest }) => (measurement, digest),
            other => panic!("{}, {}: measured by {other:?}", self.name(), phase.name()),
        }
    }
}

/// Decodes hexadecimal digits of a reply.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap_or_else(|error| panic!("a reply has no hexadecimal digits: {error}"))
}
