//! Receives frames on its own thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::NAME;
use crate::frame::{FrameReader, HEADER_BYTES};
use crate::line::{Line, Reader};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::socket::{SUBSCRIBER, wake};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

pub struct TcpSubscriber {
    line: Arc<Line>,
    closing: Arc<AtomicBool>,
    /// How the receiving thread ended, once it has.
    ended: Receiver<Option<String>>,
    receiver: Option<JoinHandle<()>>,
}

impl TcpSubscriber {
    pub fn connect(setup: &ClientSetup, mut sink: Box<dyn ReceivedSink>) -> Result<Self, ConnectError> {
        let local = |source| ConnectError::Local { transport: NAME, source };
        let (line, incoming) = Line::laid(setup, SUBSCRIBER)?;
        let closing = Arc::new(AtomicBool::new(false));
        let ends = closing.clone();
        let (tell, ended) = std::sync::mpsc::channel();
        let receiver = std::thread::Builder::new()
            .name("tcp-receiver".into())
            .spawn(move || {
                let end = receive(incoming, &ends, &mut *sink);
                drop(sink);
                let _ = tell.send(end);
            })
            .map_err(local)?;
        Ok(TcpSubscriber { line, closing, ended, receiver: Some(receiver) })
    }

    /// Closes our side, waits for the relay's up to `grace`; returns why the connection had ended early, if
    /// it had.
    fn end(&mut self, grace: Duration) -> Option<String> {
        self.closing.store(true, Ordering::SeqCst);
        let _ = self.line.close();
        let mut end = self.ended.recv_timeout(grace);
        wake(&*self.line);
        if end == Err(RecvTimeoutError::Timeout) {
            end = self.ended.recv().map_err(RecvTimeoutError::from);
        }
        let _ = self.receiver.take()?.join();
        end.unwrap_or_else(|_| Some("the receiving thread panicked: please report this".into()))
    }
}

/// Hands frames to the sink until the connection ends; returns why, if that was not requested.
fn receive(mut incoming: Reader, closing: &AtomicBool, sink: &mut dyn ReceivedSink) -> Option<String> {
    let mut frames = FrameReader::new();
    let reason = loop {
        match frames.next_frame(&mut incoming) {
            Ok(Some(frame)) => sink.received(&frame[HEADER_BYTES..], now_ns()),
            Ok(None) => break "the relay closed the connection".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    if closing.load(Ordering::SeqCst) {
        return None;
    }
    sink.broken(&reason);
    Some(reason)
}

impl Subscriber for TcpSubscriber {
    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        match self.end(grace) {
            None => Ok(()),
            Some(reason) => Err(FinishError::Broken { transport: NAME, reason }),
        }
    }
}

impl Drop for TcpSubscriber {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}
