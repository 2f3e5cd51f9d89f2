package wiredyno.runner.codecs;

import com.siemens.ct.exi.core.EXIFactory;
import com.siemens.ct.exi.core.FidelityOptions;
import com.siemens.ct.exi.core.helpers.DefaultEXIFactory;
import com.siemens.ct.exi.grammars.GrammarFactory;
import com.siemens.ct.exi.main.api.stream.StAXDecoder;
import com.siemens.ct.exi.main.api.stream.StAXEncoder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import wiredyno.runner.Codec;
import wiredyno.runner.Values;

/** EXIficient through StAX: no XML text is written or parsed. Values are texts, as they are to StAX. */
public final class ExiDocuments extends Codec {
    /** The code around a writer and a reader, generated for the definition. */
    public interface Walk {
        void write(XMLStreamWriter out, Object value) throws Exception;

        Object read(XMLStreamReader in) throws Exception;
    }

    private final Values values;
    private final Walk walk;
    private final EXIFactory factory = DefaultEXIFactory.newInstance();

    /** Over a schema's text, or none. */
    public ExiDocuments(Values values, Walk walk, String schema, boolean strict) throws Exception {
        this.values = values;
        this.walk = walk;
        if (schema != null) {
            factory.setGrammars(GrammarFactory.newInstance().createGrammars(new ByteArrayInputStream(schema.getBytes(StandardCharsets.UTF_8))));
        }
        factory.setFidelityOptions(strict ? FidelityOptions.createStrict() : FidelityOptions.createDefault());
    }

    @Override
    public byte[] encode(Object built) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StAXEncoder writer = new StAXEncoder(factory);
        writer.setOutputStream(out);
        writer.writeStartDocument();
        walk.write(writer, built);
        writer.writeEndDocument();
        writer.flush();
        return out.toByteArray();
    }

    @Override
    public Object decode(byte[] body) throws Exception {
        StAXDecoder reader = new StAXDecoder(factory);
        reader.setInputStream(new ByteArrayInputStream(body));
        if (!begins(reader)) {
            throw new XMLStreamException("a document without an element");
        }
        return walk.read(reader);
    }

    @Override
    public long read(Object decoded) {
        return values.read(decoded);
    }

    /** Goes to the next element's begin, or to the end of the open one: whether it is a begin. */
    public static boolean begins(XMLStreamReader in) throws XMLStreamException {
        for (;;) {
            switch (in.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    return true;
                }
                case XMLStreamConstants.END_ELEMENT, XMLStreamConstants.END_DOCUMENT -> {
                    return false;
                }
                case XMLStreamConstants.CHARACTERS -> throw new XMLStreamException("text in the place of an element");
                default -> { }
            }
        }
    }

    /** The next element's begin, which must be of this name. */
    public static void next(XMLStreamReader in, String name) throws XMLStreamException {
        if (!begins(in) || !in.getLocalName().equals(name)) {
            throw new XMLStreamException("no element `" + name + "`");
        }
    }

    /** The end of the open element. */
    public static void end(XMLStreamReader in) throws XMLStreamException {
        if (begins(in)) {
            throw unknown(in);
        }
    }

    public static XMLStreamException unknown(XMLStreamReader in) {
        return new XMLStreamException("an element `" + in.getLocalName() + "` that has no place there");
    }

    /** The text of the open element, up to its end. */
    public static String text(XMLStreamReader in) throws XMLStreamException {
        String text = "";
        for (;;) {
            switch (in.next()) {
                case XMLStreamConstants.CHARACTERS -> text = text.isEmpty() ? in.getText() : text + in.getText();
                case XMLStreamConstants.END_ELEMENT -> {
                    return text;
                }
                case XMLStreamConstants.START_ELEMENT, XMLStreamConstants.END_DOCUMENT -> throw new XMLStreamException("no text");
                default -> { }
            }
        }
    }

    // XML Schema's words for what Java calls Infinity.

    public static String text(double value) {
        return Double.isInfinite(value) ? value > 0 ? "INF" : "-INF" : Double.toString(value);
    }

    public static String text(float value) {
        return Float.isInfinite(value) ? value > 0 ? "INF" : "-INF" : Float.toString(value);
    }

    public static double real(String text) {
        return Double.parseDouble(text.replace("INF", "Infinity"));
    }

    public static float single(String text) {
        return Float.parseFloat(text.replace("INF", "Infinity"));
    }

    public static boolean flag(String text) throws XMLStreamException {
        return switch (text) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw new XMLStreamException("`" + text + "` is neither true nor false");
        };
    }

    public static String text(byte[] value) {
        return Base64.getEncoder().encodeToString(value);
    }

    public static byte[] data(String text) {
        // What EXI decodes has the line ends of MIME.
        return Base64.getMimeDecoder().decode(text);
    }
}
