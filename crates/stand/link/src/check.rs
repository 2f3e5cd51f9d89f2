//! Whether this machine can emulate links, why not, how to allow it, and its floor: what the link itself adds
//! to a round trip. `wiredyno link check`.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::accounting::LatenessSummary;
use crate::host::{Host, HostHandle, address};
use crate::lane::{Lane, LaneError};
use crate::model::Seeds;
use crate::sandbox::{Rights, Sandbox};
use crate::spec::LinkSpec;
use wiredyno_contract::Span;

const ECHOES: usize = 2_000;
const SHAPED_ECHOES: usize = 100;
const SHAPED_DELAY: Span = Span { ns: 5_000_000 };
/// Body of an echo, bytes.
const BODY_BYTES: usize = 100;

/// The result of `wiredyno link check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// What this machine allows, with remedies.
    pub rights: Rights,
    /// The measured floor; `None` if there can be no link.
    pub floor: Option<Floor>,
    /// What could not be set on the hosts and may matter.
    pub notes: Vec<String>,
}

/// What the link itself costs, by UDP echoes of 100 bytes, one at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Over loopback, without a link.
    pub loopback: RoundTrips,
    /// Over an unshaped link. The difference is what the link adds.
    pub link: RoundTrips,
    /// Over a link of 5 ms each way: the excess over 10 ms.
    pub shaped_excess: RoundTrips,
    /// How late packets of the shaped link were delivered.
    pub lateness: LatenessSummary,
}

/// Round trip times of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundTrips {
    /// How many echoes were measured.
    pub count: usize,
    /// The median round trip time, in nanoseconds.
    pub median_ns: u64,
    /// 99 in 100 took at most this.
    pub p99_ns: u64,
}

/// Why the floor could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The link could not be laid.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The UDP echo failed on one path.
    #[error("UDP echo over {path}: {source}; is the machine overloaded?")]
    Echo {
        /// The path that was measured.
        path: &'static str,
        /// The error that the operating system reported.
        source: io::Error,
    },
}

/// Measures; takes about two seconds. `program` is this program.
pub fn check(sandbox: &Sandbox, program: &Path) -> Result<CheckReport, CheckError> {
    let rights = sandbox.rights().clone();
    if rights.network_namespaces.is_err() {
        return Ok(CheckReport { rights, floor: None, notes: Vec::new() });
    }
    let echo = |path| move |source| CheckError::Echo { path, source };
    let lane = Lane::spawn(program, 0, sandbox)?;
    let (edge, cloud) = (lane.host(Host::Edge), lane.host(Host::Cloud));
    let loopback = echoes(&edge, &edge, Ipv4Addr::LOCALHOST, ECHOES).map_err(echo("loopback"))?;
    let link = echoes(&edge, &cloud, address(Host::Cloud), ECHOES).map_err(echo("an unshaped link"))?;
    let mut spec = LinkSpec::unshaped();
    (spec.up.delay, spec.down.delay) = (SHAPED_DELAY, SHAPED_DELAY);
    lane.lay(&spec, Seeds { packets: 1, conditions: 1 }, None)?;
    let shaped = echoes(&edge, &cloud, address(Host::Cloud), SHAPED_ECHOES)
        .map_err(echo("a link of 5 ms each way"))?;
    let excess = shaped.iter().map(|ns| ns.saturating_sub(2 * SHAPED_DELAY.ns)).collect();
    let floor = Floor {
        loopback: RoundTrips::of(loopback),
        link: RoundTrips::of(link),
        shaped_excess: RoundTrips::of(excess),
        lateness: lane.counters()?.lateness,
    };
    Ok(CheckReport { rights, floor: Some(floor), notes: lane.notes().to_vec() })
}

impl RoundTrips {
    fn of(mut times_ns: Vec<u64>) -> Self {
        times_ns.sort_unstable();
        let at = |share: f64| {
            let rank = (times_ns.len() as f64 * share).ceil() as usize;
            times_ns.get(rank.saturating_sub(1)).copied().unwrap_or(0)
        };
        Self { count: times_ns.len(), median_ns: at(0.5), p99_ns: at(0.99) }
    }
}

/// Round trip times of datagrams sent by a thread on one host and echoed by a thread on another.
fn echoes(client: &HostHandle, server: &HostHandle, address: Ipv4Addr, count: usize) -> io::Result<Vec<u64>> {
    let patience = Some(Duration::from_secs(2));
    std::thread::scope(|scope| {
        let (tell, told) = std::sync::mpsc::channel();
        scope.spawn(move || -> io::Result<()> {
            server.enter_thread()?;
            let socket = UdpSocket::bind((address, 0))?;
            socket.set_read_timeout(patience)?;
            let _ = tell.send(socket.local_addr()?);
            let mut body = [0; BODY_BYTES];
            for _ in 0..count {
                let (length, from) = socket.recv_from(&mut body)?;
                socket.send_to(&body[..length], from)?;
            }
            Ok(())
        });
        let measuring = scope.spawn(move || -> io::Result<Vec<u64>> {
            client.enter_thread()?;
            let target = told.recv().map_err(|_| io::Error::other("the echoing side could not start"))?;
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
            socket.connect(target)?;
            socket.set_read_timeout(patience)?;
            let mut body = [0; BODY_BYTES];
            (0..count)
                .map(|_| {
                    let begin = Instant::now();
                    socket.send(&body)?;
                    socket.recv(&mut body)?;
                    Ok(begin.elapsed().as_nanos() as u64)
                })
                .collect()
        });
        measuring.join().unwrap_or_else(|_| Err(io::Error::other("the measuring thread panicked")))
    })
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.rights.user_namespace { "yes, in a user namespace" } else { "yes" };
        let rows = [
            ("emulated links", &self.rights.network_namespaces, how),
            ("PID namespace", &self.rights.pid_namespace, "yes: everything ends with the run"),
            ("real-time priority", &self.rights.realtime, "yes"),
        ];
        for (what, right, yes) in rows {
            match right {
                Ok(()) => writeln!(f, "{what:<20} {yes}")?,
                Err(missing) => writeln!(f, "{what:<20} no: {missing}")?,
            }
        }
        if let Some(floor) = &self.floor {
            let us = |ns: u64| ns as f64 / 1_000.0;
            let mut row = |what: &str, t: &RoundTrips| {
                writeln!(
                    f,
                    "{what:<20} median {:>7.1} us, p99 {:>7.1} us ({} UDP echoes)",
                    us(t.median_ns),
                    us(t.p99_ns),
                    t.count
                )
            };
            row("loopback", &floor.loopback)?;
            row("unshaped link", &floor.link)?;
            row("5 ms each way, over", &floor.shaped_excess)?;
            let added = floor.link.median_ns.saturating_sub(floor.loopback.median_ns);
            writeln!(f, "{:<20} {:.1} us per round trip (median)", "the link adds", us(added))?;
            let late = &floor.lateness;
            writeln!(
                f,
                "{:<20} median {:.1} us, p99 {:.1} us",
                "delivered late by",
                us(late.median_ns),
                us(late.p99_ns)
            )?;
        }
        for note in &self.notes {
            writeln!(f, "{:<20} {note}", "note")?;
        }
        Ok(())
    }
}
