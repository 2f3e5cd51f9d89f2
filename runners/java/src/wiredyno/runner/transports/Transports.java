package wiredyno.runner.transports;

import java.util.LinkedHashMap;
import java.util.Map;

/** What creates each transport; runner.toml has the rest. */
public final class Transports {
    public static final Map<String, Transport.Make> ALL = new LinkedHashMap<>();

    static {
        // Lambdas: a library's classes are loaded when one of its transports is created.
        ALL.put("kafka/kafka-clients", terms -> new Kafka(terms));
        ALL.put("amqp-0-9-1/amqp-client", terms -> new Rabbit(terms));
        ALL.put("amqp-1-0/protonj2", terms -> new Proton(terms));
        ALL.put("coap/californium", terms -> new Californium(terms));
        ALL.put("mqtt/paho-java", terms -> new Paho(terms));
        ALL.put("mqtt5/hivemq", terms -> new HiveMq(terms));
    }

    private Transports() {}
}
