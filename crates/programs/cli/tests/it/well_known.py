"""Reads samples in the proto3 JSON mapping with Google's own library: argv[1] has one per line. Prints for each the JSON that it
writes, with the names of the file and with fields that have their default, and Protobuf's bytes."""

import json
import sys

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    json_format,
    message_factory,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)

# The message of the test's w.proto: name, number, type, whether it is a list.
FIELDS = [
    ("seq", 1, "uint32", False),
    ("at", 2, "Timestamp", False),
    ("s", 3, "StringValue", False),
    ("st", 4, "Struct", False),
    ("m", 5, "FieldMask", False),
    ("took", 6, "Duration", False),
    ("any", 7, "Value", False),
    ("list", 8, "ListValue", False),
    ("wide", 9, "Int64Value", False),
    ("big", 10, "uint64", False),
    ("times", 11, "Timestamp", True),
    ("empty", 12, "Empty", False),
    ("x", 13, "double", False),
    ("raw", 14, "BytesValue", False),
    ("yes", 15, "BoolValue", False),
]

file = descriptor_pb2.FileDescriptorProto(name="w.proto", package="t", syntax="proto3")
message = file.message_type.add(name="W")
for name, number, kind, repeated in FIELDS:
    one = message.field.add(name=name, number=number, label=3 if repeated else 1)
    if kind[0].islower():
        one.type = getattr(one, f"TYPE_{kind.upper()}")
    else:
        one.type, one.type_name = one.TYPE_MESSAGE, f".google.protobuf.{kind}"
pool = descriptor_pool.DescriptorPool()
for module in (timestamp_pb2, duration_pb2, field_mask_pb2, struct_pb2, wrappers_pb2, empty_pb2):
    pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    file.dependency.append(module.DESCRIPTOR.name)
pool.Add(file)
W = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.W"))

with open(sys.argv[1]) as file:
    lines = file.readlines()
for line in lines:
    value = json_format.Parse(line, W(), descriptor_pool=pool)
    text = json_format.MessageToJson(
        value,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
        descriptor_pool=pool,
        indent=None,
    )
    text = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
    print(json.dumps({"json": text, "protobuf": value.SerializeToString(deterministic=True).hex()}))
