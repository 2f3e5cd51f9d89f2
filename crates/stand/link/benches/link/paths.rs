//! Datagrams over a path: echoed one by one, echoed on a schedule, or sent as fast as requested.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::mpsc::channel;
use std::time::Duration;

use nix::sys::socket::{setsockopt, sockopt};
use wiredyno_link::clock::monotonic_ns;
use wiredyno_link::host::HostHandle;

use wiredyno_bench::Done;

/// How long a socket waits for a datagram that may be lost.
const PATIENCE: Duration = Duration::from_millis(300);
/// Large enough that the receiver drops no datagram (the kernel doubles it; above the system's limit it needs root).
const BUFFER_BYTES: usize = 32 << 20;

fn socket(address: Ipv4Addr) -> Done<UdpSocket> {
    let socket = UdpSocket::bind((address, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    // Best effort: without the right, the system's limit applies.
    let _ = setsockopt(&socket, sockopt::RcvBufForce, &BUFFER_BYTES);
    let _ = setsockopt(&socket, sockopt::SndBufForce, &BUFFER_BYTES);
    Ok(socket)
}

/// Receives a value from the other side's thread.
fn told<T>(channel: &std::sync::mpsc::Receiver<T>) -> Done<T> {
    channel.recv().map_err(|_| "the other side could not start".into())
}

/// Lower than the link's own priority, higher than ordinary programs.
const ECHO_PRIORITY: i32 = 10;

/// Gives the calling thread real-time priority where allowed, so that echoes measure the link and not competition
/// for the CPU. Only threads that sleep between packets use it.
fn prefer() {
    let parameters = libc::sched_param { sched_priority: ECHO_PRIORITY };
    // SAFETY: the sched_param is valid and outlives the call. Without the right nothing changes.
    let _ = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &parameters) };
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Done<T>>) -> Done<T> {
    thread.join().unwrap_or_else(|_| Err("a measuring thread panicked".into()))
}

/// Round trip times in nanoseconds of 64-byte datagrams: one is sent when the previous one is back, or, with an
/// interval, on its schedule. Both ends have real-time priority where allowed.
pub fn echoes(
    client: &HostHandle,
    server: (&HostHandle, Ipv4Addr),
    count: usize,
    interval: Option<Duration>,
) -> Done<Vec<u64>> {
    std::thread::scope(|scope| {
        let (tell, address) = channel::<SocketAddr>();
        let echo = scope.spawn(move || -> Done<()> {
            server.0.enter_thread()?;
            prefer();
            let socket = socket(server.1)?;
            tell.send(socket.local_addr()?)?;
            let mut body = [0; 64];
            socket.set_read_timeout(Some(Duration::from_secs(2)))?;
            for _ in 0..count {
                let (length, from) = socket.recv_from(&mut body)?;
                socket.send_to(&body[..length], from)?;
            }
            Ok(())
        });
        let client = scope.spawn(move || -> Done<Vec<u64>> {
            client.enter_thread()?;
            prefer();
            let socket = socket(Ipv4Addr::UNSPECIFIED)?;
            socket.connect(told(&address)?)?;
            match interval {
                None => one_by_one(&socket, count),
                Some(interval) => scheduled(&socket, count, interval),
            }
        });
        let times = joined(client)?;
        joined(echo)?;
        Ok(times)
    })
}

fn one_by_one(socket: &UdpSocket, count: usize) -> Done<Vec<u64>> {
    let mut body = [0; 64];
    let mut once = || -> Done<u64> {
        let begin_ns = monotonic_ns();
        socket.send(&body)?;
        socket.recv(&mut body)?;
        Ok(monotonic_ns() - begin_ns)
    };
    (0..count).map(|_| once()).collect()
}

/// The body carries its sending time, so that many can be in flight.
fn scheduled(socket: &UdpSocket, count: usize, interval: Duration) -> Done<Vec<u64>> {
    let sending = socket.try_clone()?;
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || -> Done<()> {
            prefer();
            let mut body = [0; 64];
            for _ in 0..count {
                body[..8].copy_from_slice(&monotonic_ns().to_be_bytes());
                sending.send(&body)?;
                std::thread::sleep(interval);
            }
            Ok(())
        });
        let times = (0..count).map(|_| {
            let stamped = receive_number(socket)?;
            Ok(monotonic_ns() - stamped)
        });
        let times = times.collect::<Done<Vec<u64>>>();
        joined(sender)?;
        times
    })
}

fn receive_number(socket: &UdpSocket) -> Done<u64> {
    let mut body = [0; 2_048];
    let length = socket.recv(&mut body)?;
    let number = body[..length].first_chunk().ok_or("a datagram too short for its number")?;
    Ok(u64::from_be_bytes(*number))
}

/// What arrived of a stream of numbered datagrams.
pub struct Stream {
    /// The numbers, in order of arrival.
    pub numbers: Vec<u64>,
    /// CLOCK_MONOTONIC of the first and last arrival.
    pub first_ns: u64,
    pub last_ns: u64,
    /// How long the sender took, in nanoseconds.
    pub sending_ns: u64,
}

/// Sends `count` datagrams of `bytes` at `per_s`, spinning; ends when nothing has arrived for a while.
pub fn stream(
    sender: &HostHandle,
    receiver: &HostHandle,
    count: u64,
    bytes: usize,
    per_s: f64,
) -> Done<Stream> {
    std::thread::scope(|scope| {
        let (tell, address) = channel::<SocketAddr>();
        let arriving = scope.spawn(move || -> Done<Stream> {
            receiver.enter_thread()?;
            let socket = socket(receiver.address())?;
            tell.send(socket.local_addr()?)?;
            socket.set_read_timeout(Some(Duration::from_secs(2)))?;
            let mut stream = Stream { numbers: Vec::new(), first_ns: 0, last_ns: 0, sending_ns: 0 };
            stream.numbers.reserve(count as usize);
            // No arrivals for a while: the rest is lost.
            while (stream.numbers.len() as u64) < count
                && let Ok(number) = receive_number(&socket)
            {
                stream.last_ns = monotonic_ns();
                if stream.numbers.is_empty() {
                    stream.first_ns = stream.last_ns;
                    socket.set_read_timeout(Some(PATIENCE))?;
                }
                stream.numbers.push(number);
            }
            Ok(stream)
        });
        let sending = scope.spawn(move || -> Done<u64> {
            sender.enter_thread()?;
            let socket = socket(Ipv4Addr::UNSPECIFIED)?;
            socket.connect(told(&address)?)?;
            let mut body = vec![0; bytes.max(8)];
            let begin_ns = monotonic_ns();
            for number in 0..count {
                let due_ns = begin_ns + (number as f64 * 1e9 / per_s) as u64;
                while monotonic_ns() < due_ns {
                    std::hint::spin_loop();
                }
                body[..8].copy_from_slice(&number.to_be_bytes());
                socket.send(&body)?;
            }
            Ok(monotonic_ns() - begin_ns)
        });
        let sending_ns = joined(sending)?;
        Ok(Stream { sending_ns, ..joined(arriving)? })
    })
}

/// Adds a veth pair between both hosts, with its own addresses; it disappears with the hosts.
pub fn veth(place: &crate::measurements::Place<'_>) -> Done<Ipv4Addr> {
    use std::process::{Command, Stdio};
    use wiredyno_link::host::Host;
    let far = SocketAddrV4::new(Ipv4Addr::new(10, 78, 0, 2), 0);
    if place.repeat > 0 {
        return Ok(*far.ip());
    }
    let on = |host: Host, line: &str| -> Done<()> {
        let mut command = Command::new("sh");
        command.args(["-c", line]).stdin(Stdio::null());
        place.lane.host(host).enter(&mut command);
        place.sandbox.prepare(&mut command);
        let output = command.output()?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("`{line}`: {}", String::from_utf8_lossy(&output.stderr).trim()).into()),
        }
    };
    // A process on cloud through which `ip` finds its namespace.
    let mut anchor = Command::new("sleep");
    anchor.arg("60").stdin(Stdio::null());
    place.lane.host(Host::Cloud).enter(&mut anchor);
    place.sandbox.prepare(&mut anchor);
    let mut anchor = anchor.spawn()?;
    let made = on(
        Host::Edge,
        &format!(
            "ip link add bench0 type veth peer name bench1 netns {} && ip addr add 10.78.0.1/24 dev bench0 && \
             ip link set bench0 up",
            anchor.id()
        ),
    )
    .and_then(|()| on(Host::Cloud, "ip addr add 10.78.0.2/24 dev bench1 && ip link set bench1 up"));
    anchor.kill()?;
    anchor.wait()?;
    made.map(|()| *far.ip())
}
