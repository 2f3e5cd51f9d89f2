"""Values of any message as the plain structs that LCM, ROS messages and OMG IDL have, from ordinary JSON.

One line of JSON a payload on stdin: its definition, its translation into the language, and cases of value and bytes.
"""

import base64
import json
import sys


def payloads():
    for line in sys.stdin:
        yield json.loads(line)


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def key_of(text, kind):
    if kind == "bool":
        return text == "true"
    return text if kind == "string" else int(text)


class Plain:
    """Makes structs through `make(name, members)`, where members come in the order of the struct."""

    def __init__(self, definition, make):
        self.messages = {message["name"]: message for message in definition["messages"]}
        self.enums = {enum["name"]: enum["values"] for enum in definition["enums"]}
        self.make = make

    def message(self, name, value):
        fields = self.messages[name]["fields"]
        return self.make(name, {field["name"]: self.field(name, field, value) for field in fields})

    def field(self, message, field, value):
        found = value.get(field["name"])
        if field["shape"] == "map":
            name = message + camel(field["name"]) + "Entry"
            entries = (found or {}).items()
            return [
                self.make(name, {"key": key_of(key, field["key"]), "value": self.element(field, element, None)})
                for key, element in entries
            ]
        if field["shape"] == "list":
            return [self.element(field, element, None) for element in found or []]
        length = field["fixed_length"]
        if field["shape"] == "optional":
            return [] if found is None else [self.element(field, found, length)]
        if field["type"] == "bytes":
            return base64.b64decode(found)
        return self.element(field, found, length)

    def element(self, field, value, length):
        kind = field["type"]
        if kind == "message":
            return self.message(field["name_of_type"], value)
        if kind == "enum":
            return self.enums[field["name_of_type"]][value]
        if kind == "bytes":
            name = "ByteString" if length is None else f"ByteString{length}"
            return self.make(name, {"data": base64.b64decode(value)})
        return value


def compare(payload, encoded):
    """Stops at the first value whose bytes differ; returns how many were equal."""
    for value, expected in payload["cases"]:
        found = encoded(json.loads(value)).hex()
        if found != expected:
            sys.exit(f"{payload['payload']}: {value}\nwiredyno {expected}\nforeign  {found}")
    return len(payload["cases"])
