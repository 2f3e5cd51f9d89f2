//! What a client leaves at its broker when it has disconnected, and how that is removed.
//!
//! A kept session ends when its client connects again and asks for a clean one: the broker must discard the old one (MQTT
//! 3.1.1, 3.1.2.4; MQTT 5.0, 3.1.2.4). A retained message is removed when an empty one is retained instead (3.3.1.3 of
//! both); that is sent at QoS 1, so that the broker confirms it.
//!
//! Limits: subscribers of the topic that are still connected get the empty message. So retained messages are removed by the
//! subscribers, when they finish, and not by the publisher, whose subscribers are still listening. A client that is
//! dropped, lost its connection, or ran out of time removes nothing.

use std::time::Duration;

use rumqttc::QoS;
use wiredyno_transport::FinishError;

use crate::dialect::{Dial, Dialect, Event, Message};

/// What a broker keeps for a client.
#[derive(Debug, Clone)]
pub struct Remains {
    /// Whether it keeps the session.
    pub session: bool,
    /// The topic whose last message it retains.
    pub retained: Option<String>,
}

impl Remains {
    fn names(&self) -> String {
        match (self.session, &self.retained) {
            (true, Some(topic)) => format!("its session and the retained message of `{topic}`"),
            (false, Some(topic)) => format!("the retained message of `{topic}`"),
            _ => "its session".into(),
        }
    }
}

/// Removes what a client left, within the limit; does nothing if there is nothing.
pub fn remove<D: Dialect>(dial: &Dial, remains: &Remains, limit: Duration) -> Result<(), FinishError> {
    if !remains.session && remains.retained.is_none() {
        return Ok(());
    }
    let left = |reason| FinishError::Left { transport: D::NAME, what: remains.names(), reason };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let removed = runtime.map_err(|error| left(error.to_string()))?.block_on(async {
        let dialogue = dialogue::<D>(dial, remains);
        tokio::time::timeout(limit, dialogue).await.unwrap_or_else(|_| Err(format!("no answer in {limit:?}")))
    });
    removed.map_err(left)
}

/// Connects with a clean session, overwrites what is retained, disconnects.
async fn dialogue<D: Dialect>(dial: &Dial, remains: &Remains) -> Result<(), String> {
    let dial = Dial { kept: false, ..dial.clone() };
    let (requests, mut events) = D::open(&dial).map_err(|fault| fault.to_string())?;
    let mut away = false;
    loop {
        match events.next().await {
            Ok(Event::Accepted(grants)) if grants.session_present => {
                return Err("the broker answers a clean start with the old session".into());
            }
            Ok(Event::Accepted(_)) => match &remains.retained {
                Some(topic) => {
                    let quality = QoS::AtLeastOnce;
                    let empty = Message { topic, alias: None, quality, retain: true, body: &[] };
                    D::publish(&requests, &empty)?;
                }
                None => D::disconnect(&requests)?,
            },
            Ok(Event::Acked(_)) => D::disconnect(&requests)?,
            Ok(Event::Refused(_, reason)) => return Err(reason),
            Ok(Event::Left) => away = true,
            Ok(_) => {}
            Err(_) if away => return Ok(()),
            Err(lost) => return Err(lost.reason()),
        }
    }
}
