package wiredyno.runner.roles;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** The messages that a publisher handed over: rows of 88 bytes (docs/RUNNER.md, "Bulk records"), and how far each batch of them is. */
final class Sent {
    /** Marks the number of a warm-up message. */
    static final long WARM_UP = Long.MIN_VALUE;

    private static final String MAGIC = "WDPUBL01";
    private static final int WIDTH = 11;
    private static final int SENT = 9;
    private static final int ACKED = 10;

    /** A warm-up or a start: the messages from an index on, and what was reported of them. */
    private static final class Batch {
        final long start;
        /** How many there will be; fewer once the schedule has ended early. */
        volatile long size;
        final AtomicLong taken = new AtomicLong();
        final AtomicLong acked = new AtomicLong();
        final AtomicLong lastNs = new AtomicLong(Rows.ABSENT);

        Batch(long start, long size) {
            this.start = start;
            this.size = size;
        }
    }

    private final Rows rows;
    private final boolean sends;
    private final boolean acknowledges;
    private final long[] words = new long[SENT];
    private volatile Batch batch = new Batch(0, 0);

    /**
     * @param sends whether the clients report when a message was sent
     * @param acknowledges whether they report when it was acknowledged
     */
    Sent(boolean sends, boolean acknowledges) throws IOException {
        this.rows = new Rows(WIDTH, 1 + (sends ? 1 : 0) + (acknowledges ? 1 : 0));
        this.sends = sends;
        this.acknowledges = acknowledges;
    }

    void beginBatch(long size) {
        batch = new Batch(rows.count(), size);
    }

    /** The batch has ended with what was handed over. */
    void endBatch() {
        batch.size = rows.count() - batch.start;
    }

    /** Makes room for the next message, so that reports about it find it: its index. */
    long begin() {
        return rows.begin();
    }

    /** Fills the row for which room was made. */
    void add(long sequence, Digest digest, long length, long intendedNs, long buildStartNs, long builtNs, long encodedNs, long handedOverNs) {
        words[0] = sequence;
        words[1] = digest.low();
        words[2] = digest.high();
        words[3] = length;
        words[4] = intendedNs;
        words[5] = buildStartNs;
        words[6] = builtNs;
        words[7] = encodedNs;
        words[8] = handedOverNs;
        rows.add(words);
    }

    void sent(long row, long atNs) {
        if (sends) {
            rows.set(row, SENT, atNs);
            taken(row, atNs);
        }
    }

    void acked(long row, long atNs) {
        rows.set(row, ACKED, atNs);
        Batch own = batch;
        if (row >= own.start) {
            own.acked.incrementAndGet();
        }
        if (!sends) {
            taken(row, atNs);
        }
    }

    private void taken(long row, long atNs) {
        Batch own = batch;
        if (row >= own.start) {
            own.lastNs.accumulateAndGet(atNs, Math::max);
            own.taken.incrementAndGet();
        }
    }

    /** How many of the batch the transport has taken: reported as sent, or as acknowledged if that is all it reports. */
    long taken() {
        return batch.taken.get();
    }

    long acked() {
        return batch.acked.get();
    }

    /** When the last of these was taken; {@link Rows#ABSENT} before the first. */
    long lastNs() {
        return batch.lastNs.get();
    }

    /** Whether all messages of the batch are taken, and acknowledged if that is asked and the protocol does it. */
    boolean isDone(boolean andAcked) {
        Batch own = batch;
        return own.taken.get() >= own.size && (!andAcked || !acknowledges || own.acked.get() >= own.size);
    }

    boolean acknowledges() {
        return acknowledges;
    }

    long cpuNs() {
        return rows.cpuNs();
    }

    /** Writes the rows of the last batch: how many. */
    long writeBatch(String path) throws IOException {
        return rows.write(path, MAGIC, batch.start);
    }

    /** Writes all rows, after which there are no more: how many. */
    long finish(String path) throws IOException {
        try {
            return rows.write(path, MAGIC, 0);
        } finally {
            rows.close();
        }
    }
}
