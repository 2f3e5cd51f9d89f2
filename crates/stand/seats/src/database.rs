//! PostgreSQL as a private child of a run: it holds records for publishers, and the timings of messages.
//!
//! It has its own folder, Unix socket and database, listens on no network, and ends with the run: by request (SIGINT, its fast
//! shutdown) when this is dropped, killed if it does not comply, and by the sandbox in any case. Its data need not survive, so
//! it neither syncs nor vacuums (`fsync`, `synchronous_commit`, `full_page_writes` and `autovacuum` off).
//!
//! The server refuses to run as root. If this program is root, the server runs as the user that Debian's package created; inside a user
//! namespace whose root is another user outside, in a nested namespace where it is user 1000.
//!
//! Limits: a killed server leaves a System V segment and objects in /dev/shm, as PostgreSQL always does. One file because a server,
//! its tables and its users only make sense together.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, User, geteuid};
use wiredyno_contract::RecordSource;
use wiredyno_contract::samples::Samples;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::trial::MessageRecord;
use wiredyno_model::{Lack, Remedy};
use wiredyno_process::group::reap;
use wiredyno_process::patience::Patience;
use wiredyno_process::scratch::Scratch;
use wiredyno_process::tree::Tree;
use wiredyno_records::{RecordsError, Timing, TimingsWriter};

use crate::interrupt::Interrupt;

/// Where Debian installs the programs of each version, in a folder with its number.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The user that Debian's package creates for it.
const PACKAGES_USER: &str = "postgres";

/// The database role of all connections.
const ROLE: &str = "wiredyno";

/// Only part of the socket's name.
const PORT: u16 = 5432;

/// The data need not survive a crash, so they are written without syncing.
const SETTINGS: [&str; 7] = [
    "listen_addresses=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    // Tables are filled in the transaction that creates them, without a log of their rows.
    "wal_level=minimal",
    "max_wal_senders=0",
];

/// How long the server may take to answer, and how long to shut down.
const STARTING: Duration = Duration::from_secs(30);
const ENDING: Duration = Duration::from_secs(5);

/// How often both are checked.
const LOOK: Duration = Duration::from_millis(10);

/// The name of the table of timings.
const TIMINGS_TABLE: &str = "timings";

/// Why a database can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// PostgreSQL is not installed.
    #[error("{}", self.lack())]
    Missing,
    /// This program is root, and there is no other user to run it as.
    #[error("{}", self.lack())]
    NoUser,
    /// A system call or a program failed.
    #[error("PostgreSQL: {what}: {source}")]
    Io {
        /// What was to be done or accessed, in words.
        what: &'static str,
        /// The system's error for that step.
        source: io::Error,
    },
    /// It ended, or did not start.
    #[error("PostgreSQL {what}{said}")]
    NotReady {
        /// What happened, as a predicate: `does not answer after 30 s`.
        what: String,
        /// The last line of its log, with a leading separator; empty if there is none.
        said: String,
    },
    /// A table can't be created, filled or read.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The samples for a table can't be read.
    #[error("the samples {path} can't be read: {source}")]
    Samples {
        /// The path of the samples' file.
        path: PathBuf,
        /// The system's error for this path.
        source: io::Error,
    },
    /// The user interrupted the run.
    #[error("interrupted")]
    Interrupted,
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> DatabaseError {
    move |source| DatabaseError::Io { what, source }
}

/// The folder of the newest version's programs; `None` if none is installed.
fn programs() -> Option<PathBuf> {
    let number = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = fs::read_dir(VERSIONS).ok()?.flatten().map(|entry| entry.path());
    let with_number = versions.filter_map(|path| Some((number(&path)?, path.join("bin"))));
    let whole = with_number.filter(|(_, bin)| bin.join("postgres").exists() && bin.join("initdb").exists());
    whole.max().map(|(_, bin)| bin)
}

/// Why this machine can't run it, with the command that helps; `None` if it can.
pub fn missing() -> Option<Lack> {
    match (programs(), As::of_this_program()) {
        (None, _) => Some(DatabaseError::Missing.lack()),
        (Some(_), Err(error)) => Some(error.lack()),
        (Some(_), Ok(_)) => None,
    }
}

impl DatabaseError {
    /// What is missing on this machine, and the command that installs it.
    fn lack(&self) -> Lack {
        let reason = match self {
            DatabaseError::Missing => {
                "PostgreSQL is not installed (no /usr/lib/postgresql/VERSION/bin/postgres)"
            }
            DatabaseError::NoUser => "PostgreSQL refuses to run as root, but there is no user `postgres`",
            other => return Lack::of(other.to_string()),
        };
        let remedy = Some(Remedy::command("sudo apt-get install postgresql"));
        Lack { reason: reason.to_owned(), remedy }
    }
}

/// Its version, as it reports it: `15.18 (Debian 15.18-0+deb12u1)`; empty if there is none.
pub fn version() -> String {
    let said = programs().and_then(|bin| Command::new(bin.join("postgres")).arg("--version").output().ok());
    let said = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned()).unwrap_or_default();
    said.trim().rsplit_once("(PostgreSQL) ").map(|(_, version)| version.to_owned()).unwrap_or_default()
}

/// The user that runs the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum As {
    /// The user of this program.
    Ourselves,
    /// Another user of this machine.
    Other { uid: u32, gid: u32 },
    /// Our own user outside, in a namespace of its own where it is not root.
    Inside,
}

impl As {
    fn of_this_program() -> Result<Self, DatabaseError> {
        if !geteuid().is_root() {
            return Ok(As::Ourselves);
        }
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        if has_other_users(&map) {
            let user = User::from_name(PACKAGES_USER).ok().flatten().ok_or(DatabaseError::NoUser)?;
            return Ok(As::Other { uid: user.uid.as_raw(), gid: user.gid.as_raw() });
        }
        Ok(As::Inside)
    }

    /// A command run as that user.
    fn command(self, program: &Path) -> Command {
        match self {
            As::Ourselves => Command::new(program),
            As::Other { uid, gid } => {
                let mut command = Command::new(program);
                // Rust then clears the supplementary groups, which are root's.
                command.uid(uid).gid(gid);
                command
            }
            As::Inside => {
                let mut command = Command::new("unshare");
                command.args(["-U", "--map-user=1000", "--map-group=1000"]).arg(program);
                command
            }
        }
    }
}

/// Whether a user namespace maps more than one user (user_namespaces(7): lines of inside, outside, count).
fn has_other_users(uid_map: &str) -> bool {
    let counts = uid_map.lines().filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok());
    counts.sum::<u64>() > 1
}

/// A running server with its tables. Ended on drop.
pub struct Database {
    child: Child,
    tree: Tree,
    /// Each with the number of its records, by the files of samples from which they were filled.
    tables: BTreeMap<String, (String, u64)>,
    socket: PathBuf,
    _folder: Scratch,
}

impl Database {
    /// Starts a server with the tables for timings, and waits until it answers.
    ///
    /// # Errors
    /// When it is not installed, does not start, or the user interrupts the run.
    pub fn start(sandbox: &Sandbox, interrupt: &Interrupt) -> Result<Self, DatabaseError> {
        let programs = programs().ok_or(DatabaseError::Missing)?;
        let whose = As::of_this_program()?;
        let folder = Scratch::new("database-").map_err(failed("no folder for the database"))?;
        let (data, socket) = (folder.path().join("data"), folder.path().join("socket"));
        for made in [&data, &socket] {
            fs::create_dir(made).map_err(failed("no folder for the database"))?;
        }
        fs::set_permissions(&data, Permissions::from_mode(0o700)).map_err(failed("its folder"))?;
        if let As::Other { uid, gid } = whose {
            let open = Permissions::from_mode(0o711);
            // Only searchable: other entries in these folders have their own permissions.
            for above in [folder.path().parent(), Some(folder.path())].into_iter().flatten() {
                fs::set_permissions(above, open.clone()).map_err(failed("its folder"))?;
            }
            for own in [&data, &socket] {
                chown(own, Some(uid), Some(gid)).map_err(failed("its folder"))?;
            }
        }
        let log = folder.path().join("log");
        let command = |program: &str| -> Result<Command, DatabaseError> {
            let said = File::options().create(true).append(true).open(&log).map_err(failed("its log"))?;
            let mut command = whose.command(&programs.join(program));
            command.arg("-D").arg(&data).current_dir("/").stdin(Stdio::null());
            command.stdout(said.try_clone().map_err(failed("its log"))?).stderr(said);
            Ok(command)
        };
        let mut make = command("initdb")?;
        make.args(["-A", "trust", "-U", ROLE, "-E", "UTF8", "--locale=C", "--no-sync", "-N"]);
        sandbox.prepare(&mut make);
        let made = make.status().map_err(failed("initdb"))?;
        if !made.success() {
            return Err(DatabaseError::NotReady {
                what: format!("could not create its data ({made})"),
                said: last_line(&log),
            });
        }
        let mut serve = command("postgres")?;
        serve.arg("-k").arg(&socket).arg("-p").arg(PORT.to_string());
        for setting in SETTINGS {
            serve.arg("-c").arg(setting);
        }
        let tree = Tree::mark(&mut serve);
        sandbox.prepare(&mut serve);
        // Ctrl-C on a terminal goes to the run, which ends this when its trials have ended.
        let child = serve.process_group(0).spawn().map_err(failed("postgres"))?;
        let tree = tree.rooted(child.id());
        let mut database = Database { child, tree, tables: BTreeMap::new(), socket, _folder: folder };
        database.await_ready(&log, interrupt)?;
        wiredyno_records::make_timings(&database.timings())?;
        Ok(database)
    }

    fn await_ready(&mut self, log: &Path, interrupt: &Interrupt) -> Result<(), DatabaseError> {
        let mut patience = Patience::of(STARTING);
        while !wiredyno_records::answers(&self.timings()) {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(DatabaseError::NotReady {
                    what: format!("ended during its start ({status})"),
                    said: last_line(log),
                });
            }
            if interrupt.is_set() {
                return Err(DatabaseError::Interrupted);
            }
            if patience.is_over() {
                let what = format!("does not answer after {} s", STARTING.as_secs());
                return Err(DatabaseError::NotReady { what, said: last_line(log) });
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    fn source(&self, table: &str) -> RecordSource {
        RecordSource {
            socket: self.socket.display().to_string(),
            port: PORT,
            user: ROLE.to_owned(),
            table: table.to_owned(),
        }
    }

    /// The table of timings, as runners address it.
    pub fn timings(&self) -> RecordSource {
        self.source(TIMINGS_TABLE)
    }

    /// Creates a table of the samples in a file, unless there is one.
    ///
    /// # Errors
    /// When the file can't be read or the database refuses.
    pub fn add(&mut self, samples: &str) -> Result<(), DatabaseError> {
        if self.tables.contains_key(samples) {
            return Ok(());
        }
        let unread = |source| DatabaseError::Samples { path: samples.into(), source };
        let table = format!("records_{}", self.tables.len());
        let values = Samples::open(Path::new(samples)).map_err(unread)?;
        let records = wiredyno_records::fill(&self.source(&table), values)?;
        self.tables.insert(samples.to_owned(), (table, records));
        Ok(())
    }

    /// The table that was filled from a file of samples, and how many records it has; `None` if it was not added.
    pub fn records(&self, samples: &str) -> Option<(RecordSource, u64)> {
        self.tables.get(samples).map(|(table, records)| (self.source(table), *records))
    }

    /// Takes the timings of the messages of one trial.
    pub fn timings_of(&self, trial: u32) -> Timings {
        Timings { trial, writer: TimingsWriter::begin(&self.timings()) }
    }
}

/// The timings of a trial's messages on their way into the database. They are kept once committed, and discarded on drop.
/// Errors are reported by [`commit`](Self::commit): they are not the trial's fault.
pub struct Timings {
    trial: u32,
    writer: Result<TimingsWriter, RecordsError>,
}

impl Timings {
    /// Adds the timings of the next message.
    pub fn add(&mut self, message: &MessageRecord) {
        let times_ns = [
            Some(message.intended_send_ns),
            Some(message.build_start_ns),
            Some(message.built_ns),
            Some(message.encoded_ns),
            message.sent_ns,
            message.acked_ns,
            message.received_ns,
            message.decoded_ns,
        ];
        let sequence = i64::try_from(message.sequence).unwrap_or(i64::MAX);
        let Ok(writer) = &mut self.writer else { return };
        if let Err(error) = writer.push(Timing { trial: self.trial.into(), sequence, times_ns }) {
            self.writer = Err(error);
        }
    }

    /// Commits them; returns how many.
    ///
    /// # Errors
    /// When the database refused some of them.
    pub fn commit(self) -> Result<u64, DatabaseError> {
        Ok(self.writer?.commit()?)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let mut patience = Patience::of(ENDING);
        // Only a child that has not been reaped is sure to have its process id still.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT);
        }
        while matches!(self.child.try_wait(), Ok(None)) && !patience.is_over() {
            std::thread::sleep(LOOK);
        }
        self.tree.kill();
        reap(&mut self.child);
    }
}

/// The last line of a log, with a leading separator; empty if it has none.
fn last_line(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!("; it said: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_with_one_user_has_no_others() {
        assert!(has_other_users("         0          0 4294967295\n"));
        assert!(!has_other_users("         0       1000          1\n"));
        assert!(!has_other_users(""));
    }

    #[test]
    fn the_last_line_of_a_log_is_told() {
        let desk = tempfile::tempdir().unwrap();
        let log = desk.path().join("log");
        assert_eq!(last_line(&log), "");
        fs::write(&log, "LOG: one\nFATAL: two\n\n").unwrap();
        assert_eq!(last_line(&log), "; it said: FATAL: two");
    }
}
