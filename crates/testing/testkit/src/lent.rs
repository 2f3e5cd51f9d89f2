//! A runner's process that is passed on to the next test.

use std::ops::{Deref, DerefMut};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};

use crate::Runner;

/// Processes that wait for the next test.
pub(crate) type Spare = Arc<Mutex<Vec<Runner>>>;

/// A process that one test has; when it is dropped it waits for the next one, unless its test has failed.
pub struct Lent {
    /// Absent only while it is dropped.
    runner: Option<Runner>,
    spare: Option<Spare>,
}

impl Lent {
    /// A process that goes to `spare` afterwards, and ends without one.
    pub(crate) fn new(runner: Runner, spare: Option<Spare>) -> Lent {
        Lent { runner: Some(runner), spare }
    }
}

impl Lent {
    /// Ends its input and waits for its end: see [`Runner::hang_up`].
    pub fn hang_up(mut self) -> ExitStatus {
        let runner = self.runner.take().unwrap_or_else(|| unreachable!("only a dropped one is empty"));
        runner.hang_up()
    }
}

impl Deref for Lent {
    type Target = Runner;

    fn deref(&self) -> &Runner {
        self.runner.as_ref().unwrap_or_else(|| unreachable!("only a dropped one is empty"))
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Runner {
        self.runner.as_mut().unwrap_or_else(|| unreachable!("only a dropped one is empty"))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let kept = self.spare.as_ref().filter(|_| !std::thread::panicking());
        if let (Some(mut waiting), Some(runner)) =
            (kept.and_then(|spare| spare.lock().ok()), self.runner.take())
        {
            waiting.push(runner);
        }
    }
}
