"""Reads the framed bytes of the Rust codecs with Confluent's own deserializers, and compares their framing with what its serializers write.

One JSON object a line on stdin: codec, payload, hex, body (the bytes behind the framing, as hexadecimal), json (the same value as ordinary JSON),
avsc, descriptor_set (hexadecimal) and message. The registry is the library's own mock: a new one gives its first schema the id 1.
"""
import json
import sys

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

CONTEXT = SerializationContext("records", MessageField.VALUE)
PROTOBUF = {"use.deprecated.format": False}
ANYTHING = json.dumps({"title": "Anything", "type": "object"})


def registry():
    return SchemaRegistryClient.new_client({"url": "mock://"})


def avro(case):
    client = registry()
    client.register_schema("records-value", Schema(case["avsc"], "AVRO"))
    return AvroDeserializer(client), AvroSerializer(client, case["avsc"])


def of_json(case):
    return JSONDeserializer(ANYTHING), JSONSerializer(ANYTHING, registry())


def protobuf(case):
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(bytes.fromhex(case["descriptor_set"])).file:
        pool.Add(file)
    cls = message_factory.GetMessageClass(pool.FindMessageTypeByName(case["message"]))
    return ProtobufDeserializer(cls, PROTOBUF), ProtobufSerializer(cls, registry(), PROTOBUF)


OF = {
    "avro/apache-avro:confluent": avro,
    "json/serde-json:confluent": of_json,
    "protobuf/prost:confluent": protobuf,
}

checked, made = 0, {}
for line in sys.stdin:
    case = json.loads(line)
    key = case["codec"], case["payload"]
    if key not in made:
        made[key] = OF[case["codec"]](case)
    deserializer, serializer = made[key]
    framed, body = bytes.fromhex(case["hex"]), bytes.fromhex(case["body"])
    value = deserializer(framed, CONTEXT)
    own = serializer(value, CONTEXT)
    # The id is the registry's: that of a file of Protobuf comes after those of its imports.
    head = own[:1] + framed[1:5] + own[5 : len(framed) - len(body)]
    if framed != head + body:
        sys.exit(f"{key}: {framed.hex()} begins unlike {own.hex()}")
    if case["codec"].startswith("json") and value != json.loads(case["json"]):
        sys.exit(f"{key}: {value} is not {case['json']}")
    if case["codec"].startswith("avro") and own != framed:
        sys.exit(f"{key}: {own.hex()} is not {framed.hex()}")
    if case["codec"].startswith("protobuf") and value != type(value).FromString(body):
        sys.exit(f"{key}: {json_format.MessageToJson(value)} is not the body's value")
    checked += 1
print(checked)
