package wiredyno.runner.roles;

/** The sample and the number of each message of a publisher. */
final class Numbering {
    /** More samples than these are not kept as objects: each is made anew when it is its turn. */
    private static final int KEPT = 10_000;

    private final Messages messages;
    /** Null where the payload has no such field. */
    private final Sequence sequence;
    private final Sequence.Place[] kept;
    private final Object[] plain;
    /** How many numbers the fields of all samples can hold, without a sign; 0 where there is no such field. */
    private final long span;
    private final int samples;
    private long warmups;

    Numbering(Messages messages, Sequence sequence) throws Exception {
        this.messages = messages;
        this.sequence = sequence;
        this.samples = messages.count();
        boolean keeps = samples <= KEPT;
        this.kept = keeps && sequence != null ? new Sequence.Place[samples] : null;
        this.plain = keeps && sequence == null ? new Object[samples] : null;
        long least = sequence == null ? 0 : -1;
        for (int i = 0; i < samples && (keeps || sequence != null); i++) {
            Object domain = messages.domain(i);
            if (sequence != null) {
                Sequence.Place place = sequence.at(domain);
                if (Long.compareUnsigned(place.span(), least) < 0) {
                    least = place.span();
                }
                if (keeps) {
                    kept[i] = place;
                }
            } else {
                plain[i] = domain;
            }
        }
        this.span = least;
    }

    /** The next message of a warm-up: the domain's object with its number. */
    Object warmUp() throws Exception {
        long done = warmups++;
        long numbers = span == 0 ? -1 : span;
        return message((int) (samples - 1 - done % samples), numbers - 1 - Long.remainderUnsigned(done, numbers));
    }

    /** Warm-up messages of other publishers of the same trial, which take numbers too. */
    void passOver(long messages) {
        warmups += messages;
    }

    /** The same for the measured message of a number, from 0. */
    Object measured(long number) throws Exception {
        boolean apart = Long.compareUnsigned(span, warmups) > 0;
        long own = !apart && samples > warmups ? samples - warmups : samples;
        long numbers = apart ? span - warmups : span == 0 ? -1 : span;
        return message((int) (number % own), Long.remainderUnsigned(number + 1, numbers));
    }

    private Object message(int sample, long number) throws Exception {
        if (sequence == null) {
            return plain == null ? messages.domain(sample) : plain[sample];
        }
        Sequence.Place place = kept == null ? sequence.at(messages.domain(sample)) : kept[sample];
        sequence.put(place, number);
        return place.domain();
    }
}
