package wiredyno.runner;

/**
 * Whether a loop has settled: after the test of Georges, Buytaert and Eeckhout, "Statistically Rigorous Java Performance Evaluation" (OOPSLA
 * 2007), weakened. The last {@link #WINDOW} readings vary by no more than {@link #MOST}, as their standard deviation by their mean; and no
 * compilation ended during them.
 *
 * <p>Theirs are times of single iterations; here a reading is the least CPU time by call of {@link #BATCHES} batches: a thread that waits for a CPU, for a collection or for memory
 * that another thread uses is not taken for one that still warms up, which all batches show.
 */
final class Steadiness {
    static final int WINDOW = 10;
    static final int BATCHES = 5;
    static final double MOST = 0.02;

    private final double[] last = new double[WINDOW];
    private double least = Double.POSITIVE_INFINITY;
    private int batches;
    private int readings;
    private int uncompiled;

    /** Takes the next batch: its CPU time by call, and whether something was compiled during it. */
    void add(double cpuByCall, boolean compiled) {
        least = Math.min(least, cpuByCall);
        uncompiled = compiled ? 0 : uncompiled + 1;
        if (++batches % BATCHES == 0) {
            last[readings++ % WINDOW] = least;
            least = Double.POSITIVE_INFINITY;
        }
    }

    boolean isSteady() {
        return uncompiled >= WINDOW * BATCHES && variation() <= MOST;
    }

    /** The mean of the last readings, in nanoseconds by call. */
    double mean() {
        double sum = 0;
        for (double one : last) {
            sum += one;
        }
        return sum / WINDOW;
    }

    /** The standard deviation of the last readings as a share of their mean; infinite before there are enough. */
    double variation() {
        if (readings < WINDOW) {
            return Double.POSITIVE_INFINITY;
        }
        double mean = mean();
        double squares = 0;
        for (double one : last) {
            squares += (one - mean) * (one - mean);
        }
        // A loop that takes no time at all varies by nothing.
        return mean == 0 ? 0 : Math.sqrt(squares / (WINDOW - 1)) / mean;
    }
}
