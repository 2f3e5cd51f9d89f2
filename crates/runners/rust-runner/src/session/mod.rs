//! The main loop: requests in, replies out, and the state between them.

mod roles;
mod server;

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde::Deserialize;
use wiredyno_codec::measure::MeasureSettings;
use wiredyno_contract::live::LiveWriter;
use wiredyno_contract::{
    Answer, CodecId, CompressionId, Failure, Operation, PayloadSource, Reply, Request, Success,
};
use wiredyno_transport::Server;

use self::roles::Role;
use self::server::Superseded;
use crate::Composition;
use crate::codec::{self, Loaded};
use crate::describe;
use crate::publisher::Values;
use crate::refusal::{Refusal, failure};

/// Why the main loop ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Standard output is closed, so replies can't be sent.
    #[error("a reply could not be written: {0}; the orchestrator has gone")]
    Write(io::Error),
    /// The system allows no further thread.
    #[error("no thread to carry out requests on: {0}; check the limit on threads (ulimit -u)")]
    Thread(io::Error),
    /// The thread that carries out requests panicked as it ended.
    #[error("the runner panicked while it ended; please report this")]
    Panicked,
}

/// Answers requests with the parts of the composition until `stop` or the end of input, which means the same; then everything that this
/// runner started has ended. Requests are read on the calling thread and carried out on another, so that the end of input is noticed
/// during a wait.
///
/// # Errors
/// When a reply can't be written. Operations that fail are replies, not errors.
pub fn run(composition: Composition, input: impl BufRead, output: impl Write + Send) -> Result<(), RunError> {
    let gone = Arc::new(AtomicBool::new(false));
    let (lines, requests) = channel();
    std::thread::scope(|scope| {
        let of_session = gone.clone();
        let session = std::thread::Builder::new()
            .name("session".into())
            .spawn_scoped(scope, move || answer(Session::new(composition, of_session), &requests, output))
            .map_err(RunError::Thread)?;
        read_requests(input, lines);
        gone.store(true, Ordering::SeqCst);
        session.join().unwrap_or(Err(RunError::Panicked))
    })
}

/// A line and the request in it.
type Line = (String, Result<Request, serde_json::Error>);

/// Passes lines on until `stop`, the end of input, or until the other thread is gone.
fn read_requests(mut input: impl BufRead, lines: Sender<Line>) {
    let mut line = String::new();
    while matches!(input.read_line(&mut line), Ok(1..)) {
        let line = std::mem::take(&mut line);
        if line.trim().is_empty() {
            continue;
        }
        let request = serde_json::from_str::<Request>(&line);
        let last = request.as_ref().is_ok_and(|request| request.operation == Operation::Stop);
        if lines.send((line, request)).is_err() || last {
            return;
        }
    }
}

/// Carries out requests, one after the other.
fn answer(mut session: Session, requests: &Receiver<Line>, mut output: impl Write) -> Result<(), RunError> {
    while let Ok((line, request)) = requests.recv() {
        let reply = session.reply_to(&line, request);
        let text = serde_json::to_string(&reply).map_err(|error| RunError::Write(error.into()))?;
        writeln!(output, "{text}").and_then(|()| output.flush()).map_err(RunError::Write)?;
    }
    Ok(())
}

pub type Done = Result<Success, Failure>;

/// The fields of a `load` request.
pub struct Load {
    payload: PayloadSource,
    codec: CodecId,
    compression: CompressionId,
}

impl Load {
    /// Loads the codec with this many samples.
    pub fn of(&self, composition: &Composition, samples: Option<u32>) -> Result<(Loaded, Success), Failure> {
        codec::load(composition.definition, &self.payload, &self.codec, &self.compression, samples)
    }
}

pub struct Session {
    pub composition: Composition,
    pub loaded: Option<Loaded>,
    /// The last `load` request.
    pub load: Option<Load>,
    /// The source of measured messages' values, where they are not samples.
    pub records: Option<Values>,
    /// Where the next role counts what it does.
    pub live: Option<LiveWriter>,
    /// No codec has been used in this process.
    fresh: bool,
    pub role: Role,
    pub servers: Vec<Box<dyn Server>>,
    /// What those servers superseded.
    pub superseded: Arc<Superseded>,
    pub gone: Arc<AtomicBool>,
}

impl Session {
    fn new(composition: Composition, gone: Arc<AtomicBool>) -> Self {
        Session {
            composition,
            loaded: None,
            load: None,
            records: None,
            live: None,
            fresh: true,
            role: Role::None,
            servers: Vec::new(),
            superseded: Arc::default(),
            gone,
        }
    }

    fn reply_to(&mut self, line: &str, request: Result<Request, serde_json::Error>) -> Reply {
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                return Reply { id: id_of(line), answer: Answer::Failed(failure(Refusal::Request(error))) };
            }
        };
        let result = catch_unwind(AssertUnwindSafe(|| self.carry_out(request.operation)));
        let result = result.unwrap_or_else(|panic| Err(failure(Refusal::Panicked(words(&*panic)))));
        Reply { id: request.id, answer: result.into() }
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each operation of the contract")]
    fn carry_out(&mut self, operation: Operation) -> Done {
        match operation {
            Operation::Describe => describe::description(&self.composition).map_err(failure),
            Operation::Load { payload, codec, compression, samples } => {
                self.fresh = false;
                let load = Load { payload, codec, compression };
                let (loaded, outcome) = load.of(&self.composition, samples)?;
                (self.loaded, self.load, self.records) = (Some(loaded), Some(load), None);
                Ok(outcome)
            }
            Operation::ReadRecords { source, records } => {
                self.loaded()?;
                let open = self.composition.records.ok_or_else(|| failure(Refusal::NoRecords))?;
                let read = open(&source).map_err(|why| failure(Refusal::Unread(why)))?;
                self.records = Some(Values { read, records });
                Ok(Success::Done)
            }
            Operation::CountLive { counters } => {
                let opened = LiveWriter::open(&counters);
                self.live = Some(opened.map_err(|source| failure(Refusal::Live { path: counters, source }))?);
                Ok(Success::Done)
            }
            Operation::CallFirst { payload, codec } => {
                let fresh = std::mem::replace(&mut self.fresh, false);
                codec::call_first(self.composition.definition, &payload, &codec, fresh)
            }
            Operation::EncodeSamples { payload, codec, samples, give } => {
                let fresh = std::mem::replace(&mut self.fresh, false);
                codec::encode_samples(self.composition.definition, &payload, &codec, samples, give, fresh)
            }
            Operation::DecodeSamples { payload, codec, bodies } => {
                let fresh = self.fresh;
                self.fresh &= bodies.is_empty();
                codec::decode_samples(self.composition.definition, &payload, &codec, &bodies, fresh)
            }
            Operation::Encode { sample, value } => self.loaded()?.encode(sample, value.as_deref()),
            Operation::Decode { body } => self.loaded()?.decode(&body),
            // Compiled ahead: there is nothing to settle.
            Operation::Measure {
                phase,
                batch_time_ns: batch_ns,
                batches,
                buffer,
                burden_per_mille,
                settle_ns: _,
            } => {
                let settings = MeasureSettings { batch_ns, batches, buffer, burden_per_mille };
                self.loaded()?.measure(phase, &settings)
            }
            Operation::Serve { transport, endpoint, options, seed, tls } => {
                self.serve(&transport, &endpoint, options, seed, tls)
            }
            Operation::Publish(publish) => self.publish(publish),
            Operation::Subscribe(subscribe) => self.subscribe(subscribe),
            Operation::WarmUp { messages } => self.warm_up(messages),
            Operation::Start(start) => {
                self.publisher()?.start(start).map_err(failure)?;
                Ok(Success::Done)
            }
            Operation::AwaitSent { until_ns, acked } => self.await_sent(until_ns, acked),
            Operation::AwaitReceived { messages, until_ns } => self.await_received(messages, until_ns),
            Operation::WriteSent { records } => self.write_sent(&records),
            Operation::AwaitDelivered { sent, until_ns } => self.await_delivered(&sent, until_ns),
            Operation::Finish { records } => self.finish(&records),
            Operation::FinishServing { records } => self.finish_serving(&records),
            Operation::Stop => {
                self.role = Role::None;
                self.servers.clear();
                Ok(Success::Done)
            }
        }
    }

    pub fn loaded(&mut self) -> Result<&mut Loaded, Failure> {
        self.loaded.as_mut().ok_or_else(|| failure(Refusal::NotLoaded))
    }
}

/// The id of a line that is not a valid request, if it has one; else 0.
fn id_of(line: &str) -> u64 {
    #[derive(Deserialize)]
    struct Id {
        id: u64,
    }
    serde_json::from_str::<Id>(line).map_or(0, |id| id.id)
}

/// The message of a panic.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".into())
}
