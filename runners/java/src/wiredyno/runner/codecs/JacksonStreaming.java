package wiredyno.runner.codecs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import wiredyno.runner.Codec;
import wiredyno.runner.Values;

/** Jackson's streaming interface over the domain's objects, in the format of a factory: a generator and a parser for each message. */
public final class JacksonStreaming extends Codec {
    /** The code around a generator and a parser, generated for the definition. */
    public interface Walk {
        void write(JsonGenerator out, Object value) throws IOException;

        Object read(JsonParser in) throws IOException;
    }

    /** How much room the output has at first, as {@code writeValueAsBytes} gives it. */
    private static final int ROOM = 500;

    private final Values values;
    private final JsonFactory format;
    private final Walk walk;

    public JacksonStreaming(Values values, JsonFactory format, Walk walk) {
        this.values = values;
        this.format = format;
        this.walk = walk;
    }

    @Override
    public byte[] encode(Object built) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream(ROOM);
        try (JsonGenerator generator = format.createGenerator(out)) {
            walk.write(generator, built);
        }
        return out.toByteArray();
    }

    @Override
    public Object decode(byte[] body) throws Exception {
        try (JsonParser parser = format.createParser(body)) {
            parser.nextToken();
            return walk.read(parser);
        }
    }

    @Override
    public long read(Object decoded) {
        return values.read(decoded);
    }

    public static void expect(JsonParser in, JsonToken token) throws IOException {
        if (!in.hasToken(token)) {
            throw new JsonParseException(in, in.currentToken() + " instead of " + token);
        }
    }

    public static JsonParseException unknown(JsonParser in, String name) {
        return new JsonParseException(in, "no field has the name `" + name + "`");
    }

    public static String text(JsonParser in) throws IOException {
        expect(in, JsonToken.VALUE_STRING);
        return in.getText();
    }

    /** Numbers that JSON lacks are texts, as databind writes and reads them. */
    public static double real(JsonParser in) throws IOException {
        return in.hasToken(JsonToken.VALUE_STRING) ? Double.parseDouble(in.getText()) : in.getDoubleValue();
    }

    public static float single(JsonParser in) throws IOException {
        return in.hasToken(JsonToken.VALUE_STRING) ? Float.parseFloat(in.getText()) : in.getFloatValue();
    }

    public static boolean flag(JsonParser in, String key) throws IOException {
        if (key.equals("true") || key.equals("false")) {
            return key.equals("true");
        }
        throw new JsonParseException(in, "`" + key + "` is neither true nor false");
    }
}
