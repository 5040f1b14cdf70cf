package io.korvet.it.raw;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Requests in their plainest form, and what their answers say. */
public final class Requests {
    /** The last Produce version that names topics rather than topic ids. */
    public static final int PRODUCE = 12;

    /** The last Fetch version that names topics. */
    public static final int FETCH_BY_NAME = 12;

    /** A Fetch version with topic ids. */
    public static final int FETCH_BY_ID = 15;

    private Requests() {}

    /** Records for partition 0 of a topic. */
    public static ProduceRequestData produce(String topic, int acks, MemoryRecords records) {
        TopicProduceDataCollection topics = new TopicProduceDataCollection();
        topics.add(new TopicProduceData()
                .setName(topic)
                .setPartitionData(List.of(new PartitionProduceData().setIndex(0).setRecords(records))));
        return new ProduceRequestData()
                .setAcks((short) acks)
                .setTimeoutMs(20_000)
                .setTopicData(topics);
    }

    /** Produces with acks=all and answers what came of partition 0. */
    public static PartitionProduceResponse produceAll(RawConnection connection, String topic, MemoryRecords records) {
        return connection
                .exchange(ProduceResponseData.class, produce(topic, -1, records), PRODUCE)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }

    /** The error of a produce answer. */
    public static Errors error(PartitionProduceResponse answer) {
        return Errors.forCode(answer.errorCode());
    }

    /** A fetch of partition 0 outside a session. */
    public static FetchRequestData fetch(String topic, Uuid id, long offset, int maxWait, int maxBytes) {
        return new FetchRequestData()
                .setMaxWaitMs(maxWait)
                .setMinBytes(1)
                .setMaxBytes(maxBytes)
                .setSessionEpoch(-1)
                .setTopics(List.of(new FetchTopic()
                        .setTopic(topic)
                        .setTopicId(id)
                        .setPartitions(List.of(new FetchPartition()
                                .setPartition(0)
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(maxBytes)))));
    }

    /** The records in the first partition of a fetch answer. */
    public static MemoryRecords records(FetchResponseData answer) {
        return (MemoryRecords) answer.responses().get(0).partitions().get(0).records();
    }
}
