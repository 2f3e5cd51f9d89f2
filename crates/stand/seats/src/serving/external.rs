//! Brokers that are already running, given by address.

use wiredyno_contract::{Endpoint, Security, TlsTerms};
use wiredyno_model::{Lack, Remedy};

/// A server that runs already, over the existing network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The address and port on which it listens.
    pub endpoint: Endpoint,
    /// The login of clients; `None` for none, or the protocol's own guest.
    pub login: Option<Login>,
    /// How connections to it are encrypted; `None` if they are in the clear.
    pub tls: Option<TlsTerms>,
}

impl External {
    /// Whether its address is for a security; `Err` says what to write instead.
    pub(super) fn serves(&self, security: Option<Security>) -> Result<(), Lack> {
        match (security, &self.tls) {
            (None, _) | (Some(Security::None), None) | (Some(Security::Tls), Some(_)) => Ok(()),
            (Some(security), _) => {
                let is = if self.tls.is_some() { "with TLS" } else { "in the clear" };
                Err(Lack {
                    reason: format!("the broker by address is reached {is}, not with security `{security}`"),
                    remedy: Some(Remedy::Words("leave the axis out, or give a suitable address".to_owned())),
                })
            }
        }
    }
}

/// A user and a password, which appears in no result, log or list of processes.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The name of the user.
    pub user: String,
    /// The password of the user.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}
