//! `mqtt5/rumqttc`: MQTT 5 through the rumqttc client's module for it, at QoS 0, 1 and 2.
//!
//! Client, publisher, subscriber and their decisions are those of the transport `mqtt` (`wiredyno-transport-mqtt`); [`v5`]
//! implements this version.
//!
//! Decisions: clients announce a maximum packet size (without it the library refuses packets above 10 KiB) and, if the option
//! requests it, a receive maximum. No topic aliases are offered to brokers. A session is kept for an hour. Reason codes from
//! 0x80 on are refusals: a refused message is never acknowledged, and at its end the publisher reports how many there were and
//! why the first was refused. Code 0x10, no matching subscribers, is success. A broker's maximum packet size (CONNACK) limits
//! bodies; its receive maximum narrows the window of `INFLIGHT` messages; requesting a feature that it announces it lacks (topic
//! aliases, retained messages, a quality of service) is a connection error.
//!
//! rumqttc 0.25 in its `v5` module (as read in `v5/state.rs` and `v5/eventloop.rs`): after a refusal in PUBREC or PUBCOMP it
//! does not free the place in the window (`handle_incoming_pubrec`), so a publisher at QoS 2 stalls after as many refusals as
//! the window is wide; a refused PUBACK for an id that another message waits for leaves that one waiting
//! (`handle_incoming_puback`). A packet larger than the broker's limit ends the connection, so bodies are measured first.
//! DISCONNECT can't carry a session expiry, so a kept session is removed by connecting again. There is no time limit for a
//! write. A keep-alive set by a broker in CONNACK is applied: PINGREQs are then possible. The rest is as in the module for
//! 3.1.1.
//!
//! Observed in brokers: mosquitto 2.0.11 respects only a receive maximum of 1; above that it sends as many messages again at
//! each acknowledgement, whatever is in flight. With `max_queued_messages 0`, as in its folder here, it closes the connection
//! after a message that it refuses. HiveMQ respects any value.
//!
//! Limits: no server; a broker is a separate program.

pub mod declared;
pub mod v5;

use wiredyno_transport::Transport;
use wiredyno_transport_mqtt::Rumqttc;

use v5::Version5;

/// MQTT 5 through the rumqttc client.
pub static TRANSPORT: &dyn Transport = &Rumqttc::<Version5>::NEW;
