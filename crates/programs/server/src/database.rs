//! The server's database: queue, tokens, sessions, audit log. SQLite with a write-ahead log, so that readers don't wait for writers.
//! Commits are synced to disk before a request is answered.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use rusqlite::{Connection, backup};

/// Each migrates a database from the version before. A published migration never changes.
const MIGRATIONS: [&str; 4] = ["
create table tests (
    id integer primary key autoincrement,
    kind text not null,
    name text not null,
    why text not null,
    study text not null,
    only_cells text not null,
    broker text,
    capture integer not null,
    state text not null,
    by_whom text,
    priority integer not null,
    position real not null,
    submitted_ms integer not null,
    started_ms integer,
    ended_ms integer,
    failures integer not null default 0,
    retry_at_ms integer,
    reason text,
    run text,
    again_of integer,
    cells integer,
    estimate_ns integer,
    watch text
);
create index tests_by_state on tests (state, priority desc, position, id);
create table attempts (
    test integer not null references tests (id),
    number integer not null,
    started_ms integer not null,
    ended_ms integer,
    exit_code integer,
    reason text,
    primary key (test, number)
);
create table tokens (name text primary key, hash text not null unique, made_ms integer not null);
create table sessions (hash text primary key, token text not null, made_ms integer not null, ends_ms integer not null);
create table audit (
    id integer primary key,
    at_ms integer not null,
    who text,
    address text not null,
    action text not null,
    status integer not null
);
create table facts (name text primary key, at_ms integer not null, value text not null);
", "
alter table tests add column cancel_asked_ms integer;
alter table audit add column subject text;
delete from audit where status >= 400;
create table pins (run text primary key, by_whom text, at_ms integer not null);
create table entries (run text primary key, written_ns integer not null, entry text not null);
create table refusals (
    id integer primary key,
    at_ms integer not null,
    minute integer not null,
    who text,
    address text not null,
    action text not null,
    status integer not null,
    times integer not null,
    unique (address, status, minute)
);
", "
alter table tests add column fleet text;
", "
create table watches (test integer primary key references tests (id), watch text not null);
insert into watches select id, watch from tests where watch is not null;
update tests set watch = null;
"];

/// The connection, shared behind a lock.
pub struct Database {
    connection: Mutex<Connection>,
}

impl Database {
    /// Opens the file, creating it or migrating it to this version where needed.
    ///
    /// # Errors
    /// When it can't be opened or a later version wrote it.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let told = || path.display().to_string();
        let mut connection = Connection::open(path).with_context(told)?;
        connection
            .execute_batch(
                "pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; \
                 pragma foreign_keys = on;",
            )
            .with_context(told)?;
        let version: usize =
            connection.query_row("pragma user_version", [], |row| row.get(0)).with_context(told)?;
        if version > MIGRATIONS.len() {
            bail!(
                "{} was written by a later version of Wiredyno (its layout is {version}, this version knows {}): use that one, or \
                 another folder with --data",
                path.display(),
                MIGRATIONS.len()
            );
        }
        for (number, migration) in MIGRATIONS.iter().enumerate().skip(version) {
            let transaction = connection.transaction()?;
            transaction.execute_batch(migration).with_context(told)?;
            transaction.pragma_update(None, "user_version", number + 1)?;
            transaction.commit()?;
        }
        Ok(Database { connection: Mutex::new(connection) })
    }

    /// Locks the connection.
    pub fn get(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a copy to a file, even while a server is using the database.
    ///
    /// # Errors
    /// When the target exists or can't be written.
    pub fn backup(from: &Path, to: &Path) -> anyhow::Result<()> {
        if to.exists() {
            bail!("{} exists already: backups are never overwritten; name another file", to.display());
        }
        if !from.is_file() {
            bail!("{}: no such database; --data names the server's folder", from.display());
        }
        let source = Connection::open(from).with_context(|| from.display().to_string())?;
        let mut target = Connection::open(to).with_context(|| to.display().to_string())?;
        let pages = backup::Backup::new(&source, &mut target)?;
        pages.run_to_completion(256, std::time::Duration::from_millis(5), None)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_database_is_made_opened_again_and_refused_where_a_later_version_wrote_it() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("d.sqlite");
        let token = "insert into tokens values ('a', 'h', 1)";
        Database::open(&path).unwrap().get().execute(token, []).unwrap();
        let database = Database::open(&path).unwrap();
        let tokens: i64 =
            database.get().query_row("select count(*) from tokens", [], |row| row.get(0)).unwrap();
        assert_eq!(tokens, 1);
        let copy = desk.path().join("copy.sqlite");
        Database::backup(&path, &copy).unwrap();
        assert!(Database::backup(&path, &copy).unwrap_err().to_string().contains("never overwritten"));
        Database::open(&copy).unwrap().get().pragma_update(None, "user_version", 99).unwrap();
        assert!(Database::open(&copy).err().unwrap().to_string().contains("later version"));
    }
}
