"""The Python runner with a codec and a transport that mark their calls (docs/RUNNER.md, "Probes").

Beside these it watches the publishing thread: from the moment at which a message is due to its hand-over it may call the probes and the
clock, and nothing else.
"""

import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1]).parent))

from wiredyno_runner import generate, load, session  # noqa: E402
from wiredyno_runner.codec import Codec  # noqa: E402
from wiredyno_runner.codecs import CODECS  # noqa: E402
from wiredyno_runner.numbering import Sequence  # noqa: E402
from wiredyno_runner.transports import TRANSPORTS  # noqa: E402

ID = "probe/python"
# The minimum duration of every marked call.
LEAST_NS = 300_000
# The transport that holds messages reports one as sent when none has been handed over for this long.
HELD_NS = 300_000_000

clock = time.monotonic_ns
marks = open(os.environ["WIREDYNO_MARKS"], "ab", buffering=0)  # noqa: SIM115 - open as long as the program runs


def mark(what, number, begin_ns, end_ns):
    marks.write(f"{what} {number} {begin_ns} {end_ns}\n".encode())


def number_of(data):
    return int.from_bytes(data[:8], "big")


def marked(what, number, call):
    """The call's result, no earlier than the minimum duration."""
    begin_ns = clock()
    product = call()
    while clock() < begin_ns + LEAST_NS:
        pass
    mark(what, number, begin_ns, clock())
    return product


class Probe(Codec):
    """The only field's bytes, unchanged."""

    id = ID

    def __init__(self, definition):
        super().__init__(definition)
        self.touch = generate.touch(self.root, generate.Dicts())

    def build(self, domain):
        return marked("build", number_of(domain["data"]), lambda: domain["data"])

    def from_row(self):
        return lambda row: marked("build", number_of(row[0]), lambda: row[0])

    def encode(self, built):
        return marked("encode", number_of(built), lambda: bytes(built))

    def decode(self, body):
        return marked("decode", number_of(body), lambda: {"data": bytes(body)})

    def read(self, decoded):
        return marked("read", number_of(decoded["data"]), lambda: self.touch(decoded))


class ProbeTransport:
    """Bodies preceded by their lengths, over a connection from publisher to subscriber."""

    def __init__(self, setting, endpoint, options, seed, login, tls, limit_s):
        self.tls_version = None
        self.held, self.limit_s = setting == "held", limit_s
        self.address = (endpoint["host"], endpoint["port"])

    @staticmethod
    def load_library():
        pass

    def publisher(self, _topic, report):
        return Held(report) if self.held else Publishing(self, report)

    def subscriber(self, _topic, arrivals):
        return Subscribing(self, arrivals)


class Publishing:
    acknowledges = False

    def __init__(self, terms, report):
        self.report = report
        until = time.monotonic() + terms.limit_s
        while True:
            try:
                self.line = socket.create_connection(terms.address)
                break
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def send(self, place, body):
        marked("send", number_of(body), lambda: self._send(place, body))
        watch.inside = False

    def _send(self, place, body):
        self.line.sendall(struct.pack(">I", len(body)) + body)
        self._tell(place, number_of(body))

    def _tell(self, place, number):
        at_ns = clock()
        mark("sent", number, at_ns, at_ns)
        self.report.was_sent(place, at_ns)

    def finish(self, _grace_s):
        self.line.close()


class Held(Publishing):
    """Doesn't connect; a message is reported as sent well after it was handed over."""

    def __init__(self, report):
        self.report, self.held, self.room, self.last_ns = report, [], threading.Condition(), 0
        threading.Thread(target=self._release, daemon=True).start()

    def _send(self, place, body):
        with self.room:
            self.held.append((place, number_of(body)))
            self.last_ns = clock()
            self.room.notify()

    def _release(self):
        while True:
            with self.room:
                self.room.wait_for(lambda: self.held)
            while (left_ns := self.last_ns + HELD_NS - clock()) > 0:
                time.sleep(left_ns / 1e9)
            self._tell(*self.held.pop(0))

    def finish(self, _grace_s):
        pass


class Subscribing:
    def __init__(self, terms, arrivals):
        self.arrivals = arrivals
        self.listener = socket.create_server(terms.address)
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self):
        line = self.listener.accept()[0].makefile("rb")
        while len(head := line.read(4)) == 4:
            body = line.read(struct.unpack(">I", head)[0])
            received_ns = clock()
            mark("received", number_of(body), received_ns, received_ns)
            begin_ns = clock()
            self.arrivals.arrived(body, received_ns)
            mark("handed", number_of(body), begin_ns, clock())

    def membership(self, _grace_s):
        """It is in no group."""

    def leave(self):
        """Others do not wait for it."""

    def finish(self, _grace_s):
        self.listener.close()


watch = threading.local()


def watching(frame, event, argument):
    """A profile function (sys.setprofile) of the threads that the session starts."""
    own = frame.f_code.co_filename == __file__
    if event == "return" and frame.f_code is load.wait_until.__code__:
        # A message has become due.
        if argument is not None and argument is not False:
            at_ns = clock()
            watch.inside, watch.depth = True, 0
            mark("due", 0, at_ns, at_ns)
    elif not getattr(watch, "inside", False):
        return
    elif own:
        watch.depth += {"call": 1, "return": -1}.get(event, 0)
        return
    elif watch.depth > 0:
        return
    elif event == "call":
        mark(f"other:{frame.f_code.co_name}", 0, clock(), clock())
    elif event == "c_call" and argument is not clock:
        mark(f"other:{argument.__name__}", 0, clock(), clock())


def put(self, row, number, own=Sequence.put):
    return marked("number", number, lambda: own(self, row, number))


Sequence.put = put
CODECS[ID] = Probe
TRANSPORTS[ID] = ProbeTransport
threading.setprofile(watching)
session.main()
