//! Brokers for tests: finding, changing, starting, disturbing and restarting them. Jars are kept in the cache of all tests.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wiredyno_brokers::{BrokerFolder, BrokerProcess, Place, Secured, all};
use wiredyno_build::Cache;
use wiredyno_process::port::HeldPort;

use crate::LIMIT;

/// Polling interval while a broker is being stopped or killed.
const LOOK: Duration = Duration::from_millis(5);

/// The project's root folder, from this crate.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The cache that the tests of all packages share.
pub(crate) fn cache() -> Cache {
    Cache::at(Path::new(PROJECT).join("target/test-cache/wiredyno"))
}

/// All brokers, preferred ones first. Their programs are also looked for next to the test program, where cargo puts those of the
/// project.
pub fn folders() -> Vec<BrokerFolder> {
    let mut folders = all().unwrap();
    folders.iter_mut().for_each(look_beside_tests);
    folders
}

fn look_beside_tests(folder: &mut BrokerFolder) {
    let own = std::env::current_exe().unwrap();
    // Test programs are in `deps/`.
    folder.broker.paths.extend(own.ancestors().nth(2).map(Path::to_owned));
}

/// The broker with this name; panics if there is none.
pub fn folder(name: &str) -> BrokerFolder {
    let found = folders().into_iter().find(|folder| folder.broker.id == name);
    found.unwrap_or_else(|| panic!("there is no broker `{name}`"))
}

/// The broker with this name, with one of its files changed, for cases that the unchanged folder doesn't cover.
pub fn changed(name: &str, file: &str, change: impl FnOnce(&str) -> String) -> BrokerFolder {
    let desk = tempfile::tempdir().unwrap();
    let copy = desk.path().join(name);
    std::fs::create_dir(&copy).unwrap();
    for entry in std::fs::read_dir(Path::new(PROJECT).join("brokers").join(name)).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    let (place, text) = (copy.join(file), std::fs::read_to_string(copy.join(file)).unwrap());
    let other = change(&text);
    assert_ne!(other, text, "{file} of {name} is not changed");
    std::fs::write(place, other).unwrap();
    let mut folder = BrokerFolder::read(&copy).unwrap();
    look_beside_tests(&mut folder);
    folder
}

/// A loopback port that no other program gets until this one ends.
///
/// # Errors
/// When no port is free.
pub fn free_port() -> std::io::Result<u16> {
    static HELD: Mutex<Vec<HeldPort>> = Mutex::new(Vec::new());
    let port = HeldPort::at(Ipv4Addr::LOCALHOST.into())?;
    let number = port.number();
    HELD.lock().unwrap().push(port);
    Ok(number)
}

/// A running broker in a folder of its own; stopped when dropped, even after a panic.
pub struct Broker {
    process: BrokerProcess,
    library: Option<PathBuf>,
    _folder: tempfile::TempDir,
}

impl Broker {
    /// Starts this many nodes; installs the broker's jars first if they are missing.
    ///
    /// # Errors
    /// Why it can't be installed or started, as text.
    pub fn start(folder: &BrokerFolder, nodes: u32) -> Result<Self, String> {
        Self::secured(folder, nodes, Secured::OPEN)
    }

    /// Like [`Broker::start`], secured as its folder describes.
    ///
    /// # Errors
    /// Why it can't be installed or started, as text.
    pub fn secured(folder: &BrokerFolder, nodes: u32, secured: Secured<'_>) -> Result<Self, String> {
        let cache = cache();
        if folder.library(&cache).is_some() && !folder.is_installed(&cache) {
            let installed = folder.install(&cache, &mut |_| {}, &|| false, &mut |_| {});
            installed.map_err(|error| format!("{error}; by hand: {}", folder.install_line()))?;
        }
        let version = folder.version(&cache).map_err(|error| error.to_string())?;
        let own = tempfile::tempdir().unwrap();
        let library = folder.library(&cache);
        let mut place = Place {
            folder: own.path(),
            address: "127.0.0.1",
            library: library.as_deref(),
            secured,
            free_port: &mut free_port,
            enter: &mut |_: &mut Command| {},
            interrupted: &|| false,
        };
        let process = folder.start(nodes, &version, &mut place).map_err(|error| error.to_string())?;
        Ok(Broker { process, library, _folder: own })
    }

    /// The folder of its jars; `None` for a broker that is not a Java program.
    pub fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }

    /// The address that clients connect to.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(Ipv4Addr::LOCALHOST.into(), self.process.endpoint.port)
    }

    /// Sends a signal to all its processes. Returns from SIGSTOP when all their threads are stopped, and from SIGKILL when all
    /// are gone.
    pub fn signal(&self, signal: Signal) {
        let processes = self.process.processes();
        for pid in &processes {
            // Processes that have just ended are not an error.
            let _ = kill(Pid::from_raw(i32::try_from(*pid).unwrap()), signal);
        }
        let done = || match signal {
            Signal::SIGSTOP => processes.iter().all(|pid| stands_still(*pid)),
            Signal::SIGKILL => self.process.processes().is_empty(),
            _ => true,
        };
        let until = Instant::now() + LIMIT;
        while !done() {
            assert!(Instant::now() < until, "{signal} has no effect on {:?}", self.process.processes());
            std::thread::sleep(LOOK);
        }
    }

    /// Starts it again in the same folder at the same ports, as after a crash.
    pub fn restart(&mut self) {
        let started = self.process.restart(&mut |_: &mut Command| {}, &|| false);
        started.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Whether a node has ended by itself, with its last output.
    pub fn ended(&mut self) -> Option<String> {
        self.process.ended()
    }
}

impl Deref for Broker {
    type Target = BrokerProcess;

    fn deref(&self) -> &BrokerProcess {
        &self.process
    }
}

/// Whether no thread of a process runs: all have state `T` (proc(5)), or the process has ended.
fn stands_still(pid: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let state = |text: String| Some(text.rsplit_once(')')?.1.trim_start().chars().next()? == 'T');
    let stands = |path: &Path| std::fs::read_to_string(path).ok().and_then(state).unwrap_or(true);
    threads.map(|thread| thread.path().join("stat")).all(|path| stands(&path))
}
