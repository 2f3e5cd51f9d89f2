package wiredyno.runner.transports;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;
import org.eclipse.paho.client.mqttv3.IMqttActionListener;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import wiredyno.runner.Refusal;

/** MQTT 3.1.1 by Eclipse Paho's asynchronous client, without reconnecting. */
final class Paho implements Transport {
    /** Most messages of QoS 1 and 2 under way: as many as there are identifiers. The library refuses more; its default is 10. */
    private static final int IN_FLIGHT = 65_535;

    private final Terms terms;
    private final int qos;
    private volatile String tlsVersion;
    private int number;

    Paho(Terms terms) {
        this.terms = terms;
        this.qos = terms.setting.charAt(terms.setting.length() - 1) - '0';
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

    /** A client that is connected. */
    private MqttAsyncClient connect(MqttCallback callback) throws Exception {
        String scheme = terms.tls == null ? "tcp://" : "ssl://";
        String id = String.format("w%016x%08x", System.nanoTime() ^ terms.seed, number++);
        MqttAsyncClient own = new MqttAsyncClient(scheme + terms.hostToConnect() + ":" + terms.port, id.substring(0, 23), new MemoryPersistence());
        MqttConnectOptions options = new MqttConnectOptions();
        options.setCleanSession(true);
        options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
        options.setAutomaticReconnect(false);
        options.setMaxInflight(IN_FLIGHT);
        options.setConnectionTimeout((int) (Terms.CONNECT_MS / 1_000));
        options.setSocketFactory(factory());
        if (terms.user != null) {
            options.setUserName(terms.user);
            options.setPassword(terms.password.toCharArray());
        }
        own.setCallback(callback);
        try {
            own.connect(options).waitForCompletion(Terms.CONNECT_MS);
        } catch (MqttException error) {
            own.close(true);
            throw refusal(error);
        }
        return own;
    }

    private SocketFactory factory() throws Refusal {
        return terms.tls == null ? new Sockets.Plain() : new Sockets.Encrypted(terms.tls, version -> tlsVersion = version);
    }

    private Refusal refusal(MqttException error) {
        String at = "the broker at " + terms.address();
        if (terms.tls != null) {
            String found = terms.tls.witness(terms.tls.host(), terms.port);
            return new Refusal("TLS with " + at + ": " + (found == null ? error + (error.getCause() == null ? "" : ": " + error.getCause()) : found));
        }
        String found = Tls.addressedWithout(terms.host, terms.port);
        String cause = error.getCause() == null ? error.getMessage() : error.getCause().toString();
        return new Refusal(at + " refused the connection: " + (found == null ? cause : found));
    }

    /** Disconnects, and closes in any case. */
    private static void disconnect(MqttAsyncClient own) {
        try {
            if (own.isConnected()) {
                own.disconnect(0).waitForCompletion(2_000);
            }
        } catch (MqttException error) {
            System.err.println("disconnecting: " + error);
        }
        try {
            own.close(true);
        } catch (MqttException error) {
            System.err.println("closing: " + error);
        }
    }

    private static String gone(Throwable cause) {
        Throwable first = cause.getCause() == null ? cause : cause.getCause();
        return "the connection is gone: " + first;
    }

    private final class Publishing implements Sending, MqttCallback {
        private final String topic;
        private final Report report;
        private final MqttAsyncClient own;
        private final AtomicLong waiting = new AtomicLong();
        private volatile String broken;

        Publishing(String topic, Report report) throws Exception {
            this.topic = topic;
            this.report = report;
            own = connect(this);
        }

        @Override
        public void send(long row, byte[] body) throws MqttException {
            waiting.incrementAndGet();
            own.publish(topic, body, qos, false, null, new IMqttActionListener() {
                @Override
                public void onSuccess(IMqttToken token) {
                    long at = System.nanoTime();
                    waiting.decrementAndGet();
                    // At QoS 0 the library reports that the socket has taken the message, else that it is acknowledged (PUBACK, PUBCOMP).
                    if (qos == 0) {
                        report.sent(row, at);
                    } else {
                        report.acked(row, at);
                    }
                }

                @Override
                public void onFailure(IMqttToken token, Throwable error) {
                    report.broke(gone(error));
                }
            });
        }

        @Override
        public boolean reportsSent() {
            return qos == 0;
        }

        @Override
        public boolean acknowledges() {
            return qos > 0;
        }

        @Override
        public void connectionLost(Throwable cause) {
            broken = gone(cause);
            report.broke(broken);
        }

        @Override
        public void messageArrived(String topic, MqttMessage message) {}

        @Override
        public void deliveryComplete(IMqttDeliveryToken token) {}

        @Override
        public String finish(long graceNs) {
            long until = System.nanoTime() + graceNs;
            while (waiting.get() > 0 && broken == null && System.nanoTime() < until) {
                LockSupport.parkNanos(2_000_000);
            }
            long left = waiting.get();
            disconnect(own);
            return broken != null ? broken : left > 0 ? left + " messages were not sent or not acknowledged" : null;
        }
    }

    private final class Subscribing implements Receiving, MqttCallback {
        private final Arrivals arrivals;
        private final MqttAsyncClient own;
        private volatile String broken;

        Subscribing(String topic, Arrivals arrivals) throws Exception {
            this.arrivals = arrivals;
            own = connect(this);
            try {
                IMqttToken token = own.subscribe(topic, qos);
                token.waitForCompletion(Terms.CONNECT_MS);
                if (token.getGrantedQos()[0] > 2) {
                    throw new Refusal("the broker refused the subscription");
                }
            } catch (MqttException | Refusal error) {
                disconnect(own);
                throw error instanceof Refusal ? error : new Refusal("the broker refused the subscription: " + error);
            }
        }

        @Override
        public void messageArrived(String topic, MqttMessage message) {
            long received = System.nanoTime();
            arrivals.arrived(message.getPayload(), received);
        }

        @Override
        public void connectionLost(Throwable cause) {
            broken = gone(cause);
            arrivals.broke(broken);
        }

        @Override
        public void deliveryComplete(IMqttDeliveryToken token) {}

        @Override
        public String finish(long graceNs) {
            disconnect(own);
            return broken;
        }
    }
}
