//! A broker of a few lines of Python goes through everything that a broker.toml can declare.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use wiredyno_brokers::{BrokerFolder, BrokerProcess, Place, Secured, StartError};
use wiredyno_process::port::HeldPort;

/// Prints its configuration, starts a daemon that leaves its session, listens on the given ports, and serves until it ends.
const PROGRAM: &str = r#"
import os, signal, socket, subprocess, sys, time
told = open(sys.argv[1]).read()
print("told", told, os.environ["TOY"], flush=True)
if "silent" in told: time.sleep(1000)
if "ends" in told: sys.exit("no room left")
subprocess.Popen(["sleep", "1000"], start_new_session=True, close_fds=True)
def end(*_):
    open("ended", "w").write("well")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
sockets = [socket.create_server((sys.argv[2], int(port))) for port in sys.argv[3:]]
while True: time.sleep(1000)
"#;

const TOML: &str = r#"
id = "toy"
about = "a toy"
protocols = ["mqtt"]
program = "python3"
arguments = ["{folder}/toy.py", "{folder}/toy.conf", "{address}", "{port}", "{port.peers}"]
environment = { TOY = "{node} of {list.all}" }
files = ["toy.py", "toy.conf"]
ports = ["clients", "peers"]
nodes = [1, 2]
[lists]
all = "{node}@{address}"
[[prepare]]
program = "sh"
arguments = ["-c", "echo prepared $TOY > {folder}/prepared"]
[ready]
listens = ["clients", "peers"]
patience = "30s"
[stop]
signal = "TERM"
patience = "30s"
[version]
arguments = ["-c", "print('toy 1.2')"]
prefix = "toy"
[install]
command = "make toy"
"#;

struct Desk(tempfile::TempDir);

impl Desk {
    /// A folder of the broker with this configuration and a changed broker.toml.
    fn new(configuration: &str, change: impl Fn(&str) -> String) -> (Desk, BrokerFolder) {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("toy");
        std::fs::create_dir(&folder).unwrap();
        for (file, text) in
            [("broker.toml", change(TOML).as_str()), ("toy.py", PROGRAM), ("toy.conf", configuration)]
        {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let folder = BrokerFolder::read(&folder).unwrap();
        (Desk(desk), folder)
    }

    fn work(&self) -> std::path::PathBuf {
        self.0.path().join("work")
    }

    fn start(
        &self,
        folder: &BrokerFolder,
        nodes: u32,
        interrupted: bool,
    ) -> Result<BrokerProcess, StartError> {
        let work = self.work();
        folder.start(
            nodes,
            "1.2",
            &mut Place {
                folder: &work,
                address: "127.0.0.1",
                library: None,
                secured: Secured::OPEN,
                free_port: &mut free_port,
                enter: &mut |_: &mut Command| {},
                interrupted: &|| interrupted,
            },
        )
    }
}

/// A port that no other test gets until this program ends.
fn free_port() -> std::io::Result<u16> {
    static HELD: Mutex<Vec<HeldPort>> = Mutex::new(Vec::new());
    let port = HeldPort::at(Ipv4Addr::LOCALHOST.into())?;
    let number = port.number();
    HELD.lock().unwrap().push(port);
    Ok(number)
}

/// Processes whose working directory is below a folder.
fn living_in(folder: &Path) -> BTreeSet<String> {
    let mut living = BTreeSet::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        if std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder)) {
            living.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    living
}

#[test]
fn nodes_are_prepared_told_of_each_other_and_end_with_their_daemons() {
    let (desk, folder) = Desk::new("{node}", str::to_owned);
    let mut process = desk.start(&folder, 2, false).unwrap();
    assert!(TcpStream::connect((process.endpoint.host.as_str(), process.endpoint.port)).is_ok());
    assert_eq!(process.ended(), None);
    for node in ["1", "2"] {
        let read = |file: &str| std::fs::read_to_string(desk.work().join(node).join(file)).unwrap();
        let environment = format!("{node} of 1@127.0.0.1,2@127.0.0.1");
        assert_eq!(read("prepared"), format!("prepared {environment}\n"));
        assert_eq!(read("toy.log"), format!("told {node} {environment}\n"));
    }
    // Two programs and two daemons, which belong to the broker although they left its session.
    assert_eq!(living_in(&desk.work()).len(), 4);
    let listening = process.sockets().iter().filter(|socket| socket.listening).count();
    assert_eq!(listening, 4);
    assert_eq!(process.stop(), Vec::<u32>::new());
    assert_eq!(living_in(&desk.work()), BTreeSet::new());
    assert_eq!(std::fs::read_to_string(desk.work().join("2/ended")).unwrap(), "well", "it was asked first");
}

#[test]
fn one_that_ends_or_never_listens_is_told_with_what_it_said_and_leaves_nothing() {
    let (desk, folder) = Desk::new("ends", str::to_owned);
    let error = desk.start(&folder, 1, false).err().unwrap().to_string();
    assert!(error.contains("ended before it was ready") && error.contains("no room left"), "{error}");
    let (desk, folder) =
        Desk::new("silent", |toml| toml.replacen("patience = \"30s\"", "patience = \"1s\"", 1));
    let error = desk.start(&folder, 1, false).err().unwrap().to_string();
    assert!(error.contains("within 1 s") && error.contains("told silent"), "{error}");
    assert_eq!(living_in(&desk.work()), BTreeSet::new());
    let (desk, folder) =
        Desk::new("fine", |toml| toml.replace("echo prepared", "echo 'no space' >&2; exit 1; echo"));
    let error = desk.start(&folder, 1, false).err().unwrap().to_string();
    assert!(error.contains("could not be prepared by `sh`") && error.contains("no space"), "{error}");
}

#[test]
fn an_interruption_ends_a_start() {
    let (desk, folder) = Desk::new("silent", str::to_owned);
    assert!(matches!(desk.start(&folder, 1, true).err().unwrap(), StartError::Interrupted));
    assert_eq!(living_in(&desk.work()), BTreeSet::new());
}

#[test]
fn one_that_is_killed_from_outside_is_told() {
    let (desk, folder) = Desk::new("fine", str::to_owned);
    let mut process = desk.start(&folder, 1, false).unwrap();
    let pid = process.pids()[0];
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    let told = loop {
        if let Some(told) = process.ended() {
            break told;
        }
        std::thread::yield_now();
    };
    assert!(told.contains("`toy` ended in the middle of the trial (signal: 9"), "{told}");
    drop(process);
    assert_eq!(living_in(&desk.work()), BTreeSet::new(), "its daemon ends with it");
}

#[test]
fn one_that_is_started_again_has_its_folder_and_its_ports_and_is_not_prepared_anew() {
    let (desk, folder) = Desk::new("{node}", |toml| toml.replace("prepared $TOY >", "prepared >>"));
    let mut process = desk.start(&folder, 2, false).unwrap();
    let (endpoint, peers, folders) = (process.endpoint.clone(), process.port("peers"), process.folders());
    assert_eq!(folders, ["1", "2"].map(|node| desk.work().join(node)));
    assert!(peers.is_some() && process.port("nobody").is_none());
    let before = process.processes();
    // The first is dead when the restart begins, the other lives.
    assert!(Command::new("kill").args(["-9", &process.pids()[0].to_string()]).status().unwrap().success());
    process.restart(&mut |_: &mut Command| {}, &|| false).unwrap();
    assert_eq!(
        (process.endpoint.clone(), process.port("peers"), process.folders()),
        (endpoint, peers, folders)
    );
    assert!(TcpStream::connect((process.endpoint.host.as_str(), process.endpoint.port)).is_ok());
    assert!(process.processes().is_disjoint(&before) && process.processes().len() == 4);
    assert_eq!(living_in(&desk.work()).len(), 4, "nothing of the first start is left");
    let read = |file: &str| std::fs::read_to_string(desk.work().join("1").join(file)).unwrap();
    assert_eq!(read("prepared"), "prepared\n");
    let told = "told 1 1 of 1@127.0.0.1,2@127.0.0.1\n";
    assert_eq!(read("toy.log"), told.repeat(2), "what it said first stays");
    let mut asked = process.command("sh", &["-c", "echo $TOY {port.peers}; pwd"]).unwrap();
    let said = String::from_utf8(asked.output().unwrap().stdout).unwrap();
    let place = desk.work().join("1").canonicalize().unwrap();
    assert_eq!(said, format!("1 of 1@127.0.0.1,2@127.0.0.1 {}\n{}\n", peers.unwrap(), place.display()));
    // If it can't serve again, nothing is left.
    std::fs::write(desk.work().join("1/toy.conf"), "ends").unwrap();
    let error = process.restart(&mut |_: &mut Command| {}, &|| false).unwrap_err().to_string();
    assert!(error.contains("ended before it was ready"), "{error}");
    assert_eq!(living_in(&desk.work()), BTreeSet::new());
}
