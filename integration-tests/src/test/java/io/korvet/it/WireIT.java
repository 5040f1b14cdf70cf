package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.raw.MinimalRequests;
import io.korvet.it.raw.RawConnection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames, versions, garbage. */
class WireIT extends BrokerBehaviour {

    /** The APIs every client needs (issue 2). */
    private static final Set<ApiKeys> NEEDED = Set.of(
            ApiKeys.API_VERSIONS,
            ApiKeys.METADATA,
            ApiKeys.PRODUCE,
            ApiKeys.FETCH,
            ApiKeys.LIST_OFFSETS,
            ApiKeys.FIND_COORDINATOR,
            ApiKeys.JOIN_GROUP,
            ApiKeys.SYNC_GROUP,
            ApiKeys.HEARTBEAT,
            ApiKeys.LEAVE_GROUP,
            ApiKeys.OFFSET_COMMIT,
            ApiKeys.OFFSET_FETCH,
            ApiKeys.LIST_GROUPS,
            ApiKeys.DESCRIBE_GROUPS,
            ApiKeys.DELETE_GROUPS,
            ApiKeys.CREATE_TOPICS,
            ApiKeys.DELETE_TOPICS,
            ApiKeys.CREATE_PARTITIONS,
            ApiKeys.DESCRIBE_CONFIGS,
            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
            ApiKeys.DESCRIBE_CLUSTER,
            ApiKeys.INIT_PRODUCER_ID);

    @Test
    void everyAdvertisedVersionOfEveryNeededApiIsAnsweredInItsOwnForm() {
        String topic = topic(Encoding.usual());
        MinimalRequests requests = new MinimalRequests(topic, topicId(topic), name("group"));
        List<String> failed = new ArrayList<>();
        Set<ApiKeys> seen = new TreeSet<>();
        for (ApiVersion range : advertised()) {
            if (!ApiKeys.hasId(range.apiKey()) || !requests.harmless(ApiKeys.forId(range.apiKey()))) {
                continue;
            }
            ApiKeys key = ApiKeys.forId(range.apiKey());
            seen.add(key);
            int first = Math.max(range.minVersion(), key.oldestVersion());
            for (int version = first; version <= Math.min(range.maxVersion(), key.latestVersion()); version++) {
                try (RawConnection connection = RawConnection.open(broker().bootstrap())) {
                    connection.send(requests.of(key), version);
                    connection.receive(key, version);
                } catch (RuntimeException | AssertionError e) {
                    failed.add(key + " version " + version + ": " + e);
                }
            }
        }
        assertThat(failed).isEmpty();
        assertThat(seen).containsAll(NEEDED);
    }

    @Test
    void produceIsAdvertisedFromVersionZero() {
        assertThat(advertised()).anyMatch(range -> range.apiKey() == ApiKeys.PRODUCE.id && range.minVersion() == 0);
    }

    private List<ApiVersion> advertised() {
        return new ArrayList<>(connection()
                .exchange(ApiVersionsResponseData.class, apiVersions(), 3)
                .apiKeys());
    }

    private static ApiVersionsRequestData apiVersions() {
        return new ApiVersionsRequestData().setClientSoftwareName("korvet-it").setClientSoftwareVersion("1");
    }

    @Test
    void anApiVersionsRequestAboveOursIsAnsweredInTheOldestFormWithOurRange() {
        RawConnection connection = connection();
        // correlation id 7, no client id, no tags, a body nobody knows
        connection.sendBytes(ByteBuffer.allocate(4 + 2 + 2 + 4 + 2 + 1 + 3)
                .putInt(14)
                .putShort(ApiKeys.API_VERSIONS.id)
                .putShort((short) 99)
                .putInt(7)
                .putShort((short) -1)
                .put((byte) 0)
                .put(new byte[3])
                .array());
        ByteBuffer frame = connection.receiveFrame();
        assertThat(frame.getInt()).isEqualTo(7);
        ApiVersionsResponseData answer = new ApiVersionsResponseData(new ByteBufferAccessor(frame), (short) 0);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.UNSUPPORTED_VERSION);
        assertThat(frame.remaining()).isZero();
        ApiVersion range = answer.apiKeys().find(ApiKeys.API_VERSIONS.id);
        assertThat(range).isNotNull();
        assertThat(range.minVersion()).isZero();
        assertThat(range.maxVersion()).isGreaterThanOrEqualTo((short) 3);
        assertThat(connection
                        .exchange(ApiVersionsResponseData.class, apiVersions(), 3)
                        .apiKeys())
                .isNotEmpty();
    }

    @Test
    void answersComeInTheOrderOfTheRequests() {
        RawConnection connection = connection();
        int count = 50;
        for (int i = 1; i <= count; i++) {
            connection.send(
                    i % 2 == 0 ? apiVersions() : new MetadataRequestData().setTopics(List.of()), i % 2 == 0 ? 3 : 9);
        }
        for (int i = 1; i <= count; i++) {
            assertThat(connection.receiveFrame().getInt()).isEqualTo(i);
        }
    }

    @Test
    void everyBrokerIdThatIsNamedIsInTheListOfBrokersWithItsAddress() {
        String topic = topic(3, Encoding.usual());
        RawConnection connection = connection();
        MetadataResponseData metadata =
                connection.exchange(MetadataResponseData.class, new MetadataRequestData().setTopics(null), 12);
        Set<Integer> ids =
                metadata.brokers().stream().map(MetadataResponseBroker::nodeId).collect(Collectors.toSet());
        assertThat(ids).contains(metadata.controllerId());
        assertThat(metadata.topics().find(topic).partitions()).hasSize(3);
        metadata.topics()
                .forEach(each -> each.partitions().forEach(partition -> {
                    assertThat(ids).contains(partition.leaderId());
                    assertThat(ids).containsAll(partition.replicaNodes());
                    assertThat(partition.replicaNodes())
                            .containsAll(partition.isrNodes())
                            .contains(partition.leaderId());
                }));
        assertThat(metadata.brokers())
                .anyMatch(each -> (each.host() + ":" + each.port())
                        .replace("localhost", "127.0.0.1")
                        .equals(broker().bootstrap()));
        FindCoordinatorRequestData groups = new FindCoordinatorRequestData()
                .setCoordinatorKeys(List.of(name("group"), name("group"), name("group")));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(connection
                                .exchange(FindCoordinatorResponseData.class, groups, 4)
                                .coordinators())
                        .hasSize(3)
                        .allSatisfy(found -> {
                            assertThat(Errors.forCode(found.errorCode())).isEqualTo(Errors.NONE);
                            MetadataResponseBroker broker = metadata.brokers().find(found.nodeId());
                            assertThat(broker).isNotNull();
                            assertThat(found.host() + found.port()).isEqualTo(broker.host() + broker.port());
                        }));
        DescribeClusterResponseData cluster =
                connection.exchange(DescribeClusterResponseData.class, new DescribeClusterRequestData(), 0);
        assertThat(cluster.brokers()).hasSameSizeAs(ids).allMatch(each -> ids.contains(each.brokerId()));
        assertThat(cluster.clusterId()).isEqualTo(metadata.clusterId()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7fffffff0000", // a length prefix of 2 GiB
                "fffffff0", // a negative one
                "00000000", // an empty frame
                "474554202f20485454502f312e310d0a486f73743a20780d0a0d0a", // GET / HTTP/1.1
                "16030102000100fc0303", // the start of a TLS hello
                "0000000e03e7000000000001ffff000000000000", // API key 999
                "0000000a000300630000000100ff", // Metadata version 99
                "00000012000300010000000200007fffffff00000000", // Metadata of 2^31 - 1 topics
            })
    void garbageClosesTheConnectionAndCostsNothing(String hex) {
        produce(topic(Encoding.usual()), List.of("warm"));
        long before = broker().residentBytes();
        for (int i = 0; i < 20; i++) {
            RawConnection connection = connection();
            connection.sendBytes(java.util.HexFormat.of().parseHex(hex));
            assertThat(connection.closedWithin(10_000))
                    .as("closed, not answered")
                    .isTrue();
        }
        assertThat(broker().residentBytes() - before).isLessThan(128L << 20);
        produce(topic(Encoding.usual()), List.of("goes on"));
    }
}
