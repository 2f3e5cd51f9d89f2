"""Parses a file with a language's Python library: exits with 0 if that accepts it, else with 1 and the reason."""

import json
import pathlib
import sys


def asn1(text):
    import asn1tools

    asn1tools.compile_string(text, "uper")


def avsc(text):
    import fastavro

    fastavro.parse_schema(json.loads(text))


def rosmsg(text):
    from genpy.dynamic import generate_dynamic

    generate_dynamic(ROOT, text)[ROOT]()


language, file = sys.argv[1:]
# ROS takes the message's name from its file.
ROOT = f"wiredyno/{pathlib.Path(file).stem}"
try:
    with open(file, encoding="utf-8") as opened:
        {"asn1": asn1, "avsc": avsc, "rosmsg": rosmsg}[language](opened.read())
except Exception as error:  # noqa: BLE001 - whatever the library throws is its refusal
    print(f"{type(error).__name__}: {error}")
    sys.exit(1)
