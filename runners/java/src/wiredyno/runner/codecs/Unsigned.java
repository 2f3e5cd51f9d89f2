package wiredyno.runner.codecs;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;
import java.math.BigInteger;

/**
 * 64 bits without a sign in Jackson: a {@code long} of the same bits, as protobuf-java and Avro have it, that becomes the number it stands
 * for. Only numbers beyond Java's largest long need a BigInteger.
 */
public final class Unsigned {
    private static final BigInteger BEYOND = BigInteger.ONE.shiftLeft(Long.SIZE);

    private Unsigned() {}

    public static void write(JsonGenerator out, long value) throws IOException {
        if (value >= 0) {
            out.writeNumber(value);
        } else {
            out.writeNumber(BigInteger.valueOf(value).add(BEYOND));
        }
    }

    public static long read(JsonParser in) throws IOException {
        if (!in.hasToken(JsonToken.VALUE_NUMBER_INT)) {
            throw new com.fasterxml.jackson.core.JsonParseException(in, "no whole number");
        }
        if (in.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            long value = in.getLongValue();
            if (value < 0) {
                throw new com.fasterxml.jackson.core.JsonParseException(in, "a number below 0");
            }
            return value;
        }
        BigInteger value = in.getBigIntegerValue();
        if (value.signum() < 0 || value.bitLength() > Long.SIZE) {
            throw new com.fasterxml.jackson.core.JsonParseException(in, "a number of more than 64 bits without a sign");
        }
        return value.longValue();
    }

    /** Of a property, or of a list's or map's values. */
    public static final class Writer extends JsonSerializer<Long> {
        @Override
        public void serialize(Long value, JsonGenerator out, SerializerProvider provider) throws IOException {
            write(out, value);
        }
    }

    /** Likewise. */
    public static final class Reader extends JsonDeserializer<Long> {
        @Override
        public Long deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return read(in);
        }
    }

    /** Of a map's keys, which are texts. */
    public static final class KeyWriter extends JsonSerializer<Long> {
        @Override
        public void serialize(Long value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeFieldName(Long.toUnsignedString(value));
        }
    }

    /** Likewise. */
    public static final class KeyReader extends KeyDeserializer {
        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return Long.parseUnsignedLong(key);
        }
    }
}
