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
from wiredyno_runner.records import ABSENT, WARM_UP, Prefix, Received, Sent, digest, digest_for, read_sent
from wiredyno_runner.stand import Publishing, burn

# How long `finish` waits for messages that have not left.
GRACE_S = 10.0
# How long subscribers that share messages may take until each knows its part.
SETTLED_S = 20.0
# The most messages of a batch that a client may hold, in number and bytes, as in crates/runners/rust-runner.
IN_HAND, IN_HAND_BYTES = 1 << 16, 64 << 20
# The pause between checks whether the client has room again.
LOOK_AGAIN_S = 0.0001
PR_SET_NAME, PR_SET_TIMERSLACK = 15, 29


def topic_of(topic, client, topics):
    """The name of a client's topic."""
    return topic if topics <= 1 else f"{topic}/{client % topics}"


def named(name):
    """Names the calling thread, by pthread_setname_np(3), and sets its timer slack to one nanosecond instead of 50 microseconds."""
    with contextlib.suppress(OSError, AttributeError):
        prctl = ctypes.CDLL(None).prctl
        prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)
        prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


class Waiting:
    """Growing counters, with threads that wait for them."""

    def __init__(self):
        self.changed = threading.Condition()

    def wait(self, until_ns, done):
        """Waits until `done()`, at the latest until a moment; not every change has to be notified."""
        while not done():
            left_s = (until_ns - time.monotonic_ns()) / 1e9
            if left_s <= 0:
                return
            with self.changed:
                if not done():
                    self.changed.wait(min(left_s, 0.005))


def stands(of_messages_ns):
    """CPU time of the stand's own work so far: the part of each thread that carries messages, and all of the calling thread,
    which carries out requests. Second, all of it except the largest part of one of the former."""
    all_ns = sum(of_messages_ns) + time.thread_time_ns()
    return {"stand_cpu_ns": all_ns, "session_cpu_ns": all_ns - max(of_messages_ns, default=0)}


class Publisher(Waiting):
    """Sends a loaded payload by one client or several; with a reader of records and their number, their values instead of its samples.

    Work that can be done before a message is due is done before: its number, the room for its record, the choice of its client. Between
    that moment and the hand-over there is only the reading of a record, building, encoding, sending and the clock.
    """

    def __init__(self, loaded, connect, clients, topics, topic, records=None, live=None):
        super().__init__()
        self.live = live
        sequence = Sequence(loaded.definition.root, loaded.sequence) if loaded.sequence else None
        self.build, self.encode = loaded.codec.from_row(), loaded.codec.encode
        self.rows = loaded.rows()
        self.records, record_count = records or (None, None)
        self.numbering = Numbering(self.rows, sequence, record_count)
        self.sent, self.stand, self.fault = Sent(), Publishing(), None
        self.batch_start = self.batch_size = self.burden_ns = 0
        self.halted, self.thread = threading.Event(), None
        start_ns = time.monotonic_ns()
        self.clients = [connect(topic_of(topic, client, topics), self) for client in range(clients)]
        self.connect_ns = time.monotonic_ns() - start_ns

    # What a client reports, on any thread.

    def was_sent(self, place, at_ns):
        self.sent.sent_ns[place] = at_ns

    def was_acked(self, place, at_ns):
        self.sent.acked_ns[place] = at_ns

    def broke(self, why):
        self.fault = self.fault or why

    def _ready(self, number, place, reads=False):
        """A message waiting for its moment: a function that reads its row if that is still to be read, else the row."""
        sample, own = place
        if reads:
            row, read = None, lambda: self.numbering.numbered(self.records.row(sample), own)
        else:
            row, read = self.numbering.numbered(self.rows[sample], own), None
        return number, row, read, self.sent.begin(), self.clients[number % len(self.clients)].send

    def _measured(self, number):
        return self._ready(number, self.numbering.measured(number), self.records is not None)

    def _one(self, ready, intended_ns, flag=0):
        """Sends a message from its row to the client, at its moment or at once if that has passed. Returns its digest; None if halted."""
        number, row, read, place, send = ready
        build, encode, clock = self.build, self.encode, time.monotonic_ns
        spun_ns = wait_until(intended_ns, self.halted, self.stand.message)
        if spun_ns is None:
            return None
        if read is not None:
            # An application reads its record now, too.
            row = read()
        build_start_ns = clock()
        built = build(row)
        built_ns = clock()
        body = encode(built)
        if self.burden_ns:
            burn(self.burden_ns)
        encoded_ns = clock()
        send(place, body)
        handed_over_ns = clock()
        self.stand.handed_over(spun_ns)
        stamps = (intended_ns, build_start_ns, built_ns, encoded_ns, handed_over_ns)
        own = self.sent.put(place, number | flag, body, stamps)
        if self.live is not None and not flag:
            self.live.count(own, len(body), intended_ns)
        return own

    def _begin(self, messages):
        if self.thread is not None:
            self.thread.join()
            self.thread = None
        self.batch_start, self.batch_size = len(self.sent), messages

    def warm_up(self, messages):
        self._begin(messages)
        self.stand.begin()
        for number in range(messages):
            ready = self._ready(number, self.numbering.warmup())
            self._one(ready, time.monotonic_ns(), WARM_UP)
        self.stand.end()

    def start(self, messages, kind, gate, burden_ns=0, **terms):
        self._begin(messages)
        self.burden_ns = burden_ns
        gate = Gate(gate) if kind == "closed" else None
        work = {"open": self._open, "closed": self._closed, "batch": self._batch}[kind]

        def run():
            named("publisher")
            self.stand.begin()
            try:
                work(messages, gate=gate, **terms)
            except Unread as error:
                self.broke(f"a record could not be read: {error}")
            except Exception as error:  # noqa: BLE001 - told with the records
                self.broke(f"{type(error).__name__}: {error}")
            finally:
                self.stand.end()
                self.batch_size = len(self.sent) - self.batch_start
                if gate is not None:
                    gate.close()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def _open(self, messages, at_ns, interval_ns, arrivals, seed, **_):
        for number, due_ns in enumerate(due(at_ns, messages, interval_ns, arrivals, seed)):
            if self._one(self._measured(number), due_ns) is None:
                return

    def _closed(self, messages, at_ns, interval_ns, window, deadline_ns, gate, **_):
        under_way = Window(window, at_ns - interval_ns)
        for number in range(messages):
            ready = self._measured(number)
            free_ns = under_way.wait(gate, self.halted)
            if free_ns is None:
                return
            due_ns = free_ns + interval_ns
            own = self._one(ready, due_ns)
            if own is None:
                return
            under_way.add(own, due_ns + deadline_ns)

    def _batch(self, messages, at_ns, duration_ns=None, **_):
        taken, length = self._taken(), 1
        for number in range(messages):
            self._await_room(taken, number, length)
            ready = self._measured(number)
            due_ns = max(time.monotonic_ns(), at_ns)
            last = duration_ns is not None and due_ns >= at_ns + duration_ns
            if self._one(ready, due_ns) is None or last:
                return
            length = max(1, self.sent.length[-1])

    def _await_room(self, taken, number, length):
        """Waits while the client holds too many messages not yet reported as sent: a client without a bound would take all of a batch
        into its memory."""
        most = min(max(IN_HAND_BYTES // length, 1), IN_HAND)
        while number >= most and number - len(taken) >= most and not self.halted.is_set() and not self.fault:
            time.sleep(LOOK_AGAIN_S)

    def _taken(self):
        """How many of the batch the client has taken: reported as sent, or as acknowledged if it reports only that."""
        return Prefix(self.sent, self.batch_start, self.sent.taken_ns)

    def acknowledges(self):
        return self.clients[0].acknowledges

    def progress(self):
        places = range(self.batch_start, len(self.sent))
        taken_ns = [at_ns for at_ns in map(self.sent.taken_ns, places) if at_ns != ABSENT]
        acked = sum(self.sent.acked_ns[place] != ABSENT for place in places)
        told = {"messages": len(taken_ns), "acked": acked, "last_ns": max(taken_ns, default=None)}
        return {"outcome": "progress", **told, **stands([self.stand.total_ns])}

    def await_sent(self, until_ns, acked):
        taken = self._taken()
        acknowledged = Prefix(self.sent, self.batch_start, self.sent.acked_ns.__getitem__)

        def done():
            if self.fault is not None:
                return True
            sent = len(taken) >= self.batch_size
            return sent and (not acked or not self.acknowledges() or len(acknowledged) >= self.batch_size)

        self.wait(until_ns, done)
        return self.progress()

    def write_sent(self, path):
        if self.thread is not None:
            # All messages are handed over a moment before the thread ends.
            self.thread.join(GRACE_S)
        if self.thread is not None and self.thread.is_alive():
            raise ValueError("the messages of this `start` are not all handed over yet: `await-sent` first")
        return self.sent.write(path, self.batch_start)

    def memberships(self):
        """Publishers are in no group."""
        return []

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
    """The arrivals of one client of a subscriber; called on that client's thread."""

    def __init__(self, subscriber, number, gate):
        self.subscriber, self.number, self.gate = subscriber, number, gate

    def arrived(self, body, received_ns):
        subscriber = self.subscriber
        decoded_ns = ABSENT
        if subscriber.decode is not None:
            try:
                decoded = subscriber.decode(body)
                decoded_ns = time.monotonic_ns()
                # A decoded object is read as well.
                subscriber.read(decoded)
            except Exception:  # noqa: BLE001 - damaged bytes are an arrival that does not decode
                decoded_ns = ABSENT
        start_ns = time.thread_time_ns()
        own = digest(body)
        if self.gate is not None:
            subscriber.tell(self.gate, own)
        with subscriber.changed:
            if subscriber.live is not None:
                subscriber.live.count(own, len(body), received_ns)
            subscriber.received.add(digest_for(self.number, own), len(body), received_ns, decoded_ns)
            subscriber.last_ns = received_ns
            subscriber.stand_ns[threading.get_ident()] += time.thread_time_ns() - start_ns
            subscriber.changed.notify_all()

    def broke(self, why):
        self.subscriber.fault = self.subscriber.fault or why


class Subscriber(Waiting):
    """Receives by one client or several."""

    def __init__(self, loaded, connect, clients, topics, topic, gate, shared=False, live=None):
        super().__init__()
        self.live, self.topics, self.shared = live, max(1, topics), shared
        self.decode, self.read = (loaded.codec.decode, loaded.codec.read) if loaded is not None else (None, None)
        self.received, self.last_ns, self.fault = Received(), None, None
        # The stand's own work, by receiving thread.
        self.pipe, self.stand_ns = None, Counter()
        start_ns = time.monotonic_ns()
        # Only the first client of each topic writes into the gate, or all that share its messages; these receive as the first.
        of = [
            Arrivals(self, client % self.topics if shared else client, gate if shared or client < self.topics else None)
            for client in range(clients)
        ]
        self.clients = [connect(topic_of(topic, number, topics), one) for number, one in enumerate(of)]
        if shared:
            for client in self.clients:
                client.settle(clients // self.topics, SETTLED_S)
        self.connect_ns = time.monotonic_ns() - start_ns

    def tell(self, gate, own):
        """Writes a receipt into the gate; does nothing if the gate is closed or full."""
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
        return {"outcome": "progress", **told, **stands(list(self.stand_ns.values()))}

    def await_received(self, messages, until_ns):
        self.wait(until_ns, lambda: len(self.received) >= messages or self.fault is not None)
        return self.progress(len(self.received))

    def await_delivered(self, path, until_ns):
        rows, first_ns = read_sent(path)
        wanted = Counter(digest_for(one, own) for number, own in rows for one in self._receivers(number))
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

    def _receivers(self, number):
        """The clients as which a message is received, by its number: those of its topic, or the first of those that share it."""
        of_topic = range(number % self.topics, len(self.clients), self.topics)
        return of_topic[:1] if self.shared else of_topic

    def memberships(self):
        """What each client did as a member of a group; all stop receiving before any leaves."""
        told = [(number, client.membership(GRACE_S)) for number, client in enumerate(self.clients)]
        return [{"subscriber": number, **one} for number, one in told if one is not None]

    def finish(self, path):
        # A group can only be removed once all of its members have left it.
        for client in self.clients:
            client.leave()
        for client in self.clients:
            why = client.finish(GRACE_S)
            if why:
                self.fault = self.fault or why
        if self.pipe is not None:
            os.close(self.pipe)
        return self.received.write(path), self.fault

