package wiredyno.runner.transports;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import wiredyno.runner.Refusal;

/** A consumer group as one member sees it: what the library reports of assignments, on the thread that polls. */
final class KafkaGroup implements ConsumerRebalanceListener {
    private static final long ASKED_MS = 2_000;

    private final Supplier<String> memberId;
    /** Whether partitions that a member keeps stay with it in a rebalance: then reports name only those that move. */
    private final boolean stays;
    private Set<Integer> held = new HashSet<>();
    private String member;
    /** Since when partitions have been given up; 0 if they have not. */
    private long sinceNs;
    private long joining;
    private long rebalances;
    private long rebalancingNs;
    private boolean settled;
    private boolean over;

    KafkaGroup(Supplier<String> memberId, boolean stays) {
        this.memberId = memberId;
        this.stays = stays;
    }

    private static Set<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(Collectors.toCollection(HashSet::new));
    }

    @Override
    public synchronized void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (stays) {
            held.removeAll(numbers(partitions));
            if (!partitions.isEmpty()) {
                count(0);
            }
        } else {
            held.clear();
            sinceNs = sinceNs == 0 ? System.nanoTime() : sinceNs;
        }
    }

    @Override
    public synchronized void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        member = memberId.get();
        if (!stays) {
            held.clear();
        }
        held.addAll(numbers(partitions));
        // The library reports an assignment of nothing after a rebalance in which a member keeps what it has.
        if (!stays || !partitions.isEmpty()) {
            count(sinceNs == 0 ? 0 : System.nanoTime() - sinceNs);
            sinceNs = 0;
        }
    }

    private void count(long withoutNs) {
        if (over) {
            return;
        }
        if (settled) {
            rebalances++;
            rebalancingNs += withoutNs;
        } else {
            joining++;
        }
    }

    /** It reads these partitions, and is in no group or the only member. */
    synchronized void holds(Set<Integer> partitions) {
        held = new HashSet<>(partitions);
        settled = true;
    }

    synchronized Set<Integer> held() {
        return new HashSet<>(held);
    }

    /** All members are connected. */
    synchronized void settled() {
        settled = true;
    }

    /** The member stops receiving. A rebalance that has not ended counts until now. */
    synchronized void stop() {
        if (sinceNs != 0 && settled) {
            count(System.nanoTime() - sinceNs);
        }
        sinceNs = 0;
        over = true;
    }

    synchronized void tell(Map<String, Object> words) {
        words.put("joining", joining);
        words.put("rebalances", rebalances);
        words.put("rebalancing_ns", rebalancingNs);
    }

    /** Waits until all members have joined, every partition has a member, and this one holds those that the broker says it has. */
    void awaitComplete(Admin admin, String group, int members, int partitions, Supplier<String> broken, long limitNs) throws Exception {
        long until = System.nanoTime() + limitNs;
        for (;;) {
            String lack = lack(admin, group, members, partitions);
            if (lack == null) {
                settled();
                return;
            }
            if (broken.get() != null || System.nanoTime() > until) {
                throw new Refusal("the group " + group + ": " + (broken.get() == null ? lack : broken.get()));
            }
            Thread.sleep(Kafka.PAUSE_MS);
        }
    }

    private String lack(Admin admin, String group, int members, int partitions) throws InterruptedException {
        ConsumerGroupDescription known;
        try {
            known = admin.describeConsumerGroups(List.of(group)).describedGroups().get(group).get(ASKED_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException error) {
            return String.valueOf(error.getMessage());
        }
        if (known.groupState() != GroupState.STABLE) {
            return "its state is " + known.groupState();
        }
        if (known.members().size() != members) {
            return "it has " + known.members().size() + " of " + members + " members";
        }
        Map<String, Set<Integer>> parts = new LinkedHashMap<>();
        known.members().forEach(one -> parts.put(one.consumerId(), numbers(one.assignment().topicPartitions())));
        int assigned = parts.values().stream().mapToInt(Set::size).sum();
        if (assigned != partitions) {
            return assigned + " of " + partitions + " partitions are assigned";
        }
        synchronized (this) {
            return held.equals(parts.get(member)) ? null : "a member does not have its partitions yet";
        }
    }
}
