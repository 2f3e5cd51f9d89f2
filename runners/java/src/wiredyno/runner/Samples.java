package wiredyno.runner;

import com.dynatrace.hash4j.hashing.Hashing;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** The values of a file of samples, which stay in the file: there may be more than fit into the heap. And other files that requests name. */
final class Samples {
    private static final byte[] MAGIC = "WDSAMP01".getBytes(StandardCharsets.US_ASCII);

    private final String path;
    private final FileChannel file;
    private final long[] places;
    private final int[] lengths;

    private Samples(String path, FileChannel file, long[] places, int[] lengths) {
        this.path = path;
        this.file = file;
        this.places = places;
        this.lengths = lengths;
    }

    /** At most {@code limit} values. */
    static Samples open(String path, long limit) throws Refusal {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(path)), 1 << 16))) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
                throw new Refusal(path + ": it is not a file of samples");
            }
            long size = Files.size(Path.of(path));
            // Each takes at least the four bytes of its length.
            int count = (int) Math.min(Math.min(Long.reverseBytes(in.readLong()), limit), size / Integer.BYTES);
            long[] places = new long[Math.max(0, count)];
            int[] lengths = new int[Math.max(0, count)];
            long at = MAGIC.length + Long.BYTES;
            for (int i = 0; i < count; i++) {
                places[i] = at + Integer.BYTES;
                lengths[i] = Integer.reverseBytes(in.readInt());
                if (lengths[i] < 0 || places[i] + lengths[i] > size) {
                    throw new EOFException("it is cut short");
                }
                in.skipNBytes(lengths[i]);
                at = places[i] + lengths[i];
            }
            return new Samples(path, FileChannel.open(Path.of(path), StandardOpenOption.READ), places, lengths);
        } catch (IOException error) {
            throw new Refusal(path + ": samples can't be read: " + error.getMessage());
        }
    }

    int count() {
        return places.length;
    }

    /** One value, as Protobuf's bytes. */
    byte[] get(int sample) throws Refusal {
        ByteBuffer bytes = ByteBuffer.allocate(lengths[sample]);
        try {
            while (bytes.hasRemaining() && file.read(bytes, places[sample] + bytes.position()) >= 0) {
                // Until all of it is read.
            }
        } catch (IOException error) {
            throw new Refusal(path + ": samples can't be read: " + error.getMessage());
        }
        return bytes.array();
    }

    /** A file's content. */
    static byte[] content(String path) throws Refusal {
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (IOException error) {
            throw new Refusal(path + ": " + error);
        }
    }

    /** The 128-bit XXH3 hash, as 32 hexadecimal digits. */
    static String digest(byte[] bytes) {
        var digest = Hashing.xxh3_128().hashBytesTo128Bits(bytes);
        return String.format("%016x%016x", digest.getMostSignificantBits(), digest.getLeastSignificantBits());
    }

    /** The 64-bit XXH3 hash, as 16 hexadecimal digits. */
    static String shortDigest(byte[] bytes) {
        return String.format("%016x", Hashing.xxh3_64().hashBytesToLong(bytes));
    }
}
