"""The codecs, by their ids. One is added by a module here and its class below; runner.toml declares it."""

from wiredyno_runner.codecs import avro, cbor, json, messagepack, protobuf

CODECS = {
    codec.id: codec
    for codec in (
        json.Json,
        json.ConfluentJson,
        json.Orjson,
        messagepack.Msgpack,
        cbor.Cbor2,
        avro.Fastavro,
        avro.ConfluentFastavro,
        avro.Avro,
        protobuf.Upb,
        protobuf.ConfluentUpb,
    )
}
