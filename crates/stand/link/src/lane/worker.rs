//! The process of a lane: it owns both hosts and moves packets between them. One thread, one epoll over both TUNs,
//! an absolute timer and the control channel. It never spins, because the kernel throttles real-time threads that
//! do.

use std::io::{self, Write};
use std::os::fd::AsFd;

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use super::laid::Laid;
use super::wire::{Ready, Reply, Request};
use crate::host::{Host, Keeper, set_realtime};
use crate::model::Seeds;
use crate::spec::{Direction, LinkSpec};

/// Packets read from one TUN before it is the other's turn.
const BATCH_PACKETS: usize = 64;
/// Packets read before deliveries that have meanwhile become due: reading one takes about a microsecond, so a burst
/// delays a delivery by only a few of them.
const PACKETS_BETWEEN_DELIVERIES: usize = 8;
const FROM_EDGE: u64 = 0;
const FROM_CLOUD: u64 = 1;
const TIMER: u64 = 2;
const CONTROL: u64 = 3;

/// The hidden subcommand `lane-worker`: serves until its standard input ends. Returns the exit code for `main`.
pub fn worker_main() -> i32 {
    // Whatever stops a run reaches its program, which then closes our input; a terminal's Ctrl-C must not end the
    // link before the capture is written.
    for number in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: no handler function is installed.
        let _ = unsafe { signal(number, SigHandler::SigIgn) };
    }
    match Worker::make() {
        Ok((mut worker, ready)) => match say(&Reply::Ready(ready)).and_then(|()| worker.serve()) {
            Ok(()) => 0,
            Err(error) => {
                let _ = say(&Reply::Ending { message: error.to_string() });
                1
            }
        },
        Err(error) => {
            let _ = say(&Reply::Failed { message: error.to_string() });
            1
        }
    }
}

fn say(reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

struct Worker {
    hosts: [Keeper; 2],
    epoll: Epoll,
    timer: TimerFd,
    armed_for_ns: Option<u64>,
    laid: Laid,
    buffer_bytes: usize,
    realtime: bool,
    input: Vec<u8>,
}

impl Worker {
    fn make() -> io::Result<(Self, Ready)> {
        let mut notes = Vec::new();
        let edge = Keeper::make(Host::Edge, &mut notes)?;
        let cloud = Keeper::make(Host::Cloud, &mut notes)?;
        let hosts = [edge, cloud];
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timer =
            TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        let readable = |token| EpollEvent::new(EpollFlags::EPOLLIN, token);
        epoll.add(&hosts[0].tun, readable(FROM_EDGE))?;
        epoll.add(&hosts[1].tun, readable(FROM_CLOUD))?;
        // Edge-triggered: each expiry wakes the thread once, without a call to read the number of expiries.
        epoll.add(timer.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, TIMER))?;
        epoll.add(io::stdin(), readable(CONTROL))?;
        // The timer slack of ordinary threads delays their timers by 50 us (prctl(2)); real-time threads ignore it.
        // SAFETY: prctl with integer arguments only.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        let realtime = set_realtime().is_ok();
        let spec = LinkSpec::unshaped();
        configure(&hosts, &spec)?;
        let laid = Laid::new(&spec, Seeds { packets: 0, conditions: 0 }, None, &hosts)?;
        let namespaces = [&hosts[0], &hosts[1]].map(|host| std::os::fd::AsRawFd::as_raw_fd(&host.namespace));
        let buffer_bytes = usize::from(spec.mtu_bytes);
        let worker =
            Self { hosts, epoll, timer, armed_for_ns: None, laid, buffer_bytes, realtime, input: Vec::new() };
        Ok((worker, Ready { namespaces, realtime, notes }))
    }

    fn serve(&mut self) -> io::Result<()> {
        let mut events = [EpollEvent::empty(); 8];
        loop {
            let count = match self.epoll.wait(&mut events, EpollTimeout::NONE) {
                Err(nix::errno::Errno::EINTR) => continue,
                count => count?,
            };
            // Due deliveries precede reading: reading can take longer than a delivery may be late.
            self.laid.deliver_due(&self.hosts);
            for event in &events[..count] {
                match event.data() {
                    FROM_EDGE => self.read_packets(Direction::Up)?,
                    FROM_CLOUD => self.read_packets(Direction::Down)?,
                    CONTROL => {
                        if !self.read_requests()? {
                            return self.laid.flush();
                        }
                    }
                    _ => self.armed_for_ns = None,
                }
            }
            let next_ns = self.laid.deliver_due(&self.hosts);
            self.arm(next_ns)?;
        }
    }

    fn read_packets(&mut self, direction: Direction) -> io::Result<()> {
        for read in 1..=BATCH_PACKETS {
            if read % PACKETS_BETWEEN_DELIVERIES == 0 {
                self.laid.deliver_due(&self.hosts);
            }
            let mut packet = self.laid.buffer(self.buffer_bytes);
            match self.hosts[direction.index()].tun.read(&mut packet)? {
                Some(length) => {
                    packet.truncate(length);
                    self.laid.enter(direction, packet, &self.hosts)?;
                }
                None => {
                    self.laid.give_back(packet);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Sets the timer to the next delivery, unless it already is.
    fn arm(&mut self, next_ns: Option<u64>) -> io::Result<()> {
        if self.armed_for_ns == next_ns {
            return Ok(());
        }
        match next_ns {
            Some(at_ns) => {
                let at = TimeSpec::new((at_ns / 1_000_000_000) as i64, (at_ns % 1_000_000_000) as i64);
                self.timer.set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            }
            None => self.timer.unset()?,
        }
        self.armed_for_ns = next_ns;
        Ok(())
    }

    /// Answers the requests that have arrived; false at the end of input.
    fn read_requests(&mut self) -> io::Result<bool> {
        let mut chunk = [0; 65_536];
        // epoll reported input, so this does not block.
        let length = nix::unistd::read(io::stdin(), &mut chunk)?;
        self.input.extend_from_slice(&chunk[..length]);
        while let Some(end) = self.input.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = self.input.drain(..=end).collect();
            let reply = match serde_json::from_slice(&line) {
                Ok(request) => {
                    self.answer(request).unwrap_or_else(|e| Reply::Failed { message: e.to_string() })
                }
                Err(e) => Reply::Failed { message: format!("unreadable request: {e}") },
            };
            say(&reply)?;
        }
        Ok(length > 0)
    }

    fn answer(&mut self, request: Request) -> io::Result<Reply> {
        match request {
            Request::Lay { spec, seeds, capture } => {
                self.laid.flush()?;
                configure(&self.hosts, &spec)?;
                self.discard_stale()?;
                self.buffer_bytes = usize::from(spec.mtu_bytes);
                self.laid = Laid::new(&spec, seeds, capture.as_ref(), &self.hosts).map_err(|e| {
                    let file = capture.as_ref().map(|file| format!(" (capture {})", file.path.display()));
                    io::Error::new(e.kind(), format!("{e}{}", file.unwrap_or_default()))
                })?;
            }
            Request::Anchor { at_ns } => self.laid.anchor(at_ns),
            Request::Mark { phase } => self.laid.mark(phase),
            Request::ReadAs { format } => self.laid.read_as(format),
            Request::Counters => {
                return Ok(Reply::Counters(Box::new(self.laid.counters(&self.hosts, self.realtime)?)));
            }
            Request::Finish => {
                self.laid.close()?;
                return Ok(Reply::Counters(Box::new(self.laid.counters(&self.hosts, self.realtime)?)));
            }
        }
        Ok(Reply::Done)
    }

    /// Discards packets that were sent over the previous link.
    fn discard_stale(&mut self) -> io::Result<()> {
        let mut packet = vec![0; usize::from(u16::MAX)];
        for host in &self.hosts {
            while host.tun.read(&mut packet)?.is_some() {}
        }
        Ok(())
    }
}

fn configure(hosts: &[Keeper; 2], spec: &LinkSpec) -> io::Result<()> {
    hosts[0].configure(Host::Edge, spec.mtu_bytes, &spec.congestion)?;
    hosts[1].configure(Host::Cloud, spec.mtu_bytes, &spec.congestion)
}
