//! A real mosquitto: a child process with a configuration of its own.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use wiredyno_transport::Server;

use crate::stand::LIMIT;

/// Killed when dropped, whatever happens.
pub struct Mosquitto {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, where Debian and others put it.
pub fn program() -> Option<&'static str> {
    ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"]
        .into_iter()
        .find(|path| std::path::Path::new(path).is_file())
}

/// Without limits on messages in flight: with its default of 20, mosquitto 2.0.11 acknowledges QoS 2 messages
/// beyond them and then never sends them on, which this test has shown.
pub fn start(program: &str) -> Mosquitto {
    start_with(program, "allow_anonymous true\nmax_inflight_messages 0\n")
}

/// With these lines in its configuration, which have to say who may connect.
pub fn start_with(program: &str, lines: &str) -> Mosquitto {
    let folder = tempfile::tempdir().unwrap();
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let config = folder.path().join("mosquitto.conf");
    // As root it would change to a user of its own without this; an ordinary user may not set it.
    let user = if nix::unistd::geteuid().is_root() { "user root\n" } else { "" };
    let text = format!(
        "listener {} 127.0.0.1\npersistence false\nset_tcp_nodelay true\nmax_queued_messages 0\n{user}{lines}",
        address.port()
    );
    std::fs::write(&config, text).unwrap();
    let child = Command::new(program)
        .arg("-c")
        .arg(&config)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mosquitto = Mosquitto { child, address, _folder: folder };
    let until = Instant::now() + LIMIT;
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < until, "mosquitto does not open its port");
        std::thread::yield_now();
    }
    mosquitto
}

impl Server for Mosquitto {
    fn address(&self) -> SocketAddr {
        self.address
    }
}
