"""Encodes values with the classes that genpy generates from the translation, and compares the bytes.

Variants put the message behind the header of a datagram (`udp`), or as bytes into the container below, which genpy's code writes too.
"""

import io
import struct

import values
from genpy.dynamic import generate_dynamic


TIME_STAMP = "wiredyno/TimeStamp"
CONTAINER = f"""uint32 data_type
uint8[] data
TimeStamp sent
TimeStamp received
{"=" * 80}
MSG: {TIME_STAMP}
int32 seconds
int32 microseconds
"""


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


def datagram(message):
    """UDPROS: connection, operation DATA0, number of the message, one block; then the message's length."""
    return struct.pack("<IBBHI", 0, 0, 0, 1, len(message)) + message


def contained(message):
    """The container around a message: data type 1, and a time that is the same in all."""
    time = containers[TIME_STAMP](seconds=1_430_000_000, microseconds=250_000)
    outer = containers["wiredyno/Container"](data_type=1, data=message, sent=time, received=time)
    return encoded(outer)


def framed(payload, message):
    variant = payload["codec"].partition(":")[2]
    if variant == "udp":
        return datagram(message)
    if variant.startswith("container"):
        return datagram(contained(message))
    return message


containers = generate_dynamic("wiredyno/Container", CONTAINER)
count = 0
for payload in values.payloads():
    made = generate_dynamic(f"wiredyno/{payload['root']}", payload["idl"])
    plain = values.Plain(payload["definition"], make(made))
    count += values.compare(
        payload, lambda value: framed(payload, encoded(plain.message(payload["root"], value)))
    )
print(count)
