//! Writes samples in the calling thread, which also sends them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_dds::{BODY_LIMIT_BYTES, Options, Setting, await_matches};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

use crate::participant::{Participant, local, made};
use crate::security::explained;
use crate::sys::{self, Body, Entity, Incompatible, Matched};
use crate::{CycloneDds, NAME};

pub struct DdsPublisher {
    writer: Entity,
    participant: Participant,
    sink: Arc<dyn SentSink>,
    max_samples: i32,
    reliable: bool,
    /// Whether samples are held for those that follow.
    batches: bool,
}

impl DdsPublisher {
    pub fn connect(
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Arc<dyn SentSink>,
    ) -> Result<Self, ConnectError> {
        let until = Instant::now() + setup.limit;
        let participant = Participant::join(setup, setting, options)?;
        // SAFETY: the handles are ours, the policies outlive the call, a null listener is none.
        let writer = unsafe {
            sys::dds_create_writer(
                participant.entity,
                participant.topic,
                participant.qos.as_ptr(),
                std::ptr::null(),
            )
        };
        let writer = made(setup, writer)?;
        let publisher = DdsPublisher {
            writer,
            participant,
            sink,
            max_samples: options.max_samples,
            reliable: setting.reliable,
            batches: options.write_batch,
        };
        publisher.await_matches(setup, until).map_err(|error| explained(setup, error))?;
        Ok(publisher)
    }

    /// Waits until as many readers are matched as there are subscribers.
    fn await_matches(&self, setup: &ClientSetup, until: Instant) -> Result<(), ConnectError> {
        await_matches::<CycloneDds>(setup, self.participant.address, until, || {
            let (mut matched, mut incompatible) = (Matched::default(), Incompatible::default());
            // SAFETY: `matched` has room for the status; the writer is ours.
            sys::checked(unsafe { sys::dds_get_publication_matched_status(self.writer, &raw mut matched) })
                .map_err(local)?;
            // SAFETY: as above.
            sys::checked(unsafe {
                sys::dds_get_offered_incompatible_qos_status(self.writer, &raw mut incompatible)
            })
            .map_err(local)?;
            if matched.current_count < setup.subscribers && incompatible.total_count > 0 {
                return Err(ConnectError::Unfit {
                    transport: NAME,
                    endpoint: setup.endpoint,
                    reason: format!(
                        "a subscriber requests more of policy {} than is offered",
                        incompatible.last_policy_id
                    ),
                });
            }
            Ok(matched.current_count)
        })
    }
}

impl DdsPublisher {
    /// Hands a sample over, and sends held samples if none follows.
    fn write(&self, token: u64, body: &[u8], followed: bool) -> Result<(), SendError> {
        if body.len() > BODY_LIMIT_BYTES {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: BODY_LIMIT_BYTES,
            });
        }
        let length = body.len() as u32;
        let sample = Body { maximum: length, length, buffer: body.as_ptr().cast_mut(), release: false };
        // SAFETY: a sample of the topic's type, which the library reads without keeping a reference.
        let mut code = unsafe { sys::dds_write(self.writer, (&raw const sample).cast()) };
        if code >= 0 && self.batches && !followed {
            code = self.flush();
        }
        match code {
            0.. => {
                self.sink.sent(token, now_ns());
                Ok(())
            }
            sys::TIMEOUT => {
                let limit = format!("{} samples, or what the library's watermarks allow", self.max_samples);
                Err(SendError::Full { transport: NAME, limit })
            }
            code => {
                let reason = sys::meaning(code);
                self.sink.broken(&reason);
                Err(SendError::Broken { transport: NAME, reason })
            }
        }
    }

    fn flush(&self) -> i32 {
        // SAFETY: the writer is ours.
        unsafe { sys::dds_write_flush(self.writer) }
    }
}

impl Publisher for DdsPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        self.write(token, body, false)
    }

    fn send_followed(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        self.write(token, body, true)
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        if self.batches {
            self.flush();
        }
        if !self.reliable {
            return Ok(());
        }
        let span = i64::try_from(grace.as_nanos()).unwrap_or(sys::EVER);
        // SAFETY: the writer is ours.
        match unsafe { sys::dds_wait_for_acks(self.writer, span) } {
            0.. => Ok(()),
            sys::TIMEOUT => Err(FinishError::Unfinished {
                transport: NAME,
                grace,
                reason: "a subscriber has not acknowledged all of it".to_owned(),
            }),
            code => Err(FinishError::Broken { transport: NAME, reason: sys::meaning(code) }),
        }
    }
}
