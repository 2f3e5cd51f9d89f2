//! Runs one test at a time, each as a child process `wiredyno run`: trials must not disturb one another, and namespaces need a program
//! with a single thread.
//!
//! One thread starts all children and lives as long as the server: the kernel kills a child when the thread that started it
//! ends (prctl(2), PR_SET_PDEATHSIG), so nothing keeps running after a server was killed. Such a test resumes at its next trial
//! when the server is restarted.
//!
//! One file because one thread takes a test from one state to the next, and what handlers ask is about that thread.

mod limits;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use wiredyno_model::progress::ProgressLine;
use wiredyno_model::summary::Summary;
use wiredyno_store::{RunFolder, StoreError};

use self::limits::{Exceeded, Limits};
use crate::clock::now_ms;
use crate::events::EventLog;
use crate::fleets::Fleets;
use crate::queue::{Due, EndedAttempt, Queue};
use crate::space;
use crate::test::{Kind, State, Test};
use crate::test_attempt::{Attempt, Child, Ended};
use crate::watch::{Current, MachineSample, Phase, Watch};

/// How long another process may hold a run folder, such as the rest of a run whose server was killed.
const HELD: Duration = Duration::from_secs(60);
/// How often a held run folder is checked.
const LOOK: Duration = Duration::from_millis(200);
/// The longest sleep of the idle thread.
const IDLE: Duration = Duration::from_secs(30);
/// How often readers of the queue are told of what is compiled.
const TOLD: Duration = Duration::from_secs(1);
/// How long the queue waits for space, and an end that could not be written for another attempt.
const AGAIN: Duration = Duration::from_secs(2);
/// A heart that has not beaten for this long has stopped: longer than anything that the thread waits for.
const DEAD: Duration = Duration::from_secs(120);

/// Settings of the scheduler.
pub struct Settings {
    /// Path of the program `wiredyno`.
    pub program: PathBuf,
    /// The server's data folder, absolute.
    pub data: PathBuf,
    /// Most attempts at a test.
    pub most_attempts: u32,
    /// The pause before the second attempt; it doubles with each further attempt.
    pub pause: Duration,
    /// Limit for compiling the runners of a test.
    pub most_compile: Duration,
    /// Limit for the trials of an attempt, in seconds.
    pub most_seconds: u64,
    /// The largest run folder, in bytes.
    pub most_bytes: u64,
    /// Free space below which no attempt begins, in bytes; below half of it a running one ends.
    pub least_free: u64,
    /// Whether running trials are shown second by second.
    pub live: bool,
}

/// The scheduler: the thread calls [`Scheduler::work`], handlers the rest.
pub struct Scheduler {
    settings: Settings,
    queue: Arc<Queue>,
    events: Arc<EventLog>,
    fleets: Arc<Fleets>,
    signals: Mutex<Signals>,
    woken: Condvar,
    current: Mutex<Option<Current>>,
    stalled: Mutex<Option<String>>,
    beaten: Mutex<Instant>,
    told: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Signals {
    ends: bool,
    changed: bool,
    cancelled: HashSet<i64>,
}

impl Scheduler {
    /// A scheduler, idle until [`Scheduler::work`] is called.
    pub fn new(settings: Settings, queue: Arc<Queue>, events: Arc<EventLog>, fleets: Arc<Fleets>) -> Self {
        let (signals, current) = (Mutex::default(), Mutex::new(None));
        let (stalled, beaten, told) = (Mutex::new(None), Mutex::new(Instant::now()), Mutex::new(None));
        Scheduler {
            settings,
            queue,
            events,
            fleets,
            signals,
            woken: Condvar::new(),
            current,
            stalled,
            beaten,
            told,
        }
    }

    /// Why no test is begun although some wait.
    pub fn stalled(&self) -> Option<String> {
        self.stalled.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the thread still works.
    pub fn is_alive(&self) -> bool {
        self.beaten.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < DEAD
    }

    fn beat(&self) {
        *self.beaten.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Wakes the thread because the queue has changed.
    pub fn wake(&self) {
        self.signal(|signals| signals.changed = true);
    }

    /// Asks for the running test to be cancelled.
    pub fn cancel(&self, test: i64) {
        self.signal(|signals| {
            signals.cancelled.insert(test);
        });
    }

    /// Ends [`Scheduler::work`]: the child stops cleanly, and its test resumes when the server is restarted.
    pub fn end(&self) {
        self.signal(|signals| signals.ends = true);
    }

    fn signal(&self, change: impl FnOnce(&mut Signals)) {
        change(&mut self.signals.lock().unwrap_or_else(PoisonError::into_inner));
        self.woken.notify_all();
    }

    fn ends(&self) -> bool {
        self.signals.lock().unwrap_or_else(PoisonError::into_inner).ends
    }

    fn is_cancelled(&self, test: i64) -> bool {
        self.signals.lock().unwrap_or_else(PoisonError::into_inner).cancelled.contains(&test)
    }

    /// Reads or changes the state of the running test.
    pub fn current<T>(&self, of: impl FnOnce(Option<&mut Current>) -> T) -> T {
        of(self.current.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
    }

    /// Processes tests until the server ends.
    pub fn work(&self) {
        let mut left_behind = true;
        while !self.ends() {
            self.beat();
            if self.lacks_space() {
                self.sleep(Some(now_ms() + AGAIN.as_millis() as i64));
                continue;
            }
            let (next, at) = match self.due(&mut left_behind) {
                Ok(next) => next,
                Err(error) => {
                    eprintln!("wiredyno-server: the queue can't be read: {error}");
                    (None, None)
                }
            };
            match next {
                Some(due) => self.process(&due),
                None => self.sleep(at),
            }
        }
    }

    /// The test whose turn it is, first those that were running when the server ended; or when the next retry is due.
    fn due(&self, left_behind: &mut bool) -> rusqlite::Result<(Option<Due>, Option<i64>)> {
        if *left_behind {
            if let Some(test) = self.queue.left_behind()? {
                return Ok((self.queue.due(test)?, None));
            }
            *left_behind = false;
        }
        let moving = self.fleets.moving();
        let (next, mut at) = self.queue.next(&moving)?;
        if !moving.is_empty() {
            let look = now_ms() + AGAIN.as_millis() as i64;
            at = Some(at.map_or(look, |at| at.min(look)));
        }
        Ok((next.map(|test| self.queue.due(test)).transpose()?.flatten(), at))
    }

    /// Whether there is too little space to begin a test. Readers of the queue are told when that changes.
    fn lacks_space(&self) -> bool {
        let lacking = space::lacking(&self.settings.data, self.settings.least_free);
        let lacks = lacking.is_some();
        let before = {
            let mut stalled = self.stalled.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *stalled, lacking).is_some()
        };
        if before != lacks {
            self.events.tell(None, true, json!({ "type": "reset" }));
        }
        lacks
    }

    fn sleep(&self, until_ms: Option<i64>) {
        let until = until_ms.map(|at| Duration::from_millis((at - now_ms()).max(1).unsigned_abs()));
        let limit = until.unwrap_or(IDLE).min(IDLE);
        let signals = self.signals.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |signals: &mut Signals| !signals.ends && !signals.changed;
        let woken = self.woken.wait_timeout_while(signals, limit, idle);
        woken.unwrap_or_else(PoisonError::into_inner).0.changed = false;
    }

    /// One attempt at a test.
    fn process(&self, due: &Due) {
        let id = due.test.id;
        if due.cancel_asked {
            // It was running when the server ended, after somebody had cancelled it.
            match self.queue.cancelled(id) {
                Ok(()) => self.tell_changed(id),
                Err(error) => {
                    eprintln!("wiredyno-server: test {id} can't be cancelled: {error}");
                    self.sleep(Some(now_ms() + AGAIN.as_millis() as i64));
                }
            }
            return;
        }
        let run = due.test.run.clone().unwrap_or_else(|| run_id(due));
        let number = match self.queue.begin(id, &run) {
            Ok(Some(number)) => number,
            Ok(None) => return,
            Err(error) => {
                eprintln!("wiredyno-server: test {id} can't start: {error}");
                std::thread::sleep(Duration::from_secs(1));
                return;
            }
        };
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Current { test: id, watch: Watch::default() });
        self.tell_changed(id);
        let ended = self.carry_out(due, &run, number);
        let Some(ended) = ended else {
            // The server ends: the test resumes when it is restarted.
            return;
        };
        let mut watch = self.current.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(current) = &mut watch {
            current.watch.end();
        }
        // A run that was found whole has not been watched.
        let ended = match &watch {
            Some(current) if due.test.kind == Kind::Study && ended.watched => {
                ended.or_unmeasured(&current.watch.state)
            }
            _ => ended,
        };
        let state = watch.and_then(|current| serde_json::to_string(&current.watch.state).ok());
        let ended = self.conclusion(due, ended, state);
        // Until it is written, no other test may begin. A server that ends meanwhile finds the run's end in its folder.
        let mut was_told = false;
        while let Err(error) = self.queue.end(id, number, &ended) {
            if !was_told {
                eprintln!(
                    "wiredyno-server: the result of test {id} can't be written, and will be retried: {error}"
                );
                was_told = true;
            }
            self.beat();
            if self.ends() {
                return;
            }
            std::thread::sleep(AGAIN);
        }
        self.signal(|signals| {
            signals.cancelled.remove(&id);
        });
        self.tell_changed(id);
        let data = json!({ "type": "ended", "state": ended.state, "reason": ended.reason, "run": run });
        self.events.tell(Some(id), false, data);
    }

    /// Carries out a run; `None` if the server ended meanwhile.
    fn carry_out(&self, due: &Due, run: &str, number: u32) -> Option<Ended> {
        let folder = self.settings.data.join("runs").join(run);
        let resumes = match self.await_folder(&folder, due.test.id) {
            Found::Whole => return Some(whole(&folder)),
            Found::Begun => true,
            Found::Nothing => false,
            Found::Held => {
                let reason = format!("the run folder {run} is being written by another process");
                return Some(Ended::failed(None, reason, true));
            }
            Found::Ends => return None,
        };
        let Settings { data, live, .. } = &self.settings;
        let fleet = match due.test.fleet.as_deref().map(|name| (name, self.fleets.file(name))) {
            None => None,
            Some((_, Ok(file))) => Some(file),
            Some((name, Err(_))) => {
                let why = format!("the server's operator no longer has a fleet `{name}` (--fleet)");
                return Some(Ended::failed(None, why, false));
            }
        };
        let attempt = Attempt { due, run, number, resumes, data, fleet, live: *live };
        let mut child = match Child::start(&self.settings.program, &attempt) {
            Ok(child) => child,
            Err(error) => return Some(Ended::failed(None, format!("{error:#}"), true)),
        };
        let mut asked_to_end = false;
        let mut limits = Limits::new(&self.settings, &folder);
        let mut exceeded = None;
        let ended = child.follow(&mut |said| self.said(due.test.id, said), &mut |child| {
            if !asked_to_end && (self.ends() || self.is_cancelled(due.test.id)) {
                asked_to_end = true;
                child.ask_to_end();
            }
            if due.test.kind == Kind::Study && !asked_to_end {
                exceeded = limits.exceeded(self.compiles());
                if exceeded.is_some() {
                    asked_to_end = true;
                    child.ask_to_end();
                }
            }
            self.beat();
            self.sample(due.test.id, child);
        });
        if let Some(Exceeded { reason, resumes }) = exceeded
            && ended.state != State::Done
            && !self.is_cancelled(due.test.id)
        {
            return Some(match resumes {
                true => Ended { resumes, ..Ended::failed(ended.exit_code, reason, true) },
                false => Ended::failed(ended.exit_code, reason, false),
            });
        }
        // Its agents did not come within the time that the operator gives them. Others wait meanwhile: it is not tried again.
        if fleet.is_some() && ended.state == State::Failed && self.compiles() {
            return Some(Ended { retry: false, ..ended });
        }
        if asked_to_end && self.ends() && !self.is_cancelled(due.test.id) && ended.is_interrupted() {
            return None;
        }
        Some(ended)
    }

    /// Whether the running test is still compiling.
    fn compiles(&self) -> bool {
        self.current(|current| current.is_some_and(|current| current.watch.state.phase == Phase::Compiling))
    }

    /// Waits until no other process writes the run folder.
    fn await_folder(&self, folder: &Path, test: i64) -> Found {
        let begun = Instant::now();
        loop {
            self.beat();
            if self.ends() || self.is_cancelled(test) {
                return if self.ends() { Found::Ends } else { Found::Nothing };
            }
            match RunFolder::reopen(folder) {
                Err(StoreError::Whole { .. }) => return Found::Whole,
                Err(_) => return Found::Nothing,
                Ok(run) => match run.hold() {
                    Ok(_) => return Found::Begun,
                    Err(_) if begun.elapsed() < HELD => std::thread::sleep(LOOK),
                    Err(_) => return Found::Held,
                },
            }
        }
    }

    /// Decides how a test continues after an attempt.
    fn conclusion(&self, due: &Due, ended: Ended, watch: Option<String>) -> EndedAttempt {
        let Ended { exit_code, reason, state, retry, resumes, watched: _ } = ended;
        let id = due.test.id;
        let base = EndedAttempt { state, exit_code, reason, retry_at_ms: None, failed: false, watch };
        if self.is_cancelled(id) && state != State::Done {
            return EndedAttempt { state: State::Cancelled, reason: None, ..base };
        }
        if resumes {
            let at = now_ms() + AGAIN.as_millis() as i64;
            return EndedAttempt { state: State::Submitted, retry_at_ms: Some(at), ..base };
        }
        if state != State::Failed {
            return base;
        }
        let failures = due.test.failures + 1;
        if !retry || failures >= self.settings.most_attempts {
            return EndedAttempt { failed: true, ..base };
        }
        let pause = self.settings.pause.saturating_mul(1 << (failures - 1).min(16));
        let pause_ms = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX / 2);
        EndedAttempt { state: State::Submitted, retry_at_ms: Some(now_ms() + pause_ms), failed: true, ..base }
    }

    /// Records a child's output and passes it on as events.
    fn said(&self, test: i64, said: crate::test_attempt::Said) {
        use crate::test_attempt::Said;
        match said {
            Said::Whole(text) => {
                if let Err(error) = self.queue.note(crate::machine::SELF_TEST, &text) {
                    eprintln!("wiredyno-server: a self-test can't be kept: {error}");
                }
            }
            Said::Line(line) => {
                self.current(|current| current.map(|current| current.watch.line(line.clone())));
                self.events.tell(Some(test), false, json!({ "type": "log", "line": line }));
            }
            Said::Progress(line) => {
                self.current(|current| current.map(|current| current.watch.take(&line)));
                match (serde_json::to_value(&line), &*line) {
                    (Ok(data), ProgressLine::Live { .. }) => self.events.tell_passing(test, data),
                    (Ok(data), _) => self.events.tell(Some(test), false, data),
                    (Err(_), _) => {}
                }
                match *line {
                    ProgressLine::Trial(_) | ProgressLine::Plan { .. } => self.tell_progress(test),
                    // Of what is compiled there are many lines a second.
                    ProgressLine::Building { .. } if self.told_lately() => {}
                    ProgressLine::Building { .. } => self.tell_progress(test),
                    _ => {}
                }
            }
        }
    }

    /// Samples the machine once a second.
    fn sample(&self, test: i64, child: &mut Child) {
        let Some((cpu, memory_bytes)) = child.machine() else { return };
        let sample = MachineSample { at_ms: now_ms(), cpu, memory_bytes };
        self.current(|current| current.map(|current| current.watch.machine(sample)));
        let data =
            json!({ "type": "machine", "at_ms": sample.at_ms, "cpu": cpu, "memory_bytes": memory_bytes });
        self.events.tell(Some(test), false, data);
    }

    /// Whether readers of the queue were told of what is compiled within the last second; counts as telling them.
    fn told_lately(&self) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = told.is_some_and(|at| at.elapsed() < TOLD);
        if !lately {
            *told = Some(Instant::now());
        }
        lately
    }

    fn tell_progress(&self, test: i64) {
        let now = self
            .current(|current| current.map(|current| (current.watch.state.progress, current.watch.doing())));
        let (progress, doing) = now.unzip();
        let data =
            json!({ "type": "progress", "test": test, "progress": progress, "doing": doing.flatten() });
        self.events.tell(None, true, data);
    }

    /// Adds to a test what only the scheduler knows.
    pub fn complete(&self, test: &mut Test) {
        self.current(|current| test.complete(&self.settings.data, current.as_deref()));
        if test.state == State::Submitted
            && let Some(stalled) = self.stalled()
        {
            test.reason = Some(stalled);
        } else if test.state == State::Submitted
            && let Some(awaited) = test.fleet.as_deref().and_then(|name| self.fleets.awaited(name))
        {
            test.reason = Some(awaited);
        }
    }

    /// Sends the event that a test has changed.
    pub fn tell_changed(&self, id: i64) {
        match self.queue.find(id) {
            Ok(Some(mut test)) => {
                self.complete(&mut test);
                self.events.tell(Some(id), true, json!({ "type": "queue_changed", "test": test }));
            }
            Ok(None) => {}
            Err(error) => eprintln!("wiredyno-server: test {id} can't be read: {error}"),
        }
    }
}

/// The end of a run that ended before the server did.
fn whole(folder: &Path) -> Ended {
    let summary = RunFolder::open(folder).and_then(|run| run.read_summary());
    match summary {
        Ok(summary) if !has_figure(&summary) => {
            let reason = "no figure: none of its trials could be measured; its report says why";
            Ended::failed(Some(0), reason.to_owned(), false)
        }
        _ => Ended::done(0),
    }
}

fn has_figure(summary: &Summary) -> bool {
    let of_cells = summary.cells.iter().any(|cell| cell.valid_trials > 0);
    of_cells || summary.codecs.iter().any(|codec| codec.valid_trials > 0)
}

enum Found {
    Whole,
    Begun,
    Nothing,
    Held,
    Ends,
}

/// `2026-01-31-demo-7`: the day on which the run begins, the study, the test. A self-test has a name too, although it has no run folder.
fn run_id(due: &Due) -> String {
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let name = match due.test.kind {
        Kind::Study => due.test.name.as_str(),
        Kind::SelfTest => "self-test",
    };
    format!("{day}-{name}-{}", due.test.id)
}
