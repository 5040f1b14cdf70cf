package io.korvet.protocol;

import io.korvet.protocol.records.BufferRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.jspecify.annotations.Nullable;

/** Lets Kafka's generated messages write to Netty buffers; records join as further parts, uncopied. */
final class ByteBufWritable implements Writable {

    private final ByteBuf plain;
    private @Nullable CompositeByteBuf parts;
    private int cut;

    ByteBufWritable(ByteBufAllocator allocator, int plainBytes) {
        this.plain = allocator.buffer(plainBytes);
    }

    /** Everything written, for the caller to release. */
    ByteBuf finish() {
        CompositeByteBuf whole = parts;
        if (whole == null) {
            return plain;
        }
        cutTo(whole);
        plain.release();
        return whole;
    }

    /** Releases everything written. */
    void discard() {
        plain.release();
        if (parts != null) {
            parts.release();
        }
    }

    @Override
    public void writeRecords(BaseRecords records) {
        ByteBuf bytes = BufferRecords.bytesOf(records);
        if (!bytes.isReadable()) {
            return;
        }
        CompositeByteBuf whole = parts;
        if (whole == null) {
            whole = plain.alloc().compositeBuffer(Integer.MAX_VALUE);
            parts = whole;
        }
        cutTo(whole);
        whole.addComponent(true, bytes.retainedDuplicate());
    }

    private void cutTo(CompositeByteBuf whole) {
        int end = plain.writerIndex();
        if (end > cut) {
            whole.addComponent(true, plain.retainedSlice(cut, end - cut));
            cut = end;
        }
    }

    @Override
    public void writeByte(byte value) {
        plain.writeByte(value);
    }

    @Override
    public void writeShort(short value) {
        plain.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        plain.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        plain.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        plain.writeDouble(value);
    }

    @Override
    public void writeByteArray(byte[] array) {
        plain.writeBytes(array);
    }

    @Override
    public void writeUnsignedVarint(int value) {
        writeUnsignedVarlong(value & 0xFFFFFFFFL);
    }

    @Override
    public void writeByteBuffer(ByteBuffer buffer) {
        plain.writeBytes(buffer.duplicate());
    }

    @Override
    public void writeVarint(int value) {
        writeUnsignedVarlong(((value << 1) ^ (value >> 31)) & 0xFFFFFFFFL);
    }

    @Override
    public void writeVarlong(long value) {
        writeUnsignedVarlong((value << 1) ^ (value >> 63));
    }

    private void writeUnsignedVarlong(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            plain.writeByte((int) rest | 0x80);
            rest >>>= 7;
        }
        plain.writeByte((int) rest);
    }
}
