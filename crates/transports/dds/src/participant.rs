//! A participant with its topic and the QoS policies that both roles share.

use std::net::IpAddr;

use rustdds::policy::{Durability, History, Reliability, ResourceLimits};
use rustdds::{DomainParticipant, DomainParticipantBuilder, QosPolicies, QosPolicyBuilder, Topic, TopicKind};
use wiredyno_dds::{self as dds, Options, Setting, TYPE, topic_name};
use wiredyno_transport::socket::address_towards;
use wiredyno_transport::{ClientSetup, ConnectError};

use crate::NAME;

/// What a client has before it has a writer or a reader. When dropped, it ends and announces that to the
/// others.
pub struct Participant {
    pub library: DomainParticipant,
    pub topic: Topic,
    pub qos: QosPolicies,
    /// The address of the interface that it uses.
    pub address: IpAddr,
}

impl Participant {
    pub fn join(setup: &ClientSetup, setting: Setting, options: &Options) -> Result<Self, ConnectError> {
        let unreachable =
            |reason| ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason };
        let address = address_towards(setup.endpoint).map_err(|error| unreachable(error.to_string()))?;
        if !address.is_ipv4() {
            return Err(unreachable("the library supports only IPv4".to_owned()));
        }
        let qos = qos(setting, options);
        let name = topic_name(&setup.topic, setup.endpoint.port());
        let join = || {
            let library = DomainParticipantBuilder::new(options.domain)
                .with_only_networks([address])
                // Each of a link's hosts has its own loopback, with no other participants.
                .same_host_loopback(address.is_loopback())
                .build()?;
            let topic = library.create_topic(name, TYPE.to_owned(), &qos, TopicKind::NoKey)?;
            Ok((library, topic))
        };
        let (library, topic) = join().map_err(local)?;
        Ok(Participant { library, topic, qos, address })
    }
}

/// The error for something that the library could not create on this machine.
pub fn local(error: rustdds::dds::CreateError) -> ConnectError {
    ConnectError::Local { transport: NAME, source: std::io::Error::other(error) }
}

fn qos(setting: Setting, options: &Options) -> QosPolicies {
    let reliability = match setting.reliable {
        true => {
            let max_blocking_time = std::time::Duration::from_nanos(options.max_blocking_ns).into();
            Reliability::Reliable { max_blocking_time }
        }
        false => Reliability::BestEffort,
    };
    let history = match options.history_depth {
        0 => History::KeepAll,
        depth => History::KeepLast { depth },
    };
    let durability = match options.durability {
        dds::Durability::Volatile => Durability::Volatile,
        dds::Durability::TransientLocal => Durability::TransientLocal,
    };
    // Without a key there is one instance.
    let limits = ResourceLimits {
        max_samples: options.max_samples,
        max_instances: 1,
        max_samples_per_instance: options.max_samples,
    };
    QosPolicyBuilder::new()
        .reliability(reliability)
        .history(history)
        .durability(durability)
        .resource_limits(limits)
        .build()
}
