package wiredyno.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;
import wiredyno.domain.Opaque;

/** The Java runner with a codec that marks its calls (docs/RUNNER.md, "Probes"), over the payload `opaque`. */
public final class Probes {
    /** The least duration of every marked call. */
    private static final long LEAST_NS = 300_000;

    private static FileChannel marks;

    private Probes() {}

    public static void main(String[] words) throws Exception {
        Path file = Path.of(System.getenv("WIREDYNO_MARKS"));
        marks = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Codecs.ALL.put("probe/java", new Codecs.Entry("probe", null, (values, schemas) -> new Probe(values)));
        Main.main(words);
    }

    private static <T> T marked(String what, byte[] data, Supplier<T> call) {
        long begin = System.nanoTime();
        T product = call.get();
        while (System.nanoTime() < begin + LEAST_NS) {
            Thread.onSpinWait();
        }
        String line = what + " " + Long.toUnsignedString(ByteBuffer.wrap(data).getLong()) + " " + begin + " " + System.nanoTime() + "\n";
        try {
            // One write each.
            marks.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return product;
    }

    /** The only field's bytes, unchanged. */
    private static final class Probe extends Codec {
        private final Values values;

        Probe(Values values) {
            this.values = values;
        }

        @Override
        public Object build(Object domain) {
            byte[] data = ((Opaque) domain).getData();
            return marked("build", data, data::clone);
        }

        @Override
        public byte[] encode(Object built) {
            byte[] data = (byte[]) built;
            return marked("encode", data, data::clone);
        }

        @Override
        public Object decode(byte[] body) {
            return marked("decode", body, () -> {
                Opaque made = new Opaque();
                made.setData(body.clone());
                return made;
            });
        }

        @Override
        public long read(Object decoded) {
            return marked("read", ((Opaque) decoded).getData(), () -> values.read(decoded));
        }
    }
}
