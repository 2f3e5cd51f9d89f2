"""Records in PostgreSQL, as crates/measured/records reads them: a publisher reads the values of its messages from a table, row by row.

Rows are fetched FETCHED at a time in binary; after the last row they are fetched again from the first.
"""

import re
from collections import deque

# Rows fetched at a time.
FETCHED = 1_000


class Unread(Exception):
    """Why a record can't be read, in a sentence."""


class Reader:
    """A connection that reads a table; `to_row` turns a value in Protobuf bytes into a row."""

    def __init__(self, to_row, socket, port, user, table):
        if not re.fullmatch("[a-z0-9_]+", table):
            why = "its name has characters other than a to z, 0 to 9 and _"
            raise Unread(f"`{table}` is not a table of records: {why}")
        self.load_library()
        self.to_row, self.socket, self.table, self.fetched = to_row, socket, table, deque()
        self.query = f"SELECT number, value FROM {table} WHERE number >= %s AND number < %s ORDER BY number"
        try:
            own = psycopg.connect(host=socket, port=port, user=user, dbname="postgres", autocommit=True)
        except psycopg.Error as error:
            raise self._unread(error) from error
        self.cursor = own.cursor(binary=True)
        # No rows yet: this prepares the statement, and reports a missing table before anything is sent.
        self._rows(0, 0)

    @staticmethod
    def load_library():
        """Imports the library, which only a publisher with records needs."""
        global psycopg
        try:
            import psycopg
        except ImportError as error:
            raise Unread(f"psycopg can't be imported ({error}): install what requirements.txt names") from error

    def _unread(self, error):
        # The lines after the first are advice for interactive users.
        return Unread(f"the database at {self.socket}: {str(error).partition(chr(10))[0]}")

    def _rows(self, first, end):
        """The rows whose numbers are in a range."""
        # Always of the same type, so that the prepared statement is used.
        bounds = (psycopg.types.numeric.Int8(first), psycopg.types.numeric.Int8(end))
        try:
            return self.cursor.execute(self.query, bounds, prepare=True).fetchall()
        except psycopg.Error as error:
            raise self._unread(error) from error

    def _value(self, number):
        """The value of a record. Rows before it are skipped, so that each is fetched once per round."""
        while self.fetched:
            next_number, value = self.fetched.popleft()
            if next_number == number:
                return value
        self.fetched.extend(self._rows(number, number + FETCHED))
        if not self.fetched or self.fetched[0][0] != number:
            raise Unread(f"the table `{self.table}` has no record {number}: it was filled with fewer records")
        return self.fetched.popleft()[1]

    def row(self, number):
        """The row of a record."""
        value = self._value(number)
        try:
            return self.to_row(value)
        except Exception as error:
            raise Unread(f"record {number} of the table `{self.table}` is not a value of this payload: {error}") from error
