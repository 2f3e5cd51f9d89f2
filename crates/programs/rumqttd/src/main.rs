//! `wiredyno-broker-rumqttd ADDRESS:PORT`: the MQTT broker rumqttd as a program, for machines without another: good enough for a
//! first look, not for comparison.
//!
//! Port 0 takes any free port. One line on standard output gives the address, as soon as a message has got through. It ends
//! when its standard input closes, if that is a pipe, so that it never outlives the program that started it.
//!
//! Limits: it never sets TCP_NODELAY, and it keeps the messages of each topic in a log of limited length, so that a
//! subscriber that falls far behind loses some.

mod health;

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, bail};
use nix::sys::stat::{SFlag, fstat};
use rumqttd::{Broker, Config, ConnectionSettings, RouterConfig, ServerSettings};
use wiredyno_transport_mqtt::dialect::BODY_LIMIT_BYTES;

/// Bytes of a segment of a topic's log; a message may be larger. A read takes a whole segment, so small ones
/// keep the memory small.
const SEGMENT_BYTES: usize = 1 << 20;

/// Segments of a topic's log.
const SEGMENTS: usize = 128;

const USAGE: &str = "usage: wiredyno-broker-rumqttd ADDRESS:PORT | --version";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, so that the end of a log has all of it.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until the broker ends, which happens only on an error.
fn run() -> Result<()> {
    let version = wiredyno_versions::of(env!("CARGO_PKG_NAME"), "rumqttd").unwrap_or("unknown");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [argument] = arguments.as_slice() else { bail!("{USAGE}") };
    if argument == "--version" {
        writeln!(io::stdout(), "rumqttd {version}")?;
        return Ok(());
    }
    let bind: SocketAddr =
        argument.parse().with_context(|| format!("`{argument}` is not an address; {USAGE}"))?;
    end_with_standard_input()?;
    // The library neither takes a listener nor reports its port, so the port is chosen beforehand.
    let address = TcpListener::bind(bind)
        .and_then(|listener| listener.local_addr())
        .with_context(|| format!("can't listen at {bind}: choose another port, or 0 for any"))?;
    let mut broker = Broker::new(config(address));
    let thread = thread::Builder::new()
        .name("broker".into())
        .spawn(move || broker.start().map_err(anyhow::Error::from))?;
    health::wait(address, &thread)?;
    writeln!(io::stdout(), "rumqttd {version} serves at {address}")?;
    match thread.join() {
        Ok(Ok(())) => bail!("the broker at {address} ended"),
        Ok(Err(error)) => Err(error.context(format!("the broker at {address} ended"))),
        Err(_) => bail!("the broker at {address} panicked"),
    }
}

/// Ends this process when standard input closes: the library can't be stopped. A terminal or `/dev/null` does not
/// belong to a parent, so it is ignored.
fn end_with_standard_input() -> Result<()> {
    let kind = SFlag::from_bits_truncate(fstat(io::stdin().as_fd())?.st_mode) & SFlag::S_IFMT;
    if kind != SFlag::S_IFIFO && kind != SFlag::S_IFSOCK {
        return Ok(());
    }
    thread::Builder::new().name("input".into()).spawn(|| {
        let mut input = io::stdin().lock();
        loop {
            match input.read(&mut [0; 64]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(1..) => {}
                Ok(0) | Err(_) => std::process::exit(0),
            }
        }
    })?;
    Ok(())
}

fn config(address: SocketAddr) -> Config {
    let settings = ServerSettings {
        name: "listener".into(),
        listen: address,
        tls: None,
        next_connection_delay_ms: 0,
        connections: ConnectionSettings {
            connection_timeout_ms: 60_000,
            max_payload_size: BODY_LIMIT_BYTES,
            max_inflight_count: 1_000,
            auth: None,
            external_auth: None,
            dynamic_filters: true,
        },
    };
    Config {
        router: RouterConfig {
            max_connections: 1_000,
            max_outgoing_packet_count: 200,
            max_segment_size: SEGMENT_BYTES,
            max_segment_count: SEGMENTS,
            ..RouterConfig::default()
        },
        v4: Some(HashMap::from([("1".to_owned(), settings)])),
        ..Config::default()
    }
}
