//! Sends frames from the calling thread as long as the kernel takes them at once; the rest waits for a writer
//! thread, so that the schedule never waits.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Read};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::NAME;
use crate::frame::{BODY_LIMIT_BYTES, HEADER_BYTES};
use crate::line::{Line, Reader};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::{PUBLISHER, wake};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

/// Most bytes held of messages that others follow: what FrameReader reads at once.
const HELD_BYTES: usize = 64 << 10;

pub struct TcpPublisher {
    shared: Arc<Shared>,
    /// What the relay sends besides messages: the end of its stream, and TLS records.
    incoming: Reader,
    /// Frames of messages that others follow: tokens, and where each ends.
    held: Vec<u8>,
    ends: Vec<(u64, usize)>,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    line: Arc<Line>,
    sink: Arc<dyn SentSink>,
    outbox: Mutex<Outbox>,
    changed: Condvar,
}

#[derive(Default)]
struct Outbox {
    /// Rests of frames that the kernel has not taken yet, in order.
    waiting: VecDeque<Rest>,
    /// Why nothing more can be sent, if so.
    broken: Option<String>,
    closing: bool,
}

struct Rest {
    token: u64,
    bytes: Vec<u8>,
    written: usize,
}

impl Shared {
    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, outbox: &mut Outbox, error: &io::Error) -> String {
        let reason = error.to_string();
        outbox.broken = Some(reason.clone());
        outbox.waiting.clear();
        self.changed.notify_all();
        self.sink.broken(&reason);
        reason
    }

    /// Writes as much as the kernel takes at once; returns how much.
    fn written(&self, outbox: &mut Outbox, parts: &[IoSlice<'_>]) -> Result<usize, SendError> {
        match self.line.write_parts(parts) {
            Ok(written) => Ok(written),
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(0),
            Err(error) => Err(SendError::Broken { transport: NAME, reason: self.fail(outbox, &error) }),
        }
    }

    /// Writes what is waiting until the kernel takes no more.
    fn drain(&self, outbox: &mut Outbox) -> io::Result<()> {
        while let Some(rest) = outbox.waiting.front_mut() {
            let left = &rest.bytes[rest.written..];
            // If nothing is left here, only bytes waiting in the library remain.
            let written = if left.is_empty() { Ok(0) } else { self.line.write_parts(&[IoSlice::new(left)]) };
            match written {
                Ok(0) if !left.is_empty() => return Ok(()),
                Ok(written) => rest.written += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            if rest.written == rest.bytes.len() {
                if !self.line.drain()? {
                    return Ok(());
                }
                self.sink.sent(rest.token, now_ns());
                outbox.waiting.pop_front();
            }
        }
        Ok(())
    }

    /// The writer thread: sleeps until something is waiting, then until the kernel takes more.
    fn write_rests(&self) {
        loop {
            let mut outbox = self.outbox();
            while outbox.waiting.is_empty() && !outbox.closing && outbox.broken.is_none() {
                outbox = self.changed.wait(outbox).unwrap_or_else(PoisonError::into_inner);
            }
            if outbox.waiting.is_empty() {
                return;
            }
            drop(outbox);
            let mut ready = [PollFd::new(self.line.as_fd(), PollFlags::POLLOUT)];
            let waited = poll(&mut ready, PollTimeout::NONE);
            let mut outbox = self.outbox();
            let result = match waited {
                Ok(_) | Err(nix::errno::Errno::EINTR) => self.drain(&mut outbox),
                Err(error) => Err(error.into()),
            };
            match result {
                Err(error) => {
                    self.fail(&mut outbox, &error);
                    return;
                }
                Ok(()) if outbox.waiting.is_empty() => self.changed.notify_all(),
                Ok(()) => {}
            }
        }
    }
}

impl TcpPublisher {
    pub fn connect(setup: &ClientSetup, sink: Arc<dyn SentSink>) -> Result<Self, ConnectError> {
        let local = |source| ConnectError::Local { transport: NAME, source };
        let (line, incoming) = Line::laid(setup, PUBLISHER)?;
        line.stream.set_nonblocking(true).map_err(local)?;
        let shared = Arc::new(Shared { line, sink, outbox: Mutex::default(), changed: Condvar::new() });
        let of_writer = shared.clone();
        let writer = std::thread::Builder::new()
            .name("tcp-writer".into())
            .spawn(move || of_writer.write_rests())
            .map_err(local)?;
        Ok(TcpPublisher { shared, incoming, held: Vec::new(), ends: Vec::new(), writer: Some(writer) })
    }

    /// Writes the held frames in one call; what the kernel does not take waits.
    fn flush(&mut self) -> Result<(), SendError> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let shared = &*self.shared;
        let mut outbox = shared.outbox();
        if let Some(reason) = &outbox.broken {
            return Err(SendError::Broken { transport: NAME, reason: reason.clone() });
        }
        let written = match outbox.waiting.is_empty() {
            true => shared.written(&mut outbox, &[IoSlice::new(&self.held)])?,
            false => 0,
        };
        let at_ns = now_ns();
        let drained = shared.line.is_drained();
        let mut begin = 0;
        for (token, end) in self.ends.drain(..) {
            if end <= written && drained {
                shared.sink.sent(token, at_ns);
            } else {
                let bytes = self.held[begin..end].to_vec();
                outbox.waiting.push_back(Rest { token, bytes, written: written.clamp(begin, end) - begin });
            }
            begin = end;
        }
        if !outbox.waiting.is_empty() {
            shared.changed.notify_all();
        }
        self.held.clear();
        Ok(())
    }
}

/// Checks that a body fits into a frame.
fn fitting(body: &[u8]) -> Result<(), SendError> {
    if body.len() <= BODY_LIMIT_BYTES {
        return Ok(());
    }
    Err(SendError::TooLarge { transport: NAME, body_bytes: body.len(), limit_bytes: BODY_LIMIT_BYTES })
}

impl Publisher for TcpPublisher {
    fn send_followed(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        fitting(body)?;
        self.held.extend_from_slice(&(body.len() as u32).to_be_bytes());
        self.held.extend_from_slice(body);
        self.ends.push((token, self.held.len()));
        if self.held.len() < HELD_BYTES { Ok(()) } else { self.flush() }
    }

    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if !self.ends.is_empty() {
            self.send_followed(token, body)?;
            return self.flush();
        }
        fitting(body)?;
        let shared = &*self.shared;
        let header = (body.len() as u32).to_be_bytes();
        let mut outbox = shared.outbox();
        if let Some(reason) = &outbox.broken {
            return Err(SendError::Broken { transport: NAME, reason: reason.clone() });
        }
        let written = if outbox.waiting.is_empty() {
            shared.written(&mut outbox, &[IoSlice::new(&header), IoSlice::new(body)])?
        } else {
            0
        };
        if written == HEADER_BYTES + body.len() && shared.line.is_drained() {
            drop(outbox);
            shared.sink.sent(token, now_ns());
        } else {
            let bytes = [&header, body].concat();
            outbox.waiting.push_back(Rest { token, bytes, written });
            shared.changed.notify_all();
        }
        Ok(())
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let until = Instant::now() + grace;
        // An error is reported below.
        let _ = self.flush();
        let shared = &*self.shared;
        let (outbox, _) = shared
            .changed
            .wait_timeout_while(shared.outbox(), grace, |outbox| {
                !outbox.waiting.is_empty() && outbox.broken.is_none()
            })
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = &outbox.broken {
            return Err(FinishError::Broken { transport: NAME, reason: reason.clone() });
        }
        let unfinished = |reason| FinishError::Unfinished { transport: NAME, grace, reason };
        if !outbox.waiting.is_empty() {
            return Err(unfinished(format!("{} messages were not sent", outbox.waiting.len())));
        }
        drop(outbox);
        // The relay closes its side when it has read everything: then nothing is in flight any more.
        let mut close = || {
            shared.line.close()?;
            shared.line.stream.set_nonblocking(false)?;
            let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            shared.line.stream.set_read_timeout(Some(left))?;
            self.incoming.read(&mut [0])
        };
        match close() {
            Ok(_) => Ok(()),
            Err(error) => Err(unfinished(format!("the relay did not close its side: {error}"))),
        }
    }
}

impl Drop for TcpPublisher {
    fn drop(&mut self) {
        self.shared.outbox().closing = true;
        self.shared.changed.notify_all();
        wake(&*self.shared.line);
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}
