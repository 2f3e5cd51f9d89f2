package wiredyno;

import com.siemens.ct.exi.core.EXIFactory;
import com.siemens.ct.exi.core.FidelityOptions;
import com.siemens.ct.exi.core.helpers.DefaultEXIFactory;
import com.siemens.ct.exi.grammars.GrammarFactory;
import com.siemens.ct.exi.main.api.sax.EXIResult;
import com.siemens.ct.exi.main.api.sax.EXISource;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import org.xml.sax.Attributes;
import org.xml.sax.ContentHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;
import org.xml.sax.helpers.AttributesImpl;
import org.xml.sax.helpers.DefaultHandler;

/**
 * EXIficient, bit-packed, schema-informed, without cookie or options in the header.
 *
 * <p>Without arguments it answers requests, one per line, words separated by tabs, bytes in hexadecimal:
 * {@code schema FILE strict|default} (answer {@code ok}), {@code encode XML}, {@code decode EXI}. An answer that
 * begins with {@code error} reports what went wrong.
 *
 * <p>{@code time FILE strict|default XML-FILE CALLS ROUNDS} times itself and prints a line of JSON per round:
 * nanoseconds per call of encode (SAX events recorded before, so that no XML is parsed inside the clock,
 * into a fresh buffer) and decode (bytes into SAX events, whose characters are counted). The first rounds warm the
 * virtual machine up. Results are compared outside the clock.
 */
public final class Exificient {
  private final EXIFactory factory = DefaultEXIFactory.newInstance();

  private Exificient(String schema, String mode) throws Exception {
    factory.setGrammars(GrammarFactory.newInstance().createGrammars(schema));
    factory.setFidelityOptions(
        mode.equals("strict") ? FidelityOptions.createStrict() : FidelityOptions.createDefault());
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].equals("time")) {
      new Exificient(arguments[1], arguments[2])
          .time(
              Files.readAllBytes(Paths.get(arguments[3])),
              Integer.parseInt(arguments[4]),
              Integer.parseInt(arguments[5]));
      return;
    }
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    PrintStream output = new PrintStream(System.out, false, "US-ASCII");
    Exificient exificient = null;
    String line;
    while ((line = input.readLine()) != null) {
      String[] words = line.split("\t", -1);
      try {
        switch (words[0]) {
          case "schema":
            exificient = new Exificient(words[1], words[2]);
            output.println("ok");
            break;
          case "encode":
            output.println(hex(exificient.encode(bytes(words[1]))));
            break;
          case "decode":
            output.println(hex(exificient.decode(bytes(words[1]))));
            break;
          default:
            output.println("error\tno request `" + words[0] + "`");
        }
      } catch (Exception error) {
        output.println("error\t" + String.valueOf(error).replaceAll("\\s+", " "));
      }
    }
    output.flush();
  }

  private byte[] encode(byte[] xml) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EXIResult result = new EXIResult(factory);
    result.setOutputStream(out);
    parse(xml, result.getHandler());
    return out.toByteArray();
  }

  private byte[] decode(byte[] exi) throws Exception {
    EXISource source = new EXISource(factory);
    source.setInputSource(new InputSource(new ByteArrayInputStream(exi)));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Transformer transformer = TransformerFactory.newInstance().newTransformer();
    transformer.setOutputProperty(OutputKeys.ENCODING, "UTF-8");
    transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
    transformer.transform(source, new StreamResult(out));
    return out.toByteArray();
  }

  private static void parse(byte[] xml, ContentHandler handler) throws Exception {
    SAXParserFactory parsers = SAXParserFactory.newInstance();
    parsers.setNamespaceAware(true);
    XMLReader reader = parsers.newSAXParser().getXMLReader();
    reader.setContentHandler(handler);
    reader.parse(new InputSource(new ByteArrayInputStream(xml)));
  }

  private void time(byte[] xml, int calls, int rounds) throws Exception {
    Recorded recorded = new Recorded();
    parse(xml, recorded);
    byte[] expected = encode(xml);
    for (int round = 0; round < rounds; round++) {
      byte[] bytes = null;
      long start = System.nanoTime();
      for (int call = 0; call < calls; call++) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(expected.length);
        EXIResult result = new EXIResult(factory);
        result.setOutputStream(out);
        recorded.replay(result.getHandler());
        bytes = out.toByteArray();
      }
      double encodeNs = (System.nanoTime() - start) / (double) calls;
      Counter counter = new Counter();
      start = System.nanoTime();
      for (int call = 0; call < calls; call++) {
        EXISource source = new EXISource(factory);
        XMLReader reader = source.getXMLReader();
        reader.setContentHandler(counter);
        reader.parse(new InputSource(new ByteArrayInputStream(expected)));
      }
      double decodeNs = (System.nanoTime() - start) / (double) calls;
      if (!Arrays.equals(bytes, expected) || counter.elements != (long) calls * recorded.elements) {
        throw new IllegalStateException("the timed loop produced something else than outside of it");
      }
      System.out.printf(
          java.util.Locale.ROOT,
          "{\"round\":%d,\"encode_ns\":%.1f,\"decode_ns\":%.1f,\"bytes\":%d,\"calls\":%d}%n",
          round, encodeNs, decodeNs, expected.length, calls);
    }
  }

  /** SAX events, recorded for replay. */
  private static final class Recorded extends DefaultHandler {
    private final List<Object> events = new ArrayList<>();
    private final Attributes none = new AttributesImpl();
    private int elements;

    @Override
    public void startElement(String uri, String local, String name, Attributes attributes) {
      events.add(new String[] {uri.intern(), local.intern(), name.intern()});
      elements++;
    }

    @Override
    public void characters(char[] text, int start, int length) {
      events.add(Arrays.copyOfRange(text, start, start + length));
    }

    @Override
    public void endElement(String uri, String local, String name) {
      events.add(null);
    }

    void replay(ContentHandler handler) throws SAXException {
      handler.startDocument();
      String[][] open = new String[elements + 1][];
      int depth = 0;
      for (Object event : events) {
        if (event instanceof String[]) {
          String[] name = (String[]) event;
          open[depth++] = name;
          handler.startElement(name[0], name[1], name[2], none);
        } else if (event instanceof char[]) {
          char[] text = (char[]) event;
          handler.characters(text, 0, text.length);
        } else {
          String[] name = open[--depth];
          handler.endElement(name[0], name[1], name[2]);
        }
      }
      handler.endDocument();
    }
  }

  /** Counts the events that it receives, so that no work is optimised away. */
  private static final class Counter extends DefaultHandler {
    private long elements;
    private long characters;

    @Override
    public void startElement(String uri, String local, String name, Attributes attributes) {
      elements++;
    }

    @Override
    public void characters(char[] text, int start, int length) {
      characters += length;
    }
  }

  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length * 2);
    for (byte value : bytes) {
      text.append(Character.forDigit(value >> 4 & 15, 16)).append(Character.forDigit(value & 15, 16));
    }
    return text.toString();
  }

  private static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int at = 0; at < bytes.length; at++) {
      bytes[at] = (byte) Integer.parseInt(hex.substring(at * 2, at * 2 + 2), 16);
    }
    return bytes;
  }
}
