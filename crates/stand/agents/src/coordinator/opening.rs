//! The roles of agents: each has a connection of its own, which its agent opens on request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Coordinator, Job};
use crate::messages::{Reply, Request, plain};
use crate::role::line::Connection;
use crate::wire::LOOK;

/// How long an agent may take to open a connection for a role.
const OPENING: Duration = Duration::from_secs(10);

/// The connections of roles that agents were asked for: of which member, and who waits.
#[derive(Default)]
pub(super) struct Opened {
    last: AtomicU64,
    awaited: Mutex<HashMap<u64, (u64, Sender<Connection>)>>,
}

impl Opened {
    fn locked(&self) -> MutexGuard<'_, HashMap<u64, (u64, Sender<Connection>)>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new number, and where the member's connection with it will arrive.
    fn awaited(&self, member: u64) -> (u64, Receiver<Connection>) {
        let role = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, opened) = channel();
        self.locked().insert(role, (member, sender));
        (role, opened)
    }

    fn forget(&self, role: u64) {
        self.locked().remove(&role);
    }

    /// Whoever waits for this role of a member; `None` if it has already come, or is of another member.
    pub(super) fn take(&self, role: u64, member: u64) -> Option<Sender<Connection>> {
        let mut awaited = self.locked();
        awaited.get(&role).filter(|(of, _)| *of == member)?;
        awaited.remove(&role).map(|(_, sender)| sender)
    }
}

impl Coordinator {
    /// Opens a connection for a role of an agent; returns the numbers of its session and of the role, and the connection.
    pub(crate) fn open(
        &self,
        name: &str,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<([u64; 2], Connection), String> {
        let (jobs, member, session) = {
            let mut membership = self.shared.locked();
            let of = membership.present(name).map_err(|error| error.to_string())?;
            (of.jobs.clone().ok_or("it has just disconnected")?, of.number, of.presence().session)
        };
        let (role, opened) = self.shared.roles.awaited(member);
        let asked = self.opened(&jobs, role, &opened, goes_on);
        self.shared.roles.forget(role);
        Ok(([session, role], asked?))
    }

    fn opened(
        &self,
        jobs: &Sender<Job>,
        role: u64,
        opened: &Receiver<Connection>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Connection, String> {
        let (reply, replied) = channel();
        jobs.send(Job { request: Request::Open { role }, reply }).map_err(|_| "it has just disconnected")?;
        let until = Instant::now() + OPENING;
        while Instant::now() < until && goes_on() {
            if let Ok(connection) = opened.recv_timeout(LOOK) {
                return Ok(connection);
            }
            match replied.try_recv() {
                Ok(Ok(Reply::Failed { reason })) => return Err(plain(&reason)),
                Ok(Err(why)) => return Err(why),
                Ok(Ok(_)) | Err(_) => {}
            }
        }
        Err("it was asked for another connection, but opened none".to_owned())
    }

    /// Ends a role of an agent. Does not wait for it.
    pub(crate) fn close(&self, name: &str, role: u64) {
        let mut membership = self.shared.locked();
        let jobs = membership.present(name).ok().and_then(|of| of.jobs.clone());
        // One that has disconnected has ended its roles.
        let _ = jobs.map(|jobs| jobs.send(Job { request: Request::Close { role }, reply: channel().0 }));
    }
}
