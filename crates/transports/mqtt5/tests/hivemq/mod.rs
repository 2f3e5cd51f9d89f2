//! A real HiveMQ: a Java process started as its folder in `brokers/` says.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wiredyno_transport::Server;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../brokers/hivemq");

/// The variable that names the folder with its jars.
pub const LIBRARY: &str = "WIREDYNO_HIVEMQ_LIBRARY";

/// The longest that its start may take: on an idle machine it is 4 s.
const PATIENCE: Duration = Duration::from_secs(60);

/// Killed when dropped, whatever happens.
pub struct HiveMq {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Drop for HiveMq {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server for HiveMq {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The folder with its jars.
///
/// # Errors
/// What is missing on this machine.
pub fn library() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("java").is_file()) {
        return Err("java is not installed: apt-get install default-jre-headless".into());
    }
    let library = PathBuf::from(std::env::var_os(LIBRARY).unwrap_or_default());
    let jars = std::fs::read_dir(&library).into_iter().flatten().flatten();
    if jars.filter(|jar| jar.path().extension().is_some_and(|end| end == "jar")).count() == 0 {
        return Err(format!(
            "{LIBRARY} names no folder of jars: mvn -f brokers/hivemq/pom.xml dependency:copy-dependencies \
             -DoutputDirectory=FOLDER"
        ));
    }
    Ok(library)
}

pub fn start(library: &Path) -> HiveMq {
    let folder = tempfile::tempdir().unwrap();
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let fill = |text: &str| {
        text.replace("{folder}", folder.path().to_str().unwrap())
            .replace("{address}", &address.ip().to_string())
            .replace("{port}", &address.port().to_string())
            .replace("{library}", library.to_str().unwrap())
    };
    let read = |name: &str| std::fs::read_to_string(Path::new(FOLDER).join(name)).unwrap();
    let broker: toml::Table = read("broker.toml").parse().unwrap();
    let texts = |key: &str| broker[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    for name in texts("files") {
        std::fs::write(folder.path().join(name), fill(&read(name))).unwrap();
    }
    let environment = broker["environment"].as_table().unwrap().iter();
    let log = std::fs::File::create(folder.path().join("output")).unwrap();
    let child = Command::new(broker["program"].as_str().unwrap())
        .args(texts("arguments").map(fill))
        .envs(environment.map(|(name, value)| (name, fill(value.as_str().unwrap()))))
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut hivemq = HiveMq { child, address, _folder: folder };
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(address).is_err() {
        let output = || std::fs::read_to_string(hivemq._folder.path().join("output")).unwrap();
        assert!(hivemq.child.try_wait().unwrap().is_none(), "HiveMQ has ended: {}", output());
        assert!(Instant::now() < until, "HiveMQ does not open its port: {}", output());
        std::thread::sleep(Duration::from_millis(100));
    }
    hivemq
}
