//! The agent's side: the contents that it keeps, and roles that serve deeds until their connection ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wiredyno_contract::Operation;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_process::scratch::Scratch;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runner::Runner;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::seat::clock::{Moment, SeatClock, Stamp};
use wiredyno_seats::seat::{Watch, files, process};

use super::gate::{self, Source};
use super::{Deed, Digest, Outcome, PIECE_BYTES, Program, is_digest, role_of};
use crate::messages::{LEASE, plain};
use crate::wire::{Frames, Limit, WireError};

/// The most bytes of contents that an agent keeps for later roles; those used last stay.
const MOST_BYTES: u64 = 2 << 30;

/// How long a coordinator may take from one deed to the next: as long as its lease is renewed on another connection.
const IDLE: Duration = Duration::from_secs(24 * 3_600);

/// The most sockets that are told.
const MOST_SOCKETS: usize = 1_000;

/// The mode of the files: the agent's user alone, who may start programs.
const OWN: u32 = 0o700;

/// What an agent keeps as long as it runs: one folder, deleted at its end.
pub(crate) struct Keep {
    folder: Scratch,
    /// Digests and bytes of the contents, that used last at the end.
    contents: Mutex<Vec<(Digest, u64)>>,
    roles: AtomicU64,
    sandbox: Option<Sandbox>,
}

/// The folder of a role, below the agent's; deleted on drop.
struct RoleFolder(PathBuf);

impl Drop for RoleFolder {
    fn drop(&mut self) {
        // What can't be deleted now goes with the agent's folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Keep {
    pub(crate) fn new(sandbox: Option<Sandbox>) -> io::Result<Self> {
        let folder = Scratch::new("agent-")?;
        fs::create_dir(folder.path().join("contents"))?;
        Ok(Keep { folder, contents: Mutex::default(), roles: AtomicU64::new(0), sandbox })
    }

    fn of_role(&self) -> io::Result<RoleFolder> {
        let number = self.roles.fetch_add(1, Ordering::Relaxed);
        let folder = RoleFolder(self.folder.path().join(format!("role-{number}")));
        fs::create_dir(&folder.0)?;
        Ok(folder)
    }

    fn content(&self, digest: &str) -> io::Result<PathBuf> {
        if !is_digest(digest) {
            return Err(io::Error::other("a content is named by its digest"));
        }
        Ok(self.folder.path().join("contents").join(digest))
    }

    fn contents(&self) -> MutexGuard<'_, Vec<(Digest, u64)>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a content is here; if so, it is used now.
    fn uses(&self, digest: &str) -> bool {
        let mut contents = self.contents();
        let Some(place) = contents.iter().position(|(one, _)| one == digest) else { return false };
        let used = contents.remove(place);
        contents.push(used);
        true
    }

    /// Forgets contents until there is room for so many bytes more. Roles that use them have them in folders of their own.
    fn make_room(&self, bytes: u64) -> io::Result<()> {
        if bytes > MOST_BYTES {
            let most = MOST_BYTES >> 30;
            return Err(io::Error::other(format!(
                "a content of {bytes} bytes: an agent keeps at most {most} GiB"
            )));
        }
        let mut contents = self.contents();
        while contents.iter().map(|(_, bytes)| bytes).sum::<u64>() + bytes > MOST_BYTES {
            let (oldest, _) = contents.remove(0);
            fs::remove_file(self.content(&oldest)?)?;
        }
        Ok(())
    }

    /// Keeps a file as a content.
    fn take(&self, from: &Path, digest: &str, bytes: u64) -> io::Result<()> {
        let mut contents = self.contents();
        fs::rename(from, self.content(digest)?)?;
        contents.retain(|(one, _)| one != digest);
        contents.push((digest.to_owned(), bytes));
        Ok(())
    }

    /// Another name for a content, in the folder of a role.
    fn link(&self, digest: &str, to: &Path) -> io::Result<()> {
        if !self.uses(digest) {
            return Err(io::Error::other("a content that was not sent, or not lately"));
        }
        match fs::hard_link(self.content(digest)?, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }
    }

    /// Whether a path is within the agent's folder, as it is written.
    fn has(&self, path: &Path) -> bool {
        path.starts_with(self.folder.path()) && !path.components().any(|one| one == Component::ParentDir)
    }

    /// The first file of a request that is not within the agent's folder.
    fn foreign(&self, operation: &Operation) -> Option<String> {
        files::named(operation).into_iter().find(|file| !self.has(Path::new(file)))
    }
}

/// A role on this machine. What it started ends with it.
pub(crate) struct Serving {
    keep: Arc<Keep>,
    interrupt: Interrupt,
    // Before its folder: it may still write there.
    watches: Vec<Box<dyn Watch>>,
    runner: Option<Runner>,
    folder: RoleFolder,
}

/// Serves deeds until the connection ends, or `alive` is unset.
pub(crate) fn serve<S: Limit>(
    keep: &Arc<Keep>,
    connection: &mut Frames<S>,
    alive: &Arc<AtomicBool>,
) -> Result<(), WireError> {
    let folder = keep.of_role().map_err(WireError::Broken)?;
    let its = alive.clone();
    let over = Arc::new(move || !its.load(Ordering::Relaxed));
    let interrupt = Interrupt::default().or_when(Some(over));
    let mut serving = Serving { keep: keep.clone(), interrupt, watches: Vec::new(), runner: None, folder };
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
                failed(&format!("{} is no file of this agent", plain(&gate)))
            }
            Deed::GateInto { gate } => {
                connection.send(&Outcome::Done)?;
                return gate::Sink::new(gate.into()).receive(connection, &goes_on);
            }
            Deed::Stop => {
                serving.watches.clear();
                serving.runner.take().into_iter().for_each(Runner::stop);
                connection.send(&Outcome::Done)?;
                return Ok(());
            }
            deed => serving.carry_out(deed).unwrap_or_else(|error| failed(&error)),
        };
        connection.send(&outcome)?;
    }
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
            Deed::Ask { operation, limit_ns } => self.ask(*operation, Duration::from_nanos(limit_ns))?,
            Deed::Look => Outcome::Ended { how: self.runner()?.ended().map(|how| plain(&how)) },
            Deed::Name { file } => Outcome::Named { file: self.named(&file)? },
            Deed::Place { digest } => {
                let placed = self.folder.0.join(format!("placed-{}", file_name(&digest)?));
                self.keep.link(&digest, &placed)?;
                Outcome::Named { file: placed.display().to_string() }
            }
            Deed::Watch => {
                let watch = self.runner()?.seat().watch()?;
                self.watches.push(watch);
                Outcome::Watching { watch: self.watches.len() - 1 }
            }
            Deed::Busiest { watch, first_ns } => {
                let first: Moment = SeatClock::OURS.moment(Stamp::of_ns(first_ns));
                self.watch(watch)?.busiest(first)?.into()
            }
            Deed::Moving { watch } => {
                self.watch(watch)?.moving()?;
                Outcome::Done
            }
            Deed::Moved { watch } => Outcome::Moved { used: self.watch(watch)?.moved()? },
            Deed::Used { watch } => Outcome::Used { used: Box::new(self.watch(watch)?.end()?) },
            Deed::Sockets => {
                let mut sockets = self.runner()?.seat().sockets()?;
                // No flows of a link are matched with them: those that dropped something first, and no more than an answer has room for.
                sockets.sort_by_key(|socket| std::cmp::Reverse(socket.dropped_datagrams));
                Outcome::Sockets { sockets: sockets.into_iter().take(MOST_SOCKETS).map(Into::into).collect() }
            }
            Deed::PeakMemory => Outcome::Bytes { bytes: self.runner()?.seat().peak_memory_bytes()? },
            Deed::FreePort { address } => Outcome::Port { port: process::free_port(address)? },
            Deed::Keep { .. } | Deed::Fetch { .. } | Deed::GateFrom | Deed::GateInto { .. } | Deed::Stop => {
                return Err(io::Error::other("a deed with pieces; please report this"));
            }
        })
    }

    fn runner(&mut self) -> io::Result<&mut Runner> {
        self.runner.as_mut().ok_or_else(|| io::Error::other("the role was not started yet"))
    }

    fn watch(&mut self, number: usize) -> io::Result<&mut Box<dyn Watch>> {
        self.watches.get_mut(number).ok_or_else(|| io::Error::other("no watch has that number"))
    }

    fn start(&mut self, role: &str, program: &Program) -> io::Result<Outcome> {
        let role = role_of(role).ok_or_else(|| io::Error::other("runners have no such role"))?;
        if self.runner.is_some() {
            return Err(io::Error::other("the role was started already"));
        }
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
        // Nothing of this user's environment is a program's that came from elsewhere.
        command.args(&program.arguments).env_clear().env("TMPDIR", &self.folder.0);
        command.current_dir(&self.folder.0);
        self.keep.sandbox.iter().for_each(|sandbox| sandbox.prepare(&mut command));
        let runner = process::start_in(role, command, &self.folder.0, &self.interrupt);
        self.runner = Some(runner.map(Runner::on).map_err(io::Error::other)?);
        Ok(Outcome::Done)
    }

    fn ask(&mut self, operation: Operation, limit: Duration) -> io::Result<Outcome> {
        if let Some(foreign) = self.keep.foreign(&operation) {
            return Err(io::Error::other(format!("{} is no file of this agent", plain(&foreign))));
        }
        Ok(match self.runner()?.ask(operation, limit) {
            Ok(success) => Outcome::Answered { success: Box::new(success) },
            Err(RunnerError::Refused { failure, .. }) => Outcome::Refused { failure },
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
                WireError::Nonsense("its pieces are not as long as it was announced".to_owned())
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
                return Err(io::Error::other("it is no file of this role"));
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
        // Whoever waits for so many bytes can't be told otherwise any more.
        from.read_exact(&mut piece[..wanted]).map_err(WireError::Broken)?;
        connection.send_piece(&piece[..wanted])?;
        left -= wanted as u64;
    }
    Ok(())
}

/// A content on its way into the folder.
struct Sink {
    file: File,
    at: PathBuf,
    digest: Digest,
    so_far: ring::digest::Context,
}

impl Sink {
    fn new(folder: &Path, digest: &str) -> io::Result<Self> {
        if !is_digest(digest) {
            return Err(io::Error::other("a content is named by its digest"));
        }
        let at = folder.join("arriving");
        let _ = fs::remove_file(&at);
        let file = OpenOptions::new().write(true).create_new(true).mode(OWN).open(&at)?;
        let so_far = ring::digest::Context::new(&ring::digest::SHA256);
        Ok(Sink { file, at, digest: digest.to_owned(), so_far })
    }

    fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.so_far.update(piece);
        self.file.write_all(piece)
    }

    /// The file, complete.
    fn end(self) -> io::Result<PathBuf> {
        if hex::encode(self.so_far.finish()) != self.digest {
            return Err(io::Error::other("what came has another digest than it was announced with"));
        }
        Ok(self.at)
    }
}

/// A name without a path.
fn file_name(name: &str) -> io::Result<&str> {
    let is_plain =
        !name.is_empty() && name.len() < 200 && !name.contains(['/', '\0']) && !name.starts_with('.');
    if is_plain { Ok(name) } else { Err(io::Error::other(format!("`{}` is no name of a file", plain(name)))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(of: &[u8]) -> Digest {
        hex::encode(ring::digest::digest(&ring::digest::SHA256, of))
    }

    /// Keeps a content as a role does that receives it.
    fn kept(keep: &Arc<Keep>, content: &[u8], announced: &str) -> io::Result<()> {
        let folder = keep.of_role()?;
        keep.make_room(content.len() as u64)?;
        let mut sink = Sink::new(&folder.0, announced)?;
        content.chunks(3).try_for_each(|piece| sink.add(piece))?;
        keep.take(&sink.end()?, announced, content.len() as u64)
    }

    #[test]
    fn a_content_is_what_its_digest_says_and_nothing_else_is_kept() {
        let keep = Arc::new(Keep::new(None).unwrap());
        let right = digest(b"samples");
        kept(&keep, b"samples", &right).unwrap();
        let wrong = kept(&keep, b"other samples", &right).unwrap_err().to_string();
        assert!(wrong.contains("another digest"), "{wrong}");
        for name in ["../../etc/passwd", "", &right.to_uppercase(), &right[1..]] {
            assert!(kept(&keep, b"x", name).is_err() && !keep.uses(name), "{name}");
        }
        let role = keep.of_role().unwrap();
        let placed = role.0.join("placed");
        keep.link(&right, &placed).unwrap();
        assert_eq!(fs::read(&placed).unwrap(), b"samples");
        let lacking = keep.link(&digest(b"never sent"), &role.0.join("x")).unwrap_err().to_string();
        assert!(lacking.contains("not sent"), "{lacking}");
    }

    #[test]
    fn the_contents_used_last_stay_and_roles_keep_what_they_have() {
        let keep = Keep::new(None).unwrap();
        let role = keep.of_role().unwrap();
        let add = |content: &[u8], bytes| {
            let from = role.0.join("arriving");
            fs::write(&from, content).unwrap();
            keep.make_room(bytes).unwrap();
            keep.take(&from, &digest(content), bytes).unwrap();
        };
        let half = MOST_BYTES / 2;
        add(b"old", half);
        add(b"new", half);
        let placed = role.0.join("placed");
        keep.link(&digest(b"old"), &placed).unwrap();
        add(b"newest", half);
        assert!(keep.uses(&digest(b"old")), "used after the other");
        assert!(!keep.uses(&digest(b"new")) && !keep.content(&digest(b"new")).unwrap().exists());
        add(b"next", half);
        add(b"last", half);
        assert!(!keep.uses(&digest(b"old")));
        assert_eq!(fs::read(&placed).unwrap(), b"old");
        assert!(keep.make_room(MOST_BYTES + 1).is_err());
    }

    #[test]
    fn a_request_names_files_of_the_agent_alone() {
        let keep = Keep::new(None).unwrap();
        let finish = |records: &str| keep.foreign(&Operation::Finish { records: records.to_owned() });
        assert_eq!(finish(&keep.folder.path().join("role-0/sent").display().to_string()), None);
        let up = keep.folder.path().join("role-0/../../x").display().to_string();
        for path in
            ["/etc/passwd", "/", "sent", "../../x", "", &up, &format!("{}x", keep.folder.path().display())]
        {
            assert_eq!(finish(path).as_deref(), Some(path));
        }
    }

    #[test]
    fn what_is_no_name_of_a_file_is_refused() {
        for name in ["", ".", "..", ".hidden", "a/b", "/a", "a\0b"] {
            assert!(file_name(name).is_err(), "{name}");
        }
        assert_eq!(file_name("libstdc++.so.6").unwrap(), "libstdc++.so.6");
    }

    #[test]
    fn all_that_an_agent_keeps_goes_with_it() {
        let keep = Arc::new(Keep::new(None).unwrap());
        kept(&keep, b"samples", &digest(b"samples")).unwrap();
        let (path, role) = (keep.folder.path().to_owned(), keep.of_role().unwrap());
        fs::write(role.0.join("sent"), b"rows").unwrap();
        let of_role = role.0.clone();
        drop(role);
        assert!(!of_role.exists() && path.exists());
        drop(keep);
        assert!(!path.exists());
    }
}
