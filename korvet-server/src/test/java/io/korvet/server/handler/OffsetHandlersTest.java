package io.korvet.server.handler;

import static io.korvet.server.handler.GroupFixture.GROUP;
import static io.korvet.server.handler.GroupFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.topics.TopicNames;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.TopicCatalog.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class OffsetHandlersTest {

    private final GroupFixture fixture = new GroupFixture();
    private final Topic orders = fixture.broker.create("orders", 2);
    private final OffsetCommitHandler commits = new OffsetCommitHandler(fixture.coordinator, fixture.broker.topics);
    private final OffsetFetchHandler fetches = new OffsetFetchHandler(fixture.coordinator, fixture.broker.topics);

    private static OffsetCommitRequestTopic partition(int index, String metadata) {
        return new OffsetCommitRequestTopic()
                .setName("orders")
                .setPartitions(List.of(new OffsetCommitRequestPartition()
                        .setPartitionIndex(index)
                        .setCommittedOffset(42)
                        .setCommittedLeaderEpoch(3)
                        .setCommittedMetadata(metadata)));
    }

    private static OffsetCommitRequestData commit(OffsetCommitRequestTopic... topics) {
        return new OffsetCommitRequestData().setGroupId(GROUP).setMemberId("").setTopics(List.of(topics));
    }

    private static Errors error(OffsetCommitResponseData response, int topic) {
        return Errors.forCode(response.topics().get(topic).partitions().get(0).errorCode());
    }

    private static OffsetFetchRequestGroup group(String name, OffsetFetchRequestTopics... topics) {
        return new OffsetFetchRequestGroup().setGroupId(name).setTopics(topics.length == 0 ? null : List.of(topics));
    }

    @Test
    void whatIsCommittedIsFetchedInEveryVersion() {
        for (int version = ApiKeys.OFFSET_COMMIT.oldestVersion();
                version <= ApiKeys.OFFSET_COMMIT.latestVersion();
                version++) {
            OffsetCommitRequestTopic topic = partition(0, "m" + version);
            if (version >= 10) {
                topic.setName("").setTopicId(TopicNames.wireId(orders.id()));
            }
            assertThat(error(ask(commits, version, commit(topic)), 0)).isEqualTo(Errors.NONE);
        }
        for (int version = 1; version < 8; version++) {
            OffsetFetchResponseData response = ask(
                    fetches,
                    version,
                    new OffsetFetchRequestData()
                            .setGroupId(GROUP)
                            .setTopics(List.of(new OffsetFetchRequestTopic()
                                    .setName("orders")
                                    .setPartitionIndexes(List.of(0, 1)))));
            assertThat(response.topics().get(0).partitions())
                    .extracting(each -> each.committedOffset() + each.metadata() + each.errorCode())
                    .containsExactly("42m100", "-10");
        }
        for (int version = 8; version <= ApiKeys.OFFSET_FETCH.latestVersion(); version++) {
            OffsetFetchRequestTopics topic = new OffsetFetchRequestTopics().setPartitionIndexes(List.of(0, 1));
            OffsetFetchRequestTopics asked =
                    version >= 10 ? topic.setTopicId(TopicNames.wireId(orders.id())) : topic.setName("orders");
            OffsetFetchResponseData response = ask(
                    fetches,
                    version,
                    new OffsetFetchRequestData()
                            .setRequireStable(true)
                            .setGroups(List.of(group(GROUP, asked), group(GROUP), group("foreign"), group("unknown"))));
            List<OffsetFetchResponseGroup> groups = response.groups();
            assertThat(groups.get(0).topics().get(0).partitions())
                    .extracting(each -> each.committedOffset() + each.metadata() + each.errorCode())
                    .containsExactly("42m100", "-10");
            assertThat(groups.get(1).topics().get(0).partitions()).hasSize(1);
            assertThat(groups.get(1).topics().get(0).topicId()).isEqualTo(TopicNames.wireId(orders.id()));
            assertThat(groups.get(2).errorCode()).isEqualTo(Errors.NOT_COORDINATOR.code());
            assertThat(groups.get(3).topics()).isEmpty();
        }
    }

    @Test
    void partitionsThatDoNotExistAreRefusedAndTheOthersCommitted() {
        OffsetCommitResponseData response = ask(
                commits,
                9,
                commit(
                        partition(0, ""),
                        partition(2, ""),
                        partition(0, "").setName("nowhere"),
                        partition(1, "x".repeat(4097))));

        assertThat(List.of(error(response, 0), error(response, 1), error(response, 2), error(response, 3)))
                .containsExactly(
                        Errors.NONE,
                        Errors.UNKNOWN_TOPIC_OR_PARTITION,
                        Errors.UNKNOWN_TOPIC_OR_PARTITION,
                        Errors.OFFSET_METADATA_TOO_LARGE);
        assertThat(fixture.positions.groups.get(GROUP)).hasSize(1);
    }

    @Test
    void unknownTopicIdsAreRefused() {
        Uuid unknown = Uuid.randomUuid();

        OffsetCommitResponseData response =
                ask(commits, 10, commit(partition(0, "").setName("").setTopicId(unknown)));

        assertThat(error(response, 0)).isEqualTo(Errors.UNKNOWN_TOPIC_ID);
        assertThat(response.topics().get(0).topicId()).isEqualTo(unknown);
        OffsetFetchRequestTopics asked =
                new OffsetFetchRequestTopics().setTopicId(unknown).setPartitionIndexes(List.of(0));
        OffsetFetchResponseGroup group = ask(
                        fetches, 10, new OffsetFetchRequestData().setGroups(List.of(group(GROUP, asked))))
                .groups()
                .get(0);
        assertThat(group.topics().get(0).partitions().get(0).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
    }

    @Test
    void commitsOfUnknownGroupsAndWrongMembersHaveKafkasCodes() {
        OffsetCommitRequestData lost = commit(partition(0, "")).setMemberId("m").setGenerationIdOrMemberEpoch(3);

        assertThat(error(ask(commits, 8, lost), 0)).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(error(ask(commits, 9, lost), 0)).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        fixture.stableMember(new byte[0]);
        assertThat(error(ask(commits, 9, lost), 0)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(error(ask(commits, 9, lost.setGroupId("foreign")), 0)).isEqualTo(Errors.NOT_COORDINATOR);
    }

    @Test
    void failedFetchesCarryTheErrorWhereTheVersionHasIt() {
        OffsetFetchRequestData request = new OffsetFetchRequestData()
                .setGroupId("foreign")
                .setTopics(
                        List.of(new OffsetFetchRequestTopic().setName("orders").setPartitionIndexes(List.of(0))));

        OffsetFetchResponseData first = ask(fetches, 1, request);
        assertThat(first.topics().get(0).partitions().get(0).errorCode()).isEqualTo(Errors.NOT_COORDINATOR.code());
        assertThat(ask(fetches, 2, request).errorCode()).isEqualTo(Errors.NOT_COORDINATOR.code());
    }

    @Test
    void positionsOfAnEarlierTopicOfTheNameDoNotCount() {
        fixture.positions.groups.put(
                GROUP,
                new HashMap<>(Map.of(
                        new CommittedOffsets.Key("orders", 0),
                        new Position(7, -1, "", 0, Uuid.randomUuid().toString()))));

        OffsetFetchRequestTopics asked =
                new OffsetFetchRequestTopics().setName("orders").setPartitionIndexes(List.of(0));
        OffsetFetchResponseData response =
                ask(fetches, 9, new OffsetFetchRequestData().setGroups(List.of(group(GROUP, asked), group(GROUP))));

        assertThat(response.groups().get(0).topics().get(0).partitions().get(0).committedOffset())
                .isEqualTo(-1);
        assertThat(response.groups().get(1).topics()).isEmpty();
    }

    @Test
    void offsetsOfSubscribedTopicsAreNotDeleted() {
        fixture.broker.create("other", 1);
        fixture.stableMember(
                Utils.toArray(ConsumerProtocol.serializeSubscription(new Subscription(List.of("orders")))));
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(GROUP);
        for (String topic : List.of("orders", "other", "nowhere")) {
            OffsetDeleteRequestTopic asked = new OffsetDeleteRequestTopic().setName(topic);
            asked.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(0));
            request.topics().mustAdd(asked);
        }

        OffsetDeleteHandler handler = new OffsetDeleteHandler(fixture.coordinator, fixture.broker.topics);
        OffsetDeleteResponseData response = ask(handler, 0, request);

        assertThat(response.topics())
                .extracting(topic ->
                        Errors.forCode(topic.partitions().iterator().next().errorCode()))
                .containsExactly(Errors.GROUP_SUBSCRIBED_TO_TOPIC, Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(ask(handler, 0, request.setGroupId("unknown")).errorCode())
                .isEqualTo(Errors.GROUP_ID_NOT_FOUND.code());
    }
}
