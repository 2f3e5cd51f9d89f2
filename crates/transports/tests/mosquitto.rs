//! MQTT against a real mosquitto: a child process with a configuration of its own.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod stand;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use stand::{LIMIT, carries_messages, settings};
use wiredyno_transports::REGISTRY;

/// Killed when dropped, whatever happens.
struct Mosquitto {
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
fn program() -> Option<&'static str> {
    ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"]
        .into_iter()
        .find(|path| std::path::Path::new(path).is_file())
}

/// Without limits on messages in flight: with its default of 20, mosquitto 2.0.11 acknowledges QoS 2 messages
/// beyond them and then never sends them on, which this test has shown.
fn start(program: &str) -> Mosquitto {
    let folder = tempfile::tempdir().unwrap();
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let config = folder.path().join("mosquitto.conf");
    // As root it would change to a user of its own without this; an ordinary user may not set it.
    let user = if nix::unistd::geteuid().is_root() { "user root\n" } else { "" };
    let text = format!(
        "listener {} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n\
         max_inflight_messages 0\nmax_queued_messages 0\n{user}",
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

fn mosquitto_carries_every_mqtt_setting(program: &str) {
    let mosquitto = start(program);
    for transport in REGISTRY.iter().filter(|t| t.description().id.protocol == "mqtt") {
        for setting in settings(*transport) {
            carries_messages(*transport, setting.as_deref(), mosquitto.address);
        }
    }
}

fn main() {
    let found = program();
    let reason =
        if found.is_none() { " [mosquitto is not installed: apt-get install mosquitto]" } else { "" };
    let name = format!("mosquitto_carries_every_mqtt_setting{reason}");
    let trial = libtest_mimic::Trial::test(name, move || {
        found.into_iter().for_each(mosquitto_carries_every_mqtt_setting);
        Ok(())
    });
    let arguments = libtest_mimic::Arguments::from_args();
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(found.is_none())]).exit();
}
