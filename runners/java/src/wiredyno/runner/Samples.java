package wiredyno.runner;

import com.dynatrace.hash4j.hashing.Hashing;
import java.io.DataInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Files that requests name. */
final class Samples {
    private static final byte[] MAGIC = "WDSAMP01".getBytes(StandardCharsets.US_ASCII);

    private Samples() {}

    /** At most {@code limit} values of a file of samples, as Protobuf's bytes. */
    static List<byte[]> read(String path, long limit) throws Refusal {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(path))))) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
                throw new Refusal(path + ": it is not a file of samples");
            }
            long count = Math.min(Long.reverseBytes(in.readLong()), limit);
            List<byte[]> samples = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                int length = Integer.reverseBytes(in.readInt());
                byte[] sample = in.readNBytes(length);
                if (sample.length != length) {
                    throw new EOFException("it is cut short");
                }
                samples.add(sample);
            }
            return samples;
        } catch (IOException | IllegalArgumentException error) {
            throw new Refusal(path + ": samples can't be read: " + error.getMessage());
        }
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
