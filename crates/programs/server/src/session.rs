//! Identities: tokens and sessions, which the database stores only as hashes.
//!
//! A token has 256 random bits, so that its hash needs no salt and no slow function. A session belongs to the token that started it,
//! and ends with it.

use std::sync::Arc;

use rusqlite::{OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::clock::now_ms;
use crate::database::Database;

/// The cookie of a session.
pub const COOKIE: &str = "wiredyno_session";
/// How long a session lasts, in milliseconds.
pub(crate) const SESSION_MS: i64 = 12 * 3600 * 1000;
/// Most sessions at a time; the oldest are dropped.
const SESSIONS: u32 = 1000;

/// Tokens and sessions, over the server's database.
pub struct Sessions {
    database: Arc<Database>,
    secret: String,
}

/// A logged-in user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name of the token.
    pub name: String,
    /// The CSRF token that the browser's requests must carry.
    pub csrf: String,
}

/// What a client proved who it is with; only as hashes, as in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// Nothing: the server requires no login, or a proxy vouches for the user.
    None,
    /// A token, by its hash.
    Token(String),
    /// A session, by its hash.
    Session(String),
}

impl Credential {
    /// The credential of a request with this token; only its hash is kept.
    pub fn of_token(token: &str) -> Self {
        Credential::Token(hash(token))
    }

    /// The credential of a request with this cookie of a session; only its hash is kept.
    pub fn of_cookie(id: &str) -> Self {
        Credential::Session(hash(id))
    }
}

type Result<T> = rusqlite::Result<T>;

/// 256 random bits, in hexadecimal.
///
/// # Errors
/// When the system can't supply random numbers.
pub fn random() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(hex::encode(bytes))
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

impl Sessions {
    /// The sessions of a database.
    ///
    /// # Errors
    /// When the system can't supply random numbers.
    pub fn new(database: Arc<Database>) -> anyhow::Result<Self> {
        Ok(Sessions { database, secret: random()? })
    }

    /// Creates a token and returns it; the database keeps only its hash.
    ///
    /// # Errors
    /// When a token of that name exists or the database can't be written.
    pub fn make_token(database: &Database, name: &str) -> anyhow::Result<String> {
        let token = random()?;
        let sql = "insert into tokens (name, hash, made_ms) values (?1, ?2, ?3) on conflict do nothing";
        let made = database.get().execute(sql, params![name, hash(&token), now_ms()])?;
        anyhow::ensure!(
            made == 1,
            "there is already a token `{name}`: revoke it first with --revoke-token {name}"
        );
        Ok(token)
    }

    /// Revokes a token and its sessions.
    ///
    /// # Errors
    /// When there is no such token or the database can't be written.
    pub fn revoke(database: &Database, name: &str) -> anyhow::Result<()> {
        let connection = database.get();
        let gone = connection.execute("delete from tokens where name = ?1", [name])?;
        connection.execute("delete from sessions where token = ?1", [name])?;
        anyhow::ensure!(gone == 1, "there is no token `{name}`");
        Ok(())
    }

    /// Whether any token exists.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn any_token(database: &Database) -> Result<bool> {
        database.get().query_row("select exists (select 1 from tokens)", [], |row| row.get(0))
    }

    /// The name of a token, or `None` if it is unknown.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn of_token(&self, token: &str) -> Result<Option<String>> {
        let sql = "select name from tokens where hash = ?1";
        self.database.get().query_row(sql, [hash(token)], |row| row.get(0)).optional()
    }

    /// Whether a credential still opens the server: its token was not revoked, its session has not ended.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn still(&self, credential: &Credential) -> Result<bool> {
        let connection = self.database.get();
        let any =
            |sql: &str, values: &[&dyn rusqlite::ToSql]| connection.query_row(sql, values, |row| row.get(0));
        match credential {
            Credential::None => Ok(true),
            Credential::Token(hash) => any("select exists (select 1 from tokens where hash = ?1)", &[hash]),
            Credential::Session(hash) => any(
                "select exists (select 1 from sessions where hash = ?1 and ends_ms > ?2)",
                &[hash, &now_ms()],
            ),
        }
    }

    /// Starts a session and returns the cookie's value.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn begin(&self, name: &str) -> anyhow::Result<(String, Member)> {
        let id = random()?;
        let now = now_ms();
        let connection = self.database.get();
        connection.execute("delete from sessions where ends_ms < ?1", [now])?;
        // One place is for the new one.
        connection.execute(
            "delete from sessions where hash in (select hash from sessions order by made_ms desc limit -1 offset ?1)",
            [SESSIONS - 1],
        )?;
        connection.execute(
            "insert into sessions (hash, token, made_ms, ends_ms) values (?1, ?2, ?3, ?4)",
            params![hash(&id), name, now, now + SESSION_MS],
        )?;
        let csrf = csrf_of(&id);
        Ok((id, Member { name: name.to_owned(), csrf }))
    }

    /// The user of a session, or `None` if it is unknown or expired.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn of_cookie(&self, id: &str) -> Result<Option<Member>> {
        let sql = "select token from sessions where hash = ?1 and ends_ms > ?2";
        let name =
            self.database.get().query_row(sql, params![hash(id), now_ms()], |row| row.get(0)).optional()?;
        Ok(name.map(|name| Member { name, csrf: csrf_of(id) }))
    }

    /// Ends the session of a cookie.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn end(&self, id: &str) -> Result<()> {
        self.database.get().execute("delete from sessions where hash = ?1", [hash(id)]).map(drop)
    }

    /// The CSRF token where no login is required or a proxy names the user.
    pub fn csrf_of_all(&self) -> String {
        csrf_of(&self.secret)
    }
}

fn csrf_of(secret: &str) -> String {
    hash(&format!("wiredyno csrf {secret}"))
}

/// Compares two texts in a time that does not reveal where they differ.
pub fn same(one: &str, other: &str) -> bool {
    // Digests are equal only for equal texts, and timing a comparison of digests reveals nothing useful.
    Sha256::digest(one.as_bytes()) == Sha256::digest(other.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_session_ends_with_its_token_and_nothing_in_the_database_opens_one() {
        let desk = tempfile::tempdir().unwrap();
        let database = Arc::new(Database::open(&desk.path().join("d.sqlite")).unwrap());
        assert!(!Sessions::any_token(&database).unwrap());
        let token = Sessions::make_token(&database, "ann").unwrap();
        assert!(Sessions::make_token(&database, "ann").is_err());
        let sessions = Sessions::new(Arc::clone(&database)).unwrap();
        assert_eq!(sessions.of_token(&token).unwrap().as_deref(), Some("ann"));
        assert_eq!(sessions.of_token(&hash(&token)).unwrap(), None);
        let (cookie, member) = sessions.begin("ann").unwrap();
        assert_eq!(sessions.of_cookie(&cookie).unwrap(), Some(member));
        let (other, _) = sessions.begin("ann").unwrap();
        sessions.end(&other).unwrap();
        assert_eq!(sessions.of_cookie(&other).unwrap(), None);
        let held = [Credential::of_token(&token), Credential::of_cookie(&cookie), Credential::None];
        assert!(held.iter().all(|one| sessions.still(one).unwrap()));
        assert!(!sessions.still(&Credential::of_cookie(&other)).unwrap());
        Sessions::revoke(&database, "ann").unwrap();
        assert_eq!(held.map(|one| sessions.still(&one).unwrap()), [false, false, true]);
        assert_eq!(sessions.of_cookie(&cookie).unwrap(), None);
        assert_eq!(sessions.of_token(&token).unwrap(), None);
    }
}
