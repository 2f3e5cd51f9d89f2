//! A coordinator that comes back in another process, to agents that have stayed for it.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::membership::Membership;
use super::{Coordinator, CoordinatorError};
use crate::trust::{Identity, TrustError};

/// What it takes to be the same coordinator again, in another process: its identity, and the certificates of those who have joined. It is a secret.
///
/// The authority's key is not among it: nobody else is let in.
#[derive(Clone, Serialize, Deserialize)]
pub struct Kept {
    identity: Identity,
    /// The name of each member, and the digest of its certificate in hexadecimal.
    members: Vec<(String, String)>,
}

impl Coordinator {
    /// Listens as the coordinator that has kept this, on a port that its agents know: they come back to it, and stay when it ends. Nobody else is let in.
    ///
    /// # Errors
    /// When the port can't be had, or what was kept can't be read.
    pub fn again(address: SocketAddr, program: &str, kept: &Kept) -> Result<Self, CoordinatorError> {
        let mut membership = Membership::default();
        for (name, digest) in &kept.members {
            let digest = hex::decode(digest).ok().and_then(|digest| digest.try_into().ok());
            let digest = digest.ok_or_else(|| TrustError::Unreadable(format!("that of {name}")))?;
            membership.remember(name, digest);
        }
        let coordinator = Self::begin(address, program, kept.identity.clone(), None, membership)?;
        coordinator.stay(true);
        Ok(coordinator)
    }

    /// Says whether agents stay when this coordinator ends, and wait for it to come back for as long as their patience lasts; otherwise they end with it.
    pub fn stay(&self, stay: bool) {
        self.shared.stay.store(stay, Ordering::Relaxed);
    }

    /// What it takes to be this coordinator [again](Self::again), with those who have joined by now.
    pub fn kept(&self) -> Kept {
        let members = self.shared.locked().certificates();
        Kept { identity: self.identity.clone(), members }
    }
}
