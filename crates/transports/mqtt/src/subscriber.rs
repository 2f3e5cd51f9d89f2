//! Subscribes; hands over every PUBLISH.

use std::time::Duration;

use rumqttc::{Event, Packet, QoS};

use crate::client::{Connection, Listener};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

pub struct MqttSubscriber {
    connection: Connection,
}

struct Handover(Box<dyn ReceivedSink>);

impl Listener for Handover {
    fn event(&mut self, event: Event) {
        if let Event::Incoming(Packet::Publish(message)) = event {
            self.0.received(&message.payload, now_ns());
        }
    }

    fn broken(&mut self, reason: &str) {
        self.0.broken(reason);
    }
}

impl MqttSubscriber {
    pub fn connect(setup: &ClientSetup, qos: QoS, sink: Box<dyn ReceivedSink>) -> Result<Self, ConnectError> {
        let connection = Connection::open(setup, "subscriber", Some(qos), Box::new(Handover(sink)))?;
        Ok(MqttSubscriber { connection })
    }
}

impl Subscriber for MqttSubscriber {
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        self.connection.finish(grace)
    }
}
