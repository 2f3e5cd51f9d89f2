//! Clients that connect and disconnect concurrently: one after the other, a thousand over a slow link would take minutes.

use std::sync::{Mutex, PoisonError};

use wiredyno_contract::topic_of;
use wiredyno_transport::{ClientSetup, FinishError};

use crate::lock::locked;

/// How many at a time: with more, the broker would refuse connections that wait to be accepted.
const AT_A_TIME: usize = 32;

/// Odd, so that no two clients have one seed (the golden ratio's fraction in 64 bits).
const NEXT_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// One of several clients with the same terms: its topic, and a seed of its own.
pub fn setup_of(setup: &ClientSetup, client: u32, topics: u32) -> ClientSetup {
    ClientSetup {
        topic: topic_of(&setup.topic, client, topics),
        seed: setup.seed.wrapping_add(u64::from(client).wrapping_mul(NEXT_SEED)),
        ..setup.clone()
    }
}

/// Does something with each, a single one on this thread; returns the results in order, or the first failure, after which no further
/// one is begun.
pub fn each<I: Send, T: Send, E: Send>(
    items: Vec<I>,
    with: impl Fn(u32, I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let threads = items.len().min(AT_A_TIME);
    let mut items = (0..).zip(items);
    if threads <= 1 {
        return items.map(|(client, item)| with(client, item)).collect();
    }
    let (queue, done) = (Mutex::new(&mut items), Mutex::new(Ok(Vec::new())));
    let next = || if locked(&done).is_ok() { locked(&queue).next() } else { None };
    let work = || {
        while let Some((client, item)) = next() {
            match (with(client, item), &mut *locked(&done)) {
                (Ok(one), Ok(all)) => all.push((client, one)),
                (Err(error), so_far @ Ok(_)) => *so_far = Err(error),
                (_, Err(_)) => {}
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut all = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    all.sort_by_key(|(client, _)| *client);
    Ok(all.into_iter().map(|(_, one)| one).collect())
}

/// Ends all of them, even if one fails; returns the first failure.
pub fn end<I: Send>(
    clients: Vec<I>,
    finish: impl Fn(I) -> Result<(), FinishError> + Sync,
) -> Result<(), FinishError> {
    let ended: Result<Vec<_>, std::convert::Infallible> = each(clients, |_, client| Ok(finish(client)));
    match ended {
        Ok(ended) => ended.into_iter().collect(),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn all_are_done_in_order_and_a_failure_ends_it() {
        let all: Vec<u32> = (0..100).collect();
        assert_eq!(each(all.clone(), |client, item| Ok::<_, ()>(client + item)).unwrap()[99], 198);
        assert_eq!(each(vec![7], |_, item| Ok::<_, ()>(item)).unwrap(), [7]);
        let begun = AtomicU32::new(0);
        let failed = each((0..1000).collect::<Vec<u32>>(), |client, _| {
            begun.fetch_add(1, Ordering::Relaxed);
            if client == 3 { Err(client) } else { Ok(()) }
        });
        assert_eq!(failed, Err(3));
        assert!(begun.into_inner() < 1000);
        let ended = AtomicU32::new(0);
        let end = end(all, |client| {
            ended.fetch_add(1, Ordering::Relaxed);
            if client == 3 {
                Err(FinishError::Unfinished {
                    transport: "t",
                    grace: std::time::Duration::ZERO,
                    reason: "one is under way".into(),
                })
            } else {
                Ok(())
            }
        });
        assert!(end.is_err() && ended.into_inner() == 100);
    }
}
