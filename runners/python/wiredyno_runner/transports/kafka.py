"""Kafka by confluent-kafka, whose C library librdkafka does the work. A subscriber creates the topic if there is none, reads all of its
partitions from their ends on, and removes what it created."""

import threading
import time

ACKS = {"acks-0": "0", "acks-1": "1", "acks-all": "all", "idempotent": "all"}
PAUSE_S = 0.02
POLL_S = 0.05
# The most records that are taken at once where the study does not say how many: those that are there beside the first.
BESIDE = 5_000
# For the options that runner.toml declares: librdkafka's names, and how values are written for it.
PRODUCING = {"batch_bytes": "batch.size", "compression": "compression.type"}
CONSUMING = {"fetch_min_bytes": "fetch.min.bytes", "fetch_partition_bytes": "max.partition.fetch.bytes"}
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}


def milliseconds(span):
    """Milliseconds of a span as studies write it: `5ms`."""
    number = span.rstrip("abcdefghijklmnopqrstuvwxyz")
    return float(number) * UNITS[span[len(number) :]]


class Kafka:
    """Clients over one cluster."""

    id = "kafka/confluent-kafka"

    def __init__(self, setting, endpoint, options, seed, login, limit_s):
        if setting not in ACKS:
            raise ValueError(f"kafka has no setting `{setting}`: it has {', '.join(ACKS)}")
        self.setting, self.options, self.seed, self.limit_s = setting, dict(options), seed, limit_s
        known = {*PRODUCING, *CONSUMING, "linger", "partitions", "replication", "fetch_wait_max", "take", "take_wait", "take_stamp"}
        unknown = self.options.keys() - known
        if unknown:
            raise ValueError(f"kafka/confluent-kafka has no option `{sorted(unknown)[0]}`: it has {', '.join(sorted(known))}")
        if login:
            raise ValueError("kafka/confluent-kafka logs in nowhere: leave the login out")
        self.servers = f"{endpoint['host']}:{endpoint['port']}"
        self.config = {"bootstrap.servers": self.servers, "socket.nagle.disable": True, "broker.address.family": "v4"}

    @staticmethod
    def load_library():
        """Imports the library, before any clock."""
        global confluent, admin
        import confluent_kafka as confluent
        from confluent_kafka import admin

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
            if time.monotonic() > until:
                raise ConnectionError(f"the topic {topic} at {self.servers} is not ready: {why or 'a partition has no leader'}")
            time.sleep(PAUSE_S)


class _Publishing:
    def __init__(self, terms, topic, report):
        self.topic, self.report, self.acknowledges = topic, report, terms.setting != "acks-0"
        self.refused, self.waiting = None, 0
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

        self.own.produce(self.topic, body, on_delivery=delivered)

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
        options = terms.options
        self.take, self.by_call = int(options.get("take", 0)), options.get("take_stamp", "record") == "call"
        self.take_wait_s = milliseconds(options.get("take_wait", "100ms")) / 1e3
        config = {
            **terms.config,
            "group.id": f"wiredyno-{terms.seed:x}-{time.monotonic_ns():x}",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": max(1, round(milliseconds(options.get("fetch_wait_max", "500ms")))),
            "queued.min.messages": 10_000_000,
            **{CONSUMING[name]: value for name, value in options.items() if name in CONSUMING},
        }
        self.admin = admin.AdminClient(terms.config)
        self._make(int(options.get("partitions", 1)), int(options.get("replication", 1)))
        self.own = confluent.Consumer(config)
        until = time.monotonic() + terms.limit_s
        ends = []
        for partition in terms.await_leaders(self.own, topic):
            ends.append(self._end(partition, until))
        self.own.assign(ends)
        self.closing, self.broken = threading.Event(), None
        self.thread = threading.Thread(target=self._receive, daemon=True)
        self.thread.start()

    def _make(self, partitions, copies):
        until = time.monotonic() + min(5, self.terms.limit_s)
        while True:
            made = self.admin.create_topics([admin.NewTopic(self.topic, partitions, copies)])
            try:
                made[self.topic].result(self.terms.limit_s)
                self.made = True
                return
            except confluent.KafkaException as error:
                code = error.args[0].code()
                if code == confluent.KafkaError.TOPIC_ALREADY_EXISTS:
                    return
                # Nodes may still be starting.
                if code != confluent.KafkaError.INVALID_REPLICATION_FACTOR or time.monotonic() > until:
                    raise ConnectionError(f"the topic {self.topic}: {error}") from error
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

    def _receive(self):
        while not self.closing.is_set():
            if self.take > 1:
                self._taken(self.own.consume(self.take, timeout=self.take_wait_s))
                continue
            first = self.own.poll(POLL_S)
            if first is None:
                continue
            self._taken([first])
            if self.take == 0:
                self._taken(self.own.consume(BESIDE, timeout=0))

    def _taken(self, messages):
        """What one call has returned: each record is stamped when it is this one's turn, or all as of when the call returned."""
        of_call_ns = time.monotonic_ns()
        for message in messages:
            self._take(message, of_call_ns if self.by_call else time.monotonic_ns())

    def _take(self, message, received_ns):
        error = message.error()
        if error is None:
            self.arrivals.arrived(message.value(), received_ns)
        elif error.fatal():
            self.broken = self.broken or str(error)
            self.arrivals.broke(self.broken)

    def finish(self, grace_s):
        self.closing.set()
        self.thread.join()
        self.own.close()
        if self.made:
            gone = self.admin.delete_topics([self.topic], operation_timeout=grace_s)
            try:
                gone[self.topic].result(grace_s)
            except confluent.KafkaException as error:
                return self.broken or f"the topic {self.topic} stays: {error}"
        return self.broken
