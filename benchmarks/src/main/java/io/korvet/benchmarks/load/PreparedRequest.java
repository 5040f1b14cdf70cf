package io.korvet.benchmarks.load;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** A Produce request, encoded once with one batch of equal records for one partition, to be sent many times. */
final class PreparedRequest {

    /** The last version that names topics, so that no id need be known. */
    static final short VERSION = 12;

    private static final int CORRELATION_ID_AT = 8;
    private static final int TIMEOUT_MILLISECONDS = 30_000;

    private final byte[] frame;

    private PreparedRequest(byte[] frame) {
        this.frame = frame;
    }

    /** Encodes it: acks=all, no producer id, no compression, the records stamped with this time. */
    static PreparedRequest of(TopicPartition partition, byte[] value, int records, long timestamp) {
        SimpleRecord[] batch = new SimpleRecord[records];
        for (int i = 0; i < records; i++) {
            batch[i] = new SimpleRecord(timestamp, value);
        }
        ProduceRequestData request = new ProduceRequestData()
                .setAcks((short) -1)
                .setTimeoutMs(TIMEOUT_MILLISECONDS)
                .setTopicData(new TopicProduceDataCollection(List.of(new TopicProduceData()
                                .setName(partition.topic())
                                .setPartitionData(List.of(new PartitionProduceData()
                                        .setIndex(partition.partition())
                                        .setRecords(MemoryRecords.withRecords(Compression.NONE, batch)))))
                        .iterator()));
        ByteBuffer body = new ProduceRequest(request, VERSION)
                .serializeWithHeader(new RequestHeader(ApiKeys.PRODUCE, VERSION, "prepared", 0));
        byte[] frame = new byte[Integer.BYTES + body.remaining()];
        ByteBuffer.wrap(frame).putInt(body.remaining()).put(body);
        return new PreparedRequest(frame);
    }

    /** The frame, its length in front, with this correlation id; valid until the next call. */
    byte[] frame(int correlationId) {
        ByteBuffer.wrap(frame).putInt(CORRELATION_ID_AT, correlationId);
        return frame;
    }

    /**
     * Checks an answer, without its length.
     *
     * @throws BenchmarkException when it is not the expected one or tells an error
     */
    static void check(byte[] answer, int correlationId) throws BenchmarkException {
        ByteBuffer buffer = ByteBuffer.wrap(answer);
        int answered = buffer.getInt();
        if (answered != correlationId) {
            throw new BenchmarkException("answer to request " + answered + ": expected " + correlationId);
        }
        buffer.get(); // No tagged fields in the header.
        for (var topic : new ProduceResponseData(new ByteBufferAccessor(buffer), VERSION).responses()) {
            for (var partition : topic.partitionResponses()) {
                if (partition.errorCode() != Errors.NONE.code()) {
                    throw new BenchmarkException(
                            Errors.forCode(partition.errorCode()) + " for partition " + partition.index());
                }
            }
        }
    }
}
