package wiredyno.runner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The timed loop of one phase, as in crates/measured/codec/src/measure.rs for Rust, begun when the compiler has settled.
 *
 * <p>Inside the clock: the calls of one phase, and the step to the next sample. The collector works when it has to, as in applications.
 */
final class Measure {
    private static final long SECOND_NS = 1_000_000_000;
    /** The longest that a loop is given to settle, unless the request says. */
    private static final long SETTLE_NS = 10 * SECOND_NS;
    /** The shortest for a phase's first measurement: code of a first compiler is steady too, until the second one's is there. */
    private static final long FIRST_NS = SECOND_NS;
    /** The shortest batch while settling. */
    private static final long SETTLING_BATCH_NS = 4_000_000;
    /** Most calls of a batch: a call that does nothing may be compiled to nothing. */
    private static final long MOST_CALLS = 100_000_000;
    private static final long LONGEST_BATCH_NS = 60 * SECOND_NS;
    private static final int READINGS = 1001;
    /** Calls of each sample of which the mean allocation is taken. */
    private static final int COUNTED = 1000;
    /** Most objects that are made at a time where each is encoded once: few enough to stay in a cache near the CPU. */
    private static final int TOGETHER = 500;
    /** By how much a loop may be faster after its batches than when it had settled. */
    private static final double SAME = 0.9;
    private static final Set<String> PHASES = Set.of("build", "encode", "decode", "read", "empty");

    /** What a request asks for. */
    record Order(String phase, long batchNs, int batches, String buffer, long burdenPerMille, long settleNs) {
        static Order of(Map<?, ?> request) throws Refusal {
            String phase = (String) request.get("phase");
            if (!PHASES.contains(phase)) {
                throw new Refusal("measure: this runner has no phase `" + phase + "`");
            }
            Object buffer = request.get("buffer") == null ? "reused" : request.get("buffer");
            if (!buffer.equals("reused") && !buffer.equals("fresh")) {
                throw new Refusal("measure: `buffer` is `reused` or `fresh`, not `" + buffer + "`");
            }
            long batchNs = number(request, "batch_time_ns", null, Long.MAX_VALUE);
            long batches = number(request, "batches", null, Integer.MAX_VALUE);
            if (batches < 1 || batchNs > LONGEST_BATCH_NS) {
                throw new Refusal("measure at least one batch, each of at most 60s");
            }
            return new Order(phase, batchNs, (int) batches, (String) buffer, number(request, "burden_per_mille", 0L, 1_000_000),
                    number(request, "settle_ns", SETTLE_NS, Long.MAX_VALUE));
        }

        private static long number(Map<?, ?> request, String name, Long otherwise, long most) throws Refusal {
            Object value = request.get(name) == null ? otherwise : request.get(name);
            if (!(value instanceof Long number) || number < 0 || number > most) {
                throw new Refusal("measure: `" + name + "` is a whole number up to " + most + ", not " + value);
            }
            return number;
        }
    }

    private final Timed loop;
    private final Call call;
    private final Object[] inputs;
    /** Makes the inputs anew from these, outside the clock; null where one can be used again and again. */
    private final Call fresh;
    private final Object[] made = new Object[TOGETHER];
    private final String phase;
    private boolean hasSettled;
    /** The sample with which the next batch begins. */
    private int first;

    /**
     * @param inputs of the phase
     * @param domain the samples
     */
    Measure(Codec codec, String phase, Object[] inputs, Object[] domain) throws Exception {
        boolean once = phase.equals("encode") && codec.isEncodedOnce();
        this.loop = Loop.copy();
        this.phase = phase;
        this.inputs = once ? domain : inputs;
        this.fresh = once ? codec::build : null;
        this.call = switch (phase) {
            case "build" -> codec::build;
            case "encode" -> codec::encode;
            case "decode" -> body -> codec.decode((byte[]) body);
            case "read" -> decoded -> {
                touched += codec.read(decoded);
                return null;
            };
            default -> input -> input;
        };
    }

    /** The sum of what was read, so that reading is not left out. */
    private long touched;

    /** The measurement as the contract words it. */
    Map<String, Object> run(Order order) throws Exception {
        // Before it settles: a thousand empty runs would have the loop compiled once more.
        long[] overhead = overhead();
        Steadiness steadiness = new Steadiness();
        Map<String, Object> settling = settle(order.settleNs, steadiness);
        List<Object> batches = batches(order, overhead);
        if (steadiness.isSteady() && order.settleNs > 0 && reading() < steadiness.mean() * SAME) {
            // What was steady was code of the first compiler: the second one's has come meanwhile.
            steadiness = new Steadiness();
            settling = settle(order.settleNs, steadiness);
            batches = batches(order, overhead);
            if (reading() < steadiness.mean() * SAME) {
                settling.put("settled", false);
            }
        }
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("phase", phase);
        words.put("buffer", order.buffer);
        words.put("batches", batches);
        words.put("timer_overhead_ns", (double) overhead[0]);
        boolean settled = Boolean.TRUE.equals(settling.get("settled"));
        words.put("allocations", settled ? allocations() : null);
        words.put("stack_bytes", null);
        words.put("missing", missing(settled));
        words.put("settling", settling);
        return words;
    }

    private List<Object> batches(Order order, long[] overhead) throws Exception {
        long calls = calibrated(order.batchNs, overhead);
        List<Object> batches = new ArrayList<>();
        for (int i = 0; i < order.batches; i++) {
            batches.add(timed(calls + calls * order.burdenPerMille / 1000, overhead).words(calls));
        }
        return batches;
    }

    /** A reading as the test of steadiness takes them: the least CPU time by call of some batches. */
    private double reading() throws Exception {
        long[] nothing = new long[2];
        long calls = calibrated(SETTLING_BATCH_NS, nothing);
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < Steadiness.BATCHES; i++) {
            least = Math.min(least, (double) timed(calls, nothing).cpuNs / calls);
        }
        return least;
    }

    private List<Object> missing(boolean settled) {
        List<Object> missing = new ArrayList<>();
        if (!settled) {
            missing.add(missed("time", "the loop of `" + phase + "` was still changing when its time to settle was over: its batches are kept, and not compared"));
            missing.add(missed("heap", "the loop of `" + phase + "` had not settled, and compiled code allocates less"));
        }
        missing.addAll(List.of(missed("instructions", "this runner reads no instruction counter"),
                missed("stack", "Java does not report the depth of a thread's stack"),
                missed("allocations", "the virtual machine reports the bytes that a thread has allocated, but neither the number of allocations nor the bytes held: "
                        + "the peak is the total of one call")));
        return missing;
    }

    private static Map<String, Object> missed(String what, String why) {
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("what", what);
        words.put("why", why);
        return words;
    }

    /** One batch, with the clocks' overhead subtracted. */
    private record Batch(long elapsedNs, long cpuNs, Machine.Work work) {
        Map<String, Object> words(long iterations) {
            Map<String, Object> words = new LinkedHashMap<>();
            words.put("elapsed_ns", elapsedNs);
            words.put("iterations", iterations);
            words.put("cpu_ns", cpuNs);
            if (work.collections() > 0) {
                words.put("collections", work.collections());
                words.put("collected_ns", work.collectedMs() * 1_000_000);
            }
            if (work.compiledMs() > 0) {
                words.put("compiled_ns", work.compiledMs() * 1_000_000);
            }
            return words;
        }
    }

    /** Times so many calls, beginning with the sample after that of the batch before. */
    private Batch timed(long calls, long[] overhead) throws Exception {
        Machine.Work before = Machine.Work.now();
        long[] spent = new long[2];
        if (fresh == null) {
            clocked(inputs, first, calls, overhead, spent);
            first = (int) ((first + calls) % inputs.length);
        } else {
            for (long left = calls; left > 0; left -= TOGETHER) {
                int some = (int) Math.min(left, TOGETHER);
                for (int i = 0; i < some; i++) {
                    made[i] = fresh.call(inputs[first]);
                    first = first + 1 == inputs.length ? 0 : first + 1;
                }
                clocked(made, 0, some, overhead, spent);
            }
        }
        return new Batch(spent[0], spent[1], Machine.Work.now().since(before));
    }

    /** Adds the wall and CPU time of some calls, without the clocks' own. */
    private void clocked(Object[] inputs, int first, long calls, long[] overhead, long[] spent) throws Exception {
        long cpu = Machine.cpuNs();
        long begin = System.nanoTime();
        loop.run(call, inputs, first, calls);
        long elapsed = System.nanoTime() - begin;
        cpu = Machine.cpuNs() - cpu;
        spent[0] += Math.max(0, elapsed - overhead[0]);
        spent[1] += Math.max(0, cpu - overhead[1]);
    }

    /** The cost of reading the clocks, wall and CPU: the median of readings without calls. */
    private long[] overhead() throws Exception {
        long[][] readings = new long[2][READINGS];
        for (int i = 0; i < READINGS; i++) {
            long[] spent = new long[2];
            clocked(inputs, 0, 0, new long[2], spent);
            readings[0][i] = spent[0];
            readings[1][i] = spent[1];
        }
        Arrays.sort(readings[0]);
        Arrays.sort(readings[1]);
        return new long[] {readings[0][READINGS / 2], readings[1][READINGS / 2]};
    }

    /** Calls until the loop is steady, or its time is over; how that went, as the contract words it. */
    private Map<String, Object> settle(long boundNs, Steadiness steadiness) throws Exception {
        long[] nothing = new long[2];
        long least = Math.min(hasSettled ? 0 : FIRST_NS, boundNs);
        long begin = System.nanoTime();
        long calls = 1;
        long made = 0;
        long took = 0;
        while (took < boundNs && (took < least || !steadiness.isSteady())) {
            Batch batch = timed(calls, nothing);
            made += calls;
            steadiness.add((double) batch.cpuNs / calls, batch.work.compiledMs() > 0);
            if (batch.elapsedNs < SETTLING_BATCH_NS) {
                // Compiled code makes them shorter.
                long wanted = 2 * calls * SETTLING_BATCH_NS / Math.max(1, batch.elapsedNs);
                calls = Math.min(MOST_CALLS, Math.max(calls + 1, Math.min(wanted, calls * 10)));
            }
            took = System.nanoTime() - begin;
        }
        boolean settled = steadiness.isSteady();
        hasSettled |= settled;
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("settled", settled);
        words.put("took_ns", took);
        words.put("calls", made);
        if (Double.isFinite(steadiness.variation())) {
            words.put("variation", steadiness.variation());
        }
        return words;
    }

    /**
     * The number of calls that take at least so long, in whole rounds through the samples if it takes more than one. A batch that seems
     * long enough is timed again, and the shorter time counts: the thread may have waited for a CPU.
     */
    private long calibrated(long batchNs, long[] overhead) throws Exception {
        long calls = 1;
        for (;;) {
            long elapsed = Math.max(1, timed(calls, overhead).elapsedNs);
            if (elapsed >= batchNs) {
                elapsed = Math.min(elapsed, Math.max(1, timed(calls, overhead).elapsedNs));
            }
            if (elapsed >= batchNs || calls >= MOST_CALLS) {
                break;
            }
            long wanted = (long) (calls * (double) batchNs * 1.1 / elapsed);
            calls = Math.min(MOST_CALLS, Math.min(Math.max(wanted, calls + 1), calls * 10));
        }
        int samples = inputs.length;
        return calls > samples ? (calls + samples - 1) / samples * samples : calls;
    }

    /** What a call allocates: the mean over the samples, and the most. */
    private Map<String, Object> allocations() throws Exception {
        double sum = 0;
        double most = 0;
        for (Object input : inputs) {
            // What an object keeps from its first encoding is no object: the others allocate as much.
            Object[] alone = {fresh == null ? input : fresh.call(input)};
            // Once before: what one sample allocates for good, such as a longer buffer, belongs to no call.
            loop.run(call, alone, 0, 1);
            long before = Machine.allocatedBytes();
            loop.run(call, alone, 0, COUNTED);
            double bytes = (Machine.allocatedBytes() - before) / (double) COUNTED;
            sum += bytes;
            most = Math.max(most, bytes);
        }
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("bytes", sum / inputs.length);
        words.put("peak_bytes", (long) Math.ceil(most));
        return words;
    }
}
