package wiredyno.runner.roles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import wiredyno.runner.Codec;
import wiredyno.runner.transports.Arrivals;
import wiredyno.runner.transports.Receiving;

/** Receives by one client or several. */
public final class Subscriber extends Role {
    private static final long GRACE_NS = 10_000_000_000L;
    /** How long subscribers that share messages may take until each knows its part. */
    private static final long SETTLED_NS = 20_000_000_000L;

    /** Connects a client to its topic. */
    public interface Connect {
        Receiving to(String topic, Arrivals arrivals) throws Exception;
    }

    /** Creates a codec: each client has one of its own, because its thread decodes. */
    public interface Codecs {
        Codec next() throws Exception;
    }

    /** The arrivals of one client; called on one thread at a time. */
    private final class Client implements Arrivals {
        private final Codec codec;
        private final long number;
        private final boolean tells;
        private final Stand.Part part = new Stand.Part();
        private volatile long standNs;
        private long read;

        Client(Codec codec, long number, boolean tells) {
            this.codec = codec;
            this.number = number;
            this.tells = tells;
        }

        @Override
        public void arrived(byte[] body, long receivedNs) {
            long decodedNs = Rows.ABSENT;
            if (codec != null) {
                try {
                    Object decoded = codec.decode(body);
                    long now = System.nanoTime();
                    // A decoded object is read as well.
                    read += codec.read(decoded);
                    decodedNs = now;
                } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError error) {
                    // Damaged bytes are an arrival that does not decode.
                    decodedNs = Rows.ABSENT;
                }
            }
            boolean isMeasured = part.isDue();
            long begun = isMeasured ? Stand.cpuNs() : 0;
            Digest digest = Digest.of(body);
            if (tells) {
                receipts.tell(digest);
            }
            record(digest, digest.as(number), body.length, receivedNs, decodedNs);
            if (isMeasured) {
                part.add(Stand.cpuNs() - begun);
            } else {
                part.other();
            }
            standNs = part.totalNs();
        }

        @Override
        public void broke(String why) {
            fault.compareAndSet(null, why);
        }
    }

    private final Live live;
    private final long topics;
    private final boolean shared;
    private final Receipts receipts;
    private final Received received = new Received();
    private final List<Client> arrivals = new ArrayList<>();
    private final List<Receiving> clients = new ArrayList<>();
    private final AtomicReference<String> fault = new AtomicReference<>();
    private volatile long lastNs = Rows.ABSENT;

    /**
     * Connects.
     *
     * @param codecs null if nothing is decoded
     * @param gate the pipe of a closed loop; null without
     * @param shared whether the subscribers of a topic share its messages
     * @param live null without counters
     */
    public Subscriber(Codecs codecs, Connect connect, String topic, long subscribers, long topics, String gate, boolean shared, Live live)
            throws Exception {
        this.live = live;
        this.topics = Math.max(1, topics);
        this.shared = shared;
        this.receipts = gate == null ? null : new Receipts(gate);
        for (long one = 0; one < subscribers; one++) {
            // Only the first client of each topic writes into the gate, or all that share its messages; these receive as the first.
            boolean tells = gate != null && (shared || one < this.topics);
            arrivals.add(new Client(codecs == null ? null : codecs.next(), shared ? one % this.topics : one, tells));
        }
        long begin = System.nanoTime();
        try {
            for (int one = 0; one < subscribers; one++) {
                clients.add(connect.to(topicOf(topic, one, topics), arrivals.get(one)));
            }
            if (shared) {
                for (Receiving client : clients) {
                    client.settle((int) (subscribers / this.topics), SETTLED_NS);
                }
            }
        } catch (Exception | LinkageError error) {
            clients.forEach(Receiving::leave);
            clients.forEach(client -> client.finish(0));
            throw error;
        }
        connectNs = System.nanoTime() - begin;
    }

    private synchronized void record(Digest digest, Digest own, int length, long receivedNs, long decodedNs) {
        if (live != null) {
            live.count(digest, length, receivedNs);
        }
        received.add(own, length, receivedNs, decodedNs);
        lastNs = receivedNs;
    }

    private Map<String, Object> progress(long messages) {
        List<Long> stands = arrivals.stream().map(one -> one.standNs).toList();
        return progress(messages, 0, lastNs == Rows.ABSENT ? null : lastNs, stands, received.cpuNs());
    }

    public Map<String, Object> awaitReceived(long messages, long untilNs) {
        await(untilNs, () -> received.count() >= messages || fault.get() != null);
        return progress(received.count());
    }

    public Map<String, Object> awaitDelivered(String path, long untilNs) throws IOException {
        Delivered delivered = new Delivered(path, this::receivers);
        try {
            await(untilNs, () -> {
                try {
                    return delivered.isComplete(received) || fault.get() != null;
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            });
        } catch (UncheckedIOException error) {
            throw error.getCause();
        }
        return progress(delivered.arrived());
    }

    /** The clients as which a message is received, by its number: those of its topic, or the first of those that share it. */
    private long[] receivers(long number) {
        long[] all = LongStream.iterate(number % topics, one -> one < clients.size(), one -> one + topics).toArray();
        return shared ? new long[] {all[0]} : all;
    }

    @Override
    public List<Object> memberships() throws Exception {
        List<Object> told = new ArrayList<>();
        for (int one = 0; one < clients.size(); one++) {
            Map<String, Object> membership = clients.get(one).membership(GRACE_NS);
            if (membership != null) {
                Map<String, Object> words = new LinkedHashMap<>();
                words.put("subscriber", (long) one);
                words.putAll(membership);
                told.add(words);
            }
        }
        return told;
    }

    @Override
    public Map<String, Object> finish(String path) throws Exception {
        // A group can only be removed once all of its members have left it.
        clients.forEach(Receiving::leave);
        for (Receiving client : clients) {
            String why = client.finish(GRACE_NS);
            if (why != null) {
                fault.compareAndSet(null, why);
            }
        }
        if (receipts != null) {
            receipts.close();
        }
        return finished(received.finish(path), fault.get());
    }
}
