//! What every mode must do over a working broker.

use std::net::SocketAddr;
use std::sync::Arc;

use wiredyno_contract::Capability;

use super::Mode;
use crate::exchange::{carries_messages, numbered, reaches_all_subscribers, setup};
use crate::notebook::{Arrivals, LIMIT, Notebook};

/// A test's name and function.
type Case = (&'static str, fn(&Mode, SocketAddr));

pub const CASES: [Case; 3] = [
    ("messages_of_every_size_arrive_once_and_equal", every_size),
    ("ten_thousand_small_ones_are_counted_exactly", ten_thousand),
    ("two_publishers_reach_three_subscribers", fan_out),
];

/// Number of messages per publisher.
const FAN_OUT: u8 = 100;

fn nothing_is_left(mode: &Mode, endpoint: SocketAddr) {
    let left = mode.left.map_or_else(Vec::new, |left| left(endpoint));
    assert!(left.is_empty(), "{} left at the broker: {left:?}", mode.name());
}

fn every_size(mode: &Mode, endpoint: SocketAddr) {
    carries_messages(mode.transport, mode.setting(), endpoint);
    nothing_is_left(mode, endpoint);
}

fn ten_thousand(mode: &Mode, endpoint: SocketAddr) {
    let (name, book) = (mode.name(), Arc::new(Notebook::default()));
    let setup = setup(mode.setting(), endpoint, &mode.topic("many"));
    let subscriber = mode.transport.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = mode.transport.publisher(&setup, book.clone()).unwrap();
    let mut bodies = numbered(10_000);
    for (token, body) in bodies.iter().enumerate() {
        publisher.send(token as u64, body).unwrap();
    }
    let all = bodies.len();
    let acks = if publisher.acknowledges() { all } else { 0 };
    book.wait(
        &name,
        |seen| seen.bodies.len() >= all && seen.sent.len() >= all && seen.acked.len() >= acks,
        |_| (),
    );
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    book.look(|seen| {
        assert_eq!((seen.bodies.len(), seen.sent.len(), seen.acked.len()), (all, all, acks), "{name}");
        assert_eq!(seen.broken, None, "{name}");
        let mut arrived = seen.bodies.clone();
        if !mode.has(Capability::Ordered) {
            arrived.sort();
            bodies.sort();
        }
        assert!(arrived == bodies, "{name}: what arrived differs from what was sent");
    });
    nothing_is_left(mode, endpoint);
}

fn fan_out(mode: &Mode, endpoint: SocketAddr) {
    reaches_all_subscribers(mode.transport, mode.setting(), endpoint, &mode.topic("fan-out"), FAN_OUT);
    nothing_is_left(mode, endpoint);
}
