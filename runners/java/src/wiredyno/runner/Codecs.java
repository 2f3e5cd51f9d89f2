package wiredyno.runner;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.msgpack.jackson.dataformat.MessagePackFactory;
import wiredyno.runner.codecs.ExiDocuments;
import wiredyno.runner.codecs.JacksonDatabind;
import wiredyno.runner.codecs.JacksonStreaming;

/** What creates each codec; runner.toml has the rest. */
final class Codecs {
    /** Creates a codec: the timed set-up. Values and the definition's texts, by interface language, are there before. */
    interface Make {
        Codec of(Values values, Map<String, String> schemas) throws Exception;
    }

    /**
     * One codec.
     *
     * @param refusal the name under which definition.properties has the reason why the definition is not carried, where there is one
     * @param schema the interface language that its library reads when it is created; null for none
     */
    record Entry(String refusal, String schema, Make make) {
        /** Why it can't carry the definition; null if it can. */
        String notCarried() {
            return Made.fact("not-carried." + refusal);
        }
    }

    static final Map<String, Entry> ALL = new LinkedHashMap<>();

    static {
        // Lambdas: a library's classes are loaded when one of its codecs is created.
        describing("json/jackson", (values, schemas) -> new JacksonDatabind(values, new JsonFactory()));
        describing("json/jackson:streaming", (values, schemas) -> streaming(values, new JsonFactory()));
        describing("cbor/jackson", (values, schemas) -> new JacksonDatabind(values, new CBORFactory()));
        describing("cbor/jackson:streaming", (values, schemas) -> streaming(values, new CBORFactory()));
        describing("messagepack/jackson", (values, schemas) -> new JacksonDatabind(values, new MessagePackFactory()));
        describing("bson/mongodb", (values, schemas) -> (Codec) Made.of("BsonCodec"));
        ALL.put("avro/avro-java", new Entry("avro", null, (values, schemas) -> (Codec) Made.of("AvroSpecific")));
        ALL.put("avro/avro-java:generic", new Entry("avro", "avsc", (values, schemas) -> (Codec) Made.of("AvroGeneric", schemas.get("avsc"))));
        ALL.put("thrift/libthrift", new Entry("thrift", null, (values, schemas) -> (Codec) Made.of("ThriftCodec", "compact")));
        ALL.put("thrift/libthrift:binary", new Entry("thrift", null, (values, schemas) -> (Codec) Made.of("ThriftCodec", "binary")));
        ALL.put("flatbuffers/flatbuffers-java", new Entry("flatbuffers", null, (values, schemas) -> (Codec) Made.of("FlatBuffersCodec")));
        ALL.put("exi/exificient:strict", new Entry("exi", "xsd", (values, schemas) -> exi(values, schemas.get("xsd"), true)));
        ALL.put("exi/exificient:default", new Entry("exi", "xsd", (values, schemas) -> exi(values, schemas.get("xsd"), false)));
        ALL.put("exi/exificient:schemaless", new Entry("exi", null, (values, schemas) -> exi(values, null, false)));
        ALL.put("protobuf/protobuf-java", new Entry("protobuf", null, (values, schemas) -> (Codec) Made.of("ProtobufCodec")));
        ALL.put("protobuf/protobuf-java:lite", new Entry("protobuf", null, (values, schemas) -> (Codec) Made.of("ProtobufLiteCodec")));
    }

    private Codecs() {}

    private static void describing(String id, Make make) {
        ALL.put(id, new Entry("describing", null, make));
    }

    private static Codec exi(Values values, String schema, boolean strict) throws Exception {
        return new ExiDocuments(values, (ExiDocuments.Walk) Made.of("ExiWalk"), schema, strict);
    }

    private static Codec streaming(Values values, JsonFactory format) throws ReflectiveOperationException {
        return new JacksonStreaming(values, format, (JacksonStreaming.Walk) Made.of("StreamingWalk"));
    }
}
