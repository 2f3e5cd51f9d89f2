//! A real RabbitMQ, started as the folder `brokers/rabbitmq` says.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use toml::{Table, Value};

/// The longest that it may take to open its port.
const PATIENCE: Duration = Duration::from_secs(60);

const DEFINITION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../brokers/rabbitmq");

/// Killed when dropped, whatever happens.
pub struct Broker {
    child: Child,
    environment: BTreeMap<String, String>,
    distribution: u16,
    pub address: SocketAddr,
    pub folder: tempfile::TempDir,
}

fn definition() -> Table {
    let text = std::fs::read_to_string(Path::new(DEFINITION).join("broker.toml")).unwrap();
    text.parse().unwrap()
}

/// Its program, and whether it is installed.
pub fn program() -> (PathBuf, bool) {
    let program = PathBuf::from(definition()["program"].as_str().unwrap());
    let installed = program.is_file();
    (program, installed)
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

impl Broker {
    pub fn start() -> Broker {
        let definition = definition();
        let folder = tempfile::tempdir().unwrap();
        // Held together until both are known, so that they differ.
        let free = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let [address, distribution] = free.each_ref().map(|listener| listener.local_addr().unwrap());
        drop(free);
        let fill = |text: &str| {
            text.replace("{folder}", folder.path().to_str().unwrap())
                .replace("{address}", "127.0.0.1")
                .replace("{port.amqp}", &address.port().to_string())
                .replace("{port.distribution}", &distribution.port().to_string())
        };
        for file in texts(&definition["files"]) {
            let text = std::fs::read_to_string(Path::new(DEFINITION).join(file)).unwrap();
            std::fs::write(folder.path().join(file), fill(&text)).unwrap();
        }
        let environment = definition["environment"].as_table().unwrap();
        let environment: BTreeMap<String, String> =
            environment.iter().map(|(name, value)| (name.clone(), fill(value.as_str().unwrap()))).collect();
        let log = File::create(folder.path().join("log.txt")).unwrap();
        let child = Command::new(program().0)
            .args(texts(&definition["arguments"]).map(fill))
            .envs(&environment)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let distribution = distribution.port();
        let mut broker = Broker { child, environment, distribution, address, folder };
        broker.wait();
        broker
    }

    fn wait(&mut self) {
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(self.address).is_err() {
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none() && Instant::now() < until,
                "RabbitMQ does not open its port: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What it has said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log.txt")).unwrap_or_default()
    }

    /// What the broker's own tool answers; it is told the port that no epmd knows.
    pub fn ctl(&self, arguments: &[&str]) -> String {
        let node = format!("-start_epmd false -dist_listen false -erl_epmd_port {}", self.distribution);
        let output = Command::new(program().0.with_file_name("rabbitmqctl"))
            .args(["--silent", "--node", &self.environment["RABBITMQ_NODENAME"]])
            .args(arguments)
            .envs(&self.environment)
            .env("RABBITMQ_CTL_ERL_ARGS", node)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The processes that have its folder in their environment.
    pub fn processes(&self) -> Vec<String> {
        let folder = self.folder.path().to_str().unwrap().as_bytes();
        let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let has_it = |path: &PathBuf| {
            let environment = std::fs::read(path.join("environ")).unwrap_or_default();
            environment.windows(folder.len()).any(|window| window == folder)
        };
        let name = |path: PathBuf| std::fs::read_to_string(path.join("comm")).unwrap_or_default();
        entries.map(|entry| entry.path()).filter(has_it).map(name).collect()
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}
