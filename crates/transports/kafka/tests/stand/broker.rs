//! Apache Kafka as `brokers/kafka` describes it, for these tests: as many nodes as are asked for, from jars that maven brings
//! once.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use toml::{Table, Value};

/// The longest that a start may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../brokers/kafka")
}

/// The folder of its jars, brought by maven at the first call and checked; or why it can't be had.
pub fn library() -> Result<PathBuf, String> {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kafka-jars");
    let sums = std::fs::canonicalize(folder().join("SHA256SUMS")).unwrap();
    let run = |command: &mut Command, what: &str| {
        let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{what}: {error}"))?;
        let words = String::from_utf8_lossy(&output.stdout).lines().next_back().unwrap_or("").to_owned();
        if output.status.success() { Ok(()) } else { Err(format!("{what}: {words}")) }
    };
    run(Command::new("java").arg("-version"), "java does not start")?;
    let check = || {
        std::fs::create_dir_all(&library).unwrap();
        let mut check = Command::new("sha256sum");
        run(check.args(["--check", "--quiet", "--strict"]).arg(&sums).current_dir(&library), "jars differ")
    };
    if check().is_ok() {
        return Ok(library);
    }
    let _ = std::fs::remove_dir_all(&library);
    let mut maven = Command::new("mvn");
    maven
        .args(["--quiet", "--batch-mode", "--color", "never", "--file"])
        .arg(folder().join("pom.xml"))
        .arg("dependency:copy-dependencies")
        .arg(format!("-DoutputDirectory={}", library.display()));
    run(&mut maven, "maven brings no jars")?;
    check().map(|()| library)
}

/// One process.
struct Node {
    child: Child,
    ports: Vec<(String, u16)>,
    values: Vec<(String, String)>,
}

/// A cluster; killed when dropped, whatever happens.
pub struct Kafka {
    nodes: Vec<Node>,
    folder: tempfile::TempDir,
}

impl Drop for Kafka {
    fn drop(&mut self) {
        for node in &mut self.nodes {
            let _ = node.child.kill();
            let _ = node.child.wait();
        }
    }
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect()
}

fn filled(text: &str, values: &[(String, String)]) -> String {
    let fill = |text: String, (name, value): &(String, String)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(text.to_owned(), fill)
}

/// Starts so many nodes and waits until each listens.
pub fn start(library: &Path, count: usize) -> Kafka {
    start_with(library, count, "")
}

/// The same with more lines in `server.properties`, of which the last of a name counts.
pub fn start_with(library: &Path, count: usize, lines: &str) -> Kafka {
    let broker: Table = std::fs::read_to_string(folder().join("broker.toml")).unwrap().parse().unwrap();
    let root = tempfile::tempdir().unwrap();
    let names = strings(&broker["ports"]);
    let place = |number: usize| {
        // All are held until each has one, so that none comes twice.
        let held: Vec<_> =
            names.iter().map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()).collect();
        let ports: Vec<_> = held.iter().map(|port| port.local_addr().unwrap().port()).collect();
        let mut values = vec![
            ("folder".to_owned(), root.path().join(number.to_string()).display().to_string()),
            ("library".to_owned(), library.display().to_string()),
            ("address".to_owned(), "127.0.0.1".to_owned()),
            ("node".to_owned(), number.to_string()),
        ];
        values
            .extend(names.iter().zip(&ports).map(|(name, port)| (format!("port.{name}"), port.to_string())));
        (held, names.iter().map(|name| (*name).to_owned()).zip(ports).collect::<Vec<_>>(), values)
    };
    let mut places: Vec<_> = (1..=count).map(place).collect();
    for (name, template) in broker["lists"].as_table().unwrap() {
        let items: Vec<_> =
            places.iter().map(|(_, _, values)| filled(template.as_str().unwrap(), values)).collect();
        for (_, _, values) in &mut places {
            values.push((format!("list.{name}"), items.join(",")));
        }
    }
    let nodes = places.into_iter().map(|(held, ports, values)| {
        drop(held);
        let own = PathBuf::from(&values[0].1);
        std::fs::create_dir(&own).unwrap();
        for file in strings(&broker["files"]) {
            let text = std::fs::read_to_string(folder().join(file)).unwrap();
            let more = if file == "server.properties" { lines } else { "" };
            std::fs::write(own.join(file), filled(&text, &values) + more).unwrap();
        }
        let log = File::create(own.join("log")).unwrap();
        let command = |step: &Table| {
            let mut command = Command::new(step["program"].as_str().unwrap());
            command.args(strings(&step["arguments"]).iter().map(|argument| filled(argument, &values)));
            let (log, errors) = (log.try_clone().unwrap(), log.try_clone().unwrap());
            command.stdin(Stdio::null()).stdout(log).stderr(errors);
            command
        };
        for step in broker["prepare"].as_array().unwrap() {
            let status = command(step.as_table().unwrap()).status().unwrap();
            assert!(status.success(), "{}", std::fs::read_to_string(own.join("log")).unwrap());
        }
        let child = command(&broker).spawn().unwrap();
        Node { child, ports, values }
    });
    let mut kafka = Kafka { nodes: nodes.collect(), folder: root };
    kafka.await_ports();
    kafka
}

impl Kafka {
    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(Ipv4Addr::LOCALHOST.into(), self.nodes[0].ports[0].1)
    }

    fn await_ports(&mut self) {
        let until = Instant::now() + PATIENCE;
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            let socket = format!("0100007F:{:04X} 00000000:0000 0A", node.ports[0].1);
            while !std::fs::read_to_string("/proc/net/tcp").unwrap().contains(&socket) {
                let log = Path::new(&node.values[0].1).join("log");
                let log = std::fs::read_to_string(log).unwrap();
                assert!(node.child.try_wait().unwrap().is_none() && Instant::now() < until, "{log}");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Sends a signal to a node, the first being 0; returns from SIGSTOP when all of its threads stand still.
    pub fn signal(&self, node: usize, signal: Signal) {
        let pid = Pid::from_raw(self.nodes[node].child.id().try_into().unwrap());
        kill(pid, signal).unwrap();
        if signal == Signal::SIGSTOP {
            assert_eq!(waitpid(pid, Some(WaitPidFlag::WUNTRACED)), Ok(WaitStatus::Stopped(pid, signal)));
        }
    }

    /// Waits until a node has ended.
    pub fn await_end(&mut self, node: usize) {
        self.nodes[node].child.wait().unwrap();
    }

    /// What a topic's partitions have on the disks of all nodes: the segments of its logs.
    pub fn segments(&self, topic: &str) -> Vec<Vec<u8>> {
        let of_node = |number: usize| self.folder.path().join(number.to_string()).join("data");
        let mut segments = Vec::new();
        for number in 1..=self.nodes.len() {
            for partition in std::fs::read_dir(of_node(number)).unwrap() {
                let partition = partition.unwrap();
                if !partition.file_name().to_string_lossy().starts_with(&format!("{topic}-")) {
                    continue;
                }
                for file in std::fs::read_dir(partition.path()).unwrap() {
                    let path = file.unwrap().path();
                    if path.extension().is_some_and(|kind| kind == "log") {
                        segments.push(std::fs::read(path).unwrap());
                    }
                }
            }
        }
        segments
    }
}
