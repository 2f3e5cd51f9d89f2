"""Messages that stand for a value which .proto can't express, such as a list in a list: self-describing formats write only
the value (`wiredyno.stands_for_value` in options.proto). Which of them are unambiguous is decided as in the program. The same applies
to well-known types, in each format's representation (`known.py`), and to enums that stand for null."""

from wiredyno_runner import generate
from wiredyno_runner.definition import Kind

# The maximum depth of nesting.
MAX_DEPTH = 16


def settle(messages):
    """Unmarks messages whose value would be ambiguous without the message."""
    while True:
        wrong = next((one for one in messages if one.plain and not _is_told_apart(one, messages)), None)
        if wrong is None:
            return
        wrong.plain = False


def is_choice(message):
    """Whether a message stands for the alternative that is set in a choice; else for its only field."""
    return message.fields[0].oneof is not None


def _is_told_apart(message, messages):
    if not is_choice(message):
        fields = [one for other in messages for one in other.fields]
        # If the message itself may be absent, null would be ambiguous.
        absent = any(one.optional and one.type.message is message for one in fields)
        only = message.fields[0]
        return not (only.optional and (absent or _may_be_null(only.type, set())))
    kinds = [_kind(one.type, MAX_DEPTH) for one in message.fields]
    told = None not in kinds and len(set(kinds)) == len(kinds)
    return told and not any(_is_read_by_type(one.type, set()) for one in message.fields)


def _kind(type_, depth):
    if type_.null:
        return type(None)
    if type_.kind is not Kind.MESSAGE:
        return {Kind.FLAG: bool, Kind.INTEGER: float, Kind.REAL: float}.get(type_.kind, str)
    message = type_.message
    if message.known:
        return None
    if not message.plain:
        return dict
    if is_choice(message):
        return None
    only = message.fields[0]
    if only.repeated or only.key is not None:
        return list if only.repeated else dict
    return None if only.optional or depth == 0 else _kind(only.type, depth - 1)


def _may_be_null(type_, seen):
    """Whether null may be a value of a type."""
    message = type_.message
    if message is None or not message.plain or message.name in seen:
        return type_.null
    seen.add(message.name)
    if is_choice(message):
        return any(_may_be_null(one.type, seen) for one in message.fields)
    only = message.fields[0]
    is_one = not only.repeated and only.key is None
    return only.optional or (is_one and _may_be_null(only.type, seen))


def _is_read_by_type(type_, seen):
    """Whether bytes, times, or maps with keys other than texts, are reachable."""
    if type_.kind is not Kind.MESSAGE:
        return type_.kind is Kind.DATA
    if type_.message.name in seen:
        return False
    seen.add(type_.message.name)
    if type_.message.known:
        return True
    return any(
        (one.key is not None and one.key.kind is not Kind.TEXT) or _is_read_by_type(one.type, seen)
        for one in type_.message.fields
    )


def holds(message, seen=None):
    """Whether a message stands for a value, or reaches one that does, or null."""
    seen = set() if seen is None else seen
    if message.plain or message.known or any(one.type.null for one in message.fields):
        return True
    if message.name in seen:
        return False
    seen.add(message.name)
    return any(one.type.kind is Kind.MESSAGE and holds(one.type.message, seen) for one in message.fields)


def take(root, known):
    """A function that converts a domain's dict to what such formats write, with the well-known types of `known`."""

    def of_message(writer, message):
        if message.known in known.ways:
            write = writer.constant(f"write_{message.known}", known.ways[message.known][0])
            values = ", ".join(f"o[{one.name!r}]" for one in sorted(message.fields, key=lambda one: one.number))
            return "o", [f"return {write}({values})"]

        def part(one):
            value = f"o[{one.name!r}]"
            if one.type.null:
                if one.key is not None:
                    return f"dict.fromkeys({value})"
                return f"[None] * len({value})" if one.repeated else "None"
            if one.type.kind is not Kind.MESSAGE or not holds(one.type.message):
                return value
            call = writer.call(one.type.message)
            if one.key is not None:
                return f"{{k: {call}(e) for k, e in {value}.items()}}"
            return f"[{call}(e) for e in {value}]" if one.repeated else f"{call}({value})"

        if message.plain and is_choice(message):
            return "o", [f"if {one.name!r} in o: return {part(one)}" for one in message.fields]
        if message.plain:
            only = message.fields[0]
            return "o", [f"return {part(only)}" + (f" if {only.name!r} in o else None" if only.optional else "")]
        lines = ["d = {}"]
        for one in message.fields:
            guard = f"if {one.name!r} in o: " if one.optional else ""
            lines.append(f"{guard}d[{one.name!r}] = {part(one)}")
        return "o", [*lines, "return d"]

    return generate.Writer("plain", root).write(of_message)


def alone(message, one):
    """The condition whether `o` is the value of a field that is written alone; None if there is no such condition."""
    if not message.plain:
        return None
    if not is_choice(message):
        return "o is not None"
    if one.type.null:
        return "o is None"
    kind = _kind(one.type, MAX_DEPTH)
    return "type(o) in (int, float)" if kind is float else f"type(o) is {kind.__name__}"


def put(plain, message, known):
    """The inverse: the domain's dict. What does not fit is left unchanged, and refused later."""
    if message.known in known.ways:
        return known.ways[message.known][1](plain)
    if message.plain and is_choice(message):
        fits = [one for one in message.fields if _kind(one.type, MAX_DEPTH) is _kind_of_value(plain)]
        if not fits:
            raise ValueError(f"{plain!r} is not an alternative of {message.name}")
        return {fits[0].name: _put(plain, fits[0], known)}
    if message.plain:
        only = message.fields[0]
        return {} if plain is None and only.optional else {only.name: _put(plain, only, known)}
    if not isinstance(plain, dict):
        raise ValueError(f"{message.name} is not an object")
    fields = {one.name: one for one in message.fields}
    return {name: _put(part, fields[name], known) if name in fields else part for name, part in plain.items()}


def _kind_of_value(plain):
    return float if type(plain) is int else type(plain)


def _put(part, one, known):
    if one.type.null:
        name = next(iter(one.type.numbers))

        def whole(element):
            if element is not None:
                raise ValueError(f"{element!r} in the place of null")
            return name

    elif one.type.kind is Kind.MESSAGE:

        def whole(element):
            return put(element, one.type.message, known)

    else:
        return part
    if one.key is not None:
        return {key: whole(element) for key, element in part.items()}
    return [whole(element) for element in part] if one.repeated else whole(part)
