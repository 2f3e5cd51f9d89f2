//! The tests in the database. Nothing here starts or stops a process.
//!
//! One file because it has all statements on the tables `tests` and `attempts`.

use rusqlite::{Connection, OptionalExtension, Row, params};
use wiredyno_model::Study;

use crate::clock::now_ms;
use crate::database::Database;
use crate::study::FILE;
use crate::test::{Attempt, Kind, Order, State, Test};

/// The order of waiting tests.
const ORDER: &str = "priority desc, position, id";

/// The queue, over the server's database.
pub struct Queue {
    database: std::sync::Arc<Database>,
    most_attempts: u32,
}

/// A test with its order, which its run needs.
#[derive(Debug, Clone)]
pub struct Due {
    /// The test, without its place and progress.
    pub test: Test,
    /// The text of its study, as submitted.
    pub study: String,
    /// Cells to keep, as `--only` takes them; all when empty.
    pub only: Vec<String>,
    /// An external broker to use, as `--broker` takes it.
    pub broker: Option<String>,
    /// Whether somebody asked to cancel it while it ran.
    pub cancel_asked: bool,
}

/// Why a test can't be moved or cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no test of that number.
    Unknown,
    /// Its state does not allow it.
    State(State),
}

type Result<T> = rusqlite::Result<T>;

impl Queue {
    /// The queue of a database, with the number of attempts that tests report.
    pub fn new(database: std::sync::Arc<Database>, most_attempts: u32) -> Self {
        Queue { database, most_attempts }
    }

    /// Adds a test after the others of its priority.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn add(&self, order: &Order) -> Result<Test> {
        let connection = self.database.get();
        connection.execute(
            "insert into tests (kind, name, why, study, only_cells, broker, fleet, capture, state, by_whom, priority, position,
                submitted_ms, again_of, cells, estimate_ns)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'submitted', ?9, ?10,
                (select coalesce(max(position), 0) + 1 from tests), ?11, ?12, ?13, ?14)",
            params![
                kind_name(order.kind),
                order.name,
                order.why,
                order.study,
                serde_json::to_string(&order.only).unwrap_or_default(),
                order.broker,
                order.fleet,
                order.capture,
                order.by,
                order.priority,
                now_ms(),
                order.again_of,
                order.cells.map(|cells| i64::try_from(cells).unwrap_or(i64::MAX)),
                order.estimate_ns.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX)),
            ],
        )?;
        let id = connection.last_insert_rowid();
        self.one(&connection, id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    /// Finds a test by its number.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn find(&self, id: i64) -> Result<Option<Test>> {
        self.one(&self.database.get(), id)
    }

    fn one(&self, connection: &Connection, id: i64) -> Result<Option<Test>> {
        let row = connection
            .query_row("select * from tests where id = ?1", [id], |row| self.test(row))
            .optional()?;
        row.map(|test| with_place(connection, test)).transpose()
    }

    /// A test with its order.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn due(&self, id: i64) -> Result<Option<Due>> {
        let connection = self.database.get();
        let read = |row: &Row<'_>| {
            let only: String = row.get("only_cells")?;
            Ok(Due {
                test: self.test(row)?,
                study: row.get("study")?,
                only: serde_json::from_str(&only).unwrap_or_default(),
                broker: row.get("broker")?,
                cancel_asked: row.get::<_, Option<i64>>("cancel_asked_ms")?.is_some(),
            })
        };
        connection.query_row("select * from tests where id = ?1", [id], read).optional()
    }

    /// Running tests, then waiting ones in their order, then at most `limit` finished ones, newest first. With `before`, only finished ones with
    /// lower numbers.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn list(&self, states: &[State], limit: u32, before: Option<i64>) -> Result<Vec<Test>> {
        let connection = self.database.get();
        let mut tests = Vec::new();
        let mut read = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<()> {
            let mut statement = connection.prepare_cached(sql)?;
            for test in statement.query_map(values, |row| self.test(row))? {
                tests.push(test?);
            }
            Ok(())
        };
        let asked = |state: State| states.is_empty() || states.contains(&state);
        if before.is_none() {
            if asked(State::Processing) {
                read("select * from tests where state = 'processing' order by id", &[])?;
            }
            if asked(State::Submitted) {
                read(&format!("select * from tests where state = 'submitted' order by {ORDER}"), &[])?;
            }
        }
        let over = [State::Done, State::Failed, State::Cancelled].map(|state| (state.name(), asked(state)));
        let names: Vec<String> =
            over.iter().filter(|(_, asked)| *asked).map(|(name, _)| format!("'{name}'")).collect();
        if !names.is_empty() {
            let sql = format!(
                "select * from tests where state in ({}) and id < ?1 order by id desc limit ?2",
                names.join(", ")
            );
            read(&sql, &[&before.unwrap_or(i64::MAX), &limit])?;
        }
        let mut place = 0;
        for test in tests.iter_mut().filter(|test| test.state == State::Submitted) {
            place += 1;
            test.place = Some(place);
        }
        Ok(tests)
    }

    /// How many tests are waiting or running.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn open_tests(&self) -> Result<u32> {
        let sql = "select count(*) from tests where state in ('submitted', 'processing')";
        self.database.get().query_row(sql, [], |row| row.get(0))
    }

    /// How many tests are in each state, by its name.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn counts(&self) -> Result<Vec<(String, u32)>> {
        let connection = self.database.get();
        let mut statement = connection.prepare_cached("select state, count(*) from tests group by state")?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// Whether the study of a waiting or running test names a value on an axis: a payload, with or without a size, or a link.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn names(&self, axis: &str, value: &str) -> Result<bool> {
        let connection = self.database.get();
        let sql = "select study from tests where kind = 'study' and state in ('submitted', 'processing')";
        let mut statement = connection.prepare_cached(sql)?;
        for text in statement.query_map([], |row| row.get::<_, String>(0))? {
            // A text that is no longer a study may name it.
            if Study::parse(FILE, &text?).map_or(true, |study| names(&study, axis, value)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The number of a test that was running when the server ended, and has to resume.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn left_behind(&self) -> Result<Option<i64>> {
        let sql = "select id from tests where state = 'processing' order by id limit 1";
        self.database.get().query_row(sql, [], |row| row.get(0)).optional()
    }

    /// The number of the test whose turn it is, and when the next retry is due (milliseconds of Unix time). Tests that ask for one of the fleets
    /// `but` wait.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn next(&self, but: &[String]) -> Result<(Option<i64>, Option<i64>)> {
        let connection = self.database.get();
        let now = now_ms();
        let sql = format!(
            "select id from tests where state = 'submitted' and coalesce(retry_at_ms, 0) <= ?1
                and coalesce(fleet, '') not in (select value from json_each(?2)) order by {ORDER} limit 1"
        );
        let but = serde_json::to_string(but).unwrap_or_default();
        let next = connection.query_row(&sql, params![now, but], |row| row.get(0)).optional()?;
        let sql = "select min(retry_at_ms) from tests where state = 'submitted' and retry_at_ms > ?1";
        Ok((next, connection.query_row(sql, [now], |row| row.get(0))?))
    }

    /// Begins an attempt at a test and returns its number, or `None` if the test was cancelled meanwhile.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn begin(&self, id: i64, run: &str) -> Result<Option<u32>> {
        let mut connection = self.database.get();
        let transaction = connection.transaction()?;
        let now = now_ms();
        let changed = transaction.execute(
            "update tests set state = 'processing', started_ms = coalesce(started_ms, ?2), run = ?3, retry_at_ms = null
             where id = ?1 and state in ('submitted', 'processing')",
            params![id, now, run],
        )?;
        if changed == 0 {
            return Ok(None);
        }
        transaction.execute(
            "update attempts set ended_ms = ?2, reason = 'the server ended' where test = ?1 and ended_ms is null",
            params![id, now],
        )?;
        let number: u32 = transaction.query_row(
            "select coalesce(max(number), 0) + 1 from attempts where test = ?1",
            [id],
            |row| row.get(0),
        )?;
        transaction.execute(
            "insert into attempts (test, number, started_ms) values (?1, ?2, ?3)",
            params![id, number, now],
        )?;
        transaction.commit()?;
        Ok(Some(number))
    }

    /// Ends an attempt, and with it the test unless another attempt is due.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn end(&self, id: i64, number: u32, ended: &EndedAttempt) -> Result<()> {
        let mut connection = self.database.get();
        let transaction = connection.transaction()?;
        let now = now_ms();
        transaction.execute(
            "update attempts set ended_ms = ?3, exit_code = ?4, reason = ?5 where test = ?1 and number = ?2",
            params![id, number, now, ended.exit_code, ended.reason],
        )?;
        let over = ended.state.is_over().then_some(now);
        transaction.execute(
            "update tests set state = ?2, ended_ms = ?3, reason = ?4, retry_at_ms = ?5, failures = failures + ?6
                where id = ?1",
            params![
                id,
                ended.state.name(),
                over,
                ended.reason,
                ended.retry_at_ms,
                u32::from(ended.failed),
            ],
        )?;
        // Apart from the tests, whose list is read often.
        if let Some(watch) = &ended.watch {
            transaction.execute(
                "insert or replace into watches (test, watch) values (?1, ?2)",
                params![id, watch],
            )?;
        }
        transaction.commit()
    }

    /// Notes that a running test is to be cancelled, so that a restart of the server does not forget it. Whether it is running.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn ask_to_cancel(&self, id: i64) -> Result<bool> {
        let sql = "update tests set cancel_asked_ms = coalesce(cancel_asked_ms, ?2) where id = ?1 and state = 'processing'";
        self.database.get().execute(sql, params![id, now_ms()]).map(|changed| changed > 0)
    }

    /// Ends a test as cancelled that was running when the server ended.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn cancelled(&self, id: i64) -> Result<()> {
        let mut connection = self.database.get();
        let transaction = connection.transaction()?;
        let now = now_ms();
        transaction.execute(
            "update attempts set ended_ms = ?2, reason = 'the server ended' where test = ?1 and ended_ms is null",
            params![id, now],
        )?;
        let sql =
            "update tests set state = 'cancelled', ended_ms = ?2 where id = ?1 and state = 'processing'";
        transaction.execute(sql, params![id, now])?;
        transaction.commit()
    }

    /// Cancels a waiting test.
    ///
    /// # Errors
    /// The outer error: the database can't be written. The inner one: the test is not waiting.
    pub fn cancel(&self, id: i64) -> Result<std::result::Result<Test, Refusal>> {
        let connection = self.database.get();
        let changed = connection.execute(
            "update tests set state = 'cancelled', ended_ms = ?2, retry_at_ms = null where id = ?1 and state = 'submitted'",
            params![id, now_ms()],
        )?;
        let test = self.one(&connection, id)?;
        Ok(match test {
            None => Err(Refusal::Unknown),
            Some(test) if changed == 0 => Err(Refusal::State(test.state)),
            Some(test) => Ok(test),
        })
    }

    /// Moves a waiting test: to another priority, before another test, or (`before` 0) after all of its priority.
    ///
    /// # Errors
    /// The outer error: the database can't be written. The inner one: one of the two is not waiting.
    pub fn move_to(
        &self,
        id: i64,
        priority: Option<i32>,
        before: Option<i64>,
    ) -> Result<std::result::Result<Test, Refusal>> {
        let mut connection = self.database.get();
        let waits = |connection: &Connection, id: i64| -> Result<std::result::Result<Test, Refusal>> {
            Ok(match self.one(connection, id)? {
                None => Err(Refusal::Unknown),
                Some(test) if test.state != State::Submitted => Err(Refusal::State(test.state)),
                Some(test) => Ok(test),
            })
        };
        let test = match waits(&connection, id)? {
            Ok(test) => test,
            refused => return Ok(refused),
        };
        let mut priority = priority.unwrap_or(test.priority);
        let mut position: Option<f64> = None;
        match before {
            Some(0) => {
                position = connection
                    .query_row("select max(position) + 1 from tests", [], |row| row.get(0))
                    .optional()?;
            }
            Some(before) => {
                let other = match waits(&connection, before)? {
                    Ok(other) => other,
                    refused => return Ok(refused),
                };
                priority = other.priority;
                position = Some(between(&mut connection, id, before, priority)?);
            }
            None => {}
        }
        connection.execute(
            "update tests set priority = ?2, position = coalesce(?3, position) where id = ?1",
            params![id, priority, position],
        )?;
        waits(&connection, id)
    }

    /// Deletes a test that has ended; its run stays.
    ///
    /// # Errors
    /// The outer error: the database can't be written. The inner one: the test has not ended.
    pub fn delete(&self, id: i64) -> Result<std::result::Result<Test, Refusal>> {
        let mut connection = self.database.get();
        let test = match self.one(&connection, id)? {
            None => return Ok(Err(Refusal::Unknown)),
            Some(test) if !test.state.is_over() => return Ok(Err(Refusal::State(test.state))),
            Some(test) => test,
        };
        let transaction = connection.transaction()?;
        transaction.execute("delete from attempts where test = ?1", [id])?;
        transaction.execute("delete from watches where test = ?1", [id])?;
        transaction.execute("delete from tests where id = ?1", [id])?;
        transaction.commit()?;
        Ok(Ok(test))
    }

    /// The runs of tests that wait for another attempt or are running.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn runs_in_work(&self) -> Result<std::collections::BTreeSet<String>> {
        let connection = self.database.get();
        let sql = "select run from tests where run is not null and state in ('submitted', 'processing')";
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_map([], |row| row.get(0))?.collect()
    }

    /// The attempts at a test, the oldest first.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn attempts(&self, id: i64) -> Result<Vec<Attempt>> {
        let connection = self.database.get();
        let mut statement =
            connection.prepare_cached("select * from attempts where test = ?1 order by number")?;
        let read = |row: &Row<'_>| {
            Ok(Attempt {
                number: row.get("number")?,
                started_ms: row.get("started_ms")?,
                ended_ms: row.get("ended_ms")?,
                exit_code: row.get("exit_code")?,
                reason: row.get("reason")?,
            })
        };
        statement.query_map([id], read)?.collect()
    }

    /// The [`WatchState`](crate::watch::WatchState) of a test's last attempt, as JSON.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn watch(&self, id: i64) -> Result<Option<String>> {
        let connection = self.database.get();
        connection.query_row("select watch from watches where test = ?1", [id], |row| row.get(0)).optional()
    }

    /// Stores a fact under a name, replacing an earlier one.
    ///
    /// # Errors
    /// When the database can't be written.
    pub fn note(&self, name: &str, value: &str) -> Result<()> {
        let sql = "insert into facts (name, at_ms, value) values (?1, ?2, ?3)
            on conflict (name) do update set at_ms = excluded.at_ms, value = excluded.value";
        self.database.get().execute(sql, params![name, now_ms(), value]).map(drop)
    }

    /// The number of each run's test, by the run's id.
    ///
    /// # Errors
    /// When the database can't be read.
    pub fn of_runs(&self) -> Result<std::collections::BTreeMap<String, i64>> {
        let connection = self.database.get();
        let mut statement =
            connection.prepare_cached("select run, id from tests where run is not null order by id")?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    fn test(&self, row: &Row<'_>) -> Result<Test> {
        let (state, kind): (String, String) = (row.get("state")?, row.get("kind")?);
        let whole = |number: Option<i64>| number.map(|number| number.unsigned_abs());
        Ok(Test {
            id: row.get("id")?,
            kind: if kind == kind_name(Kind::SelfTest) { Kind::SelfTest } else { Kind::Study },
            name: row.get("name")?,
            why: row.get("why")?,
            state: State::of(&state).unwrap_or(State::Failed),
            by: row.get("by_whom")?,
            priority: row.get("priority")?,
            submitted_ms: row.get("submitted_ms")?,
            started_ms: row.get("started_ms")?,
            ended_ms: row.get("ended_ms")?,
            failures: row.get("failures")?,
            most_attempts: self.most_attempts,
            retry_at_ms: row.get("retry_at_ms")?,
            reason: row.get("reason")?,
            run: row.get("run")?,
            again_of: row.get("again_of")?,
            capture: row.get("capture")?,
            fleet: row.get("fleet")?,
            place: None,
            cells: whole(row.get("cells")?),
            estimate_ns: whole(row.get("estimate_ns")?),
            progress: None,
            doing: None,
            opens: false,
        })
    }
}

/// The end of an attempt, as the database records it.
#[derive(Debug, Clone)]
pub struct EndedAttempt {
    /// The new state of the test.
    pub state: State,
    /// The exit code of the child.
    pub exit_code: Option<i32>,
    /// Why there is no result.
    pub reason: Option<String>,
    /// When the next attempt is due, in milliseconds of Unix time.
    pub retry_at_ms: Option<i64>,
    /// Whether it counts as a failure.
    pub failed: bool,
    /// Its [`WatchState`](crate::watch::WatchState), as JSON.
    pub watch: Option<String>,
}

fn names(study: &Study, axis: &str, value: &str) -> bool {
    study.axes.values(axis).iter().any(|named| named.split('@').next() == Some(value))
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Study => "study",
        Kind::SelfTest => "self-test",
    }
}

fn with_place(connection: &Connection, mut test: Test) -> Result<Test> {
    if test.state == State::Submitted {
        let sql = format!("select id from tests where state = 'submitted' order by {ORDER}");
        let mut statement = connection.prepare_cached(&sql)?;
        let ids: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
        test.place = ids.iter().position(|id| *id == test.id).and_then(|place| u32::try_from(place + 1).ok());
    }
    Ok(test)
}

/// A position before a test of this priority. Renumbers all waiting tests of the priority, with room for the moved one.
fn between(connection: &mut Connection, moved: i64, before: i64, priority: i32) -> Result<f64> {
    let transaction = connection.transaction()?;
    let sql = format!(
        "select id from tests where state = 'submitted' and priority = ?1 and id <> ?2 order by {ORDER}"
    );
    let ids: Vec<i64> = transaction
        .prepare(&sql)?
        .query_map(params![priority, moved], |row| row.get(0))?
        .collect::<Result<_>>()?;
    let mut at = 0.0;
    for (place, id) in (1..).zip(&ids) {
        if *id == before {
            at = f64::from(place) - 0.5;
        }
        transaction.execute("update tests set position = ?2 where id = ?1", params![id, f64::from(place)])?;
    }
    transaction.commit()?;
    Ok(at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;

    fn queue() -> (tempfile::TempDir, Queue) {
        let desk = tempfile::tempdir().unwrap();
        let database = Database::open(&desk.path().join("d.sqlite")).unwrap();
        (desk, Queue::new(Arc::new(database), 3))
    }

    fn order(name: &str, priority: i32) -> Order {
        Order {
            kind: Kind::Study,
            name: name.to_owned(),
            why: "?".to_owned(),
            study: "text".to_owned(),
            only: Vec::new(),
            broker: None,
            fleet: None,
            capture: false,
            priority,
            by: None,
            again_of: None,
            cells: None,
            estimate_ns: None,
        }
    }

    fn waiting(queue: &Queue) -> Vec<String> {
        queue.list(&[State::Submitted], 10, None).unwrap().into_iter().map(|test| test.name).collect()
    }

    fn ended(state: State, retry_at_ms: Option<i64>) -> EndedAttempt {
        let failed = state == State::Submitted;
        EndedAttempt { state, exit_code: Some(1), reason: None, retry_at_ms, failed, watch: None }
    }

    #[test]
    fn tests_wait_by_priority_then_in_the_order_in_which_they_came_and_can_be_moved() {
        let (_desk, queue) = queue();
        let ids: Vec<i64> = [("a", 0), ("b", 0), ("c", 5), ("d", 0)]
            .map(|(name, priority)| queue.add(&order(name, priority)).unwrap().id)
            .to_vec();
        assert_eq!(waiting(&queue), ["c", "a", "b", "d"]);
        assert_eq!(queue.find(ids[1]).unwrap().unwrap().place, Some(3));
        queue.move_to(ids[3], None, Some(ids[0])).unwrap().unwrap();
        assert_eq!(waiting(&queue), ["c", "d", "a", "b"]);
        queue.move_to(ids[0], None, Some(ids[2])).unwrap().unwrap();
        assert_eq!(waiting(&queue), ["a", "c", "d", "b"], "the priority of the one before");
        queue.move_to(ids[2], Some(-1), Some(0)).unwrap().unwrap();
        assert_eq!(waiting(&queue), ["a", "d", "b", "c"]);
        assert_eq!(queue.cancel(99).unwrap().unwrap_err(), Refusal::Unknown);
        queue.cancel(ids[3]).unwrap().unwrap();
        assert_eq!(queue.cancel(ids[3]).unwrap().unwrap_err(), Refusal::State(State::Cancelled));
        assert_eq!(queue.next(&[]).unwrap(), (Some(ids[0]), None));
    }

    #[test]
    fn a_payload_is_named_however_it_is_quoted() {
        let (_desk, queue) = queue();
        let study = |payload: &str| Order {
            study: format!(
                "name = 't'\nwhy = '?'\n[axes]\npayload = [{payload}]\ncodec = ['json/serde-json']\n"
            ),
            ..order("t", 0)
        };
        let id = queue.add(&study("'small', 'mine'")).unwrap().id;
        assert!(queue.names("payload", "mine").unwrap() && queue.names("payload", "small").unwrap());
        assert!(!queue.names("payload", "min").unwrap() && !queue.names("payload", "json").unwrap());
        queue.cancel(id).unwrap().unwrap();
        assert!(!queue.names("payload", "mine").unwrap());
        for quoted in ["\"mine\"", "'''mine'''", "'mine@100'", "\"m\\u0069ne\""] {
            let id = queue.add(&study(quoted)).unwrap().id;
            assert!(queue.names("payload", "mine").unwrap(), "{quoted}");
            queue.cancel(id).unwrap().unwrap();
        }
    }

    #[test]
    fn a_cancelled_test_stays_cancelled_after_a_restart() {
        let (_desk, queue) = queue();
        let id = queue.add(&order("a", 0)).unwrap().id;
        assert!(!queue.ask_to_cancel(id).unwrap(), "it waits");
        queue.begin(id, "r").unwrap();
        assert!(queue.ask_to_cancel(id).unwrap() && queue.due(id).unwrap().unwrap().cancel_asked);
        queue.cancelled(id).unwrap();
        assert_eq!(queue.find(id).unwrap().unwrap().state, State::Cancelled);
        assert_eq!((queue.left_behind().unwrap(), queue.next(&[]).unwrap()), (None, (None, None)));
    }

    #[test]
    fn an_attempt_that_fails_waits_and_one_that_the_server_left_is_no_failure() {
        let (_desk, queue) = queue();
        let id = queue.add(&order("a", 0)).unwrap().id;
        assert_eq!(queue.begin(id, "r").unwrap(), Some(1));
        assert_eq!(queue.left_behind().unwrap(), Some(id));
        assert_eq!(queue.begin(id, "r").unwrap(), Some(2), "after a restart");
        let later = now_ms() + 60_000;
        queue.end(id, 2, &ended(State::Submitted, Some(later))).unwrap();
        assert_eq!(queue.next(&[]).unwrap(), (None, Some(later)));
        let attempts = queue.attempts(id).unwrap();
        assert_eq!(attempts[0].reason.as_deref(), Some("the server ended"));
        let test = queue.find(id).unwrap().unwrap();
        assert_eq!((test.failures, test.state), (1, State::Submitted));
        queue.cancel(id).unwrap().unwrap();
        assert_eq!(queue.begin(id, "r").unwrap(), None, "cancelled in between");
    }
}
