package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.it.raw.RawConnection;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the members of a group notice when the broker that coordinates it is killed: three brokers over one Redis. */
@Tag("waits")
class GroupFailoverIT extends BrokerBehaviour {
    private static final int PARTITIONS = 6;
    private static final Duration SESSION = Duration.ofSeconds(6);
    private static final int HEARTBEAT = 300;
    private static final long BEATS = SESSION.toMillis() / HEARTBEAT + 1;
    private static final List<KorvetBroker> BROKERS = new ArrayList<>();
    private static final RedisProcess REDIS = new RedisProcess();

    private final Set<String> seen = new TreeSet<>();
    private final List<Member> members = new ArrayList<>();
    private int sent;
    private String topic = "";
    private String group = "";

    /** How members assign, and whether they are static. */
    enum Membership {
        EAGER,
        COOPERATIVE,
        STATIC
    }

    @BeforeAll
    static void startBrokers() {
        assumeThat(BrokerUnderTest.kind()).as("several brokers over one Redis").isEqualTo(Kind.KORVET);
        REDIS.start();
        for (int id = 0; id < 3; id++) {
            KorvetBroker broker = KorvetBroker.over(
                    REDIS,
                    "korvet.broker.id=" + id,
                    "korvet.broker.heartbeat-interval=500ms",
                    "korvet.broker.stale-after=3s");
            BROKERS.add(broker);
            broker.start();
        }
    }

    @AfterAll
    static void endBrokers() {
        BROKERS.forEach(KorvetBroker::close);
        REDIS.close();
    }

    /** Never the one that is killed: groups are named so that another one coordinates them. */
    @Override
    TestBroker broker() {
        return BROKERS.get(0);
    }

    private void prepare(Membership membership) {
        await().atMost(PATIENCE)
                .until(() -> result(admin().describeCluster().nodes()).size() == BROKERS.size());
        topic = topic(PARTITIONS, Encoding.usual());
        group = name("group");
        while (coordinator() == 0) {
            group = name("group");
        }
        for (int i = 0; i < 3; i++) {
            members.add(new Member(i, membership));
        }
        pollUntil(() ->
                members.stream().allMatch(member -> member.consumer.assignment().size() == 2)
                        && assigned(members).size() == PARTITIONS
                        && members.stream().map(Member::generation).distinct().count() == 1
                        && describe().groupState() == GroupState.STABLE);
        produceAndConsume();
    }

    /** Who coordinates the group, as the broker sees it that is never killed. */
    private int coordinator() {
        try (RawConnection connection = RawConnection.open(broker().bootstrap())) {
            FindCoordinatorRequestData request = new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group));
            return connection
                    .exchange(FindCoordinatorResponseData.class, request, 4)
                    .coordinators()
                    .get(0)
                    .nodeId();
        }
    }

    private ConsumerGroupDescription describe() {
        return Objects.requireNonNull(
                result(admin().describeConsumerGroups(List.of(group)).all()).get(group));
    }

    @AfterEach
    void startKilledBrokers() {
        for (KorvetBroker broker : BROKERS) {
            if (broker.status("/actuator/health/liveness") == 0) {
                broker.start();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void membersGoOnInTheirGenerationWhenTheCoordinatorIsKilled(Membership membership) {
        prepare(membership);
        int before = coordinator();
        List<String> standing = standing();

        BROKERS.get(before).kill();

        goOnUndisturbed(standing);
        assertThat(coordinator()).isNotEqualTo(before);
        assertThat(BROKERS.get(coordinator()).page("/actuator/prometheus"))
                .containsPattern("korvet_broker_group_images_total\\{[^}]*result=\"restored\"[^}]*} [1-9]");
    }

    @Test
    void membersGoOnWhenTheCoordinatorIsRestartedAtOnceUnderItsId() {
        prepare(Membership.EAGER);
        int before = coordinator();
        List<String> standing = standing();

        BROKERS.get(before).kill();
        BROKERS.get(before).start();

        goOnUndisturbed(standing);
    }

    @Test
    void membersGoOnWhenTheCoordinatorIsStoppedAndComesBack() {
        prepare(Membership.EAGER);
        int before = coordinator();
        List<String> standing = standing();

        BROKERS.get(before).stop();
        goOnUndisturbed(standing);
        BROKERS.get(before).start();
        pollUntil(() -> coordinator() == before);
        goOnUndisturbed(standing);
    }

    @Test
    void aMemberThatDiesWithTheCoordinatorIsReplacedAfterItsSession() {
        prepare(Membership.EAGER);
        int before = coordinator();
        int generation = members.get(0).generation();

        BROKERS.get(before).kill();
        members.remove(2)
                .consumer
                .close(CloseOptions.timeout(Duration.ZERO)
                        .withGroupMembershipOperation(GroupMembershipOperation.REMAIN_IN_GROUP));

        pollUntil(() ->
                members.stream().allMatch(member -> member.consumer.assignment().size() == 3)
                        && assigned(members).size() == PARTITIONS);
        assertThat(members).extracting(Member::generation).containsOnly(generation + 1);
        produceAndConsume();
    }

    @Test
    void aRebalanceThatMeetsTheDeathOfTheCoordinatorIsBegunAnew() {
        prepare(Membership.EAGER);
        int before = coordinator();
        Set<String> ids = members.stream().map(Member::id).collect(Collectors.toSet());
        int generation = members.get(0).generation();
        Member fourth = new Member(3, Membership.EAGER);
        await().atMost(PATIENCE).until(() -> {
            fourth.consumer.poll(Duration.ofMillis(100));
            return describe().groupState() == GroupState.PREPARING_REBALANCE;
        });

        BROKERS.get(before).kill();

        members.add(fourth);
        pollUntil(() -> assigned(members).size() == PARTITIONS
                && members.stream()
                        .allMatch(member -> member.generation() > generation
                                && !member.consumer.assignment().isEmpty()));
        assertThat(members).extracting(Member::id).as("nobody was sent away").containsAll(ids);
        produceAndConsume();
    }

    @Test
    void aMemberOfLibrdkafkaGoesOn() {
        assumeThat(Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kcat"))))
                .as("kcat is on the PATH (Debian package kcat)")
                .isTrue();
        prepare(Membership.EAGER);
        List<String> command = new ArrayList<>(List.of("kcat", "-b", bootstrap(), "-G", group, "-u"));
        for (String setting : List.of("session.timeout.ms=6000", "heartbeat.interval.ms=300")) {
            command.addAll(List.of("-X", setting));
        }
        command.addAll(List.of("-f", "value=%s\\n", topic));
        try (ChildProcess kcat = ChildProcess.start("kcat-member", command)) {
            pollUntil(() -> describe().groupState() == GroupState.STABLE
                    && describe().members().size() == 4
                    && assigned(members).size() < PARTITIONS
                    && members.stream()
                            .noneMatch(member -> member.consumer.assignment().isEmpty())
                    && members.stream().map(Member::generation).distinct().count() == 1
                    && kcat.output().contains("assigned:"));
            int before = coordinator();
            List<String> standing = standing();
            long rebalances = rebalances(kcat);

            BROKERS.get(before).kill();

            produce();
            pollUntil(() -> {
                seen.addAll(valuesOf(kcat));
                return seen.size() == sent;
            });
            awaitHeartbeats();
            assertThat(standing()).isEqualTo(standing);
            assertThat(rebalances(kcat)).as(kcat.output()).isEqualTo(rebalances);
            assertThat(describe().members()).hasSize(4);
            assertThat(coordinator()).isNotEqualTo(before);
        }
    }

    private static long rebalances(ChildProcess kcat) {
        return kcat.output().lines().filter(line -> line.contains("rebalanced")).count();
    }

    private static Set<String> valuesOf(ChildProcess kcat) {
        return kcat.output()
                .lines()
                .filter(line -> line.startsWith("value="))
                .map(line -> line.substring("value=".length()))
                .collect(Collectors.toSet());
    }

    /** Records and commits go on, members are heard by the next coordinator, and nobody was told of anything. */
    private void goOnUndisturbed(List<String> standing) {
        produceAndConsume();
        awaitHeartbeats();
        assertThat(standing()).isEqualTo(standing);
        ConsumerGroupDescription description = describe();
        assertThat(description.groupState()).isEqualTo(GroupState.STABLE);
        Map<String, Set<TopicPartition>> described = new HashMap<>();
        for (MemberDescription member : description.members()) {
            described.put(member.consumerId(), member.assignment().topicPartitions());
        }
        Map<String, Set<TopicPartition>> held = new HashMap<>();
        members.forEach(member -> held.put(member.id(), member.consumer.assignment()));
        assertThat(described).isEqualTo(held);
    }

    /** What members have been told so far. */
    private List<String> standing() {
        return members.stream().map(Member::standing).toList();
    }

    /** Members are heard for longer than their sessions. */
    private void awaitHeartbeats() {
        Map<Member, Double> before = new HashMap<>();
        members.forEach(member -> before.put(member, member.heartbeats()));
        pollUntil(() -> haveBeatenSince(before) && describe().groupState() == GroupState.STABLE);
    }

    private boolean haveBeatenSince(Map<Member, Double> before) {
        return members.stream().allMatch(member -> member.heartbeats() >= before.getOrDefault(member, 0.0) + BEATS);
    }

    /** Sends records to every partition, reads them once each, and commits: what is committed is where the members are. */
    private void produceAndConsume() {
        produce();
        pollUntil(() -> seen.size() == sent);
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        for (Member member : members) {
            Map<TopicPartition, OffsetAndMetadata> mine = new HashMap<>();
            member.consumer
                    .assignment()
                    .forEach(partition -> mine.put(
                            partition, new OffsetAndMetadata(member.consumer.position(partition), "of " + sent)));
            member.consumer.commitSync(mine, PATIENCE);
            positions.putAll(mine);
        }
        assertThat(positions).hasSize(PARTITIONS);
        Map<TopicPartition, OffsetAndMetadata> committed =
                result(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        assertThat(committed.keySet()).isEqualTo(positions.keySet());
        positions.forEach((partition, position) -> assertThat(committed.get(partition))
                .satisfies(each -> {
                    assertThat(each.offset()).isEqualTo(position.offset());
                    assertThat(each.metadata()).isEqualTo(position.metadata());
                }));
    }

    private void produce() {
        KafkaProducer<byte[], byte[]> producer = producer("bootstrap.servers", bootstrap());
        for (int i = 0; i < 10 * PARTITIONS; i++) {
            send(producer, new ProducerRecord<>(topic, i % PARTITIONS, null, bytes("record " + sent++)));
        }
    }

    private static String bootstrap() {
        return BROKERS.stream().map(KorvetBroker::bootstrap).collect(Collectors.joining(","));
    }

    private static Set<TopicPartition> assigned(List<Member> members) {
        Set<TopicPartition> all = new HashSet<>();
        members.forEach(member -> all.addAll(member.consumer.assignment()));
        return all;
    }

    /** Polls all members in turn until something is so. */
    private void pollUntil(BooleanSupplier so) {
        long end = System.nanoTime() + 2 * PATIENCE.toNanos();
        while (!holds(so)) {
            assertThat(System.nanoTime()).as("time is over; " + standing()).isLessThan(end);
            for (Member member : members) {
                for (ConsumerRecord<byte[], byte[]> record : member.consumer.poll(Duration.ofMillis(100))) {
                    seen.add(text(record.value()));
                }
            }
        }
    }

    /** A tool that asks the coordinator just killed is told to ask again. */
    private static boolean holds(BooleanSupplier so) {
        try {
            return so.getAsBoolean();
        } catch (AssertionError e) {
            if (e.getCause() instanceof RetriableException) {
                return false;
            }
            throw e;
        }
    }

    /** A Java consumer and what it was told. */
    private final class Member implements ConsumerRebalanceListener {
        final KafkaConsumer<byte[], byte[]> consumer;
        private int assignments;
        private int revocations;
        private int losses;

        Member(int number, Membership membership) {
            List<Object> config = new ArrayList<>(List.of("bootstrap.servers", bootstrap(), "group.id", group));
            config.addAll(List.of("session.timeout.ms", (int) SESSION.toMillis(), "heartbeat.interval.ms", HEARTBEAT));
            config.addAll(List.of(
                    "partition.assignment.strategy",
                    List.of(
                            membership == Membership.COOPERATIVE
                                    ? CooperativeStickyAssignor.class
                                    : RangeAssignor.class)));
            if (membership == Membership.STATIC) {
                config.addAll(List.of("group.instance.id", "instance-" + number));
            }
            consumer = consumer(config.toArray());
            consumer.subscribe(List.of(topic), this);
        }

        String id() {
            return consumer.groupMetadata().memberId();
        }

        int generation() {
            return consumer.groupMetadata().generationId();
        }

        double heartbeats() {
            return consumer.metrics().entrySet().stream()
                    .filter(metric -> metric.getKey().name().equals("heartbeat-total"))
                    .mapToDouble(metric -> (Double) metric.getValue().metricValue())
                    .sum();
        }

        String standing() {
            return id() + " in " + generation() + ": " + assignments + " assignments, " + revocations + " revocations, "
                    + losses + " losses, has " + consumer.assignment();
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assignments++;
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revocations++;
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            losses++;
        }
    }
}
