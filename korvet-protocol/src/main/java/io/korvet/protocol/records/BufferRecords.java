package io.korvet.protocol.records;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCounted;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Record batches in a Netty buffer, to be set in a Fetch answer and written without a copy.
 *
 * <p>It owns one reference to the buffer; its reference count is the buffer's. Encoding the answer takes that reference over.
 */
public final class BufferRecords implements BaseRecords, ReferenceCounted {

    /** No records; releasing it does nothing. */
    public static final BufferRecords EMPTY = new BufferRecords(Unpooled.EMPTY_BUFFER);

    private final ByteBuf bytes;

    /** Takes over the caller's reference to the readable bytes, which are whole batches. */
    public BufferRecords(ByteBuf bytes) {
        this.bytes = bytes;
    }

    /**
     * The bytes of records out of a decoded request, as a buffer that needs no release and is valid as long as they are.
     *
     * @throws IllegalArgumentException for records that aren't in memory
     */
    public static ByteBuf bytesOf(BaseRecords records) {
        if (records instanceof MemoryRecords inMemory) {
            return Unpooled.wrappedBuffer(inMemory.buffer());
        }
        if (records instanceof BufferRecords buffered) {
            return buffered.bytes;
        }
        throw new IllegalArgumentException("Not in memory: " + records.getClass());
    }

    /** The bytes, with this object's reference. */
    public ByteBuf bytes() {
        return bytes;
    }

    @Override
    public int sizeInBytes() {
        return bytes.readableBytes();
    }

    /** Not supported: only Netty channels write these records. */
    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("Written by Netty channels only");
    }

    @Override
    public int refCnt() {
        return bytes.refCnt();
    }

    @Override
    public BufferRecords retain() {
        bytes.retain();
        return this;
    }

    @Override
    public BufferRecords retain(int increment) {
        bytes.retain(increment);
        return this;
    }

    @Override
    public BufferRecords touch() {
        bytes.touch();
        return this;
    }

    @Override
    public BufferRecords touch(Object hint) {
        bytes.touch(hint);
        return this;
    }

    @Override
    public boolean release() {
        return bytes.release();
    }

    @Override
    public boolean release(int decrement) {
        return bytes.release(decrement);
    }
}
