//! What a topic is at the broker: an exchange, a key, and a queue for each subscriber (AMQP 0-9-1, section 3.1).
//!
//! `direct` and `topic` go through the exchanges that every broker has. `fanout` has no key, so each topic has an exchange of
//! its own: whoever comes first makes it, and it goes with the last queue that is bound to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use lapin::options::{
    ExchangeDeclareOptions, ExchangeDeleteOptions, QueueBindOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{FieldTable, ShortString};
use lapin::{Channel, Error, ExchangeKind};

use crate::NAME;
use crate::client::End;
use crate::declared::{Exchange, Options};
use crate::session::{NOT_FOUND, Session, reply_code};
use wiredyno_transport::{ClientSetup, ConnectError};

/// The longest name (AMQP 0-9-1, section 4.2.5.3: short strings).
const NAME_LIMIT_BYTES: usize = 255;

/// Distinguishes the queues of one process.
static QUEUES: AtomicU64 = AtomicU64::new(0);

/// The way of a topic's messages.
#[derive(Debug, Clone)]
pub struct Route {
    /// The exchange that they are published to.
    pub exchange: ShortString,
    /// The key that they are published with, and that queues are bound with.
    pub key: ShortString,
    own: bool,
    durable: bool,
}

impl Route {
    /// That of the setup's topic.
    ///
    /// # Errors
    /// When the topic makes no name or key.
    pub fn of(setup: &ClientSetup, options: &Options) -> Result<Route, ConnectError> {
        let topic = &setup.topic;
        let (exchange, key) = match options.exchange {
            Exchange::Direct => ("amq.direct".to_owned(), topic.clone()),
            // Its words are parted by periods, its levels shall be such words.
            Exchange::Topic => ("amq.topic".to_owned(), dotted(topic)),
            Exchange::Fanout => (format!("fanout.{}", dotted(topic)), String::new()),
        };
        let wild = |key: &str| key.split('.').any(|word| word == "*" || word == "#");
        if options.exchange == Exchange::Topic && wild(&key) {
            return Err(not_granted(
                setup,
                "`*` and `#` match any words in an exchange of type topic".into(),
            ));
        }
        let name = |text: String| {
            let problem = |_| {
                let reason = format!("names and keys have at most {NAME_LIMIT_BYTES} bytes");
                not_granted(setup, reason)
            };
            ShortString::try_new(text).map_err(problem)
        };
        let own = options.exchange == Exchange::Fanout;
        Ok(Route { exchange: name(exchange)?, key: name(key)?, own, durable: options.durable })
    }

    /// Makes the exchange where it is the topic's own, unless it is there.
    pub async fn declare(&self, channel: &Channel) -> Result<(), Error> {
        if !self.own {
            return Ok(());
        }
        let options = ExchangeDeclareOptions {
            durable: self.durable,
            auto_delete: true,
            ..ExchangeDeclareOptions::default()
        };
        let exchange = self.exchange.clone();
        channel.exchange_declare(exchange, ExchangeKind::Fanout, options, FieldTable::default()).await
    }

    /// What stays when it is not removed; not so where a queue is bound still.
    pub fn leaves(&self) -> Option<String> {
        self.own.then(|| format!("the exchange {}, if it never had a queue,", self.exchange))
    }

    /// Removes the topic's own exchange where no queue was ever bound to it; another goes with its last queue.
    pub async fn remove(&self, session: &Session) -> Result<(), End> {
        if !self.own {
            return Ok(());
        }
        // A broker refuses, and closes the channel, where one is bound still.
        let channel = session.other_channel().await.map_err(End::Broken)?;
        let options = ExchangeDeleteOptions { if_unused: true, nowait: false };
        let _ = channel.exchange_delete(self.exchange.clone(), options).await;
        Ok(())
    }
}

/// A subscriber's queue.
pub struct Queue {
    /// Its name, of the broker's making or of ours.
    pub name: ShortString,
    durable: bool,
}

impl Queue {
    /// Makes one of this subscriber's own and binds it. What is durable has a name of ours and stays until it is removed, any
    /// other has the broker's and goes with the connection.
    pub async fn bound(channel: &Channel, route: &Route) -> Result<Queue, Error> {
        let durable = route.durable;
        let options = QueueDeclareOptions {
            durable,
            exclusive: !durable,
            auto_delete: !durable,
            ..QueueDeclareOptions::default()
        };
        let wanted = if durable { own_name().into() } else { ShortString::default() };
        let queue = channel.queue_declare(wanted, options, FieldTable::default()).await?;
        let queue = Queue { name: queue.name().clone(), durable };
        let (name, exchange, key) = (queue.name.clone(), route.exchange.clone(), route.key.clone());
        let options = QueueBindOptions::default();
        channel.queue_bind(name, exchange, key, options, FieldTable::default()).await?;
        Ok(queue)
    }

    /// What stays when it is not removed.
    pub fn leaves(&self) -> Option<String> {
        self.durable.then(|| format!("the queue {}", self.name))
    }

    /// Deletes it where it would stay, and looks whether it is gone.
    pub async fn remove(&self, session: &Session) -> Result<(), End> {
        if !self.durable {
            return Ok(());
        }
        let left = |reason| End::Left(format!("the queue {}", self.name), reason);
        let channel = session.other_channel().await.map_err(left)?;
        let deleted = channel.queue_delete(self.name.clone(), QueueDeleteOptions::default()).await;
        deleted.map_err(|error| left(session.reason(&error)))?;
        // A passive declaration makes nothing, it asks.
        let ask = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        match channel.queue_declare(self.name.clone(), ask, FieldTable::default()).await {
            Err(error) if reply_code(&error) == Some(NOT_FOUND) => Ok(()),
            Err(error) => Err(left(session.reason(&error))),
            Ok(_) => Err(left("it still exists, although it was deleted".into())),
        }
    }
}

/// The error of a broker that does not give what a topic needs.
pub fn not_granted(setup: &ClientSetup, reason: String) -> ConnectError {
    ConnectError::NotGranted { transport: NAME, endpoint: setup.endpoint, topic: setup.topic.clone(), reason }
}

fn dotted(topic: &str) -> String {
    topic.replace('/', ".")
}

/// A name that no other queue of the broker has: of this process, counted, and of this moment.
fn own_name() -> String {
    let number = QUEUES.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("wiredyno.{}.{number}.{}", std::process::id(), since.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::time::Duration;

    fn route(topic: &str, exchange: Exchange) -> Result<(String, String), ConnectError> {
        let setup = ClientSetup {
            setting: None,
            endpoint: (Ipv4Addr::LOCALHOST, 9).into(),
            topic: topic.into(),
            subscribers: 1,
            limit: Duration::ZERO,
            options: Default::default(),
            seed: 1,
            login: None,
            tls: None,
            before: Default::default(),
        };
        let route = Route::of(&setup, &Options { exchange, ..Options::STANDARD })?;
        Ok((route.exchange.to_string(), route.key.to_string()))
    }

    #[test]
    fn a_topic_becomes_an_exchange_and_a_key() {
        for (exchange, name, key) in [
            (Exchange::Direct, "amq.direct", "wiredyno/7"),
            (Exchange::Topic, "amq.topic", "wiredyno.7"),
            (Exchange::Fanout, "fanout.wiredyno.7", ""),
        ] {
            assert_eq!(route("wiredyno/7", exchange).unwrap(), (name.to_owned(), key.to_owned()));
        }
    }

    #[test]
    fn a_topic_that_makes_no_name_is_refused_with_the_reason() {
        let refused = |topic: &str, exchange| route(topic, exchange).unwrap_err().to_string();
        assert!(refused(&"x".repeat(256), Exchange::Direct).contains("at most 255 bytes"));
        assert!(refused(&"x".repeat(250), Exchange::Fanout).contains("at most 255 bytes"));
        assert!(refused("a/#", Exchange::Topic).contains("match any words"));
        assert!(route("a/#", Exchange::Direct).is_ok() && route("a#b", Exchange::Topic).is_ok());
    }

    #[test]
    fn queues_of_our_own_never_share_a_name() {
        let names: std::collections::BTreeSet<String> = (0..100).map(|_| own_name()).collect();
        assert_eq!(names.len(), 100);
    }
}
