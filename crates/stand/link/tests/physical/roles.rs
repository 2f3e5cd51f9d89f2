//! Roles that this program can play besides the tests.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use wiredyno_link::accounting::{LinkCounters, Phase};
use wiredyno_link::capture::CaptureFile;
use wiredyno_link::check::check;
use wiredyno_link::exec::{ExecRequest, exec};
use wiredyno_link::host::{Host, HostHandle, address};
use wiredyno_link::lane::{Lane, WORKER_COMMAND, worker_main};
use wiredyno_link::model::Seeds;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::{Direction, LinkSpec};
use wiredyno_link::tap::{Tap, TapTerms, Tapped};

use crate::this;

pub const SEEDS: Seeds = Seeds { packets: 7, conditions: 7 };

/// The JSON that role `transfer` prints.
#[derive(Serialize, Deserialize)]
pub struct Transfer {
    pub counters: LinkCounters,
    /// From the sender's socket, just before close: tcpi_total_retrans.
    pub kernel_retransmitted: u64,
    pub intact: bool,
    /// TCP congestion control of the sender and of the receiver.
    pub congestion: [String; 2],
    pub took_ns: u64,
}

/// Plays the role that the first argument names; `None` if it names none.
pub fn play() -> Option<i32> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments.split_first()?;
    let code = match name.as_str() {
        WORKER_COMMAND => worker_main(),
        "rights" => {
            let sandbox = Sandbox::enter().unwrap();
            println!("{}", serde_json::to_string(sandbox.rights()).unwrap());
            0
        }
        "exec" => run_exec(rest),
        "transfer" => transfer(rest),
        "tapped" => tapped(rest),
        "multicast" => multicast(),
        "elsewhere" => elsewhere(),
        "two-lanes" => two_lanes(),
        "stall" => stall(),
        "hold" => hold(),
        "check" => {
            let report = check(&Sandbox::enter().unwrap(), &this()).unwrap();
            eprintln!("{report}");
            println!("{}", serde_json::to_string(&report).unwrap());
            0
        }
        "sleep-under-watchdog" => sleep_under_watchdog(),
        _ => return None,
    };
    Some(code)
}

/// exec LINK-JSON CLOUD-COMMAND|- COMMAND...
fn run_exec(rest: &[String]) -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let request = ExecRequest {
        program: this(),
        link: serde_json::from_str(&rest[0]).unwrap(),
        seeds: SEEDS,
        capture: None,
        cloud_command: (rest[1] != "-").then(|| rest[1].clone()),
        command: rest[2..].iter().map(Into::into).collect(),
    };
    match exec(&sandbox, &request) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            99
        }
    }
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn retransmitted(stream: &TcpStream) -> u64 {
    let mut info = std::mem::MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the buffer is a tcp_info of the stated length; zeroes are a valid value of it.
    unsafe {
        let done = libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        );
        assert_eq!(done, 0);
        u64::from(info.assume_init().tcpi_total_retrans)
    }
}

fn congestion(stream: &TcpStream) -> String {
    let mut name = [0u8; 16];
    let mut length = name.len() as libc::socklen_t;
    // SAFETY: the buffer is valid for the stated length.
    let done = unsafe {
        let option = libc::TCP_CONGESTION;
        libc::getsockopt(stream.as_raw_fd(), libc::IPPROTO_TCP, option, name.as_mut_ptr().cast(), &mut length)
    };
    assert_eq!(done, 0);
    name.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect()
}

/// The result of a transfer.
struct Sent {
    retransmitted: u64,
    intact: bool,
    took: Duration,
    congestion: [String; 2],
}

/// Sends bytes from edge to cloud and waits for one byte in return; `before` is called on edge before it connects.
fn send(edge: &HostHandle, cloud: &HostHandle, bytes: usize, before: impl FnOnce(SocketAddr)) -> Sent {
    std::thread::scope(|scope| {
        let (tell, told) = std::sync::mpsc::channel::<SocketAddr>();
        let receiver = scope.spawn(move || {
            cloud.enter_thread().unwrap();
            let listener = TcpListener::bind((address(Host::Cloud), 0)).unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            let mut received = vec![0; bytes];
            stream.read_exact(&mut received).unwrap();
            stream.write_all(b"!").unwrap();
            assert_eq!(stream.read(&mut [0]).unwrap(), 0);
            (received == pattern(bytes), congestion(&stream))
        });
        edge.enter_thread().unwrap();
        let server = told.recv().unwrap();
        before(server);
        let mut stream = TcpStream::connect(server).unwrap();
        let begin = Instant::now();
        stream.write_all(&pattern(bytes)).unwrap();
        stream.read_exact(&mut [0]).unwrap();
        let took = begin.elapsed();
        let retransmitted = retransmitted(&stream);
        let at_sender = congestion(&stream);
        drop(stream);
        let (intact, at_receiver) = receiver.join().unwrap();
        Sent { retransmitted, intact, took, congestion: [at_sender, at_receiver] }
    })
}

/// transfer LINK-JSON BYTES CAPTURE|-
fn transfer(rest: &[String]) -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let lane = Lane::spawn(&this(), 0, &sandbox).unwrap();
    let capture = (rest[2] != "-").then(|| PathBuf::from(&rest[2]));
    let link: LinkSpec = serde_json::from_str(&rest[0]).unwrap();
    let capture = capture.map(|path| CaptureFile { path, comment: String::new() });
    lane.lay(&link, SEEDS, capture.as_ref()).unwrap();
    let (edge, cloud) = (lane.host(Host::Edge), lane.host(Host::Cloud));
    if capture.is_some() {
        // Packets without a flow, and fragments of one datagram: 3 KB do not fit into one packet.
        let mut ping = Command::new("ping");
        ping.args(["-q", "-c", "5", "-i", "0.01", "-W", "1", "10.77.0.2"]).stdout(Stdio::null());
        edge.enter(&mut ping);
        let _ = ping.status();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                edge.enter_thread().unwrap();
                let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
                for _ in 0..20 {
                    socket.send_to(&[1; 3_000], (address(Host::Cloud), 9)).unwrap();
                }
            });
        });
    }
    lane.mark(Phase::Measure).unwrap();
    let sent = send(&edge, &cloud, rest[1].parse().unwrap(), |_| ());
    let counters = lane.finish().unwrap();
    let transfer = Transfer {
        counters,
        kernel_retransmitted: sent.retransmitted,
        intact: sent.intact,
        congestion: sent.congestion,
        took_ns: sent.took.as_nanos() as u64,
    };
    println!("{}", serde_json::to_string(&transfer).unwrap());
    0
}

/// What role `tapped` prints: a transfer, and what taps on the two hosts counted of it.
#[derive(Serialize, Deserialize)]
pub struct Both {
    pub counters: LinkCounters,
    pub tapped: [Tapped; 2],
}

/// tapped LINK-JSON BYTES
fn tapped(rest: &[String]) -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let lane = Lane::spawn(&this(), 0, &sandbox).unwrap();
    lane.lay(&serde_json::from_str(&rest[0]).unwrap(), SEEDS, None).unwrap();
    let hosts = [lane.host(Host::Edge), lane.host(Host::Cloud)];
    let mut taps = Vec::new();
    let begin = |server: SocketAddr| {
        let SocketAddr::V4(server) = server else { panic!("{server}") };
        for (place, host) in hosts.iter().enumerate() {
            let terms = TapTerms { server, serves: place == 1, towards: Direction::Up, format: None };
            let tap = std::thread::scope(|scope| {
                let begun = scope.spawn(|| {
                    host.enter_thread().unwrap();
                    Tap::begin(terms).unwrap()
                });
                begun.join().unwrap()
            });
            taps.push(tap);
        }
        // Each phase begins at a quiet moment.
        lane.mark(Phase::Measure).unwrap();
        taps.iter().for_each(|tap| tap.mark(Phase::Measure));
        // Datagrams in fragments.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        (0..20).for_each(|_| assert_eq!(socket.send_to(&[1; 3_000], server).unwrap(), 3_000));
    };
    send(&hosts[0], &hosts[1], rest[1].parse().unwrap(), begin);
    // Until nothing more is repeated.
    let mut before = lane.counters().unwrap().total(Direction::Up).entered;
    loop {
        std::thread::sleep(Duration::from_secs(2));
        let now = lane.counters().unwrap().total(Direction::Up).entered;
        if now == before {
            break;
        }
        before = now;
    }
    let tapped = [0, 1].map(|place: usize| taps[place].tapped().unwrap());
    println!("{}", serde_json::to_string(&Both { counters: lane.finish().unwrap(), tapped }).unwrap());
    0
}

fn multicast() -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let lane = Lane::spawn(&this(), 0, &sandbox).unwrap();
    let group = Ipv4Addr::new(239, 255, 77, 1);
    let cloud = lane.host(Host::Cloud);
    let (tell, told) = std::sync::mpsc::channel();
    let receiver = std::thread::spawn(move || {
        cloud.enter_thread().unwrap();
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 7400)).unwrap();
        socket.join_multicast_v4(&group, &Ipv4Addr::UNSPECIFIED).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        tell.send(()).unwrap();
        let mut body = [0; 16];
        let (length, from) = socket.recv_from(&mut body).unwrap();
        (body[..length].to_vec(), from.ip())
    });
    told.recv().unwrap();
    lane.host(Host::Edge).enter_thread().unwrap();
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap().send_to(b"hello", (group, 7400)).unwrap();
    let (body, from) = receiver.join().unwrap();
    assert_eq!((body.as_slice(), from), (&b"hello"[..], address(Host::Edge).into()));
    0
}

/// Packets to an unknown address are refused at once and never reach the link: 192.0.2.0/24 is unassigned
/// (RFC 5737).
fn elsewhere() -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let lane = Lane::spawn(&this(), 0, &sandbox).unwrap();
    for host in Host::ALL {
        let host = lane.host(host);
        let refused = std::thread::spawn(move || {
            host.enter_thread().unwrap();
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
            socket.send_to(b"who is this?", (Ipv4Addr::new(192, 0, 2, 1), 53)).unwrap_err().kind()
        });
        assert_eq!(refused.join().unwrap(), std::io::ErrorKind::NetworkUnreachable);
    }
    assert_eq!(lane.counters().unwrap().flows, []);
    0
}

fn two_lanes() -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let lanes = [0, 1].map(|index| Lane::spawn(&this(), index, &sandbox).unwrap());
    let results = std::thread::scope(|scope| {
        let running = lanes.each_ref().map(|lane| {
            scope.spawn(|| send(&lane.host(Host::Edge), &lane.host(Host::Cloud), 100_000, |_| ()).intact)
        });
        running.map(|thread| thread.join().unwrap())
    });
    assert_eq!(results, [true, true]);
    for lane in &lanes {
        assert_eq!(lane.counters().unwrap().flows.len(), 1);
    }
    // A lane reports that its process died.
    // SAFETY: kill with a process id of our own child.
    unsafe { libc::kill(lanes[0].process_id() as i32, libc::SIGKILL) };
    assert!(lanes[0].counters().unwrap_err().to_string().contains("has died"));
    assert!(lanes[1].counters().is_ok());
    0
}

/// Sends more than a stopped link's TUN can hold: entered and dropped packets must add up to all that were
/// sent.
fn stall() -> i32 {
    const DATAGRAMS: u64 = 15_000;
    let sandbox = Sandbox::enter().unwrap();
    let lane = Lane::spawn(&this(), 0, &sandbox).unwrap();
    let worker = lane.process_id() as i32;
    // SAFETY: kill with a process id of our own child.
    unsafe { libc::kill(worker, libc::SIGSTOP) };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            lane.host(Host::Edge).enter_thread().unwrap();
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
            for _ in 0..DATAGRAMS {
                socket.send_to(&[1; 100], (address(Host::Cloud), 9)).unwrap();
            }
        });
    });
    // SAFETY: as above.
    unsafe { libc::kill(worker, libc::SIGCONT) };
    let begin = Instant::now();
    let mut seen = (0, 0);
    while seen.0 + seen.1 < DATAGRAMS && begin.elapsed() < Duration::from_secs(10) {
        let counters = lane.counters().unwrap();
        seen = (
            counters.flows.first().map_or(0, |f| f.tallies.up.total().entered.packets),
            counters.tun_dropped_packets,
        );
    }
    assert_eq!(seen.0 + seen.1, DATAGRAMS, "{seen:?}");
    assert!(seen.1 > 0, "{seen:?}");
    0
}

/// A run in progress: a lane, and on each host a process that left its process group.
#[allow(clippy::zombie_processes, reason = "the test kills all of it from outside")]
fn hold() -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let lane = Lane::spawn(&this(), 0, &sandbox).unwrap();
    let mut namespaces = Vec::new();
    for host in Host::ALL {
        let handle = lane.host(host);
        let mut command = Command::new("setsid");
        command.args(["sleep", "1077"]);
        handle.enter(&mut command);
        sandbox.prepare(&mut command);
        command.spawn().unwrap();
        let link = format!("/proc/self/fd/{}", handle.namespace_fd());
        namespaces.push(std::fs::read_link(Path::new(&link)).unwrap().display().to_string());
    }
    println!("{}", namespaces.join(" "));
    std::thread::sleep(Duration::from_secs(1077));
    0
}

/// For a machine that allows nothing: prints why and leaves a child to the watchdog.
#[allow(clippy::zombie_processes, reason = "the test kills all of it from outside")]
fn sleep_under_watchdog() -> i32 {
    let sandbox = Sandbox::enter().unwrap();
    let mut command = Command::new("sleep");
    command.arg("1078").stdout(Stdio::null()).stderr(Stdio::null());
    sandbox.prepare(&mut command);
    let child = command.spawn().unwrap();
    let missing = Lane::spawn(&this(), 0, &sandbox).err().map(|e| e.to_string());
    println!("{}", serde_json::to_string(&(child.id(), missing)).unwrap());
    std::thread::sleep(Duration::from_secs(1078));
    0
}
