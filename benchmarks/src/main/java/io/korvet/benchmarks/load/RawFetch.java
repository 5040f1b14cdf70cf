package io.korvet.benchmarks.load;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** A blocking connection that fetches a partition, 1 MiB a time, and looks at no more than the heads of batches. */
final class RawFetch implements AutoCloseable {

    /** The last version that names topics, so that no id need be known. */
    private static final short VERSION = 12;

    private static final int PARTITION_BYTES = 1 << 20;
    private static final int RESPONSE_BYTES = 50 << 20;
    private static final int LONGEST_WAIT_MILLISECONDS = 500;
    private static final int READ_TIMEOUT_MILLISECONDS = 20_000;

    private final Socket socket;
    private final DataInputStream in;
    private final TopicPartition partition;
    private byte[] answer = new byte[2 * PARTITION_BYTES];
    private int correlationId;
    private long offset;
    private long records;

    RawFetch(int port, TopicPartition partition, long offset) throws IOException {
        this.partition = partition;
        this.offset = offset;
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MILLISECONDS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    }

    /** Sends a request and takes its answer; what was read moves the offset on. Answers whether there was anything. */
    boolean next() throws IOException, BenchmarkException {
        ByteBuffer body = new FetchRequest(request(), VERSION)
                .serializeWithHeader(new RequestHeader(ApiKeys.FETCH, VERSION, "raw", ++correlationId));
        byte[] frame = new byte[Integer.BYTES + body.remaining()];
        ByteBuffer.wrap(frame).putInt(body.remaining()).put(body);
        socket.getOutputStream().write(frame);
        int length = in.readInt();
        if (length < Integer.BYTES || length > RESPONSE_BYTES) {
            throw new BenchmarkException("answer of " + length + " bytes");
        }
        answer = length > answer.length ? new byte[length] : answer;
        in.readFully(answer, 0, length);
        return take(ByteBuffer.wrap(answer, 0, length));
    }

    private FetchRequestData request() {
        return new FetchRequestData()
                .setMaxWaitMs(LONGEST_WAIT_MILLISECONDS)
                .setMinBytes(1)
                .setMaxBytes(RESPONSE_BYTES)
                .setTopics(List.of(new FetchTopic()
                        .setTopic(partition.topic())
                        .setPartitions(List.of(new FetchPartition()
                                .setPartition(partition.partition())
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(PARTITION_BYTES)))));
    }

    private boolean take(ByteBuffer buffer) throws BenchmarkException {
        int answered = buffer.getInt();
        if (answered != correlationId) {
            throw new BenchmarkException("answer to request " + answered + ": expected " + correlationId);
        }
        buffer.get(); // No tagged fields in the header.
        long before = offset;
        for (var topic : new FetchResponseData(new ByteBufferAccessor(buffer), VERSION).responses()) {
            for (var found : topic.partitions()) {
                if (found.errorCode() != Errors.NONE.code()) {
                    throw new BenchmarkException(Errors.forCode(found.errorCode()) + " for offset " + offset);
                }
                if (found.records() instanceof MemoryRecords batches) {
                    for (RecordBatch batch : batches.batches()) {
                        offset = batch.lastOffset() + 1;
                        records += Objects.requireNonNull(batch.countOrNull());
                    }
                }
            }
        }
        return offset > before;
    }

    /** Lets the next request begin elsewhere. */
    void seek(long position) {
        offset = position;
    }

    /** Where the next request begins. */
    long offset() {
        return offset;
    }

    /** How many records came. */
    long records() {
        return records;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
