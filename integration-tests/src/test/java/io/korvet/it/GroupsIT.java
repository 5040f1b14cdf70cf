package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korvet.it.raw.RawMember;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Consumer groups of the classic protocol. */
@Tag("waits")
class GroupsIT extends BrokerBehaviour {
    private final String group = name("group");

    @Test
    void aGroupResumesWhereItCommitted() {
        String topic = topic(Encoding.usual());
        produce(topic, numbers(0, 10));
        KafkaConsumer<byte[], byte[]> first = member(topic, new Watch(), "max.poll.records", 4);
        List<ConsumerRecord<byte[], byte[]>> records = read(first, 4);
        OffsetAndMetadata position = new OffsetAndMetadata(records.get(3).offset() + 1, "after four");
        first.commitSync(Map.of(partition(topic), position));
        assertThat(first.committed(Set.of(partition(topic))).get(partition(topic)))
                .isNotNull()
                .extracting(OffsetAndMetadata::offset, OffsetAndMetadata::metadata)
                .containsExactly(position.offset(), "after four");
        first.close();

        KafkaConsumer<byte[], byte[]> second = member(topic, new Watch());
        assertThat(values(read(second, 6))).isEqualTo(numbers(4, 6));
    }

    @Test
    void aMemberWithoutPartitionsGetsAnEmptyAssignment() {
        String topic = topic(Encoding.usual());
        Watch watchA = new Watch();
        Watch watchB = new Watch();
        KafkaConsumer<byte[], byte[]> a = member(topic, watchA);
        KafkaConsumer<byte[], byte[]> b = member(topic, watchB);
        pollUntil(
                List.of(a, b),
                () -> watchA.assignments > 0
                        && watchB.assignments > 0
                        && a.assignment().size() + b.assignment().size() == 1);
        KafkaConsumer<byte[], byte[]> idle = a.assignment().isEmpty() ? a : b;
        KafkaConsumer<byte[], byte[]> busy = idle.equals(a) ? b : a;
        assertThat(idle.assignment()).isEmpty();
        produce(topic, List.of("v"));
        List<String> got = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            idle.poll(Duration.ofMillis(50));
            busy.poll(Duration.ofMillis(50)).forEach(record -> got.add(text(record.value())));
            return !got.isEmpty();
        });
    }

    @Test
    void partitionsMoveWhenMembersComeAndGo() {
        String topic = topic(4, Encoding.usual());
        KafkaConsumer<byte[], byte[]> a = member(topic, new Watch());
        pollUntil(List.of(a), () -> a.assignment().size() == 4);
        KafkaConsumer<byte[], byte[]> b = member(topic, new Watch());
        pollUntil(
                List.of(a, b),
                () -> a.assignment().size() == 2 && b.assignment().size() == 2);
        Set<TopicPartition> all = new HashSet<>(a.assignment());
        all.addAll(b.assignment());
        assertThat(all).hasSize(4);
        b.close();
        pollUntil(List.of(a), () -> a.assignment().size() == 4);
    }

    @Test
    void mixedAssignorsAreInconsistent() {
        String topic = topic(Encoding.usual());
        String strategy = "partition.assignment.strategy";
        KafkaConsumer<byte[], byte[]> a = member(topic, new Watch(), strategy, List.of(RangeAssignor.class));
        pollUntil(List.of(a), () -> a.assignment().size() == 1);
        KafkaConsumer<byte[], byte[]> b = member(topic, new Watch(), strategy, List.of(RoundRobinAssignor.class));
        assertThatThrownBy(() -> pollUntil(List.of(b), () -> false))
                .isInstanceOf(InconsistentGroupProtocolException.class);
        produce(topic, List.of("the first goes on"));
        read(a, 1);
    }

    @Test
    void theRestartOfAStaticMemberCausesNoRebalance() {
        String topic = topic(2, Encoding.usual());
        Watch watch = new Watch();
        KafkaConsumer<byte[], byte[]> restarted = member(topic, new Watch(), "group.instance.id", "one");
        KafkaConsumer<byte[], byte[]> watched = member(topic, watch, "group.instance.id", "two");
        pollUntil(
                List.of(restarted, watched),
                () -> restarted.assignment().size() == 1 && watched.assignment().size() == 1);
        Set<TopicPartition> before = Set.copyOf(restarted.assignment());
        int assignments = watch.assignments;
        int revocations = watch.revoked.size();

        restarted.close();
        KafkaConsumer<byte[], byte[]> again = member(topic, new Watch(), "group.instance.id", "one");
        pollUntil(List.of(again, watched), () -> again.assignment().equals(before));
        for (int i = 0; i < 5; i++) {
            watched.poll(Duration.ofMillis(200));
        }
        assertThat(watch.assignments).isEqualTo(assignments);
        assertThat(watch.revoked).hasSize(revocations);
    }

    @Test
    void aStaticMembersDuplicateFencesTheFirst() {
        String topic = topic(Encoding.usual());
        KafkaConsumer<byte[], byte[]> first = member(topic, new Watch(), "group.instance.id", "one");
        pollUntil(List.of(first), () -> first.assignment().size() == 1);
        KafkaConsumer<byte[], byte[]> second = member(topic, new Watch(), "group.instance.id", "one");
        pollUntil(List.of(second), () -> second.assignment().size() == 1);
        assertThatThrownBy(() -> pollUntil(List.of(first), () -> false)).isInstanceOf(FencedInstanceIdException.class);
        assertThat(second.assignment()).hasSize(1);
    }

    @Test
    void aCooperativeRebalanceLeavesWhatStaysInPlace() {
        String topic = topic(4, Encoding.usual());
        String strategy = "partition.assignment.strategy";
        List<Class<?>> cooperative = List.of(CooperativeStickyAssignor.class);
        Watch watch = new Watch();
        KafkaConsumer<byte[], byte[]> a = member(topic, watch, strategy, cooperative);
        pollUntil(List.of(a), () -> a.assignment().size() == 4);
        KafkaConsumer<byte[], byte[]> b = member(topic, new Watch(), strategy, cooperative);
        pollUntil(
                List.of(a, b),
                () -> a.assignment().size() == 2 && b.assignment().size() == 2);
        assertThat(watch.revoked).hasSize(2).isEqualTo(b.assignment());
        assertThat(watch.lost).isEmpty();
    }

    @Test
    void aSilentMemberIsRemovedAfterItsSessionTimeout() {
        String topic = topic(2, Encoding.usual());
        RawMember silent = closing(new RawMember(broker().bootstrap(), group, topic));
        assertThat(silent.join()).isEqualTo(Errors.NONE);
        assertThat(silent.sync()).isEqualTo(Errors.NONE);
        KafkaConsumer<byte[], byte[]> heir = member(topic, new Watch());
        pollUntil(List.of(heir), () -> heir.assignment().size() == 2);
        assertThat(silent.heartbeat()).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void commitsAreJudgedByMemberGenerationAndState() {
        String topic = topic(Encoding.usual());
        RawMember member = closing(new RawMember(broker().bootstrap(), group, topic));
        assertThat(member.commit("nobody", 3)).as("no such group").isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(member.join()).isEqualTo(Errors.NONE);
        assertThat(member.commit()).as("between join and sync").isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(member.sync()).isEqualTo(Errors.NONE);
        assertThat(member.commit()).as("stable").isEqualTo(Errors.NONE);
        assertThat(member.commit(member.id(), member.generation() - 1))
                .as("an older generation")
                .isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(member.commit("nobody", member.generation()))
                .as("a stranger")
                .isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(member.commit("", -1)).as("from outside").isEqualTo(Errors.UNKNOWN_MEMBER_ID);

        RawMember second = closing(new RawMember(broker().bootstrap(), group, topic));
        second.sendJoin();
        assertThat(second.receiveJoin()).isEqualTo(Errors.MEMBER_ID_REQUIRED);
        second.sendJoin();
        await().atMost(PATIENCE).until(() -> member.heartbeat() == Errors.REBALANCE_IN_PROGRESS);
        assertThat(member.commit()).as("while others join").isEqualTo(Errors.NONE);
        assertThat(member.leave()).isEqualTo(Errors.NONE);
        assertThat(second.receiveJoin()).isEqualTo(Errors.NONE);
    }

    @Test
    void aGroupWithoutMembersTakesCommitsFromOutside() {
        String topic = topic(Encoding.usual());
        RawMember outside = closing(new RawMember(broker().bootstrap(), group, topic));
        assertThat(outside.commit("", -1)).isEqualTo(Errors.NONE);
        assertThat(result(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()))
                .hasEntrySatisfying(
                        partition(topic),
                        committed -> assertThat(committed.offset()).isEqualTo(1));
    }

    @Test
    void anUnknownMemberIsTold() {
        String topic = topic(Encoding.usual());
        RawMember stranger = closing(new RawMember(broker().bootstrap(), group, topic));
        assertThat(stranger.heartbeat()).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(stranger.sync()).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    private KafkaConsumer<byte[], byte[]> member(String topic, Watch watch, Object... config) {
        List<Object> all = new ArrayList<>(List.of("group.id", group, "session.timeout.ms", 10_000));
        all.addAll(List.of("heartbeat.interval.ms", 300));
        all.addAll(List.of(config));
        KafkaConsumer<byte[], byte[]> consumer = consumer(all.toArray());
        consumer.subscribe(List.of(topic), watch);
        return consumer;
    }

    /** Polls all of them in turn until something is so. */
    private static void pollUntil(
            List<KafkaConsumer<byte[], byte[]>> consumers, java.util.function.BooleanSupplier so) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!so.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time is over").isLessThan(end);
            consumers.forEach(consumer -> consumer.poll(Duration.ofMillis(100)));
        }
    }

    /** What a member is told of its partitions. */
    private static final class Watch implements ConsumerRebalanceListener {
        private final Set<TopicPartition> revoked = new HashSet<>();
        private final Set<TopicPartition> lost = new HashSet<>();
        private int assignments;

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revoked.addAll(partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assignments++;
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            lost.addAll(partitions);
        }
    }
}
