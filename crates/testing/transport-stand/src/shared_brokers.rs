//! Brokers shared by the tests of a program, and how those tests are run.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use libtest_mimic::{Arguments, Trial};
use wiredyno_brokers::BrokerFolder;

use crate::broker::{Broker, cache};
use crate::missing::{Machine, Verdict, verdict};

/// A broker that is started once for all tests of a program, by the first test that needs it.
pub struct Shared {
    /// The broker's folder, which may be changed.
    pub folder: BrokerFolder,
    /// How many nodes are started.
    pub nodes: u32,
    verdict: Verdict,
    /// A failed start is not tried again, since that would take as long.
    broker: Mutex<Option<Result<Broker, String>>>,
}

impl Shared {
    /// The unchanged broker, shared by all tests of this program while any of them holds it.
    pub fn standing(folder: &BrokerFolder, nodes: u32) -> Arc<Self> {
        static STANDING: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());
        let mut standing = STANDING.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &Arc<Shared>| known.folder.broker.id == folder.broker.id && known.nodes == nodes;
        if let Some(known) = standing.iter().filter_map(Weak::upgrade).find(same) {
            return known;
        }
        let fresh = Shared::of(folder.clone(), nodes);
        standing.push(Arc::downgrade(&fresh));
        fresh
    }

    /// A broker with this many nodes, not started yet.
    pub fn of(folder: BrokerFolder, nodes: u32) -> Arc<Self> {
        let verdict = verdict(&folder.broker.install, &folder.missing(&cache()), Machine::of(&folder));
        Arc::new(Shared { folder, nodes, verdict, broker: Mutex::new(None) })
    }

    /// Like [`Shared::of`], but its tests are ignored for this reason.
    pub fn ignored(folder: BrokerFolder, nodes: u32, reason: &str) -> Arc<Self> {
        let verdict = Verdict::Ignore(reason.to_owned());
        Arc::new(Shared { folder, nodes, verdict, broker: Mutex::new(None) })
    }

    /// The broker's id, with the number of nodes if it is not the broker's first.
    pub fn name(&self) -> String {
        let first = self.folder.broker.nodes.first() == Some(&self.nodes);
        let id = &self.folder.broker.id;
        if first { id.clone() } else { format!("{id}@{}", self.nodes) }
    }

    /// Gives a test exclusive use of the broker.
    ///
    /// # Panics
    /// When the broker is not available, does not start, or has ended by the end of the test.
    pub fn with<T>(&self, test: impl FnOnce(&mut Broker) -> T) -> T {
        let mut held = self.broker.lock().unwrap_or_else(PoisonError::into_inner);
        let started = held.take().unwrap_or_else(|| Broker::start(&self.folder, self.nodes));
        let mut broker = match started {
            Ok(broker) => broker,
            Err(reason) => {
                *held = Some(Err(reason.clone()));
                panic!("{reason}")
            }
        };
        // A broker in use by a failed test is stopped: the next test gets a fresh one.
        let result = test(&mut broker);
        assert_eq!(broker.ended(), None);
        *held = Some(Ok(broker));
        result
    }

    /// A test with this broker; if the broker is missing, the test is ignored or fails.
    pub fn trial(self: &Arc<Self>, name: &str, test: impl FnOnce(&mut Broker) + Send + 'static) -> Trial {
        let shared = self.clone();
        self.trial_of(name, move || shared.with(test))
    }

    /// Like [`Shared::trial`], for a test that starts the broker itself.
    pub fn trial_of(&self, name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
        let (ignored, name) = match &self.verdict {
            Verdict::Ignore(reason) => (true, format!("{name} [{reason}]")),
            _ => (false, name.to_owned()),
        };
        let failure = match &self.verdict {
            Verdict::Fail(reason) => Some(reason.clone()),
            _ => None,
        };
        let run = move || match failure {
            Some(reason) => Err(reason.into()),
            None => {
                test();
                Ok(())
            }
        };
        Trial::test(name, run).with_ignored_flag(ignored)
    }
}

/// Runs tests one after the other, as they share brokers. Drop all brokers before the program exits, for instance by
/// returning from `main`.
pub fn run(trials: Vec<Trial>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials).exit_code()
}
