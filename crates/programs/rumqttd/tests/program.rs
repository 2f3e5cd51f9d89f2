//! The broker as its users start it: a child process that chooses its port.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use wiredyno_transport_mqtt::TRANSPORT;
use wiredyno_transport_stand::reaches_all_subscribers;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_wiredyno-broker-rumqttd"))
}

/// A running broker, killed when dropped.
struct Broker {
    child: Child,
    /// Kept open while the broker should serve.
    input: Option<ChildStdin>,
    address: SocketAddr,
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(input: Stdio) -> Broker {
    let mut child = program().arg("127.0.0.1:0").stdin(input).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    Broker { input: child.stdin.take(), child, address }
}

fn failed(argument: &str) -> String {
    let Output { status, stdout, stderr } = program().arg(argument).output().unwrap();
    assert!(!status.success() && stdout.is_empty());
    String::from_utf8(stderr).unwrap()
}

#[test]
fn a_message_goes_to_all_subscribers_from_all_publishers() {
    // Without a pipe it serves until it is killed.
    let broker = start(Stdio::null());
    reaches_all_subscribers(TRANSPORT, Some("qos1"), broker.address, "test", 1);
}

#[test]
fn it_ends_when_its_standard_input_closes() {
    let mut broker = start(Stdio::piped());
    assert!(matches!(broker.child.try_wait(), Ok(None)));
    drop(broker.input.take());
    assert!(broker.child.wait().unwrap().success());
}

#[test]
fn a_taken_port_is_an_error_that_names_it() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = failed(&address);
    assert!(error.contains(&address), "{error}");
}

#[test]
fn what_is_no_address_is_refused_with_the_usage() {
    let error = failed("localhost");
    assert!(error.contains("`localhost` is not an address") && error.contains("ADDRESS:PORT"), "{error}");
}

#[test]
fn it_says_the_version_of_the_library() {
    let output = program().arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let version = text.strip_prefix("rumqttd ").unwrap();
    assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{text}");
}
