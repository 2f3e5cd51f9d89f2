"""CBOR by cbor2: maps with field names, byte strings for bytes, enums by name, absent fields left out, times with tag 0."""

from wiredyno_runner import generate, known, plain
from wiredyno_runner.codec import Describing


class Cbor2(Describing):
    id = "cbor/cbor2"

    @classmethod
    def load_library(cls):
        global cbor2
        import cbor2

    def __init__(self, definition):
        super().__init__(definition)
        self.read = generate.touch(self.root, generate.Dicts(), plain.alone, self.known.ways)

    def ways(self):
        return known.Datetimes()

    def encode(self, built):
        return cbor2.dumps(built)

    def decode(self, body):
        return cbor2.loads(body)
