//! What clients do when their broker dies, hangs, or dies and comes back: all modes at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use wiredyno_transport::{FinishError, SendError};

use super::Mode;
use super::stream::{Ended, SETTLED, Stream, refused, works};
use crate::broker::Broker;
use crate::notebook::{LIMIT, Notebook};

/// A test's name and function.
type Case = (&'static str, fn(&[Mode], &mut Broker));

pub const CASES: [Case; 3] = [
    ("one_that_is_killed_is_told_to_all_and_what_came_before_is_whole", killed),
    ("one_that_hangs_holds_up_no_end_and_no_connection", hangs),
    ("one_that_is_killed_and_started_again_is_told_or_loses_nothing", started_again),
];

/// How many more messages arrive to show that the stream flows, before and after the event.
const FLOWING: usize = 200;

/// How long clients wait for a broker that hangs.
const GRACE: Duration = Duration::from_millis(300);

/// How many bodies of a mebibyte exceed the socket buffers.
const TOO_MANY: u64 = 24;

/// A flowing stream for each mode, and the flag that ends it.
struct Flow {
    books: Vec<(Arc<Notebook>, Arc<Notebook>)>,
    threads: Vec<JoinHandle<Stream>>,
    enough: Arc<AtomicBool>,
}

impl Flow {
    fn of(modes: &[Mode], broker: &Broker, case: &str) -> Flow {
        let mut flow = Flow { books: Vec::new(), threads: Vec::new(), enough: Arc::default() };
        for mode in modes {
            let mut stream = Stream::open(mode, broker.address(), case);
            stream.settle(SETTLED);
            flow.books.push((stream.record.publishes.clone(), stream.record.arrives.clone()));
            flow.threads.push(stream.flow(flow.enough.clone()));
        }
        for (_, arrives) in &flow.books {
            let enough = SETTLED as usize + FLOWING;
            arrives.wait("in full flow", |seen| seen.bodies.len() >= enough, |_| ());
        }
        flow
    }

    fn stop(self) -> Vec<Stream> {
        self.enough.store(true, Ordering::SeqCst);
        self.threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }
}

fn killed(modes: &[Mode], broker: &mut Broker) {
    let flow = Flow::of(modes, broker, "killed");
    broker.signal(Signal::SIGKILL);
    for (publishes, arrives) in &flow.books {
        for book in [publishes, arrives] {
            let reason = book.wait("reported", |seen| seen.broken.is_some(), |seen| seen.broken.clone());
            assert!(reason.is_some_and(|reason| !reason.is_empty()));
        }
    }
    for mut stream in flow.stop() {
        let name = stream.record.mode.name();
        let late = stream.publisher.send(u64::MAX, b"late");
        assert!(matches!(late, Err(SendError::Broken { .. })), "{name}: {late:?}");
        let begin = Instant::now();
        let (record, Ended { publisher, subscriber }) = stream.end(LIMIT);
        record.count(false);
        for ended in [publisher, subscriber] {
            assert!(matches!(ended, Err(FinishError::Broken { .. })), "{name}: {ended:?}");
        }
        assert!(begin.elapsed() < LIMIT / 2, "{name}: ending a broken role took its whole grace");
    }
    broker.restart();
}

fn hangs(modes: &[Mode], broker: &mut Broker) {
    let mut streams: Vec<Stream> =
        modes.iter().map(|mode| Stream::open(mode, broker.address(), "hangs")).collect();
    streams.iter_mut().for_each(|stream| stream.settle(1));
    broker.signal(Signal::SIGSTOP);
    let body = vec![7; 1 << 20];
    for mut stream in streams {
        let (name, begin) = (stream.record.mode.name(), Instant::now());
        (0..TOO_MANY).for_each(|token| stream.publisher.send(1 + token, &body).unwrap());
        let (_, Ended { publisher, subscriber }) = stream.end(GRACE);
        assert!(begin.elapsed() < LIMIT / 2, "{name}: it waited for the broker");
        let reason = publisher.err().map(|error| error.to_string());
        assert!(reason.is_some_and(|reason| !reason.is_empty()), "{name}: messages were left over");
        // A subscriber without anything to wait for may disconnect at once.
        assert!(!matches!(&subscriber, Err(error) if error.to_string().is_empty()), "{name}");
    }
    // For a broker that hangs, the kernel still accepts connections.
    for mode in modes {
        let begin = Instant::now();
        for reason in refused(mode, broker.address(), GRACE) {
            assert!(reason.contains(&broker.address().to_string()), "{}: {reason}", mode.name());
        }
        assert!(begin.elapsed() < LIMIT / 2, "{}: the limit was exceeded", mode.name());
    }
    broker.signal(Signal::SIGCONT);
    modes.iter().for_each(|mode| works(mode, broker.address(), "goes-on"));
}

fn started_again(modes: &[Mode], broker: &mut Broker) {
    let flow = Flow::of(modes, broker, "again");
    broker.signal(Signal::SIGKILL);
    broker.restart();
    let mut went_on = Vec::new();
    for (publishes, arrives) in &flow.books {
        // A client that resumes continues with the messages in flight.
        let (sent, arrived) =
            (publishes.look(|seen| seen.sent.len()), arrives.look(|seen| seen.bodies.len()));
        let more = |now: usize, then: usize| now >= then + FLOWING;
        let lost = publishes.wait(
            "a reported loss or a resumed stream",
            |seen| seen.broken.is_some() || more(seen.sent.len(), sent),
            |seen| seen.broken.is_some(),
        );
        let deaf = !lost
            && arrives.wait(
                "a reported loss or a resumed stream",
                |seen| seen.broken.is_some() || more(seen.bodies.len(), arrived),
                |seen| seen.broken.is_some(),
            );
        went_on.push(!lost && !deaf);
    }
    for (stream, went_on) in flow.stop().into_iter().zip(went_on) {
        let record = if went_on { stream.complete() } else { stream.end(LIMIT).0 };
        record.count(went_on);
        works(&record.mode, broker.address(), "again");
    }
}
