"""A consumer group as one member sees it, and a subscriber's position in each partition, counted as Rust's client counts."""

import threading
import time

PAUSE_S = 0.01
# How long one request to the broker may take.
ASKED_S = 2.0
# The longest that commits are waited for at the end, as long as answers arrive: the program waits for five minutes.
COMMITTING_S = 240.0


class Reports:
    """What the library reports of assignments and commits, on the thread that polls.

    What the member holds is kept from these reports: the library's own `assignment()` and `memberid()` hold Python's lock while they wait for the library's thread,
    and that may wait for a callback of a thread that polls, which needs the lock.
    """

    def __init__(self, confluent, stays):
        self.confluent, self.lock = confluent, threading.Lock()
        # Whether partitions that a member keeps stay with it in a rebalance: then reports name only those that move.
        self.stays, self.held, self.member_id = stays, set(), None
        self.since_ns, self.joining, self.rebalances, self.rebalancing_ns = None, 0, 0, 0
        # Whether all members are connected, and whether the member has stopped receiving.
        self.settled = self.over = False
        self.confirmed = self.refused = 0

    def revoked(self, _client, partitions):
        moved = {one.partition for one in partitions}
        with self.lock:
            self.held = self.held - moved if self.stays else set()
            if not self.stays:
                self.since_ns = self.since_ns or time.monotonic_ns()
            elif moved:
                self._count(0)

    def assigned(self, client, partitions):
        member_id, moved = client.memberid(), {one.partition for one in partitions}
        with self.lock:
            self.held, self.member_id = self.held | moved if self.stays else moved, member_id
            # The library reports an assignment of nothing after it has revoked partitions that move, and when the member has joined anew.
            if moved or not self.stays:
                self._count(time.monotonic_ns() - self.since_ns if self.since_ns else 0)
                self.since_ns = None

    def _count(self, without_ns):
        if self.over:
            return
        if self.settled:
            self.rebalances += 1
            self.rebalancing_ns += without_ns
        else:
            self.joining += 1

    def stop(self):
        """The member stops receiving. A rebalance that has not ended counts until now."""
        with self.lock:
            if self.since_ns and self.settled:
                self._count(time.monotonic_ns() - self.since_ns)
            self.since_ns, self.over = None, True

    def committed(self, error, partitions):
        error = error or next((one.error for one in partitions or () if one.error), None)
        if error is None:
            self.confirmed += 1
        # Otherwise nothing was due.
        elif error.code() != self.confluent.KafkaError._NO_OFFSET:  # noqa: SLF001 - the library's name for it
            self.refused += 1


class Progress:
    """What a subscriber has taken from which partition, and committed."""

    def __init__(self, confluent, client, topic, commit, waits):
        self.confluent, self.client, self.topic = confluent, client, topic
        self.each, self.batch, self.waits = commit == "record", commit == "batch", waits
        self.taken, self.due = {}, set()
        self.answered = self.failed = self.under_way = self.committing_ns = 0

    def took(self, message):
        """A record was dealt with."""
        partition = message.partition()
        count, _ = self.taken.get(partition, (0, None))
        self.taken[partition] = (count + 1, message.offset() + 1)
        if self.each:
            self._commit((partition,))
        elif self.batch:
            self.due.add(partition)

    def dealt_with(self):
        """All records of a call were dealt with."""
        if self.due:
            due, self.due = self.due, set()
            self._commit(due)

    def _commit(self, partitions):
        start_ns = time.monotonic_ns()
        offsets = [self.confluent.TopicPartition(self.topic, one, self.taken[one][1]) for one in partitions]
        try:
            answers = self.client.commit(offsets=offsets, asynchronous=not self.waits)
            if self.waits:
                refused = any(one.error for one in answers)
                self.failed += refused
                self.answered += not refused
            else:
                self.under_way += 1
        except self.confluent.KafkaException:
            # Refused during a rebalance: the records are then delivered once more.
            self.failed += 1
        self.committing_ns += time.monotonic_ns() - start_ns


def await_complete(member, members, partitions, admin, until):
    """Waits until all members have joined, every partition has a member, and this member holds those that the broker says it has."""
    group, topic = member.group, member.topic
    while True:
        lack = _lack(member, members, partitions, admin)
        if lack is None:
            return
        if time.monotonic() > until:
            raise ConnectionError(f"the topic {topic}: the group {group}: {lack}")
        if member.broken:
            raise ConnectionError(f"the topic {topic}: {member.broken}")
        time.sleep(PAUSE_S)


def _lack(member, members, partitions, admin):
    confluent, group = member.confluent, member.group
    try:
        known = admin.describe_consumer_groups([group], request_timeout=ASKED_S)[group].result(ASKED_S)
    except (confluent.KafkaException, TimeoutError) as error:
        return str(error)
    if known.state != confluent.ConsumerGroupState.STABLE:
        return f"its state is {known.state.name}"
    if len(known.members) != members:
        return f"it has {len(known.members)} of {members} members"
    parts = {one.member_id: {part.partition for part in one.assignment.topic_partitions} for one in known.members}
    assigned = sum(len(part) for part in parts.values())
    if assigned != partitions:
        return f"{assigned} of {partitions} partitions are assigned"
    with member.reports.lock:
        own, held = parts.get(member.reports.member_id), set(member.reports.held)
    return None if own == held else "a member does not have its partitions yet"


def membership(member, reports, progress, by_itself, grace_s):
    """What a member did, after what is due is committed and every commit answered. It receives nothing more. Commits that it did not wait for may be
    many: it waits for them as long as answers arrive, up to COMMITTING_S."""
    confluent, client = member.confluent, member.own
    held = [confluent.TopicPartition(member.topic, one) for one in sorted(reports.held)]
    # Polls that run callbacks take no record then.
    client.pause(held)
    client.poll(0)
    if by_itself:
        # As the library does when it closes, but the offsets are known before that.
        try:
            client.commit(asynchronous=False)
            reports.confirmed += 1
        except confluent.KafkaException as error:
            reports.committed(error.args[0], ())
    begun_s = since_s = time.monotonic()
    known = 0
    while (answered := reports.confirmed + reports.refused) < progress.under_way:
        now_s = time.monotonic()
        if answered > known:
            known, since_s = answered, now_s
        if now_s - since_s > grace_s or now_s - begun_s > COMMITTING_S:
            break
        client.poll(PAUSE_S)
    uses = {}
    try:
        offsets = {one.partition: one.offset for one in client.committed(held, timeout=grace_s)}
    except confluent.KafkaException:
        # What can't be found out in time is absent.
        offsets = {}
    for one in held:
        _, end = client.get_watermark_offsets(confluent.TopicPartition(member.topic, one.partition), cached=True) or (-1, -1)
        committed = offsets.get(one.partition, -1)
        uses[one.partition] = {"held": True, "messages": 0}
        uses[one.partition] |= {"committed": committed} if committed >= 0 else {}
        uses[one.partition] |= {"end": end} if end >= 0 else {}
    for partition, (count, after) in progress.taken.items():
        uses.setdefault(partition, {"held": False})
        uses[partition] |= {"messages": count, "next": after}
    waited = progress.waits and (progress.each or progress.batch)
    return {
        "group": member.group,
        "joining": reports.joining,
        "rebalances": reports.rebalances,
        "rebalancing_ns": reports.rebalancing_ns,
        "commits": progress.answered if waited else reports.confirmed,
        "failed_commits": progress.failed + (0 if waited else reports.refused),
        "committing_ns": progress.committing_ns,
        "partitions": [{"partition": partition, **uses[partition]} for partition in sorted(uses)],
    }
