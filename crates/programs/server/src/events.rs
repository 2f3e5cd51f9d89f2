//! A bounded log of events that readers follow, and resume where they stopped.
//!
//! Event numbers grow even across restarts of the server: they begin at its start time in microseconds, and no server has more than a
//! million events a second. A reader that asks for events no longer in the log is told to reload everything.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::clock::now_ms;
use crate::places::Place;

/// Events kept for readers that reconnect, and the most bytes of them: what an hour of small trials brings.
const KEPT: usize = 20_000;
const KEPT_BYTES: usize = 4 << 20;
/// From how many tests on, those of which no event is kept are forgotten.
const MOST_TESTS: usize = 1_000;
/// Of passing events, how many are kept: what trials did in these seconds.
const PASSING_KEPT: usize = 60;
/// Events that a slow reader may lag behind before its stream is closed. One that stands still keeps so many in memory, however large.
const BEHIND: usize = 1_024;
/// How often a stream asks whether its reader may still read.
const ASKED: Duration = Duration::from_secs(2);
/// Interval of keep-alives on a quiet stream, so that no proxy takes the connection for dead.
const QUIET: Duration = Duration::from_secs(15);

/// Something that happened in the queue or in a test.
#[derive(Debug)]
pub struct Event {
    /// Its number: grows with every event, across restarts too.
    pub id: u64,
    /// The test that it is about, if any.
    pub test: Option<i64>,
    /// Whether readers of the queue get it.
    pub of_queue: bool,
    /// The kind of what happened, which the key `type` names.
    kind: Box<str>,
    /// What happened, as the text of a JSON object: many readers get it. Empty if it is no longer kept.
    data: Box<str>,
}

impl Event {
    fn of(id: u64, test: Option<i64>, of_queue: bool, data: &Value) -> Self {
        let kind = data["type"].as_str().unwrap_or("message").into();
        Event { id, test, of_queue, kind, data: data.to_string().into() }
    }
}

/// The log, with a broadcast channel for readers that follow it.
pub struct EventLog {
    kept: Mutex<Kept>,
    sender: broadcast::Sender<Arc<Event>>,
    ended: watch::Receiver<bool>,
}

struct Kept {
    events: VecDeque<Arc<Event>>,
    /// Bytes of their texts.
    bytes: usize,
    next: u64,
    /// The number of the last event of the queue.
    queue: u64,
    /// The numbers of the passing events that are kept.
    passing: VecDeque<u64>,
    /// The number of the last event that is no longer kept: of the queue, of all, and of each test that has events which are.
    gone_of_queue: u64,
    gone: u64,
    gone_of_test: HashMap<i64, u64>,
}

impl Kept {
    /// Forgets the oldest event; returns whether there was one.
    fn forget(&mut self) -> bool {
        let Some(oldest) = self.events.pop_front() else { return false };
        self.bytes -= oldest.data.len();
        self.gone = oldest.id;
        if oldest.of_queue {
            self.gone_of_queue = oldest.id;
        }
        if let Some(test) = oldest.test {
            self.gone_of_test.insert(test, oldest.id);
        }
        if self.gone_of_test.len() > MOST_TESTS {
            let events = &self.events;
            self.gone_of_test.retain(|test, _| events.iter().any(|event| event.test == Some(*test)));
        }
        true
    }

    /// The number after which all events of a reader are kept.
    fn whole_since(&self, followed: Followed) -> u64 {
        match followed {
            Followed::Queue => self.gone_of_queue,
            Followed::All => self.gone,
            // Of which nothing has gone, or all of it is forgotten: as of all tests.
            Followed::Test(test) => self.gone_of_test.get(&test).copied().unwrap_or(self.gone),
        }
    }
}

/// Which events a reader follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Events of the queue as a whole.
    Queue,
    /// All events, for the one stream that the tabs of a browser share.
    All,
    /// All events of one test.
    Test(i64),
}

impl Followed {
    fn has(self, event: &Event) -> bool {
        match self {
            Followed::Queue => event.of_queue,
            Followed::All => true,
            Followed::Test(test) => event.test == Some(test),
        }
    }

    fn framed(self, event: &Event) -> Frame {
        match self {
            // Without a name, because a reader has to know the names that it listens to.
            Followed::All => {
                let of = event.test.map_or_else(|| "null".to_owned(), |test| test.to_string());
                let (queue, data) = (event.of_queue, &event.data);
                let text = format!(r#"{{"of":{of},"queue":{queue},"event":{data}}}"#);
                Frame::default().id(event.id.to_string()).data(text)
            }
            Followed::Queue | Followed::Test(_) => {
                Frame::default().id(event.id.to_string()).event(&*event.kind).data(&*event.data)
            }
        }
    }
}

/// Whether a reader may still read: its token may be revoked, its session may end.
pub type MayRead = Box<dyn Fn() -> bool + Send + Sync>;

struct Reader {
    backlog: VecDeque<Arc<Event>>,
    live: broadcast::Receiver<Arc<Event>>,
    followed: Followed,
    ended: watch::Receiver<bool>,
    reset: Option<u64>,
    may_read: MayRead,
    asks: Interval,
    _place: Place,
}

impl EventLog {
    /// An empty log, whose streams close when `ended` changes.
    pub fn new(ended: watch::Receiver<bool>) -> Self {
        let next = now_ms().unsigned_abs() * 1000;
        let (sender, _) = broadcast::channel(BEHIND);
        EventLog {
            kept: Mutex::new(Kept {
                events: VecDeque::new(),
                bytes: 0,
                next,
                queue: 0,
                passing: VecDeque::new(),
                gone_of_queue: next - 1,
                gone: next - 1,
                gone_of_test: HashMap::new(),
            }),
            sender,
            ended,
        }
    }

    /// Appends an event of a test, or of the server, and sends it to readers.
    pub fn tell(&self, test: Option<i64>, of_queue: bool, data: Value) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        self.append(&mut kept, test, of_queue, &data);
    }

    /// The same for an event that is large, comes every second, and is of no use some time later: a reader that was away for
    /// longer does not get it, and memory stays small.
    pub fn tell_passing(&self, test: i64, data: Value) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let number = kept.next;
        self.append(&mut kept, Some(test), false, &data);
        kept.passing.push_back(number);
        let old = if kept.passing.len() > PASSING_KEPT { kept.passing.pop_front() } else { None };
        // Numbers follow one another; an event that is no longer kept needs nothing.
        let first = kept.events.front().map_or(0, |event| event.id);
        let place = old.and_then(|id| usize::try_from(id.checked_sub(first)?).ok());
        if let Some(event) = place.and_then(|place| kept.events.get_mut(place)) {
            let Event { id, test, of_queue, .. } = **event;
            let bytes = event.data.len();
            *event = Arc::new(Event { id, test, of_queue, kind: Box::default(), data: Box::default() });
            kept.bytes -= bytes;
        }
    }

    fn append(&self, kept: &mut Kept, test: Option<i64>, of_queue: bool, data: &Value) {
        let event = Arc::new(Event::of(kept.next, test, of_queue, data));
        kept.queue = if of_queue { kept.next } else { kept.queue };
        kept.next += 1;
        kept.bytes += event.data.len();
        kept.events.push_back(Arc::clone(&event));
        while (kept.events.len() > KEPT || kept.bytes > KEPT_BYTES) && kept.forget() {}
        // There may be no readers.
        let _ = self.sender.send(event);
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).next - 1
    }

    /// The number of the last event of the queue.
    pub fn last_of_queue(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).queue
    }

    /// A stream of the events after one, or from now on.
    pub fn follow(
        &self,
        followed: Followed,
        after: Option<u64>,
        place: Place,
        may_read: MayRead,
    ) -> Sse<impl Stream<Item = Result<Frame, Infallible>> + use<>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let live = self.sender.subscribe();
        let (mut backlog, mut reset) = (VecDeque::new(), None);
        match after {
            // Older than what is kept for it, or unknown.
            Some(after) if after < kept.whole_since(followed) || after >= kept.next => {
                reset = Some(kept.next - 1)
            }
            Some(after) => {
                let is_missed =
                    |event: &&Arc<Event>| event.id > after && followed.has(event) && !event.data.is_empty();
                let missed = kept.events.iter().filter(is_missed);
                backlog = missed.cloned().collect();
            }
            None => {}
        }
        drop(kept);
        let ended = self.ended.clone();
        let mut asks = interval(ASKED);
        asks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let reader = Reader { backlog, live, followed, ended, reset, may_read, asks, _place: place };
        Sse::new(stream::unfold(reader, next)).keep_alive(KeepAlive::new().interval(QUIET))
    }
}

async fn next(mut reader: Reader) -> Option<(Result<Frame, Infallible>, Reader)> {
    if let Some(at) = reader.reset.take() {
        let reset = Event::of(at, None, true, &json!({ "type": "reset" }));
        return Some((Ok(reader.followed.framed(&reset)), reader));
    }
    if let Some(event) = reader.backlog.pop_front() {
        return Some((Ok(reader.followed.framed(&event)), reader));
    }
    loop {
        let event = tokio::select! {
            // First, so that no flood of events keeps a stream open.
            biased;
            _ = reader.ended.changed() => return None,
            _ = reader.asks.tick() => match (reader.may_read)() {
                true => continue,
                false => return None,
            },
            event = reader.live.recv() => event,
        };
        match event {
            Ok(event) if reader.followed.has(&event) => {
                return Some((Ok(reader.followed.framed(&event)), reader));
            }
            Ok(_) => {}
            // A reader that lagged reconnects with the number of its last event.
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn of_passing_events_the_last_are_kept_and_all_others_stay() {
        let (_end, ended) = watch::channel(false);
        let log = EventLog::new(ended);
        let begun = log.last();
        for second in 0..200 {
            log.tell_passing(7, json!({ "type": "live", "second": second }));
            log.tell(Some(7), false, json!({ "type": "machine" }));
        }
        let kept = log.kept.lock().unwrap();
        assert_eq!(kept.events.len(), 400);
        let numbers: Vec<u64> = kept.events.iter().map(|event| event.id).collect();
        assert_eq!(numbers, (begun + 1..=begun + 400).collect::<Vec<_>>());
        let live: Vec<_> = kept.events.iter().filter(|event| &*event.kind == "live").collect();
        let first: Value = serde_json::from_str(&live[0].data).unwrap();
        assert_eq!((live.len(), first["second"].as_u64()), (PASSING_KEPT, Some(140)));
        assert_eq!(kept.events.iter().filter(|event| &*event.kind == "machine").count(), 200);
        assert_eq!(kept.bytes, kept.events.iter().map(|event| event.data.len()).sum::<usize>());
    }

    #[test]
    fn the_log_has_a_size_whatever_it_is_told() {
        let (_end, ended) = watch::channel(false);
        let log = EventLog::new(ended);
        let long = "x".repeat(100_000);
        (0..200).for_each(|_| log.tell(Some(7), false, json!({ "type": "log", "line": long })));
        let kept = log.kept.lock().unwrap();
        assert!((30..=41).contains(&kept.events.len()) && kept.bytes <= KEPT_BYTES, "{}", kept.bytes);
        assert_eq!(kept.events.back().unwrap().id + 1, kept.next);
    }

    #[test]
    fn a_reader_of_the_queue_misses_nothing_because_a_test_says_much() {
        let (_end, ended) = watch::channel(false);
        let log = EventLog::new(ended);
        let begun = log.last();
        log.tell(Some(7), true, json!({ "type": "state" }));
        let long = "x".repeat(100_000);
        (0..200).for_each(|_| log.tell(Some(7), false, json!({ "type": "log", "line": long })));
        log.tell(Some(8), true, json!({ "type": "state" }));
        let kept = log.kept.lock().unwrap();
        assert_eq!(kept.whole_since(Followed::Queue), begun + 1, "the first of its two has gone");
        let first = kept.events.front().unwrap().id;
        assert!(first > begun + 1);
        for followed in [Followed::All, Followed::Test(7), Followed::Test(9)] {
            assert_eq!(kept.whole_since(followed), first - 1, "{followed:?}");
        }
    }
}
