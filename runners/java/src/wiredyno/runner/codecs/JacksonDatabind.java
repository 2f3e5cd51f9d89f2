package wiredyno.runner.codecs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import wiredyno.runner.Codec;
import wiredyno.runner.Values;

/** Jackson's databind over the domain's objects, in the format of a factory: one writer and one reader for the class, kept. */
public final class JacksonDatabind extends Codec {
    private final Values values;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    public JacksonDatabind(Values values, JsonFactory format) {
        this.values = values;
        ObjectMapper mapper = new ObjectMapper(format);
        writer = mapper.writerFor(values.root());
        reader = mapper.readerFor(values.root());
    }

    @Override
    public byte[] encode(Object built) throws Exception {
        return writer.writeValueAsBytes(built);
    }

    @Override
    public Object decode(byte[] body) throws Exception {
        return reader.readValue(body);
    }

    @Override
    public long read(Object decoded) {
        return values.read(decoded);
    }
}
