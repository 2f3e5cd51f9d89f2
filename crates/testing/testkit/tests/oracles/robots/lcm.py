"""Encodes values with the Python that lcm-gen generates from the translation, and compares the bytes."""

import importlib
import subprocess
import sys
import tempfile

import values


def classes(text):
    """The module that lcm-gen writes; all payloads' modules have the same name, so each is loaded afresh."""
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


count = 0
for payload in values.payloads():
    plain = values.Plain(payload["definition"], make(classes(payload["idl"])))
    count += values.compare(payload, lambda value: plain.message(payload["root"], value).encode())
print(count)
