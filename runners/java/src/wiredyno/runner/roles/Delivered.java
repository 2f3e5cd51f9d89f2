package wiredyno.runner.roles;

import java.io.DataInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongFunction;

/**
 * Which messages of a publisher's records have not arrived yet: how often each digest is still expected, in a table of plain numbers,
 * because an object for each would not fit into the heap for a million messages.
 */
final class Delivered {
    private static final String MAGIC = "WDPUBL01";
    private static final int ROW = 88;
    /** Where a row has its message's number, its digest and its build start. */
    private static final int DIGEST_AT = 8;
    private static final int BUILD_START_AT = 40;

    private final long[] low;
    private final long[] high;
    private final int[] left;
    private final int mask;
    private final long[] some = new long[1_024 * Received.WIDTH];
    private long firstNs = Long.MIN_VALUE;
    private long seen;
    private long expected;
    private long arrived;

    /**
     * Reads the records.
     *
     * @param receivers the subscribers as which the message of a number is received
     */
    Delivered(String path, LongFunction<long[]> receivers) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(path)), 1 << 16))) {
            if (!new String(in.readNBytes(MAGIC.length()), java.nio.charset.StandardCharsets.US_ASCII).equals(MAGIC)) {
                throw new IOException(path + ": not the records of a publisher");
            }
            long rows = Long.reverseBytes(in.readLong());
            long entries = rows * receivers.apply(0).length;
            int size = Integer.highestOneBit((int) Math.min(1 << 28, Math.max(16, entries * 2))) << 1;
            low = new long[size];
            high = new long[size];
            left = new int[size];
            mask = size - 1;
            byte[] bytes = new byte[ROW];
            ByteBuffer row = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (long i = 0; i < rows; i++) {
                in.readFully(bytes);
                if (i == 0) {
                    firstNs = row.getLong(BUILD_START_AT);
                }
                Digest own = new Digest(row.getLong(DIGEST_AT), row.getLong(DIGEST_AT + Long.BYTES));
                for (long receiver : receivers.apply(row.getLong(0) & ~Sent.WARM_UP)) {
                    Digest as = own.as(receiver);
                    int at = find(as.low(), as.high());
                    low[at] = as.low();
                    high[at] = as.high();
                    left[at]++;
                    expected++;
                }
            }
        }
    }

    /** The place of a digest, or the free one for it. A place that was used stays used: its count may be 0 again. */
    private int find(long wantedLow, long wantedHigh) {
        int at = (int) wantedLow & mask;
        while ((low[at] != wantedLow || high[at] != wantedHigh) && (low[at] != 0 || high[at] != 0)) {
            at = at + 1 & mask;
        }
        return at;
    }

    /** Takes what has arrived since the last time; whether everything is there. */
    boolean isComplete(Received received) throws IOException {
        while (arrived < expected && seen < received.count()) {
            int rows = received.read(seen, some);
            for (int row = 0; row < rows; row++) {
                int from = row * Received.WIDTH;
                if (some[from + Received.RECEIVED] >= firstNs) {
                    int at = find(some[from], some[from + 1]);
                    if (left[at] > 0) {
                        left[at]--;
                        arrived++;
                    }
                }
            }
            seen += rows;
        }
        return arrived >= expected;
    }

    long arrived() {
        return arrived;
    }
}
