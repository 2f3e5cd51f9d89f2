"""Records in PostgreSQL, as crates/measured/records reads them: a publisher reads the values of its messages from a table, row by row.

Rows come FETCHED at a time in binary; whoever comes to the end begins anew, and fetches anew.
"""

import re
from collections import deque

# Rows that are fetched at a time.
FETCHED = 1_000


class Unread(Exception):
    """Why a record can't be read, in a sentence."""


class Reader:
    """A connection on which a table is read; `to_row` makes a row of a value in Protobuf's bytes."""

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
        # No rows yet: the statement is prepared, and a table that is missing is told before anything is sent.
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
        # What follows the first line is advice for people at a prompt.
        return Unread(f"the database at {self.socket}: {str(error).partition(chr(10))[0]}")

    def _rows(self, first, end):
        """The rows whose numbers are in a range."""
        # Of one type whatever their size, so that the statement is the one that was prepared.
        bounds = (psycopg.types.numeric.Int8(first), psycopg.types.numeric.Int8(end))
        try:
            return self.cursor.execute(self.query, bounds, prepare=True).fetchall()
        except psycopg.Error as error:
            raise self._unread(error) from error

    def _value(self, number):
        """The value of a record. Rows in front of it are passed over, so that each is fetched once in a round."""
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
            raise Unread(f"record {number} of the table `{self.table}` is no value of this payload: {error}") from error
