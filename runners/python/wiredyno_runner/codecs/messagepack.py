"""MessagePack by msgpack: maps with field names, bin for bytes, enums by name, absent fields left out, times in the extension -1."""

from wiredyno_runner import generate, known, plain
from wiredyno_runner.codec import Describing


class Msgpack(Describing):
    id = "messagepack/msgpack-python"

    @classmethod
    def load_library(cls):
        global msgpack
        import msgpack

    def __init__(self, definition):
        super().__init__(definition)
        self.read = generate.touch(self.root, generate.Dicts(), plain.alone, self.known.ways)

    def ways(self):
        return known.Extensions(msgpack.Timestamp)

    def encode(self, built):
        return msgpack.packb(built)

    def decode(self, body):
        return msgpack.unpackb(body, strict_map_key=False)
