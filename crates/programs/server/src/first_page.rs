//! The first page of the list of tests, as bytes: every open page of the platform asks for it, and making it of a thousand tests takes time that trials
//! would miss.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;

use crate::error::ApiResult;

/// How long it may be as it was: only what the running test does changes without an event of the queue.
const FRESH: Duration = Duration::from_millis(500);

/// The page that was made last.
#[derive(Default)]
pub struct FirstPage(Mutex<Option<Made>>);

struct Made {
    at: Instant,
    /// The number of the last event of the queue before.
    queue: u64,
    page: Bytes,
}

impl FirstPage {
    /// The page, made anew if the queue has changed since or it is old. Whoever asks meanwhile waits for it. `queue` says the number of the queue's last event.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn get(
        &self,
        queue: impl FnOnce() -> u64,
        make: impl FnOnce() -> ApiResult<Vec<u8>>,
    ) -> ApiResult<Bytes> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Not before: who waited here would make what another has just made.
        let queue = queue();
        if let Some(made) = kept.as_ref().filter(|made| made.queue == queue && made.at.elapsed() < FRESH) {
            return Ok(made.page.clone());
        }
        let page = Bytes::from(make()?);
        *kept = Some(Made { at: Instant::now(), queue, page: page.clone() });
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_page_is_made_again_when_the_queue_has_changed() {
        let (pages, mut made) = (FirstPage::default(), 0);
        let mut get = |queue| {
            let make = || {
                made += 1;
                Ok(vec![made])
            };
            pages.get(|| queue, make).unwrap()[0]
        };
        assert_eq!(get(7), 1);
        assert_eq!(get(8), 2, "an event of the queue came");
        std::thread::sleep(FRESH);
        assert_eq!(get(8), 3, "and half a second is over");
    }
}
