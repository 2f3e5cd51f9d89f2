//! The operations of the publisher and subscriber roles; serving is in [`super::server`].

use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_contract::{
    Client, Clients, Endpoint, Failure, LoginFile, OptionTable, Publish, Share, Subscribe, Success, resolve,
};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::tls::explained;
use wiredyno_transport::{Before, ClientSetup, FinishError, Login, ReceivedSink, Transport};

use super::{Done, Session};
use crate::awaited::Awaited;
use crate::clients;
use crate::gate::Receipts;
use crate::publisher::PublisherRole;
use crate::refusal::{Refusal, failure};
use crate::secured::tls;
use crate::stamps::Stamps;
use crate::stand::ThreadClock;
use crate::subscriber::{Arrivals, Receiver, SubscriberRole};

/// How long a client may take to connect: over 140 ms of round trip with 10 % loss each way, three lost SYNs in
/// a row (7 s of TCP's own retransmissions) still fit.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// How long a clean disconnect may take.
const GRACE: Duration = Duration::from_secs(5);

/// How long handing over the warm-up may take.
const WARM_UP_LIMIT_NS: i64 = 60_000_000_000;

pub enum Role {
    None,
    Publisher(PublisherRole),
    Subscriber(SubscriberRole),
}

impl Role {
    fn name(&self) -> &'static str {
        match self {
            Role::None => "nothing",
            Role::Publisher(_) => "a publisher",
            Role::Subscriber(_) => "a subscriber",
        }
    }
}

impl Session {
    pub fn publisher(&mut self) -> Result<&mut PublisherRole, Failure> {
        match &mut self.role {
            Role::Publisher(publisher) => Ok(publisher),
            _ => Err(failure(Refusal::NotInRole("publisher", "publish"))),
        }
    }

    fn free(&self) -> Result<(), Failure> {
        match &self.role {
            Role::None => Ok(()),
            role => Err(failure(Refusal::Busy(role.name()))),
        }
    }

    pub fn publish(&mut self, Publish { client, subscribers, share }: Publish) -> Done {
        self.free()?;
        let (clients, share) = (client.clients, share.unwrap_or(Share::WHOLE));
        if share.number >= share.of || !clients.is_multiple_of(share.of) {
            return Err(failure(Refusal::Share { share, clients }));
        }
        let transport = self.composition.find(&client.transport)?;
        let topics = client.topics;
        let setup = setup(transport, client, subscribers)?;
        self.loaded()?;
        let stamps = Arc::new(Stamps::new());
        let begun_ns = now_ns();
        let sinks: Vec<_> = (0..share.count(clients)).map(|_| stamps.clone()).collect();
        let publishers = clients::each(sinks, |client, sink| {
            let client = share.number + client * share.of;
            transport.publisher(&clients::setup_of(&setup, client, topics), sink)
        });
        let connected = connected_since(begun_ns, &setup);
        let publishers = publishers.map_err(|error| failure(explained(error, &setup)))?;
        let loaded = self.loaded.take().ok_or_else(|| failure(Refusal::NotLoaded))?;
        let records = self.records.take();
        let live = self.live.take();
        let role = PublisherRole::new(publishers, (loaded, records), stamps, share, live).map_err(failure)?;
        self.role = Role::Publisher(role);
        Ok(connected)
    }

    pub fn subscribe(&mut self, Subscribe { client, listen, shared, share, gate }: Subscribe) -> Done {
        self.free()?;
        let share = share.unwrap_or(Share::WHOLE);
        if share.number >= share.of || !client.clients.is_multiple_of(share.of) {
            return Err(failure(Refusal::Share { share, clients: client.clients }));
        }
        let transport = self.composition.find(&client.transport)?;
        let (topics, number) = (client.topics, client.clients);
        let clients = Clients { publishers: 1, subscribers: number, topics, shared };
        let setup = setup(transport, client, number)?;
        let arrivals = Arrivals::new(self.live.take());
        let arrivals = arrivals.map_err(|source| failure(Refusal::NoFile { source }))?;
        let arrivals = Arc::new(arrivals);
        let sinks = self.sinks(&arrivals, (clients, share), gate.as_deref())?;
        let begun_ns = now_ns();
        let subscribers = clients::each(sinks, |own, sink| {
            let setup = clients::setup_of(&setup, share.number + own * share.of, topics);
            match listen {
                true => transport.peer(&setup, sink),
                false => transport.subscriber(&setup, sink),
            }
        });
        let settled = subscribers.and_then(|mut subscribers| {
            if shared {
                let until = Instant::now() + CONNECT_LIMIT;
                clients::each(subscribers.iter_mut().collect(), |_, one| one.settle(until))?;
            }
            Ok(subscribers)
        });
        let connected = connected_since(begun_ns, &setup);
        let subscribers = settled.map_err(|error| failure(explained(error, &setup)))?;
        self.role = Role::Subscriber(SubscriberRole { arrivals, subscribers, clients, share });
        Ok(connected)
    }

    /// The sinks of subscribers' connections, each with a codec of its own. The first of each topic writes into the gate, or all that share
    /// its messages.
    fn sinks(
        &mut self,
        arrivals: &Arc<Arrivals>,
        (clients, share): (Clients, Share),
        gate: Option<&str>,
    ) -> Result<Vec<Box<dyn ReceivedSink>>, Failure> {
        let mut sinks: Vec<Box<dyn ReceivedSink>> = Vec::new();
        for own in 0..share.count(clients.subscribers) {
            let client = share.number + own * share.of;
            let loaded = match (own, &self.load) {
                (1.., Some(load)) => Some(load.of(&self.composition, Some(1))?.0),
                _ => self.loaded.take(),
            };
            let receipts = gate.filter(|_| clients.opens_gate(client)).map(Receipts::new);
            let receives_as = clients.receives_as(client);
            sinks.push(Box::new(Receiver::new(arrivals.clone(), loaded, receipts, receives_as)));
        }
        Ok(sinks)
    }

    pub fn warm_up(&mut self, messages: u32) -> Done {
        let gone = self.gone.clone();
        let publisher = self.publisher()?;
        let (own, batch) = publisher.warm_up(messages).map_err(failure)?;
        let until_ns = now_ns() + WARM_UP_LIMIT_NS;
        let sent = batch.sent.wait(own.into(), until_ns, &gone);
        match publisher.stamps.broken() {
            Some(reason) => Err(failure(Refusal::Broken(reason))),
            None if sent < u64::from(own) => Err(failure(Refusal::SlowWarmUp { sent, messages: own })),
            None => Ok(Success::Done),
        }
    }

    pub fn await_sent(&mut self, until_ns: i64, acked: bool) -> Done {
        let gone = self.gone.clone();
        let publisher = self.publisher()?;
        let Some((messages, batch)) = &publisher.last else {
            return Err(failure(Refusal::NotInRole("publisher under way", "start")));
        };
        let wanted = u64::from(*messages);
        let sent = batch.sent.wait(wanted, until_ns, &gone);
        if acked && publisher.acknowledges {
            batch.acked.wait(wanted, until_ns, &gone);
        }
        let session_cpu_ns = ThreadClock::now_ns() + publisher.records_cpu_ns();
        match publisher.stamps.broken() {
            Some(reason) => Err(failure(Refusal::Broken(reason))),
            None => Ok(Success::Progress {
                messages: sent,
                acked: batch.acked.count(),
                last_ns: batch.last_sent_ns(),
                stand_cpu_ns: Some(publisher.stand_cpu_ns() + session_cpu_ns),
                session_cpu_ns,
            }),
        }
    }

    pub fn await_received(&mut self, messages: u64, until_ns: i64) -> Done {
        let Role::Subscriber(subscriber) = &self.role else {
            return Err(failure(Refusal::NotInRole("subscriber", "subscribe")));
        };
        let (arrived, last_ns) = subscriber.arrivals.wait(messages, until_ns, &self.gone);
        match subscriber.arrivals.broken() {
            Some(reason) if arrived < messages => Err(failure(Refusal::Broken(reason))),
            _ => Ok(subscriber.progress(arrived, last_ns)),
        }
    }

    pub fn write_sent(&mut self, path: &str) -> Done {
        let publisher = self.publisher()?;
        let records = publisher.write(created(path)?, GRACE).map_err(failure)?;
        Ok(Success::Written { records: records.ok_or_else(|| failure(Refusal::StillSending))? })
    }

    pub fn await_delivered(&mut self, path: &str, until_ns: i64) -> Done {
        let Role::Subscriber(subscriber) = &self.role else {
            return Err(failure(Refusal::NotInRole("subscriber", "subscribe")));
        };
        let unreadable = |source| failure(Refusal::Sent { path: path.to_owned(), source });
        let file = File::open(path).map_err(|error| unreadable(error.into()))?;
        let sent = Awaited::of(file, (subscriber.clients, subscriber.share)).map_err(unreadable)?;
        let messages = sent.deliveries;
        let waited = subscriber.arrivals.wait_for(sent, until_ns, &self.gone);
        let (delivered, last_ns) = waited.map_err(|source| failure(Refusal::OwnRecords { source }))?;
        match subscriber.arrivals.broken() {
            Some(reason) if delivered < messages => Err(failure(Refusal::Broken(reason))),
            _ => Ok(subscriber.progress(delivered, last_ns)),
        }
    }

    pub fn finish(&mut self, path: &str) -> Done {
        let mut memberships = Vec::new();
        let (records, sending, connection) = match std::mem::replace(&mut self.role, Role::None) {
            Role::None => return Err(failure(Refusal::NotInRole("publisher or subscriber", "publish"))),
            Role::Publisher(publisher) => {
                let (finished, records) = publisher.finish(created(path)?, GRACE).map_err(failure)?;
                (self.loaded, self.records) = (Some(finished.loaded), finished.values);
                (records, finished.sending.err().map(failure), finished.connection.err())
            }
            Role::Subscriber(mut subscriber) => {
                memberships = subscriber.memberships(GRACE);
                let (records, connection) = subscriber.finish(created(path)?, GRACE);
                let records = records.map_err(|source| failure(Refusal::OwnRecords { source }))?;
                (records, None, connection.err())
            }
        };
        let (broken, unfinished) = match connection {
            Some(FinishError::Unfinished { .. }) => (None, connection),
            broken => (broken, None),
        };
        let fault = sending.or(broken.map(failure));
        Ok(Success::Finished {
            records,
            fault: fault.map(|failure| failure.error),
            unfinished: unfinished.map(|waiting| waiting.to_string()),
            memberships,
        })
    }
}

/// Creates a file for records.
fn created(path: &str) -> Result<File, Failure> {
    File::create(path).map_err(|source| failure(Refusal::Records { path: path.to_owned(), source }))
}

/// An endpoint as a socket address.
pub fn address(endpoint: &Endpoint) -> Result<SocketAddr, Failure> {
    let ip: Result<IpAddr, _> = endpoint.host.parse();
    match ip {
        Ok(ip) => Ok(SocketAddr::new(ip, endpoint.port)),
        Err(_) => Err(failure(Refusal::Address(endpoint.host.clone()))),
    }
}

/// All options of a transport: the values given, and defaults for the rest as it declares them.
pub fn resolved(transport: &dyn Transport, options: &OptionTable) -> Result<OptionTable, Failure> {
    let description = transport.description();
    resolve(&description.id.protocol, &description.options, options).map_err(failure)
}

fn connected_since(begun_ns: i64, setup: &ClientSetup) -> Success {
    let took_ns = (now_ns() - begun_ns).unsigned_abs();
    Success::Connected {
        connect_ns: Some(took_ns.saturating_sub(setup.before.ns())),
        tls: setup.tls.as_ref().and_then(|tls| tls.agreed.version()),
        handshake: setup.tls.as_ref().and_then(|tls| tls.agreed.handshake()),
    }
}

/// How each of the clients connects, given how many subscribe in all.
fn setup(transport: &dyn Transport, client: Client, subscribers: u32) -> Result<ClientSetup, Failure> {
    let login =
        client.login.map(|LoginFile { user, password_file }| match std::fs::read_to_string(&password_file) {
            Ok(password) => Ok(Login { user, password }),
            Err(source) => Err(failure(Refusal::Password { path: password_file, source })),
        });
    Ok(ClientSetup {
        endpoint: address(&client.endpoint)?,
        setting: client.setting,
        topic: client.topic,
        // Topics are assigned so that each has equally many subscribers.
        subscribers: (subscribers / client.topics.max(1)).max(1),
        limit: CONNECT_LIMIT,
        options: resolved(transport, &client.options)?,
        seed: client.seed,
        login: login.transpose()?,
        tls: client.tls.map(tls).transpose()?,
        before: Before::default(),
    })
}
