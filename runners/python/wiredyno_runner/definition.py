"""A message definition, read from a serialized google.protobuf.FileDescriptorSet.

Files are put into a pool of their own, and options are read through that pool's own classes, so that custom options are kept.
"""

from dataclasses import dataclass, field
from enum import Enum

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor


class Kind(Enum):
    """What a value is in Python."""

    INTEGER = "integer"
    REAL = "real"
    FLAG = "flag"
    TEXT = "text"
    DATA = "data"
    ENUM = "enum"
    MESSAGE = "message"


KINDS = {
    FieldDescriptor.CPPTYPE_INT32: Kind.INTEGER,
    FieldDescriptor.CPPTYPE_INT64: Kind.INTEGER,
    FieldDescriptor.CPPTYPE_UINT32: Kind.INTEGER,
    FieldDescriptor.CPPTYPE_UINT64: Kind.INTEGER,
    FieldDescriptor.CPPTYPE_DOUBLE: Kind.REAL,
    FieldDescriptor.CPPTYPE_FLOAT: Kind.REAL,
    FieldDescriptor.CPPTYPE_BOOL: Kind.FLAG,
    FieldDescriptor.CPPTYPE_ENUM: Kind.ENUM,
    FieldDescriptor.CPPTYPE_MESSAGE: Kind.MESSAGE,
}


@dataclass
class Type:
    """The type of one value."""

    kind: Kind
    # FieldDescriptor.TYPE_*: how it is written.
    wire: int
    # FieldDescriptor.CPPTYPE_*: how wide a number is, and whether it has a sign.
    cpp: int
    # Names of an enum by their numbers, and back.
    names: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)
    enum: str = ""
    # Whether formats that describe themselves write null in its place.
    null: bool = False
    message: "Message | None" = None


@dataclass
class Field:
    """A field. A map has the type of its keys in `key`, the value's in `type`."""

    name: str
    number: int
    packed: bool
    type: Type
    repeated: bool
    key: Type | None
    # Whether it can be absent.
    optional: bool
    oneof: str | None


@dataclass
class Message:
    """A message with the class that Protobuf makes of it. `name` is its path inside the package, without points."""

    name: str
    # In the order of the definition, which is that of every runner.
    fields: list
    cls: type
    # Whether formats that describe themselves write its value alone.
    plain: bool = False
    # Which of Google's well-known types it is: "timestamp", "duration", "field_mask", or none.
    known: str = ""


class Definition:
    """The messages that are reached from the root. `schema` is the definition's text in the codec's interface language."""

    def __init__(self, descriptor_set, root, schema=None):
        self.schema = schema
        files = descriptor_pb2.FileDescriptorSet.FromString(descriptor_set)
        self.pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self.pool.Add(file)
        self.messages = {}
        self.root = self._message(self.pool.FindMessageTypeByName(root))

    def _option(self, options, name):
        """What one of our options says; its default where it is not there, None where the definition does not know it."""
        try:
            extension = self.pool.FindExtensionByName(name)
            kind = self.pool.FindMessageTypeByName(options.DESCRIPTOR.full_name)
        except KeyError:
            return None
        own = message_factory.GetMessageClass(kind).FromString(options.SerializeToString())
        return own.Extensions[extension]

    def _is_set(self, options, name):
        """Whether one of our options is set to true."""
        return bool(self._option(options, name))

    def _message(self, descriptor):
        known = self.messages.get(descriptor.full_name)
        if known:
            return known
        name = descriptor.full_name.removeprefix(descriptor.file.package).replace(".", "")
        plain = self._is_set(descriptor.GetOptions(), "wiredyno.stands_for_value")
        known = self._option(descriptor.GetOptions(), "wiredyno.well_known") or ""
        message = Message(name, [], message_factory.GetMessageClass(descriptor), plain, known)
        self.messages[descriptor.full_name] = message
        message.fields.extend(self._field(one) for one in descriptor.fields)
        return message

    def _field(self, one):
        is_map = one.message_type is not None and one.message_type.GetOptions().map_entry
        if is_map:
            key, value = one.message_type.fields_by_name["key"], one.message_type.fields_by_name["value"]
            return Field(one.name, one.number, False, self._type(value), False, self._type(key), False, None)
        oneof = one.containing_oneof
        # A proto3 `optional` stands alone in a oneof that the compiler made.
        made = oneof is not None and len(oneof.fields) == 1 and oneof.name == f"_{one.name}"
        required = self._is_set(one.GetOptions(), "wiredyno.required")
        optional = one.has_presence and not required
        return Field(
            one.name,
            one.number,
            one.is_packed,
            self._type(one),
            one.is_repeated,
            None,
            optional,
            oneof.name if oneof is not None and not made else None,
        )

    def _type(self, one):
        if one.type == FieldDescriptor.TYPE_BYTES:
            return Type(Kind.DATA, one.type, one.cpp_type)
        if one.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            return Type(Kind.TEXT, one.type, one.cpp_type)
        kind = KINDS[one.cpp_type]
        if kind is Kind.ENUM:
            values = one.enum_type.values
            name = one.enum_type.full_name.removeprefix(one.enum_type.file.package).replace(".", "")
            names = {value.number: value.name for value in values}
            null = self._is_set(one.enum_type.GetOptions(), "wiredyno.stands_for_null")
            numbers = {name: number for number, name in names.items()}
            return Type(kind, one.type, one.cpp_type, names, numbers, name, null)
        if kind is Kind.MESSAGE:
            return Type(kind, one.type, one.cpp_type, message=self._message(one.message_type))
        return Type(kind, one.type, one.cpp_type)
