//! Connections to agents for something other than a role of a trial.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use wiredyno_process::scratch::Scratch;
use wiredyno_seats::interrupt::Interrupt;

use crate::known::Known;
use crate::messages::plain;
use crate::role::line::{Connection, Keeper};
use crate::role::{Deed, Outcome};

/// Connections that were opened for something other than a role of a trial, and a folder with our end of a gate; all end with it.
pub(crate) struct Opened {
    known: Arc<Known>,
    roles: Vec<(String, u64)>,
    pub(crate) folder: Option<Scratch>,
}

impl Opened {
    pub(crate) fn new(known: &Arc<Known>) -> Self {
        Opened { known: known.clone(), roles: Vec::new(), folder: None }
    }

    pub(crate) fn ask(
        &mut self,
        agent: &str,
        deed: &Deed,
        interrupt: &Interrupt,
    ) -> io::Result<(Outcome, Connection)> {
        let goes_on = || !interrupt.is_set();
        let opened = self.known.coordinator.open(agent, &goes_on);
        let ([_, number], mut connection) = opened.map_err(io::Error::other)?;
        self.roles.push((agent.to_owned(), number));
        connection.send(deed).map_err(io::Error::other)?;
        let answer = connection.receive::<Outcome>(Instant::now() + crate::LEASE, &goes_on);
        match answer.map_err(io::Error::other)?.0 {
            Outcome::Failed { problem } => Err(io::Error::other(format!("{agent}: {}", plain(&problem)))),
            outcome => Ok((outcome, connection)),
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.roles.iter().for_each(|(agent, number)| self.known.close(agent, *number));
    }
}
