//! TCP over the link, with Linux's loss recovery and with that of the model, and the prediction of the model of
//! Padhye, Firoiu, Towsley and Kurose for both.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use wiredyno_link::host::HostHandle;

use wiredyno_bench::Done;

/// Before the first loss, slow start sends many windows' worth; the model describes what follows.
const SETTLES: Duration = Duration::from_secs(2);

/// Payload bytes per second that arrived within `span`, sent from one host to the other, once the connection has
/// settled, and what the sender's kernel counted meanwhile.
pub fn goodput(sender: &HostHandle, receiver: &HostHandle, span: Duration) -> Done<(f64, Counted)> {
    std::thread::scope(|scope| {
        let (tell, address) = channel::<SocketAddr>();
        let receiving = scope.spawn(move || -> Done<(f64, Counted)> {
            receiver.enter_thread()?;
            let listener = TcpListener::bind((receiver.address(), 0))?;
            tell.send(listener.local_addr()?)?;
            let (mut stream, _) = listener.accept()?;
            let mut buffer = vec![0; 1 << 18];
            received(&mut stream, &mut buffer, SETTLES)?;
            let before = Counted::on(sender)?;
            let begin = Instant::now();
            let bytes = received(&mut stream, &mut buffer, span)?;
            let rate = bytes as f64 / begin.elapsed().as_secs_f64();
            Ok((rate, Counted::on(sender)?.since(&before)))
        });
        let sending = scope.spawn(move || -> Done<()> {
            sender.enter_thread()?;
            let address = address.recv().map_err(|_| "the receiver could not start")?;
            let mut stream = TcpStream::connect(address)?;
            stream.set_write_timeout(Some(span + Duration::from_secs(20)))?;
            let body = vec![7; 1 << 16];
            // Ends when the receiver has seen enough and closes the connection.
            while stream.write_all(&body).is_ok() {}
            Ok(())
        });
        let rate = receiving.join().unwrap_or_else(|_| Err("the receiving thread panicked".into()))?;
        sending.join().unwrap_or_else(|_| Err("the sending thread panicked".into()))?;
        Ok(rate)
    })
}

/// Bytes that arrive within a time.
fn received(stream: &mut TcpStream, buffer: &mut [u8], span: Duration) -> Done<usize> {
    let begin = Instant::now();
    let mut bytes = 0;
    loop {
        let left = span.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Ok(bytes);
        }
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(buffer) {
            Ok(0) => return Err("the sender ended".into()),
            Ok(more) => bytes += more,
            // Nothing more arrived before the time was over.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How the sender's kernel recovers from loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Linux's own: SACK, RACK, tail loss probes, F-RTO.
    Linux,
    /// The model's: three duplicate acknowledgements or a timeout, nothing else.
    Plain,
}

impl Recovery {
    /// Options in /proc/sys/net/ipv4 (kernel documentation: networking/ip-sysctl), off for [`Recovery::Plain`].
    const OPTIONS: [&str; 5] = ["tcp_sack", "tcp_dsack", "tcp_recovery", "tcp_early_retrans", "tcp_frto"];

    /// Sets the options on a host; the guard restores the previous values.
    pub fn set(self, host: &HostHandle) -> Done<Restore> {
        let mut restore = Restore { host: host.clone(), before: Vec::new() };
        if self == Recovery::Plain {
            for option in Self::OPTIONS {
                let path = format!("/proc/sys/net/ipv4/{option}");
                let before = on_host(host, || std::fs::read_to_string(&path))?;
                on_host(host, || std::fs::write(&path, "0")).map_err(|e| format!("{path}: {e}"))?;
                restore.before.push((path, before));
            }
        }
        Ok(restore)
    }
}

/// Restores a host's options when dropped.
pub struct Restore {
    host: HostHandle,
    before: Vec<(String, String)>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        for (path, value) in self.before.drain(..) {
            // The hosts end with the bench, so an option that can't be restored affects nothing else.
            let _ = on_host(&self.host, || std::fs::write(&path, value.trim()));
        }
    }
}

/// Runs `work` on a thread that has entered the host: /proc/sys/net and /proc/thread-self/net belong to the calling
/// thread's namespace.
fn on_host<T: Send>(host: &HostHandle, work: impl FnOnce() -> std::io::Result<T> + Send) -> Done<T> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            host.enter_thread()?;
            work()
        });
        Ok(thread.join().map_err(|_| "a thread on a host panicked")??)
    })
}

/// What the sender's kernel has counted for all its connections (kernel documentation: networking/snmp_counter).
#[derive(Debug, Clone, Copy, Default)]
pub struct Counted {
    /// Segments sent, including retransmissions.
    pub segments: u64,
    /// Retransmitted segments, part of `segments`.
    pub repeated: u64,
    /// Retransmission timeouts that expired.
    pub timeouts: u64,
    /// Recoveries that began without a timeout: each halves the window.
    pub recoveries: u64,
}

impl Counted {
    /// Reads a host's counters, over all its connections.
    pub fn on(host: &HostHandle) -> Done<Self> {
        let (snmp, netstat) = on_host(host, || {
            let read = |name: &str| std::fs::read_to_string(format!("/proc/thread-self/net/{name}"));
            Ok((read("snmp")?, read("netstat")?))
        })?;
        let of = |text, table, name| {
            counter(text, table, name).ok_or_else(|| format!("no counter {name} in {table}"))
        };
        let sent = of(&snmp, "Tcp:", "OutSegs")?;
        let repeated = of(&snmp, "Tcp:", "RetransSegs")?;
        Ok(Self {
            // OutSegs excludes retransmitted segments (RFC 1213).
            segments: sent + repeated,
            repeated,
            timeouts: of(&netstat, "TcpExt:", "TCPTimeouts")?,
            recoveries: of(&netstat, "TcpExt:", "TCPSackRecovery")?
                + of(&netstat, "TcpExt:", "TCPRenoRecovery")?,
        })
    }

    /// What was counted between `before` and this.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            segments: self.segments - before.segments,
            repeated: self.repeated - before.repeated,
            timeouts: self.timeouts - before.timeouts,
            recoveries: self.recoveries - before.recoveries,
        }
    }

    /// Loss indications of both kinds per segment: the model's `p`.
    pub fn indications(&self) -> f64 {
        (self.timeouts + self.recoveries) as f64 / self.segments.max(1) as f64
    }

    /// Share of the indications that were timeouts: the model's `Q`.
    pub fn timeout_share(&self) -> f64 {
        self.timeouts as f64 / (self.timeouts + self.recoveries).max(1) as f64
    }
}

/// A table in /proc/net/snmp or netstat is a line of names and a line of numbers, each after the table's name.
fn counter(text: &str, table: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with(table));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let index = names.split_whitespace().position(|other| other == name)?;
    numbers.split_whitespace().nth(index)?.parse().ok()
}

/// The model of J. Padhye, V. Firoiu, D. Towsley, J. Kurose, Modeling TCP Reno Performance: A Simple Model and its
/// Empirical Validation, IEEE/ACM Transactions on Networking 8(2), 2000 (PFTK), window not limited by the receiver.
#[derive(Debug, Clone, Copy)]
pub struct Pftk {
    /// Probability that a segment is lost, given that none before it in its round was; the model assumes that all
    /// segments after it in the round are lost too.
    pub p: f64,
    /// Round trip time in seconds.
    pub round_trip_s: f64,
    /// First retransmission timeout in seconds.
    pub timeout_s: f64,
    /// Effective segments per acknowledgement: 1 for Linux, which counts the bytes that an acknowledgement covers
    /// (RFC 3465) and so grows as if each segment were acknowledged; 2 for a receiver that delays acknowledgements
    /// and a sender that counts them.
    pub b: f64,
}

impl Pftk {
    /// Segments that arrive per second, by the full model: (25) and (28) of the paper give the window and `Q`, its
    /// section on throughput the numerator (segments after a loss do not arrive).
    pub fn arrive_per_s(&self) -> f64 {
        self.arrive_with_share_per_s(self.timeout_share())
    }

    /// The same with a measured share of timeouts instead of the model's.
    pub fn arrive_with_share_per_s(&self, share: f64) -> f64 {
        let Self { p, round_trip_s, timeout_s, b } = *self;
        let window = self.window();
        let backoff = 1.0
            + p
            + 2.0 * p.powi(2)
            + 4.0 * p.powi(3)
            + 8.0 * p.powi(4)
            + 16.0 * p.powi(5)
            + 32.0 * p.powi(6);
        let arrive = (1.0 - p) / p + window / 2.0 + share;
        arrive / (round_trip_s * (b / 2.0 * window + 1.0) + share * timeout_s * backoff / (1.0 - p))
    }

    /// Mean window at a loss, in segments.
    fn window(&self) -> f64 {
        let Self { p, b, .. } = *self;
        let c = (2.0 + b) / (3.0 * b);
        c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
    }

    /// `Q`: share of the loss indications that are timeouts because too few duplicate acknowledgements follow.
    pub fn timeout_share(&self) -> f64 {
        let (p, w) = (self.p, self.window());
        let q = 1.0 - p;
        let three = 1.0 - q.powi(3);
        let share = three * (1.0 + q.powi(3) * (1.0 - q.powf(w - 3.0))) / (1.0 - q.powf(w));
        share.clamp(0.0, 1.0)
    }
}
