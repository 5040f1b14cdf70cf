package io.korvet.protocol.records;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;

/**
 * A view of one record batch (message format 2) inside a buffer.
 *
 * <p>A flyweight: {@link #wrap} points it at a batch, and the same object can be pointed at the next one. It reads by absolute
 * index, neither moves the buffer's indexes nor holds a reference to it, and belongs to one thread. Only {@link #wrap} and
 * {@link #verify} look at whether the bytes make sense; the other methods read what is there.
 */
public final class RecordBatch {

    /** Bytes in front of the records. */
    public static final int HEADER_BYTES = 61;

    /** Bytes in front of what the length field counts: base offset and the length itself. */
    static final int LENGTH_OVERHEAD = 12;

    static final int LENGTH_AT = 8;
    static final int LEADER_EPOCH_AT = 12;
    static final int MAGIC_AT = 16;
    static final int CRC_AT = 17;
    static final int ATTRIBUTES_AT = 21;
    static final int LAST_OFFSET_DELTA_AT = 23;
    static final int BASE_TIMESTAMP_AT = 27;
    static final int MAX_TIMESTAMP_AT = 35;
    static final int PRODUCER_ID_AT = 43;
    static final int PRODUCER_EPOCH_AT = 51;
    static final int BASE_SEQUENCE_AT = 53;
    static final int COUNT_AT = 57;

    static final byte MAGIC = 2;
    static final int COMPRESSION_BITS = 0x07;
    static final int LOG_APPEND_TIME_BIT = 0x08;
    private static final int TRANSACTIONAL_BIT = 0x10;
    private static final int CONTROL_BIT = 0x20;

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int index;

    /** A view of nothing; {@link #wrap} comes first. */
    public RecordBatch() {}

    /**
     * Points the view at the batch that starts at an index of the buffer.
     *
     * @return this
     * @throws ProtocolException CORRUPT_MESSAGE when no header of format 2 fits; INVALID_RECORD for the formats 0 and 1, which
     *     Kafka refuses the same way in every produce version it still has
     */
    public RecordBatch wrap(ByteBuf buffer, int index) {
        int available = buffer.writerIndex() - index;
        if (index < 0 || available <= MAGIC_AT) {
            throw corrupt(
                    "A record batch needs a header of " + HEADER_BYTES + " bytes, found " + Math.max(available, 0));
        }
        byte magic = buffer.getByte(index + MAGIC_AT);
        if (magic == 0 || magic == 1) {
            throw invalid("Record batches must have magic version 2, found " + magic);
        }
        if (magic != MAGIC) {
            throw corrupt("Unknown magic version " + magic + " of a record batch");
        }
        int length = buffer.getInt(index + LENGTH_AT);
        if (available < HEADER_BYTES
                || length < HEADER_BYTES - LENGTH_OVERHEAD
                || length > Integer.MAX_VALUE - LENGTH_OVERHEAD) {
            throw corrupt("A record batch of " + (length + (long) LENGTH_OVERHEAD) + " bytes with " + available
                    + " there is no record batch");
        }
        this.buffer = buffer;
        this.index = index;
        return this;
    }

    /**
     * Checks everything that can be known without decompressing: size, checksum, codec, count, offset range, sequence.
     *
     * @throws ProtocolException CORRUPT_MESSAGE for a wrong checksum, UNSUPPORTED_COMPRESSION_TYPE for an unknown codec,
     *     INVALID_RECORD for the rest
     */
    public void verify() {
        int available = buffer.writerIndex() - index;
        if (sizeInBytes() > available) {
            throw invalid("A record batch of " + sizeInBytes() + " bytes is cut off after " + available);
        }
        int stored = buffer.getInt(index + CRC_AT);
        int computed = checksum(buffer, index, sizeInBytes());
        if (stored != computed) {
            throw corrupt("The checksum of the record batch is " + Integer.toUnsignedString(stored)
                    + ", its bytes give " + Integer.toUnsignedString(computed));
        }
        if ((attributes() & COMPRESSION_BITS) > CompressionType.ZSTD.id) {
            throw new ProtocolException(
                    Errors.UNSUPPORTED_COMPRESSION_TYPE,
                    "Unknown compression codec " + (attributes() & COMPRESSION_BITS));
        }
        int lastDelta = buffer.getInt(index + LAST_OFFSET_DELTA_AT);
        if (count() <= 0 || lastDelta != count() - 1) {
            throw invalid("A record batch with " + count() + " records and last offset delta " + lastDelta);
        }
        if (producerId() >= 0 && baseSequence() < 0 && !isControl()) {
            throw invalid("Producer " + producerId() + " sent a record batch with base sequence " + baseSequence());
        }
    }

    /** Where the batch starts in the buffer. */
    public int index() {
        return index;
    }

    /** Size of the whole batch, header included. */
    public int sizeInBytes() {
        return LENGTH_OVERHEAD + buffer.getInt(index + LENGTH_AT);
    }

    /** Offset of the first record. */
    public long baseOffset() {
        return buffer.getLong(index);
    }

    /** Offset of the last record. */
    public long lastOffset() {
        return baseOffset() + buffer.getInt(index + LAST_OFFSET_DELTA_AT);
    }

    /** How many records it says it has. */
    public int count() {
        return buffer.getInt(index + COUNT_AT);
    }

    /** Sequence number of the first record, -1 without a producer id. */
    public int baseSequence() {
        return buffer.getInt(index + BASE_SEQUENCE_AT);
    }

    /** Id of the idempotent producer, -1 without one. */
    public long producerId() {
        return buffer.getLong(index + PRODUCER_ID_AT);
    }

    /** Epoch of the producer id, -1 without one. */
    public short producerEpoch() {
        return buffer.getShort(index + PRODUCER_EPOCH_AT);
    }

    /** Timestamp in milliseconds that the records' deltas count from. */
    public long baseTimestamp() {
        return buffer.getLong(index + BASE_TIMESTAMP_AT);
    }

    /** Highest timestamp in milliseconds, as the header says; the append time with {@link #isLogAppendTime()}. */
    public long maxTimestamp() {
        return buffer.getLong(index + MAX_TIMESTAMP_AT);
    }

    /** Whether it holds transaction markers instead of records of a client. */
    public boolean isControl() {
        return (attributes() & CONTROL_BIT) != 0;
    }

    /** Whether it is part of a transaction. */
    public boolean isTransactional() {
        return (attributes() & TRANSACTIONAL_BIT) != 0;
    }

    /** Whether {@link #maxTimestamp()} is the timestamp of every record. */
    public boolean isLogAppendTime() {
        return (attributes() & LOG_APPEND_TIME_BIT) != 0;
    }

    /** Codec of the records; only for a verified batch. */
    public CompressionType compression() {
        return CompressionType.forId(attributes() & COMPRESSION_BITS);
    }

    /** Writes base offset and leader epoch in place; the checksum doesn't cover them. */
    public static void patch(ByteBuf buffer, int index, long baseOffset, int leaderEpoch) {
        buffer.setLong(index, baseOffset);
        buffer.setInt(index + LEADER_EPOCH_AT, leaderEpoch);
    }

    /** Makes a timestamp in milliseconds the append time of every record, in place, and computes the checksum anew. */
    public static void patchAppendTime(ByteBuf buffer, int index, long timestamp) {
        buffer.setShort(index + ATTRIBUTES_AT, buffer.getShort(index + ATTRIBUTES_AT) | LOG_APPEND_TIME_BIT);
        buffer.setLong(index + MAX_TIMESTAMP_AT, timestamp);
        int size = LENGTH_OVERHEAD + buffer.getInt(index + LENGTH_AT);
        buffer.setInt(index + CRC_AT, checksum(buffer, index, size));
    }

    /** CRC-32C over everything behind the checksum field. */
    static int checksum(ByteBuf buffer, int index, int size) {
        CRC32C crc = new CRC32C();
        int from = index + ATTRIBUTES_AT;
        int length = size - ATTRIBUTES_AT;
        if (buffer.nioBufferCount() == 1) {
            crc.update(buffer.nioBuffer(from, length));
        } else {
            for (var part : buffer.nioBuffers(from, length)) {
                crc.update(part);
            }
        }
        return (int) crc.getValue();
    }

    private short attributes() {
        return buffer.getShort(index + ATTRIBUTES_AT);
    }

    private static ProtocolException corrupt(String message) {
        return new ProtocolException(Errors.CORRUPT_MESSAGE, message);
    }

    private static ProtocolException invalid(String message) {
        return new ProtocolException(Errors.INVALID_RECORD, message);
    }
}
