package io.korvet.protocol.records;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.ByteUtils;

/** Kafka's zigzag varints on Netty buffers, and a walk over the headers written with them. */
final class Varints {

    private Varints() {}

    /** Appends a number. */
    static void write(ByteBuf out, long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7FL) != 0) {
            out.writeByte((int) rest | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    /** How many bytes a number takes. */
    static int size(long value) {
        return ByteUtils.sizeOfVarlong(value);
    }

    /**
     * Moves a buffer past one header: name length, name, value length (-1 for null), value.
     *
     * @throws RuntimeException of some kind when the bytes aren't a header
     */
    static void skipHeader(ByteBuffer bytes) {
        skip(bytes, ByteUtils.readVarint(bytes));
        int valueLength = ByteUtils.readVarint(bytes);
        if (valueLength != -1) {
            skip(bytes, valueLength);
        }
    }

    private static void skip(ByteBuffer bytes, int length) {
        if (length < 0 || length > bytes.remaining()) {
            throw new IllegalArgumentException("length " + length + " with " + bytes.remaining() + " bytes left");
        }
        bytes.position(bytes.position() + length);
    }
}
