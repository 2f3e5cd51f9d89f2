"""Publisher and subscriber: the schedule, the stamps and the records around a transport's client."""

import contextlib
import ctypes
import os
import threading
import time
from collections import Counter

from wiredyno_runner.database import Unread
from wiredyno_runner.load import Gate, Window, due, wait_until
from wiredyno_runner.numbering import Numbering, Sequence
from wiredyno_runner.records import ABSENT, WARM_UP, Received, Sent, digest, digest_for, read_sent

SLICE_S = 0.1
# What `finish` waits for messages that have not left.
GRACE_S = 10.0


def topic_of(topic, client, topics):
    """The name of a client's topic."""
    return topic if topics <= 1 else f"{topic}/{client % topics}"


def named(name):
    """Names the thread that calls, as pthread_setname_np(3)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(15, name.encode()[:15], 0, 0, 0)


class Waiting:
    """Counts that grow, with threads that wait for them."""

    def __init__(self):
        self.changed = threading.Condition()

    def wait(self, until_ns, done):
        """Waits until `done()`, latest at a moment; nobody needs to tell of every change."""
        while not done():
            left_s = (until_ns - time.monotonic_ns()) / 1e9
            if left_s <= 0:
                return
            with self.changed:
                if not done():
                    self.changed.wait(min(left_s, 0.005))


class Publisher(Waiting):
    """Sends a loaded payload by one client or several; with a reader of records, theirs in the place of its samples."""

    def __init__(self, loaded, connect, clients, topics, topic, records=None):
        super().__init__()
        sequence = Sequence(loaded.definition.root, loaded.sequence) if loaded.sequence else None
        self.build, self.encode = loaded.codec.from_row(), loaded.codec.encode
        self.numbering = Numbering(loaded.rows(), sequence, records and records.row)
        self.sent, self.fault = Sent(), None
        self.batch_start = self.batch_size = self.handed_over = self.acknowledged = 0
        self.halted, self.thread, self.stand_ns = threading.Event(), None, 0
        start_ns = time.monotonic_ns()
        self.clients = [connect(topic_of(topic, client, topics), self) for client in range(clients)]
        self.connect_ns = time.monotonic_ns() - start_ns

    # What a client reports, from whichever thread.

    def was_sent(self, place, at_ns):
        self.sent.times["sent_ns"][place] = at_ns

    def was_acked(self, place, at_ns):
        self.sent.times["acked_ns"][place] = at_ns
        if place >= self.batch_start:
            self.acknowledged += 1

    def broke(self, why):
        self.fault = self.fault or why

    def _one(self, number, row, intended_ns, flag):
        """A message from its row to the client's hands."""
        build_start_ns = time.monotonic_ns()
        built = self.build(row)
        built_ns = time.monotonic_ns()
        body = self.encode(built)
        encoded_ns = time.monotonic_ns()
        place = self.sent.begin()
        self.clients[number % len(self.clients)].send(place, body)
        handed_over_ns = time.monotonic_ns()
        start_ns = time.thread_time_ns()
        stamps = (intended_ns, build_start_ns, built_ns, encoded_ns, handed_over_ns)
        self.sent.put(place, number | flag, body, stamps)
        self.handed_over += 1
        self.stand_ns += time.thread_time_ns() - start_ns
        return body, handed_over_ns

    def _begin(self, messages):
        if self.thread is not None:
            self.thread.join()
            self.thread = None
        self.batch_start, self.batch_size = len(self.sent), messages
        self.handed_over = self.acknowledged = 0

    def _until(self, at_ns):
        """Waits for a moment; what that takes of a CPU is the stand's. False when halted."""
        start_ns = time.thread_time_ns()
        came = wait_until(at_ns, self.halted)
        self.stand_ns += time.thread_time_ns() - start_ns
        return came

    def warm_up(self, messages):
        self._begin(messages)
        for number in range(messages):
            self._one(number, self.numbering.warmup(), time.monotonic_ns(), WARM_UP)

    def start(self, messages, kind, gate, **terms):
        self._begin(messages)
        gate = Gate(gate) if kind == "closed" else None
        work = {"open": self._open, "closed": self._closed, "batch": self._batch}[kind]

        def run():
            named("publisher")
            try:
                work(messages, gate=gate, **terms)
            except Unread as error:
                self.broke(f"a record could not be read: {error}")
            except Exception as error:  # noqa: BLE001 - told with the records
                self.broke(f"{type(error).__name__}: {error}")
            finally:
                self.batch_size = self.handed_over
                if gate is not None:
                    gate.close()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def _open(self, messages, at_ns, interval_ns, arrivals, seed, **_):
        for number, due_ns in enumerate(due(at_ns, messages, interval_ns, arrivals, seed)):
            if not self._until(due_ns):
                return
            self._one(number, self.numbering.measured(number), due_ns, 0)

    def _closed(self, messages, at_ns, interval_ns, window, deadline_ns, gate, **_):
        under_way = Window(window, at_ns - interval_ns)
        for number in range(messages):
            start_ns = time.thread_time_ns()
            free_ns = under_way.wait(gate, self.halted)
            self.stand_ns += time.thread_time_ns() - start_ns
            if free_ns is None or not self._until(free_ns + interval_ns):
                return
            due_ns = free_ns + interval_ns
            body, _ = self._one(number, self.numbering.measured(number), due_ns, 0)
            under_way.add(digest(body), due_ns + deadline_ns)

    def _batch(self, messages, at_ns, duration_ns=None, **_):
        due_ns = at_ns
        if not self._until(at_ns):
            return
        for number in range(messages):
            if self.halted.is_set():
                return
            last = duration_ns is not None and time.monotonic_ns() >= at_ns + duration_ns
            _, due_ns = self._one(number, self.numbering.measured(number), due_ns, 0)
            if last:
                return

    def acknowledges(self):
        return self.clients[0].acknowledges

    def progress(self):
        times = self.sent.times["handed_over_ns"]
        last_ns = times[-1] if self.handed_over and times[-1] != ABSENT else None
        told = {"messages": self.handed_over, "acked": self.acknowledged, "last_ns": last_ns}
        return {"outcome": "progress", **told, "stand_cpu_ns": self.stand_ns}

    def await_sent(self, until_ns, acked):
        def done():
            if self.fault is not None:
                return True
            sent = self.handed_over >= self.batch_size
            return sent and (not acked or not self.acknowledges() or self.acknowledged >= self.batch_size)

        self.wait(until_ns, done)
        return self.progress()

    def write_sent(self, path):
        if self.thread is not None and self.thread.is_alive():
            raise ValueError("the messages of this `start` are not all handed over yet: `await-sent` first")
        return self.sent.write(path, self.batch_start)

    def finish(self, path):
        self.halted.set()
        if self.thread is not None:
            self.thread.join()
        for client in self.clients:
            why = client.finish(GRACE_S)
            if why:
                self.broke(why)
        return self.sent.write(path), self.fault


class Arrivals:
    """What one client of a subscriber gets; called on that client's thread."""

    def __init__(self, subscriber, number, gate):
        self.subscriber, self.number, self.gate = subscriber, number, gate

    def arrived(self, body, received_ns):
        subscriber = self.subscriber
        decoded_ns = ABSENT
        if subscriber.decode is not None:
            try:
                subscriber.decode(body)
                decoded_ns = time.monotonic_ns()
            except Exception:  # noqa: BLE001 - damaged bytes are an arrival that does not decode
                decoded_ns = ABSENT
        start_ns = time.thread_time_ns()
        own = digest(body)
        if self.gate is not None:
            subscriber.tell(self.gate, own)
        with subscriber.changed:
            subscriber.received.add(digest_for(self.number, own), len(body), received_ns, decoded_ns)
            subscriber.last_ns = received_ns
            subscriber.stand_ns += time.thread_time_ns() - start_ns
            subscriber.changed.notify_all()

    def broke(self, why):
        self.subscriber.fault = self.subscriber.fault or why


class Subscriber(Waiting):
    """Receives by one client or several."""

    def __init__(self, loaded, connect, clients, topics, topic, gate):
        super().__init__()
        self.decode = loaded.codec.decode if loaded is not None else None
        self.received, self.last_ns, self.fault = Received(), None, None
        self.pipe, self.stand_ns = None, 0
        start_ns = time.monotonic_ns()
        # Of each topic the first client alone writes into the gate.
        of = [Arrivals(self, client, gate if client < topics else None) for client in range(clients)]
        self.clients = [connect(topic_of(topic, number, topics), one) for number, one in enumerate(of)]
        self.connect_ns = time.monotonic_ns() - start_ns

    def tell(self, gate, own):
        """Writes a receipt into the gate; nothing where nobody reads it or it is full."""
        try:
            if self.pipe is None:
                self.pipe = os.open(gate, os.O_WRONLY | os.O_NONBLOCK)
            os.write(self.pipe, own)
        except OSError:
            if self.pipe is not None:
                with contextlib.suppress(OSError):
                    os.close(self.pipe)
            self.pipe = None

    def progress(self, messages):
        told = {"messages": messages, "acked": 0, "last_ns": self.last_ns}
        return {"outcome": "progress", **told, "stand_cpu_ns": self.stand_ns}

    def await_received(self, messages, until_ns):
        self.wait(until_ns, lambda: len(self.received) >= messages or self.fault is not None)
        return self.progress(len(self.received))

    def await_delivered(self, path, until_ns):
        digests, first_ns = read_sent(path)
        wanted = Counter(digests)
        for number in range(1, len(self.clients)):
            wanted.update(digest_for(number, own) for own in digests)
        missing, seen = sum(wanted.values()), 0

        def done():
            nonlocal missing, seen
            count = len(self.received)
            while seen < count:
                own = bytes(self.received.digests[seen * 16 : seen * 16 + 16])
                if self.received.received[seen] >= (first_ns or 0) and wanted[own] > 0:
                    wanted[own] -= 1
                    missing -= 1
                seen += 1
            return missing <= 0 or self.fault is not None

        total = missing
        self.wait(until_ns, done)
        return self.progress(total - missing)

    def finish(self, path):
        for client in self.clients:
            why = client.finish(GRACE_S)
            if why:
                self.fault = self.fault or why
        if self.pipe is not None:
            os.close(self.pipe)
        return self.received.write(path), self.fault

