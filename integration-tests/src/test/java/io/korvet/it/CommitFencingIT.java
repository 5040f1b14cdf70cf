package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisLink;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.RawMember;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A coordinator with a commit on its way stands still, or is cut off from Redis, while the group goes on at another broker. */
@Timeout(300)
class CommitFencingIT extends BrokerBehaviour {

    private static final int COMMIT = 8;

    private final RedisProcess redis = new RedisProcess();
    private @Nullable RedisLink link;
    private @Nullable KorvetBroker steady;
    private @Nullable KorvetBroker stale;
    private String topic = "";
    private String group = "";

    @BeforeEach
    void startBrokers() {
        assumeThat(BrokerUnderTest.kind()).as("several brokers over one Redis").isEqualTo(TestBroker.Kind.KORVET);
        redis.start();
        link = new RedisLink(redis);
        steady = start(0, redis.uri());
        stale = start(1, link.uri());
        await().atMost(PATIENCE)
                .until(() -> result(admin().describeCluster().nodes()).size() == 2);
        topic = topic(1, Encoding.usual());
        group = name("group");
        while (coordinator() != 1) {
            group = name("group");
        }
    }

    private static KorvetBroker start(int id, String uri) {
        KorvetBroker broker = KorvetBroker.with(
                "korvet.redis.uri=" + uri,
                "korvet.broker.id=" + id,
                "korvet.broker.heartbeat-interval=500ms",
                "korvet.broker.stale-after=3s");
        broker.start();
        return broker;
    }

    @AfterEach
    void endAll() {
        if (stale != null) {
            stale.close();
        }
        if (steady != null) {
            steady.close();
        }
        if (link != null) {
            link.close();
        }
        redis.close();
    }

    @Override
    TestBroker broker() {
        return steady();
    }

    private KorvetBroker steady() {
        return Objects.requireNonNull(steady);
    }

    private KorvetBroker stale() {
        return Objects.requireNonNull(stale);
    }

    /** Who coordinates the group, as the broker sees it that is always there. */
    private int coordinator() {
        try (RawConnection connection = RawConnection.open(steady().bootstrap())) {
            FindCoordinatorRequestData request = new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group));
            return connection
                    .exchange(FindCoordinatorResponseData.class, request, 4)
                    .coordinators()
                    .get(0)
                    .nodeId();
        }
    }

    private void send(RawConnection connection, String memberId, int generation, long offset) {
        connection.send(
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setMemberId(memberId)
                        .setGenerationIdOrMemberEpoch(generation)
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName(topic)
                                .setPartitions(
                                        List.of(new OffsetCommitRequestPartition().setCommittedOffset(offset))))),
                COMMIT);
    }

    private static Errors answer(RawConnection connection) {
        OffsetCommitResponseData answer = (OffsetCommitResponseData) connection.receive(ApiKeys.OFFSET_COMMIT, COMMIT);
        return Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode());
    }

    private Errors commit(KorvetBroker broker, String memberId, int generation, long offset) {
        try (RawConnection connection = RawConnection.open(broker.bootstrap())) {
            send(connection, memberId, generation, offset);
            return answer(connection);
        }
    }

    /** Commits 5 at the coordinator as soon as that knows the topic. */
    private void awaitCommitted(String memberId, int generation) {
        await().atMost(PATIENCE).until(() -> commit(stale(), memberId, generation, 5) == Errors.NONE);
    }

    private long committed() {
        OffsetAndMetadata position = result(
                        admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .get(new TopicPartition(topic, 0));
        return position == null ? -1 : position.offset();
    }

    private String stored() {
        return redis.command("HGET korvet:broker:commit:{" + group + "} " + topic + ":0");
    }

    @Test
    void aMembersCommitThatWaitsForACoordinatorThatStandsStillDoesNotTakeThePositionBack() {
        try (RawMember member = new RawMember(stale().bootstrap(), group, topic, 60_000);
                RawConnection waiting = RawConnection.open(stale().bootstrap())) {
            assertThat(member.join()).isEqualTo(Errors.NONE);
            assertThat(member.sync()).isEqualTo(Errors.NONE);
            awaitCommitted(member.id(), member.generation());
            stale().pause();
            try {
                send(waiting, member.id(), member.generation(), 6);
                await().atMost(PATIENCE).until(() -> coordinator() == 0);
                assertThat(commit(steady(), member.id(), member.generation(), 9))
                        .isEqualTo(Errors.NONE);
            } finally {
                stale().resume();
            }
            assertThat(answer(waiting)).isEqualTo(Errors.NOT_COORDINATOR);
            assertThat(stored()).contains("\"offset\":\"9\"");
        }
        await().atMost(PATIENCE).until(() -> coordinator() == 1);
        await().atMost(PATIENCE).ignoreExceptions().until(() -> committed() == 9);
    }

    @Test
    void aCommitThatReachesRedisAfterThoseOfTheNextCoordinatorDoesNotTakeThePositionBack() {
        RedisLink way = Objects.requireNonNull(link);
        awaitCommitted("", -1);
        int connections = way.open();
        try (RawConnection waiting = RawConnection.open(stale().bootstrap())) {
            way.cut();
            send(waiting, "", -1, 6);
            await().atMost(PATIENCE).until(() -> coordinator() == 0);
            assertThat(commit(steady(), "", -1, 9)).isEqualTo(Errors.NONE);
            assertThat(answer(waiting)).as("the connection is given up").isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
            way.mend();
            // Redis ends a connection that the broker has given up after carrying out what it had sent.
            await().atMost(PATIENCE).until(() -> coordinator() == 1);
            await().atMost(PATIENCE).until(() -> way.open() <= connections);
            assertThat(stored()).contains("\"offset\":\"9\"");
        }
        await().atMost(PATIENCE).ignoreExceptions().until(() -> committed() == 9);
        assertThat(commit(stale(), "", -1, 10)).isEqualTo(Errors.NONE);
        assertThat(committed()).isEqualTo(10);
    }
}
