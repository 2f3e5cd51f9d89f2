//! Hands samples to the library's writer, whose thread sends them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustdds::dds::WriteError;
use rustdds::no_key::DataWriter;
use rustdds::{DataWriterStatus, StatusEvented};
use wiredyno_dds::{BODY_LIMIT_BYTES, Options, Setting, await_matches};
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Publisher, SendError, SentSink};

use crate::body::{Octets, Sample};
use crate::participant::{Participant, local};
use crate::{NAME, RustDds};

pub struct DdsPublisher {
    // Before the participant, which waits for its writers when dropped.
    writer: DataWriter<Sample, Octets>,
    participant: Participant,
    sink: Arc<dyn SentSink>,
    max_samples: i32,
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
        let publisher = participant.library.create_publisher(&participant.qos).map_err(local)?;
        let writer = publisher.create_datawriter_no_key(&participant.topic, None).map_err(local)?;
        let publisher = DdsPublisher { writer, participant, sink, max_samples: options.max_samples };
        publisher.await_matches(setup, until)?;
        Ok(publisher)
    }

    /// Waits until as many readers are matched as there are subscribers.
    fn await_matches(&self, setup: &ClientSetup, until: Instant) -> Result<(), ConnectError> {
        let mut found = 0;
        await_matches::<RustDds>(setup, self.participant.address, until, || {
            // The library keeps the last four changes of the status.
            while let Some(status) = self.writer.try_recv_status() {
                match status {
                    DataWriterStatus::PublicationMatched { current, .. } => {
                        found = u32::try_from(current.count()).unwrap_or_default();
                    }
                    DataWriterStatus::OfferedIncompatibleQos { last_policy_id, .. } => {
                        return Err(ConnectError::Unfit {
                            transport: NAME,
                            endpoint: setup.endpoint,
                            reason: format!(
                                "a subscriber requests a different {last_policy_id:?} than is offered"
                            ),
                        });
                    }
                    _ => {}
                }
            }
            Ok(found)
        })
    }
}

impl Publisher for DdsPublisher {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        if body.len() > BODY_LIMIT_BYTES {
            return Err(SendError::TooLarge {
                transport: NAME,
                body_bytes: body.len(),
                limit_bytes: BODY_LIMIT_BYTES,
            });
        }
        match self.writer.write(Sample::of(body), None) {
            Ok(()) => {
                self.sink.sent(token, now_ns());
                Ok(())
            }
            Err(WriteError::WouldBlock { .. }) => {
                Err(SendError::Full { transport: NAME, limit: format!("{} samples", self.max_samples) })
            }
            Err(error) => {
                let reason = error.to_string();
                self.sink.broken(&reason);
                Err(SendError::Broken { transport: NAME, reason })
            }
        }
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let unfinished = |reason: String| FinishError::Unfinished { transport: NAME, grace, reason };
        match self.writer.wait_for_acknowledgments(grace) {
            Ok(true) => Ok(()),
            Ok(false) => Err(unfinished("a subscriber has not acknowledged all of it".to_owned())),
            Err(error) => Err(unfinished(error.to_string())),
        }
    }
}
