//! A server while it serves a trial: a broker of the lane, a relay, or one given by address.

use std::path::Path;
use std::time::{Duration, Instant};

use wiredyno_contract::bulk::{BulkError, SupersededRow, read_superseded};
use wiredyno_contract::{Endpoint, ModeId, OptionTable, TlsTerms};
use wiredyno_model::Cell;
use wiredyno_model::trial::BrokerUsed;
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;

use super::{Securing, SupersededError};
use crate::interrupt::Interrupt;
use crate::lane_brokers::{KeptBroker, LaneBrokers, Site};
use crate::runner::Runner;
use crate::runner_error::RunnerError;
use crate::seat::clock::{SeatClock, Stamped};
use crate::seat::{RunnerSeat, Seat, Watch};

/// How long after a broken connection the end of the process behind it may take to become visible.
const DEATH_SHOWS: Duration = Duration::from_millis(500);

/// A server that serves one trial.
pub enum Server {
    /// A broker, started by us.
    Broker(Box<KeptBroker>),
    /// A relay or server in a runner's process.
    Runner(Box<Relay>, BrokerUsed),
    /// Not ours: it runs already, or there is none.
    None(BrokerUsed),
}

/// A runner in the role of a server.
pub struct Relay {
    pub(super) runner: Runner,
    /// If it created its own certificate: how clients trust that, in PEM form, and the host for which it is.
    pub(super) trusted: Option<(String, String)>,
}

/// What is needed to start a server.
pub struct Footing<'a> {
    /// Where the server of a runner is to listen.
    pub endpoint: Endpoint,
    /// Options and seed of a runner's own server.
    pub terms: (OptionTable, u64),
    /// How connections of the trial are secured.
    pub securing: Securing<'a>,
    /// The cell of the trial that the server is for.
    pub cell: &'a Cell,
    /// The version of its clients' library.
    pub version: &'a str,
    /// The brokers that its lane keeps.
    pub brokers: &'a LaneBrokers,
    /// Gives a runner a seat on the broker's host.
    pub runner: &'a dyn Fn() -> Result<Runner, RunnerError>,
    /// The broker's host.
    pub site: Site<'a>,
    /// Set when the run is to end.
    pub interrupt: &'a Interrupt,
}

impl Server {
    /// What trials record about it.
    pub fn used(&self) -> BrokerUsed {
        match self {
            Server::Broker(broker) => broker.seat.used().clone(),
            Server::Runner(_, used) | Server::None(used) => used.clone(),
        }
    }

    /// How long a broker of ours took to start, and how many trials it has served before this one, which is counted from now on.
    pub fn serve(&mut self) -> (Option<Duration>, Option<u32>) {
        match self {
            Server::Broker(broker) => (Some(broker.seat.start()), Some(broker.serve())),
            Server::Runner(..) | Server::None(_) => (None, None),
        }
    }

    /// How many messages a broker has to carry before its first trial in a mode.
    pub fn messages_to_warm(&mut self, mode: &ModeId) -> u32 {
        match self {
            Server::Broker(broker) => broker.messages_to_warm(mode),
            Server::Runner(..) | Server::None(_) => 0,
        }
    }

    /// How clients encrypt their connections to a server that created its own certificate, which is written to a file in this folder; absent
    /// if it has none.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn tls(&self, folder: &Path) -> std::io::Result<Option<TlsTerms>> {
        let Server::Runner(relay, _) = self else { return Ok(None) };
        let Some((host, certificate)) = &relay.trusted else { return Ok(None) };
        let path = folder.join("relay.pem");
        std::fs::write(&path, certificate)?;
        Ok(Some(TlsTerms::of(host.clone(), Some(path.display().to_string()))))
    }

    /// Its seat; absent if the server is not ours.
    fn seat(&self) -> Option<&dyn Seat> {
        match self {
            Server::Broker(broker) => Some(&*broker.seat),
            Server::Runner(relay, _) => Some(relay.runner.seat()),
            Server::None(_) => None,
        }
    }

    /// The seat of a runner that serves.
    pub fn relay(&self) -> Option<&dyn RunnerSeat> {
        match self {
            Server::Runner(relay, _) => Some(relay.runner.seat()),
            Server::Broker(_) | Server::None(_) => None,
        }
    }

    /// Starts watching what it uses; `None` if it is not ours, or has ended.
    pub fn watch(&self) -> Option<Box<dyn Watch>> {
        self.seat().and_then(|seat| seat.watch().ok())
    }

    /// A cheap reading of what it has used; `None` if it is not ours.
    pub fn meter(&self) -> Option<Meter> {
        self.seat().and_then(|seat| seat.meter().ok())
    }

    /// Bytes that it has stored of the messages of a topic; absent where that is unknown.
    pub fn stored(&self, topic: &str) -> Option<u64> {
        match self {
            Server::Broker(broker) => broker.seat.stored(topic),
            Server::Runner(..) | Server::None(_) => None,
        }
    }

    /// Its sockets; empty if it is not ours, or has ended.
    pub fn sockets(&self) -> Vec<Socket> {
        self.seat().and_then(|seat| seat.sockets().ok()).unwrap_or_default()
    }

    /// If a runner serves: what it superseded, with times of our clock; its server ends. For other servers it is
    /// empty: they supersede nothing, or their protocol's clients can't report it.
    ///
    /// # Errors
    /// When the runner does not answer or its records can't be read.
    pub fn superseded(&mut self) -> Result<Vec<SupersededRow>, SupersededError> {
        let Server::Runner(relay, _) = self else { return Ok(Vec::new()) };
        let recorded = relay.runner.finish_serving("superseded")?;
        let mut file = std::fs::File::open(&recorded.path).map_err(BulkError::Read)?;
        let ours = |row: SupersededRow| row.told_by(SeatClock::OURS, recorded.clock);
        Ok(read_superseded(&mut file)?.into_iter().map(ours).collect())
    }

    /// Reports, once it has ended by itself, what is known about it; absent while it runs or if it is not ours.
    pub fn ended(&mut self) -> Option<String> {
        match self {
            Server::Broker(broker) => broker.seat.ended(),
            Server::Runner(relay, _) => relay.runner.ended(),
            Server::None(_) => None,
        }
    }

    /// The same once a connection to it has broken: a dying process closes its sockets before it can be waited
    /// for, so this waits up to half a second for its end.
    pub fn ended_soon(&mut self) -> Option<String> {
        let until = Instant::now() + DEATH_SHOWS;
        loop {
            let ended = self.ended();
            if ended.is_some() || matches!(self, Server::None(_)) || Instant::now() >= until {
                return ended;
            }
            std::thread::sleep(DEATH_SHOWS / 50);
        }
    }

    /// Ends it, or returns it to its lane if it serves further trials.
    pub fn stop(self, brokers: &LaneBrokers) {
        match self {
            Server::Broker(broker) => brokers.give_back(*broker),
            Server::Runner(relay, _) => relay.runner.stop(),
            Server::None(_) => {}
        }
    }
}
