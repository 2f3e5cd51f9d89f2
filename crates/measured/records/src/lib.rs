//! Records in PostgreSQL: a publisher reads the values of its messages from a table, row by row, and the timings of messages are written
//! to another.
//!
//! A record is a row with its number, from 0, and its value as Protobuf bytes. Rows are fetched [`FETCHED`] at a time with the extended
//! query protocol in binary, like those of a cursor that a program steps through; a reader that reaches the end starts over, and fetches
//! again.
//!
//! Limits: one connection per reader, in the clear over a Unix socket. A value is one column: a column for each field would need a rule
//! for nested messages.

use std::collections::VecDeque;
use std::io;

use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Statement};
use wiredyno_contract::RecordSource;

/// Rows that one query fetches.
pub const FETCHED: u64 = 1_000;

/// The columns of timings after `trial` and `sequence`, in nanoseconds of CLOCK_MONOTONIC.
pub const TIMINGS: [&str; 8] = [
    "intended_send_ns",
    "build_start_ns",
    "built_ns",
    "encoded_ns",
    "sent_ns",
    "acked_ns",
    "received_ns",
    "decoded_ns",
];

/// The timings of one message: trial, its number there, and its times in the order of [`TIMINGS`]; absent ones did not occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// The trial's number in the run.
    pub trial: i64,
    /// The message's number in the trial.
    pub sequence: i64,
    /// Nanoseconds of CLOCK_MONOTONIC, in the order of [`TIMINGS`].
    pub times_ns: [Option<i64>; TIMINGS.len()],
}

/// Why records can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// The database can't be reached or refuses.
    #[error("the database at {socket}: {}", chain(source))]
    Database {
        /// The folder of its Unix socket.
        socket: String,
        /// The error of the database or the system.
        source: postgres::Error,
    },
    /// The name has characters other than a to z, 0 to 9 and _, so it can't be used unquoted.
    #[error("`{table}` is not a table of records: its name has characters other than a to z, 0 to 9 and _")]
    Name {
        /// The table's name as the source gives it.
        table: String,
    },
    /// The table has no row with this number.
    #[error("the table `{table}` has no record {number}: it was filled with fewer records")]
    Missing {
        /// The table's name.
        table: String,
        /// The requested record, from 0.
        number: u64,
    },
    /// The values to fill a table with can't be read.
    #[error("can't read the records to fill a table with: {0}")]
    Values(#[from] io::Error),
}

/// An error with all of its causes.
fn chain(error: &postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Reads the record with a given number; [`open`] creates it.
pub type Rows = Box<dyn FnMut(u64) -> Result<Vec<u8>, String> + Send>;

/// Connects, and returns a reader of single records.
///
/// # Errors
/// With a sentence, when the database can't be reached or has no such table.
pub fn open(source: &RecordSource) -> Result<Rows, String> {
    let mut reader = Reader::of(source).map_err(|error| error.to_string())?;
    Ok(Box::new(move |number| reader.row(number).map_err(|error| error.to_string())))
}

/// A connection that reads a table.
pub struct Reader {
    connection: Connection,
    statement: Statement,
    /// Rows that are fetched but not read yet, with their numbers.
    fetched: VecDeque<(u64, Vec<u8>)>,
}

impl Reader {
    /// Connects, and prepares the query.
    ///
    /// # Errors
    /// When the database can't be reached or has no such table.
    pub fn of(source: &RecordSource) -> Result<Self, RecordsError> {
        let mut connection = Connection::to(source)?;
        let table = &source.table;
        let query =
            format!("SELECT number, value FROM {table} WHERE number >= $1 AND number < $2 ORDER BY number");
        let statement = connection.tried(|client| client.prepare(&query))?;
        Ok(Reader { connection, statement, fetched: VecDeque::new() })
    }

    /// The record with a number. Fetched rows before it are skipped, so that each is fetched once per round.
    ///
    /// # Errors
    /// When the database fails, or there is no such row.
    pub fn row(&mut self, number: u64) -> Result<Vec<u8>, RecordsError> {
        while let Some((next, value)) = self.fetched.pop_front() {
            if next == number {
                return Ok(value);
            }
        }
        let from = i64::try_from(number).unwrap_or(i64::MAX);
        let to = from.saturating_add(FETCHED as i64);
        let statement = self.statement.clone();
        let rows = self.connection.tried(|client| {
            let rows = client.query(&statement, &[&from, &to])?;
            let read = |row: postgres::Row| -> Result<(u64, Vec<u8>), postgres::Error> {
                let number: i64 = row.try_get(0)?;
                Ok((number.unsigned_abs(), row.try_get(1)?))
            };
            rows.into_iter().map(read).collect()
        })?;
        self.fetched = rows;
        match self.fetched.pop_front() {
            Some((first, value)) if first == number => Ok(value),
            _ => Err(RecordsError::Missing { table: self.connection.source.table.clone(), number }),
        }
    }
}

/// Creates a table and fills it with records, numbered from 0; returns how many there are.
///
/// # Errors
/// When the database refuses, or the values can't be read.
pub fn fill(
    source: &RecordSource,
    values: impl IntoIterator<Item = io::Result<Vec<u8>>>,
) -> Result<u64, RecordsError> {
    let table = &source.table;
    let make = format!("CREATE TABLE {table} (number bigint PRIMARY KEY, value bytea NOT NULL)");
    // Frozen, so that the first trial that reads them does not write to their pages.
    let copy = format!("COPY {table} (number, value) FROM STDIN WITH (FORMAT BINARY, FREEZE)");
    let mut unread = None;
    // Table and records together, or neither: a transaction that is dropped is rolled back. One record after the other: a million need not fit into memory.
    let written = Connection::to(source)?.tried(|client| {
        let mut transaction = client.transaction()?;
        transaction.batch_execute(&make)?;
        let rows = transaction.copy_in(copy.as_str())?;
        let mut writer = BinaryCopyInWriter::new(rows, &[Type::INT8, Type::BYTEA]);
        for (number, value) in (0_i64..).zip(values) {
            let value = match value {
                Ok(value) => value,
                Err(error) => {
                    unread = Some(error);
                    return Ok(0);
                }
            };
            let row: [&(dyn ToSql + Sync); 2] = [&number, &value];
            writer.write(&row)?;
        }
        let written = writer.finish()?;
        transaction.commit()?;
        Ok(written)
    })?;
    match unread {
        Some(error) => Err(error.into()),
        None => Ok(written),
    }
}

/// Creates the table for timings that a source names.
///
/// # Errors
/// When the database refuses.
pub fn make_timings(source: &RecordSource) -> Result<(), RecordsError> {
    let columns: Vec<String> = TIMINGS.iter().map(|name| format!("{name} bigint")).collect();
    let make = format!(
        "CREATE TABLE {} (trial bigint NOT NULL, sequence bigint NOT NULL, {})",
        source.table,
        columns.join(", ")
    );
    Connection::to(source)?.tried(|client| client.batch_execute(&make))
}

/// Timings that are written at once.
const WRITTEN: usize = 10_000;

/// Adds timings to a table, one by one, in one transaction: all of them are there after a commit, none if it is dropped.
pub struct TimingsWriter {
    connection: Connection,
    waiting: Vec<Timing>,
    written: u64,
}

impl TimingsWriter {
    /// Connects and begins the transaction.
    ///
    /// # Errors
    /// When the database can't be reached.
    pub fn begin(source: &RecordSource) -> Result<Self, RecordsError> {
        let mut connection = Connection::to(source)?;
        connection.tried(|client| client.batch_execute("BEGIN"))?;
        Ok(TimingsWriter { connection, waiting: Vec::with_capacity(WRITTEN), written: 0 })
    }

    /// Adds the next message's timings.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn push(&mut self, timing: Timing) -> Result<(), RecordsError> {
        self.waiting.push(timing);
        if self.waiting.len() < WRITTEN { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), RecordsError> {
        let TimingsWriter { connection, waiting, .. } = self;
        let copy = format!("COPY {} FROM STDIN BINARY", connection.source.table);
        let types = [Type::INT8; TIMINGS.len() + 2];
        self.written += connection.tried(|client| {
            let mut writer = BinaryCopyInWriter::new(client.copy_in(copy.as_str())?, &types);
            for Timing { trial, sequence, times_ns } in waiting.drain(..) {
                let ids = [&trial, &sequence].into_iter().map(|id| id as &(dyn ToSql + Sync));
                let times = times_ns.iter().map(|time| time as &(dyn ToSql + Sync));
                let row: Vec<&(dyn ToSql + Sync)> = ids.chain(times).collect();
                writer.write(&row)?;
            }
            writer.finish()
        })?;
        Ok(())
    }

    /// Writes the rest and commits; returns how many rows were added.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn commit(mut self) -> Result<u64, RecordsError> {
        self.flush()?;
        self.connection.tried(|client| client.batch_execute("COMMIT"))?;
        Ok(self.written)
    }
}

/// How many rows a table has.
///
/// # Errors
/// When the database refuses, or has no such table.
pub fn count(source: &RecordSource) -> Result<u64, RecordsError> {
    let query = format!("SELECT count(*) FROM {}", source.table);
    let rows: i64 =
        Connection::to(source)?.tried(|client| client.query_one(query.as_str(), &[])?.try_get(0))?;
    Ok(rows.unsigned_abs())
}

/// Whether a database answers at a source; its table need not exist.
pub fn answers(source: &RecordSource) -> bool {
    Connection::to(source)
        .and_then(|mut connection| connection.tried(|client| client.batch_execute("")))
        .is_ok()
}

struct Connection {
    client: Client,
    source: RecordSource,
}

impl Connection {
    fn to(source: &RecordSource) -> Result<Self, RecordsError> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if source.table.is_empty() || !source.table.chars().all(plain) {
            return Err(RecordsError::Name { table: source.table.clone() });
        }
        let client = Config::new()
            .host_path(&source.socket)
            .port(source.port)
            .user(&source.user)
            .dbname("postgres")
            .connect(NoTls)
            .map_err(|error| RecordsError::Database { socket: source.socket.clone(), source: error })?;
        Ok(Connection { client, source: source.clone() })
    }

    fn tried<T>(
        &mut self,
        what: impl FnOnce(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, RecordsError> {
        let socket = &self.source.socket;
        what(&mut self.client).map_err(|source| RecordsError::Database { socket: socket.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(table: &str) -> RecordSource {
        RecordSource { socket: "/nowhere".into(), port: 5432, user: "nobody".into(), table: table.into() }
    }

    #[test]
    fn names_that_are_not_ours_are_refused_before_anything_is_asked() {
        for table in ["", "records;drop", "Records", "a b", "r\"x"] {
            let refused = Reader::of(&source(table)).err().unwrap();
            assert!(matches!(refused, RecordsError::Name { .. }), "{table}: {refused}");
        }
    }

    #[test]
    fn a_database_that_is_not_there_is_named_with_the_reason() {
        let why = open(&source("records_0")).err().unwrap();
        assert!(why.contains("the database at /nowhere") && why.contains("No such file"), "{why}");
        assert!(!answers(&source("records_0")));
    }
}
