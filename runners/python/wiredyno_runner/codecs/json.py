"""JSON by the standard library and by orjson: compact, bytes as base64, enums by name, absent fields left out."""

import base64

from wiredyno_runner import generate, known, plain
from wiredyno_runner.codec import Describing
from wiredyno_runner.codecs.confluent import Confluent
from wiredyno_runner.definition import Kind


def _base64(part):
    """The fallback of both libraries for types that JSON does not have."""
    if isinstance(part, bytes):
        return base64.b64encode(part).decode()
    raise TypeError(f"{type(part).__name__} has no JSON")


class _Documents(Describing):
    def __init__(self, definition):
        super().__init__(definition)
        self.read = generate.touch(self.root, generate.JsonDicts(), plain.alone, self.known.ways)

    def ways(self):
        return known.Texts()

    def domain(self, decoded):
        return _domain(super().domain(decoded), self.root)


class Json(_Documents):
    id = "json/python-json"

    @classmethod
    def load_library(cls):
        global json
        import json

    def encode(self, built):
        # NaN and infinities would be bare words, which no other JSON reader accepts.
        text = json.dumps(built, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_base64)
        return text.encode()

    def decode(self, body):
        return json.loads(body.decode())


class ConfluentJson(Confluent, Json):
    id = "json/python-json:confluent"


class Orjson(_Documents):
    id = "json/orjson"

    @classmethod
    def load_library(cls):
        global orjson
        import orjson

    def __init__(self, definition):
        super().__init__(definition)
        keyed = any(
            one.key is not None and one.key.kind is not Kind.TEXT
            for message in definition.messages.values()
            for one in message.fields
        )
        self.option = orjson.OPT_NON_STR_KEYS if keyed else None

    def encode(self, built):
        return orjson.dumps(built, default=_base64, option=self.option)

    def decode(self, body):
        return orjson.loads(body)


def _domain(decoded, message):
    """The domain's dict of a document; unknown fields are kept, and refused later."""
    if not isinstance(decoded, dict):
        raise ValueError(f"{message.name} is not an object")
    own = dict(decoded)
    for one in message.fields:
        if one.name not in decoded:
            continue
        part = decoded[one.name]
        if one.key is not None:
            own[one.name] = {_key(key, one.key): _part(element, one.type) for key, element in part.items()}
        elif one.repeated:
            own[one.name] = [_part(element, one.type) for element in part]
        else:
            own[one.name] = _part(part, one.type)
    return own


def _key(text, type_):
    if type_.kind is Kind.FLAG:
        return {"true": True, "false": False}[text]
    return int(text) if type_.kind is Kind.INTEGER else text


def _part(part, type_):
    if type_.kind is Kind.MESSAGE:
        return _domain(part, type_.message)
    return base64.b64decode(part, validate=True) if type_.kind is Kind.DATA else part
