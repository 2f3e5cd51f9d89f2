//! What running trials do now, second by second, for whoever watches. It is provisional, and nothing of it enters a result.
//!
//! It is made to cost trials nothing. Roles write into memory that they share with this program (`wiredyno_contract::live`), after the
//! hand-over of each message and after its decoding, as part of the stand's own work. One thread for all trials of a run reads that memory
//! once a second, and the kernel's counters of processes and devices; it asks neither a role nor the link's process for anything, and runs
//! only where a CPU would be idle. At high rates it sets a mask, so that only some messages, chosen by their content, are matched.

mod matching;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use wiredyno_contract::live::LiveReader;
use wiredyno_contract::{Clients, LoadKind};
use wiredyno_link::host::Entered;
use wiredyno_link::lane::Lane;
use wiredyno_model::live::{LivePhase, LiveRole, LiveSecond, LiveTotal, LiveTrial};
use wiredyno_model::{Host, Load, Role};
use wiredyno_planning::plan::PlannedTrial;
use wiredyno_process::clock::monotonic_ns;
use wiredyno_process::priority::only_idle_time;
use wiredyno_process::scratch::Scratch;
use wiredyno_process::usage::Meter;
use wiredyno_seats::machine::unix_ns;
use wiredyno_seats::runner::Runner;
use wiredyno_seats::runner_error::RunnerError;

use self::matching::Matching;

/// How often trials are read.
const EVERY: Duration = Duration::from_secs(1);

/// A reading that follows another so soon waits for the next.
const SOON_NS: u64 = 300_000_000;

/// The longest time after which a message that has not arrived is shown as missing.
const MOST_WINDOW_NS: u64 = 10_000_000_000;

/// The running trials of a run, as its lanes report them.
pub struct Live {
    told: Sender<Told>,
    next: AtomicU64,
    /// Where roles count, in memory; absent if there is no such place.
    folder: Option<Scratch>,
}

/// The end at which trials are read, see [`Live::begin`].
pub struct LiveSampler(Receiver<Told>);

enum Told {
    Begun(u64, Box<Watching>),
    /// Measured messages are about to be sent, with what was counted until then.
    Sending(u64, Counted),
    Draining(u64),
    /// With what was counted in all, if it came so far.
    Ended(u64, Option<Counted>),
}

/// What of a trial can be read at any time.
#[derive(Default)]
pub struct Sources {
    /// One for each runner of the publisher's role; empty if one does not count.
    pub publishers: Vec<LiveReader>,
    /// Absent if the subscriber's runner does not count.
    pub subscriber: Option<LiveReader>,
    /// CPU time and memory of roles.
    pub meters: Vec<(Role, Meter)>,
    /// What the hosts `edge` and `cloud` have sent into the link; absent on loopback.
    pub link: Option<[Entered; 2]>,
}

impl Sources {
    /// The devices of a lane's hosts.
    pub fn of_link(lane: Option<&Lane>) -> Option<[Entered; 2]> {
        let lane = lane?;
        Some([lane.host(Host::Edge).entered().ok()?, lane.host(Host::Cloud).entered().ok()?])
    }

    fn counted(&self) -> Counted {
        let bytes = |host: usize| self.link.as_ref()?[host].bytes().ok();
        let received = self.subscriber.as_ref().map(LiveReader::count);
        let sent = self.publishers.iter().map(|of| of.count().messages).sum();
        Counted {
            at_ns: monotonic_ns(),
            sent: (!self.publishers.is_empty()).then_some(sent),
            received: received.map(|of| of.messages),
            entries: received.map_or(0, |of| of.entries),
            up_bytes: bytes(0),
            down_bytes: bytes(1),
        }
    }
}

/// Counters at a moment.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    at_ns: i64,
    sent: Option<u64>,
    received: Option<u64>,
    /// What the subscriber has reported.
    entries: u64,
    up_bytes: Option<u64>,
    down_bytes: Option<u64>,
}

fn since(now: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before?))
}

/// A trial while it is watched; dropped, it is no longer.
pub struct Watched<'a> {
    live: &'a Live,
    number: u64,
    sources: Arc<Sources>,
}

impl Live {
    /// The two ends: trials are reported at one, and read at the other until the first is dropped.
    pub fn begin() -> (Live, LiveSampler) {
        let (told, inbox) = channel();
        let folder = Scratch::in_memory("live-").ok();
        (Live { told, next: AtomicU64::new(0), folder }, LiveSampler(inbox))
    }

    /// Makes the next role of a runner count what it does. `None` if it can't.
    ///
    /// # Errors
    /// When the runner does not answer.
    pub fn counters(&self, runner: &mut Runner) -> Result<Option<LiveReader>, RunnerError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let path: PathBuf = folder.path().join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        runner.count_live(&path)
    }

    /// Begins to watch a trial, whose roles are connected. `matched`: whether its messages can be told apart by their content.
    pub fn watch(
        &self,
        planned: &PlannedTrial,
        load: &Load,
        (clients, matched): (Clients, bool),
        sources: Sources,
    ) -> Watched<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let sources = Arc::new(sources);
        let timed = matched && sources.subscriber.is_some() && !sources.publishers.is_empty();
        let window_ns = load.drain.ns.min(MOST_WINDOW_NS);
        let mut matching = Matching::of(clients.fan_out(), window_ns, first_mask(load));
        matching.prepare(&sources);
        let begun = Counted { at_ns: monotonic_ns(), ..Counted::default() };
        let watching = Watching {
            name: planned.cell.to_string(),
            repeat: planned.repeat,
            attempt: planned.attempt,
            phase: LivePhase::WarmUp,
            cpu_ns: BTreeMap::new(),
            last: begun,
            first: None,
            matching: timed.then_some(matching),
            sources: sources.clone(),
        };
        // There may no longer be anyone at the other end.
        let _ = self.told.send(Told::Begun(number, Box::new(watching)));
        Watched { live: self, number, sources }
    }
}

/// The mask to begin with: that of the load's rate, where it has one.
fn first_mask(load: &Load) -> u64 {
    let per_second = match load.kind {
        LoadKind::Open | LoadKind::Search => 1_000_000_000 / load.interval.ns.max(1_000),
        // As fast as it goes, if nothing is awaited.
        LoadKind::Batch => 100_000,
        LoadKind::Closed => 0,
    };
    matching::mask_for(per_second)
}

impl Watched<'_> {
    /// Measured messages are about to be sent.
    pub fn sending(&self) {
        let _ = self.live.told.send(Told::Sending(self.number, self.sources.counted()));
    }

    /// All have been sent.
    pub fn draining(&self) {
        let _ = self.live.told.send(Told::Draining(self.number));
    }

    /// The drain is over.
    pub fn drained(&self) {
        let _ = self.live.told.send(Told::Ended(self.number, Some(self.sources.counted())));
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let _ = self.live.told.send(Told::Ended(self.number, None));
    }
}

impl LiveSampler {
    /// Reads all trials once a second, and each once more at its end, until the other end is gone. Takes the calling thread, which
    /// runs only where a CPU would be idle from then on.
    pub fn run(self, tell: &dyn Fn(&[LiveTrial])) {
        only_idle_time();
        let mut trials: BTreeMap<u64, Watching> = BTreeMap::new();
        let mut due = Instant::now() + EVERY;
        loop {
            match self.0.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(Told::Begun(number, mut watching)) => {
                    // CPU time counts from here.
                    let _ = watching.roles();
                    trials.insert(number, *watching);
                }
                Ok(Told::Sending(number, counted)) => {
                    trials.get_mut(&number).into_iter().for_each(|trial| trial.sends(counted));
                }
                Ok(Told::Draining(number)) => {
                    let of = trials.get_mut(&number).into_iter();
                    of.for_each(|trial| trial.phase = LivePhase::Draining);
                }
                Ok(Told::Ended(number, counted)) => {
                    if let (Some(mut trial), Some(counted)) = (trials.remove(&number), counted) {
                        tell(&[trial.read(counted, true)]);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let read: Vec<LiveTrial> = trials.values_mut().filter_map(Watching::look).collect();
                    if !read.is_empty() {
                        tell(&read);
                    }
                    // Seconds that were missed are not made up for.
                    while due <= Instant::now() {
                        due += EVERY;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// A trial that is read.
struct Watching {
    name: String,
    repeat: u32,
    attempt: u32,
    phase: LivePhase,
    sources: Arc<Sources>,
    /// CPU time of each role at the last reading.
    cpu_ns: BTreeMap<Role, u64>,
    last: Counted,
    /// What was counted before the first measured message.
    first: Option<Counted>,
    /// Absent where messages can't be matched.
    matching: Option<Matching>,
}

impl Watching {
    fn sends(&mut self, counted: Counted) {
        self.phase = LivePhase::Sending;
        (self.first, self.last) = (Some(counted), counted);
        // The first second's CPU time counts from here.
        let _ = self.roles();
        self.matching.iter_mut().for_each(|matching| matching.begin(counted.entries));
    }

    /// Reads it, unless it has just been read.
    fn look(&mut self) -> Option<LiveTrial> {
        let counted = self.sources.counted();
        let span_ns = (counted.at_ns - self.last.at_ns).max(0).unsigned_abs();
        (span_ns >= SOON_NS).then(|| self.read(counted, false))
    }

    /// What happened until a moment. `over`: nothing more will arrive.
    fn read(&mut self, now: Counted, over: bool) -> LiveTrial {
        let last = std::mem::replace(&mut self.last, now);
        let is_measured = self.first.is_some();
        let mut second = LiveSecond {
            at_ms: unix_ns() / 1_000_000,
            span_ns: (now.at_ns - last.at_ns).max(1).unsigned_abs(),
            phase: self.phase,
            roles: self.roles(),
            ..LiveSecond::default()
        };
        let mut so_far = LiveTotal::default();
        if let Some(first) = self.first {
            (second.sent, so_far.sent) = (since(now.sent, last.sent), since(now.sent, first.sent));
            (second.received, so_far.received) =
                (since(now.received, last.received), since(now.received, first.received));
            (second.up_bytes, so_far.up_bytes) =
                (since(now.up_bytes, last.up_bytes), since(now.up_bytes, first.up_bytes));
            (second.down_bytes, so_far.down_bytes) =
                (since(now.down_bytes, last.down_bytes), since(now.down_bytes, first.down_bytes));
        }
        if let Some(matching) = self.matching.as_mut().filter(|_| is_measured) {
            matching.read(&self.sources, now.at_ns, over);
            matching.put(&mut second, &mut so_far);
        }
        LiveTrial { name: self.name.clone(), repeat: self.repeat, attempt: self.attempt, second, so_far }
    }

    /// What each role has used since the last reading; a role that has ended is left out.
    fn roles(&mut self) -> Vec<LiveRole> {
        let mut all: Vec<LiveRole> = Vec::new();
        let mut now: BTreeMap<Role, u64> = BTreeMap::new();
        for (role, meter) in &self.sources.meters {
            let Ok(used) = meter.read() else { continue };
            *now.entry(*role).or_default() += used.cpu_ns;
            match all.iter_mut().find(|of| of.role == *role) {
                Some(of) => of.memory_bytes += used.resident_bytes,
                None => all.push(LiveRole { role: *role, cpu_ns: 0, memory_bytes: used.resident_bytes }),
            }
        }
        for of in &mut all {
            let total = now.get(&of.role).copied().unwrap_or_default();
            // Before the first reading it has used nothing that counts.
            of.cpu_ns = total.saturating_sub(self.cpu_ns.get(&of.role).copied().unwrap_or(total));
        }
        self.cpu_ns = now;
        all
    }
}

/// The meters of some runners and of what serves them; those that can't be read are left out.
pub fn meters<'a>(of: impl Iterator<Item = (Role, io::Result<Meter>)> + 'a) -> Vec<(Role, Meter)> {
    of.filter_map(|(role, meter)| Some((role, meter.ok()?))).collect()
}
