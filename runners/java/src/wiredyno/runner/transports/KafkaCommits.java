package wiredyno.runner.transports;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Counts the commits that the library makes by itself: it tells nothing else about them. */
public final class KafkaCommits implements ConsumerInterceptor<byte[], byte[]> {
    /** The key of the configuration that holds the count. */
    static final String COUNT = "wiredyno.commits";

    private AtomicLong count;

    @Override
    public void configure(Map<String, ?> config) {
        count = (AtomicLong) config.get(COUNT);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        count.incrementAndGet();
    }

    @Override
    public void close() {}
}
