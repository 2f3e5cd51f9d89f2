//! Takes samples from the library's reader, on its own thread, which the library wakes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use rustdds::no_key::SimpleDataReader;
use wiredyno_dds::{Options, Setting};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

use crate::NAME;
use crate::body::Octets;
use crate::participant::{Participant, local};

pub struct DdsSubscriber {
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<String>>>,
    _participant: Participant,
}

/// Wakes the thread that takes samples.
struct Sleeper(Thread);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl DdsSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        mut sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let participant = Participant::join(setup, setting, options)?;
        let subscriber = participant.library.create_subscriber(&participant.qos).map_err(local)?;
        let reader: SimpleDataReader<Vec<u8>, Octets> =
            subscriber.create_simple_datareader_no_key(&participant.topic, None).map_err(local)?;
        let closing = Arc::new(AtomicBool::new(false));
        let closed = closing.clone();
        let thread = std::thread::Builder::new()
            .name("dds-subscriber".into())
            .spawn(move || {
                let run = || receive(&reader, &closed, &mut *sink);
                let end = catch_unwind(AssertUnwindSafe(run));
                let end = end.unwrap_or_else(|_| Some("the receiving thread panicked".to_owned()));
                if let Some(reason) = &end {
                    sink.broken(reason);
                }
                end
            })
            .map_err(|source| ConnectError::Local { transport: NAME, source })?;
        Ok(DdsSubscriber { closing, thread: Some(thread), _participant: participant })
    }

    fn end(&mut self) -> Option<String> {
        let thread = self.thread.take()?;
        self.closing.store(true, Ordering::SeqCst);
        thread.thread().unpark();
        thread.join().unwrap_or_else(|_| Some("the receiving thread panicked".to_owned()))
    }
}

/// Hands samples to the sink until it should end; returns why, if it can't continue.
fn receive(
    reader: &SimpleDataReader<Vec<u8>, Octets>,
    closing: &AtomicBool,
    sink: &mut dyn ReceivedSink,
) -> Option<String> {
    let waker = Waker::from(Arc::new(Sleeper(std::thread::current())));
    while !closing.load(Ordering::SeqCst) {
        // A waker is used once; samples that arrive from now on use this one.
        reader.set_waker(Some(waker.clone()));
        reader.drain_read_notifications();
        loop {
            match reader.try_take_one() {
                Ok(Some(taken)) => sink.received(&taken.sample, now_ns()),
                Ok(None) => break,
                Err(error) => return Some(error.to_string()),
            }
        }
        std::thread::park();
    }
    None
}

impl Subscriber for DdsSubscriber {
    fn finish(mut self: Box<Self>, _grace: Duration) -> Result<(), FinishError> {
        match self.end() {
            None => Ok(()),
            Some(reason) => Err(FinishError::Broken { transport: NAME, reason }),
        }
    }
}

impl Drop for DdsSubscriber {
    fn drop(&mut self) {
        self.end();
    }
}
