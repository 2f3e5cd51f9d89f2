"""Protobuf by Google's protobuf, whose C core upb does the work: classes created at run time from the definition."""

from keyword import iskeyword

from wiredyno_runner import generate, rows, value
from wiredyno_runner.codec import Codec
from wiredyno_runner.codecs.confluent import ConfluentProtobuf
from wiredyno_runner.definition import Kind


class _Objects(generate.Dicts):
    """The structure of a Protobuf object."""

    def get(self, one):
        return f"o.{one.name}" if not iskeyword(one.name) else f"getattr(o, {one.name!r})"

    def has(self, one):
        return f"o.HasField({one.name!r})"

    def leaf(self, writer, type_, name):
        if type_.kind is not Kind.ENUM:
            return name
        return f"{writer.constant(f'names_{type_.enum}', type_.names)}[{name}]"


class Upb(Codec):
    id = "protobuf/upb-python"

    def __init__(self, definition):
        super().__init__(definition)
        self.cls = self.root.cls
        self.build = _build(self.root)
        self.read = generate.touch(self.root, _Objects())

    def from_row(self):
        return rows.to_object(self.root)

    def encode(self, built):
        return built.SerializeToString()

    def decode(self, body):
        return self.cls.FromString(body)

    def domain(self, decoded):
        return value.from_object(decoded, self.root)


class ConfluentUpb(ConfluentProtobuf, Upb):
    id = "protobuf/upb-python:confluent"


def _build(root):
    """A function that copies a dict into a new object, field by field as a program would."""

    def of_message(writer, message):
        lines = []
        for one in message.fields:
            own = _Objects().get(one)
            name, kind = one.name, one.type.kind
            put = []
            if one.key is not None and kind is Kind.MESSAGE:
                each = f"    {writer.call(one.type.message)}(x[k], e)"
                put = [f"x = {own}", f"for k, e in v[{name!r}].items():", each]
            elif one.key is not None:
                put = [f"x = {own}", f"for k, e in v[{name!r}].items():", f"    x[k] = {_leaf(writer, one.type, 'e')}"]
            elif one.repeated and kind is Kind.MESSAGE:
                put = [f"x = {own}", f"for e in v[{name!r}]:", f"    {writer.call(one.type.message)}(x.add(), e)"]
            elif one.repeated:
                each = f"[{_leaf(writer, one.type, 'e')} for e in v[{name!r}]]" if kind is Kind.ENUM else f"v[{name!r}]"
                put = [f"{own}.extend({each})"]
            elif kind is Kind.MESSAGE:
                put = [f"x = {own}", "x.SetInParent()", f"{writer.call(one.type.message)}(x, v[{name!r}])"]
            elif iskeyword(name):
                put = [f"setattr(o, {name!r}, {_leaf(writer, one.type, f'v[{name!r}]')})"]
            else:
                put = [f"o.{name} = {_leaf(writer, one.type, f'v[{name!r}]')}"]
            if one.optional:
                put = [f"if {name!r} in v:", *(f"    {line}" for line in put)]
            lines.extend(put)
        return "o, v", [*lines, "return o"]

    fill, cls = generate.Writer("fill", root).write(of_message), root.cls
    return lambda domain: fill(cls(), domain)


def _leaf(writer, type_, expression):
    if type_.kind is Kind.ENUM:
        return f"{writer.constant(f'numbers_{type_.enum}', type_.numbers)}[{expression}]"
    return expression
