package wiredyno.runner;

import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What the virtual machine tells about itself and the calling thread. */
final class Machine {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private Machine() {}

    /** Compiling and collecting so far: how long the compilers worked, how many collections there were, and how long they took. */
    record Work(long compiledMs, long collections, long collectedMs) {
        static Work now() {
            long collections = 0;
            long collectedMs = 0;
            for (GarbageCollectorMXBean collector : COLLECTORS) {
                collections += collector.getCollectionCount();
                collectedMs += collector.getCollectionTime();
            }
            return new Work(COMPILER.getTotalCompilationTime(), collections, collectedMs);
        }

        Work since(Work before) {
            return new Work(compiledMs - before.compiledMs, collections - before.collections, collectedMs - before.collectedMs);
        }
    }

    /** The calling thread's CPU time, user and system, in nanoseconds. */
    static long cpuNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** The bytes that the calling thread has allocated in its life, collected ones too. */
    static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
