//! Several datagrams per system call: sendmmsg(2) and recvmmsg(2).

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use nix::libc;
use nix::sys::socket::{SockaddrLike, SockaddrStorage};

/// Most datagrams in one call.
pub const MOST: usize = 32;

/// One more than the longest datagram, so that truncation would be noticed.
const ROOM_BYTES: usize = 65_536;

/// A message header with all fields zero.
fn empty() -> libc::mmsghdr {
    // SAFETY: a structure of integers and pointers, for all of which zero is valid.
    unsafe { std::mem::zeroed() }
}

/// Bodies to be sent together.
#[derive(Default)]
pub struct Outgoing {
    bytes: Vec<u8>,
    /// Where each body ends in `bytes`.
    ends: Vec<usize>,
}

impl Outgoing {
    pub fn add(&mut self, body: &[u8]) {
        self.bytes.extend_from_slice(body);
        self.ends.push(self.bytes.len());
    }

    pub fn count(&self) -> usize {
        self.ends.len()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Sends those from `first` on, at most [`MOST`], to an address or to the socket's connected peer; returns how many the
    /// kernel took, at least one if there are any.
    ///
    /// # Errors
    /// The error of the first datagram, if it was not taken.
    pub fn send(&mut self, first: usize, socket: &UdpSocket, to: Option<SocketAddr>) -> io::Result<usize> {
        let mut to = to.map(SockaddrStorage::from);
        let mut parts = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; MOST];
        let mut headers = [empty(); MOST];
        let count = (self.count() - first).min(MOST);
        for (place, (part, header)) in parts.iter_mut().zip(&mut headers).take(count).enumerate() {
            let begin = (first + place).checked_sub(1).map_or(0, |before| self.ends[before]);
            let body = &mut self.bytes[begin..self.ends[first + place]];
            *part = libc::iovec { iov_base: body.as_mut_ptr().cast(), iov_len: body.len() };
            header.msg_hdr.msg_iov = part;
            header.msg_hdr.msg_iovlen = 1;
            if let Some(to) = &mut to {
                header.msg_hdr.msg_name = std::ptr::from_mut(to).cast();
                header.msg_hdr.msg_namelen = to.len();
            }
        }
        // SAFETY: `count` headers, each with one part in `bytes` and an address or none; all of that outlives the call.
        let taken = unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count as u32, 0) };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }
}

/// Datagrams that arrived together.
pub struct Incoming {
    room: Vec<u8>,
    lengths: [usize; MOST],
}

impl Incoming {
    pub fn new() -> Self {
        // Pages that no datagram reaches are never touched, and use no memory.
        Incoming { room: vec![0; MOST * ROOM_BYTES], lengths: [0; MOST] }
    }

    /// Waits for a datagram and takes all available ones, up to [`MOST`]; returns how many. A socket that was shut down gives an
    /// empty datagram.
    ///
    /// # Errors
    /// The operating system's error.
    pub fn receive(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        let mut parts = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; MOST];
        let mut headers = [empty(); MOST];
        let rooms = self.room.chunks_exact_mut(ROOM_BYTES);
        for ((part, header), room) in parts.iter_mut().zip(&mut headers).zip(rooms) {
            *part = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
            header.msg_hdr.msg_iov = part;
            header.msg_hdr.msg_iovlen = 1;
        }
        let (fd, none) = (socket.as_raw_fd(), std::ptr::null_mut());
        let (most, flags) = (MOST as u32, libc::MSG_WAITFORONE as _);
        // SAFETY: `most` headers, each with one separate part of `room`, which outlives the call.
        let count = unsafe { libc::recvmmsg(fd, headers.as_mut_ptr(), most, flags, none) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        for (length, header) in self.lengths.iter_mut().zip(&headers).take(count) {
            *length = header.msg_len as usize;
        }
        Ok(count)
    }

    /// One of the last received datagrams.
    pub fn datagram(&self, place: usize) -> &[u8] {
        let begin = place * ROOM_BYTES;
        &self.room[begin..begin + self.lengths[place]]
    }
}
