//! A trial's topic: its name, waiting for it, where it ends.

use std::time::{Duration, Instant};

use rdkafka::client::{Client, ClientContext};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::metadata::MetadataTopic;

use crate::client::Connecting;
use wiredyno_transport::ConnectError;

/// Timeout of the first request for metadata; each later one is twice as long, so that distant brokers can
/// answer.
const FIRST_TRY: Duration = Duration::from_millis(100);

/// The longest timeout: after it, brokers that have become known are asked.
const LONGEST_TRY: Duration = Duration::from_secs(5);

/// The library counts whole milliseconds, and with zero it sends no request.
const SHORTEST_TRY: Duration = Duration::from_millis(1);

/// Pause before a broker is asked again for a topic that it does not know yet.
const PAUSE: Duration = Duration::from_millis(10);

/// The name of a topic in Kafka, which allows letters, digits, `.`, `_` and `-`.
pub fn name(topic: &str) -> String {
    topic.replace('/', ".")
}

/// A broker's answer about a topic.
enum State {
    /// It has these partitions, each with a leader.
    Ready(Vec<i32>),
    /// It is not ready, for this reason.
    Not(String),
}

fn state(topics: &[MetadataTopic], name: &str) -> State {
    let Some(topic) = topics.iter().find(|topic| topic.name() == name) else {
        return State::Not("there is no such topic".to_owned());
    };
    if let Some(error) = topic.error() {
        return State::Not(RDKafkaErrorCode::from(error).to_string());
    }
    let partitions = topic.partitions();
    if partitions.is_empty() || partitions.iter().any(|partition| partition.leader() < 0) {
        return State::Not("not every partition has a leader".to_owned());
    }
    State::Ready(partitions.iter().map(|partition| partition.id()).collect())
}

/// An existing topic with its brokers.
pub struct Found {
    /// The numbers of its partitions.
    pub partitions: Vec<i32>,
    /// Addresses of the brokers that serve it, or will when others die, separated by commas.
    pub brokers: String,
}

/// Waits until every partition of the topic has a leader.
pub fn await_leaders<C: ClientContext>(
    client: &Client<C>,
    connecting: &Connecting<'_>,
) -> Result<Found, ConnectError> {
    let name = name(&connecting.setup.topic);
    let (mut patience, mut missing) = (FIRST_TRY, None::<String>);
    loop {
        let left = match (connecting.left(), &missing) {
            (Ok(left), _) => left,
            // A broker was reachable and answered.
            (Err(_), Some(reason)) if !connecting.health.is_down() => {
                return Err(connecting.not_granted(reason));
            }
            (Err(error), _) => return Err(error),
        };
        match client.fetch_metadata(Some(&name), patience.min(left).max(SHORTEST_TRY)) {
            Ok(metadata) => match state(metadata.topics(), &name) {
                State::Ready(partitions) => {
                    let brokers = metadata.brokers().iter();
                    let brokers = brokers.map(|broker| format!("{}:{}", broker.host(), broker.port()));
                    return Ok(Found { partitions, brokers: brokers.collect::<Vec<_>>().join(",") });
                }
                State::Not(reason) => {
                    missing = Some(reason);
                    std::thread::sleep(PAUSE.min(left));
                }
            },
            Err(_) => patience = LONGEST_TRY.min(patience * 2),
        }
    }
}

/// The offset that the next record of each partition will have. This also opens the connections to the
/// leaders.
pub fn ends<C: ClientContext>(
    client: &Client<C>,
    partitions: &[i32],
    connecting: &Connecting<'_>,
) -> Result<Vec<(i32, i64)>, ConnectError> {
    let name = name(&connecting.setup.topic);
    let mut ends = Vec::new();
    for &partition in partitions {
        let mut patience = FIRST_TRY;
        let (_, end) = loop {
            let left = connecting.left()?;
            // Not all brokers learn of a new leader at the same time.
            match client.fetch_watermarks(&name, partition, patience.min(left).max(SHORTEST_TRY)) {
                Ok(watermarks) => break watermarks,
                Err(_) => std::thread::sleep(PAUSE.min(left)),
            }
            patience = LONGEST_TRY.min(patience * 2);
        };
        ends.push((partition, end));
    }
    Ok(ends)
}

/// Waits until the brokers no longer know the topic. False if they still do.
pub fn await_gone<C: ClientContext>(client: &Client<C>, name: &str, until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        if let Ok(metadata) = client.fetch_metadata(Some(name), left.max(SHORTEST_TRY)) {
            let gone = |topic: &MetadataTopic| {
                topic.error().map(RDKafkaErrorCode::from) == Some(RDKafkaErrorCode::UnknownTopicOrPartition)
            };
            if metadata.topics().iter().all(|topic| topic.name() != name || gone(topic)) {
                return true;
            }
        }
        std::thread::sleep(PAUSE.min(left));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn slashes_become_dots() {
        assert_eq!(super::name("wiredyno/12"), "wiredyno.12");
        assert_eq!(super::name("plain-name_1.x"), "plain-name_1.x");
    }
}
