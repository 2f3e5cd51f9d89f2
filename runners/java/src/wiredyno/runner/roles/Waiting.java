package wiredyno.runner.roles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** How a publishing thread waits for a moment: it sleeps until shortly before, and spins from there. */
final class Waiting {
    private static final long SPIN_NS = 50_000;
    /** How long before its moment a waiting thread is told: time for reading a clock of the system. */
    private static final long SOON_NS = 20_000;
    private static final long SLICE_NS = 100_000_000;

    private Waiting() {}

    /**
     * Sets the calling thread's timer slack to a nanosecond: by default the system adds 50 microseconds to its sleeps. Where that is not
     * allowed, messages are a little later, which their records show.
     */
    static void precisely() {
        try {
            String thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            Files.writeString(Path.of("/proc", thread, "timerslack_ns"), "1", StandardOpenOption.WRITE);
        } catch (IOException error) {
            System.err.println("the timer slack stays as it is: " + error);
        }
    }

    /**
     * Waits for a moment. {@code soon} is told true just before it, or at once false if it has passed.
     *
     * @return how long it spun after that, in nanoseconds; -1 if halted meanwhile
     */
    static long until(long atNs, AtomicBoolean halted, Consumer<Boolean> soon) {
        if (System.nanoTime() >= atNs) {
            if (halted.get()) {
                return -1;
            }
            soon.accept(false);
            return 0;
        }
        for (long left; (left = atNs - System.nanoTime()) > SPIN_NS; ) {
            if (halted.get()) {
                return -1;
            }
            LockSupport.parkNanos(Math.min(left - SPIN_NS, SLICE_NS));
        }
        if (halted.get()) {
            return -1;
        }
        while (System.nanoTime() < atNs - SOON_NS) {
            Thread.onSpinWait();
        }
        soon.accept(true);
        long told = System.nanoTime();
        while (System.nanoTime() < atNs) {
            Thread.onSpinWait();
        }
        // After the moment it was no longer spinning.
        return Math.max(0, atNs - told);
    }
}
