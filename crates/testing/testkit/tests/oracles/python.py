"""Decodes the Rust codecs' bytes with Python's libraries and compares the values with ordinary JSON.

One JSON object a line on stdin: codec, payload, hex, json (the same value as ordinary JSON), avsc.
"""
import base64
import io
import json
import math
import sys

import cbor2
import fastavro
import msgpack


def plain(value):
    """JSON's form: bytes as base64, keys as text, integers modulo 2^64, without nulls and {key, value} lists."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key_text(k): plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        if value and all(isinstance(v, dict) and v.keys() == {"key", "value"} for v in value):
            return {key_text(v["key"]): plain(v["value"]) for v in value}
        return [plain(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return value % 2**64
    return value


def key_text(key):
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key)


def equal(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, dict) and b == [] and not a or isinstance(b, dict) and a == [] and not b:
        return True  # an empty map that Avro writes as an array
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


DECODERS = {
    "json/serde-json": lambda data, _: json.loads(data),
    "json/sonic-rs": lambda data, _: json.loads(data),
    "messagepack/rmp-serde": lambda data, _: msgpack.unpackb(data, strict_map_key=False),
    "cbor/ciborium": lambda data, _: cbor2.loads(data),
    "avro/apache-avro": lambda data, avsc: fastavro.schemaless_reader(io.BytesIO(data), avsc, None),
    "avro/wiredyno": lambda data, avsc: fastavro.schemaless_reader(io.BytesIO(data), avsc, None),
}

checked = 0
for line in sys.stdin:
    case = json.loads(line)
    avsc = fastavro.parse_schema(json.loads(case["avsc"]))
    found = plain(DECODERS[case["codec"]](bytes.fromhex(case["hex"]), avsc))
    wanted = plain(json.loads(case["json"]))
    if not equal(found, wanted):
        sys.exit(f"{case['codec']} over {case['payload']}:\n  {found}\n  {wanted}")
    checked += 1
print(checked)
