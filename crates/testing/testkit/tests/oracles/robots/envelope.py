"""Reads the encoding of TS 103 097 v1.1.1 from its layout alone, and compares the values.

The layout: integers big-endian; IntX has as many leading one-bits as bytes follow, then a zero, then the value; `var` is
a length in bytes as IntX, then the bytes; a choice is a type byte, then what it names.
"""

import base64
import json
import sys


class Octets:
    def __init__(self, octets):
        self.octets = octets

    def take(self, count):
        assert count <= len(self.octets), "too short"
        taken, self.octets = self.octets[:count], self.octets[count:]
        return taken

    def intx(self):
        bits = f"{self.octets[0]:08b}"
        further = bits.index("0")
        whole = int.from_bytes(self.take(1 + further), "big")
        return whole & ((1 << (7 * (1 + further))) - 1)

    def var(self):
        return Octets(self.take(self.intx()))


def width(low, high):
    for count in (1, 2, 4, 8):
        if (low >= 0 and high < 256**count) or (low < 0 and -low <= 256**count // 2 and high < 256**count // 2):
            return count
    raise ValueError((low, high))


class Reader:
    def __init__(self, definition):
        self.messages = {message["name"]: message["fields"] for message in definition["messages"]}
        self.enums = {enum["name"]: enum["values"] for enum in definition["enums"]}

    def message(self, name, octets):
        value, done = {}, set()
        for field in self.messages[name]:
            if field["oneof"] is None:
                value[field["name"]] = self.field(field, octets)
            elif field["oneof"] not in done:
                done.add(field["oneof"])
                tag = octets.take(1)[0]
                (chosen,) = [
                    other
                    for other in self.messages[name]
                    if other["oneof"] == field["oneof"]
                    and (other["number"] if other["tag"] is None else other["tag"]) == tag
                ]
                value[chosen["name"]] = self.element(chosen, octets, chosen["fixed_length"])
        return value

    def field(self, field, octets):
        if field["shape"] != "list":
            return self.element(field, octets, field["fixed_length"])
        if field["fixed_length"] is not None:
            return [self.element(field, octets, None) for _ in range(field["fixed_length"])]
        inside, found = octets.var(), []
        while inside.octets:
            found.append(self.element(field, inside, None))
        return found

    def element(self, field, octets, length):
        kind = field["type"]
        if kind == "message":
            return self.message(field["name_of_type"], octets)
        if kind in ("bytes", "string"):
            found = octets.take(length) if length is not None else octets.var().octets
            return found.decode() if kind == "string" else base64.b64encode(found).decode()
        if kind == "enum":
            values = self.enums[field["name_of_type"]]
            number = int.from_bytes(octets.take(width(0, max(values.values()))), "big")
            return next(name for name, other in values.items() if other == number)
        if kind == "uint32" and field["range"] is None:
            return octets.intx()
        bits = int(kind.removeprefix("u")[3:])
        low, high = field["range"] or ((0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
        return int.from_bytes(octets.take(width(low, high)), "big", signed=low < 0)


count = 0
for line in sys.stdin:
    payload = json.loads(line)
    reader = Reader(payload["definition"])
    for text, expected in payload["cases"]:
        octets = Octets(bytes.fromhex(expected))
        found = reader.message(payload["root"], octets)
        assert not octets.octets, "bytes are left"
        if found != json.loads(text):
            sys.exit(f"{payload['payload']}\nwanted {text}\nfound  {json.dumps(found)}")
        count += 1
print(count)
