package wiredyno.runner.codecs;

import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** Avro's records without generated classes, with the schema parsed once. */
public abstract class AvroGenericRecords extends AvroRecords<GenericRecord> {
    private final Map<String, Schema> named = new HashMap<>();

    protected AvroGenericRecords(String text) {
        Schema schema = new Schema.Parser().parse(text);
        collect(schema);
        use(new GenericDatumWriter<>(schema), new GenericDatumReader<>(schema));
    }

    /** A record's or an enum's schema. */
    protected final Schema named(String name) {
        return named.get(name);
    }

    private void collect(Schema schema) {
        switch (schema.getType()) {
            case RECORD -> {
                if (named.put(schema.getName(), schema) == null) {
                    schema.getFields().forEach(field -> collect(field.schema()));
                }
            }
            case ENUM -> named.put(schema.getName(), schema);
            case ARRAY -> collect(schema.getElementType());
            case MAP -> collect(schema.getValueType());
            case UNION -> schema.getTypes().forEach(this::collect);
            default -> { }
        }
    }
}
