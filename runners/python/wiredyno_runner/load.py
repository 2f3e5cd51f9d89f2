"""When messages are due: open loops by their arrivals, closed loops by receipts that come through the gate, batches at once."""

import contextlib
import fcntl
import math
import os
import random
import select
import time
from collections import Counter, deque

SPIN_NS = 50_000
# How long before its moment a waiting thread is notified: time for reading a system clock.
SOON_NS = 20_000
SLICE_S = 0.1
DIGEST = 16
# Room for 65,536 receipts if the system allows it.
PIPE_BYTES = 1 << 20


def rate_of(text):
    """Messages a second of `100/s` or `10k/s`."""
    number = text.removesuffix("/s")
    return float(number.removesuffix("k")) * (1000 if number.endswith("k") else 1)


def due(at_ns, messages, interval_ns, arrivals, seed):
    """The moments of an open loop's messages, one after the other."""
    if arrivals == "constant":
        yield from (at_ns + number * interval_ns for number in range(messages))
    elif arrivals == "poisson":
        # Python's own generator: the moments differ from those of other languages' runners with the same seed.
        draws, at = random.Random(seed), float(at_ns)
        for _ in range(messages):
            yield round(at)
            at += draws.expovariate(1.0) * interval_ns
    elif "bursts" in arrivals:
        size = arrivals["bursts"]
        yield from (at_ns + number // size * size * interval_ns for number in range(messages))
    else:
        first, last = rate_of(arrivals["ramp"]), 1e9 / interval_ns
        growth = (last - first) * (first + last) / (2.0 * messages)
        for number in range(messages):
            root = math.sqrt(max(0.0, first * first + 2.0 * growth * number))
            yield at_ns + round(2.0 * number / (first + root) * 1e9)


def wait_until(at_ns, halted, soon):
    """Sleeps until shortly before a moment and spins from there. `soon` is called with True just before it, or immediately with False
    if it has passed. Returns how long it spun after that call, in nanoseconds; None if halted meanwhile."""
    clock = time.monotonic_ns
    if clock() >= at_ns:
        if halted.is_set():
            return None
        soon(False)
        return 0
    while True:
        left_ns = at_ns - clock()
        if halted.is_set():
            return None
        if left_ns <= SPIN_NS:
            break
        time.sleep(min((left_ns - SPIN_NS) / 1e9, SLICE_S))
    while clock() < at_ns - SOON_NS:
        pass
    soon(True)
    called_ns = clock()
    while clock() < at_ns:
        pass
    # After the moment it was no longer spinning.
    return at_ns - called_ns if called_ns < at_ns else 0


class Gate:
    """The publisher's end of a closed loop's named pipe."""

    def __init__(self, path):
        os.mkfifo(path, 0o600)
        self.path = path
        # Opened for writing too, so that reads never reach its end.
        self.pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def read(self, wait_s):
        """Digests that have arrived, after a wait if there are none yet."""
        ready, _, _ = select.select([self.pipe], [], [], wait_s)
        if not ready:
            return []
        with contextlib.suppress(BlockingIOError):
            data = os.read(self.pipe, DIGEST * 256)
            return [data[place : place + DIGEST] for place in range(0, len(data), DIGEST)]
        return []

    def close(self):
        os.close(self.pipe)
        with contextlib.suppress(OSError):
            os.unlink(self.path)


class Window:
    """The messages of a closed loop that are neither received nor given up."""

    def __init__(self, size, from_ns):
        self.free = deque([from_ns] * size)
        self.sent, self.missing = deque(), Counter()

    def add(self, own, deadline_ns):
        self.sent.append((own, deadline_ns))
        self.missing[own] += 1

    def received(self, own, at_ns):
        if self.missing[own] > 0:
            self.missing[own] -= 1
            self.free.append(at_ns)

    def give_up(self, now_ns):
        """Gives up messages missing past their deadline."""
        while self.sent and (self.sent[0][1] <= now_ns or not self.missing[self.sent[0][0]]):
            own, deadline_ns = self.sent.popleft()
            if self.missing[own] > 0:
                self.missing[own] -= 1
                self.free.append(deadline_ns)

    def wait(self, gate, halted):
        """Since when the next place has been free; None if halted."""
        while not self.free:
            left_s = (self.sent[0][1] - time.monotonic_ns()) / 1e9 if self.sent else SLICE_S
            digests = gate.read(min(max(left_s, 0.0), SLICE_S))
            now_ns = time.monotonic_ns()
            for own in digests:
                self.received(own, now_ns)
            self.give_up(now_ns)
            if halted.is_set():
                return None
        return self.free.popleft()
