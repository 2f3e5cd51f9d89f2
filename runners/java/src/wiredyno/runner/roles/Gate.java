package wiredyno.runner.roles;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import wiredyno.runner.Refusal;

/**
 * The publisher's end of a closed loop's named pipe. Java can neither wait for a pipe with a limit nor read one without waiting: the
 * publishing thread waits in a read, and another thread writes an alarm into the pipe, a digest of zeros, when the limit has come.
 */
final class Gate {
    private static final int DIGESTS = 256;
    private static final long SLICE_NS = 100_000_000;

    private final Path path;
    private final AtomicBoolean halted;
    private final FileChannel pipe;
    private final Thread alarm;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(DIGESTS * Digest.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private volatile long limitNs = Long.MAX_VALUE;
    private volatile boolean closed;

    /** Creates the pipe. */
    Gate(String name, AtomicBoolean halted) throws IOException, Refusal, InterruptedException {
        this.path = Path.of(name);
        this.halted = halted;
        Process made = new ProcessBuilder("mkfifo", "--mode=600", name).redirectErrorStream(true).start();
        String said = new String(made.getInputStream().readAllBytes());
        if (made.waitFor() != 0) {
            throw new Refusal("the gate can't be created: " + said.strip());
        }
        // Opened for writing too, so that reads never reach its end.
        pipe = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        alarm = new Thread(this::ring, "alarm");
        alarm.setDaemon(true);
        alarm.start();
    }

    /** Waits until digests have arrived, at the latest until a moment or until halted, and hands them over. */
    void read(long untilNs, Consumer<Digest> each) throws IOException {
        limitNs = untilNs;
        if (untilNs - System.nanoTime() < SLICE_NS) {
            LockSupport.unpark(alarm);
        }
        buffer.clear();
        // A write of 16 bytes is never split (pipe(7)), nor is what is read of several.
        pipe.read(buffer);
        limitNs = Long.MAX_VALUE;
        for (buffer.flip(); buffer.remaining() >= Digest.BYTES; ) {
            Digest one = new Digest(buffer.getLong(), buffer.getLong());
            if (one.low() != 0 || one.high() != 0) {
                each.accept(one);
            }
        }
    }

    private void ring() {
        try {
            while (!closed) {
                long left = limitNs - System.nanoTime();
                if (limitNs != Long.MAX_VALUE && (left <= 0 || halted.get())) {
                    limitNs = Long.MAX_VALUE;
                    pipe.write(ByteBuffer.allocate(Digest.BYTES));
                } else {
                    LockSupport.parkNanos(Math.min(Math.max(left, 1), SLICE_NS));
                }
            }
        } catch (IOException error) {
            // Closed meanwhile.
            limitNs = Long.MAX_VALUE;
        }
    }

    void close() throws IOException {
        closed = true;
        Files.deleteIfExists(path);
        pipe.close();
        LockSupport.unpark(alarm);
    }
}
