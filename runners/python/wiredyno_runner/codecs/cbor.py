"""CBOR by cbor2: maps with field names, byte strings for bytes, enums by name, absent fields left out."""

from wiredyno_runner import generate
from wiredyno_runner.codec import Codec


class Cbor2(Codec):
    id = "cbor/cbor2"

    @classmethod
    def load_library(cls):
        global cbor2
        import cbor2

    def __init__(self, definition):
        super().__init__(definition)
        self.read = generate.touch(self.root, generate.Dicts())

    def encode(self, built):
        return cbor2.dumps(built)

    def decode(self, body):
        return cbor2.loads(body)
