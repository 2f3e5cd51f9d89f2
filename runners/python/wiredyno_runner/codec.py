"""What a codec is: four phases over the dicts of a definition, as docs/METHODOLOGY.md divides them."""

from wiredyno_runner import rows, value


class Codec:
    """A codec over a definition. What it says of itself stands in runner.toml, under its id."""

    id = ""

    def __init__(self, definition):
        """Makes what lives as long as codec and payload go together, such as a parsed schema."""
        self.root = definition.root

    @classmethod
    def load_library(cls):
        """Imports the library, before any clock."""

    def build(self, domain):
        """From the domain's dict to what the library takes. Where that is the dict, there is nothing to do."""
        return domain

    def from_row(self):
        """The function that makes of a row what `encode` takes: here a new dict, column by column."""
        return rows.to_dict(self.root)

    def encode(self, built):
        """To bytes."""
        raise NotImplementedError

    def decode(self, body):
        """From bytes to the library's object."""
        raise NotImplementedError

    def read(self, decoded):
        """Touches every field once."""
        raise NotImplementedError

    def domain(self, decoded):
        """The dict of what was decoded. Never timed."""
        return decoded

    def canonical(self, body):
        """Protobuf's bytes of what bytes decode to; refuses what does not fit the definition."""
        return value.to_bytes(self.domain(self.decode(body)), self.root)
