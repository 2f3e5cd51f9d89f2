//! What an agent keeps as long as it runs: the contents that coordinators have sent, by their digests, and the folders of its roles.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wiredyno_contract::Operation;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_process::scratch::Scratch;
use wiredyno_seats::allowed::{self, Allowed};
use wiredyno_seats::seat::files;

use super::limits::Limits;
use super::{Digest, is_digest};

/// The most bytes of contents that an agent keeps for later roles; those used last stay.
const MOST_BYTES: u64 = 2 << 30;

/// The mode of the files: the agent's user alone, who may start programs.
pub(super) const OWN: u32 = 0o700;

/// What an agent keeps as long as it runs: one folder, deleted at its end.
pub(crate) struct Keep {
    folder: Scratch,
    /// Digests and bytes of the contents, that used last at the end.
    contents: Mutex<Vec<(Digest, u64)>>,
    roles: AtomicU64,
    sandbox: Option<Sandbox>,
    allowed: Allowed,
    /// What each process that it starts may use.
    pub(super) limits: Limits,
}

/// What a program on this machine finds in its environment of that of the agent: what it needs to run at all, and nothing that could be a secret.
const KEPT: [&str; 9] =
    ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME", "LD_LIBRARY_PATH"];

/// The folder of a role, below the agent's; deleted on drop.
pub(super) struct RoleFolder(pub(super) PathBuf);

impl Drop for RoleFolder {
    fn drop(&mut self) {
        // What can't be deleted now goes with the agent's folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Keep {
    pub(crate) fn new(sandbox: Option<Sandbox>, allowed: Allowed, limits: Limits) -> io::Result<Self> {
        let folder = Scratch::new("agent-")?;
        fs::create_dir(folder.path().join("contents"))?;
        Ok(Keep { folder, contents: Mutex::default(), roles: AtomicU64::new(0), sandbox, allowed, limits })
    }

    /// Makes a program end with the agent, and keep its limits. Of the agent's environment it gets what any program needs; what the command sets stays.
    pub(super) fn bind(&self, command: &mut Command) {
        let sets = |name: &OsStr| command.get_envs().any(|(set, _)| set == name);
        let is_kept = |name: &OsStr| KEPT.iter().any(|kept| name == *kept) || sets(name);
        let others: Vec<OsString> =
            std::env::vars_os().map(|(name, _)| name).filter(|name| !is_kept(name)).collect();
        others.iter().for_each(|name| {
            command.env_remove(name);
        });
        self.sandbox.iter().for_each(|sandbox| sandbox.prepare(command));
        self.limits.bind(command);
    }

    /// Whether datagrams may go to another member, at an address of which its coordinator told us.
    pub(crate) fn may_probe(&self, peer: SocketAddr, coordinator: IpAddr) -> bool {
        let address = peer.ip().to_canonical();
        !self.allowed.is_written()
            || address == coordinator
            || allowed::is_own(address)
            || self.allowed.has(None, address, peer.port())
    }

    pub(super) fn of_role(&self) -> io::Result<RoleFolder> {
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
    pub(super) fn uses(&self, digest: &str) -> bool {
        let mut contents = self.contents();
        let Some(place) = contents.iter().position(|(one, _)| one == digest) else { return false };
        let used = contents.remove(place);
        contents.push(used);
        true
    }

    /// Forgets contents until there is room for this many more bytes. Roles that use them have them in folders of their own.
    pub(super) fn make_room(&self, bytes: u64) -> io::Result<()> {
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
    pub(super) fn take(&self, from: &Path, digest: &str, bytes: u64) -> io::Result<()> {
        let mut contents = self.contents();
        fs::rename(from, self.content(digest)?)?;
        contents.retain(|(one, _)| one != digest);
        contents.push((digest.to_owned(), bytes));
        Ok(())
    }

    /// Another name for a content, in the folder of a role.
    pub(super) fn link(&self, digest: &str, to: &Path) -> io::Result<()> {
        if !self.uses(digest) {
            return Err(io::Error::other("a content that was not sent, or not recently"));
        }
        match fs::hard_link(self.content(digest)?, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }
    }

    /// Whether a path is within the agent's folder, as it is written.
    pub(super) fn has(&self, path: &Path) -> bool {
        path.starts_with(self.folder.path()) && !path.components().any(|one| one == Component::ParentDir)
    }

    /// Where a request would connect, if that is neither on this machine nor its coordinator's, and the machine's operator has a list without it.
    pub(super) fn forbidden(&self, operation: &Operation, coordinator: IpAddr) -> Option<String> {
        let endpoint = match operation {
            Operation::Publish(publish) => &publish.client.endpoint,
            Operation::Subscribe(subscribe) if !subscribe.listen => &subscribe.client.endpoint,
            _ => return None,
        };
        if !self.allowed.is_written() {
            return None;
        }
        let may = |address: IpAddr| {
            address == coordinator
                || allowed::is_own(address)
                || self.allowed.has(None, address, endpoint.port)
        };
        let is_allowed = endpoint.host.parse().is_ok_and(may);
        (!is_allowed)
            .then(|| format!("{endpoint}: {} of this machine's operator does not have it", self.allowed))
    }

    /// The first file of a request that is not within the agent's folder.
    pub(super) fn foreign(&self, operation: &Operation) -> Option<String> {
        files::named(operation).into_iter().find(|file| !self.has(Path::new(file)))
    }
}

/// A content on its way into the folder.
pub(super) struct Sink {
    file: File,
    at: PathBuf,
    digest: Digest,
    so_far: ring::digest::Context,
}

impl Sink {
    pub(super) fn new(folder: &Path, digest: &str) -> io::Result<Self> {
        if !is_digest(digest) {
            return Err(io::Error::other("a content is named by its digest"));
        }
        let at = folder.join("arriving");
        let _ = fs::remove_file(&at);
        let file = OpenOptions::new().write(true).create_new(true).mode(OWN).open(&at)?;
        let so_far = ring::digest::Context::new(&ring::digest::SHA256);
        Ok(Sink { file, at, digest: digest.to_owned(), so_far })
    }

    pub(super) fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.so_far.update(piece);
        self.file.write_all(piece)
    }

    /// The file, complete.
    pub(super) fn end(self) -> io::Result<PathBuf> {
        if hex::encode(self.so_far.finish()) != self.digest {
            return Err(io::Error::other("what arrived has a different digest than announced"));
        }
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
    fn a_program_gets_nothing_of_the_agents_environment_that_it_does_not_need() {
        let keep = Keep::new(None, Allowed::default(), Limits::default()).unwrap();
        let mut command = Command::new("env");
        command.env("CARGO_PKG_NAME", "set");
        keep.bind(&mut command);
        let text = String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned();
        let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert!(text.contains("CARGO_PKG_NAME=set") && names.contains(&"PATH"), "{text}");
        let others = names.iter().filter(|name| **name != "CARGO_PKG_NAME" && !KEPT.contains(name));
        assert_eq!(others.count(), 0, "{text}");
    }

    #[test]
    fn a_content_is_what_its_digest_says_and_nothing_else_is_kept() {
        let keep = Arc::new(Keep::new(None, Allowed::default(), Limits::default()).unwrap());
        let right = digest(b"samples");
        kept(&keep, b"samples", &right).unwrap();
        let wrong = kept(&keep, b"other samples", &right).unwrap_err().to_string();
        assert!(wrong.contains("a different digest"), "{wrong}");
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
        let keep = Keep::new(None, Allowed::default(), Limits::default()).unwrap();
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
        let keep = Keep::new(None, Allowed::default(), Limits::default()).unwrap();
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
    fn all_that_an_agent_keeps_goes_with_it() {
        let keep = Arc::new(Keep::new(None, Allowed::default(), Limits::default()).unwrap());
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
