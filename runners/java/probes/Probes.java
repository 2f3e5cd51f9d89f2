package wiredyno.runner;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import wiredyno.domain.Opaque;
import wiredyno.runner.roles.Sequence;
import wiredyno.runner.transports.Arrivals;
import wiredyno.runner.transports.Receiving;
import wiredyno.runner.transports.Report;
import wiredyno.runner.transports.Sending;
import wiredyno.runner.transports.Terms;
import wiredyno.runner.transports.Transport;
import wiredyno.runner.transports.Transports;

/** The Java runner with a codec and a transport that mark their calls (docs/RUNNER.md, "Probes"), over the payload `opaque`. */
public final class Probes {
    /** The least duration of every marked call. */
    private static final long LEAST_NS = 300_000;

    /** The transport that holds messages reports one as sent when none has been handed over for this long. */
    private static final long HELD_NS = 300_000_000;
    private static final String ID = "probe/java";

    private static FileChannel marks;

    private Probes() {}

    public static void main(String[] words) throws Exception {
        Path file = Path.of(System.getenv("WIREDYNO_MARKS"));
        marks = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Codecs.ALL.put(ID, new Codecs.Entry("probe", null, (values, schemas) -> new Probe(values)));
        Transports.ALL.put(ID, ProbeTransport::new);
        Roles.sequences = MarkedSequence::new;
        Main.main(words);
    }

    private static void mark(String what, long number, long begin, long end) {
        String line = what + " " + Long.toUnsignedString(number) + " " + begin + " " + end + "\n";
        try {
            // One write each.
            marks.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static long numberOf(byte[] data) {
        return ByteBuffer.wrap(data).getLong();
    }

    /** The field's access, which takes its time. */
    private static final class MarkedSequence extends Sequence {
        MarkedSequence(Class<?> root, String path) throws Refusal {
            super(root, path);
        }

        @Override
        protected void put(Place place, long number) throws ReflectiveOperationException {
            long begin = System.nanoTime();
            super.put(place, number);
            spin(begin);
            mark("number", number, begin, System.nanoTime());
        }
    }

    private static void spin(long begin) {
        while (System.nanoTime() < begin + LEAST_NS) {
            Thread.onSpinWait();
        }
    }

    private static <T> T marked(String what, byte[] data, Supplier<T> call) {
        long begin = System.nanoTime();
        T product = call.get();
        spin(begin);
        mark(what, numberOf(data), begin, System.nanoTime());
        return product;
    }

    /** The only field's bytes, unchanged. */
    private static final class Probe extends Codec {
        private final Values values;

        Probe(Values values) {
            this.values = values;
        }

        @Override
        public Object build(Object domain) {
            byte[] data = ((Opaque) domain).getData();
            return marked("build", data, data::clone);
        }

        @Override
        public byte[] encode(Object built) {
            byte[] data = (byte[]) built;
            return marked("encode", data, data::clone);
        }

        @Override
        public Object decode(byte[] body) {
            return marked("decode", body, () -> {
                Opaque made = new Opaque();
                made.setData(body.clone());
                return made;
            });
        }

        @Override
        public long read(Object decoded) {
            return marked("read", ((Opaque) decoded).getData(), () -> values.read(decoded));
        }
    }

    /** Bodies preceded by their lengths, over a connection from publisher to subscriber. */
    private static final class ProbeTransport implements Transport {
        private final Terms terms;

        ProbeTransport(Terms terms) {
            this.terms = terms;
        }

        @Override
        public Sending publisher(String topic, Report report) throws Exception {
            return "held".equals(terms.setting) ? new Held(report) : new Publishing(terms, report);
        }

        @Override
        public Receiving subscriber(String topic, Arrivals arrivals) throws Exception {
            return new Subscribing(terms, arrivals);
        }

        @Override
        public String tlsVersion() {
            return null;
        }
    }

    /** What both publishers' clients have in common. */
    private abstract static class Probing implements Sending {
        private final Report report;

        Probing(Report report) {
            this.report = report;
        }

        @Override
        public final void send(long row, byte[] body) {
            marked("send", body, () -> {
                hand(row, body);
                return null;
            });
        }

        abstract void hand(long row, byte[] body);

        final void tell(long row, long number) {
            long at = System.nanoTime();
            mark("sent", number, at, at);
            report.sent(row, at);
        }

        @Override
        public final boolean reportsSent() {
            return true;
        }

        @Override
        public final boolean acknowledges() {
            return false;
        }
    }

    private static final class Publishing extends Probing {
        private static final long LIMIT_NS = 20_000_000_000L;

        private final DataOutputStream line;

        Publishing(Terms terms, Report report) throws Exception {
            super(report);
            long until = System.nanoTime() + LIMIT_NS;
            Socket socket = null;
            while (socket == null) {
                try {
                    socket = new Socket(terms.host, terms.port);
                } catch (ConnectException error) {
                    if (System.nanoTime() > until) {
                        throw error;
                    }
                    Thread.sleep(10);
                }
            }
            line = new DataOutputStream(socket.getOutputStream());
        }

        @Override
        void hand(long row, byte[] body) {
            try {
                line.writeInt(body.length);
                line.write(body);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
            tell(row, numberOf(body));
        }

        @Override
        public String finish(long graceNs) {
            try {
                line.close();
            } catch (IOException error) {
                return error.toString();
            }
            return null;
        }
    }

    /** Doesn't connect; a message is reported as sent well after it was handed over. */
    private static final class Held extends Probing {
        private record Message(long row, long number) {}

        private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>();
        private volatile long lastNs;

        Held(Report report) {
            super(report);
            Thread thread = new Thread(this::release, "held");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        void hand(long row, byte[] body) {
            lastNs = System.nanoTime();
            messages.add(new Message(row, numberOf(body)));
        }

        private void release() {
            try {
                for (;;) {
                    Message one = messages.take();
                    for (long left; (left = lastNs + HELD_NS - System.nanoTime()) > 0; ) {
                        LockSupport.parkNanos(left);
                    }
                    tell(one.row, one.number);
                }
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public String finish(long graceNs) {
            return null;
        }
    }

    private static final class Subscribing implements Receiving {
        private final Arrivals arrivals;
        private final ServerSocket listener;

        Subscribing(Terms terms, Arrivals arrivals) throws IOException {
            this.arrivals = arrivals;
            listener = new ServerSocket(terms.port, 1, InetAddress.getByName(terms.host));
            Thread thread = new Thread(this::receive, "received");
            thread.setDaemon(true);
            thread.start();
        }

        private void receive() {
            try (Socket line = listener.accept()) {
                DataInputStream in = new DataInputStream(line.getInputStream());
                for (;;) {
                    byte[] body = in.readNBytes(in.readInt());
                    long received = System.nanoTime();
                    mark("received", numberOf(body), received, received);
                    long begin = System.nanoTime();
                    arrivals.arrived(body, received);
                    mark("handed", numberOf(body), begin, System.nanoTime());
                }
            } catch (EOFException error) {
                // The publisher has finished.
                return;
            } catch (IOException error) {
                arrivals.broke(error.toString());
            }
        }

        @Override
        public String finish(long graceNs) {
            try {
                listener.close();
            } catch (IOException error) {
                return error.toString();
            }
            return null;
        }
    }
}
