"""What a role has done so far, in a file in memory that the program reads while the role runs: `count-live` of docs/RUNNER.md."""

import mmap

HEAD, RING, MASK, MESSAGES, BODY_BYTES, ENTRIES = 16, 1, 2, 8, 9, 10


class Live:
    """The writer's side: item assignments to mapped words, each one store, without a system call."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            memory = memoryview(mmap.mmap(file.fileno(), 0, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE))
        if len(memory) < HEAD * 8 or len(memory) % 8 or memory[:8] != b"WDLIVE01":
            raise ValueError(f"{path}: not counters in the layout of docs/RUNNER.md; leave `count-live` out")
        self.words, self.times = memory.cast("Q"), memory.cast("q")
        self.ring = self.words[RING]
        if self.ring & (self.ring - 1) or not 0 < self.ring <= (len(self.words) - HEAD) // 2:
            raise ValueError(f"{path}: {self.ring} is not a valid size of its ring; leave `count-live` out")
        self.messages = self.body_bytes = self.entries = 0

    def count(self, own, length, at_ns):
        """Counts a message with this digest, which was due or received at `at_ns`."""
        words, digest = self.words, int.from_bytes(own[:8], "little")
        if not digest & words[MASK]:
            at = HEAD + 2 * (self.entries & (self.ring - 1))
            words[at], self.times[at + 1] = digest, at_ns
            self.entries += 1
            words[ENTRIES] = self.entries
        self.messages += 1
        self.body_bytes += length
        words[BODY_BYTES], words[MESSAGES] = self.body_bytes, self.messages
