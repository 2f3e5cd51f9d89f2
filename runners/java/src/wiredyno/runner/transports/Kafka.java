package wiredyno.runner.transports;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DeleteConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DeleteTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import wiredyno.runner.Refusal;

/**
 * Kafka by its own client, kafka-clients. A subscriber creates the topic if there is none, reads all of its partitions from their ends
 * on, and removes what it created.
 */
final class Kafka implements Transport {
    static final int PAUSE_MS = 20;
    /** How long nodes may take to be ready for the copies of a topic. */
    private static final long STARTING_MS = 5_000;

    final Terms terms;
    /** Shared by the clients of a role, which come and go on one thread. */
    private Admin admin;
    private int clients;

    Kafka(Terms terms) {
        this.terms = terms;
    }

    /** What all clients are configured with. */
    Map<String, Object> common() throws Refusal {
        Map<String, Object> config = new HashMap<>();
        Tls tls = terms.tls;
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, terms.hostToConnect() + ":" + terms.port);
        config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, (terms.user == null ? "" : "SASL_") + (tls == null ? "PLAINTEXT" : "SSL"));
        if (terms.user != null) {
            config.put(SaslConfigs.SASL_MECHANISM, "PLAIN");
            config.put(SaslConfigs.SASL_JAAS_CONFIG, "org.apache.kafka.common.security.plain.PlainLoginModule required username="
                    + quoted(terms.user) + " password=" + quoted(terms.password) + ";");
        }
        if (tls != null) {
            // Checked here, so that what is damaged is told as such.
            tls.context();
            config.put(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG, String.join(",", tls.versions()));
            if (tls.caFile != null) {
                config.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
                config.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, tls.caFile);
            }
            if (tls.certificateFile != null) {
                config.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, "PEM");
                config.put(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, text(tls.certificateFile));
                config.put(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, text(tls.keyFile));
            }
        }
        return config;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String text(String file) throws Refusal {
        try {
            return java.nio.file.Files.readString(java.nio.file.Path.of(file));
        } catch (IOException error) {
            throw new Refusal("the file " + file + " of this client's certificate can't be read: " + error);
        }
    }

    @Override
    public Sending publisher(String topic, Report report) throws Exception {
        return new KafkaSending(this, named(topic), report);
    }

    @Override
    public Receiving subscriber(String topic, Arrivals arrivals) throws Exception {
        Admin own = begin();
        try {
            return new KafkaReceiving(this, own, named(topic), arrivals);
        } catch (Exception error) {
            end();
            throw error;
        }
    }

    /** Kafka's names of topics have no slashes. */
    private static String named(String topic) {
        return topic.replace('/', '.');
    }

    @Override
    public String tlsVersion() {
        // The library does not tell it.
        return null;
    }

    /** A client begins to use what administers the cluster. */
    private Admin begin() throws Refusal {
        if (clients++ == 0) {
            admin = Admin.create(common());
        }
        return admin;
    }

    /** It is done with it. */
    void end() {
        if (--clients == 0) {
            admin.close(Duration.ofSeconds(1));
        }
    }

    /** Creates a topic; whether it did not exist. */
    boolean make(Admin own, String topic) throws Exception {
        NewTopic wanted = new NewTopic(topic, (int) terms.whole("partitions"), (short) terms.whole("replication"));
        long begin = System.nanoTime();
        for (;;) {
            try {
                own.createTopics(List.of(wanted), new CreateTopicsOptions().timeoutMs((int) Terms.CONNECT_MS)).all().get();
                return true;
            } catch (ExecutionException error) {
                Throwable cause = error.getCause();
                if (cause instanceof TopicExistsException) {
                    return false;
                }
                // Nodes may still be starting.
                if (!(cause instanceof InvalidReplicationFactorException) || System.nanoTime() - begin > STARTING_MS * 1_000_000) {
                    throw unreachable("the topic " + topic, cause);
                }
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    /** The refusal for a cluster that can't be used, with the cause if TLS, or its absence, is it. */
    Refusal unreachable(String what, Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SslAuthenticationException) {
                String why = terms.tls.witness(terms.tls.host(), terms.port);
                return new Refusal("TLS with the broker at " + terms.address() + ": " + (why == null ? terms.tls.explained(cause) : why));
            }
            if (cause instanceof AuthenticationException) {
                return new Refusal("the broker at " + terms.address() + " refuses the login: " + cause.getMessage());
            }
        }
        String found = terms.tls == null ? Tls.addressedWithout(terms.host, terms.port) : terms.tls.witness(terms.tls.host(), terms.port);
        return new Refusal(what + " at " + terms.address() + ": " + (found == null ? error.getMessage() : found));
    }

    /** Removes a group, once all members have left it; what stays, if it does. */
    static String removeGroup(Admin own, String group, long untilNs) {
        for (;;) {
            try {
                own.deleteConsumerGroups(List.of(group), new DeleteConsumerGroupsOptions().timeoutMs(leftMs(untilNs))).all().get();
                return null;
            } catch (ExecutionException error) {
                Throwable cause = error.getCause();
                if (cause instanceof GroupIdNotFoundException) {
                    return null;
                }
                if (!(cause instanceof GroupNotEmptyException) || System.nanoTime() > untilNs) {
                    return "the group " + group + " stays: " + cause.getMessage();
                }
                java.util.concurrent.locks.LockSupport.parkNanos(PAUSE_MS * 1_000_000L);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                return "the group " + group + " stays: interrupted";
            }
        }
    }

    /** Removes a topic; what stays, if it does. */
    static String removeTopic(Admin own, String topic, long untilNs) {
        try {
            own.deleteTopics(List.of(topic), new DeleteTopicsOptions().timeoutMs(leftMs(untilNs))).all().get();
            return null;
        } catch (ExecutionException error) {
            return error.getCause() instanceof UnknownTopicOrPartitionException ? null : "the topic " + topic + " stays: " + error.getCause().getMessage();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return "the topic " + topic + " stays: interrupted";
        }
    }

    private static int leftMs(long untilNs) {
        return (int) Math.max(1, (untilNs - System.nanoTime()) / 1_000_000);
    }
}
