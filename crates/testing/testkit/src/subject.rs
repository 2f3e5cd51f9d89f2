//! A runner to test: a program over one payload.

use std::ffi::OsString;
use std::sync::OnceLock;

use prost_reflect::DynamicMessage;
use wiredyno_contract::{Description, Operation, Success};
use wiredyno_payloads::Payload;

use crate::lent::Spare;
use crate::source::Source;
use crate::{Loaded, Runner, memory};

/// A runner to test, over one payload.
pub struct Subject {
    /// The runner's name, such as `rust` or `python`.
    pub runner: &'static str,
    /// Its program with arguments; empty if it can't be started here.
    pub program: Vec<OsString>,
    /// The payload that it is tested over.
    pub payload: Payload,
    /// The ids of the codecs that it is expected to have.
    pub codecs: Vec<String>,
    /// Ids of codecs that it lacks here, with what to type to install them.
    pub missing: Vec<(String, String)>,
    /// Its description, once it was asked for.
    pub(crate) description: OnceLock<Description>,
    /// Processes that wait for the next test; `None` where each test has its own.
    pub(crate) spare: Option<Spare>,
}

impl Subject {
    /// A runner over a payload, expected to have these codecs.
    pub fn new(runner: &'static str, program: Vec<OsString>, payload: Payload, codecs: Vec<String>) -> Self {
        Subject {
            runner,
            program,
            payload,
            codecs,
            missing: Vec::new(),
            description: OnceLock::new(),
            spare: None,
        }
    }

    /// The same subject, whose processes serve one test after another where a test does not need a fresh one.
    pub fn reusing(self) -> Self {
        Subject { spare: Some(Spare::default()), ..self }
    }

    /// Whether its processes serve one test after another.
    pub fn reuses(&self) -> bool {
        self.spare.is_some()
    }

    /// Runner and payload, for names of tests.
    pub fn name(&self) -> String {
        format!("{}/{}", self.runner, self.payload.id())
    }

    /// Starts a process of the runner. One that serves several tests has a virtual machine.
    pub fn start(&self) -> Runner {
        let variables = if self.reuses() { memory::ONE_ARENA } else { &[] };
        Runner::start_with(&self.program, variables)
    }

    /// Its description; panics if it does not answer with one.
    pub fn description(&self) -> &Description {
        self.description.get_or_init(|| match self.start().must(Operation::Describe) {
            Success::Description(description) => *description,
            other => panic!("{} describes itself by {other:?}", self.name()),
        })
    }

    /// Why one of its codecs can't carry the payload; `None` if it can.
    pub fn refuses(&self, codec: &str) -> Option<&str> {
        let refused = self.description().not_carried.iter();
        refused.into_iter().find(|(id, _)| id.to_string() == codec).map(|(_, reason)| reason.as_str())
    }

    /// Its codecs that carry the payload.
    pub fn carried(&self) -> impl Iterator<Item = &str> {
        self.codecs.iter().map(String::as_str).filter(|codec| self.refuses(codec).is_none())
    }

    /// Starts a process with a codec and these samples loaded.
    pub fn load(&self, codec: &str, samples: &[DynamicMessage]) -> Loaded {
        let waiting = self.spare.as_ref().and_then(|spare| spare.lock().ok()?.pop());
        self.load_in(waiting.unwrap_or_else(|| self.start()), codec, samples)
    }

    /// The same in a process that is already running.
    pub fn load_in(&self, runner: Runner, codec: &str, samples: &[DynamicMessage]) -> Loaded {
        let source = Source::of(&self.payload, samples).unwrap_or_else(|error| panic!("{error}"));
        Loaded::new(runner, &self.payload, codec, source, self.spare.clone())
    }

    /// Encodes values with a codec.
    pub fn encoded(&self, codec: &str, values: &[DynamicMessage]) -> Vec<Vec<u8>> {
        let source = Source::of(&self.payload, values).unwrap_or_else(|error| panic!("{error}"));
        let operation = Operation::EncodeSamples {
            payload: source.wire(),
            codec: codec.parse().unwrap_or_else(|error| panic!("{codec}: {error}")),
            samples: u32::MAX,
            give: true,
        };
        match self.start().ask(operation) {
            Ok(Success::EncodedSamples { bodies }) => {
                assert_eq!(bodies.len(), values.len(), "{codec} over {}", self.name());
                bodies.iter().map(|body| crate::loaded::bytes(body)).collect()
            }
            other => panic!("{codec} over {}: {other:?}", self.name()),
        }
    }
}
