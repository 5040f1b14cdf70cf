package io.korvet.store.redis;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes RESP bulk strings. */
final class RespWriter {

    private static final int CRLF = '\r' << 8 | '\n';
    private static final int MAX_DIGITS = 20;

    private RespWriter() {}

    /** Most bytes that a bulk string has beyond its content. */
    static final int OVERHEAD = 16;

    static void bulk(ByteBuf out, byte[] bytes) {
        header(out, bytes.length);
        out.writeBytes(bytes);
        out.writeShort(CRLF);
    }

    static void bulk(ByteBuf out, String text) {
        bulk(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static void bulk(ByteBuf out, ByteBuf source, int index, int length) {
        header(out, length);
        out.writeBytes(source, index, length);
        out.writeShort(CRLF);
    }

    static void bulk(ByteBuf out, long decimal) {
        header(out, digits(decimal));
        decimal(out, decimal);
        out.writeShort(CRLF);
    }

    private static void header(ByteBuf out, int length) {
        out.ensureWritable(length + OVERHEAD);
        out.writeByte('$');
        decimal(out, length);
        out.writeShort(CRLF);
    }

    /** How many characters a number has in decimal. */
    static int digits(long number) {
        if (number < 0) {
            return number == Long.MIN_VALUE ? MAX_DIGITS : 1 + digits(-number);
        }
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private static void decimal(ByteBuf out, long number) {
        int length = digits(number);
        out.ensureWritable(length);
        int start = out.writerIndex();
        int at = start + length;
        long rest = number;
        do {
            out.setByte(--at, '0' + (int) Math.abs(rest % 10));
            rest /= 10;
        } while (rest != 0);
        if (number < 0) {
            out.setByte(start, '-');
        }
        out.writerIndex(start + length);
    }
}
