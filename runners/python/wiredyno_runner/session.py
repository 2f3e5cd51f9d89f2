"""The session: requests in, replies out, and the state between them.

One file because every request works on the state of one session.
"""

import hashlib
import json
import os
import platform
import queue
import struct
import sys
import threading
import time
import tomllib
import traceback
from importlib import metadata
from pathlib import Path

from wiredyno_runner import CONTRACT, NAME, VERSION, generate, rows, value
from wiredyno_runner.codecs import CODECS
from wiredyno_runner.database import Reader, Unread
from wiredyno_runner.definition import Definition
from wiredyno_runner.live import Live
from wiredyno_runner.measure import measure
from wiredyno_runner.roles import Publisher, Subscriber
from wiredyno_runner.tls import Tls
from wiredyno_runner.transports import TRANSPORTS

MAGIC = b"WDSAMP01"
PHASES = ("build", "encode", "decode", "read", "empty")
BUFFERS = ("reused", "fresh")
LONGEST_BATCH_NS = 60_000_000_000
# How long a client may take to connect.
CONNECT_S = 20.0
# How long an operation may continue once the input has ended.
GRACE_S = 1.0


def _nothing(value):
    """The call of the phase `empty`."""
    return value


class Refusal(Exception):
    """An operation that fails; the text says what was wrong and what to do."""


def main():
    """Answers until `stop` or the input's end. Nothing but replies goes to standard output."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines = queue.SimpleQueue()
    # Blocked in a read it takes no time from measurements; it notices the input's end during an operation.
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    session = Session()
    while (line := lines.get()) is not None:
        number, stops, answer = session.answer(line)
        replies.write(json.dumps({"id": number, **answer}, separators=(",", ":")) + "\n")
        replies.flush()
        if stops:
            break
    # The reading thread holds standard input, for which an ordinary exit would wait.
    sys.stderr.flush()
    os._exit(0)


def _read(lines):
    for line in sys.stdin.buffer:
        lines.put(line)
    lines.put(None)
    time.sleep(GRACE_S)
    os._exit(0)


def declaration():
    """The contents of runner.toml."""
    with open(Path(__file__).parent.parent / "runner.toml", "rb") as file:
        return tomllib.load(file)


def declared(kind):
    """The codecs, or the transports, as runner.toml declares them, with the installed versions of their libraries."""
    entries = declaration()[kind]
    for one in entries:
        # A codec of the standard library has the interpreter's version.
        own = one["version"] == "{version}"
        one["version"] = platform.python_version() if own else metadata.version(one["library"])
    return entries


def samples_of(path, limit):
    """The values of a file of samples, as Protobuf bytes."""
    try:
        with open(path, "rb") as file:
            if file.read(8) != MAGIC:
                raise Refusal(f"{path}: it is not a file of samples")
            (count,) = struct.unpack("<Q", file.read(8))
            samples = []
            for _ in range(count if limit is None else min(count, limit)):
                (length,) = struct.unpack("<I", file.read(4))
                sample = file.read(length)
                if len(sample) != length:
                    raise Refusal(f"{path}: it is cut short")
                samples.append(sample)
            return samples
    except (OSError, struct.error) as error:
        raise Refusal(f"{path}: samples can't be read: {error}") from error


def content(path):
    """The contents of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refusal(f"{path}: {error}") from error


class Loaded:
    """A payload with a codec and its samples."""

    def __init__(self, payload, codec):
        self.name, self.id = payload["name"], codec
        self.sequence = payload.get("sequence")
        self.made = CODECS.get(codec)
        if self.made is None:
            raise Refusal(f"no codec `{codec}` here: `describe` lists them")
        self.made.load_library()
        self.definition = Definition(
            content(payload["descriptor_set"]), payload["message"], self._schema(payload.get("schemas") or {})
        )
        self.codec = None

    def _schema(self, schemas):
        """The definition's text in the language that the codec's library reads, if it reads one."""
        language = self.made.language
        if language is None:
            return None
        if language not in schemas:
            raise Refusal(f"{self.id} needs the definition in `{language}`: name its file in `schemas` of `payload`")
        return content(schemas[language]).decode()

    def bind(self):
        """Prepares the codec: the timed set-up."""
        self.codec = self.made(self.definition)
        return self

    def load(self, samples):
        """Takes samples, and verifies that each comes back equal and is read completely."""
        root, codec = self.definition.root, self.codec
        touch = codec.touch_domain()
        self.samples, self.to_row = samples, rows.from_bytes(root)
        self.domain = [value.from_bytes(sample, root) for sample in samples]
        self.built = [codec.build(domain) for domain in self.domain]
        self.bodies = [codec.encode(built) for built in self.built]
        self.decoded = [codec.decode(body) for body in self.bodies]
        for place, (sample, domain, body, decoded) in enumerate(
            zip(samples, self.domain, self.bodies, self.decoded, strict=True)
        ):
            if codec.canonical(body) != sample:
                raise Refusal(f"{self.id} over {self.name}: sample {place} does not come back equal from a round trip")
            if codec.read(decoded) != touch(domain):
                raise Refusal(f"{self.id} over {self.name}: sample {place} is not read whole; report this")

    def rows(self):
        """The samples as rows, as a database would hand them out."""
        if not self.samples:
            raise Refusal("nothing to send: load samples first")
        return [self.to_row(sample) for sample in self.samples]

    def calls(self, phase):
        """The function of a phase and its inputs."""
        codec = self.codec
        return {
            "build": (codec.build, self.domain),
            "encode": (codec.encode, self.built),
            "decode": (codec.decode, self.bodies),
            "read": (codec.read, self.decoded),
            "empty": (_nothing, self.domain),
        }[phase]

    def proof(self, phase):
        """The digest of the product of the last sample, produced once more outside the clock. Bytes are digested by value, because a codec may
        write one value in more than one way."""
        if phase == "empty":
            phase = "encode"
        call, inputs = self.calls(phase)
        product, codec = call(inputs[-1]), self.codec
        if phase == "read":
            return f"{product & generate.MASK:016x}"
        if phase == "build":
            product = codec.encode(product)
        own = value.to_bytes(codec.domain(product), self.definition.root) if phase == "decode" else codec.canonical(product)
        return hashlib.blake2b(own, digest_size=8).hexdigest()


class Session:
    """The state between requests."""

    def __init__(self):
        self.loaded = None
        # Reads the values of measured messages from a database, until the next `load`; and how many there are, None for as many as samples.
        self.records = None
        self.record_count = None
        # Where the next role counts what it does.
        self.live = None
        self.fresh = True
        self.role = None
        terms = ("transport", "setting", "endpoint", "topic", "clients", "topics", "options", "seed", "login", "tls")
        self.operations = {
            "describe": (self.describe, ()),
            "load": (self.load, ("payload", "codec", "compression", "samples")),
            "read-records": (self.read_records, ("source", "records")),
            "count-live": (self.count_live, ("counters",)),
            "call-first": (self.call_first, ("payload", "codec")),
            "encode-samples": (self.encode_samples, ("payload", "codec", "samples", "give")),
            "decode-samples": (self.decode_samples, ("payload", "codec", "bodies")),
            "encode": (self.encode, ("sample", "value")),
            "decode": (self.decode, ("body",)),
            "measure": (self.measure, ("phase", "batch_time_ns", "batches", "buffer", "burden_per_mille", "settle_ns")),
            "publish": (self.publish, (*terms, "subscribers")),
            "subscribe": (self.subscribe, (*terms, "listen", "shared", "gate")),
            "warm-up": (self.warm_up, ("messages",)),
            "start": (
                self.start,
                ("at_ns", "messages", "kind", "interval_ns", "arrivals", "duration_ns", "window", "seed", "deadline_ns", "gate", "burden_ns"),
            ),
            "await-sent": (self.await_sent, ("until_ns", "acked")),
            "await-received": (self.await_received, ("messages", "until_ns")),
            "write-sent": (self.write_sent, ("records",)),
            "await-delivered": (self.await_delivered, ("sent", "until_ns")),
            "finish": (self.finish, ("records",)),
            "stop": (dict, ()),
        }

    def answer(self, line):
        """The reply to a line: its id, whether to stop, and the rest."""
        number = 0
        try:
            request = json.loads(line)
            number = request["id"] if isinstance(request.get("id"), int) else 0
            operation = request["op"]
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            return number, False, {"failed": {"error": f"this line is not a request: {error!r}; see docs/RUNNER.md"}}
        try:
            return number, operation == "stop", {"ok": self.carry_out(operation, request)}
        except Refusal as refusal:
            return number, False, {"failed": {"error": str(refusal)}}
        except Exception as error:  # noqa: BLE001 - whatever a codec raises is a refusal, never the end
            at = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{os.path.basename(at.filename)}, line {at.lineno}"
            return number, False, {"failed": {"error": f"{operation}: {type(error).__name__}: {error} ({where})"}}

    def carry_out(self, operation, request):
        """One operation; an unknown word is refused."""
        if operation not in self.operations:
            raise Refusal(
                f"this runner has no operation `{operation}`: it encodes, decodes, measures, publishes and subscribes"
            )
        call, words = self.operations[operation]
        given = {word: part for word, part in request.items() if word not in ("id", "op") and part is not None}
        unknown = given.keys() - set(words)
        if unknown:
            raise Refusal(f"{operation}: unknown field `{sorted(unknown)[0]}`, it takes {', '.join(words) or 'none'}")
        return {"outcome": "done"} | call(**given)

    def describe(self):
        language = f"Python {platform.python_version()}"
        return {
            "outcome": "description",
            "contract": CONTRACT,
            "codecs": declared("codec"),
            "compressions": [],
            "transports": declared("transport"),
            "reads_records": declaration()["reads_records"],
            "runner": {"name": NAME, "language": language, "version": VERSION},
        }

    def load(self, payload, codec, compression="none", samples=None):
        if compression != "none":
            raise Refusal(f"this runner has no compression `{compression}`: leave it out")
        self.fresh = False
        self.loaded = self.records = None
        loaded = Loaded(payload, codec).bind()
        loaded.load(samples_of(payload["samples"], samples))
        self.loaded = loaded
        lengths = [len(body) for body in loaded.bodies]
        return {"outcome": "loaded", "samples": len(lengths), "body_bytes": lengths}

    def read_records(self, source, records=None):
        try:
            self.records = Reader(self._loaded().to_row, **source)
        except Unread as error:
            raise Refusal(f"no records: {error}") from error
        self.record_count = records
        return {}

    def _first(self):
        if not self.fresh:
            raise Refusal("this is measured in a fresh process, and this one has already loaded a codec")
        self.fresh = False

    def call_first(self, payload, codec):
        self._first()
        samples = samples_of(payload["samples"], 1)
        if not samples:
            raise Refusal("no sample 0: the file has none")
        loaded = Loaded(payload, codec)
        domain = value.from_bytes(samples[0], loaded.definition.root)
        start_ns = time.monotonic_ns()
        own = loaded.bind().codec
        setup_ns = time.monotonic_ns() - start_ns
        built = own.build(domain)
        start_ns = time.monotonic_ns()
        body = own.encode(built)
        encode_ns = time.monotonic_ns() - start_ns
        start_ns = time.monotonic_ns()
        own.decode(body)
        decode_ns = time.monotonic_ns() - start_ns
        if own.canonical(body) != samples[0]:
            raise Refusal(f"{codec} over {payload['name']}: the first sample does not come back equal")
        return {
            "outcome": "called-first",
            "calls": {"setup_ns": setup_ns, "encode_ns": encode_ns, "decode_ns": decode_ns},
        }

    def encode_samples(self, payload, codec, samples, give):
        if not give:
            self._first()
        self.fresh = False
        loaded = Loaded(payload, codec).bind()
        bodies = []
        for sample in samples_of(payload["samples"], samples):
            body = loaded.codec.encode(loaded.codec.build(value.from_bytes(sample, loaded.definition.root)))
            if give:
                bodies.append(body.hex())
        return {"outcome": "encoded-samples", "bodies": bodies}

    def decode_samples(self, payload, codec, bodies):
        if bodies:
            self._first()
        elif not self.fresh:
            raise Refusal("this is measured in a fresh process, and this one has already loaded a codec")
        loaded = Loaded(payload, codec).bind()
        for body in bodies:
            loaded.codec.read(loaded.codec.decode(bytes.fromhex(body)))
        return {}

    def _client(self, transport, setting, endpoint, options, seed, login, tls):
        """A transport ready to connect."""
        if self.role is not None:
            raise Refusal("this runner has a role already: `finish` it first")
        if transport not in TRANSPORTS:
            raise Refusal(f"no transport `{transport}` here: `describe` lists them")
        made = TRANSPORTS[transport]
        made.load_library()
        return made(setting, endpoint, options or {}, seed, login, tls and Tls(tls), CONNECT_S)

    @staticmethod
    def _connected(client, role):
        """The reply of a role whose clients are connected."""
        told = {"outcome": "connected", "connect_ns": role.connect_ns}
        return told | ({"tls": client.tls_version} if client.tls_version else {})

    def publish(
        self,
        transport,
        endpoint,
        topic,
        setting=None,
        clients=1,
        topics=1,
        options=None,
        seed=0,
        login=None,
        tls=None,
        subscribers=1,  # noqa: ARG002 - for transports without a broker, of which there are none here
    ):
        loaded = self._loaded()
        client = self._client(transport, setting, endpoint, options, seed, login, tls)
        records = (self.records, self.record_count) if self.records else None
        self.role = Publisher(loaded, client.publisher, clients, topics, topic, records, self._counters())
        return self._connected(client, self.role)

    def subscribe(
        self,
        transport,
        endpoint,
        topic,
        setting=None,
        clients=1,
        topics=1,
        options=None,
        seed=0,
        login=None,
        tls=None,
        listen=False,
        shared=False,
        gate=None,
    ):
        if listen:
            raise Refusal(f"{transport} listens nowhere: it needs a broker")
        client = self._client(transport, setting, endpoint, options, seed, login, tls)
        self.role = Subscriber(self.loaded, client.subscriber, clients, topics, topic, gate, shared, self._counters())
        return self._connected(client, self.role)

    def count_live(self, counters):
        self.live = Live(counters)
        return {}

    def _counters(self):
        """The counters for the role that begins."""
        live, self.live = self.live, None
        return live

    def _role(self, wanted, operation):
        if not isinstance(self.role, wanted):
            of = "publisher or a subscriber" if isinstance(wanted, tuple) else wanted.__name__.lower()
            raise Refusal(f"`{operation}` is for a {of}, and this runner is none now")
        return self.role

    def warm_up(self, messages):
        self._role(Publisher, "warm-up").warm_up(messages)
        return {}

    def start(self, messages, kind, gate=None, window=1, **terms):
        if kind not in ("open", "closed", "batch"):
            raise Refusal(f"this runner has no loop `{kind}`: write open, closed or batch")
        if kind == "closed" and gate is None:
            raise Refusal("a closed loop needs a `gate`")
        self._role(Publisher, "start").start(messages, kind, gate, window=window, **terms)
        return {}

    def await_sent(self, until_ns, acked=False):
        return self._role(Publisher, "await-sent").await_sent(until_ns, acked)

    def await_received(self, messages, until_ns):
        return self._role(Subscriber, "await-received").await_received(messages, until_ns)

    def write_sent(self, records):
        return {"outcome": "written", "records": self._role(Publisher, "write-sent").write_sent(records)}

    def await_delivered(self, sent, until_ns):
        return self._role(Subscriber, "await-delivered").await_delivered(sent, until_ns)

    def finish(self, records):
        role, self.role = self._role((Publisher, Subscriber), "finish"), None
        memberships = role.memberships()
        written, fault = role.finish(records)
        told = {"fault": fault} if fault else {}
        return {"outcome": "finished", "records": written} | told | ({"memberships": memberships} if memberships else {})

    def _loaded(self):
        if self.loaded is None:
            raise Refusal("nothing is loaded: `load` a payload and a codec first")
        return self.loaded

    def encode(self, sample=None, value=None):  # noqa: A002 - the contract's word
        loaded = self._loaded()
        if (sample is None) == (value is None):
            raise Refusal("give either `sample` or `value`")
        if sample is not None:
            if not 0 <= sample < len(loaded.bodies):
                raise Refusal(f"no sample {sample}: {len(loaded.bodies)} are loaded, counted from 0")
            return {"outcome": "encoded", "body": loaded.bodies[sample].hex()}
        domain = from_hex(value, loaded.definition.root)
        return {"outcome": "encoded", "body": loaded.codec.encode(loaded.codec.build(domain)).hex()}

    def decode(self, body):
        loaded = self._loaded()
        return {"outcome": "decoded", "value": loaded.codec.canonical(bytes.fromhex(body)).hex()}

    def measure(self, phase, batch_time_ns, batches, buffer, burden_per_mille=0, settle_ns=None):
        # Nothing settles here: settle_ns is accepted and means nothing.
        loaded = self._loaded()
        if phase not in PHASES:
            raise Refusal(f"this runner has no phase `{phase}`: it has {', '.join(PHASES)}")
        if buffer not in BUFFERS:
            raise Refusal(f"there is no buffer `{buffer}`: write {' or '.join(BUFFERS)}")
        if batches < 1 or batch_time_ns > LONGEST_BATCH_NS:
            raise Refusal("measure at least one batch, each of at most 60s")
        if not loaded.bodies:
            raise Refusal("nothing to measure: load samples first")
        measurement = measure(loaded.calls, phase, batch_time_ns, batches, buffer, burden_per_mille)
        return {"outcome": "measured", "measurement": measurement, "digest": loaded.proof(phase)}


def from_hex(text, root):
    """The dict of a value in hexadecimal."""
    return value.from_bytes(bytes.fromhex(text), root)
