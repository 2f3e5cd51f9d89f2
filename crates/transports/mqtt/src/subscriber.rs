//! Subscribes; hands over every PUBLISH.

use std::time::Duration;

use crate::client::{Connection, Listener, Role};
use crate::dialect::{Dialect, Event, Wishes};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

/// A subscriber of either version.
pub struct MqttSubscriber<D: Dialect> {
    connection: Connection<D>,
}

struct Handover(Box<dyn ReceivedSink>);

impl Listener for Handover {
    fn event(&mut self, event: Event) {
        if let Event::Arrived(body) = event {
            self.0.received(&body, now_ns());
        }
    }

    fn broken(&mut self, reason: &str) {
        self.0.broken(reason);
    }
}

impl<D: Dialect> MqttSubscriber<D> {
    /// Connects and subscribes.
    ///
    /// # Errors
    /// When the broker refuses, does not answer within the limit, or lacks a required feature.
    pub fn connect(
        setup: &ClientSetup,
        wishes: Wishes,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let connection = Connection::open(setup, Role::Subscriber, wishes, Box::new(Handover(sink)))?;
        Ok(MqttSubscriber { connection })
    }
}

impl<D: Dialect> Subscriber for MqttSubscriber<D> {
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        self.connection.finish(grace)
    }
}
