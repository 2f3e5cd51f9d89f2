//! TCP over the link, and what the model of Padhye, Firoiu, Towsley and Kurose says of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use wiredyno_link::host::HostHandle;

use wiredyno_bench::Outcome;

/// What slow start sends before the first loss is many windows' worth; the model is of what comes after.
const SETTLES: Duration = Duration::from_secs(2);

/// Payload bytes a second that arrived within `span`, sent from one host to the other, once the connection has
/// settled.
pub fn goodput_per_s(sender: &HostHandle, receiver: &HostHandle, span: Duration) -> Outcome<f64> {
    std::thread::scope(|scope| {
        let (tell, address) = channel::<SocketAddr>();
        let receiving = scope.spawn(move || -> Outcome<f64> {
            receiver.enter_thread()?;
            let listener = TcpListener::bind((receiver.address(), 0))?;
            tell.send(listener.local_addr()?)?;
            let (mut stream, _) = listener.accept()?;
            let mut buffer = vec![0; 1 << 18];
            received(&mut stream, &mut buffer, SETTLES)?;
            let begin = Instant::now();
            let bytes = received(&mut stream, &mut buffer, span)?;
            Ok(bytes as f64 / begin.elapsed().as_secs_f64())
        });
        let sending = scope.spawn(move || -> Outcome<()> {
            sender.enter_thread()?;
            let address = address.recv().map_err(|_| "the receiver could not start")?;
            let mut stream = TcpStream::connect(address)?;
            stream.set_write_timeout(Some(span + Duration::from_secs(20)))?;
            let body = vec![7; 1 << 16];
            // Ends when the receiver has seen enough and closes.
            while stream.write_all(&body).is_ok() {}
            Ok(())
        });
        let rate = receiving.join().unwrap_or_else(|_| Err("the receiving thread panicked".into()))?;
        sending.join().unwrap_or_else(|_| Err("the sending thread panicked".into()))?;
        Ok(rate)
    })
}

/// Bytes that arrive within a time.
fn received(stream: &mut TcpStream, buffer: &mut [u8], span: Duration) -> Outcome<usize> {
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
            // Nothing until the time was over.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Steady-state throughput of a Reno sender in packets a second (J. Padhye, V. Firoiu, D. Towsley, J. Kurose,
/// Modeling TCP Throughput: A Simple Model and its Empirical Validation, SIGCOMM 1998, the approximate model):
/// 1 / (RTT sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p (1 + 32 p^2)), with loss probability `p`, round trip time
/// and first retransmission timeout in seconds, and `b` packets per acknowledgement: 1 for Linux, which counts
/// the bytes that an acknowledgement covers (RFC 3465) and so grows as if each segment were acknowledged.
pub fn pftk_per_s(p: f64, round_trip_s: f64, timeout_s: f64, b: f64) -> f64 {
    let fast = round_trip_s * (2.0 * b * p / 3.0).sqrt();
    let timeouts = timeout_s * (3.0 * (3.0 * b * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
    1.0 / (fast + timeouts)
}
