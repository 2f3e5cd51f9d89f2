//! The coordinator's side: the seat of a broker on an agent's machine.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use wiredyno_brokers::Secured;
use wiredyno_contract::Endpoint;
use wiredyno_model::trial::BrokerUsed;
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::Meter;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::managed::Managed;
use wiredyno_seats::seat::clock::SeatClock;
use wiredyno_seats::seat::{BrokerSeat, Cpu, Seat, Watch};

use super::line::{Connection, Keeper, Line, unread};
use super::{BrokerSent, Deed, Digest, Outcome};
use crate::messages::plain;

/// The longest start, for an agent that does not end it itself: its steps have limits of their own.
const STARTING: Duration = Duration::from_secs(600);

/// The longest end, likewise: definitions allow some seconds.
const ENDING: Duration = Duration::from_secs(60);

/// A broker on an agent's machine, see the module.
pub(crate) struct AgentBroker {
    line: Arc<Line>,
    used: BrokerUsed,
    endpoint: Endpoint,
    start: Duration,
}

impl AgentBroker {
    /// Starts a broker on an agent's machine, where its connection has been opened, at an address of that machine.
    pub(crate) fn start(
        agent: (&str, [u64; 2]),
        connection: Connection,
        (managed, (address, secured)): (&Managed, (&str, Secured<'_>)),
        asking: (Arc<dyn Keeper>, &Interrupt),
    ) -> io::Result<Self> {
        let line = Line::new(agent, connection, asking);
        let library = managed.library.as_deref().map(files_in).transpose()?.unwrap_or_default();
        let credentials = secured.credentials.map(|own| own.of_server()).unwrap_or_default();
        let broker = BrokerSent {
            id: managed.folder.broker.id.clone(),
            files: managed.folder.texts(),
            nodes: managed.nodes,
            library: named(&line, &library)?,
            address: address.to_owned(),
            security: secured.security,
            login: secured.login,
            credentials: named(&line, &credentials)?,
        };
        match line.within(&Deed::StartBroker { broker: Box::new(broker) }, STARTING)? {
            Outcome::Serves { endpoint, .. } if endpoint.host != address => Err(io::Error::other(format!(
                "{}: its broker listens at another address than {address}",
                line.agent
            ))),
            Outcome::Serves { used, endpoint, start_ns } => {
                // What a machine says is shown to people.
                let BrokerUsed { id, version, label, storage } = *used;
                let [id, version, label, storage] = [id, version, label, storage].map(|text| plain(&text));
                let used = BrokerUsed { id, version, label, storage };
                Ok(AgentBroker { line, used, endpoint, start: Duration::from_nanos(start_ns) })
            }
            other => Err(line.unexpected(&other)),
        }
    }
}

/// The files directly in a folder.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let all = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|path| path.is_file()).collect())
}

/// Sends files that the agent lacks; returns their names with their digests.
fn named(line: &Line, files: &[PathBuf]) -> io::Result<Vec<(String, Digest)>> {
    let digests = line.sent(&files.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(files.iter().map(name).zip(digests).collect())
}

impl Seat for AgentBroker {
    fn watch(&self) -> io::Result<Box<dyn Watch>> {
        self.line.watch()
    }

    fn meter(&self) -> io::Result<Meter> {
        Err(unread())
    }

    fn sockets(&self) -> io::Result<Vec<Socket>> {
        self.line.sockets()
    }

    fn clock(&self) -> SeatClock {
        self.line.clock()
    }

    fn keep_off(&self, _: Cpu) -> bool {
        // Of another machine.
        false
    }

    fn release(&self) {}
}

impl BrokerSeat for AgentBroker {
    fn used(&self) -> &BrokerUsed {
        &self.used
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn start(&self) -> Duration {
        self.start
    }

    fn ended(&mut self) -> Option<String> {
        match self.line.holds() {
            Ok(()) => self.line.ended(),
            // It ended with its agent's session.
            Err(why) => Some(format!("the agent {} is not connected: {why}", self.line.agent)),
        }
    }

    fn serve_again(&self) {
        self.line.is_used();
        // If it can't be told, the peak is that since its start.
        let _ = self.line.done(&Deed::ServeAgain);
    }

    fn stored(&self, topic: &str) -> Option<u64> {
        match self.line.plainly(&Deed::Stored { topic: topic.to_owned() }) {
            Ok(Outcome::Stored { bytes }) => bytes,
            Ok(_) | Err(_) => None,
        }
    }

    fn stop(self: Box<Self>) {
        self.line.stop(ENDING);
    }
}
