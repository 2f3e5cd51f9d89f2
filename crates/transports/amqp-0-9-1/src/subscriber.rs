//! Subscribes; hands over every message, and acknowledges it where the mode asks for that.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use lapin::options::{BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::types::FieldTable;
use lapin::{Consumer, Error};
use tokio::sync::Notify;

use crate::Mode;
use crate::client::{Client, End, Role};
use crate::session::{Session, reply_code, unreachable};
use crate::topology::{Queue, Route, not_granted};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

/// Stands in each basic.deliver: a name of the broker's making would have 31 bytes there.
const CONSUMER_TAG: &str = "wiredyno";

pub struct AmqpSubscriber {
    client: Client,
    stop: Arc<Notify>,
}

/// The subscriber's side on the client's thread.
struct Handover {
    setup: ClientSetup,
    mode: Mode,
    route: Route,
    sink: Box<dyn ReceivedSink>,
    stop: Arc<Notify>,
    queue: Option<Queue>,
    consumer: Option<Consumer>,
}

impl AmqpSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        mode: Mode,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<AmqpSubscriber, ConnectError> {
        let stop = Arc::new(Notify::new());
        let handover = Handover {
            setup: setup.clone(),
            mode,
            route: Route::of(setup, &mode.options)?,
            sink,
            stop: stop.clone(),
            queue: None,
            consumer: None,
        };
        Ok(AmqpSubscriber { client: Client::start(setup, "subscriber", handover, None)?, stop })
    }
}

impl Subscriber for AmqpSubscriber {
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        self.stop.notify_one();
        self.client.finish(grace)
    }
}

impl Handover {
    async fn consume(&mut self, session: &Session) -> Result<(), Error> {
        let channel = &session.channel;
        self.route.declare(channel).await?;
        if self.mode.manual {
            channel.basic_qos(self.mode.options.prefetch, BasicQosOptions::default()).await?;
        }
        let queue = self.queue.insert(Queue::bound(channel, &self.route).await?);
        let options = BasicConsumeOptions { no_ack: !self.mode.manual, ..BasicConsumeOptions::default() };
        let (name, tag) = (queue.name.clone(), CONSUMER_TAG.into());
        self.consumer = Some(channel.basic_consume(name, tag, options, FieldTable::default()).await?);
        Ok(())
    }
}

impl Role for Handover {
    async fn open(&mut self, session: &Session) -> Result<(), ConnectError> {
        let Err(error) = self.consume(session).await else { return Ok(()) };
        if let Some(queue) = &self.queue {
            let _ = queue.remove(session).await;
        }
        let reason = session.reason(&error);
        Err(match reply_code(&error) {
            Some(_) => not_granted(&self.setup, reason),
            None => unreachable(&self.setup, reason),
        })
    }

    async fn work(&mut self, session: &Session) -> Result<(), End> {
        let Some(consumer) = &mut self.consumer else { return Ok(()) };
        let mut stopping = false;
        let stop = self.stop.notified();
        tokio::pin!(stop);
        loop {
            let delivery = tokio::select! {
                biased;
                () = &mut stop, if !stopping => {
                    stopping = true;
                    // What the broker has sent before it answers is handed over still; with the answer the consumer ends.
                    let cancel = session.channel.basic_cancel(CONSUMER_TAG.into(), BasicCancelOptions::default());
                    let _ = cancel.now_or_never();
                    continue;
                }
                delivery = consumer.next() => delivery,
            };
            match delivery {
                Some(Ok(delivery)) => {
                    self.sink.received(&delivery.data, now_ns());
                    if self.mode.manual {
                        // Queues it in the library and waits for nothing: when it fails, so does the connection.
                        let ack =
                            session.channel.basic_ack(delivery.delivery_tag, BasicAckOptions::default());
                        let _ = ack.now_or_never();
                    }
                }
                Some(Err(error)) => return Err(End::Broken(session.reason(&error))),
                None if stopping => return Ok(()),
                None => {
                    return Err(End::Broken(
                        "the broker cancelled the subscription: its queue is gone".into(),
                    ));
                }
            }
        }
    }

    async fn clean(&mut self, session: &Session) -> Result<(), End> {
        match &self.queue {
            Some(queue) => queue.remove(session).await,
            None => Ok(()),
        }
    }

    fn leaves(&self) -> Option<String> {
        self.queue.as_ref().and_then(Queue::leaves)
    }

    fn broken(&mut self, reason: &str) {
        self.sink.broken(reason);
    }
}
