"""Encodes values with the Python that lcm-gen generates from the translation, and compares the bytes.

Variants put the message behind the header of a datagram (`udp`), or as bytes into the container below, which lcm-gen's code writes too.
"""

import importlib
import struct
import subprocess
import sys
import tempfile

import values


CONTAINER = """
package wiredyno;
struct TimeStamp { int32_t seconds; int32_t microseconds; }
struct Container {
    int32_t data_type;
    int32_t data_count;
    byte data[data_count];
    TimeStamp sent;
    TimeStamp received;
}
"""


def classes(text):
    """The module that lcm-gen writes; all have the same name, so each is loaded afresh."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/payload.lcm", "w", encoding="utf-8") as file:
            file.write(text)
        command = ["lcm-gen", "-p", "--ppath", folder, f"{folder}/payload.lcm"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for known in [name for name in sys.modules if name.split(".")[0] == "wiredyno"]:
            del sys.modules[known]
        sys.path.insert(0, folder)
        module = importlib.import_module("wiredyno")
        sys.path.pop(0)
    return module


def signed(value):
    """64-bit integers keep their bits."""
    if isinstance(value, list):
        return [signed(element) for element in value]
    is_large = isinstance(value, int) and not isinstance(value, bool) and value >= 1 << 63
    return value - (1 << 64) if is_large else value


def make(module):
    def struct(name, members):
        found = getattr(module, name)()
        for member, value in members.items():
            setattr(found, member, signed(value))
            # A member of the message may have the same name.
            if isinstance(value, (list, bytes)) and hasattr(found, member + "_count"):
                setattr(found, member + "_count", len(value))
        return found

    return struct


def datagram(channel, message):
    """LCM's small message: magic, sequence number, channel, NUL."""
    return struct.pack(">4sI", b"LC02", 0) + channel.encode() + b"\0" + message


def contained(message):
    """The container around a message: data type 1, and a time that is the same in all."""
    outer = containers.Container()
    outer.data_type, outer.data_count, outer.data = 1, len(message), message
    for time in (outer.sent, outer.received):
        time.seconds, time.microseconds = 1_430_000_000, 250_000
    return outer.encode()


def framed(payload, message):
    variant = payload["codec"].partition(":")[2]
    if variant == "udp":
        return datagram(payload["root"], message)
    if variant.startswith("container"):
        return datagram(payload["root"], contained(message))
    return message


containers = classes(CONTAINER)
count = 0
for payload in values.payloads():
    plain = values.Plain(payload["definition"], make(classes(payload["idl"])))
    count += values.compare(
        payload, lambda value: framed(payload, plain.message(payload["root"], value).encode())
    )
print(count)
