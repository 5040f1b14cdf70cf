package io.korvet.it.raw;

import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * A small valid request for each API, the same for all of its versions.
 *
 * @param topic a topic that is there
 * @param topicId its id
 * @param group a group that may be joined
 */
public record MinimalRequests(String topic, Uuid topicId, String group) {

    /** Requests that change a cluster when they say nothing, or that wait for something. */
    private static final Set<ApiKeys> HARMFUL = Set.of(
            ApiKeys.UNREGISTER_BROKER,
            ApiKeys.ADD_RAFT_VOTER,
            ApiKeys.REMOVE_RAFT_VOTER,
            ApiKeys.UPDATE_RAFT_VOTER,
            ApiKeys.UPDATE_FEATURES,
            ApiKeys.SASL_HANDSHAKE,
            ApiKeys.SASL_AUTHENTICATE,
            ApiKeys.DESCRIBE_QUORUM,
            ApiKeys.STREAMS_GROUP_HEARTBEAT,
            ApiKeys.WRITE_TXN_MARKERS,
            ApiKeys.ADD_PARTITIONS_TO_TXN,
            ApiKeys.CREATE_DELEGATION_TOKEN,
            ApiKeys.SHARE_FETCH,
            ApiKeys.SHARE_ACKNOWLEDGE);

    /** Whether a request with nothing in it may be sent. */
    public boolean harmless(ApiKeys key) {
        return !HARMFUL.contains(key);
    }

    /** The request. */
    public ApiMessage of(ApiKeys key) {
        return switch (key) {
            case PRODUCE ->
                Requests.produce(
                        topic, 1, MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, new byte[] {1})));
            case FETCH -> Requests.fetch(topic, topicId, 0, 10, 1_000);
            case API_VERSIONS ->
                new ApiVersionsRequestData().setClientSoftwareName("it").setClientSoftwareVersion("1");
            case LIST_OFFSETS -> listOffsets();
            case JOIN_GROUP -> join();
            case OFFSET_COMMIT -> commit();
            case INIT_PRODUCER_ID ->
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000);
            case CREATE_TOPICS -> createTopics();
            case CREATE_PARTITIONS -> createPartitions();
            case DESCRIBE_CONFIGS ->
                new DescribeConfigsRequestData()
                        .setResources(List.of(new DescribeConfigsRequestData.DescribeConfigsResource()
                                .setResourceType(ConfigResource.Type.TOPIC.id())
                                .setResourceName(topic)
                                .setConfigurationKeys(null)));
            case INCREMENTAL_ALTER_CONFIGS -> new IncrementalAlterConfigsRequestData().setValidateOnly(true);
            case DESCRIBE_ACLS ->
                new DescribeAclsRequestData()
                        .setResourceTypeFilter((byte) 1)
                        .setPatternTypeFilter((byte) 1)
                        .setOperation((byte) 1)
                        .setPermissionType((byte) 1);
            case OFFSET_FOR_LEADER_EPOCH -> new OffsetForLeaderEpochRequestData().setReplicaId(-1);
            default -> ApiMessageType.fromApiKey(key.id).newRequest();
        };
    }

    private ListOffsetsRequestData listOffsets() {
        return new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsRequestData.ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition().setTimestamp(-1)))));
    }

    private JoinGroupRequestData join() {
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[0]));
        return new JoinGroupRequestData()
                .setGroupId(group + "-" + Uuid.randomUuid())
                .setSessionTimeoutMs(6_000)
                .setRebalanceTimeoutMs(6_000)
                .setProtocolType("consumer")
                .setProtocols(protocols);
    }

    private OffsetCommitRequestData commit() {
        return new OffsetCommitRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName(topic)
                        .setTopicId(topicId)
                        .setPartitions(List.of(
                                new OffsetCommitRequestData.OffsetCommitRequestPartition().setCommittedOffset(1)))));
    }

    private CreateTopicsRequestData createTopics() {
        CreateTopicsRequestData request =
                new CreateTopicsRequestData().setTimeoutMs(10_000).setValidateOnly(true);
        request.topics()
                .add(new CreateTopicsRequestData.CreatableTopic()
                        .setName(topic + "-2")
                        .setNumPartitions(1)
                        .setReplicationFactor((short) 1));
        return request;
    }

    private CreatePartitionsRequestData createPartitions() {
        CreatePartitionsRequestData request =
                new CreatePartitionsRequestData().setTimeoutMs(10_000).setValidateOnly(true);
        request.topics()
                .add(new CreatePartitionsRequestData.CreatePartitionsTopic()
                        .setName(topic)
                        .setCount(2)
                        .setAssignments(null));
        return request;
    }
}
