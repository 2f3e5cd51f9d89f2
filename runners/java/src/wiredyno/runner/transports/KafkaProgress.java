package wiredyno.runner.transports;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** What a subscriber has taken from which partition, and committed. All on the thread that polls. */
final class KafkaProgress {
    /** Of one partition: records, and the offset after the last. */
    private static final class Taken {
        long messages;
        long next;
    }

    private final KafkaConsumer<byte[], byte[]> client;
    private final String topic;
    private final boolean eachRecord;
    private final boolean eachBatch;
    private final boolean waits;
    /** The library's own commits, which it counts on whatever thread answers arrive. */
    private final AtomicLong byItself;
    private final Map<Integer, Taken> taken = new TreeMap<>();
    private final Set<Integer> due = new HashSet<>();
    private long answered;
    private long failed;
    private long underWay;
    private long committingNs;

    KafkaProgress(KafkaConsumer<byte[], byte[]> client, String topic, String commit, boolean waits, AtomicLong byItself) {
        this.client = client;
        this.topic = topic;
        this.eachRecord = commit.equals("record");
        this.eachBatch = commit.equals("batch");
        this.waits = waits;
        this.byItself = byItself;
    }

    /** A record was dealt with. */
    void took(ConsumerRecord<byte[], byte[]> one) {
        Taken of = taken.computeIfAbsent(one.partition(), number -> new Taken());
        of.messages++;
        of.next = one.offset() + 1;
        if (eachRecord) {
            commit(Set.of(one.partition()));
        } else if (eachBatch) {
            due.add(one.partition());
        }
    }

    /** All records of a call were dealt with. */
    void dealtWith() {
        if (!due.isEmpty()) {
            commit(due);
            due.clear();
        }
    }

    private void commit(Set<Integer> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach(one -> offsets.put(new TopicPartition(topic, one), new OffsetAndMetadata(taken.get(one).next)));
        long begin = System.nanoTime();
        try {
            if (waits) {
                client.commitSync(offsets);
                answered++;
            } else {
                underWay++;
                client.commitAsync(offsets, (of, error) -> {
                    underWay--;
                    if (error == null) {
                        answered++;
                    } else {
                        failed++;
                    }
                });
            }
        } catch (KafkaException error) {
            // Refused during a rebalance: the records are then delivered once more.
            failed++;
        }
        committingNs += System.nanoTime() - begin;
    }

    /** Commits as the library does when it closes, so that the offsets are known before that. */
    void commitAtEnd(Duration limit) {
        try {
            client.commitSync(limit);
        } catch (KafkaException error) {
            failed++;
        }
    }

    boolean isAnswered() {
        return underWay == 0;
    }

    void tell(Map<String, Object> words) {
        words.put("commits", answered + byItself.get());
        words.put("failed_commits", failed);
        words.put("committing_ns", committingNs);
    }

    /** Adds what was taken to the words about each partition. */
    void tellPartitions(Map<Integer, Map<String, Object>> partitions) {
        taken.forEach((number, of) -> {
            Map<String, Object> words = partitions.get(number);
            words.put("messages", of.messages);
            words.put("next", of.next);
        });
    }

    Set<Integer> partitions() {
        return taken.keySet();
    }
}
