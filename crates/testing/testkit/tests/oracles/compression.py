"""Reads lines of {"id", "plain", "compressed"} in hexadecimal; every one must decompress to `plain`.

gzip by Python's zlib, zstd, snappy and lz4 by Arrow's C++ libraries. Prints what these make of `plain`, one line
each, for the other direction.
"""

import gzip
import json
import struct
import sys

import pyarrow


def lz4_decompress(data, length):
    (stated,) = struct.unpack("<I", data[:4])
    assert stated == length, (stated, length)
    return pyarrow.decompress(data[4:], decompressed_size=length, codec="lz4_raw", asbytes=True)


def arrow(codec):
    return (
        lambda data, length: pyarrow.decompress(data, decompressed_size=length, codec=codec, asbytes=True),
        lambda data: pyarrow.compress(data, codec=codec, asbytes=True),
    )


METHODS = {
    "gzip": (lambda data, length: gzip.decompress(data), lambda data: gzip.compress(data, 9)),
    "zstd": arrow("zstd"),
    "snappy": arrow("snappy"),
    "lz4": (
        lz4_decompress,
        lambda data: struct.pack("<I", len(data)) + pyarrow.compress(data, codec="lz4_raw", asbytes=True),
    ),
}

for line in sys.stdin:
    case = json.loads(line)
    plain, compressed = bytes.fromhex(case["plain"]), bytes.fromhex(case["compressed"])
    decompress, compress = METHODS[case["id"].split(":")[0]]
    back = decompress(compressed, len(plain))
    if back != plain:
        sys.exit(f"{case['id']}: {case['compressed']} gives {back.hex()}, not {case['plain']}")
    print(compress(plain).hex())
