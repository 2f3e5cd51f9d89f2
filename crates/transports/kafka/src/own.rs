//! What a subscriber has created at the broker, and removes when it ends.

use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::client::Client;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka_sys::rd_kafka_type_t::RD_KAFKA_PRODUCER;

use crate::admin::{Admin, Refusal};
use crate::client::{POLL, part};
use crate::group::Listening;
use crate::topic;

/// Pause before a request to a broker is repeated.
const PAUSE: Duration = Duration::from_millis(50);

/// What a subscriber has created at the broker.
pub struct Own<'a> {
    /// The topic, if this subscriber created it.
    pub topic: Option<&'a String>,
    /// The consumer group, if this subscriber is the one that removes it.
    pub group: Option<&'a String>,
}

impl Own<'_> {
    /// Removes it and waits until it is gone; the error is what remains and why. Uses a separate connection: on the
    /// subscriber's, a fetch that waits for records delays all later requests.
    pub fn remove(&self, config: &ClientConfig, until: Instant) -> Result<(), (String, String)> {
        let topic = self.topic.map_or_else(String::new, |topic| format!("the topic {topic}"));
        let stays = |error: KafkaError| (topic.clone(), error.to_string());
        let native = config.create_native_config().map_err(stays)?;
        let client = Client::new(config, native, RD_KAFKA_PRODUCER, Listening::default()).map_err(stays)?;
        let serve = || {
            // SAFETY: the client is alive.
            unsafe { rdkafka_sys::rd_kafka_poll(client.native_ptr(), 0) };
            !client.context().health.is_down()
        };
        let admin = Admin { client: &client, serve: &serve, until };
        let mut result = Ok(());
        if let Some(group) = self.group {
            let removed =
                removed(|| admin.delete_group(group), RDKafkaErrorCode::GroupIdNotFound, &client, until);
            result = removed.map_err(|reason| (format!("the group {group}"), reason));
        }
        if let Some(name) = self.topic {
            let missing = RDKafkaErrorCode::UnknownTopicOrPartition;
            let removed = removed(|| admin.delete(name), missing, &client, until);
            let gone = removed.and_then(|()| match topic::await_gone(&client, name, until) {
                true => Ok(()),
                false => Err("the broker still has it".to_owned()),
            });
            result = result.and(gone.map_err(|reason| (topic, reason)));
        }
        part(client, POLL);
        result
    }
}

/// Removes something, which may already be gone. A group may still have a member that is leaving.
fn removed(
    mut remove: impl FnMut() -> Result<(), Refusal>,
    missing: RDKafkaErrorCode,
    client: &Client<Listening>,
    until: Instant,
) -> Result<(), String> {
    loop {
        return match remove() {
            Ok(()) => Ok(()),
            Err(Refusal::Refused { code, .. }) if code == missing => Ok(()),
            Err(Refusal::Refused { code: RDKafkaErrorCode::NonEmptyGroup, .. }) if Instant::now() < until => {
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(Refusal::Refused { reason, .. }) => Err(reason),
            Err(Refusal::Unanswered) => {
                let unsaid = || "the broker did not answer in time".to_owned();
                Err(client.context().health.last().unwrap_or_else(unsaid))
            }
        };
    }
}
