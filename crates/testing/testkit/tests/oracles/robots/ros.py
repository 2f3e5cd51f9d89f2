"""Encodes values with the classes that genpy generates from the translation, and compares the bytes."""

import io

import values
from genpy.dynamic import generate_dynamic


def make(classes):
    def struct(name, members):
        found = classes[f"wiredyno/{name}"]()
        for member, value in members.items():
            setattr(found, member, value)
        return found

    return struct


def encoded(message):
    out = io.BytesIO()
    message.serialize(out)
    return out.getvalue()


count = 0
for payload in values.payloads():
    made = generate_dynamic(f"wiredyno/{payload['root']}", payload["idl"])
    plain = values.Plain(payload["definition"], make(made))
    count += values.compare(payload, lambda value: encoded(plain.message(payload["root"], value)))
print(count)
