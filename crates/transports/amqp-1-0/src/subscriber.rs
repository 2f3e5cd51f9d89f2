//! Subscribes; hands over every delivery.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use fe2o3_amqp::Receiver;
use fe2o3_amqp::link::CreditMode;
use fe2o3_amqp::types::definitions::SenderSettleMode;
use fe2o3_amqp::types::messaging::{Data, Source, TerminusDurability, TerminusExpiryPolicy};
use tokio::sync::Notify;

use crate::client::{Client, Opened, Role, address, unique_name};
use crate::stream::Unheard;
use crate::{Mode, NAME};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

pub struct AmqpSubscriber {
    client: Client,
    closing: Arc<Notify>,
}

/// What the thread uses while it works.
struct Work {
    setup: ClientSetup,
    receipts: Receipts,
    closing: Arc<Notify>,
}

/// Hands over what arrives on links; a peer briefly has two of them.
pub struct Receipts {
    pub mode: Mode,
    pub sink: RefCell<Box<dyn ReceivedSink>>,
}

struct Link {
    receiver: Receiver,
    opened: Opened,
}

impl Role for Work {
    type Link = Link;

    const NAME: &'static str = "subscriber";

    async fn attach(&mut self) -> Result<Link, ConnectError> {
        let mut opened = Opened::open(&self.setup, || Unheard).await?;
        let options = self.receipts.mode.options;
        let mode =
            if self.receipts.mode.settled { SenderSettleMode::Settled } else { SenderSettleMode::Unsettled };
        let mut source = Source::builder().address(address(&self.setup.topic));
        if options.durable {
            // Its queue is removed when the link is closed, which happens at the end.
            source =
                source.durable(TerminusDurability::UnsettledState).expiry_policy(TerminusExpiryPolicy::Never);
        }
        let not_granted = |reason| ConnectError::NotGranted {
            transport: NAME,
            endpoint: self.setup.endpoint,
            topic: self.setup.topic.clone(),
            reason,
        };
        let attached = Receiver::builder()
            .name(unique_name())
            .source(source.build())
            .sender_settle_mode(mode)
            .credit_mode(CreditMode::Manual)
            .attach(&mut opened.session)
            .await;
        let mut receiver = attached.map_err(|error| not_granted(error.to_string()))?;
        let granted = receiver.set_credit(options.credit).await;
        granted.map_err(|error| not_granted(error.to_string()))?;
        Ok(Link { receiver, opened })
    }

    async fn serve(&mut self, link: &mut Link) -> Result<(), String> {
        let closing = self.closing.clone();
        let end = tokio::select! {
            biased;
            end = link.opened.connection.on_close() => return Err(link.opened.why(end)),
            () = closing.notified() => return Ok(()),
            reason = self.receipts.receive(&mut link.receiver) => reason,
        };
        Err(link.opened.why_failed(end).await)
    }

    async fn close(&mut self, link: Link) -> Result<(), String> {
        // All messages have been received: the broker's answer does not matter.
        let _ = link.receiver.close().await;
        let _ = link.opened.close().await;
        Ok(())
    }

    fn broken(&mut self, reason: &str) {
        self.receipts.sink.get_mut().broken(reason);
    }
}

impl Receipts {
    /// Hands over until it fails; returns why.
    pub async fn receive(&self, receiver: &mut Receiver) -> String {
        let credit = self.mode.options.credit;
        let mut used = 0;
        loop {
            let delivery = match receiver.recv::<Data>().await {
                Ok(delivery) => delivery,
                Err(error) => return error.to_string(),
            };
            let Data(body) = delivery.body();
            self.sink.borrow_mut().received(body, now_ns());
            if !self.mode.settled
                && let Err(error) = receiver.accept(&delivery).await
            {
                return error.to_string();
            }
            used += 1;
            if used >= credit / 2 {
                used = 0;
                if let Err(error) = receiver.set_credit(credit).await {
                    return error.to_string();
                }
            }
        }
    }
}

impl AmqpSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        mode: Mode,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let closing = Arc::new(Notify::new());
        let receipts = Receipts { mode, sink: RefCell::new(sink) };
        let work = Work { setup: setup.clone(), receipts, closing: closing.clone() };
        Ok(AmqpSubscriber { client: Client::start(setup, work)?, closing })
    }
}

impl Subscriber for AmqpSubscriber {
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        self.closing.notify_one();
        self.client.finish(grace)
    }
}
