//! Brokers that tests of a program share, and how those tests are run.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use libtest_mimic::{Arguments, Trial};
use wiredyno_brokers::BrokerFolder;

use crate::broker::{Broker, cache};
use crate::missing::{Machine, Verdict, verdict};

/// One start of a broker that all tests of a program share: by the first of them that needs it.
pub struct Shared {
    /// The broker.
    pub folder: BrokerFolder,
    /// How many nodes are started.
    pub nodes: u32,
    verdict: Verdict,
    /// Where it could not be started, it is not tried again, which would take as long.
    broker: Mutex<Option<Result<Broker, String>>>,
}

impl Shared {
    /// A broker as its folder has it, the same for all tests of this program, as long as somebody holds it.
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

    /// A broker of so many nodes, which is not started yet.
    pub fn of(folder: BrokerFolder, nodes: u32) -> Arc<Self> {
        let verdict = verdict(&folder.broker.install, &folder.missing(&cache()), Machine::of(&folder));
        Arc::new(Shared { folder, nodes, verdict, broker: Mutex::new(None) })
    }

    /// The same, whose tests are ignored for this reason.
    pub fn ignored(folder: BrokerFolder, nodes: u32, reason: &str) -> Arc<Self> {
        let verdict = Verdict::Ignore(reason.to_owned());
        Arc::new(Shared { folder, nodes, verdict, broker: Mutex::new(None) })
    }

    /// Its id, with the number of nodes where it is not the broker's first.
    pub fn name(&self) -> String {
        let first = self.folder.broker.nodes.first() == Some(&self.nodes);
        let id = &self.folder.broker.id;
        if first { id.clone() } else { format!("{id}@{}", self.nodes) }
    }

    /// Has a test use it alone.
    ///
    /// # Panics
    /// When it is not to be had, does not start, or has ended when the test is over.
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
        // One that was in use when a test failed ends with it: the next has a fresh one.
        let result = test(&mut broker);
        assert_eq!(broker.ended(), None);
        *held = Some(Ok(broker));
        result
    }

    /// A test with it, which is ignored or fails where it is missing.
    pub fn trial(self: &Arc<Self>, name: &str, test: impl FnOnce(&mut Broker) + Send + 'static) -> Trial {
        let shared = self.clone();
        self.trial_of(name, move || shared.with(test))
    }

    /// The same for a test that starts the broker by itself.
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

/// Runs tests one after the other, as they share brokers. Whoever holds the brokers has to let go of them before the program
/// exits, as returning from `main` does.
pub fn run(trials: Vec<Trial>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, trials).exit_code()
}
