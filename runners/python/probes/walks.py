"""Checks that every codec of the Python runner builds its input from a row in one walk: no message of a value is visited twice, and no dict is
built only to be converted to another.

Arguments: the runner's main.py. Standard input: a line of JSON for each payload, with `descriptor_set`, `message` and `samples` as in `load`.
Prints how many values it saw.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1]).parent))

from wiredyno_runner.codecs import CODECS  # noqa: E402
from wiredyno_runner.definition import Kind  # noqa: E402
from wiredyno_runner.session import Loaded, samples_of  # noqa: E402


def messages(domain, message):
    """How many messages a value contains, including itself."""
    count = 1
    for one in message.fields:
        if one.type.kind is not Kind.MESSAGE or one.name not in domain:
            continue
        part = domain[one.name]
        parts = part.values() if one.key is not None else part if one.repeated else [part]
        count += sum(messages(part, one.type.message) for part in parts)
    return count


def visits(call, row):
    """The call's result, and how many generated functions of messages it called."""
    seen = 0

    def watching(frame, event, _argument):
        nonlocal seen
        code = frame.f_code
        seen += event == "call" and code.co_filename.startswith("<") and not code.co_name.startswith("<")

    sys.setprofile(watching)
    try:
        built = call(row)
    finally:
        sys.setprofile(None)
    return built, seen


count = 0
for line in sys.stdin:
    payload = json.loads(line)
    for codec in CODECS:
        loaded = Loaded(payload, codec).bind()
        samples = samples_of(payload["samples"], None)
        loaded.load(samples)
        from_row = loaded.codec.from_row()
        for sample, row, domain in zip(samples, loaded.rows(), loaded.domain, strict=True):
            built, seen = visits(from_row, row)
            where = f"{codec} over {payload['message']}: {domain!r:.500}"
            if seen != messages(domain, loaded.definition.root):
                sys.exit(f"{where}: {seen} visits for {messages(domain, loaded.definition.root)} messages")
            if loaded.codec.canonical(loaded.codec.encode(built)) != sample:
                sys.exit(f"{where}: another value than of the dict")
            count += 1
print(count)
