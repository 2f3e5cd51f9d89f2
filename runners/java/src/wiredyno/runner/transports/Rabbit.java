package wiredyno.runner.transports;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownNotifier;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurator;
import com.rabbitmq.client.SocketConfigurators;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocket;
import wiredyno.runner.Refusal;

/** AMQP 0-9-1 by RabbitMQ's client: a connection and a channel for each client, without recovery. */
final class Rabbit implements Transport {
    private static final String GUEST = "guest";
    private static final int CLOSE_MS = 5_000;

    private final Terms terms;
    private final boolean isManual;
    private volatile String tlsVersion;

    Rabbit(Terms terms) {
        this.terms = terms;
        this.isManual = terms.setting.equals("manual-ack");
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
        return tlsVersion;
    }

    /** Where a topic's messages go: the exchange, and the key with which they are published and queues are bound. */
    private record Route(String exchange, String key, boolean isOwn) {}

    private Route route(String topic) throws Refusal {
        String dotted = topic.replace('/', '.');
        Route route = switch (terms.word("exchange")) {
            case "topic" -> new Route("amq.topic", dotted, false);
            case "fanout" -> new Route("fanout." + dotted, "", true);
            default -> new Route("amq.direct", topic, false);
        };
        if (route.exchange.length() > 255 || route.key.length() > 255) {
            throw new Refusal("the topic " + topic + ": names and keys have at most 255 bytes");
        }
        return route;
    }

    private Connection connect(Consumer<String> broken) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(terms.hostToConnect());
        factory.setPort(terms.port);
        factory.setUsername(terms.user == null ? GUEST : terms.user);
        factory.setPassword(terms.user == null ? GUEST : terms.password);
        factory.setAutomaticRecoveryEnabled(false);
        factory.setConnectionTimeout((int) Terms.CONNECT_MS);
        if (terms.tls != null) {
            factory.useSslProtocol(terms.tls.context());
            SocketConfigurator encrypted = socket -> {
                SSLSocket own = (SSLSocket) socket;
                own.setSSLParameters(terms.tls.parameters());
                own.addHandshakeCompletedListener(event -> tlsVersion = Tls.version(event.getSession().getProtocol()));
            };
            factory.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(encrypted));
        }
        try {
            return watched(factory.newConnection(), "connection", broken);
        } catch (IOException | TimeoutException error) {
            throw refusal(error);
        }
    }

    /** Tells when a connection or channel is gone without having been closed here. A broker closes a channel alone, and its connection stays. */
    private static <T extends ShutdownNotifier> T watched(T own, String what, Consumer<String> broken) {
        own.addShutdownListener(cause -> {
            if (!cause.isInitiatedByApplication()) {
                broken.accept("the " + what + " is gone: " + cause.getMessage());
            }
        });
        return own;
    }

    private Refusal refusal(Exception error) {
        String at = "the broker at " + terms.address();
        if (terms.tls != null) {
            String found = terms.tls.witness(terms.tls.host(), terms.port);
            return new Refusal("TLS with " + at + ": " + (found == null ? terms.tls.explained(error) : found));
        }
        String found = Tls.addressedWithout(terms.host, terms.port);
        return new Refusal(at + " refused the connection: " + (found == null ? error : found));
    }

    private void declare(Channel channel, Route route) throws IOException {
        if (route.isOwn) {
            channel.exchangeDeclare(route.exchange, "fanout", terms.flag("durable"), true, null);
        }
    }

    private static void close(Connection own) {
        try {
            own.close(CLOSE_MS);
        } catch (IOException | ShutdownSignalException error) {
            System.err.println("closing: " + error);
        }
    }

    private final class Publishing implements Sending {
        private record Message(long row, byte[] body) {}

        private static final Message END = new Message(-1, null);

        private final Route route;
        private final Report report;
        private final Connection own;
        private final Channel channel;
        private final AMQP.BasicProperties properties;
        private final boolean confirms;
        /** Rows that are not confirmed, by the broker's numbers. */
        private final ConcurrentSkipListMap<Long, Long> unconfirmed = new ConcurrentSkipListMap<>();
        /** Messages that wait for the confirm of the one before; null where none does. */
        private final LinkedBlockingQueue<Message> turns;
        private Thread thread;
        private volatile String broken;

        Publishing(String topic, Report report) throws Exception {
            route = route(topic);
            this.report = report;
            String chosen = terms.word("confirms");
            confirms = chosen.equals("by-mode") ? isManual : !chosen.equals("none");
            turns = chosen.equals("each") ? new LinkedBlockingQueue<>() : null;
            properties = new AMQP.BasicProperties.Builder().deliveryMode(terms.flag("durable") ? 2 : null).build();
            own = connect(this::broke);
            try {
                channel = watched(own.createChannel(), "channel", this::broke);
                declare(channel, route);
                if (confirms) {
                    channel.confirmSelect();
                    channel.addConfirmListener(this::confirmed, (number, multiple) -> broke("the broker refused messages (basic.nack)"));
                }
            } catch (IOException | ShutdownSignalException error) {
                close(own);
                throw refusal(error);
            }
            if (turns != null) {
                thread = new Thread(this::inTurn, "confirms");
                thread.setDaemon(true);
                thread.start();
            }
        }

        private void broke(String why) {
            if (broken == null) {
                broken = why;
            }
            report.broke(why);
        }

        private void confirmed(long number, boolean multiple) {
            long at = System.nanoTime();
            if (!multiple) {
                Long row = unconfirmed.remove(number);
                if (row != null) {
                    report.acked(row, at);
                }
                return;
            }
            for (Map.Entry<Long, Long> one; (one = unconfirmed.firstEntry()) != null && one.getKey() <= number; ) {
                unconfirmed.remove(one.getKey());
                report.acked(one.getValue(), at);
            }
        }

        @Override
        public void send(long row, byte[] body) throws IOException {
            if (turns == null) {
                publish(row, body);
            } else {
                turns.add(new Message(row, body));
            }
        }

        private void publish(long row, byte[] body) throws IOException {
            if (confirms) {
                unconfirmed.put(channel.getNextPublishSeqNo(), row);
            }
            channel.basicPublish(route.exchange, route.key, properties, body);
            // The library has flushed the message to the socket.
            report.sent(row, System.nanoTime());
        }

        private void inTurn() {
            try {
                for (Message one; (one = turns.take()) != END; ) {
                    publish(one.row, one.body);
                    channel.waitForConfirms();
                }
            } catch (IOException | ShutdownSignalException error) {
                broke("messages can't be sent: " + error);
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
            return confirms;
        }

        @Override
        public String finish(long graceNs) {
            long until = System.nanoTime() + graceNs;
            if (turns != null) {
                turns.add(END);
                try {
                    thread.join(Math.max(1, graceNs / 1_000_000));
                } catch (InterruptedException error) {
                    Thread.currentThread().interrupt();
                }
            }
            while (!unconfirmed.isEmpty() && broken == null && System.nanoTime() < until) {
                LockSupport.parkNanos(2_000_000);
            }
            int left = unconfirmed.size() + (turns == null ? 0 : turns.size());
            String why = broken;
            if (route.isOwn && why == null) {
                removeExchange();
            }
            close(own);
            return why != null ? why : left > 0 ? left + " messages were not sent or not acknowledged" : null;
        }

        /** Removes the topic's own exchange if no queue was ever bound to it; otherwise it disappears with its last queue. */
        private void removeExchange() {
            try {
                own.createChannel().exchangeDelete(route.exchange, true);
            } catch (IOException | ShutdownSignalException error) {
                // A broker refuses, and closes the channel, if a queue is still bound.
                System.err.println("the exchange is in use: " + error.getMessage());
            }
        }
    }

    private final class Subscribing implements Receiving {
        private final Arrivals arrivals;
        private final Connection own;
        private final Channel channel;
        private final String queue;
        private volatile String broken;

        Subscribing(String topic, Arrivals arrivals) throws Exception {
            this.arrivals = arrivals;
            Route route = route(topic);
            own = connect(this::broke);
            try {
                channel = watched(own.createChannel(), "channel", this::broke);
                declare(channel, route);
                boolean durable = terms.flag("durable");
                // A durable queue has a name of ours and stays until it is removed; any other has the broker's and goes with the connection.
                String wanted = durable ? String.format("wiredyno.%d.%d", ProcessHandle.current().pid(), System.nanoTime()) : "";
                queue = channel.queueDeclare(wanted, durable, !durable, !durable, null).getQueue();
                channel.queueBind(queue, route.exchange, route.key);
                if (isManual) {
                    channel.basicQos((int) terms.whole("prefetch"));
                }
                channel.basicConsume(queue, !isManual, (tag, message) -> {
                    long received = System.nanoTime();
                    arrivals.arrived(message.getBody(), received);
                    if (isManual) {
                        channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
                    }
                }, tag -> broke("the broker has cancelled the subscription"));
            } catch (IOException | ShutdownSignalException error) {
                close(own);
                throw refusal(error);
            }
        }

        private void broke(String why) {
            broken = why;
            arrivals.broke(why);
        }

        @Override
        public String finish(long graceNs) {
            String why = broken;
            if (terms.flag("durable") && why == null) {
                try {
                    // With its channel the consumer ends, which would be told of the queue's end.
                    channel.close();
                    own.createChannel().queueDelete(queue);
                } catch (IOException | TimeoutException | ShutdownSignalException error) {
                    why = "the queue " + queue + " stays: " + error.getMessage();
                }
            }
            close(own);
            return why;
        }
    }
}
