//! The agent's side of a role: it serves deeds until its connection ends. What it keeps beyond that is in [`super::keep`]. One file because all deeds share the state of
//! one role.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wiredyno_brokers::BrokerFolder;
use wiredyno_contract::Operation;
use wiredyno_credentials::Credentials;
use wiredyno_link::tap::{self, Tap, TapTerms};
use wiredyno_process::port::HeldPort;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::managed::Managed;
use wiredyno_seats::runner::Runner;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::broker::{self, Ground};
use wiredyno_seats::seat::clock::{Moment, SeatClock, Stamp};
use wiredyno_seats::seat::{BrokerSeat, Seat, Watch, process};

use super::gate::{self, Source};
use super::keep::{Keep, RoleFolder, Sink};
use super::load::Load;
use super::{BrokerSent, Deed, Digest, Outcome, PIECE_BYTES, Program, role_of};
use crate::messages::{LEASE, plain};
use crate::wire::{Frames, Limit, WireError};

/// How long a coordinator may take from one deed to the next: as long as its lease is renewed on another connection.
const IDLE: Duration = Duration::from_secs(24 * 3_600);

/// The most sockets that are told.
const MOST_SOCKETS: usize = 1_000;

/// A role on this machine. What it started ends with it.
pub(crate) struct Serving {
    keep: Arc<Keep>,
    coordinator: IpAddr,
    interrupt: Interrupt,
    // Before its folder: it may still write there.
    watches: Vec<Box<dyn Watch>>,
    runner: Option<Runner>,
    broker: Option<Broker>,
    tap: Option<Tap>,
    /// The machine since messages began to move.
    load: Option<Load>,
    folder: RoleFolder,
}

/// A broker that serves, and the ports that it has.
struct Broker {
    seat: Box<dyn BrokerSeat>,
    _ports: Vec<HeldPort>,
    /// Files that it may still read.
    _credentials: Option<Credentials>,
}

fn not_started() -> io::Error {
    io::Error::other("the role has not been started yet")
}

/// Serves deeds until the connection ends, or `alive` is unset.
pub(crate) fn serve<S: Limit>(
    (keep, coordinator): (&Arc<Keep>, IpAddr),
    connection: &mut Frames<S>,
    alive: &Arc<AtomicBool>,
) -> Result<(), WireError> {
    let folder = keep.of_role().map_err(WireError::Broken)?;
    let its = alive.clone();
    let over = Arc::new(move || !its.load(Ordering::Relaxed));
    let interrupt = Interrupt::default().or_when(Some(over));
    let (keep, watches, runner, broker, tap) = (keep.clone(), Vec::new(), None, None, None);
    let mut serving =
        Serving { keep, coordinator, interrupt, watches, runner, broker, tap, load: None, folder };
    let goes_on = || alive.load(Ordering::Relaxed);
    loop {
        let (deed, _) = connection.receive(Instant::now() + IDLE, &goes_on)?;
        let outcome = match deed {
            Deed::Keep { digest, bytes } => {
                // All of it is read, whatever becomes of it.
                let kept = serving.receive(connection, (&digest, bytes), &goes_on)?;
                kept.map_or_else(|error| failed(&error), |()| Outcome::Done)
            }
            Deed::Fetch { file } => {
                serving.send(connection, Path::new(&file), &goes_on)?;
                continue;
            }
            Deed::GateFrom => {
                let path = serving.folder.0.join("gate");
                let source = match Source::new(&path) {
                    Ok(source) => source,
                    Err(error) => {
                        connection.send(&failed(&error))?;
                        continue;
                    }
                };
                connection.send(&Outcome::Named { file: path.display().to_string() })?;
                return source.send(connection, &goes_on);
            }
            Deed::GateInto { gate } if !serving.keep.has(Path::new(&gate)) => {
                failed(&format!("{} is not a file of this agent", plain(&gate)))
            }
            Deed::GateInto { gate } => {
                connection.send(&Outcome::Done)?;
                return gate::Sink::new(gate.into()).receive(connection, &goes_on);
            }
            Deed::Stop => {
                serving.watches.clear();
                serving.runner.take().into_iter().for_each(Runner::stop);
                serving.broker.take().into_iter().for_each(|broker| broker.seat.stop());
                connection.send(&Outcome::Done)?;
                return Ok(());
            }
            deed => serving.carry_out(deed).unwrap_or_else(|error| failed(&error)),
        };
        connection.send(&outcome)?;
    }
}

/// Whether an error is that of a request for memory that was refused, in the words of a runner: Rust's `ErrorKind::OutOfMemory`, C's ENOMEM.
fn is_short_of_memory(error: &RunnerError) -> bool {
    let told = error.to_string().to_lowercase();
    ["out of memory", "cannot allocate memory"].iter().any(|words| told.contains(words))
}

fn failed(error: &dyn std::fmt::Display) -> Outcome {
    Outcome::Failed { problem: plain(&error.to_string()) }
}

impl Serving {
    fn carry_out(&mut self, deed: Deed) -> io::Result<Outcome> {
        Ok(match deed {
            Deed::Lack { digests } => {
                let digests = digests.into_iter().filter(|digest| !self.keep.uses(digest)).collect();
                Outcome::Lacking { digests }
            }
            Deed::Start { role, program } => self.start(&role, &program)?,
            Deed::StartBroker { broker } => self.start_broker(*broker)?,
            Deed::ServeAgain => {
                self.broker()?.seat.serve_again();
                Outcome::Done
            }
            Deed::Stored { topic } => Outcome::Stored { bytes: self.broker()?.seat.stored(&topic) },
            Deed::Ask { operation, limit_ns } => self.ask(*operation, Duration::from_nanos(limit_ns))?,
            Deed::Look => {
                let limits = self.keep.limits;
                let how = match &mut self.broker {
                    Some(broker) => broker.seat.ended(),
                    None => self.runner()?.ended(),
                };
                Outcome::Ended { how: how.map(|how| plain(&limits.told(how))) }
            }
            Deed::Name { file } => Outcome::Named { file: self.named(&file)? },
            Deed::Place { digest } => {
                let placed = self.folder.0.join(format!("placed-{}", file_name(&digest)?));
                self.keep.link(&digest, &placed)?;
                Outcome::Named { file: placed.display().to_string() }
            }
            Deed::Watch => {
                let watch = self.seat()?.watch()?;
                self.watches.push(watch);
                Outcome::Watching { watch: self.watches.len() - 1 }
            }
            Deed::Busiest { watch, first_ns } => {
                let first: Moment = SeatClock::OURS.moment(Stamp::of_ns(first_ns));
                self.watch(watch)?.busiest(first)?.into()
            }
            Deed::Moving { watch, from_ns } => self.moving(watch, from_ns)?,
            Deed::Moved { watch } => self.moved(watch)?,
            Deed::Used { watch } => Outcome::Used { used: Box::new(self.watch(watch)?.end()?) },
            Deed::Sockets => {
                let mut sockets = self.seat()?.sockets()?;
                // No flows of a link are matched with them: those that dropped something first, and no more than an answer has room for.
                sockets.sort_by_key(|socket| std::cmp::Reverse(socket.dropped_datagrams));
                Outcome::Sockets { sockets: sockets.into_iter().take(MOST_SOCKETS).map(Into::into).collect() }
            }
            Deed::PeakMemory => Outcome::Bytes { bytes: self.runner()?.seat().peak_memory_bytes()? },
            Deed::Tap { terms } => self.begin_tap(terms)?,
            Deed::Mark { phase } => self.tap().map(|tap| tap.mark(phase)).map(|()| Outcome::Done)?,
            Deed::Tapped => Outcome::Tapped { tapped: Box::new(self.tap()?.tapped()?) },
            Deed::FreePort { address } => Outcome::Port { port: process::free_port(address)? },
            Deed::Keep { .. } | Deed::Fetch { .. } | Deed::GateFrom | Deed::GateInto { .. } | Deed::Stop => {
                return Err(io::Error::other("a deed with pieces; please report this"));
            }
        })
    }

    fn runner(&mut self) -> io::Result<&mut Runner> {
        self.runner.as_mut().ok_or_else(not_started)
    }

    fn broker(&mut self) -> io::Result<&mut Broker> {
        self.broker.as_mut().ok_or_else(|| io::Error::other("no broker has been started"))
    }

    fn moving(&mut self, watch: usize, from_ns: i64) -> io::Result<Outcome> {
        let from = SeatClock::OURS.moment(Stamp::of_ns(from_ns));
        self.watch(watch)?.moving(from)?;
        self.load = Some(Load::begin(from));
        Ok(Outcome::Done)
    }

    fn moved(&mut self, watch: usize) -> io::Result<Outcome> {
        let used = self.watch(watch)?.moved()?.used;
        let load = self.load.as_mut().ok_or_else(|| io::Error::other("nothing has begun to move"))?;
        Ok(Outcome::Moved { used, machine: load.so_far()? })
    }

    fn begin_tap(&mut self, terms: TapTerms) -> io::Result<Outcome> {
        self.tap = Some(Tap::begin(terms)?);
        Ok(Outcome::Taps { place: tap::place()? })
    }

    fn tap(&self) -> io::Result<&Tap> {
        self.tap.as_ref().ok_or_else(|| io::Error::other("no packets are counted"))
    }

    /// That of the broker or of the runner.
    fn seat(&mut self) -> io::Result<&dyn Seat> {
        match &self.broker {
            Some(broker) => Ok(&*broker.seat),
            None => Ok(self.runner.as_ref().ok_or_else(not_started)?.seat()),
        }
    }

    fn watch(&mut self, number: usize) -> io::Result<&mut Box<dyn Watch>> {
        self.watches.get_mut(number).ok_or_else(|| io::Error::other("no watch has that number"))
    }

    fn start(&mut self, role: &str, program: &Program) -> io::Result<Outcome> {
        let role = role_of(role).ok_or_else(|| io::Error::other("runners have no such role"))?;
        self.check_free()?;
        let pack = self.folder.0.join("program");
        fs::create_dir_all(&pack)?;
        for (name, digest) in &program.files {
            self.keep.link(digest, &pack.join(file_name(name)?))?;
        }
        let main = pack.join(file_name(&program.program)?);
        let mut command = match &program.loader {
            Some(loader) => {
                let mut command = Command::new(pack.join(file_name(loader)?));
                command.arg("--library-path").arg(&pack).arg(&main);
                command
            }
            None => Command::new(&main),
        };
        // A program that came from elsewhere gets nothing of this user's environment.
        command.args(&program.arguments).env_clear().env("TMPDIR", &self.folder.0);
        command.current_dir(&self.folder.0);
        self.keep.bind(&mut command);
        let runner = process::start_in(role, command, &self.folder.0, &self.interrupt);
        self.runner = Some(runner.map(Runner::on).map_err(io::Error::other)?);
        Ok(Outcome::Done)
    }

    fn check_free(&self) -> io::Result<()> {
        match self.runner.is_some() || self.broker.is_some() {
            true => Err(io::Error::other("the role has already been started")),
            false => Ok(()),
        }
    }

    /// Contents under their names, in a folder of the role.
    fn placed(&self, folder: &str, contents: &[(String, Digest)]) -> io::Result<Vec<(String, PathBuf)>> {
        let folder = self.folder.0.join(folder);
        fs::create_dir_all(&folder)?;
        let mut placed = Vec::new();
        for (name, digest) in contents {
            let path = folder.join(file_name(name)?);
            self.keep.link(digest, &path)?;
            placed.push((name.clone(), path));
        }
        Ok(placed)
    }

    fn start_broker(&mut self, sent: BrokerSent) -> io::Result<Outcome> {
        self.check_free()?;
        let BrokerSent { id, files, nodes, library, address, security, login, credentials } = sent;
        file_name(&id)?;
        files.keys().try_for_each(|name| file_name(name).map(drop))?;
        let folder = BrokerFolder::received(&id, files).map_err(io::Error::other)?;
        let jars = self.placed("jars", &library)?;
        let library = (!jars.is_empty()).then(|| self.folder.0.join("jars"));
        let proofs = self.placed("credentials", &credentials)?;
        let credentials = (!proofs.is_empty()).then(|| Credentials::received(&proofs)).transpose();
        let credentials = credentials.map_err(io::Error::other)?;
        let version = folder.version_with(library.clone()).map_err(io::Error::other)?;
        let managed = Managed { folder: Box::new(folder), nodes, security, login, version, library };
        let at: IpAddr = address.parse().map_err(io::Error::other)?;
        let mut ports = Vec::new();
        let mut free_port = || {
            let held = HeldPort::at(at)?;
            let number = held.number();
            ports.push(held);
            Ok(number)
        };
        let ground = Ground {
            address: &address,
            secured: managed.secured(credentials.as_ref()),
            free_port: &mut free_port,
            enter: &|command| self.keep.bind(command),
            interrupt: &self.interrupt,
        };
        let seat = broker::start(&managed, ground).map_err(io::Error::other)?;
        let (used, endpoint) = (Box::new(seat.used().clone()), seat.endpoint().clone());
        let start_ns = u64::try_from(seat.start().as_nanos()).unwrap_or(u64::MAX);
        self.broker = Some(Broker { seat, _ports: ports, _credentials: credentials });
        Ok(Outcome::Serves { used, endpoint, start_ns })
    }

    fn ask(&mut self, operation: Operation, limit: Duration) -> io::Result<Outcome> {
        if let Some(foreign) = self.keep.foreign(&operation) {
            return Err(io::Error::other(format!("{} is not a file of this agent", plain(&foreign))));
        }
        if let Some(why) = self.keep.forbidden(&operation, self.coordinator) {
            return Ok(failed(&why));
        }
        Ok(match self.runner()?.ask(operation, limit) {
            Ok(success) => Outcome::Answered { success: Box::new(success) },
            // By this machine's owner, not by what is tested.
            Err(error @ RunnerError::Refused { .. }) if is_short_of_memory(&error) => {
                failed(&self.keep.limits.told(error.to_string()))
            }
            Err(RunnerError::Refused { failure, .. }) => Outcome::Refused { failure },
            Err(error @ RunnerError::Ended { .. }) => failed(&self.keep.limits.told(error.to_string())),
            Err(error) => failed(&error),
        })
    }

    /// The path of a file that the role writes.
    fn named(&self, name: &str) -> io::Result<String> {
        Ok(self.folder.0.join(file_name(name)?).display().to_string())
    }

    fn receive<S: Limit>(
        &self,
        connection: &mut Frames<S>,
        (digest, bytes): (&str, u64),
        goes_on: &dyn Fn() -> bool,
    ) -> Result<io::Result<()>, WireError> {
        let mut sink = self.keep.make_room(bytes).and_then(|()| Sink::new(&self.folder.0, digest));
        let mut left = bytes;
        while left > 0 {
            let piece = connection.receive_piece(Instant::now() + 2 * LEASE, goes_on)?;
            left = left.checked_sub(piece.len() as u64).filter(|_| !piece.is_empty()).ok_or_else(|| {
                WireError::Nonsense("its pieces do not have the announced length".to_owned())
            })?;
            if let Ok(of) = &mut sink
                && let Err(error) = of.add(&piece)
            {
                sink = Err(error);
            }
        }
        Ok(sink.and_then(|sink| self.keep.take(&sink.end()?, digest, bytes)))
    }

    /// Sends a file that a role has written.
    fn send<S: Limit>(
        &self,
        connection: &mut Frames<S>,
        path: &Path,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), WireError> {
        let opened = || -> io::Result<(File, u64)> {
            if path.parent().map(Path::canonicalize).transpose()? != Some(self.folder.0.canonicalize()?) {
                return Err(io::Error::other("it is not a file of this role"));
            }
            // A role could have made it a link to another file.
            let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        let (mut file, bytes) = match opened() {
            Ok(opened) => opened,
            Err(error) => return connection.send(&failed(&error)),
        };
        connection.send(&Outcome::Sends { bytes })?;
        send_pieces(connection, (&mut file, bytes), goes_on)
    }
}

/// Sends so many bytes in pieces.
pub(crate) fn send_pieces<S: Limit>(
    connection: &mut Frames<S>,
    (from, bytes): (&mut dyn Read, u64),
    goes_on: &dyn Fn() -> bool,
) -> Result<(), WireError> {
    let (mut piece, mut left) = (vec![0; PIECE_BYTES], bytes);
    while left > 0 {
        if !goes_on() {
            return Err(WireError::Interrupted);
        }
        let wanted = left.min(PIECE_BYTES as u64) as usize;
        // Whoever waits for this many bytes can no longer be told otherwise.
        from.read_exact(&mut piece[..wanted]).map_err(WireError::Broken)?;
        connection.send_piece(&piece[..wanted])?;
        left -= wanted as u64;
    }
    Ok(())
}

/// A name without a path.
fn file_name(name: &str) -> io::Result<&str> {
    let is_plain =
        !name.is_empty() && name.len() < 200 && !name.contains(['/', '\0']) && !name.starts_with('.');
    if is_plain { Ok(name) } else { Err(io::Error::other(format!("`{}` is not a file name", plain(name)))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_name_of_a_file_is_refused() {
        for name in ["", ".", "..", ".hidden", "a/b", "/a", "a\0b"] {
            assert!(file_name(name).is_err(), "{name}");
        }
        assert_eq!(file_name("libstdc++.so.6").unwrap(), "libstdc++.so.6");
    }
}
