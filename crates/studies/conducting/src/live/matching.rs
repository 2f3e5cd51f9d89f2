//! Latencies and losses of the messages that both roles reported, matched by content.

use std::collections::{HashMap, VecDeque};

use wiredyno_contract::live::LiveEntry;
use wiredyno_model::live::{LiveSecond, LiveTotal};
use wiredyno_stats::Quantile;
use wiredyno_stats::histogram::SignedHistogram;

use super::Sources;

/// About how many messages a second each role reports; with more, the mask grows by a bit.
const MOST_TOLD: u64 = 2_048;

/// Messages that are awaited at most.
const MOST_AWAITED: usize = 1 << 16;

/// The mask under which messages at this rate are few enough.
pub(super) fn mask_for(per_second: u64) -> u64 {
    let (mut mask, mut left) = (0, per_second);
    while left > MOST_TOLD {
        (mask, left) = (mask << 1 | 1, left / 2);
    }
    mask
}

/// A message that was sent.
struct Awaited {
    intended_ns: i64,
    /// Arrivals that are still missing.
    left: u32,
}

/// The messages that are on their way, and what is known of the others.
pub(super) struct Matching {
    /// How many subscribers each message is for.
    fan_out: u32,
    window_ns: i64,
    mask: u64,
    /// Whether roles know the mask.
    is_set: bool,
    awaited: HashMap<u64, Awaited>,
    /// Those of `awaited`, and others that have arrived, in order of sending: digest and intended send.
    order: VecDeque<(u64, i64)>,
    /// Arrivals of the last reading of which nothing had been sent yet: a subscriber may report sooner than a publisher.
    early: Vec<LiveEntry>,
    /// The next entry of each publisher, and of the subscriber.
    next: (Vec<u64>, u64),
    /// Latencies of the last reading.
    latencies: Vec<i64>,
    all: Option<SignedHistogram>,
    judged: (u64, u64),
    judged_now: (u64, u64),
}

impl Matching {
    pub(super) fn of(fan_out: u32, window_ns: u64, mask: u64) -> Self {
        Matching {
            fan_out: fan_out.max(1),
            window_ns: i64::try_from(window_ns).unwrap_or(i64::MAX),
            mask,
            is_set: false,
            awaited: HashMap::new(),
            order: VecDeque::new(),
            early: Vec::new(),
            next: (Vec::new(), 0),
            latencies: Vec::new(),
            all: SignedHistogram::new().ok(),
            judged: (0, 0),
            judged_now: (0, 0),
        }
    }

    /// Tells roles which messages to report, before the first.
    pub(super) fn prepare(&mut self, sources: &Sources) {
        if !self.is_set {
            self.keep(sources, self.mask);
            self.is_set = true;
        }
    }

    /// Measured messages are about to be sent: what the subscriber has reported until now is not among them.
    pub(super) fn begin(&mut self, entries: u64) {
        self.next.1 = entries;
    }

    fn keep(&mut self, sources: &Sources, mask: u64) {
        self.mask = mask;
        sources.publishers.iter().chain(&sources.subscriber).for_each(|of| of.keep(mask));
        // A subscriber may no longer report these.
        self.awaited.retain(|digest, _| digest & mask == 0);
        self.order.retain(|(digest, _)| digest & mask == 0);
    }

    /// Takes what was reported since the last time.
    pub(super) fn read(&mut self, sources: &Sources, now_ns: i64, over: bool) {
        self.prepare(sources);
        let Some(subscriber) = &sources.subscriber else { return };
        let (mut arrived, mut sent) = (Vec::new(), Vec::new());
        let (next, whole) = subscriber.entries(self.next.1, &mut arrived);
        self.next.1 = next;
        self.next.0.resize(sources.publishers.len(), 0);
        let told = |(publisher, next): (&wiredyno_contract::live::LiveReader, &mut u64)| {
            *next = publisher.entries(*next, &mut sent).0;
        };
        sources.publishers.iter().zip(&mut self.next.0).for_each(told);
        let most = (sent.len().max(arrived.len())) as u64;
        self.take(&sent, arrived, now_ns, whole, over);
        if most > MOST_TOLD {
            self.keep(sources, self.mask << 1 | 1);
        } else if most < MOST_TOLD / 4 && self.mask > 0 {
            self.keep(sources, self.mask >> 1);
        }
    }

    /// `whole`: whether no arrival was missed.
    fn take(&mut self, sent: &[LiveEntry], arrived: Vec<LiveEntry>, now_ns: i64, whole: bool, over: bool) {
        self.latencies.clear();
        self.judged_now = (0, 0);
        if !whole {
            // It is unknown which of these have arrived.
            self.awaited.clear();
            self.order.clear();
        }
        // Those that were due before the first arrival that was not missed may have arrived, too.
        let from_ns = arrived.first().filter(|_| !whole).map_or(i64::MIN, |first| first.at_ns);
        for of in sent.iter().filter(|of| of.digest & self.mask == 0 && of.at_ns >= from_ns) {
            self.awaited.insert(of.digest, Awaited { intended_ns: of.at_ns, left: self.fan_out });
            self.order.push_back((of.digest, of.at_ns));
        }
        if self.order.len() > MOST_AWAITED {
            self.awaited.clear();
            self.order.clear();
        }
        for of in std::mem::take(&mut self.early) {
            self.arrives(of);
        }
        self.early = arrived.into_iter().filter(|of| !self.arrives(*of)).collect();
        self.judge(now_ns, over);
        self.judged.0 += self.judged_now.0;
        self.judged.1 += self.judged_now.1;
    }

    /// Whether it is one that is awaited.
    fn arrives(&mut self, of: LiveEntry) -> bool {
        let Some(awaited) = self.awaited.get_mut(&of.digest) else { return false };
        let latency_ns = of.at_ns - awaited.intended_ns;
        awaited.left -= 1;
        if awaited.left == 0 {
            self.awaited.remove(&of.digest);
        }
        self.latencies.push(latency_ns);
        // A value beyond all buckets is missing in the picture alone.
        let _ = self.all.as_mut().map(|all| all.record(latency_ns));
        true
    }

    /// Decides about messages whose time has passed.
    fn judge(&mut self, now_ns: i64, over: bool) {
        while let Some((digest, intended_ns)) = self.order.front().copied() {
            if !over && now_ns - intended_ns < self.window_ns {
                return;
            }
            self.order.pop_front();
            let is_it = |awaited: &&Awaited| awaited.intended_ns == intended_ns;
            let left = self.awaited.get(&digest).filter(is_it).map(|awaited| awaited.left);
            if left.is_some() {
                self.awaited.remove(&digest);
            }
            self.judged_now.0 += u64::from(self.fan_out);
            self.judged_now.1 += u64::from(left.unwrap_or_default());
        }
    }

    /// Puts what is known into the figures of the last reading, and of all.
    pub(super) fn put(&mut self, second: &mut LiveSecond, so_far: &mut LiveTotal) {
        second.timed = self.latencies.len() as u64;
        (second.p50_ns, second.p99_ns) = (self.nearest(0.5), self.nearest(0.99));
        (second.judged, second.missing) = self.judged_now;
        (so_far.judged, so_far.missing) = self.judged;
        if let Some(all) = &self.all {
            so_far.timed = all.count();
            so_far.p50_ns = all.quantile(Quantile::MEDIAN);
            so_far.p99_ns = Quantile::new(0.99).ok().and_then(|p99| all.quantile(p99));
        }
    }

    /// The nearest rank of the last reading's latencies, which are reordered.
    fn nearest(&mut self, share: f64) -> Option<i64> {
        let rank = ((self.latencies.len() as f64 * share).ceil() as usize).max(1) - 1;
        if rank >= self.latencies.len() {
            return None;
        }
        Some(*self.latencies.select_nth_unstable(rank).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(all: &[(u64, i64)]) -> Vec<LiveEntry> {
        all.iter().map(|(digest, at_ns)| LiveEntry { digest: *digest, at_ns: *at_ns }).collect()
    }

    fn figures(matching: &mut Matching) -> (LiveSecond, LiveTotal) {
        let (mut second, mut so_far) = (LiveSecond::default(), LiveTotal::default());
        matching.put(&mut second, &mut so_far);
        (second, so_far)
    }

    #[test]
    fn latencies_are_of_messages_that_were_sent_whoever_tells_first() {
        let mut matching = Matching::of(1, 1_000, 0);
        // A warm-up message, and one that its publisher has not reported yet.
        matching.take(&entries(&[(1, 100)]), entries(&[(9, 50), (1, 130), (2, 230)]), 240, true, false);
        let (second, _) = figures(&mut matching);
        assert_eq!((second.p50_ns, second.timed, second.judged), (Some(30), 1, 0));
        matching.take(&entries(&[(2, 200), (3, 300)]), entries(&[(3, 370), (3, 380)]), 400, true, false);
        let (second, so_far) = figures(&mut matching);
        assert_eq!((second.p50_ns, second.p99_ns, second.timed), (Some(30), Some(70), 2), "a copy is none");
        assert_eq!((so_far.timed, so_far.p50_ns), (3, Some(30)));
        matching.take(&[], Vec::new(), 500, true, false);
        assert_eq!(figures(&mut matching).0.p50_ns, None);
    }

    #[test]
    fn a_message_is_missing_when_its_time_has_passed_and_at_the_end() {
        let mut matching = Matching::of(2, 1_000, 0);
        matching.take(&entries(&[(1, 0), (2, 500)]), entries(&[(1, 10)]), 900, true, false);
        assert_eq!(figures(&mut matching).0.judged, 0);
        matching.take(&[], Vec::new(), 1_200, true, false);
        let (second, _) = figures(&mut matching);
        assert_eq!((second.judged, second.missing), (2, 1), "one of two subscribers has it");
        matching.take(&[], entries(&[(2, 1_300), (2, 1_310)]), 1_320, true, true);
        let (second, so_far) = figures(&mut matching);
        assert_eq!((second.judged, second.missing, so_far.judged, so_far.missing), (2, 0, 4, 1));
    }

    #[test]
    fn nothing_is_called_missing_of_which_arrivals_were_overwritten() {
        let mut matching = Matching::of(1, 1_000, 0);
        matching.take(&entries(&[(1, 0), (2, 1)]), Vec::new(), 10, true, false);
        let sent = entries(&[(3, 5), (4, 20), (5, 21)]);
        matching.take(&sent, entries(&[(9, 15), (4, 25)]), 30, false, false);
        matching.take(&[], entries(&[(5, 40)]), 5_000, true, true);
        let (_, so_far) = figures(&mut matching);
        assert_eq!((so_far.judged, so_far.missing, so_far.timed), (2, 0, 2));
    }

    #[test]
    fn the_mask_leaves_few_messages_of_many() {
        assert_eq!([0, 2_048, 2_049, 5_000, 200_000].map(mask_for), [0, 0, 1, 3, 127]);
        let mut matching = Matching::of(1, 1_000, 3);
        matching.take(&entries(&[(4, 0), (5, 0)]), entries(&[(4, 7), (5, 8)]), 10, true, true);
        let (second, _) = figures(&mut matching);
        assert_eq!((second.timed, second.judged, second.missing), (1, 1, 0));
    }
}
