package wiredyno.runner.roles;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** The messages of a closed loop that are neither received nor given up. */
final class Window {
    private static final long SLICE_NS = 100_000_000;

    private record Message(Digest digest, long deadlineNs) {}

    /** Since when places have been free. */
    private final ArrayDeque<Long> free = new ArrayDeque<>();
    private final ArrayDeque<Message> sent = new ArrayDeque<>();
    private final Map<Digest, Integer> missing = new HashMap<>();

    Window(long size, long fromNs) {
        for (long i = 0; i < size; i++) {
            free.add(fromNs);
        }
    }

    void add(Digest digest, long deadlineNs) {
        sent.add(new Message(digest, deadlineNs));
        missing.merge(digest, 1, Integer::sum);
    }

    /** One message of this content is no longer under way, if one is. */
    private boolean end(Digest digest) {
        Integer count = missing.get(digest);
        if (count == null) {
            return false;
        }
        if (count == 1) {
            missing.remove(digest);
        } else {
            missing.put(digest, count - 1);
        }
        return true;
    }

    private void received(Digest digest, long atNs) {
        if (end(digest)) {
            free.add(atNs);
        }
    }

    /** Gives up messages that are missing past their deadline. */
    private void giveUp(long nowNs) {
        for (Message first; (first = sent.peek()) != null && (first.deadlineNs <= nowNs || !missing.containsKey(first.digest)); ) {
            sent.remove();
            if (end(first.digest)) {
                free.add(first.deadlineNs);
            }
        }
    }

    /** Since when the next place has been free; {@link Rows#ABSENT} if halted. */
    long await(Gate gate, AtomicBoolean halted) throws IOException {
        while (free.isEmpty()) {
            Message first = sent.peek();
            gate.read(first == null ? System.nanoTime() + SLICE_NS : first.deadlineNs, digest -> received(digest, System.nanoTime()));
            giveUp(System.nanoTime());
            if (halted.get()) {
                return Rows.ABSENT;
            }
        }
        return free.remove();
    }
}
