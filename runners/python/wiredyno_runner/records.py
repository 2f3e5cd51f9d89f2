"""Bulk records in the layouts of docs/RUNNER.md, kept in arrays of machine integers until they are written."""

import struct
from array import array

import xxhash

ABSENT = -(1 << 63)
WARM_UP = 1 << 63
MASK = (1 << 128) - 1
FOR_SUBSCRIBER = 0x9E3779B97F4A7C15F39CC0605CEDC835
TIMES = ("intended_ns", "build_start_ns", "built_ns", "encoded_ns", "handed_over_ns", "sent_ns", "acked_ns")


def digest(body):
    """XXH3-128 of a body, as 16 bytes in the order of files."""
    return xxhash.xxh3_128_intdigest(body).to_bytes(16, "little")


def digest_for(subscriber, own):
    """What a subscriber records of a body with this digest."""
    number = int.from_bytes(own, "little") ^ (subscriber * FOR_SUBSCRIBER & MASK)
    return number.to_bytes(16, "little")


class Sent:
    """What a publisher handed over: rows of 88 bytes. Reports of the transport come by the row's place."""

    def __init__(self):
        self.sequence, self.length, self.digests = array("Q"), array("Q"), bytearray()
        self.times = {name: array("q") for name in TIMES}

    def __len__(self):
        return len(self.sequence)

    def begin(self):
        """Makes room for a message before it is handed over, so that its reports find it. Gives its place."""
        self.sequence.append(0)
        self.length.append(0)
        self.digests.extend(bytes(16))
        for times in self.times.values():
            times.append(ABSENT)
        return len(self.sequence) - 1

    def put(self, place, sequence, body, stamps):
        """Fills a row in behind the hand-over: `stamps` up to `handed_over_ns`."""
        self.sequence[place], self.length[place] = sequence, len(body)
        self.digests[place * 16 : place * 16 + 16] = digest(body)
        for name, stamp in zip(TIMES, stamps, strict=False):
            self.times[name][place] = stamp

    def write(self, path, start=0):
        """Writes the rows from a place on."""
        columns = [self.times[name] for name in TIMES]
        with open(path, "wb") as file:
            file.write(struct.pack("<8sQ", b"WDPUBL01", len(self) - start))
            for place in range(start, len(self)):
                file.write(struct.pack("<Q", self.sequence[place]))
                file.write(self.digests[place * 16 : place * 16 + 16])
                file.write(struct.pack("<Q7q", self.length[place], *(column[place] for column in columns)))
        return len(self) - start


def read_sent(path):
    """Digests of a publisher's records, and the first build start; None without rows."""
    with open(path, "rb") as file:
        magic, count = struct.unpack("<8sQ", file.read(16))
        if magic != b"WDPUBL01":
            raise ValueError(f"{path}: these are no publisher's records")
        digests, first_ns = [], None
        for _ in range(count):
            row = file.read(88)
            digests.append(row[8:24])
            if first_ns is None:
                (first_ns,) = struct.unpack_from("<q", row, 40)
        return digests, first_ns


class Received:
    """What a subscriber got: rows of 40 bytes."""

    def __init__(self):
        self.digests, self.length, self.received, self.decoded = bytearray(), array("Q"), array("q"), array("q")

    def __len__(self):
        return len(self.length)

    def add(self, own, length, received_ns, decoded_ns):
        self.digests.extend(own)
        self.received.append(received_ns)
        self.decoded.append(decoded_ns)
        # The count goes by this column: a row is whole when it has it.
        self.length.append(length)

    def write(self, path):
        count = len(self)
        with open(path, "wb") as file:
            file.write(struct.pack("<8sQ", b"WDRECV01", count))
            for place in range(count):
                file.write(self.digests[place * 16 : place * 16 + 16])
                file.write(struct.pack("<Qqq", self.length[place], self.received[place], self.decoded[place]))
        return count
