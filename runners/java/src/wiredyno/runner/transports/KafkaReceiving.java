package wiredyno.runner.transports;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import wiredyno.runner.Refusal;

/** A KafkaConsumer, polled by a thread of its own: no other uses it while that thread runs. */
final class KafkaReceiving implements Receiving {
    private static final Duration POLL = Duration.ofMillis(50);
    /** The client's default of max.poll.records. */
    private static final int USUAL = 500;
    private static final long STOPPING_MS = 2_000;
    private static final Map<String, Class<?>> STRATEGIES = Map.of(
            "range", RangeAssignor.class, "roundrobin", RoundRobinAssignor.class, "cooperative-sticky", CooperativeStickyAssignor.class);

    private final Kafka kafka;
    private final Admin admin;
    private final String topic;
    private final Arrivals arrivals;
    private final String kind;
    private final String group;
    private final boolean isAutomatic;
    /** Whether the broker learns of the group. */
    private final boolean isKnown;
    private final boolean byCall;
    private final Duration wait;
    private final boolean made;
    /** The commits that the library made by itself. */
    private final AtomicLong commits = new AtomicLong();
    private final KafkaConsumer<byte[], byte[]> own;
    private final KafkaGroup reports;
    private final KafkaProgress progress;
    private final Thread thread;
    private int partitions;
    private boolean removesGroup;
    private boolean closed;
    private volatile boolean closing;
    private volatile String broken;

    KafkaReceiving(Kafka kafka, Admin admin, String topic, Arrivals arrivals) throws Exception {
        Terms terms = kafka.terms;
        this.kafka = kafka;
        this.admin = admin;
        this.topic = topic;
        this.arrivals = arrivals;
        String commit = terms.word("commit");
        kind = terms.word("group");
        isAutomatic = !kind.equals("none") && commit.equals("auto");
        isKnown = !kind.equals("none") || commit.equals("record") || commit.equals("batch");
        group = kind.equals("shared") ? topic + "-group" : String.format("wiredyno-%x-%x", terms.seed, System.nanoTime());
        removesGroup = isKnown && !kind.equals("shared");
        byCall = terms.word("take_stamp").equals("call");
        long take = terms.whole("take");
        wait = take > 1 ? Duration.ofMillis(terms.spanMs("take_wait")) : POLL;
        made = kafka.make(admin, topic);
        own = new KafkaConsumer<>(config(terms), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            reports = new KafkaGroup(() -> own.groupMetadata().memberId(), terms.word("assignment").equals("cooperative-sticky"));
            progress = new KafkaProgress(own, topic, commit, terms.word("commit_mode").equals("sync"), commits);
            begin(System.nanoTime() + Terms.CONNECT_MS * 1_000_000);
        } catch (Exception error) {
            own.close(CloseOptions.timeout(Duration.ZERO));
            if (made) {
                Kafka.removeTopic(admin, topic, System.nanoTime() + 2_000_000_000L);
            }
            throw error instanceof KafkaException ? kafka.unreachable("the topic " + topic, error) : error;
        }
        thread = new Thread(this::receive, "subscriber");
        thread.setDaemon(true);
        thread.start();
    }

    private Map<String, Object> config(Terms terms) throws Refusal {
        Map<String, Object> config = kafka.common();
        int sessionMs = terms.spanMs("session_timeout");
        long take = terms.whole("take");
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(STRATEGIES.get(terms.word("assignment"))));
        config.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, sessionMs);
        config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Math.max(300_000, sessionMs));
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, take == 0 ? USUAL : (int) take);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, isAutomatic);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, (int) terms.whole("fetch_min_bytes"));
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, terms.spanMs("fetch_wait_max"));
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, (int) terms.whole("fetch_partition_bytes"));
        if (isAutomatic) {
            config.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, List.of(KafkaCommits.class));
            config.put(KafkaCommits.COUNT, commits);
        }
        return config;
    }

    /** Finds the ends of the partitions, and begins there. */
    private void begin(long untilNs) throws Exception {
        Map<TopicPartition, Long> ends = ends(untilNs);
        partitions = ends.size();
        long wanted = kafka.terms.whole("partitions");
        if (partitions < wanted) {
            throw new Refusal("the topic " + topic + " exists and has " + partitions + " partitions, not " + wanted + " or more");
        }
        if (kind.equals("none")) {
            own.assign(ends.keySet());
            ends.forEach(own::seek);
            reports.holds(numbers(ends.keySet()));
        } else {
            join(ends, untilNs);
        }
    }

    private static Set<Integer> numbers(Set<TopicPartition> of) {
        return of.stream().map(TopicPartition::partition).collect(Collectors.toSet());
    }

    private Map<TopicPartition, Long> ends(long untilNs) throws Exception {
        for (;;) {
            KafkaException why = null;
            try {
                List<PartitionInfo> found = own.partitionsFor(topic, Duration.ofMillis(5_000));
                if (!found.isEmpty() && found.stream().allMatch(one -> one.leader() != null && !one.leader().isEmpty())) {
                    List<TopicPartition> all = found.stream().map(one -> new TopicPartition(topic, one.partition())).toList();
                    return new HashMap<>(own.endOffsets(all));
                }
            } catch (RetriableException error) {
                why = error;
            }
            if (System.nanoTime() > untilNs) {
                throw why == null ? new KafkaException("a partition has no leader") : why;
            }
            Thread.sleep(Kafka.PAUSE_MS);
        }
    }

    /** Joins the group, which begins where this subscription does. A member of a shared one learns later which partitions it gets. */
    private void join(Map<TopicPartition, Long> ends, long untilNs) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        ends.forEach((partition, end) -> offsets.put(partition, new OffsetAndMetadata(end)));
        try {
            own.commitSync(offsets, Duration.ofMillis(Terms.CONNECT_MS));
            removesGroup = true;
        } catch (CommitFailedException | RebalanceInProgressException error) {
            // It has members already.
            removesGroup = removesGroup || made;
        }
        if (isAutomatic) {
            // What was committed for the beginning is none of the member's commits.
            commits.set(0);
        }
        own.subscribe(List.of(topic), reports);
        if (kind.equals("shared")) {
            return;
        }
        while (reports.held().size() < partitions) {
            if (System.nanoTime() > untilNs) {
                throw new Refusal("the topic " + topic + ": the group " + group + " did not get its partitions in time");
            }
            taken(own.poll(Duration.ofMillis(1)));
        }
        reports.settled();
    }

    @Override
    public void settle(int members, long limitNs) throws Exception {
        if (kind.equals("shared")) {
            reports.awaitComplete(admin, group, members, partitions, () -> broken, limitNs);
        }
    }

    private void receive() {
        try {
            while (!closing) {
                taken(own.poll(wait));
            }
        } catch (WakeupException error) {
            // It is to stop.
            closing = true;
        } catch (KafkaException | IllegalStateException error) {
            broken = error.getMessage();
            arrivals.broke(broken);
        } catch (RuntimeException | Error error) {
            // Nobody else would tell that nothing is received any more.
            broken = "the subscriber has ended: " + error;
            arrivals.broke(broken);
        }
    }

    /** What one call has returned: each record is stamped when it is its turn, or all as of when the call returned. */
    private void taken(ConsumerRecords<byte[], byte[]> records) {
        long ofCall = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> one : records) {
            arrivals.arrived(one.value(), byCall ? ofCall : System.nanoTime());
            if (isKnown) {
                progress.took(one);
            }
        }
        progress.dealtWith();
    }

    /** Ends the receiving thread: one that waits for a broker is woken. */
    private void stop() throws InterruptedException {
        closing = true;
        thread.join(STOPPING_MS);
        if (thread.isAlive()) {
            own.wakeup();
            thread.join();
        }
    }

    @Override
    public Map<String, Object> membership(long graceNs) throws Exception {
        reports.stop();
        stop();
        if (!isKnown || broken != null) {
            return null;
        }
        long until = System.nanoTime() + graceNs;
        Set<Integer> held = new TreeSet<>(reports.held());
        List<TopicPartition> parts = new ArrayList<>();
        held.forEach(one -> parts.add(new TopicPartition(topic, one)));
        if (isAutomatic) {
            progress.commitAtEnd(Duration.ofNanos(graceNs));
        }
        // Polls that run callbacks take no record then.
        own.pause(own.assignment());
        while (!progress.isAnswered() && System.nanoTime() < until) {
            own.poll(Duration.ofMillis(10));
        }
        Map<Integer, Map<String, Object>> uses = uses(held, parts, until);
        Map<String, Object> words = new LinkedHashMap<>();
        words.put("group", group);
        reports.tell(words);
        progress.tell(words);
        words.put("partitions", new ArrayList<>(uses.values()));
        return words;
    }

    /** What is known of each partition that it holds or took messages from. */
    private Map<Integer, Map<String, Object>> uses(Set<Integer> held, List<TopicPartition> parts, long untilNs) {
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = own.committed(Set.copyOf(parts), Duration.ofNanos(Math.max(1_000_000, untilNs - System.nanoTime())));
        } catch (KafkaException error) {
            // What can't be found out in time is absent.
            committed = Map.of();
        }
        Map<Integer, Map<String, Object>> uses = new TreeMap<>();
        Set<Integer> all = new TreeSet<>(held);
        all.addAll(progress.partitions());
        for (int number : all) {
            Map<String, Object> words = new LinkedHashMap<>();
            words.put("partition", (long) number);
            words.put("held", held.contains(number));
            words.put("messages", 0L);
            TopicPartition part = new TopicPartition(topic, number);
            if (committed.get(part) != null) {
                words.put("committed", committed.get(part).offset());
            }
            if (own.assignment().contains(part)) {
                own.currentLag(part).ifPresent(lag -> words.put("end", own.position(part) + lag));
            }
            uses.put(number, words);
        }
        progress.tellPartitions(uses);
        return uses;
    }

    /** Leaves its group and closes its connections. */
    @Override
    public void leave() {
        try {
            stop();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        if (!closed) {
            closed = true;
            try {
                own.close(CloseOptions.timeout(Duration.ofSeconds(5)));
            } catch (KafkaException error) {
                broken = broken == null ? error.getMessage() : broken;
            }
        }
    }

    /** Removes what it created, after it has left. */
    @Override
    public String finish(long graceNs) {
        leave();
        long until = System.nanoTime() + Math.max(graceNs, 1_000_000_000L);
        String stays = removesGroup ? Kafka.removeGroup(admin, group, until) : null;
        if (made) {
            String topicStays = Kafka.removeTopic(admin, topic, until);
            stays = stays == null ? topicStays : stays;
        }
        kafka.end();
        return broken == null ? stays : broken;
    }
}
