//! The messages of a trial on their way into their file: each is told when it crossed the link, and what is needed of it is taken as it
//! passes by. So the file is written, and read by nobody while trials are made.

use wiredyno_model::trial::MessageRecord;
use wiredyno_seats::database::Timings;
use wiredyno_stats::histogram::HistogramError;
use wiredyno_store::MessagesWriter;

use crate::accounting::AccountError;
use crate::crossing::Crossings;
use crate::observe::{EXACT_MESSAGES, Observations, Observing};

/// What messages pass by.
pub(super) struct Passing {
    crossings: Crossings,
    file: MessagesWriter,
    observing: Observing,
    timings: Option<Timings>,
}

/// What they left behind.
pub(super) struct Passed {
    /// How many of them have a crossing that is known; `None` where nothing tells.
    pub(super) crossed: Option<u64>,
    pub(super) observations: Observations,
    /// Where records come from a database.
    pub(super) timings: Option<Timings>,
}

impl Passing {
    /// For so many messages.
    pub(super) fn of(
        messages: u64,
        crossings: Crossings,
        file: MessagesWriter,
        timings: Option<Timings>,
    ) -> Result<Self, HistogramError> {
        let observing = Observing::new(messages, messages <= EXACT_MESSAGES)?;
        Ok(Passing { crossings, file, observing, timings })
    }

    /// Takes the next, in order of sending. `digest` is that of its body.
    pub(super) fn keep(&mut self, digest: u128, message: MessageRecord) -> Result<(), AccountError> {
        let message = self.crossings.told(digest, message);
        self.observing.add(&message)?;
        self.timings.as_mut().into_iter().for_each(|timings| timings.add(&message));
        Ok(self.file.push(message)?)
    }

    /// All have passed.
    pub(super) fn end(self) -> Result<Passed, AccountError> {
        let Passing { crossings, file, observing, timings } = self;
        file.finish()?;
        Ok(Passed { crossed: crossings.known(), observations: observing.told(), timings })
    }
}
