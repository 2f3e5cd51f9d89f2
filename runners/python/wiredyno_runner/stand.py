"""The stand's own share of a publishing thread's CPU time, as in crates/runners/rust-runner/src/stand.rs: all of it except the work that an application also does,
which runs from just before a message is due until it is handed over. Clocks are read outside of that, while the thread waits anyway."""

import time

# Among messages sent without a wait, the first are all measured, then one in this many; the others are assumed to cost as much.
FIRST, ONE_IN = 64, 17


def burn(ns):
    """Uses this much CPU time of the calling thread."""
    until_ns = time.thread_time_ns() + ns
    while time.thread_time_ns() < until_ns:
        pass


class Part:
    """Durations of which only some were measured."""

    def __init__(self):
        self.measured = self.measured_ns = self.others = 0
        # The measured ones after the first few, which alone represent others: the first ones cost more.
        self.drawn = self.drawn_ns = 0

    def add(self, users_ns):
        if self.measured >= FIRST:
            self.drawn += 1
            self.drawn_ns += users_ns
        self.measured += 1
        self.measured_ns += users_ns

    def is_due(self):
        return self.measured < FIRST or (self.measured + self.others) % ONE_IN == 0

    def total_ns(self):
        # Until one is drawn there are only a few others.
        stand_for, stand_for_ns = (self.drawn, self.drawn_ns) if self.drawn else (self.measured, self.measured_ns)
        return self.measured_ns + stand_for_ns * self.others // max(1, stand_for)


class Publishing:
    """For a publishing thread; `total_ns` is the stand's time so far."""

    def __init__(self):
        self.total_ns = self.before_ns = 0
        self.begun = None

    def begin(self):
        """A batch begins, on the thread that sends it."""
        self.waited, self.due = Part(), Part()
        self.began_ns, self.before_ns = time.thread_time_ns(), self.total_ns

    def message(self, waited):
        """The application's work begins soon, or now if the message was not waited for."""
        measured = waited or self.due.is_due()
        self.begun = (time.thread_time_ns(), waited) if measured else None

    def handed_over(self, spun_ns):
        """It has ended; the given part of its time was waiting."""
        if self.begun is None:
            self.due.others += 1
            return
        now_ns, (begun_ns, waited) = time.thread_time_ns(), self.begun
        part = self.waited if waited else self.due
        part.add(max(0, now_ns - begun_ns - spun_ns))
        self._tell(now_ns)

    def end(self):
        """The batch has ended."""
        self._tell(time.thread_time_ns())

    def _tell(self, now_ns):
        users_ns = self.waited.total_ns() + self.due.total_ns()
        self.total_ns = self.before_ns + max(0, now_ns - self.began_ns - users_ns)
