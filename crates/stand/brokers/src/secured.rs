//! How a broker is started: the security of its connections, and which clients it lets in.

use std::path::Path;

use wiredyno_contract::Security;
use wiredyno_credentials::{Credentials, PSK_IDENTITY, USER};

use crate::definition::{Access, Broker, Prepare, Variant};

/// How connections to a broker are to be secured, and which clients it is to let in.
#[derive(Debug, Clone, Copy)]
pub struct Secured<'a> {
    /// The security, one that the broker supports.
    pub security: Security,
    /// Whether clients need the run's user and password.
    pub login: bool,
    /// The credentials of both sides; `None` if none are needed.
    pub credentials: Option<&'a Credentials>,
}

impl Secured<'_> {
    /// In the clear, and without a login.
    pub const OPEN: Secured<'static> = Secured { security: Security::None, login: false, credentials: None };
}

/// What a start has because of its security and access.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manner {
    /// Placeholders with their texts, in the order in which they are replaced.
    pub values: Vec<(String, String)>,
    pub files: Vec<String>,
    pub arguments: Vec<String>,
    pub prepare: Vec<Prepare>,
}

impl Manner {
    /// What a broker's definition says about such a start.
    pub fn of(broker: &Broker, secured: &Secured<'_>) -> Self {
        let mut manner = Manner::default();
        manner.add("security", broker.security.get(&secured.security));
        let access = if secured.login { Access::Login } else { Access::Open };
        manner.add("access", broker.access.get(&access));
        if let Some(credentials) = secured.credentials {
            manner.prove(credentials);
        }
        manner
    }

    fn add(&mut self, table: &str, variant: Option<&Variant>) {
        let Some(variant) = variant else { return };
        let values = variant.values.iter().map(|(name, text)| (format!("{{{table}.{name}}}"), text.clone()));
        self.values.extend(values);
        self.files.extend(variant.files.iter().cloned());
        self.arguments.extend(variant.arguments.iter().cloned());
        self.prepare.extend(variant.prepare.iter().cloned());
    }

    fn prove(&mut self, credentials: &Credentials) {
        let text = |path: &Path| path.display().to_string();
        let [certificate, key, both] = credentials.server().map(|path| text(&path));
        let words = [
            ("{ca}", text(&credentials.ca())),
            ("{certificate}", certificate),
            ("{key}", key),
            ("{both}", both),
            ("{psk_file}", text(&credentials.psk_file())),
            ("{psk.identity}", PSK_IDENTITY.to_owned()),
            ("{psk}", credentials.psk().to_owned()),
            ("{password_file}", text(&credentials.password_file())),
            ("{login.user}", USER.to_owned()),
            ("{login.password}", credentials.password().to_owned()),
        ];
        self.values.extend(words.map(|(name, value)| (name.to_owned(), value)));
    }
}
