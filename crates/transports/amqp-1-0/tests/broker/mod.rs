//! A real broker of `brokers/qpid`, started as its `broker.toml` says: once for all tests of a program.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stand::LIMIT;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../brokers/qpid")
}

/// Whether a program is on PATH.
fn found(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|path| path.join(program).is_file())
}

/// The folder of its jars, those that SHA256SUMS names and no others; fetched by Maven where they are not there yet.
///
/// # Errors
/// Why there are none, and what to do.
pub fn library() -> Result<PathBuf, String> {
    if !found("java") {
        return Err("java is not installed: apt-get install default-jre-headless".into());
    }
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("qpid");
    let sums = std::fs::read_to_string(folder().join("SHA256SUMS")).unwrap();
    let complete = || {
        let checked = Command::new("sha256sum")
            .args(["--check", "--strict", "--status"])
            .arg(folder().join("SHA256SUMS"))
            .current_dir(&library)
            .stderr(Stdio::null())
            .status();
        let files = std::fs::read_dir(&library).map(Iterator::count);
        checked.is_ok_and(|status| status.success()) && files.is_ok_and(|count| count == sums.lines().count())
    };
    if library.is_dir() && complete() {
        return Ok(library);
    }
    if !found("mvn") {
        return Err("its jars are not there and Maven is not installed: apt-get install maven".into());
    }
    let _ = std::fs::remove_dir_all(&library);
    let fetched = Command::new("mvn")
        .args(["-q", "-B", "-f"])
        .arg(folder().join("pom.xml"))
        .arg("dependency:copy-dependencies")
        .arg(format!("-DoutputDirectory={}", library.display()))
        .stdout(Stdio::null())
        .status();
    match fetched {
        Ok(status) if !status.success() => Err("Maven could not fetch its jars".into()),
        Ok(_) if complete() => Ok(library),
        Ok(_) => panic!("Maven fetched other jars than SHA256SUMS names"),
        Err(error) => Err(format!("Maven could not be started: {error}")),
    }
}

/// Killed when dropped, whatever happens.
pub struct Qpid {
    child: Child,
    pub address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Qpid {
    pub fn start(library: &Path) -> Qpid {
        let definition = std::fs::read_to_string(folder().join("broker.toml")).unwrap();
        let definition: toml::Table = definition.parse().unwrap();
        let own = tempfile::tempdir().unwrap();
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let values = HashMap::from([
            ("{library}", library.display().to_string()),
            ("{folder}", own.path().display().to_string()),
            ("{address}", address.ip().to_string()),
            ("{port.amqp}", address.port().to_string()),
        ]);
        let fill =
            |text: &str| values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        let texts = |key: &str| -> Vec<String> {
            let array = definition[key].as_array().unwrap();
            array.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        for file in texts("files") {
            let template = std::fs::read_to_string(folder().join(&file)).unwrap();
            std::fs::write(own.path().join(&file), fill(&template)).unwrap();
        }
        let environment = definition["environment"].as_table().unwrap();
        let child = Command::new(definition["program"].as_str().unwrap())
            .args(texts("arguments").iter().map(|argument| fill(argument)))
            .envs(environment.iter().map(|(name, value)| (name, fill(value.as_str().unwrap()))))
            .current_dir(own.path())
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(own.path().join("log")).unwrap())
            .stderr(Stdio::inherit())
            .process_group(0)
            .spawn()
            .unwrap();
        let qpid = Qpid { child, address, folder: own };
        let until = Instant::now() + 3 * LIMIT;
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < until, "Qpid does not open its port: {}", qpid.log());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        qpid
    }

    /// What it has printed so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Stops all its threads, as a machine that hangs, or lets them go on.
    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }
}

impl Drop for Qpid {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
