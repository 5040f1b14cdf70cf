package io.korvet.protocol.records;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.ByteUtils;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one verified batch without an object per record.
 *
 * <p>{@link #next()} moves to the next record and checks its shape; the other methods tell where its parts lie in
 * {@link #buffer()}. A compressed batch is decompressed at {@link #open} into one pooled buffer that {@link #close()} gives
 * back; otherwise the records are read where they are, and the caller's buffer must stay alive meanwhile. For one thread.
 */
public final class RecordCursor implements AutoCloseable {

    /** Attributes, timestamp delta, offset delta, key length, value length, header count: a byte each at least. */
    private static final int LEAST_RECORD_BYTES = 6;

    private final ByteBuf buffer;
    private final boolean owned;
    private final ByteBuffer bytes;
    private final int shift;
    private final int count;
    private final long baseTimestamp;
    private final boolean appendTime;

    private int read;
    private long timestamp;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private int headersIndex;
    private int headersLength;

    private RecordCursor(RecordBatch batch, ByteBuf buffer, int index, int length, boolean owned) {
        this.buffer = buffer;
        this.owned = owned;
        this.bytes = buffer.nioBuffer(index, length);
        this.shift = index - bytes.position();
        this.count = batch.count();
        this.appendTime = batch.isLogAppendTime();
        this.baseTimestamp = appendTime ? batch.maxTimestamp() : batch.baseTimestamp();
    }

    /**
     * Opens the records of a batch that {@link RecordBatch#verify()} let pass.
     *
     * @param buffer the buffer the batch lies in
     * @param maxDecompressedBytes more than this is refused as soon as it shows, whatever the batch would grow to
     * @throws ProtocolException MESSAGE_TOO_LARGE when decompressed records pass the limit, CORRUPT_MESSAGE when they can't be
     *     decompressed
     */
    public static RecordCursor open(
            RecordBatch batch, ByteBuf buffer, ByteBufAllocator allocator, int maxDecompressedBytes) {
        int index = batch.index() + RecordBatch.HEADER_BYTES;
        int length = batch.sizeInBytes() - RecordBatch.HEADER_BYTES;
        CompressionType compression = batch.compression();
        if (compression == CompressionType.NONE) {
            return new RecordCursor(batch, buffer, index, length, false);
        }
        ByteBuf plain = RecordCompression.decompress(
                compression, buffer.nioBuffer(index, length), allocator, maxDecompressedBytes);
        return new RecordCursor(batch, plain, plain.readerIndex(), plain.readableBytes(), true);
    }

    /**
     * Moves to the next record.
     *
     * @return false behind the last one
     * @throws ProtocolException INVALID_RECORD when lengths don't add up, the offset deltas aren't 0, 1, 2 …, there are fewer
     *     records than the batch says, or bytes follow the last one
     */
    public boolean next() {
        if (read == count) {
            if (bytes.hasRemaining()) {
                throw invalid(bytes.remaining() + " bytes behind the last of " + count + " records", null);
            }
            return false;
        }
        try {
            readRecord();
        } catch (ProtocolException e) {
            throw e;
        } catch (RuntimeException e) {
            throw invalid("Record " + read + " of " + count + " is malformed", e);
        }
        read++;
        return true;
    }

    private void readRecord() {
        int size = ByteUtils.readVarint(bytes);
        if (size < LEAST_RECORD_BYTES || size > bytes.remaining()) {
            throw invalid("Record " + read + " claims " + size + " bytes with " + bytes.remaining() + " left", null);
        }
        int end = bytes.position() + size;
        bytes.get();
        long timestampDelta = ByteUtils.readVarlong(bytes);
        timestamp = appendTime ? baseTimestamp : baseTimestamp + timestampDelta;
        int offsetDelta = ByteUtils.readVarint(bytes);
        if (offsetDelta != read) {
            throw invalid("Record " + read + " has offset delta " + offsetDelta, null);
        }
        keyLength = ByteUtils.readVarint(bytes);
        keyIndex = bytes.position() + shift;
        skip(keyLength, end);
        valueLength = ByteUtils.readVarint(bytes);
        valueIndex = bytes.position() + shift;
        skip(valueLength, end);
        int headers = ByteUtils.readVarint(bytes);
        if (headers < 0) {
            throw invalid("Record " + read + " has " + headers + " headers", null);
        }
        int headersFrom = bytes.position();
        for (int header = 0; header < headers; header++) {
            Varints.skipHeader(bytes);
        }
        headersIndex = headersFrom + shift;
        headersLength = bytes.position() - headersFrom;
        if (bytes.position() != end) {
            throw invalid(
                    "Record " + read + " of " + size + " bytes ends " + (bytes.position() - end) + " bytes off", null);
        }
    }

    private void skip(int length, int end) {
        if (length < -1 || length > end - bytes.position()) {
            throw invalid(
                    "Record " + read + " has a part of " + length + " bytes with " + (end - bytes.position()) + " left",
                    null);
        }
        if (length > 0) {
            bytes.position(bytes.position() + length);
        }
    }

    /** The buffer that all indexes point into: the caller's own, or the decompressed one. */
    public ByteBuf buffer() {
        return buffer;
    }

    /** The record's timestamp in milliseconds; the batch's append time if it has one. */
    public long timestamp() {
        return timestamp;
    }

    /** The record's place in the batch, from 0. */
    public int offsetDelta() {
        return read - 1;
    }

    /** Where the key starts. */
    public int keyIndex() {
        return keyIndex;
    }

    /** Bytes of the key, -1 for a null key. */
    public int keyLength() {
        return keyLength;
    }

    /** Where the value starts. */
    public int valueIndex() {
        return valueIndex;
    }

    /** Bytes of the value, -1 for a null value. */
    public int valueLength() {
        return valueLength;
    }

    /** Where the first header starts, behind the header count. */
    public int headersIndex() {
        return headersIndex;
    }

    /** Bytes of all headers, 0 without any. */
    public int headersLength() {
        return headersLength;
    }

    /** Gives the decompressed bytes back; the indexes mean nothing afterwards. */
    @Override
    public void close() {
        if (owned && buffer.refCnt() > 0) {
            buffer.release();
        }
    }

    private static ProtocolException invalid(String message, @Nullable Throwable cause) {
        return cause == null
                ? new ProtocolException(Errors.INVALID_RECORD, message)
                : new ProtocolException(Errors.INVALID_RECORD, message, cause);
    }
}
