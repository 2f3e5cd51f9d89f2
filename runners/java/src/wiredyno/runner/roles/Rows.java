package wiredyno.runner.roles;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Bulk records on their way into a file, so that a role's memory does not grow with its messages: rows of 64-bit words, in segments that
 * are written by a thread of their own once everything about their rows is known. The file has no name; rows are copied from it when they
 * are asked for.
 *
 * <p>One thread at a time adds rows; any thread may fill in a word later.
 */
final class Rows {
    /** A word that is not known: the smallest 64-bit integer. */
    static final long ABSENT = Long.MIN_VALUE;

    private static final int SEGMENT = 4_096;
    /** The most segments that wait for words: beyond that the oldest is written without them, and changed in the file. */
    private static final int WAITING = 64;

    /** Rows that are written together; {@code words} is null once they are in the file. */
    private static final class Segment {
        final long first;
        long[] words;
        int missing;

        Segment(long first, long[] words, int missing) {
            this.first = first;
            this.words = words;
            this.missing = missing;
        }
    }

    /** What the writing thread does next. */
    private interface Order {
        void carryOut() throws IOException;
    }

    private final int width;
    private final int events;
    private final FileChannel file;
    private final ByteBuffer buffer;
    private final LinkedBlockingQueue<Order> orders = new LinkedBlockingQueue<>();
    private final Thread writer;
    private volatile Segment[] segments = new Segment[0];
    /** The oldest segment that is not in the file, as the adding thread knows it. */
    private int oldest;
    private volatile long count;
    private volatile IOException failed;

    /**
     * Creates the file.
     *
     * @param width words of a row
     * @param events how often something is told about a row until all of it is known: 1 when it is added, and 1 for each later word
     */
    Rows(int width, int events) throws IOException {
        this.width = width;
        this.events = events;
        this.buffer = ByteBuffer.allocateDirect(SEGMENT * width * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        String folder = System.getenv("TMPDIR");
        Path path = Files.createTempFile(Path.of(folder == null || folder.isEmpty() ? "/tmp" : folder), "wiredyno-rows-", null);
        this.file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(path);
        this.writer = new Thread(this::work, "records");
        this.writer.setDaemon(true);
        this.writer.start();
    }

    /** Makes room for the next row, before it is known: its index. The same again until the row is added. */
    long begin() {
        int at = (int) (count / SEGMENT);
        if (at == segments.length) {
            long[] words = new long[SEGMENT * width];
            Arrays.fill(words, ABSENT);
            Segment[] more = Arrays.copyOf(segments, at + 1);
            more[at] = new Segment((long) at * SEGMENT, words, SEGMENT * events);
            segments = more;
            writeLate(at);
        }
        return count;
    }

    /** Writes segments that have waited for long. */
    private void writeLate(int newest) {
        while (newest - oldest > WAITING) {
            Segment late = segments[oldest++];
            orders.add(() -> write(late));
        }
    }

    /** Adds the row for which room was made: its first words. */
    void add(long[] words) {
        Segment segment = segments[(int) (count / SEGMENT)];
        int at = (int) (count % SEGMENT) * width;
        boolean complete;
        synchronized (segment) {
            System.arraycopy(words, 0, segment.words, at, words.length);
            complete = --segment.missing == 0;
        }
        count++;
        if (complete) {
            orders.add(() -> write(segment));
        }
    }

    /** Fills in a word of a row, which may not be added yet. */
    void set(long row, int word, long value) {
        Segment segment = segments[(int) (row / SEGMENT)];
        boolean complete;
        synchronized (segment) {
            if (segment.words == null) {
                orders.add(() -> patch(row, word, value));
                return;
            }
            segment.words[(int) (row % SEGMENT) * width + word] = value;
            complete = --segment.missing == 0;
        }
        if (complete) {
            orders.add(() -> write(segment));
        }
    }

    /** How many rows were added. */
    long count() {
        return count;
    }

    /** The CPU time of the writing thread. */
    long cpuNs() {
        return Stand.cpuNsOf(writer);
    }

    /** Copies the words of rows from an index on, at most as many as there is room for: how many rows. */
    int read(long from, long[] into) throws IOException {
        Segment segment = segments[(int) (from / SEGMENT)];
        int at = (int) (from - segment.first);
        int rows = (int) Math.min(Math.min(count - from, SEGMENT - at), into.length / width);
        synchronized (segment) {
            if (segment.words != null) {
                System.arraycopy(segment.words, at * width, into, 0, rows * width);
                return rows;
            }
        }
        ByteBuffer own = ByteBuffer.allocate(rows * width * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long place = from * width * Long.BYTES;
        while (own.hasRemaining() && file.read(own, place + own.position()) >= 0) {
            // Until all of it is read.
        }
        own.flip().asLongBuffer().get(into, 0, rows * width);
        return rows;
    }

    /** Writes rows from an index on into a file with its header: how many. */
    long write(String path, String magic, long from) throws IOException {
        flush();
        long rows = count - from;
        ByteBuffer own = ByteBuffer.allocate(SEGMENT * width * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long[] words = new long[SEGMENT * width];
        try (FileChannel out = FileChannel.open(Path.of(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            own.put(magic.getBytes(StandardCharsets.US_ASCII)).putLong(rows).flip();
            writeAll(out, own);
            for (long row = from; row < from + rows; ) {
                int some = read(row, words);
                own.clear();
                own.asLongBuffer().put(words, 0, some * width);
                writeAll(out, own.limit(some * width * Long.BYTES));
                row += some;
            }
        }
        return rows;
    }

    /** Waits until everything that was ordered so far is done. */
    private void flush() throws IOException {
        CountDownLatch done = new CountDownLatch(1);
        orders.add(done::countDown);
        try {
            done.await();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        if (failed != null) {
            throw new IOException("records can't be written: " + failed.getMessage(), failed);
        }
    }

    private void work() {
        for (;;) {
            try {
                orders.take().carryOut();
            } catch (IOException error) {
                failed = error;
            } catch (InterruptedException error) {
                return;
            }
        }
    }

    private void write(Segment segment) throws IOException {
        synchronized (segment) {
            if (segment.words == null) {
                return;
            }
            buffer.clear();
            buffer.asLongBuffer().put(segment.words);
            if (segment.missing > 0) {
                // Words that come from now on are changed in the file.
                segment.words = null;
            }
        }
        long place = segment.first * width * Long.BYTES;
        while (buffer.hasRemaining()) {
            place += file.write(buffer, place);
        }
        synchronized (segment) {
            segment.words = null;
        }
    }

    private void patch(long row, int word, long value) throws IOException {
        buffer.clear().putLong(value).flip();
        long place = (row * width + word) * Long.BYTES;
        while (buffer.hasRemaining()) {
            place += file.write(buffer, place);
        }
    }

    private static void writeAll(FileChannel out, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /** Ends the writing thread; no row is added any more. */
    void close() throws IOException {
        writer.interrupt();
        try {
            writer.join();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        file.close();
    }
}
