//! A fleet that stays: `wiredyno fleet up FILE` keeps in `FILE.up` what it takes to be its coordinator again, and runs with the same file use it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};
use wiredyno_agents::{Coordinator, CoordinatorError, Kept};
use wiredyno_fleet::{Record, Up};

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
}

impl std::fmt::Debug for Standing {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "a fleet of version {} at {}", self.version, self.listen)
    }
}

impl Standing {
    pub fn new(listen: SocketAddr, coordinator: Kept, engine: Record) -> Self {
        Standing { version: env!("CARGO_PKG_VERSION").to_owned(), listen, coordinator, engine }
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
    /// When it can't be read, or could be somebody else's; the error says what to do.
    pub fn read(file: &Path) -> anyhow::Result<Option<Self>> {
        let path = Self::path(file);
        let read = || -> anyhow::Result<Option<Self>> {
            let Some(text) = own(&path)? else { return Ok(None) };
            let standing = parsed(&text)?;
            Up::again(&standing.engine)?.leave();
            Ok(Some(standing))
        };
        read().with_context(|| path.display().to_string())
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

/// Whether the coordinator of a fleet that is up could be had.
pub enum Listening {
    There(Coordinator),
    /// A run, or another program, has its port.
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
            Listening::InUse(address) => Err(in_use(address)),
        }
    }
}

/// Says that the port of a fleet is in use.
pub fn in_use(address: SocketAddr) -> anyhow::Error {
    anyhow!(
        "{address} is in use: a run uses the fleet that is up, or another program listens there; wait until it has ended, or end it"
    )
}

/// The text of a file that only this user can have written; `None` if there is none.
fn own(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let how = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let file = match OpenOptions::new().read(true).custom_flags(how.bits()).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(nix::libc::ELOOP) => {
            return Err(anyhow!(
                "it is a symbolic link, and `wiredyno fleet up` makes none: remove it, and name the file to which it leads"
            ));
        }
        opened => opened?,
    };
    let of = file.metadata()?;
    if !of.is_file() {
        return Err(anyhow!("it is not a regular file, and `wiredyno fleet up` makes no other: remove it"));
    }
    if of.uid() != nix::unistd::geteuid().as_raw() {
        return Err(anyhow!(
            "it belongs to the user with the number {}: take that fleet down as that user, or remove it; what it says would be carried out on machines as you",
            of.uid()
        ));
    }
    if of.mode() & 0o077 != 0 {
        return Err(anyhow!(
            "others may read or change it (mode {:o}): who has read it can start programs on the fleet's machines. If you trust them, write: chmod 600 {}; otherwise end the fleet's agents and remove it",
            of.mode() & 0o777,
            path.display()
        ));
    }
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(Some(text))
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

/// The place of a fleet that is not up yet: an empty file, which is removed again unless the fleet is kept in it.
#[derive(Debug)]
pub struct Reserved {
    path: PathBuf,
    is_kept: bool,
}

impl Reserved {
    /// Takes the place of a file's fleet.
    ///
    /// # Errors
    /// When it is taken, or can't be written.
    pub fn of(file: &Path) -> anyhow::Result<Self> {
        let path = Standing::path(file);
        made(&path).with_context(|| format!("{}: a fleet would be kept there", path.display()))?;
        Ok(Reserved { path, is_kept: false })
    }

    /// Keeps the fleet, all of it or nothing.
    pub fn keep(&mut self, standing: &Standing) -> anyhow::Result<()> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".new");
        let beside = PathBuf::from(name);
        let text = serde_json::to_vec(standing)?;
        let write = || -> io::Result<()> {
            // One that a killed process has left: the place is ours alone.
            match std::fs::remove_file(&beside) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = made(&beside)?;
            file.write_all(&text)?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)?;
            // A file system that can't do it loses no more than a machine that fails now.
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
            Ok(())
        };
        let written = write().inspect_err(|_| drop(std::fs::remove_file(&beside)));
        written.with_context(|| self.path.display().to_string())?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if !self.is_kept {
            // It says nothing; whoever finds it is told what to do.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A file that was not there, and that only its user may read.
fn made(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
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
        std::fs::write(desk.path().join("fleet.toml.up.new"), "x").unwrap();
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
