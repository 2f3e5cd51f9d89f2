package wiredyno.runner.codecs;

import java.io.ByteArrayOutputStream;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import wiredyno.runner.Codec;

/** One datum of Avro's binary encoding without header; writer, reader, encoder, decoder and the output's room are kept, as its documentation advises. */
public abstract class AvroRecords<T> extends Codec {
    private DatumWriter<T> writer;
    private DatumReader<T> reader;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private BinaryEncoder encoder;
    private BinaryDecoder decoder;

    final void use(DatumWriter<T> writer, DatumReader<T> reader) {
        this.writer = writer;
        this.reader = reader;
    }

    @Override
    @SuppressWarnings("unchecked")
    public final byte[] encode(Object built) throws Exception {
        out.reset();
        encoder = EncoderFactory.get().binaryEncoder(out, encoder);
        writer.write((T) built, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    @Override
    public final Object decode(byte[] body) throws Exception {
        decoder = DecoderFactory.get().binaryDecoder(body, decoder);
        return reader.read(null, decoder);
    }
}
