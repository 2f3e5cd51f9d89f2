//! Who somebody is: tokens and sessions, of which the database has hashes only.
//!
//! A token has 256 random bits, so that its hash needs no salt and no slow function. A session belongs to the token with which it began,
//! and ends with it.

use std::sync::Arc;

use rusqlite::{OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::clock::now_ms;
use crate::database::Database;

/// The cookie of a session.
pub const COOKIE: &str = "wiredyno_session";
/// How long a session lasts, in milliseconds.
const SESSION_MS: i64 = 12 * 3600 * 1000;
/// Sessions at a time, the oldest of which go.
const SESSIONS: u32 = 1000;

/// See the module.
pub struct Sessions {
    database: Arc<Database>,
    secret: String,
}

/// Somebody who has logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name of the token.
    pub name: String,
    /// What requests of the browser must carry.
    pub csrf: String,
}

type Result<T> = rusqlite::Result<T>;

/// 256 random bits.
///
/// # Errors
/// When the system has none.
pub fn random() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(hex::encode(bytes))
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

impl Sessions {
    /// Those of a database.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn new(database: Arc<Database>) -> anyhow::Result<Self> {
        Ok(Sessions { database, secret: random()? })
    }

    /// Makes a token, which is told this once.
    ///
    /// # Errors
    /// When one of that name is there, or the database can't be written.
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

    /// Takes a token away, and its sessions.
    ///
    /// # Errors
    /// When there is none, or the database can't be written.
    pub fn revoke(database: &Database, name: &str) -> anyhow::Result<()> {
        let connection = database.get();
        let gone = connection.execute("delete from tokens where name = ?1", [name])?;
        connection.execute("delete from sessions where token = ?1", [name])?;
        anyhow::ensure!(gone == 1, "there is no token `{name}`");
        Ok(())
    }

    /// Whether there is a token at all.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn any_token(database: &Database) -> Result<bool> {
        database.get().query_row("select exists (select 1 from tokens)", [], |row| row.get(0))
    }

    /// Whose token it is.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn of_token(&self, token: &str) -> Result<Option<String>> {
        let sql = "select name from tokens where hash = ?1";
        self.database.get().query_row(sql, [hash(token)], |row| row.get(0)).optional()
    }

    /// Begins a session: what the cookie says.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn begin(&self, name: &str) -> anyhow::Result<(String, Member)> {
        let id = random()?;
        let now = now_ms();
        let connection = self.database.get();
        connection.execute("delete from sessions where ends_ms < ?1", [now])?;
        connection.execute(
            "delete from sessions where hash in (select hash from sessions order by made_ms desc limit -1 offset ?1)",
            [SESSIONS],
        )?;
        connection.execute(
            "insert into sessions (hash, token, made_ms, ends_ms) values (?1, ?2, ?3, ?4)",
            params![hash(&id), name, now, now + SESSION_MS],
        )?;
        let csrf = csrf_of(&id);
        Ok((id, Member { name: name.to_owned(), csrf }))
    }

    /// Whose session it is.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn of_cookie(&self, id: &str) -> Result<Option<Member>> {
        let sql = "select token from sessions where hash = ?1 and ends_ms > ?2";
        let name =
            self.database.get().query_row(sql, params![hash(id), now_ms()], |row| row.get(0)).optional()?;
        Ok(name.map(|name| Member { name, csrf: csrf_of(id) }))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn end(&self, id: &str) -> Result<()> {
        self.database.get().execute("delete from sessions where hash = ?1", [hash(id)]).map(drop)
    }

    /// What requests must carry where nobody has to log in, or a proxy says who it is.
    pub fn csrf_of_all(&self) -> String {
        csrf_of(&self.secret)
    }
}

fn csrf_of(secret: &str) -> String {
    hash(&format!("wiredyno csrf {secret}"))
}

/// Whether two texts are the same, in a time that does not tell where they differ.
pub fn same(one: &str, other: &str) -> bool {
    // Of equal texts, and only of those, the digests are equal; what a comparison of digests tells is of no use.
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
        Sessions::revoke(&database, "ann").unwrap();
        assert_eq!(sessions.of_cookie(&cookie).unwrap(), None);
        assert_eq!(sessions.of_token(&token).unwrap(), None);
    }
}
