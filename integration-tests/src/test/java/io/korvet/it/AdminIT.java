package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreatePartitionsOptions;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/** The admin client's calls, as tools and user interfaces make them. */
class AdminIT extends BrokerBehaviour {

    @Test
    void aTopicIsCreatedAsAskedAndToldSo() {
        String topic = name("admin");
        var created = admin().createTopics(List.of(
                new NewTopic(topic, Optional.of(3), Optional.empty()).configs(Map.of("retention.ms", "60000"))));
        assertThat(result(created.numPartitions(topic))).isEqualTo(3);
        assertThat(result(created.config(topic)).get("retention.ms").value()).isEqualTo("60000");
        await().atMost(PATIENCE)
                .until(() -> result(admin().listTopics().names()).contains(topic));
        TopicDescription description = describe(topic);
        assertThat(description.topicId()).isEqualTo(result(created.topicId(topic)));
        assertThat(description.partitions())
                .extracting(partition -> partition.partition())
                .containsExactly(0, 1, 2);
        assertThat(description.isInternal()).isFalse();
    }

    @Test
    void validationAloneCreatesNothing() {
        String topic = name("admin");
        NewTopic request = new NewTopic(topic, Optional.of(3), Optional.empty());
        result(admin().createTopics(List.of(request), new CreateTopicsOptions().validateOnly(true))
                .all());
        assertThat(result(admin().listTopics().names())).doesNotContain(topic);
        assertThat(failure(admin().createTopics(
                                List.of(request.configs(Map.of("cleanup.policy", "never"))),
                                new CreateTopicsOptions().validateOnly(true))
                        .all()))
                .isInstanceOf(InvalidConfigurationException.class);
    }

    @Test
    void aTopicIsDescribedAndDeletedByIdToo() {
        String topic = topic(Encoding.usual());
        var id = topicId(topic);
        assertThat(result(admin().describeTopics(org.apache.kafka.common.TopicCollection.ofTopicIds(List.of(id)))
                        .allTopicIds()))
                .hasEntrySatisfying(
                        id, description -> assertThat(description.name()).isEqualTo(topic));
        result(admin().deleteTopics(org.apache.kafka.common.TopicCollection.ofTopicIds(List.of(id)))
                .all());
        await().atMost(PATIENCE)
                .until(() -> !result(admin().listTopics().names()).contains(topic));
    }

    @Test
    void partitionsAreAddedButNeverTaken() {
        String topic = topic(2, Encoding.usual());
        result(admin().createPartitions(
                        Map.of(topic, NewPartitions.increaseTo(5)), new CreatePartitionsOptions().validateOnly(true))
                .all());
        assertThat(describe(topic).partitions()).hasSize(2);
        result(admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(4)))
                .all());
        await().atMost(PATIENCE).until(() -> describe(topic).partitions().size() == 4);
        assertThat(failure(admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(3)))
                        .all()))
                .isInstanceOf(InvalidPartitionsException.class);
        assertThat(failure(admin().createPartitions(Map.of(name("nowhere"), NewPartitions.increaseTo(3)))
                        .all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void topicConfigsAreDescribedWithSourceAndDocumentation() {
        String topic = topic(Encoding.usual(), "retention.ms", "60000");
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        DescribeConfigsOptions all =
                new DescribeConfigsOptions().includeSynonyms(true).includeDocumentation(true);
        Config config = config(resource, all);
        ConfigEntry retention = config.get("retention.ms");
        assertThat(retention.value()).isEqualTo("60000");
        assertThat(retention.source()).isEqualTo(ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertThat(retention.isDefault()).isFalse();
        assertThat(retention.synonyms()).isNotEmpty();
        assertThat(retention.documentation()).isNotBlank();
        assertThat(retention.type()).isEqualTo(ConfigEntry.ConfigType.LONG);
        for (String key : List.of(
                "cleanup.policy",
                "compression.type",
                "max.message.bytes",
                "message.timestamp.type",
                "min.insync.replicas",
                "retention.bytes",
                "segment.bytes",
                "segment.ms")) {
            assertThat(config.get(key)).as(key).isNotNull();
            assertThat(config.get(key).value()).as(key).isNotNull();
        }
        ConfigResource nowhere = new ConfigResource(ConfigResource.Type.TOPIC, name("nowhere"));
        assertThat(failure(admin().describeConfigs(List.of(nowhere)).all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void topicConfigsAreAlteredOneByOne() {
        String topic = topic(Encoding.usual());
        alter(topic, OpType.SET, "retention.ms", "60000");
        alter(topic, OpType.SET, "max.message.bytes", "2000");
        await().atMost(PATIENCE).until(() -> "60000".equals(config(topic, "retention.ms")));
        assertThat(config(topic, "max.message.bytes")).isEqualTo("2000");
        alter(topic, OpType.DELETE, "retention.ms", "");
        await().atMost(PATIENCE).until(() -> "604800000".equals(config(topic, "retention.ms")));
        assertThat(config(topic, "max.message.bytes")).isEqualTo("2000");
        alter(topic, OpType.APPEND, "cleanup.policy", "compact");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(config(topic, "cleanup.policy").split(","))
                        .containsExactlyInAnyOrder("delete", "compact"));
        alter(topic, OpType.SUBTRACT, "cleanup.policy", "compact");
        await().atMost(PATIENCE).until(() -> "delete".equals(config(topic, "cleanup.policy")));
    }

    @Test
    void badConfigsAreRefusedAndValidationChangesNothing() {
        String topic = topic(Encoding.usual());
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        for (ConfigEntry bad : List.of(new ConfigEntry("no.such.key", "1"), new ConfigEntry("retention.ms", "x"))) {
            assertThat(failure(admin().incrementalAlterConfigs(
                                    Map.of(resource, List.of(new AlterConfigOp(bad, OpType.SET))))
                            .all()))
                    .isInstanceOf(InvalidConfigurationException.class);
        }
        AlterConfigOp good = new AlterConfigOp(new ConfigEntry("retention.ms", "61000"), OpType.SET);
        result(admin().incrementalAlterConfigs(
                        Map.of(resource, List.of(good)), new AlterConfigsOptions().validateOnly(true))
                .all());
        assertThat(config(topic, "retention.ms")).isEqualTo("604800000");
    }

    private void alter(String topic, OpType type, String key, String value) {
        Collection<AlterConfigOp> change = List.of(new AlterConfigOp(new ConfigEntry(key, value), type));
        result(admin().incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), change))
                .all());
    }

    private Config config(ConfigResource resource, DescribeConfigsOptions options) {
        return Objects.requireNonNull(
                result(admin().describeConfigs(List.of(resource), options).all())
                        .get(resource));
    }

    private String config(String topic, String key) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config config = config(resource, new DescribeConfigsOptions());
        return config.get(key).value();
    }

    @Test
    void theClusterAndItsBrokersConfigAreDescribed() {
        var cluster = admin().describeCluster();
        Collection<Node> nodes = result(cluster.nodes());
        assertThat(nodes).isNotEmpty();
        assertThat(nodes).contains(result(cluster.controller()));
        assertThat(result(cluster.clusterId())).isNotEmpty();
        ConfigResource broker = new ConfigResource(
                ConfigResource.Type.BROKER, nodes.iterator().next().idString());
        Config config = config(broker, new DescribeConfigsOptions());
        for (String key : List.of(
                "auto.create.topics.enable",
                "num.partitions",
                "default.replication.factor",
                "group.min.session.timeout.ms",
                "group.max.session.timeout.ms",
                "group.initial.rebalance.delay.ms",
                "log.retention.ms",
                "message.max.bytes")) {
            assertThat(config.get(key)).as(key).isNotNull();
        }
    }

    @Test
    void groupsAreListedDescribedAndDeleted() {
        String topic = topic(2, Encoding.usual());
        String group = name("group");
        KafkaConsumer<byte[], byte[]> member = consumer("group.id", group, "client.id", "the-member");
        member.subscribe(List.of(topic));
        await().atMost(PATIENCE).until(() -> {
            member.poll(Duration.ofMillis(100));
            return member.assignment().size() == 2;
        });
        member.commitSync(Map.of(partition(topic), new OffsetAndMetadata(7, "here")));

        assertThat(listed(group)).get().satisfies(listing -> {
            assertThat(listing.groupState()).contains(GroupState.STABLE);
            assertThat(listing.protocol()).isEqualTo("consumer");
        });
        ConsumerGroupDescription description = describeGroup(group);
        assertThat(description.groupState()).isEqualTo(GroupState.STABLE);
        assertThat(description.partitionAssignor()).isEqualTo("range");
        assertThat(result(admin().describeCluster().nodes())).contains(description.coordinator());
        assertThat(description.members()).singleElement().satisfies(each -> {
            assertThat(each.clientId()).isEqualTo("the-member");
            assertThat(each.host()).contains("127.0.0.1");
            assertThat(each.assignment().topicPartitions()).hasSize(2);
        });
        assertThat(failure(admin().deleteConsumerGroups(List.of(group)).all()))
                .isInstanceOf(GroupNotEmptyException.class);

        member.close();
        await().atMost(PATIENCE).until(() -> describeGroup(group).groupState() == GroupState.EMPTY);
        assertThat(result(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()))
                .isEqualTo(Map.of(partition(topic), new OffsetAndMetadata(7, "here")));
        result(admin().deleteConsumerGroups(List.of(group)).all());
        assertThat(listed(group)).isEmpty();
        assertThat(failure(admin().deleteConsumerGroups(List.of(group)).all()))
                .isInstanceOf(GroupIdNotFoundException.class);
    }

    private Optional<GroupListing> listed(String group) {
        return result(admin().listGroups().all()).stream()
                .filter(listing -> listing.groupId().equals(group))
                .findFirst();
    }

    private ConsumerGroupDescription describeGroup(String group) {
        return Objects.requireNonNull(
                result(admin().describeConsumerGroups(List.of(group)).all()).get(group));
    }

    @Test
    void offsetsOfAnEmptyGroupAreSetFromOutside() {
        String topic = topic(2, Encoding.usual());
        String group = name("group");
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(
                partition(topic), new OffsetAndMetadata(3), new TopicPartition(topic, 1), new OffsetAndMetadata(4));
        result(admin().alterConsumerGroupOffsets(group, offsets).all());
        assertThat(result(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()))
                .isEqualTo(offsets);
        assertThat(listed(group))
                .get()
                .satisfies(listing -> assertThat(listing.groupState()).contains(GroupState.EMPTY));
    }

    @Test
    void offsetsOfAGroupAreDeleted() {
        assumeServed(ApiKeys.OFFSET_DELETE);
        String topic = topic(2, Encoding.usual());
        String group = name("group");
        TopicPartition other = new TopicPartition(topic, 1);
        result(admin().alterConsumerGroupOffsets(
                        group, Map.of(partition(topic), new OffsetAndMetadata(3), other, new OffsetAndMetadata(4)))
                .all());
        result(admin().deleteConsumerGroupOffsets(group, Set.of(other)).all());
        assertThat(result(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()))
                .containsOnlyKeys(partition(topic));
    }

    @Test
    void logDirectoriesShowSizes() {
        assumeServed(ApiKeys.DESCRIBE_LOG_DIRS);
        String topic = topic(Encoding.usual());
        produce(topic, List.of("x".repeat(10_000)));
        int broker = result(admin().describeCluster().nodes()).iterator().next().id();
        assertThat(result(admin().describeLogDirs(List.of(broker)).allDescriptions())
                        .values())
                .flatExtracting(Map::values)
                .flatExtracting(directory -> directory.replicaInfos().entrySet())
                .filteredOn(replica -> replica.getKey().equals(partition(topic)))
                .singleElement()
                .satisfies(replica -> assertThat(replica.getValue().size()).isGreaterThan(5_000));
    }

    private void assumeServed(ApiKeys key) {
        assumeThat(connection()
                        .exchange(
                                ApiVersionsResponseData.class,
                                new ApiVersionsRequestData()
                                        .setClientSoftwareName("it")
                                        .setClientSoftwareVersion("1"),
                                3)
                        .apiKeys()
                        .find(key.id))
                .as(key + " is advertised")
                .isNotNull();
    }
}
