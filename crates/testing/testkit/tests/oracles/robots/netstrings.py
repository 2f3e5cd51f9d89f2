"""Reads OpenDaVINCI's Netstrings from their layout alone, and compares the values.

The layout: magic (AA CF, or AB CF for the form with varints), length, fields, a comma; a field is id, size, value.
Numbers are big-endian; in the later form lengths, ids, sizes and integers are varints, signed ones zigzag.
"""

import base64
import json
import struct
import sys


def pseudo_crc(name):
    register = total = 0
    for octet in name.encode():
        register ^= octet ^ 0x04C11DB7
        total += register
    return total & 0xFFFFFFFF


class Octets:
    def __init__(self, octets, varints):
        self.octets, self.at, self.varints = octets, 0, varints

    def take(self, count):
        assert self.at + count <= len(self.octets), "too short"
        self.at += count
        return self.octets[self.at - count : self.at]

    def unpack(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def varint(self):
        value = shift = 0
        while True:
            octet = self.take(1)[0]
            value |= (octet & 0x7F) << shift
            shift += 7
            if octet < 0x80:
                return value

    def unsigned(self, form):
        return self.varint() if self.varints else self.unpack(form)

    def signed(self, form):
        if not self.varints:
            return self.unpack(form)
        value = self.varint()
        return value // 2 if value % 2 == 0 else -(value + 1) // 2

    def over(self):
        return self.at == len(self.octets)


class Reader:
    def __init__(self, definition, variant):
        self.messages = {message["name"]: message["fields"] for message in definition["messages"]}
        self.enums = {
            enum["name"]: {number: name for name, number in enum["values"].items()}
            for enum in definition["enums"]
        }
        self.varints = variant == "varint"
        self.by_name = variant == "crc"

    def whole(self, name, octets):
        assert octets.take(2) == (b"\xab\xcf" if self.varints else b"\xaa\xcf"), "magic"
        inside = Octets(octets.take(octets.unsigned("I")), self.varints)
        assert octets.take(1) == b",", "comma"
        fields = {
            pseudo_crc(field["name"]) if self.by_name else field["number"]: field
            for field in self.messages[name]
        }
        value = {}
        while not inside.over():
            field = fields[inside.unsigned("I")]
            part = Octets(inside.take(inside.unsigned("I")), self.varints)
            value[field["name"]] = self.field(field, part)
            assert part.over(), field["name"]
        return value

    def field(self, field, part):
        if field["shape"] == "list":
            count = field["fixed_length"] or part.unsigned("I")
            return [self.element(field, field["type"], part) for _ in range(count)]
        if field["shape"] == "map":
            count = field["fixed_length"] or part.unsigned("I")
            pairs = [
                (self.element(field, field["key"], part), self.element(field, field["type"], part))
                for _ in range(count)
            ]
            return {json.dumps(key) if field["key"] != "string" else key: value for key, value in pairs}
        return self.element(field, field["type"], part)

    def element(self, field, kind, part):
        if kind == "message":
            return self.whole(field["name_of_type"], part)
        if kind == "enum":
            return self.enums[field["name_of_type"]][part.signed("i")]
        if kind == "bool":
            return {b"\0": False, b"\1": True}[part.take(1)]
        if kind == "bytes":
            return base64.b64encode(part.take(part.unsigned("I"))).decode()
        if kind == "string":
            return part.take(part.unsigned("I")).decode()
        numbers = {
            "float": lambda: part.unpack("f"),
            "double": lambda: part.unpack("d"),
            "int32": lambda: part.signed("i"),
            "int64": lambda: part.signed("q"),
            "uint32": lambda: part.unsigned("I"),
            "uint64": lambda: part.unsigned("Q"),
        }
        return numbers[kind]()


def contained(octets):
    """The string in a container: type, message, and two times of two 4-byte integers."""
    outer = Octets(octets, False)
    assert outer.take(2) == b"\xaa\xcf"
    inside = Octets(outer.take(outer.unpack("I")), False)
    assert outer.take(1) == b"," and outer.over()
    found = {}
    while not inside.over():
        name = inside.unpack("I")
        found[name] = inside.take(inside.unpack("I"))
    assert list(found) == [1, 2, 3, 4] and len(found[1]) == 4, found
    for time in (found[3], found[4]):
        assert len(time) == 6 + 12 + 12 + 1 and time[:2] == b"\xaa\xcf" and time[-1:] == b",", time
    string = Octets(found[2], False)
    message = string.take(string.unpack("I"))
    assert string.over()
    return message


def single(value):
    """Rounded to a 32-bit float."""
    return struct.unpack(">f", struct.pack(">f", value))[0]


def rounded(reader, name, value):
    """Expected values, with 32-bit floats rounded as in the bytes."""
    for field in reader.messages[name]:
        found = value.get(field["name"])
        if found is None:
            continue
        one = None
        if field["type"] == "float":
            one = single
        elif field["type"] == "message":
            def one(inner, field=field):
                return rounded(reader, field["name_of_type"], inner)
        if one and field["shape"] == "list":
            value[field["name"]] = [one(element) for element in found]
        elif one and field["shape"] == "map":
            value[field["name"]] = {key: one(element) for key, element in found.items()}
        elif one:
            value[field["name"]] = one(found)
    return value


count = 0
for line in sys.stdin:
    payload = json.loads(line)
    variant = payload["codec"].partition(":")[2]
    reader = Reader(payload["definition"], variant)
    for text, expected in payload["cases"]:
        octets = bytes.fromhex(expected)
        octets = Octets(contained(octets) if variant.startswith("container") else octets, variant == "varint")
        found = reader.whole(payload["root"], octets)
        assert octets.over()
        wanted = rounded(reader, payload["root"], json.loads(text))
        if found != wanted:
            sys.exit(f"{payload['payload']} {payload['codec']}\nwanted {wanted}\nfound  {found}")
        count += 1
print(count)
