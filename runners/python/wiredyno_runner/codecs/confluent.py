"""The framing of Confluent's schema registry before a message: a zero, the schema's id (four bytes, big-endian), and for Protobuf the message's
place in its file. As in crates/measured/codec/src/confluent.rs, no registry is asked: decode looks the id up among known schemas.

Source: Confluent's documentation of the Schema Registry, "Formats, Serializers, and Deserializers", section "Wire format".
"""

import struct

from google.protobuf import descriptor_pb2

MAGIC = 0
SCHEMA_ID = 1
HEADER = struct.Struct(">BI")
# The place of the first message of a file, written out: some serializers don't shorten it to a single zero.
FIRST = b"\x02\0"


class Confluent:
    """Before a codec's class: its messages with the framing."""

    def __init__(self, definition):
        super().__init__(definition)
        place = self.place(definition)
        self.header = HEADER.pack(MAGIC, SCHEMA_ID) + place
        # For each id the place of its message in the file, encoded; empty where a schema is one message.
        self.known_schemas = {SCHEMA_ID: place}

    def place(self, definition):
        """The message's place in its file, encoded."""
        return b""

    def encode(self, built):
        return self.header + super().encode(built)

    def decode(self, body):
        if len(body) < HEADER.size:
            raise ValueError(f"it has {len(body)} bytes, and {HEADER.size} stand before the message: it was written without a schema registry")
        magic, schema = HEADER.unpack_from(body)
        if magic != MAGIC:
            raise ValueError(f"it begins with {magic:#04x}, not 0x00: it was written without a schema registry")
        place = self.known_schemas.get(schema)
        if place is None:
            raise ValueError(f"its schema has the id {schema}, which is unknown here")
        if place == b"\0" and body.startswith(FIRST, HEADER.size):
            place = FIRST
        if not body.startswith(place, HEADER.size):
            raise ValueError("it is another message of the schema's file")
        return super().decode(body[HEADER.size + len(place) :])


class ConfluentProtobuf(Confluent):
    """The same for Protobuf, of which a schema is a file."""

    def place(self, definition):
        # A payload's message is never nested in another.
        message = definition.root.cls.DESCRIPTOR
        file = descriptor_pb2.FileDescriptorProto()
        message.file.CopyToProto(file)
        index = [one.name for one in file.message_type].index(message.name)
        return b"".join(map(_zigzag, (1, index))) if index else b"\0"


def _zigzag(number):
    """A number that is not negative as a zigzag varint."""
    left, out = number << 1, bytearray()
    while left >= 0x80:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes((*out, left))
