//! A server that is killed at any moment loses no test and no trial.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::stand::{STUDY, Server};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wiredyno_store::RunFolder;

/// Kills: quick, and with `WIREDYNO_TEST_FULL`; and the repeats of each test.
const KILLS: [u32; 2] = [8, 100];
const REPEATS: [u32; 2] = [5, 12];
const SEED: u64 = 4242;

#[test]
fn a_server_that_is_killed_at_random_moments_loses_no_test_and_no_trial() {
    let full = std::env::var_os("WIREDYNO_TEST_FULL").is_some();
    let (kills, repeats) = (KILLS[usize::from(full)], REPEATS[usize::from(full)]);
    let seed = std::env::var("WIREDYNO_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let data = tempfile::tempdir().unwrap();
    let study = STUDY
        .replace("repeats = 2", &format!("repeats = {repeats}"))
        .replace("messages = 20", "messages = 60");
    // Runners are compiled first, so that the kills hit trials.
    let server = Server::start(data.path(), &["--pause", "0"]);
    server.await_end(server.submit(STUDY));
    server.kill();
    let before = trials_of(data.path()).len();
    let mut submitted = Vec::new();
    let mut finished: BTreeSet<(String, u32)> = BTreeSet::new();
    for kill in 0..kills {
        let server = Server::start(data.path(), &["--pause", "0"]);
        if kill % 5 == 0 {
            submitted.push(server.submit(&study.replace("tiny", &format!("killed-{kill}"))));
        }
        std::thread::sleep(Duration::from_millis(u64::from(random.next_u32() % 2500)));
        server.kill();
        // Trials finished now must still be there in the end.
        finished.extend(trials_of(data.path()));
    }
    let server = Server::start(data.path(), &["--pause", "0"]);
    for id in &submitted {
        let test = server.await_end(*id);
        assert_eq!((test["state"].as_str(), test["failures"].as_u64()), (Some("done"), Some(0)), "{test:#}");
        let run = data.path().join("runs").join(test["run"].as_str().unwrap());
        let records = RunFolder::open(&run).unwrap().read_records().unwrap();
        // A busy machine makes trials invalid, which are repeated; no record may be missing.
        for repeat in 0..repeats {
            let of_repeat: Vec<_> =
                records.messages.iter().filter(|record| record.repeat == repeat).collect();
            let whole = of_repeat.iter().any(|record| record.invalid.is_empty()) || of_repeat.len() == 3;
            let attempts: Vec<_> = of_repeat.iter().map(|record| (record.attempt, &record.invalid)).collect();
            assert!(whole, "repeat {repeat} of {}: {attempts:?}", run.display());
        }
        let numbers: Vec<u32> = records.messages.iter().map(|record| record.trial).collect();
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len(), "no trial twice");
    }
    let in_the_end: BTreeSet<_> = trials_of(data.path()).into_iter().collect();
    let lost: Vec<_> = finished.difference(&in_the_end).collect();
    assert!(lost.is_empty(), "lost trials: {lost:?}");
    assert!(finished.len() > before, "no trial was finished before a kill");
}

/// The finished trials of all runs, by run and number.
fn trials_of(data: &std::path::Path) -> Vec<(String, u32)> {
    let runs = std::fs::read_dir(data.join("runs")).unwrap();
    let of_run = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let folder = RunFolder::reopen(&path).or_else(|_| RunFolder::open(&path)).ok()?;
        let name = folder.id();
        let records = folder.read_records().ok()?;
        let messages = records.messages.into_iter().map(|record| record.trial);
        let codecs = records.codecs.into_iter().map(|record| record.trial);
        Some(messages.chain(codecs).map(|trial| (name.clone(), trial)).collect::<Vec<_>>())
    };
    runs.filter_map(of_run).flatten().collect()
}
