"""Kafka by confluent-kafka, whose C library librdkafka does the work. A subscriber creates the topic if there is none, reads all of its
partitions from their ends on, and removes what it created."""

import random
import re
import threading
import time

from wiredyno_runner.tls import addressed_without
from wiredyno_runner.transports.kafka_group import Progress, Reports, await_complete, membership

ACKS = {"acks-0": "0", "acks-1": "1", "acks-all": "all", "idempotent": "all"}
PAUSE_S = 0.02
POLL_S = 0.05
# The most records that are taken at once where the study does not say how many: those that are there beside the first.
BESIDE = 5_000
# For the options that runner.toml declares: librdkafka's names, and how values are written for it.
PRODUCING = {"batch_bytes": "batch.size", "compression": "compression.type", "partitioner": "partitioner"}
CONSUMING = {"fetch_min_bytes": "fetch.min.bytes", "fetch_partition_bytes": "max.partition.fetch.bytes"}
OTHERS = (
    *("linger", "partitions", "replication", "fetch_wait_max", "take", "take_wait", "take_stamp"),
    *("key", "key_values", "headers", "group", "assignment", "session_timeout", "commit", "commit_mode"),
)
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}


def milliseconds(span):
    """Milliseconds of a span as studies write it: `5ms`."""
    number = span.rstrip("abcdefghijklmnopqrstuvwxyz")
    return float(number) * UNITS[span[len(number) :]]


def encrypted(tls, endpoint):
    """librdkafka's settings for a connection by TLS. The server's name applies to the first connection: those to other brokers use their
    advertised addresses, which the certificates must cover."""
    if tls.key_log:
        raise ValueError(f"keys can't be written to {tls.key_log}: the client library (librdkafka) does not export its keys")
    config = {
        "bootstrap.servers": f"{tls.host(endpoint)}:{endpoint['port']}",
        "security.protocol": "ssl",
        "ssl.endpoint.identification.algorithm": "https",
    }
    if tls.ca_file:
        config["ssl.ca.location"] = tls.ca_file
    if tls.identity:
        config["ssl.certificate.location"], config["ssl.key.location"] = tls.identity
    return config


class Kafka:
    """Clients over one cluster."""

    id = "kafka/confluent-kafka"

    # The library does not tell it.
    tls_version = None

    def __init__(self, setting, endpoint, options, seed, login, tls, limit_s):
        if setting not in ACKS:
            raise ValueError(f"kafka has no setting `{setting}`: it has {', '.join(ACKS)}")
        self.setting, self.options, self.seed, self.limit_s = setting, dict(options), seed, limit_s
        known = {*PRODUCING, *CONSUMING, *OTHERS}
        unknown = self.options.keys() - known
        if unknown:
            raise ValueError(f"kafka/confluent-kafka has no option `{sorted(unknown)[0]}`: it has {', '.join(sorted(known))}")
        if login:
            raise ValueError("kafka/confluent-kafka logs in nowhere: leave the login out")
        self.servers = f"{endpoint['host']}:{endpoint['port']}"
        self.config = {"bootstrap.servers": self.servers, "socket.nagle.disable": True, "broker.address.family": "v4"}
        self.tls, self.endpoint, self.refused = tls, endpoint, None
        if tls:
            self.config |= encrypted(tls, endpoint) | {"error_cb": self._erred}

    @staticmethod
    def load_library():
        """Imports the library, before any clock."""
        global confluent, admin
        import confluent_kafka as confluent
        from confluent_kafka import admin

    def _erred(self, error):
        if error.code() == confluent.KafkaError._SSL:  # noqa: SLF001 - the library's name for it
            self.refused = self.refused or error.str()

    def check(self):
        """Fails with the cause once a handshake has failed: the library would try again until the time is up."""
        if self.refused is None:
            return
        # "ssl://HOST:PORT/...: SSL handshake failed: ...": the broker that was asked, by the address that it or the first one advertises.
        asked = re.match(r"ssl://\[?([^/\]]+)\]?:(\d+)/", self.refused)
        host, port = (asked[1], int(asked[2])) if asked else (self.tls.server_name, self.endpoint["port"])
        at, where = {"host": host, "port": port}, f"{host}:{port}"
        advertised = "" if host in (self.tls.server_name, self.endpoint["host"]) else " (an address that the cluster advertises)"
        why = self.tls.witness(at, host) or f"the handshake failed: {self.refused}"
        raise ConnectionError(f"TLS with the broker at {where}{advertised}: {why}")

    def publisher(self, topic, report):
        return _Publishing(self, topic.replace("/", "."), report)

    def subscriber(self, topic, arrivals):
        return _Subscribing(self, topic.replace("/", "."), arrivals)

    def await_leaders(self, client, topic):
        """The partitions of a topic once each has a leader."""
        until = time.monotonic() + self.limit_s
        while True:
            try:
                found = client.list_topics(topic, timeout=min(self.limit_s, 5)).topics[topic]
                why = found.error or (None if found.partitions else "it has no partitions")
                if why is None and all(one.leader >= 0 for one in found.partitions.values()):
                    return sorted(found.partitions)
            except confluent.KafkaException as error:
                why = error
            self.check()
            if time.monotonic() > until:
                why = (None if self.tls else addressed_without(self.endpoint)) or why or "a partition has no leader"
                raise ConnectionError(f"the topic {topic} at {self.servers} is not ready: {why}")
            time.sleep(PAUSE_S)


def _headers(count):
    """A function from a record to its headers: `traceparent` of W3C Trace Context (section 3.2), then others of the same form. Their ids differ
    from record to record, as a tracer's do."""
    if count == 0:
        return lambda _: None
    names = ["traceparent", *(f"header-{number}" for number in range(2, count + 1))]

    draws = random.Random(1)

    def of_record(_):
        return [(name, b"00-%032x-%016x-01" % (draws.getrandbits(128), draws.getrandbits(64))) for name in names]

    return of_record


class _Publishing:
    def __init__(self, terms, topic, report):
        self.topic, self.report, self.acknowledges = topic, report, terms.setting != "acks-0"
        self.refused, self.waiting = None, 0
        key, values = terms.options.get("key", "none"), int(terms.options.get("key_values", 10))
        keys = {"none": lambda _: None, "sequence": str, "few": lambda place: str(place % values)}
        self.key = keys[key]
        self.headers = _headers(int(terms.options.get("headers", 0)))
        config = {
            **terms.config,
            "acks": ACKS[terms.setting],
            "enable.idempotence": terms.setting == "idempotent",
            "linger.ms": milliseconds(terms.options.get("linger", "5ms")),
            "queue.buffering.max.messages": 1 << 24,
            "queue.buffering.max.kbytes": 1 << 20,
            "message.timeout.ms": 0,
            **{PRODUCING[name]: value for name, value in terms.options.items() if name in PRODUCING},
        }
        self.own = confluent.Producer(config)
        terms.await_leaders(self.own, topic)
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self._poll, daemon=True)
        self.thread.start()

    def _poll(self):
        while not self.closing.is_set():
            self.own.poll(POLL_S)

    def send(self, place, body):
        def delivered(error, _message):
            at_ns = time.monotonic_ns()
            if error is not None:
                self.refused = self.refused or str(error)
                # A refused message is not waited for.
                self.report.broke(f"the broker refused messages: {self.refused}")
                return
            # The library reports one moment: the answer to the request, or with acks 0 that the request has left.
            if self.acknowledges:
                self.report.was_acked(place, at_ns)
            else:
                self.report.was_sent(place, at_ns)

        self.own.produce(self.topic, body, self.key(place), headers=self.headers(place), on_delivery=delivered)

    def finish(self, grace_s):
        self.closing.set()
        self.thread.join()
        waiting = self.own.flush(grace_s)
        if self.refused:
            return f"the broker refused messages: {self.refused}"
        return f"{waiting} messages were not sent or not acknowledged" if waiting else None


class _Subscribing:
    def __init__(self, terms, topic, arrivals):
        self.terms, self.topic, self.arrivals, self.made = terms, topic, arrivals, False
        self.confluent, self.closing, self.broken = confluent, threading.Event(), None
        options = terms.options
        self.kind, commit = options.get("group", "none"), options.get("commit", "auto")
        self.by_itself = self.kind != "none" and commit == "auto"
        # Whether the broker learns of the group.
        self.known = self.kind != "none" or commit in ("record", "batch")
        own = f"wiredyno-{terms.seed:x}-{time.monotonic_ns():x}"
        self.group = f"{topic}-group" if self.kind == "shared" else own
        self.reports = Reports(confluent, options.get("assignment") == "cooperative-sticky")
        self.removes_group = self.known and self.kind != "shared"
        # If the topic's creator has removed it, the trial is over; the library tries again after the others.
        known = confluent.KafkaError
        self.passing = {
            *(known.UNKNOWN_TOPIC_OR_PART, known._UNKNOWN_PARTITION, known._TRANSPORT, known._ALL_BROKERS_DOWN),  # noqa: SLF001 - its names
            *(known.LEADER_NOT_AVAILABLE, known.NOT_LEADER_FOR_PARTITION, known.REPLICA_NOT_AVAILABLE, known._TIMED_OUT),  # noqa: SLF001
        }
        self.take, self.by_call = int(options.get("take", 0)), options.get("take_stamp", "record") == "call"
        session_ms = round(milliseconds(options.get("session_timeout", "45s")))
        self.take_wait_s = milliseconds(options.get("take_wait", "100ms")) / 1e3
        config = {
            **terms.config,
            "group.id": self.group,
            "partition.assignment.strategy": options.get("assignment", "range"),
            "session.timeout.ms": session_ms,
            # The library refuses a shorter one; its default is five minutes.
            "max.poll.interval.ms": max(300_000, session_ms),
            "enable.auto.commit": self.by_itself,
            "enable.auto.offset.store": self.by_itself,
            "on_commit": self.reports.committed,
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": max(1, round(milliseconds(options.get("fetch_wait_max", "500ms")))),
            # Above these limits the library stops fetching for a second; these are its maxima.
            "queued.min.messages": 10_000_000,
            "queued.max.messages.kbytes": 2_097_151,
            **{CONSUMING[name]: value for name, value in options.items() if name in CONSUMING},
        }
        self.admin = admin.AdminClient(terms.config)
        self._make(int(options.get("partitions", 1)), int(options.get("replication", 1)))
        self.own = confluent.Consumer(config)
        until = time.monotonic() + terms.limit_s
        ends = [self._end(partition, until) for partition in terms.await_leaders(self.own, topic)]
        self.partitions, wanted = len(ends), int(options.get("partitions", 1))
        if self.partitions < wanted:
            raise ConnectionError(f"the topic {topic} exists and has {self.partitions} partitions, not {wanted} or more")
        self.progress = Progress(confluent, self.own, topic, commit, options.get("commit_mode", "sync") == "sync")
        if self.kind == "none":
            self.own.assign(ends)
            self.reports.held, self.reports.settled = {one.partition for one in ends}, True
        else:
            self._join(ends, until)
        self.thread = threading.Thread(target=self._receive, daemon=True)
        self.thread.start()

    def _make(self, partitions, copies):
        until = time.monotonic() + min(5, self.terms.limit_s)
        while True:
            made = self.admin.create_topics([admin.NewTopic(self.topic, partitions, copies)], request_timeout=self.terms.limit_s)[self.topic]
            try:
                while not made.done():
                    self.admin.poll(POLL_S)
                    self.terms.check()
                made.result()
                self.made = True
                return
            except confluent.KafkaException as error:
                code = error.args[0].code()
                if code == confluent.KafkaError.TOPIC_ALREADY_EXISTS:
                    return
                # Nodes may still be starting.
                if code != confluent.KafkaError.INVALID_REPLICATION_FACTOR or time.monotonic() > until:
                    why = (None if self.terms.tls else addressed_without(self.terms.endpoint)) or error
                    raise ConnectionError(f"the topic {self.topic}: {why}") from error
            time.sleep(PAUSE_S)

    def _end(self, partition, until):
        """The offset of the next record of a partition. Asking for it also connects to the leader."""
        while True:
            try:
                _, end = self.own.get_watermark_offsets(confluent.TopicPartition(self.topic, partition), timeout=2)
                return confluent.TopicPartition(self.topic, partition, end)
            except confluent.KafkaException as error:
                if time.monotonic() > until:
                    raise ConnectionError(f"the topic {self.topic}: {error}") from error
                time.sleep(PAUSE_S)

    def _join(self, ends, until):
        """Joins the group, which begins where this subscription does. A member of a shared one learns later which partitions it gets."""
        begun = (confluent.KafkaError.UNKNOWN_MEMBER_ID, confluent.KafkaError.ILLEGAL_GENERATION, confluent.KafkaError.REBALANCE_IN_PROGRESS)
        while True:
            try:
                self.own.commit(offsets=ends, asynchronous=False)
                self.removes_group = True
                break
            except confluent.KafkaException as error:
                # It has members already.
                if error.args[0].code() in begun:
                    break
                # Its coordinator may still be starting.
                if time.monotonic() > until:
                    raise ConnectionError(f"the topic {self.topic}: the group: {error}") from error
                time.sleep(PAUSE_S)
        self.own.poll(0)
        self.reports.confirmed = self.reports.refused = 0
        self.own.subscribe([self.topic], on_assign=self.reports.assigned, on_revoke=self.reports.revoked)
        if self.kind == "shared":
            self.removes_group = self.made or self.removes_group
            return
        while len(self.reports.held) < self.partitions:
            if time.monotonic() > until:
                raise ConnectionError(f"the topic {self.topic}: the group {self.group} did not get its partitions in time")
            self.own.poll(0.001)
        self.reports.settled = True

    def settle(self, members, limit_s):
        """Waits until it knows its part of what so many members of a topic share."""
        if self.kind == "shared":
            await_complete(self, members, self.partitions, self.admin, time.monotonic() + limit_s)
            self.reports.settled = True

    def membership(self, grace_s):
        """Stops receiving and tells what it did as a member of a group; None if it is in none."""
        self.reports.stop()
        self.closing.set()
        self.thread.join()
        if not self.known:
            return None
        return membership(self, self.reports, self.progress, self.by_itself, grace_s)

    def _receive(self):
        while not self.closing.is_set():
            if self.take > 1:
                self._taken(self.own.consume(self.take, timeout=self.take_wait_s))
            elif (first := self.own.poll(POLL_S)) is not None:
                self._taken([first])
                if self.take == 0:
                    self._taken(self.own.consume(BESIDE, timeout=0))
            self.progress.dealt_with()

    def _taken(self, messages):
        """What one call has returned: each record is stamped when it is this one's turn, or all as of when the call returned."""
        of_call_ns = time.monotonic_ns()
        for message in messages:
            self._take(message, of_call_ns if self.by_call else time.monotonic_ns())

    def _take(self, message, received_ns):
        error = message.error()
        if error is None:
            self.arrivals.arrived(message.value(), received_ns)
            if self.known:
                self.progress.took(message)
        elif error.fatal() or error.code() not in self.passing:
            self.broken = self.broken or str(error)
            self.arrivals.broke(self.broken)

    def leave(self):
        """Leaves its group and closes its connections."""
        self.closing.set()
        self.thread.join()
        self.own.close()

    def finish(self, grace_s):
        """Removes what it created, after it has left; returns what went wrong."""
        return self.broken or self._remove(time.monotonic() + grace_s)

    def _remove(self, until):
        """Removes what it created: the group, once all members have left it, then the topic. What stays, if anything does."""
        left, stays = (lambda: max(0.001, until - time.monotonic())), None
        while self.removes_group:
            try:
                self.admin.delete_consumer_groups([self.group])[self.group].result(left())
                break
            except (confluent.KafkaException, TimeoutError) as error:
                code = error.args[0].code() if isinstance(error, confluent.KafkaException) else None
                if code == confluent.KafkaError.GROUP_ID_NOT_FOUND:
                    break
                if code != confluent.KafkaError.NON_EMPTY_GROUP or time.monotonic() > until:
                    stays = f"the group {self.group} stays: {str(error) or 'no answer in time'}"
                    break
                time.sleep(PAUSE_S)
        if self.made:
            try:
                self.admin.delete_topics([self.topic], operation_timeout=left())[self.topic].result(left())
            except (confluent.KafkaException, TimeoutError) as error:
                stays = f"the topic {self.topic} stays: {str(error) or 'no answer in time'}"
        return stays
