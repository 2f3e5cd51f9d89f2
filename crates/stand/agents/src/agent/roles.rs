//! The roles of an agent's session, each with a connection of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use rustls::ClientConfig;

use super::{DIAL, Failed, dial_at};
use crate::messages::{Answer, Opening, PROTOCOL};
use crate::role::keep::Keep;
use crate::role::serving;

/// The most roles of an agent at a time.
const MOST_ROLES: usize = 64;

/// Where a role dials, and how.
#[derive(Clone)]
pub(super) struct Dialing {
    pub(super) coordinator: SocketAddr,
    pub(super) config: Arc<ClientConfig>,
    pub(super) program: String,
}

impl Dialing {
    /// Opens a role's connection, and serves it to its end.
    fn serve(&self, role: u64, keep: &Arc<Keep>, alive: &Arc<AtomicBool>) -> Result<(), Failed> {
        let goes_on = || alive.load(Ordering::Relaxed);
        let mut connection = dial_at(self.coordinator, &self.config, &goes_on)?;
        connection.send(&Opening::Role { protocol: PROTOCOL, program: self.program.clone(), role })?;
        match connection.receive(Instant::now() + DIAL, &goes_on)?.0 {
            Answer::Serves => Ok(serving::serve((keep, self.coordinator.ip()), &mut connection, alive)?),
            _ => Err(Failed::ForNow("the role was refused".to_owned())),
        }
    }
}

/// The roles of a session, each a thread with a connection; all end with the session.
pub(super) struct Roles {
    dialing: Dialing,
    keep: Arc<Keep>,
    running: Vec<(u64, Arc<AtomicBool>, JoinHandle<()>)>,
}

impl Roles {
    pub(super) fn new(dialing: Dialing, keep: Arc<Keep>) -> Self {
        Roles { dialing, keep, running: Vec::new() }
    }

    pub(super) fn open(&mut self, role: u64) -> io::Result<()> {
        self.running.retain(|(_, _, thread)| !thread.is_finished());
        if self.running.len() >= MOST_ROLES {
            return Err(io::Error::other(format!("an agent has at most {MOST_ROLES} roles at a time")));
        }
        let (dialing, keep, alive) =
            (self.dialing.clone(), self.keep.clone(), Arc::new(AtomicBool::new(true)));
        let its = alive.clone();
        // The coordinator sees on its side why it ended.
        let serve = move || drop(dialing.serve(role, &keep, &its));
        let thread = std::thread::Builder::new().name(format!("role {role}")).spawn(serve)?;
        self.running.push((role, alive, thread));
        Ok(())
    }

    pub(super) fn close(&self, role: u64) {
        let found = self.running.iter().find(|(number, _, _)| *number == role);
        found.into_iter().for_each(|(_, alive, _)| alive.store(false, Ordering::Relaxed));
    }
}

impl Drop for Roles {
    fn drop(&mut self) {
        self.running.iter().for_each(|(_, alive, _)| alive.store(false, Ordering::Relaxed));
        for (_, _, thread) in self.running.drain(..) {
            // A panic has been printed.
            let _ = thread.join();
        }
    }
}
