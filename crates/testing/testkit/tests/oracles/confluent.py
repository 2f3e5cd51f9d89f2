"""Reads the framed bytes of the Rust codecs with Confluent's own deserializers, and compares their framing with what its serializers write.

One JSON object a line on stdin: codec, payload, hex, body (the bytes behind the framing, as hexadecimal), json (the same value as ordinary JSON),
avsc, descriptor_set (hexadecimal) and message. The registry is the library's own mock: a new one gives its first schema the id 1, which is that of the codecs.
"""
import base64
import json
import sys

from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

SUBJECT = "records-value"
CONTEXT = SerializationContext("records", MessageField.VALUE)
PROTOBUF = {"use.deprecated.format": False}
REGISTERED = {"auto.register.schemas": False, "use.latest.version": True}
ANYTHING = json.dumps({"title": "Anything", "type": "object"})


def registry():
    return SchemaRegistryClient.new_client({"url": "mock://"})


def avro(case):
    client = registry()
    client.register_schema(SUBJECT, Schema(case["avsc"], "AVRO"))
    return AvroDeserializer(client), AvroSerializer(client, case["avsc"], conf=REGISTERED)


def of_json(case):
    client = registry()
    client.register_schema(SUBJECT, Schema(ANYTHING, "JSON"))
    return JSONDeserializer(ANYTHING, schema_registry_client=client), JSONSerializer(ANYTHING, client, conf=REGISTERED)


def protobuf(case):
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(bytes.fromhex(case["descriptor_set"])).file:
        pool.Add(file)
    cls = message_factory.GetMessageClass(pool.FindMessageTypeByName(case["message"]))
    client = registry()
    # A serializer registers imports first, so that the file gets a later id; here it is to get the first.
    register(client, SUBJECT, cls.DESCRIPTOR.file)
    return ProtobufDeserializer(cls, PROTOBUF, client), ProtobufSerializer(cls, client, PROTOBUF | REGISTERED)


def register(client, subject, file):
    """Registers a file of Protobuf, then what it imports, in base64 as the library's own serializer does; Google's own files need no schema."""
    imports = [one for one in file.dependencies if not one.name.startswith("google/")]
    references = [SchemaReference(one.name, one.name, 1) for one in imports]
    text = base64.standard_b64encode(file.serialized_pb).decode()
    client.register_schema(subject, Schema(text, "PROTOBUF", references))
    for one in imports:
        register(client, one.name, one)


def refuses(deserializer, data):
    try:
        deserializer(data, CONTEXT)
    except Exception:  # noqa: BLE001 - the library has no common error
        return True
    return False


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
    head = own[: len(framed) - len(body)]
    if framed != head + body:
        sys.exit(f"{key}: {framed.hex()} begins unlike {own.hex()}")
    # What follows would be no check if the library did not look at id and place.
    if not refuses(deserializer, framed[:4] + b"\x63" + framed[5:]):
        sys.exit(f"{key}: the schema 99 is known")
    if case["codec"].startswith("protobuf") and not refuses(deserializer, framed[:5] + b"\x02\x7e" + body):
        sys.exit(f"{key}: the file has a message 63")
    if case["codec"].startswith("json") and value != json.loads(case["json"]):
        sys.exit(f"{key}: {value} is not {case['json']}")
    if case["codec"].startswith("avro") and own != framed:
        sys.exit(f"{key}: {own.hex()} is not {framed.hex()}")
    if case["codec"].startswith("protobuf") and value != type(value).FromString(body):
        sys.exit(f"{key}: {json_format.MessageToJson(value)} is not the body's value")
    checked += 1
print(checked)
