//! Publishes; matches transfers and dispositions to tokens.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;
use std::time::Duration;

use fe2o3_amqp::link::SendError as LinkError;
use fe2o3_amqp::link::delivery::DeliveryFut;
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::definitions::SenderSettleMode;
use fe2o3_amqp::types::messaging::{Data, Header, Message, Outcome, Rejected};
use fe2o3_amqp::{Sendable, Sender};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::client::{Client, Opened, Role, address, unique_name, unreachable};
use crate::stream::Written;
use crate::{BODY_LIMIT_BYTES, Mode, NAME, SECTION_BYTES};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

/// Settled transfers on one link before the next link is requested: Qpid 10.1.0 initially gives a link credit for 20,000,
/// but for settled transfers that it reads together it returns a single credit (its `AbstractReceivingLinkEndpoint.java`,
/// `updateDispositions`), until a link has almost none left.
const SETTLED_ON_A_LINK: u32 = 5_000;

/// A message that waits for the client's thread.
struct Waiting {
    token: u64,
    body: Vec<u8>,
}

/// A message that waits for its outcome.
type Outstanding = (u64, DeliveryFut<Result<Outcome, LinkError>>);

pub struct AmqpPublisher {
    client: Client,
    queue: UnboundedSender<Waiting>,
    settled: bool,
    /// The largest body that the broker accepts, in bytes.
    limit_bytes: usize,
    broken: Arc<Mutex<Option<String>>>,
    refusals: Refusals,
}

/// Messages that the broker has not accepted: how many, and what it said about the first.
type Refusals = Arc<Mutex<(u64, String)>>;

/// What the thread uses while it works.
struct Work {
    setup: ClientSetup,
    mode: Mode,
    sink: Arc<dyn SentSink>,
    queue: UnboundedReceiver<Waiting>,
    leaving: Leaving,
    limit_bytes: Arc<OnceLock<usize>>,
    broken: Arc<Mutex<Option<String>>>,
    refusals: Refusals,
}

struct Link {
    sender: Sender,
    opened: Opened,
}

/// The messages that the library has and the kernel has not, in order.
#[derive(Clone)]
struct Leaving {
    sink: Arc<dyn SentSink>,
    tokens: Arc<Mutex<VecDeque<u64>>>,
    gone: Arc<Notify>,
}

impl Leaving {
    fn push(&self, token: u64) {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).push_back(token);
    }

    /// Waits until none is left.
    async fn empty(&self) {
        while !self.tokens.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            self.gone.notified().await;
        }
    }
}

impl Written for Leaving {
    fn messages(&mut self, count: usize, at_ns: i64) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count.min(tokens.len());
        // A link's transfers leave in the order in which they were handed over.
        tokens.drain(..count).for_each(|token| self.sink.sent(token, at_ns));
        if tokens.is_empty() {
            self.gone.notify_one();
        }
    }
}

impl Role for Work {
    type Link = Link;

    const NAME: &'static str = "publisher";

    async fn attach(&mut self) -> Result<Link, ConnectError> {
        let mut opened = Opened::open(&self.setup, || self.leaving.clone()).await?;
        let sender = attach(&mut opened.session, &self.setup.topic, self.mode).await;
        let sender = sender.map_err(|reason| unreachable(&self.setup, reason))?;
        let broker =
            sender.max_message_size().map_or(usize::MAX, |most| most.try_into().unwrap_or(usize::MAX));
        let _ = self.limit_bytes.set(broker.saturating_sub(SECTION_BYTES).min(BODY_LIMIT_BYTES));
        Ok(Link { sender, opened })
    }

    async fn serve(&mut self, link: &mut Link) -> Result<(), String> {
        let (outstanding, outcomes) = unbounded_channel();
        // Without yielding: what one disposition settles is reported together, in the order of the messages.
        let settling = settle(outcomes, self.sink.clone(), self.refusals.clone());
        let settling = tokio::spawn(tokio::task::unconstrained(settling));
        let settled =
            async { settling.await.unwrap_or_else(|_| Err("the client library panicked".to_owned())) };
        let (ask, asked) = unbounded_channel();
        let (give, fresh) = unbounded_channel();
        let links = renew(&mut link.opened.session, &self.setup.topic, self.mode, asked, give);
        let leaving = self.leaving.clone();
        let work = Handover { mode: self.mode, leaving: &leaving, outstanding, ask, fresh };
        let work = async {
            work.run(&mut link.sender, &mut self.queue).await?;
            leaving.empty().await;
            Ok(())
        };
        let end = tokio::select! {
            biased;
            end = link.opened.connection.on_close() => return Err(link.opened.why(end)),
            end = async { tokio::try_join!(work, settled, links) } => end,
        };
        match end {
            Ok(_) => Ok(()),
            Err(reason) => Err(link.opened.why_failed(reason).await),
        }
    }

    async fn close(&mut self, link: Link) -> Result<(), String> {
        let _ = link.sender.close().await;
        let closed = link.opened.close().await;
        // Unsettled transfers were accepted individually; for settled ones only the answer to the close shows that they have
        // arrived.
        if self.mode.settled { closed } else { Ok(()) }
    }

    fn broken(&mut self, reason: &str) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
        self.sink.broken(reason);
    }
}

/// Attaches a link to the topic; the error is the reason if the broker refuses.
async fn attach(session: &mut SessionHandle<()>, topic: &str, mode: Mode) -> Result<Sender, String> {
    let target = address(topic);
    let settle_mode = if mode.settled { SenderSettleMode::Settled } else { SenderSettleMode::Unsettled };
    let attached = Sender::builder()
        .name(unique_name())
        .target(target.as_str())
        .sender_settle_mode(settle_mode)
        .attach(session)
        .await;
    attached.map_err(|error| format!("it accepts no messages for `{target}`: {error}"))
}

/// Attaches a link whenever one is requested.
async fn renew(
    session: &mut SessionHandle<()>,
    topic: &str,
    mode: Mode,
    mut asked: UnboundedReceiver<()>,
    give: UnboundedSender<Sender>,
) -> Result<(), String> {
    while let Some(()) = asked.recv().await {
        let _ = give.send(attach(session, topic, mode).await?);
    }
    Ok(())
}

/// Gives waiting messages to the library.
struct Handover<'a> {
    mode: Mode,
    leaving: &'a Leaving,
    outstanding: UnboundedSender<Outstanding>,
    ask: UnboundedSender<()>,
    fresh: UnboundedReceiver<Sender>,
}

impl Handover<'_> {
    /// Runs until nothing more will come; the error is the reason if the broker accepts no more.
    async fn run(
        mut self,
        sender: &mut Sender,
        queue: &mut UnboundedReceiver<Waiting>,
    ) -> Result<(), String> {
        let mut on_this_link = 0;
        loop {
            let waiting = tokio::select! {
                biased;
                Some(fresh) = self.fresh.recv() => {
                    // A detach must not overtake transfers that wait for the session's window.
                    self.leaving.empty().await;
                    let used = std::mem::replace(sender, fresh);
                    tokio::spawn(used.close());
                    on_this_link = 0;
                    continue;
                }
                waiting = queue.recv() => waiting,
                end = sender.on_detach() => return Err(format!("the broker detached the link: {end}")),
            };
            let Some(Waiting { token, body }) = waiting else { return Ok(()) };
            let header = self.mode.options.durable.then(|| Header::builder().durable(true).build());
            let message = Message::builder().header(header).body(Data::from(body)).build();
            let sendable = Sendable::builder().message(message).settled(self.mode.settled).build();
            self.leaving.push(token);
            // Waits for credit, not for the outcome.
            let outcome = sender.send_batchable(sendable).await.map_err(|error| error.to_string())?;
            if self.mode.settled {
                on_this_link += 1;
                if on_this_link == SETTLED_ON_A_LINK {
                    let _ = self.ask.send(());
                }
            } else if self.outstanding.send((token, outcome)).is_err() {
                // The other task has failed and reports why.
                return Ok(());
            }
        }
    }
}

/// Reports every accepted outcome at the moment when the library knows it; counts the others.
async fn settle(
    mut new: UnboundedReceiver<Outstanding>,
    sink: Arc<dyn SentSink>,
    refusals: Refusals,
) -> Result<(), String> {
    let mut waiting = FuturesUnordered::new();
    let mut accepted = Vec::new();
    poll_fn(|cx| {
        let mut more = true;
        while more && let Poll::Ready(next) = new.poll_recv(cx) {
            match next {
                Some((token, outcome)) => waiting.push(async move { (token, outcome.await) }),
                None => more = false,
            }
        }
        let at_ns = now_ns();
        while let Poll::Ready(Some((token, outcome))) = waiting.poll_next_unpin(cx) {
            match outcome {
                Ok(Outcome::Accepted(_)) => accepted.push(token),
                Ok(other) => {
                    let mut refusals = refusals.lock().unwrap_or_else(PoisonError::into_inner);
                    refusals.0 += 1;
                    if refusals.0 == 1 {
                        refusals.1 = refusal(other);
                    }
                }
                Err(error) => return Poll::Ready(Err(error.to_string())),
            }
        }
        accepted.sort_unstable();
        accepted.drain(..).for_each(|token| sink.acked(token, at_ns));
        if !more && waiting.is_empty() { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await
}

fn refusal(outcome: Outcome) -> String {
    match outcome {
        Outcome::Rejected(Rejected { error: Some(error) }) => error.to_string(),
        other => format!("{other:?}"),
    }
}

impl AmqpPublisher {
    pub fn connect(setup: &ClientSetup, mode: Mode, sink: Arc<dyn SentSink>) -> Result<Self, ConnectError> {
        let (queue, waiting) = unbounded_channel();
        let (limit_bytes, broken, refusals) =
            (Arc::new(OnceLock::new()), Arc::new(Mutex::new(None)), Refusals::default());
        let leaving = Leaving { sink: sink.clone(), tokens: Arc::default(), gone: Arc::new(Notify::new()) };
        let work = Work {
            setup: setup.clone(),
            mode,
            sink,
            queue: waiting,
            leaving,
            limit_bytes: limit_bytes.clone(),
            broken: broken.clone(),
            refusals: refusals.clone(),
        };
        let client = Client::start(setup, work)?;
        let limit_bytes = limit_bytes.get().copied().unwrap_or(BODY_LIMIT_BYTES);
        Ok(AmqpPublisher { client, queue, settled: mode.settled, limit_bytes, broken, refusals })
    }
}

impl Publisher for AmqpPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > self.limit_bytes {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: self.limit_bytes,
            });
        }
        let broken = |reason: &Option<String>| SendError::Broken {
            transport: NAME,
            reason: reason.clone().unwrap_or_else(|| "the client's thread has ended".into()),
        };
        let reason = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        if reason.is_some() {
            return Err(broken(&reason));
        }
        self.queue.send(Waiting { token, body: body.to_vec() }).map_err(|_| broken(&reason))
    }

    fn acknowledges(&self) -> bool {
        !self.settled
    }

    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let AmqpPublisher { client, queue, refusals, .. } = *self;
        // Nothing more will come: the thread ends when everything that waits has left and is settled.
        drop(queue);
        client.finish(grace)?;
        let refusals = refusals.lock().unwrap_or_else(PoisonError::into_inner);
        match &*refusals {
            (0, _) => Ok(()),
            (messages, reason) => {
                Err(FinishError::Refused { transport: NAME, messages: *messages, reason: reason.clone() })
            }
        }
    }
}
