package wiredyno.runner.roles;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.lang.invoke.VarHandle;
import wiredyno.runner.Refusal;

/** What a role has done so far, in a file in memory that the program reads while the role runs: `count-live` of docs/RUNNER.md. */
public final class Live {
    private static final long MAGIC = 0x31304556494c4457L; // "WDLIVE01"
    private static final int RING = 1;
    private static final int MASK = 2;
    private static final int MESSAGES = 8;
    private static final int BODY_BYTES = 9;
    private static final int ENTRIES = 10;
    private static final int HEAD = 16;

    private final LongBuffer words;
    private final int ring;
    private long messages;
    private long bodyBytes;
    private long entries;

    public Live(String path) throws IOException, Refusal {
        try (FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer memory = file.map(FileChannel.MapMode.READ_WRITE, 0, file.size());
            words = memory.load().order(ByteOrder.nativeOrder()).asLongBuffer();
        }
        if (words.limit() <= HEAD || words.get(0) != MAGIC) {
            throw new Refusal(path + ": not counters in the layout of docs/RUNNER.md; leave `count-live` out");
        }
        long size = words.get(RING);
        if (size <= 0 || (size & size - 1) != 0 || size > (words.limit() - HEAD) / 2) {
            throw new Refusal(path + ": " + size + " is not a valid size of its ring; leave `count-live` out");
        }
        ring = (int) size;
    }

    /** Counts a message that was due or received at this moment; one thread at a time. */
    void count(Digest digest, int length, long atNs) {
        if ((digest.low() & words.get(MASK)) == 0) {
            int at = HEAD + 2 * (int) (entries & ring - 1);
            words.put(at, digest.low()).put(at + 1, atNs);
            // Plain stores in this order.
            VarHandle.releaseFence();
            words.put(ENTRIES, ++entries);
        }
        bodyBytes += length;
        VarHandle.releaseFence();
        words.put(BODY_BYTES, bodyBytes);
        VarHandle.releaseFence();
        words.put(MESSAGES, ++messages);
    }
}
