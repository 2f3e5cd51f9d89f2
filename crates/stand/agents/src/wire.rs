//! Messages over a connection: four bytes of length, in network order, and a JSON document.
//!
//! A peer that sends byte by byte can't hold anyone longer than a silent one: [`Limited`] ends each wait at its deadline, where TLS libraries would read on
//! as long as bytes arrive.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use nix::sys::socket::{setsockopt, sockopt};
use rustls::{ConnectionCommon, SideData, StreamOwned};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wiredyno_process::clock::monotonic_ns;

use crate::messages::{LEASE, plain};

/// The pause after which a waiting thread checks whether it should end.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// The time without data after which a connection is probed, in seconds.
const KEEP_ALIVE_S: u32 = 20;

/// The longest message, in bytes.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 16 << 10;

const LENGTH_BYTES: usize = 4;

/// Why a message was not received or sent.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Nothing came in time.
    #[error("no answer came within {within_ms} ms")]
    Silent {
        /// Milliseconds waited.
        within_ms: u128,
    },
    /// The other side has ended the connection.
    #[error("the connection was closed")]
    Closed,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(#[source] io::Error),
    /// What arrived is not a message of this protocol.
    #[error("what arrived is not a message of this protocol: {0}")]
    Nonsense(String),
    /// Whoever waited has been told to stop.
    #[error("interrupted")]
    Interrupted,
}

/// A stream whose reads and writes fail with `TimedOut` from a moment on.
pub(crate) struct Limited {
    stream: TcpStream,
    until: Instant,
}

impl Limited {
    /// Nothing waits longer than a look, or a lease to write.
    pub(crate) fn new(stream: TcpStream, until: Instant) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        // Address translators on the path keep a connection that is idle for long, and one to a machine that is gone is noticed.
        setsockopt(&stream, sockopt::KeepAlive, &true)?;
        setsockopt(&stream, sockopt::TcpKeepIdle, &KEEP_ALIVE_S)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(LEASE))?;
        Ok(Limited { stream, until })
    }

    fn in_time(&self) -> io::Result<()> {
        if Instant::now() < self.until { Ok(()) } else { Err(io::ErrorKind::TimedOut.into()) }
    }
}

impl<C> Frames<StreamOwned<C, Limited>> {
    /// The address of this side.
    pub(crate) fn local_address(&self) -> io::Result<IpAddr> {
        Ok(self.stream.sock.stream.local_addr()?.ip().to_canonical())
    }
}

impl Read for Limited {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.in_time()?;
        self.stream.read(out)
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.in_time()?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A stream that can be given a moment after which it no longer waits.
pub(crate) trait Limit: Read + Write {
    fn limit(&mut self, until: Instant);
}

impl<C, S> Limit for StreamOwned<C, Limited>
where
    C: DerefMut + Deref<Target = ConnectionCommon<S>>,
    S: SideData,
{
    fn limit(&mut self, until: Instant) {
        self.sock.until = until;
    }
}

/// Completes a handshake.
pub(crate) fn shake<C, S>(
    stream: &mut StreamOwned<C, Limited>,
    until: Instant,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), WireError>
where
    C: DerefMut + Deref<Target = ConnectionCommon<S>>,
    S: SideData,
{
    let begun = Instant::now();
    stream.limit(until);
    while stream.conn.is_handshaking() {
        match stream.conn.complete_io(&mut stream.sock) {
            Ok(_) => {}
            Err(error) if is_pause(&error) => {}
            Err(error) => return Err(WireError::Broken(error)),
        }
        if !goes_on() {
            return Err(WireError::Interrupted);
        }
        if Instant::now() >= until {
            return Err(WireError::Silent { within_ms: begun.elapsed().as_millis() });
        }
    }
    Ok(())
}

/// One side of a connection. Its stream returns from reads that take long, with `WouldBlock` or `TimedOut`.
pub(crate) struct Frames<S> {
    stream: S,
    pending: Vec<u8>,
}

impl<S: Limit> Frames<S> {
    pub(crate) fn new(stream: S) -> Self {
        Frames { stream, pending: Vec::new() }
    }

    pub(crate) fn send(&mut self, message: &impl Serialize) -> Result<(), WireError> {
        let text = serde_json::to_vec(message).map_err(|error| WireError::Nonsense(error.to_string()))?;
        let length = u32::try_from(text.len()).ok().filter(|_| text.len() <= MOST_BYTES);
        let length = length
            .ok_or_else(|| WireError::Nonsense(format!("{} bytes are too many to send", text.len())))?;
        // Together, so that they leave in one record.
        let all = [&length.to_be_bytes()[..], &text].concat();
        self.stream.limit(Instant::now() + LEASE);
        self.stream.write_all(&all).and_then(|()| self.stream.flush()).map_err(WireError::Broken)
    }

    /// The next message, and when it arrived. Checks `goes_on` from time to time.
    pub(crate) fn receive<T: DeserializeOwned>(
        &mut self,
        until: Instant,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(T, i64), WireError> {
        let length = self.frame(until, goes_on)?;
        let at_ns = monotonic_ns();
        let frame = &self.pending[LENGTH_BYTES..length];
        // The library quotes what arrived, and people will read it.
        let read =
            serde_json::from_slice(frame).map_err(|error| WireError::Nonsense(plain(&error.to_string())))?;
        self.pending.drain(..length);
        Ok((read, at_ns))
    }

    /// Waits for a frame; returns its length, head included.
    fn frame(&mut self, until: Instant, goes_on: &dyn Fn() -> bool) -> Result<usize, WireError> {
        let begun = Instant::now();
        self.stream.limit(until);
        loop {
            if let Some(length) = self.complete()? {
                return Ok(length);
            }
            if !goes_on() {
                return Err(WireError::Interrupted);
            }
            if Instant::now() >= until {
                return Err(WireError::Silent { within_ms: begun.elapsed().as_millis() });
            }
            self.read_more()?;
        }
    }

    /// Sends bytes that are not a document.
    pub(crate) fn send_piece(&mut self, piece: &[u8]) -> Result<(), WireError> {
        let length = u32::try_from(piece.len()).ok().filter(|_| piece.len() <= MOST_BYTES);
        let length = length
            .ok_or_else(|| WireError::Nonsense(format!("{} bytes are too many to send", piece.len())))?;
        // As long as a slow path needs for a piece.
        self.stream.limit(Instant::now() + 2 * LEASE);
        let all = [&length.to_be_bytes()[..], piece].concat();
        self.stream.write_all(&all).and_then(|()| self.stream.flush()).map_err(WireError::Broken)
    }

    /// The next bytes that are not a document.
    pub(crate) fn receive_piece(
        &mut self,
        until: Instant,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, WireError> {
        let length = self.frame(until, goes_on)?;
        let piece = self.pending[LENGTH_BYTES..length].to_vec();
        self.pending.drain(..length);
        Ok(piece)
    }

    /// The length of the first frame with its head, if all of it is here.
    fn complete(&self) -> Result<Option<usize>, WireError> {
        let Some(head) = self.pending.first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = u32::from_be_bytes(*head) as usize;
        if length > MOST_BYTES {
            return Err(WireError::Nonsense(format!(
                "it announces {length} bytes, but at most {MOST_BYTES} are allowed"
            )));
        }
        Ok((self.pending.len() >= LENGTH_BYTES + length).then_some(LENGTH_BYTES + length))
    }

    fn read_more(&mut self) -> Result<(), WireError> {
        let mut chunk = [0; CHUNK_BYTES];
        match self.stream.read(&mut chunk) {
            Ok(0) => Err(WireError::Closed),
            Ok(count) => {
                self.pending.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(error) if is_pause(&error) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(WireError::Closed),
            Err(error) => Err(WireError::Broken(error)),
        }
    }
}

/// Whether a read has only taken its time.
fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::net::TcpListener;

    use super::*;

    /// What it reads, piece by piece; an empty piece is a pause.
    struct Pieces(VecDeque<Vec<u8>>, Vec<u8>);

    impl Read for Pieces {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.0.pop_front() else { return Ok(0) };
            if piece.is_empty() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            out[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Limit for Pieces {
        fn limit(&mut self, _: Instant) {}
    }

    fn frames(pieces: &[&[u8]]) -> Frames<Pieces> {
        Frames::new(Pieces(pieces.iter().map(|piece| piece.to_vec()).collect(), Vec::new()))
    }

    fn next(frames: &mut Frames<Pieces>) -> Result<Vec<u32>, WireError> {
        frames.receive(Instant::now() + Duration::from_secs(600), &|| true).map(|(message, _)| message)
    }

    #[test]
    fn messages_arrive_whole_in_whatever_pieces() {
        let mut sending = frames(&[]);
        sending.send(&[1, 2]).unwrap();
        sending.send(&[3]).unwrap();
        let bytes = sending.stream.1;
        assert_eq!(&bytes[..4], [0, 0, 0, 5]);
        for cut in 0..=bytes.len() {
            let mut receiving = frames(&[&bytes[..cut], &[], &bytes[cut..]]);
            assert_eq!(next(&mut receiving).unwrap(), [1, 2], "cut at {cut}");
            assert_eq!(next(&mut receiving).unwrap(), [3]);
            assert!(matches!(next(&mut receiving), Err(WireError::Closed)));
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for wrong in [&[0xff, 0xff, 0xff, 0xff][..], b"\0\0\0\x02{]", b"\0\0\0\0", b"GET / HTTP/1.1\r\n\r\n"]
        {
            assert!(matches!(next(&mut frames(&[wrong])), Err(WireError::Nonsense(_))), "{wrong:?}");
        }
        assert!(matches!(next(&mut frames(&[b"\0\0\0\x05[1"])), Err(WireError::Closed)));
        let long = vec![0; MOST_BYTES];
        assert!(matches!(frames(&[]).send(&long), Err(WireError::Nonsense(_))));
    }

    #[test]
    fn what_a_peer_sends_is_quoted_without_what_a_terminal_would_obey() {
        let text = b"\"\\u001b]0;title\\u0007\"";
        let frame = [&(text.len() as u32).to_be_bytes()[..], text].concat();
        let error = frames(&[&frame]).receive::<crate::messages::Request>(Instant::now() + LEASE, &|| true);
        let said = error.unwrap_err().to_string();
        assert!(said.contains("title") && !said.contains('\u{1b}'), "{said:?}");
    }

    #[test]
    fn a_stream_has_an_end_though_bytes_keep_coming() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        other.write_all(&[7; 4]).unwrap();
        let far = Instant::now() + Duration::from_secs(600);
        let mut limited = Limited::new(listener.accept().unwrap().0, far).unwrap();
        assert_eq!(limited.read(&mut [0]).unwrap(), 1);
        limited.until = Instant::now();
        for error in [limited.read(&mut [0]).unwrap_err(), limited.write(&[0]).unwrap_err()] {
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        }
    }

    #[test]
    fn waiting_ends_at_its_moment_and_at_an_interrupt() {
        let pauses: Vec<&[u8]> = vec![&[]; 10];
        let silent = frames(&pauses).receive::<u32>(Instant::now(), &|| true);
        assert!(matches!(silent, Err(WireError::Silent { .. })));
        let far = Instant::now() + Duration::from_secs(600);
        assert!(matches!(frames(&pauses).receive::<u32>(far, &|| false), Err(WireError::Interrupted)));
    }
}
