"""Functions generated for a definition: the code that walks every field is specific to it, like a program's own,
and does not loop over a description."""

import base64

from wiredyno_runner.definition import Kind

MASK = (1 << 64) - 1


class Writer:
    """Writes one function per message, and returns that of the root."""

    def __init__(self, prefix, root):
        self.prefix, self.root = prefix, root
        self.lines, self.done, self.waiting = [], set(), [root]
        self.names = {"b64decode": base64.b64decode}

    def call(self, message):
        """The name of a message's function."""
        if message.name not in self.done and message not in self.waiting:
            self.waiting.append(message)
        return f"{self.prefix}_{message.name}"

    def constant(self, name, value):
        """A name that the code may use."""
        self.names[name] = value
        return name

    def write(self, of_message):
        """All functions, each with the lines that `of_message` returns for its message."""
        while self.waiting:
            message = self.waiting.pop()
            self.done.add(message.name)
            argument, lines = of_message(self, message)
            self.lines.append(f"def {self.prefix}_{message.name}({argument}):")
            self.lines.extend(f"    {line}" for line in lines)
        exec(compile("\n".join(self.lines), f"<{self.prefix}>", "exec"), self.names)  # noqa: S102
        return self.names[f"{self.prefix}_{self.root.name}"]


def _number(kind, expression, writer, type_):
    """An expression whose hash represents a value."""
    if kind is Kind.MESSAGE:
        return f"{writer.call(type_.message)}({expression})"
    return "hash(None)" if type_.null else f"hash({expression})"


def touch(root, dialect, alone=lambda message, one: None, ways=(), written=()):
    """A function that reads every field of an object and returns a number: the same for all objects of one value.

    A dialect describes the structure of an object: `get(field)` and `has(field)` are expressions over `o`, `leaf(type, x)`
    and `key(type, x)` convert parts to Python values, `entries(field, x)` returns the pairs of a map. If the value of a message's
    field is written alone, `alone(message, field)` is the condition that `o` is one. Well-known types of `ways` are one value each; for those of `written`
    that value is computed from their fields.
    """

    def of_message(writer, message):
        if message.known in ways:
            return "o", ["return hash(o)"]
        if message.known in written:
            write = writer.constant(f"write_{message.known}", written[message.known][0])
            values = ", ".join(f"o[{one.name!r}]" for one in sorted(message.fields, key=lambda one: one.number))
            return "o", [f"return hash({write}({values}))"]
        lines = ["d = 7"]
        for one in message.fields:
            is_alone = alone(message, one)
            value = dialect.get(one) if is_alone is None else "o"

            def leaf(name, one=one):
                inner = name if one.type.kind is Kind.MESSAGE else dialect.leaf(writer, one.type, name)
                return _number(one.type.kind, inner, writer, one.type)

            if one.key is not None:
                # Entries have no order.
                lines.append("m = 0")
                lines.append(f"for k, x in {dialect.entries(one, value)}:")
                lines.append(f"    m += (hash({dialect.key(writer, one.key, 'k')}) * 31 ^ {leaf('x')}) & {MASK}")
                lines.append(f"d = (d * 1000003 ^ m) & {MASK}")
            elif one.repeated:
                lines.append(f"x = {value}")
                lines.append("d = d * 31 + len(x)")
                lines.append("for x in x:")
                lines.append(f"    d = (d * 1000003 ^ {leaf('x')}) & {MASK}")
            elif one.optional:
                lines.append(f"if {is_alone or dialect.has(one)}:")
                lines.append(f"    x = {value}")
                lines.append(f"    d = (d * 1000003 ^ {leaf('x')}) & {MASK}")
            else:
                lines.append(f"x = {value}")
                lines.append(f"d = (d * 1000003 ^ {leaf('x')}) & {MASK}")
        return "o", [*lines, "return d"]

    return Writer("touch", root).write(of_message)


class Dicts:
    """Dicts as in the domain: numbers, text, bytes, names of enums, maps with keys of their type; absent fields are
    left out."""

    def get(self, one):
        return f"o[{one.name!r}]"

    def has(self, one):
        return f"{one.name!r} in o"

    def leaf(self, writer, type_, name):
        return name

    def key(self, writer, type_, name):
        return name

    def entries(self, one, value):
        return f"{value}.items()"


class JsonDicts(Dicts):
    """Dicts after JSON: bytes are base64, keys of maps are text."""

    def leaf(self, writer, type_, name):
        return f"b64decode({name})" if type_.kind is Kind.DATA else name

    def key(self, writer, type_, name):
        if type_.kind is Kind.FLAG:
            return f"({name} == 'true')"
        return f"int({name})" if type_.kind is Kind.INTEGER else name
