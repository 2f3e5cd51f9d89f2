package wiredyno.runner.roles;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The stand's own share of a thread's CPU time. Reading a thread's clock costs about half a microsecond, so among messages that are sent
 * without a wait, or received, the first are all measured, then one in {@link #ONE_IN}; the others are assumed to cost as much.
 */
final class Stand {
    static final int FIRST = 64;
    static final int ONE_IN = 17;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Stand() {}

    /** The calling thread's CPU time. */
    static long cpuNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Another thread's CPU time, which may have ended. */
    static long cpuNsOf(Thread thread) {
        return Math.max(0, THREADS.getThreadCpuTime(thread.getId()));
    }

    /** Uses this much CPU time of the calling thread. */
    static void burn(long ns) {
        long until = cpuNs() + ns;
        while (cpuNs() < until) {
            Thread.onSpinWait();
        }
    }

    /** Durations of which only some were measured. */
    static final class Part {
        private long measured;
        private long measuredNs;
        private long others;
        // The measured ones after the first, which alone stand for others: the first ones cost more.
        private long drawn;
        private long drawnNs;

        boolean isDue() {
            return measured < FIRST || (measured + others) % ONE_IN == 0;
        }

        void add(long ns) {
            if (measured >= FIRST) {
                drawn++;
                drawnNs += ns;
            }
            measured++;
            measuredNs += ns;
        }

        void other() {
            others++;
        }

        long totalNs() {
            // Until one is drawn there are only a few others.
            long stand = drawn > 0 ? drawn : Math.max(1, measured);
            long standNs = drawn > 0 ? drawnNs : measuredNs;
            return measuredNs + (long) ((double) standNs * others / stand);
        }
    }

    /**
     * Of a publishing thread: all of its CPU time except the work that an application also does, which runs from just before a message is
     * due until it is handed over.
     */
    static final class Publishing {
        private volatile long totalNs;
        private long beforeNs;
        private long beganNs;
        private long begunNs;
        private boolean isMeasured;
        private boolean hasWaited;
        private Part waited = new Part();
        private Part due = new Part();

        /** A batch begins, on the thread that sends it. */
        void begin() {
            waited = new Part();
            due = new Part();
            beganNs = cpuNs();
            beforeNs = totalNs;
        }

        /** The application's work begins soon, or now if the message was not waited for. */
        void message(boolean hasWaited) {
            this.hasWaited = hasWaited;
            isMeasured = hasWaited || due.isDue();
            if (isMeasured) {
                begunNs = cpuNs();
            }
        }

        /** It has ended; the given part of its time was waiting. */
        void handedOver(long spunNs) {
            if (!isMeasured) {
                due.other();
                return;
            }
            long now = cpuNs();
            (hasWaited ? waited : due).add(Math.max(0, now - begunNs - spunNs));
            tell(now);
        }

        /** The batch has ended. */
        void end() {
            tell(cpuNs());
        }

        private void tell(long now) {
            totalNs = beforeNs + Math.max(0, now - beganNs - waited.totalNs() - due.totalNs());
        }

        long totalNs() {
            return totalNs;
        }
    }
}
