//! Several datagrams in one call of the system: sendmmsg(2) and recvmmsg(2).

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use nix::libc;
use nix::sys::socket::{SockaddrLike, SockaddrStorage};

/// Datagrams in one call at most.
pub const MOST: usize = 32;

/// One more than the longest, so that none is cut unnoticed.
const ROOM_BYTES: usize = 65_536;

/// A message header without anything in it.
fn empty() -> libc::mmsghdr {
    // SAFETY: a structure of integers and pointers, for all of which zero is a value.
    unsafe { std::mem::zeroed() }
}

/// Bodies that are to be sent together.
#[derive(Default)]
pub struct Outgoing {
    bytes: Vec<u8>,
    /// Where each body ends.
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

    /// Sends those from `first` on, at most [`MOST`], to an address or where the socket is connected to; gives how many the
    /// kernel took, at least one of some.
    ///
    /// # Errors
    /// What became of the first, where it was not taken.
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
        // SAFETY: `count` headers, each with one part that lies in `bytes` and an address or none; all of that outlives the call.
        let taken = unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count as u32, 0) };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }
}

/// Datagrams that came together.
pub struct Incoming {
    room: Vec<u8>,
    lengths: [usize; MOST],
}

impl Incoming {
    pub fn new() -> Self {
        // What no datagram reaches is never touched, and takes no memory.
        Incoming { room: vec![0; MOST * ROOM_BYTES], lengths: [0; MOST] }
    }

    /// Waits for a datagram and takes all that are there, up to [`MOST`]; gives how many. A socket that was shut down gives an
    /// empty one.
    ///
    /// # Errors
    /// What the system says.
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
        // SAFETY: as many headers as it may fill, each with one part of `room` of its own, which outlives the call.
        let count = unsafe { libc::recvmmsg(fd, headers.as_mut_ptr(), most, flags, none) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        for (length, header) in self.lengths.iter_mut().zip(&headers).take(count) {
            *length = header.msg_len as usize;
        }
        Ok(count)
    }

    /// One of those that came last.
    pub fn datagram(&self, place: usize) -> &[u8] {
        let begin = place * ROOM_BYTES;
        &self.room[begin..begin + self.lengths[place]]
    }
}
