//! Publishes. A message is given to the library when it is handed over. Its progress is checked with later messages, so that no thread
//! wakes for each; the client's thread waits for the rest at the end, and for confirms that are awaited one by one.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Channel, Confirmation};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::client::{Client, End, Role};
use crate::declared::Confirms;
use crate::ledger::Ledger;
use crate::session::{Session, unreachable};
use crate::topology::Route;
use crate::{BODY_LIMIT_BYTES, Mode, NAME};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

/// A message in flight, until it is written, and confirmed if requested.
type OnItsWay = Pin<Box<dyn Future<Output = lapin::Result<Confirmation>> + Send>>;

/// The delivery mode of messages that outlive the broker's process (basic's properties in the protocol's XML).
const PERSISTENT: u8 = 2;

pub struct AmqpPublisher {
    client: Client,
    channel: Channel,
    route: Route,
    properties: BasicProperties,
    confirms: Confirms,
    /// Tokens in the order of their messages.
    tokens: Sender<u64>,
    messages: UnboundedSender<OnItsWay>,
    /// Given to the library and not known to be finished, oldest first.
    under_way: VecDeque<OnItsWay>,
    broken: Arc<Mutex<Option<String>>>,
}

/// The publisher's part on the client's thread.
struct Waiter {
    setup: ClientSetup,
    route: Route,
    confirms: Confirms,
    sink: Arc<dyn SentSink>,
    opened: Sender<Channel>,
    messages: UnboundedReceiver<OnItsWay>,
    refused: Arc<AtomicU64>,
    broken: Arc<Mutex<Option<String>>>,
}

impl AmqpPublisher {
    pub fn connect(
        setup: &ClientSetup,
        mode: Mode,
        sink: Arc<dyn SentSink>,
    ) -> Result<AmqpPublisher, ConnectError> {
        let route = Route::of(setup, &mode.options)?;
        let confirms = mode.confirms();
        let (tokens, queue) = channel();
        let (tell_opened, opened) = channel();
        let (tell_message, messages) = unbounded_channel();
        let (refused, broken) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(None)));
        let ledger = Ledger::new(sink.clone(), queue, confirms != Confirms::None, refused.clone());
        let waiter = Waiter {
            setup: setup.clone(),
            route: route.clone(),
            confirms,
            sink,
            opened: tell_opened,
            messages,
            refused,
            broken: broken.clone(),
        };
        let client = Client::start(setup, "publisher", waiter, Some(Box::new(ledger)))?;
        let gone = |_| unreachable(setup, "the client ended at once".into());
        let channel = opened.recv().map_err(gone)?;
        let properties = BasicProperties::default();
        let properties =
            if mode.options.durable { properties.with_delivery_mode(PERSISTENT) } else { properties };
        Ok(AmqpPublisher {
            client,
            channel,
            route,
            properties,
            confirms,
            tokens,
            messages: tell_message,
            under_way: VecDeque::new(),
            broken,
        })
    }

    /// The message; it is given to the library when first polled.
    fn message(&self, body: &[u8]) -> OnItsWay {
        let (channel, route) = (self.channel.clone(), self.route.clone());
        let (properties, body) = (self.properties.clone(), body.to_vec());
        Box::pin(async move {
            let options = BasicPublishOptions::default();
            let confirm =
                channel.basic_publish(route.exchange, route.key, options, &body, properties).await?;
            drop(body);
            confirm.await
        })
    }
}

impl Publisher for AmqpPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > BODY_LIMIT_BYTES {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: BODY_LIMIT_BYTES,
            });
        }
        let broken = |reason| SendError::Broken { transport: NAME, reason };
        let known = || self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(reason) = known() {
            return Err(broken(reason));
        }
        // The token goes first: the library's thread may write the message before this thread continues.
        if self.tokens.send(token).is_err() {
            return Err(broken(known().unwrap_or_else(|| "the client's thread has ended".into())));
        }
        let mut message = self.message(body);
        // If confirms are awaited one by one, the client's thread sends in turn.
        if self.confirms == Confirms::Each {
            let given = self.messages.send(message);
            return given
                .map_err(|_| broken(known().unwrap_or_else(|| "the client's thread has ended".into())));
        }
        let cx = &mut Context::from_waker(Waker::noop());
        // Queues it in the library, which never waits.
        let mut failed = match message.as_mut().poll(cx) {
            Poll::Pending => {
                self.under_way.push_back(message);
                None
            }
            // The library's thread has already finished it.
            Poll::Ready(done) => done.err(),
        };
        while let Poll::Ready(done) = poll_first(&mut self.under_way, cx) {
            failed = failed.or(done.err());
        }
        failed.map_or(Ok(()), |error| Err(broken(known().unwrap_or_else(|| error.to_string()))))
    }

    fn acknowledges(&self) -> bool {
        self.confirms != Confirms::None
    }

    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let AmqpPublisher { client, channel, messages, under_way, .. } = *self;
        // If that thread has ended, it has reported why.
        let _ = under_way.into_iter().try_for_each(|message| messages.send(message));
        // The client's thread closes the channel in turn.
        drop((messages, channel));
        client.finish(grace)
    }
}

impl Role for Waiter {
    async fn open(&mut self, session: &Session) -> Result<(), ConnectError> {
        let prepare = async {
            self.route.declare(&session.channel).await?;
            if self.confirms != Confirms::None {
                session.channel.confirm_select(ConfirmSelectOptions::default()).await?;
            }
            Ok::<_, lapin::Error>(())
        };
        prepare.await.map_err(|error| unreachable(&self.setup, session.reason(&error)))?;
        let _ = self.opened.send(session.channel.clone());
        Ok(())
    }

    async fn work(&mut self, session: &Session) -> Result<(), End> {
        let mut waiting: VecDeque<OnItsWay> = VecDeque::new();
        let failed = |error: lapin::Error| End::Broken(session.reason(&error));
        loop {
            tokio::select! {
                biased;
                first = poll_fn(|cx| poll_first(&mut waiting, cx)) => {
                    first.map_err(failed)?;
                }
                message = self.messages.recv() => match message {
                    Some(message) => waiting.push_back(message),
                    None => break,
                },
            }
        }
        // Stopping: messages that were handed over are sent and confirmed.
        for message in waiting {
            message.await.map_err(failed)?;
        }
        Ok(())
    }

    async fn clean(&mut self, session: &Session) -> Result<(), End> {
        self.route.remove(session).await?;
        match self.refused.load(Ordering::Relaxed) {
            0 => Ok(()),
            refused => Err(End::Refused(refused)),
        }
    }

    fn leaves(&self) -> Option<String> {
        self.route.leaves()
    }

    fn broken(&mut self, reason: &str) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
        self.sink.broken(reason);
    }
}

/// The result of the oldest message when it is finished; pending while there is none.
fn poll_first(waiting: &mut VecDeque<OnItsWay>, cx: &mut Context<'_>) -> Poll<lapin::Result<()>> {
    let Some(first) = waiting.front_mut() else { return Poll::Pending };
    let done = std::task::ready!(first.as_mut().poll(cx));
    waiting.pop_front();
    Poll::Ready(done.map(|_| ()))
}
