//! What a host has sent into the link, by the kernel's counters of its device: a reading that does not disturb the lane's process.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::{DEVICE, HostHandle};
use crate::spec::ETHERNET_HEADER_BYTES;

/// Enough for the lines of loopback and the device.
const TEXT_BYTES: usize = 2_048;

/// The counters of one host's device (`/proc/net/dev` of its namespace, proc_pid_net(5)), kept open.
#[derive(Debug)]
pub struct Entered(File);

impl HostHandle {
    /// Opens the counters of its device.
    ///
    /// # Errors
    /// When a thread can't enter the host.
    pub fn entered(&self) -> io::Result<Entered> {
        let host = self.clone();
        let open = move || {
            host.enter_thread()?;
            File::open("/proc/thread-self/net/dev").map(Entered)
        };
        let thread = std::thread::Builder::new().name("on a host".into()).spawn(open)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread on the host panicked")))
    }
}

impl Entered {
    /// Bytes that have entered the link from this host since the lane was made, each packet with its Ethernet header, as the accounts
    /// count them; packets outside any flow are included.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn bytes(&self) -> io::Result<u64> {
        let mut text = [0; TEXT_BYTES];
        let length = self.0.read_at(&mut text, 0)?;
        let text = String::from_utf8_lossy(&text[..length]);
        of_text(&text).ok_or_else(|| io::Error::other(format!("no counters of {DEVICE} in {text}")))
    }
}

/// After the device's name come eight numbers about what it received, then bytes and packets that it sent.
fn of_text(text: &str) -> Option<u64> {
    let counts = text.lines().find_map(|line| line.trim_start().strip_prefix(DEVICE)?.strip_prefix(':'))?;
    let mut sent = counts.split_whitespace().skip(8).map_while(|word| word.parse::<u64>().ok());
    let (bytes, packets) = (sent.next()?, sent.next()?);
    Some(bytes + packets * u64::from(ETHERNET_HEADER_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_device_sent_is_read_with_a_header_for_each_packet() {
        let text = "Inter-|   Receive                                                |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
            lo:       1       2    0    0    0     0          0         0        3       4    0    0    0     0       0          0\n\
            wiredyno0:     500       6    0    0    0     0          0         0     1000      10    0    7    0     0       0          0\n";
        assert_eq!(of_text(text), Some(1_140));
        assert_eq!(of_text("lo: 1 2 3"), None);
    }
}
