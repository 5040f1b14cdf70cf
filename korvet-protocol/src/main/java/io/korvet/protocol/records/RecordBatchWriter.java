package io.korvet.protocol.records;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Writes records that were read from the log as record batches (message format 2), at the end of a buffer.
 *
 * <p>Offsets must rise but may have gaps. A batch without a producer id and with leader epoch 0 is opened by the first record and
 * again whenever a record can't go into the open one: its offset is more than 2^31 - 1 above the base, or, with log append
 * time (which a batch has only once), its timestamp differs. For one thread; the buffer stays the caller's.
 */
public final class RecordBatchWriter {

    private static final int NO_BATCH = -1;
    private static final int LEADER_EPOCH = 0;

    private final ByteBuf out;
    private final CompressionType compression;
    private final boolean appendTime;

    private int start;
    private int batch = NO_BATCH;
    private long baseOffset;
    private long lastOffset;
    private long baseTimestamp;
    private long maxTimestamp;
    private int count;

    /**
     * A writer that appends at the buffer's writer index.
     *
     * @param compression codec of every batch
     * @param type {@link TimestampType#LOG_APPEND_TIME} if the timestamps are append times
     */
    public RecordBatchWriter(ByteBuf out, CompressionType compression, TimestampType type) {
        this.out = out;
        this.compression = compression;
        this.appendTime = type == TimestampType.LOG_APPEND_TIME;
        this.start = out.writerIndex();
    }

    /**
     * Appends one record; the given buffers are read from position to limit and left as they were.
     *
     * @param offset above the offset added before
     * @param timestamp in milliseconds
     * @param headers for each header name length, name, value length (-1 for null), value, lengths as zigzag varints; no count
     *     in front
     * @throws ProtocolException INVALID_RECORD when the headers aren't of that form; nothing is written then
     */
    public void add(
            long offset,
            long timestamp,
            @Nullable ByteBuffer key,
            @Nullable ByteBuffer value,
            @Nullable ByteBuffer headers) {
        int headerCount = headers == null ? 0 : headerCount(headers);
        if (batch != NO_BATCH && !continues(offset, timestamp)) {
            closeBatch();
        }
        if (batch == NO_BATCH) {
            openBatch(offset, timestamp);
        }
        long timestampDelta = timestamp - baseTimestamp;
        int offsetDelta = (int) (offset - baseOffset);
        int size = 1
                + Varints.size(timestampDelta)
                + Varints.size(offsetDelta)
                + sizeOf(key)
                + sizeOf(value)
                + Varints.size(headerCount)
                + (headers == null ? 0 : headers.remaining());
        out.ensureWritable(Varints.size(size) + size);
        Varints.write(out, size);
        out.writeByte(0);
        Varints.write(out, timestampDelta);
        Varints.write(out, offsetDelta);
        write(key);
        write(value);
        Varints.write(out, headerCount);
        if (headers != null) {
            writeBytes(headers);
        }
        lastOffset = offset;
        maxTimestamp = count == 0 ? timestamp : Math.max(maxTimestamp, timestamp);
        count++;
    }

    /**
     * Closes the open batch, if any.
     *
     * @return bytes written since the writer was made or last finished; 0 without records
     */
    public int finish() {
        if (batch != NO_BATCH) {
            closeBatch();
        }
        int written = bytesSoFar();
        start = out.writerIndex();
        return written;
    }

    /** Bytes written since the writer was made or last finished; those of the open batch not yet compressed. */
    public int bytesSoFar() {
        return out.writerIndex() - start;
    }

    private boolean continues(long offset, long timestamp) {
        return offset - baseOffset <= Integer.MAX_VALUE && !(appendTime && timestamp != baseTimestamp);
    }

    private void openBatch(long offset, long timestamp) {
        batch = out.writerIndex();
        baseOffset = offset;
        baseTimestamp = timestamp;
        count = 0;
        out.writeZero(RecordBatch.HEADER_BYTES);
    }

    private void closeBatch() {
        if (compression != CompressionType.NONE) {
            int records = batch + RecordBatch.HEADER_BYTES;
            ByteBuffer packed =
                    RecordCompression.compress(compression, out.nioBuffer(records, out.writerIndex() - records));
            out.writerIndex(records).writeBytes(packed);
        }
        int size = out.writerIndex() - batch;
        RecordBatch.patch(out, batch, baseOffset, LEADER_EPOCH);
        out.setInt(batch + RecordBatch.LENGTH_AT, size - RecordBatch.LENGTH_OVERHEAD);
        out.setByte(batch + RecordBatch.MAGIC_AT, RecordBatch.MAGIC);
        out.setShort(
                batch + RecordBatch.ATTRIBUTES_AT, compression.id | (appendTime ? RecordBatch.LOG_APPEND_TIME_BIT : 0));
        out.setInt(batch + RecordBatch.LAST_OFFSET_DELTA_AT, (int) (lastOffset - baseOffset));
        out.setLong(batch + RecordBatch.BASE_TIMESTAMP_AT, baseTimestamp);
        out.setLong(batch + RecordBatch.MAX_TIMESTAMP_AT, maxTimestamp);
        out.setLong(batch + RecordBatch.PRODUCER_ID_AT, -1);
        out.setShort(batch + RecordBatch.PRODUCER_EPOCH_AT, -1);
        out.setInt(batch + RecordBatch.BASE_SEQUENCE_AT, -1);
        out.setInt(batch + RecordBatch.COUNT_AT, count);
        out.setInt(batch + RecordBatch.CRC_AT, RecordBatch.checksum(out, batch, size));
        batch = NO_BATCH;
    }

    private static int sizeOf(@Nullable ByteBuffer part) {
        return part == null ? 1 : Varints.size(part.remaining()) + part.remaining();
    }

    private void write(@Nullable ByteBuffer part) {
        if (part == null) {
            Varints.write(out, -1);
        } else {
            Varints.write(out, part.remaining());
            writeBytes(part);
        }
    }

    private void writeBytes(ByteBuffer part) {
        int position = part.position();
        out.writeBytes(part);
        part.position(position);
    }

    private static int headerCount(ByteBuffer headers) {
        int position = headers.position();
        try {
            int headerCount = 0;
            while (headers.hasRemaining()) {
                Varints.skipHeader(headers);
                headerCount++;
            }
            return headerCount;
        } catch (RuntimeException e) {
            throw new ProtocolException(Errors.INVALID_RECORD, "The headers of a record are malformed", e);
        } finally {
            headers.position(position);
        }
    }
}
