"""What a codec is: four phases over the dicts of a definition, as docs/METHODOLOGY.md divides them."""

from wiredyno_runner import generate, plain, rows, value


class Codec:
    """A codec over a definition. Its description is in runner.toml, under its id."""

    id = ""
    # The interface language that the library reads the definition in, as `load` names it, if it does.
    language = None

    def __init__(self, definition):
        """Creates what lasts as long as the codec serves the payload, such as a parsed schema."""
        self.root = definition.root

    @classmethod
    def load_library(cls):
        """Imports the library, before any clock."""

    def build(self, domain):
        """From the domain's dict to the library's input. If that is the dict, there is nothing to do."""
        return domain

    def from_row(self):
        """The function that turns a row into the input of `encode`: here a new dict, column by column."""
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
        """The dict of a decoded object. Never timed."""
        return decoded

    def touch_domain(self):
        """A function that reads the domain's dict as `read` reads the decoded object. Never timed."""
        return generate.touch(self.root, generate.Dicts())

    def canonical(self, body):
        """The decoded value as Protobuf bytes; refuses what does not fit the definition."""
        return value.to_bytes(self.domain(self.decode(body)), self.root)


class Describing(Codec):
    """A codec of a self-describing format: values that messages stand for are written alone, well-known types as the format's users
    write them."""

    def __init__(self, definition):
        super().__init__(definition)
        self.known = self.ways()
        plain.settle(definition.messages.values())
        # If there is none, there is nothing to do.
        self.take = plain.take(self.root, self.known) if plain.holds(self.root) else None

    def ways(self):
        """The format's representation of well-known types."""
        raise NotImplementedError

    def build(self, domain):
        return domain if self.take is None else self.take(domain)

    def from_row(self):
        return rows.to_dict(self.root, _Plain(self.known))

    def touch_domain(self):
        return generate.touch(self.root, generate.Dicts(), written=self.known.ways)

    def domain(self, decoded):
        return decoded if self.take is None else plain.put(decoded, self.root, self.known)


class _Plain(rows.Shape):
    """Values without the messages that stand for them; well-known types in the format's representation."""

    def __init__(self, known):
        self.known = known

    def way(self, message):
        return self.known.ways.get(message.known, (None,))[0]

    def part(self, writer, type_, expression):
        return "None" if type_.null else super().part(writer, type_, expression)

    def alone(self, message):
        return message.plain
