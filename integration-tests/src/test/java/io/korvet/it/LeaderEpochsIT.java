package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.util.List;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** What requests that name a leader epoch are answered, by the epoch that Metadata tells. */
class LeaderEpochsIT extends BrokerBehaviour {

    private int epoch(RawConnection connection, String topic) {
        return connection
                .exchange(
                        MetadataResponseData.class,
                        new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(topic))),
                        12)
                .topics()
                .iterator()
                .next()
                .partitions()
                .get(0)
                .leaderEpoch();
    }

    @Test
    void aFetchThatKnowsALaterEpochIsRefusedAndOneThatKnowsThisOneIsServed() {
        String topic = topic(Encoding.usual());
        List<Long> offsets = produce(topic, List.of("a"));
        RawConnection connection = connection();
        int epoch = epoch(connection, topic);
        assertThat(epoch).isNotNegative();
        assertThat(fetch(connection, topic, offsets.get(0), epoch + 1)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
        assertThat(fetch(connection, topic, offsets.get(0), epoch)).isEqualTo(Errors.NONE);
        assertThat(fetch(connection, topic, offsets.get(0), -1)).isEqualTo(Errors.NONE);
    }

    private Errors fetch(RawConnection connection, String topic, long offset, int epoch) {
        var request = Requests.fetch(topic, topicId(topic), offset, 100, 1_000);
        request.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(epoch);
        FetchResponseData answer = connection.exchange(FetchResponseData.class, request, Requests.FETCH_BY_ID);
        return Errors.forCode(answer.responses().get(0).partitions().get(0).errorCode());
    }

    @Test
    void offsetsAreLookedUpForAClientThatKnowsThisEpochAndNotForOneThatKnowsALaterOne() {
        String topic = topic(Encoding.usual());
        long end = produce(topic, List.of("a")).get(0) + 1;
        RawConnection connection = connection();
        int epoch = epoch(connection, topic);
        assertThat(Errors.forCode(offsets(connection, topic, epoch + 1).errorCode()))
                .isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
        assertThat(offsets(connection, topic, epoch).offset()).isEqualTo(end);
        assertThat(offsets(connection, topic, -1).offset()).isEqualTo(end);
    }

    private static ListOffsetsResponseData.ListOffsetsPartitionResponse offsets(
            RawConnection connection, String topic, int epoch) {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(List.of(new ListOffsetsPartition()
                                .setPartitionIndex(0)
                                .setCurrentLeaderEpoch(epoch)
                                .setTimestamp(-1)))));
        return connection
                .exchange(ListOffsetsResponseData.class, request, 7)
                .topics()
                .get(0)
                .partitions()
                .get(0);
    }

    @Test
    void theCurrentEpochEndsAtTheEndOfTheLogAndALaterOneHasNoEnd() {
        String topic = topic(Encoding.usual());
        produce(topic, List.of("a", "b"));
        long end = offset(topic, OffsetSpec.latest());
        RawConnection connection = connection();
        int epoch = epoch(connection, topic);
        assertThat(end(connection, topic, epoch, epoch)).isEqualTo("NONE " + epoch + " " + end);
        assertThat(end(connection, topic, -1, epoch)).isEqualTo("NONE " + epoch + " " + end);
        assertThat(end(connection, topic, epoch, epoch + 1)).isEqualTo("NONE -1 -1");
        assertThat(end(connection, topic, epoch + 1, epoch)).isEqualTo("UNKNOWN_LEADER_EPOCH -1 -1");
    }

    private static String end(RawConnection connection, String topic, int currentEpoch, int epoch) {
        OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
        request.topics()
                .add(new OffsetForLeaderTopic()
                        .setTopic(topic)
                        .setPartitions(List.of(new OffsetForLeaderPartition()
                                .setPartition(0)
                                .setCurrentLeaderEpoch(currentEpoch)
                                .setLeaderEpoch(epoch))));
        var answer = connection
                .exchange(OffsetForLeaderEpochResponseData.class, request, 4)
                .topics()
                .iterator()
                .next()
                .partitions()
                .get(0);
        return Errors.forCode(answer.errorCode()) + " " + answer.leaderEpoch() + " " + answer.endOffset();
    }
}
