"""Avro by fastavro and by Apache's own library, with one schema: the file that `load` names.

Optional fields are unions with null, and so is every member of a oneof; maps with keys other than text are arrays of
records; uint64 is a long of the same bits.
"""

import io
import json

from wiredyno_runner import generate, rows
from wiredyno_runner.codec import Codec
from wiredyno_runner.codecs.confluent import Confluent
from wiredyno_runner.definition import FieldDescriptor, Kind

U64 = FieldDescriptor.CPPTYPE_UINT64


def _signed(number):
    return number - (1 << 64) if number >> 63 else number


def _unsigned(number):
    return number & ((1 << 64) - 1)


class _Records(generate.Dicts):
    """The structure of a decoded record: absent values are None, entries are records."""

    def has(self, one):
        return f"o[{one.name!r}] is not None"

    def leaf(self, writer, type_, name):
        return f"({name} & {(1 << 64) - 1})" if type_.cpp == U64 else name

    def key(self, writer, type_, name):
        return self.leaf(writer, type_, name)

    def entries(self, one, value):
        return f"{value}.items()" if one.key.kind is Kind.TEXT else f"((e['key'], e['value']) for e in {value})"


def _leaf(writer, type_, expression):
    if type_.kind is Kind.MESSAGE:
        return f"{writer.call(type_.message)}({expression})"
    return f"signed({expression})" if type_.cpp == U64 else expression


def _build(root):
    """A function that converts a dict to what the schema needs: every field is present, entries are records."""

    def of_message(writer, message):
        parts = []
        for one in message.fields:
            own, leaf = f"v[{one.name!r}]", _leaf(writer, one.type, "e")
            if one.key is not None and one.key.kind is Kind.TEXT:
                made = own if leaf == "e" else f"{{k: {leaf} for k, e in {own}.items()}}"
            elif one.key is not None:
                made = f"[{{'key': {_leaf(writer, one.key, 'k')}, 'value': {leaf}}} for k, e in {own}.items()]"
            elif one.repeated:
                made = own if leaf == "e" else f"[{leaf} for e in {own}]"
            elif one.optional:
                made = f"{_leaf(writer, one.type, own)} if {one.name!r} in v else None"
            else:
                made = _leaf(writer, one.type, own)
            parts.append(f"    {one.name!r}: {made},")
        return "v", ["return {", *parts, "}"]

    writer = generate.Writer("record", root)
    writer.constant("signed", _signed)
    return writer.write(of_message)


class _Rows(rows.Shape):
    """The schema's input, built from a row: every field is present, entries are records."""

    absent = True

    def part(self, writer, type_, expression):
        writer.constant("signed", _signed)
        return _leaf(writer, type_, expression)

    def entries(self, writer, one, value):
        if one.key.kind is Kind.TEXT:
            return super().entries(writer, one, value)
        key, part = self.part(writer, one.key, "k"), self.part(writer, one.type, "e")
        return f"[{{'key': {key}, 'value': {part}}} for k, e in {value}.items()]"


def _domain(decoded, message):
    own = {}
    for one in message.fields:
        part = decoded[one.name]
        if one.optional and part is None:
            continue
        if one.key is not None:
            pairs = part.items() if one.key.kind is Kind.TEXT else ((e["key"], e["value"]) for e in part)
            own[one.name] = {_part(key, one.key): _part(element, one.type) for key, element in pairs}
        elif one.repeated:
            own[one.name] = [_part(element, one.type) for element in part]
        else:
            own[one.name] = _part(part, one.type)
    return own


def _part(part, type_):
    if type_.kind is Kind.MESSAGE:
        return _domain(part, type_.message)
    return _unsigned(part) if type_.cpp == U64 else part


class _Binary(Codec):
    language = "avsc"

    def __init__(self, definition):
        super().__init__(definition)
        self.build = _build(self.root)
        self.read = generate.touch(self.root, _Records())
        self.buffer = io.BytesIO()

    def from_row(self):
        return rows.to_dict(self.root, _Rows())

    def domain(self, decoded):
        return _domain(decoded, self.root)

    def _emptied(self):
        self.buffer.seek(0)
        self.buffer.truncate()
        return self.buffer


class Fastavro(_Binary):
    id = "avro/fastavro"

    @classmethod
    def load_library(cls):
        global fastavro
        import fastavro

    def __init__(self, definition):
        super().__init__(definition)
        self.schema = fastavro.parse_schema(json.loads(definition.schema))

    def encode(self, built):
        fastavro.schemaless_writer(self._emptied(), self.schema, built)
        return self.buffer.getvalue()

    def decode(self, body):
        return fastavro.schemaless_reader(io.BytesIO(body), self.schema, None)


class ConfluentFastavro(Confluent, Fastavro):
    id = "avro/fastavro:confluent"


class Avro(_Binary):
    id = "avro/apache-avro-python"

    @classmethod
    def load_library(cls):
        global avro
        import avro.io
        import avro.schema

    def __init__(self, definition):
        super().__init__(definition)
        parsed = avro.schema.parse(definition.schema)
        self.writer, self.reader = avro.io.DatumWriter(parsed), avro.io.DatumReader(parsed)

    def encode(self, built):
        self.writer.write(built, avro.io.BinaryEncoder(self._emptied()))
        return self.buffer.getvalue()

    def decode(self, body):
        return self.reader.read(avro.io.BinaryDecoder(io.BytesIO(body)))
