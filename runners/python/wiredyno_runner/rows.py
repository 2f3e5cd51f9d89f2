"""Rows as a database hands them out, and what a program makes of each before it encodes: the build phase of message trials.

A row is a tuple with a place for every field, of messages within it tuples too; what is absent is ABSENT. Of a row a dict is made by
copying a template and assigning each column to its key, or a Protobuf object by setting each attribute: both are code of the
definition, a line a field.
"""

from keyword import iskeyword

from wiredyno_runner import generate
from wiredyno_runner.definition import Kind


class _Absent:
    def __repr__(self):
        return "ABSENT"


ABSENT = _Absent()


def from_bytes(root):
    """A function that makes the row of a value in Protobuf's bytes."""

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


def to_dict(root):
    """A function that makes a row into a new dict, column by column."""

    def of_message(writer, message):
        template = {one.name: None for one in message.fields if not one.optional}
        lines = [f"d = {writer.constant(f'template_{message.name}', template)}.copy()"]
        for place, one in enumerate(message.fields):
            value = f"r[{place}]"
            if one.type.kind is Kind.MESSAGE:
                call = writer.call(one.type.message)
                if one.key is not None:
                    value = f"{{k: {call}(e) for k, e in {value}.items()}}"
                elif one.repeated:
                    value = f"[{call}(e) for e in {value}]"
                else:
                    value = f"{call}({value})"
            put = f"d[{one.name!r}] = {value}"
            lines.extend([f"if r[{place}] is not ABSENT:", f"    {put}"] if one.optional else [put])
        return "r", [*lines, "return d"]

    writer = generate.Writer("dict", root)
    writer.constant("ABSENT", ABSENT)
    return writer.write(of_message)


def to_object(root):
    """A function that makes a row into a new Protobuf object, attribute by attribute."""

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
