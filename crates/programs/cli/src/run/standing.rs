//! A fleet that stays: `wiredyno fleet up FILE` keeps in `FILE.up` what it takes to be its coordinator again, and runs with the same file use it.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use wiredyno_agents::{Coordinator, CoordinatorError, Kept};
use wiredyno_fleet::{Record, Up};
use wiredyno_seats::interrupt::Interrupt;

use super::held::{Held, Holding, own};
use super::whereabouts::Whereabouts;

/// More than any fleet's has, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// What is kept of a fleet. It is a secret: who has it can be the coordinator of its agents.
#[derive(Clone, Serialize, Deserialize)]
pub struct Standing {
    /// The version of the program that its agents are.
    version: String,
    /// Where its agents look for their coordinator.
    listen: SocketAddr,
    coordinator: Kept,
    engine: Record,
    /// Where it was brought up; older programs did not say it.
    #[serde(default)]
    at: Option<Whereabouts>,
}

impl std::fmt::Debug for Standing {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "a fleet of version {} at {}", self.version, self.listen)
    }
}

impl Standing {
    pub fn new(listen: SocketAddr, coordinator: Kept, engine: Record) -> Self {
        let (version, at) = (env!("CARGO_PKG_VERSION").to_owned(), Some(Whereabouts::here()));
        Standing { version, listen, coordinator, engine, at }
    }

    /// Where it is kept, beside the file of its fleet.
    pub fn path(file: &Path) -> PathBuf {
        let mut name = file.as_os_str().to_owned();
        name.push(".up");
        PathBuf::from(name)
    }

    /// The fleet that is up for a file, if one is. What it says is carried out on machines, so it is only believed if nobody else can have written it.
    ///
    /// # Errors
    /// When it can't be read, could be somebody else's, or was brought up elsewhere; the error says what to do.
    pub fn read(file: &Path) -> anyhow::Result<Option<Self>> {
        let path = Self::path(file);
        let read = || -> anyhow::Result<Option<Self>> {
            let Some(file) = own(&path, false)? else { return Ok(None) };
            // Nobody brings it up any more.
            if file.metadata()?.len() == 0 && is_left(&path)? {
                return Ok(None);
            }
            Self::of(&file).map(Some)
        };
        read().with_context(|| path.display().to_string())
    }

    /// The same, held: no other command uses the fleet or takes it down as long as what is returned lives. Waits for a command that has it, for so long at most.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn hold(file: &Path, patience: Duration, interrupt: &Interrupt) -> anyhow::Result<Hold> {
        let path = Self::path(file);
        let hold = || -> anyhow::Result<Hold> {
            Ok(match Held::of(&path, patience, interrupt)? {
                Holding::Held(held) => Hold::Held(Box::new(Self::of(held.file())?), held),
                Holding::InUse => Hold::InUse,
                Holding::Missing => Hold::Missing,
            })
        };
        hold().with_context(|| path.display().to_string())
    }

    /// What a file says that only this user can have written.
    fn of(file: &File) -> anyhow::Result<Self> {
        let mut text = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut text)?;
        let standing = parsed(&text)?;
        if let Some(why) = standing.at.as_ref().and_then(|at| at.fault(&Whereabouts::here())) {
            return Err(anyhow!(why));
        }
        Up::again(&standing.engine)?.leave();
        Ok(standing)
    }

    /// Whether it says that it was brought up here: only then the port tells whether a run uses it.
    pub fn is_from_here(&self) -> bool {
        self.at.is_some()
    }

    /// What was brought up.
    pub fn engine(&self) -> &Record {
        &self.engine
    }

    /// Its coordinator, to which its agents come back, and for which they stay when it ends.
    pub fn coordinator(&self) -> anyhow::Result<Listening> {
        match Coordinator::again(self.listen, env!("CARGO_PKG_VERSION"), &self.coordinator) {
            Ok(coordinator) => Ok(Listening::There(coordinator)),
            Err(CoordinatorError::Listen { reason, .. }) if reason.kind() == ErrorKind::AddrInUse => {
                Ok(Listening::InUse(self.listen))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What the engine has of it; it stays.
    pub fn up(&self) -> anyhow::Result<Up> {
        let mut up = Up::again(&self.engine)?;
        up.leave();
        Ok(up)
    }
}

/// Whether a fleet that is up could be held.
pub enum Hold {
    Held(Box<Standing>, Held),
    /// Another command, such as a run, uses it.
    InUse,
    /// None is up.
    Missing,
}

/// Whether the coordinator of a fleet that is up could be had.
pub enum Listening {
    There(Coordinator),
    /// Another program has its port: whoever uses the fleet holds its file.
    InUse(SocketAddr),
}

impl Listening {
    /// The coordinator.
    ///
    /// # Errors
    /// When its port is in use.
    pub fn or_in_use(self) -> anyhow::Result<Coordinator> {
        match self {
            Listening::There(coordinator) => Ok(coordinator),
            Listening::InUse(address) => Err(anyhow!(
                "{address} is in use by another program, and the agents that are up look for this one there: end that program"
            )),
        }
    }
}

/// Says that another command uses a fleet.
pub fn in_use(file: &Path) -> anyhow::Error {
    anyhow!(
        "{}: the fleet that is up is in use by a run or another command: wait until that has ended, or end it",
        Standing::path(file).display()
    )
}

/// What is kept, from its text, of which an error shows nothing: it is a secret.
fn parsed(text: &[u8]) -> anyhow::Result<Standing> {
    const LEFT: &str = "what that has started may still be there: agents end by themselves when the time of --for has passed; then remove this file";
    if text.is_empty() {
        return Err(anyhow!(
            "a fleet is being brought up; if `wiredyno fleet up` was killed in the middle, {LEFT}"
        ));
    }
    #[derive(Deserialize)]
    struct Made {
        version: String,
    }
    let own = env!("CARGO_PKG_VERSION");
    match serde_json::from_slice::<Made>(text) {
        Ok(made) if made.version != own => {
            return Err(anyhow!(
                "the agents that are up are version {}, and this program is {own}: take them down with that one",
                made.version
            ));
        }
        _ => {}
    }
    serde_json::from_slice::<Standing>(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        anyhow!("it is not what `wiredyno fleet up` has written (line {line}, column {column}); {LEFT}")
    })
}

/// The place of a fleet that is not up yet: an empty file, which is removed again unless the fleet is kept in it. It is held as long as this lives.
#[derive(Debug)]
pub struct Reserved {
    held: Held,
    path: PathBuf,
    /// The file that is written before it takes that place.
    beside: PathBuf,
    is_kept: bool,
}

impl Reserved {
    /// Takes the place of a file's fleet.
    ///
    /// # Errors
    /// When it is taken, or can't be written.
    pub fn of(file: &Path) -> anyhow::Result<Self> {
        let path = Standing::path(file);
        let made = || match is_left(&path)? {
            true => Held::of(&path, Duration::ZERO, &Interrupt::default()),
            false => Held::made(&path).map(Holding::Held),
        };
        let held = made().with_context(|| format!("{}: a fleet would be kept there", path.display()))?;
        let Holding::Held(held) = held else {
            return Err(anyhow!("{}: another command brings this fleet up", path.display()));
        };
        Ok(Reserved { held, path, beside: beside(file), is_kept: false })
    }

    /// Keeps the fleet, all of it or nothing.
    pub fn keep(&mut self, standing: &Standing) -> anyhow::Result<()> {
        let text = serde_json::to_vec(standing)?;
        let write = || -> anyhow::Result<Held> {
            // One that a killed process has left: the place is ours alone.
            absent(&self.beside)?;
            let mut held = Held::made(&self.beside)?;
            held.file().write_all(&text)?;
            held.file().sync_all()?;
            held.replace(&self.held)?;
            // A file system that can't do it loses no more than a machine that fails now.
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
            Ok(held)
        };
        self.held = write().with_context(|| self.path.display().to_string())?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // It has a key; it is not there unless the fleet could not be kept.
        let _ = absent(&self.beside);
        if !self.is_kept {
            // It says nothing; whoever finds it is told what to do.
            let _ = self.held.remove();
        }
    }
}

/// Whether a file is the empty place of a fleet that nobody brings up any more: the command was killed in the middle. What it had started ends by itself.
fn is_left(path: &Path) -> anyhow::Result<bool> {
    Ok(match Held::of(path, Duration::ZERO, &Interrupt::default())? {
        Holding::Held(held) => held.file().metadata()?.len() == 0,
        Holding::Missing | Holding::InUse => false,
    })
}

/// Removes what is kept of a fleet that is down, from its place and beside it.
///
/// # Errors
/// When another fleet has that place by now, or it can't be removed.
pub fn forget(file: &Path, held: &Held) -> anyhow::Result<()> {
    let forget = || held.remove().and_then(|()| absent(&beside(file)));
    forget().with_context(|| Standing::path(file).display().to_string())
}

/// Where a fleet is written before it takes its place. It is a secret too: the name ends as that of its place, for which people have rules.
fn beside(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.with_file_name(format!(".{name}.new.up"))
}

/// Removes a file if there is one.
fn absent(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::net::TcpListener;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A fleet over ssh whose coordinator listens there, with these agents.
    pub(crate) fn with_agents(listen: SocketAddr, agents: &str) -> Standing {
        let coordinator =
            Coordinator::listen(SocketAddr::from(([127, 0, 0, 1], 0)), env!("CARGO_PKG_VERSION")).unwrap();
        // Nothing answers at that port.
        let ssh = format!(
            "{{\"ssh\": {{\"ssh\": {{\"machines\": [\"127.0.0.1\"], \"options\": [\"-p\", \"1\"]}}, \"agents\": {agents}}}}}"
        );
        Standing::new(listen, coordinator.kept(), serde_json::from_str(&ssh).unwrap())
    }

    /// One of no agent, at a port of this machine.
    fn standing(port: u16) -> Standing {
        with_agents(SocketAddr::from(([127, 0, 0, 1], port)), "[]")
    }

    fn fault(file: &Path) -> String {
        format!("{:#}", Standing::read(file).unwrap_err())
    }

    #[test]
    fn a_fleet_is_kept_whole_or_not_at_all() {
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("fleet.toml");
        assert!(Standing::read(&file).unwrap().is_none());
        let reserved = Reserved::of(&file).unwrap();
        assert!(fault(&file).contains("being brought up"), "{}", fault(&file));
        assert!(format!("{:#}", Reserved::of(&file).unwrap_err()).contains("File exists"));
        drop(reserved);
        assert!(!Standing::path(&file).exists());

        let mut reserved = Reserved::of(&file).unwrap();
        // Left by a process that was killed.
        std::fs::write(beside(&file), "x").unwrap();
        reserved.keep(&standing(9)).unwrap();
        drop(reserved);
        let path = Standing::path(&file);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(desk.path()).unwrap().count(), 1);
        assert_eq!(Standing::read(&file).unwrap().unwrap().listen.port(), 9);

        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() / 2]).unwrap();
        let told = fault(&file);
        assert!(told.contains("it is not what `wiredyno fleet up` has written (line 1,"), "{told}");
        assert!(told.contains("fleet.toml.up: ") && told.contains("then remove this file"), "{told}");
        std::fs::write(&path, text.replace("[\"127.0.0.1\"]", "[\"-oProxyCommand=x\"]")).unwrap();
        assert!(fault(&file).contains("is not a machine's name"), "{}", fault(&file));
        std::fs::write(&path, text.replace(env!("CARGO_PKG_VERSION"), "0.0.1")).unwrap();
        assert!(fault(&file).contains("are version 0.0.1"), "{}", fault(&file));
    }

    #[test]
    fn what_others_can_have_written_is_not_believed() {
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("fleet.toml");
        let path = Standing::path(&file);
        let other = desk.path().join("other");
        std::fs::write(&other, "{}").unwrap();
        symlink(&other, &path).unwrap();
        assert!(fault(&file).contains("it is a symbolic link"), "{}", fault(&file));
        std::fs::remove_file(&path).unwrap();
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
        assert!(fault(&file).contains("not a regular file"), "{}", fault(&file));
        std::fs::remove_file(&path).unwrap();
        Reserved::of(&file).unwrap().keep(&standing(9)).unwrap();
        for mode in [0o640, 0o602, 0o644] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(fault(&file).contains(&format!("(mode {mode:o})")), "{}", fault(&file));
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        Standing::read(&file).unwrap().unwrap();
        // Brought up on another machine, and by a program that did not say where.
        let mut elsewhere = standing(9);
        elsewhere.at = Some(Whereabouts::elsewhere());
        std::fs::write(&path, serde_json::to_vec(&elsewhere).unwrap()).unwrap();
        assert!(fault(&file).contains("on the machine login-2, and this is"), "{}", fault(&file));
        let text = String::from_utf8(serde_json::to_vec(&standing(9)).unwrap()).unwrap();
        let (before, _) = text.split_once(",\"at\":").unwrap();
        std::fs::write(&path, format!("{before}}}")).unwrap();
        assert!(!Standing::read(&file).unwrap().unwrap().is_from_here());
        // Only root can give it away.
        if std::os::unix::fs::chown(&path, Some(12345), None).is_ok() {
            assert!(fault(&file).contains("belongs to the user with the number 12345"), "{}", fault(&file));
        }
    }

    #[test]
    fn a_port_that_is_taken_is_told_from_one_that_can_not_be_had() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = standing(taken.local_addr().unwrap().port()).coordinator().unwrap();
        let told = there.or_in_use().err().unwrap().to_string();
        assert!(told.contains("is in use"), "{told}");
        // An address for documentation, which no machine has.
        let nowhere = Standing { listen: SocketAddr::from(([192, 0, 2, 1], 7411)), ..standing(0) };
        assert!(nowhere.coordinator().is_err());
    }
}
