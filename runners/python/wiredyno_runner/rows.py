"""Rows as a database returns them, and what a program builds from each before it encodes: the build phase of message trials.

A row is a tuple with a place for every field, with nested messages as tuples too; absent values are ABSENT. A row becomes a dict by
copying a template and assigning each column to its key, or a Protobuf object by setting each attribute: both are generated code with
one line per field.
"""

from keyword import iskeyword

from wiredyno_runner import generate
from wiredyno_runner.definition import Kind


class _Absent:
    def __repr__(self):
        return "ABSENT"


ABSENT = _Absent()


def from_bytes(root):
    """A function that turns a value in Protobuf bytes into a row."""

    def leaf(writer, type_, expression):
        if type_.kind is Kind.MESSAGE:
            return f"{writer.call(type_.message)}({expression})"
        if type_.kind is Kind.ENUM:
            return f"{writer.constant(f'names_{type_.enum}', type_.names)}[{expression}]"
        return expression

    def of_message(writer, message):
        lines = ["return ("]
        for one in message.fields:
            own = f"getattr(o, {one.name!r})" if iskeyword(one.name) else f"o.{one.name}"
            if one.key is not None:
                part = f"{{k: {leaf(writer, one.type, 'e')} for k, e in sorted({own}.items())}}"
            elif one.repeated:
                each = leaf(writer, one.type, "e")
                part = f"list({own})" if each == "e" else f"[{each} for e in {own}]"
            else:
                part = leaf(writer, one.type, own)
            if one.optional:
                part = f"{part} if o.HasField({one.name!r}) else ABSENT"
            lines.append(f"    {part},")
        return "o", [*lines, ")"]

    writer = generate.Writer("row", root)
    writer.constant("ABSENT", ABSENT)
    of_object, parse = writer.write(of_message), root.cls.FromString
    return lambda data: of_object(parse(data))


class Shape:
    """The form of a row's dict: that of the domain. A library that needs another form gets it directly, not via this one."""

    # Whether absent fields are present as None.
    absent = False

    def part(self, writer, type_, expression):
        """A value within the row, in the form of the dict."""
        return f"{writer.call(type_.message)}({expression})" if type_.kind is Kind.MESSAGE else expression

    def entries(self, writer, one, value):
        """A map of the row, in the form of the dict."""
        part = self.part(writer, one.type, "e")
        return value if part == "e" else f"{{k: {part} for k, e in {value}.items()}}"

    def way(self, message):
        """A function from a message's values, in the order of their numbers, to its replacement; None if its fields are kept."""
        return None

    def alone(self, message):
        """Whether a message is replaced by the value of the field that is set, or of its only field."""
        return False


def to_dict(root, shape=None):
    """A function that turns a row into a new dict, column by column."""
    shape = shape or Shape()

    def value_of(writer, place, one):
        value, part = f"r[{place}]", shape.part(writer, one.type, "e")
        if one.key is not None:
            return shape.entries(writer, one, value)
        if one.repeated:
            return value if part == "e" else f"[{part} for e in {value}]"
        return shape.part(writer, one.type, value)

    def of_message(writer, message):
        way = shape.way(message)
        if way is not None:
            places = sorted(range(len(message.fields)), key=lambda place: message.fields[place].number)
            values = ", ".join(f"r[{place}]" for place in places)
            return "r", [f"return {writer.constant(f'write_{message.known}', way)}({values})"]
        if shape.alone(message):
            return "r", _alone(message, lambda place, one: value_of(writer, place, one))
        template = {one.name: None for one in message.fields if shape.absent or not one.optional}
        lines = [f"d = {writer.constant(f'template_{message.name}', template)}.copy()"]
        for place, one in enumerate(message.fields):
            put = f"d[{one.name!r}] = {value_of(writer, place, one)}"
            lines.extend([f"if r[{place}] is not ABSENT:", f"    {put}"] if one.optional else [put])
        return "r", [*lines, "return d"]

    writer = generate.Writer("dict", root)
    writer.constant("ABSENT", ABSENT)
    return writer.write(of_message)


def _alone(message, value_of):
    """The lines that return the value of the first field that is set; None if there is none."""
    lines = []
    for place, one in enumerate(message.fields):
        given = f"return {value_of(place, one)}"
        lines.append(f"if r[{place}] is not ABSENT: {given}" if one.optional else given)
    return lines


def to_object(root):
    """A function that turns a row into a new Protobuf object, attribute by attribute."""

    def leaf(writer, type_, expression):
        if type_.kind is not Kind.ENUM:
            return expression
        return f"{writer.constant(f'numbers_{type_.enum}', type_.numbers)}[{expression}]"

    def of_message(writer, message):
        lines = []
        for place, one in enumerate(message.fields):
            own = f"getattr(o, {one.name!r})" if iskeyword(one.name) else f"o.{one.name}"
            value, kind = f"r[{place}]", one.type.kind
            if kind is Kind.MESSAGE:
                call = writer.call(one.type.message)
                if one.key is not None:
                    put = [f"x = {own}", f"for k, e in {value}.items():", f"    {call}(x[k], e)"]
                elif one.repeated:
                    put = [f"x = {own}", f"for e in {value}:", f"    {call}(x.add(), e)"]
                else:
                    put = [f"x = {own}", "x.SetInParent()", f"{call}(x, {value})"]
            elif one.key is not None:
                put = [f"x = {own}", f"for k, e in {value}.items():", f"    x[k] = {leaf(writer, one.type, 'e')}"]
            elif one.repeated:
                each = f"[{leaf(writer, one.type, 'e')} for e in {value}]" if kind is Kind.ENUM else value
                put = [f"{own}.extend({each})"]
            elif iskeyword(one.name):
                put = [f"setattr(o, {one.name!r}, {leaf(writer, one.type, value)})"]
            else:
                put = [f"o.{one.name} = {leaf(writer, one.type, value)}"]
            if one.optional:
                put = [f"if {value} is not ABSENT:", *(f"    {line}" for line in put)]
            lines.extend(put)
        return "o, r", [*lines, "return o"]

    writer = generate.Writer("set", root)
    writer.constant("ABSENT", ABSENT)
    fill, cls = writer.write(of_message), root.cls
    return lambda row: fill(cls(), row)
