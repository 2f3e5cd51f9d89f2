"""Values as Protobuf bytes, the form in which they are passed, and as dicts, the form that a program has."""

import struct

from wiredyno_runner.definition import FieldDescriptor, Kind

# The encoding of numbers of fixed width; all others are varints.
FIXED = {
    FieldDescriptor.TYPE_DOUBLE: ("<d", 1),
    FieldDescriptor.TYPE_FIXED64: ("<Q", 1),
    FieldDescriptor.TYPE_SFIXED64: ("<q", 1),
    FieldDescriptor.TYPE_FLOAT: ("<f", 5),
    FieldDescriptor.TYPE_FIXED32: ("<I", 5),
    FieldDescriptor.TYPE_SFIXED32: ("<i", 5),
}
ZIGZAG = (FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_SINT64)
DELIMITED = (Kind.TEXT, Kind.DATA, Kind.MESSAGE)


def from_bytes(data, message):
    """The dict of a value. A field without presence has its default there, an absent one is left out."""
    return from_object(message.cls.FromString(data), message)


def from_object(own, message):
    """The dict of a Protobuf object."""
    value = {}
    for one in message.fields:
        if one.optional and not own.HasField(one.name):
            continue
        part = getattr(own, one.name)
        if one.key is not None:
            value[one.name] = {key: _domain(part[key], one.type) for key in sorted(part)}
        elif one.repeated:
            value[one.name] = [_domain(element, one.type) for element in part]
        else:
            value[one.name] = _domain(part, one.type)
    return value


def _domain(part, type_):
    if type_.kind is Kind.MESSAGE:
        return from_object(part, type_.message)
    return type_.names[part] if type_.kind is Kind.ENUM else part


def to_bytes(value, message):
    """The Protobuf bytes of a dict; refuses what does not fit the definition."""
    own = message.cls()
    fill(own, value, message)
    return _canonical(own, message)


def _canonical(own, message):
    """Protobuf bytes in the form that the contract requires (docs/RUNNER.md, constraint 12). The library's serialization
    does not sort entries of maps."""
    out = bytearray()
    present = {field.number for field, _ in own.ListFields()}
    for one in sorted(message.fields, key=lambda one: one.number):
        if one.number not in present:
            continue
        part = getattr(own, one.name)
        if one.key is not None:
            for key in sorted(part):
                entry = _single(1, key, one.key) + _single(2, part[key], one.type)
                out += _varint(one.number << 3 | 2) + _varint(len(entry)) + entry
        elif one.packed:
            packed = b"".join(_content(element, one.type) for element in part)
            out += _varint(one.number << 3 | 2) + _varint(len(packed)) + packed
        else:
            for element in part if one.repeated else (part,):
                out += _single(one.number, element, one.type)
    return bytes(out)


def _single(number, part, type_):
    wire = 2 if type_.kind in DELIMITED else FIXED.get(type_.wire, (None, 0))[1]
    content = _content(part, type_)
    length = _varint(len(content)) if type_.kind in DELIMITED else b""
    return _varint(number << 3 | wire) + length + content


def _content(part, type_):
    if type_.kind is Kind.MESSAGE:
        return _canonical(part, type_.message)
    if type_.kind is Kind.TEXT:
        return part.encode()
    if type_.kind is Kind.DATA:
        return part
    if type_.wire in FIXED:
        return struct.pack(FIXED[type_.wire][0], part)
    if type_.wire in ZIGZAG:
        return _varint(part << 1 if part >= 0 else -part * 2 - 1)
    return _varint(int(part) & ((1 << 64) - 1))


def _varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def fill(own, value, message):
    """Sets a Protobuf object's fields from a dict."""
    unknown = value.keys() - {one.name for one in message.fields}
    if unknown:
        raise ValueError(f"{message.name} has no field {sorted(unknown)[0]!r}")
    chosen = {}
    for one in message.fields:
        if one.name not in value:
            if not one.optional:
                raise ValueError(f"{message.name} lacks {one.name!r}")
            continue
        if one.oneof is not None and chosen.setdefault(one.oneof, one.name) != one.name:
            raise ValueError(f"{message.name} has both {chosen[one.oneof]!r} and {one.name!r} of one choice")
        _put(own, one, value[one.name])


def _put(own, one, part):
    type_ = one.type
    if one.key is not None:
        target = getattr(own, one.name)
        for key, element in part.items():
            if type_.kind is Kind.MESSAGE:
                target[key].SetInParent()
                fill(target[key], element, type_.message)
            else:
                target[key] = _leaf(element, type_)
    elif one.repeated:
        target = getattr(own, one.name)
        if not isinstance(part, list):
            raise ValueError(f"{one.name!r} is not a list")
        for element in part:
            if type_.kind is Kind.MESSAGE:
                fill(target.add(), element, type_.message)
            else:
                target.append(_leaf(element, type_))
    elif type_.kind is Kind.MESSAGE:
        target = getattr(own, one.name)
        target.SetInParent()
        fill(target, part, type_.message)
    else:
        setattr(own, one.name, _leaf(part, type_))


def _leaf(part, type_):
    # In Python a bool passes for a number; here damaged values must be detected.
    if isinstance(part, bool) != (type_.kind is Kind.FLAG):
        raise ValueError(f"{part!r} is no {type_.kind.value}")
    return type_.numbers[part] if type_.kind is Kind.ENUM else part
