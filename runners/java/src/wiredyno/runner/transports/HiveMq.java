package wiredyno.runner.transports;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedContext;
import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import wiredyno.runner.Refusal;

/** MQTT 5 by HiveMQ's client, its asynchronous flavour, without reconnecting. */
final class HiveMq implements Transport {
    /** The library's default for aliases of topics that a client uses. */
    private static final int ALIASES = 16;

    private final Terms terms;
    private final MqttQos qos;
    private int number;

    HiveMq(Terms terms) {
        this.terms = terms;
        this.qos = MqttQos.fromCode(terms.setting.charAt(terms.setting.length() - 1) - '0');
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

    /** A client that is connected. */
    private Mqtt5AsyncClient connect(Consumer<String> broken) throws Exception {
        Mqtt5ClientBuilder builder = Mqtt5Client.builder()
                .identifier(String.format("w%016x%04x", System.nanoTime() ^ terms.seed, number++))
                .serverHost(terms.hostToConnect())
                .serverPort(terms.port)
                .addDisconnectedListener(context -> gone(context, broken));
        if (terms.tls != null) {
            builder = builder.sslConfig(encrypted());
        }
        Mqtt5AsyncClient own = builder.buildAsync();
        var connect = Mqtt5Connect.builder()
                .cleanStart(true)
                .restrictions()
                .receiveMaximum((int) terms.whole("receive_maximum"))
                .sendTopicAliasMaximum(terms.flag("topic_alias") ? ALIASES : 0)
                .applyRestrictions();
        if (terms.user != null) {
            connect = connect.simpleAuth().username(terms.user).password(terms.password.getBytes(java.nio.charset.StandardCharsets.UTF_8)).applySimpleAuth();
        }
        try {
            own.connect(connect.build()).get(Terms.CONNECT_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException error) {
            throw refusal(error.getCause() == null ? error : error.getCause());
        }
        return own;
    }

    private MqttClientSslConfig encrypted() throws Refusal {
        var config = MqttClientSslConfig.builder()
                .trustManagerFactory(terms.tls.trust())
                .protocols(List.of(terms.tls.versions()))
                .handshakeTimeout(Terms.CONNECT_MS, TimeUnit.MILLISECONDS);
        KeyManagerFactory identity = terms.tls.identity();
        return identity == null ? config.build() : config.keyManagerFactory(identity).build();
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

    private static void gone(MqttClientDisconnectedContext context, Consumer<String> broken) {
        if (context.getSource() != MqttDisconnectSource.USER) {
            broken.accept("the connection is gone: " + context.getCause().getMessage());
        }
    }

    private static void disconnect(Mqtt5AsyncClient own) {
        try {
            own.disconnect().get(2, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException error) {
            System.err.println("disconnecting: " + error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Publishing implements Sending {
        private final Report report;
        private final Mqtt5AsyncClient own;
        private final String topic;
        private final AtomicLong waiting = new AtomicLong();
        private volatile String broken;

        Publishing(String topic, Report report) throws Exception {
            this.topic = topic;
            this.report = report;
            own = connect(this::broke);
        }

        private void broke(String why) {
            broken = why;
            report.broke(why);
        }

        @Override
        public void send(long row, byte[] body) {
            waiting.incrementAndGet();
            Mqtt5Publish message = Mqtt5Publish.builder().topic(topic).qos(qos).payload(body).build();
            own.publish(message).whenComplete((result, error) -> published(row, result, error));
        }

        private void published(long row, Mqtt5PublishResult result, Throwable error) {
            long at = System.nanoTime();
            Throwable failed = error == null ? result.getError().orElse(null) : error;
            if (failed != null) {
                report.broke("the broker refused messages: " + failed.getMessage());
                return;
            }
            waiting.decrementAndGet();
            // At QoS 0 the library reports that the message is written, else that it is acknowledged (PUBACK, PUBCOMP).
            if (qos == MqttQos.AT_MOST_ONCE) {
                report.sent(row, at);
            } else {
                report.acked(row, at);
            }
        }

        @Override
        public boolean reportsSent() {
            return qos == MqttQos.AT_MOST_ONCE;
        }

        @Override
        public boolean acknowledges() {
            return qos != MqttQos.AT_MOST_ONCE;
        }

        @Override
        public String finish(long graceNs) {
            long until = System.nanoTime() + graceNs;
            while (waiting.get() > 0 && broken == null && System.nanoTime() < until) {
                LockSupport.parkNanos(2_000_000);
            }
            long left = waiting.get();
            String why = broken;
            disconnect(own);
            return why != null ? why : left > 0 ? left + " messages were not sent or not acknowledged" : null;
        }
    }

    private final class Subscribing implements Receiving {
        private final Arrivals arrivals;
        private final Mqtt5AsyncClient own;
        private volatile String broken;

        Subscribing(String topic, Arrivals arrivals) throws Exception {
            this.arrivals = arrivals;
            own = connect(this::broke);
            try {
                own.subscribeWith().topicFilter(topic).qos(qos).callback(this::arrived).send().get(Terms.CONNECT_MS, TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException error) {
                disconnect(own);
                throw new Refusal("the broker refused the subscription: " + error);
            }
        }

        private void arrived(Mqtt5Publish message) {
            long received = System.nanoTime();
            arrivals.arrived(message.getPayloadAsBytes(), received);
        }

        private void broke(String why) {
            broken = why;
            arrivals.broke(why);
        }

        @Override
        public String finish(long graceNs) {
            String why = broken;
            disconnect(own);
            return why;
        }
    }
}
