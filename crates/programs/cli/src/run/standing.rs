//! A fleet that stays: `wiredyno fleet up FILE` keeps in `FILE.up` what it takes to be its coordinator again, and runs with the same file use it.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use wiredyno_agents::{Coordinator, Kept};
use wiredyno_fleet::{Record, Up};

/// What is kept of a fleet. It is a secret: who has it can be the coordinator of its agents.
#[derive(Clone, Serialize, Deserialize)]
pub struct Standing {
    /// The version of the program that its agents are.
    version: String,
    /// Where its agents look for their coordinator.
    listen: SocketAddr,
    coordinator: Kept,
    engine: Record,
}

impl std::fmt::Debug for Standing {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "a fleet of version {} at {}", self.version, self.listen)
    }
}

impl Standing {
    pub fn new(listen: SocketAddr, coordinator: Kept, engine: Record) -> Self {
        Standing { version: env!("CARGO_PKG_VERSION").to_owned(), listen, coordinator, engine }
    }

    /// Where it is kept, beside the file of its fleet.
    pub fn path(file: &Path) -> PathBuf {
        let mut name = file.as_os_str().to_owned();
        name.push(".up");
        PathBuf::from(name)
    }

    /// The fleet that is up for a file, if one is.
    pub fn read(file: &Path) -> anyhow::Result<Option<Self>> {
        let path = Self::path(file);
        let read = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(error.into()),
            Ok(text) => serde_json::from_slice::<Standing>(&text).map_err(anyhow::Error::from),
        };
        let standing =
            read.with_context(|| format!("{}: what `wiredyno fleet up` has kept", path.display()))?;
        if standing.version != env!("CARGO_PKG_VERSION") {
            return Err(anyhow!(
                "{}: the agents that are up are version {}, and this program is {}: take them down with that one",
                path.display(),
                standing.version,
                env!("CARGO_PKG_VERSION")
            ));
        }
        Ok(Some(standing))
    }

    /// Keeps it. The file must not exist.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let path = Self::path(file);
        let text = serde_json::to_vec(self)?;
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        made.and_then(|mut file| file.write_all(&text)).with_context(|| path.display().to_string())
    }

    /// Its coordinator, to which its agents come back, and for which they stay when it ends.
    pub fn coordinator(&self) -> anyhow::Result<Coordinator> {
        let again = Coordinator::again(self.listen, env!("CARGO_PKG_VERSION"), &self.coordinator);
        again.context("the fleet that is up may be in use by another run")
    }

    /// What the engine has of it; it stays.
    pub fn up(&self) -> anyhow::Result<Up> {
        let mut up = Up::again(&self.engine)?;
        up.leave();
        Ok(up)
    }

    /// The same, to be taken down when it is dropped.
    pub fn to_end(&self) -> anyhow::Result<Up> {
        Ok(Up::again(&self.engine)?)
    }
}
