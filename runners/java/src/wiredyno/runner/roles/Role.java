package wiredyno.runner.roles;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What publishers and subscribers have in common. */
public abstract class Role {
    /** The pause between looks of a wait. */
    private static final long LOOK_NS = 2_000_000;

    /** How long connecting took. */
    protected long connectNs;
    /** The CPU time of the thread that carries out requests when the role began, on that thread. */
    private final long beganCpuNs = Stand.cpuNs();

    public final long connectNs() {
        return connectNs;
    }

    /** What each client did as a member of a group, after all of them have stopped receiving; empty without groups. */
    public abstract List<Object> memberships() throws Exception;

    /** Stops, disconnects, writes the records; the reply. */
    public abstract Map<String, Object> finish(String path) throws Exception;

    /** The name of a client's topic. */
    protected static String topicOf(String topic, long client, long topics) {
        return topics <= 1 ? topic : topic + "/" + client % topics;
    }

    /** Waits until something is so, at the latest until a moment. */
    protected static void await(long untilNs, BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            long left = untilNs - System.nanoTime();
            if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(Math.min(left, LOOK_NS));
        }
    }

    /**
     * A reply about progress.
     *
     * @param ofThreadsNs the stand's CPU time of each thread that carries messages
     * @param ofRecordsNs that of the thread that writes records
     */
    protected final Map<String, Object> progress(long messages, long acked, Long lastNs, List<Long> ofThreadsNs, long ofRecordsNs) {
        long all = Stand.cpuNs() - beganCpuNs + ofRecordsNs;
        for (long one : ofThreadsNs) {
            all += one;
        }
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("outcome", "progress");
        words.put("messages", messages);
        words.put("acked", acked);
        words.put("last_ns", lastNs);
        words.put("stand_cpu_ns", all);
        words.put("session_cpu_ns", all - (ofThreadsNs.isEmpty() ? 0 : Collections.max(ofThreadsNs)));
        return words;
    }

    /** The reply of {@code finish}; the fault is null when all went well. */
    protected static Map<String, Object> finished(long records, String fault) {
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("outcome", "finished");
        words.put("records", records);
        if (fault != null) {
            words.put("fault", fault);
        }
        return words;
    }
}
