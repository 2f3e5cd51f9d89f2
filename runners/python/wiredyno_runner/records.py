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
    """XXH3-128 of a body, as 16 bytes in the byte order of files."""
    return xxhash.xxh3_128_intdigest(body).to_bytes(16, "little")


def digest_for(subscriber, own):
    """A subscriber's record of a body with this digest."""
    number = int.from_bytes(own, "little") ^ (subscriber * FOR_SUBSCRIBER & MASK)
    return number.to_bytes(16, "little")


class Sent:
    """The messages that a publisher handed over: rows of 88 bytes. The transport's reports refer to a row's index."""

    def __init__(self):
        self.sequence, self.length, self.digests = array("Q"), array("Q"), bytearray()
        self.times = {name: array("q") for name in TIMES}
        self.sent_ns, self.acked_ns = self.times["sent_ns"], self.times["acked_ns"]
        self.count = 0

    def __len__(self):
        return self.count

    def begin(self):
        """Allocates a row for the next message before it is due, so that its reports find it. Returns its index."""
        if len(self.sequence) == self.count:
            self.sequence.append(0)
            self.length.append(0)
            self.digests.extend(bytes(16))
            for times in self.times.values():
                times.append(ABSENT)
        return self.count

    def put(self, place, sequence, body, stamps):
        """Fills a row after the hand-over: `stamps` up to `handed_over_ns`. Returns the body's digest."""
        own = digest(body)
        self.sequence[place], self.length[place] = sequence, len(body)
        self.digests[place * 16 : place * 16 + 16] = own
        for name, stamp in zip(TIMES, stamps, strict=False):
            self.times[name][place] = stamp
        # The count is updated last: a row is complete when it is counted.
        self.count = place + 1
        return own

    def taken_ns(self, place):
        """When the transport had taken a message, or the acknowledgement if it reports only that. ABSENT before."""
        sent_ns = self.sent_ns[place]
        return sent_ns if sent_ns != ABSENT else self.acked_ns[place]

    def write(self, path, start=0):
        """Writes the rows from an index on."""
        columns, count = [self.times[name] for name in TIMES], self.count
        with open(path, "wb") as file:
            file.write(struct.pack("<8sQ", b"WDPUBL01", count - start))
            for place in range(start, count):
                file.write(struct.pack("<Q", self.sequence[place]))
                file.write(self.digests[place * 16 : place * 16 + 16])
                file.write(struct.pack("<Q7q", self.length[place], *(column[place] for column in columns)))
        return count - start


class Prefix:
    """How many messages from an index on have been reported without a gap. Each caller has its own."""

    def __init__(self, sent, start, time_ns):
        self.sent, self.start, self.next, self.time_ns = sent, start, start, time_ns

    def __len__(self):
        sent, time_ns = self.sent, self.time_ns
        while self.next < sent.count and time_ns(self.next) != ABSENT:
            self.next += 1
        return self.next - self.start


def read_sent(path):
    """Numbers and digests of a publisher's records, without the mark of warm-up messages, and the first build start; None without rows."""
    with open(path, "rb") as file:
        magic, count = struct.unpack("<8sQ", file.read(16))
        if magic != b"WDPUBL01":
            raise ValueError(f"{path}: not the records of a publisher")
        rows, first_ns = [], None
        for _ in range(count):
            row = file.read(88)
            (number,) = struct.unpack_from("<Q", row)
            rows.append((number & ~WARM_UP, row[8:24]))
            if first_ns is None:
                (first_ns,) = struct.unpack_from("<q", row, 40)
        return rows, first_ns


class Received:
    """The messages that a subscriber received: rows of 40 bytes."""

    def __init__(self):
        self.digests, self.length, self.received, self.decoded = bytearray(), array("Q"), array("q"), array("q")

    def __len__(self):
        return len(self.length)

    def add(self, own, length, received_ns, decoded_ns):
        self.digests.extend(own)
        self.received.append(received_ns)
        self.decoded.append(decoded_ns)
        # The count is of this column: a row is complete when it has it.
        self.length.append(length)

    def write(self, path):
        count = len(self)
        with open(path, "wb") as file:
            file.write(struct.pack("<8sQ", b"WDRECV01", count))
            for place in range(count):
                file.write(self.digests[place * 16 : place * 16 + 16])
                file.write(struct.pack("<Qqq", self.length[place], self.received[place], self.decoded[place]))
        return count
