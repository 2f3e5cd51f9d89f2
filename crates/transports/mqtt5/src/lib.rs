//! `mqtt5/rumqttc`: MQTT 5 through the rumqttc client's module for it, at QoS 0, 1 and 2.
//!
//! Client, publisher, subscriber and their decisions are those of the transport `mqtt` (`wiredyno-transport-mqtt`); [`v5`] says
//! how this version does things.
//!
//! Decisions: what is announced is a maximum packet size (without it the library refuses packets above 10 KiB) and, where the
//! option asks for it, a receive maximum. No topic aliases are offered to brokers. A session is kept for an hour. Reason
//! codes from 0x80 on are refusals: a message that was refused is never acknowledged, and the publisher says at its end how
//! many there were and why the first was. Code 0x10, that nobody has subscribed, is success. A broker's maximum packet size
//! (CONNACK) is a limit on bodies; its receive maximum narrows the window of `INFLIGHT` messages; what it says it does not
//! have (topic aliases, retained messages, a quality of service) is an error of connecting where it is asked for.
//!
//! rumqttc 0.25 in its `v5` module (read in `v5/state.rs` and `v5/eventloop.rs`): after a refusal in PUBREC or PUBCOMP it does
//! not make the place in the window free (`handle_incoming_pubrec`), so a publisher at QoS 2 stands still after as many refusals
//! as the window is wide; a refused PUBACK for the id that another message waits for leaves that one waiting
//! (`handle_incoming_puback`). A packet larger than the broker's limit ends the connection, which is why bodies are measured
//! before. DISCONNECT can't carry a session expiry, so a kept session is removed by connecting once more. There is no limit
//! on the time of a write. A keep-alive that a broker sets in CONNACK is taken: PINGREQs are possible then. The rest is as in
//! the module for 3.1.1.
//!
//! Seen of brokers: mosquitto 2.0.11 keeps to a receive maximum of 1 alone; above that it sends as many messages again at each
//! acknowledgement, whatever is on its way. With `max_queued_messages 0`, as its folder here has it, it closes the connection
//! behind a message that it refuses. HiveMQ keeps to any.
//!
//! Limits: no server, a broker is a program of its own.

pub mod declared;
pub mod v5;

use wiredyno_transport::Transport;
use wiredyno_transport_mqtt::Rumqttc;

use v5::Version5;

/// MQTT 5 through rumqttc.
pub static TRANSPORT: &dyn Transport = &Rumqttc::<Version5>::NEW;
