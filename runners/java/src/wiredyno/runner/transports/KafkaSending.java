package wiredyno.runner.transports;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import wiredyno.runner.Refusal;

/** A KafkaProducer. Its callbacks, on its network thread, report acknowledgements, or with acks 0 that the request has left. */
final class KafkaSending implements Sending {
    private static final Map<String, String> ACKS = Map.of("acks-0", "0", "acks-1", "1", "acks-all", "all", "idempotent", "all");
    /** What records that are not sent yet may take: with less, `send` waits when the broker falls behind for a moment. */
    private static final long BUFFER_BYTES = 96 << 20;

    private final String topic;
    private final Report report;
    private final boolean acknowledges;
    private final KafkaProducer<byte[], byte[]> own;
    private final String key;
    private final long keyValues;
    /** The number of partitions where records with a key are assigned as librdkafka does it; 0 where the client does it. */
    private final int byCrc;
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicReference<String> refused = new AtomicReference<>();

    KafkaSending(Kafka kafka, String topic, Report report) throws Exception {
        Terms terms = kafka.terms;
        this.topic = topic;
        this.report = report;
        acknowledges = !terms.setting.equals("acks-0");
        key = terms.word("key");
        keyValues = terms.whole("key_values");
        long batchBytes = Math.min(terms.whole("batch_bytes"), BUFFER_BYTES / 2);
        if (batchBytes * terms.whole("partitions") > BUFFER_BYTES) {
            throw new Refusal("batches of " + batchBytes + " bytes for " + terms.whole("partitions") + " partitions: the library keeps room for a whole batch of each, and its "
                    + "buffer.memory is " + BUFFER_BYTES + " bytes here; make batch_bytes smaller");
        }
        Map<String, Object> config = kafka.common();
        config.put(ProducerConfig.ACKS_CONFIG, ACKS.get(terms.setting));
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, terms.setting.equals("idempotent"));
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, (int) batchBytes);
        config.put(ProducerConfig.LINGER_MS_CONFIG, (long) terms.spanMs("linger"));
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, terms.word("compression"));
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 1 << 30);
        // A message is never given up.
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Terms.CONNECT_MS);
        own = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            int partitions = awaitLeaders(kafka);
            byCrc = terms.word("partitioner").equals("consistent_random") ? partitions : 0;
        } catch (Exception error) {
            own.close(Duration.ZERO);
            throw error;
        }
    }

    /** Waits until each partition has a leader, so that the first message waits for nothing: how many there are. */
    private int awaitLeaders(Kafka kafka) throws Exception {
        long until = System.nanoTime() + Terms.CONNECT_MS * 1_000_000;
        for (;;) {
            KafkaException why = null;
            try {
                List<PartitionInfo> found = own.partitionsFor(topic);
                if (!found.isEmpty() && found.stream().allMatch(one -> one.leader() != null && !one.leader().isEmpty())) {
                    return found.size();
                }
            } catch (KafkaException error) {
                why = error;
            }
            if (why != null || System.nanoTime() > until) {
                throw kafka.unreachable("the topic " + topic, why == null ? new KafkaException("a partition has no leader") : why);
            }
            Thread.sleep(Kafka.PAUSE_MS);
        }
    }

    private byte[] key(long row) {
        return switch (key) {
            case "sequence" -> Long.toString(row).getBytes(StandardCharsets.US_ASCII);
            case "few" -> Long.toString(row % keyValues).getBytes(StandardCharsets.US_ASCII);
            default -> null;
        };
    }

    /** The partition of a key by its CRC-32, as librdkafka assigns it; null where the client assigns it. */
    private Integer partition(byte[] key) {
        if (key == null || byCrc == 0) {
            return null;
        }
        CRC32 sum = new CRC32();
        sum.update(key);
        return (int) (sum.getValue() % byCrc);
    }

    @Override
    public void send(long row, byte[] body) {
        byte[] keyed = key(row);
        waiting.incrementAndGet();
        own.send(new ProducerRecord<>(topic, partition(keyed), keyed, body), (metadata, error) -> {
            long at = System.nanoTime();
            waiting.decrementAndGet();
            if (error != null) {
                if (refused.compareAndSet(null, error.getMessage())) {
                    // A refused message is not waited for.
                    report.broke("the broker refused messages: " + error.getMessage());
                }
            } else if (acknowledges) {
                report.acked(row, at);
            } else {
                report.sent(row, at);
            }
        });
    }

    @Override
    public boolean reportsSent() {
        return !acknowledges;
    }

    @Override
    public boolean acknowledges() {
        return acknowledges;
    }

    @Override
    public String finish(long graceNs) {
        // Waits for what is under way.
        own.close(Duration.ofNanos(graceNs));
        if (refused.get() != null) {
            return "the broker refused messages: " + refused.get();
        }
        return waiting.get() > 0 ? waiting.get() + " messages were not sent or not acknowledged" : null;
    }
}
