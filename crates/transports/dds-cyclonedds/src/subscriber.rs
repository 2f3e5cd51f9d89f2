//! Takes samples from the library's reader, on its own thread, which waits for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use std::time::Duration;

use wiredyno_dds::{Options, Setting};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

use crate::NAME;
use crate::participant::{Participant, local, made};
use crate::sys::{self, ANY_STATE, EVER, Entity};

const MOST: usize = 32;

pub struct DdsSubscriber {
    guard: Entity,
    thread: Option<JoinHandle<Option<String>>>,
    _participant: Participant,
}

/// What the thread waits for, as reported by the waitset.
const SAMPLES: isize = 0;
const END: isize = 1;

/// Handles for waiting on a reader.
struct Waiting {
    reader: Entity,
    waitset: Entity,
}

impl DdsSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        mut sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let participant = Participant::join(setup, setting, options)?;
        let (waiting, guard) = begin(setup, &participant)?;
        let thread = std::thread::Builder::new()
            .name("dds-subscriber".into())
            .spawn(move || {
                let run = || receive(&waiting, &mut *sink);
                let end = catch_unwind(AssertUnwindSafe(run));
                let end = end.unwrap_or_else(|_| Some("the receiving thread panicked".to_owned()));
                if let Some(reason) = &end {
                    sink.broken(reason);
                }
                end
            })
            .map_err(|source| ConnectError::Local { transport: NAME, source })?;
        Ok(DdsSubscriber { guard, thread: Some(thread), _participant: participant })
    }

    fn end(&mut self) -> Option<String> {
        let thread = self.thread.take()?;
        // SAFETY: the condition is ours.
        unsafe { sys::dds_set_guardcondition(self.guard, true) };
        thread.join().unwrap_or_else(|_| Some("the receiving thread panicked".to_owned()))
    }
}

/// Creates a reader, a waitset for its samples, and a condition that ends the waiting.
fn begin(setup: &ClientSetup, participant: &Participant) -> Result<(Waiting, Entity), ConnectError> {
    let Participant { entity, topic, qos, .. } = participant;
    let checked = |code| sys::checked(code).map_err(local);
    // SAFETY: the handles are ours, the policies outlive the call, a null listener is none; all are deleted with
    // the participant.
    unsafe {
        let reader = sys::dds_create_reader(*entity, *topic, qos.as_ptr(), std::ptr::null());
        let reader = made(setup, reader)?;
        let samples = checked(sys::dds_create_readcondition(reader, ANY_STATE))?;
        let guard = checked(sys::dds_create_guardcondition(*entity))?;
        let waitset = checked(sys::dds_create_waitset(*entity))?;
        checked(sys::dds_waitset_attach(waitset, samples, SAMPLES))?;
        checked(sys::dds_waitset_attach(waitset, guard, END))?;
        Ok((Waiting { reader, waitset }, guard))
    }
}

/// Hands samples to the sink until it should end; returns why, if it can't continue.
fn receive(waiting: &Waiting, sink: &mut dyn ReceivedSink) -> Option<String> {
    loop {
        let mut blobs = [SAMPLES; 2];
        // SAFETY: there is room for as many results as conditions.
        let triggered =
            unsafe { sys::dds_waitset_wait(waiting.waitset, blobs.as_mut_ptr(), blobs.len(), EVER) };
        let triggered = match sys::checked(triggered) {
            Ok(triggered) => triggered as usize,
            Err(reason) => return Some(reason),
        };
        if blobs.iter().take(triggered).any(|blob| *blob == END) {
            return None;
        }
        if let Err(reason) = sys::take::<MOST>(waiting.reader, |body| sink.received(body, now_ns())) {
            return Some(reason);
        }
    }
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
