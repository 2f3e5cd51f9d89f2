//! What the tests share: a coordinator, and agents in threads.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wiredyno_agents::agent::{self, AgentError, Ended, Event, Terms};
use wiredyno_agents::{Coordinator, Invitation, Member, MemberState};
use wiredyno_model::summary::Environment;

pub const PROGRAM: &str = "1.2.3";

/// Long enough for any machine; what is awaited happens long before.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn coordinator() -> Coordinator {
    Coordinator::listen("127.0.0.1:0".parse().unwrap(), PROGRAM).unwrap()
}

pub fn invited(coordinator: &Coordinator) -> Invitation {
    coordinator.invite("127.0.0.1", PATIENCE).unwrap()
}

pub fn terms(name: &str) -> Terms {
    let environment: Environment = serde_json::from_value(serde_json::json!({
        "cpu": "a CPU\u{1b}[2J", "cpus": 2, "memory_bytes": 1, "kernel": "Linux", "os": "Debian", "governor": "unknown", "hypervisor": "none",
        "load_1min": 0.0, "timer_resolution_ns": 1, "sleep_lateness_p99_ns": 1, "rights": [], "compiler": "rustc", "commit": "unknown"
    }))
    .unwrap();
    let labels = BTreeMap::from([("site".to_owned(), "garage".to_owned())]);
    Terms {
        name: name.to_owned(),
        labels,
        program: PROGRAM.to_owned(),
        environment,
        patience: PATIENCE,
        sandbox: None,
        allowed: wiredyno_seats::allowed::Allowed::default(),
        limits: wiredyno_agents::Limits::default(),
    }
}

/// An agent in a thread.
pub struct Running {
    told: Arc<Mutex<Vec<Event>>>,
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<Result<Ended, AgentError>>,
}

impl Running {
    pub fn start(invitation: Invitation, terms: Terms) -> Self {
        let (told, stopped) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (own, ends) = (told.clone(), stopped.clone());
        let thread = std::thread::spawn(move || {
            let goes_on = || !ends.load(Ordering::Relaxed);
            agent::run(&invitation, &terms, &goes_on, &mut |event| own.lock().unwrap().push(event))
        });
        Running { told, stopped, thread }
    }

    pub fn told(&self) -> Vec<Event> {
        self.told.lock().unwrap().clone()
    }

    /// Waits until it has reported this many events of a kind.
    pub fn until(&self, what: &str, count: usize, is_it: impl Fn(&Event) -> bool) {
        let begun = Instant::now();
        while self.told().iter().filter(|event| is_it(event)).count() < count {
            assert!(begun.elapsed() < PATIENCE, "{what}: {:?}", self.told());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until it has been connected this many times.
    pub fn until_present(&self, count: usize) {
        self.until("present", count, |event| matches!(event, Event::Present(_)));
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub fn ended(self) -> Result<Ended, AgentError> {
        self.thread.join().unwrap()
    }

    /// The error with which it gives up.
    pub fn refused(self) -> String {
        self.ended().unwrap_err().to_string()
    }
}

/// Waits until the members are as they should be.
pub fn until(coordinator: &Coordinator, what: &str, right: impl Fn(&[Member]) -> bool) -> Vec<Member> {
    let (begun, mut version) = (Instant::now(), 0);
    loop {
        let members = coordinator.members();
        if right(&members) {
            return members;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: {members:?}");
        version = coordinator.wait(version, Duration::from_millis(20));
    }
}

pub fn present(members: &[Member]) -> usize {
    members.iter().filter(|one| one.state == MemberState::Present).count()
}

/// An invitation to another address.
pub fn elsewhere(invitation: &Invitation, address: SocketAddr) -> Invitation {
    let mut of = invitation.clone();
    of.address = address.to_string();
    of
}
