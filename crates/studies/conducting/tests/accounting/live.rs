//! What is shown of a trial while it runs, compared with its record afterwards.

use std::sync::Mutex;
use std::thread::JoinHandle;

use wiredyno_conducting::live::Live;
use wiredyno_model::Role;
use wiredyno_model::live::{LivePhase, LiveTrial};

use crate::faults::delayed;
use crate::stage::{Order, Staged, carry_out};

/// Both ends: trials are reported at the first, and read by a thread that returns what it read.
pub fn read() -> (Live, JoinHandle<Vec<LiveTrial>>) {
    let (live, sampler) = Live::begin();
    let reading = std::thread::spawn(move || {
        let told = Mutex::new(Vec::new());
        sampler.run(&|trials| told.lock().unwrap().extend_from_slice(trials));
        told.into_inner().unwrap()
    });
    (live, reading)
}

/// Trials of some seconds, with and without losses, few enough messages that all are reported.
pub fn equals_the_record() {
    let lossy = delayed().with_loss(0.1);
    let orders: Vec<Order> = [("tcp", &delayed()), ("udp", &delayed()), ("udp", &lossy)]
        .map(|(mode, link)| {
            let order = Order::new(mode, 1_500, link);
            Order { warmup: 20, live: true, subscriber: "cloud".to_owned(), ..order }
        })
        .to_vec();
    for (order, staged) in orders.iter().zip(carry_out(&orders)) {
        compare(&order.mode, &staged);
    }
}

fn compare(mode: &str, staged: &Staged) {
    let (record, last) = (&staged.record, staged.live.last().unwrap());
    let delivery = staged.delivery();
    assert!(staged.live.len() >= 3, "{mode}: one second after the other: {:?}", staged.live);
    assert_eq!(last.name, record.cell.to_string());
    assert_eq!(last.so_far.sent, Some(delivery.sent), "{mode}");
    assert_eq!(
        last.so_far.received,
        Some(delivery.delivered + delivery.duplicated.unwrap_or_default()),
        "{mode}"
    );
    assert_eq!((last.so_far.judged, last.so_far.missing), (delivery.sent, delivery.lost), "{mode}");
    let measured = record.wire.unwrap().measure;
    assert_eq!(last.so_far.up_bytes, Some(measured.up.bytes), "{mode}");
    assert_eq!(last.so_far.down_bytes, Some(measured.down.bytes), "{mode}");
    let timed = |message: &wiredyno_model::trial::MessageRecord| {
        Some(message.received_ns? - message.intended_send_ns)
    };
    let mut latencies: Vec<i64> = staged.messages.iter().filter_map(timed).collect();
    latencies.sort_unstable();
    assert_eq!(last.so_far.timed, latencies.len() as u64, "{mode}");
    for (share, shown) in [(0.5, last.so_far.p50_ns), (0.99, last.so_far.p99_ns)] {
        let rank = (latencies.len() as f64 * share).ceil() as usize - 1;
        let (own, shown) = (latencies[rank] as f64, shown.unwrap() as f64);
        assert!((shown - own).abs() <= own / 1_024.0 + 1.0, "{mode}: {shown} of {own} at {share}");
    }
    // The seconds add up to the whole, and each role is there in each but the last: it is read after the drain, when roles may have ended.
    let sum = |of: fn(&LiveTrial) -> Option<u64>| staged.live.iter().filter_map(of).sum::<u64>();
    assert_eq!(Some(sum(|one| one.second.sent)), last.so_far.sent, "{mode}");
    assert_eq!(Some(sum(|one| one.second.received)), last.so_far.received, "{mode}");
    assert_eq!(Some(sum(|one| one.second.up_bytes)), last.so_far.up_bytes, "{mode}");
    assert_eq!(sum(|one| Some(one.second.missing)), last.so_far.missing, "{mode}");
    assert!(staged.live.iter().any(|one| one.second.phase == LivePhase::Sending));
    for one in &staged.live[..staged.live.len() - 1] {
        for role in [Role::Publisher, Role::Subscriber] {
            let used = one.second.roles.iter().find(|of| of.role == role).unwrap();
            assert!(used.memory_bytes > 500_000, "{mode}: {used:?}");
        }
    }
    let shown_ns: u64 = staged.live.iter().flat_map(|one| &one.second.roles).map(|of| of.cpu_ns).sum();
    assert!(shown_ns > 0, "{mode}");
}
