"""The sample and number of each message, and how the number is set in its row (docs/RUNNER.md, "The number inside a message")."""

from wiredyno_runner.definition import Kind

BASE = SPAN = 1_000_000_000
BYTES = 8
DIGITS = 10


def _width(text):
    """How many characters at the end of a text hold the number: its digits, else up to ten ASCII characters."""
    digits = len(text) - len(text.rstrip("0123456789"))
    if digits:
        return digits
    ascii_tail = 0
    for character in reversed(text):
        if not character.isascii():
            break
        ascii_tail += 1
    return min(ascii_tail, DIGITS)


class Sequence:
    """The field that carries a message's number, by its path in a payload's rows."""

    def __init__(self, root, path):
        self.places = []
        message = root
        for name in path.split("."):
            place = next((place for place, one in enumerate(message.fields) if one.name == name), None)
            if place is None:
                raise ValueError(f"the sequence `{path}`: {message.name} has no field `{name}`")
            one = message.fields[place]
            self.places.append(place)
            self.kind, message = one.type.kind, one.type.message
        if self.kind not in (Kind.INTEGER, Kind.TEXT, Kind.DATA):
            raise ValueError(f"the sequence `{path}` is not a number, text or bytes")

    def _value(self, row):
        for place in self.places:
            row = row[place]
        return row

    def span(self, row):
        """How many numbers the field of a row can hold."""
        if self.kind is Kind.INTEGER:
            return SPAN
        value = self._value(row)
        return 10 ** _width(value) if self.kind is Kind.TEXT else 256 ** min(BYTES, len(value))

    def put(self, row, number):
        """The row with a number in it."""
        return self._put(row, self.places, number)

    def _put(self, row, places, number):
        place, *rest = places
        part = self._put(row[place], rest, number) if rest else self._number(row[place], number)
        return (*row[:place], part, *row[place + 1 :])

    def _number(self, value, number):
        if self.kind is Kind.INTEGER:
            return BASE + number % SPAN
        if self.kind is Kind.TEXT:
            width = _width(value)
            return value[: len(value) - width] + str(number % 10**width).zfill(width) if width else value
        width = min(BYTES, len(value))
        return (number % 256**BYTES).to_bytes(BYTES, "big")[BYTES - width :] + value[width:]


class Numbering:
    """The rows that a publisher sends, message by message; `records` of them if measured messages have records instead of rows."""

    def __init__(self, rows, sequence, records=None):
        self.rows, self.sequence, self.records = rows, sequence, records
        self.span = min(sequence.span(row) for row in rows) if sequence else None
        self.warmups = 0

    def numbered(self, row, number):
        """A row with a number in it, if it has a field for that."""
        return self.sequence.put(row, number) if self.sequence else row

    def warmup(self):
        """The next message of a warm-up: its sample and its number."""
        done, self.warmups = self.warmups, self.warmups + 1
        samples, span = len(self.rows), self.span or 1
        return samples - 1 - done % samples, span - 1 - done % span

    def measured(self, message):
        """The same for the `message`-th measured one, from 0."""
        samples = len(self.rows)
        own = (self.span or 0) - self.warmups
        if own > 0:
            return message % (self.records or samples), (message + 1) % own
        if samples > self.warmups:
            samples -= self.warmups
        return message % samples, (message + 1) % (self.span or 1)
