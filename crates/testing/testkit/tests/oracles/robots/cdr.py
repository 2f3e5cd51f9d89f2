"""Encodes values with Cyclone DDS's Python serializer, and compares the bytes.

The classes are made here from the definition; whether idlc reads the translation is another test. Cyclone fills the end
up with zeros where it sends messages on, which is no part of the value's encoding.
"""

import json
import sys

import values
from cyclonedds.idl import IdlEnum, IdlStruct, types
from cyclonedds.idl._support import Endianness

PRIMITIVES = {
    "bool": bool,
    "float": types.float32,
    "double": types.float64,
    "string": str,
}


def integer(field):
    low, high = field["range"] or {
        "int32": (-(1 << 31), (1 << 31) - 1),
        "int64": (-(1 << 63), (1 << 63) - 1),
        "uint32": (0, (1 << 32) - 1),
        "uint64": (0, (1 << 64) - 1),
    }[field["type"]]
    for bits in (8, 16, 32, 64):
        if low >= 0 and high < 1 << bits:
            return getattr(types, f"uint{bits}")
        if low < 0 and -(1 << (bits - 1)) <= low and high < 1 << (bits - 1):
            return getattr(types, f"int{bits}")
    raise ValueError(field)


class Classes:
    """One class per struct, created on first use."""

    def __init__(self, definition):
        self.messages = {message["name"]: message for message in definition["messages"]}
        self.enums = {enum["name"]: self.enum(enum) for enum in definition["enums"]}
        self.made = {}

    @staticmethod
    def enum(declared):
        values_of = sorted(declared["values"].items(), key=lambda value: value[1])
        body = "".join(f"    {name} = {number}\n" for name, number in values_of)
        space = {"IdlEnum": IdlEnum}
        exec(f"class Made(IdlEnum, typename='wiredyno.{declared['name']}'):\n{body}", space)
        return space["Made"]

    def struct(self, name, members):
        if name not in self.made:
            space = {"IdlStruct": IdlStruct, "members": members}
            source = f"""
import dataclasses
class Made(IdlStruct, typename="wiredyno.{name}"):
    __annotations__ = members
Made = dataclasses.dataclass(Made)
"""
            exec(source, space)
            self.made[name] = space["Made"]
        return self.made[name]

    def of_message(self, name):
        fields = self.messages[name]["fields"]
        return self.struct(name, {field["name"]: self.of_field(name, field) for field in fields})

    def of_field(self, message, field):
        if field["shape"] == "map":
            key = PRIMITIVES.get(field["key"]) or integer({"type": field["key"], "range": None})
            entry = values.camel(field["name"])
            members = {"key": key, "value": self.of_element(field, None)}
            return types.sequence[self.struct(f"{message}{entry}Entry", members)]
        length = field["fixed_length"]
        if field["shape"] == "list":
            element = self.of_element(field, None)
            return types.sequence[element] if length is None else types.array[element, length]
        if field["shape"] == "optional":
            return types.sequence[self.of_element(field, length), 1]
        if field["type"] == "bytes":
            return types.sequence[types.uint8] if length is None else types.array[types.uint8, length]
        return self.of_element(field, length)

    def of_element(self, field, length):
        kind = field["type"]
        if kind == "message":
            return self.of_message(field["name_of_type"])
        if kind == "enum":
            return self.enums[field["name_of_type"]]
        if kind == "bytes":
            data = types.sequence[types.uint8] if length is None else types.array[types.uint8, length]
            return self.struct("ByteString" if length is None else f"ByteString{length}", {"data": data})
        return PRIMITIVES.get(kind) or integer(field)

    def make(self, name, members):
        return self.made[name](**members)


class Values(values.Plain):
    """Enums are members of their classes."""

    def __init__(self, definition, classes):
        super().__init__(definition, classes.make)
        self.classes = classes

    def element(self, field, value, length):
        if field["type"] == "enum":
            return self.classes.enums[field["name_of_type"]][value]
        return super().element(field, value, length)


def trimmed(encoded, length):
    """Without the zeros that pad to a multiple of four, and without their number in the header's last byte."""
    rest = encoded[length:]
    if len(rest) > 3 or any(rest):
        return encoded
    return encoded[:3] + b"\0" + encoded[4:length]


count = 0
for payload in values.payloads():
    classes = Classes(payload["definition"])
    classes.of_message(payload["root"])
    plain = Values(payload["definition"], classes)
    big = payload["codec"].endswith(":big-endian")
    for value, expected in payload["cases"]:
        message = plain.message(payload["root"], json.loads(value))
        encoded = message.serialize(endianness=Endianness.Big if big else Endianness.Little, use_version_2=False)
        found = trimmed(encoded, len(expected) // 2)
        if found.hex() != expected:
            sys.exit(f"{payload['payload']}: {value}\nwiredyno {expected}\nforeign  {found.hex()}")
        count += 1
print(count)
