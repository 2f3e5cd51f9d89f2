//! The gate of a closed loop: a Unix datagram socket beside the link, through which the subscriber tells the
//! publisher the digest of each receipt.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wiredyno_transport::clock::now_ns;

/// A wait sleeps at most so long before it looks whether it is still wanted.
const SLICE_NS: i64 = 100_000_000;

/// The publisher's end can't be made.
#[derive(Debug, thiserror::Error)]
#[error(
    "the gate {path} can't be opened: {source}; name a file that does not exist, in a folder that does, in fewer than 108 characters"
)]
pub struct GateError {
    path: PathBuf,
    source: io::Error,
}

/// The publisher's end.
#[derive(Debug)]
pub struct Gate {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Gate {
    /// Binds the socket; the file goes when the gate does.
    ///
    /// # Errors
    /// When the path can't be bound.
    pub fn open(path: &str) -> Result<Gate, GateError> {
        let failed = |source| GateError { path: path.into(), source };
        Ok(Gate { socket: UnixDatagram::bind(path).map_err(failed)?, path: path.into() })
    }

    /// Waits for the receipt of the message with this digest until a moment of CLOCK_MONOTONIC; receipts of
    /// others (late ones) are passed over. Gives the moment at which the wait ended, `None` when halted.
    ///
    /// # Errors
    /// When the socket fails.
    pub fn wait(&self, digest: u128, until_ns: i64, halted: &AtomicBool) -> io::Result<Option<i64>> {
        let mut receipt = [0; 16];
        loop {
            let now = now_ns();
            if now >= until_ns {
                return Ok(Some(now));
            }
            if halted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let slice_ns = until_ns.saturating_sub(now).clamp(1_000, SLICE_NS);
            self.socket.set_read_timeout(Some(Duration::from_nanos(slice_ns.unsigned_abs())))?;
            match self.socket.recv(&mut receipt) {
                Ok(16) if u128::from_le_bytes(receipt) == digest => return Ok(Some(now_ns())),
                Ok(_) => {}
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The subscriber's end.
#[derive(Debug)]
pub struct Receipts {
    socket: UnixDatagram,
    gate: PathBuf,
}

impl Receipts {
    /// Towards a gate that need not be open yet.
    ///
    /// # Errors
    /// When the system gives no socket.
    pub fn new(gate: &str) -> io::Result<Receipts> {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        Ok(Receipts { socket, gate: gate.into() })
    }

    /// Tells of a receipt. Before the gate is open (warm-up) and after it is gone nobody listens, and a
    /// gate whose queue is full is not waiting for this one: both are well.
    pub fn tell(&self, digest: u128) {
        let _ = self.socket.send_to(&digest.to_le_bytes(), &self.gate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_awaited_receipt_opens_the_gate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate");
        let path = path.to_str().unwrap();
        let halted = AtomicBool::new(false);
        let receipts = Receipts::new(path).unwrap();
        receipts.tell(1);
        let gate = Gate::open(path).unwrap();
        assert!(Gate::open(path).is_err(), "a gate is bound once");
        receipts.tell(2);
        receipts.tell(3);
        assert!(gate.wait(3, i64::MAX, &halted).unwrap().is_some());
        let deadline_ns = now_ns() + 1_000_000;
        assert!(gate.wait(3, deadline_ns, &halted).unwrap() >= Some(deadline_ns));
        halted.store(true, Ordering::Relaxed);
        assert_eq!(gate.wait(3, i64::MAX, &halted).unwrap(), None);
        drop(gate);
        assert!(!std::path::Path::new(path).exists());
    }
}
