package wiredyno.runner.roles;

import java.util.Map;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import wiredyno.runner.Refusal;

/** When the messages of an open loop are due. */
final class Moments {
    private Moments() {}

    /** A function that gives the moments of messages 0, 1, 2... in this order. */
    static LongUnaryOperator of(Map<?, ?> start) throws Refusal {
        long at = (Long) start.get("at_ns");
        long interval = (Long) start.get("interval_ns");
        long messages = (Long) start.get("messages");
        Object arrivals = start.get("arrivals");
        if (arrivals == null || arrivals.equals("constant")) {
            return number -> at + number * interval;
        }
        if (arrivals.equals("poisson")) {
            return poisson(at, interval, start.get("seed") instanceof Long seed ? seed : 0);
        }
        if (arrivals instanceof Map<?, ?> one && one.get("bursts") instanceof Long size && size > 0) {
            return number -> at + number / size * size * interval;
        }
        if (arrivals instanceof Map<?, ?> one && one.get("ramp") instanceof String first) {
            return ramp(at, rate(first), 1e9 / interval, messages);
        }
        throw new Refusal("`arrivals` is " + arrivals + ": write constant, poisson, bursts or ramp");
    }

    /** Java's own generator: the moments differ from those of other languages' runners with the same seed. */
    private static LongUnaryOperator poisson(long at, long interval, long seed) {
        Random draws = new Random(seed);
        double[] next = {at};
        return number -> {
            long due = Math.round(next[0]);
            // 1 - [0, 1) is never 0.
            next[0] -= Math.log(1.0 - draws.nextDouble()) * interval;
            return due;
        };
    }

    private static LongUnaryOperator ramp(long at, double first, double last, long messages) {
        double growth = (last - first) * (first + last) / (2.0 * messages);
        return number -> {
            double root = Math.sqrt(Math.max(0.0, first * first + 2.0 * growth * number));
            return at + Math.round(2.0 * number / (first + root) * 1e9);
        };
    }

    /** Messages a second of `100/s` or `10k/s`. */
    private static double rate(String text) {
        String number = text.endsWith("/s") ? text.substring(0, text.length() - 2) : text;
        return number.endsWith("k") ? 1000 * Double.parseDouble(number.substring(0, number.length() - 1)) : Double.parseDouble(number);
    }
}
