"""Reads the Rust codecs' bytes with the formats' own Python libraries and rewrites them.

argv: format, folder. The folder holds `<payload>/values.jsonl`, one object a line: hex, json (the value as plain JSON
with enum numbers); and what the format needs beside it. Prints how many values were equal.
"""
import base64
import importlib.util
import json
import math
import pathlib
import sys


def equal(found, wanted, path=""):
    """None, or the path of the first difference. Empty and absent are equal if the format does not distinguish them."""
    if found is None or found == [] or found == {} or found == "":
        return None if wanted in (None, "", [], {}) else path
    if isinstance(wanted, str) and isinstance(found, (bytes, bytearray)):
        return None if base64.b64encode(found).decode() == wanted else path
    if isinstance(wanted, str) and isinstance(found, list):
        return None if base64.b64encode(bytes(found)).decode() == wanted else path
    if isinstance(wanted, str) and isinstance(found, float):
        return None if math.isclose(float(wanted), found) or wanted == "NaN" and math.isnan(found) else path
    if isinstance(wanted, dict) and isinstance(found, list):
        found = {key_text(entry.get("key", "")): entry.get("value") for entry in found}
    if isinstance(wanted, dict) and isinstance(found, dict):
        found = {key_text(key): value for key, value in found.items()}
        for key in sorted(wanted.keys() | found.keys()):
            different = equal(found.get(key), wanted.get(key), f"{path}.{key}")
            if different:
                return different
        return None
    if isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            return path
        pairs = enumerate(zip(found, wanted, strict=False))
        return next((d for i, (f, w) in pairs if (d := equal(f, w, f"{path}[{i}]"))), None)
    if isinstance(wanted, float) or isinstance(found, float):
        return None if math.isclose(float(found), float(wanted), rel_tol=1e-6) else path
    if isinstance(wanted, int) and isinstance(found, (int, str)) and not isinstance(wanted, bool):
        return None if int(found) % 2**64 == wanted % 2**64 else path
    # Absent numbers and flags are zero where the format leaves defaults out.
    return None if found == wanted or found is None and not wanted else path


def key_text(key):
    return {True: "true", False: "false"}[key] if isinstance(key, bool) else str(key)


class Thrift:
    """Apache's library with the code of Apache's compiler; its classes are found by their names."""

    def __init__(self, folder):
        from thrift.protocol import TBinaryProtocol, TCompactProtocol
        from thrift.transport import TTransport
        self.memory = TTransport.TMemoryBuffer
        spec = importlib.util.spec_from_file_location("ttypes", next(folder.glob("gen/**/ttypes.py")))
        self.types = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.types)
        self.root = (folder / "root").read_text()
        self.ascending = (folder / "ascending").exists()
        variant = (folder / "variant").read_text()
        self.protocol = TBinaryProtocol.TBinaryProtocol if variant == "binary" else self.compact(TCompactProtocol)

    @staticmethod
    def compact(module):
        """Apache's compact protocol with one change: a field number 15 above the previous one is written in one byte by
        Apache's Python and in three by Apache's Rust; the protocol allows both."""
        class AsInRust(module.TCompactProtocol):
            def _TCompactProtocol__writeFieldHeader(self, type, fid):
                if fid - self._TCompactProtocol__last_fid != 15:
                    return super()._TCompactProtocol__writeFieldHeader(type, fid)
                self._TCompactProtocol__writeByte(type)
                self._TCompactProtocol__writeI16(fid)
                self._TCompactProtocol__last_fid = fid
        return AsInRust

    def read(self, data):
        value = getattr(self.types, self.root)()
        value.read(self.protocol(self.memory(data)))
        return value

    def write(self, value):
        into = self.memory()
        value.write(self.protocol(into))
        return into.getvalue()

    def is_canonical(self, _):
        """Apache's code writes fields in the order of their numbers, ours in the definition's. Both are allowed."""
        return self.ascending

    def plain(self, value):
        if hasattr(value, "thrift_spec"):
            # Thrift's reserved words get a trailing underscore in the lowered definition.
            fields = {name.removesuffix("_"): inner for name, inner in vars(value).items()}
            return {name: self.plain(inner) for name, inner in fields.items() if inner is not None}
        if isinstance(value, dict):
            return {key: self.plain(inner) for key, inner in value.items()}
        return [self.plain(inner) for inner in value] if isinstance(value, list) else value


class Protobuf:
    """Google's library with the descriptor of message.proto."""

    def __init__(self, folder):
        from google.protobuf import (
            descriptor_pb2,
            descriptor_pool,
            json_format,
            message_factory,
        )
        files = descriptor_pb2.FileDescriptorSet.FromString((folder / "descriptor.bin").read_bytes())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        self.type = message_factory.GetMessageClass(pool.FindMessageTypeByName((folder / "root").read_text()))
        self.format = json_format

    def read(self, data):
        return self.type.FromString(data)

    def write(self, value):
        return value.SerializeToString(deterministic=True)

    def plain(self, value):
        return self.format.MessageToDict(
            value, preserving_proto_field_name=True, use_integers_for_enums=True,
            always_print_fields_with_no_presence=True)

    def is_canonical(self, value):
        """Map entries may come in any order; Google's library writes zero keys and values, prost does not."""
        for field, inner in value.ListFields():
            entry = field.message_type if field.message_type and field.message_type.GetOptions().map_entry else None
            if entry and len(inner) > 1:
                return False
            if entry:
                of_messages = entry.fields_by_name["value"].message_type
                for key in inner:
                    empty = not inner[key].ListFields() if of_messages else not inner[key]
                    if not key or empty or of_messages and not self.is_canonical(inner[key]):
                        return False
            elif field.message_type:
                each = [inner] if hasattr(inner, "ListFields") else inner
                if not all(map(self.is_canonical, each)):
                    return False
        return True


class Bson:
    """MongoDB's library."""

    def __init__(self, _):
        import bson
        self.read, self.write = bson.decode, bson.encode

    def plain(self, value):
        return value


library = {"thrift": Thrift, "protobuf": Protobuf, "bson": Bson}[sys.argv[1]]
checked = 0
for folder in sorted(pathlib.Path(sys.argv[2]).iterdir()):
    codec = library(folder)
    for line in (folder / "values.jsonl").read_text().splitlines():
        case = json.loads(line)
        data = bytes.fromhex(case["hex"])
        value = codec.read(data)
        different = equal(codec.plain(value), case["json"])
        if different:
            sys.exit(f"{sys.argv[1]} over {folder.name} differs at {different}:\n  {codec.plain(value)}\n  {case['json']}")
        again = codec.write(value)
        if again != data and getattr(codec, "is_canonical", lambda _: True)(value):
            at = next((i for i, (one, other) in enumerate(zip(again, data, strict=False)) if one != other), 0)
            near = slice(max(at - 8, 0), at + 40)
            sys.exit(f"{sys.argv[1]} over {folder.name} writes other bytes from {at} of {len(data)} on:\n"
                     f"  {again[near].hex()}\n  {data[near].hex()}\n  {case['json']}")
        checked += 1
print(checked)
