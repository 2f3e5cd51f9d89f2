package wiredyno.runner.codecs;

import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/** Avro's generated classes. */
public abstract class AvroSpecificRecords extends AvroRecords<SpecificRecord> {
    protected AvroSpecificRecords(Schema schema, Class<? extends SpecificRecord> of) {
        use(new SpecificDatumWriter<>(schema), new SpecificDatumReader<>(schema, schema, new org.apache.avro.specific.SpecificData(of.getClassLoader())));
    }
}
