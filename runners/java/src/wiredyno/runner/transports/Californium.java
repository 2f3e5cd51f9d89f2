package wiredyno.runner.transports;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.californium.core.CoapClient;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.coap.MessageObserverAdapter;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.elements.AddressEndpointContext;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;
import org.eclipse.californium.scandium.DTLSConnector;
import org.eclipse.californium.scandium.config.DtlsConfig;
import org.eclipse.californium.scandium.config.DtlsConnectorConfig;
import org.eclipse.californium.scandium.dtls.CertificateType;
import org.eclipse.californium.scandium.dtls.pskstore.AdvancedSinglePskStore;
import org.eclipse.californium.scandium.dtls.x509.SingleCertificateProvider;
import org.eclipse.californium.scandium.dtls.x509.StaticNewAdvancedCertificateVerifier;
import wiredyno.runner.Refusal;

/**
 * CoAP by Eclipse Californium: an endpoint for each client, whose requests go to a server. A topic is a resource: publishers post bodies,
 * subscribers observe it.
 */
final class Californium implements Transport {
    /** The largest datagram over IPv4, and what the request or the notification around a body takes at most. */
    private static final int DATAGRAM_BYTES = 65_507;
    private static final int OVERHEAD_BYTES = 300;
    private static final int MOST_BODY_BYTES = 64 << 20;
    /** Messages of a peer that are remembered to find copies: the library remembers all of four minutes by default, more than a heap holds. */
    private static final int REMEMBERED = 4_096;

    private final Terms terms;
    private final boolean isConfirmable;
    private final boolean isBlockwise;

    Californium(Terms terms) {
        this.terms = terms;
        isConfirmable = terms.setting.startsWith("con");
        isBlockwise = terms.setting.endsWith("-block");
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
        return terms.tls == null ? null : "dtls-1.2";
    }

    private CoapEndpoint endpoint() throws Exception {
        Configuration config = Configuration.createStandardWithoutFile();
        int block = (int) terms.whole("block_size");
        config.set(CoapConfig.PREFERRED_BLOCK_SIZE, block);
        config.set(CoapConfig.MAX_MESSAGE_SIZE, isBlockwise ? block : DATAGRAM_BYTES);
        // 0: nothing is sent in blocks.
        config.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, isBlockwise ? MOST_BODY_BYTES : 0);
        config.set(UdpConfig.UDP_DATAGRAM_SIZE, DATAGRAM_BYTES);
        config.set(CoapConfig.ACK_TIMEOUT, terms.spanMs("ack_timeout"), TimeUnit.MILLISECONDS);
        config.set(CoapConfig.ACK_INIT_RANDOM, (float) terms.real("ack_random_factor"));
        config.set(CoapConfig.MAX_RETRANSMIT, (int) terms.whole("max_retransmit"));
        config.set(CoapConfig.MAX_LATENCY, terms.spanMs("max_latency"), TimeUnit.MILLISECONDS);
        // Identifiers are used again after 65,536 messages, however soon that is.
        config.set(CoapConfig.MID_TRACKER, CoapConfig.TrackerMode.NULL);
        config.set(CoapConfig.DEDUPLICATOR, terms.flag("deduplicate") ? CoapConfig.DEDUPLICATOR_PEERS_MARK_AND_SWEEP : CoapConfig.NO_DEDUPLICATOR);
        config.set(CoapConfig.PEERS_MARK_AND_SWEEP_MESSAGES, REMEMBERED);
        CoapEndpoint.Builder builder = CoapEndpoint.builder().setConfiguration(config);
        if (terms.tls != null) {
            builder.setConnector(new DTLSConnector(encrypted(config)));
        }
        CoapEndpoint made = builder.build();
        made.start();
        return made;
    }

    /** Scandium's DTLS 1.2, with a pre-shared key or certificates. */
    private DtlsConnectorConfig encrypted(Configuration config) throws Exception {
        config.set(DtlsConfig.DTLS_ROLE, DtlsConfig.DtlsRole.CLIENT_ONLY);
        DtlsConnectorConfig.Builder builder = DtlsConnectorConfig.builder(config);
        if (terms.tls.pskIdentity != null) {
            return builder.setAdvancedPskStore(new AdvancedSinglePskStore(terms.tls.pskIdentity, terms.tls.pskKey())).build();
        }
        builder.setAdvancedCertificateVerifier(
                StaticNewAdvancedCertificateVerifier.builder().setTrustedCertificates(terms.tls.authorities()).build());
        if (terms.tls.certificateFile != null) {
            builder.setCertificateIdentityProvider(new SingleCertificateProvider(terms.tls.key(), terms.tls.chain(), CertificateType.X_509));
        }
        return builder.build();
    }

    private String uri() {
        return (terms.tls == null ? "coap://" : "coaps://") + terms.hostToConnect() + ":" + terms.port;
    }

    private Request request(CoAP.Code code, String topic) {
        Request made = new Request(code, isConfirmable ? CoAP.Type.CON : CoAP.Type.NON);
        made.setDestinationContext(new AddressEndpointContext(new InetSocketAddress(terms.hostToConnect(), terms.port)));
        made.setScheme(terms.tls == null ? "coap" : "coaps");
        for (String segment : topic.split("/")) {
            made.getOptions().addUriPath(segment);
        }
        return made;
    }

    private final class Publishing implements Sending {
        private record Message(long row, byte[] body) {}

        private final String topic;
        private final Report report;
        private final CoAP.Code method;
        private final CoapEndpoint own;
        /** Messages that wait for the one under way: confirmable ones go one after another (RFC 7252, section 4.7: NSTART is 1), and so do blocks. */
        private final ArrayDeque<Message> lane = new ArrayDeque<>();
        private boolean isUnderWay;
        private final AtomicLong waiting = new AtomicLong();

        Publishing(String topic, Report report) throws Exception {
            this.topic = topic;
            this.report = report;
            method = terms.word("method").equals("put") ? CoAP.Code.PUT : CoAP.Code.POST;
            own = endpoint();
            CoapClient asking = new CoapClient(uri()).setEndpoint(own);
            if (!asking.ping(Terms.CONNECT_MS)) {
                own.destroy();
                throw new Refusal("no CoAP server answers a ping at " + terms.address());
            }
        }

        @Override
        public void send(long row, byte[] body) throws Refusal {
            if (!isBlockwise && body.length > DATAGRAM_BYTES - OVERHEAD_BYTES) {
                throw new Refusal("a body of " + body.length + " bytes does not fit into a datagram: use a setting with blocks");
            }
            waiting.incrementAndGet();
            Message message = new Message(row, body);
            boolean inTurn = isConfirmable || isBlockwise && body.length > terms.whole("block_size");
            synchronized (lane) {
                if (isUnderWay) {
                    lane.add(message);
                    return;
                }
                isUnderWay = inTurn;
            }
            request(message, inTurn);
        }

        private void request(Message message, boolean inTurn) {
            Request request = Californium.this.request(method, topic);
            request.setPayload(message.body);
            request.addMessageObserver(new MessageObserverAdapter() {
                private boolean isSent;

                @Override
                public void onSent(boolean isRetransmission) {
                    sent();
                }

                private synchronized void sent() {
                    if (!isSent) {
                        isSent = true;
                        report.sent(message.row, System.nanoTime());
                    }
                }

                @Override
                public void onResponse(Response response) {
                    long at = System.nanoTime();
                    sent();
                    if (response.isSuccess()) {
                        waiting.decrementAndGet();
                        report.acked(message.row, at);
                    } else {
                        report.broke("the server refused messages: " + response.getCode());
                    }
                    next(inTurn);
                }

                @Override
                protected void failed() {
                    // Given up after all retransmissions: it counts as lost if it did not arrive.
                    waiting.decrementAndGet();
                    sent();
                    next(inTurn);
                }
            });
            own.sendRequest(request);
        }

        private void next(boolean inTurn) {
            if (!inTurn) {
                return;
            }
            Message message;
            synchronized (lane) {
                message = lane.poll();
                isUnderWay = message != null;
            }
            if (message != null) {
                request(message, true);
            }
        }

        @Override
        public boolean reportsSent() {
            return true;
        }

        @Override
        public boolean acknowledges() {
            return true;
        }

        @Override
        public String finish(long graceNs) {
            long until = System.nanoTime() + graceNs;
            // The response to a non-confirmable request may be lost.
            while (isConfirmable && waiting.get() > 0 && System.nanoTime() < until) {
                LockSupport.parkNanos(2_000_000);
            }
            own.destroy();
            return isConfirmable && waiting.get() > 0 ? waiting.get() + " messages were not sent or not acknowledged" : null;
        }
    }

    private final class Subscribing implements Receiving {
        private final String topic;
        private final Arrivals arrivals;
        private final CoapEndpoint own;
        private final Request observing;
        private final CountDownLatch decided = new CountDownLatch(1);
        private volatile String refused;
        private volatile boolean isOver;

        Subscribing(String topic, Arrivals arrivals) throws Exception {
            this.topic = topic;
            this.arrivals = arrivals;
            own = endpoint();
            try {
                if (terms.flag("create")) {
                    create();
                }
                observing = request(CoAP.Code.GET, topic);
                observing.setObserve();
                observing.addMessageObserver(new Registering());
                own.addNotificationListener(this::notified);
                own.sendRequest(observing);
                if (!decided.await(Terms.CONNECT_MS, TimeUnit.MILLISECONDS) || refused != null) {
                    throw new Refusal("the CoAP server at " + terms.address() + (refused == null ? " does not answer" : " refused the observation: " + refused));
                }
            } catch (Refusal | InterruptedException error) {
                own.destroy();
                throw error;
            }
        }

        /** Creates the resource by an empty PUT. */
        private void create() throws InterruptedException, Refusal {
            Request request = request(CoAP.Code.PUT, topic);
            own.sendRequest(request);
            Response response = request.waitForResponse(Terms.CONNECT_MS);
            if (response == null || !response.isSuccess()) {
                throw new Refusal("the CoAP server at " + terms.address() + " did not create " + topic + ": "
                        + (response == null ? "it does not answer" : response.getCode()));
            }
        }

        /** A notification: the library tells these to the endpoint's listeners, and responses to the request's observers. */
        private void notified(Request request, Response response) {
            long received = System.nanoTime();
            if (response.isSuccess() && response.getOptions().getObserve() != null) {
                arrivals.arrived(response.getPayload(), received);
            } else if (!isOver) {
                arrivals.broke("the server ended the observation: " + response.getCode());
            }
        }

        /** The registration's response, whose state is no message. */
        private final class Registering extends MessageObserverAdapter {
            @Override
            public void onResponse(Response response) {
                if (decided.getCount() > 0) {
                    if (!response.isSuccess() || response.getOptions().getObserve() == null) {
                        refused = response.getCode() + (response.isSuccess() ? ", which it does not notify of" : "");
                    }
                    decided.countDown();
                }
            }

            @Override
            protected void failed() {
                if (decided.getCount() > 0) {
                    refused = "no answer";
                    decided.countDown();
                }
            }
        }

        @Override
        public String finish(long graceNs) {
            isOver = true;
            // An unanswered deregistration is no error: the server learns it from the reset of the next notification.
            Request ending = request(CoAP.Code.GET, topic);
            ending.setObserveCancel();
            ending.setToken(observing.getToken());
            observing.cancel();
            own.sendRequest(ending);
            try {
                ending.waitForResponse(1_000);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            own.destroy();
            return refused;
        }
    }
}
