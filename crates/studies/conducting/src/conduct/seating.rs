//! The start of a message trial: the server listens, the roles sit on their seats with their payload loaded, then they connect.

use std::any::Any;
use std::path::Path;

use wiredyno_contract::{
    Capability, Client, Clients, Endpoint, LoadKind, LoginFile, Operation, OptionTable, Publish, Subscribe,
    TlsTerms,
};
use wiredyno_model::trial::SetUp;
use wiredyno_model::{Hosts, Load, Records, Role};
use wiredyno_seats::lane_brokers::Site;
use wiredyno_seats::runner::Runner;
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::seat::process::Here;
use wiredyno_seats::seat::tap::{Tapping, Taps};
use wiredyno_seats::seat::{SeatFile, Watch};
use wiredyno_seats::serving::{Footing, Securing, Server, Serving};

use super::cause::blamed;
use super::publishers::Publishers;
use super::stage::Stage;
use super::subscribers::Subscribers;
use super::{
    Assignment, ConductError, Conductor, endpoint, io_error, loaded_of, nanoseconds, reads_more, samples_of,
};
use crate::live::{Sources, meters};

/// The roles of a trial on their seats, before any of them connects.
struct Seated {
    server: Server,
    /// Where clients connect.
    endpoint: Endpoint,
    /// Whether the subscriber takes the connections itself.
    is_peer: bool,
    /// The options of the transport.
    options: OptionTable,
    load: Load,
    /// How many clients there are, and whether subscribers share messages.
    clients: Clients,
    subscriber: Subscribers,
    publisher: Publishers,
    /// The longest body of the samples, in bytes.
    body_bytes: u32,
}

/// What lets clients in: a login, and how they encrypt.
struct Access {
    login: Option<LoginFile>,
    tls: Option<TlsTerms>,
}

impl Conductor<'_> {
    /// Sets everything up: server listening, subscriber subscribed, publisher connected.
    pub(super) fn stage<'a>(
        &'a self,
        assignment: &'a Assignment<'a>,
        folder: &'a Path,
    ) -> Result<Stage<'a>, ConductError> {
        let here = Here {
            sandbox: self.sandbox,
            lane: assignment.lane.map(|(lane, _)| lane),
            away: self.away.filter(|_| assignment.planned.cell.link.is_real()),
            folder,
            interrupt: self.interrupt,
        };
        here.away.into_iter().for_each(Away::begin);
        let hosts = assignment.hosts(self.study.hosts);
        let key_log = assignment.key_log();
        let securing = Securing {
            security: assignment.security(),
            credentials: self.runners.credentials().map(|credentials| &**credentials),
            resumes: self.study.security.resumption,
            key_log: key_log.as_deref(),
        };
        let mut seated = self.seated(assignment, &here, hosts, securing)?;
        let mut sources = Sources::default();
        if let Some(live) = self.live {
            sources.subscriber = seated.subscriber.counters(live)?;
            sources.publishers = seated.publisher.counters(live)?;
        }
        let closed = seated.load.kind == LoadKind::Closed;
        let gate = if closed { seated.publisher.gate("gate")? } else { None };
        let (reached, relayed) = self.reached(&here, hosts, gate.as_ref(), &seated.subscriber)?;
        let taps = here.away.map(|away| self.taps(away, assignment, hosts, &seated));
        let set_up = seated.connect(assignment, &seated.access(assignment, folder, &securing)?, reached)?;
        let Seated { server, load, clients, subscriber, publisher, body_bytes, .. } = seated;
        let watched = self.live.map(|live| {
            let of_server = server.meter().map(|meter| (Role::Broker, Ok(meter)));
            let subscribers = subscriber.meters().map(|meter| (Role::Subscriber, meter));
            let roles = publisher.meters().map(|meter| (Role::Publisher, meter));
            sources.meters = meters(roles.chain(subscribers).chain(of_server));
            sources.link = Sources::of_link(here.lane);
            live.watch(assignment.planned, &load, (clients, assignment.counted_only.is_none()), sources)
        });
        let cell = &assignment.planned.cell;
        Ok(Stage {
            assignment,
            limits_drain: load.drain.to_std(),
            load,
            clients,
            folder,
            server,
            subscriber,
            publisher,
            gate,
            body_bytes,
            hosts,
            set_up,
            burden_ns: self.runners.message_burden_ns(&cell.payload),
            publisher_cpu: None,
            away: here.away,
            taps,
            _relayed: relayed,
            arrived_before: 0,
            watched,
            database: self.database.filter(|_| cell.records == Some(Records::Postgresql)),
        })
    }

    /// The values of the transport's options.
    pub(super) fn options(&self, assignment: &Assignment<'_>) -> OptionTable {
        let mut options = assignment.serving.options(&assignment.transport.id.protocol);
        options.extend(self.study.options_for(&assignment.planned.cell));
        // An option that a client lacks has its default there, or the cell would not be run.
        let declared = &assignment.transport.options;
        options.retain(|name, _| declared.iter().any(|option| option.name == *name));
        options
    }

    /// The clients of a load, whose subscribers share messages if the options say so.
    pub(super) fn clients(&self, assignment: &Assignment<'_>, load: &Load) -> Clients {
        let transport = assignment.transport.clone().under(&self.options(assignment));
        let setting = assignment.planned.cell.mode.setting.as_deref();
        load.clients(transport.has(setting, Capability::Shared))
    }

    /// Starts the server and the runners of both roles, and loads the payload.
    fn seated(
        &self,
        assignment: &Assignment<'_>,
        here: &Here<'_>,
        hosts: Hosts,
        securing: Securing<'_>,
    ) -> Result<Seated, ConductError> {
        let cell = &assignment.planned.cell;
        let is_peer = matches!(assignment.serving, Serving::Peer);
        let server_host = if is_peer { hosts.subscriber } else { hosts.broker };
        let options = self.options(assignment);
        let (server, endpoint) = assignment.serving.start(Footing {
            endpoint: endpoint(assignment, here, server_host)?,
            terms: (options.clone(), assignment.drawn_seed("server")),
            securing,
            cell,
            version: &assignment.transport.version,
            brokers: assignment.brokers,
            runner: &|| {
                Runner::spawn_on(here, "relay", (hosts.broker, 0), self.runners.command_for(&cell.payload)?)
            },
            site: Site {
                enter: &|command| here.enter(hosts.broker, command),
                away: here.away.filter(|away| away.has(hosts.broker)).map(|away| (away, hosts.broker)),
            },
            interrupt: self.interrupt,
        })?;
        let load = self.load(assignment)?;
        let clients = self.clients(assignment, &load);
        let source = self.runners.source(&cell.payload, &cell.compression)?;
        let samples = loaded_of(&load, reads_more(cell, source.sequence.is_some()));
        let take = |samples| Operation::Load {
            payload: source.clone(),
            codec: cell.codec.clone(),
            compression: cell.compression.clone(),
            samples,
        };
        let program = || self.runners.command_of_role(&cell.payload, &cell.codec);
        let machines = here.away.map_or(1, |away| away.machines(hosts.subscriber));
        let mut subscriber = Subscribers::start(machines, |number| {
            Ok(Runner::spawn_on(here, "subscriber", (hosts.subscriber, number), program()?)?)
        })?;
        let mut publisher = Publishers::start(load.publisher_runners, |number| {
            Ok(Runner::spawn_on(here, "publisher", (hosts.publisher, number), program()?)?)
        })?;
        // The subscriber only decodes: one sample proves that its codec works.
        subscriber.loaded(&take(Some(1)))?;
        let body_bytes = publisher.loaded(&take(Some(samples)))?;
        if cell.records == Some(Records::Postgresql) {
            let records = self.database.and_then(|database| database.records(&source.samples));
            let none = || io_error("the records")(std::io::Error::other("the run has no database with them"));
            let (source, records) = records.ok_or_else(none)?;
            let records = records.min(samples_of(&load).into());
            let records = (records > samples.into()).then_some(records);
            publisher.done(&Operation::ReadRecords { source, records })?;
        }
        Ok(Seated { server, endpoint, is_peer, options, load, clients, subscriber, publisher, body_bytes })
    }

    /// Begins to count the packets between machines, or why they can't be counted.
    fn taps(
        &self,
        away: &dyn Away,
        assignment: &Assignment<'_>,
        hosts: Hosts,
        seated: &Seated,
    ) -> Result<Box<dyn Taps>, String> {
        let of_server = if seated.is_peer { hosts.subscriber } else { hosts.broker };
        let why = match assignment.serving {
            Serving::External(external) => {
                Some(format!("the server at {} is on no machine of the run", external.endpoint))
            }
            Serving::Managed(managed) if managed.nodes > 1 => {
                Some("each node of the broker has an address of its own".to_owned())
            }
            _ if assignment.capable(Capability::Direct) => {
                Some("peers that discover each other have no address that is known before".to_owned())
            }
            _ => None,
        };
        let tapping = Tapping {
            server: (of_server, &seated.endpoint),
            is_between: [hosts.publisher, hosts.subscriber].contains(&of_server.other()),
            format: assignment.readable_format(),
        };
        why.map_or_else(|| away.tap(tapping, self.interrupt), Err)
    }

    /// The gate of a closed loop as the subscriber names it, and what passes it on where the two roles are on different machines.
    #[expect(clippy::type_complexity, reason = "two parts of one answer, taken apart at once")]
    fn reached(
        &self,
        here: &Here<'_>,
        hosts: Hosts,
        gate: Option<&SeatFile>,
        subscriber: &Subscribers,
    ) -> Result<(Option<SeatFile>, Option<Box<dyn Any + Send>>), ConductError> {
        let between = here.away.filter(|_| hosts.publisher != hosts.subscriber).zip(gate);
        let Some((away, gate)) = between else {
            return Ok((gate.map(|gate| subscriber.reach(gate)).transpose()?.flatten(), None));
        };
        let passed = away.gate((hosts.publisher, gate), hosts.subscriber, self.interrupt);
        let (reached, relayed) = passed.map_err(io_error("the gate between two machines"))?;
        Ok((Some(reached), Some(relayed)))
    }
}

impl Seated {
    /// What lets the clients of both roles in.
    fn access(
        &self,
        assignment: &Assignment<'_>,
        folder: &Path,
        securing: &Securing<'_>,
    ) -> Result<Access, ConductError> {
        let login = assignment.serving.login(folder, securing.credentials);
        let login = login.map_err(io_error("the password of a login"))?;
        let of_server = self.server.tls(folder).map_err(io_error("the certificate of the relay"))?;
        let key_log = securing.key_log.map(|path| path.display().to_string());
        let of_server = of_server.map(|terms| TlsTerms { key_log, ..terms });
        let tls = of_server.or_else(|| assignment.serving.tls(securing, &self.endpoint));
        Ok(Access { login, tls })
    }

    /// Connects the subscriber, then the publishers.
    fn connect(
        &mut self,
        assignment: &Assignment<'_>,
        access: &Access,
        gate: Option<SeatFile>,
    ) -> Result<SetUp, ConductError> {
        let Seated {
            server, endpoint, is_peer, options, load, clients: shape, subscriber, publisher, ..
        } = self;
        let topic = assignment.topic();
        let client = |clients: u32, role: &str| Client {
            setting: assignment.planned.cell.mode.setting.clone(),
            clients,
            topics: load.topics,
            options: options.clone(),
            seed: assignment.drawn_seed(role),
            login: access.login.clone(),
            tls: access.tls.clone(),
            ..Client::new(assignment.transport.id.clone(), endpoint.clone(), topic.clone())
        };
        let connecting = server.watch();
        let subscribers = client(load.subscribers, "subscriber");
        let subscribe = |share| {
            Operation::Subscribe(Subscribe {
                client: subscribers.clone(),
                listen: *is_peer,
                shared: shape.shared,
                share,
                gate: gate.as_ref().map(SeatFile::name),
            })
        };
        let subscriber_connected = subscriber.connected(subscribe).map_err(|error| blamed(server, error))?;
        let publishers = client(load.publishers, "publisher");
        let publish = |share| {
            Operation::Publish(Publish { client: publishers.clone(), subscribers: load.subscribers, share })
        };
        let publisher_connected = publisher.connected(publish).map_err(|error| blamed(server, error))?;
        let broker_connect_cpu_ns =
            connecting.and_then(|watch: Box<dyn Watch>| watch.end().ok()).map(|used| used.cpu_ns);
        let (broker_start, broker_served_trials) = server.serve();
        Ok(SetUp {
            publisher_connect_ns: publisher_connected.connect_ns,
            subscriber_connect_ns: subscriber_connected.connect_ns,
            broker_start_ns: broker_start.map(|took| nanoseconds(took).unsigned_abs()),
            broker_served_trials,
            tls: publisher_connected.tls,
            publisher_handshake: publisher_connected.handshake,
            subscriber_handshake: subscriber_connected.handshake,
            broker_connect_cpu_ns,
            ..SetUp::default()
        })
    }
}
