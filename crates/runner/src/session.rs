//! The main loop: requests in, replies out, and the state between them.

use std::io::{self, BufRead, Write};
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde::Deserialize;
use wiredyno_codecs::Bound;
use wiredyno_model::TransportId;
use wiredyno_runner_wire::bulk;
use wiredyno_runner_wire::{Answer, Endpoint, Failure, Operation, Outcome, Reply, Request};
use wiredyno_transports::clock::now_ns;
use wiredyno_transports::{ClientSetup, Server, Transport};

use crate::codec::{self, Loaded};
use crate::describe;
use crate::gate::Receipts;
use crate::publisher::{Plan, PublisherRole};
use crate::stamps::Stamps;
use crate::subscriber::{Arrivals, Receiver as ArrivalSink, SubscriberRole};

/// How long a client may take to connect; over 140 ms of round trip with 10 % loss each way, three lost
/// SYNs in a row (7 s of TCP's own repeats) still fit.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// How long disconnecting in good order may take.
const GRACE: Duration = Duration::from_secs(5);

/// How long handing over the warm-up may take.
const WARM_UP_LIMIT_NS: i64 = 60_000_000_000;

/// The main loop can't go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Nobody reads the replies.
    #[error("a reply could not be written: {0}; the orchestrator has gone")]
    Write(io::Error),
    /// No thread to read requests on.
    #[error("no thread to read requests on: {0}; check the limit on threads (ulimit -u)")]
    Thread(io::Error),
}

/// Answers requests until `stop` or the input's end, which means the same; then everything this runner
/// started has ended.
///
/// # Errors
/// When a reply can't be written. Operations that fail are replies, not errors.
pub fn run(input: impl BufRead + Send + 'static, mut output: impl Write) -> Result<(), RunError> {
    let gone = Arc::new(AtomicBool::new(false));
    let requests = read_requests(input, gone.clone()).map_err(RunError::Thread)?;
    let mut session = Session::new(gone);
    while let Ok(line) = requests.recv() {
        let (reply, last) = session.reply_to(&line);
        let text = serde_json::to_string(&reply).map_err(|error| RunError::Write(error.into()))?;
        writeln!(output, "{text}")
            .and_then(|()| output.flush())
            .map_err(RunError::Write)?;
        if last {
            break;
        }
    }
    Ok(())
}

/// Reads lines on a thread of its own, so that the input's end is seen during a wait.
fn read_requests(
    mut input: impl BufRead + Send + 'static,
    gone: Arc<AtomicBool>,
) -> io::Result<Receiver<String>> {
    let (lines, requests) = channel();
    std::thread::Builder::new()
        .name("requests".into())
        .spawn(move || {
            let mut line = String::new();
            while matches!(input.read_line(&mut line), Ok(1..)) {
                let line = std::mem::take(&mut line);
                if !line.trim().is_empty() && lines.send(line).is_err() {
                    return;
                }
            }
            gone.store(true, Ordering::SeqCst);
        })?;
    Ok(requests)
}

/// Why an operation is refused by the runner itself.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("not a request: {0}; one JSON object a line with `id` and `op`, see docs/RUNNER.md")]
    Request(serde_json::Error),
    #[error("nothing is loaded: `load` a payload and a codec first")]
    NotLoaded,
    #[error("this runner is {0} already: `finish` that first")]
    Busy(&'static str),
    #[error("this runner is no {0}: `{1}` first")]
    NotInRole(&'static str, &'static str),
    #[error("no transport `{0}` here: `describe` lists them")]
    Transport(TransportId),
    #[error("`{0}` is no IP address: resolve the host's name before")]
    Address(String),
    #[error("the connection is lost: {0}")]
    Broken(String),
    #[error(
        "only {sent} of {messages} warm-up messages were handed over within a minute: the link or the broker is too slow, send fewer"
    )]
    SlowWarmUp { sent: u64, messages: u32 },
    #[error("the gate can't be reached: {0}")]
    Gate(io::Error),
    #[error("the records can't be written to {path}: {source}; name a file in a folder that exists")]
    Records { path: String, source: io::Error },
    #[error("the runner panicked at this operation: {0}; please report this")]
    Panicked(String),
}

type Done = Result<Outcome, Failure>;

/// Turns any error into a reply.
pub(crate) fn failure(error: impl std::error::Error) -> Failure {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    Failure { error: text }
}

enum Role {
    None,
    Publisher(PublisherRole),
    Subscriber(SubscriberRole),
}

impl Role {
    fn name(&self) -> &'static str {
        match self {
            Role::None => "nothing",
            Role::Publisher(_) => "a publisher",
            Role::Subscriber(_) => "a subscriber",
        }
    }
}

struct Session {
    loaded: Option<Loaded>,
    role: Role,
    servers: Vec<Box<dyn Server>>,
    /// The input has ended.
    gone: Arc<AtomicBool>,
}

/// Where and as what a client connects.
struct Client {
    transport: TransportId,
    setting: Option<String>,
    endpoint: Endpoint,
    topic: String,
}

impl Session {
    fn new(gone: Arc<AtomicBool>) -> Self {
        Session {
            loaded: None,
            role: Role::None,
            servers: Vec::new(),
            gone,
        }
    }

    /// The reply to one line, and whether it is the last.
    fn reply_to(&mut self, line: &str) -> (Reply, bool) {
        let request: Request = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => {
                let answer = Answer::Failed(failure(Refusal::Request(error)));
                return (
                    Reply {
                        id: id_of(line),
                        answer,
                    },
                    false,
                );
            }
        };
        let last = request.operation == Operation::Stop;
        let result = catch_unwind(AssertUnwindSafe(|| self.carry_out(request.operation)));
        let result = result.unwrap_or_else(|panic| Err(failure(Refusal::Panicked(words(&*panic)))));
        (
            Reply {
                id: request.id,
                answer: result.into(),
            },
            last,
        )
    }

    fn carry_out(&mut self, operation: Operation) -> Done {
        match operation {
            Operation::Describe => describe::description().map_err(failure),
            Operation::Load {
                payload,
                codec,
                samples,
            } => {
                let (loaded, outcome) = codec::load(&payload, &codec, samples)?;
                self.loaded = Some(loaded);
                Ok(outcome)
            }
            Operation::Encode { sample, value } => self.loaded()?.encode(sample, value.as_deref()),
            Operation::Decode { body } => self.loaded()?.decode(&body),
            Operation::Measure {
                phase,
                batch_time_ns,
                batches,
                reuse_buffer,
            } => self
                .loaded()?
                .measure(phase, batch_time_ns, batches, reuse_buffer),
            Operation::Serve { transport, endpoint } => self.serve(&transport, &endpoint),
            Operation::Publish {
                transport,
                setting,
                endpoint,
                topic,
            } => self.publish(Client {
                transport,
                setting,
                endpoint,
                topic,
            }),
            Operation::Subscribe {
                transport,
                setting,
                endpoint,
                topic,
                gate,
            } => {
                let client = Client {
                    transport,
                    setting,
                    endpoint,
                    topic,
                };
                self.subscribe(client, gate.as_deref())
            }
            Operation::WarmUp { messages } => self.warm_up(messages),
            Operation::Start {
                at_ns,
                messages,
                kind,
                interval_ns,
                arrivals,
                seed,
                deadline_ns,
                gate,
            } => {
                let plan = Plan {
                    at_ns,
                    messages,
                    kind,
                    interval_ns,
                    arrivals,
                    seed,
                    deadline_ns,
                    gate,
                };
                self.publisher()?.start(plan).map_err(failure)?;
                Ok(Outcome::Done)
            }
            Operation::AwaitSent { until_ns, acked } => self.await_sent(until_ns, acked),
            Operation::AwaitReceived { messages, until_ns } => self.await_received(messages, until_ns),
            Operation::Finish { records } => self.finish(&records),
            Operation::Stop => {
                self.role = Role::None;
                self.servers.clear();
                Ok(Outcome::Done)
            }
        }
    }

    fn loaded(&mut self) -> Result<&mut Loaded, Failure> {
        self.loaded.as_mut().ok_or_else(|| failure(Refusal::NotLoaded))
    }

    fn publisher(&mut self) -> Result<&mut PublisherRole, Failure> {
        match &mut self.role {
            Role::Publisher(publisher) => Ok(publisher),
            _ => Err(failure(Refusal::NotInRole("publisher", "publish"))),
        }
    }

    fn free(&self) -> Result<(), Failure> {
        match &self.role {
            Role::None => Ok(()),
            role => Err(failure(Refusal::Busy(role.name()))),
        }
    }

    fn serve(&mut self, transport: &TransportId, endpoint: &Endpoint) -> Done {
        let server = find(transport)?.server(address(endpoint)?).map_err(failure)?;
        let address = server.address();
        self.servers.push(server);
        Ok(Outcome::Serving {
            endpoint: Endpoint {
                host: address.ip().to_string(),
                port: address.port(),
            },
        })
    }

    fn publish(&mut self, client: Client) -> Done {
        self.free()?;
        let transport = find(&client.transport)?;
        let setup = setup(client)?;
        self.loaded()?;
        let stamps = Arc::new(Stamps::new());
        let publisher = transport.publisher(&setup, stamps.clone()).map_err(failure)?;
        let loaded = self.loaded.take().ok_or_else(|| failure(Refusal::NotLoaded))?;
        let role = PublisherRole::new(publisher, loaded, stamps).map_err(failure)?;
        self.role = Role::Publisher(role);
        Ok(Outcome::Connected)
    }

    fn subscribe(&mut self, client: Client, gate: Option<&str>) -> Done {
        self.free()?;
        let transport = find(&client.transport)?;
        let setup = setup(client)?;
        let receipts = gate.map(Receipts::new).transpose();
        let receipts = receipts.map_err(|error| failure(Refusal::Gate(error)))?;
        let arrivals = Arc::new(Arrivals::default());
        let bound: Option<Box<dyn Bound>> = self.loaded.take().map(|loaded| loaded.bound);
        let sink = ArrivalSink::new(arrivals.clone(), bound, receipts);
        let subscriber = transport.subscriber(&setup, Box::new(sink)).map_err(failure)?;
        self.role = Role::Subscriber(SubscriberRole { arrivals, subscriber });
        Ok(Outcome::Connected)
    }

    fn warm_up(&mut self, messages: u32) -> Done {
        let gone = self.gone.clone();
        let publisher = self.publisher()?;
        let batch = publisher.warm_up(messages).map_err(failure)?;
        let until_ns = now_ns() + WARM_UP_LIMIT_NS;
        let sent = batch.sent.wait(messages.into(), until_ns, &gone);
        match publisher.stamps.broken() {
            Some(reason) => Err(failure(Refusal::Broken(reason))),
            None if sent < u64::from(messages) => Err(failure(Refusal::SlowWarmUp { sent, messages })),
            None => Ok(Outcome::Done),
        }
    }

    fn await_sent(&mut self, until_ns: i64, acked: bool) -> Done {
        let gone = self.gone.clone();
        let publisher = self.publisher()?;
        let Some((messages, batch)) = &publisher.last else {
            return Err(failure(Refusal::NotInRole("publisher under way", "start")));
        };
        let wanted = u64::from(*messages);
        let sent = batch.sent.wait(wanted, until_ns, &gone);
        if acked && publisher.acknowledges {
            batch.acked.wait(wanted, until_ns, &gone);
        }
        match publisher.stamps.broken() {
            Some(reason) => Err(failure(Refusal::Broken(reason))),
            None => Ok(Outcome::Progress {
                messages: sent,
                acked: batch.acked.count(),
                last_ns: batch.last_sent_ns(),
            }),
        }
    }

    fn await_received(&mut self, messages: u64, until_ns: i64) -> Done {
        let Role::Subscriber(subscriber) = &self.role else {
            return Err(failure(Refusal::NotInRole("subscriber", "subscribe")));
        };
        let (arrived, last_ns) = subscriber.arrivals.wait(messages, until_ns, &self.gone);
        match subscriber.arrivals.broken() {
            Some(reason) if arrived < messages => Err(failure(Refusal::Broken(reason))),
            _ => Ok(Outcome::Progress {
                messages: arrived,
                acked: 0,
                last_ns,
            }),
        }
    }

    fn finish(&mut self, path: &str) -> Done {
        let unwritable = |source| {
            failure(Refusal::Records {
                path: path.to_owned(),
                source,
            })
        };
        let (records, fault) = match std::mem::replace(&mut self.role, Role::None) {
            Role::None => return Err(failure(Refusal::NotInRole("publisher or subscriber", "publish"))),
            Role::Publisher(publisher) => {
                let finished = publisher.finish(GRACE).map_err(failure)?;
                self.loaded = Some(finished.loaded);
                let mut file = std::fs::File::create(path).map_err(unwritable)?;
                bulk::write_sent(&mut file, &finished.rows).map_err(unwritable)?;
                let sending = finished.sending.err().map(failure);
                (
                    finished.rows.len(),
                    sending.or(finished.connection.err().map(failure)),
                )
            }
            Role::Subscriber(subscriber) => {
                let (rows, connection) = subscriber.finish(GRACE);
                let mut file = std::fs::File::create(path).map_err(unwritable)?;
                bulk::write_received(&mut file, &rows).map_err(unwritable)?;
                (rows.len(), connection.err().map(failure))
            }
        };
        Ok(Outcome::Finished {
            records: records as u64,
            fault: fault.map(|failure| failure.error),
        })
    }
}

fn find(id: &TransportId) -> Result<&'static dyn Transport, Failure> {
    wiredyno_transports::find(id).ok_or_else(|| failure(Refusal::Transport(id.clone())))
}

fn address(endpoint: &Endpoint) -> Result<SocketAddr, Failure> {
    let ip: Result<IpAddr, _> = endpoint.host.parse();
    match ip {
        Ok(ip) => Ok(SocketAddr::new(ip, endpoint.port)),
        Err(_) => Err(failure(Refusal::Address(endpoint.host.clone()))),
    }
}

fn setup(client: Client) -> Result<ClientSetup, Failure> {
    Ok(ClientSetup {
        endpoint: address(&client.endpoint)?,
        setting: client.setting,
        topic: client.topic,
        limit: CONNECT_LIMIT,
    })
}

/// The id of a line that is no valid request, as far as it has one; 0 if not.
fn id_of(line: &str) -> u64 {
    #[derive(Deserialize)]
    struct Id {
        id: u64,
    }
    serde_json::from_str::<Id>(line).map_or(0, |id| id.id)
}

/// What a panic said.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a word".into())
}
