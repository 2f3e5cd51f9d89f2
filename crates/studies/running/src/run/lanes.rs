//! Message trials side by side: lanes take trials from one queue, as many at once as leave room on the CPU. One file because queue, governor and gate are one
//! mechanism, which the tests run together.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wiredyno_model::Lanes;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::machine::CpuTicks;

use super::RunError;

/// The most lanes per CPU if the number is left to us. A trial over a slow link uses a few per cent of a CPU.
const AUTO_LANES_PER_CPU: u32 = 5;
/// Utilisation of the machine below which another lane may start.
const ROOM_TO_SPARE: f64 = 0.45;
/// Utilisation of the machine above which a lane is paused.
const CROWDED: f64 = 0.65;
/// How long utilisation is averaged before the number of lanes changes.
const WATCH: Duration = Duration::from_millis(1_500);

/// The most lanes that a study gets on this machine.
pub fn most_lanes(lanes: Lanes, cpus: u32, trials: usize) -> u32 {
    let wanted = match lanes {
        Lanes::Auto => cpus.max(1) * AUTO_LANES_PER_CPU,
        Lanes::Fixed(lanes) => lanes,
    };
    wanted.min(u32::try_from(trials).unwrap_or(u32::MAX)).max(1)
}

/// Decides how many trials may be in flight, from the observed utilisation.
#[derive(Debug)]
struct Governor {
    allowed: u32,
    most: u32,
    adaptive: bool,
    since: Instant,
    ticks: Option<CpuTicks>,
}

impl Governor {
    fn new(most: u32, adaptive: bool) -> Self {
        let allowed = if adaptive { most.min(2) } else { most };
        Governor { allowed, most, adaptive, since: Instant::now(), ticks: CpuTicks::now().ok() }
    }

    fn look(&mut self) {
        if !self.adaptive || self.since.elapsed() < WATCH {
            return;
        }
        if let (Some(before), Ok(now)) = (self.ticks, CpuTicks::now()) {
            self.allowed = next_allowed(self.allowed, self.most, now.since(&before).utilisation);
        }
        self.since = Instant::now();
        self.ticks = CpuTicks::now().ok();
    }
}

/// Twice as many while the machine is idle, one more while there is room, one fewer when it is crowded.
fn next_allowed(allowed: u32, most: u32, utilisation: f64) -> u32 {
    let next = match utilisation {
        u if u < ROOM_TO_SPARE / 2.0 => allowed * 2,
        u if u < ROOM_TO_SPARE => allowed + 1,
        u if u > CROWDED => allowed.saturating_sub(1),
        _ => allowed,
    };
    next.clamp(1, most)
}

/// A barrier that opens when all lanes have reached it or have ended.
pub struct Gate {
    awaited: Mutex<u32>,
    changed: Condvar,
}

/// A lane's pass through a [`Gate`]; one that is dropped without waiting is no longer waited for.
pub struct Pass<'a>(&'a Gate);

impl Gate {
    /// A gate for this number of lanes.
    pub fn for_lanes(lanes: u32) -> Self {
        Gate { awaited: Mutex::new(lanes), changed: Condvar::new() }
    }

    /// The pass of one lane; each lane gets one.
    pub fn pass(&self) -> Pass<'_> {
        Pass(self)
    }
}

impl Pass<'_> {
    /// Waits until all other lanes have arrived, or have ended.
    pub fn wait(self) {
        let gate = self.0;
        drop(self);
        let awaited = gate.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        drop(gate.changed.wait_while(awaited, |awaited| *awaited > 0));
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *self.0.awaited.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

/// Runs this number of lanes side by side, each with its pass through the gate, until all have ended. A lane that ends with an error or a
/// panic interrupts the others.
///
/// # Errors
/// The first error of a lane.
pub fn side_by_side<'a>(
    gate: &'a Gate,
    lanes: u32,
    interrupt: &Interrupt,
    work: impl Fn(u32, Pass<'a>) -> Result<(), RunError> + Sync,
) -> Result<(), RunError> {
    let failed: Mutex<Option<RunError>> = Mutex::new(None);
    let (failed, work) = (&failed, &work);
    let end = move |error: RunError| {
        interrupt.set();
        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    };
    std::thread::scope(|scope| {
        for index in 0..lanes {
            // Also for a thread that can't be started: its pass is dropped, so no lane waits for it.
            let pass = gate.pass();
            let of_lane = move |error| RunError::OnLane { index, source: Box::new(error) };
            let lane = move || caught(|| work(index, pass)).map_err(of_lane).unwrap_or_else(end);
            let name = format!("lane {index}");
            if let Err(source) = std::thread::Builder::new().name(name).spawn_scoped(scope, lane) {
                end(RunError::NoThread { index, source });
            }
        }
    });
    failed.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

/// Runs a function and turns a panic into an error.
///
/// # Errors
/// Those of the function, or the panic with its message.
pub fn caught<T>(work: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
    let said = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        RunError::Panicked(text.unwrap_or("no reason was given").to_owned())
    };
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(said(panic)))
}

/// The queue from which lanes take trials.
pub struct Queue<'a, T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// Gives the next round, after the last trial of the previous one has ended; empty if there is none.
    more: Box<dyn Fn() -> Vec<T> + Sync + 'a>,
    /// The repeat that a trial belongs to.
    repeat_of: fn(&T) -> u32,
}

/// Puts a repeated trial behind the waiting ones of its repeat, or first: it is paired with the other trials of its
/// repeat, because they run at about the same time.
pub fn put_again<T>(waiting: &mut VecDeque<T>, trial: T, repeat_of: fn(&T) -> u32) {
    let repeat = repeat_of(&trial);
    let last = waiting.iter().rposition(|other| repeat_of(other) == repeat);
    waiting.insert(last.map_or(0, |last| last + 1), trial);
}

struct State<T> {
    waiting: VecDeque<T>,
    in_flight: u32,
    most_in_flight: u32,
    governor: Governor,
    /// There are no more rounds.
    over: bool,
}

impl<T> State<T> {
    /// The first trial, if a lane may take it now.
    fn next(&mut self) -> Option<T> {
        self.governor.look();
        (self.in_flight < self.governor.allowed).then(|| self.waiting.pop_front()).flatten()
    }
}

impl<'a, T> Queue<'a, T> {
    /// A queue for at most `most` lanes; with `adaptive`, fewer while the CPU is busy.
    /// Trials of a repeat, as `repeat_of` returns it, stay together when one is repeated. `more` gives further rounds.
    pub fn new(
        trials: impl IntoIterator<Item = T>,
        most: u32,
        adaptive: bool,
        repeat_of: fn(&T) -> u32,
        more: impl Fn() -> Vec<T> + Sync + 'a,
    ) -> Self {
        let waiting = trials.into_iter().collect();
        let governor = Governor::new(most, adaptive);
        Queue {
            state: Mutex::new(State { waiting, in_flight: 0, most_in_flight: 0, governor, over: false }),
            changed: Condvar::new(),
            more: Box::new(more),
            repeat_of,
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next trial for a lane, and how many are then in flight; waits while the machine is crowded. `None` when
    /// all are done or the run was interrupted.
    pub fn take(&self, interrupt: &Interrupt) -> Option<(T, u32)> {
        let mut state = self.state();
        loop {
            if state.waiting.is_empty() && state.in_flight == 0 && !state.over && !interrupt.is_set() {
                state.waiting.extend((self.more)());
                state.over = state.waiting.is_empty();
                self.changed.notify_all();
            }
            if interrupt.is_set() || state.over {
                return None;
            }
            if let Some(trial) = state.next() {
                state.in_flight += 1;
                state.most_in_flight = state.most_in_flight.max(state.in_flight);
                return Some((trial, state.in_flight));
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(200));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Marks a trial as finished; `again` returns to the queue.
    pub fn finish(&self, again: Option<T>) {
        let mut state = self.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        again.into_iter().for_each(|trial| put_again(&mut state.waiting, trial, self.repeat_of));
        drop(state);
        self.changed.notify_all();
    }

    /// The most trials that were in flight at once.
    pub fn most_in_flight(&self) -> u32 {
        self.state().most_in_flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_grow_while_there_is_room_and_shrink_when_crowded() {
        assert_eq!(next_allowed(2, 10, 0.1), 4);
        assert_eq!(next_allowed(4, 10, 0.4), 5);
        assert_eq!(next_allowed(5, 10, 0.5), 5);
        assert_eq!(next_allowed(5, 10, 0.8), 4);
        assert_eq!(next_allowed(1, 10, 1.0), 1);
        assert_eq!(next_allowed(8, 10, 0.0), 10);
    }

    #[test]
    fn a_lane_that_panics_before_the_gate_is_not_waited_for() {
        let gate = Gate::for_lanes(3);
        std::thread::scope(|scope| {
            let panicked = scope.spawn(|| {
                let _pass = gate.pass();
                panic!("before it came there");
            });
            for _ in 0..2 {
                scope.spawn(|| gate.pass().wait());
            }
            assert!(panicked.join().is_err());
        });
    }

    /// One lane panics during its trial, one waits for work that will not come, one has not reached the gate by then.
    #[test]
    fn a_panic_in_one_lane_ends_all_in_order_with_what_it_said() {
        let interrupt = Interrupt::default();
        let queue = Queue::new([1], 3, false, |_| 0, || vec![2, 3, 4]);
        let gate = Gate::for_lanes(3);
        let ended = Mutex::new(Vec::new());
        let worked = side_by_side(&gate, 3, &interrupt, |index, pass| {
            pass.wait();
            while let Some((trial, _)) = queue.take(&interrupt) {
                assert_ne!(trial, 1, "trial {trial} is too much");
                queue.finish(None);
            }
            ended.lock().unwrap().push(index);
            Ok(())
        });
        let error = worked.unwrap_err().to_string();
        assert!(error.contains("a bug in this program") && error.contains("trial 1 is too much"), "{error}");
        assert!(error.starts_with("lane ") && interrupt.is_set());
        assert_eq!(ended.into_inner().unwrap().len(), 2);
    }

    #[test]
    fn the_first_error_of_a_lane_interrupts_the_others() {
        let interrupt = Interrupt::default();
        let gate = Gate::for_lanes(2);
        let queue: Queue<'_, u32> = Queue::new([1, 2], 2, false, |_| 0, Vec::new);
        let worked = side_by_side(&gate, 2, &interrupt, |_, pass| {
            drop(pass);
            queue
                .take(&interrupt)
                .map_or(Ok(()), |(trial, _)| Err(RunError::Panicked(format!("no room for {trial}"))))
        });
        assert!(worked.unwrap_err().to_string().contains("no room for "));
        let alone = side_by_side(&Gate::for_lanes(1), 1, &Interrupt::default(), |_, pass| {
            pass.wait();
            Ok(())
        });
        assert!(alone.is_ok());
    }

    #[test]
    fn there_are_never_more_lanes_than_trials() {
        assert_eq!(most_lanes(Lanes::Auto, 2, 3), 3);
        assert_eq!(most_lanes(Lanes::Fixed(4), 2, 100), 4);
        assert_eq!(most_lanes(Lanes::Auto, 2, 100), 2 * AUTO_LANES_PER_CPU);
    }

    #[test]
    fn a_queue_gives_every_trial_once_and_takes_back_what_is_repeated() {
        let queue = Queue::new([1, 2], 1, false, |_| 0, Vec::new);
        let go_on = Interrupt::default();
        assert_eq!(queue.take(&go_on), Some((1, 1)));
        queue.finish(Some(3));
        assert_eq!(queue.take(&go_on), Some((2, 1)));
        queue.finish(None);
        assert_eq!(queue.take(&go_on), Some((3, 1)));
        queue.finish(None);
        assert_eq!(queue.take(&go_on), None);
        assert_eq!(queue.most_in_flight(), 1);
    }

    #[test]
    fn what_is_made_again_stays_with_its_repeat() {
        // The tens digit is the repeat.
        let mut waiting = VecDeque::from([11, 12, 21, 22, 31]);
        let put = |waiting: &mut VecDeque<u32>, trial| put_again(waiting, trial, |trial| trial / 10);
        put(&mut waiting, 13);
        put(&mut waiting, 23);
        assert_eq!(waiting, [11, 12, 13, 21, 22, 23, 31]);
        put(&mut waiting, 1);
        assert_eq!(waiting[0], 1, "the last of its repeat is repeated at once");
        let queue = Queue::new([11, 12, 21], 1, false, |trial| trial / 10, Vec::new);
        let go_on = Interrupt::default();
        assert_eq!(queue.take(&go_on), Some((11, 1)));
        queue.finish(Some(13));
        let rest: Vec<u32> = std::iter::from_fn(|| {
            let taken = queue.take(&go_on);
            queue.finish(None);
            Some(taken?.0)
        })
        .collect();
        assert_eq!(rest, [12, 13, 21]);
    }

    #[test]
    fn a_further_round_begins_when_the_last_trial_of_the_one_before_has_ended() {
        let rounds = Mutex::new(vec![vec![], vec![4, 5], vec![3]]);
        let queue = Queue::new([1, 2], 2, false, |_| 0, || rounds.lock().unwrap().pop().unwrap());
        let go_on = Interrupt::default();
        assert_eq!((queue.take(&go_on), queue.take(&go_on)), (Some((1, 1)), Some((2, 2))));
        queue.finish(None);
        queue.finish(None);
        assert_eq!(queue.take(&go_on), Some((3, 1)));
        queue.finish(Some(6));
        assert_eq!(queue.take(&go_on), Some((6, 1)), "what is repeated belongs to its round");
        assert_eq!(rounds.lock().unwrap().len(), 2);
        queue.finish(None);
        assert_eq!(queue.take(&go_on), Some((4, 1)));
        queue.finish(None);
        assert_eq!(queue.take(&go_on), Some((5, 1)));
        queue.finish(None);
        assert_eq!((queue.take(&go_on), queue.take(&go_on)), (None, None));
    }
}
