package wiredyno.runner.transports;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.DeliveryMode;
import org.apache.qpid.protonj2.client.DeliveryState;
import org.apache.qpid.protonj2.client.DurabilityMode;
import org.apache.qpid.protonj2.client.ExpiryPolicy;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.SenderOptions;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.client.exceptions.ClientException;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import wiredyno.runner.Refusal;

/**
 * AMQP 1.0 by Apache Qpid ProtonJ2's client: a connection and a link for each client, without reconnecting. A topic is a routing key of the
 * exchange that every broker of the 0-9-1 family has, so that every subscriber gets every message.
 */
final class Proton implements Transport {
    private static final String GUEST = "guest";
    private static final long POLL_MS = 50;

    private final Terms terms;
    private final boolean isSettled;

    Proton(Terms terms) {
        this.terms = terms;
        this.isSettled = terms.setting.equals("settled");
    }

    @Override
    public Sending publisher(String topic, Report report) throws Exception {
        return new Publishing(topic, report);
    }

    @Override
    public Receiving subscriber(String topic, Arrivals arrivals) throws Exception {
        return new Subscribing(topic, arrivals);
    }

    @Override
    public String tlsVersion() {
        // The library does not tell it.
        return null;
    }

    private static String address(String topic) {
        return "amq.direct/" + topic;
    }

    private DeliveryMode mode() {
        return isSettled ? DeliveryMode.AT_MOST_ONCE : DeliveryMode.AT_LEAST_ONCE;
    }

    private Connection connect(Client client, Consumer<String> broken) throws Exception {
        ConnectionOptions options = new ConnectionOptions();
        options.user(terms.user == null ? GUEST : terms.user);
        options.password(terms.user == null ? GUEST : terms.password);
        options.openTimeout(Terms.CONNECT_MS).reconnectEnabled(false);
        options.transportOptions().connectTimeout((int) Terms.CONNECT_MS).tcpNoDelay(true);
        options.disconnectedHandler((connection, event) -> broken.accept("the connection is gone: " + event.failureCause()));
        if (terms.tls != null) {
            options.sslOptions().sslEnabled(true).sslContextOverride(terms.tls.context()).verifyHost(true).enabledProtocols(terms.tls.versions());
        }
        try {
            Connection own = client.connect(terms.hostToConnect(), terms.port, options);
            own.openFuture().get(Terms.CONNECT_MS, TimeUnit.MILLISECONDS);
            return own;
        } catch (ClientException | java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException error) {
            client.close();
            throw refusal(error.getCause() == null ? error : error.getCause());
        }
    }

    private Refusal refusal(Throwable error) {
        String at = "the broker at " + terms.address();
        if (terms.tls != null) {
            String found = terms.tls.witness(terms.tls.host(), terms.port);
            return new Refusal("TLS with " + at + ": " + (found == null ? terms.tls.explained(error) : found));
        }
        String found = Tls.addressedWithout(terms.host, terms.port);
        return new Refusal(at + " refused the connection: " + (found == null ? error.getMessage() : found));
    }

    private final class Publishing implements Sending {
        private record UnderWay(long row, Tracker tracker) {}

        private static final UnderWay END = new UnderWay(-1, null);

        private final Report report;
        private final Client client;
        private final Sender own;
        /** Messages that are not settled, in their order: the library tells of each only to a thread that waits for it. */
        private final LinkedBlockingQueue<UnderWay> unsettled = new LinkedBlockingQueue<>();
        private final AtomicLong waiting = new AtomicLong();
        private volatile String broken;
        private volatile boolean isClosing;

        Publishing(String topic, Report report) throws Exception {
            this.report = report;
            client = Client.create();
            Connection connection = connect(client, this::broke);
            try {
                // By default the library takes the tags of settled deliveries again, some of which Qpid's broker does not know as settled yet.
                SenderOptions options = new SenderOptions().deliveryMode(mode());
                options.deliveryTagGeneratorSupplier(ProtonDeliveryTagGenerator.BUILTIN.SEQUENTIAL::createGenerator);
                own = connection.openSender(address(topic), options);
                own.openFuture().get(Terms.CONNECT_MS, TimeUnit.MILLISECONDS);
            } catch (ClientException | java.util.concurrent.ExecutionException error) {
                client.close();
                throw new Refusal("the broker at " + terms.address() + " accepts no messages for `" + address(topic) + "`: " + error.getMessage());
            }
            if (!isSettled) {
                Thread thread = new Thread(this::settle, "settled");
                thread.setDaemon(true);
                thread.start();
            }
        }

        private void broke(String why) {
            if (!isClosing) {
                broken = broken == null ? why : broken;
                report.broke(why);
            }
        }

        @Override
        public void send(long row, byte[] body) throws ClientException {
            Message<byte[]> message = Message.create(body);
            if (terms.flag("durable")) {
                message.durable(true);
            }
            waiting.incrementAndGet();
            // Waits for credit, where the broker has granted none.
            Tracker tracker = own.send(message);
            report.sent(row, System.nanoTime());
            if (isSettled) {
                waiting.decrementAndGet();
            } else {
                unsettled.add(new UnderWay(row, tracker));
            }
        }

        private void settle() {
            try {
                for (UnderWay one; (one = unsettled.take()) != END; ) {
                    DeliveryState state = one.tracker.awaitSettlement().remoteState();
                    long at = System.nanoTime();
                    if (state == null || !state.isAccepted()) {
                        broke("the broker refused messages: " + (state == null ? "no state" : state.getType()));
                        return;
                    }
                    waiting.decrementAndGet();
                    report.acked(one.row, at);
                }
            } catch (ClientException error) {
                broke("messages are not settled: " + error.getMessage());
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public boolean reportsSent() {
            return true;
        }

        @Override
        public boolean acknowledges() {
            return !isSettled;
        }

        @Override
        public String finish(long graceNs) {
            long until = System.nanoTime() + graceNs;
            while (waiting.get() > 0 && broken == null && System.nanoTime() < until) {
                LockSupport.parkNanos(2_000_000);
            }
            long left = waiting.get();
            isClosing = true;
            unsettled.add(END);
            // Closes link and connection, and waits for that.
            own.close();
            client.close();
            return broken != null ? broken : left > 0 ? left + " messages were not sent or not acknowledged" : null;
        }
    }

    private final class Subscribing implements Receiving {
        private final Arrivals arrivals;
        private final Client client;
        private final Receiver own;
        private final Thread thread;
        private volatile boolean isClosing;
        private volatile String broken;

        Subscribing(String topic, Arrivals arrivals) throws Exception {
            this.arrivals = arrivals;
            client = Client.create();
            Connection connection = connect(client, this::broke);
            ReceiverOptions options = new ReceiverOptions().deliveryMode(mode()).creditWindow((int) terms.whole("credit")).autoAccept(false);
            if (terms.flag("durable")) {
                // Its queue is removed when the link is closed, which happens at the end.
                options.sourceOptions().durabilityMode(DurabilityMode.UNSETTLED_STATE).expiryPolicy(ExpiryPolicy.NEVER);
            }
            try {
                own = connection.openReceiver(address(topic), options);
                own.openFuture().get(Terms.CONNECT_MS, TimeUnit.MILLISECONDS);
            } catch (ClientException | java.util.concurrent.ExecutionException error) {
                client.close();
                throw new Refusal("the broker at " + terms.address() + " grants no messages of `" + address(topic) + "`: " + error.getMessage());
            }
            thread = new Thread(this::receive, "subscriber");
            thread.setDaemon(true);
            thread.start();
        }

        private void broke(String why) {
            if (!isClosing) {
                broken = broken == null ? why : broken;
                arrivals.broke(why);
            }
        }

        private void receive() {
            try {
                while (!isClosing) {
                    Delivery one = own.receive(POLL_MS, TimeUnit.MILLISECONDS);
                    if (one == null) {
                        continue;
                    }
                    long received = System.nanoTime();
                    byte[] body = one.<byte[]>message().body();
                    arrivals.arrived(body, received);
                    if (!isSettled) {
                        one.accept();
                    }
                }
            } catch (ClientException error) {
                broke("the link is gone: " + error.getMessage());
            } catch (RuntimeException | Error error) {
                // Nobody else would tell that nothing is received any more.
                broke("the subscriber has ended: " + error);
            }
        }

        @Override
        public String finish(long graceNs) {
            isClosing = true;
            try {
                thread.join(Math.max(1, graceNs / 1_000_000));
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            own.close();
            client.close();
            return broken;
        }
    }
}
