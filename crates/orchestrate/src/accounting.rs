//! Exact accounting: matches what was sent with what arrived, by content and time.
//!
//! An arrival belongs to the latest message of its content that the publisher had turned to (`build_start`) by then:
//!
//! - Before that moment the message did not exist. Publisher and subscriber read one clock, which never goes back, so an
//!   arrival before it is no message's; where no message of its content was sent before it, it is corrupted. A `sent` that was
//!   stamped after the arrival is well: such negative times are kept.
//! - Of messages with equal content the latest is the right one as long as none is under way until its equal is sent, whatever
//!   is lost, repeated or overtaken meanwhile. An arrival whose message has arrived already is a copy of it.
//!
//! Whether that holds is known of the plan ([`crate::contents`]) and looked at in the records: equal contents must be sent at
//! least `drain` apart, and no message may have been under way for half as long as they are apart, unless that is less
//! than `drain`. In a closed loop they follow at once, and each must have arrived just once before the next was sent. Where it
//! does not hold, messages are only counted: of each content as many have arrived as there were arrivals, at
//! most as many as were sent. That is exact where the protocol makes no copies. Which message an arrival was is not known
//! then, hence no times and neither copies nor order.

mod matching;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use wiredyno_model::Span;
use wiredyno_model::trial::{Delivery, MessageRecord, Schedule};
use wiredyno_runner_wire::bulk::{ABSENT, ReceivedRow, SentRow, SupersededRow};

use crate::pace;
use matching::{Contents, Matched};

/// The messages of a trial and what became of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Every measured message in order of sending.
    pub messages: Vec<MessageRecord>,
    /// Their sums.
    pub delivery: Delivery,
    /// Bytes of all bodies sent.
    pub body_bytes: u64,
    /// How the schedule was kept.
    pub schedule: Schedule,
    /// From the moment the publisher turned to the first message of all, a warm-up message, to its receipt. Absent without warm-up,
    /// where it was lost, and where messages are only counted.
    pub first_message_ns: Option<u64>,
    /// Why messages were only counted; absent where every arrival was matched.
    pub counted_only: Option<String>,
}

/// What the accounting goes by.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// A message received later than this after its intended send is late.
    pub deadline: Span,
    /// How long after the last send the drain ends.
    pub drain: Span,
    /// The end of the drain, CLOCK_MONOTONIC: what arrives or is superseded later counts as lost.
    pub cutoff_ns: i64,
    /// The intended time between messages, absent for a closed loop.
    pub interval_ns: Option<u64>,
    /// Why messages can only be counted, where that is known beforehand.
    pub counted_only: Option<&'a str>,
}

/// Matches arrivals with messages, and of what did not arrive tells the superseded from the lost.
pub fn account(
    sent: &[SentRow],
    received: &[ReceivedRow],
    superseded: &[SupersededRow],
    terms: &Terms<'_>,
) -> Account {
    let contents = Contents::of(sent);
    let in_time = || received.iter().filter(|row| row.received_ns <= terms.cutoff_ns);
    let matched = contents.matched(in_time());
    let doubt = terms.counted_only.map(str::to_owned).or_else(|| match terms.interval_ns {
        Some(_) => contents.doubt_of_schedule(&matched, terms.drain),
        None => contents.doubt_of_turns(&matched, terms.drain),
    });
    let first_message_ns = doubt.is_none().then(|| first_message_ns(sent, &matched)).flatten();
    let skipped = skipped(superseded, terms.cutoff_ns);
    let (delivery, messages) = match doubt {
        None => {
            let messages = records(sent, &matched.arrivals);
            (of_matched(sent, &matched, skipped, terms.deadline), messages)
        }
        Some(_) => {
            (counted(&contents, sent, in_time(), &skipped), records(sent, &vec![(0, None); sent.len()]))
        }
    };
    let body_bytes = sent.iter().filter(|row| !row.is_warmup()).map(|row| row.body_bytes).sum();
    let schedule = pace::schedule(&messages, terms.interval_ns.is_some());
    Account { messages, delivery, body_bytes, schedule, first_message_ns, counted_only: doubt }
}

fn first_message_ns(sent: &[SentRow], matched: &Matched) -> Option<u64> {
    let first = sent.first().filter(|row| row.is_warmup())?;
    let (_, arrival) = matched.arrivals.first()?;
    u64::try_from(arrival.as_ref()?.received_ns - first.build_start_ns).ok()
}

/// How often messages of each content were superseded before the drain was over.
fn skipped(superseded: &[SupersededRow], cutoff_ns: i64) -> HashMap<u128, u64> {
    let mut skipped: HashMap<u128, u64> = HashMap::new();
    for row in superseded.iter().filter(|row| row.at_ns <= cutoff_ns) {
        *skipped.entry(row.digest).or_default() += 1;
    }
    skipped
}

fn of_matched(
    sent: &[SentRow],
    matched: &Matched,
    mut skipped: HashMap<u128, u64>,
    deadline: Span,
) -> Delivery {
    let (mut delivery, mut late) = (Delivery::default(), 0);
    for (row, (_, first)) in sent.iter().zip(&matched.arrivals).filter(|(row, _)| !row.is_warmup()) {
        delivery.sent += 1;
        match first {
            Some(arrival) => {
                delivery.delivered += 1;
                let limit = row.intended_send_ns.saturating_add_unsigned(deadline.ns);
                late += u64::from(arrival.received_ns > limit);
            }
            // What arrived is delivered, also when a copy of it was superseded.
            None => match skipped.get_mut(&row.digest).filter(|left| **left > 0) {
                Some(left) => {
                    *left -= 1;
                    delivery.superseded += 1;
                }
                None => delivery.lost += 1,
            },
        }
    }
    delivery.late = Some(late);
    delivery.duplicated = Some(matched.duplicated);
    delivery.reordered = Some(matched.reordered);
    delivery.corrupted = matched.corrupted;
    delivery
}

/// Content by content. What arrives before the first measured message is sent is a warm-up message.
fn counted<'r>(
    contents: &Contents<'_>,
    sent: &[SentRow],
    received: impl Iterator<Item = &'r ReceivedRow>,
    skipped: &HashMap<u128, u64>,
) -> Delivery {
    let mut delivery = Delivery { late: None, duplicated: None, reordered: None, ..Delivery::default() };
    let measured = || sent.iter().filter(|row| !row.is_warmup());
    let begun_ns = measured().map(|row| row.build_start_ns).min().unwrap_or(i64::MAX);
    let mut arrived: HashMap<u128, u64> = HashMap::new();
    for row in received {
        match contents.equal_to(row.digest).first() {
            Some(&first) if sent[first].build_start_ns <= row.received_ns => {
                *arrived.entry(row.digest).or_default() += u64::from(row.received_ns >= begun_ns);
            }
            _ => delivery.corrupted += 1,
        }
    }
    let mut sent_of: HashMap<u128, u64> = HashMap::new();
    for row in measured() {
        *sent_of.entry(row.digest).or_default() += 1;
    }
    for (digest, count) in sent_of {
        let of = |counts: &HashMap<u128, u64>| counts.get(&digest).copied().unwrap_or_default();
        let delivered = of(&arrived).min(count);
        let superseded = of(skipped).min(count - delivered);
        delivery.sent += count;
        delivery.delivered += delivered;
        delivery.superseded += superseded;
        delivery.lost += count - delivered - superseded;
    }
    delivery
}

fn records(sent: &[SentRow], arrivals: &[(u32, Option<ReceivedRow>)]) -> Vec<MessageRecord> {
    let measured = sent.iter().zip(arrivals).filter(|(row, _)| !row.is_warmup());
    let record = |(row, (count, first)): (&SentRow, &(u32, Option<ReceivedRow>))| MessageRecord {
        sequence: row.sequence,
        body_bytes: u32::try_from(row.body_bytes).unwrap_or(u32::MAX),
        intended_send_ns: row.intended_send_ns,
        build_start_ns: row.build_start_ns,
        built_ns: row.built_ns,
        encoded_ns: row.encoded_ns,
        handed_over_ns: present(row.handed_over_ns),
        sent_ns: present(row.sent_ns),
        acked_ns: present(row.acked_ns),
        received_ns: first.map(|arrival| arrival.received_ns),
        decoded_ns: first.and_then(|arrival| present(arrival.decoded_ns)),
        crossing: None,
        arrivals: *count,
    };
    measured.map(record).collect()
}

fn present(time_ns: i64) -> Option<i64> {
    (time_ns != ABSENT).then_some(time_ns)
}
