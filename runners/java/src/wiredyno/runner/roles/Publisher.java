package wiredyno.runner.roles;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import wiredyno.runner.Codec;
import wiredyno.runner.Refusal;
import wiredyno.runner.transports.Report;
import wiredyno.runner.transports.Sending;

/**
 * Sends a loaded payload by one client or several.
 *
 * <p>What can be done before a message is due is done before: its number, the room for its record, the choice of its client. Between that
 * moment and the hand-over there is only building, encoding, sending and the clock.
 */
public final class Publisher extends Role implements Report {
    /** How long {@code finish} waits for messages that have not left. */
    private static final long GRACE_NS = 10_000_000_000L;
    /** The most messages of a batch that a client may hold, in number (as many as MQTT has identifiers) and bytes (docs/RUNNER.md, `start`). */
    private static final long IN_HAND = (1 << 16) - 1;
    private static final long IN_HAND_BYTES = 64 << 20;
    /** How long a warm-up message is waited for. */
    private static final long WARM_UP_WAIT_NS = 100_000;
    /** The pause between looks whether the client has room again. */
    private static final long LOOK_AGAIN_NS = 100_000;

    /** Connects a client to its topic. */
    public interface Connect {
        Sending to(String topic, Report report) throws Exception;
    }

    /**
     * Which of the clients of a trial are this runner's: those with a number that is {@code number} modulo {@code of}.
     *
     * @param number from 0
     * @param of how many runners there are
     */
    public record Share(long number, long of) {
        public static final Share ALL = new Share(0, 1);
    }

    private final Codec codec;
    private final Numbering numbering;
    private final Live live;
    private final Share share;
    private final long publishers;
    private final List<Sending> clients = new ArrayList<>();
    private final Sent sent;
    private final Stand.Publishing stand = new Stand.Publishing();
    private final AtomicBoolean halted = new AtomicBoolean();
    private final AtomicReference<String> fault = new AtomicReference<>();
    private Thread thread;
    private long burdenNs;
    private long lastLength = 1;

    // The message that waits for its moment.
    private long number;
    private Object domain;
    private long row;
    private Sending client;

    /** Connects {@code publishers} clients, those of the share. */
    public Publisher(Codec codec, Messages messages, Sequence sequence, Connect connect, String topic, long publishers, long topics, Share share, Live live)
            throws Exception {
        if (messages.count() == 0) {
            throw new Refusal("nothing to send: load samples first");
        }
        this.codec = codec;
        this.numbering = new Numbering(messages, sequence);
        this.live = live;
        this.share = share;
        this.publishers = publishers;
        long begin = System.nanoTime();
        try {
            for (long one = share.number; one < publishers; one += share.of) {
                clients.add(connect.to(topicOf(topic, one, topics), this));
            }
        } catch (Exception | LinkageError error) {
            clients.forEach(made -> made.finish(0));
            throw error;
        }
        connectNs = System.nanoTime() - begin;
        sent = new Sent(clients.get(0).reportsSent(), clients.get(0).acknowledges());
    }

    @Override
    public void sent(long row, long atNs) {
        sent.sent(row, atNs);
    }

    @Override
    public void acked(long row, long atNs) {
        sent.acked(row, atNs);
    }

    @Override
    public void broke(String why) {
        fault.compareAndSet(null, why);
    }

    /** Makes a message ready, which has its number in it. */
    private void ready(long number, Object domain) {
        this.number = number;
        this.domain = domain;
        row = sent.begin();
        client = clients.get((int) (number % publishers / share.of));
    }

    private boolean isOwn(long number) {
        return number % share.of == share.number;
    }

    /** Sends the message that is ready, at its moment or at once if that has passed. Its digest; null if halted. */
    private Digest send(long dueNs, boolean isWarmUp) throws Exception {
        long spun = Waiting.until(dueNs, halted, stand::message);
        if (spun < 0) {
            return null;
        }
        long buildStart = System.nanoTime();
        Object built = codec.build(domain);
        long builtAt = System.nanoTime();
        byte[] body = codec.encode(built);
        if (burdenNs > 0) {
            Stand.burn(burdenNs);
        }
        long encoded = System.nanoTime();
        client.send(row, body);
        long handedOver = System.nanoTime();
        stand.handedOver(spun);
        Digest digest = Digest.of(body);
        sent.add(isWarmUp ? number | Sent.WARM_UP : number, digest, body.length, dueNs, buildStart, builtAt, encoded, handedOver);
        if (live != null && !isWarmUp) {
            live.count(digest, body.length, dueNs);
        }
        lastLength = Math.max(1, body.length);
        return digest;
    }

    /** How many of so many messages are this runner's. */
    private long own(long messages) {
        return messages / share.of + (share.number < messages % share.of ? 1 : 0);
    }

    private void begin(long messages) throws InterruptedException {
        if (thread != null) {
            thread.join();
            thread = null;
        }
        sent.beginBatch(own(messages));
    }

    public void warmUp(long messages) throws Exception {
        begin(messages);
        stand.begin();
        for (long next = 0; next < messages; next++) {
            if (isOwn(next)) {
                ready(next, numbering.warmUp());
                // Every second one is waited for, as most of a schedule are: the code of waiting is warm too.
                send(System.nanoTime() + (next % 2 == 1 ? WARM_UP_WAIT_NS : 0), true);
            } else {
                numbering.passOver(1);
            }
        }
        stand.end();
    }

    /** Begins a schedule, which continues on a thread of its own. */
    public void start(Map<?, ?> start) throws Exception {
        begin((Long) start.get("messages"));
        burdenNs = number(start, "burden_ns", 0);
        Work work = work(start);
        thread = new Thread(() -> run(work), "publisher");
        thread.setDaemon(true);
        thread.start();
    }

    private interface Work {
        void carryOut() throws Exception;
    }

    private Work work(Map<?, ?> start) throws Exception {
        Object kind = start.get("kind");
        if ("open".equals(kind)) {
            LongUnaryOperator moments = Moments.of(start);
            return () -> open(start, moments);
        }
        if ("closed".equals(kind)) {
            if (!(start.get("gate") instanceof String name)) {
                throw new Refusal("a closed loop needs a `gate`");
            }
            Gate gate = new Gate(name, halted);
            return () -> {
                try {
                    closed(start, gate);
                } finally {
                    gate.close();
                }
            };
        }
        if ("batch".equals(kind)) {
            return () -> batch(start);
        }
        throw new Refusal("this runner has no loop `" + kind + "`: write open, closed or batch");
    }

    private void run(Work work) {
        Waiting.precisely();
        stand.begin();
        try {
            work.carryOut();
        } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError error) {
            broke(error instanceof Refusal ? error.getMessage() : error.toString());
        } finally {
            stand.end();
            sent.endBatch();
        }
    }

    private static long number(Map<?, ?> start, String name, long otherwise) {
        return start.get(name) instanceof Long number ? number : otherwise;
    }

    private void open(Map<?, ?> start, LongUnaryOperator moments) throws Exception {
        long messages = (Long) start.get("messages");
        for (long next = 0; next < messages; next++) {
            long due = moments.applyAsLong(next);
            if (!isOwn(next)) {
                continue;
            }
            ready(next, numbering.measured(next));
            if (send(due, false) == null) {
                return;
            }
        }
    }

    private void closed(Map<?, ?> start, Gate gate) throws Exception {
        long messages = (Long) start.get("messages");
        long interval = (Long) start.get("interval_ns");
        long deadline = (Long) start.get("deadline_ns");
        Window window = new Window(number(start, "window", 1), (Long) start.get("at_ns") - interval);
        for (long next = share.number; next < messages; next += share.of) {
            ready(next, numbering.measured(next));
            long free = window.await(gate, halted);
            if (free == Rows.ABSENT) {
                return;
            }
            Digest digest = send(free + interval, false);
            if (digest == null) {
                return;
            }
            window.add(digest, free + interval + deadline);
        }
    }

    private void batch(Map<?, ?> start) throws Exception {
        long messages = (Long) start.get("messages");
        long at = (Long) start.get("at_ns");
        long end = start.get("duration_ns") instanceof Long duration ? at + duration : Long.MAX_VALUE;
        long handed = 0;
        for (long next = share.number; next < messages; next += share.of) {
            awaitRoom(handed++);
            ready(next, numbering.measured(next));
            long due = Math.max(System.nanoTime(), at);
            if (send(due, false) == null || due >= end) {
                return;
            }
        }
    }

    /** Waits while the client holds too many messages that it has not reported: one without a bound would take all of a batch into memory. */
    private void awaitRoom(long handed) {
        long most = Math.min(Math.max(IN_HAND_BYTES / lastLength, 1), IN_HAND);
        while (handed - sent.taken() >= most && !halted.get() && fault.get() == null) {
            LockSupport.parkNanos(LOOK_AGAIN_NS);
        }
    }

    public Map<String, Object> awaitSent(long untilNs, boolean acked) {
        await(untilNs, () -> fault.get() != null || sent.isDone(acked));
        long last = sent.lastNs();
        return progress(sent.taken(), sent.acked(), last == Rows.ABSENT ? null : last, List.of(stand.totalNs()), sent.cpuNs());
    }

    public long writeSent(String path) throws Exception {
        if (thread != null) {
            // All messages are handed over a moment before the thread ends.
            thread.join(GRACE_NS / 1_000_000);
            if (thread.isAlive()) {
                throw new Refusal("the messages of this `start` are not all handed over yet: `await-sent` first");
            }
        }
        return sent.writeBatch(path);
    }

    @Override
    public List<Object> memberships() {
        // Publishers are in no group.
        return List.of();
    }

    @Override
    public Map<String, Object> finish(String path) throws Exception {
        halted.set(true);
        if (thread != null) {
            thread.join();
        }
        for (Sending one : clients) {
            String why = one.finish(GRACE_NS);
            if (why != null) {
                broke(why);
            }
        }
        return finished(sent.finish(path), fault.get());
    }
}
