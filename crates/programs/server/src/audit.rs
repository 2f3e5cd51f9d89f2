//! The audit log: who changed what, and what was refused. Changes and refusals have a limit each, so that somebody who is not logged in can
//! push no change out of the log; refusals of one address are one entry a minute.

use axum::http::{Method, StatusCode, Uri};
use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::Caller;
use crate::clock::now_ms;
use crate::database::Database;

/// Changes that are kept.
pub(crate) const CHANGES: i64 = 100_000;
/// Entries of refusals that are kept.
pub(crate) const REFUSALS: i64 = 10_000;
/// Entries that are listed.
const LISTED: u32 = 500;
/// The longest path in an entry, in characters.
const PATH: usize = 200;

/// What a request changed, such as `test 12`; handlers add it to their answers as an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(pub String);

/// A request that changed something or was refused.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Time of the request, in milliseconds of Unix time; of several refusals, of the last.
    at_ms: i64,
    /// The user's name, if the server knew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    /// The client's IP address.
    address: String,
    /// Method and path, such as `POST /api/tests`.
    action: String,
    /// What was changed, such as `test 12, study demo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// Status code of the answer.
    status: u16,
    /// How many requests of this address were refused with this status in that minute; 1 for changes.
    times: u32,
}

/// Whether a request only asks: it changes nothing when it succeeds. A logout that ends no session has no subject.
fn only_asks(method: &Method, path: &str, subject: Option<&Subject>) -> bool {
    method.is_safe()
        || matches!(path, "/api/plan" | "/api/size")
        || path == "/api/logout" && subject.is_none()
}

fn is_refusal(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST)
}

/// Writes a request to the log if it changed something or was refused.
pub fn note(
    database: &Database,
    method: &Method,
    uri: &Uri,
    caller: &Caller,
    answer: (StatusCode, Option<&Subject>),
) {
    let (status, subject) = answer;
    // Without the query, which the client chooses and which may be long.
    let path: String = uri.path().chars().take(PATH).collect();
    let action = format!("{method} {path}");
    let written = if is_refusal(status) {
        refused(database, &action, caller, status)
    } else if status.is_success() && caller.is_in && !only_asks(method, &path, subject) {
        changed(database, &action, caller, status, subject)
    } else {
        return;
    };
    if let Err(error) = written {
        eprintln!("wiredyno-server: the audit log can't be written: {error}");
    }
}

fn changed(
    database: &Database,
    action: &str,
    caller: &Caller,
    status: StatusCode,
    subject: Option<&Subject>,
) -> rusqlite::Result<()> {
    let connection = database.get();
    let sql =
        "insert into audit (at_ms, who, address, action, status, subject) values (?1, ?2, ?3, ?4, ?5, ?6)";
    let subject = subject.map(|Subject(text)| text);
    connection
        .execute(sql, params![now_ms(), caller.name, caller.address, action, status.as_u16(), subject])?;
    let last = connection.last_insert_rowid();
    connection.execute("delete from audit where id <= ?1", [last - CHANGES]).map(drop)
}

fn refused(database: &Database, action: &str, caller: &Caller, status: StatusCode) -> rusqlite::Result<()> {
    let connection = database.get();
    let now = now_ms();
    connection.execute(
        "insert into refusals (at_ms, minute, who, address, action, status, times) values (?1, ?2, ?3, ?4, ?5, ?6, 1)
         on conflict (address, status, minute) do update set times = times + 1, at_ms = excluded.at_ms",
        params![now, now / 60_000, caller.name, caller.address, action, status.as_u16()],
    )?;
    let sql = "delete from refusals where id <= (select max(id) from refusals) - ?1";
    connection.execute(sql, [REFUSALS]).map(drop)
}

/// The newest entries, or the newest before a time in milliseconds of Unix time; newest first.
///
/// # Errors
/// When the database can't be read.
pub fn newest(database: &Database, before: Option<i64>) -> rusqlite::Result<Vec<AuditEntry>> {
    let connection = database.get();
    let mut statement = connection.prepare_cached(
        "select * from (select at_ms, who, address, action, subject, status, 1 as times from audit
         union all select at_ms, who, address, action, null, status, times from refusals)
         where at_ms < ?2 order by at_ms desc limit ?1",
    )?;
    let read = |row: &Row<'_>| {
        Ok(AuditEntry {
            at_ms: row.get("at_ms")?,
            who: row.get("who")?,
            address: row.get("address")?,
            action: row.get("action")?,
            subject: row.get("subject")?,
            status: row.get("status")?,
            times: row.get("times")?,
        })
    };
    statement.query_map(params![LISTED, before.unwrap_or(i64::MAX)], read)?.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::session::Credential;

    #[test]
    fn somebody_who_is_refused_pushes_no_change_out_of_the_log() {
        let desk = tempfile::tempdir().unwrap();
        let database = Database::open(&desk.path().join("d.sqlite")).unwrap();
        let of = |address: &str, is_in| Caller {
            name: None,
            is_in,
            csrf: None,
            address: address.to_owned(),
            encrypted: false,
            credential: Credential::None,
        };
        let told =
            |method: Method, path: &'static str, caller: &Caller, status, subject: Option<&Subject>| {
                note(&database, &method, &Uri::from_static(path), caller, (status, subject));
            };
        let subject = Subject("test 7, study demo".to_owned());
        told(Method::POST, "/api/tests", &of("192.0.2.1", true), StatusCode::CREATED, Some(&subject));
        for _ in 0..50 {
            told(Method::POST, "/api/login", &of("192.0.2.9", false), StatusCode::UNAUTHORIZED, None);
            told(Method::POST, "/api/logout", &of("192.0.2.9", false), StatusCode::OK, None);
            told(Method::GET, "/api/tests", &of("192.0.2.1", true), StatusCode::OK, None);
            told(Method::POST, "/api/logout", &of("192.0.2.1", true), StatusCode::OK, None);
        }
        let entries = newest(&database, None).unwrap();
        // The minute may have changed in between.
        let (changes, refusals): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.status < 400);
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].subject.as_deref(), Some("test 7, study demo"));
        assert!(newest(&database, Some(changes[0].at_ms)).unwrap().iter().all(|entry| entry.status >= 400));
        assert!(refusals.len() <= 2 && refusals.iter().map(|entry| entry.times).sum::<u32>() == 50);
    }
}
