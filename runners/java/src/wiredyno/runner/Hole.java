package wiredyno.runner;

/**
 * Where products go, so that no compiler leaves out the work for them. The start command makes {@code take} one of the virtual machine's
 * black holes ({@code -XX:CompileCommand=blackhole}), as JMH does: its argument counts as used, and nothing is called.
 */
final class Hole {
    private Hole() {}

    static void take(Object product) {}
}
