"""Writes a list of messages with one definition and reads it with the other, in both directions, with one language's library.

The folder holds old/log.* and new/log.*. Prints a line for the old reader with new bytes and one for the new reader with
old bytes: `reads`, `refuses: why` or `garbles: what`.

One file because each language is a few lines, and all of them write and read the same values.
"""

import importlib
import json
import os
import re
import struct
import subprocess
import sys

OLD = {"number": [7, 8], "name": ["hey", "you"], "value": [2.5, 0.5]}
FIELDS = {"add-field": {**OLD, "extra": [9, 10]}, "remove-field": {name: OLD[name] for name in ("name", "value")}}


def log(fields):
    """The value that a writer with these fields writes."""
    return {"readings": [{name: fields[name][at] for name in fields} for at in (0, 1)], "last": 77}


class Refused(Exception):
    """A reader rejects the bytes."""


def run(*command, given=None, where="."):
    done = subprocess.run(command, input=given, capture_output=True, cwd=where)
    if done.returncode < 0:
        raise ValueError(f"{command[0]} crashed with signal {-done.returncode}")
    if done.returncode:
        raise Refused((done.stderr or done.stdout).decode(errors="replace").strip()[:200])
    return done.stdout


def module(side, name, *command):
    """A module that a compiler writes to old/ or new/; both have the same name, so it must be loaded anew each time."""
    run(*command, where=side)
    for known in [known for known in sys.modules if known.split(".")[0] == name.split(".")[0]]:
        del sys.modules[known]
    sys.path.insert(0, os.path.abspath(side))
    importlib.invalidate_caches()
    made = importlib.import_module(name)
    sys.path.pop(0)
    return made


class Proto:
    def __init__(self, side):
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        run("protoc", "-o", "set", "log.proto", where=side)
        with open(f"{side}/set", "rb") as file:
            found = descriptor_pb2.FileDescriptorSet.FromString(file.read())
        pool = descriptor_pool.DescriptorPool()
        for file in found.file:
            pool.Add(file)
        named = pool.FindMessageTypeByName("constructs.tried.Log")
        self.message = message_factory.GetMessageClass(named)

    def write(self, value):
        return self.message(**value).SerializeToString()

    def read(self, octets):
        from google.protobuf.message import DecodeError

        try:
            found = self.message.FromString(octets)
        except DecodeError as error:
            raise Refused(error) from error
        return plain(found, [field.name for field in found.readings[0].DESCRIPTOR.fields] if found.readings else [])


def plain(found, names):
    """Converts an object of generated code to a plain value."""
    readings = [{name: getattr(reading, name) for name in names} for reading in found.readings]
    return {"readings": readings, "last": found.last}


class Thrift:
    def __init__(self, side):
        self.types = module(side, "log.ttypes", "thrift", "--gen", "py", "-out", ".", "log.thrift")

    def write(self, value):
        from thrift.TSerialization import serialize

        readings = [self.types.Reading(**reading) for reading in value["readings"]]
        return serialize(self.types.Log(readings=readings, last=value["last"]))

    def read(self, octets):
        from thrift.protocol.TProtocol import TProtocolException
        from thrift.TSerialization import deserialize

        try:
            found = deserialize(self.types.Log(), octets)
        except (TProtocolException, EOFError) as error:
            raise Refused(error) from error
        return plain(found, [field[2] for field in self.types.Reading.thrift_spec if field])


class Avro:
    def __init__(self, side, with_):
        import fastavro

        with open(f"{side}/log.avsc", encoding="utf-8") as file:
            self.schema = fastavro.parse_schema(json.load(file))
        self.alone = with_ == "alone"

    def write(self, value):
        import io

        import fastavro

        out = io.BytesIO()
        fastavro.schemaless_writer(out, self.schema, value)
        return (self.schema, out.getvalue())

    def read(self, written):
        import io

        import fastavro

        writer, octets = written
        given = io.BytesIO(octets)
        try:
            if self.alone:
                found = fastavro.schemaless_reader(given, self.schema)
                if given.read():
                    raise Refused("octets are left over")
                return found
            return fastavro.schemaless_reader(given, writer, self.schema)
        except (fastavro.read.SchemaResolutionError, EOFError, UnicodeDecodeError, struct.error) as error:
            raise Refused(f"{type(error).__name__}: {error}") from error


class Capnp:
    def __init__(self, side):
        self.side = side

    def write(self, value):
        def text(value):
            if isinstance(value, dict):
                return "(" + ", ".join(f"{name} = {text(member)}" for name, member in value.items()) + ")"
            if isinstance(value, list):
                return "[" + ", ".join(map(text, value)) + "]"
            return json.dumps(value)

        return run("capnp", "encode", "log.capnp", "Log", given=text(value).encode(), where=self.side)

    def read(self, octets):
        found = run("capnp", "convert", "binary:json", "log.capnp", "Log", given=octets, where=self.side)
        found = json.loads(found)
        names = {"obsoleteNumber": None}
        for reading in found["readings"]:
            for name in names:
                reading.pop(name, None)
        return found


class FlatBuffers:
    def __init__(self, side):
        self.side = side

    def write(self, value):
        with open(f"{self.side}/value.json", "w", encoding="utf-8") as file:
            json.dump(value, file)
        run("flatc", "--binary", "log.fbs", "value.json", where=self.side)
        with open(f"{self.side}/value.bin", "rb") as file:
            return file.read()

    def read(self, octets):
        with open(f"{self.side}/given.bin", "wb") as file:
            file.write(octets)
        arguments = ("--json", "--strict-json", "--raw-binary", "--defaults-json")
        run("flatc", *arguments, "log.fbs", "--", "given.bin", where=self.side)
        with open(f"{self.side}/given.json", encoding="utf-8", errors="strict") as file:
            return json.load(file)


class Asn1:
    def __init__(self, side, with_):
        import asn1tools

        self.types = asn1tools.compile_files(f"{side}/log.asn", with_ or "uper")

    def write(self, value):
        readings = [
            {name: struct.pack(">d", member) if name == "value" else member for name, member in reading.items()}
            for reading in value["readings"]
        ]
        return self.types.encode("Log", {"readings": readings, "last": value["last"]})

    def read(self, octets):
        import asn1tools

        try:
            found = self.types.decode("Log", octets)
        except (asn1tools.DecodeError, UnicodeDecodeError) as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
        for reading in found["readings"]:
            (reading["value"],) = struct.unpack(">d", reading["value"])
        return found


class Xml:
    """The schema decides: values are text and are not compared."""

    def __init__(self, side):
        self.side = side

    def write(self, value):
        readings = "".join(
            "<readings>" + "".join(f"<{name}>{member}</{name}>" for name, member in reading.items()) + "</readings>"
            for reading in value["readings"]
        )
        return f"<Log>{readings}<last>{value['last']}</last></Log>".encode()

    def read(self, octets):
        import xml.etree.ElementTree as tree

        with open(f"{self.side}/given.xml", "wb") as file:
            file.write(octets)
        run("xmllint", "--noout", "--schema", "log.xsd", "given.xml", where=self.side)
        kinds = {"name": str, "value": float}
        readings = [
            {member.tag: kinds.get(member.tag, int)(member.text) for member in reading}
            for reading in tree.fromstring(octets).findall("readings")
        ]
        return {"readings": readings, "last": int(tree.fromstring(octets).find("last").text)}


class Lcm:
    def __init__(self, side):
        self.types = module(side, "wiredyno", "lcm-gen", "-p", "--ppath", ".", "log.lcm")

    def write(self, value):
        found = self.types.Log()
        found.readings_count, found.last = len(value["readings"]), value["last"]
        found.readings = []
        for reading in value["readings"]:
            made = self.types.Reading()
            for name, member in reading.items():
                setattr(made, name, member)
            found.readings.append(made)
        return found.encode()

    def read(self, octets):
        try:
            found = self.types.Log.decode(octets)
        except ValueError as error:
            raise Refused(error) from error
        return plain(found, self.types.Reading.__slots__)


class Ros:
    """Subscribers compare the MD5 sums of definitions before any message is sent."""

    def __init__(self, side):
        from genpy.dynamic import generate_dynamic

        with open(f"{side}/log.msg", encoding="utf-8") as file:
            self.types = generate_dynamic("wiredyno/Log", file.read())
        self.log = self.types["wiredyno/Log"]

    def write(self, value):
        import io

        readings = [self.types["wiredyno/Reading"](**reading) for reading in value["readings"]]
        out = io.BytesIO()
        self.log(readings=readings, last=value["last"]).serialize(out)
        return (self.log._md5sum, out.getvalue())

    def read(self, written):
        md5sum, octets = written
        if md5sum != self.log._md5sum:
            raise Refused(f"MD5 sum {md5sum} is not {self.log._md5sum}")
        found = self.log().deserialize(octets)
        return plain(found, self.types["wiredyno/Reading"].__slots__)


class Cdr:
    """Classes of Cyclone DDS's Python library, whose members have the definition's numbers."""

    IDS = {"number": 1, "name": 2, "value": 3, "extra": 4}

    def __init__(self, fields, with_):
        import dataclasses

        from cyclonedds.idl import IdlStruct, annotations, types

        extensibility = getattr(annotations, with_)
        kinds = {"number": types.uint32, "name": str, "value": types.float64, "extra": types.uint32}
        self.names = [name for name in self.IDS if name in fields]

        def made(name, members):
            ids = {"readings": 1, "last": 2, **self.IDS} if with_ == "mutable" else {}
            space = {"members": members, "IdlStruct": IdlStruct, "member_id": annotations.member_id}
            numbered = [f"    member_id('{member}', {ids[member]})" for member in members if ids]
            lines = [f"class Made(IdlStruct, typename='tried.{name}'):", "    __annotations__ = members", *numbered]
            exec("\n".join(lines), space)
            return dataclasses.dataclass(extensibility(space["Made"]))

        self.reading = made("Reading", {name: kinds[name] for name in self.names})
        self.log = made("Log", {"readings": types.sequence[self.reading], "last": types.uint32})

    def write(self, value):
        readings = [self.reading(**reading) for reading in value["readings"]]
        return self.log(readings=readings, last=value["last"]).serialize()

    def read(self, octets):
        try:
            return plain(self.log.deserialize(octets), self.names)
        except struct.error as error:
            raise Refused(error) from error


class Netstrings:
    """A writer and reader of the layout: magic, length, fields as id, size and value, a comma; numbers are big-endian."""

    def __init__(self, side):
        with open(f"{side}/log.odvd", encoding="utf-8") as file:
            messages = re.findall(r"message (\w+) \[id = \d+\] \{(.*?)\}", file.read(), re.S)
        member = re.compile(r"(?:list<)?(\w+)>? (\w+) \[id = (\d+)\];")
        self.messages = {
            name: {int(number): (field, kind) for kind, field, number in member.findall(body)}
            for name, body in messages
        }

    def message(self, name, value):
        fields = b""
        for number, (field, kind) in self.messages[name].items():
            if field in value:
                octets = self.element(kind, value[field])
                fields += struct.pack(">II", number, len(octets)) + octets
        return b"\xaa\xcf" + struct.pack(">I", len(fields)) + fields + b","

    def element(self, kind, value):
        if kind in self.messages:
            return struct.pack(">I", len(value)) + b"".join(self.message(kind, element) for element in value)
        if kind == "string":
            return struct.pack(">I", len(value.encode())) + value.encode()
        return struct.pack({"uint32": ">I", "double": ">d"}[kind], value)

    def write(self, value):
        return self.message("Log", value)

    def read(self, octets):
        value, rest = self.taken("Log", octets)
        if rest:
            raise Refused("octets are left over")
        return value

    def taken(self, name, octets):
        """The message at the front of the octets, and the rest; fields with other ids are skipped."""
        if octets[:2] != b"\xaa\xcf":
            raise Refused("no magic")
        (length,) = struct.unpack(">I", octets[2:6])
        inside, rest, value = octets[6 : 6 + length], octets[7 + length :], {}
        while inside:
            number, size = struct.unpack(">II", inside[:8])
            part, inside = inside[8 : 8 + size], inside[8 + size :]
            field, kind = self.messages[name].get(number, (None, None))
            if field and kind in self.messages:
                (count,), part, value[field] = struct.unpack(">I", part[:4]), part[4:], []
                for _ in range(count):
                    element, part = self.taken(kind, part)
                    value[field].append(element)
            elif field and kind == "string":
                value[field] = part[4:].decode()
            elif field:
                (value[field],) = struct.unpack({"uint32": ">I", "double": ">d"}[kind], part)
        return value, rest


LANGUAGES = {
    "odvd": lambda side, fields, with_: Netstrings(side),
    "proto": lambda side, fields, with_: Proto(side),
    "thrift": lambda side, fields, with_: Thrift(side),
    "avsc": lambda side, fields, with_: Avro(side, with_),
    "capnp": lambda side, fields, with_: Capnp(side),
    "fbs": lambda side, fields, with_: FlatBuffers(side),
    "asn1": lambda side, fields, with_: Asn1(side, with_),
    "xsd": lambda side, fields, with_: Xml(side),
    "lcm": lambda side, fields, with_: Lcm(side),
    "rosmsg": lambda side, fields, with_: Ros(side),
    "omg-idl": lambda side, fields, with_: Cdr(fields, with_),
}


def outcome(written, reader, knows, wrote):
    """How a reader with some fields handles the output of a writer with others."""
    try:
        found = reader.read(written)
    except Refused as refused:
        return f"refuses: {refused}".replace("\n", " ")
    except Exception as error:  # noqa: BLE001 - no answer that its users could rely on
        return f"garbles: {type(error).__name__}: {error}".replace("\n", " ")
    expected = log(wrote)
    same = len(found["readings"]) == 2 and found["last"] == expected["last"]
    for at, reading in enumerate(found["readings"]):
        for name in knows:
            mine = reading.get(name)
            same = same and (mine == wrote[name][at] if name in wrote else not mine)
    return "reads" if same else f"garbles: {found}"


if __name__ == "__main__":
    language, change, with_ = sys.argv[1:]
    make, new = LANGUAGES[language], FIELDS[change]
    old_side, new_side = make("old", OLD, with_), make("new", new, with_)
    # The rest is meaningful only if each side reads its own output.
    for side, fields in ((old_side, OLD), (new_side, new)):
        own = outcome(side.write(log(fields)), side, fields, fields)
        if own != "reads":
            sys.exit(f"{language} does not read its own: {own}")
    print(outcome(new_side.write(log(new)), old_side, OLD, new))
    print(outcome(old_side.write(log(OLD)), new_side, new, OLD))
